// Views and representations, for contract.cpp: what MPI returns about them, which are refused, and
// the bytes that they produce.
// SPDX-License-Identifier: BSD-3-Clause
#include "contract.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace {

int state_seen = 0;
int swap_in(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position,
            void* state) {
  state_seen = *static_cast<int*>(state);
  if (type != MPI_INT) return MPI_ERR_CONVERSION;
  for (int i = 0; i < count; ++i)
    static_cast<int*>(user)[position + i] =
        static_cast<int>(__builtin_bswap32(static_cast<std::uint32_t*>(file)[i]));
  return MPI_SUCCESS;
}
int swap_out(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position,
             void* state) {
  state_seen = *static_cast<int*>(state);
  if (type != MPI_INT) return MPI_ERR_CONVERSION;
  for (int i = 0; i < count; ++i)
    static_cast<std::uint32_t*>(file)[i] =
        __builtin_bswap32(static_cast<std::uint32_t*>(user)[position + i]);
  return MPI_SUCCESS;
}
int as_in_memory(MPI_Datatype type, MPI_Aint* extent, void*) {
  MPI_Aint low = 0;
  return MPI_Type_get_extent(type, &low, extent);
}

}  // namespace

void views() {
  MPI_File f = fresh(path_of("views.dat"));
  MPI_Offset displacement = -1;
  MPI_Datatype etype = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL;
  char name[MPI_MAX_DATAREP_STRING];
  CHECK_OK(MPI_File_get_view(f, &displacement, &etype, &filetype, name));
  CHECK(displacement == 0 && etype == MPI_BYTE && filetype == MPI_BYTE &&
        std::strcmp(name, "native") == 0);
  MPI_Datatype columns = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 2, 4, MPI_INT, &columns);
  MPI_Type_commit(&columns);
  CHECK_OK(MPI_File_set_view(f, 16, MPI_INT, columns, "native", MPI_INFO_NULL));
  MPI_Type_free(&columns);
  CHECK_OK(MPI_File_get_view(f, &displacement, &etype, &filetype, name));
  int integers[3], many_integers = 0, addresses = 0, types = 0, combiner = 0;
  MPI_Type_get_envelope(filetype, &many_integers, &addresses, &types, &combiner);
  CHECK(displacement == 16 && etype == MPI_INT && combiner != MPI_COMBINER_NAMED);
  if (combiner == MPI_COMBINER_DUP) {
    MPI_Datatype of = MPI_DATATYPE_NULL;
    MPI_Type_get_contents(filetype, 0, 0, 1, integers, nullptr, &of);
    MPI_Type_free(&of);
  }
  MPI_Type_free(&filetype);
  CHECK_CLASS(MPI_File_set_view(f, -8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_ARG);
  // By these classes programs distinguish a filetype of other etypes from one that cannot be a
  // view.
  MPI_Datatype backwards = MPI_DATATYPE_NULL;
  int const lengths[2] = {1, 1}, places[2] = {2, 0};
  MPI_Type_indexed(2, lengths, places, MPI_INT, &backwards);
  MPI_Type_commit(&backwards);
  CHECK_CLASS(MPI_File_set_view(f, 0, MPI_DOUBLE, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_set_view(f, 0, MPI_INT, backwards, "native", MPI_INFO_NULL), MPI_ERR_IO);
  MPI_Type_free(&backwards);
  CHECK_CLASS(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "unheard", MPI_INFO_NULL),
              MPI_ERR_UNSUPPORTED_DATAREP);
  CHECK_CLASS(MPI_File_set_view(f, 0, MPI_DATATYPE_NULL, MPI_INT, "native", MPI_INFO_NULL),
              MPI_ERR_TYPE);
  CHECK_OK(MPI_File_get_view(f, &displacement, &etype, &filetype, name));
  CHECK(displacement == 16 && etype == MPI_INT);  // unchanged
  MPI_Type_free(&filetype);

  // Counts are those of memory, whatever the file has: an external32 long has 4 bytes.
  CHECK_OK(MPI_File_set_view(f, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL));
  CHECK_OK(MPI_File_get_view(f, &displacement, &etype, &filetype, name));
  CHECK(displacement == 0 && etype == MPI_LONG && filetype == MPI_LONG &&
        std::strcmp(name, "external32") == 0);
  MPI_Aint extent = 0;
  CHECK_OK(MPI_File_get_type_extent(f, MPI_LONG, &extent));
  CHECK(extent == 4);
  long numbers[2] = {0x01020304, -2};
  MPI_Status status;
  CHECK_OK(MPI_File_write_at(f, rank * 2, numbers, 2, MPI_LONG, &status));
  int n = 0;
  MPI_Get_count(&status, MPI_LONG, &n);
  CHECK(n == 2);
  CHECK_OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  std::array<unsigned char, 8> raw = {};
  CHECK_OK(MPI_File_read_at(f, rank * 8, raw.data(), 8, MPI_BYTE, &status));
  CHECK(raw == std::array<unsigned char, 8>{1, 2, 3, 4, 0xff, 0xff, 0xff, 0xfe});
  close(f);
}

