// The datatype calls of MPI. Each is made and checked here; callers see values and exceptions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include <argosy/datatype/mpi.hpp>
#include <argosy/layout/detail/compact_numbers.hpp>
#include <argosy/layout/error.hpp>

namespace argosy::detail::mpi_calls {

[[noreturn]] inline void raise(char const* call, int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw invalid_layout(std::string("argosy: ") + call +
                       " failed: " + std::string(text, static_cast<std::size_t>(length)));
}

// Throws if MPI returned an error code. With an error handler that aborts, a failing call never
// returns.
inline void check(char const* call, int code) {
  if (code != MPI_SUCCESS) raise(call, code);
}

inline bool is_initialized() {
  int flag = 0;
  check("MPI_Initialized", MPI_Initialized(&flag));
  return flag != 0;
}
inline bool is_finalized() {
  int flag = 0;
  check("MPI_Finalized", MPI_Finalized(&flag));
  return flag != 0;
}

// Throws if MPI is not initialized, or is finalized. MPI_Initialized does not report sessions of
// MPI 4. If the library has sessions, as Open MPI 5 does, only the end is therefore checked.
inline void require_running(char const* where) {
#if defined(MPI_SESSION_NULL) || defined(ARGOSY_MPI_FAMILY)
  constexpr bool has_sessions = true;
#else
  constexpr bool has_sessions = false;
#endif
  if ((!has_sessions && !is_initialized()) || is_finalized())
    throw invalid_layout(std::string("argosy::") + where +
                         ": MPI is not running; call it between MPI_Init and MPI_Finalize");
}

// --- Whether a type is committed ---

inline thread_local bool error_was_noted = false;
inline void note_error(MPI_Comm*, int*, ...) { error_was_noted = true; }

// Returns a communicator of our own with an error handler that returns. MPI cannot be asked whether
// a type is committed, but MPI_Pack fails if it is not. The communicator is freed with
// MPI_COMM_SELF, at MPI_Finalize.
inline MPI_Comm quiet_comm() {
  static MPI_Comm const comm = [] {
    static MPI_Comm own = MPI_COMM_NULL;
    check("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_SELF, &own));
    // Not MPI_ERRORS_RETURN, which Intel MPI 2021.18 ignores in its standard interface.
    MPI_Errhandler quiet = MPI_ERRHANDLER_NULL;
    check("MPI_Comm_create_errhandler", MPI_Comm_create_errhandler(note_error, &quiet));
    check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(own, quiet));
    MPI_Errhandler_free(&quiet);
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_delete_attr_function* const free_it = [](MPI_Comm, int, void*, void*) {
      return MPI_Comm_free(&own);
    };
    check("MPI_Comm_create_keyval",
          MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_it, &key, nullptr));
    check("MPI_Comm_set_attr", MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr));
    MPI_Comm_free_keyval(&key);
    return own;
  }();
  return comm;
}

// Returns true if the type is committed, and if that cannot be checked: in a library that does not
// check, and in a program with sessions only, which has no MPI_COMM_SELF.
inline bool is_committed(MPI_Datatype type) {
  if (!is_initialized()) return true;
  char nothing = 0;
  int position = 0;
  // After a program's own error handler, MPICH 5.0.2 returns success.
  error_was_noted = false;
  int const code = MPI_Pack(&nothing, 0, type, &nothing, 0, &position, quiet_comm());
  return code == MPI_SUCCESS && !error_was_noted;
}

// Combiners of Fortran's old calls with integer displacements. MPI 3 removed their names; MPI
// libraries keep their values.
#if defined(OPEN_MPI) && !OMPI_ENABLE_MPI1_COMPAT
constexpr int hvector_integer = OMPI_WAS_MPI_COMBINER_HVECTOR_INTEGER;
constexpr int hindexed_integer = OMPI_WAS_MPI_COMBINER_HINDEXED_INTEGER;
constexpr int struct_integer = OMPI_WAS_MPI_COMBINER_STRUCT_INTEGER;
#elif defined(ARGOSY_MPI_STANDARD_ABI)
constexpr int hvector_integer = -1, hindexed_integer = -2,
              struct_integer = -3;  // no datatype has them
#else
constexpr int hvector_integer = MPI_COMBINER_HVECTOR_INTEGER;
constexpr int hindexed_integer = MPI_COMBINER_HINDEXED_INTEGER;
constexpr int struct_integer = MPI_COMBINER_STRUCT_INTEGER;
#endif

// --- The parts of a type ---

// The results of MPI_Type_get_envelope and _contents.
struct contents {
  int combiner;
  compact_numbers integers, addresses;
  compact_numbers counts;  // set for types made by MPI 4's large-count calls; otherwise empty
  std::vector<MPI_Datatype> types;  // the caller frees them, unless they are predefined

  bool is_large() const { return !counts.empty(); }
};

// The numbers of integers, addresses, large counts and types in a datatype's parts.
struct envelope {
  MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
  int combiner = 0;
};

#if MPI_VERSION >= 4
#ifdef ARGOSY_MPI_FAMILY
// A part of the drop-in may run on an MPI library that is older than its mpi.h.
#pragma weak MPI_Type_get_envelope_c
#pragma weak MPI_Type_get_contents_c
inline bool has_large_calls() {
  return &MPI_Type_get_envelope_c != nullptr && &MPI_Type_get_contents_c != nullptr;
}
#else
constexpr bool has_large_calls() { return true; }
#endif
#endif

