// Implements format/detail/block_shares.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/detail/block_shares.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include <argosy/layout/cursor.hpp>
#include <argosy/layout/detail/counted.hpp>

namespace argosy::detail {

namespace {

std::string place_of(checkpoint_header const& h, checkpoint_array const& a, std::int64_t block) {
  std::int64_t const at = (h.codecs.empty() ? a.offset : 0) + block * h.block_bytes;
  return "block " + std::to_string(block) + " of '" + a.name + "', bytes " + std::to_string(at) +
         " to " + std::to_string(at + bytes_of_block(h, a, block)) +
         (h.codecs.empty() ? " of the file" : " of the array");
}

// Returns text about parts that do not cover their block once. The number of their bytes helps to
// find the cause.
std::string words_of_cover(block_part const& p, std::int64_t bytes) {
  std::string const sum =
      " (they have " + std::to_string(p.length) + " of its " + counted(bytes, "byte") + ")";
  if (p.length < bytes) return "the parts of the ranks leave elements out" + sum;
  if (p.length > bytes) return "parts of ranks overlap" + sum;
  return "parts of ranks overlap, and leave other elements out";
}

}  // namespace

int block_shares::owner(std::int64_t block) const {
  int low = 0, high = ranks_;
  while (high - low > 1) {
    int const middle = low + (high - low) / 2;
    (first(middle) <= block ? low : high) = middle;
  }
  return low;
}

std::vector<parcel> block_shares::send(std::vector<block_part> const& parts) const {
  std::vector<parcel> all;
  for (std::size_t i = 0; i < parts.size();) {
    int const to = owner(parts[i].block);
    std::size_t end = i + 1;
    while (end < parts.size() && parts[end].block < first(to + 1)) ++end;
    auto const bytes = std::as_bytes(std::span(parts).subspan(i, end - i));
    all.push_back({to, {bytes.begin(), bytes.end()}});
    i = end;
  }
  return all;
}

std::vector<block_part> block_shares::combine(std::vector<parcel> const& parcels) const {
  std::vector<block_part> all(static_cast<std::size_t>(mine()));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].block = first(rank_) + static_cast<std::int64_t>(i);
  for (parcel const& p : parcels)
    for (std::size_t at = 0; at + sizeof(block_part) <= p.content.size();
         at += sizeof(block_part)) {
      block_part part;
      std::memcpy(&part, p.content.data() + at, sizeof part);
      all.at(static_cast<std::size_t>(part.block - first(rank_))).combine(part);
    }
  return all;
}

std::vector<block_part> blocks_of(layout const& filetype, std::int64_t block_bytes) {
  std::vector<block_part> all;
  for (cursor c(filetype); !c.done();) {
    piece const p = c.current();
    std::int64_t const block = p.offset / block_bytes;
    all.push_back({.block = block, .pieces = 1});
    c.seek_offset((block + 1) * block_bytes);
  }
  return all;
}

failure fault_of_cover(checkpoint_header const& h, checkpoint_array const& a, std::int64_t block,
                       block_part const& parts) {
  std::int64_t const bytes = bytes_of_block(h, a, block);
  if (parts.covers(bytes)) return {};
  return {errc::datatype,
          place_of(h, a, block) + ", is not written exactly once: " + words_of_cover(parts, bytes),
          "let each element be in the part of one rank"};
}

std::int64_t all_blocks(checkpoint_header const& h) {
  std::int64_t all = 0;
  for (checkpoint_array const& a : h.arrays) all += h.blocks(a);
  return all;
}

std::int64_t first_block(checkpoint_header const& h, checkpoint_array const& a) {
  std::int64_t first = 0;
  for (checkpoint_array const* before = h.arrays.data(); before != &a; ++before)
    first += h.blocks(*before);
  return first;
}

failure sums_of(checkpoint_header const& h, std::vector<block_part> const& parts,
                std::vector<placed_sums>& into) {
  auto next = parts.begin();
  std::int64_t first = 0;  // block of the array
  for (checkpoint_array const& a : h.arrays) {
    std::int64_t const end = first + h.blocks(a);
    if (next != parts.end() && next->block < end)
      into.push_back({a.sums + 4 * (next->block - first), {}});
    for (; next != parts.end() && next->block < end; ++next) {
      std::int64_t const block = next->block - first, bytes = bytes_of_block(h, a, block);
      if (failure f = fault_of_cover(h, a, block, *next)) return f;
      std::vector<std::byte>& sums = into.back().sums;
      sums.resize(sums.size() + 4);
      store_checksum(next->whole(bytes), std::span(sums).last<4>());
    }
    first = end;
  }
  return {};
}

namespace {

struct damage {
  std::string first;  // place of the first damaged block
  std::int64_t blocks = 0;
};

// Looks for damage in neighbouring blocks of an array, whose first block has the number `first`.
failure look_for_damage(checkpoint_header const& h, checkpoint_array const& a, std::int64_t first,
                        std::span<block_part const> parts,
                        std::function<std::int64_t(std::int64_t, std::span<std::byte>)> const& read,
                        damage& found) {
  if (std::ranges::all_of(parts, [](block_part const& p) { return p.pieces == 0; })) return {};
  std::vector<std::byte> stored(4 * parts.size()), data;
  if (read(a.sums + 4 * (parts[0].block - first), stored) < std::ssize(stored))
    return {errc::truncated, "the file ends inside of the checksums of '" + a.name + "'"};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    block_part const& p = parts[i];
    if (p.pieces == 0) continue;
    std::int64_t const block = p.block - first, bytes = bytes_of_block(h, a, block);
    std::uint32_t sum = p.whole(bytes);
    if (!p.covers(bytes)) {
      data.resize(static_cast<std::size_t>(bytes));
      if (read(a.offset + block * h.block_bytes, data) < bytes)
        return {errc::truncated, "the file ends inside of '" + a.name + "'"};
      sum = checksum_of(data);
    }
    if (sum == checksum_from(std::span(std::as_const(stored)).subspan(4 * i).first<4>())) continue;
    if (++found.blocks == 1) found.first = place_of(h, a, block);
  }
  return {};
}

}  // namespace

failure damage_of(checkpoint_header const& h, std::vector<block_part> const& parts,
                  std::function<std::int64_t(std::int64_t, std::span<std::byte>)> const& read) {
  damage found;
  auto next = parts.begin();
  std::int64_t first = 0;
  for (checkpoint_array const& a : h.arrays) {
    std::int64_t const end = first + h.blocks(a);
    auto const last =
        std::find_if(next, parts.end(), [&](auto const& p) { return p.block >= end; });
    if (failure f = look_for_damage(h, a, first, {next, last}, read, found)) return f;
    next = last;
    first = end;
  }
  if (found.blocks == 0) return {};
  std::int64_t const more = found.blocks - 1;
  std::string const others = more == 0 ? ""
                                       : (more == 1 ? ", and so is " : ", and so are ") +
                                             counted(more, "block") + " behind it";
  return {errc::damaged, found.first + ", is not what was written" + others};
}

bool is_there(opener const& files, std::string const& path) noexcept try {
  std::error_code error;
  any_handle f = files(path, {.read = true}, error);
  if (error) return false;
  f.close();
  return true;
} catch (...) {  // exceptions of an opener or handle of the program
  return false;
}

std::string temporary_path(std::string const& path, std::uint64_t number) {
  char letters[17];
  std::snprintf(letters, sizeof letters, "%016llx", static_cast<unsigned long long>(number));
  return path + "." + letters + ".part";
}

}  // namespace argosy::detail
