// Trees of datatypes whose leaves are the types that MPI names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <argosy/datatype/basic_type.hpp>
#include <argosy/datatype/darray.hpp>
#include <argosy/layout/layout.hpp>

#include "random.hpp"

namespace argosy::test {

using namespace extend;

// --- Leaves: the types that MPI names ---

struct leaf {
  char const* name;
  std::vector<piece> pieces;
  std::int64_t extent;
};

// The first two have no alignment.
inline std::vector<leaf> const& leaves() {
  static std::vector<leaf> const all{
      {"byte", {{0, 1}}, 1},
      {"char", {{0, 1}}, 1},
      {"short", {{0, 2}}, 2},
      {"int", {{0, 4}}, 4},
      {"float", {{0, 4}}, 4},
      {"double", {{0, 8}}, 8},
      {"double complex", {{0, 16}}, 16},
      {"short_int", {{0, 2}, {4, 4}}, 8},
      {"long_int", {{0, 8}, {8, 4}}, 16},
      {"float_int", {{0, 4}, {4, 4}}, 8},
      {"double_int", {{0, 8}, {8, 4}}, 16},
      {"long_double_int", {{0, 16}, {16, 4}}, 32},
      {"2int", {{0, 4}, {4, 4}}, 8},
      {"f90_real(6)", {{0, 4}}, 4},
      {"f90_complex(15)", {{0, 16}}, 16},
      {"f90_integer(9)", {{0, 4}}, 4},
  };
  return all;
}
inline constexpr std::int64_t leaves_without_alignment = 2;

// The basic types in each leaf, in the same order.
inline std::vector<std::vector<basic_type>> const& leaf_items() {
  using enum basic_type;
  static std::vector<std::vector<basic_type>> const all{
      {byte},           {character},          {int16},        {int32},           {float32},
      {float64},        {float64, float64},   {int16, int32}, {long_int, int32}, {float32, int32},
      {float64, int32}, {long_double, int32}, {int32, int32}, {float32},         {float64, float64},
      {int32},
  };
  return all;
}

// The leaves for other sizes of basic types, with items side by side.
inline std::vector<leaf> leaves_with(argosy::basic_sizes const& sizes) {
  std::vector<leaf> all;
  for (std::size_t i = 0; i < leaves().size(); ++i) {
    std::int64_t bytes = 0;
    for (basic_type b : leaf_items()[i]) bytes += argosy::detail::size_in(sizes, b);
    all.push_back({leaves()[i].name, {{0, bytes}}, bytes});
  }
  return all;
}

// --- Trees ---

enum class form {
  leaf,
  dup,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  record,
  subarray,
  darray,
  resized
};
inline constexpr std::size_t forms = 13;

inline char const* name_of(form f) {
  constexpr char const* names[forms] = {"leaf",           "dup",     "contiguous", "vector",
                                        "hvector",        "indexed", "hindexed",   "indexed_block",
                                        "hindexed_block", "record",  "subarray",   "darray",
                                        "resized"};
  return names[static_cast<std::size_t>(f)];
}

// A node. Each form uses the members that it needs; they have the names of the arguments of MPI's
// constructors.
struct tree {
  test::form form = form::leaf;
  std::size_t leaf = 0;
  std::int64_t count = 0, blocklength = 0, stride = 0;
  list lengths = {}, displacements = {};
  list sizes = {}, subsizes = {}, starts = {}, grid = {};
  std::vector<distribute::rule> rules = {};
  std::int64_t rank = 0;
  bool fortran = false;
  std::int64_t lower_bound = 0, extent = 0;
  std::vector<tree> parts = {};

  // Bounds that replace the computed ones, because MPI pads aligned data as it likes.
  std::optional<std::pair<std::int64_t, std::int64_t>> given_bounds = {};
};

inline std::string to_text(tree const& t) {
  auto const number = [](std::int64_t n) { return std::to_string(n); };
  auto const numbers = [&](list const& l) {
    std::string text = "{";
    for (std::size_t i = 0; i < l.size(); ++i) text += (i == 0 ? "" : ", ") + number(l[i]);
    return text + "}";
  };
  if (t.form == form::leaf) return leaves()[t.leaf].name;
  std::string text = std::string(name_of(t.form)) + "(";
  switch (t.form) {
    case form::contiguous:
      text += number(t.count) + ", ";
      break;
    case form::vector:
    case form::hvector:
      text += number(t.count) + ", " + number(t.blocklength) + ", " + number(t.stride) + ", ";
      break;
    case form::indexed:
    case form::hindexed:
    case form::record:
      text += numbers(t.lengths) + ", " + numbers(t.displacements) + ", ";
      break;
    case form::indexed_block:
    case form::hindexed_block:
      text += number(t.blocklength) + ", " + numbers(t.displacements) + ", ";
      break;
    case form::subarray:
      text += numbers(t.sizes) + ", " + numbers(t.subsizes) + ", " + numbers(t.starts) +
              (t.fortran ? ", F, " : ", C, ");
      break;
    case form::darray:
      text += numbers(t.sizes) + ", {";
      for (distribute::rule r : t.rules)
        text += (r.kind == distribute::kind::block    ? "block "
                 : r.kind == distribute::kind::cyclic ? "cyclic "
                                                      : "none ") +
                number(r.size) + ";";
      text +=
          "}, " + numbers(t.grid) + ", rank " + number(t.rank) + (t.fortran ? ", F, " : ", C, ");
      break;
    case form::resized:
      text += number(t.lower_bound) + ", " + number(t.extent) + ", ";
      break;
    default:
      break;
  }
  for (std::size_t i = 0; i < t.parts.size(); ++i)
    text += (i == 0 ? "" : ", ") + to_text(t.parts[i]);
  return text + ")";
}

}  // namespace argosy::test
