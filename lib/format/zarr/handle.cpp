// Implements handle.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "handle.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include <argosy/exchange/detail/presence.hpp>
#include <argosy/handle/detail/give_back.hpp>
#include <argosy/handle/detail/parts.hpp>

namespace argosy::detail {

namespace {

// The bytes from here on stand for shards. Data and other locks do not reach them.
constexpr std::int64_t first_lock = std::int64_t{1} << 62;
static_assert(first_lock < first_reserved);

// A lock on a shard, until the end of the scope.
class shard_lock {
 public:
  explicit shard_lock(any_handle& h) : handle_(h) {}
  shard_lock(shard_lock const&) = delete;
  shard_lock& operator=(shard_lock const&) = delete;
  ~shard_lock() {
    try {
      release();
    } catch (...) {  // code of the program: the first error is reported
    }
  }
  // Waits several times as long as the handle does, because encoding a shard may take long.
  std::error_code take(std::int64_t shard) {
    constexpr int most_turns = 20;
    std::error_code error;
    for (int turn = 0; turn < most_turns; ++turn) {
      error = handle_.lock(first_lock + shard, 1, lock_kind::exclusive);
      if (classify(error) != errc::file_in_use) break;
    }
    if (!error) at_ = first_lock + shard;
    return error;
  }
  std::error_code release() {
    std::int64_t const at = std::exchange(at_, -1);
    return at < 0 ? std::error_code() : give_back(handle_, at, 1);
  }

 private:
  any_handle& handle_;
  std::int64_t at_ = -1;
};

}  // namespace

io_result zarr_handle::read(std::int64_t offset, std::span<std::byte> memory) {
  read_part const one{offset, memory};
  return read({&one, 1});
}

io_result zarr_handle::write(std::int64_t offset, std::span<std::byte const> memory) {
  write_part const one{offset, memory};
  return write({&one, 1});
}

// Whole chunks are read first, and then decoded together.
io_result zarr_handle::read(std::span<read_part const> parts) {
  zarr_grid const& grid = store_->grid;
  shard_reader from(*store_);
  decoding_batch batch(*store_);
  std::int64_t opened = -1;
  io_result done;
  auto const decode = [&] { return batch.decode(done.bytes); };
  // Reads bytes of one chunk, or adds them to the batch.
  auto const take = [&](std::int64_t chunk, std::int64_t within, std::span<std::byte> into) {
    bool const whole = std::ssize(into) == grid.chunk_bytes();
    if (!whole || !from.has_to_decode(chunk)) return from.read(chunk, within, into);
    std::error_code const error = from.encoded(chunk, batch.add(opened, chunk, into, done.bytes));
    if (error) batch.drop();
    return error || !batch.is_full() ? error : decode();
  };
  for (read_part const& p : parts) {
    std::int64_t at = p.offset;
    for (std::span<std::byte> left = p.memory; !left.empty() && at < grid.bytes();) {
      std::int64_t const shard = at / grid.shard_bytes(), in_shard = at % grid.shard_bytes();
      std::int64_t const within = in_shard % grid.chunk_bytes();
      auto const n = static_cast<std::size_t>(
          std::min(std::ssize(left), static_cast<std::ptrdiff_t>(grid.chunk_bytes() - within)));
      if (shard != opened) {
        opened = shard;
        done.error = from.open(shard);
      }
      if (!done.error) done.error = take(in_shard / grid.chunk_bytes(), within, left.first(n));
      if (done.error) {
        std::error_code const damaged = decode();  // a chunk before is the first error
        if (damaged) done.error = damaged;
        return done;
      }
      done.bytes += static_cast<std::int64_t>(n);
      at += static_cast<std::int64_t>(n);
      left = left.subspan(n);
    }
    if (at >= grid.bytes()) break;  // the end of the file
  }
  done.error = decode();
  return done;
}

// The changes of shards in one write. If each chunk is a file, the chunks of several files are
// encoded together.
class zarr_handle::changes {
 public:
  explicit changes(zarr_handle& h)
      : handle_(h),
        batch_(*h.store_),
        most_(h.store_->grid.chunks_in_shard() == 1 ? chunks_at_once(*h.store_) : 1) {}

  // Adds a piece. Pieces of one shard must come one behind the other.
  bool add(std::int64_t shard, piece const& p) {
    if (all_.empty() || all_.back().shard != shard) {
      if (all_.size() == most_ && !flush()) return false;
      all_.emplace_back().shard = shard;
    }
    all_.back().pieces.push_back(p);
    all_.back().bytes += std::ssize(p.memory);
    return true;
  }
  // Writes all. Returns false after an error, which is then in result().
  bool flush() {
    if (most_ > 1) encode();
    for (shard_change& one : all_) {
      done_.error = handle_.change(one);
      if (done_.error) return false;
      done_.bytes += one.bytes;
    }
    all_.clear();
    batch_.clear();
    return true;
  }
  io_result& result() noexcept { return done_; }

 private:
  void encode() {
    std::int64_t const whole = handle_.store_->grid.shard_bytes();
    for (shard_change& one : all_) {
      if (one.pieces.size() != 1 || one.bytes != whole) continue;
      chunk_to_encode& chunk = batch_.add(0);
      chunk.decoded = one.pieces.front().memory;
      one.ready = &chunk;
    }
    batch_.encode();
  }

