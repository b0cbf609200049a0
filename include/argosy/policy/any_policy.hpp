// A policy with a type chosen at run time. Calls take it, so that they need not be templates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include <argosy/extend.hpp>
#include <argosy/layout/detail/type_tag.hpp>
#include <argosy/plan/reason_text.hpp>
#include <argosy/policy/collective_policy.hpp>
#include <argosy/policy/fixed_policy.hpp>
#include <argosy/policy/policy.hpp>

namespace argosy {
namespace detail {

// The functions of a policy, as any_policy calls them: one table for each type of policy, and for
// each constant. The first argument is the policy. A function that a policy does not have returns
// nothing.
struct policy_functions {
  void const* type = nullptr;
  std::string_view name;
  bool is_collective = false, keeps_rules = false, balances = false;
  window (*next)(void const*, access const&, std::int64_t) = [](void const*, access const&,
                                                                std::int64_t) { return window(); };
  std::int64_t (*buffer_for)(void const*, access const&) = [](void const*, access const&) {
    return std::int64_t{0};
  };
  reason_text (*reason)(void const*, access const&) = [](void const*, access const&) {
    return reason_text();
  };
  argosy::plan (*plan)(void const*, access const&) = [](void const*, access const&) {
    return argosy::plan();
  };
  collective_plan (*plan_together)(void const*, access_kind, access_summary const&,
                                   rank_group const&, access_histogram const*) =
      [](void const*, access_kind, access_summary const&, rank_group const&,
         access_histogram const*) { return collective_plan(); };
  std::uint64_t (*key)(void const*) = [](void const*) { return std::uint64_t{0}; };
};

// `Where::policy(p)` returns the policy that the first argument stands for.
template <class P, class Where>
constexpr policy_functions make_functions() {
  policy_functions f;
  f.type = &type_tag<P>;
  f.name = P::name;
  f.keeps_rules = keeps_rules<P>;
  if constexpr (independent_policy<P>) {
    f.next = [](void const* p, access const& wanted, std::int64_t position) {
      return Where::policy(p).next(wanted, position);
    };
    f.buffer_for = [](void const* p, access const& wanted) -> std::int64_t {
      return Where::policy(p).buffer_for(wanted);
    };
    f.reason = [](void const* p, access const& wanted) -> reason_text {
      return Where::policy(p).reason(wanted);
    };
    f.plan = [](void const* p, access const& wanted) {
      return make_plan(Where::policy(p), wanted);
    };
  } else {
    f.is_collective = true;
    f.balances = balancing_policy<P>;
    f.plan_together = [](void const* p, access_kind kind, access_summary const& all,
                         rank_group const& ranks, [[maybe_unused]] access_histogram const* where) {
      if constexpr (balancing_policy<P>)
        if (where) return Where::policy(p).plan(kind, all, ranks, *where);
      return Where::policy(p).plan(kind, all, ranks);
    };
    f.key = [](void const* p) { return Where::policy(p).key(); };
  }
  return f;
}

template <class P>
struct held_policy {
  static P const& policy(void const* p) noexcept { return *static_cast<P const*>(p); }
};
template <auto Policy>
struct constant_policy {
  static constexpr auto const& policy(void const*) noexcept { return fixed_policy<Policy>::value; }
};

template <class P>
inline constexpr policy_functions functions_of = make_functions<P, held_policy<P>>();
template <auto Policy>
inline constexpr policy_functions functions_of_constant =
    make_functions<std::remove_cvref_t<decltype(Policy)>, constant_policy<Policy>>();

// Stands for a policy for which there was no memory.
inline constexpr policy_functions functions_without_memory = [] {
  policy_functions f;
  f.name = "no memory";
  f.is_collective = true;
  f.key = [](void const*) -> std::uint64_t { throw std::bad_alloc(); };
  return f;
}();

}  // namespace detail

namespace extend {

// Holds any policy by value, independent or collective; copies share it. If empty, the file's hints
// choose. If there is no memory for a policy, a collective call reports errc::no_memory on every
// rank, and a local call uses the hints.
class any_policy {
 public:
  any_policy() = default;
  template <class P>
    requires(!std::same_as<P, any_policy> && detail::some_policy<P>)
  any_policy(P policy) {
    try {
      held_ = std::make_shared<P const>(std::move(policy));
      functions_ = &detail::functions_of<P>;
    } catch (std::bad_alloc const&) {
      functions_ = &detail::functions_without_memory;
    }
  }
  // Holds a constant, without memory of its own. Its numbers are part of the functions.
  template <auto Policy>
  any_policy(fixed_policy<Policy>) noexcept
      : held_(std::shared_ptr<void const>(), &fixed_policy<Policy>::value),
        functions_(&detail::functions_of_constant<Policy>) {}

  bool has_value() const noexcept { return functions_ != nullptr; }

  // Returns the policy's name. Precondition of this and all functions below: has_value().
  std::string_view name() const { return functions_->name; }
  // Returns true for policies of argosy. The results of other policies are checked.
  bool keeps_rules() const { return functions_->keeps_rules; }
  // Returns true for a collective policy, which has plan_together and not next, buffer_for, reason
  // and plan.
  bool is_collective() const { return functions_->is_collective; }

  // Return the results of an independent policy: its next window, its staging memory, its reason,
  // and all windows as a plan. Empty results for a collective policy. Only `plan` checks the
  // windows of a policy of the program, and throws invalid_plan.
  window next(access const& wanted, std::int64_t position) const {
    return functions_->next(held_.get(), wanted, position);
  }
  std::int64_t buffer_for(access const& wanted) const {
    return functions_->buffer_for(held_.get(), wanted);
  }
  reason_text reason(access const& wanted) const { return functions_->reason(held_.get(), wanted); }
  argosy::plan plan(access const& wanted) const { return functions_->plan(held_.get(), wanted); }

  // Returns the plan of a collective policy for all ranks, not checked. An empty plan for an
  // independent policy.
  collective_plan plan_together(access_kind kind, access_summary const& all,
                                rank_group const& ranks) const {
    return functions_->plan_together(held_.get(), kind, all, ranks, nullptr);
  }
  // Returns true if the plan uses the histogram.
  bool balances() const { return functions_->balances; }
  collective_plan plan_together(access_kind kind, access_summary const& all,
                                rank_group const& ranks,
                                detail::access_histogram const& where) const {
    return functions_->plan_together(held_.get(), kind, all, ranks, &where);
  }
  // Returns a hash of a collective policy, by which ranks find that their policies differ. Equal
  // policies have equal keys; different ones almost never have. 0 for independent policies. Throws
  // std::bad_alloc if there was no memory for the policy.
  std::uint64_t key() const { return functions_->key(held_.get()); }

  // Returns the held policy if it is a P, otherwise null. Valid until all copies of this object are
  // changed or destroyed.
  template <class P>
  P const* target() const noexcept {
    return functions_ && functions_->type == &detail::type_tag<P>
               ? static_cast<P const*>(held_.get())
               : nullptr;
  }

 private:
  std::shared_ptr<void const> held_;  // owns nothing if the policy is a constant
  detail::policy_functions const* functions_ = nullptr;
};

}  // namespace extend
}  // namespace argosy
