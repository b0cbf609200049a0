// Implements parse.hpp: reads the values of hints.
// SPDX-License-Identifier: BSD-3-Clause
#include "parse.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace argosy::detail {
namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    std::size_t const comma = text.find(',');
    parts.emplace_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

// Returns the index of the word in the list; nothing if it is not there.
std::optional<std::size_t> place_in(std::string_view words, std::string_view word) {
  auto const all = split(words);
  auto const at = std::find(all.begin(), all.end(), word);
  if (at == all.end()) return {};
  return static_cast<std::size_t>(at - all.begin());
}

hint_value fault(std::string why) { return {{}, std::move(why)}; }
std::string quoted(std::string_view value) { return "\"" + std::string(value) + "\""; }

struct integer_value {
  std::int64_t value = 0;
  std::string fault = {};
};

// Reads an integer. MPI's info values are decimal integers; the suffixes are argosy's own.
integer_value read_integer(std::string_view text, bool suffixes) {
  std::int64_t n = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error == std::errc::result_out_of_range) return {0, quoted(text) + " exceeds 2^63 - 1"};
  if (error != std::errc()) return {0, quoted(text) + " is not a decimal integer"};
  std::string unit = lower(
      trimmed(std::string_view(end, static_cast<std::size_t>(text.data() + text.size() - end))));
  if (n < 0) return {0, std::to_string(n) + " is negative"};
  if (unit.empty()) return {n};
  if (!suffixes) return {0, quoted(text) + " is not a decimal integer"};
  if (unit.ends_with("ib")) unit.resize(unit.size() - 2);
  int const shift = unit == "k" ? 10 : unit == "m" ? 20 : unit == "g" ? 30 : 0;
  if (shift == 0) return {0, quoted(text) + ": the suffix is none of k, m, g (KiB, MiB, GiB)"};
  if (n > std::numeric_limits<std::int64_t>::max() >> shift)
    return {0, quoted(text) + " exceeds 2^63 - 1"};
  return {n << shift};
}

// Reads a finite number without sign; exponents are allowed. If the number is too large, std::stod
// throws. Not std::from_chars: libc++ has none for double.
std::optional<double> read_number(std::string const& text) {
  if (text.find_first_not_of("0123456789.eE+-") != std::string::npos || text[0] == '-') return {};
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (std::exception const&) {
    return {};
  }
  if (used != text.size()) return {};
  return value;
}

// Reads "node1:2,*:1". A host without a number may have one.
std::optional<std::vector<host_limit>> read_hosts(std::string_view text) {
  std::vector<host_limit> limits;
  for (std::string const& part : split(text)) {
    std::size_t const colon = part.find(':');
    host_limit limit{part.substr(0, colon), 1};
    if (colon != std::string::npos) {
      std::string const most = part.substr(colon + 1);
      if (most == "*") {
        limit.most = -1;
      } else {
        auto const n = read_integer(most, false);
        if (!n.fault.empty()) return {};
        limit.most = n.value;
      }
    }
    if (limit.host.empty()) return {};
    limits.push_back(std::move(limit));
  }
  return limits;
}

// Sets the value of a hint. A hint that is ignored has no member, and is only checked.
template <class T>
void put(hint_row const& row, T value, resolved_hints& out) {
  if (auto const* const member = std::get_if<T resolved_hints::*>(&row.value))
    out.*(*member) = std::move(value);
}

// Sets the value to one of the hint's words. Their order in the table is the order of the enum.
void put_word(hint_row const& row, std::size_t which, resolved_hints& out) {
  auto const set = [&](auto value) {
    if constexpr (requires { out.*value; }) {
      using word = std::remove_cvref_t<decltype(out.*value)>;
      if constexpr (std::is_enum_v<word>) out.*value = static_cast<word>(which);
    }
  };
  std::visit(set, row.value);
}

hint_value read_in_range(hint_row const& row, std::string_view text, resolved_hints& out) {
  auto const [n, why] = read_integer(text, row.info.kind == hint_kind::bytes);
  if (!why.empty()) return fault(why);
  if (n < row.info.least) return fault("0 bytes move nothing");
  if (n > row.info.most)
    return fault(std::to_string(n) + " is more than " + std::to_string(row.info.most));
  put(row, n, out);
  return {std::to_string(n), {}};
}

// Reads a list of choices; of any words if there are no choices.
hint_value read_list(std::string_view choices, std::string_view text) {
  std::string kept;
  for (std::string const& part : split(text)) {
    if (part.empty()) return fault(quoted(text) + " has an empty item");
    if (!choices.empty() && !place_in(choices, part))
      return fault(quoted(part) + " is none of " + std::string(choices));
    kept += (kept.empty() ? "" : ",") + part;
  }
  return {kept, {}};
}

hint_value read_permissions(hint_row const& row, std::string_view text, resolved_hints& out) {
  unsigned mode = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  if (error != std::errc() || end != text.data() + text.size() || mode > 07777)
    return fault(quoted(text) + " is not a mode in octal, such as 0640");
  put(row, std::optional(mode), out);
  return {std::string(text), {}};
}

}  // namespace

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view white = " \t\r\n\v\f";
  std::size_t const first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

hint_value read_hint(hint_row const& row, std::string_view value, resolved_hints& out) {
  hint_info const& hint = row.info;
  std::string_view const text = trimmed(value);
  std::string const word = lower(text);
  if (text.empty()) return fault("the value is empty");
  switch (hint.kind) {
    case hint_kind::bytes:
    case hint_kind::count:
      return read_in_range(row, text, out);
    case hint_kind::number: {
      auto const d = read_number(std::string(text));
      if (!d) return fault(quoted(text) + " is not a decimal number of at least 0");
      put(row, d, out);
      return {std::string(text), {}};
    }
    case hint_kind::boolean: {
      if (word != "true" && word != "false")
        return fault(quoted(text) + " is neither true nor false");
      put(row, word == "true", out);
      return {word, {}};
    }
    case hint_kind::tristate: {
      // ROMIO also accepts true and false.
      std::string const meant = word == "true" ? "enable" : word == "false" ? "disable" : word;
      auto const which = place_in(toggle_words, meant);
      if (!which) return fault(quoted(text) + " is none of automatic, enable, disable");
      put_word(row, *which, out);
      return {meant, {}};
    }
    case hint_kind::choice: {
      auto const which = place_in(hint.choices, word);
      if (!which) return fault(quoted(text) + " is none of " + std::string(hint.choices));
      put_word(row, *which, out);
      put(row, word == "true", out);
      // The hint stays switchable: true and false are the values between which it is switched.
      if (word == "switchable") out.largeblock_switchable = true;
      return {word, {}};
    }
    case hint_kind::list:
      return read_list(hint.choices, text);
    case hint_kind::permissions:
      return read_permissions(row, text, out);
    case hint_kind::hosts: {
      auto limits = read_hosts(text);
      if (!limits)
        return fault(quoted(text) +
                     " is not a list of host:number, with * for any host and any number");
      put(row, std::move(*limits), out);
      return {std::string(text), {}};
    }
    case hint_kind::text:
      break;
  }
  return {std::string(text), {}};
}

}  // namespace argosy::detail
