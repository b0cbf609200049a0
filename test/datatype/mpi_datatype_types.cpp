// The types of data that a datatype of MPI describes along its stream, and its addresses.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <mpi.h>

#include <argosy/datatype/element.hpp>
#include <argosy/datatype/file_form.hpp>
#include <argosy/datatype/memory.hpp>
#include <argosy/datatype/mpi.hpp>
#include <argosy/layout/pack.hpp>

namespace io = argosy;

TEST_CASE("named types bring the types that MPI's tables give them", "[mpi][datatype][types]") {
  struct row {
    MPI_Datatype type;
    char const* types;
    std::int64_t external32;
  };
  for (row const& r : {
           row{MPI_PACKED, "byte", 1},
           row{MPI_BYTE, "byte", 1},
           row{MPI_CHAR, "character", 1},
           row{MPI_SIGNED_CHAR, "character", 1},
           row{MPI_UNSIGNED_CHAR, "character", 1},
           row{MPI_CHARACTER, "character", 1},
           row{MPI_WCHAR, "wide character", 2},
           row{MPI_C_BOOL, "boolean", 1},
           row{MPI_CXX_BOOL, "boolean", 1},
           row{MPI_SHORT, "int16", 2},
           row{MPI_UNSIGNED_SHORT, "uint16", 2},
           row{MPI_INT, "int32", 4},
           row{MPI_UNSIGNED, "uint32", 4},
           row{MPI_LONG, "long", 4},
           row{MPI_UNSIGNED_LONG, "unsigned long", 4},
           row{MPI_LONG_LONG, "int64", 8},
           row{MPI_UNSIGNED_LONG_LONG, "uint64", 8},
           row{MPI_INT8_T, "character", 1},
           row{MPI_INT16_T, "int16", 2},
           row{MPI_INT32_T, "int32", 4},
           row{MPI_INT64_T, "int64", 8},
           row{MPI_UINT8_T, "character", 1},
           row{MPI_UINT16_T, "uint16", 2},
           row{MPI_UINT32_T, "uint32", 4},
           row{MPI_UINT64_T, "uint64", 8},
           row{MPI_AINT, "int64", 8},
           row{MPI_OFFSET, "int64", 8},
           row{MPI_COUNT, "int64", 8},
           row{MPI_FLOAT, "float32", 4},
           row{MPI_DOUBLE, "float64", 8},
           row{MPI_LONG_DOUBLE, "long double", 16},
           row{MPI_C_FLOAT_COMPLEX, "2 float32", 8},
           row{MPI_C_DOUBLE_COMPLEX, "2 float64", 16},
           row{MPI_C_LONG_DOUBLE_COMPLEX, "2 long double", 32},
           row{MPI_CXX_DOUBLE_COMPLEX, "2 float64", 16},
           row{MPI_LOGICAL, "uint32", 4},
           row{MPI_INTEGER, "int32", 4},
           row{MPI_REAL, "float32", 4},
           row{MPI_DOUBLE_PRECISION, "float64", 8},
           row{MPI_COMPLEX, "2 float32", 8},
           row{MPI_DOUBLE_COMPLEX, "2 float64", 16},
           row{MPI_INTEGER1, "character", 1},
           row{MPI_INTEGER2, "int16", 2},
           row{MPI_INTEGER4, "int32", 4},
           row{MPI_INTEGER8, "int64", 8},
           row{MPI_REAL4, "float32", 4},
           row{MPI_REAL8, "float64", 8},
           row{MPI_COMPLEX8, "2 float32", 8},
           row{MPI_COMPLEX16, "2 float64", 16},
           row{MPI_SHORT_INT, "int16, int32", 6},
           row{MPI_2INT, "2 int32", 8},
           row{MPI_LONG_INT, "long, int32", 8},
           row{MPI_FLOAT_INT, "float32, int32", 8},
           row{MPI_DOUBLE_INT, "float64, int32", 12},
           row{MPI_LONG_DOUBLE_INT, "long double, int32", 20},
           row{MPI_2REAL, "2 float32", 8},
           row{MPI_2DOUBLE_PRECISION, "2 float64", 16},
           row{MPI_2INTEGER, "2 int32", 8},
       }) {
    if (r.type == MPI_DATATYPE_NULL) continue;  // a Fortran type that this library lacks
    CAPTURE(r.types);
    auto const type = io::from_mpi(r.type);
    CHECK(to_string(io::detail::signature_of(type)) == r.types);
    CHECK(io::detail::file_form_of(type, io::detail::external32_sizes) == io::bytes(r.external32));
  }
}

