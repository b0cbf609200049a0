// MPI_Register_datarep: representations whose conversion functions take MPI's datatypes.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <climits>
#include <cstdint>
#include <string>
#include <system_error>

#include <argosy/datatype/basic_type.hpp>
#include <argosy/file/representations.hpp>

#include "next.hpp"
#include "opened_file.hpp"

namespace argosy::mpiio {
namespace {

// Returns MPI's datatype for items of a basic type, or MPI_DATATYPE_NULL if MPI has none.
MPI_Datatype named(basic_type type) {
  static std::array<MPI_Datatype, argosy::detail::basic_count> const names{
      MPI_BYTE,          MPI_CHAR,           MPI_C_BOOL,
      MPI_SHORT,         MPI_UNSIGNED_SHORT, MPI_INT,
      MPI_UNSIGNED,      MPI_LONG_LONG,      MPI_UNSIGNED_LONG_LONG,
      MPI_DATATYPE_NULL, MPI_DATATYPE_NULL,  MPI_LONG,
      MPI_UNSIGNED_LONG, MPI_WCHAR,          MPI_FLOAT,
      MPI_DOUBLE,        MPI_DATATYPE_NULL,  MPI_LONG_DOUBLE};
  return names[static_cast<std::size_t>(type)];
}

// Calls MPI's functions with counts that fit into them. Each call converts `most` items; `position`
// is always 0, because the buffers begin with the items.
template <class Function, class Number>
struct converter {
  Function* function;
  void* state;
  static constexpr std::int64_t most = sizeof(Number) == sizeof(int) ? INT_MAX : INT64_MAX;

  bool operator()(basic_type type, std::int64_t count, std::byte* user, std::int64_t user_bytes,
                  std::byte* file, std::int64_t file_bytes) const {
    MPI_Datatype const as = named(type);
    if (as == MPI_DATATYPE_NULL) return false;
    while (count > 0) {
      auto const now = static_cast<Number>(count < most ? count : most);
      if (function(user, as, now, file, 0, state) != MPI_SUCCESS) return false;
      user += now * user_bytes;
      file += now * file_bytes;
      count -= now;
    }
    return true;
  }
};

template <class Function, class Number>
int register_functions(char const* name, Function* read, Function* write,
                       MPI_Datarep_extent_function* extent, void* state) {
  return guarded(MPI_FILE_NULL, "MPI_Register_datarep", [&]() -> int {
    auto const file_bytes = [extent, state](basic_type type) -> std::int64_t {
      // MPI converts no MPI_BYTE, so the user's function is not asked.
      if (type == basic_type::byte) return 1;
      MPI_Datatype const as = named(type);
      MPI_Aint bytes = 0;
      if (as == MPI_DATATYPE_NULL || extent(as, &bytes, state) != MPI_SUCCESS)
        return argosy::detail::size_in(argosy::detail::native_sizes, type);
      return bytes;
    };
    representation_functions functions;
    functions.file_bytes = file_bytes;
    if (read)
      functions.read = [=, convert = converter<Function, Number>{read, state}](
                           basic_type type, std::int64_t count, std::byte const* file,
                           std::byte* memory) {
        return convert(type, count, memory,
                       argosy::detail::size_in(argosy::detail::native_sizes, type),
                       const_cast<std::byte*>(file), file_bytes(type));
      };
    if (write)
      functions.write = [=, convert = converter<Function, Number>{write, state}](
                            basic_type type, std::int64_t count, std::byte const* memory,
                            std::byte* file) {
        return convert(type, count, const_cast<std::byte*>(memory),
                       argosy::detail::size_in(argosy::detail::native_sizes, type), file,
                       file_bytes(type));
      };
    std::error_code error;
    register_representation(name ? name : "", std::move(functions), error);
    if (!error) return MPI_SUCCESS;
    return tell(
        MPI_FILE_NULL, error,
        "MPI_Register_datarep of '" + std::string(name ? name : "") + "': " + error.message());
  });
}

}  // namespace
}  // namespace argosy::mpiio

using namespace argosy::mpiio;

extern "C" {

ARGOSY_MPIIO_FUNCTION(int, MPI_Register_datarep,
                      (char const* name, MPI_Datarep_conversion_function* read,
                       MPI_Datarep_conversion_function* write, MPI_Datarep_extent_function* extent,
                       void* state),
                      (name, read, write, extent, state)) {
  // MPI_CONVERSION_FN_NULL is a null pointer or a function, depending on the MPI library.
  auto const none = [](MPI_Datarep_conversion_function* f) {
    return f == MPI_CONVERSION_FN_NULL ? nullptr : f;
  };
  return register_functions<MPI_Datarep_conversion_function, int>(name, none(read), none(write),
                                                                  extent, state);
}

// The type that MPI 4 declares.
using large_conversion = int(void*, MPI_Datatype, MPI_Count, void*, MPI_Offset, void*);
ARGOSY_MPIIO_FUNCTION(int, MPI_Register_datarep_c,
                      (char const* name, large_conversion* read, large_conversion* write,
                       MPI_Datarep_extent_function* extent, void* state),
                      (name, read, write, extent, state)) {
  return register_functions<large_conversion, MPI_Count>(name, read, write, extent, state);
}

}  // extern "C"
