// Section 14.5.3 of MPI 4.1: data representations of users.
// SPDX-License-Identifier: BSD-3-Clause
#include <stdio.h>
#include <string.h>

#include "access.h"

static int reads, writes, extents;  // calls of the functions below
static void* last_state;

// Every byte is stored with all bits turned; an int has 4 bytes in the file, as in memory.
static int turn(void* to, void const* from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    ((unsigned char*)to)[i] = (unsigned char)~((unsigned char const*)from)[i];
  return MPI_SUCCESS;
}
static size_t size_of_item(MPI_Datatype type) {
  int size = 0;
  MPI_Type_size(type, &size);
  return (size_t)size;
}
static int read_turned(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position,
                       void* state) {
  size_t const size = size_of_item(type);
  ++reads;
  last_state = state;
  return turn((char*)user + (size_t)position * size, file, (size_t)count * size);
}
static int write_turned(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position,
                        void* state) {
  size_t const size = size_of_item(type);
  ++writes;
  last_state = state;
  return turn(file, (char*)user + (size_t)position * size, (size_t)count * size);
}
static int same_extent(MPI_Datatype type, MPI_Aint* extent, void* state) {
  MPI_Aint lb;
  ++extents;
  last_state = state;
  return MPI_Type_get_extent(type, &lb, extent);
}
static int double_extent(MPI_Datatype type, MPI_Aint* extent, void* state) {
  MPI_Aint lb;
  (void)state;
  MPI_Type_get_extent(type, &lb, extent);
  *extent *= 2;
  return MPI_SUCCESS;
}
static int failing(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position,
                   void* state) {
  (void)user, (void)type, (void)count, (void)file, (void)position, (void)state;
  return MPI_ERR_CONVERSION;
}
static MPI_File with_view(char const* datarep) {
  MPI_File f = fresh();
  OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, datarep, MPI_INFO_NULL));
  return f;
}

CHECK(14_5_3_01, 1, "MPI_Register_datarep makes a name for MPI_File_set_view") {
  OK(MPI_Register_datarep("c01", read_turned, write_turned, same_extent, NULL));
  MPI_File f = with_view("c01");
  MPI_Offset disp;
  MPI_Datatype etype, filetype;
  char datarep[MPI_MAX_DATAREP_STRING];
  OK(MPI_File_get_view(f, &disp, &etype, &filetype, datarep));
  EXPECT(strcmp(datarep, "c01") == 0);
  closed(&f);
}

