// A message that its receiver does not expect.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include <argosy/extend.hpp>

namespace argosy::extend {

struct parcel {
  int rank = 0;  // the receiver, or the sender
  std::vector<std::byte> content;
};

}  // namespace argosy::extend