  zarr_handle& handle_;
  encoding_batch batch_;
  std::size_t most_;
  std::vector<shard_change> all_;
  io_result done_;
};

// Gathers the pieces of each shard, because a shard is written as a whole.
io_result zarr_handle::write(std::span<write_part const> parts) {
  zarr_grid const& grid = store_->grid;
  changes all(*this);
  for (write_part const& p : parts) {
    std::int64_t at = p.offset;
    for (std::span<std::byte const> left = p.memory; !left.empty();) {
      if (at >= grid.bytes()) {
        if (all.flush()) all.result().error = errc::file_too_large;
        return all.result();
      }
      std::int64_t const in_shard = at % grid.shard_bytes();
      auto const n = static_cast<std::size_t>(
          std::min(std::ssize(left), static_cast<std::ptrdiff_t>(grid.shard_bytes() - in_shard)));
      if (!all.add(at / grid.shard_bytes(), {in_shard, left.first(n)})) return all.result();
      at += static_cast<std::int64_t>(n);
      left = left.subspan(n);
    }
  }
  all.flush();
  return all.result();
}

// Changes a shard while no other handle does. Without locks, only whole shards can be written.
std::error_code zarr_handle::change(shard_change& all) {
  // Views are in order, but a program may give its parts in any order.
  if (!std::ranges::is_sorted(all.pieces, {}, &piece::offset))
    std::ranges::sort(all.pieces, {}, &piece::offset);
  std::int64_t whole = 0;
  for (piece const& p : all.pieces)
    if (p.offset == whole) whole = p.end();
  shard_lock held(metadata_);
  std::error_code const locked = held.take(all.shard);
  bool const none = classify(locked) == errc::no_locks && whole == store_->grid.shard_bytes();
  if (locked && !none) return locked;
  {
    std::lock_guard const guard(written_->mutex);
    written_->shards.insert(all.shard);
  }
  std::error_code const error = rewrite(all);
  std::error_code const released = held.release();
  return error ? error : released;
}

// Syncs a file that may have been removed since.
std::error_code zarr_handle::sync_shard(std::string const& path) const {
  std::error_code error;
  any_handle f = store_->files(path, {.read = true, .write = true, .may_be_missing = true}, error);
  if (error) return classify(error) == errc::no_such_file ? std::error_code() : error;
  error = f.sync();
  std::error_code const closed = f.close();
  return error ? error : closed;
}

// Syncs the directories of files, up to that of the array.
std::error_code zarr_handle::settle(std::set<std::string> const& paths) const {
  std::set<std::string> done;
  for (std::string path : paths)
    while (path.size() > store_->path.size()) {
      std::string directory = path.substr(0, path.rfind('/'));
      if (!done.insert(directory).second) break;
      std::error_code const error = store_->files.settle(path);
      errc const kind = classify(error);
      // If shards of the fill value were removed, directories may be missing.
      if (error && kind != errc::unsupported && kind != errc::no_such_file) return error;
      path = std::move(directory);
    }
  return {};
}

std::error_code zarr_handle::sync() {
  std::set<std::int64_t> shards;
  {
    std::lock_guard const guard(written_->mutex);
    shards = written_->shards;
  }
  std::set<std::string> paths;
  for (std::int64_t const shard : shards) {
    std::string const path = store_->path_of(shard);
    if (store_->how.fresh)
      if (auto const error = sync_shard(path)) return error;
    paths.insert(path);
  }
  if (auto const error = settle(paths)) return error;
  {
    std::lock_guard const guard(written_->mutex);
    for (std::int64_t const shard : shards) written_->shards.erase(shard);
  }
  return metadata_.sync();
}

argosy::extend::storage zarr_handle::storage() const {
  argosy::extend::storage s = metadata_.storage();
  double const in_file_ns = s.prices.byte_ns, threads = std::max(1, store_->how.threads);
  codec_prices const byte = prices_of(store_->header);
  s.name = "a Zarr array on " + s.name;
  // A write of any bytes encodes a shard, and a read decodes a chunk; chunks are divided among the
  // threads. The other calls open a file, look for the chunk, and give a new file its name.
  constexpr double reads = 3, writes = 5;
  s.prices.call_ns = reads * s.prices.call_ns +
                     static_cast<double>(store_->grid.chunk_bytes()) * byte.decode_ns / threads;
  s.prices.write_call_ns =
      s.prices.lock_ns + writes * s.prices.write_call_ns +
      static_cast<double>(store_->grid.shard_bytes()) * byte.encode_ns / threads;
  // Ranks do not wait for each other while they encode or decode, nor for the lock of one file.
  auto const part_in_file = [&](double codec_ns) {
    return in_file_ns / (in_file_ns + codec_ns / threads);
  };
  s.exchange.crowd =
      1 + (s.exchange.crowd - 1) * part_in_file(std::min(byte.encode_ns, byte.decode_ns));
  s.exchange.write = 1 + (s.exchange.write - 1) * part_in_file(byte.encode_ns);
  s.exchange.crowd_call_ns = 0;
  s.stripe_bytes = store_->grid.shard_bytes();
  s.stripe_count = std::max<std::int64_t>(1, s.stripe_count);
  return s;
}

static_assert(handle<zarr_handle>);

}  // namespace argosy::detail