// MPI forbids overlap within a filetype, but not of its copies: copy k has the bytes k and k + 100.
void overlapping_copies() {
  MPI_File f = fresh(path_of("overlapping.dat"));
  MPI_Datatype bytes = MPI_DATATYPE_NULL, far = MPI_DATATYPE_NULL;
  int const places[2] = {0, 100};
  MPI_Type_create_indexed_block(2, 1, places, MPI_BYTE, &bytes);
  MPI_Type_create_resized(bytes, 0, 1, &far);
  MPI_Type_commit(&far);
  CHECK_OK(MPI_File_set_size(f, 400 * ranks));
  CHECK_OK(MPI_File_set_view(f, 400 * rank, MPI_BYTE, far, "native", MPI_INFO_NULL));
  MPI_Offset at = -1;
  CHECK_OK(MPI_File_get_byte_offset(f, 7, &at));
  CHECK(at == 400 * rank + 103);
  std::array<unsigned char, 202> out, in = {};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<unsigned char>(i + 1);
  CHECK_OK(MPI_File_write_at(f, 200, out.data(), 200, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK_OK(MPI_File_read_at_all(f, 200, in.data(), 200, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK(std::equal(in.begin(), in.begin() + 200, out.begin()));
  CHECK_CLASS(MPI_File_write_at_all(f, 200, out.data(), 202, MPI_BYTE, MPI_STATUS_IGNORE),
              MPI_ERR_TYPE);
  if (rank == ranks - 1) {
    CHECK_OK(MPI_File_seek(f, 0, MPI_SEEK_END));
    CHECK_OK(MPI_File_get_position(f, &at));
    CHECK(at == 601);
  }
  MPI_Type_free(&far);
  MPI_Type_free(&bytes);
  close(f);
}

// Datatypes made with large counts, which MPI's older functions cannot describe.
void large_counts() {
#if MPI_VERSION >= 4
  MPI_File f = fresh(path_of("large_counts.dat"));
  MPI_Count const places[2] = {0, 8};
  MPI_Datatype blocks = MPI_DATATYPE_NULL, pairs = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed_block_c(2, 1, places, MPI_INT, &blocks);
  MPI_Type_commit(&blocks);
  MPI_Type_vector_c(2, 1, 2, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  CHECK_OK(MPI_File_set_view(f, rank * 100, MPI_INT, blocks, "native", MPI_INFO_NULL));
  MPI_Offset displacement = 0;
  MPI_Datatype etype = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL;
  char name[MPI_MAX_DATAREP_STRING];
  CHECK_OK(MPI_File_get_view(f, &displacement, &etype, &filetype, name));
  MPI_Type_free(&filetype);
  int const out[3] = {rank + 1, -1, rank + 2};
  int in[3] = {-5, -5, -5};
  MPI_Status status;
  CHECK_OK(MPI_File_write_at_all(f, 0, out, 1, pairs, &status));
  CHECK_OK(MPI_File_read_at_all(f, 0, in, 1, pairs, &status));
  CHECK(in[0] == rank + 1 && in[1] == -5 && in[2] == rank + 2);
  CHECK_OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  CHECK_OK(MPI_File_read_at(f, rank * 100 + 8, in, 4, MPI_BYTE, &status));
  CHECK(in[0] == rank + 2);
  MPI_Type_free(&blocks);
  MPI_Type_free(&pairs);
  close(f);
#endif
}

// Doubles all extents, also that of MPI_BYTE, for which MPI never converts data.
int doubled(MPI_Datatype type, MPI_Aint* extent, void*) {
  MPI_Aint lower_bound = 0;
  MPI_Type_get_extent(type, &lower_bound, extent);
  *extent *= 2;
  return MPI_SUCCESS;
}

void representations() {
  static int state = 4711;
  CHECK_OK(MPI_Register_datarep("swapped", swap_in, swap_out, as_in_memory, &state));
  CHECK_CLASS(MPI_Register_datarep("swapped", swap_in, swap_out, as_in_memory, &state),
              MPI_ERR_DUP_DATAREP);
  CHECK_CLASS(MPI_Register_datarep("native", swap_in, swap_out, as_in_memory, &state),
              MPI_ERR_DUP_DATAREP);
  MPI_File f = fresh(path_of("swapped.dat"));
  CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "swapped", MPI_INFO_NULL));
  int const out[2] = {0x01020304, rank};
  int in[2] = {};
  MPI_Status status;
  CHECK_OK(MPI_File_write_at_all(f, rank * 2, out, 2, MPI_INT, &status));
  CHECK(state_seen == 4711);
  CHECK_OK(MPI_File_read_at_all(f, rank * 2, in, 2, MPI_INT, &status));
  CHECK(in[0] == out[0] && in[1] == out[1]);
  CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  CHECK_OK(MPI_File_read_at_all(f, rank * 2, in, 2, MPI_INT, &status));
  CHECK(in[0] == 0x04030201);
  float const half = 0.5f;
  CHECK_OK(MPI_File_set_view(f, 0, MPI_FLOAT, MPI_FLOAT, "swapped", MPI_INFO_NULL));
  CHECK_CLASS(MPI_File_write_at(f, 100 + rank, &half, 1, MPI_FLOAT, &status), MPI_ERR_CONVERSION);
  CHECK_OK(MPI_Register_datarep("doubled", swap_in, swap_out, doubled, &state));
  CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "doubled", MPI_INFO_NULL));
  MPI_Aint extent = 0;
  CHECK_OK(MPI_File_get_type_extent(f, MPI_INT, &extent));
  CHECK(extent == 8);
  close(f);
}
