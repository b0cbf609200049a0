// Sections 14.2.2 to 14.2.7 of MPI 4.1: closing, deleting, sizes, and what a file was opened with.
// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

CHECK(14_2_2_01, 2, "Closing synchronizes: a later open finds the data of all ranks") {
  MPI_File f = fresh();
  unsigned char data[8], back[16];
  fill(data, 8, rank * 8);
  OK(MPI_File_write_at(f, rank * 8, data, 8, MPI_BYTE, MPI_STATUS_IGNORE));
  closed(&f);
  f = opened(MPI_MODE_RDONLY);
  OK(MPI_File_read_at(f, 0, back, 16, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(back, 16, 0));
  closed(&f);
}

CHECK(14_2_2_02, 1, "Closing sets the handle to MPI_FILE_NULL") {
  MPI_File f = fresh();
  OK(MPI_File_close(&f));
  EXPECT(f == MPI_FILE_NULL);
}

CHECK(14_2_2_03, 2, "MPI_MODE_DELETE_ON_CLOSE: closing deletes, also a file that was there") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  closed(&f);
  barrier();
  EQUAL(posix_size(path), -1);
}

CHECK(14_2_2_04, 1, "Without that mode the file stays when it is closed") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDWR);
  closed(&f);
  EQUAL(posix_size(path), 10);
}

CHECK(14_2_2_05, 1, "Closing MPI_FILE_NULL is an error: MPI_ERR_FILE") {
  MPI_File f = MPI_FILE_NULL;
  CLASS(MPI_File_close(&f), MPI_ERR_FILE);
}

CHECK(14_2_2_06, 2, "A file is closed by all ranks of its communicator only") {
  if (rank == 0) {
    MPI_File f = opened_by(MPI_COMM_SELF, MPI_MODE_CREATE | MPI_MODE_RDWR);
    closed(&f);
  }
  barrier();
  EQUAL(posix_size(path), 0);
}

CHECK(14_2_3_01, 1, "MPI_File_delete deletes the file") {
  made(3);
  OK(MPI_File_delete(path, MPI_INFO_NULL));
  EQUAL(posix_size(path), -1);
}

CHECK(14_2_3_02, 1, "Deleting a file that is not there is MPI_ERR_NO_SUCH_FILE") {
  CLASS(MPI_File_delete(path, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
}

CHECK(14_2_3_03, 1, "MPI_File_delete accepts hints") {
  made(3);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "access_style", "write_once");
  OK(MPI_File_delete(path, info));
  MPI_Info_free(&info);
  EQUAL(posix_size(path), -1);
}

CHECK(14_2_3_04, 2, "One rank may delete; the other takes no part") {
  made(3);
  if (rank == 1) OK(MPI_File_delete(path, MPI_INFO_NULL));
  barrier();
  EQUAL(posix_size(path), -1);
}

CHECK(14_2_3_05, 1, "An open file is deleted, or the error is FILE_IN_USE or ACCESS") {
  made(3);
  MPI_File f = opened(MPI_MODE_RDWR);
  int const code = MPI_File_delete(path, MPI_INFO_NULL), class = class_of(code);
  if (code == MPI_SUCCESS)
    EQUAL(posix_size(path), -1);
  else
    EXPECT(class == MPI_ERR_FILE_IN_USE || class == MPI_ERR_ACCESS);
  MPI_File_close(&f);
}

static int handler_calls;
static void counting_handler(MPI_File* file, int* code, ...) {
  (void)code;
  handler_calls += *file == MPI_FILE_NULL;
}
CHECK(14_2_3_06, 1, "An error of deleting calls the default handler, with MPI_FILE_NULL") {
  MPI_Errhandler handler;
  MPI_File_create_errhandler(counting_handler, &handler);
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
  handler_calls = 0;
  MPI_File_delete(path, MPI_INFO_NULL);
  EQUAL(handler_calls, 1);
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  MPI_Errhandler_free(&handler);
}

CHECK(14_2_4_01, 2, "MPI_File_set_size resizes to this many bytes from the beginning") {
  MPI_File f = fresh();
  OK(MPI_File_set_size(f, 1000));
  EQUAL(size_of(f), 1000);
  closed(&f);
  EQUAL(posix_size(path), 1000);
}

CHECK(14_2_4_02, 2, "A smaller size cuts the file at that position") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDWR);
  char data[40];
  OK(MPI_File_set_size(f, 40));
  EQUAL(size_of(f), 40);
  OK(MPI_File_read_at(f, 0, data, 40, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 40, 0));
  closed(&f);
  EQUAL(posix_size(path), 40);
}

