// The operation and the datatype by which MPI reduces a C++ type.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include <mpi.h>

#include <argosy/world/communicator.hpp>

namespace argosy::detail {

// The function that MPI calls to reduce values. MPI's own buffers are aligned as by malloc, which
// may be too little for T; such values are copied first.
template <reducible T>
void combine_values(void* others, void* mine, int* count, MPI_Datatype*) noexcept {
  for (int i = 0; i < *count; ++i) {
    auto* const other = static_cast<std::byte*>(others) + static_cast<std::size_t>(i) * sizeof(T);
    auto* const value = static_cast<std::byte*>(mine) + static_cast<std::size_t>(i) * sizeof(T);
    if ((reinterpret_cast<std::uintptr_t>(other) | reinterpret_cast<std::uintptr_t>(value)) %
            alignof(T) ==
        0) {
      reinterpret_cast<T*>(value)->combine(*reinterpret_cast<T const*>(other));
    } else {
      alignas(T) std::byte copies[2][sizeof(T)];
      std::memcpy(copies[0], value, sizeof(T));
      std::memcpy(copies[1], other, sizeof(T));
      reinterpret_cast<T*>(copies[0])->combine(*reinterpret_cast<T const*>(copies[1]));
      std::memcpy(value, copies[0], sizeof(T));
    }
  }
}

// The operation and the datatype for one C++ type, made at first use. They are never freed: MPI
// offers no moment for that in programs that use sessions, and does not require it.
struct mpi_reduction {
  MPI_User_function* combine;
  int bytes;
  std::atomic<bool> made{false};
  MPI_Op operation = {};
  MPI_Datatype type = {};
};

template <reducible T>
inline constinit mpi_reduction mpi_reduction_of{&combine_values<T>, static_cast<int>(sizeof(T))};

}  // namespace argosy::detail
