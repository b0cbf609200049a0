// Sections 14.5 to 14.5.2 of MPI 4.1: data representations, and extents of types in files.
// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "access.h"

static long long extent_of(MPI_File f, MPI_Datatype type) {
  MPI_Aint extent = -1;
  OK(MPI_File_get_type_extent(f, type, &extent));
  return extent;
}
static MPI_File external(MPI_Datatype etype) {
  MPI_File f = fresh();
  OK(MPI_File_set_view(f, 0, etype, etype, "external32", MPI_INFO_NULL));
  return f;
}
// Writes one item, and looks at the bytes of the file. Then reads it back.
static void encodes(MPI_Datatype type, void const* item, int size, void const* wanted, int bytes) {
  MPI_File f = external(type);
  unsigned char back[64] = {0};
  OK(MPI_File_write_at(f, 0, (void*)item, 1, type, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(f, 0, back, 1, type, MPI_STATUS_IGNORE));
  EXPECT(memcmp(back, item, (size_t)size) == 0);
  closed(&f);
  EXPECT(file_has(0, wanted, (size_t)bytes));
  EQUAL(posix_size(path), bytes);
}
static void has_external_extent(MPI_Datatype type, int bytes) {
  MPI_File f = external(MPI_BYTE);
  EQUAL(extent_of(f, type), bytes);
  closed(&f);
}

CHECK(14_5_01, 2, "native: data is stored as it is in memory") {
  MPI_File f = fresh();
  double const value = 1.25 + rank;
  OK(MPI_File_set_view(f, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL));
  OK(MPI_File_write_at(f, rank, &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
  closed(&f);
  EXPECT(file_has(8 * rank, &value, 8));
}

CHECK(14_5_02, 2, "internal: what is written is read back") {
  MPI_File f = fresh();
  double const value = 1.25 + rank;
  double back = 0;
  OK(MPI_File_set_view(f, 0, MPI_DOUBLE, MPI_DOUBLE, "internal", MPI_INFO_NULL));
  OK(MPI_File_write_at(f, rank, &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(f, rank, &back, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
  EXPECT(back == value);
  closed(&f);
}

CHECK(14_5_03, 2, "external32: what is written is read back") {
  MPI_File f = fresh();
  double const value = 1.25 + rank;
  double back = 0;
  OK(MPI_File_set_view(f, 0, MPI_DOUBLE, MPI_DOUBLE, "external32", MPI_INFO_NULL));
  OK(MPI_File_write_at(f, rank, &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(f, rank, &back, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
  EXPECT(back == value);
  closed(&f);
}

CHECK(14_5_04, 2, "The representation is that of the view, and changes with it") {
  MPI_File f = fresh();
  int const value = 0x01020304;
  OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
  OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(MPI_File_write_at(f, rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  closed(&f);
  EXPECT(file_has(4 * rank, &value, 4));
}

CHECK(14_5_05, 1, "MPI_BYTE is not converted") {
  unsigned char const bytes[4] = {1, 2, 3, 4};
  MPI_File f = external(MPI_BYTE);
  OK(MPI_File_write(f, bytes, 4, MPI_BYTE, MPI_STATUS_IGNORE));
  closed(&f);
  EXPECT(file_has(0, bytes, 4));
}

CHECK(14_5_1_01, 1, "MPI_File_get_type_extent, native: the extent in memory") {
  MPI_File f = fresh();
  MPI_Datatype type = strided(MPI_DOUBLE, 2, 5);
  EQUAL(extent_of(f, MPI_INT), sizeof(int));
  EQUAL(extent_of(f, MPI_LONG), sizeof(long));
  EQUAL(extent_of(f, type), 40);
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_5_1_02, 2, "MPI_File_get_type_extent: the same on all processes, for a derived type") {
  MPI_File f = external(MPI_BYTE);
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  EQUAL(extent_of(f, type), 24);
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_5_1_03, 1, "MPI_File_get_type_extent: the displacements of a derived type are scaled") {
  MPI_File f = external(MPI_BYTE);
  MPI_Datatype type;
  MPI_Type_vector(3, 1, 2, MPI_LONG, &type);
  MPI_Type_commit(&type);
  EQUAL(extent_of(f, type), 5 * 4);
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_5_1_04, 1, "MPI_File_get_type_extent_c returns the same") {
  LATER(get_extent, "MPI_File_get_type_extent_c", MPI_File, MPI_Datatype, MPI_Count*)
  MPI_File f = external(MPI_BYTE);
  MPI_Count extent = -1;
  OK(get_extent(f, MPI_LONG, &extent));
  EQUAL(extent, 4);
  closed(&f);
}

CHECK(14_5_1_05, 1, "A filetype is scaled in external32: blocks of MPI_LONG with gaps") {
  MPI_File f = fresh();
  MPI_Datatype type;
  long const data[4] = {1, 2, 3, 4};
  unsigned char const wanted[28] = {[3] = 1, [11] = 2, [19] = 3, [27] = 4};
  MPI_Type_vector(4, 1, 2, MPI_LONG, &type);
  MPI_Type_commit(&type);
  OK(MPI_File_set_view(f, 0, MPI_LONG, type, "external32", MPI_INFO_NULL));
  OK(MPI_File_write(f, data, 4, MPI_LONG, MPI_STATUS_IGNORE));
  MPI_Type_free(&type);
  closed(&f);
  EQUAL(posix_size(path), 28);
  for (int i = 0; i < 4; ++i) EXPECT(file_has(8 * i, wanted + 8 * i, 4));
}

CHECK(14_5_1_06, 1, "Pointers count etypes in external32, too") {
  MPI_File f = external(MPI_LONG);
  long const data[3] = {1, 2, 3};
  OK(MPI_File_write(f, data, 3, MPI_LONG, MPI_STATUS_IGNORE));
  EQUAL(position(f), 3);
  OK(MPI_File_seek(f, 0, MPI_SEEK_END));
  EQUAL(position(f), 3);
  EQUAL(size_of(f), 12);
  MPI_Offset at = -1;
  OK(MPI_File_get_byte_offset(f, 2, &at));
  EQUAL(at, 8);
  closed(&f);
}

CHECK(14_5_1_07, 1, "The displacement is in bytes of the file, whatever the representation is") {
  MPI_File f = fresh();
  long const value = 5;
  unsigned char const wanted[4] = {0, 0, 0, 5};
  OK(MPI_File_set_view(f, 3, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL));
  OK(MPI_File_write_at(f, 2, &value, 1, MPI_LONG, MPI_STATUS_IGNORE));
  closed(&f);
  EXPECT(file_has(3 + 8, wanted, 4));
}

// The table of sizes of external32.
CHECK(14_5_2_01, 1, "external32: MPI_PACKED, MPI_BYTE, MPI_CHAR have 1 byte") {
  has_external_extent(MPI_PACKED, 1);
  has_external_extent(MPI_BYTE, 1);
  has_external_extent(MPI_CHAR, 1);
}
CHECK(14_5_2_02, 1, "external32: MPI_SIGNED_CHAR and MPI_UNSIGNED_CHAR have 1 byte") {
  has_external_extent(MPI_SIGNED_CHAR, 1);
  has_external_extent(MPI_UNSIGNED_CHAR, 1);
}
CHECK(14_5_2_03, 1, "external32: MPI_WCHAR has 2 bytes") { has_external_extent(MPI_WCHAR, 2); }
CHECK(14_5_2_04, 1, "external32: MPI_SHORT and MPI_UNSIGNED_SHORT have 2 bytes") {
  has_external_extent(MPI_SHORT, 2);
  has_external_extent(MPI_UNSIGNED_SHORT, 2);
}
CHECK(14_5_2_05, 1, "external32: MPI_INT and MPI_UNSIGNED have 4 bytes") {
  has_external_extent(MPI_INT, 4);
  has_external_extent(MPI_UNSIGNED, 4);
}
CHECK(14_5_2_06, 1, "external32: MPI_LONG and MPI_UNSIGNED_LONG have 4 bytes") {
  has_external_extent(MPI_LONG, 4);
  has_external_extent(MPI_UNSIGNED_LONG, 4);
}
CHECK(14_5_2_07, 1, "external32: MPI_LONG_LONG_INT and MPI_UNSIGNED_LONG_LONG have 8 bytes") {
  has_external_extent(MPI_LONG_LONG_INT, 8);
  has_external_extent(MPI_UNSIGNED_LONG_LONG, 8);
}
CHECK(14_5_2_08, 1, "external32: MPI_FLOAT has 4 bytes") { has_external_extent(MPI_FLOAT, 4); }
CHECK(14_5_2_09, 1, "external32: MPI_DOUBLE has 8 bytes") { has_external_extent(MPI_DOUBLE, 8); }
CHECK(14_5_2_10, 1, "external32: MPI_LONG_DOUBLE has 16 bytes") {
  has_external_extent(MPI_LONG_DOUBLE, 16);
}
CHECK(14_5_2_11, 1, "external32: MPI_INT8_T to MPI_INT64_T have 1, 2, 4, 8 bytes") {
  has_external_extent(MPI_INT8_T, 1);
  has_external_extent(MPI_INT16_T, 2);
  has_external_extent(MPI_INT32_T, 4);
  has_external_extent(MPI_INT64_T, 8);
}
CHECK(14_5_2_12, 1, "external32: MPI_UINT8_T to MPI_UINT64_T have 1, 2, 4, 8 bytes") {
  has_external_extent(MPI_UINT8_T, 1);
  has_external_extent(MPI_UINT16_T, 2);
  has_external_extent(MPI_UINT32_T, 4);
  has_external_extent(MPI_UINT64_T, 8);
}
CHECK(14_5_2_13, 1, "external32: MPI_AINT, MPI_COUNT and MPI_OFFSET have 8 bytes") {
  has_external_extent(MPI_AINT, 8);
  has_external_extent(MPI_COUNT, 8);
  has_external_extent(MPI_OFFSET, 8);
}
CHECK(14_5_2_14, 1, "external32: MPI_C_BOOL has 1 byte") { has_external_extent(MPI_C_BOOL, 1); }
CHECK(14_5_2_15, 1, "external32: complex types have 2*4 and 2*8 bytes") {
  has_external_extent(MPI_C_FLOAT_COMPLEX, 8);
  has_external_extent(MPI_C_DOUBLE_COMPLEX, 16);
}
CHECK(14_5_2_16, 1, "external32: MPI_C_LONG_DOUBLE_COMPLEX has 2*16 bytes") {
  has_external_extent(MPI_C_LONG_DOUBLE_COMPLEX, 32);
}

// The bytes of external32.
CHECK(14_5_2_17, 1, "external32: integers are big-endian, in two's complement: MPI_INT") {
  int const value = -2;
  encodes(MPI_INT, &value, 4, "\xff\xff\xff\xfe", 4);
}
CHECK(14_5_2_18, 1, "external32: MPI_SHORT") {
  short const value = 0x0102;
  encodes(MPI_SHORT, &value, 2, "\1\2", 2);
}
CHECK(14_5_2_19, 1, "external32: MPI_LONG is cut to 4 bytes, and keeps its sign") {
  long const value = -3;
  encodes(MPI_LONG, &value, sizeof value, "\xff\xff\xff\xfd", 4);
}
CHECK(14_5_2_20, 1, "external32: MPI_LONG_LONG_INT") {
  long long const value = 0x0102030405060708;
  encodes(MPI_LONG_LONG_INT, &value, 8, "\1\2\3\4\5\6\7\10", 8);
}
CHECK(14_5_2_21, 1, "external32: MPI_FLOAT is big-endian IEEE") {
  float const value = 1.5F;
  encodes(MPI_FLOAT, &value, 4, "\x3f\xc0\0\0", 4);
}
CHECK(14_5_2_22, 1, "external32: MPI_DOUBLE is big-endian IEEE") {
  double const value = -2;
  encodes(MPI_DOUBLE, &value, 8, "\xc0\0\0\0\0\0\0\0", 8);
}
CHECK(14_5_2_23, 1, "external32: MPI_LONG_DOUBLE has an exponent of 15 bits and 112 of fraction") {
  long double const value = 1.5L;
  encodes(MPI_LONG_DOUBLE, &value, 10, "\x3f\xff\x80\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
}
CHECK(14_5_2_24, 1, "external32: MPI_UNSIGNED_LONG") {
  unsigned long const value = 0xfffffffe;
  encodes(MPI_UNSIGNED_LONG, &value, sizeof value, "\xff\xff\xff\xfe", 4);
}
CHECK(14_5_2_25, 1, "external32: MPI_INT64_T") {
  long long const value = 258;
  encodes(MPI_INT64_T, &value, 8, "\0\0\0\0\0\0\1\2", 8);
}
CHECK(14_5_2_26, 1, "external32: a structure has its members without padding") {
  struct {
    char c;
    double d;
  } const value = {'a', 1.5};
  int const lengths[] = {1, 1};
  MPI_Aint const at[] = {0, sizeof(double)};
  MPI_Datatype const members[] = {MPI_CHAR, MPI_DOUBLE};
  MPI_Datatype type;
  MPI_Type_create_struct(2, lengths, at, members, &type);
  MPI_Type_commit(&type);
  MPI_File f = external(MPI_BYTE);
  OK(MPI_File_write(f, &value, 1, type, MPI_STATUS_IGNORE));
  MPI_Type_free(&type);
  closed(&f);
  EXPECT(file_has(0, "a\x3f\xf8\0\0\0\0\0\0", 9));
}
CHECK(14_5_2_27, 2, "external32: collective calls convert as others do") {
  MPI_File f = fresh();
  int const data[2] = {1 + rank, 3 + rank};
  unsigned char const wanted[16] = {[3] = 1, [7] = 2, [11] = 3, [15] = 4};
  MPI_Datatype type;
  MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  OK(MPI_File_set_view(f, 4 * rank, MPI_INT, type, "external32", MPI_INFO_NULL));
  OK(MPI_File_write_all(f, data, 2, MPI_INT, MPI_STATUS_IGNORE));
  MPI_Type_free(&type);
  closed(&f);
  barrier();
  EXPECT(file_has(0, wanted, 16));
}
CHECK(14_5_2_28, 2, "external32: shared and nonblocking calls convert as others do") {
  MPI_File f = external(MPI_INT);
  int const value = 5;
  MPI_Request request;
  OK(MPI_File_write_ordered(f, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_iwrite_at(f, 2 + rank, &value, 1, MPI_INT, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  closed(&f);
  barrier();
  for (int i = 0; i < 4; ++i) EXPECT(file_has(4 * i, "\0\0\0\5", 4));
}
CHECK(14_5_2_29, 1, "external32: the bytes of MPI_Pack_external are those of the file") {
  double const data[3] = {1, -2.5, 1e300};
  char packed[24];
  MPI_Aint at = 0;
  OK(MPI_Pack_external("external32", data, 3, MPI_DOUBLE, packed, 24, &at));
  MPI_File f = external(MPI_DOUBLE);
  OK(MPI_File_write(f, data, 3, MPI_DOUBLE, MPI_STATUS_IGNORE));
  closed(&f);
  EXPECT(file_has(0, packed, 24));
}
