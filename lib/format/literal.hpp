// Values in Python's notation. The headers of .npy files and of checkpoints consist of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::detail {

struct literal {
  enum class kind : std::uint8_t { text, number, truth, tuple, list, dict };

  kind what = kind::tuple;
  std::string text = {};            // UTF-8
  std::int64_t number = 0;          // not negative, as all numbers of headers; 0 or 1 for truth
  std::vector<literal> items = {};  // in a dict: keys, which are text, and values in turn

  // Returns the value of a key; null if there is none.
  literal const* find(std::string_view key) const;
};

// The most values of a header at the same time; for a checkpoint, of one array. A record of 20,000
// members has fewer. The limit exists because each value takes more memory than its text.
inline constexpr std::size_t most_literals = 65536;

// Checks an item of a list that is not stored. Returns the fault of the item, or an empty string.
using literal_taker = std::function<std::string(literal&)>;

// Parses strings, whole numbers, True and False, and tuples, lists and dicts of them, like
// ast.literal_eval, up to a depth of 16. `text` is UTF-8, or latin-1 if `is_latin`. Returns false
// and sets `why`, with the place, if it is anything else. With `take`, lists that are values of the
// outermost dict stay empty: `take` gets their items one by one.
bool parse_literal(std::string_view text, bool is_latin, literal& into, std::string& why,
                   literal_taker const& take = {});

// Returns text that reads back equal, quoted and with escapes, and tuples "(3, 4)", "(3,)", "()".
std::string python_text(std::string_view text);
std::string python_tuple(std::span<std::int64_t const> numbers);
// Reads the numbers of a tuple. Returns false if it is something else.
bool read_tuple(literal const& from, std::vector<std::int64_t>& into);

bool is_utf8(std::string_view text);
bool is_ascii(std::string_view text);

}  // namespace argosy::detail
