// Random trees of datatypes, made as MPI datatypes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <mpi.h>

#include <argosy/datatype/mpi.hpp>

#include "random_tree.hpp"

namespace argosy::test {

using namespace extend;

// MPI refused to make a type.
class refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void mpi_check(int code, std::string const& call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw refused(call + ": " + text);
}

// The number of types made with each combiner.
using combiner_counts = std::array<std::size_t, 64>;

// Owns an MPI datatype. Predefined types of MPI must not be freed.
class made_type {
 public:
  made_type(MPI_Datatype type, bool predefined)
      : owned_(predefined ? MPI_DATATYPE_NULL : type), type_(type) {}
  MPI_Datatype get() const { return type_; }

 private:
  mpi_datatype owned_;
  MPI_Datatype type_;
};

inline made_type leaf_type(std::size_t i) {
  MPI_Datatype const named[] = {MPI_BYTE,
                                MPI_CHAR,
                                MPI_SHORT,
                                MPI_INT,
                                MPI_FLOAT,
                                MPI_DOUBLE,
                                MPI_C_DOUBLE_COMPLEX,
                                MPI_SHORT_INT,
                                MPI_LONG_INT,
                                MPI_FLOAT_INT,
                                MPI_DOUBLE_INT,
                                MPI_LONG_DOUBLE_INT,
                                MPI_2INT};
  if (i < std::size(named)) return {named[i], true};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::size_t const kind = i - std::size(named);
  if (kind == 0)
    mpi_check(MPI_Type_create_f90_real(6, MPI_UNDEFINED, &type), "MPI_Type_create_f90_real");
  if (kind == 1)
    mpi_check(MPI_Type_create_f90_complex(15, MPI_UNDEFINED, &type), "MPI_Type_create_f90_complex");
  if (kind == 2) mpi_check(MPI_Type_create_f90_integer(9, &type), "MPI_Type_create_f90_integer");
  return {type, true};
}

inline void commit(made_type const& type) {
  MPI_Datatype handle = type.get();
  mpi_check(MPI_Type_commit(&handle), "MPI_Type_commit");
}

// Returns the code of MPI.
inline int make_darray(tree const& t, MPI_Datatype old, MPI_Datatype* made) {
  auto const ints = [](list const& l) { return std::vector<int>(l.begin(), l.end()); };
  int const d = static_cast<int>(t.sizes.size());
  int const order = t.fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
  std::vector<int> kinds, arguments;
  int processes = 1;
  for (distribute::rule r : t.rules) {
    kinds.push_back(r.kind == distribute::kind::block    ? MPI_DISTRIBUTE_BLOCK
                    : r.kind == distribute::kind::cyclic ? MPI_DISTRIBUTE_CYCLIC
                                                         : MPI_DISTRIBUTE_NONE);
    arguments.push_back(r.size == 0 ? MPI_DISTRIBUTE_DFLT_DARG : static_cast<int>(r.size));
  }
  for (std::int64_t n : t.grid) processes *= static_cast<int>(n);
  return MPI_Type_create_darray(processes, static_cast<int>(t.rank), d, ints(t.sizes).data(),
                                kinds.data(), arguments.data(), ints(t.grid).data(), order, old,
                                made);
}

// Makes the tree by MPI_Type_create_*. With `aligned`, each node of the tree takes the bounds that
// MPI reports as given.
inline made_type make_mpi(tree& t, bool aligned, combiner_counts& seen) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // the code is checked
  auto const ints = [](list const& l) { return std::vector<int>(l.begin(), l.end()); };
  auto const addresses = [](list const& l) { return std::vector<MPI_Aint>(l.begin(), l.end()); };
  auto const number = [](std::int64_t n) { return static_cast<int>(n); };
  made_type result = [&]() -> made_type {
    if (t.form == form::leaf) return leaf_type(t.leaf);
    std::vector<made_type> parts;
    std::vector<MPI_Datatype> types;
    for (tree& p : t.parts) {
      parts.push_back(make_mpi(p, aligned, seen));
      types.push_back(parts.back().get());
    }
    MPI_Datatype const old = types[0];
    MPI_Datatype made = MPI_DATATYPE_NULL;
    auto const lengths = ints(t.lengths), displacements = ints(t.displacements);
    auto const places = addresses(t.displacements);
    int const blocks = number(static_cast<std::int64_t>(t.displacements.size()));
    int const d = number(static_cast<std::int64_t>(t.sizes.size()));
    int const order = t.fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
    int code = MPI_SUCCESS;
    switch (t.form) {
      case form::leaf:
        break;
      case form::dup:
        code = MPI_Type_dup(old, &made);
        break;
      case form::contiguous:
        code = MPI_Type_contiguous(number(t.count), old, &made);
        break;
      case form::vector:
        code =
            MPI_Type_vector(number(t.count), number(t.blocklength), number(t.stride), old, &made);
        break;
      case form::hvector:
        code =
            MPI_Type_create_hvector(number(t.count), number(t.blocklength), t.stride, old, &made);
        break;
      case form::indexed:
        code = MPI_Type_indexed(blocks, lengths.data(), displacements.data(), old, &made);
        break;
      case form::hindexed:
        code = MPI_Type_create_hindexed(blocks, lengths.data(), places.data(), old, &made);
        break;
      case form::indexed_block:
        code = MPI_Type_create_indexed_block(blocks, number(t.blocklength), displacements.data(),
                                             old, &made);
        break;
      case form::hindexed_block:
        code = MPI_Type_create_hindexed_block(blocks, number(t.blocklength), places.data(), old,
                                              &made);
        break;
      case form::record:
        code = MPI_Type_create_struct(blocks, lengths.data(), places.data(), types.data(), &made);
        break;
      case form::subarray:
        code = MPI_Type_create_subarray(d, ints(t.sizes).data(), ints(t.subsizes).data(),
                                        ints(t.starts).data(), order, old, &made);
        break;
      case form::darray:
        code = make_darray(t, old, &made);
        break;
      case form::resized:
        code = MPI_Type_create_resized(old, t.lower_bound, t.extent, &made);
        break;
    }
    mpi_check(code, to_text(t));
    return {made, false};
  }();
  int integers = 0, addrs = 0, types = 0, combiner = 0;
  mpi_check(MPI_Type_get_envelope(result.get(), &integers, &addrs, &types, &combiner),
            "MPI_Type_get_envelope");
  ++seen.at(static_cast<std::size_t>(combiner));
  if (aligned) {
    MPI_Count lower_bound = 0, extent = 0;
    mpi_check(MPI_Type_get_extent_x(result.get(), &lower_bound, &extent), "MPI_Type_get_extent_x");
    t.given_bounds = {lower_bound, extent};
  }
  return result;
}

