// Section 14.2.8 of MPI 4.1: hints of a file.
// SPDX-License-Identifier: BSD-3-Clause
#include <stdio.h>
#include <string.h>

#include "check.h"

static MPI_Info one_hint(char const* key, char const* value) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, key, value);
  return info;
}
// Returns true if the file has this value of the key.
static int has_hint(MPI_File file, char const* key, char const* value) {
  MPI_Info info = MPI_INFO_NULL;
  char text[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  OK(MPI_File_get_info(file, &info));
  if (info != MPI_INFO_NULL) MPI_Info_get(info, key, MPI_MAX_INFO_VAL, text, &found);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  return found && (value == NULL || strcmp(text, value) == 0);
}

CHECK(14_2_8_01, 2, "MPI_File_set_info accepts hints") {
  MPI_File f = fresh();
  MPI_Info info = one_hint("access_style", "write_once,sequential");
  OK(MPI_File_set_info(f, info));
  MPI_Info_free(&info);
  closed(&f);
}

CHECK(14_2_8_02, 2, "Hints of MPI_File_set_info may vary between processes") {
  MPI_File f = fresh();
  MPI_Info info = one_hint("access_style", rank == 0 ? "random" : "sequential");
  OK(MPI_File_set_info(f, info));
  MPI_Info_free(&info);
  closed(&f);
}

CHECK(14_2_8_03, 2, "MPI_File_get_info returns a new object, which the caller frees") {
  MPI_File f = fresh();
  MPI_Info info = MPI_INFO_NULL, other = MPI_INFO_NULL;
  OK(MPI_File_get_info(f, &info));
  OK(MPI_File_get_info(f, &other));
  EXPECT(info != MPI_INFO_NULL && other != MPI_INFO_NULL);
  EXPECT(info != other);
  if (info != MPI_INFO_NULL) OK(MPI_Info_free(&info));
  if (other != MPI_INFO_NULL) OK(MPI_Info_free(&other));
  closed(&f);
}

CHECK(14_2_8_04, 2, "The object has all hints that the file uses now: one given at opening") {
  MPI_Info info = one_hint("cb_buffer_size", "1048576");
  MPI_File f = MPI_FILE_NULL;
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f));
  MPI_Info_free(&info);
  EXPECT(has_hint(f, "cb_buffer_size", "1048576"));
  closed(&f);
}

CHECK(14_2_8_05, 2, "A hint that MPI_File_set_info does not name keeps its value") {
  MPI_Info info = one_hint("cb_buffer_size", "1048576");
  MPI_File f = MPI_FILE_NULL;
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f));
  MPI_Info_free(&info);
  info = one_hint("access_style", "random");
  OK(MPI_File_set_info(f, info));
  MPI_Info_free(&info);
  EXPECT(has_hint(f, "cb_buffer_size", "1048576"));
  closed(&f);
}

CHECK(14_2_8_06, 2, "Hints are not part of the object: freeing it after opening is harmless") {
  MPI_Info info = one_hint("cb_buffer_size", "1048576");
  MPI_File f = MPI_FILE_NULL;
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f));
  MPI_Info_set(info, "cb_buffer_size", "7");
  MPI_Info_free(&info);
  EXPECT(has_hint(f, "cb_buffer_size", "1048576"));
  closed(&f);
}

CHECK(14_2_8_07, 2, "An unknown hint is ignored: opening") {
  MPI_Info info = one_hint("no_library_knows_this", "x y z");
  MPI_File f = MPI_FILE_NULL;
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f));
  MPI_Info_free(&info);
  closed(&f);
}

CHECK(14_2_8_08, 2, "An unknown hint is ignored: MPI_File_set_info and MPI_File_set_view") {
  MPI_Info info = one_hint("no_library_knows_this", "x y z");
  MPI_File f = fresh();
  OK(MPI_File_set_info(f, info));
  OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", info));
  MPI_Info_free(&info);
  closed(&f);
}

