// Implements literal.hpp: a parser of a few Python values, which does not trust its input.
// SPDX-License-Identifier: BSD-3-Clause
#include "literal.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace argosy::detail {

namespace {

constexpr int deepest = 16;
constexpr std::size_t most_keys = 32;

void append_utf8(std::string& to, std::uint32_t c) {
  auto const put = [&](std::uint32_t byte) {
    to.push_back(static_cast<char>(static_cast<unsigned char>(byte)));
  };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6);
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3f));
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class parser {
 public:
  parser(std::string_view text, bool is_latin, literal_taker const& take)
      : text_(text), is_latin_(is_latin), take_(take) {}

  bool all(literal& into) {
    if (!value(into, 0)) return false;
    skip();
    return at_ == text_.size() || fail("there is more behind the value");
  }
  std::string why() const {
    return refused_ ? why_ : why_ + " at character " + std::to_string(at_);
  }

 private:
  bool fail(char const* what) {
    if (why_.empty()) why_ = what;
    return false;
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    skip();
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view w) {
    if (text_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }

  bool value(literal& into, int depth) {
    skip();
    if (depth > deepest) return fail("values are nested too deeply");
    if (++made_ > most_literals) return fail("there are more values than a header has");
    char const c = peek();
    if (c == '\'' || c == '"') return quoted(into);
    if (c >= '0' && c <= '9') return number(into);
    if (c == '(') return sequence(into, literal::kind::tuple, ')', depth);
    if (c == '[') return sequence(into, literal::kind::list, ']', depth);
    if (c == '{') return sequence(into, literal::kind::dict, '}', depth);
    into.what = literal::kind::truth;
    if (word("True"))
      into.number = 1;
    else if (!word("False"))
      return fail("this is no string, number, truth, tuple, list or dict");
    return true;
  }

  bool number(literal& into) {
    into.what = literal::kind::number;
    std::size_t const first = at_;
    for (; peek() >= '0' && peek() <= '9'; ++at_)
      if (__builtin_mul_overflow(into.number, 10, &into.number) ||
          __builtin_add_overflow(into.number, peek() - '0', &into.number))
        return fail("a number beyond 2^63");
    if (text_[first] == '0' && at_ - first > 1) return fail("a number begins with 0");
    if (peek() == 'L') ++at_;  // suffix of long numbers in Python 2
    return true;
  }

  bool quoted(literal& into) {
    into.what = literal::kind::text;
    char const quote = text_[at_++];
    std::size_t const end = std::min(text_.find(quote, at_), text_.size());  // unless it is escaped
    into.text.reserve(end - at_);
    for (;;) {
      if (at_ == text_.size() || text_[at_] == '\n') return fail("a string has no end");
      char const c = text_[at_++];
      if (c == quote) return true;
      if (c == '\\') {
        if (!escape(into.text)) return false;
      } else if (is_latin_) {
        append_utf8(into.text, static_cast<unsigned char>(c));
      } else {
        into.text.push_back(c);
      }
    }
  }
  bool escape(std::string& to) {
    if (at_ == text_.size()) return fail("a string has no end");
    switch (char const c = text_[at_++]) {
      case '\\':
      case '\'':
      case '"':
        to.push_back(c);
        return true;
      case 'n':
        to.push_back('\n');
        return true;
      case 't':
        to.push_back('\t');
        return true;
      case 'r':
        to.push_back('\r');
        return true;
      case 'x':
        return code(to, 2);
      case 'u':
        return code(to, 4);
      case 'U':
        return code(to, 8);
      default:
        return fail("an escape that is not known");
    }
  }
  bool code(std::string& to, int digits) {
    std::uint32_t c = 0;
    for (int i = 0; i < digits; ++i, ++at_) {
      int const d = hex_digit(peek());
      if (d < 0) return fail("an escape without its digits");
      c = c << 4 | static_cast<std::uint32_t>(d);
    }
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return fail("an escape that is no character");
    append_utf8(to, c);
    return true;
  }

  bool sequence(literal& into, literal::kind what, char end, int depth) {
    into.what = what;
    ++at_;
    bool comma = true;
    while (!take(end)) {
      if (!comma) return fail("a comma or an end is missing");
      literal item;
      if (!value(item, depth + 1)) return false;
      if (what == literal::kind::dict) {
        if (item.what != literal::kind::text) return fail("a key is no string");
        if (into.items.size() > 2 * most_keys) return fail("a dict has too many keys");
        if (into.find(item.text) != nullptr) return fail("a key is there twice");
        if (!take(':')) return fail("a key has no value");
        into.items.push_back(std::move(item));
        item = {};
        if (!value(item, depth + 1)) return false;
      }
      if (take_ && depth == 1 && what == literal::kind::list) {
        if (!give(item)) return false;
      } else {
        into.items.push_back(std::move(item));
      }
      comma = take(',');
    }
    // (x) is x in Python, not a tuple.
    if (what == literal::kind::tuple && into.items.size() == 1 && !comma)
      return fail("a tuple of one has a comma");
    return true;
  }

  // Passes an item on. Values of an item that is not stored no longer count.
  bool give(literal& item) {
    why_ = take_(item);
    refused_ = !why_.empty();
    made_ = 0;
    return !refused_;
  }

  std::string_view text_;
  bool is_latin_;
  literal_taker const& take_;
  std::size_t made_ = 0;
  bool refused_ = false;
  std::size_t at_ = 0;
  std::string why_;
};

}  // namespace

literal const* literal::find(std::string_view key) const {
  if (what != kind::dict) return nullptr;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2)
    if (items[i].text == key) return &items[i + 1];
  return nullptr;
}

bool parse_literal(std::string_view text, bool is_latin, literal& into, std::string& why,
                   literal_taker const& take) {
  into = {};
  if (!is_latin && !is_utf8(text)) {
    why = "the text is not UTF-8, nor is a name in it";
    return false;
  }
  parser p(text, is_latin, take);
  if (p.all(into)) return true;
  why = p.why();
  return false;
}

std::string python_text(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string all = "'";
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') {
      all += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      all += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    } else {
      all += c;
    }
  }
  return all + "'";
}

std::string python_tuple(std::span<std::int64_t const> numbers) {
  std::string all = "(";
  for (std::size_t i = 0; i < numbers.size(); ++i)
    all += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  return all + (numbers.size() == 1 ? ",)" : ")");
}

bool read_tuple(literal const& from, std::vector<std::int64_t>& into) {
  into.clear();
  if (from.what != literal::kind::tuple) return false;
  for (literal const& n : from.items) {
    if (n.what != literal::kind::number) return false;
    into.push_back(n.number);
  }
  return true;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    auto const byte = [&](std::size_t k) {
      return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u;
    };
    unsigned const first = byte(i);
    std::size_t const more = first < 0x80       ? 0
                             : first >> 5 == 6  ? 1
                             : first >> 4 == 14 ? 2
                             : first >> 3 == 30 ? 3
                                                : 4;
    if (more == 4) return false;
    std::uint32_t c = more == 0 ? first : first & (0x3fu >> more);
    for (std::size_t k = 1; k <= more; ++k) {
      if ((byte(i + k) & 0xc0) != 0x80) return false;
      c = c << 6 | (byte(i + k) & 0x3f);
    }
    constexpr std::array<std::uint32_t, 4> least{0, 0x80, 0x800, 0x10000};
    if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return false;
    i += more + 1;
  }
  return true;
}

}  // namespace argosy::detail
