// Implements format/detail/hdf5/hdf5_chunks.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/detail/hdf5/hdf5_chunks.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <argosy/layout/copy.hpp>
#include <argosy/layout/cursor.hpp>

#include "../piece_parcel.hpp"
#include "../zarr/chunk_crew.hpp"
#include "bytes.hpp"
#include "filters.hpp"
#include "messages.hpp"

namespace argosy::detail {

using namespace hdf5;

namespace {

// The bytes of decoded chunks that a rank has at a time, for each of its threads and in all, unless
// a chunk is larger. They should stay in a cache until they are encoded.
constexpr std::int64_t round_bytes = std::int64_t{2} << 20,
                       most_round_bytes = std::int64_t{16} << 20;

// A thread encodes so many bytes at least, because beginning it takes time.
constexpr std::size_t least_of_thread = std::size_t{1} << 20;

// Some bytes of an element: where the file and the program have them.
struct element_piece {
  std::int64_t file, program, bytes, swapped;  // swapped: bytes of a number to reverse, or 0
};

// Lists the pieces of one element. Returns false if the program has another type.
bool match(dtype const& file, dtype const& mine, std::int64_t from, std::int64_t to,
           std::vector<element_piece>& into) {
  if (file.kind != mine.kind) return false;
  if (file.kind != 'r') {
    if (file.bytes != mine.bytes) return false;
    bool const swapped = mine.order != '|' && file.order != mine.order;
    into.push_back(
        {from, to, file.bytes, swapped ? file.kind == 'c' ? file.bytes / 2 : file.bytes : 0});
    return true;
  }
  for (dtype_field const& f : mine.fields) {
    auto const found = std::ranges::find(file.fields, f.name, &dtype_field::name);
    if (found == file.fields.end() || found->shape != f.shape) return false;
    std::int64_t copies = 1;
    for (std::int64_t const n : f.shape) copies *= n;
    for (std::int64_t i = 0; i < copies; ++i)
      if (!match(found->type, f.type, from + found->offset + i * found->type.bytes,
                 to + f.offset + i * f.type.bytes, into))
        return false;
  }
  return true;
}

// Makes chunks of the program of chunks of the file.
class converter {
 public:
  converter(dtype const& file, dtype const& mine)
      : file_bytes_(file.bytes), program_bytes_(mine.bytes) {
    if (!match(file, mine, 0, 0, pieces_))
      throw unreadable{{errc::datatype, "the file has elements of " + to_string(file) +
                                            ", the program of " + to_string(mine)}};
    plain_ = pieces_.size() == 1 && pieces_[0].swapped == 0 && file_bytes_ == program_bytes_;
  }
  bool is_plain() const noexcept { return plain_; }
  void convert(std::span<std::byte const> from, std::span<std::byte> to) const {
    if (plain_) return static_cast<void>(std::ranges::copy(from, to.begin()));
    std::byte const* in = from.data();
    for (std::byte* out = to.data(); out != to.data() + to.size(); out += program_bytes_) {
      for (element_piece const& p : pieces_) {
        std::memcpy(out + p.program, in + p.file, static_cast<std::size_t>(p.bytes));
        if (p.swapped == 0) continue;
        for (std::int64_t i = 0; i < p.bytes; i += p.swapped)
          std::reverse(out + p.program + i, out + p.program + i + p.swapped);
      }
      in += file_bytes_;
    }
  }

 private:
  std::int64_t file_bytes_, program_bytes_;
  std::vector<element_piece> pieces_;
  bool plain_ = false;
};

// Reads and decodes chunks, one at a time.
class chunk_reader {
 public:
  chunk_reader(hdf5_read const& read, hdf5_dataset const& d, hdf5_place const& p, dtype const& mine)
      : read_(read), place_(p), to_(d.type, mine), stored_(bytes_in(d, p)) {}

