// Implements file_hints.hpp: merges the hints of all sources, and stores the status of each.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/state/usage_hints.hpp>
#include <argosy/file/file_hints.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "parse.hpp"

namespace argosy {
namespace {

// Returns why a hint may not be given now; empty if it may.
std::string refusal(extend::hint_info const& hint, extend::hint_moment moment, bool pending,
                    extend::resolved_hints const& values) {
  if (hint.when == extend::hint_time::never) return "the library tells this one";
  if (moment == extend::hint_moment::open) return {};
  if (hint.when == extend::hint_time::open) return "may be given at open only";
  if (hint.when == extend::hint_time::quiet && pending)
    return "may not change while an operation is pending";
  if (hint.when == extend::hint_time::switchable && !values.largeblock_switchable)
    return "fixed since open; open the file with the value switchable";
  return {};
}

// Endings of lines of same_on_all() that have more about a hint than its value.
constexpr char const* given_mark = " was given\n";
constexpr char const* overrides_mark = " overrides\n";
constexpr char const* switchable_mark = "IBM_largeblock_io may be switched\n";

// Appends to a reason where the hint was read, if that is known.
std::string located(std::string why, detail::named_hint const& given) {
  if (given.origin.empty()) return why;
  return why.empty() ? given.origin : why + " (" + given.origin + ")";
}

// Returns the least number of letters that must be inserted, removed or replaced.
std::size_t slips(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::size_t const other = corner + (a[i] == b[j] ? 0 : 1);
      corner = row[j + 1];
      row[j + 1] = std::min({other, row[j] + 1, corner + 1});
    }
  }
  return row.back();
}

// Returns the text for an unknown name. It suggests a similar name, one with another prefix, or one
// with other capitals.
std::string unknown(std::string_view given) {
  constexpr std::size_t longest = 64;  // no known name is longer
  std::string const name = detail::lower(given.substr(0, longest + 1));
  std::string_view best;
  std::size_t fewest = std::min<std::size_t>(3, 1 + name.size() / 5) + 1;
  for (extend::hint_info const& hint : extend::known_hints()) {
    if (name.size() > longest) break;
    std::string_view whole = hint.name;
    for (std::string_view const prefix : {"", "romio_", "IBM_", "argosy_"}) {
      if (!whole.starts_with(prefix)) continue;
      if (std::size_t const n = slips(name, detail::lower(whole.substr(prefix.size()))); n < fewest)
        fewest = n, best = hint.name;
    }
  }
  return best.empty() ? "unknown" : "unknown; did you mean " + std::string(best) + "?";
}

}  // namespace

file_hints::file_hints() : given_in_force_(extend::known_hints().size()) {
  for (extend::hint_info const& hint : extend::known_hints())
    all_.push_back({std::string(hint.name), std::string(hint.standard)});
}

file_hints::file_hints(hints const& from_environment, hints const& from_info,
                       hints const& from_code, hints const& overriding)
    : file_hints() {
  merge(from_environment, hint_source::environment, extend::hint_moment::open);
  merge(from_info, hint_source::info, extend::hint_moment::open);
  merge(from_code, hint_source::code, extend::hint_moment::open);
  merge(overriding, hint_source::overriding, extend::hint_moment::open);
}

void file_hints::merge(hints const& given, hint_source source, extend::hint_moment moment,
                       bool pending) {
  for (detail::named_hint const& one : given.by_name()) take(one, source, moment, pending);
  resolve();
}

// Resolves hints that act together.
void file_hints::resolve() {
  values_ = given_;
  values_.cb_buffer_given = was_given("cb_buffer_size");
  values_.window_given = was_given("argosy_window_size");
  values_.largeblock_given = was_given("IBM_largeblock_io");
  if (!values_.window_given) {
    if (values_.cb_buffer_given)
      values_.window_bytes = std::max<std::int64_t>(1, values_.cb_buffer_bytes / 2);
    tell("argosy_window_size", std::to_string(values_.window_bytes));
  }
  // If ARGOSY_HINTS_OVERRIDE has one of the hints that choose the policy, such hints of the program
  // are treated as not given.
  bool const chosen = detail::overrides_policy(given_);
  auto const counts = [&](std::string_view name) { return !chosen || overrides(name); };
  auto const to_standard = [this](auto value) {
    if constexpr (requires { values_.*value; }) values_.*value = extend::resolved_hints().*value;
  };
  for (detail::hint_row const& row : detail::hint_rows()) {
    if (group_of(row) != detail::hint_group::choosing || counts(row.info.name)) continue;
    std::visit(to_standard, row.value);
    note(row.info.name, hint_status::overridden, "ARGOSY_HINTS_OVERRIDE chooses the policy");
  }
  if (!counts("IBM_largeblock_io")) values_.largeblock_given = false;
  if (values_.collective_buffering) return;
  auto const says = [&](std::string_view name) { return was_given(name) && counts(name); };
  if (!says("romio_cb_read")) values_.cb_read = tristate::disable;
  if (!says("romio_cb_write")) values_.cb_write = tristate::disable;
}

