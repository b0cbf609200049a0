// The calls that read, write or plan, and the properties of each, in one table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <argosy/policy/access.hpp>

namespace argosy::detail {

enum class operation : std::uint8_t {
  read_at,
  write_at,
  read,
  write,
  read_shared,
  write_shared,
  iread_at,
  iwrite_at,
  iread,
  iwrite,
  iread_shared,
  iwrite_shared,
  async_read_at,
  async_write_at,
  async_read,
  async_write,
  read_at_all,
  write_at_all,
  read_all,
  write_all,
  read_ordered,
  write_ordered,
  read_views_all,
  write_views_all,
  iread_at_all,
  iwrite_at_all,
  iread_all,
  iwrite_all,
  begin_read_at_all,
  begin_write_at_all,
  begin_read_all,
  begin_write_all,
  begin_read_ordered,
  begin_write_ordered,
  explain_read_at,
  explain_write_at,
  explain_read,
  explain_write,
  explain_read_at_all,
  explain_write_at_all,
  explain_read_all,
  explain_write_all,
  explain_read_views_all,
  explain_write_views_all,
  count_of_operations  // not an operation
};

// The place of the data in the view. `none`: it begins at the start of views of its own.
enum class pointer_kind : std::uint8_t { explicit_offset, individual, shared, none };
enum class ranks_of_call : std::uint8_t { one, all };
// When the data moves: before the call returns, while the program goes on, or never.
enum class moment : std::uint8_t { now, background, split, never };

struct operation_row {
  operation of;
  std::string_view name;  // name of the function that the program calls
  access_kind kind;
  pointer_kind pointer;
  ranks_of_call ranks;
  moment when;
};

inline constexpr auto operation_table = [] {
  using enum operation;
  using enum pointer_kind;
  using enum ranks_of_call;
  using enum moment;
  constexpr access_kind in = access_kind::read, out = access_kind::write;
  return std::to_array<operation_row>({
      {read_at, "read_at", in, explicit_offset, one, now},
      {write_at, "write_at", out, explicit_offset, one, now},
      {read, "read", in, individual, one, now},
      {write, "write", out, individual, one, now},
      {read_shared, "read_shared", in, shared, one, now},
      {write_shared, "write_shared", out, shared, one, now},

      {iread_at, "iread_at", in, explicit_offset, one, background},
      {iwrite_at, "iwrite_at", out, explicit_offset, one, background},
      {iread, "iread", in, individual, one, background},
      {iwrite, "iwrite", out, individual, one, background},
      {iread_shared, "iread_shared", in, shared, one, background},
      {iwrite_shared, "iwrite_shared", out, shared, one, background},

      {async_read_at, "async_read_at", in, explicit_offset, one, background},
      {async_write_at, "async_write_at", out, explicit_offset, one, background},
      {async_read, "async_read", in, individual, one, background},
      {async_write, "async_write", out, individual, one, background},

      {read_at_all, "read_at_all", in, explicit_offset, all, now},
      {write_at_all, "write_at_all", out, explicit_offset, all, now},
      {read_all, "read_all", in, individual, all, now},
      {write_all, "write_all", out, individual, all, now},
      {read_ordered, "read_ordered", in, shared, all, now},
      {write_ordered, "write_ordered", out, shared, all, now},
      {read_views_all, "read_views_all", in, none, all, now},
      {write_views_all, "write_views_all", out, none, all, now},

      {iread_at_all, "iread_at_all", in, explicit_offset, all, background},
      {iwrite_at_all, "iwrite_at_all", out, explicit_offset, all, background},
      {iread_all, "iread_all", in, individual, all, background},
      {iwrite_all, "iwrite_all", out, individual, all, background},

      {begin_read_at_all, "begin_read_at_all", in, explicit_offset, all, split},
      {begin_write_at_all, "begin_write_at_all", out, explicit_offset, all, split},
      {begin_read_all, "begin_read_all", in, individual, all, split},
      {begin_write_all, "begin_write_all", out, individual, all, split},
      {begin_read_ordered, "begin_read_ordered", in, shared, all, split},
      {begin_write_ordered, "begin_write_ordered", out, shared, all, split},

      {explain_read_at, "explain_at", in, explicit_offset, one, never},
      {explain_write_at, "explain_at", out, explicit_offset, one, never},
      {explain_read, "explain", in, individual, one, never},
      {explain_write, "explain", out, individual, one, never},
      {explain_read_at_all, "explain_at_all", in, explicit_offset, all, never},
      {explain_write_at_all, "explain_at_all", out, explicit_offset, all, never},
      {explain_read_all, "explain_all", in, individual, all, never},
      {explain_write_all, "explain_all", out, individual, all, never},
      {explain_read_views_all, "explain_views_all", in, none, all, never},
      {explain_write_views_all, "explain_views_all", out, none, all, never},
  });
}();

constexpr operation_row const& row_of(operation o) noexcept {
  return operation_table[static_cast<std::size_t>(o)];
}
static_assert(operation_table.size() == static_cast<std::size_t>(operation::count_of_operations));
static_assert([] {
  for (std::size_t i = 0; i < operation_table.size(); ++i)
    if (operation_table[i].of != operation{static_cast<std::uint8_t>(i)}) return false;
  return true;
}());

// Returns the collective call at the individual pointer for a call at an offset; other calls and
// plans unchanged. With the hint argosy_lenient, ranks of one call may mix offsets and pointers. A
// library above argosy may know only on some ranks that there is no data.
constexpr operation at_any_pointer(operation o) noexcept {
  operation_row const& given = row_of(o);
  if (given.pointer != pointer_kind::explicit_offset || given.ranks == ranks_of_call::one ||
      given.when == moment::never)
    return o;
  for (operation_row const& r : operation_table)
    if (r.pointer == pointer_kind::individual && r.kind == given.kind && r.ranks == given.ranks &&
        r.when == given.when)
      return r.of;
  return o;
}

// Returns the operation of a plan. Plans are not made at the shared pointer.
constexpr operation explained(access_kind kind, pointer_kind pointer,
                              ranks_of_call ranks) noexcept {
  for (operation_row const& r : operation_table)
    if (r.when == moment::never && r.kind == kind && r.pointer == pointer && r.ranks == ranks)
      return r.of;
  return operation::explain_read;
}

}  // namespace argosy::detail
