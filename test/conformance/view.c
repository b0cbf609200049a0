// Section 14.3 of MPI 4.1: file views.
// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "check.h"

static int view_of(MPI_File f, long long disp, MPI_Datatype etype, MPI_Datatype filetype) {
  return MPI_File_set_view(f, disp, etype, filetype, "native", MPI_INFO_NULL);
}
// A type of one int at this index, of the extent of `extent` ints.
static MPI_Datatype int_at(int index, int extent) {
  MPI_Datatype indexed, type;
  int const length = 1;
  MPI_Type_indexed(1, &length, &index, MPI_INT, &indexed);
  MPI_Type_create_resized(indexed, 0, extent * 4, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&indexed);
  return type;
}

CHECK(14_3_01, 2, "A view begins at its displacement, in bytes from the beginning of the file") {
  made(64);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[4];
  OK(view_of(f, 7 + rank, MPI_BYTE, MPI_BYTE));
  OK(MPI_File_read_at(f, 0, data, 4, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 4, 7 + rank));
  closed(&f);
}

CHECK(14_3_02, 2, "The displacement counts from the beginning, not from the view before") {
  made(64);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[4];
  OK(view_of(f, 20, MPI_BYTE, MPI_BYTE));
  OK(view_of(f, 10, MPI_BYTE, MPI_BYTE));
  OK(MPI_File_read_at(f, 0, data, 4, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 4, 10));
  closed(&f);
}

CHECK(14_3_03, 2, "Setting a view sets the individual pointers to zero") {
  made(64);
  MPI_File f = opened(MPI_MODE_RDONLY);
  OK(MPI_File_seek(f, 5 + rank, MPI_SEEK_SET));
  OK(view_of(f, 0, MPI_INT, MPI_INT));
  EQUAL(position(f), 0);
  closed(&f);
}

CHECK(14_3_04, 2, "Setting a view sets the shared pointer to zero") {
  made(64);
  MPI_File f = opened(MPI_MODE_RDONLY);
  OK(MPI_File_seek_shared(f, 5, MPI_SEEK_SET));
  OK(view_of(f, 0, MPI_INT, MPI_INT));
  EQUAL(position_shared(f), 0);
  closed(&f);
}

CHECK(14_3_05, 3, "Displacement and filetype may vary between processes") {
  MPI_File f = fresh();
  int const data[2] = {10 + rank, 20 + rank};
  dealt(f, 0, MPI_INT, 1);
  OK(MPI_File_write_at_all(f, 0, data, 2, MPI_INT, MPI_STATUS_IGNORE));
  closed(&f);
  barrier();
  EXPECT(file_has(4 * rank, &data[0], 4) && file_has(12 + 4 * rank, &data[1], 4));
}

CHECK(14_3_06, 2, "Filetypes of several ranks may overlap in the file") {
  made(64);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[8];
  OK(view_of(f, 4, MPI_INT, MPI_INT));
  OK(MPI_File_read_all(f, data, 2, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 8, 4));
  closed(&f);
}

CHECK(14_3_07, 1, "An etype that is not committed is an error") {
  MPI_File f = fresh();
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  FAILS(view_of(f, 0, type, type));
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_3_08, 1, "A filetype that is not committed is an error") {
  MPI_File f = fresh();
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  FAILS(view_of(f, 0, MPI_INT, type));
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_3_09, 1, "Offsets count etypes, also derived ones") {
  made(64);
  MPI_File f = opened(MPI_MODE_RDONLY);
  MPI_Datatype pair;
  char data[8];
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  OK(view_of(f, 0, pair, pair));
  OK(MPI_File_read_at(f, 3, data, 1, pair, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 8, 24));
  MPI_Type_free(&pair);
  closed(&f);
}

CHECK(14_3_10, 1, "Bytes in holes of the filetype are not accessed: writing leaves them") {
  made(64);
  MPI_File f = opened(MPI_MODE_RDWR);
  MPI_Datatype type = strided(MPI_INT, 1, 3);
  int const data[4] = {-1, -1, -1, -1};
  OK(view_of(f, 0, MPI_INT, type));
  OK(MPI_File_write_at(f, 0, data, 4, MPI_INT, MPI_STATUS_IGNORE));
  MPI_Type_free(&type);
  closed(&f);
  unsigned char wanted[64];
  fill(wanted, 64, 0);
  for (int i = 0; i < 4; ++i) memset(wanted + 12 * i, 255, 4);
  EXPECT(file_has(0, wanted, 64));
}

