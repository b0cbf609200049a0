// Implements format/detail/codec_threads.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/detail/codec_threads.hpp>

#include <algorithm>

#include <argosy/file/file_hints.hpp>
#include <argosy/file/hints_file.hpp>

namespace argosy::detail {

std::int64_t codec_threads_in(hints const& given) {
  return file_hints(environment_hints(), {}, given, overriding_hints()).values().codec_threads;
}

int codec_threads(std::int64_t own, std::int64_t all, std::int64_t ranks, std::int64_t asked) {
  constexpr std::int64_t most = 1024;
  if (asked > 0) return static_cast<int>(std::min(asked, most));
  return static_cast<int>(std::clamp<std::int64_t>(std::min(own, all / ranks), 1, most));
}

}  // namespace argosy::detail
