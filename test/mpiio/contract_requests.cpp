// Requests and split calls, for contract.cpp: waiting, dropping, and mixing them up between ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include "contract.hpp"

#include <string>
#include <vector>

// Waits by asking for the status again and again, in each way that MPI has.
static void ask_until_ended(MPI_Request r) {
  MPI_Status status;
  int flag = 0;
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  MPI_Request list[] = {MPI_REQUEST_NULL, r};  // MPICH 4.2 has no const here
  MPI_Status statuses[2];
  int index = -1, ended = 0, indices[2] = {-1, -1};
  while (flag == 0) CHECK_OK(MPI_Request_get_status_all(2, list, &flag, statuses));
  CHECK_OK(MPI_Request_get_status_any(2, list, &index, &flag, &status));
  CHECK(index == 1 && flag != 0);
  CHECK_OK(MPI_Request_get_status_some(2, list, &ended, indices, statuses));
  CHECK(ended == 1 && indices[0] == 1);
  flag = 0;
#endif
  while (flag == 0) CHECK_OK(MPI_Request_get_status(r, &flag, &status));
}

void requests() {
  std::string const path = path_of("requests.dat");
  MPI_File f = opened(path, MPI_MODE_CREATE | MPI_MODE_RDWR);
  std::vector<int> data(50000, rank + 1);
  auto const n = static_cast<int>(data.size());
  MPI_Offset const mine = static_cast<MPI_Offset>(rank) * n * 4;
  MPI_Request r = MPI_REQUEST_NULL;
  // The request is freed without a wait. The data must still be written.
  CHECK_OK(MPI_File_iwrite_at(f, mine, data.data(), n, MPI_INT, &r));
  CHECK_OK(MPI_Request_free(&r));
  CHECK(r == MPI_REQUEST_NULL);
  close(f);
  f = opened(path, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  std::vector<int> back(data.size(), -1);
  CHECK_OK(MPI_File_iread_at_all(f, mine, back.data(), n, MPI_INT, &r));
  MPI_Status status;
  ask_until_ended(r);
  CHECK(back == data && r != MPI_REQUEST_NULL);
  CHECK_OK(MPI_Cancel(&r));
  CHECK_OK(MPI_Wait(&r, &status));
  int count = -1;
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == n);
  // The message of a rank is needed before its neighbour comes to the collective call that all
  // ranks wait for.
  std::vector<int> message(200000, rank), got(200000, -1);
  int const next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  MPI_Request list[3];
  MPI_Irecv(got.data(), static_cast<int>(got.size()), MPI_INT, last, 1, MPI_COMM_WORLD, &list[0]);
  MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_INT, next, 1, MPI_COMM_WORLD,
            &list[1]);
  if (rank % 2 == 1) MPI_Waitall(2, list, MPI_STATUSES_IGNORE);
  CHECK_OK(MPI_File_iwrite_at_all(f, mine, data.data(), n, MPI_INT, &list[2]));
  if (rank % 2 == 1)
    CHECK_OK(MPI_Wait(&list[2], &status));
  else
    CHECK_OK(MPI_Waitall(3, list, MPI_STATUSES_IGNORE));
  CHECK(got == std::vector<int>(200000, last));
  // A view may be set, and a file closed, before a program completes its requests.
  CHECK_OK(MPI_File_iwrite_at_all(f, mine, data.data(), n, MPI_INT, &r));
  CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  CHECK_OK(MPI_File_iread_at_all(f, mine / 4, back.data(), n, MPI_INT, &list[0]));
  close(f);
  CHECK_OK(MPI_Wait(&r, &status));
  CHECK_OK(MPI_Wait(&list[0], &status));
  CHECK(back == data);
}

using wait_for = int (*)(MPI_Request*);

// A program that tests again and again must get the error of a request, by whichever function it
// tests.
void tested_requests() {
  constexpr wait_for ways[] = {
      [](MPI_Request* r) {
        int flag = 0, code = MPI_SUCCESS;
        while (flag == 0 && code == MPI_SUCCESS) code = MPI_Test(r, &flag, MPI_STATUS_IGNORE);
        return code;
      },
      [](MPI_Request* r) {
        int flag = 0, code = MPI_SUCCESS;
        MPI_Status s;
        while (flag == 0 && code == MPI_SUCCESS) code = MPI_Testall(1, r, &flag, &s);
        return code == MPI_ERR_IN_STATUS ? s.MPI_ERROR : code;
      },
      [](MPI_Request* r) {
        int flag = 0, which = -1, code = MPI_SUCCESS;
        while (flag == 0 && code == MPI_SUCCESS)
          code = MPI_Testany(1, r, &which, &flag, MPI_STATUS_IGNORE);
        return code;
      },
      [](MPI_Request* r) {
        int n = 0, which = -1, code = MPI_SUCCESS;
        MPI_Status s;
        while (n == 0 && code == MPI_SUCCESS) code = MPI_Testsome(1, r, &n, &which, &s);
        return code == MPI_ERR_IN_STATUS ? s.MPI_ERROR : code;
      },
  };
  MPI_File f = fresh(path_of("tested.dat"));
  int const data = rank;
  for (wait_for const way : ways)
    for (bool const is_wrong : {true, false}) {
      MPI_Request r = MPI_REQUEST_NULL;
      CHECK_OK(MPI_File_iwrite_at_all(f, is_wrong ? -3 : rank * 4, &data, 1, MPI_INT, &r));
      CHECK_CLASS(way(&r), is_wrong ? MPI_ERR_ARG : MPI_SUCCESS);
      CHECK(r == MPI_REQUEST_NULL);
    }
  close(f);
}

