// JSON with exact numbers, and with NaN and Infinity, as Python writes it. Boost.JSON's own parser
// reads one in ten fractions of 17 digits as a neighbour of the nearest double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace argosy::detail {

// A text in which each NaN, Infinity and -Infinity is replaced by null.
struct json_without_names {
  std::string text;
  std::vector<std::optional<double>> nulls;  // the number that a null stands for, if it does
};
json_without_names without_names(std::string_view text);

// A handler for Boost.JSON's basic_parser, which gets the text of without_names(). Each double is
// the one nearest to its text; a number beyond the largest is a fault. It is a template because the
// library has a copy of Boost.JSON under a name of its own: Stack is the value_stack of either.
template <class Stack, class Text, class Error>
class exact_handler {
 public:
  static constexpr std::size_t max_object_size = std::numeric_limits<std::int32_t>::max();
  static constexpr std::size_t max_array_size = max_object_size;
  static constexpr std::size_t max_key_size = max_object_size;
  static constexpr std::size_t max_string_size = max_object_size;

  exact_handler(Error too_large, std::vector<std::optional<double>> nulls)
      : nulls_(std::move(nulls)), too_large_(too_large) {
    stack_.reset();
  }

  auto release() { return stack_.release(); }

  bool on_document_begin(Error&) { return true; }
  bool on_document_end(Error&) { return true; }
  bool on_object_begin(Error&) { return true; }
  bool on_object_end(std::size_t n, Error&) { return stack_.push_object(n), true; }
  bool on_array_begin(Error&) { return true; }
  bool on_array_end(std::size_t n, Error&) { return stack_.push_array(n), true; }
  bool on_key_part(Text s, std::size_t, Error&) { return stack_.push_chars(s), true; }
  bool on_key(Text s, std::size_t, Error&) { return stack_.push_key(s), true; }
  bool on_string_part(Text s, std::size_t, Error&) { return stack_.push_chars(s), true; }
  bool on_string(Text s, std::size_t, Error&) { return stack_.push_string(s), true; }
  bool on_number_part(Text s, Error&) { return digits_.append(s.data(), s.size()), true; }
  bool on_int64(std::int64_t n, Text, Error&) {
    digits_.clear();
    return stack_.push_int64(n), true;
  }
  bool on_uint64(std::uint64_t n, Text, Error&) {
    digits_.clear();
    return stack_.push_uint64(n), true;
  }
  // Not std::from_chars: libc++ has none for double. A stream of the classic locale is exact, too.
  bool on_double(double, Text s, Error& error) {
    std::istringstream number(digits_.append(s.data(), s.size()));
    digits_.clear();
    number.imbue(std::locale::classic());
    double nearest = 0;
    number >> nearest;
    if (number.fail() || !std::isfinite(nearest)) return error = too_large_, false;
    return stack_.push_double(nearest), true;
  }
  bool on_bool(bool b, Error&) { return stack_.push_bool(b), true; }
  bool on_null(Error&) {
    if (std::optional<double> const number = nulls_.at(null_++))
      stack_.push_double(*number);
    else
      stack_.push_null();
    return true;
  }
  bool on_comment_part(Text, Error&) { return true; }
  bool on_comment(Text, Error&) { return true; }

 private:
  Stack stack_;
  std::string digits_;  // a number whose text comes in parts
  std::vector<std::optional<double>> nulls_;
  std::size_t null_ = 0;  // the next one
  Error too_large_;
};

}  // namespace argosy::detail
