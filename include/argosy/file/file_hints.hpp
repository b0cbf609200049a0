// The hints of an open file: the values in force, the source of each, and the status of those that
// were given.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/extend.hpp>
#include <argosy/file/hint_info.hpp>
#include <argosy/file/hints.hpp>
#include <argosy/file/resolved_hints.hpp>

namespace argosy {

enum class hint_status : std::uint8_t {
  defaulted,  // not given
  accepted,   // in force as given
  // given with an invalid value, or at a time when it may not be; the earlier value stays
  rejected,
  ignored,  // unknown, or valid but without effect here
  // valid, but another hint, or the policy of the last call, decides otherwise
  overridden,
  capped,  // in force, but cannot be fulfilled in full; `why` says how far
};
// The source of a hint. Later enumerators win at open: the defaults, ARGOSY_HINTS, an MPI_Info,
// other hints of the program, ARGOSY_HINTS_OVERRIDE. `overriding` also wins over policies that
// calls are given.
enum class hint_source : std::uint8_t { library, environment, info, code, overriding };
namespace extend {

enum class hint_moment : std::uint8_t { open, set_view, set_hints };

}  // namespace extend

// One row of get_hints(): the value in force, and the status of the hint as it was last given.
struct hint_state {
  std::string name;
  std::string value;  // decimal, lower case, without suffix; unknown hints as they were given
  hint_status status = hint_status::defaulted;
  hint_source source = hint_source::library;  // source of the last value given
  std::string why = {};                       // empty if defaulted, or accepted unchanged
  friend bool operator==(hint_state const&, hint_state const&) = default;
};

// A regular value. Local. Throws only std::bad_alloc.
class file_hints {
 public:
  // Makes the defaults.
  file_hints();
  // Makes the defaults, then merges each source; later sources win over earlier ones. Hints of
  // `overriding` cannot be changed later.
  file_hints(hints const& from_environment, hints const& from_info, hints const& from_code,
             hints const& overriding = {});

  // Merges hints of one source. `pending`: an operation on the file has not ended, so hints of
  // hint_time::quiet are rejected.
  void merge(hints const& given, hint_source origin, extend::hint_moment moment,
             bool pending = false);
  // Sets the value of a known hint, without a check and without a change of its status. For values
  // that the library computes, such as `filename`. Unknown names are ignored.
  void tell(std::string_view name, std::string value);
  // Notes the effect of a hint in this file: sets its status, and adds `why`. Does nothing unless
  // its status is `accepted`.
  void note(std::string_view name, hint_status status, std::string why);

  extend::resolved_hints const& values() const noexcept { return values_; }
  // Every known hint in the order of known_hints(), then the unknown hints that were given.
  std::vector<hint_state> const& all() const noexcept { return all_; }
  // Returns the state of a hint; null if there is none of that name. Valid until the hints change.
  hint_state const* find(std::string_view name) const noexcept;

  // Returns the hints that must be equal on all ranks, as "name value" lines. same_hash() returns
  // their hash. If it differs between two ranks, so do the lines.
  std::string same_on_all() const;
  std::uint64_t same_hash() const;
  // Adopts rank 0's values of the hints in which rank 0 counts. `lines` is same_on_all() of that
  // rank.
  void follow_first(std::string_view lines);

  friend bool operator==(file_hints const&, file_hints const&) = default;

 private:
  void take(detail::named_hint const& given, hint_source origin, extend::hint_moment moment,
            bool pending);
  void resolve();
  bool overrides(std::string_view name) const { return given_.overrides(name); }
  bool was_given(std::string_view name) const noexcept;

  std::vector<hint_state> all_;
  extend::resolved_hints given_, values_;
  // for each known hint: true if a value that was given is in force
  std::vector<bool> given_in_force_;
};

std::string_view name_of(hint_status status) noexcept;
std::string_view name_of(hint_source origin) noexcept;

namespace detail {

// The rows of the table: hints that were given, with all others in one paragraph; the same without
// that paragraph; or all hints.
enum class hints_shown : std::uint8_t { given, given_alone, all };

}  // namespace detail

std::string to_string(file_hints const& h, detail::hints_shown which = detail::hints_shown::given);

}  // namespace argosy
