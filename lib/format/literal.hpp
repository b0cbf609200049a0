// Values as Python writes them: what the headers of .npy files and of checkpoints are made of.
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
  std::int64_t number = 0;          // not negative: headers have no other; 0 or 1 for truth
  std::vector<literal> items = {};  // of a dict: keys, which are text, and values in turn

  // The value of a key; null if there is none.
  literal const* find(std::string_view key) const;
};

// How many values a header may have at a time, of a checkpoint for one array: a record of 20,000
// members has fewer. Each takes more memory than its text.
inline constexpr std::size_t most_literals = 65536;

// Looks at an item of a list that is not kept. It returns what is wrong with the item, or
// an empty string.
using literal_taker = std::function<std::string(literal&)>;

// What ast.literal_eval takes of strings, whole numbers, True and False, and tuples, lists and
// dicts of them; not nested deeper than 16. `text` is UTF-8, or latin-1 where `is_latin` says so.
// False if it is anything else; then `why` says what and where. With `take`, lists that are values
// of the outermost dict stay empty: their items are given to it one by one.
bool parse_literal(std::string_view text, bool is_latin, literal& into, std::string& why,
                   literal_taker const& take = {});

// 'it''s': quoted, with escapes, so that it reads back equal. "(3, 4)", "(3,)", "()".
std::string python_text(std::string_view text);
std::string python_tuple(std::span<std::int64_t const> numbers);
// The numbers of a tuple; false if it is something else.
bool read_tuple(literal const& from, std::vector<std::int64_t>& into);

bool is_utf8(std::string_view text);
bool is_ascii(std::string_view text);

}  // namespace argosy::detail