void file_hints::take(detail::named_hint const& given, hint_source source,
                      extend::hint_moment moment, bool pending) {
  if (given.from_info && source == hint_source::code) source = hint_source::info;
  auto at = std::find_if(all_.begin(), all_.end(),
                         [&](hint_state const& s) { return s.name == given.name; });
  detail::hint_row const* const row = detail::find_row(given.name);
  if (row == nullptr) {
    bool const broken = !given.fault.empty();
    hint_state state{given.name, given.value, broken ? hint_status::rejected : hint_status::ignored,
                     source, located(broken ? given.fault : unknown(given.name), given)};
    // Lines that could not be read have no name of their own. Each of them is reported.
    if (at == all_.end() || broken)
      all_.push_back(std::move(state));
    else
      *at = std::move(state);
    return;
  }
  extend::hint_info const& hint = row->info;
  bool const fixed = source != hint_source::overriding && overrides(given.name);
  at->source = source;
  std::string why = !given.fault.empty() ? given.fault : refusal(hint, moment, pending, given_);
  if (!why.empty()) {
    at->status = hint_status::rejected;
    at->why = located("\"" + given.value + "\": " + why, given);
    return;
  }
  extend::resolved_hints unused;
  detail::hint_value read = detail::read_hint(*row, given.value, fixed ? unused : given_);
  if (!read.fault.empty()) {
    at->status = hint_status::rejected;
    at->why = located(std::move(read.fault), given);
    return;
  }
  if (fixed) {
    at->status = hint_status::overridden;
    at->why = located("\"" + given.value + "\": ARGOSY_HINTS_OVERRIDE has another say", given);
    return;
  }
  given_in_force_[static_cast<std::size_t>(at - all_.begin())] = true;
  if (source == hint_source::overriding && hint.used && !overrides(given.name))
    given_.overriding.push_back(given.name);
  at->value = std::move(read.text);
  at->status = hint.used ? hint_status::accepted : hint_status::ignored;
  at->why = located(hint.used ? std::string() : std::string(hint.effect), given);
}

void file_hints::note(std::string_view name, hint_status status, std::string why) {
  for (hint_state& s : all_) {
    if (s.name != name) continue;
    if (s.status != hint_status::accepted) return;
    s.status = status;
    if (!why.empty()) s.why = s.why.empty() ? std::move(why) : why + " (" + s.why + ")";
    return;
  }
}

void file_hints::tell(std::string_view name, std::string value) {
  for (hint_state& s : all_)
    if (s.name == name) {
      s.value = std::move(value);
      return;
    }
}

hint_state const* file_hints::find(std::string_view name) const noexcept {
  auto const at =
      std::find_if(all_.begin(), all_.end(), [&](hint_state const& s) { return s.name == name; });
  return at == all_.end() ? nullptr : &*at;
}

std::string file_hints::same_on_all() const {
  std::string text;
  auto const rows = detail::hint_rows();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].info.same && rows[i].info.used) text += all_[i].name + " " + all_[i].value + "\n";
  // The effect of a value may depend on whether it was given, and by which source.
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].told_if_given && given_in_force_[i]) text += all_[i].name + given_mark;
  if (given_.largeblock_switchable) text += switchable_mark;
  for (extend::hint_info const& hint : extend::known_hints())
    if (hint.same && overrides(hint.name)) text += std::string(hint.name) + overrides_mark;
  return text;
}

bool file_hints::was_given(std::string_view name) const noexcept {
  auto const place = detail::find_row(name) - detail::hint_rows().data();
  return given_in_force_[static_cast<std::size_t>(place)];
}

