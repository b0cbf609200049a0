// The metadata of a new file, in its first bytes.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <utility>

#include <argosy/format/detail/hdf5/hdf5_file.hpp>

#include "../literal.hpp"
#include "bytes.hpp"
#include "datatype.hpp"
#include "filters.hpp"
#include "messages.hpp"
#include "objects.hpp"

namespace argosy::detail {

using namespace hdf5;

namespace {

constexpr std::int64_t superblock_bytes = 48, page = 4096;
constexpr std::int64_t usual_chunk_bytes = std::int64_t{1} << 20;
constexpr std::int64_t most_chunk_bytes = (std::int64_t{1} << 32) - 1;
// The index of more chunks would be large on each rank.
constexpr std::int64_t most_chunks = std::int64_t{1} << 26;

std::int64_t rounded(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

// An index of no chunks is not written.
bool has_index(hdf5_place const& p) {
  return p.what == hdf5_place::kind::fixed_array && chunks_of(p) > 0;
}

// Encodes the metadata. Addresses are those of the last call of place(), so the sizes of all parts
// are known before their addresses.
class head_writer {
 public:
  explicit head_writer(hdf5_file const& f)
      : file_(f), objects_(objects_of(f.content)), addresses_(objects_.size()) {
    for (object const& o : objects_) references_ += static_cast<std::int64_t>(o.scales.size());
    put_in_order(0);
  }

  // Gives all parts their addresses, one behind the other. Sets the places' headers and indices.
  // Returns the end.
  std::int64_t place(std::vector<hdf5_place>& places);
  std::vector<std::byte> bytes() const;

 private:
  void put_in_order(std::size_t group);
  std::vector<std::byte> header(std::size_t i) const;
  void add_group(header_writer& to, object const& o) const;
  void add_dataset(header_writer& to, object const& o) const;
  void add_scale(header_writer& to, object const& o) const;
  void add_scale_names(header_writer& to, object const& o) const;
  std::vector<std::byte> heap() const;
  // Returns the number of a dataset's first reference in the heap.
  std::int64_t first_reference(object const& o) const {
    std::int64_t n = 0;
    for (object const& before : objects_) {
      if (&before == &o) break;
      n += static_cast<std::int64_t>(before.scales.size());
    }
    return n;
  }
  std::uint64_t address(std::size_t object) const {
    return static_cast<std::uint64_t>(addresses_[object]);
  }

  hdf5_file const& file_;
  std::vector<object> objects_;
  std::vector<std::size_t> order_;       // objects in the order of their headers in the file
  std::vector<std::int64_t> addresses_;  // addresses of object headers
  std::int64_t references_ = 0, heap_ = 0;
};

// Puts a group, its datasets, and then the groups in it. Groups with attributes come first. What
// changes together is thus mostly in the first block, which is written at once.
void head_writer::put_in_order(std::size_t group) {
  order_.push_back(group);
  auto const is_group = [&](std::size_t i) { return objects_[i].what == object::kind::group; };
  auto const has_attributes = [&](std::size_t i) {
    return objects_[i].has_number && !file_.content.groups[objects_[i].number].attributes.empty();
  };
  std::vector<std::size_t> const& children = objects_[group].children;
  for (std::size_t const i : children)
    if (!is_group(i)) order_.push_back(i);
  for (bool const first : {true, false})
    for (std::size_t const i : children)
      if (is_group(i) && has_attributes(i) == first) put_in_order(i);
}

std::int64_t head_writer::place(std::vector<hdf5_place>& places) {
  std::int64_t end = superblock_bytes;
  for (std::size_t const i : order_) {
    std::int64_t const bytes = std::ssize(header(i));
    // A header that fits in a block is in one, so that a change of it is written at once.
    if (bytes <= page && end / page != (end + bytes - 1) / page) end = rounded(end, page);
    addresses_[i] = end;
    if (objects_[i].what == object::kind::dataset) places[objects_[i].number].header = end;
    end = rounded(end + bytes, 8);
  }
  heap_ = end;
  if (references_ > 0) end += std::ssize(heap());
  for (object const& o : objects_) {
    if (o.what != object::kind::dataset || !has_index(places[o.number])) continue;
    hdf5_place& p = places[o.number];
    p.address = end;
    std::int64_t const element = file_.content.datasets[o.number].type.bytes;
    end = rounded(end + std::ssize(fixed_array::of(p, element).bytes(end, {})), 8);
  }
  return end;
}

void head_writer::add_group(header_writer& to, object const& o) const {
  to.add(message::link_info, link_info_of(std::ssize(o.children)));
  to.add(message::group_info, std::vector<std::byte>(2));
  std::int64_t order = 0;
  for (std::size_t const child : o.children)
    to.add(message::link, link_to(objects_[child].name(), addresses_[child], order++));
  if (o.has_number)
    for (hdf5_attribute const& a : file_.content.groups[o.number].attributes)
      to.add(message::attribute, attribute_of(a));
}

void head_writer::add_dataset(header_writer& to, object const& o) const {
  hdf5_dataset const& d = file_.content.datasets[o.number];
  hdf5_place const& p = file_.places[o.number];
  bool const grows = d.options.most > 0;
  to.add(message::dataspace,
         dataspace_of(d.shape, grows ? std::span(p.most) : std::span<std::int64_t const>()));
  writer type;
  put_datatype(type, d.type);
  to.add(message::datatype, type.all());
  to.add(message::fill_value, fill_value_of(p));
  to.add(message::layout, layout_of_data(p, d.type.bytes));
  if (!p.steps.empty()) to.add(message::filters, filters_of(p.steps));
  for (hdf5_attribute const& a : d.options.attributes) to.add(message::attribute, attribute_of(a));
  add_scale_names(to, o);
}

// A scale without values is a dataset without data, as netCDF-4 writes it.
void head_writer::add_scale(header_writer& to, object const& o) const {
  to.add(message::dataspace, dataspace_of(std::span(&o.length, 1)));
  writer type;
  put_datatype(type, {.kind = 'f', .order = '>', .bytes = 4, .fields = {}});
  to.add(message::datatype, type.all());
  hdf5_place const none{.bytes = 4 * o.length};
  to.add(message::fill_value, fill_value_of(none));
  to.add(message::layout, layout_of_data(none, 4));
  add_scale_names(to, o);
}

// Adds the attributes by which scales and datasets know each other.
void head_writer::add_scale_names(header_writer& to, object const& o) const {
  auto const add_text = [&](char const* name, std::string text) {
    text += '\0';
    writer type;
    put_text(type, std::ssize(text), text_end::zero, false);
    to.add(message::attribute, raw_attribute(name, type.all(), {}, std::as_bytes(std::span(text))));
  };
  if (!o.uses.empty()) {
    add_text("CLASS", "DIMENSION_SCALE");
    std::string const length = std::to_string(o.length);
    std::string const padded =
        std::string(10 - std::min<std::size_t>(10, length.size()), ' ') + length;
    add_text("NAME", o.what == object::kind::scale ? std::string(no_coordinates) + padded
                                                   : std::string(o.name()));
    writer type, value;
    std::int64_t uses = 0;
    put_reference_and_dimension(type);
    for (scale_use const& u : o.uses) {
      if (objects_[u.object].scales.empty()) continue;  // its own scale
      value.number(address(u.object), 8)
          .number(static_cast<std::uint64_t>(u.dimension), 4)
          .number(0, 4);
      ++uses;
    }
    if (uses > 0)
      to.add(message::attribute,
             raw_attribute("REFERENCE_LIST", type.all(), std::span(&uses, 1), value.all()));
  }
  if (o.scales.empty()) return;
  writer type, value;
  put_list_of_references(type);
  auto index = static_cast<std::uint64_t>(first_reference(o)) + 1;
  for (std::size_t k = 0; k < o.scales.size(); ++k)
    value.number(1, 4).number(static_cast<std::uint64_t>(heap_), 8).number(index++, 4);
  auto const dimensions = std::ssize(o.scales);
  std::int64_t const shape = dimensions;
  to.add(message::attribute,
         raw_attribute("DIMENSION_LIST", type.all(), std::span(&shape, 1), value.all()));
}

// Returns the heap that has the references to scales, one in each of its objects.
std::vector<std::byte> head_writer::heap() const {
  constexpr std::int64_t start_bytes = 16, object_bytes = 24;
  std::int64_t const used = start_bytes + object_bytes * references_,
                     all = std::max(page, rounded(used + 16, 8));
  if (references_ > 0xffff)
    throw unreadable{{errc::unsupported, "the datasets have more than 65535 names of dimensions"}};
  writer to;
  to.text("GCOL").number(1, 4).number(static_cast<std::uint64_t>(all), 8);
  std::uint64_t index = 1;
  for (object const& o : objects_)
    for (std::size_t const scale : o.scales)
      to.number(index++, 2).number(0, 6).number(8, 8).number(address(scale), 8);
  to.number(0, 8).number(static_cast<std::uint64_t>(all - used), 8);  // the rest is free
  to.all().resize(static_cast<std::size_t>(all));
  return std::move(to.all());
}

std::vector<std::byte> head_writer::header(std::size_t i) const {
  header_writer to;
  object const& o = objects_[i];
  if (o.what == object::kind::group) add_group(to, o);
  if (o.what == object::kind::dataset) add_dataset(to, o);
  if (o.what == object::kind::scale) add_scale(to, o);
  return std::move(to).finish();
}

std::vector<std::byte> head_writer::bytes() const {
  writer to;
  to.text("\x89HDF\r\n\x1a\n").number(2, 1).number(8, 1).number(8, 1).number(0, 1);
  to.number(0, 8).number(undefined, 8).number(static_cast<std::uint64_t>(file_.end), 8);
  to.number(address(0), 8).checksum();
  for (std::size_t const i : order_) {
    to.all().resize(address(i));
    to.bytes(header(i)).pad(8);
  }
  if (references_ > 0) to.bytes(heap());
  for (object const& o : objects_) {
    if (o.what != object::kind::dataset || !has_index(file_.places[o.number])) continue;
    hdf5_place const& p = file_.places[o.number];
    std::int64_t const element = file_.content.datasets[o.number].type.bytes;
    to.bytes(fixed_array::of(p, element).bytes(p.address, p.chunks)).pad(8);
  }
  return std::move(to.all());
}

[[noreturn]] void refuse(hdf5_dataset const& d, std::string words, std::string advice = {}) {
  throw unreadable{{errc::argument, "'" + d.name + "': " + std::move(words), std::move(advice)}};
}

// Chooses chunks of about 1 MiB: whole rows, as many as fit.
std::vector<std::int64_t> usual_chunk(hdf5_dataset const& d) {
  std::vector<std::int64_t> chunk = d.shape;
  std::int64_t bytes = d.type.bytes;
  for (std::size_t k = chunk.size(); k-- > 0;) {
    std::int64_t const fit =
        std::max<std::int64_t>(1, usual_chunk_bytes / std::max<std::int64_t>(1, bytes));
    chunk[k] = std::clamp<std::int64_t>(chunk[k], 1, fit);
    bytes *= chunk[k];
  }
  if (d.options.most > 0) chunk[0] = 1;  // a step is written by itself
  return chunk;
}

void plan_chunks(hdf5_dataset const& d, hdf5_place& p) {
  p.chunk = d.options.chunks.empty() ? usual_chunk(d) : d.options.chunks;
  p.most = d.shape;
  if (d.shape.empty()) refuse(d, "an array without dimensions has no chunks");
  if (p.chunk.size() != d.shape.size())
    refuse(d, "the array has " + std::to_string(d.shape.size()) + " dimensions, and a chunk " +
                  std::to_string(p.chunk.size()));
  if (d.options.most > 0) p.most[0] = d.options.most;
  if (p.most[0] < d.shape[0]) refuse(d, "the array has more elements than `most` says");
  for (std::int64_t const n : p.chunk)
    if (n < 1 || n > std::numeric_limits<std::uint32_t>::max())
      refuse(d, "a side of a chunk has " + std::to_string(n) + " elements");
  std::int64_t const bytes = chunk_bytes_of(p, d.type.bytes), chunks = chunks_of(p);
  if (bytes < 0 || bytes > most_chunk_bytes)
    refuse(d, "a chunk has 4 GiB or more", "give smaller chunks");
  p.what = d.options.filters.empty() ? hdf5_place::kind::implicit : hdf5_place::kind::fixed_array;
  if (chunks < 0 || __builtin_mul_overflow(chunks, bytes, &p.bytes) || p.bytes >> 61 != 0)
    refuse(d, "all chunks together have 2^61 bytes or more");
  if (!d.options.filters.empty() && chunks > most_chunks)
    refuse(d, std::to_string(chunks) + " chunks are too many for an index", "give larger chunks");
  for (hdf5_filter const& f : d.options.filters) {
    if (!f.is_available())
      throw unreadable{{errc::unsupported,
                        "'" + d.name + "': this build has no filter " + std::string(f.name())}};
    p.steps.push_back(step_of(f, d.type.bytes));
  }
  if (p.what == hdf5_place::kind::fixed_array) {
    p.chunks.resize(static_cast<std::size_t>(chunks));
    p.has_chunks = true;
  }
}

hdf5_place planned(hdf5_dataset const& d) {
  hdf5_place p;
  hdf5_options const& how = d.options;
  if (how.most < 0) refuse(d, "`most` is negative");
  if (!how.chunks.empty() || !how.filters.empty() || how.most > 0) {
    plan_chunks(d, p);
    return p;
  }
  p.bytes = d.type.bytes;
  for (std::int64_t const n : d.shape)
    if (n < 0 || __builtin_mul_overflow(p.bytes, n, &p.bytes) || p.bytes >> 61 != 0)
      refuse(d, "the array is larger than any file");
  return p;
}

}  // namespace

failure plan_hdf5(hdf5_content const& content, hdf5_file& into) {
  return failure_in([&] {
    into = {};
    into.content = content;
    for (hdf5_dataset& d : into.content.datasets) {
      if (d.shape.size() > 32) refuse(d, "HDF5 has at most 32 dimensions");
      into.places.push_back(planned(d));
      d.options.chunks = into.places.back().chunk;
    }
    head_writer head(into);
    std::vector<hdf5_place> placed = into.places;
    into.head_bytes = head.place(placed);
    std::int64_t end = rounded(into.head_bytes, page);
    for (hdf5_place& p : placed) {
      if (p.what == hdf5_place::kind::fixed_array) continue;
      if (p.bytes == 0) continue;  // no place is needed
      end = rounded(end, p.bytes < page ? 64 : page);
      p.address = end;
      if (__builtin_add_overflow(end, p.bytes, &end) || end >> 62 != 0)
        throw unreadable{{errc::argument, "the datasets are larger than any file together"}};
    }
    into.places = std::move(placed);
    into.end = end;
  });
}

std::vector<std::byte> hdf5_head_of(hdf5_file const& f) {
  head_writer head(f);
  std::vector<hdf5_place> placed = f.places;
  head.place(placed);
  return head.bytes();
}

}  // namespace argosy::detail
