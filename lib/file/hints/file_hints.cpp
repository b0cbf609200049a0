// Implements file_hints.hpp: merges the hints of all sources, and keeps what became of each.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/file_hints.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "parse.hpp"

namespace argosy {
namespace {

// Why a hint may not be given now; empty if it may.
std::string refusal(hint_info const& hint, hint_moment moment, bool pending, resolved_hints const& values) {
  if (hint.when == hint_time::never) return "the library tells this one";
  if (moment == hint_moment::open) return {};
  if (hint.when == hint_time::open) return "may be given at open only";
  if (hint.when == hint_time::quiet && pending) return "may not change while an operation is pending";
  if (hint.when == hint_time::switchable && !values.largeblock_switchable)
    return "fixed since open; open the file with the value switchable";
  return {};
}

// Ends a reason with where the hint was read, if that is known.
std::string located(std::string why, named_hint const& given) {
  if (given.origin.empty()) return why;
  return why.empty() ? given.origin : why + " (" + given.origin + ")";
}

}  // namespace

file_hints::file_hints() {
  for (hint_info const& hint : known_hints()) all_.push_back({std::string(hint.name), std::string(hint.standard)});
}

file_hints::file_hints(hints const& from_environment, hints const& from_info, hints const& from_code) : file_hints() {
  merge(from_environment, hint_source::environment, hint_moment::open);
  merge(from_info, hint_source::info, hint_moment::open);
  merge(from_code, hint_source::code, hint_moment::open);
}

void file_hints::merge(hints const& given, hint_source source, hint_moment moment, bool pending) {
  for (named_hint const& one : given.by_name()) take(one, source, moment, pending);
  // Hints that act together.
  values_ = given_;
  hint_state const* const buffering = find("collective_buffering");
  if (buffering->value == "false") {
    if (!cb_read_said_) values_.cb_read = toggle::disable;
    if (!cb_write_said_) values_.cb_write = toggle::disable;
  }
}

void file_hints::take(named_hint const& given, hint_source source, hint_moment moment, bool pending) {
  auto at = std::find_if(all_.begin(), all_.end(), [&](hint_state const& s) { return s.name == given.name; });
  hint_info const* const hint = find_hint(given.name);
  if (hint == nullptr) {
    bool const broken = !given.fault.empty();
    hint_state state{given.name, given.value, broken ? hint_status::rejected : hint_status::ignored, source,
                     located(broken ? given.fault : "unknown", given)};
    // Lines that could not be read have no name of their own: each is told.
    if (at == all_.end() || broken)
      all_.push_back(std::move(state));
    else
      *at = std::move(state);
    return;
  }
  at->source = source;
  std::string why = !given.fault.empty() ? given.fault : refusal(*hint, moment, pending, given_);
  if (!why.empty()) {
    at->status = hint_status::rejected;
    at->why = located("\"" + given.value + "\": " + why, given);
    return;
  }
  detail::hint_value read = detail::read_hint(*hint, given.value, given_);
  if (!read.fault.empty()) {
    at->status = hint_status::rejected;
    at->why = located(std::move(read.fault), given);
    return;
  }
  if (given.name == "romio_cb_read") cb_read_said_ = true;
  if (given.name == "romio_cb_write") cb_write_said_ = true;
  at->value = std::move(read.text);
  at->status = hint->used ? hint_status::accepted : hint_status::ignored;
  at->why = located(hint->used ? std::string() : std::string(hint->effect), given);
}

void file_hints::tell(std::string_view name, std::string value) {
  for (hint_state& s : all_)
    if (s.name == name) s.value = std::move(value);
}

hint_state const* file_hints::find(std::string_view name) const noexcept {
  auto const at = std::find_if(all_.begin(), all_.end(), [&](hint_state const& s) { return s.name == name; });
  return at == all_.end() ? nullptr : &*at;
}

std::string file_hints::same_on_all() const {
  std::string text;
  for (std::size_t i = 0; i < known_hints().size(); ++i)
    if (known_hints()[i].same && known_hints()[i].used) text += all_[i].name + " " + all_[i].value + "\n";
  if (given_.largeblock_given) text += "IBM_largeblock_io was given\n";
  return text;
}

std::uint64_t file_hints::same_hash() const {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (char c : same_on_all()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string_view name_of(hint_status status) noexcept {
  constexpr std::array<std::string_view, 4> names{"defaulted", "accepted", "rejected", "ignored"};
  return names[static_cast<std::size_t>(status)];
}

std::string_view name_of(hint_source source) noexcept {
  constexpr std::array<std::string_view, 4> names{"library", "environment", "info", "code"};
  return names[static_cast<std::size_t>(source)];
}

std::string to_string(file_hints const& h, hints_shown which) {
  std::vector<std::array<std::string, 5>> rows;
  std::string silent;
  for (hint_state const& s : h.all()) {
    std::string const value = s.value.empty() ? "-" : s.value;
    if (which == hints_shown::all || s.status != hint_status::defaulted) {
      bool const known = s.status != hint_status::defaulted;
      rows.push_back(
          {s.name, value, std::string(name_of(s.status)), known ? std::string(name_of(s.source)) : "", s.why});
    } else if (!s.value.empty()) {
      silent += (silent.empty() ? "" : ", ") + s.name + " = " + value;
    }
  }
  std::string text;
  if (!rows.empty()) {
    rows.insert(rows.begin(), {"hint", "value", "status", "source", "why"});
    constexpr std::size_t widest = 60;  // a value of a thousand characters is no reason to put the others far apart
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

}  // namespace argosy
