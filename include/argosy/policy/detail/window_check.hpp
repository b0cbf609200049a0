// Checks the windows of an independent policy of the program before they are carried out. An
// executor would crash, never end, or write bytes that were not requested.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <argosy/plan/invalid_plan.hpp>
#include <argosy/policy/access.hpp>
#include <argosy/policy/detail/library_policies.hpp>

namespace argosy::detail {

// Checks windows in their order. Throws invalid_plan. O(depth) for a window.
class window_check {
 public:
  // All arguments must outlive the check.
  constexpr window_check(std::string_view policy, access const& wanted, std::int64_t buffer_bytes)
      : policy_(policy), wanted_(wanted), buffer_bytes_(buffer_bytes) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
    if (buffer_bytes < 1 || buffer_bytes > most)
      refuse("buffer_for returned " + number(buffer_bytes) + " bytes; from 1 to 2^62 can be had");
  }

  // Checks the next window, which must begin at `at`.
  constexpr void operator()(window const& w, std::int64_t at) {
    ++count_;
    if (w.position != at)
      refuse_window(" begins at " + number(w.position) + ", not at " + number(at));
    if (w.wanted < 1)
      refuse_window(" has " + number(w.wanted) + " wanted bytes; it must have at least 1");
    if (w.wanted > wanted_.end() - at)
      refuse_window(" begins at " + number(at) + " and has " + number(w.wanted) +
                    " wanted bytes, but the access ends at " + number(wanted_.end()));
    window const hull = window_of(wanted_, at, w.wanted);
    // If windows are accessed piece by piece, nothing depends on this.
    if (wanted_.sorted && (w.offset != hull.offset || w.length != hull.length))
      refuse_window(" is " + number(w.length) + " bytes from " + number(w.offset) +
                    " of the file; its wanted bytes lie in " + number(hull.length) +
                    " bytes from " + number(hull.offset));
    if (w.pieces != hull.pieces)
      refuse_window(" has " + number(w.pieces) + " pieces; they are " + number(hull.pieces));
    switch (w.how) {
      case transfer_mode::pieces:
        return;
      case transfer_mode::whole:
        if (hull.pieces > 1)
          refuse_window(" is not whole: it has " + number(hull.pieces) + " pieces");
        return;
      case transfer_mode::gathered:
        if (w.wanted > buffer_bytes_)
          refuse_window(" is gathered and has " + number(w.wanted) +
                        " bytes, but buffer_for returned " + number(buffer_bytes_));
        return;
      case transfer_mode::merged:
        if (!wanted_.sorted)
          refuse_window(
              " is merged, but the view names bytes twice or out of order: such windows go by "
              "pieces");
        if (w.length > buffer_bytes_)
          refuse_window(" is merged and " + number(w.length) +
                        " bytes long, but buffer_for returned " + number(buffer_bytes_));
        return;
    }
    refuse_window(" moves by a passage that is none: " + number(static_cast<std::int64_t>(w.how)));
  }

 private:
  static std::string number(std::int64_t n) { return std::to_string(n); }
  [[noreturn]] void refuse_window(std::string const& what) const {
    refuse("window " + number(count_ - 1) + what);
  }
  [[noreturn]] void refuse(std::string const& what) const {
    throw invalid_plan("policy '" + std::string(policy_) + "': " + what);
  }

  std::string_view policy_;
  access const& wanted_;
  std::int64_t buffer_bytes_;
  std::int64_t count_ = 0;
};

}  // namespace argosy::detail
