// Merges: ranks of several nodes ask to merge if their views have holes.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/detail/state/merge_safety.hpp>
#include <argosy/file/detail/state/used_view.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/view/view.hpp>

#include "file/storages.hpp"
#include "support/catch.hpp"

namespace io = argosy;
using io::mode;
using io::tristate;
using io::detail::merge_safety;
using io::detail::used_view;
using io::test::gluster;
using io::test::moose;
using io::test::nfs;
using io::test::unique;

namespace {

constexpr io::sieving always{
    .write_window_bytes = 32, .writes = io::sieving_mode::always, .merges = false};

used_view seen(io::view const& v, bool written = true) {
  return used_view(v, false, false, written);
}
// Returns `n` pieces of 8 bytes, with a hole of 8 bytes behind each.
auto pieces_with_holes(std::int64_t n) {
  return io::resized(io::vector(n, 8, 16, io::type<std::byte>), 0, 16 * n);
}
io::view const with_holes(0, io::type<std::byte>, pieces_with_holes(8));

// Each copy has 256 bytes. One of `parts` parts, the `nth`, consists of 8 pieces with holes; the
// rest is one stretch.
io::view with_holes_in_part(int nth, int parts) {
  std::vector<std::int64_t> lengths, places;
  std::int64_t const part = 256 / parts;
  std::int64_t at = 0;
  auto const add = [&](std::int64_t bytes, std::int64_t hole) {
    lengths.push_back(bytes);
    places.push_back(at);
    at += bytes + hole;
  };
  if (nth > 0) add(nth * part, 8);
  for (int i = 0; i < 8; ++i) add(part / 8, 1);
  if (nth + 1 < parts) add((parts - nth - 1) * part, 1);
  return {0, io::type<std::byte>,
          io::resized(io::hindexed(lengths, places, io::type<std::byte>), 0, at)};
}

// One of three ranks on nodes of their own, which may merge if its view has holes.
struct far_rank {
  merge_safety merges;
  far_rank() {
    merges.begin(mode::write, 1, 3);
    merges.meet({}, false);
    merges.lies_on(gluster);
  }
  bool would_merge(io::view const& v, io::sieving const& by = always, bool written = true) const {
    return merges.would_merge(seen(v, written), by);
  }
};

}  // namespace

TEST_CASE("a rank would merge in a view that has holes", "[file][merging]") {
  far_rank const r;
  CHECK(r.would_merge(with_holes));
  CHECK_FALSE(r.would_merge(io::view()));
  CHECK_FALSE(r.would_merge({16, io::type<int>, io::contiguous(8, io::type<int>)}));
  CHECK_FALSE(r.would_merge({0, io::type<std::byte>, io::contiguous(0, io::type<std::byte>)}));
  // The whole range of offsets.
  CHECK_FALSE(r.would_merge(
      {0, io::type<std::byte>,
       io::contiguous(std::numeric_limits<std::int64_t>::max(), io::type<std::byte>)}));
  // The last piece of a copy ends where the first one of the next copy begins.
  std::array<int, 2> const lengths{4, 4}, places{0, 12};
  io::view const touching(0, io::type<std::byte>,
                          io::hindexed(lengths, places, io::type<std::byte>));
  CHECK_FALSE(
      r.would_merge(touching, {.write_window_bytes = 8, .writes = io::sieving_mode::always}));
  CHECK(r.would_merge(touching, {.write_window_bytes = 16, .writes = io::sieving_mode::always}));
}

