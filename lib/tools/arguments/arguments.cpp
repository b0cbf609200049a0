// Implements arguments.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "nearest.hpp"

namespace argosy::tool {
namespace {

option_info const& option_named(word_form const& form, std::string const& name) {
  std::vector<std::string_view> names;
  for (option_info const& o : form.options) {
    if (o.name == name) return o;
    names.push_back(o.name);
  }
  std::string const near = nearest(name, names);
  throw usage_error(
      form.program + " has no option " + name +
      (near.empty() ? "; " + form.program + " --help lists them" : "; did you mean " + near));
}

[[noreturn]] void refuse(std::string_view option, std::string const& needed,
                         std::string const& text) {
  throw usage_error(fmt::format("{} needs {}, not \"{}\"", option, needed, text));
}

// Returns the number, or nothing if the text is no whole number within these bounds.
std::optional<std::int64_t> whole(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t n = 0, unit = 1;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  std::string_view const rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (rest == "k" || rest == "K") unit = std::int64_t{1} << 10;
  if (rest == "m" || rest == "M") unit = std::int64_t{1} << 20;
  if (rest == "g" || rest == "G") unit = std::int64_t{1} << 30;
  bool const good = error == std::errc() && (rest.empty() || unit > 1);
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  if (!good || n > most / unit || n < lowest / unit || n * unit < least) return std::nullopt;
  return n * unit;
}

std::string bounds_text(std::int64_t least, std::int64_t most) {
  return most == INT64_MAX ? fmt::format("of at least {}", least)
                           : fmt::format("from {} to {}", least, most);
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> all;
  for (;;) {
    std::size_t const comma = text.find(',');
    all.emplace_back(text.substr(0, comma));
    if (comma == text.npos) return all;
    text.remove_prefix(comma + 1);
  }
}

std::string left_of(option_info const& o) {
  return std::string(o.name) + (o.value.empty() || o.value.starts_with('[') ? "" : " ") +
         std::string(o.value);
}

}  // namespace

std::string usage_of(word_form const& form) {
  return form.program + (form.operands.empty() ? "" : " " + std::string(form.operands)) +
         " [option...]";
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out, line;
  auto const flush = [&] {
    if (!line.empty()) out += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    if (text.front() == '\n') {
      flush();
      // A line that begins with a blank is not wrapped.
      text.remove_prefix(1);
      while (text.starts_with("  ")) {
        auto const end = text.find('\n');
        out += std::string(indent, ' ') + std::string(text.substr(0, end)) + "\n";
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      }
      continue;
    }
    auto const end = std::min(text.find_first_of(" \n"), text.size());
    std::string_view const word = text.substr(0, end);
    if (!line.empty() && line.size() + 1 + word.size() > width) flush();
    if (!word.empty()) line += (line.empty() ? "" : " ") + std::string(word);
    text.remove_prefix(end);
    if (text.starts_with(' ')) text.remove_prefix(1);
  }
  flush();
  return out;
}

std::string options_text(std::span<option_info const> options) {
  std::string out;
  for (option_info const& o : options) {
    if (o.name.empty()) {
      out += std::string(o.text) + ":\n";
      continue;
    }
    std::string left = "  " + left_of(o);
    constexpr std::size_t column = 24;
    std::string const right = wrapped(o.text, column, 76);
    if (left.size() + 2 > column)
      out += left + "\n" + right;
    else
      out += left + right.substr(left.size());
  }
  return out;
}

arguments::arguments(word_form const& form, std::span<std::string const> words) {
  bool only_operands = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string const& word = words[i];
    if (only_operands || word == "-" || !word.starts_with('-')) {
      operands_.push_back(word);
      continue;
    }
    if (word == "--") {
      only_operands = true;
      continue;
    }
    auto const equals = word.find('=');
    option_info const& o = option_named(form, word.substr(0, equals));
    std::vector<std::string>& values = values_[std::string(o.name)];
    if (!values.empty() && !o.many) throw usage_error(std::string(o.name) + " is given twice");
    if (o.value.empty()) {
      if (equals != std::string::npos) throw usage_error(std::string(o.name) + " takes no value");
      values.emplace_back();
    } else if (equals != std::string::npos) {
      values.push_back(word.substr(equals + 1));
    } else if (o.value.starts_with('[')) {
      values.emplace_back();
    } else if (i + 1 < words.size()) {
      values.push_back(words[++i]);
    } else {
      throw usage_error(fmt::format("{} needs a value: {} {}", o.name, o.name, o.value));
    }
  }
  auto const n = static_cast<int>(operands_.size());
  if (n < form.least || (form.most >= 0 && n > form.most))
    throw usage_error(
        (n < form.least ? "something is missing" : "\"" + operands_.back() + "\" is too much") +
        "; the form is: " + usage_of(form));
}

std::string arguments::value(std::string_view option, std::string const& otherwise) const {
  auto const at = values_.find(option);
  return at == values_.end() ? otherwise : at->second.back();
}

std::vector<std::string> arguments::values(std::string_view option) const {
  auto const at = values_.find(option);
  return at == values_.end() ? std::vector<std::string>() : at->second;
}

std::vector<std::string> arguments::words(std::string_view option) const {
  return has(option) ? split(value(option)) : std::vector<std::string>();
}

std::int64_t arguments::number(std::string_view option, std::int64_t otherwise, std::int64_t least,
                               std::int64_t most) const {
  if (!has(option)) return otherwise;
  std::optional<std::int64_t> const n = whole(value(option), least, most);
  if (!n) refuse(option, "a whole number " + bounds_text(least, most), value(option));
  return *n;
}

std::vector<std::int64_t> arguments::numbers(std::string_view option,
                                             std::vector<std::int64_t> otherwise,
                                             std::int64_t least, std::int64_t most) const {
  if (!has(option)) return otherwise;
  std::vector<std::int64_t> all;
  for (std::string const& word : words(option)) {
    std::optional<std::int64_t> const n = whole(word, least, most);
    if (!n)
      refuse(option, fmt::format("whole numbers {}, with commas between", bounds_text(least, most)),
             value(option));
    all.push_back(*n);
  }
  return all;
}

double arguments::real(std::string_view option, double otherwise, double least, double most) const {
  if (!has(option)) return otherwise;
  std::string const text = value(option);
  double x = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size() || !(x >= least && x <= most))
    refuse(option, fmt::format("a number from {} to {}", least, most), text);
  return x;
}

std::string arguments::choice(std::string_view option,
                              std::span<std::string_view const> known) const {
  if (!has(option)) return std::string(known.front());
  std::string word = value(option);
  if (std::ranges::find(known, word) == known.end())
    refuse(option, fmt::format("one of {}", fmt::join(known, ", ")), word);
  return word;
}

}  // namespace argosy::tool
