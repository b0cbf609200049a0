// Implements datatype.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace argosy::detail::hdf5 {

namespace {

// The classes of datatypes, by their numbers in the file.
enum : unsigned {
  integer_class,
  float_class,
  time_class,
  text_class,
  bits_class,
  opaque_class,
  record_class,
  reference_class,
  enumeration_class,
  list_class,
  array_class,
  complex_class
};

constexpr unsigned written_version = 3;
constexpr int deepest = 16;  // nested types

void put_start(writer& to, unsigned type_class, unsigned flags, std::int64_t bytes) {
  to.number(written_version << 4 | type_class, 1).number(flags, 3);
  to.number(static_cast<std::uint64_t>(bytes), 4);
}

// The bits of a floating-point number: sign, exponent and mantissa.
struct float_form {
  std::int64_t bytes;
  unsigned sign, exponent_at, exponent_bits, mantissa_bits;
  std::uint32_t bias;
};
constexpr float_form float_forms[] = {
    {2, 15, 10, 5, 10, 15}, {4, 31, 23, 8, 23, 127}, {8, 63, 52, 11, 52, 1023}};

void put_integer(writer& to, std::int64_t bytes, bool is_signed, bool big_endian) {
  put_start(to, integer_class, (big_endian ? 1u : 0u) | (is_signed ? 8u : 0u), bytes);
  to.number(0, 2).number(static_cast<std::uint64_t>(8 * bytes), 2);
}

void put_float(writer& to, std::int64_t bytes, bool big_endian) {
  auto const form = std::ranges::find(float_forms, bytes, &float_form::bytes);
  if (form == std::end(float_forms))
    throw unreadable{{errc::datatype,
                      "HDF5 files of this library have no floating-point numbers of " +
                          std::to_string(bytes) + " bytes",
                      "use float or double"}};
  constexpr unsigned implied_bit = 2u << 4;
  put_start(to, float_class, (big_endian ? 1u : 0u) | implied_bit | form->sign << 8, bytes);
  to.number(0, 2).number(static_cast<std::uint64_t>(8 * bytes), 2);
  to.number(form->exponent_at, 1).number(form->exponent_bits, 1);
  to.number(0, 1).number(form->mantissa_bits, 1).number(form->bias, 4);
}

// A truth is an enumeration, as h5py and netCDF-4 have it.
void put_bool(writer& to) {
  put_start(to, enumeration_class, 2, 1);
  put_integer(to, 1, true, false);
  to.text("FALSE").number(0, 1).text("TRUE").number(0, 1).number(0, 1).number(1, 1);
}

void put_member(writer& to, std::string_view name, std::int64_t offset, std::int64_t record) {
  to.text(name).number(0, 1);
  to.number(static_cast<std::uint64_t>(offset), bytes_for(static_cast<std::uint64_t>(record)));
}

void put_record(writer& to, dtype const& type) {
  if (type.fields.size() > 0xffff)
    throw unreadable{{errc::datatype, "a record has more than 65535 fields"}};
  put_start(to, record_class, static_cast<unsigned>(type.fields.size()), type.bytes);
  for (dtype_field const& f : type.fields) {
    put_member(to, f.name, f.offset, type.bytes);
    if (!f.shape.empty()) {
      std::int64_t all = f.type.bytes;
      for (std::int64_t const n : f.shape) all *= n;
      put_start(to, array_class, 0, all);
      to.number(f.shape.size(), 1);
      for (std::int64_t const n : f.shape) to.number(static_cast<std::uint64_t>(n), 4);
    }
    put_datatype(to, f.type);
  }
}

file_type take(taker& from, int depth);

dtype plain(taker& from, int depth) {
  file_type t = take(from, depth);
  if (t.what != file_type::special::none)
    throw_unsupported("a record with references or texts of any length");
  if (!t.inner.empty()) throw_unsupported("arrays inside of arrays");
  return std::move(t.type);
}

char order_of(unsigned flags, std::int64_t bytes) {
  if (bytes == 1) return '|';
  return (flags & 1) != 0 ? '>' : '<';
}

dtype take_integer(taker& from, unsigned flags, std::int64_t bytes) {
  std::uint64_t const offset = from.number(2), precision = from.number(2);
  bool const usual = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  if (!usual || offset != 0 || precision != static_cast<std::uint64_t>(8 * bytes))
    throw_unsupported("an integer with unused bits, or of " + std::to_string(bytes) + " bytes");
  return {.kind = (flags & 8) != 0 ? 'i' : 'u',
          .order = order_of(flags, bytes),
          .bytes = bytes,
          .fields = {}};
}

dtype take_float(taker& from, unsigned flags, std::int64_t bytes) {
  std::uint64_t const offset = from.number(2), precision = from.number(2);
  unsigned const exponent_at = static_cast<unsigned>(from.number(1)),
                 exponent_bits = static_cast<unsigned>(from.number(1));
  std::uint64_t const mantissa_at = from.number(1), mantissa_bits = from.number(1),
                      bias = from.number(4);
  if ((flags & 0x40) != 0) throw_unsupported("floating-point numbers in the order of a VAX");
  auto const form = std::ranges::find(float_forms, bytes, &float_form::bytes);
  if (form == std::end(float_forms) || offset != 0 ||
      precision != static_cast<std::uint64_t>(8 * bytes) || (flags >> 8 & 0xff) != form->sign ||
      exponent_at != form->exponent_at || exponent_bits != form->exponent_bits ||
      mantissa_at != 0 || mantissa_bits != form->mantissa_bits || bias != form->bias)
    throw_unsupported("a floating-point number of " + std::to_string(bytes) +
                      " bytes that is none of IEEE 754");
  return {.kind = 'f', .order = order_of(flags, bytes), .bytes = bytes, .fields = {}};
}

// Returns the type of complex numbers, as h5py names their parts, or the record itself.
dtype complex_or_record(dtype record) {
  std::vector<dtype_field> const& f = record.fields;
  bool const both = f.size() == 2 && f[0].name == "r" && f[1].name == "i" &&
                    f[0].type == f[1].type && f[0].type.kind == 'f' && f[0].type.bytes >= 4 &&
                    f[0].shape.empty() && f[1].shape.empty() && f[0].offset == 0 &&
                    f[1].offset == f[0].type.bytes && record.bytes == 2 * f[1].offset;
  if (!both) return record;
  return {.kind = 'c', .order = f[0].type.order, .bytes = record.bytes, .fields = {}};
}

// Takes the dimensions that an early version of members has, without their padding.
std::vector<std::int64_t> take_member_shape(taker& from) {
  auto const rank = static_cast<std::size_t>(from.number(1));
  from.take(11);  // reserved bytes, and an order of dimensions that no program has used
  std::vector<std::int64_t> shape;
  for (std::size_t i = 0; i < 4; ++i) {
    std::int64_t const n = from.count(4);
    if (i < rank) shape.push_back(n);
  }
  if (rank > 4) throw_damaged("a member of a record has " + std::to_string(rank) + " dimensions");
  return shape;
}

dtype take_record(taker& from, unsigned number, std::uint64_t how, std::int64_t bytes, int depth) {
  dtype record{.kind = 'r', .order = '|', .bytes = bytes, .fields = {}};
  for (std::uint64_t i = 0; i < number; ++i) {
    dtype_field f;
    f.name = from.text(how < 3 ? 8 : 1);
    f.offset = from.count(how < 3 ? 4 : bytes_for(static_cast<std::uint64_t>(bytes)));
    if (how == 1) f.shape = take_member_shape(from);
    file_type t = take(from, depth + 1);
    if (t.what != file_type::special::none)
      throw_unsupported("a record with references or with texts of any length");
    f.shape.insert(f.shape.end(), t.inner.begin(), t.inner.end());
    f.type = std::move(t.type);
    std::int64_t end = f.type.bytes;
    bool fits = true;
    for (std::int64_t const n : f.shape) fits = fits && !__builtin_mul_overflow(end, n, &end);
    if (!fits || __builtin_add_overflow(end, f.offset, &end) || end > bytes)
      throw_damaged("the field '" + f.name + "' reaches beyond its record");
    record.fields.push_back(std::move(f));
  }
  std::ranges::sort(record.fields, {}, &dtype_field::offset);
  for (std::size_t i = 1; i < record.fields.size(); ++i) {
    dtype_field const& before = record.fields[i - 1];
    std::int64_t end = before.type.bytes;
    for (std::int64_t const n : before.shape) end *= n;
    if (before.offset + end > record.fields[i].offset)
      throw_unsupported("a record whose fields overlap");
  }
  return complex_or_record(std::move(record));
}

dtype take_enumeration(taker& from, unsigned number, std::uint64_t how, int depth) {
  dtype base = plain(from, depth + 1);
  if (base.kind != 'i' && base.kind != 'u')
    throw_damaged("the base of an enumeration is no integer");
  std::vector<std::string> names;
  for (unsigned i = 0; i < number; ++i) names.push_back(from.text(how < 3 ? 8 : 1));
  auto const values = from.take(number * static_cast<std::size_t>(base.bytes));
  bool const truth = base.bytes == 1 && names == std::vector<std::string>{"FALSE", "TRUE"} &&
                     values[0] == std::byte{0} && values[1] == std::byte{1};
  if (truth) return {.kind = 'b', .order = '|', .bytes = 1, .fields = {}};
  return base;
}

file_type take_array(taker& from, std::uint64_t how, std::int64_t bytes, int depth) {
  auto const rank = static_cast<std::size_t>(from.number(1));
  if (how < 3) from.take(3);
  if (rank > 32)
    throw_damaged("an array as an element has " + std::to_string(rank) + " dimensions");
  file_type t;
  std::int64_t all = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    t.inner.push_back(from.count(4));
    if (__builtin_mul_overflow(all, t.inner.back(), &all))
      throw_damaged("an array as an element is too large");
  }
  if (how < 3) from.take(4 * rank);  // an order of dimensions that no program has used
  file_type inner = take(from, depth + 1);
  if (inner.what != file_type::special::none)
    throw_unsupported("arrays of references or of texts of any length");
  t.inner.insert(t.inner.end(), inner.inner.begin(), inner.inner.end());
  for (std::int64_t const n : inner.inner)
    if (__builtin_mul_overflow(all, n, &all)) throw_damaged("an array as an element is too large");
  t.type = std::move(inner.type);
  if (__builtin_mul_overflow(all, t.type.bytes, &all) || all != bytes)
    throw_damaged("an array as an element has another size than its items");
  return t;
}

