// Section 14.4.1 of MPI 4.1: what holds of all calls that move data.
// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "access.h"

CHECK(14_4_1_01, 1, "Explicit offsets, individual and shared pointers mix in one program") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char a[4], b[4], c[4];
  OK(MPI_File_read(f, a, 4, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(f, 50, b, 4, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_shared(f, c, 4, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(a, 4, 0) && patterned(b, 4, 50) && patterned(c, 4, 0));
  OK(MPI_File_read(f, a, 4, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(a, 4, 4));
  closed(&f);
}

CHECK(14_4_1_02, 1, "A nonblocking call moves the pointer before it returns") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[30];
  MPI_Request requests[3];
  for (int i = 0; i < 3; ++i) {
    OK(MPI_File_iread(f, data + 10 * i, 10, MPI_BYTE, &requests[i]));
    EQUAL(position(f), 10 * (i + 1));
  }
  OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
  EXPECT(patterned(data, 30, 0));
  closed(&f);
}

CHECK(14_4_1_03, 1, "A split collective call moves the pointer when it begins") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[10];
  OK(MPI_File_read_all_begin(f, data, 10, MPI_BYTE));
  EQUAL(position(f), 10);
  OK(MPI_File_read_all_end(f, data, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 10, 0));
  closed(&f);
}

CHECK(14_4_1_04, 2, "A noncollective call needs no other process") {
  MPI_File f = fresh();
  if (rank == 1) {
    char back[3];
    OK(MPI_File_write_at(f, 0, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at(f, 0, back, 3, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT(memcmp(back, "abc", 3) == 0);
    MPI_Send(back, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  } else {
    char c;  // this rank calls nothing of the file until the other one is done
    MPI_Recv(&c, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  closed(&f);
}

CHECK(14_4_1_05, 2, "Processes give different counts and datatypes to a collective call") {
  MPI_File f = fresh();
  double const d = 2.5;
  int const i[3] = {1, 2, 3};
  if (rank == 0)
    OK(MPI_File_write_at_all(f, 0, &d, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
  else
    OK(MPI_File_write_at_all(f, 8, i, 3, MPI_INT, MPI_STATUS_IGNORE));
  closed(&f);
  barrier();
  EXPECT(file_has(0, &d, 8) && file_has(8, i, 12));
}

CHECK(14_4_1_06, 1, "MPI_STATUS_IGNORE is a valid status") {
  MPI_File f = fresh();
  int data = 1;
  OK(MPI_File_write_at(f, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all(f, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
  closed(&f);
}

CHECK(14_4_1_07, 1, "MPI_Get_count of the status: items that were written") {
  MPI_File f = fresh();
  int data[9] = {0};
  MPI_Status status;
  MPI_Datatype three;
  MPI_Type_contiguous(3, MPI_INT, &three);
  MPI_Type_commit(&three);
  OK(MPI_File_write_at(f, 0, data, 3, three, &status));
  EQUAL(count_of(&status, three), 3);
  EQUAL(count_of(&status, MPI_INT), 9);
  MPI_Type_free(&three);
  closed(&f);
}

CHECK(14_4_1_08, 1, "MPI_Get_elements of the status: a last item that was read in part") {
  made(20);
  MPI_File f = opened(MPI_MODE_RDONLY);
  int data[9] = {0}, elements = -1;
  MPI_Status status;
  MPI_Datatype three;
  MPI_Type_contiguous(3, MPI_INT, &three);
  MPI_Type_commit(&three);
  OK(MPI_File_read_at(f, 0, data, 3, three, &status));
  OK(MPI_Get_elements(&status, three, &elements));
  EQUAL(elements, 5);
  EQUAL(count_of(&status, three), MPI_UNDEFINED);
  MPI_Type_free(&three);
  closed(&f);
}

CHECK(14_4_1_09, 1, "Reading behind the end succeeds, with the count of what there was") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[20];
  MPI_Status status;
  memset(data, 'x', 20);
  OK(MPI_File_read_at(f, 4, data, 20, MPI_BYTE, &status));
  EQUAL(count_of(&status, MPI_BYTE), 6);
  EXPECT(patterned(data, 6, 4));
  OK(MPI_File_read_at(f, 100, data, 20, MPI_BYTE, &status));
  EQUAL(count_of(&status, MPI_BYTE), 0);
  closed(&f);
}

CHECK(14_4_1_10, 2, "A collective read behind the end: each rank has its count") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[8];
  MPI_Status status;
  OK(MPI_File_read_at_all(f, 6 * rank, data, 6, MPI_BYTE, &status));
  EQUAL(count_of(&status, MPI_BYTE), rank == 0 ? 6 : 4);
  closed(&f);
}

CHECK(14_4_1_11, 1, "A nonblocking read behind the end: the count is in the status of MPI_Wait") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[20];
  MPI_Status status;
  MPI_Request request;
  OK(MPI_File_iread_at(f, 4, data, 20, MPI_BYTE, &request));
  OK(MPI_Wait(&request, &status));
  EQUAL(count_of(&status, MPI_BYTE), 6);
  closed(&f);
}

CHECK(14_4_1_12, 1, "Behind the end of the file, a view with holes: what there is of it") {
  made(22);
  MPI_File f = opened(MPI_MODE_RDONLY);
  MPI_Datatype type = strided(MPI_INT, 1, 2);
  char data[20];
  MPI_Status status;
  OK(MPI_File_set_view(f, 0, MPI_INT, type, "native", MPI_INFO_NULL));
  OK(MPI_File_read_at(f, 0, data, 5, MPI_INT, &status));
  EQUAL(count_of(&status, MPI_INT), 3);
  for (int i = 0; i < 3; ++i) EXPECT(patterned(data + 4 * i, 4, 8 * i));
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_4_1_13, 1, "MPI_Test_cancelled of the status of a completed request is false") {
  MPI_File f = fresh();
  MPI_Status status;
  MPI_Request request;
  int flag = 1;
  memset(&status, 0xff, sizeof status);
  OK(MPI_File_iwrite_at(f, 0, "a", 1, MPI_CHAR, &request));
  OK(MPI_Wait(&request, &status));
  MPI_Test_cancelled(&status, &flag);
  EQUAL(flag, 0);
  closed(&f);
}

CHECK(14_4_1_14, 1, "Writing behind the end makes the file larger") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDWR);
  OK(MPI_File_write_at(f, 8, "abcd", 4, MPI_CHAR, MPI_STATUS_IGNORE));
  EQUAL(size_of(f), 12);
  closed(&f);
  EXPECT(file_has(8, "abcd", 4));
  EQUAL(byte_at(7), pattern(7));
}

CHECK(14_4_1_15, 1, "A datatype with gaps in memory: reading leaves the gaps") {
  made(64);
  MPI_File f = opened(MPI_MODE_RDONLY);
  MPI_Datatype type = strided(MPI_INT, 1, 2);
  unsigned char data[32];
  memset(data, 0xee, 32);
  OK(MPI_File_read_at(f, 8, data, 4, type, MPI_STATUS_IGNORE));
  for (int i = 0; i < 4; ++i) EXPECT(patterned(data + 8 * i, 4, 8 + 4 * i));
  for (int i = 0; i < 4; ++i) EXPECT(all_are(data + 8 * i + 4, 4, 0xee));
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_4_1_16, 1, "A datatype with gaps in memory: writing takes its bytes only") {
  MPI_File f = fresh();
  MPI_Datatype type = strided(MPI_INT, 1, 2);
  int const data[8] = {1, -1, 2, -1, 3, -1, 4, -1}, wanted[4] = {1, 2, 3, 4};
  OK(MPI_File_write_at(f, 0, data, 4, type, MPI_STATUS_IGNORE));
  MPI_Type_free(&type);
  closed(&f);
  EXPECT(file_has(0, wanted, 16));
  EQUAL(posix_size(path), 16);
}

CHECK(14_4_1_17, 1, "Gaps in memory and in the file, of different kinds") {
  MPI_File f = fresh();
  MPI_Datatype memory = strided(MPI_INT, 2, 3), file = strided(MPI_INT, 1, 3);
  int const data[6] = {1, 2, -1, 3, 4, -1};
  OK(MPI_File_set_view(f, 0, MPI_INT, file, "native", MPI_INFO_NULL));
  OK(MPI_File_write(f, data, 2, memory, MPI_STATUS_IGNORE));
  MPI_Type_free(&memory);
  MPI_Type_free(&file);
  closed(&f);
  for (int i = 1; i <= 4; ++i) EXPECT(file_has(12 * (i - 1), &i, 4));
}

CHECK(14_4_1_18, 1, "A datatype in memory may have its items in any order") {
  MPI_File f = fresh();
  int const lengths[] = {1, 1}, at[] = {3, 0}, data[4] = {1, 2, 3, 4}, wanted[2] = {4, 1};
  MPI_Datatype type;
  MPI_Type_indexed(2, lengths, at, MPI_INT, &type);
  MPI_Type_commit(&type);
  OK(MPI_File_write_at(f, 0, data, 1, type, MPI_STATUS_IGNORE));
  MPI_Type_free(&type);
  closed(&f);
  EXPECT(file_has(0, wanted, 8));
}

CHECK(14_4_1_19, 1, "MPI_BOTTOM with a datatype of absolute addresses") {
  MPI_File f = fresh();
  int const data[3] = {5, 6, 7}, length = 1;
  MPI_Aint at;
  MPI_Datatype type;
  MPI_Get_address((void*)&data[2], &at);
  MPI_Type_create_hindexed(1, &length, &at, MPI_INT, &type);
  MPI_Type_commit(&type);
  OK(MPI_File_write_at(f, 0, MPI_BOTTOM, 1, type, MPI_STATUS_IGNORE));
  MPI_Type_free(&type);
  closed(&f);
  EXPECT(file_has(0, &data[2], 4));
}

CHECK(14_4_1_20, 1, "A datatype that is not committed is an error") {
  MPI_File f = fresh();
  MPI_Datatype type;
  int data[2] = {0};
  MPI_Type_contiguous(2, MPI_INT, &type);
  FAILS(MPI_File_write_at(f, 0, data, 1, type, MPI_STATUS_IGNORE));
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_4_1_21, 1, "A negative count is an error") {
  MPI_File f = fresh();
  int data[2] = {0};
  FAILS(MPI_File_write_at(f, 0, data, -1, MPI_INT, MPI_STATUS_IGNORE));
  closed(&f);
}

CHECK(14_4_1_22, 1, "MPI_DATATYPE_NULL is an error") {
  MPI_File f = fresh();
  int data[2] = {0};
  FAILS(MPI_File_write_at(f, 0, data, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE));
  closed(&f);
}

CHECK(14_4_1_23, 1, "A request is completed by MPI_Test, and becomes MPI_REQUEST_NULL") {
  MPI_File f = fresh();
  MPI_Request request;
  MPI_Status status;
  int done = 0;
  OK(MPI_File_iwrite_at(f, 0, "abc", 3, MPI_CHAR, &request));
  while (!done) OK(MPI_Test(&request, &done, &status));
  EXPECT(request == MPI_REQUEST_NULL);
  EQUAL(count_of(&status, MPI_CHAR), 3);
  closed(&f);
}

CHECK(14_4_1_24, 2, "Requests of files and of messages complete in one MPI_Waitall") {
  MPI_File f = fresh();
  MPI_Request requests[3];
  int got = -1;
  OK(MPI_File_iwrite_at(f, 4 * rank, &rank, 1, MPI_INT, &requests[0]));
  MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[2]);
  OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
  EQUAL(got, 1 - rank);
  closed(&f);
  EXPECT(file_has(4 * rank, &rank, 4));
}

CHECK(14_4_1_25, 1, "Requests complete in MPI_Waitany, MPI_Waitsome and MPI_Testall") {
  MPI_File f = fresh();
  MPI_Request r[3];
  int index = -1, count = 0, indices[3], flag = 0;
  for (int i = 0; i < 3; ++i) OK(MPI_File_iwrite_at(f, i, "abc", 1, MPI_CHAR, &r[i]));
  OK(MPI_Waitany(3, r, &index, MPI_STATUS_IGNORE));
  EXPECT(index >= 0 && index < 3 && r[index] == MPI_REQUEST_NULL);
  OK(MPI_Waitsome(3, r, &count, indices, MPI_STATUSES_IGNORE));
  EXPECT(count == 1 || count == 2);
  while (!flag) OK(MPI_Testall(3, r, &flag, MPI_STATUSES_IGNORE));
  closed(&f);
  EXPECT(file_has(0, "aaa", 3));
}

CHECK(14_4_1_26, 1, "Several nonblocking calls at once: all data is there") {
  MPI_File f = fresh();
  MPI_Request r[16];
  unsigned char data[16][100], back[1600];
  for (int i = 0; i < 16; ++i) {
    fill(data[i], 100, 100 * i);
    OK(MPI_File_iwrite_at(f, 100 * i, data[i], 100, MPI_BYTE, &r[i]));
  }
  OK(MPI_Waitall(16, r, MPI_STATUSES_IGNORE));
  OK(MPI_File_read_at(f, 0, back, 1600, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(back, 1600, 0));
  closed(&f);
}

CHECK(14_4_1_27, 1, "A datatype larger than the etype, and one of several counts") {
  MPI_File f = fresh();
  double data[4] = {1, 2, 3, 4}, back[4] = {0};
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  OK(MPI_File_set_view(f, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL));
  OK(MPI_File_write(f, data, 2, pair, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(f, 1, back, 3, MPI_DOUBLE, MPI_STATUS_IGNORE));
  EXPECT(back[0] == 2 && back[1] == 3 && back[2] == 4);
  MPI_Type_free(&pair);
  closed(&f);
}

CHECK(14_4_1_28, 1, "Data of no whole number of etypes is an error, or moves exactly its bytes") {
  MPI_File f = fresh();
  MPI_Datatype pair;
  int const data[3] = {1, 2, 3};
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  OK(MPI_File_set_view(f, 0, pair, pair, "native", MPI_INFO_NULL));
  int const code = MPI_File_write_at(f, 0, data, 3, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Type_free(&pair);
  closed(&f);
  if (code == MPI_SUCCESS) EXPECT(file_has(0, data, 12));
  if (code == MPI_SUCCESS) EQUAL(posix_size(path), 12);
}

CHECK(14_4_1_29, 1, "A large transfer: 9 MiB in one call, and back") {
  MPI_File f = fresh();
  static unsigned char data[9 << 20];
  fill(data, sizeof data, 0);
  MPI_Status status;
  OK(MPI_File_write_at(f, 1, data, sizeof data, MPI_BYTE, &status));
  EQUAL(count_of(&status, MPI_BYTE), sizeof data);
  memset(data, 0, sizeof data);
  OK(MPI_File_read_at(f, 1, data, sizeof data, MPI_BYTE, &status));
  EXPECT(patterned(data, sizeof data, 0));
  closed(&f);
}

CHECK(14_4_1_30, 4, "A large collective transfer in pieces of 4 bytes, and back") {
  MPI_File f = fresh();
  static unsigned char data[1 << 18];
  fill(data, sizeof data, rank * 1000003LL);
  dealt(f, 3, MPI_INT, 1);
  OK(MPI_File_write_all(f, data, sizeof data / 4, MPI_INT, MPI_STATUS_IGNORE));
  memset(data, 0, sizeof data);
  OK(MPI_File_read_at_all(f, 0, data, sizeof data / 4, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, sizeof data, rank * 1000003LL));
  closed(&f);
  EQUAL(posix_size(path), 3 + 4LL * (long long)sizeof data);
}
