// The places of chunks: a B-tree of the older format, or an index of the newer one.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <ranges>
#include <utility>

#include "reader.hpp"

namespace argosy::detail {

using namespace hdf5;

namespace {

// The numbers of chunks: in order, the last dimension first.
class chunk_numbers {
 public:
  // The table of chunks takes memory on each rank. So a file may not have many more chunks than
  // the bytes of an index of them.
  chunk_numbers(std::vector<std::int64_t> const& shape, std::vector<std::int64_t> const& chunk,
                std::int64_t file_bytes)
      : chunk_(chunk) {
    std::int64_t const most = (std::int64_t{1} << 20) + file_bytes / 8;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      counts_.push_back((shape[k] + chunk[k] - 1) / chunk[k]);
      if (__builtin_mul_overflow(all_, counts_[k], &all_) || all_ > most)
        throw_unsupported("a dataset of many more chunks than the file has");
    }
  }
  std::int64_t all() const noexcept { return all_; }
  // Returns the number of a chunk, given its first element; -1 if it lies outside.
  std::int64_t number(std::span<std::int64_t const> first) const {
    std::int64_t n = 0;
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      if (first[k] % chunk_[k] != 0) throw_damaged("a chunk does not begin where chunks do");
      std::int64_t const i = first[k] / chunk_[k];
      if (i >= counts_[k]) return -1;
      n = n * counts_[k] + i;
    }
    return n;
  }
  // Returns the first element of a chunk.
  std::vector<std::int64_t> first(std::int64_t number) const {
    std::vector<std::int64_t> at(counts_.size());
    for (std::size_t k = at.size(); k-- > 0;) {
      at[k] = number % counts_[k] * chunk_[k];
      number /= counts_[k];
    }
    return at;
  }

 private:
  std::vector<std::int64_t> const& chunk_;
  std::vector<std::int64_t> counts_;
  std::int64_t all_ = 1;
};

// Reads the index of one dataset into its table.
class index_reader {
 public:
  index_reader(metadata const& file, hdf5_dataset const& d, hdf5_place& p)
      : file_(file),
        place_(p),
        numbers_(d.shape, p.chunk, file.file_bytes()),
        chunk_bytes_(chunk_bytes_of(p, d.type.bytes)) {
    place_.chunks.assign(static_cast<std::size_t>(numbers_.all()), {});
  }

  // A node has a lower level than its parent, so the walk ends.
  void walk(std::int64_t node, std::int64_t level_below) {
    constexpr std::string_view what = "the tree of the chunks of a dataset";
    std::int64_t const rank = std::ssize(place_.chunk),
                       entry_bytes = 8 + 8 * (stored_rank() + 1) + 8;
    auto const head = file_.at(node, 24, what);
    taker from(head, what);
    from.expect("TREE");
    if (from.number(1) != 1) throw_damaged("the tree of chunks is one of a group");
    auto const level = static_cast<std::int64_t>(from.number(1)), entries = from.count(2);
    if (level >= level_below) throw_damaged("the levels of the tree of chunks are not in order");
    auto const body = file_.at(node + 24, entries * entry_bytes, what);
    taker keys(body, what);
    for (std::int64_t i = 0; i < entries; ++i) {
      hdf5_chunk c{.bytes = keys.count(4), .left_out = static_cast<std::uint32_t>(keys.number(4))};
      std::vector<std::int64_t> first;
      for (std::int64_t k = 0; k < stored_rank(); ++k) first.push_back(keys.count(8));
      keys.take(8);
      first.resize(static_cast<std::size_t>(rank), 0);
      c.address = keys.address();
      if (level > 0)
        walk(c.address, level);
      else
        keep(numbers_.number(first), c);
    }
  }

  void take_fixed_array(std::int64_t address) {
    constexpr std::string_view what = "the index of the chunks of a dataset";
    auto const head = file_.at(address, 28, what);
    require_checksum(head, what);
    taker from(head, what);
    from.expect("FAHD");
    std::uint64_t const version = from.number(1), filtered = from.number(1);
    auto const entry_bytes = static_cast<int>(from.number(1)),
               page_bits = static_cast<int>(from.number(1));
    std::int64_t const entries = from.count(8), block = from.address();
    bool const well = filtered == 0 ? entry_bytes == 8 : entry_bytes > 12 && entry_bytes <= 20;
    if (version != 0 || filtered > 1 || !well || page_bits > 30 ||
        (filtered == 1) == place_.steps.empty())
      throw_damaged("the index of the chunks of a dataset has impossible entries");
    chunk_numbers const most(place_.most, place_.chunk, file_.file_bytes());
    if (entries != most.all())
      throw_damaged("the index of the chunks of a dataset has another number of entries");
    if (block >= 0) take_entries(block, entries, entry_bytes, std::int64_t{1} << page_bits, most);
  }

