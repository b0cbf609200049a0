// Code that programs put around the library's calls: decorators of handles, and policies that
// throw.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/handle/opener.hpp>
#include <argosy/policy/any_policy.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/two_phase.hpp>

#include "codec.hpp"
#include "program.hpp"

namespace argosy::explore {

using namespace extend;

opener decorated(opener inner, std::vector<decorator> const& around);

struct throwing_alone {
  static constexpr std::string_view name = independent::name;
  window next(access const&, std::int64_t) const {
    throw thrown_on_purpose("a policy of the program");
  }
  std::int64_t buffer_for(access const&) const { return 64; }
  std::string reason(access const&) const { return "to see what happens"; }
  friend bool operator==(throwing_alone const&, throwing_alone const&) = default;
};
static_assert(independent_policy<throwing_alone>);

struct throwing_together {
  static constexpr std::string_view name = two_phase::name;
  collective_plan plan(access_kind, access_summary const&, rank_group const&) const {
    throw thrown_on_purpose("a policy of the program");
  }
  std::uint64_t key() const { return 4711; }
  friend bool operator==(throwing_together const&, throwing_together const&) = default;
};
static_assert(collective_policy<throwing_together>);

inline any_policy throwing(policy_kind kind) {
  if (kind <= policy_kind::sieving) return throwing_alone();
  return throwing_together();
}

}  // namespace argosy::explore
