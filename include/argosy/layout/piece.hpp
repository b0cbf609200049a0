// A piece: one contiguous run of bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <argosy/extend.hpp>

namespace argosy::extend {

struct piece {
  std::int64_t offset = 0;
  std::int64_t length = 0;
  constexpr std::int64_t end() const noexcept { return offset + length; }
  friend constexpr bool operator==(piece const&, piece const&) = default;
};

}  // namespace argosy::extend
