// Converts the memory arguments of a program into argosy's, and fills its statuses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <mpi.h>

#include <argosy/datatype/buffer.hpp>
#include <argosy/file/data.hpp>

#include "types.hpp"

namespace argosy::mpiio {

// Returns a source or a target. If the arguments are invalid, the result is an error of the call,
// and `error_class` gets MPI's class for it on this rank, because argosy has one class for all
// arguments.
template <class Data>
Data data_of(void const* address, MPI_Count count, MPI_Datatype type, int& error_class) {
  constexpr bool reads = std::same_as<Data, target>;
  source_location const nowhere{};  // the line of the program is unknown
  if (count < 0) {
    error_class = MPI_ERR_COUNT;
    return {failure(errc::argument,
                    "the count is " + std::to_string(count) + "; it must not be negative"),
            nowhere};
  }
  known_type const& k = known(type);
  if (!k.fault.empty()) {
    error_class = MPI_ERR_TYPE;
    return {failure(errc::datatype, k.fault), nowhere};
  }
  std::int64_t items = 0;
  if (k.items > 0 && address != nullptr &&
      !__builtin_mul_overflow(std::int64_t{count}, k.items, &items) &&
      items <= std::numeric_limits<std::int64_t>::max() / k.size)
    return {detail::item_row{address, k.item, items}, nowhere};
  using where = std::conditional_t<reads, void*, void const*>;
  auto const at = const_cast<where>(address);
  if (!k.dense || (address == nullptr && count > 0))
    return Data(at, k.form, std::int64_t{count}, nowhere);
  using bytes_at = std::conditional_t<reads, buffer, const_buffer>;
  using byte = std::remove_pointer_t<decltype(bytes_at().address())>;
  std::int64_t size = 0;
  if (__builtin_mul_overflow(std::int64_t{count}, k.size, &size)) {
    error_class = MPI_ERR_COUNT;
    return {failure(errc::argument, "the data has more than 2^63 bytes"), nowhere};
  }
  return Data(
      bytes_at(static_cast<byte*>(at), bytes(size), argosy::detail::types_of_copies(k.form, count)),
      nowhere);
}

// Sets the number of bytes in memory. MPI_Get_count divides it by the size of an item.
inline void tell_status(MPI_Status* status, std::int64_t bytes) {
  if (status == MPI_STATUS_IGNORE) return;
  PMPI_Status_set_elements_x(status, MPI_BYTE, bytes);
  PMPI_Status_set_cancelled(status, 0);
}

}  // namespace argosy::mpiio