CHECK(14_2_8_09, 2, "Hints do not change what is written: a hint of MPI_File_set_view") {
  MPI_Info info = one_hint("cb_nodes", "1");
  MPI_Info_set(info, "collective_buffering", "true");
  MPI_File f = fresh();
  unsigned char data[12];
  MPI_Datatype type = strided(MPI_INT, 1, 2);
  fill(data, 12, 0);
  OK(MPI_File_set_view(f, rank * 4, MPI_INT, type, "native", info));
  OK(MPI_File_write_at_all(f, 0, data, 3, MPI_INT, MPI_STATUS_IGNORE));
  closed(&f);
  MPI_Type_free(&type);
  MPI_Info_free(&info);
  barrier();
  for (int i = 0; i < 3; ++i) EXPECT(file_has(8 * i + 4 * rank, data + 4 * i, 4));
}

// The reserved keys. Whichever a library uses, none makes a correct call fail.
static void reserved(char const* key, char const* value) {
  MPI_Info info = one_hint(key, value);
  MPI_File f = MPI_FILE_NULL;
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f));
  OK(MPI_File_set_info(f, info));
  OK(MPI_File_write_at_all(f, rank, "ab", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  MPI_Info_free(&info);
  closed(&f);
  barrier();
  EQUAL(byte_at(0), 'a');
  EQUAL(byte_at(1), 'a');
}
CHECK(14_2_8_10, 2, "Reserved hint access_style: a list of styles") {
  reserved("access_style", "read_once,write_mostly,reverse_sequential");
}
CHECK(14_2_8_11, 2, "Reserved hint collective_buffering: true or false") {
  reserved("collective_buffering", "true");
}
CHECK(14_2_8_12, 2, "Reserved hint cb_block_size") { reserved("cb_block_size", "65536"); }
CHECK(14_2_8_13, 2, "Reserved hint cb_buffer_size") { reserved("cb_buffer_size", "131072"); }
CHECK(14_2_8_14, 2, "Reserved hint cb_nodes") { reserved("cb_nodes", "1"); }
CHECK(14_2_8_15, 2, "Reserved hint chunked") { reserved("chunked", "100,100"); }
CHECK(14_2_8_16, 2, "Reserved hint chunked_item") { reserved("chunked_item", "8"); }
CHECK(14_2_8_17, 2, "Reserved hint chunked_size") { reserved("chunked_size", "10,10"); }
CHECK(14_2_8_18, 2, "Reserved hint file_perm") { reserved("file_perm", "644"); }
CHECK(14_2_8_19, 2, "Reserved hint io_node_list") { reserved("io_node_list", "localhost"); }
CHECK(14_2_8_20, 2, "Reserved hint nb_proc") { reserved("nb_proc", "2"); }
CHECK(14_2_8_21, 2, "Reserved hint num_io_nodes") { reserved("num_io_nodes", "1"); }
CHECK(14_2_8_22, 2, "Reserved hint striping_factor") { reserved("striping_factor", "1"); }
CHECK(14_2_8_23, 2, "Reserved hint striping_unit") { reserved("striping_unit", "65536"); }

CHECK(14_2_8_24, 2, "The key filename is ignored when it is given to MPI_File_open") {
  char other[1100];
  snprintf(other, sizeof other, "%s/other.dat", directory);
  reserved("filename", "other.dat");
  EQUAL(posix_size(other), -1);
}

CHECK(14_2_8_25, 2, "If MPI_File_get_info has the key filename, it is the name at opening") {
  MPI_File f = fresh();
  if (has_hint(f, "filename", NULL)) EXPECT(has_hint(f, "filename", path));
  closed(&f);
}

CHECK(14_2_8_26, 2, "MPI_INFO_NULL is valid for MPI_File_set_view") {
  MPI_File f = fresh();
  OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  closed(&f);
}

CHECK(14_2_8_27, 2, "Hints of MPI_File_set_view are in force afterwards") {
  MPI_Info info = one_hint("cb_buffer_size", "524288");
  MPI_File f = fresh();
  OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", info));
  MPI_Info_free(&info);
  info = MPI_INFO_NULL;
  OK(MPI_File_get_info(f, &info));
  char text[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  if (info != MPI_INFO_NULL) MPI_Info_get(info, "cb_buffer_size", MPI_MAX_INFO_VAL, text, &found);
  // A library that does not use the hint need not have it. Another value would be a lie.
  if (found) EXPECT(strcmp(text, "524288") == 0);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  closed(&f);
}