void file_hints::follow_first(std::string_view lines) {
  std::string const there = "\n" + std::string(lines);
  auto const says = [&](std::string const& line) {
    return there.find("\n" + line) != std::string::npos;
  };
  auto const value_there = [&](std::string const& name) {
    std::string const start = "\n" + name + " ";
    std::size_t const at = there.find(start);  // the first line of that name has its value
    if (at == std::string::npos) return std::string();
    return there.substr(at + start.size(), there.find('\n', at + start.size()) - at - start.size());
  };
  // All values are read again, because no value can undo another one.
  extend::resolved_hints read;
  read.largeblock_switchable = says(switchable_mark);
  auto const rows = detail::hint_rows();
  std::vector<bool> in_force(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    extend::hint_info const& hint = rows[i].info;
    hint_state& state = all_[i];
    bool const first = hint.first_counts();
    bool const told = rows[i].told_if_given;
    bool const given_here = told ? given_in_force_[i] : state.value != hint.standard;
    std::string value = first ? value_there(state.name) : state.value;
    bool const given = !first ? given_here
                       : told ? says(state.name + given_mark)
                              : value != hint.standard;
    if (first ? says(state.name + overrides_mark) : overrides(hint.name))
      read.overriding.push_back(state.name);
    if (given) detail::read_hint(rows[i], value, read);
    in_force[i] = given;
    if (!first || (value == state.value && given == given_here)) continue;
    state.why =
        !given_here ? "rank 0 gave it, which counts on all ranks"
        : given ? "\"" + state.value + "\": rank 0 gave another value, which counts on all ranks"
                : "\"" + state.value + "\": rank 0 gave none, which counts on all ranks";
    state.status = given_here ? hint_status::overridden : hint_status::accepted;
    state.value = std::move(value);
  }
  given_ = std::move(read);
  given_in_force_ = std::move(in_force);
  resolve();
}

std::uint64_t file_hints::same_hash() const {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (char c : same_on_all()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string_view name_of(hint_status status) noexcept {
  constexpr std::array<std::string_view, 6> names{"defaulted", "accepted",   "rejected",
                                                  "ignored",   "overridden", "capped"};
  return names[static_cast<std::size_t>(status)];
}

std::string_view name_of(hint_source source) noexcept {
  constexpr std::array<std::string_view, 5> names{"library", "environment", "info", "code",
                                                  "override"};
  return names[static_cast<std::size_t>(source)];
}

std::string to_string(file_hints const& h, detail::hints_shown which) {
  std::vector<std::array<std::string, 5>> rows;
  std::string silent;
  for (hint_state const& s : h.all()) {
    std::string const value = s.value.empty() ? "-" : s.value;
    if (which == detail::hints_shown::all || s.status != hint_status::defaulted) {
      bool const known = s.status != hint_status::defaulted;
      rows.push_back({s.name, value, std::string(name_of(s.status)),
                      known ? std::string(name_of(s.source)) : "", s.why});
    } else if (!s.value.empty() && which != detail::hints_shown::given_alone) {
      silent += (silent.empty() ? "" : ", ") + s.name + " = " + value;
    }
  }
  std::string text;
  if (!rows.empty()) {
    rows.insert(rows.begin(), {"hint", "value", "status", "source", "why"});
    // one value of a thousand characters must not widen the whole column
    constexpr std::size_t widest = 60;
    std::array<std::size_t, 4> width{};
    for (auto const& row : rows)
      for (std::size_t i = 0; i < width.size(); ++i)
        if (row[i].size() <= widest) width[i] = std::max(width[i], row[i].size());
    for (auto const& row : rows) {
      std::string line;
      for (std::size_t i = 0; i < width.size(); ++i)
        line += row[i] + std::string(std::max(width[i], row[i].size()) - row[i].size() + 2, ' ');
      line += row[4];
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
  }
  if (!silent.empty()) text += "defaults: " + silent + "\n";
  return text;
}

namespace detail {

std::string given_lines(file_hints const& h) {
  std::string lines;
  for (hint_state const& s : h.all())
    if (s.status != hint_status::defaulted)
      lines += s.name + " = " + (s.value.empty() ? "-" : s.value) + ", " +
               std::string(name_of(s.status)) + (s.why.empty() ? "" : ": " + s.why) + "\n";
  return lines;
}

std::string lines_without(std::string const& lines, std::string const& others) {
  std::string more;
  for (std::size_t at = 0, end; at < lines.size(); at = end + 1) {
    end = std::min(lines.find('\n', at), lines.size());
    std::string const line = lines.substr(at, end - at) + "\n";
    if (("\n" + others).find("\n" + line) == std::string::npos) more += line;
  }
  return more;
}

}  // namespace detail
}  // namespace argosy
