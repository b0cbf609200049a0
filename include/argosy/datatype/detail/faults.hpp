// The texts of errors about datatypes; those of darray are in deal_faults.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

#include <argosy/datatype/numbers.hpp>
#include <argosy/layout/detail/linked.hpp>
#include <argosy/layout/error.hpp>

namespace argosy::detail {

[[noreturn]] ARGOSY_ONCE void throw_no_number(std::int64_t kept, std::size_t needed) {
  if (kept == no_number::no_memory) throw std::bad_alloc();
  if (auto const given = no_number::length(kept))
    throw invalid_layout("argosy: a list of " + std::to_string(needed) +
                         " numbers is needed, but " + std::to_string(*given) + " are given");
  if (kept == no_number::zero) throw invalid_layout("argosy: a number is 0; give 1 or more");
  throw invalid_layout("argosy: a number exceeds 2^63 - 1; check its type and sign");
}

[[noreturn]] ARGOSY_ONCE void throw_invalid(char const* where, std::string const& what) {
  throw invalid_layout("argosy::" + std::string(where) + ": " + what);
}

[[noreturn]] ARGOSY_ONCE void throw_negative_element(char const* where, char const* what,
                                                     std::size_t i, std::int64_t value) {
  throw_invalid(where, std::string(what) + "[" + std::to_string(i) + "] is " +
                           std::to_string(value) + "; it must not be negative");
}

[[noreturn]] ARGOSY_ONCE void throw_sizes_differ(char const* where, char const* a, std::size_t n,
                                                 char const* b, std::size_t m) {
  throw_invalid(where, std::to_string(n) + " " + a + " but " + std::to_string(m) + " " + b +
                           "; give one for each");
}

[[noreturn]] ARGOSY_ONCE void throw_box(char const* where, std::size_t i, std::int64_t size,
                                        std::int64_t subsize, std::int64_t start) {
  auto const index = "[" + std::to_string(i) + "]";
  throw_invalid(where, "start" + index + " = " + std::to_string(start) + " and subsize" + index +
                           " = " + std::to_string(subsize) + " exceed size" + index + " = " +
                           std::to_string(size) + "; move or shrink the box");
}

[[noreturn]] ARGOSY_ONCE void throw_halo(std::size_t i, std::int64_t low, std::int64_t high,
                                         std::int64_t extent) {
  throw_invalid("interior",
                "halos of " + std::to_string(low) + " and " + std::to_string(high) +
                    " do not fit extent(" + std::to_string(i) + ") = " + std::to_string(extent) +
                    "; give halos that are not negative and leave the interior at least 0 wide");
}

[[noreturn]] ARGOSY_ONCE void throw_beyond_member(std::int64_t room, std::int64_t count,
                                                  std::int64_t bytes) {
  throw_invalid("member", std::to_string(count) + " copies of " + std::to_string(bytes) +
                              " bytes reach beyond the member, which has " + std::to_string(room) +
                              "; give as many as it holds, or offsetof for what goes on behind it");
}

}  // namespace argosy::detail