// --- Types for which MPI libraries are wrong or unpredictable: Open MPI 4.1.4, if no other is
// named

#ifdef MPICH_VERSION
inline constexpr bool is_mpich = true;
#else
inline constexpr bool is_mpich = false;
#endif

// By MPI 3.1 (4.1.6), bounds that were set by hand outweigh those of other members. MPICH counts
// them like the bounds of data.
inline constexpr bounds_rule rule_of_bounds = is_mpich ? bounds_rule::hull : bounds_rule::markers;

template <class Test>
bool any_node(tree const& t, Test test) {
  if (test(t)) return true;
  for (tree const& p : t.parts)
    if (any_node(p, test)) return true;
  return false;
}

// Open MPI mistakes a stride of -1 byte for "one extent": vector(3, 1, -1, MPI_BYTE) becomes bytes
// 0, 1, 2 instead of 0, -1, -2.
inline bool has_stride_of_minus_one(tree const& whole) {
  return any_node(whole, [](tree const& t) {
    if (t.form == form::hvector) return t.count > 1 && t.stride == -1;
    return t.form == form::vector && t.count > 1 &&
           t.stride * expand(t.parts[0], bounds_rule::markers).limits.extent() == -1;
  });
}

// MPI_Type_create_darray of a type without bytes fails with MPI_ERR_TYPE.
inline bool has_darray_of_nothing(tree const& whole) {
  return any_node(whole, [](tree const& t) {
    return t.form == form::darray && expand(t.parts[0], bounds_rule::markers).pieces.empty();
  });
}

// If blocks have length 0, MPI_Pack of MPICH 4.0 divides by zero or reads memory that it should
// not.
inline bool has_blocks_of_nothing(tree const& whole) {
  return is_mpich && any_node(whole, [](tree const& t) {
           return t.blocklength == 0 &&
                  (t.form == form::vector || t.form == form::hvector ||
                   t.form == form::indexed_block || t.form == form::hindexed_block);
         });
}

// A part without bytes has no bounds of its own. Still it may move those of the whole, or undo
// bounds that were set by hand.
inline bool has_part_of_nothing(tree const& whole) {
  return any_node(whole, [](tree const& t) {
    return t.form != form::leaf && expand(t, bounds_rule::markers).pieces.empty();
  });
}

}  // namespace argosy::test
