// Messages of the simulated GPFS as bytes, for processes that run on machines of one kind.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <argosy/lab/gpfs/detail/message.hpp>
#include <argosy/lab/gpfs/machine.hpp>

namespace argosy::lab::gpfs::detail {

std::vector<std::byte> encode(message const& m);
// Returns nullopt if the bytes are not exactly one message.
std::optional<message> decode(std::span<std::byte const> bytes);

// Returns true if this sender may send this message to this receiver and its numbers are in range.
// State machines rely on that. Whether the message fits earlier ones is not checked here.
bool makes_sense(message const& m, machine const& hardware);

}  // namespace argosy::lab::gpfs::detail
