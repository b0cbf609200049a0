// Sections 14.7 and 14.8 of MPI 4.1: error handlers of files, and classes of errors.
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access.h"

static int calls, last_class;
static MPI_File last_file;
static void remember(MPI_File* file, int* code, ...) {
  ++calls;
  last_file = *file;
  last_class = class_of(*code);
}
static MPI_Errhandler remembering(void) {
  MPI_Errhandler handler;
  OK(MPI_File_create_errhandler(remember, &handler));
  calls = 0;
  return handler;
}

CHECK(14_7_01, 1, "The handler of a file is MPI_ERRORS_RETURN at first") {
  MPI_File f = fresh();
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  OK(MPI_File_get_errhandler(f, &handler));
  EXPECT(handler == MPI_ERRORS_RETURN);
  closed(&f);
}

CHECK(14_7_02, 1, "The default handler is that of MPI_FILE_NULL: MPI_ERRORS_RETURN at first") {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  OK(MPI_File_get_errhandler(MPI_FILE_NULL, &handler));
  EXPECT(handler == MPI_ERRORS_RETURN);
}

CHECK(14_7_03, 1, "MPI_File_set_errhandler(MPI_FILE_NULL): files opened later have that handler") {
  MPI_Errhandler mine = remembering(), handler = MPI_ERRHANDLER_NULL;
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, mine));
  MPI_File f = fresh();
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  OK(MPI_File_get_errhandler(f, &handler));
  EXPECT(handler == mine);
  MPI_Errhandler_free(&handler);
  MPI_Errhandler_free(&mine);
  closed(&f);
}

CHECK(14_7_04, 1, "Files that are open already keep their handler") {
  MPI_Errhandler mine = remembering(), handler = MPI_ERRHANDLER_NULL;
  MPI_File f = fresh();
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, mine));
  OK(MPI_File_get_errhandler(f, &handler));
  EXPECT(handler == MPI_ERRORS_RETURN);
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  MPI_Errhandler_free(&mine);
  closed(&f);
}

CHECK(14_7_05, 1, "An error of MPI_File_open calls the default handler") {
  MPI_Errhandler mine = remembering();
  MPI_File f = MPI_FILE_NULL;
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, mine));
  MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
  EQUAL(calls, 1);
  EXPECT(last_file == MPI_FILE_NULL);
  EQUAL(last_class, MPI_ERR_NO_SUCH_FILE);
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  MPI_Errhandler_free(&mine);
}

CHECK(14_7_06, 1, "An error of a call calls the handler of its file, with file and code") {
  MPI_Errhandler mine = remembering();
  MPI_File f = fresh();
  OK(MPI_File_set_errhandler(f, mine));
  MPI_File_seek(f, -1, MPI_SEEK_SET);
  EQUAL(calls, 1);
  EXPECT(last_file == f);
  MPI_Errhandler_free(&mine);
  closed(&f);
}

CHECK(14_7_07, 1, "A freed handler stays in use as long as a file has it") {
  MPI_Errhandler mine = remembering();
  MPI_File f = fresh();
  OK(MPI_File_set_errhandler(f, mine));
  OK(MPI_Errhandler_free(&mine));
  EXPECT(mine == MPI_ERRHANDLER_NULL);
  MPI_File_seek(f, -1, MPI_SEEK_SET);
  EQUAL(calls, 1);
  closed(&f);
}

CHECK(14_7_08, 1, "MPI_File_call_errhandler calls the handler with the code") {
  MPI_Errhandler mine = remembering();
  MPI_File f = fresh();
  OK(MPI_File_set_errhandler(f, mine));
  OK(MPI_File_call_errhandler(f, MPI_ERR_NO_SPACE));
  EQUAL(calls, 1);
  EQUAL(last_class, MPI_ERR_NO_SPACE);
  EXPECT(last_file == f);
  MPI_Errhandler_free(&mine);
  closed(&f);
}

CHECK(14_7_09, 2, "Handlers are local: each process has its own") {
  MPI_Errhandler mine = remembering();
  MPI_File f = fresh();
  if (rank == 1) OK(MPI_File_set_errhandler(f, mine));
  MPI_File_seek(f, -1, MPI_SEEK_SET);
  EQUAL(calls, rank);
  MPI_Errhandler_free(&mine);
  closed(&f);
}

CHECK(14_7_10, 1, "An error of a call with an invalid file calls the default handler") {
  MPI_Errhandler mine = remembering();
  MPI_Offset size;
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, mine));
  MPI_File_get_size(MPI_FILE_NULL, &size);
  EQUAL(calls, 1);
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  MPI_Errhandler_free(&mine);
}

CHECK(14_7_11, 1, "Errors of a file do not call the handler of its communicator") {
  MPI_File f = fresh();
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
  FAILS(MPI_File_seek(f, -1, MPI_SEEK_SET));
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  closed(&f);
}