  // All chunks, one behind the other.
  void take_implicit(std::int64_t address) {
    chunk_numbers const most(place_.most, place_.chunk, file_.file_bytes());
    for (std::int64_t i = 0; i < most.all(); ++i)
      keep(numbers_.number(most.first(i)), {address + i * chunk_bytes_, chunk_bytes_});
  }

 private:
  // Arrays as elements are dimensions of this library, but not of the file.
  std::int64_t stored_rank() const noexcept { return std::ssize(place_.chunk) - place_.inner; }

  void take_entries(std::int64_t block, std::int64_t entries, int entry_bytes, std::int64_t in_page,
                    chunk_numbers const& most) {
    constexpr std::string_view what = "the entries of the index of chunks";
    bool const paged = entries > in_page;
    std::int64_t const pages = paged ? (entries + in_page - 1) / in_page : 0;
    std::int64_t const before = 14 + (pages + 7) / 8;
    auto const start = file_.at(block, before + 4 + (paged ? 0 : entries * entry_bytes), what);
    require_checksum(start, what);
    taker from{std::span(start).first(start.size() - 4), what};
    from.expect("FADB");
    from.take(10);
    auto const marks = from.take(static_cast<std::size_t>(before - 14));
    if (!paged) return take_page(from, 0, entries, entry_bytes, most);
    std::int64_t at = block + before + 4;
    for (std::int64_t i = 0; i < pages; ++i) {
      std::int64_t const n = std::min(in_page, entries - i * in_page), bytes = n * entry_bytes + 4;
      if ((marks[static_cast<std::size_t>(i / 8)] & std::byte{0x80} >> (i % 8)) != std::byte{0}) {
        auto const page = file_.at(at, bytes, what);
        require_checksum(page, what);
        take_page(taker(std::span(page).first(page.size() - 4), what), i * in_page, n, entry_bytes,
                  most);
      }
      at += bytes;
    }
  }
  void take_page(taker from, std::int64_t first, std::int64_t n, int entry_bytes,
                 chunk_numbers const& most) {
    for (std::int64_t i = first; i < first + n; ++i) {
      hdf5_chunk c{.address = from.address(), .bytes = chunk_bytes_};
      if (entry_bytes > 8) {
        c.bytes = from.count(entry_bytes - 12);
        c.left_out = static_cast<std::uint32_t>(from.number(4));
      }
      if (c.address >= 0) keep(numbers_.number(most.first(i)), c);
    }
  }

  // Chunks that lie outside of the dataset, because it was made smaller, are left out.
  void keep(std::int64_t number, hdf5_chunk const& c) {
    if (number < 0) return;
    check(c, chunk_bytes_, file_.file_bytes());
    place_.chunks[static_cast<std::size_t>(number)] = c;
  }

 public:
  static void check(hdf5_chunk const& c, std::int64_t chunk_bytes, std::int64_t file_bytes) {
    if (c.address < 0 || c.bytes < 0 || c.address > file_bytes || c.bytes > file_bytes - c.address)
      throw_damaged("a chunk lies beyond the end of the file");
    if (c.bytes > chunk_bytes + chunk_bytes / 8 + 4096)
      throw_damaged("an encoded chunk is much longer than a chunk");
  }

 private:
  metadata const& file_;
  hdf5_place& place_;
  chunk_numbers numbers_;
  std::int64_t chunk_bytes_;
};

}  // namespace

failure find_hdf5_chunks(hdf5_read const& read, std::int64_t file_bytes, hdf5_dataset const& d,
                         hdf5_place& p) {
  return failure_in([&] {
    if (p.unreadable) throw unreadable{p.unreadable};
    metadata const file(read, file_bytes);
    if (p.what == hdf5_place::kind::single) {
      std::int64_t const bytes = chunk_bytes_of(p, d.type.bytes);
      if (p.chunks[0].bytes < 0) p.chunks[0].bytes = bytes;
      if (p.chunks[0].address >= 0) index_reader::check(p.chunks[0], bytes, file_bytes);
      if (chunk_numbers(d.shape, p.chunk, file_bytes).all() > 1)
        throw_damaged("a dataset of one chunk has several");
    } else {
      index_reader to(file, d, p);
      constexpr std::int64_t any_level = 256;
      if (p.address >= 0 && p.what == hdf5_place::kind::tree) to.walk(p.address, any_level);
      if (p.address >= 0 && p.what == hdf5_place::kind::fixed_array) to.take_fixed_array(p.address);
      // The table of a dataset that may grow has room for all its chunks.
      if (p.what == hdf5_place::kind::fixed_array &&
          std::ranges::equal(p.most | std::views::drop(1), d.shape | std::views::drop(1)))
        p.chunks.resize(static_cast<std::size_t>(chunk_numbers(p.most, p.chunk, file_bytes).all()));
      if (p.address >= 0 && p.what == hdf5_place::kind::implicit) to.take_implicit(p.address);
    }
    p.has_chunks = true;
  });
}

}  // namespace argosy::detail
