// The last argument of `open` and `set_view`: hints, and how the call reports an error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <system_error>

#include <argosy/error/source_location.hpp>
#include <argosy/file/hints.hpp>
#include <argosy/file/on_error.hpp>

namespace argosy {

namespace detail {

//   io::file::open(world, path, modes);                     no hints; an error is thrown
//   io::file::open(world, path, modes, io::hints{.cb_nodes = 4});
//   io::file::open(world, path, modes, error);              an std::error_code& is set
//   io::file::open(world, path, modes, {io::hints{.cb_nodes = 4}, error});  both
// An argument only: it refers to the hints of the caller and must not outlive the call. It copies
// nothing, so it cannot throw before the ranks of the call have agreed.
class hinted : public on_error {
 public:
  hinted(source_location where = source_location::current()) noexcept : on_error(where) {}
  hinted(std::error_code& error, source_location where = source_location::current()) noexcept
      : on_error(error, where) {}
  hinted(argosy::hints const& h, source_location where = source_location::current()) noexcept
      : on_error(where), hints_(&h) {}
  hinted(argosy::hints const& h, std::error_code& error,
         source_location where = source_location::current()) noexcept
      : on_error(error, where), hints_(&h) {}
  hinted(hinted const&) = delete;
  hinted& operator=(hinted const&) = delete;

  argosy::hints const& hints() const noexcept {
    static argosy::hints const none;
    return hints_ ? *hints_ : none;
  }

 private:
  argosy::hints const* hints_ = nullptr;
};

}  // namespace detail

}  // namespace argosy
