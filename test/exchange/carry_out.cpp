// Plans of independent policies, carried out on random layouts and compared with one byte at a
// time.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <argosy/exchange/detail/carry_out.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>

#include "support/memory_handle.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using io::test::memory_file;
using io::test::memory_handle;

namespace {

using engine = std::mt19937_64;

std::int64_t pick(engine& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

// Returns the offset of each byte of the stream.
std::vector<std::int64_t> offsets_of(io::layout const& l) {
  std::vector<std::int64_t> offsets;
  for (io::extend::cursor at(l); !at.done(); at.next())
    for (std::int64_t k = 0; k < at.current().length; ++k)
      offsets.push_back(at.current().offset + k);
  return offsets;
}

// Returns a view of ascending pieces, regular or not.
io::layout random_view(engine& random) {
  if (pick(random, 0, 2) == 0) {
    std::vector<std::int64_t> offsets, lengths;
    std::int64_t end = pick(random, 0, 20);
    // Long pieces have several pieces of memory that need no copy.
    bool const are_long = pick(random, 0, 3) == 0;
    for (std::int64_t i = pick(random, 1, are_long ? 5 : 60); i > 0; --i) {
      offsets.push_back(end + pick(random, 0, 40));
      lengths.push_back(pick(random, 1, are_long ? 6000 : 30));
      end = offsets.back() + lengths.back();
    }
    return io::table(offsets, lengths);
  }
  std::int64_t const piece = pick(random, 1, 40), stride = piece + pick(random, 0, 60),
                     n = pick(random, 1, 20);
  io::layout const row = io::repeat(n, stride, io::bytes(piece));
  return io::at(pick(random, 0, 50),
                io::repeat(pick(random, 1, 10), row.true_upper_bound() + pick(random, 0, 90), row));
}

// Returns a memory layout in any order that has no byte twice.
io::layout random_memory(engine& random, std::int64_t bytes) {
  std::vector<std::int64_t> offsets, lengths;
  for (std::int64_t at = 0, left = bytes; left > 0;) {
    std::int64_t const length =
        std::min(left, pick(random, 0, 3) == 0 ? pick(random, 1, 2500) : pick(random, 1, 30));
    at += pick(random, 0, 1) * pick(random, 0, 20);
    offsets.push_back(at);
    lengths.push_back(length);
    at += length;
    left -= length;
  }
  if (pick(random, 0, 1) == 0) {
    std::reverse(offsets.begin(), offsets.end());
    std::reverse(lengths.begin(), lengths.end());
  }
  return io::table(offsets, lengths);
}

std::vector<std::byte> random_bytes(engine& random, std::int64_t n) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(n));
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

// Windows of some bytes, each gathered in memory.
struct gathering {
  static constexpr std::string_view name = "gathering";
  std::int64_t bytes = 1;

  io::extend::window next(io::access const& wanted, std::int64_t position) const {
    io::extend::window w =
        io::extend::window_of(wanted, position, std::min(bytes, wanted.end() - position));
    w.how = io::transfer_mode::gathered;
    return w;
  }
  std::int64_t buffer_for(io::access const&) const { return bytes; }
  std::string reason(io::access const&) const { return "a test"; }
  friend bool operator==(gathering const&, gathering const&) = default;
};
static_assert(io::extend::independent_policy<gathering>);

io::extend::any_policy random_policy(engine& random) {
  if (pick(random, 0, 4) == 0) return gathering{pick(random, 1, 9000)};
  if (pick(random, 0, 2) == 0) return io::independent{.buffer_bytes = pick(random, 1, 3000)};
  auto const how = static_cast<io::sieving_mode>(pick(random, 0, 2));
  return io::sieving{.read_window_bytes = pick(random, 1, 3000),
                     .write_window_bytes = pick(random, 1, 3000),
                     .reads = how,
                     .writes = how};
}

}  // namespace