CHECK(14_7_12, 1, "After an error that is returned, the file is used as before") {
  MPI_File f = fresh();
  char back = 0;
  FAILS(MPI_File_write_at(f, 0, "b", 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE));
  OK(MPI_File_write_at(f, 0, "a", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(f, 0, &back, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  EQUAL(back, 'a');
  closed(&f);
}

CHECK(14_8_01, 1, "Each class of errors of files has a text, and is a class") {
  int const classes[] = {
      MPI_ERR_FILE,         MPI_ERR_NOT_SAME,    MPI_ERR_AMODE,    MPI_ERR_UNSUPPORTED_DATAREP,
      MPI_ERR_NO_SUCH_FILE, MPI_ERR_FILE_EXISTS, MPI_ERR_BAD_FILE, MPI_ERR_UNSUPPORTED_OPERATION,
      MPI_ERR_ACCESS,       MPI_ERR_NO_SPACE,    MPI_ERR_QUOTA,    MPI_ERR_READ_ONLY,
      MPI_ERR_FILE_IN_USE,  MPI_ERR_DUP_DATAREP, MPI_ERR_IO,       MPI_ERR_CONVERSION};
  for (int i = 0; i < 16; ++i) {
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    OK(MPI_Error_string(classes[i], text, &length));
    EXPECT(length > 0);
    EQUAL(class_of(classes[i]), classes[i]);
  }
}

CHECK(14_8_02, 1, "MPI_ERR_FILE: an invalid file") {
  char c;
  MPI_Offset at;
  CLASS(MPI_File_get_size(MPI_FILE_NULL, &at), MPI_ERR_FILE);
  CLASS(MPI_File_get_position(MPI_FILE_NULL, &at), MPI_ERR_FILE);
  CLASS(MPI_File_read(MPI_FILE_NULL, &c, 1, MPI_CHAR, MPI_STATUS_IGNORE), MPI_ERR_FILE);
  CLASS(MPI_File_sync(MPI_FILE_NULL), MPI_ERR_FILE);
}

CHECK(14_8_03, 2, "MPI_ERR_NOT_SAME: sizes that differ") {
  MPI_File f = fresh();
  CLASS(MPI_File_set_size(f, 10 + rank), MPI_ERR_NOT_SAME);
  closed(&f);
}

CHECK(14_8_04, 2, "MPI_ERR_NOT_SAME: modes of MPI_File_open that differ") {
  made(10);
  MPI_File f = MPI_FILE_NULL;
  int const code = MPI_File_open(MPI_COMM_WORLD, path, rank == 0 ? MPI_MODE_RDONLY : MPI_MODE_RDWR,
                                 MPI_INFO_NULL, &f);
  CLASS(code, MPI_ERR_NOT_SAME);
}

CHECK(14_8_05, 2, "MPI_ERR_NOT_SAME: sizes of MPI_File_preallocate that differ") {
  MPI_File f = fresh();
  CLASS(MPI_File_preallocate(f, 10 + rank), MPI_ERR_NOT_SAME);
  closed(&f);
}

CHECK(14_8_06, 1, "MPI_ERR_AMODE: an unknown bit of the mode") {
  MPI_File f = MPI_FILE_NULL;
  CLASS(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY | 1 << 29, MPI_INFO_NULL, &f),
        MPI_ERR_AMODE);
}

CHECK(14_8_07, 1, "MPI_ERR_BAD_FILE: a name that is too long") {
  MPI_File f = MPI_FILE_NULL;
  char name[6000];
  memset(name, 'x', sizeof name);
  name[sizeof name - 1] = 0;
  CLASS(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f),
        MPI_ERR_BAD_FILE);
}

CHECK(14_8_08, 1, "A file in a directory that is not there is MPI_ERR_NO_SUCH_FILE") {
  MPI_File f = MPI_FILE_NULL;
  char name[1100];
  snprintf(name, sizeof name, "%s/none/file.dat", directory);
  CLASS(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f),
        MPI_ERR_NO_SUCH_FILE);
}

CHECK(14_8_09, 1, "MPI_ERR_ACCESS: a file without permission") {
  if (geteuid() == 0) {
    absent("root may read every file");
    return;
  }
  made(10);
  MPI_File f = MPI_FILE_NULL;
  chmod(path, 0);
  CLASS(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR, MPI_INFO_NULL, &f), MPI_ERR_ACCESS);
}

CHECK(14_8_10, 1, "MPI_ERR_READ_ONLY or MPI_ERR_ACCESS: writing to a file for reading only") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDONLY);
  int const class = class_of(MPI_File_write_at(f, 0, "a", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  EXPECT(class == MPI_ERR_READ_ONLY || class == MPI_ERR_ACCESS);
  closed(&f);
}

CHECK(14_8_11, 2, "Shared and ordered writes to a file for reading only are errors") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDONLY);
  FAILS(MPI_File_write_shared(f, "a", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  FAILS(MPI_File_write_ordered(f, "a", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  FAILS(MPI_File_write_at_all(f, 0, "a", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  closed(&f);
  EQUAL(posix_size(path), 10);
}

CHECK(14_8_12, 2, "Shared and ordered reads of a file for writing only are errors") {
  made(10);
  MPI_File f = opened(MPI_MODE_WRONLY);
  char c;
  FAILS(MPI_File_read_shared(f, &c, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  FAILS(MPI_File_read_ordered(f, &c, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  FAILS(MPI_File_read_at_all(f, 0, &c, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  closed(&f);
}

CHECK(14_8_13, 1, "A directory cannot be opened for writing: an error") {
  MPI_File f = MPI_FILE_NULL;
  FAILS(MPI_File_open(MPI_COMM_SELF, directory, MPI_MODE_RDWR, MPI_INFO_NULL, &f));
}

CHECK(14_8_14, 1, "A directory is not deleted by MPI_File_delete: an error") {
  char name[1100];
  snprintf(name, sizeof name, "%s/folder", directory);
  mkdir(name, 0777);
  FAILS(MPI_File_delete(name, MPI_INFO_NULL));
  EXPECT(posix_size(name) >= 0);
}

CHECK(14_8_15, 1, "A null name is an error, not a crash") {
  MPI_File f = MPI_FILE_NULL;
  FAILS(MPI_File_open(MPI_COMM_SELF, NULL, MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
}