  // Returns true if the chunk has no place in the file, and is zeros.
  bool is_zero(std::int64_t number) const {
    return place_.what != hdf5_place::kind::compact && place_of(number).address < 0 &&
           place_.fill_value.empty();
  }
  void get(std::int64_t number, std::span<std::byte> chunk) {
    std::span<std::byte> const stored = to_.is_plain() ? chunk : std::span<std::byte>(stored_);
    if (place_.what == hdf5_place::kind::compact) {
      std::ranges::copy(place_.compact, stored.begin());
    } else if (hdf5_chunk const c = place_of(number); c.address < 0) {
      fill(stored);
    } else {
      std::vector<std::byte> bytes(static_cast<std::size_t>(c.bytes));
      read_(c.address, bytes);
      decode(place_.steps, c.left_out, std::move(bytes), stored);
    }
    if (!to_.is_plain()) to_.convert(stored, chunk);
  }

 private:
  static std::vector<std::byte> bytes_in(hdf5_dataset const& d, hdf5_place const& p) {
    std::int64_t all = d.type.bytes;
    for (std::size_t k = 0; k < d.shape.size(); ++k)
      all *= p.is_chunked() ? p.chunk[k] : std::max<std::int64_t>(1, d.shape[k]);
    return std::vector<std::byte>(static_cast<std::size_t>(all));
  }
  hdf5_chunk place_of(std::int64_t number) const {
    return number < std::ssize(place_.chunks) ? place_.chunks[static_cast<std::size_t>(number)]
                                              : hdf5_chunk{};
  }
  void fill(std::span<std::byte> stored) const {
    std::ranges::fill(stored, std::byte{0});
    std::size_t const n = place_.fill_value.size();
    for (std::size_t at = 0; n > 0 && at + n <= stored.size(); at += n)
      std::ranges::copy(place_.fill_value, stored.begin() + static_cast<std::ptrdiff_t>(at));
  }

  hdf5_read const& read_;
  hdf5_place const& place_;
  converter to_;
  std::vector<std::byte> stored_;
};

// Returns the bytes of the stream that lie in these chunks.
std::pair<std::int64_t, std::int64_t> stream_of(layout const& file, hdf5_chunk_range chunks,
                                                std::int64_t chunk_bytes) {
  extend::cursor at(file);
  at.seek_offset(chunks.first * chunk_bytes);
  std::int64_t const begin = at.position();
  at.seek_offset(chunks.end * chunk_bytes);
  return {begin, at.position()};
}

hdf5_chunk_range touched_by(layout const& file, std::int64_t chunk_bytes) {
  if (file.empty()) return {};
  return {file.true_lower_bound() / chunk_bytes, (file.true_upper_bound() - 1) / chunk_bytes + 1};
}

// Returns the address of the first chunk, from which offsets of a selection count. It need not be
// in memory. `start`: the offset of `chunk`.
std::byte* at_first_chunk(std::span<std::byte> chunk, std::int64_t start) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(chunk.data()) -
                                      static_cast<std::uintptr_t>(start));
}

}  // namespace

zarr_grid hdf5_grid(hdf5_dataset const& d, hdf5_place const& p, dtype const& element) {
  zarr_header h{.shape = d.shape, .type = element};
  // Compact data, and data without a place, are one chunk.
  for (std::size_t k = 0; k < d.shape.size(); ++k)
    h.options.chunks.push_back(p.is_chunked() ? p.chunk[k] : std::max<std::int64_t>(1, d.shape[k]));
  return zarr_grid(h);
}

failure read_hdf5_chunks(hdf5_read const& read, hdf5_dataset const& d, hdf5_place const& p,
                         array_part const& part, buffer const& into) {
  return failure_in([&] {
    zarr_grid const grid = hdf5_grid(d, p, part.type());
    zarr_selection const selection(grid, part.form(), part.order());
    layout const memory = selection.memory(into.form());
    chunk_reader chunks(read, d, p, part.type());
    std::vector<std::byte> chunk(static_cast<std::size_t>(grid.chunk_bytes()));
    hdf5_chunk_range const all = touched_by(selection.file(), grid.chunk_bytes());
    for (std::int64_t c = all.first; c < all.end; ++c) {
      auto const [begin, end] = stream_of(selection.file(), {c, c + 1}, grid.chunk_bytes());
      if (begin == end) continue;
      chunks.get(c, chunk);
      copy(selection.file(), at_first_chunk(chunk, c * grid.chunk_bytes()), begin, memory,
           into.address(), begin, end - begin);
    }
  });
}

