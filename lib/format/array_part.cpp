// Implements format/array_part.hpp and format/detail/stored_array.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/array_part.hpp>

#include <algorithm>
#include <cstring>
#include <iomanip>
#include <limits>
#include <optional>
#include <span>
#include <sstream>

#include <argosy/agree/detail/arguments.hpp>
#include <argosy/datatype/detail/type_digest.hpp>
#include <argosy/format/detail/stored_array.hpp>
#include <argosy/layout/pack.hpp>

#include "literal.hpp"

namespace argosy {

namespace {

std::string shape_and_type(extend::dtype const& type, std::vector<std::int64_t> const& shape,
                           order o) {
  return to_string(type) + " " + detail::python_tuple(shape) +
         (o == order::fortran ? " in Fortran order" : "");
}

// Returns true if C and Fortran order differ, which needs two dimensions longer than 1.
bool has_order(std::vector<std::int64_t> const& shape) {
  return std::ranges::count_if(shape, [](std::int64_t n) { return n > 1; }) > 1 &&
         std::ranges::find(shape, 0) == shape.end();
}

// The conversion of an element of the file to one of the program.
struct matched {
  layout form;
  std::optional<bool> swapped = {};  // unset: no number has a byte order
};

bool match(extend::dtype const& file, extend::dtype const& mine, matched& m);

bool match_field(detail::dtype_field const& file, detail::dtype_field const& mine, matched& m) {
  if (file.shape != mine.shape || !match(file.type, mine.type, m)) return false;
  std::int64_t copies = 1;
  for (std::int64_t const n : mine.shape) copies *= n;
  m.form = at(file.offset, repeat(copies, file.type.bytes, m.form));
  return true;
}

// Finds the fields of the program by name, in the order of the file.
bool match_record(extend::dtype const& file, extend::dtype const& mine, matched& m) {
  detail::assembler all;
  std::int64_t before = -1;
  for (detail::dtype_field const& f : mine.fields) {
    auto const found = std::ranges::find(file.fields, f.name, &detail::dtype_field::name);
    if (found == file.fields.end() || found->offset <= before || !match_field(*found, f, m))
      return false;
    before = found->offset;
    all.add(0, m.form);
  }
  m.form = resized(all.finish(), 0, file.bytes);
  return true;
}

bool match(extend::dtype const& file, extend::dtype const& mine, matched& m) {
  if (file.kind != mine.kind) return false;
  if (file.kind == 'r') return match_record(file, mine, m);
  if (file.bytes != mine.bytes || file.unit != mine.unit) return false;
  m.form = bytes(file.bytes);
  if (mine.order == '|') return true;
  bool const swapped = file.order != mine.order;
  // One view converts all numbers, or none.
  if (m.swapped.value_or(swapped) != swapped) return false;
  m.swapped = swapped;
  return true;
}

// Returns the representation of the other byte order: each item of a basic type, of its size in
// memory, backwards.
representation const& byte_swapped() {
  constexpr auto swap = [](extend::basic_type type, std::int64_t count, std::byte const* from,
                           std::byte* to) {
    auto const n = static_cast<std::ptrdiff_t>(detail::size_in(detail::native_sizes, type));
    for (std::int64_t i = 0; i < count; ++i)
      std::reverse_copy(from + i * n, from + (i + 1) * n, to + i * n);
    return true;
  };
  static representation const it(
      "byte-swapped",
      {.file_bytes =
           [](extend::basic_type type) { return detail::size_in(detail::native_sizes, type); },
       .read = swap,
       .write = swap},
      detail::native_sizes);
  return it;
}

}  // namespace

array_part::array_part(std::vector<std::int64_t> shape, argosy::order o, detail::inner_type element,
                       extend::signature types, form_function form)
    : shape_(std::move(shape)),
      order_(o),
      type_(std::move(element.type)),
      types_(std::move(types)),
      form_(std::move(form)) {
  if (o == order::c)
    shape_.insert(shape_.end(), element.inner.begin(), element.inner.end());
  else
    shape_.insert(shape_.begin(), element.inner.rbegin(), element.inner.rend());
  fault_ = detail::carried_fault::of([&] { measure(); });
}

void array_part::measure() {
  layout const dense = form();  // throws the fault of the datatype first
  bytes_ = type_.bytes;
  for (std::int64_t const n : shape_) {
    if (n < 0) throw invalid_layout("argosy::array_part: a size is negative; give 0 or more");
    bytes_ = detail::mul(bytes_, n);
  }
  size_ = dense.size();
  if (!dense.empty() && (dense.true_lower_bound() < 0 || dense.true_upper_bound() > bytes_))
    throw invalid_layout("argosy::array_part: the part reaches beyond the array " +
                         shape_and_type(type_, shape_, order_) +
                         "; give elements of the array only");
}

std::string to_string(array_part const& p) { return shape_and_type(p.type_, p.shape_, p.order_); }

namespace detail {

array_part part_of(std::vector<std::int64_t> shape, order o, inner_type element, signature types,
                   std::function<layout(layout const&)> form) {
  return array_part(std::move(shape), o, std::move(element), std::move(types), std::move(form));
}

array_part all_of(std::vector<std::int64_t> shape, inner_type element, signature types) {
  std::int64_t const n = shape.empty() ? 1 : shape[0];
  return part_of(std::move(shape), order::c, std::move(element), std::move(types),
                 [n](layout const& e) { return repeat(n, e.extent(), e); });
}

failure view_of(stored_array const& stored, array_part const& part, view& into) {
  (void)part.part_bytes();  // throws the fault of the part first
  auto const differ = [&](std::string_view more, std::string advice = {}) -> failure {
    return {errc::datatype,
            "the file has an array of " + shape_and_type(stored.type, stored.shape, stored.order) +
                ", the program's is of " + to_string(part) + std::string(more),
            std::move(advice)};
  };
  if (stored.shape != part.shape())
    return differ({}, "give the program's that size before; header_of tells it");
  matched m;
  if (!match(stored.type, part.type(), m)) return differ({});
  if (stored.order != part.order() && has_order(stored.shape))
    return differ("; give tile and memory the order of the file");
  // If an element of the part is an array, it is several elements of the file.
  std::int64_t const inner = part.type().bytes == 0 ? 1 : part.types().size() / part.type().bytes;
  layout const element = repeat(inner, stored.type.bytes, m.form);
  typed_form const etype{element, part.types()};
  signature all;
  all.append(part.types(), part.elements());
  into = view(stored.offset, etype, typed_form{part.form(element), all},
              m.swapped.value_or(false) ? byte_swapped() : native);
  return {};
}

failure fault_of(array_part const& part, const_buffer const& data, std::string_view whose) {
  signature const types = data.types();
  // The other byte order does not distinguish integers of one width either.
  type_digest const given(types, false);
  if (data.size() == part.part_bytes() &&
      (data.size() == 0 || given.is_bytes() ||
       given.repeats(type_digest(part.types(), false), part.elements())))
    return {};
  signature wanted;
  wanted.append(part.types(), part.elements());
  return {errc::datatype, "the data is " + (types.empty() ? "nothing" : to_string(types)) +
                              ", this rank's part of '" + std::string(whose) + "', " +
                              to_string(part) + ", is " +
                              (wanted.empty() ? "nothing" : to_string(wanted))};
}

namespace {

template <class T>
std::string number_in(std::span<std::byte const> bytes) {
  T x;
  std::memcpy(&x, bytes.data(), sizeof x);
  std::ostringstream text;
  text << std::setprecision(std::numeric_limits<T>::max_digits10) << +x;
  return text.str();
}

}  // namespace

std::string value_words(const_buffer const& data) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(data.size()));
  pack(data.form(), data.address(), bytes.data());
  std::string words;
  signature const types = data.types();
  if (types.nodes().size() == 1 && types.nodes()[0].body == 0 && types.nodes()[0].count == 1)
    switch (types.nodes()[0].type) {
      case basic_type::int32:
        words = number_in<std::int32_t>(bytes);
        break;
      case basic_type::uint32:
        words = number_in<std::uint32_t>(bytes);
        break;
      case basic_type::int64:
        words = number_in<long long>(bytes);
        break;
      case basic_type::long_int:
        words = number_in<long>(bytes);
        break;
      case basic_type::uint64:
      case basic_type::unsigned_long:
        words = number_in<std::uint64_t>(bytes);
        break;
      case basic_type::float32:
        words = number_in<float>(bytes);
        break;
      case basic_type::float64:
        words = number_in<double>(bytes);
        break;
      default:
        break;
    }
  // Numbers have a sum, too: -0 and 0 have the same text, and so have different NaNs.
  std::ostringstream sum;
  sum << (words.empty() ? "(" : " (") << bytes.size() << " bytes, sum " << std::hex
      << fingerprint({reinterpret_cast<char const*>(bytes.data()), bytes.size()}) << ")";
  return words + sum.str();
}

}  // namespace detail
}  // namespace argosy
