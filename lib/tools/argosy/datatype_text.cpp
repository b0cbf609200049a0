// Implements datatype_text.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>

#include "../arguments/nearest.hpp"

namespace argosy::tool {
namespace {

struct basic_name {
  std::string_view name;
  std::int64_t size;
};
constexpr std::array basics{
    basic_name{"byte", 1},      basic_name{"char", 1},
    basic_name{"bool", 1},      basic_name{"int8", 1},
    basic_name{"uint8", 1},     basic_name{"int16", 2},
    basic_name{"uint16", 2},    basic_name{"int32", 4},
    basic_name{"uint32", 4},    basic_name{"int64", 8},
    basic_name{"uint64", 8},    basic_name{"short", 2},
    basic_name{"int", 4},       basic_name{"long", sizeof(long)},
    basic_name{"float", 4},     basic_name{"double", 8},
    basic_name{"float32", 4},   basic_name{"float64", 8},
    basic_name{"float128", 16}, basic_name{"long_double", sizeof(long double)},
    basic_name{"complex64", 8}, basic_name{"complex128", 16}};

struct maker_form {
  std::string_view name, form;
};
constexpr std::array makers{
    maker_form{"bytes", "bytes(24)"},
    maker_form{"contiguous", "contiguous(10; double)"},
    maker_form{"vector", "vector(COUNT,BLOCK,STRIDE; double)"},
    maker_form{"hvector", "hvector(COUNT,BLOCK,STRIDE_BYTES; double)"},
    maker_form{"indexed", "indexed(2,1; at 0,5; double)"},
    maker_form{"hindexed", "hindexed(2,1; at 0,40; double)"},
    maker_form{"indexed_block", "indexed_block(3; at 0,10,20; double)"},
    maker_form{"hindexed_block", "hindexed_block(3; at 0,80,160; double)"},
    maker_form{"subarray", "subarray(100,100; 10,20; 5,5; double)"},
    maker_form{"darray", "darray(100,100; block,cyclic(8); grid 2x2; double)"},
    maker_form{"resized", "resized(0,64; double)"},
    maker_form{"record", "record(0: double; 8: int)"}};

using list = std::vector<std::int64_t>;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class type_reader {
 public:
  type_reader(std::string_view text, std::int64_t rank) : text_(text), rank_(rank) {}

  layout whole() {
    if (text_.size() > longest)
      fail(0, "the text is longer than " + std::to_string(longest) + " bytes");
    layout l = type(0);
    if (peek() != '\0') fail(at_, "something follows the type");
    return l;
  }

 private:
  static constexpr std::size_t longest = 1 << 20;
  static constexpr int deepest = 32;

  // Throws with the text around the place, and a mark below it.
  [[noreturn]] void fail(std::size_t where, std::string what) const {
    constexpr std::size_t shown = 70;
    std::size_t const from = where > shown / 2 ? where - shown / 2 : 0;
    std::string line(text_.substr(from, shown));
    for (char& c : line)
      if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    throw datatype_text_error(std::move(what) + "\n  " + line + "\n  " +
                              std::string(where - from, ' ') + "^");
  }
  [[noreturn]] void fail_form(std::size_t where, std::string const& what,
                              maker_form const& m) const {
    fail(where, what + "; the form is " + std::string(m.form));
  }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void need(char c, maker_form const& m) {
    if (!take(c)) fail_form(at_, std::string("here should be '") + c + "'", m);
  }
  std::string_view word() {
    peek();
    std::size_t const from = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || (at_ > from && is_digit(text_[at_]))))
      ++at_;
    return text_.substr(from, at_ - from);
  }
  std::int64_t number() {
    peek();
    std::int64_t n = 0;
    auto const [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), n);
    if (error == std::errc::result_out_of_range) fail(at_, "this number does not fit into 64 bits");
    if (error != std::errc()) fail(at_, "here should be a whole number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return n;
  }
  list numbers(char between = ',') {
    list all{number()};
    while (take(between)) all.push_back(number());
    return all;
  }
  list numbers(std::size_t n, maker_form const& m) {
    std::size_t const from = at_;
    list all = numbers();
    if (all.size() != n)
      fail_form(from,
                std::to_string(n) + " numbers are needed here, not " + std::to_string(all.size()),
                m);
    return all;
  }

  layout type(int depth) {
    if (depth > deepest)
      fail(at_, "types are nested more than " + std::to_string(deepest) + " deep");
    peek();
    std::size_t const from = at_;
    std::string_view const name = word();
    layout l;
    try {
      if (std::int64_t const size = basic_size(name))
        l = argosy::bytes(size);
      else if (auto const m = std::ranges::find(makers, name, &maker_form::name); m != makers.end())
        l = made(*m, depth);
      else
        fail_name(from, name);
      while (take('[')) {
        std::int64_t const n = number();
        if (!take(']')) fail(at_, "here should be ']', as in double[10]");
        l = contiguous(n, l).form();
      }
    } catch (invalid_layout const& e) {
      fail(from, e.what());
    }
    return l;
  }

  [[noreturn]] void fail_name(std::size_t from, std::string_view name) const {
    std::vector<std::string_view> names;
    for (basic_name const& b : basics) names.push_back(b.name);
    for (maker_form const& m : makers) names.push_back(m.name);
    if (name.empty()) fail(from, "here should be a type, such as double or vector(10,1,5; double)");
    std::string near = nearest(name, names);
    for (maker_form const& m : makers)
      if (m.name == near) near = m.form;
    fail(from,
         "there is no type \"" + std::string(name.substr(0, 40)) + "\"" +
             (near.empty() ? "; types are, for instance, double, int32 and vector(10,1,5; double)"
                           : "; did you mean " + near + "?"));
  }

