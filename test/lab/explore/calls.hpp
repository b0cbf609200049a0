// The calls that programs make, and the kind of each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace argosy::explore {

enum class op : std::uint8_t {
  open,
  close,
  set_view,
  set_hints,
  set_size,
  preallocate,
  sync,
  clear_sync,
  set_atomic,
  seek,
  seek_shared,
  ask,      // all questions that cost nothing
  explain,  // the plan of one rank
  explain_all,
  compute,
  wait,  // for all requests, each rank in an order of its own
  test,  // tests some requests a few times, without waiting
  drop,  // drops some requests without waiting, and waits for the others
  read_at,
  write_at,
  iread_at,
  iwrite_at,
  read_at_all,
  write_at_all,
  read,
  write,
  iread,
  iwrite,
  read_all,
  write_all,
  read_shared,
  write_shared,
  iread_shared,
  iwrite_shared,
  read_ordered,
  write_ordered,
  iread_at_all,
  iwrite_at_all,
  iread_all,
  iwrite_all,
  begin_read_at_all,  // with the end() that follows
  begin_write_at_all,
  begin_read_all,
  begin_write_all,
  begin_read_ordered,
  begin_write_ordered,
  // the bytes of read_at_all or write_at_all, dealt to several views
  read_views_all,
  write_views_all
};

enum class pointer : std::uint8_t { none, offset, individual, shared };
struct op_kind {
  char const* name;
  bool collective = false;
  pointer at = pointer::none;  // none if it moves no data
  bool writes = false;
  bool request = false;  // true: may continue after the call has returned
  bool split = false;
};

inline constexpr std::array op_kinds{
    op_kind{"open", true},
    op_kind{"close", true},
    op_kind{"set_view", true},
    op_kind{"set_hints", true},
    op_kind{"set_size", true},
    op_kind{"preallocate", true},
    op_kind{"sync", true},
    op_kind{"clear_sync"},
    op_kind{"set_atomic", true},
    op_kind{"seek"},
    op_kind{"seek_shared", true},
    op_kind{"ask"},
    op_kind{"explain"},
    op_kind{"explain_all", true},
    op_kind{"compute"},
    op_kind{"wait"},
    op_kind{"test"},
    op_kind{"drop"},
    op_kind{"read_at", false, pointer::offset},
    op_kind{"write_at", false, pointer::offset, true},
    op_kind{"iread_at", false, pointer::offset, false, true},
    op_kind{"iwrite_at", false, pointer::offset, true, true},
    op_kind{"read_at_all", true, pointer::offset},
    op_kind{"write_at_all", true, pointer::offset, true},
    op_kind{"read", false, pointer::individual},
    op_kind{"write", false, pointer::individual, true},
    op_kind{"iread", false, pointer::individual, false, true},
    op_kind{"iwrite", false, pointer::individual, true, true},
    op_kind{"read_all", true, pointer::individual},
    op_kind{"write_all", true, pointer::individual, true},
    op_kind{"read_shared", false, pointer::shared},
    op_kind{"write_shared", false, pointer::shared, true},
    op_kind{"iread_shared", false, pointer::shared, false, true},
    op_kind{"iwrite_shared", false, pointer::shared, true, true},
    op_kind{"read_ordered", true, pointer::shared},
    op_kind{"write_ordered", true, pointer::shared, true},
    op_kind{"iread_at_all", true, pointer::offset, false, true},
    op_kind{"iwrite_at_all", true, pointer::offset, true, true},
    op_kind{"iread_all", true, pointer::individual, false, true},
    op_kind{"iwrite_all", true, pointer::individual, true, true},
    op_kind{"begin_read_at_all", true, pointer::offset, false, true, true},
    op_kind{"begin_write_at_all", true, pointer::offset, true, true, true},
    op_kind{"begin_read_all", true, pointer::individual, false, true, true},
    op_kind{"begin_write_all", true, pointer::individual, true, true, true},
    op_kind{"begin_read_ordered", true, pointer::shared, false, true, true},
    op_kind{"begin_write_ordered", true, pointer::shared, true, true, true},
    op_kind{"read_views_all", true, pointer::offset},
    op_kind{"write_views_all", true, pointer::offset, true},
};
inline constexpr std::size_t ops = op_kinds.size();
static_assert(ops == static_cast<std::size_t>(op::write_views_all) + 1);

constexpr op_kind const& kind_of(op o) noexcept { return op_kinds[static_cast<std::size_t>(o)]; }
constexpr char const* name_of(op o) noexcept { return kind_of(o).name; }

// The list has each write behind the read of the same form.
constexpr bool moves_data(op o) noexcept { return kind_of(o).at != pointer::none; }
constexpr bool writes(op o) noexcept { return kind_of(o).writes; }
constexpr bool is_request(op o) noexcept { return kind_of(o).request; }
constexpr bool is_split(op o) noexcept { return kind_of(o).split; }
constexpr bool is_collective(op o) noexcept { return kind_of(o).collective; }
constexpr bool is_local(op o) noexcept { return moves_data(o) && !is_collective(o); }
constexpr bool by_views(op o) noexcept {
  return o == op::read_views_all || o == op::write_views_all;
}
constexpr bool at_offset(op o) noexcept { return kind_of(o).at == pointer::offset; }
constexpr bool at_pointer(op o) noexcept { return kind_of(o).at == pointer::individual; }
constexpr bool at_shared_pointer(op o) noexcept { return kind_of(o).at == pointer::shared; }
constexpr op other_way(op o) noexcept {
  return static_cast<op>(static_cast<int>(o) + (writes(o) ? -1 : 1));
}

}  // namespace argosy::explore
