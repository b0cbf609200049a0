// Implements parse.hpp: the values of hints as text.
// SPDX-License-Identifier: BSD-3-Clause
#include "parse.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace argosy::detail {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    std::size_t const comma = text.find(',');
    parts.emplace_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

hint_value fault(std::string why) { return {{}, std::move(why)}; }
std::string quoted(std::string_view value) { return "\"" + std::string(value) + "\""; }

struct integer_value {
  std::int64_t value = 0;
  std::string fault = {};
};

// MPI's info values are decimal integers; the suffixes are argosy's own.
integer_value read_integer(std::string_view text, bool suffixes) {
  std::int64_t n = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error == std::errc::result_out_of_range) return {0, quoted(text) + " exceeds 2^63 - 1"};
  if (error != std::errc()) return {0, quoted(text) + " is not a decimal integer"};
  std::string unit = lower(trimmed(std::string_view(end, static_cast<std::size_t>(text.data() + text.size() - end))));
  if (n < 0) return {0, std::to_string(n) + " is negative"};
  if (unit.empty()) return {n};
  if (!suffixes) return {0, quoted(text) + " is not a decimal integer"};
  if (unit.ends_with("ib")) unit.resize(unit.size() - 2);
  int const shift = unit == "k" ? 10 : unit == "m" ? 20 : unit == "g" ? 30 : 0;
  if (shift == 0) return {0, quoted(text) + ": the suffix is none of k, m, g (KiB, MiB, GiB)"};
  if (n > std::numeric_limits<std::int64_t>::max() >> shift) return {0, quoted(text) + " exceeds 2^63 - 1"};
  return {n << shift};
}

// A number without sign, exponents allowed; stod throws where it is not finite. Not from_chars: libc++ has none for double.
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

std::optional<toggle> read_toggle(std::string const& word) {
  if (word == "automatic") return toggle::automatic;
  if (word == "enable" || word == "true") return toggle::enable;  // ROMIO takes both
  if (word == "disable" || word == "false") return toggle::disable;
  return {};
}
std::string_view text_of(toggle t) {
  return t == toggle::automatic ? "automatic" : t == toggle::enable ? "enable" : "disable";
}

// "node1:2,*:1"; a host alone may have one.
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

// What a hint of this kind means for policies; other hints of the same kind are only checked.
void put(std::string_view name, std::int64_t n, resolved_hints& out) {
  if (name == "cb_block_size") out.cb_block_bytes = n;
  if (name == "cb_buffer_size") out.cb_buffer_bytes = n;
  if (name == "cb_nodes") out.cb_nodes = n;
  if (name == "cb_buffer_size") out.cb_buffer_given = true;
  if (name == "argosy_window_size") {
    out.window_bytes = n;
    out.window_given = true;
  }
  if (name == "romio_min_fdomain_size") out.min_domain_bytes = n;
  if (name == "ind_rd_buffer_size") out.ind_rd_buffer_bytes = n;
  if (name == "ind_wr_buffer_size") out.ind_wr_buffer_bytes = n;
  if (name == "IBM_io_buffer_size") out.io_buffer_bytes = n;
  if (name == "argosy_io_threads") out.io_threads = n;
  if (name == "argosy_max_ranges") out.max_ranges = n;
  if (name == "striping_factor") out.striping_factor = n;
  if (name == "striping_unit") out.striping_unit = n;
}
void put(std::string_view name, toggle t, resolved_hints& out) {
  if (name == "romio_cb_read") out.cb_read = t;
  if (name == "romio_cb_write") out.cb_write = t;
  if (name == "romio_ds_read") out.ds_read = t;
  if (name == "romio_ds_write") out.ds_write = t;
  if (name == "argosy_partitioning") out.partitioning = t;
}
void put(std::string_view name, bool b, resolved_hints& out) {
  if (name == "IBM_sparse_access") out.sparse_access = b;
  if (name == "argosy_develop") out.develop = b;
  if (name == "argosy_lenient") out.lenient = b;
}
void put(std::string_view name, double d, resolved_hints& out) {
  if (name == "argosy_price_call_ns") out.price_call_ns = d;
  if (name == "argosy_price_write_call_ns") out.price_write_call_ns = d;
  if (name == "argosy_price_lock_ns") out.price_lock_ns = d;
  if (name == "argosy_price_byte_ns") out.price_byte_ns = d;
  if (name == "argosy_price_piece_ns") out.price_piece_ns = d;
  if (name == "argosy_price_message_ns") out.price_message_ns = d;
  if (name == "argosy_price_message_byte_ns") out.price_message_byte_ns = d;
  if (name == "argosy_price_block_ns") out.price_block_ns = d;
}
void put_choice(std::string_view name, std::string const& word, resolved_hints& out) {
  if (name == "argosy_policy") out.policy = word;
  if (name == "argosy_sync_errors") out.sync_errors = word;
  if (name == "argosy_progress") out.progress = word;
  if (name == "IBM_largeblock_io") {
    out.largeblock_io = word == "true";
    out.largeblock_given = true;
    // Once switchable, always: true and false are then what it was made for.
    out.largeblock_switchable = out.largeblock_switchable || word == "switchable";
  }
}

