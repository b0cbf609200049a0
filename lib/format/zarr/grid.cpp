// Implements format/detail/zarr/zarr_grid.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/detail/zarr/zarr_grid.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <argosy/layout/cursor.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy::detail {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 61;

std::int64_t parts_of(std::int64_t all, std::int64_t one) {
  return all / one + (all % one == 0 ? 0 : 1);
}

// Multiplies, and returns false beyond the limit.
bool multiply(std::int64_t& product, std::int64_t by) {
  return !__builtin_mul_overflow(product, by, &product) && product <= most_bytes;
}

// A contiguous run of items along one dimension that is cut at multiples of `whole`: copies of the
// range [low, high) in `count` neighbouring parts.
struct segment {
  std::int64_t first, count, low, high;
};

// Cuts [low, high) at multiples of `whole`: the rest of the first part, whole parts, and the start
// of the last one.
std::vector<segment> segments_of(std::int64_t low, std::int64_t high, std::int64_t whole) {
  std::vector<segment> all;
  if (low >= high) return all;
  std::int64_t const first = low / whole, last = (high - 1) / whole;
  if (first == last) {
    all.push_back({first, 1, low - first * whole, high - first * whole});
    return all;
  }
  std::int64_t begin = first, end = last + 1;
  if (low % whole != 0) all.push_back({begin++, 1, low % whole, whole});
  bool const cut = high % whole != 0;
  if (cut) --end;
  if (begin < end) all.push_back({begin, end - begin, 0, whole});
  if (cut) all.push_back({last, 1, 0, high % whole});
  return all;
}

// Returns the parts one behind the other. A single part is not copied into a list.
layout joined(std::vector<layout>& parts) {
  return parts.size() == 1 ? std::move(parts.front()) : concat(parts);
}

}  // namespace

failure fits_zarr_grid(zarr_header const& h) {
  std::vector<std::int64_t> const& shard =
      h.options.shards.empty() ? h.options.chunks : h.options.shards;
  std::int64_t bytes = h.type.bytes;
  bool fits = true;
  for (std::int64_t const n : shard) fits = fits && multiply(bytes, n);
  for (std::size_t k = 0; fits && k < h.shape.size(); ++k)
    if (h.shape[k] > 0) fits = multiply(bytes, parts_of(h.shape[k], shard[k]));
  if (fits) return {};
  return {errc::unsupported, "the shards of the array have more than 2^61 bytes in all",
          "give fewer elements, or smaller shards"};
}

zarr_grid::zarr_grid(zarr_header const& h)
    : shape_(h.shape),
      shard_(h.options.shards.empty() ? h.options.chunks : h.options.shards),
      chunk_(h.options.chunks),
      item_bytes_(h.type.bytes),
      chunk_bytes_(h.type.bytes) {
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    counts_.push_back(parts_of(shape_[k], shard_[k]));
    inner_.push_back(shard_[k] / chunk_[k]);
    chunk_bytes_ *= chunk_[k];
    chunks_in_shard_ *= inner_[k];
    shards_ *= counts_[k];
  }
}

std::string zarr_grid::name_of(std::int64_t shard, zarr_options const& how) const {
  std::vector<std::int64_t> at(shape_.size());
  for (std::size_t k = shape_.size(); k-- > 0;) {
    at[k] = shard % counts_[k];
    shard /= counts_[k];
  }
  std::string name = how.version_2_names ? "" : "c";
  for (std::int64_t const n : at) {
    if (!name.empty()) name += how.separator;
    name += std::to_string(n);
  }
  return name.empty() ? "0" : name;
}

std::int64_t zarr_grid::offset_of(std::span<std::int64_t const> index) const {
  std::int64_t shard = 0, chunk = 0, element = 0;
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    std::int64_t const in_shard = index[k] % shard_[k];
    shard = shard * counts_[k] + index[k] / shard_[k];
    chunk = chunk * inner_[k] + in_shard / chunk_[k];
    element = element * chunk_[k] + in_shard % chunk_[k];
  }
  return (shard * chunks_in_shard_ + chunk) * chunk_bytes_ + element * item_bytes_;
}

zarr_selection::zarr_selection(zarr_grid const& grid, layout const& part, order o)
    : grid_(grid), order_(o) {
  if (!part.empty()) {
    find_box(part, o);
    if (box_) {
      std::vector<range> within(grid_.dimensions());
      file_ = shards_of(in_file(), 0, within);
      stream_ = shards_of(in_memory(stream_steps()), 0, within);
    } else {
      list(part, o);
    }
  }
  file_ = resized(file_, 0, grid_.bytes());
}

