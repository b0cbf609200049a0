// Messages of objects with many links or attributes: they lie in a fractal heap, and a B-tree of
// version 2 lists them.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <utility>

#include "reader.hpp"

namespace argosy::detail::hdf5 {

namespace {

constexpr std::int64_t most_records = std::int64_t{1} << 20;

int log2_of(std::uint64_t n) { return n == 0 ? 0 : static_cast<int>(std::bit_width(n)) - 1; }

// A heap whose blocks are found by a table. Blocks of the first two rows have the smallest size,
// and those of each further row twice that of the row before.
class fractal_heap {
 public:
  fractal_heap(metadata const& file, std::int64_t address) : file_(file) {
    constexpr std::string_view what = "a fractal heap";
    constexpr std::int64_t head_bytes = 146;
    auto const head = file.at(address, head_bytes, what);
    taker from(head, what);
    from.expect("FRHP");
    from.take(1);
    id_bytes_ = static_cast<std::size_t>(from.number(2));
    if (from.number(2) != 0) throw_unsupported("a fractal heap with filters");
    from.take(1);
    std::int64_t const most_object = from.count(4);
    from.take(96);  // counts, and heaps of huge objects
    width_ = from.count(2);
    start_ = from.count(8);
    most_direct_ = from.count(8);
    auto const bits = static_cast<int>(from.number(2));
    from.take(2);
    root_ = from.address();
    rows_ = from.count(2);
    require_checksum(head, what);
    bool const powers = std::has_single_bit(static_cast<std::uint64_t>(start_)) &&
                        std::has_single_bit(static_cast<std::uint64_t>(most_direct_)) &&
                        std::has_single_bit(static_cast<std::uint64_t>(width_));
    if (!powers || start_ > most_direct_ || most_direct_ > std::int64_t{1} << 32 || bits > 62 ||
        bits < 1 || rows_ > 64)
      throw_damaged("a fractal heap has impossible sizes");
    offset_bytes_ = (bits + 7) / 8;
    length_bytes_ = std::min((log2_of(static_cast<std::uint64_t>(most_direct_)) + 7) / 8,
                             bytes_for(static_cast<std::uint64_t>(most_object)));
  }

  std::size_t id_bytes() const noexcept { return id_bytes_; }

  std::vector<std::byte> object(std::span<std::byte const> id) const {
    taker from(id, "the place of a message in a heap");
    std::uint64_t const kind = from.number(1) >> 4 & 3;
    if (kind == 2) return tiny(id);
    if (kind != 0) throw_unsupported("an attribute that a fractal heap has no room for");
    std::int64_t const offset = from.count(offset_bytes_), length = from.count(length_bytes_);
    if (rows_ == 0) return piece(root_, offset, length, start_);
    return in_table(root_, rows_, offset, length);
  }

 private:
  std::vector<std::byte> tiny(std::span<std::byte const> id) const {
    std::size_t const length = (std::to_integer<std::size_t>(id[0]) & 15) + 1;
    if (length + 1 > id.size()) throw_damaged("a message in a heap is longer than its place");
    return {id.begin() + 1, id.begin() + 1 + static_cast<std::ptrdiff_t>(length)};
  }
  std::vector<std::byte> piece(std::int64_t block, std::int64_t offset, std::int64_t length,
                               std::int64_t block_bytes) const {
    if (offset > block_bytes || length > block_bytes - offset || block < 0)
      throw_damaged("a message reaches beyond its block of a heap");
    return file_.at(block + offset, length, "a message in a heap");
  }
  std::int64_t row_bytes(std::int64_t row) const {
    return start_ << std::max<std::int64_t>(0, row - 1);
  }
  std::int64_t direct_rows() const {
    return log2_of(static_cast<std::uint64_t>(most_direct_)) -
           log2_of(static_cast<std::uint64_t>(start_)) + 2;
  }
  // Finds the object below a table of blocks. `offset` counts from the start of what the table has.
  std::vector<std::byte> in_table(std::int64_t address, std::int64_t rows, std::int64_t offset,
                                  std::int64_t length) const {
    constexpr std::string_view what = "a table of blocks of a heap";
    std::int64_t row = 0, start = 0;
    while (row < rows && offset >= start + width_ * row_bytes(row))
      start += width_ * row_bytes(row++);
    if (row >= rows || row > 40) throw_damaged("a message lies outside of its heap");
    std::int64_t const column = (offset - start) / row_bytes(row),
                       in_block = (offset - start) % row_bytes(row);
    std::int64_t const bytes = 13 + offset_bytes_ + 8 * width_ * rows;
    auto const block = file_.at(address, bytes + 4, what);
    require_checksum(block, what);
    taker from(block, what);
    from.expect("FHIB");
    from.take(static_cast<std::size_t>(9 + offset_bytes_ + 8 * (row * width_ + column)));
    std::int64_t const child = from.address();
    if (row < direct_rows()) return piece(child, in_block, length, row_bytes(row));
    std::int64_t const below = log2_of(static_cast<std::uint64_t>(row_bytes(row))) -
                               log2_of(static_cast<std::uint64_t>(start_ * width_)) + 1;
    if (below >= rows) throw_damaged("a table of a heap has one below that is not smaller");
    return in_table(child, below, in_block, length);
  }

