// Messages of the simulated GPFS as bytes, for processes that run on machines of one kind.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <argosy/lab/gpfs/machine.hpp>
#include <argosy/lab/gpfs/message.hpp>

namespace argosy::lab::gpfs {

std::vector<std::byte> encode(message const& m);
// Nothing if it is not the whole of one message.
std::optional<message> decode(std::span<std::byte const> bytes);

// Whether such a message can be sent by him to whom it is, and its numbers mean something: what a state machine relies on
// without looking. Not whether it fits to what has been said before.
bool makes_sense(message const& m, machine const& hardware);

}  // namespace argosy::lab::gpfs