inline envelope envelope_of(MPI_Datatype type) {
  envelope e;
#if MPI_VERSION >= 4  // The older call refuses types that were made with large counts.
  if (has_large_calls()) {
    check("MPI_Type_get_envelope_c", MPI_Type_get_envelope_c(type, &e.integers, &e.addresses,
                                                             &e.counts, &e.types, &e.combiner));
    return e;
  }
#endif
  int integers = 0, addresses = 0, types = 0;
  check("MPI_Type_get_envelope",
        MPI_Type_get_envelope(type, &integers, &addresses, &types, &e.combiner));
  e.integers = integers;
  e.addresses = addresses;
  e.types = types;
  return e;
}

// Returns the parts of a type. MPI gives no contents of named types; their lists are empty.
inline contents contents_of(MPI_Datatype type) {
  envelope const e = envelope_of(type);
  contents result{};
  result.combiner = e.combiner;
  if (e.combiner == MPI_COMBINER_NAMED) return result;
  auto const size = [](MPI_Count n) { return static_cast<std::size_t>(n); };
  std::vector<int> i(size(e.integers));
  std::vector<MPI_Aint> a(size(e.addresses));
  result.types.resize(size(e.types));
#if MPI_VERSION >= 4
  if (has_large_calls()) {
    std::vector<MPI_Count> c(size(e.counts));
    check("MPI_Type_get_contents_c",
          MPI_Type_get_contents_c(type, e.integers, e.addresses, e.counts, e.types, i.data(),
                                  a.data(), c.data(), result.types.data()));
    result.counts = compact_numbers(c);
  } else
#endif
    check(
        "MPI_Type_get_contents",
        MPI_Type_get_contents(type, static_cast<int>(e.integers), static_cast<int>(e.addresses),
                              static_cast<int>(e.types), i.data(), a.data(), result.types.data()));
  result.integers = compact_numbers(std::exchange(i, {}));
  result.addresses = compact_numbers(std::exchange(a, {}));
  return result;
}

inline int combiner_of(MPI_Datatype type) { return envelope_of(type).combiner; }

inline std::int64_t size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  check("MPI_Type_size_x", MPI_Type_size_x(type, &size));
  if (size == MPI_UNDEFINED)
    throw invalid_layout("argosy: the size of this datatype exceeds what MPI counts");
  return static_cast<std::int64_t>(size);
}

struct bounds {
  std::int64_t lower_bound, extent;
};
inline bounds bounds_of(MPI_Datatype type) {
  MPI_Count lower_bound = 0, extent = 0;
  check("MPI_Type_get_extent_x", MPI_Type_get_extent_x(type, &lower_bound, &extent));
  return {static_cast<std::int64_t>(lower_bound), static_cast<std::int64_t>(extent)};
}
inline bounds true_bounds_of(MPI_Datatype type) {
  MPI_Count lower_bound = 0, extent = 0;
  check("MPI_Type_get_true_extent_x", MPI_Type_get_true_extent_x(type, &lower_bound, &extent));
  return {static_cast<std::int64_t>(lower_bound), static_cast<std::int64_t>(extent)};
}

inline std::string name_of(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  check("MPI_Type_get_name", MPI_Type_get_name(type, name, &length));
  return std::string(name, static_cast<std::size_t>(length));
}

// --- Making types ---

inline mpi_datatype contiguous(int count, MPI_Datatype old) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  check("MPI_Type_contiguous", MPI_Type_contiguous(count, old, &made));
  return mpi_datatype(made);
}
inline mpi_datatype hvector(int count, std::int64_t stride, MPI_Datatype old) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  check("MPI_Type_create_hvector",
        MPI_Type_create_hvector(count, 1, static_cast<MPI_Aint>(stride), old, &made));
  return mpi_datatype(made);
}
inline mpi_datatype hindexed(std::vector<int> const& lengths, std::vector<MPI_Aint> const& places,
                             MPI_Datatype old) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  check("MPI_Type_create_hindexed",
        MPI_Type_create_hindexed(static_cast<int>(places.size()), lengths.data(), places.data(),
                                 old, &made));
  return mpi_datatype(made);
}
inline mpi_datatype hindexed_block(std::vector<MPI_Aint> const& places, MPI_Datatype old) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  check("MPI_Type_create_hindexed_block",
        MPI_Type_create_hindexed_block(static_cast<int>(places.size()), 1, places.data(), old,
                                       &made));
  return mpi_datatype(made);
}
inline mpi_datatype record(std::vector<MPI_Aint> const& places,
                           std::vector<MPI_Datatype> const& olds) {
  std::vector<int> const lengths(places.size(), 1);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  check("MPI_Type_create_struct",
        MPI_Type_create_struct(static_cast<int>(places.size()), lengths.data(), places.data(),
                               olds.data(), &made));
  return mpi_datatype(made);
}
inline mpi_datatype resized(MPI_Datatype old, std::int64_t lower_bound, std::int64_t extent) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  check("MPI_Type_create_resized", MPI_Type_create_resized(old, static_cast<MPI_Aint>(lower_bound),
                                                           static_cast<MPI_Aint>(extent), &made));
  return mpi_datatype(made);
}
inline mpi_datatype committed(mpi_datatype made) {
  MPI_Datatype type = made.get();
  check("MPI_Type_commit", MPI_Type_commit(&type));
  return made;
}

}  // namespace argosy::detail::mpi_calls
