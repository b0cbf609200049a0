// argosy diff: compares two arrays in files of any formats, a part of them at a time.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <argosy/layout/detail/counted.hpp>
#include <argosy/world/self.hpp>
#include <format/literal.hpp>

#include "any_file.hpp"
#include "boxes.hpp"
#include "command.hpp"
#include "commands.hpp"
#include "json.hpp"
#include "values.hpp"

namespace argosy::tool {
namespace {

constexpr int trouble = 2;

// A pair of elements, and the size of its error.
struct found_pair {
  long double error = 0;
  any_sizes index = {};
  std::string a = {}, b = {};

  bool is_there() const noexcept { return !a.empty(); }
};

struct comparison {
  bool same_shape = false, same_type = false, compared = false;
  std::int64_t elements = 0, different = 0;
  found_pair first = {}, absolute = {}, relative = {};

  bool equal() const noexcept { return same_shape && same_type && different == 0; }
};

any_sizes index_in(any_selection const& box, std::int64_t n) {
  any_sizes index = box.starts;
  for (std::size_t d = index.size(); d-- > 0;) {
    index[d] += n % box.counts[d];
    n /= box.counts[d];
  }
  return index;
}

// Compares the elements of a box, which lie in C order.
void compare_box(any_selection const& box, dtype const& type_a, std::byte const* a,
                 dtype const& type_b, std::byte const* b, tolerance const& allowed,
                 comparison& all) {
  bool is_first = true;
  std::int64_t const n = elements_of(box.counts);
  all.elements += n;
  if (type_a == type_b && std::memcmp(a, b, static_cast<std::size_t>(n * type_a.bytes)) == 0)
    return;
  for (std::int64_t i = 0; i < n; ++i, a += type_a.bytes, b += type_b.bytes) {
    value_difference const d = difference(type_a, a, type_b, b, allowed);
    auto const keep = [&](found_pair& into, long double error) {
      into = {error, index_in(box, i), value_text(type_a, a), value_text(type_b, b)};
    };
    if (d.absolute > all.absolute.error) keep(all.absolute, d.absolute);
    if (d.relative > all.relative.error) keep(all.relative, d.relative);
    if (!d.differs) continue;
    ++all.different;
    // A later box may have an element before those of this one.
    if (is_first && (!all.first.is_there() || index_in(box, i) < all.first.index))
      keep(all.first, 0);
    is_first = false;
  }
}

comparison compare(array_reader<self>& a, array_reader<self>& b, tolerance const& allowed,
                   std::int64_t memory) {
  array_facts const &in_a = a.facts(), &in_b = b.facts();
  dtype const type_a = detail::native_type(in_a.of.type),
              type_b = detail::native_type(in_b.of.type);
  comparison all{.same_shape = in_a.shape == in_b.shape, .same_type = type_a == type_b};
  all.compared = all.same_shape && comparable(type_a, type_b);
  if (!all.compared) return all;
  std::int64_t const bytes = std::max<std::int64_t>(1, type_a.bytes + type_b.bytes);
  boxes const parts(in_a.shape, in_a.chunks.empty() ? in_b.chunks : in_a.chunks, memory / bytes,
                    order::c);
  auto const room = [&](dtype const& t) {
    return std::vector<std::byte>(static_cast<std::size_t>(parts.largest() * t.bytes));
  };
  std::vector<std::byte> bytes_a = room(type_a), bytes_b = room(type_b);
  for (std::int64_t i = 0; i < parts.count(); ++i) {
    any_selection const box = parts.box(i);
    a.read(box, order::c, bytes_a.data());
    b.read(box, order::c, bytes_b.data());
    compare_box(box, type_a, bytes_a.data(), type_b, bytes_b.data(), allowed, all);
  }
  return all;
}

std::string index_text(any_sizes const& index) {
  std::string text = detail::python_tuple(index);
  if (text.ends_with(",)")) text.erase(text.size() - 2, 1);
  text.front() = '[';
  text.back() = ']';
  return text;
}

std::string error_text(long double x) { return fmt::format("{:.6g}", x); }

void print_text(comparison const& c, std::string const& a, std::string const& b,
                std::ostream& out) {
  if (c.equal() && !c.absolute.is_there()) {
    out << detail::counted(c.elements, "element") << ", all equal\n";
    return;
  }
  out << "A " << a << "\nB " << b << "\n";
  if (!c.same_shape) out << "the shapes differ, so no elements are compared\n";
  if (!c.same_type) out << "the types differ\n";
  if (!c.compared) return;
  out << fmt::format("{} of {} differ\n", c.different, detail::counted(c.elements, "element"));
  auto const print = [&](std::string const& what, found_pair const& p) {
    if (p.is_there())
      out << fmt::format("{} at {}: {} and {}\n", what, index_text(p.index), p.a, p.b);
  };
  print("the first", c.first);
  print("the largest absolute error is " + error_text(c.absolute.error), c.absolute);
  print("the largest relative error is " + error_text(c.relative.error), c.relative);
}

void print_json(comparison const& c, array_reader<self> const& a, array_reader<self> const& b,
                std::ostream& out) {
  json_writer j(out);
  j.open('{').member("equal", c.equal());
  auto const sizes = [&](std::string_view name, any_sizes const& all) {
    j.key(name).open('[');
    for (std::int64_t const n : all) j.value(n);
    j.close(']');
  };
  auto const array = [&](std::string_view name, array_facts const& f) {
    j.key(name).open('{').member("type", to_string(f.of.type));
    sizes("shape", f.shape);
    j.close('}');
  };
  array("a", a.facts());
  array("b", b.facts());
  j.member("compared", c.compared).member("elements", c.elements).member("different", c.different);
  auto const pair = [&](std::string_view name, found_pair const& p, bool has_error) {
    if (!p.is_there()) return;
    j.key(name).open('{');
    sizes("index", p.index);
    j.member("a", p.a).member("b", p.b);
    if (has_error) j.member("error", static_cast<double>(p.error));
    j.close('}');
  };
  pair("first", c.first, false);
  pair("largest_absolute", c.absolute, true);
  pair("largest_relative", c.relative, true);
  j.close('}');
  out << "\n";
}

}  // namespace

int run_diff(arguments const& given, std::ostream& out, std::ostream& err) try {
  std::string const formats[] = {given.value("--from"), given.value("--to")};
  constexpr double most = std::numeric_limits<double>::max();
  tolerance allowed;
  if (given.has("--tolerance")) allowed.absolute = given.real("--tolerance", 0, 0, most);
  if (given.has("--relative")) allowed.relative = given.real("--relative", 0, 0, most);
  std::int64_t const memory = given.number("--memory", std::int64_t{64} << 20, 1);
  std::unique_ptr<array_reader<self>> arrays[2];
  std::string texts[2];
  for (std::size_t i = 0; i < 2; ++i) {
    array_name const name = existing_array(given.operands()[i], formats[i]);
    array_facts const raw = name.format == array_format::raw ? raw_array(given) : array_facts();
    arrays[i] = std::make_unique<array_reader<self>>(self(), name, raw);
    texts[i] = fmt::format("{}: {}, {}", given.operands()[i], arrays[i]->facts().text(),
                           name_of(name.format));
  }
  comparison const c = compare(*arrays[0], *arrays[1], allowed, memory);
  if (given.json())
    print_json(c, *arrays[0], *arrays[1], out);
  else
    print_text(c, texts[0], texts[1], out);
  return c.equal() ? success : failed;
} catch (usage_error const&) {
  throw;
} catch (std::exception const& e) {
  err << "argosy: " << text_of(e) << "\n";
  return trouble;
}

}  // namespace argosy::tool
