// How a file is opened: MPI's access modes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace argosy {

enum class mode : std::uint16_t {
  none = 0,
  read = 1,
  write = 2,
  read_write = 4,        // exactly one of read, write and read_write
  create = 8,            // create the file if it does not exist
  exclusive = 16,        // with create: fail if the file exists; without create: no effect
  append = 32,           // all pointers start at the end of the file
  delete_on_close = 64,  // close() removes the file; the destructor does not
  // a promise that no other program has the file open. Other opens are then not checked for, and
  // merges take no locks unless other ranks or threads write
  unique_open = 128,
  sequential = 256,  // access only by shared pointers
  truncate = 512,    // cut the file to 0 bytes after all ranks have opened it; not a mode of MPI
};

constexpr mode operator|(mode a, mode b) noexcept {
  return static_cast<mode>(static_cast<std::uint16_t>(a) | static_cast<std::uint16_t>(b));
}
constexpr mode operator&(mode a, mode b) noexcept {
  return static_cast<mode>(static_cast<std::uint16_t>(a) & static_cast<std::uint16_t>(b));
}
// Returns true if `all` has at least one of the modes in `one`.
constexpr bool has(mode all, mode one) noexcept { return (all & one) != mode::none; }

namespace detail {

constexpr bool can_read(mode m) noexcept { return has(m, mode::read | mode::read_write); }
constexpr bool can_write(mode m) noexcept { return has(m, mode::write | mode::read_write); }

}  // namespace detail

std::string to_string(mode m);  // "read_write | create"

namespace detail {

// Returns the contradiction within `m` and its remedy; empty if there is none.
constexpr std::string_view fault_of(mode m) noexcept {
  int const ways =
      int{has(m, mode::read)} + int{has(m, mode::write)} + int{has(m, mode::read_write)};
  if (ways == 0) return "no way of access: add mode::read, mode::write or mode::read_write";
  if (ways > 1) return "more than one way of access: for both, give mode::read_write alone";
  if (has(m, mode::read) && has(m, mode::create | mode::exclusive))
    return "create and exclusive make a file that this mode cannot write: use mode::read_write";
  if (has(m, mode::read) && has(m, mode::truncate))
    return "truncate cuts a file that this mode cannot write: use mode::write or mode::read_write";
  if (has(m, mode::read_write) && has(m, mode::sequential))
    return "a sequential file is either read or written: leave mode::read_write or "
           "mode::sequential out";
  return {};
}

}  // namespace detail

static_assert(detail::fault_of(mode::create | mode::write).empty());
static_assert(!detail::fault_of(mode::read | mode::write).empty());

}  // namespace argosy
