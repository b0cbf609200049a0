// Objects that a communicator keeps for later files: the service of background calls, and the stage
// of collective calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <memory>

#include <argosy/world/communicator.hpp>
#include <argosy/world/service.hpp>

namespace argosy::detail {

enum class kept_for { service, stage };

// A world that keeps an object of each kind, for itself and its duplicates. `keep` returns the
// object that was kept before.
template <class C>
concept keeping =
    communicator<C> && serving<C> && requires(C const& c, std::shared_ptr<void> what) {
      { c.kept(kept_for::service) } -> std::same_as<std::shared_ptr<void>>;
      { c.keep(kept_for::stage, what) } -> std::same_as<std::shared_ptr<void>>;
    };

}  // namespace argosy::detail
