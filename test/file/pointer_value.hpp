// The value of a shared pointer that can be read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <argosy/file/detail/protocol/shared_pointer.hpp>

#include "support/catch.hpp"

namespace argosy::test {

inline std::int64_t value_of(detail::shared_pointer& p) {
  extend::failure f;
  std::int64_t const value = p.get(f);
  CHECK_FALSE(f);
  return value;
}

}  // namespace argosy::test
