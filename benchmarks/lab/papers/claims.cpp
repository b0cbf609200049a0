// Implements claims.hpp: a parser that evaluates directly.
// SPDX-License-Identifier: BSD-3-Clause
#include "claims.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "../../support/csv.hpp"
#include "../../support/statistics.hpp"

namespace papers {

namespace {

constexpr int deepest = 50;
// Rates that are kept have four digits. A claim must not depend on the fifth one.
constexpr double rounding = 0.0005;

class calculator {
 public:
  calculator(std::string const& text, rate_function const& rate) : text_(text), rate_(rate) {}

  verdict run() {
    verdict all = comparison();
    while (word("and")) {
      verdict const next = comparison();
      bool const decided = all.holds.has_value() && !*all.holds;
      if (decided) continue;
      bool const unknown = !all.holds;
      all = next;
      if (unknown) all.holds.reset();
    }
    if (at_ != text_.size()) refuse("what is this");
    if (unknown_) all.holds.reset();
    return all;
  }

 private:
  [[noreturn]] void refuse(std::string const& why) const {
    throw std::invalid_argument(
        fmt::format("claim: {}, at '{}'", why, text_.substr(std::min(at_, text_.size()))));
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool word(std::string_view w) {
    skip();
    if (!std::string_view(text_).substr(at_).starts_with(w)) return false;
    at_ += w.size();
    skip();
    return true;
  }
  void expect(std::string_view w) {
    if (!word(w)) refuse(fmt::format("'{}' should be here", w));
  }
  double number() {
    skip();
    double x = 0;
    // parses the number before the dots of an interval
    std::size_t const dots = std::min(text_.find("..", at_), text_.size());
    auto const [end, error] = std::from_chars(text_.data() + at_, text_.data() + dots, x);
    if (error != std::errc()) refuse("a number should be here");
    at_ = static_cast<std::size_t>(end - text_.data());
    skip();
    return x;
  }

  verdict comparison() {
    double const left = sum();
    if (word("in")) {
      double const low = number();
      expect("..");
      double const high = number();
      return {low <= left && left <= high, left, left < low ? low : high};
    }
    if (word("~")) {
      double const right = sum();
      expect("@");
      double const percent = number();
      expect("%");
      return {std::abs(left - right) <= percent / 100 * std::max(left, right), left, right};
    }
    for (std::string_view const op : {">=", "<=", ">", "<"}) {
      if (!word(op)) continue;
      double const right = sum();
      bool const equal =
          std::abs(left - right) <= rounding * std::max(std::abs(left), std::abs(right));
      bool const greater = !equal && left > right, less = !equal && left < right;
      bool const holds = op == ">=" ? !less : op == "<=" ? !greater : op == ">" ? greater : less;
      return {holds, left, right};
    }
    refuse("a comparison should be here");
  }
  double sum() {
    double x = product();
    for (;;) {
      if (word("+"))
        x += product();
      else if (word("-"))
        x -= product();
      else
        return x;
    }
  }
  double product() {
    double x = factor();
    for (;;) {
      if (word("*"))
        x *= factor();
      else if (word("/"))
        x /= factor();
      else
        return x;
    }
  }
  double factor() {
    if (++depth_ > deepest) refuse("too many brackets");
    double x = 0;
    bool const least = word("min("), most = !least && word("max(");
    if (least || most) {
      x = sum();
      while (!word(")")) x = least ? std::min(x, sum()) : std::max(x, sum());
    } else if (word("median(")) {
      std::vector<double> all = {sum()};
      while (!word(")")) all.push_back(sum());
      x = bench::median(std::move(all));
    } else if (word("(")) {
      x = sum();
      expect(")");
    } else if (word("[")) {
      std::size_t const end = text_.find(']', at_);
      if (end == text_.npos) refuse("a key without an end");
      std::optional<double> const rate = rate_(text_.substr(at_, end - at_));
      unknown_ |= !rate;
      x = rate.value_or(1);
      at_ = end + 1;
      skip();
    } else {
      x = number();
    }
    --depth_;
    return x;
  }

  std::string const& text_;
  rate_function const& rate_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool unknown_ = false;
};

}  // namespace

std::vector<claim> read_claims(std::string const& file, std::string_view text) {
  bench::csv_table const t(file, text);
  std::vector<claim> all;
  for (std::size_t k = 0; k < t.size(); ++k)
    all.push_back({t.at(k, "id"), t.at(k, "source"), t.at(k, "sentence"), t.at(k, "expression"),
                   t.at(k, "miss")});
  return all;
}

verdict judge(std::string const& expression, rate_function const& rate) {
  return calculator(expression, rate).run();
}

}  // namespace papers