// A program whose ranks are in different calls must get an error, by whichever function it waits.
void mixed_calls() {
  if (ranks == 1) return;
  constexpr wait_for ways[] = {
      [](MPI_Request* r) { return MPI_Wait(r, MPI_STATUS_IGNORE); },
      [](MPI_Request* r) {
        MPI_Status s;
        return MPI_Waitall(1, r, &s) == MPI_ERR_IN_STATUS ? s.MPI_ERROR : MPI_SUCCESS;
      },
      [](MPI_Request* r) {
        int which = -1;
        return MPI_Waitany(1, r, &which, MPI_STATUS_IGNORE);
      },
      [](MPI_Request* r) {
        int n = 0, which = -1;
        MPI_Status s;
        return MPI_Waitsome(1, r, &n, &which, &s) == MPI_ERR_IN_STATUS ? s.MPI_ERROR : MPI_SUCCESS;
      },
  };
  for (wait_for const way : ways) {
    MPI_File f = fresh(path_of("mixed.dat"));
    int const data = rank;
    MPI_Request r = MPI_REQUEST_NULL;
    if (rank == 0) {
      CHECK(MPI_File_write_at_all(f, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    } else {
      CHECK_OK(MPI_File_iwrite_at_all(f, rank * 4, &data, 1, MPI_INT, &r));
      CHECK_CLASS(way(&r), MPI_ERR_NOT_SAME);
      CHECK_CLASS(MPI_File_sync(f), MPI_ERR_NOT_SAME);  // is in the same agreement as rank 0's call
    }
    close(f);
    // One rank makes one more call. Its request reports that, or close does if the request was
    // dropped.
    for (bool const dropped : {false, true}) {
      f = fresh(path_of("mixed.dat"));
      if (rank == ranks - 1) CHECK_OK(MPI_File_iwrite_at_all(f, 0, &data, 1, MPI_INT, &r));
      if (rank == ranks - 1 && dropped) CHECK_OK(MPI_Request_free(&r));
      CHECK((MPI_File_close(&f) != MPI_SUCCESS) == dropped && f == MPI_FILE_NULL);
      if (r != MPI_REQUEST_NULL) CHECK_CLASS(way(&r), MPI_ERR_NOT_SAME);
    }
  }
}

// A dropped request is finished before a view or a size is set.
void dropped_requests() {
  MPI_File f = fresh(path_of("dropped.dat"));
  std::vector<int> const data(20000, rank + 1);
  auto const n = static_cast<int>(data.size());
  MPI_Offset const mine = static_cast<MPI_Offset>(rank) * n * 4;
  for (bool const together : {false, true}) {
    MPI_Request r = MPI_REQUEST_NULL;
    CHECK_OK(together ? MPI_File_iwrite_at_all(f, mine, data.data(), n, MPI_INT, &r)
                      : MPI_File_iwrite_at(f, mine, data.data(), n, MPI_INT, &r));
    CHECK_OK(MPI_Request_free(&r));
    CHECK_OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    std::vector<int> back(data.size());
    CHECK_OK(MPI_File_read_at_all(f, mine, back.data(), n, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(back == data);
    CHECK_OK(MPI_File_set_size(f, 0));
  }
  close(f);
}

void split() {
  MPI_File f = fresh(path_of("split.dat"));
  int const out = rank;
  int in = -1, other = 0;
  MPI_Status status;
  CHECK(MPI_File_write_all_end(f, &out, &status) != MPI_SUCCESS);
  CHECK_OK(MPI_File_write_ordered_begin(f, &out, 1, MPI_INT));
  CHECK(MPI_File_write_all_begin(f, &out, 1, MPI_INT) != MPI_SUCCESS);
  CHECK_OK(MPI_File_write_ordered_end(f, &out, &status));
  CHECK_OK(MPI_File_read_at_all_begin(f, rank * 4, &in, 1, MPI_INT));
  CHECK_CLASS(MPI_File_read_at_all_end(f, &other, &status), MPI_ERR_BUFFER);
  CHECK(in == rank);
  // A mistake in a rank's own data is reported as in a blocking call.
  CHECK_OK(MPI_File_write_all_begin(f, &out, -1, MPI_INT));
  CHECK_CLASS(MPI_File_write_all_end(f, &out, &status), MPI_ERR_COUNT);
  close(f);
}
