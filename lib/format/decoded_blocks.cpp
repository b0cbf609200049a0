// Implements decoded_blocks.hpp, and the handle of format/detail/encoded_blocks.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "decoded_blocks.hpp"

#include <algorithm>
#include <utility>

#include <argosy/format/detail/checksums.hpp>
#include <argosy/handle/forwarding.hpp>

#include "zarr/chunk_crew.hpp"
#include "zarr/crc32c.hpp"

namespace argosy::detail {

namespace {

// The decoded bytes that each thread gets at a time.
constexpr std::int64_t bytes_of_turn = std::int64_t{4} << 20;

// Reads all bytes. Returns errc::truncated if the file ends before.
std::error_code read_whole(any_handle& file, std::int64_t offset, std::span<std::byte> into) {
  while (!into.empty()) {
    io_result const r = file.read(offset, into);
    if (r.error) return r.error;
    if (r.bytes == 0) return errc::truncated;
    offset += r.bytes;
    into = into.subspan(static_cast<std::size_t>(r.bytes));
  }
  return {};
}

}  // namespace

// A block, and the bytes of it that a call asks for.
struct decoded_blocks::wanted {
  std::int64_t block = 0, from = 0;
  std::span<std::byte> into;
  table_entry at;
  std::vector<std::byte> encoded, whole;  // whole: if not all bytes are asked for
  std::size_t bytes = 0;                  // the size of the decoded block
  codec_space space;
  std::string fault;

  bool is_whole() const noexcept { return into.size() == bytes; }
};

failure decoded_blocks::begin(checkpoint_header h, int threads) {
  if (failure f = fault_of_codecs(h)) return f;
  header_ = std::move(h);
  codec_ = codec_of_blocks(header_, 1);
  threads_ = threads;
  begun_ = true;
  return {};
}

std::int64_t decoded_blocks::size() const noexcept {
  return header_.arrays.empty() ? 0 : header_.arrays.back().offset + header_.arrays.back().bytes();
}

std::string decoded_blocks::reason() const {
  std::lock_guard const guard(mutex_);
  return reason_;
}

io_result decoded_blocks::read(any_handle& file, std::int64_t offset, std::span<std::byte> memory) {
  io_result done;
  auto const first = header_.arrays.begin(), end = header_.arrays.end();
  std::int64_t const turn =
      std::max<std::int64_t>(1, bytes_of_turn * threads_ / header_.block_bytes);
  while (!memory.empty()) {
    auto const next = std::ranges::upper_bound(first, end, offset, {}, &checkpoint_array::offset);
    std::int64_t stop = next == end ? offset : next->offset;
    bool const inside = next != first && offset < (next - 1)->offset + (next - 1)->bytes();
    if (inside) {
      std::int64_t const block = (offset - (next - 1)->offset) / header_.block_bytes;
      stop = std::min((next - 1)->offset + (next - 1)->bytes(),
                      (next - 1)->offset + (block + turn) * header_.block_bytes);
    }
    auto const n = static_cast<std::size_t>(std::min(std::ssize(memory), stop - offset));
    if (n == 0) break;  // the end
    if (inside)
      done.error = read_blocks(file, *(next - 1), offset - (next - 1)->offset, memory.first(n));
    else
      std::ranges::fill(memory.first(n), std::byte{0});
    if (done.error) break;
    done.bytes += static_cast<std::int64_t>(n);
    offset += static_cast<std::int64_t>(n);
    memory = memory.subspan(n);
  }
  return done;
}

std::error_code decoded_blocks::read_table(any_handle& file, checkpoint_array const& a,
                                           std::int64_t first, std::vector<table_entry>& into) {
  std::vector<std::byte> bytes(into.size() * static_cast<std::size_t>(table_entry_bytes));
  if (auto const error = read_whole(file, a.sums + first * table_entry_bytes, bytes)) return error;
  std::byte const* at = bytes.data();
  for (table_entry& e : into) {
    e = {static_cast<std::int64_t>(little<std::uint64_t>(at)), little<std::uint32_t>(at + 8),
         little<std::uint32_t>(at + 12)};
    at += table_entry_bytes;
  }
  return {};
}

// Reads the encoded block, if the table does not lie about it.
std::error_code decoded_blocks::fetch(any_handle& file, wanted& one) const {
  if (one.at.bytes > codec_.most_encoded_bytes())
    one.fault = "its table says that it has " + std::to_string(one.at.bytes) +
                " encoded bytes, which is more than any block has";
  else if (one.at.place < 0 || one.at.place > header_.file_bytes - one.at.bytes)
    one.fault = "its table says that it lies behind the end of the file";
  if (!one.fault.empty()) return {};
  one.encoded.resize(static_cast<std::size_t>(one.at.bytes));
  std::error_code const error = read_whole(file, one.at.place, one.encoded);
  if (error != errc::truncated) return error;
  one.fault = "the file ends inside of it";
  return {};
}

void decoded_blocks::decode(wanted& one) const {
  if (!one.fault.empty()) return;
  if (!one.is_whole()) one.whole.resize(one.bytes);
  std::span const into = one.is_whole() ? one.into : std::span(one.whole);
  if (codec_.decode(one.encoded, into, one.space, one.fault) && checksum_of(into) != one.at.sum)
    one.fault = "its checksum differs";
}

// Keeps the last block, if it was read in part, because the next call may read the rest.
void decoded_blocks::keep(checkpoint_array const& a, wanted& last) {
  if (last.whole.empty()) return;
  std::lock_guard const guard(mutex_);
  kept_at_ = a.offset + last.block * header_.block_bytes;
  kept_ = std::move(last.whole);
}

std::error_code decoded_blocks::read_blocks(any_handle& file, checkpoint_array const& a,
                                            std::int64_t begin, std::span<std::byte> memory) {
  std::int64_t const size = header_.block_bytes, first = begin / size,
                     end = (begin + std::ssize(memory) - 1) / size + 1;
  {
    std::lock_guard const guard(mutex_);
    if (kept_at_ == a.offset + first * size && end == first + 1) {
      std::ranges::copy(
          std::span(kept_).subspan(static_cast<std::size_t>(begin - first * size), memory.size()),
          memory.begin());
      return {};
    }
  }
  auto const count = static_cast<std::size_t>(end - first);
  std::vector<table_entry> table(count);
  if (auto const error = read_table(file, a, first, table)) return error;
  std::vector<wanted> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    wanted& one = all[i];
    one.block = first + static_cast<std::int64_t>(i);
    one.at = table[i];
    one.bytes = static_cast<std::size_t>(bytes_of_block(header_, a, one.block));
    one.from = std::max<std::int64_t>(0, begin - one.block * size);
    auto const n = std::min(memory.size(), one.bytes - static_cast<std::size_t>(one.from));
    one.into = memory.first(n);
    memory = memory.subspan(n);
    if (auto const error = fetch(file, one)) return error;
  }
  for_each_at_once(count, threads_for_blocks(header_, count, threads_),
                   [&](std::size_t i) { decode(all[i]); });
  for (wanted const& one : all) {
    if (!one.fault.empty()) {
      std::lock_guard const guard(mutex_);
      reason_ =
          "block " + std::to_string(one.block) + " of '" + a.name + "' is damaged: " + one.fault;
      return errc::damaged;
    }
    if (!one.is_whole())
      std::ranges::copy(
          std::span(one.whole).subspan(static_cast<std::size_t>(one.from), one.into.size()),
          one.into.begin());
  }
  keep(a, all.back());
  return {};
}

