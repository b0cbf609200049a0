// Shapes, types and attributes of objects of the file.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "reader.hpp"

namespace argosy::detail::hdf5 {

namespace {

constexpr std::int64_t most_attribute_bytes = std::int64_t{64} << 20;

// Returns the datatype of the object at the address in a shared message.
file_type shared_datatype(metadata const& file, taker from) {
  std::uint64_t const version = from.number(1), kind = from.number(1);
  if (version == 1) from.take(6);
  if (version > 1 && kind == 1) throw_unsupported("a datatype in the heap of shared messages");
  auto const object = messages_at(file, from.address());
  found_message const* const type = find(object, message::datatype);
  if (!type || type->shared) throw_damaged("a shared datatype is not where the file says");
  taker content(type->content, "a datatype");
  return take_datatype(content);
}

std::vector<std::byte> padded(taker& from, std::size_t bytes, bool pad) {
  auto const all = from.take(bytes);
  // The padding behind the last part may be missing.
  if (pad) from.take(std::min(from.left(), (8 - bytes % 8) % 8));
  return {all.begin(), all.end()};
}

// Makes texts of one length of texts that lie in heaps.
void take_texts(metadata const& file, hdf5_attribute& a) {
  std::vector<std::vector<std::byte>> all;
  std::size_t longest = 1;
  taker from(a.value, "the texts of an attribute");
  while (from.left() > 0) {
    std::uint64_t const length = from.number(4);
    std::int64_t const heap = from.address();
    std::uint64_t const index = from.number(4);
    std::vector<std::byte> text;
    if (length > 0 && heap > 0) text = heap_object(file, heap, index);
    text.resize(std::min<std::size_t>(text.size(), length));
    longest = std::max(longest, text.size());
    all.push_back(std::move(text));
  }
  if (longest * std::max<std::size_t>(1, all.size()) >
      static_cast<std::size_t>(most_attribute_bytes))
    throw_unsupported("an attribute of more than 64 MiB");
  a.type = {.kind = 'S', .bytes = static_cast<std::int64_t>(longest), .fields = {}};
  a.value.clear();
  for (std::vector<std::byte>& text : all) {
    text.resize(longest);
    a.value.insert(a.value.end(), text.begin(), text.end());
  }
}

found_attribute take_attribute(metadata const& file, taker from) {
  std::uint64_t const version = from.number(1), flags = from.number(1);
  if (version < 1 || version > 3) throw_unsupported("an attribute of another version than 1 to 3");
  auto const name_bytes = static_cast<std::size_t>(from.number(2)),
             type_bytes = static_cast<std::size_t>(from.number(2)),
             space_bytes = static_cast<std::size_t>(from.number(2));
  if (version == 3) from.take(1);
  bool const pad = version == 1;
  auto const name = padded(from, name_bytes, pad), type = padded(from, type_bytes, pad),
             space = padded(from, space_bytes, pad);
  if (version > 1 && (flags & 2) != 0) throw_unsupported("an attribute with a shared shape");
  found_attribute a;
  a.value.name = taker(name, "the name of an attribute").text();
  taker shape(space, "the shape of an attribute");
  found_space const s = take_dataspace(shape);
  file_type t = datatype_of(
      file, {static_cast<unsigned>(message::datatype), version > 1 && (flags & 1) != 0, type});
  a.value.shape = s.shape;
  a.value.shape.insert(a.value.shape.end(), t.inner.begin(), t.inner.end());
  a.value.type = std::move(t.type);
  a.what = t.what;
  std::int64_t bytes = s.is_null ? 0 : a.value.type.bytes;
  for (std::int64_t const n : a.value.shape)
    if (__builtin_mul_overflow(bytes, n, &bytes))
      throw_damaged("an attribute is larger than any file");
  if (s.is_null) a.value.shape = {0};
  auto const value = from.take(static_cast<std::size_t>(bytes));
  a.value.value.assign(value.begin(), value.end());
  if (a.what == file_type::special::text) {
    take_texts(file, a.value);
    a.what = file_type::special::none;
  }
  return a;
}

// Takes the attributes in a fractal heap.
void take_dense(metadata const& file, std::int64_t heap, std::int64_t names,
                std::vector<found_attribute>& all, failure& left_out) {
  for (std::vector<std::byte> const& m : dense_messages(file, heap, names, 0)) {
    failure why =
        failure_in([&] { all.push_back(take_attribute(file, taker(m, "an attribute"))); });
    if (why && why.code != errc::unsupported) throw unreadable{std::move(why)};
    left_out.keep(std::move(why));
  }
}

}  // namespace

found_space take_dataspace(taker& from) {
  std::uint64_t const version = from.number(1), rank = from.number(1), flags = from.number(1);
  found_space s;
  if (version == 1)
    from.take(5);
  else if (version == 2)
    s.is_null = from.number(1) == 2;
  else
    throw_unsupported("a shape of another version than 1 and 2");
  if (rank > 32) throw_damaged("a dataset has " + std::to_string(rank) + " dimensions");
  for (std::uint64_t i = 0; i < rank; ++i) s.shape.push_back(from.count(8));
  if ((flags & 1) != 0)
    for (std::uint64_t i = 0; i < rank; ++i) s.most.push_back(from.address());
  return s;
}

file_type datatype_of(metadata const& file, found_message const& m) {
  taker from(m.content, "a datatype");
  return m.shared ? shared_datatype(file, from) : take_datatype(from);
}

std::vector<found_attribute> attributes_of(metadata const& file,
                                           std::vector<found_message> const& object,
                                           failure& left_out) {
  std::vector<found_attribute> all;
  for (found_message const& m : object) {
    try {
      if (m.kind == static_cast<unsigned>(message::attribute)) {
        if (m.shared) throw_unsupported("an attribute in the heap of shared messages");
        all.push_back(take_attribute(file, taker(m.content, "an attribute")));
      } else if (m.kind == static_cast<unsigned>(message::attribute_info)) {
        taker from(m.content, "the information on attributes");
        from.take(1);
        if ((from.number(1) & 1) != 0) from.take(2);
        std::int64_t const heap = from.address(), names = from.address();
        if (heap >= 0) take_dense(file, heap, names, all, left_out);
      }
    } catch (unreadable const& x) {
      if (x.why.code != errc::unsupported) throw;
      left_out.keep(x.why);
    }
  }
  return all;
}

std::vector<std::byte> heap_object(metadata const& file, std::int64_t heap, std::uint64_t index) {
  constexpr std::string_view what = "a global heap";
  constexpr std::int64_t head_bytes = 16;
  auto const head = file.at(heap, head_bytes, what);
  taker from(head, what);
  from.expect("GCOL");
  from.take(4);
  std::int64_t const bytes = from.count(8);
  if (bytes < head_bytes) throw_damaged("a global heap has no room");
  auto const body = file.at(heap + head_bytes, bytes - head_bytes, what);
  taker objects(body, what);
  while (objects.left() >= 16) {
    std::uint64_t const number = objects.number(2);
    objects.take(6);
    auto const size = static_cast<std::size_t>(objects.count(8));
    if (number == 0) break;  // free from here on
    auto const data = objects.take(size);
    if (number == index) return {data.begin(), data.end()};
    objects.take(std::min(objects.left(), (8 - size % 8) % 8));
  }
  throw_damaged("a global heap has no object " + std::to_string(index));
}

}  // namespace argosy::detail::hdf5