TEST_CASE("plans are carried out byte by byte as asked", "[carry_out][random]") {
  engine random(io::test::seed());
  for (int round = 0; round < 4000; ++round) {
    INFO("seed " << io::test::seed() << ", round " << round);
    io::layout const view = random_view(random);
    auto const places = offsets_of(view);
    std::int64_t const position = pick(random, 0, view.size() - 1),
                       bytes = pick(random, 1, view.size() - position);
    io::layout const memory_layout = random_memory(random, bytes);
    auto const memory_places = offsets_of(memory_layout);
    bool const reading = pick(random, 0, 1) == 0;
    auto memory = random_bytes(random, memory_layout.true_upper_bound());
    auto file = std::make_shared<memory_file>();
    file->bytes = random_bytes(random, pick(random, 0, view.true_upper_bound() + 50));
    file->has_locks = pick(random, 0, 3) > 0;
    auto const old_file = file->bytes;
    auto const old_memory = memory;

    io::access const wanted{reading ? io::access_kind::read : io::access_kind::write, view,
                            position, bytes, memory_layout};
    io::extend::any_policy const policy = random_policy(random);
    CHECK(policy.plan(wanted).wanted() == bytes);
    memory_handle handle(file);
    io::detail::memory_side side(memory_layout, memory.data());
    io::report done;
    io::detail::staging buffer;
    // Without locks only other programs may write at the same time. Other ranks would need locks to
    // merge.
    io::detail::merging const with{file->has_locks ? io::detail::merging::others::ranks
                                                   : io::detail::merging::others::programs};
    REQUIRE_FALSE(io::detail::carry_out(policy, wanted, handle, side, with, buffer, done));

    auto hoped_file = old_file;
    auto hoped_memory = old_memory;
    std::int64_t moved = 0;
    for (std::int64_t k = 0; k < bytes; ++k) {
      auto const in_file = static_cast<std::size_t>(places[static_cast<std::size_t>(position + k)]);
      auto const in_memory = static_cast<std::size_t>(memory_places[static_cast<std::size_t>(k)]);
      if (reading) {
        if (in_file >= old_file.size()) break;
        hoped_memory[in_memory] = old_file[in_file];
      } else {
        if (hoped_file.size() <= in_file) hoped_file.resize(in_file + 1);
        hoped_file[in_file] = old_memory[in_memory];
      }
      ++moved;
    }
    REQUIRE(file->bytes == hoped_file);
    REQUIRE(memory == hoped_memory);
    REQUIRE(done.bytes == moved);
    REQUIRE(file->locks == file->unlocks);
    if (policy.target<gathering>()) REQUIRE(file->lists <= done.windows);
  }
}

TEST_CASE("a gathered window is one call, however many pieces of memory it has", "[carry_out]") {
  // Pieces of memory that would go without a copy otherwise, and pieces of the file.
  io::layout const many = io::repeat(3000, 1600, io::bytes(1500)), dense = io::bytes(3000 * 1500);
  std::vector<std::byte> memory(3000 * 1600);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i / 7);
  for (bool const in_memory : {true, false}) {
    io::layout const &view = in_memory ? dense : many, &form = in_memory ? many : dense;
    auto file = std::make_shared<memory_file>();
    memory_handle handle(file);
    io::detail::memory_side side(form, memory.data());
    io::access const wanted{io::access_kind::write, view, 0, view.size(), form};
    io::report done;
    io::detail::staging buffer;
    REQUIRE_FALSE(
        io::detail::carry_out(gathering{view.size()}, wanted, handle, side, {}, buffer, done));
    CHECK(file->lists == 1);
    bool is_right = true;
    for (std::size_t k = 0; k < 3000; ++k)
      is_right =
          is_right &&
          std::equal(
              memory.begin() + static_cast<std::ptrdiff_t>(k * (in_memory ? 1600 : 1500)),
              memory.begin() + static_cast<std::ptrdiff_t>(k * (in_memory ? 1600 : 1500) + 1500),
              file->bytes.begin() + static_cast<std::ptrdiff_t>(k * (in_memory ? 1500 : 1600)));
    CHECK(is_right);
  }
}