CHECK(14_3_11, 2, "Collective writes leave the holes of all filetypes, too") {
  made(128);
  MPI_File f = opened(MPI_MODE_RDWR);
  MPI_Datatype type = strided(MPI_INT, 1, 4);
  int const data[4] = {-1, -1, -1, -1};
  OK(view_of(f, 4 * rank, MPI_INT, type));
  OK(MPI_File_write_at_all(f, 0, data, 4, MPI_INT, MPI_STATUS_IGNORE));
  MPI_Type_free(&type);
  closed(&f);
  barrier();
  unsigned char wanted[128];
  fill(wanted, 128, 0);
  for (int i = 0; i < 4; ++i) memset(wanted + 16 * i, 255, 8);
  EXPECT(file_has(0, wanted, 128));
}

CHECK(14_3_12, 1, "A later view reaches the bytes that were in holes") {
  made(64);
  MPI_File f = opened(MPI_MODE_RDONLY);
  MPI_Datatype type = int_at(0, 2);
  char data[4];
  OK(view_of(f, 0, MPI_INT, type));
  MPI_Type_free(&type);
  type = int_at(1, 2);
  OK(view_of(f, 0, MPI_INT, type));
  OK(MPI_File_read(f, data, 1, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 4, 4));
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_3_13, 1, "Access goes over copies of the filetype, whose holes count into the extent") {
  made(200);
  MPI_File f = opened(MPI_MODE_RDONLY);
  MPI_Datatype type = strided(MPI_INT, 2, 5);
  unsigned char data[20];
  OK(view_of(f, 3, MPI_INT, type));
  OK(MPI_File_read_at(f, 1, data, 5, MPI_INT, MPI_STATUS_IGNORE));
  // Ints 1, 5, 6, 10, 11 of the file behind byte 3.
  int const at[] = {1, 5, 6, 10, 11};
  for (int i = 0; i < 5; ++i) EXPECT(patterned(data + 4 * i, 4, 3 + 4 * at[i]));
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_3_14, 1, "The extent of a filetype may be larger than its last byte: a trailing hole") {
  MPI_File f = fresh();
  MPI_Datatype type = int_at(0, 100);
  int const data[3] = {1, 2, 3};
  OK(view_of(f, 0, MPI_INT, type));
  OK(MPI_File_write(f, data, 3, MPI_INT, MPI_STATUS_IGNORE));
  MPI_Type_free(&type);
  closed(&f);
  EQUAL(posix_size(path), 804);
  EXPECT(file_has(800, &data[2], 4));
}

CHECK(14_3_15, 1, "A filetype that is no multiple of the etype is an error") {
  MPI_File f = fresh();
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  FAILS(view_of(f, 0, MPI_INT, type));
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_3_16, 1, "Displacements of a filetype must not decrease") {
  MPI_File f = fresh();
  int const lengths[] = {1, 1}, at[] = {2, 0};
  MPI_Datatype type;
  MPI_Type_indexed(2, lengths, at, MPI_INT, &type);
  MPI_Type_commit(&type);
  FAILS(view_of(f, 0, MPI_INT, type));
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_3_17, 1, "Displacements of a filetype must not be negative") {
  MPI_File f = fresh();
  MPI_Datatype type = int_at(-1, 4);
  FAILS(view_of(f, 0, MPI_INT, type));
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_3_18, 1, "A filetype that overlaps itself is an error in a file for writing") {
  MPI_File f = fresh();
  int const lengths[] = {2, 2}, at[] = {0, 1};
  MPI_Datatype type;
  MPI_Type_indexed(2, lengths, at, MPI_INT, &type);
  MPI_Type_commit(&type);
  FAILS(view_of(f, 0, MPI_INT, type));
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_3_19, 1, "In a file for reading only, a filetype may overlap itself") {
  made(64);
  MPI_File f = opened(MPI_MODE_RDONLY);
  int const lengths[] = {2, 2}, at[] = {0, 1};
  MPI_Datatype type;
  char data[16];
  MPI_Type_indexed(2, lengths, at, MPI_INT, &type);
  MPI_Type_commit(&type);
  OK(view_of(f, 0, MPI_INT, type));
  OK(MPI_File_read(f, data, 4, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 8, 0) && patterned(data + 8, 8, 4));
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_3_20, 1, "A negative displacement is an error") {
  MPI_File f = fresh();
  FAILS(view_of(f, -4, MPI_INT, MPI_INT));
  closed(&f);
}

CHECK(14_3_21, 1, "MPI_DISPLACEMENT_CURRENT is an error unless the file is sequential") {
  MPI_File f = fresh();
  FAILS(view_of(f, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT));
  closed(&f);
}

