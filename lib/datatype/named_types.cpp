// Implements named_types.hpp: the items of each predefined datatype of MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include "named_types.hpp"

#include <cfloat>
#include <optional>

namespace argosy::detail {
namespace {

enum class family {
  byte,
  character,
  boolean,
  wide_character,
  integer,  // by its width, like all that follow except C's own
  unsigned_integer,
  address,
  real,
  c_long,
  c_unsigned_long,
  c_long_double,
};

std::optional<basic_type> integer_of(std::int64_t bytes) {
  switch (bytes) {
    case 1:
      return basic_type::character;
    case 2:
      return basic_type::int16;
    case 4:
      return basic_type::int32;
    case 8:
      return basic_type::int64;
    case 16:
      return basic_type::int128;
    default:
      return {};
  }
}

std::optional<basic_type> unsigned_of(std::int64_t bytes) {
  switch (bytes) {
    case 1:
      return basic_type::character;
    case 2:
      return basic_type::uint16;
    case 4:
      return basic_type::uint32;
    case 8:
      return basic_type::uint64;
    default:
      return {};
  }
}

std::optional<basic_type> real_of(std::int64_t bytes) {
  switch (bytes) {
    case 2:
      // No basic type is a half; its bytes are swapped like those of a uint16.
      return basic_type::uint16;
    case 4:
      return basic_type::float32;
    case 8:
      return basic_type::float64;
    case 16:
      return basic_type::float128;
    default:
      return {};
  }
}

std::optional<basic_type> basic_of(family f, std::int64_t bytes) {
  switch (f) {
    case family::byte:
      return basic_type::byte;
    case family::character:
      return basic_type::character;
    case family::boolean:
      return basic_type::boolean;
    case family::wide_character:
      return basic_type::wide_character;
    case family::c_long:
      return basic_type::long_int;
    case family::c_unsigned_long:
      return basic_type::unsigned_long;
    case family::c_long_double:
      return basic_type::long_double;
    case family::address:  // 8 bytes in every file
      if (bytes == 8) return basic_type::int64;
      return {};
    case family::integer:
      return integer_of(bytes);
    case family::unsigned_integer:
      return unsigned_of(bytes);
    case family::real:
      return real_of(bytes);
  }
  return {};
}

struct row {
  MPI_Datatype type;
  family items;
  std::int64_t count = 1;
  bool and_int = false;  // followed by a C int
};

// The table, in four parts. It is made at run time, because handles are not constants in every MPI.
// Names that a library does not have are MPI_DATATYPE_NULL or are left out.
std::vector<row> integer_rows() {
  using enum family;
  return {
      {MPI_BYTE, byte},
      {MPI_PACKED, byte},
      {MPI_CHAR, character},
      {MPI_SIGNED_CHAR, character},
      {MPI_UNSIGNED_CHAR, character},
      {MPI_INT8_T, character},
      {MPI_UINT8_T, character},
      {MPI_CHARACTER, character},
      {MPI_WCHAR, wide_character},
      {MPI_C_BOOL, boolean},
      {MPI_CXX_BOOL, boolean},
      {MPI_SHORT, integer},
      {MPI_INT, integer},
      {MPI_LONG, c_long},
      {MPI_LONG_LONG, integer},
      {MPI_LONG_LONG_INT, integer},
      {MPI_INT16_T, integer},
      {MPI_INT32_T, integer},
      {MPI_INT64_T, integer},
      {MPI_INTEGER, integer},
      {MPI_UNSIGNED_SHORT, unsigned_integer},
      {MPI_UNSIGNED, unsigned_integer},
      {MPI_UNSIGNED_LONG, c_unsigned_long},
      {MPI_UNSIGNED_LONG_LONG, unsigned_integer},
      {MPI_UINT16_T, unsigned_integer},
      {MPI_UINT32_T, unsigned_integer},
      {MPI_UINT64_T, unsigned_integer},
      // Swapped like an integer, whatever the compiler uses for true.
      {MPI_LOGICAL, unsigned_integer},
      {MPI_AINT, address},
      {MPI_OFFSET, address},
      {MPI_COUNT, address},
  };
}

std::vector<row> real_rows() {
  using enum family;
  return {
      {MPI_FLOAT, real},
      {MPI_DOUBLE, real},
      {MPI_LONG_DOUBLE, c_long_double},
      {MPI_REAL, real},
      {MPI_DOUBLE_PRECISION, real},
      {MPI_C_COMPLEX, real, 2},
      {MPI_C_FLOAT_COMPLEX, real, 2},
      {MPI_C_DOUBLE_COMPLEX, real, 2},
      {MPI_C_LONG_DOUBLE_COMPLEX, c_long_double, 2},
      {MPI_CXX_FLOAT_COMPLEX, real, 2},
      {MPI_CXX_DOUBLE_COMPLEX, real, 2},
      {MPI_CXX_LONG_DOUBLE_COMPLEX, c_long_double, 2},
      {MPI_COMPLEX, real, 2},
      {MPI_DOUBLE_COMPLEX, real, 2},
  };
}

std::vector<row> pair_rows() {
  using enum family;
  return {
      {MPI_2INT, integer, 2},
      {MPI_2INTEGER, integer, 2},
      {MPI_2REAL, real, 2},
      {MPI_2DOUBLE_PRECISION, real, 2},
      {MPI_SHORT_INT, integer, 1, true},
      {MPI_LONG_INT, c_long, 1, true},
      {MPI_FLOAT_INT, real, 1, true},
      {MPI_DOUBLE_INT, real, 1, true},
      {MPI_LONG_DOUBLE_INT, c_long_double, 1, true},
#ifdef MPI_2COMPLEX
      {MPI_2COMPLEX, real, 4},
#endif
#ifdef MPI_2DOUBLE_COMPLEX
      {MPI_2DOUBLE_COMPLEX, real, 4},
#endif
  };
}

// Returns the rows of Fortran types that not every MPI has.
std::vector<row> sized_rows() {
  using enum family;
  return {
#ifdef MPI_LOGICAL1
      {MPI_LOGICAL1, unsigned_integer},
#endif
#ifdef MPI_LOGICAL2
      {MPI_LOGICAL2, unsigned_integer},
#endif
#ifdef MPI_LOGICAL4
      {MPI_LOGICAL4, unsigned_integer},
#endif
#ifdef MPI_LOGICAL8
      {MPI_LOGICAL8, unsigned_integer},
#endif
#ifdef MPI_INTEGER1
      {MPI_INTEGER1, integer},
#endif
#ifdef MPI_INTEGER2
      {MPI_INTEGER2, integer},
#endif
#ifdef MPI_INTEGER4
      {MPI_INTEGER4, integer},
#endif
#ifdef MPI_INTEGER8
      {MPI_INTEGER8, integer},
#endif
#ifdef MPI_INTEGER16
      {MPI_INTEGER16, integer},
#endif
#ifdef MPI_REAL2
      {MPI_REAL2, real},
#endif
#ifdef MPI_REAL4
      {MPI_REAL4, real},
#endif
#ifdef MPI_REAL8
      {MPI_REAL8, real},
#endif
#ifdef MPI_REAL16
      {MPI_REAL16, real},
#endif
#ifdef MPI_COMPLEX4
      {MPI_COMPLEX4, real, 2},
#endif
#ifdef MPI_COMPLEX8
      {MPI_COMPLEX8, real, 2},
#endif
#ifdef MPI_COMPLEX16
      {MPI_COMPLEX16, real, 2},
#endif
#ifdef MPI_COMPLEX32
      {MPI_COMPLEX32, real, 2},
#endif
  };
}

std::vector<row> const& rows() {
  static std::vector<row> const all = [] {
    std::vector<row> made = integer_rows();
    for (std::vector<row> const& more : {real_rows(), pair_rows(), sized_rows()})
      made.insert(made.end(), more.begin(), more.end());
    return made;
  }();
  return all;
}

std::vector<item_run> runs(family f, std::int64_t count, std::int64_t bytes) {
  if (bytes % count != 0) return {};
  auto const type = basic_of(f, bytes / count);
  if (!type || size_in(native_sizes, *type) != bytes / count) return {};
  return {{*type, count}};
}

// Returns the family of a real. A real of 16 bytes is the compiler's `long double` if precision and
// range allow it.
family real_family(std::int64_t precision, std::int64_t range, std::int64_t bytes) {
  bool const c = sizeof(long double) > 8 && bytes == sizeof(long double) &&
                 (precision == MPI_UNDEFINED || precision <= LDBL_DIG) &&
                 (range == MPI_UNDEFINED || range <= LDBL_MAX_10_EXP);
  return c ? family::c_long_double : family::real;
}

}  // namespace

std::vector<item_run> items_of_named(MPI_Datatype type, std::int64_t bytes) {
  for (row const& r : rows()) {
    if (r.type != type) continue;
    std::vector<item_run> items =
        runs(r.items, r.count, r.and_int ? bytes - std::int64_t{sizeof(int)} : bytes);
    if (r.and_int && !items.empty()) items.push_back({argosy::detail::basic_of<int>(), 1});
    return items;
  }
  return {};
}

std::vector<item_run> items_of_f90(int combiner, std::int64_t precision, std::int64_t range,
                                   std::int64_t bytes) {
  if (combiner == MPI_COMBINER_F90_INTEGER) return runs(family::integer, 1, bytes);
  if (combiner == MPI_COMBINER_F90_REAL)
    return runs(real_family(precision, range, bytes), 1, bytes);
  if (combiner == MPI_COMBINER_F90_COMPLEX)
    return runs(real_family(precision, range, bytes / 2), 2, bytes);
  return {};
}

}  // namespace argosy::detail
