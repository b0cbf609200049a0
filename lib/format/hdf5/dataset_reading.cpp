// The messages of a dataset: shape, type, fill value, filters, and the place of the data.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "filters.hpp"
#include "reader.hpp"

namespace argosy::detail::hdf5 {

namespace {

constexpr std::int64_t most_compact_bytes = std::int64_t{1} << 16;

std::vector<std::byte> copy(std::span<std::byte const> bytes) {
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> take_fill_value(taker from) {
  std::uint64_t const version = from.number(1);
  bool defined = false;
  if (version == 1 || version == 2) {
    from.take(2);
    defined = from.number(1) != 0 || version == 1;
  } else if (version == 3) {
    defined = (from.number(1) & 0x20) != 0;
  } else {
    throw_unsupported("a fill value of another version than 1 to 3");
  }
  if (!defined || from.left() < 4) return {};
  std::uint64_t const bytes = from.number(4);
  if (bytes == 0xffffffff) return {};  // version 1: none
  return copy(from.take(static_cast<std::size_t>(bytes)));
}

std::vector<hdf5_step> take_filters(taker from) {
  std::uint64_t const version = from.number(1), count = from.number(1);
  if (version == 1)
    from.take(6);
  else if (version != 2)
    throw_unsupported("a list of filters of another version than 1 and 2");
  if (count > 32) throw_damaged("a dataset has more than 32 filters");
  std::vector<hdf5_step> all;
  for (std::uint64_t i = 0; i < count; ++i) {
    hdf5_step s{.id = static_cast<int>(from.number(2))};
    std::size_t const name =
        version == 1 || s.id >= 256 ? static_cast<std::size_t>(from.number(2)) : 0;
    from.take(2);
    std::uint64_t const values = from.number(2);
    from.take(version == 1 ? (name + 7) / 8 * 8 : name);
    for (std::uint64_t k = 0; k < values; ++k)
      s.values.push_back(static_cast<std::uint32_t>(from.number(4)));
    if (version == 1 && values % 2 == 1) from.take(std::min<std::size_t>(4, from.left()));
    all.push_back(std::move(s));
  }
  return all;
}

// Takes the sides of a chunk. The last number is the size of an element.
void take_chunk(taker& from, std::size_t rank, int bytes, hdf5_place& p) {
  if (rank < 2) throw_damaged("a chunk has no dimension");
  for (std::size_t k = 0; k + 1 < rank; ++k) {
    p.chunk.push_back(from.count(bytes));
    if (p.chunk.back() < 1) throw_damaged("a chunk has a side without elements");
  }
  from.take(static_cast<std::size_t>(bytes));
}

void take_chunk_index(taker& from, hdf5_place& p) {
  std::uint64_t const flags = from.number(1);
  auto const rank = static_cast<std::size_t>(from.number(1));
  int const bytes = static_cast<int>(from.number(1));
  if (bytes < 1 || bytes > 8)
    throw_damaged("the sides of a chunk have " + std::to_string(bytes) + " bytes");
  take_chunk(from, rank, bytes, p);
  if ((flags & 1) != 0 && !p.steps.empty())
    throw_unsupported("a dataset whose filters leave out the chunks at its borders");
  switch (from.number(1)) {
    case 1:
      p.what = hdf5_place::kind::single;
      p.chunks.resize(1);
      p.chunks[0].bytes = -1;  // all of it
      if ((flags & 2) != 0) {
        p.chunks[0].bytes = from.count(8);
        p.chunks[0].left_out = static_cast<std::uint32_t>(from.number(4));
      }
      p.chunks[0].address = from.address();
      p.address = p.chunks[0].address;
      return;
    case 2:
      p.what = hdf5_place::kind::implicit;
      break;
    case 3:
      p.what = hdf5_place::kind::fixed_array;
      from.take(1);
      break;
    case 4:
      throw_unsupported(
          "chunks in an extensible array (of a dataset with one unlimited dimension)");
    case 5:
      throw_unsupported(
          "chunks in a B-tree of version 2 (of a dataset with several unlimited dimensions)");
    default:
      throw_unsupported("an index of chunks of an unknown kind");
  }
  p.address = from.address();
}

// Takes the layout of the first versions, whose dimensions stand before the data.
void take_old_layout(taker& from, hdf5_place& p, std::int64_t bytes) {
  auto const rank = static_cast<std::size_t>(from.number(1));
  std::uint64_t const kind = from.number(1);
  from.take(5);
  if (kind != 0) p.address = from.address();
  p.bytes = bytes;
  if (kind == 2) {
    take_chunk(from, rank, 4, p);
    p.what = hdf5_place::kind::tree;
    return;
  }
  from.take(4 * rank);
  if (kind != 0) return;
  p.what = hdf5_place::kind::compact;
  p.compact = copy(from.take(static_cast<std::size_t>(from.number(4))));
}

void take_layout(taker from, hdf5_place& p, std::int64_t bytes) {
  std::uint64_t const version = from.number(1);
  if (version == 1 || version == 2) return take_old_layout(from, p, bytes);
  if (version < 3 || version > 5)
    throw_unsupported("a layout of version " + std::to_string(version));
  std::uint64_t const kind = from.number(1);
  if (kind == 0) {
    p.what = hdf5_place::kind::compact;
    p.compact = copy(from.take(static_cast<std::size_t>(from.number(2))));
  } else if (kind == 1) {
    p.address = from.address();
    p.bytes = from.count(8);
  } else if (kind == 2 && version == 3) {
    auto const rank = static_cast<std::size_t>(from.number(1));
    p.address = from.address();
    take_chunk(from, rank, 4, p);
    p.what = hdf5_place::kind::tree;
  } else if (kind == 2) {
    take_chunk_index(from, p);
  } else {
    throw_unsupported(kind == 3 ? "a virtual dataset" : "a layout of an unknown class");
  }
}

// Checks that the place fits the shape, and gives chunks the dimensions of an array as an element.
void check(metadata const& file, hdf5_dataset const& d, std::size_t inner, hdf5_place& p) {
  std::int64_t bytes = d.type.bytes;
  for (std::int64_t const n : d.shape)
    if (__builtin_mul_overflow(bytes, n, &bytes) || bytes >> 61 != 0)
      throw_damaged("the dataset is larger than any file");
  if (p.is_chunked()) {
    p.inner = static_cast<std::int64_t>(inner);
    for (std::size_t k = d.shape.size() - inner; k < d.shape.size(); ++k) {
      p.chunk.push_back(d.shape[k]);
      p.most.push_back(d.shape[k]);
    }
    if (p.chunk.size() != d.shape.size() || p.most.size() != d.shape.size())
      throw_damaged("the chunks have another number of dimensions than the dataset");
    std::int64_t const chunk = chunk_bytes_of(p, d.type.bytes);
    if (chunk <= 0 || chunk > std::int64_t{1} << 32)
      throw_damaged("a chunk has more than 4 GiB, or nothing");
    return;
  }
  if (p.what == hdf5_place::kind::compact) {
    if (std::ssize(p.compact) != bytes || bytes > most_compact_bytes)
      throw_damaged("the compact data has another size than the dataset");
    return;
  }
  if (p.address < 0) return;
  if (p.bytes < bytes) throw_damaged("the data has fewer bytes than the dataset");
  p.bytes = bytes;
  if (bytes > file.file_bytes() - std::min(p.address, file.file_bytes()))
    throw_damaged("the data of the dataset reaches beyond the end of the file");
}

}  // namespace

void take_dataset(metadata const& file, std::vector<found_message> const& object, hdf5_dataset& d,
                  hdf5_place& p) {
  auto const need = [&](message kind, char const* name) -> found_message const& {
    found_message const* const m = find(object, kind);
    if (!m) throw_damaged(std::string("a dataset has no ") + name);
    return *m;
  };
  found_message const& space = need(message::dataspace, "shape");
  if (space.shared) throw_unsupported("a shared shape");
  taker shape(space.content, "the shape of a dataset");
  found_space s = take_dataspace(shape);
  if (s.is_null) s.shape = {0};
  d.shape = s.shape;
  p.most = s.most.empty() || s.is_null ? s.shape : s.most;
  file_type t = datatype_of(file, need(message::datatype, "datatype"));
  d.type = std::move(t.type);
  d.shape.insert(d.shape.end(), t.inner.begin(), t.inner.end());
  if (t.what == file_type::special::text) throw_unsupported("texts of any length as elements");
  if (t.what != file_type::special::none) throw_unsupported("references as elements");
  if (find(object, message::external_files)) throw_unsupported("a dataset in other files");
  if (found_message const* const f = find(object, message::fill_value))
    p.fill_value = take_fill_value(taker(f->content, "a fill value"));
  else if (found_message const* const old = find(object, message::old_fill_value)) {
    taker from(old->content, "a fill value");
    p.fill_value = copy(from.take(static_cast<std::size_t>(from.number(4))));
  }
  if (found_message const* const f = find(object, message::filters)) {
    if (f->shared) throw_unsupported("a shared list of filters");
    p.steps = take_filters(taker(f->content, "a list of filters"));
  }
  std::int64_t bytes = d.type.bytes;
  for (std::int64_t const n : d.shape)
    if (__builtin_mul_overflow(bytes, n, &bytes))
      throw_damaged("the dataset is larger than any file");
  take_layout(taker(need(message::layout, "layout").content, "a layout"), p, bytes);
  check(file, d, t.inner.size(), p);
  std::int64_t one = d.type.bytes;  // a fill value, which is an array if the elements are
  for (std::int64_t const n : t.inner) one *= n;
  if (!p.fill_value.empty() && std::ssize(p.fill_value) != one)
    throw_damaged("the fill value has another size than an element");
  if (!t.inner.empty() &&
      std::ranges::any_of(p.fill_value, [](std::byte b) { return b != std::byte{0}; }))
    throw_unsupported("a fill value of arrays as elements");
  if (!t.inner.empty()) p.fill_value.clear();
  if (!p.is_chunked()) return;
  d.options.chunks = p.chunk;
  if (!s.most.empty() && s.most[0] >= 0) d.options.most = s.most[0];
  for (hdf5_step const& step : p.steps) d.options.filters.push_back(filter_of(step));
}

}  // namespace argosy::detail::hdf5
