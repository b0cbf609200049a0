// Sentences of the papers as expressions over rows, evaluated for the published and the simulated
// numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace papers {

// `miss`: why the sentence does not hold on the simulated machine, empty if it holds.
struct claim {
  std::string id, source, sentence, expression, miss = {};
};

// Parses id,source,sentence,expression,miss. Throws std::invalid_argument.
std::vector<claim> read_claims(std::string const& file, std::string_view text);

// Returns the rate of a row, or for `sd KEY` its standard deviation over several runs. Nothing if
// it is not known.
using rate_function = std::function<std::optional<double>(std::string const& key)>;

struct verdict {
  std::optional<bool> holds;   // empty if a rate is not known
  double left = 0, right = 0;  // both sides of the comparison that decided
};

//   [pc14.14.n60.read] > [pc14.13.n60.read] and [a]/[b] in 1.8..2.2
//   median([a] / [b] [c] / [d] [e] / [f]) > 1        most of them, if their number is odd
//   [a] ~ [b] @ 10%        max([a] [b] [c]) <= 700        [sd a] > [sd b]
//
// Evaluates comparisons joined by `and`, with < > <= >= ~ in, sums, products, brackets, min, max
// and median. Throws std::invalid_argument, with the place, for an expression that is invalid.
verdict judge(std::string const& expression, rate_function const& rate);

}  // namespace papers
