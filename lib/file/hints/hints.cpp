// Implements hints.hpp: the hints that a program gives, as names and values.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/hints.hpp>

#include <array>
#include <charconv>

#include "file/hints/table.hpp"

namespace argosy {
namespace {

std::string text_of(std::string const& s) { return s; }
std::string text_of(std::int64_t n) { return std::to_string(n); }
std::string text_of(bool b) { return b ? "true" : "false"; }
std::string text_of(tristate t) {
  return std::string(detail::word_at(detail::toggle_words, static_cast<std::size_t>(t)));
}
std::string text_of(largeblock l) {
  return l == largeblock::switchable ? "switchable" : l == largeblock::on ? "true" : "false";
}
std::string text_of(unsigned mode) {
  std::array<char, 16> digits{};
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), mode, 8).ptr;
  return "0" + std::string(digits.data(), end);
}
std::string text_of(double d) {
  std::array<char, 32> digits{};
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), d).ptr;
  return {digits.data(), end};
}

}  // namespace

std::vector<detail::named_hint> hints::by_name() const {
  std::vector<detail::named_hint> all = named;
  for (detail::hint_row const& row : detail::hint_rows()) {
    auto const add = [&](auto given) {
      if constexpr (requires { this->*given; })
        if (this->*given) all.push_back({std::string(row.info.name), text_of(*(this->*given))});
    };
    std::visit(add, row.given);
  }
  return all;
}

}  // namespace argosy
