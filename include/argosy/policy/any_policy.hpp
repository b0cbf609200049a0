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
#include <argosy/policy/policy.hpp>

namespace argosy::extend {

// Holds any policy by value, independent or collective; copies share it. If empty, the file's hints
// choose. If there is no memory for a policy, a collective call reports errc::no_memory on every
// rank, and a local call uses the hints.
class any_policy {
 public:
  any_policy() = default;
  template <class P>
    requires(!std::same_as<P, any_policy> && (independent_policy<P> || collective_policy<P>))
  any_policy(P policy) : held_(held_by(std::move(policy))) {}

  bool has_value() const noexcept { return held_ != nullptr; }

  // Returns the policy's name. Precondition of this and all functions below: has_value().
  std::string_view name() const { return held_->name(); }
  // Returns true for policies of argosy. The results of other policies are checked.
  bool keeps_rules() const { return held_->keeps_rules(); }
  // Returns true for a collective policy, which has plan_together and not next, buffer_for, reason
  // and plan.
  bool is_collective() const { return held_->is_collective(); }

  // Return the results of an independent policy: its next window, its staging memory, its reason,
  // and all windows as a plan. Empty results for a collective policy. Only `plan` checks the
  // windows of a policy of the program, and throws invalid_plan.
  window next(access const& wanted, std::int64_t position) const {
    return held_->next(wanted, position);
  }
  std::int64_t buffer_for(access const& wanted) const { return held_->buffer_for(wanted); }
  reason_text reason(access const& wanted) const { return held_->reason(wanted); }
  argosy::plan plan(access const& wanted) const { return held_->plan(wanted); }

  // Returns the plan of a collective policy for all ranks, not checked. An empty plan for an
  // independent policy.
  collective_plan plan_together(access_kind kind, access_summary const& all,
                                rank_group const& ranks) const {
    return held_->plan_together(kind, all, ranks, nullptr);
  }
  // Returns true if the plan uses the histogram.
  bool balances() const { return held_->balances(); }
  collective_plan plan_together(access_kind kind, access_summary const& all,
                                rank_group const& ranks,
                                detail::access_histogram const& where) const {
    return held_->plan_together(kind, all, ranks, &where);
  }
  // Returns a hash of a collective policy, by which ranks find that their policies differ. Equal
  // policies have equal keys; different ones almost never have. 0 for independent policies. Throws
  // std::bad_alloc if there was no memory for the policy.
  std::uint64_t key() const { return held_->key(); }

  // Returns the held policy if it is a P, otherwise null. Valid until all copies of this object are
  // changed or destroyed.
  template <class P>
  P const* target() const noexcept {
    if constexpr (independent_policy<P> || collective_policy<P>)
      return held_ && held_->type() == &detail::type_tag<P>
                 ? &static_cast<model<P> const&>(*held_).policy_
                 : nullptr;
    else
      return nullptr;
  }

 private:
  struct interface {
    virtual ~interface() = default;
    virtual void const* type() const = 0;
    virtual std::string_view name() const = 0;
    virtual bool is_collective() const = 0;
    virtual bool keeps_rules() const = 0;
    virtual window next(access const&, std::int64_t) const { return {}; }
    virtual std::int64_t buffer_for(access const&) const { return 0; }
    virtual reason_text reason(access const&) const { return {}; }
    virtual argosy::plan plan(access const&) const { return {}; }
    virtual bool balances() const { return false; }
    virtual collective_plan plan_together(access_kind, access_summary const&, rank_group const&,
                                          detail::access_histogram const*) const {
      return {};
    }
    virtual std::uint64_t key() const { return 0; }
  };
  template <class P>
  struct model;
  template <independent_policy P>
  struct model<P> final : interface {
    explicit model(P policy) : policy_(std::move(policy)) {}
    void const* type() const override { return &detail::type_tag<P>; }
    std::string_view name() const override { return P::name; }
    bool is_collective() const override { return false; }
    bool keeps_rules() const override { return detail::keeps_rules<P>; }
    window next(access const& wanted, std::int64_t position) const override {
      return policy_.next(wanted, position);
    }
    std::int64_t buffer_for(access const& wanted) const override {
      return policy_.buffer_for(wanted);
    }
    reason_text reason(access const& wanted) const override { return policy_.reason(wanted); }
    argosy::plan plan(access const& wanted) const override { return make_plan(policy_, wanted); }
    P policy_;
  };
  template <collective_policy P>
  struct model<P> final : interface {
    explicit model(P policy) : policy_(std::move(policy)) {}
    void const* type() const override { return &detail::type_tag<P>; }
    std::string_view name() const override { return P::name; }
    bool is_collective() const override { return true; }
    bool keeps_rules() const override { return detail::keeps_rules<P>; }
    bool balances() const override { return balancing_policy<P>; }
    collective_plan plan_together(access_kind kind, access_summary const& all,
                                  rank_group const& ranks,
                                  detail::access_histogram const* where) const override {
      if constexpr (balancing_policy<P>)
        if (where) return policy_.plan(kind, all, ranks, *where);
      return policy_.plan(kind, all, ranks);
    }
    std::uint64_t key() const override { return policy_.key(); }
    P policy_;
  };
  // Stands for a policy for which there was no memory.
  struct lacking final : interface {
    void const* type() const override { return nullptr; }
    std::string_view name() const override { return "no memory"; }
    bool is_collective() const override { return true; }
    bool keeps_rules() const override { return false; }
    std::uint64_t key() const override { throw std::bad_alloc(); }
  };
  template <class P>
  static std::shared_ptr<interface const> held_by(P&& policy) {
    try {
      return std::make_shared<model<std::remove_cvref_t<P>>>(std::forward<P>(policy));
    } catch (std::bad_alloc const&) {
      static constinit lacking const none{};
      // owned by nothing, so it takes no memory
      return {std::shared_ptr<interface const>(), &none};
    }
  }

  std::shared_ptr<interface const> held_;
};

}  // namespace argosy::extend
