// JSON: a writer that sets the commas, and a reader.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

namespace argosy::tool {

// Returns the text in quotes, with escapes. Bytes that are not UTF-8 become the replacement
// character.
std::string quoted(std::string_view text);
// Returns the shortest text that reads back as the same number; null for infinities and NaN.
std::string number_text(double x);

//   json_writer j(out);
//   j.open('{').key("bytes").value(8).key("pieces").open('[').value(1).close(']').close('}');
class json_writer {
 public:
  explicit json_writer(std::ostream& out) : out_(out) {}

  json_writer& open(char bracket) {
    separate();
    out_ << bracket;
    first_ = true;
    return *this;
  }
  json_writer& close(char bracket) {
    out_ << bracket;
    first_ = false;
    return *this;
  }
  json_writer& key(std::string_view name) {
    separate();
    out_ << quoted(name) << ": ";
    first_ = true;  // the value after a key needs no comma
    return *this;
  }
  json_writer& value(std::string_view text) { return raw(quoted(text)); }
  json_writer& value(char const* text) { return raw(quoted(text)); }
  json_writer& value(bool b) { return raw(b ? "true" : "false"); }
  json_writer& value(double x) { return raw(number_text(x)); }
  template <std::integral I>
  json_writer& value(I n) {
    return raw(std::to_string(n));
  }
  template <class T>
  json_writer& member(std::string_view name, T const& v) {
    return key(name).value(v);
  }

 private:
  json_writer& raw(std::string_view text) {
    separate();
    out_ << text;
    return *this;
  }
  void separate() {
    if (!first_) out_ << ", ";
    first_ = false;
  }

  std::ostream& out_;
  bool first_ = true;
};

// Parses by Boost.JSON. Throws std::invalid_argument with the place of the first fault. Nesting
// beyond 64 is a fault. Bytes that are not UTF-8 are accepted unchanged.
boost::json::value parse_json(std::string_view text);

}  // namespace argosy::tool