hdf5_chunk_writes::hdf5_chunk_writes(hdf5_dataset const& d, hdf5_place const& p,
                                     array_part const& part, const_buffer const& from)
    : dataset_(d),
      place_(p),
      from_(from),
      grid_(hdf5_grid(d, p, part.type())),
      selection_(grid_, part.form(), part.order()),
      memory_(selection_.memory(from.form())) {}

hdf5_chunk_range hdf5_chunk_writes::touched() const {
  return touched_by(selection_.file(), grid_.chunk_bytes());
}

std::int64_t hdf5_chunk_writes::begin(hdf5_write_extent const& all, int rank, int ranks) noexcept {
  all_ = all.chunks.first < all.chunks.end ? all.chunks : hdf5_chunk_range{0, 0};
  rank_ = rank;
  ranks_ = ranks;
  std::int64_t const bytes = std::min(round_bytes * all.threads, most_round_bytes);
  in_round_ = std::max<std::int64_t>(1, bytes / grid_.chunk_bytes());
  std::int64_t const most = (all_.end - all_.first + ranks - 1) / ranks;  // for one owner
  return (most + in_round_ - 1) / in_round_;
}

// Owners have neighbouring chunks, and nearly equal numbers of them.
std::int64_t hdf5_chunk_writes::first_of(int rank) const noexcept {
  std::int64_t const n = all_.end - all_.first;
  return all_.first + n / ranks_ * rank + n % ranks_ * rank / ranks_;
}

hdf5_chunk_range hdf5_chunk_writes::chunks_of(int rank, std::int64_t round) const noexcept {
  std::int64_t const end = first_of(rank + 1);
  std::int64_t const first = std::min(end, first_of(rank) + round * in_round_);
  return {first, std::min(end, first + in_round_)};
}

// Offsets count from the owner's first chunk of the round. The bytes of a rank's own chunks stay
// where they are.
std::vector<parcel> const& hdf5_chunk_writes::send(std::int64_t round) {
  std::size_t count = 0;
  for (int owner = 0; owner < ranks_; ++owner) {
    if (owner == rank_) continue;
    hdf5_chunk_range const chunks = chunks_of(owner, round);
    auto const [begin, end] = stream_of(selection_.file(), chunks, grid_.chunk_bytes());
    if (begin == end) continue;
    if (count == sent_.size()) sent_.emplace_back();
    parcel& p = sent_[count++];
    p.rank = owner;
    piece_writer message(p);
    message.add(selection_.file(), -chunks.first * grid_.chunk_bytes(), memory_, from_.address(),
                begin, end);
    message.finish();
  }
  sent_.resize(count);
  return sent_;
}

failure hdf5_chunk_writes::encode(std::int64_t round, std::vector<parcel> const& parts,
                                  hdf5_read const& read, int threads) {
  return failure_in([&] {
    hdf5_chunk_range const mine = chunks_of(rank_, round);
    std::vector<std::span<std::byte const>> const chunks = put_together(mine, parts, read);
    bytes_.clear();
    unplaced_ = written_.size();
    std::size_t const size = static_cast<std::size_t>(grid_.chunk_bytes()),
                      each = (least_of_thread + size - 1) / size;
    threads = std::min(threads, static_cast<int>(chunks.size() / each));
    if (place_.steps.empty()) threads = 1;
    std::size_t const at_once = threads > 1 ? each * static_cast<std::size_t>(threads) : 1;
    spaces_.resize(std::min(at_once, chunks.size()));
    for (std::size_t from = 0; from < chunks.size(); from += at_once)
      encode_some(std::span(chunks).subspan(from, std::min(at_once, chunks.size() - from)),
                  mine.first + static_cast<std::int64_t>(from), threads);
  });
}

