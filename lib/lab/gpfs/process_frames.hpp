// What host and mounts of a simulated GPFS say to each other: kinds of frames.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace argosy::lab::gpfs::process_frames {

// The host begins with `welcome` (number: the node; body: the machine as text) or `refused` (number: errno). Then both
// send messages. A mount that leaves says so. One that has closed a file asks (body: its name) whether it is at rest, and
// hears with the same number (body: errno as an int, or nothing).
enum kind : std::uint64_t { welcome = 1, refused, one_message, leaves, at_rest };

// How a mount introduces itself: 0 if any number will do, otherwise node + 1.
constexpr std::uint64_t introduction(int node) { return static_cast<std::uint64_t>(node + 1); }

}  // namespace argosy::lab::gpfs::process_frames