TEST_CASE("each byte of a short copy is looked at, and the smallest hole counts",
          "[file][merging]") {
  far_rank const r;
  io::sieving const short_windows{.write_window_bytes = 4, .writes = io::sieving_mode::always};
  auto const copies_of = [](auto const& type, std::int64_t extent) {
    return io::view(0, io::type<std::byte>, io::resized(type, 0, extent));
  };
  CHECK(r.would_merge(copies_of(io::type<std::byte>, 2), short_windows));
  CHECK_FALSE(r.would_merge(copies_of(io::type<std::byte>, 4), short_windows));
  auto const two_bytes = io::vector(2, 1, 10, io::type<std::byte>);
  CHECK(r.would_merge(copies_of(two_bytes, 12), short_windows));  // from the second byte on
  CHECK_FALSE(r.would_merge(copies_of(two_bytes, 14), short_windows));
  CHECK(r.would_merge(copies_of(io::contiguous(3, io::type<std::byte>), 4),
                      {.write_window_bytes = 5, .writes = io::sieving_mode::always}));
}

TEST_CASE("the policy says whether a window with holes would be merged", "[file][merging]") {
  far_rank const r;
  CHECK_FALSE(r.would_merge(with_holes, {.writes = io::sieving_mode::never}));
  io::extend::prices const dear_calls{.write_call_ns = 1e9}, dear_locks{.lock_ns = 1e9};
  CHECK(r.would_merge(with_holes, {.prices = dear_calls}));
  CHECK(r.would_merge(with_holes, {.prices = dear_calls, .merges = false}));
  CHECK_FALSE(r.would_merge(with_holes, {.prices = dear_locks}));
}

TEST_CASE("four windows of a copy of the filetype stand for all", "[file][merging]") {
  far_rank const r;
  for (int quarter = 0; quarter < 4; ++quarter) {
    CAPTURE(quarter);
    CHECK(r.would_merge(with_holes_in_part(quarter, 4)));
  }
  for (int eighth : {0, 2, 4, 6}) {
    CAPTURE(eighth);
    CHECK(r.would_merge(with_holes_in_part(eighth, 8)));
  }
  for (int eighth : {1, 3, 5, 7}) {
    CAPTURE(eighth);
    CHECK_FALSE(r.would_merge(with_holes_in_part(eighth, 8)));
  }
}

TEST_CASE("a view whose copies overlap merges in its first copy, and an unsorted one nowhere",
          "[file][merging]") {
  far_rank const r;
  auto const copies_each = [](std::int64_t extent) {
    return io::view(0, io::type<std::byte>,
                    io::resized(io::vector(2, 8, 24, io::type<std::byte>), 0, extent));
  };
  CHECK(seen(copies_each(8)).overlapping);
  CHECK(r.would_merge(copies_each(8)));
  CHECK_FALSE(r.would_merge(copies_each(8), always, false));
  CHECK_FALSE(seen(copies_each(16)).overlapping);
  CHECK_FALSE(r.would_merge(copies_each(16)));
}

TEST_CASE("no rank asks to merge where it may not, or where a hint says whether it does",
          "[file][merging]") {
  auto const merges_after = [](auto&& change) {
    far_rank r;
    change(r.merges);
    return r.would_merge(with_holes);
  };
  CHECK(merges_after([](merge_safety&) {}));
  CHECK(merges_after([](merge_safety& m) { m.begin(mode::read_write, 1, 3); }));
  CHECK(merges_after([](merge_safety& m) { m.begin(unique, 1, 3); }));
  CHECK(merges_after([](merge_safety& m) { m.agree(true); }));
  CHECK(merges_after([](merge_safety& m) { m.lies_on(nfs); }));
  CHECK_FALSE(merges_after([](merge_safety& m) { m.begin(mode::read, 1, 3); }));
  CHECK_FALSE(merges_after([](merge_safety& m) { m.meet({}, true); }));
  CHECK_FALSE(merges_after([](merge_safety& m) { m.lacks_locks(); }));
  CHECK_FALSE(merges_after([](merge_safety& m) { m.locks_in_vain(); }));
  CHECK_FALSE(merges_after([](merge_safety& m) { m.lies_on(moose); }));
  CHECK_FALSE(merges_after([](merge_safety& m) { m.can_read(false); }));
  CHECK_FALSE(merges_after([](merge_safety& m) { m.follow(tristate::enable); }));
  CHECK_FALSE(merges_after([](merge_safety& m) { m.follow(tristate::disable); }));
}
