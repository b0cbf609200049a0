// The services of an open file for formats, beyond its public calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include <argosy/file/basic_file.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/policy/storage.hpp>
#include <argosy/policy/two_phase.hpp>

namespace argosy::detail {

// Local.
struct file_services {
  // Makes `close` remove the file, like delete_on_close.
  template <communicator World>
  static void mark(basic_file<World>& f) {
    f.local().discard();
  }
  template <communicator World>
  static std::optional<file_identity> identity(basic_file<World> const& f) {
    return f.local().handle().identity();
  }
  // Returns the bytes of a window of two_phase, as the hints say; 0 if they choose another policy
  // for writing.
  template <communicator World>
  static std::int64_t window_bytes(basic_file<World> const& f) {
    auto const* const p = f.local().choice().writing.template target<two_phase>();
    return p ? std::min(p->window_bytes, p->buffer_bytes / 2) : 0;
  }
  // Returns the prices of the file's storage, and those of its calls, which hints may change.
  template <communicator World>
  static prices prices_of_storage(basic_file<World> const& f) {
    return f.local().lies_on().prices;
  }
  template <communicator World>
  static prices prices_of_calls(basic_file<World> const& f) {
    return f.local().choice().sieving.prices;
  }
  // Returns the hint argosy_codec_threads.
  template <communicator World>
  static std::int64_t codec_threads(basic_file<World> const& f) {
    return f.local().hints().values().codec_threads;
  }
  // Returns a name of the file that is valid in every working directory.
  template <communicator World>
  static std::string full_path(basic_file<World> const& f) {
    return f.local().full_path();
  }
};

}  // namespace argosy::detail
