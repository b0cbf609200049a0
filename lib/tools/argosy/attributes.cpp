// Implements attributes.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "attributes.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <optional>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "json.hpp"

namespace argosy::tool {
namespace {

namespace json = boost::json;

std::optional<hdf5_attribute> list_of_numbers(std::string const& name, json::array const& list) {
  bool const whole = std::ranges::all_of(list, [](json::value const& v) { return v.is_int64(); });
  if (!std::ranges::all_of(list, [](json::value const& v) { return v.is_number(); })) return {};
  auto const made = [&]<class T>(std::vector<T> numbers) {
    for (json::value const& v : list) numbers.push_back(v.to_number<T>());
    return hdf5_attribute(name, numbers);
  };
  return whole ? made(std::vector<std::int64_t>()) : made(std::vector<double>());
}

std::optional<hdf5_attribute> list_of_texts(std::string const& name, json::array const& list) {
  std::vector<std::string_view> texts;
  for (json::value const& v : list) {
    if (!v.is_string()) return {};
    texts.push_back(v.get_string());
  }
  return hdf5_attribute(name, texts);
}

std::optional<hdf5_attribute> attribute_of(std::string const& name, json::value const& v) {
  if (v.is_string()) return hdf5_attribute(name, std::string_view(v.get_string()));
  if (v.is_int64()) return hdf5_attribute(name, v.get_int64());
  if (v.is_uint64()) return hdf5_attribute(name, v.get_uint64());
  if (v.is_double()) return hdf5_attribute(name, v.get_double());
  if (!v.is_array() || v.get_array().empty()) return {};
  json::array const& list = v.get_array();
  return list.front().is_string() ? list_of_texts(name, list) : list_of_numbers(name, list);
}

template <class T>
bool add_numbers(json::object& into, hdf5_attribute const& a) {
  std::optional<std::vector<T>> const numbers = a.numbers<T>();
  if (!numbers || a.shape.size() > 1) return false;
  json::array list;
  for (T const n : *numbers) {
    if constexpr (std::floating_point<T>)
      if (!std::isfinite(n)) return false;  // JSON has no such number
    list.emplace_back(n);
  }
  into[a.name] = a.shape.empty() ? list.at(0) : json::value(list);
  return true;
}

bool add_attribute(json::object& into, hdf5_attribute const& a) {
  if (std::optional<std::string> const text = a.text(); text && a.shape.empty()) {
    into[a.name] = *text;
    return true;
  }
  if (auto const texts = a.texts(); texts && a.shape.size() == 1) {
    into[a.name] = json::array(texts->begin(), texts->end());
    return true;
  }
  return add_numbers<double>(into, a) || add_numbers<float>(into, a) ||
         add_numbers<std::int64_t>(into, a) || add_numbers<std::uint64_t>(into, a) ||
         add_numbers<std::int32_t>(into, a) || add_numbers<std::uint32_t>(into, a) ||
         add_numbers<std::int16_t>(into, a) || add_numbers<std::uint16_t>(into, a) ||
         add_numbers<std::int8_t>(into, a) || add_numbers<std::uint8_t>(into, a);
}

}  // namespace

carried attributes_for(array_format target, array_facts const& of) {
  carried c;
  json::object made;
  for (hdf5_attribute const& a : of.hdf5_attributes)
    if (target == array_format::hdf5)
      c.hdf5.push_back(a);
    else if (target != array_format::zarr || !add_attribute(made, a))
      c.lost.push_back(a.name);
  if (!made.empty()) c.zarr = json::serialize(made);
  if (of.attributes.empty()) return c;
  if (target == array_format::zarr) {
    c.zarr = of.attributes;
    return c;
  }
  json::value const parsed = parse_json(of.attributes);
  for (auto const& [name, value] : parsed.as_object()) {
    auto a = target == array_format::hdf5 ? attribute_of(name, value) : std::nullopt;
    if (a)
      c.hdf5.push_back(*std::move(a));
    else
      c.lost.emplace_back(name);
  }
  return c;
}

std::string zarr_attributes(array_facts const& of) {
  return attributes_for(array_format::zarr, of).zarr;
}

}  // namespace argosy::tool
