// The weights of the generator: how often programs do what, all in one place.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "program.hpp"
#include "support/random.hpp"

namespace argosy::explore::weights {

template <class T>
struct weighted {
  T value;
  int weight;
};

template <class T, std::size_t N>
T const& pick(test::engine& random, weighted<T> const (&all)[N]) {
  std::int64_t sum = 0;
  for (auto const& w : all) sum += w.weight;
  std::int64_t x = test::pick(random, 1, sum);
  for (auto const& w : all)
    if ((x -= w.weight) <= 0) return w.value;
  return all[0].value;
}

// --- Calls of ranks, without opens and closes ---

inline constexpr weighted<op> calls[] = {
    {op::set_view, 80},
    {op::set_hints, 14},
    {op::set_size, 16},
    {op::preallocate, 16},
    {op::sync, 26},
    {op::clear_sync, 12},
    {op::set_atomic, 12},
    {op::seek, 12},
    {op::seek_shared, 16},
    {op::ask, 14},
    {op::explain, 8},
    {op::explain_all, 8},
    {op::compute, 20},
    {op::wait, 12},
    {op::test, 12},
    {op::drop, 10},
    {op::read_at, 40},
    {op::write_at, 55},
    {op::iread_at, 28},
    {op::iwrite_at, 38},
    {op::read_at_all, 50},
    {op::write_at_all, 85},
    {op::read, 24},
    {op::write, 34},
    {op::iread, 16},
    {op::iwrite, 22},
    {op::read_all, 32},
    {op::write_all, 50},
    {op::read_shared, 18},
    {op::write_shared, 26},
    {op::iread_shared, 16},
    {op::iwrite_shared, 22},
    {op::read_ordered, 22},
    {op::write_ordered, 34},
    {op::iread_at_all, 16},
    {op::iwrite_at_all, 24},
    {op::iread_all, 12},
    {op::iwrite_all, 16},
    {op::begin_read_at_all, 10},
    {op::begin_write_at_all, 14},
    {op::begin_read_all, 10},
    {op::begin_write_all, 12},
    {op::begin_read_ordered, 12},
    {op::begin_write_ordered, 14},
};

inline constexpr weighted<shape> shapes[] = {
    {shape::plain, 3}, {shape::dealt, 6}, {shape::woven, 6}, {shape::common, 3}, {shape::ghosts, 4},
};
inline constexpr weighted<std::int64_t> etypes[] = {{1, 2}, {2, 1}, {4, 1}, {8, 1}, {12, 1}};
inline constexpr weighted<basic_type> items[] = {
    {basic_type::int16, 2},          {basic_type::int32, 4},    {basic_type::int64, 4},
    {basic_type::float64, 2},        {basic_type::long_int, 3}, {basic_type::unsigned_long, 2},
    {basic_type::wide_character, 2}, {basic_type::int128, 1},   {basic_type::byte, 2},
};
inline constexpr weighted<representation_choice> representations[] = {
    {representation_choice::native, 2},     {representation_choice::internal, 1},
    {representation_choice::external32, 4}, {representation_choice::shrinking, 4},
    {representation_choice::picky, 6},
};

inline constexpr weighted<policy_kind> policies[] = {
    {policy_kind::of_hints, 2},  {policy_kind::independent, 2}, {policy_kind::sieving, 3},
    {policy_kind::two_phase, 5}, {policy_kind::automatic, 2},   {policy_kind::data_shipping, 4},
};
// Policies on a file with agents.
inline constexpr weighted<policy_kind> policies_with_agents[] = {
    {policy_kind::of_hints, 5},  {policy_kind::independent, 2}, {policy_kind::sieving, 4},
    {policy_kind::two_phase, 2}, {policy_kind::automatic, 1},   {policy_kind::data_shipping, 8},
};
inline constexpr weighted<seek_from> whences[] = {
    {seek_from::start, 1}, {seek_from::current, 1}, {seek_from::end, 1}};
inline constexpr weighted<decorator> decorators[] = {
    {decorator::counting, 1}, {decorator::tracing, 1}, {decorator::throttled, 1}};
inline constexpr weighted<slip> slips[] = {
    {slip::negative_offset, 1}, {slip::null_address, 1}, {slip::cut_etype, 1}};
inline constexpr weighted<trouble> troubles_of_items[] = {{trouble::misfit, 1},
                                                          {trouble::item_throws, 2}};
inline constexpr weighted<trouble> troubles[] = {{trouble::handle_throws, 2},
                                                 {trouble::policy_throws, 1}};

// File calls that fail for good.
inline constexpr weighted<file_call> failing_calls[] = {
    {file_call::write, 3},  {file_call::read, 2},        {file_call::lock, 1},
    {file_call::open, 1},   {file_call::size, 1},        {file_call::sync, 2},
    {file_call::resize, 2}, {file_call::close, 1},       {file_call::unlock, 1},
    {file_call::fcntl, 1},  {file_call::preallocate, 2},
};

// --- Frequencies: one in so many ---

// Programs.
inline constexpr int one_file_after_the_other = 5, two_files_at_once = 8, crashes = 6;
// Opens.
inline constexpr int agents = 4, unique = 4, appending = 10, exclusive = 10, deleting = 10,
                     one_way = 4, sequential = 24, not_made = 12, decorated = 8, any_hints = 2,
                     no_view = 4, opened_again = 2;
// Hints: how often each known hint is given, and how often its value makes no sense.
inline constexpr int each_hint = 12, silly_hint = 5;
// Views.
inline constexpr int displaced = 2, typed = 3, typed_tree = 4, hints_with_view = 10;
// Calls that move data.
inline constexpr int uneven = 2, scattered_memory = 2, static_data = 4, several_views = 3,
                     nothing = 12, later = 2, loose = 3, mistaken = 40, troubled = 60,
                     troubled_items = 4, from_start = 3;
// Local calls, also on files with agents.
inline constexpr int mixed = 4, mixed_with_agents = 2, both_ways = 2;

}  // namespace argosy::explore::weights
