// Implements json.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "json.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace argosy::tool {
namespace {

// The length of the UTF-8 sequence at the start of `s`; 0 if it is none.
std::size_t utf8_at(std::string_view s) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  unsigned const first = byte(0);
  std::size_t const n = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  if (n == 0 || n > s.size()) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if (byte(i) >> 6 != 2) return 0;
  if (n == 1) return 1;
  unsigned const second = byte(1);
  // Too long, surrogates, beyond Unicode.
  if (first < 0xc2 || (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || first > 0xf4 || (first == 0xf4 && second > 0x8f))
    return 0;
  return n;
}

class json_parser {
 public:
  explicit json_parser(std::string_view text) : text_(text) {}

  json_value whole() {
    json_value v = value(0);
    blank();
    if (at_ != text_.size()) fail("something follows the value");
    return v;
  }

 private:
  static constexpr int deepest = 64;

  [[noreturn]] void fail(char const* what) const {
    throw std::invalid_argument("JSON, at byte " + std::to_string(at_) + ": " + what);
  }
  void blank() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  char peek() {
    blank();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view w) {
    if (!text_.substr(at_).starts_with(w)) return false;
    at_ += w.size();
    return true;
  }

  json_value value(int depth) {
    if (depth > deepest) fail("nested too deeply");
    switch (peek()) {
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case '"':
        return {string()};
      case 't':
        if (word("true")) return {true};
        break;
      case 'f':
        if (word("false")) return {false};
        break;
      case 'n':
        if (word("null")) return {nullptr};
        break;
      default:
        return number();
    }
    fail("no value");
  }
  json_value object(int depth) {
    json_value::object all;
    ++at_;
    if (take('}')) return {std::move(all)};
    do {
      if (peek() != '"') fail("no name");
      std::string name = string();
      if (!take(':')) fail("no colon");
      all.insert_or_assign(std::move(name), value(depth + 1));
    } while (take(','));
    if (!take('}')) fail("no end of the object");
    return {std::move(all)};
  }
  json_value array(int depth) {
    json_value::array all;
    ++at_;
    if (take(']')) return {std::move(all)};
    do all.push_back(value(depth + 1));
    while (take(','));
    if (!take(']')) fail("no end of the array");
    return {std::move(all)};
  }
  json_value number() {
    char const* const begin = text_.data() + at_;
    char const* const end = text_.data() + text_.size();
    if (begin == end || !(*begin == '-' || (*begin >= '0' && *begin <= '9'))) fail("no value");
    std::int64_t n = 0;
    auto const whole = std::from_chars(begin, end, n);
    bool const fraction = whole.ptr < end && (*whole.ptr == '.' || *whole.ptr == 'e' || *whole.ptr == 'E');
    if (whole.ec == std::errc() && !fraction) {
      at_ += static_cast<std::size_t>(whole.ptr - begin);
      return {n};
    }
    double x = 0;
    auto const real = std::from_chars(begin, end, x);
    if (real.ec != std::errc() || !std::isfinite(x)) fail("no number");
    at_ += static_cast<std::size_t>(real.ptr - begin);
    return {json_real{x, std::string(begin, real.ptr)}};
  }
  unsigned four_digits() {
    unsigned n = 0;
    if (text_.size() - at_ < 4) fail("no end of the text");
    auto const [end, error] = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, n, 16);
    if (error != std::errc() || end != text_.data() + at_ + 4) fail("no hexadecimal digits");
    at_ += 4;
    return n;
  }
  void add_character(std::string& out) {
    unsigned n = four_digits();
    if (n >= 0xd800 && n < 0xdc00 && word("\\u")) {
      unsigned const low = four_digits();
      n = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((n - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
    }
    if (n >= 0xd800 && n < 0xe000) n = 0xfffd;
    auto const put = [&](unsigned byte) { out += static_cast<char>(byte); };
    if (n < 0x80) {
      put(n);
    } else if (n < 0x800) {
      put(0xc0 | n >> 6);
      put(0x80 | (n & 63));
    } else if (n < 0x10000) {
      put(0xe0 | n >> 12);
      put(0x80 | (n >> 6 & 63));
      put(0x80 | (n & 63));
    } else {
      put(0xf0 | n >> 18);
      put(0x80 | (n >> 12 & 63));
      put(0x80 | (n >> 6 & 63));
      put(0x80 | (n & 63));
    }
  }
  std::string string() {
    std::string out;
    for (++at_; at_ < text_.size(); ++at_) {
      char const c = text_[at_];
      if (c == '"') {
        ++at_;
        return out;
      }
      if (c != '\\') {
        out += c;
        continue;
      }
      if (++at_ == text_.size()) break;
      constexpr std::string_view names = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
      if (text_[at_] == 'u') {
        ++at_;
        add_character(out);
        --at_;
      } else if (auto const i = names.find(text_[at_]); i != std::string_view::npos) {
        out += meanings[i];
      } else {
        fail("an unknown escape");
      }
    }
    fail("no end of the text");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "\"";
  while (!text.empty()) {
    std::size_t const n = utf8_at(text);
    char const c = text.front();
    if (n == 0)
      out += "\\ufffd";
    else if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      ((out += "\\u00") += digits[static_cast<unsigned char>(c) / 16]) += digits[static_cast<unsigned char>(c) % 16];
    else
      out += text.substr(0, n);
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return out + '"';
}

std::string number_text(double x) {
  if (!std::isfinite(x)) return "null";
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr};
}

json_value const* json_value::find(std::string_view name) const {
  auto const* const all = std::get_if<object>(&held);
  if (!all) return nullptr;
  auto const at = all->find(name);
  return at == all->end() ? nullptr : &at->second;
}
std::int64_t json_value::whole(std::int64_t otherwise) const {
  auto const* const n = std::get_if<std::int64_t>(&held);
  return n ? *n : otherwise;
}
double json_value::real(double otherwise) const {
  if (auto const* const n = std::get_if<std::int64_t>(&held)) return static_cast<double>(*n);
  auto const* const x = std::get_if<json_real>(&held);
  return x ? x->value : otherwise;
}
std::string json_value::text(std::string otherwise) const {
  auto const* const s = std::get_if<std::string>(&held);
  return s ? *s : std::move(otherwise);
}

json_value parse_json(std::string_view text) { return json_parser(text).whole(); }

}  // namespace argosy::tool