CHECK(14_2_4_03, 2, "A larger size leaves what was written") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDWR);
  char data[100];
  OK(MPI_File_set_size(f, 5000));
  EQUAL(size_of(f), 5000);
  OK(MPI_File_read_at(f, 0, data, 100, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 100, 0));
  closed(&f);
}

CHECK(14_2_4_04, 1, "The new bytes of a larger size can be read, whatever they are") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDWR);
  char data[50];
  MPI_Status status;
  OK(MPI_File_set_size(f, 60));
  OK(MPI_File_read_at(f, 10, data, 50, MPI_BYTE, &status));
  EQUAL(count_of(&status, MPI_BYTE), 50);
  closed(&f);
}

CHECK(14_2_4_05, 2, "Resizing does not move individual pointers") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDWR);
  OK(MPI_File_seek(f, 70, MPI_SEEK_SET));
  OK(MPI_File_set_size(f, 40));
  EQUAL(position(f), 70);
  OK(MPI_File_set_size(f, 400));
  EQUAL(position(f), 70);
  closed(&f);
}

CHECK(14_2_4_06, 2, "Resizing does not move the shared pointer") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDWR);
  OK(MPI_File_seek_shared(f, 70, MPI_SEEK_SET));
  OK(MPI_File_set_size(f, 40));
  EQUAL(position_shared(f), 70);
  closed(&f);
}

CHECK(14_2_4_07, 1, "A sequential file cannot be resized: MPI_ERR_UNSUPPORTED_OPERATION") {
  MPI_File f = opened(MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
  CLASS(MPI_File_set_size(f, 10), MPI_ERR_UNSUPPORTED_OPERATION);
  closed(&f);
  EQUAL(posix_size(path), 0);
}

CHECK(14_2_4_08, 1, "A negative size is an error, and the file stays") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDWR);
  FAILS(MPI_File_set_size(f, -1));
  closed(&f);
  EQUAL(posix_size(path), 10);
}

CHECK(14_2_4_09, 1, "A file for reading only cannot be resized") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDONLY);
  FAILS(MPI_File_set_size(f, 5));
  closed(&f);
  EQUAL(posix_size(path), 10);
}

CHECK(14_2_4_10, 1, "The size is in bytes, whatever the view is") {
  MPI_File f = fresh();
  OK(MPI_File_set_view(f, 12, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(MPI_File_set_size(f, 100));
  EQUAL(size_of(f), 100);
  closed(&f);
  EQUAL(posix_size(path), 100);
}

CHECK(14_2_4_11, 1, "The size may be larger than 4 GiB") {
  MPI_File f = fresh();
  MPI_Offset const large = ((MPI_Offset)5 << 30) + 3;
  OK(MPI_File_set_size(f, large));
  EQUAL(size_of(f), large);
  closed(&f);
}

CHECK(14_2_5_01, 2, "Preallocating more than there is makes the file as large") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDWR);
  OK(MPI_File_preallocate(f, 5000));
  EQUAL(size_of(f), 5000);
  closed(&f);
}

CHECK(14_2_5_02, 2, "Preallocating leaves what was written") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDWR);
  OK(MPI_File_preallocate(f, 5000));
  closed(&f);
  unsigned char wanted[100];
  fill(wanted, 100, 0);
  EXPECT(file_has(0, wanted, 100));
}

CHECK(14_2_5_03, 2, "Preallocating less than there is leaves the size") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDWR);
  OK(MPI_File_preallocate(f, 50));
  EQUAL(size_of(f), 100);
  closed(&f);
}

CHECK(14_2_5_04, 1, "Storage is allocated for the bytes") {
  MPI_File f = fresh();
  OK(MPI_File_preallocate(f, 1 << 20));
  closed(&f);
  struct stat s;
  EQUAL(stat(path, &s), 0);
  EXPECT((long long)s.st_blocks * 512 >= 1 << 20);
}

