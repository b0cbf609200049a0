// Implements shard.hpp: the writer of a shard.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/format/detail/block_shares.hpp>

#include "shard.hpp"

namespace argosy::detail {

namespace {

constexpr std::int64_t buffer_bytes = std::int64_t{1} << 20;

}  // namespace

shard_writer::shard_writer(zarr_store const& s, std::int64_t shard)
    : store_(s),
      path_(s.path_of(shard)),
      temporary_(temporary_path(path_, random_name())),
      index_(s.grid.chunks_in_shard()) {}

std::int64_t shard_writer::most_bytes(zarr_grid const& grid) {
  return std::min(buffer_bytes, grid.shard_bytes());
}

shard_writer::~shard_writer() {
  if (!made_) return;
  try {  // code of the program may throw
    close();
  } catch (...) {
  }
  try {
    store_.files.remove(temporary_);
  } catch (...) {
  }
}

// Makes the file, and directories that are missing.
std::error_code shard_writer::make() {
  open_flags const fresh{.read = true,
                         .write = true,
                         .create = true,
                         .exclusive = true,
                         .permissions = store_.permissions,
                         .early_writes = store_.early_writes};
  std::error_code error;
  file_ = store_.files(temporary_, fresh, error);
  if (classify(error) == errc::no_such_file) {
    std::string const directory = path_.substr(0, path_.rfind('/'));
    if (auto const why = store_.files.make_directory(directory)) return why;
    file_ = store_.files(temporary_, fresh, error);
  }
  if (error) return error;
  made_ = true;
  zarr_options const& how = store_.header.options;
  if (!how.shards.empty() && how.index_at_start)
    end_ = shard_index::bytes_of(store_.grid.chunks_in_shard(), how.index_checksum);
  return {};
}

std::error_code shard_writer::append(std::int64_t chunk, std::span<std::byte const> encoded) {
  if (!made_)
    if (auto const error = make()) return error;
  index_.set(chunk, {end_, std::ssize(encoded)});
  return write(encoded);
}

// Gathers small writes.
std::error_code shard_writer::write(std::span<std::byte const> bytes) {
  auto const most = static_cast<std::size_t>(most_bytes(store_.grid));
  if (buffer_.size() + bytes.size() > most)
    if (auto const error = flush()) return error;
  if (bytes.size() >= most) {
    if (auto const error = write_at(end_, bytes)) return error;
  } else {
    buffer_.reserve(most);
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  end_ += std::ssize(bytes);
  return {};
}

std::error_code shard_writer::flush() {
  if (buffer_.empty()) return {};
  std::error_code const error = write_at(end_ - std::ssize(buffer_), buffer_);
  buffer_.clear();
  return error;
}

std::error_code shard_writer::write_at(std::int64_t offset, std::span<std::byte const> bytes) {
  io_result const put = file_.write(offset, bytes);
  return !put.error && put.bytes < std::ssize(bytes) ? make_error_code(errc::io) : put.error;
}

std::error_code shard_writer::close() {
  return file_.is_open() ? file_.close() : std::error_code();
}

std::error_code shard_writer::finish() {
  if (!made_) {
    std::error_code const error = store_.files.remove(path_);
    return classify(error) == errc::no_such_file ? std::error_code() : error;
  }
  zarr_options const& how = store_.header.options;
  if (!how.shards.empty() && !how.index_at_start)
    if (auto const error = write(index_.bytes(how.index_checksum))) return error;
  if (auto const error = flush()) return error;
  if (!how.shards.empty() && how.index_at_start)
    if (auto const error = write_at(0, index_.bytes(how.index_checksum))) return error;
  // After a crash of the machine the name must not lead to a file without its bytes.
  if (!store_.how.fresh)
    if (auto const error = file_.sync()) return error;
  if (auto const error = close()) return error;
  if (auto const error = store_.files.rename(temporary_, path_)) return error;
  made_ = false;
  return {};
}

}  // namespace argosy::detail
