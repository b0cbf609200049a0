// Implements arguments.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "nearest.hpp"

namespace argosy::tool {
namespace {

option_info const& option_named(command_info const& c, std::string const& name) {
  std::vector<std::string_view> names;
  for (auto const options : {c.options, common_options()})
    for (option_info const& o : options) {
      if (o.name == name) return o;
      names.push_back(o.name);
    }
  std::string const near = nearest(name, names);
  throw usage_error(
      "argosy " + std::string(c.name) + " has no option " + name +
      (near.empty() ? "; argosy " + std::string(c.name) + " --help lists them" : "; did you mean " + near));
}

}  // namespace

arguments::arguments(command_info const& c, std::span<std::string const> words) {
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
    option_info const& o = option_named(c, word.substr(0, equals));
    std::vector<std::string>& values = values_[std::string(o.name)];
    if (!values.empty() && !o.many) throw usage_error(std::string(o.name) + " is given twice");
    if (o.value.empty()) {
      if (equals != std::string::npos) throw usage_error(std::string(o.name) + " takes no value");
      values.emplace_back();
    } else if (equals != std::string::npos) {
      values.push_back(word.substr(equals + 1));
    } else if (i + 1 < words.size()) {
      values.push_back(words[++i]);
    } else {
      throw usage_error(std::string(o.name) + " needs a value: " + std::string(o.name) + " " + std::string(o.value));
    }
  }
  auto const n = static_cast<int>(operands_.size());
  if (n < c.least || (c.most >= 0 && n > c.most)) {
    std::string const form =
        "argosy " + std::string(c.name) + (c.operands.empty() ? "" : " " + std::string(c.operands));
    throw usage_error((n < c.least ? "something is missing" : "\"" + operands_.back() + "\" is too much") +
                      "; the form is: " + form + " [option...]");
  }
}

std::string arguments::value(std::string_view option, std::string otherwise) const {
  auto const at = values_.find(option);
  return at == values_.end() ? std::move(otherwise) : at->second.back();
}

std::vector<std::string> arguments::values(std::string_view option) const {
  auto const at = values_.find(option);
  return at == values_.end() ? std::vector<std::string>() : at->second;
}

std::int64_t arguments::number(std::string_view option, std::int64_t otherwise, std::int64_t least) const {
  if (!has(option)) return otherwise;
  std::string const text = value(option);
  std::int64_t n = 0, unit = 1;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  std::string_view const rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (rest == "k" || rest == "K") unit = std::int64_t{1} << 10;
  if (rest == "m" || rest == "M") unit = std::int64_t{1} << 20;
  if (rest == "g" || rest == "G") unit = std::int64_t{1} << 30;
  bool const good = error == std::errc() && (rest.empty() || unit > 1);
  if (!good || n < least || n > std::numeric_limits<std::int64_t>::max() / unit)
    throw usage_error(std::string(option) + " needs a whole number of at least " + std::to_string(least) + ", not \"" +
                      text + "\"");
  return n * unit;
}

}  // namespace argosy::tool
