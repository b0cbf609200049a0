// The hints of an open file: what is in force, where each value comes from, and what became of
// those that were given.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/file/hint_info.hpp>
#include <argosy/file/hints.hpp>
#include <argosy/file/resolved_hints.hpp>

namespace argosy {

enum class hint_status : std::uint8_t {
  defaulted,  // nobody gave it
  accepted,   // in force as given
  // given with a value that cannot be, or at a time when it may not: the value before stays
  rejected,
  ignored,  // unknown, or valid and without effect here
  // valid, but another hint, or the policy that the last call was given, says otherwise
  overridden,
  capped,  // in force, but what it asks for is not to be had in full; `why` says how much
};
// `overriding`: ARGOSY_HINTS_OVERRIDE, which wins over all others, and over policies that calls are
// given.
enum class hint_source : std::uint8_t { library, environment, info, code, overriding };
enum class hint_moment : std::uint8_t { open, set_view, set_hints };

// One line of get_hints(): the value in force, and the fate of what was given last.
struct hint_state {
  std::string name;
  std::string value;  // decimal, lower case, without suffix; what unknown hints were given
  hint_status status = hint_status::defaulted;
  hint_source source = hint_source::library;  // of what was given last
  std::string why = {};                       // empty if defaulted, or accepted as it stands
  friend bool operator==(hint_state const&, hint_state const&) = default;
};

// A regular value; local, no exceptions but those of memory.
class file_hints {
 public:
  // All defaults.
  file_hints();
  // Defaults, then what each source says, later ones over earlier ones. What `overriding` says
  // stays.
  file_hints(hints const& from_environment, hints const& from_info, hints const& from_code,
             hints const& overriding = {});

  // `pending`: an operation on the file has not ended.
  void merge(hints const& given, hint_source origin, hint_moment moment, bool pending = false);
  // What the library knows itself: `filename`.
  void tell(std::string_view name, std::string value);
  // What it knows of the effect of a hint; only what was accepted can have another fate.
  void note(std::string_view name, hint_status status, std::string why);

  resolved_hints const& values() const noexcept { return values_; }
  // Every known hint in the order of known_hints(), then the unknown ones that were given.
  std::vector<hint_state> const& all() const noexcept { return all_; }
  hint_state const* find(std::string_view name) const noexcept;

  // Those that must be equal on all ranks, as "name value" lines, and a hash of them: two ranks
  // differ if the hashes do.
  std::string same_on_all() const;
  std::uint64_t same_hash() const;
  // Takes over what counts as rank 0 has it. `lines` are same_on_all() of that rank.
  void follow_first(std::string_view lines);

  friend bool operator==(file_hints const&, file_hints const&) = default;

 private:
  void take(detail::named_hint const& given, hint_source origin, hint_moment moment, bool pending);
  void resolve();
  bool overrides(std::string_view name) const { return given_.overrides(name); }
  bool was_given(std::string_view name) const noexcept;

  std::vector<hint_state> all_;
  resolved_hints given_, values_;
  std::vector<bool> given_in_force_;  // for each known hint: given with a value that is in force
};

std::string_view name_of(hint_status status) noexcept;
std::string_view name_of(hint_source origin) noexcept;

namespace detail {

// A table with a line per hint that somebody gave, and all others in one paragraph, or without
// them; or a line for each.
enum class hints_shown : std::uint8_t { given, given_alone, all };

}  // namespace detail

std::string to_string(file_hints const& h, detail::hints_shown which = detail::hints_shown::given);

}  // namespace argosy
