// A policy whose type is chosen at run time: what calls take, so that they need not be templates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include <argosy/policy/policy.hpp>

namespace argosy {

// Holds any policy by value; copies share it. Empty: the file's hints choose.
class any_policy {
 public:
  any_policy() = default;
  template <independent_policy P>
  any_policy(P policy) : held_(std::make_shared<model<P>>(std::move(policy))) {}

  bool has_value() const noexcept { return held_ != nullptr; }

  // Of a policy that is there.
  std::string_view name() const { return held_->name(); }
  window next(access const& wanted, std::int64_t position) const { return held_->next(wanted, position); }
  std::int64_t buffer_for(access const& wanted) const { return held_->buffer_for(wanted); }
  std::string reason(access const& wanted) const { return held_->reason(wanted); }
  argosy::plan plan(access const& wanted) const { return held_->plan(wanted); }

  // What is held, if it is a P; otherwise null.
  template <independent_policy P>
  P const* target() const noexcept {
    auto const* const found = dynamic_cast<model<P> const*>(held_.get());
    return found ? &found->policy_ : nullptr;
  }

 private:
  struct interface {
    virtual ~interface() = default;
    virtual std::string_view name() const = 0;
    virtual window next(access const&, std::int64_t) const = 0;
    virtual std::int64_t buffer_for(access const&) const = 0;
    virtual std::string reason(access const&) const = 0;
    virtual argosy::plan plan(access const&) const = 0;
  };
  template <class P>
  struct model final : interface {
    explicit model(P policy) : policy_(std::move(policy)) {}
    std::string_view name() const override { return P::name; }
    window next(access const& wanted, std::int64_t position) const override { return policy_.next(wanted, position); }
    std::int64_t buffer_for(access const& wanted) const override { return policy_.buffer_for(wanted); }
    std::string reason(access const& wanted) const override { return policy_.reason(wanted); }
    argosy::plan plan(access const& wanted) const override { return make_plan(policy_, wanted); }
    P policy_;
  };
  std::shared_ptr<interface const> held_;
};

}  // namespace argosy