// A buffer of no bytes moves nothing.
bool may_be_zero(std::string_view name) {
  return name != "cb_buffer_size" && name != "argosy_window_size" && name != "ind_rd_buffer_size" &&
         name != "ind_wr_buffer_size" && name != "romio_cb_fr_alignment";
}

// More would be a slip.
std::int64_t most_of(std::string_view name) {
  return name == "argosy_io_threads" ? 1024 : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view white = " \t\r\n\v\f";
  std::size_t const first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

hint_value read_hint(hint_info const& hint, std::string_view value, resolved_hints& out) {
  std::string_view const text = trimmed(value);
  std::string const word = lower(text);
  if (text.empty()) return fault("the value is empty");
  switch (hint.kind) {
    case hint_kind::bytes:
    case hint_kind::count: {
      auto const n = read_integer(text, hint.kind == hint_kind::bytes);
      if (!n.fault.empty()) return fault(n.fault);
      if (n.value == 0 && !may_be_zero(hint.name)) return fault("0 bytes move nothing");
      if (n.value > most_of(hint.name))
        return fault(std::to_string(n.value) + " is more than " + std::to_string(most_of(hint.name)));
      put(hint.name, n.value, out);
      return {std::to_string(n.value), {}};
    }
    case hint_kind::number: {
      auto const d = read_number(std::string(text));
      if (!d) return fault(quoted(text) + " is not a decimal number of at least 0");
      put(hint.name, *d, out);
      return {std::string(text), {}};
    }
    case hint_kind::boolean: {
      if (word != "true" && word != "false") return fault(quoted(text) + " is neither true nor false");
      put(hint.name, word == "true", out);
      return {word, {}};
    }
    case hint_kind::toggle: {
      auto const t = read_toggle(word);
      if (!t) return fault(quoted(text) + " is none of automatic, enable, disable");
      put(hint.name, *t, out);
      return {std::string(text_of(*t)), {}};
    }
    case hint_kind::choice: {
      auto const choices = split(hint.choices);
      if (std::find(choices.begin(), choices.end(), word) == choices.end())
        return fault(quoted(text) + " is none of " + std::string(hint.choices));
      put_choice(hint.name, word, out);
      return {word, {}};
    }
    case hint_kind::list: {
      auto const choices = split(hint.choices);
      std::string kept;
      for (std::string const& part : split(text)) {
        if (part.empty()) return fault(quoted(text) + " has an empty item");
        if (!hint.choices.empty() && std::find(choices.begin(), choices.end(), part) == choices.end())
          return fault(quoted(part) + " is none of " + std::string(hint.choices));
        kept += (kept.empty() ? "" : ",") + part;
      }
      return {kept, {}};
    }
    case hint_kind::permissions: {
      unsigned mode = 0;
      auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
      if (error != std::errc() || end != text.data() + text.size() || mode > 07777)
        return fault(quoted(text) + " is not a mode in octal, such as 0640");
      out.file_permissions = mode;
      return {std::string(text), {}};
    }
    case hint_kind::hosts: {
      auto limits = read_hosts(text);
      if (!limits) return fault(quoted(text) + " is not a list of host:number, with * for any host and any number");
      out.cb_config_list = std::move(*limits);
      return {std::string(text), {}};
    }
    case hint_kind::text:
      break;
  }
  return {std::string(text), {}};
}

}  // namespace argosy::detail