// Encodes chunks at the same time, and appends them to bytes_. `first`: the number of the first.
void hdf5_chunk_writes::encode_some(std::span<std::span<std::byte const> const> chunks,
                                    std::int64_t first, int threads) {
  std::vector<std::span<std::byte const>> stored(chunks.size());
  for_each_at_once(chunks.size(), threads, [&](std::size_t i) {
    if (!chunks[i].empty()) stored[i] = encoded(place_.steps, chunks[i], spaces_[i]);
  });
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (chunks[i].empty()) continue;
    written_.push_back(
        {first + static_cast<std::int64_t>(i), {std::ssize(bytes_), std::ssize(stored[i]), 0}});
    bytes_.insert(bytes_.end(), stored[i].begin(), stored[i].end());
  }
}

// Returns the contents of chunks, in memory of the program or in room_. A chunk that no rank
// touches is empty.
std::vector<std::span<std::byte const>> hdf5_chunk_writes::put_together(
    hdf5_chunk_range mine, std::vector<parcel> const& parts, hdf5_read const& read) {
  std::int64_t const size = grid_.chunk_bytes();
  auto const count = static_cast<std::size_t>(mine.end - mine.first);
  rooms_ = count;
  std::vector<std::span<std::byte const>> chunks(count);
  for (parcel const& p : parts)
    for_pieces(p, [&](std::int64_t offset, std::span<std::byte const> bytes) {
      for (std::int64_t c = offset / size; c * size < offset + std::ssize(bytes); ++c)
        chunks[static_cast<std::size_t>(c)] = room_of(static_cast<std::size_t>(c));
    });
  chunk_reader old(read, dataset_, place_, dataset_.type);
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t const number = mine.first + static_cast<std::int64_t>(i);
    auto const [begin, end] = stream_of(selection_.file(), {number, number + 1}, size);
    if (chunks[i].empty()) {  // no other rank touches it
      if (begin == end) continue;
      // A part that is written names no element twice, so these are all bytes of the chunk.
      if (end - begin == size) chunks[i] = dense(begin);
      if (!chunks[i].empty()) continue;
    }
    std::span<std::byte> const room = room_of(i);
    chunks[i] = room;
    if (end - begin < size) {
      if (old.is_zero(number))
        std::ranges::fill(room, std::byte{0});
      else
        old.get(number, room);
    }
    copy(memory_, from_.address(), begin, selection_.file(), at_first_chunk(room, number * size),
         begin, end - begin);
  }
  for (parcel const& p : parts)
    for_pieces(p, [&](std::int64_t offset, std::span<std::byte const> bytes) {
      std::memcpy(room_.data() + offset, bytes.data(), bytes.size());
    });
  return chunks;
}

// Returns the room of chunk i of the round. There may be none before the first call, because many
// rounds need none.
std::span<std::byte> hdf5_chunk_writes::room_of(std::size_t i) {
  auto const size = static_cast<std::size_t>(grid_.chunk_bytes());
  if (room_.size() < rooms_ * size) room_.resize(rooms_ * size);
  return std::span(room_).subspan(i * size, size);
}

// Returns the chunk at this place of the stream if it is one piece of memory.
std::span<std::byte const> hdf5_chunk_writes::dense(std::int64_t begin) const {
  extend::piece const p = extend::cursor(memory_, begin).current();
  if (p.length < grid_.chunk_bytes()) return {};
  return {from_.address() + p.offset, static_cast<std::size_t>(grid_.chunk_bytes())};
}

void hdf5_chunk_writes::place(std::int64_t address) {
  for (; unplaced_ < written_.size(); ++unplaced_) written_[unplaced_].chunk.address += address;
}

}  // namespace argosy::detail