file_type take_list(taker& from, unsigned flags, int depth) {
  file_type const base = take(from, depth + 1);
  if ((flags & 0xf) == 1)
    return {{.kind = 'S', .bytes = 16, .fields = {}}, {}, file_type::special::text};
  if (base.what == file_type::special::references)
    return {{.kind = 'V', .bytes = 16, .fields = {}}, {}, file_type::special::list_of_references};
  throw_unsupported("lists of any length as elements");
}

file_type take(taker& from, int depth) {
  if (depth > deepest) throw_damaged("a datatype is nested more than 16 times");
  auto const first = static_cast<unsigned>(from.number(1)),
             flags = static_cast<unsigned>(from.number(3));
  std::uint64_t const how = first >> 4;
  std::int64_t const bytes = from.count(4);
  if (how < 1 || how > 5) throw_unsupported("version " + std::to_string(how) + " of datatypes");
  if (bytes == 0) throw_damaged("a datatype has no bytes");
  switch (first & 0xf) {
    case integer_class:
      return {take_integer(from, flags, bytes)};
    case float_class:
      return {take_float(from, flags, bytes)};
    case time_class:
      throw_unsupported("the datatype of times");
    case text_class:
      return {{.kind = 'S', .bytes = bytes, .fields = {}}};
    case bits_class:
      throw_unsupported("the datatype of bit fields");
    case opaque_class:
      from.take(flags & 0xff);  // a tag
      return {{.kind = 'V', .bytes = bytes, .fields = {}}};
    case record_class:
      return {take_record(from, flags & 0xffff, how, bytes, depth)};
    case reference_class:
      if ((flags & 0xf) != 0 || bytes != 8) throw_unsupported("references to parts of datasets");
      return {{.kind = 'V', .bytes = 8, .fields = {}}, {}, file_type::special::references};
    case enumeration_class:
      return {take_enumeration(from, flags & 0xffff, how, depth)};
    case list_class:
      return take_list(from, flags, depth);
    case array_class:
      return take_array(from, how, bytes, depth);
    case complex_class: {
      dtype const part = plain(from, depth + 1);
      if (part.kind != 'f' || part.bytes < 4 || bytes != 2 * part.bytes)
        throw_unsupported("complex numbers of other parts than float and double");
      return {{.kind = 'c', .order = part.order, .bytes = bytes, .fields = {}}};
    }
    default:
      throw_unsupported("datatypes of class " + std::to_string(first & 0xf));
  }
}

}  // namespace

