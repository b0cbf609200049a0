// Memory of collective calls: bounded by the buffer, however large the request and however many its
// pieces.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/handle/detail/parts.hpp>
#include <argosy/policy/two_phase.hpp>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/files_on_worlds.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

// size of a rank's memory; the stream repeats it
constexpr std::int64_t block = 1 << 20;

// Pieces dealt to the ranks in turn, and the words that each rank writes.
struct dealt {
  std::int64_t piece;
  int ranks;
  static std::uint64_t word(int rank, std::int64_t position) {
    return static_cast<std::uint64_t>(rank + 1) * 0x9e3779b97f4a7c15u +
           static_cast<std::uint64_t>(position % block) * 8191;
  }
  // Returns the word at an offset of the file.
  std::uint64_t at(std::int64_t offset) const {
    std::int64_t const k = offset / piece;
    return word(static_cast<int>(k % ranks), k / ranks * piece + offset % piece);
  }
};

// Counts the written bytes of all handles that share it.
struct arrivals {
  std::atomic<std::int64_t> bytes{0}, wrong{0}, longest{0};
};

// A file that stores nothing, but checks every word that is written.
class looking_handle {
 public:
  looking_handle(dealt d, std::shared_ptr<arrivals> a) : dealt_(d), arrivals_(std::move(a)) {}
  io::extend::io_result read(std::int64_t, std::span<std::byte>) { return {}; }
  io::extend::io_result write(std::int64_t offset, std::span<std::byte const> from) {
    auto const n = static_cast<std::int64_t>(from.size());
    for (std::int64_t i = 0; i + 8 <= n; i += 8) {
      std::uint64_t word;
      std::memcpy(&word, from.data() + i, 8);
      if (word != dealt_.at(offset + i)) ++arrivals_->wrong;
    }
    if (offset % 8 != 0 || n % 8 != 0) ++arrivals_->wrong;
    arrivals_->bytes += n;
    arrivals_->longest = std::max<std::int64_t>(arrivals_->longest, n);
    return {n, {}};
  }
  io::extend::io_result read(std::span<io::read_part const>) { return {}; }
  io::extend::io_result write(std::span<io::write_part const> parts) {
    return io::detail::one_by_one(parts, [&](std::int64_t offset, std::span<std::byte const> from) {
      return write(offset, from);
    });
  }
  std::error_code lock(std::int64_t, std::int64_t, io::extend::lock_kind) { return {}; }
  std::error_code unlock(std::int64_t, std::int64_t) { return {}; }
  std::int64_t size(std::error_code&) { return 0; }
  std::error_code resize(std::int64_t) { return {}; }
  std::error_code preallocate(std::int64_t) { return {}; }
  std::error_code sync() { return {}; }
  std::error_code close() { return dealt_.ranks = 0, std::error_code(); }
  bool is_open() const { return dealt_.ranks != 0; }
  std::int64_t block_bytes() const { return 4096; }

 private:
  dealt dealt_;
  std::shared_ptr<arrivals> arrivals_;
};
static_assert(io::extend::handle<looking_handle>);

// Returns the peak of a rank's heap in one call that writes `total` bytes of all ranks.
std::size_t peak_of(nodes_world const& world, std::int64_t total, std::int64_t piece) {
  int const rank = world.rank(), size = world.size();
  auto const seen = std::make_shared<arrivals>();
  dealt const d{piece, size};
  io::opener const files([&](std::string const&, io::extend::open_flags,
                             std::error_code&) { return looking_handle(d, seen); },
                         [](std::string const&) { return std::error_code(); });
  auto f = io::basic_file<nodes_world>::open(world, "looked at", io::mode::create | io::mode::write,
                                             {}, files);
  f.set_view(rank * piece, {io::type<std::byte>, io::resized(io::bytes(piece), 0, piece * size)});
  std::vector<std::uint64_t> data(block / 8);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = dealt::word(rank, static_cast<std::int64_t>(i) * 8);
  io::const_buffer const again{reinterpret_cast<std::byte const*>(data.data()),
                               io::repeat(total / size / block, 0, io::bytes(block))};

  constexpr std::int64_t budget = 16 << 20;
  io::two_phase const policy{.buffer_bytes = budget};
  CHECK(2 * f.explain_at_all(io::access_kind::write, 0, again, policy).window_bytes <= budget);
  io::heap_peak const peak;
  io::report const r = f.write_at_all(0, again, policy);
  std::size_t const result = peak.bytes();
  f.close();
  CHECK(r.bytes == total / size);
  CHECK(r.rounds > 0);
  CHECK(seen->wrong == 0);
  CHECK(seen->longest <= budget / 2);
  io::detail::reducible_sum all{seen->bytes};
  world.all_reduce(all);
  CHECK(all.value == total);
  return result;
}

}  // namespace

TEST_CASE("neither a large request nor many pieces take more memory", "[two_phase][memory]") {
  io::mpi const ranks(MPI_COMM_WORLD);
  for (int const per_node : {ranks.size(), ranks.size() / 2}) {
    nodes_world const world(ranks, {per_node, false, true});
    std::int64_t const mib = 1 << 20;
    std::size_t const small = peak_of(world, 64 * mib, 4096);
    std::size_t const large = peak_of(world, 2048 * mib, 4096),
                      pieces = peak_of(world, 64 * mib, 8);
    CAPTURE(per_node, small, large, pieces);
    CHECK(small < 16 * mib);
    CHECK(large <= small + 64 * 1024);
    CHECK(pieces <= small + 64 * 1024);
  }
}
