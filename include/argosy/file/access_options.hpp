// How a read or write is made: by which policy, and how it reports an error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <system_error>
#include <utility>

#include <argosy/policy/any_policy.hpp>

namespace argosy {

namespace detail {

// A class that has some function of a policy, but not all that a policy needs.
template <class P>
concept nearly_policy =
    std::is_class_v<P> && !std::convertible_to<P, any_policy> &&
    (requires { &P::next; } || requires { &P::plan; } || requires { &P::buffer_for; });

}  // namespace detail

// The last argument of reads and writes:
//   f.write_all(u);                                the hints choose the policy; errors are thrown
//   f.write_all(u, io::two_phase{});               this policy
//   f.write_all(u, io::constant<io::two_phase{}>); the same as a constant: see fixed_policy.hpp
//   f.write_all(u, error);                         an std::error_code& is set
//   f.write_all(u, {io::two_phase{}, error});      both
// Reads and writes are not templates. For one more type of policy the compiler therefore generates
// only its conversion to any_policy, not the call again.
class access_options {
 public:
  access_options() = default;
  template <class Policy>
    requires(!std::same_as<Policy, access_options> &&
             std::convertible_to<Policy, extend::any_policy>)
  access_options(Policy policy) : policy_(std::move(policy)) {}
  access_options(std::error_code& error) noexcept : error_(&error) {}
  // Does not compile, and says what a policy has.
  template <class Policy>
    requires(!std::same_as<Policy, access_options> && detail::nearly_policy<Policy>)
  access_options(Policy const&) {
    constexpr bool is_policy = detail::some_policy<Policy>;
    static_assert(is_policy,
                  "argosy: this is no policy: one rank's has name, next(access, position), "
                  "buffer_for(access), reason(access) and ==; one of all ranks has name, "
                  "plan(kind, summary, ranks), key() and ==: see docs/use/extend.md");
  }
  template <class Number>
    requires(std::is_arithmetic_v<Number> || detail::is_fixed<Number>)
  access_options(Number) {
    static_assert(
        std::is_void_v<Number>,
        "argosy: this argument is a policy or an error; data at an address goes into braces: "
        "f.write_at(offset, {address, io::type<double>, count}), or std::span(address, count)");
  }
  access_options(extend::any_policy policy, std::error_code& error) noexcept
      : policy_(std::move(policy)), error_(&error) {}

  extend::any_policy const& policy() const& noexcept { return policy_; }  // empty: the hints choose
  extend::any_policy policy() && noexcept { return std::move(policy_); }
  std::error_code* error() const noexcept { return error_; }  // null: errors are thrown

 private:
  extend::any_policy policy_;
  std::error_code* error_ = nullptr;
};

}  // namespace argosy
