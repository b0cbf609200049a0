// What a rank sends to one that does not expect it, or gets so.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace argosy {

struct parcel {
  int rank = 0;  // to whom, or from whom
  std::vector<std::byte> content;
};

}  // namespace argosy