// Returns the index of the element at a byte offset of the array without chunks.
std::vector<std::int64_t> zarr_selection::index_at(std::int64_t offset, order o) const {
  std::vector<std::int64_t> const& shape = grid_.shape_;
  std::vector<std::int64_t> index(shape.size());
  std::int64_t rest = offset / grid_.item_bytes_;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::size_t const k = o == order::c ? shape.size() - 1 - i : i;
    index[k] = rest % shape[k];
    rest /= shape[k];
  }
  return index;
}

// Finds out whether the part is a box.
void zarr_selection::find_box(layout const& part, order o) {
  low_ = index_at(part.true_lower_bound(), o);
  high_ = index_at(part.true_upper_bound() - 1, o);
  std::int64_t size = grid_.item_bytes_;
  for (std::size_t k = 0; k < low_.size(); ++k) {
    if (++high_[k] <= low_[k]) return;
    size *= high_[k] - low_[k];
  }
  if (size != part.size()) return;
  // The steps in the array without chunks.
  std::vector<std::int64_t> steps(low_.size());
  std::int64_t step = grid_.item_bytes_;
  for (std::size_t i = 0; i < low_.size(); ++i) {
    std::size_t const k = o == order::c ? low_.size() - 1 - i : i;
    steps[k] = step;
    step *= grid_.shape_[k];
  }
  box_ = same_bytes(at(part.true_lower_bound(), whole_part(steps)), part);
}

// Returns the elements of the box in the order of the part, `steps` bytes apart along each
// dimension.
layout zarr_selection::whole_part(std::vector<std::int64_t> const& steps) const {
  layout all = bytes(grid_.item_bytes_);
  for (std::size_t i = 0; i < low_.size(); ++i) {
    std::size_t const k = order_ == order::c ? low_.size() - 1 - i : i;
    all = repeat(high_[k] - low_[k], steps[k], all);
  }
  return all;
}

// Returns the steps of the box in the stream of the part.
std::vector<std::int64_t> zarr_selection::stream_steps() const {
  std::vector<std::int64_t> steps(low_.size());
  std::int64_t step = grid_.item_bytes_;
  for (std::size_t i = 0; i < low_.size(); ++i) {
    std::size_t const k = order_ == order::c ? low_.size() - 1 - i : i;
    steps[k] = step;
    step *= high_[k] - low_[k];
  }
  return steps;
}

zarr_selection::strides zarr_selection::in_file() const {
  std::size_t const d = grid_.dimensions();
  strides s{std::vector<std::int64_t>(d), std::vector<std::int64_t>(d),
            std::vector<std::int64_t>(d)};
  std::int64_t shard = grid_.shard_bytes(), chunk = grid_.chunk_bytes(),
               element = grid_.item_bytes();
  for (std::size_t k = d; k-- > 0;) {
    s.shard[k] = shard;
    s.chunk[k] = chunk;
    s.element[k] = element;
    shard *= grid_.counts_[k];
    chunk *= grid_.inner_[k];
    element *= grid_.chunk_[k];
  }
  return s;
}

zarr_selection::strides zarr_selection::in_memory(std::vector<std::int64_t> const& steps) const {
  strides s{steps, steps, steps};
  for (std::size_t k = 0; k < steps.size(); ++k) {
    s.shard[k] *= grid_.shard_[k];
    s.chunk[k] *= grid_.chunk_[k];
    s.first -= low_[k] * steps[k];
  }
  return s;
}

// Returns the part along the dimensions from k on. `within` has the ranges of the shard along the
// dimensions before.
layout zarr_selection::shards_of(strides const& s, std::size_t k,
                                 std::vector<range>& within) const {
  if (k == grid_.dimensions()) {
    std::vector<range> chunk(k);
    return at(s.first, chunks_of(s, 0, within, chunk));
  }
  std::vector<layout> parts;
  for (segment const& g : segments_of(low_[k], high_[k], grid_.shard_[k])) {
    within[k] = {g.low, g.high};
    parts.push_back(
        at(g.first * s.shard[k], repeat(g.count, s.shard[k], shards_of(s, k + 1, within))));
  }
  return joined(parts);
}

