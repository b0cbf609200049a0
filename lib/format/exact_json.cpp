// Implements exact_json.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "exact_json.hpp"

#include <algorithm>
#include <array>

namespace argosy::detail {

namespace {

struct named_number {
  std::string_view name;
  std::optional<double> number;
};
constexpr double no_end = std::numeric_limits<double>::infinity();
constexpr std::array json_names{
    named_number{"null", {}}, named_number{"NaN", std::numeric_limits<double>::quiet_NaN()},
    named_number{"Infinity", no_end}, named_number{"-Infinity", -no_end}};

// Returns the length of the text in quotes at the front.
std::size_t quoted_length(std::string_view text) {
  std::size_t n = 1;
  while (n < text.size() && text[n] != '"') n += text[n] == '\\' ? 2u : 1u;
  return std::min(n + 1, text.size());
}

}  // namespace

json_without_names without_names(std::string_view text) {
  json_without_names all;
  all.text.reserve(text.size());
  while (!text.empty()) {
    std::size_t n = std::min(text.find_first_of("\"nNI-"), text.size());
    all.text += text.substr(0, n);
    text.remove_prefix(n);
    if (text.empty()) break;
    auto const found = std::ranges::find_if(
        json_names, [&](named_number const& one) { return text.starts_with(one.name); });
    n = text[0] == '"' ? quoted_length(text) : 1;
    if (found == json_names.end()) {
      all.text += text.substr(0, n);
    } else {
      n = found->name.size();
      all.text += json_names[0].name;
      all.nulls.push_back(found->number);
    }
    text.remove_prefix(n);
  }
  return all;
}

}  // namespace argosy::detail