TEST_CASE("Fortran's types of a precision bring what the compiler makes of it",
          "[mpi][datatype][types]") {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  auto const types = [&] { return to_string(io::detail::signature_of(io::from_mpi(type))); };
  MPI_Type_create_f90_real(6, 30, &type);
  CHECK(types() == "float32");
  MPI_Type_create_f90_real(15, MPI_UNDEFINED, &type);
  CHECK(types() == "float64");
  MPI_Type_create_f90_complex(6, 30, &type);
  CHECK(types() == "2 float32");
  MPI_Type_create_f90_complex(15, 300, &type);
  CHECK(types() == "2 float64");
  for (auto const& [digits, name] : {std::pair(2, "character"), std::pair(4, "int16"),
                                     std::pair(9, "int32"), std::pair(18, "int64")}) {
    MPI_Type_create_f90_integer(digits, &type);
    CHECK(types() == name);
  }
}

TEST_CASE("a million blocks of one type are one entry of the signature",
          "[mpi][datatype][types][cost]") {
  constexpr int n = 1'000'000;
  MPI_Datatype const pair_of[] = {MPI_INT, MPI_DOUBLE};
  int const ones[] = {1, 1};
  MPI_Aint const at[] = {0, 8};
  MPI_Datatype cell = MPI_DATATYPE_NULL, all = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, ones, at, pair_of, &cell);
  std::vector<int> const lengths(n, 1);
  std::vector<MPI_Aint> places;
  for (MPI_Aint i = 0; i < n; ++i) places.push_back(i * 100 + i % 7 * 8);
  std::vector<MPI_Datatype> const types(n, cell);
  MPI_Type_create_struct(n, lengths.data(), places.data(), types.data(), &all);
  MPI_Type_commit(&all);
  io::mpi_datatype const free_cell(cell), free_all(all);
  auto const l = io::from_mpi(all);
  CHECK(l.size() == 12 * n);
  CHECK(to_string(io::detail::signature_of(l)) == "1000000 x (int32, float64)");
}

TEST_CASE("data at absolute addresses is found from MPI_BOTTOM", "[mpi][datatype][types]") {
  std::vector<double> a(3, 1.5);
  std::vector<int> b(2, 7);
  MPI_Aint places[2] = {0, 0};
  MPI_Get_address(a.data(), &places[0]);
  MPI_Get_address(b.data(), &places[1]);
  int const lengths[] = {3, 2};
  MPI_Datatype const types[] = {MPI_DOUBLE, MPI_INT};
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, lengths, places, types, &handle);
  MPI_Type_commit(&handle);
  io::mpi_datatype const both(handle);
  auto const m = io::memory(MPI_BOTTOM, io::from_mpi(handle));
  CHECK(m.address() != nullptr);
  std::vector<std::byte> packed(static_cast<std::size_t>(m.size()));
  io::pack(m.form(), m.address(), packed.data());
  CHECK(std::memcmp(packed.data(), a.data(), 24) == 0);
  CHECK(std::memcmp(packed.data() + 24, b.data(), 8) == 0);
  CHECK(to_string(m.types()) == "3 float64, 2 int32");
  // Relative places are no addresses. The null address stays, and a call refuses it.
  CHECK(io::memory(static_cast<void*>(nullptr), io::from_mpi(MPI_INT)).address() == nullptr);
}