layout zarr_selection::chunks_of(strides const& s, std::size_t k, std::vector<range> const& shard,
                                 std::vector<range>& within) const {
  if (k == grid_.dimensions()) return elements_of(s, within);
  std::vector<layout> parts;
  for (segment const& g : segments_of(shard[k].low, shard[k].high, grid_.chunk_[k])) {
    within[k] = {g.low, g.high};
    parts.push_back(
        at(g.first * s.chunk[k], repeat(g.count, s.chunk[k], chunks_of(s, k + 1, shard, within))));
  }
  return joined(parts);
}

layout zarr_selection::elements_of(strides const& s, std::vector<range> const& within) const {
  layout all = bytes(grid_.item_bytes_);
  for (std::size_t k = within.size(); k-- > 0;)
    all =
        at(within[k].low * s.element[k], repeat(within[k].high - within[k].low, s.element[k], all));
  return all;
}

// Returns true if the box cuts none of the parts that have these sides.
bool zarr_selection::begins_and_ends_at(std::vector<std::int64_t> const& parts) const noexcept {
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (low_[k] % parts[k] != 0 || (high_[k] % parts[k] != 0 && high_[k] != grid_.shape_[k]))
      return false;
  return true;
}

zarr_box zarr_selection::boxed(std::vector<std::int64_t> const& parts) const noexcept {
  zarr_box b;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    b.low[k] = low_[k] / parts[k];
    b.high[k] = parts_of(high_[k], parts[k]);
  }
  return b;
}

bool zarr_selection::has_whole_chunks() const noexcept {
  return file_.empty() || (box_ && begins_and_ends_at(grid_.chunk_));
}

bool zarr_selection::has_whole_shards() const noexcept {
  return file_.empty() || (box_ && begins_and_ends_at(grid_.shard_));
}

// Lists the pieces of a part that is no box, in the order of the linear space.
void zarr_selection::list(layout const& part, order o) {
  struct piece_of_chunk {
    std::int64_t file, stream, length;
  };
  std::vector<piece_of_chunk> all;
  std::size_t const d = grid_.dimensions(), last = d - 1;
  bool const rows = o == order::c || d == 1;
  for (extend::cursor c(part); !c.done();) {
    extend::piece const p = c.current();
    std::vector<std::int64_t> const index = index_at(p.offset, o);
    std::int64_t length = grid_.item_bytes_;
    if (rows) {
      std::int64_t const in_shard = index[last] % grid_.shard_[last];
      std::int64_t const in_chunk = grid_.chunk_[last] - in_shard % grid_.chunk_[last];
      length *= std::min(in_chunk, grid_.shape_[last] - index[last]);
    }
    length = std::min(length, p.length);
    all.push_back({grid_.offset_of(index), c.position(), length});
    c.advance(length);
  }
  // A part that names an element twice has two pieces at one place.
  std::ranges::sort(all, {}, [](piece_of_chunk const& p) { return std::pair(p.file, p.stream); });
  std::vector<std::int64_t> file, stream, lengths;
  for (piece_of_chunk const& p : all) {
    file.push_back(p.file);
    stream.push_back(p.stream);
    lengths.push_back(p.length);
  }
  file_ = table(file, lengths);
  stream_ = table(stream, lengths);
}

layout zarr_selection::memory(layout const& memory) const {
  if (stream_.empty()) return memory;
  if (memory.is_contiguous()) return at(memory.true_lower_bound(), stream_);
  if (box_) {
    // Arrays of any order, with or without ghost cells, have one step along each dimension.
    std::vector<std::int64_t> steps = stream_steps();
    std::int64_t const first = extend::cursor(memory).current().offset;
    for (std::size_t k = 0; k < steps.size(); ++k)
      steps[k] =
          high_[k] - low_[k] == 1 ? 0 : extend::cursor(memory, steps[k]).current().offset - first;
    if (same_bytes(at(first, whole_part(steps)), memory)) {
      std::vector<range> within(grid_.dimensions());
      return at(first, shards_of(in_memory(steps), 0, within));
    }
  }
  std::vector<std::int64_t> offsets, lengths;
  extend::cursor from(memory);
  for (extend::cursor c(stream_); !c.done(); c.next()) {
    extend::piece const p = c.current();
    from.seek(p.offset);
    for (std::int64_t left = p.length; left > 0;) {
      extend::piece const here = from.current();
      std::int64_t const n = std::min(left, here.length);
      offsets.push_back(here.offset);
      lengths.push_back(n);
      left -= n;
      from.advance(n);
    }
  }
  return table(offsets, lengths);
}

}  // namespace argosy::detail