CHECK(14_2_5_05, 2, "Preallocating moves no pointer") {
  MPI_File f = fresh();
  OK(MPI_File_seek(f, 7, MPI_SEEK_SET));
  OK(MPI_File_seek_shared(f, 9, MPI_SEEK_SET));
  OK(MPI_File_preallocate(f, 500));
  EQUAL(position(f), 7);
  EQUAL(position_shared(f), 9);
  closed(&f);
}

CHECK(14_2_5_06, 1, "A sequential file cannot be preallocated: MPI_ERR_UNSUPPORTED_OPERATION") {
  MPI_File f = opened(MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
  CLASS(MPI_File_preallocate(f, 10), MPI_ERR_UNSUPPORTED_OPERATION);
  closed(&f);
}

CHECK(14_2_5_07, 1, "Preallocating a negative size is an error") {
  MPI_File f = fresh();
  FAILS(MPI_File_preallocate(f, -1));
  closed(&f);
}

CHECK(14_2_5_08, 1, "Holes before the end are preallocated, too, and read as they did") {
  MPI_File f = fresh();
  OK(MPI_File_write_at(f, 999999, "z", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  OK(MPI_File_preallocate(f, 1000000));
  closed(&f);
  EQUAL(byte_at(999999), 'z');
  EQUAL(byte_at(5), 0);
  EQUAL(posix_size(path), 1000000);
}

CHECK(14_2_6_01, 2, "MPI_File_get_size is the size in bytes, whatever the view is") {
  made(101);
  MPI_File f = opened(MPI_MODE_RDONLY);
  OK(MPI_File_set_view(f, 50, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  EQUAL(size_of(f), 101);
  closed(&f);
}

CHECK(14_2_6_02, 1, "The size follows a write of the same process") {
  MPI_File f = fresh();
  OK(MPI_File_write_at(f, 100, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
  EQUAL(size_of(f), 103);
  closed(&f);
}

CHECK(14_2_6_03, 2, "The size is consistent as data is: after sync, barrier, sync") {
  MPI_File f = fresh();
  if (rank == 1) OK(MPI_File_write_at(f, 30, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
  OK(MPI_File_sync(f));
  barrier();
  OK(MPI_File_sync(f));
  EQUAL(size_of(f), 33);
  closed(&f);
}

CHECK(14_2_6_04, 1, "A file for writing only has a size, too") {
  made(12);
  MPI_File f = opened(MPI_MODE_WRONLY);
  EQUAL(size_of(f), 12);
  closed(&f);
}

CHECK(14_2_7_01, 2, "MPI_File_get_group: the group of the communicator") {
  MPI_File f = fresh();
  MPI_Group group, world;
  int same = MPI_UNEQUAL;
  OK(MPI_File_get_group(f, &group));
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_compare(group, world, &same);
  EQUAL(same, MPI_IDENT);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  closed(&f);
}

CHECK(14_2_7_02, 2, "The group is a duplicate: it is freed by the caller, and outlives the file") {
  MPI_File f = fresh();
  MPI_Group first, second;
  int size = 0;
  OK(MPI_File_get_group(f, &first));
  OK(MPI_Group_free(&first));
  OK(MPI_File_get_group(f, &second));
  closed(&f);
  MPI_Group_size(second, &size);
  EQUAL(size, 2);
  MPI_Group_free(&second);
}

CHECK(14_2_7_03, 2, "The group of a file of MPI_COMM_SELF has one process") {
  if (rank == 0) {
    MPI_File f = opened_by(MPI_COMM_SELF, MPI_MODE_CREATE | MPI_MODE_RDWR);
    MPI_Group group;
    int size = 0;
    OK(MPI_File_get_group(f, &group));
    MPI_Group_size(group, &size);
    EQUAL(size, 1);
    MPI_Group_free(&group);
    closed(&f);
  }
}

CHECK(14_2_7_04, 1, "MPI_File_get_amode returns the mode of opening") {
  int const modes[] = {MPI_MODE_CREATE | MPI_MODE_RDWR,
                       MPI_MODE_RDONLY,
                       MPI_MODE_WRONLY | MPI_MODE_APPEND,
                       MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL,
                       MPI_MODE_RDWR | MPI_MODE_UNIQUE_OPEN,
                       MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                       MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL};
  for (int i = 0; i < 7; ++i) {
    MPI_File f = opened(modes[i]);
    int amode = 0;
    OK(MPI_File_get_amode(f, &amode));
    EQUAL(amode, modes[i]);
    closed(&f);
  }
}