CHECK(14_3_22, 1, "Sequential: MPI_DISPLACEMENT_CURRENT is the position of the shared pointer") {
  made(64);
  MPI_File f = opened(MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
  char data[8];
  OK(MPI_File_read_shared(f, data, 6, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(view_of(f, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT));
  OK(MPI_File_read_shared(f, data, 2, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 8, 6));
  closed(&f);
}

CHECK(14_3_23, 1, "Sequential: another displacement is an error") {
  made(64);
  MPI_File f = opened(MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
  FAILS(view_of(f, 8, MPI_INT, MPI_INT));
  closed(&f);
}

CHECK(14_3_24, 2, "An unknown data representation is MPI_ERR_UNSUPPORTED_DATAREP") {
  MPI_File f = fresh();
  CLASS(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "nobody's", MPI_INFO_NULL),
        MPI_ERR_UNSUPPORTED_DATAREP);
  closed(&f);
}

CHECK(14_3_25, 2, "A failed MPI_File_set_view leaves the view") {
  MPI_File f = fresh();
  OK(view_of(f, 4, MPI_INT, MPI_INT));
  FAILS(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "nobody's", MPI_INFO_NULL));
  OK(MPI_File_write_at(f, rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
  closed(&f);
  EXPECT(file_has(4 + 4 * rank, &rank, 4));
}

CHECK(14_3_26, 2, "MPI_File_get_view returns displacement, etype and representation") {
  MPI_File f = fresh();
  MPI_Offset disp = -1;
  MPI_Datatype etype, filetype;
  char datarep[MPI_MAX_DATAREP_STRING];
  OK(MPI_File_set_view(f, 12 + rank, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
  OK(MPI_File_get_view(f, &disp, &etype, &filetype, datarep));
  EQUAL(disp, 12 + rank);
  EXPECT(etype == MPI_INT && filetype == MPI_INT);
  EXPECT(strcmp(datarep, "external32") == 0);
  closed(&f);
}

CHECK(14_3_27, 1, "A derived filetype is returned committed, and the caller frees it") {
  made(64);
  MPI_File f = opened(MPI_MODE_RDONLY);
  MPI_Datatype type = strided(MPI_INT, 1, 2), etype, filetype;
  MPI_Offset disp;
  char datarep[MPI_MAX_DATAREP_STRING], data[4];
  OK(view_of(f, 0, MPI_INT, type));
  MPI_Type_free(&type);
  OK(MPI_File_get_view(f, &disp, &etype, &filetype, datarep));
  OK(view_of(f, 4, etype, filetype));
  MPI_Type_free(&filetype);
  OK(MPI_File_read_at(f, 1, data, 1, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 4, 12));
  closed(&f);
}

CHECK(14_3_28, 2, "A subarray as filetype: each rank has a block of a matrix") {
  MPI_File f = fresh();
  int const sizes[] = {4, 6}, parts[] = {4, 3}, starts[] = {0, 3 * rank};
  MPI_Datatype type;
  char data[12];
  memset(data, 'a' + rank, 12);
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_CHAR, &type);
  MPI_Type_commit(&type);
  OK(view_of(f, 0, MPI_CHAR, type));
  OK(MPI_File_write_all(f, data, 12, MPI_CHAR, MPI_STATUS_IGNORE));
  MPI_Type_free(&type);
  closed(&f);
  barrier();
  EXPECT(file_has(0, "aaabbbaaabbbaaabbbaaabbb", 24));
  EQUAL(posix_size(path), 24);
}

CHECK(14_3_29, 4, "A distributed array as filetype: blocks of 2, dealt out") {
  MPI_File f = fresh();
  int const size[] = {16}, kind[] = {MPI_DISTRIBUTE_CYCLIC}, block[] = {2}, processes[] = {4};
  MPI_Datatype type;
  char data[4];
  memset(data, 'a' + rank, 4);
  MPI_Type_create_darray(4, rank, 1, size, kind, block, processes, MPI_ORDER_C, MPI_CHAR, &type);
  MPI_Type_commit(&type);
  OK(view_of(f, 0, MPI_CHAR, type));
  OK(MPI_File_write_all(f, data, 4, MPI_CHAR, MPI_STATUS_IGNORE));
  MPI_Type_free(&type);
  closed(&f);
  barrier();
  EXPECT(file_has(0, "aabbccddaabbccdd", 16));
}

CHECK(14_3_30, 1, "A filetype of etypes of several predefined types") {
  MPI_File f = fresh();
  struct {
    int i;
    double d;
  } data[3] = {{1, 1.5}, {2, 2.5}, {3, 3.5}}, back[3];
  int const lengths[] = {1, 1};
  MPI_Aint const at[] = {0, sizeof(double)};
  MPI_Datatype const members[] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype type;
  MPI_Type_create_struct(2, lengths, at, members, &type);
  MPI_Type_commit(&type);
  memset(back, 0, sizeof back);
  OK(view_of(f, 0, type, type));
  OK(MPI_File_write_at(f, 0, data, 3, type, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(f, 0, back, 3, type, MPI_STATUS_IGNORE));
  for (int i = 0; i < 3; ++i) EXPECT(back[i].i == data[i].i && back[i].d == data[i].d);
  MPI_Type_free(&type);
  closed(&f);
}
