// A file that is written under a temporary name, and then replaces another one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace argosy::detail {

struct unfinished_file {
  std::string path = {};                     // path of the temporary file, as the program names it
  std::string full_path = {};                // valid in every working directory
  std::uint64_t number = 0;                  // part of its name
  std::optional<unsigned> permissions = {};  // set on rank 0 when it is renamed
};

}  // namespace argosy::detail
