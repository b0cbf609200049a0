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

#include "shard.hpp"

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

io_result zarr_handle::read(std::span<read_part const> parts) {
  zarr_grid const& grid = store_->grid;
  shard_reader from(*store_);
  std::int64_t opened = -1;
  io_result done;
  for (read_part const& p : parts) {
    std::int64_t at = p.offset;
    for (std::span<std::byte> left = p.memory; !left.empty();) {
      if (at >= grid.bytes()) return done;  // the end of the file
      std::int64_t const shard = at / grid.shard_bytes(), in_shard = at % grid.shard_bytes();
      std::int64_t const within = in_shard % grid.chunk_bytes();
      auto const n = static_cast<std::size_t>(
          std::min(std::ssize(left), static_cast<std::ptrdiff_t>(grid.chunk_bytes() - within)));
      if (shard != opened) {
        done.error = from.open(shard);
        if (done.error) return done;
        opened = shard;
      }
      done.error = from.read(in_shard / grid.chunk_bytes(), within, left.first(n));
      if (done.error) return done;
      done.bytes += static_cast<std::int64_t>(n);
      at += static_cast<std::int64_t>(n);
      left = left.subspan(n);
    }
  }
  return done;
}

// Gathers the pieces of each shard, because a shard is written as a whole.
io_result zarr_handle::write(std::span<write_part const> parts) {
  zarr_grid const& grid = store_->grid;
  io_result done;
  std::int64_t shard = -1, bytes = 0;
  std::vector<piece> pieces;
  auto const flush = [&] {
    if (pieces.empty()) return true;
    done.error = change(shard, pieces);
    if (done.error) return false;
    done.bytes += std::exchange(bytes, 0);
    pieces.clear();
    return true;
  };
  for (write_part const& p : parts) {
    std::int64_t at = p.offset;
    for (std::span<std::byte const> left = p.memory; !left.empty();) {
      if (at >= grid.bytes()) {
        if (flush()) done.error = errc::file_too_large;
        return done;
      }
      if (at / grid.shard_bytes() != shard) {
        if (!flush()) return done;
        shard = at / grid.shard_bytes();
      }
      std::int64_t const in_shard = at % grid.shard_bytes();
      auto const n = static_cast<std::size_t>(
          std::min(std::ssize(left), static_cast<std::ptrdiff_t>(grid.shard_bytes() - in_shard)));
      pieces.push_back({in_shard, left.first(n)});
      bytes += static_cast<std::int64_t>(n);
      at += static_cast<std::int64_t>(n);
      left = left.subspan(n);
    }
  }
  flush();
  return done;
}

// Changes a shard while no other handle does. Without locks, only whole shards can be written.
std::error_code zarr_handle::change(std::int64_t shard, std::vector<piece>& pieces) {
  // Views are in order, but a program may give its parts in any order.
  if (!std::ranges::is_sorted(pieces, {}, &piece::offset))
    std::ranges::sort(pieces, {}, &piece::offset);
  std::int64_t whole = 0;
  for (piece const& p : pieces)
    if (p.offset == whole) whole = p.end();
  shard_lock held(metadata_);
  std::error_code const locked = held.take(shard);
  bool const none = classify(locked) == errc::no_locks && whole == store_->grid.shard_bytes();
  if (locked && !none) return locked;
  {
    std::lock_guard const guard(written_->mutex);
    written_->shards.insert(shard);
  }
  std::error_code const error = rewrite(shard, pieces);
  std::error_code const released = held.release();
  return error ? error : released;
}

namespace {

// The pieces of one chunk, put together.
template <class Piece>
class chunk_maker {
 public:
  chunk_maker(zarr_store const& store, std::span<Piece const> pieces)
      : store_(store), left_(pieces) {}

  // Moves to a chunk, and returns true if some piece lies in it. Chunks must come in order.
  bool touches(std::int64_t chunk) {
    begin_ = chunk * store_.grid.chunk_bytes();
    end_ = begin_ + store_.grid.chunk_bytes();
    while (!left_.empty() && left_.front().end() <= begin_) left_ = left_.subspan(1);
    return !left_.empty() && left_.front().offset < end_;
  }
  // Returns the chunk if one piece has all of it; otherwise no bytes.
  std::span<std::byte const> whole() const {
    Piece const& p = left_.front();
    if (p.offset > begin_ || p.end() < end_) return {};
    return p.memory.subspan(static_cast<std::size_t>(begin_ - p.offset),
                            static_cast<std::size_t>(end_ - begin_));
  }
  // Returns true if the pieces have all bytes of the chunk, without overlap.
  bool covered() const {
    std::int64_t at = begin_;
    for (Piece const& p : left_) {
      if (p.offset >= end_) break;
      if (at < end_ && std::max(p.offset, begin_) != at) return false;
      at = std::max(at, p.end());
    }
    return at >= end_;
  }
  void copy_into(std::span<std::byte> chunk) const {
    for (Piece const& p : left_) {
      if (p.offset >= end_) break;
      std::int64_t const from = std::max(p.offset, begin_), to = std::min(p.end(), end_);
      if (from < to)
        std::memcpy(chunk.data() + (from - begin_), p.memory.data() + (from - p.offset),
                    static_cast<std::size_t>(to - from));
    }
  }

 private:
  zarr_store const& store_;
  std::span<Piece const> left_;
  std::int64_t begin_ = 0, end_ = 0;
};

}  // namespace

std::error_code zarr_handle::rewrite(std::int64_t shard, std::span<piece const> pieces) {
  zarr_grid const& grid = store_->grid;
  shard_reader old(*store_);
  chunk_maker<piece> looked(*store_, pieces), made(*store_, pieces);
  bool all = true;
  for (std::int64_t c = 0; all && c < grid.chunks_in_shard(); ++c)
    all = looked.touches(c) && looked.covered();
  if (!all)
    if (auto const error = old.open(shard)) return error;
  shard_writer out(*store_, shard);
  std::vector<std::byte> room;
  std::optional<std::vector<std::byte>> kept;
  codec_space space;
  for (std::int64_t c = 0; c < grid.chunks_in_shard(); ++c) {
    if (!made.touches(c)) {
      if (auto const error = old.encoded(c, kept)) return error;
      if (!kept) continue;
      if (auto const error = out.append(c, *kept)) return error;
      continue;
    }
    std::span<std::byte const> chunk = made.whole();
    if (chunk.empty()) {
      room.resize(static_cast<std::size_t>(grid.chunk_bytes()));
      if (!made.covered())
        if (auto const error = old.read(c, 0, room)) return error;
      made.copy_into(room);
      chunk = room;
    }
    if (!store_->how.empty_chunks && store_->is_empty(chunk)) continue;
    if (auto const error = out.append(c, store_->codec.encode(chunk, space))) return error;
  }
  return out.finish();
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
  // A write of any bytes encodes a shard, and a read decodes a chunk.
  constexpr double encoded_byte_ns = 3;
  argosy::extend::storage s = metadata_.storage();
  s.name = "a Zarr array on " + s.name;
  s.prices.call_ns += static_cast<double>(store_->grid.chunk_bytes()) * encoded_byte_ns;
  s.prices.write_call_ns += static_cast<double>(store_->grid.shard_bytes()) * encoded_byte_ns;
  s.stripe_bytes = store_->grid.shard_bytes();
  s.stripe_count = std::max<std::int64_t>(1, s.stripe_count);
  return s;
}

static_assert(handle<zarr_handle>);

}  // namespace argosy::detail
