// Error handlers of files, for contract.cpp: which handler a file has, when it is called, and with
// which error.
// SPDX-License-Identifier: BSD-3-Clause
#include "contract.hpp"

namespace {

int handled = 0, handled_code = 0;
MPI_File handled_file = MPI_FILE_NULL;
void handler(MPI_File* file, int* code, ...) {
  ++handled;
  handled_file = *file;
  handled_code = *code;
}
void of_communicators(MPI_Comm*, int*, ...) {}

}  // namespace

void handlers() {
  MPI_Errhandler mine = MPI_ERRHANDLER_NULL, told = MPI_ERRHANDLER_NULL,
                 of_others = MPI_ERRHANDLER_NULL;
  MPI_Status status;
  char c = 0;
  MPI_File f = fresh(path_of("handlers.dat"));
  CHECK_OK(MPI_File_get_errhandler(f, &told));
  CHECK(told == MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&told);
  MPI_Comm_create_errhandler(of_communicators, &of_others);
  CHECK_CLASS(MPI_File_set_errhandler(f, of_others), MPI_ERR_ARG);
  MPI_Errhandler_free(&of_others);
  CHECK(of_others == MPI_ERRHANDLER_NULL);
  CHECK_OK(MPI_File_create_errhandler(handler, &mine));
  CHECK_OK(MPI_File_set_errhandler(f, mine));
  CHECK_OK(MPI_File_get_errhandler(f, &told));
  CHECK(told == mine);
  MPI_Errhandler_free(&told);
  CHECK(told == MPI_ERRHANDLER_NULL);
  MPI_Errhandler kept = mine;
  MPI_Errhandler_free(&kept);  // the file still has it
  int code = MPI_File_write_at(f, -1, &c, 1, MPI_CHAR, &status);
  CHECK(code != MPI_SUCCESS && handled == 1 && handled_code == code && handled_file == f);
  CHECK_OK(MPI_File_call_errhandler(f, MPI_ERR_IO));
  CHECK(handled == 2 && handled_code == MPI_ERR_IO);
  // Wrong arguments of a local call are reported at once, and there is no request.
  MPI_Request r = MPI_REQUEST_NULL;
  code = MPI_File_iwrite_at(f, 0, &c, -1, MPI_CHAR, &r);
  CHECK_CLASS(code, MPI_ERR_COUNT);
  CHECK(handled == 3 && handled_code == code && r == MPI_REQUEST_NULL);
  CHECK_OK(MPI_Wait(&r, &status));
  // Those of a collective call are reported when it is completed.
  MPI_Request list[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  CHECK_OK(MPI_File_iwrite_at(f, 0, &c, 1, MPI_CHAR, &list[0]));
  CHECK_OK(MPI_File_iwrite_at_all(f, -3, &c, 1, MPI_CHAR, &list[1]));
  CHECK(MPI_Waitall(2, list, statuses) == MPI_ERR_IN_STATUS);
  CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS);
  CHECK_CLASS(statuses[1].MPI_ERROR, MPI_ERR_ARG);
  CHECK(handled == 4);
  // A file that is opened has the handler of MPI_FILE_NULL.
  CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, mine));
  MPI_File g = fresh(path_of("inherits.dat"));
  CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  CHECK(MPI_File_write_at(g, -1, &c, 1, MPI_CHAR, &status) != MPI_SUCCESS);
  CHECK(handled == 5 && handled_file == g);
  MPI_File const closed = g;
  close(g);
  CHECK_CLASS(MPI_File_set_errhandler(closed, mine), MPI_ERR_FILE);
  CHECK_CLASS(MPI_File_get_errhandler(closed, &told), MPI_ERR_FILE);
  CHECK_CLASS(MPI_File_call_errhandler(closed, MPI_ERR_IO), MPI_ERR_FILE);
  CHECK_OK(MPI_File_get_errhandler(MPI_FILE_NULL, &told));
  CHECK(told == MPI_ERRORS_RETURN && handled == 5);
  MPI_Errhandler_free(&told);
  // Only the file still has the handler that it inherited.
  MPI_Errhandler inherited = MPI_ERRHANDLER_NULL;
  CHECK_OK(MPI_File_create_errhandler(handler, &inherited));
  CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, inherited));
  MPI_Errhandler_free(&inherited);
  g = fresh(path_of("alone.dat"));
  CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  CHECK(MPI_File_write_at(g, -1, &c, 1, MPI_CHAR, &status) != MPI_SUCCESS);
  CHECK(handled == 6 && handled_file == g);
  close(g);
  close(f);
  MPI_File none = MPI_FILE_NULL;
  CHECK(MPI_File_open(MPI_COMM_WORLD, path_of("none.dat").c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL,
                      &none) != MPI_SUCCESS);
  CHECK(handled == 6);
}
