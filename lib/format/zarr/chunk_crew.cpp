// Implements chunk_crew.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "chunk_crew.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace argosy::detail {

namespace {

// Fewer bytes are encoded faster than a thread starts.
constexpr std::int64_t least_thread_bytes = 256 << 10;
// The bytes of small chunks that each thread gets at a time.
constexpr std::int64_t bytes_of_turn = 4 << 20;

using steady = std::chrono::steady_clock;

double seconds_between(steady::time_point from, steady::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

std::int64_t batch_chunks(zarr_grid const& grid, int threads) {
  if (threads <= 1) return 1;
  std::int64_t const enough = bytes_of_turn * threads / grid.chunk_bytes(),
                     most = std::clamp<std::int64_t>(enough, 2 * threads, 4096);
  // Chunks without shards are gathered from several files.
  return grid.chunks_in_shard() == 1 ? most : std::min(most, grid.chunks_in_shard());
}

// Runs `work` for each chunk, and adds its time to the counts. `work` returns the decoded and the
// stored bytes.
template <class Work>
void timed(zarr_store const& s, zarr_counts::kind kind, std::size_t count, Work&& work) {
  std::atomic<std::int64_t> chunks = 0, bytes = 0, stored = 0;
  std::atomic<double> busy = 0;
  steady::time_point const begun = steady::now();
  bool const large = static_cast<std::int64_t>(count) * s.grid.chunk_bytes() >= least_thread_bytes;
  for_each_at_once(count, large ? s.how.threads : 1, [&](std::size_t i) {
    steady::time_point const from = steady::now();
    std::pair<std::int64_t, std::int64_t> const done = work(i);
    if (done.second == 0) return;
    ++chunks;
    bytes += done.first;
    stored += done.second;
    busy += seconds_between(from, steady::now());
  });
  s.counts->add(kind, {chunks, bytes, stored, seconds_between(begun, steady::now()), busy});
}

}  // namespace

void for_each_at_once(std::size_t count, int threads,
                      std::function<void(std::size_t)> const& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr thrown;
  auto const run = [&]() noexcept {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      std::lock_guard const guard(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < std::min(count, static_cast<std::size_t>(std::max(threads, 1))))
        others.emplace_back(run);
    } catch (std::exception const&) {  // the threads that exist do the work
    }
    run();
  }
  if (thrown) std::rethrow_exception(thrown);
}

std::size_t chunks_at_once(zarr_store const& s) {
  return static_cast<std::size_t>(batch_chunks(s.grid, s.how.threads));
}

std::int64_t batch_bytes(zarr_grid const& grid, chunk_codec const& codec, int threads) {
  return batch_chunks(grid, threads) * (grid.chunk_bytes() + codec.most_space_bytes());
}

encoding_batch::encoding_batch(zarr_store const& s) : store_(s), most_(chunks_at_once(s)) {}

chunk_to_encode& encoding_batch::add(std::int64_t chunk) {
  if (used_ == all_.size()) all_.emplace_back();
  chunk_to_encode& one = all_[used_++];
  one.chunk = chunk;
  one.decoded = {};
  one.encoded = {};
  one.kept.reset();
  one.left_out = false;
  return one;
}

void encoding_batch::encode() {
  timed(store_, zarr_counts::encoding, used_, [&](std::size_t i) {
    chunk_to_encode& one = all_[i];
    std::pair<std::int64_t, std::int64_t> done{0, 0};
    if (one.kept) {
      one.encoded = *one.kept;
      return done;
    }
    one.left_out = !store_.how.empty_chunks && store_.is_empty(one.decoded);
    if (one.left_out) return done;
    one.encoded = store_.codec.encode(one.decoded, one.space);
    return std::pair<std::int64_t, std::int64_t>{std::ssize(one.decoded), std::ssize(one.encoded)};
  });
}

decoding_batch::decoding_batch(zarr_store const& s) : store_(s), most_(chunks_at_once(s)) {}

std::optional<std::vector<std::byte>>& decoding_batch::add(std::int64_t shard, std::int64_t chunk,
                                                           std::span<std::byte> into,
                                                           std::int64_t before) {
  if (used_ == all_.size()) all_.emplace_back();
  waiting& one = all_[used_++];
  one.shard = shard;
  one.chunk = chunk;
  one.before = before;
  one.into = into;
  return one.encoded;
}

std::error_code decoding_batch::decode(std::int64_t& before) {
  std::size_t const count = std::exchange(used_, 0);
  if (count == 0) return {};
  timed(store_, zarr_counts::decoding, count, [&](std::size_t i) {
    waiting& one = all_[i];
    one.well = store_.codec.decode(*one.encoded, one.into, one.space, one.why);
    return std::pair<std::int64_t, std::int64_t>{std::ssize(one.into), std::ssize(*one.encoded)};
  });
  for (std::size_t i = 0; i < count; ++i)
    if (waiting const& one = all_[i]; !one.well) {
      before = one.before;
      return damaged_shard(store_, one.shard,
                           "chunk " + std::to_string(one.chunk) + ": " + one.why);
    }
  return {};
}

}  // namespace argosy::detail