void put_datatype(writer& to, dtype const& type) {
  bool const big_endian = type.order == '>';
  if (type.bytes <= 0 || type.bytes > std::numeric_limits<std::uint32_t>::max())
    throw unreadable{
        {errc::datatype, "HDF5 has no elements of " + std::to_string(type.bytes) + " bytes"}};
  switch (type.kind) {
    case 'b':
      return put_bool(to);
    case 'i':
    case 'u':
      return put_integer(to, type.bytes, type.kind == 'i', big_endian);
    case 'f':
      return put_float(to, type.bytes, big_endian);
    case 'c':
      put_start(to, record_class, 2, type.bytes);
      put_member(to, "r", 0, type.bytes);
      put_float(to, type.bytes / 2, big_endian);
      put_member(to, "i", type.bytes / 2, type.bytes);
      return put_float(to, type.bytes / 2, big_endian);
    case 'r':
      return put_record(to, type);
    case 'S':
      return put_text(to, type.bytes, text_end::zeros, false);
    case 'V':
      return put_start(to, opaque_class, 0, type.bytes);
    default:
      throw unreadable{{errc::datatype, "HDF5 has no datatype for " + to_string(type)}};
  }
}

void put_text(writer& to, std::int64_t bytes, text_end end, bool utf_8) {
  put_start(to, text_class, (end == text_end::zeros ? 1u : 0u) | (utf_8 ? 1u << 4 : 0u), bytes);
}

void put_reference(writer& to) { put_start(to, reference_class, 0, 8); }

void put_list_of_references(writer& to) {
  put_start(to, list_class, 0, 16);
  put_reference(to);
}

void put_reference_and_dimension(writer& to) {
  constexpr std::int64_t bytes = 16;  // the library of HDF5 writes a gap, too
  put_start(to, record_class, 2, bytes);
  put_member(to, "dataset", 0, bytes);
  put_reference(to);
  put_member(to, "dimension", 8, bytes);
  put_integer(to, 4, true, false);
}

file_type take_datatype(taker& from) { return take(from, 0); }

}  // namespace argosy::detail::hdf5