  metadata const& file_;
  std::size_t id_bytes_ = 0;
  std::int64_t width_ = 1, start_ = 1, most_direct_ = 1, root_ = -1, rows_ = 0;
  int offset_bytes_ = 1, length_bytes_ = 1;
};

// Lists the records of a B-tree of version 2.
class record_tree {
 public:
  record_tree(metadata const& file, std::int64_t address) : file_(file) {
    constexpr std::int64_t head_bytes = 38;
    auto const head = file.at(address, head_bytes, what);
    require_checksum(head, what);
    taker from(head, what);
    from.expect("BTHD");
    from.take(2);
    node_ = from.count(4);
    record_ = from.count(2);
    std::int64_t const depth = from.count(2);
    from.take(2);
    std::int64_t const root = from.address(), records = from.count(2);
    if (record_ < 1 || node_ < 10 + record_ || depth > 16)
      throw_damaged("a B-tree has impossible sizes");
    // The most records of a node of each depth, and of all that is below it.
    std::int64_t most = (node_ - 10) / record_, below = most;
    count_bytes_ = bytes_for(static_cast<std::uint64_t>(most));
    total_bytes_.push_back(0);
    for (std::int64_t d = 1; d <= depth; ++d) {
      total_bytes_.push_back(d > 1 ? bytes_for(static_cast<std::uint64_t>(below)) : 0);
      std::int64_t const pointer = 8 + count_bytes_ + total_bytes_.back();
      most = (node_ - 10 - pointer) / (record_ + pointer);
      if (most < 1 || __builtin_mul_overflow(most + 1, below, &below) ||
          __builtin_add_overflow(below, most, &below))
        throw_damaged("a B-tree has impossible sizes");
    }
    if (root >= 0) walk(root, records, depth);
  }
  std::vector<std::vector<std::byte>> all;

 private:
  static constexpr std::string_view what = "a B-tree of version 2";

  void walk(std::int64_t address, std::int64_t records, std::int64_t depth) {
    std::int64_t const pointer = 8 + count_bytes_ + total_bytes_[static_cast<std::size_t>(depth)];
    std::int64_t const bytes = 6 + records * record_ + (depth > 0 ? (records + 1) * pointer : 0);
    if (bytes + 4 > node_) throw_damaged("a node of a B-tree has more records than room");
    auto const node = file_.at(address, bytes + 4, what);
    require_checksum(node, what);
    taker from(node, what);
    from.expect(depth > 0 ? "BTIN" : "BTLF");
    from.take(2);
    for (std::int64_t i = 0; i < records; ++i) {
      auto const record = from.take(static_cast<std::size_t>(record_));
      if (std::ssize(all) >= most_records) throw_damaged("a B-tree has too many records");
      all.emplace_back(record.begin(), record.end());
    }
    for (std::int64_t i = 0; depth > 0 && i <= records; ++i) {
      std::int64_t const child = from.address(), count = from.count(count_bytes_);
      from.take(static_cast<std::size_t>(total_bytes_[static_cast<std::size_t>(depth)]));
      walk(child, count, depth - 1);
    }
  }

  metadata const& file_;
  std::int64_t node_ = 0, record_ = 0;
  int count_bytes_ = 1;
  std::vector<int> total_bytes_;  // by depth
};

}  // namespace

std::vector<std::vector<std::byte>> dense_messages(metadata const& file, std::int64_t heap,
                                                   std::int64_t names, std::size_t before) {
  fractal_heap const blocks(file, heap);
  record_tree const records(file, names);
  std::vector<std::vector<std::byte>> all;
  for (std::vector<std::byte> const& r : records.all) {
    if (r.size() < before + blocks.id_bytes()) throw_damaged("a record of a B-tree is too short");
    all.push_back(blocks.object(std::span(r).subspan(before, blocks.id_bytes())));
  }
  return all;
}

}  // namespace argosy::detail::hdf5
