// A read or write as the program called it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <system_error>

#include <argosy/error/source_location.hpp>
#include <argosy/file/access_options.hpp>
#include <argosy/file/data.hpp>
#include <argosy/file/detail/call/operation.hpp>
#include <argosy/file/views.hpp>
#include <argosy/policy/access.hpp>

namespace argosy::detail {

// The arguments of a call, passed by reference from function to function while the call lasts.
struct call {
  operation what;
  std::int64_t offset;  // in etypes; only for explicit offsets
  source& data;         // a request moves the data out, because it outlives the call
  access_options const& with;
  view_list const* views = nullptr;  // null: the data goes through the view of the file

  std::string_view name() const noexcept { return row_of(what).name; }
  pointer_kind pointer() const noexcept { return row_of(what).pointer; }
  access_kind kind() const noexcept { return row_of(what).kind; }
  any_policy const& policy() const noexcept { return with.policy(); }
  std::error_code* error() const noexcept { return with.error(); }
  source_location const& where() const noexcept { return data.where(); }
  // Returns true if nothing is wrong with the data, and it is not one stretch of memory.
  bool is_scattered() const {
    if (data.fault()) return false;
    return data.row().address ? !data.row().is_stretch() : data.buffer().form().pieces() != 1;
  }
};

}  // namespace argosy::detail