TEST_CASE("sieving merges dense windows and leaves sparse ones", "[sieving]") {
  io::layout const dense = io::repeat(1000, 16, io::bytes(8)),
                   sparse = io::repeat(1000, 1 << 16, io::bytes(8));
  io::layout const memory = io::bytes(8000);
  for (auto kind : {io::access_kind::read, io::access_kind::write}) {
    auto const all = [&](io::layout const& l, io::transfer_mode how) {
      io::plan const p = io::make_plan(io::sieving{}, {kind, l, 0, 8000, memory});
      return std::all_of(p.windows.begin(), p.windows.end(),
                         [=](io::extend::window const& w) { return w.how == how; });
    };
    CHECK(all(dense, io::transfer_mode::merged));
    CHECK(all(sparse, io::transfer_mode::pieces));
  }
  // Dense and sparse data in one access: each window is decided by its own holes.
  io::layout const mixed = io::concat(dense, io::at(16'000, sparse));
  io::plan const p =
      io::make_plan(io::sieving{}, {io::access_kind::write, mixed, 0, 16'000, io::bytes(16'000)});
  CHECK(p.windows.front().how == io::transfer_mode::merged);
  CHECK(p.windows.back().how == io::transfer_mode::pieces);
}

TEST_CASE("a piece is a window of its own, whatever its length", "[sieving]") {
  io::layout const view = io::repeat(3, 1 << 24, io::bytes(1 << 23)), memory = io::bytes(3 << 23);
  for (auto kind : {io::access_kind::read, io::access_kind::write}) {
    io::plan const p = io::make_plan(io::sieving{}, {kind, view, 100, (3 << 23) - 200, memory});
    REQUIRE(p.windows.size() == 3);
    CHECK(p.windows.front() == io::extend::window{100, (1 << 23) - 100, 0 + 100, (1 << 23) - 100, 1,
                                                  io::transfer_mode::whole});
    CHECK(p.file_calls() == 3);
    CHECK(p.buffer_bytes <= io::sieving{}.write_window_bytes);
  }
}

TEST_CASE("windows stay in a cache, or are as large as the program asks", "[sieving]") {
  io::layout const view = io::repeat(1 << 20, 16, io::bytes(8)), memory = io::bytes(8 << 20);
  auto const longest = [&](io::sieving const& s) {
    io::plan const p = io::make_plan(s, {io::access_kind::read, view, 0, 8 << 20, memory});
    std::int64_t most = 0;
    for (io::extend::window const& w : p.windows) most = std::max(most, w.length);
    CHECK(most <= p.buffer_bytes);
    return most;
  };
  CHECK(longest({}) == (256 << 10) - 8);
  CHECK(longest({.read_window_bytes = 1 << 12}) == (1 << 12) - 8);
  CHECK(longest({.read_window_bytes = 1 << 20}) == (1 << 20) - 8);
}

TEST_CASE("prices decide, and calls that write have their own", "[sieving]") {
  io::layout const view = io::repeat(1000, 1000, io::bytes(8)), memory = io::bytes(8000);
  auto const merges = [&](io::access_kind kind, io::extend::prices const& p) {
    return io::make_plan(io::sieving{.prices = p}, {kind, view, 0, 8000, memory})
               .windows.front()
               .how == io::transfer_mode::merged;
  };
  io::extend::prices const cheap_writes{.call_ns = 1000, .write_call_ns = 100, .byte_ns = 0.1};
  CHECK(merges(io::access_kind::read, cheap_writes));
  CHECK_FALSE(merges(io::access_kind::write, cheap_writes));
  io::extend::prices const dear_writes{.call_ns = 50, .write_call_ns = 1000, .byte_ns = 0.1};
  CHECK_FALSE(merges(io::access_kind::read, dear_writes));
  CHECK(merges(io::access_kind::write, dear_writes));
}

namespace {

// Records whether merged reads and writes lie in their page as they do in the file.
struct placing_handle : memory_handle {
  using memory_handle::memory_handle;
  using memory_handle::read;
  using memory_handle::write;
  io::extend::io_result read(std::int64_t offset, std::span<std::byte> into) {
    note(offset, into.data());
    return memory_handle::read(offset, into);
  }
  io::extend::io_result write(std::int64_t offset, std::span<std::byte const> from) {
    note(offset, from.data());
    return memory_handle::write(offset, from);
  }
  void note(std::int64_t offset, std::byte const* address) {
    all_alike =
        all_alike &&
        (reinterpret_cast<std::uintptr_t>(address) - static_cast<std::uintptr_t>(offset)) % 4096 ==
            0;
    ++calls;
  }
  bool all_alike = true;
  int calls = 0;
};

}  // namespace

TEST_CASE("a window lies in the buffer as in the pages of the file", "[carry_out]") {
  io::layout const view = io::at(4711, io::repeat(1000, 16, io::bytes(8)));
  std::vector<std::byte> memory(8000);
  io::layout const dense = io::bytes(8000);
  for (auto kind : {io::access_kind::read, io::access_kind::write}) {
    auto file = std::make_shared<memory_file>();
    file->bytes.resize(30'000);
    placing_handle handle(file);
    io::detail::memory_side side(dense, memory.data());
    io::report done;
    io::detail::staging buffer;
    io::extend::any_policy const policy = io::sieving{.read_window_bytes = 3000,
                                                      .write_window_bytes = 3000,
                                                      .reads = io::sieving_mode::always,
                                                      .writes = io::sieving_mode::always};
    REQUIRE_FALSE(io::detail::carry_out(policy, {kind, view, 0, 8000, dense}, handle, side, {},
                                        buffer, done));
    CHECK(handle.all_alike);
    CHECK(handle.calls >= 6);
  }
}

TEST_CASE("a hint forces either way", "[sieving]") {
  io::layout const dense = io::repeat(1000, 16, io::bytes(8)), memory = io::bytes(8000);
  io::access const wanted{io::access_kind::write, dense, 0, 8000, memory};
  CHECK(io::make_plan(io::sieving{.writes = io::sieving_mode::never}, wanted).file_calls() == 1000);
  CHECK(io::make_plan(io::sieving{.writes = io::sieving_mode::always}, wanted).file_calls() == 2);
}

TEST_CASE("a plan reads as a table", "[plan]") {
  io::layout const view = io::repeat(1000, 16, io::bytes(8)), memory = io::bytes(8000);
  std::string const text = to_string(io::make_plan(io::sieving{.read_window_bytes = 1024},
                                                   {io::access_kind::read, view, 0, 8000, memory}));
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring(
                       "sieving read: 8000 bytes in 16 windows, 16 file calls"));
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("merged"));
}