  layout made(maker_form const& m, int depth) {
    need('(', m);
    layout l = content(m, depth);
    need(')', m);
    return l;
  }
  // Parses the type behind the numbers.
  layout old(maker_form const& m, int depth) {
    need(';', m);
    return type(depth + 1);
  }
  list places(maker_form const& m) {
    need(';', m);
    peek();
    std::size_t const from = at_;
    if (word() != "at") fail_form(from, "here should be: at, and the places of the blocks", m);
    return numbers();
  }
  order direction(maker_form const& m) {
    if (!take(';')) return order::c;
    peek();
    std::size_t const from = at_;
    std::string_view const w = word();
    if (w == "fortran") return order::fortran;
    if (w != "c") fail_form(from, "the order is c or fortran", m);
    return order::c;
  }

  layout content(maker_form const& m, int depth) {
    if (m.name == "bytes") return argosy::bytes(not_negative(m));
    if (m.name == "contiguous") {
      std::int64_t const n = number();
      return contiguous(n, old(m, depth)).form();
    }
    if (m.name == "vector" || m.name == "hvector") {
      list const n = numbers(3, m);
      layout const inner = old(m, depth);
      return m.name == "vector" ? vector(n[0], n[1], n[2], inner).form()
                                : hvector(n[0], n[1], n[2], inner).form();
    }
    if (m.name == "resized") {
      list const n = numbers(2, m);
      layout const inner = old(m, depth);
      return argosy::resized(inner, n[0], n[1]);
    }
    if (m.name.find("indexed") != std::string_view::npos) return indexed_content(m, depth);
    if (m.name == "subarray") return subarray_content(m, depth);
    if (m.name == "darray") return darray_content(m, depth);
    return record_content(m, depth);
  }
  std::int64_t not_negative(maker_form const& m) {
    std::size_t const from = at_;
    std::int64_t const n = number();
    if (n < 0) fail_form(from, "this number must not be negative", m);
    return n;
  }

  layout indexed_content(maker_form const& m, int depth) {
    bool const in_bytes = m.name.front() == 'h';
    if (m.name.ends_with("block")) {
      std::int64_t const length = number();
      list const at = places(m);
      layout const inner = old(m, depth);
      return in_bytes ? hindexed_block(length, at, inner).form()
                      : indexed_block(length, at, inner).form();
    }
    list const lengths = numbers();
    list const at = places(m);
    layout const inner = old(m, depth);
    return in_bytes ? hindexed(lengths, at, inner).form() : indexed(lengths, at, inner).form();
  }
  layout subarray_content(maker_form const& m, int depth) {
    list const sizes = numbers();
    need(';', m);
    list const subsizes = numbers(sizes.size(), m);
    need(';', m);
    list const starts = numbers(sizes.size(), m);
    layout const inner = old(m, depth);
    order const how = direction(m);
    return subarray(sizes, subsizes, starts, inner, how).form();
  }

  distribute::rule rule(maker_form const& m) {
    peek();
    std::size_t const from = at_;
    std::string_view const w = word();
    distribute::rule r;
    if (w == "cyclic")
      r.kind = distribute::kind::cyclic;
    else if (w == "none")
      r.kind = distribute::kind::none;
    else if (w != "block")
      fail_form(from, "a distribution is block, block(k), cyclic, cyclic(k) or none", m);
    if (r.kind != distribute::kind::none && take('(')) {
      std::size_t const here = at_;
      r.size = number();
      if (r.size < 1) fail_form(here, "the block size is not positive", m);
      need(')', m);
    }
    return r;
  }
  layout darray_content(maker_form const& m, int depth) {
    list const sizes = numbers();
    need(';', m);
    std::size_t const from = at_;
    std::vector<distribute::rule> rules{rule(m)};
    while (take(',')) rules.push_back(rule(m));
    if (rules.size() == 1) rules.resize(sizes.size(), rules.front());
    if (rules.size() != sizes.size())
      fail_form(from, "give one distribution for all dimensions, or one for each", m);
    need(';', m);
    peek();
    std::size_t const here = at_;
    if (word() != "grid") fail_form(here, "here should be the processes: grid 2x2", m);
    list const grid = numbers('x');
    if (grid.size() != sizes.size())
      fail_form(here, "give one dimension of the grid for each of the array", m);
    layout const inner = old(m, depth);
    order const how = direction(m);
    return darray(sizes, rules, grid, rank_, inner, how).form();
  }
  layout record_content(maker_form const& m, int depth) {
    list lengths, at;
    std::vector<layout> members;
    do {
      at.push_back(number());
      need(':', m);
      members.push_back(type(depth + 1));
      lengths.push_back(1);
    } while (take(';'));
    return record_of(lengths, at, std::span<layout const>(members));
  }

  std::string_view text_;
  std::int64_t rank_;
  std::size_t at_ = 0;
};

}  // namespace

layout parse_datatype(std::string_view text, std::int64_t rank) {
  return type_reader(text, rank).whole();
}

std::int64_t basic_size(std::string_view name) noexcept {
  for (basic_name const& b : basics)
    if (b.name == name) return b.size;
  return 0;
}

std::int64_t require_basic_size(std::string_view name) {
  if (std::int64_t const size = basic_size(name)) return size;
  std::vector<std::string_view> names;
  for (basic_name const& b : basics) names.push_back(b.name);
  std::string const near = nearest(name, names);
  throw datatype_text_error("there is no basic type \"" + std::string(name) + "\"" +
                            (near.empty()
                                 ? "; they are, for instance, double, float, int32 and byte"
                                 : "; did you mean " + near + "?"));
}

}  // namespace argosy::tool