namespace {

// A file, or the decoded blocks in it.
class decoding_handle : public forwarding<decoding_handle, any_handle> {
 public:
  decoding_handle(any_handle file, std::shared_ptr<decoded_blocks> blocks)
      : forwarding(std::move(file)), blocks_(std::move(blocks)) {}

  io_result read(std::int64_t offset, std::span<std::byte> memory) {
    return blocks_->has_begun() ? blocks_->read(inner(), offset, memory)
                                : inner().read(offset, memory);
  }
  io_result read(std::span<read_part const> parts) {
    if (!blocks_->has_begun()) return inner().read(parts);
    io_result all;
    for (read_part const& p : parts) {
      io_result const one = blocks_->read(inner(), p.offset, p.memory);
      all.bytes += one.bytes;
      all.error = one.error;
      if (one.error || one.bytes < std::ssize(p.memory)) break;
    }
    return all;
  }
  std::int64_t size(std::error_code& error) {
    std::int64_t const stored = inner().size(error);
    return blocks_->has_begun() && !error ? blocks_->size() : stored;
  }

 private:
  std::shared_ptr<decoded_blocks> blocks_;
};

}  // namespace

std::shared_ptr<decoded_blocks> new_decoded_blocks() { return std::make_shared<decoded_blocks>(); }

opener decoding_opener(opener files, std::shared_ptr<decoded_blocks> of) {
  opener const usual = std::move(files);
  return usual.opening([usual, of = std::move(of)](std::string const& path, open_flags flags,
                                                   std::error_code& error) {
    any_handle file = usual(path, flags, error);
    return error ? std::move(file) : any_handle(decoding_handle(std::move(file), of));
  });
}

failure decode_from_now_on(decoded_blocks& of, checkpoint_header const& h, int threads) {
  return of.begin(h, threads);
}

std::string reason_in(decoded_blocks const& of) { return of.reason(); }

}  // namespace argosy::detail
