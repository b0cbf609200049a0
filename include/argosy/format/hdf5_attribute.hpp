// An attribute of an HDF5 file: a name, and a small value of a dataset or a group.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <argosy/format/dtype.hpp>

namespace argosy {

namespace detail {
template <class T>
concept attribute_number =
    std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, long double>;
}  // namespace detail

// A named value: a number, a text, or a list of either. A regular value. All its functions are
// local.
//
//   io::hdf5_attribute("units", "K");
//   io::hdf5_attribute("origin", std::array{0.0, 0.0, 1.5});
//   io::hdf5_attribute("axisLabels", std::array{"z", "y", "x"});
class hdf5_attribute {
 public:
  hdf5_attribute() = default;
  // Makes a number.
  template <detail::attribute_number T>
  hdf5_attribute(std::string attribute_name, T number)
      : hdf5_attribute(std::move(attribute_name), std::span<T const>(&number, 1)) {
    shape.clear();
  }
  // Makes a text of a fixed length, in UTF-8.
  hdf5_attribute(std::string attribute_name, std::string_view text);
  hdf5_attribute(std::string attribute_name, char const* text)
      : hdf5_attribute(std::move(attribute_name), std::string_view(text)) {}
  // Makes a list of numbers.
  template <std::ranges::contiguous_range R>
    requires detail::attribute_number<std::ranges::range_value_t<R>> &&
                 (!std::convertible_to<R, std::string_view>)
  hdf5_attribute(std::string attribute_name, R const& numbers)
      : name(std::move(attribute_name)),
        type(extend::dtype_of<std::ranges::range_value_t<R>>()),
        shape{static_cast<std::int64_t>(std::ranges::size(numbers))} {
    auto const bytes = std::as_bytes(std::span(std::ranges::data(numbers), std::size(numbers)));
    value.assign(bytes.begin(), bytes.end());
  }

  // Makes a list of texts of one length, in UTF-8. Shorter ones end with zero bytes.
  hdf5_attribute(std::string attribute_name, std::vector<std::string_view> const& texts);
  template <std::ranges::input_range R>
    requires std::convertible_to<std::ranges::range_reference_t<R const>, std::string_view> &&
             (!std::convertible_to<R const&, std::string_view>)
  hdf5_attribute(std::string attribute_name, R const& texts)
      : hdf5_attribute(
            std::move(attribute_name),
            std::vector<std::string_view>(std::ranges::begin(texts), std::ranges::end(texts))) {}

  // Returns the text; no value if the attribute is none.
  std::optional<std::string> text() const;
  // Returns the texts of a list, or of one; no value if the attribute has none.
  std::optional<std::vector<std::string>> texts() const;
  // Returns the numbers; no value if the attribute has no numbers of this type.
  template <detail::attribute_number T>
  std::optional<std::vector<T>> numbers() const {
    if (type != extend::dtype_of<T>()) return {};
    std::vector<T> all(value.size() / sizeof(T));
    if (!all.empty()) std::memcpy(all.data(), value.data(), all.size() * sizeof(T));
    return all;
  }

  std::string name = {};
  extend::dtype type = {};               // 'S' for a text
  std::vector<std::int64_t> shape = {};  // empty: one value
  std::vector<std::byte> value = {};     // the elements, as `type` says

  friend bool operator==(hdf5_attribute const&, hdf5_attribute const&) = default;
};

}  // namespace argosy