CHECK(14_5_3_02, 1, "Writing calls the write function: the file has converted data") {
  OK(MPI_Register_datarep("c02", read_turned, write_turned, same_extent, NULL));
  int const data[3] = {1, 2, 3}, wanted[3] = {~1, ~2, ~3};
  MPI_File f = with_view("c02");
  writes = 0;
  OK(MPI_File_write(f, data, 3, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT(writes > 0);
  closed(&f);
  EXPECT(file_has(0, wanted, 12));
}

CHECK(14_5_3_03, 1, "Reading calls the read function: memory has converted data") {
  OK(MPI_Register_datarep("c03", read_turned, write_turned, same_extent, NULL));
  int const data[3] = {1, 2, 3};
  int back[3] = {0};
  MPI_File f = with_view("c03");
  OK(MPI_File_write(f, data, 3, MPI_INT, MPI_STATUS_IGNORE));
  reads = 0;
  OK(MPI_File_read_at(f, 0, back, 3, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT(reads > 0);
  EXPECT(memcmp(back, data, 12) == 0);
  closed(&f);
}

CHECK(14_5_3_04, 1, "The extra state goes to all functions") {
  int state = 0;
  int data = 1;
  OK(MPI_Register_datarep("c04", read_turned, write_turned, same_extent, &state));
  MPI_File f = with_view("c04");
  last_state = NULL;
  OK(MPI_File_write_at(f, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT(last_state == &state);
  last_state = NULL;
  OK(MPI_File_read_at(f, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT(last_state == &state);
  closed(&f);
}

CHECK(14_5_3_05, 1, "Without a read and a write function, data is as in memory") {
  OK(MPI_Register_datarep("c05", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, same_extent,
                          NULL));
  int const data = 0x01020304;
  int back = 0;
  MPI_File f = with_view("c05");
  OK(MPI_File_write_at(f, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(f, 0, &back, 1, MPI_INT, MPI_STATUS_IGNORE));
  EQUAL(back, data);
  closed(&f);
  EXPECT(file_has(0, &data, 4));
}

CHECK(14_5_3_06, 1, "MPI_File_get_type_extent calls the extent function") {
  OK(MPI_Register_datarep("c06", read_turned, write_turned, double_extent, NULL));
  MPI_File f = with_view("c06");
  MPI_Aint extent = 0;
  OK(MPI_File_get_type_extent(f, MPI_INT, &extent));
  EQUAL(extent, 8);
  closed(&f);
}

CHECK(14_5_3_07, 1, "A name that is registered already is MPI_ERR_DUP_DATAREP") {
  OK(MPI_Register_datarep("c07", read_turned, write_turned, same_extent, NULL));
  CLASS(MPI_Register_datarep("c07", read_turned, write_turned, same_extent, NULL),
        MPI_ERR_DUP_DATAREP);
}

CHECK(14_5_3_08, 1, "The names native, internal and external32 are taken: an error") {
  FAILS(MPI_Register_datarep("native", read_turned, write_turned, same_extent, NULL));
  FAILS(MPI_Register_datarep("internal", read_turned, write_turned, same_extent, NULL));
  FAILS(MPI_Register_datarep("external32", read_turned, write_turned, same_extent, NULL));
}

CHECK(14_5_3_09, 1, "A name longer than MPI_MAX_DATAREP_STRING is an error") {
  char name[MPI_MAX_DATAREP_STRING + 50];
  memset(name, 'x', sizeof name);
  name[sizeof name - 1] = 0;
  FAILS(MPI_Register_datarep(name, read_turned, write_turned, same_extent, NULL));
}

CHECK(14_5_3_10, 2, "Registering is local: one process does it while the other does nothing") {
  if (rank == 1) OK(MPI_Register_datarep("c10", read_turned, write_turned, same_extent, NULL));
}

CHECK(14_5_3_11, 1, "A write function that fails is MPI_ERR_CONVERSION") {
  OK(MPI_Register_datarep("c11", read_turned, failing, same_extent, NULL));
  int const data = 1;
  MPI_File f = with_view("c11");
  CLASS(MPI_File_write_at(f, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_CONVERSION);
  closed(&f);
}

CHECK(14_5_3_12, 1, "A read function that fails is MPI_ERR_CONVERSION") {
  OK(MPI_Register_datarep("c12", failing, write_turned, same_extent, NULL));
  int data = 1;
  MPI_File f = with_view("c12");
  OK(MPI_File_write_at(f, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
  CLASS(MPI_File_read_at(f, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_CONVERSION);
  closed(&f);
}

CHECK(14_5_3_13, 2, "Collective calls convert by the user's functions, too") {
  OK(MPI_Register_datarep("c13", read_turned, write_turned, same_extent, NULL));
  int const data = rank, wanted = ~rank;
  int back = -1;
  MPI_File f = with_view("c13");
  OK(MPI_File_write_at_all(f, rank, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all(f, rank, &back, 1, MPI_INT, MPI_STATUS_IGNORE));
  EQUAL(back, rank);
  closed(&f);
  EXPECT(file_has(4 * rank, &wanted, 4));
}

CHECK(14_5_3_14, 1, "Data with gaps in memory is converted to its places") {
  OK(MPI_Register_datarep("c14", read_turned, write_turned, same_extent, NULL));
  int const data[4] = {1, -7, 2, -7}, wanted[2] = {~1, ~2};
  int back[4] = {0, 9, 0, 9};
  MPI_Datatype type = strided(MPI_INT, 1, 2);
  MPI_File f = with_view("c14");
  OK(MPI_File_write_at(f, 0, data, 2, type, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(f, 0, back, 2, type, MPI_STATUS_IGNORE));
  EXPECT(back[0] == 1 && back[1] == 9 && back[2] == 2 && back[3] == 9);
  MPI_Type_free(&type);
  closed(&f);
  EXPECT(file_has(0, wanted, 8));
}

CHECK(14_5_3_15, 1, "MPI_Register_datarep_c: conversion functions with large counts") {
  typedef int large(void*, MPI_Datatype, MPI_Count, void*, MPI_Offset, void*);
  typedef int extent(MPI_Datatype, MPI_Aint*, void*);
  LATER(registered, "MPI_Register_datarep_c", char const*, large*, large*, extent*, void*)
  OK(registered("c15", NULL, NULL, same_extent, NULL));
  int const data = 5;
  MPI_File f = with_view("c15");
  OK(MPI_File_write_at(f, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
  closed(&f);
  EXPECT(file_has(0, &data, 4));
}
