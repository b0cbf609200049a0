// A policy of the program whose window begins at another byte.
// SPDX-License-Identifier: BSD-3-Clause
// build error: begins at

#include <argosy/datatype.hpp>
#include <argosy/policy.hpp>

namespace io = argosy;

struct one_byte {
  static constexpr std::string_view name = "one byte";
  constexpr io::extend::window next(io::access const& wanted, std::int64_t position) const {
    return io::extend::window_of(wanted, position + 1, 1);
  }
  constexpr std::int64_t buffer_for(io::access const&) const { return 1; }
  constexpr io::extend::reason_text reason(io::access const&) const { return "a byte at a time"; }
  bool operator==(one_byte const&) const = default;
};

constexpr auto plan = io::explain<one_byte{}>(io::type<int>, io::type<int>);
