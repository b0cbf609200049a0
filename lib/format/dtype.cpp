// Implements format/dtype.hpp and dtype_text.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/dtype.hpp>

#include <algorithm>
#include <limits>

#include "dtype_text.hpp"

namespace argosy {

namespace {

using detail::literal;

// The meaning of the letter and the number of a type.
struct sized_kind {
  bool known = false;    // NumPy writes it
  bool ordered = false;  // its bytes have an order
  std::int64_t bytes = 0;
};

// Returns the meaning of a type, which may be one that NumPy does not write.
sized_kind kind_of(char letter, std::int64_t n) {
  auto const one_of = [&](std::initializer_list<std::int64_t> sizes) {
    return sized_kind{std::find(sizes.begin(), sizes.end(), n) != sizes.end(), n > 1, n};
  };
  switch (letter) {
    case 'b':
      return one_of({1});
    case 'i':
    case 'u':
      return one_of({1, 2, 4, 8});
    case 'f':
      return one_of({2, 4, 8, 12, 16});
    case 'c':
      return one_of({8, 16, 24, 32});
    case 'M':
    case 'm':
      return one_of({8});
    case 'S':
    case 'V':
      return {true, false, n};
    case 'U': {
      bool const fits = n <= std::numeric_limits<std::int64_t>::max() / 4;
      return {fits, true, fits ? 4 * n : n};
    }
    default:
      return {};
  }
}

// Returns true if the text is a unit of time, such as "[ns]" or "[25s]".
bool is_unit(std::string const& text) {
  return text.size() >= 3 && text.size() <= 20 && text.front() == '[' && text.back() == ']' &&
         std::all_of(text.begin() + 1, text.end() - 1, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
         });
}

bool from_text(std::string const& text, extend::dtype& into, std::string& why) {
  auto const bad = [&](char const* words) {
    why = "'" + text.substr(0, 40) + "' " + words;
    return false;
  };
  if (text.size() < 3 || std::string_view("<>|").find(text[0]) == std::string_view::npos)
    return bad("is no type with an order of bytes, such as '<f8'");
  into.order = text[0];
  into.kind = text[1];
  std::size_t at = 2;
  std::int64_t n = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, text[at] - '0', &n))
      return bad("is larger than anything");
  bool const counted = at > 2;
  into.unit = text.substr(at);
  if (into.kind == 'O')
    return bad("stands for objects of Python, which have no bytes of their own in a file");
  sized_kind const kind = counted ? kind_of(into.kind, n) : sized_kind();
  if (!kind.known) return bad("is no type that NumPy writes");
  if (into.kind == 'M' || into.kind == 'm') {
    if (!into.unit.empty() && !is_unit(into.unit)) return bad("has no unit of time in brackets");
  } else if (!into.unit.empty()) {
    return bad("is no type that NumPy writes");
  }
  if (kind.ordered && into.order == '|') return bad("does not say its order of bytes");
  if (!kind.ordered) into.order = '|';
  into.bytes = kind.bytes;
  return true;
}

bool field_from(literal const& from, detail::dtype_field& into, std::string& why);

// Reads a type. The recursion is as deep as the parser of literals allows.
bool from_literal(literal const& from, extend::dtype& into, std::string& why) {
  if (from.what == literal::kind::text) return from_text(from.text, into, why);
  if (from.what != literal::kind::list || from.items.empty()) {
    why = "a type is a string, or a list of fields";
    return false;
  }
  into = {.kind = 'r', .fields = {}};
  std::vector<std::string_view> names;
  for (literal const& item : from.items) {
    detail::dtype_field f;
    if (!field_from(item, f, why)) return false;
    f.offset = into.bytes;
    std::int64_t size = f.type.bytes;
    bool fits = true;
    for (std::int64_t const n : f.shape) fits = fits && !__builtin_mul_overflow(size, n, &size);
    if (!fits || __builtin_add_overflow(into.bytes, size, &into.bytes)) {
      why = "a record is larger than anything";
      return false;
    }
    into.fields.push_back(std::move(f));
  }
  for (detail::dtype_field const& f : into.fields)
    if (!f.name.empty()) names.push_back(f.name);
  std::sort(names.begin(), names.end());
  if (auto const twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    why = "the field '" + std::string(*twice) + "' is there twice";
    return false;
  }
  return true;
}

// Reads a field: ('x', '<f8'), ('x', '<f8', (3,)), (('title', 'x'), '<f8').
bool field_from(literal const& from, detail::dtype_field& into, std::string& why) {
  bool well =
      from.what == literal::kind::tuple && (from.items.size() == 2 || from.items.size() == 3);
  if (well) {
    literal const* name = &from.items[0];
    if (name->what == literal::kind::tuple && name->items.size() == 2 &&
        name->items[0].what == literal::kind::text)
      name = &name->items[1];
    well = name->what == literal::kind::text;
    into.name = name->text;
  }
  if (well && from.items.size() == 3)
    well = detail::read_tuple(from.items[2], into.shape) && into.shape.size() <= 32;
  if (!well) {
    why = "a field is a name, a type and maybe a shape: ('x', '<f8', (3,))";
    return false;
  }
  return from_literal(from.items[1], into.type, why);
}

}  // namespace

namespace extend {

bool operator==(dtype const& a, dtype const& b) {
  return a.kind == b.kind && a.order == b.order && a.bytes == b.bytes && a.unit == b.unit &&
         a.fields == b.fields;
}

std::string to_string(dtype const& type) {
  if (type.kind != 'r')
    return std::string("'") + type.order + type.kind +
           std::to_string(type.kind == 'U' ? type.bytes / 4 : type.bytes) + type.unit + "'";
  std::string all;
  for (detail::dtype_field const& f : type.fields) {
    all += (all.empty() ? "[(" : ", (") + detail::python_text(f.name) + ", " + to_string(f.type);
    if (!f.shape.empty()) all += ", " + detail::python_tuple(f.shape);
    all += ")";
  }
  return all + "]";
}

}  // namespace extend

namespace detail {

bool dtype_from(literal const& from, dtype& into, std::string& why) {
  into = {};
  return from_literal(from, into, why);
}

void add_field(dtype& record, std::string_view name, inner_type field) {
  dtype_field f{
      .name = std::string(name), .type = std::move(field.type), .shape = std::move(field.inner)};
  if (f.name.empty()) f.name = "f" + std::to_string(record.fields.size());
  f.offset = record.bytes;
  std::int64_t size = f.type.bytes;
  for (std::int64_t const n : f.shape) size *= n;
  record.bytes += size;
  record.fields.push_back(std::move(f));
}

}  // namespace detail
}  // namespace argosy
