// The kinds of frames between the host and the mounts of a simulated GPFS.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace argosy::lab::gpfs::detail::process_frames {

// The host begins with `welcome` (number: the node; body: the machine as text) or `refused`
// (number: errno). Then both send messages. A mount that leaves sends `leaves`. After closing a
// file, a mount sends `at_rest` (body: its name) to ask whether the ordinary file is complete. The
// answer has the same number (body: errno as an int, or nothing).
enum kind : std::uint64_t { welcome = 1, refused, one_message, leaves, at_rest };

// The introduction of a mount: 0 for any free node number, otherwise node + 1.
constexpr std::uint64_t introduction(int node) { return static_cast<std::uint64_t>(node) + 1; }

}  // namespace argosy::lab::gpfs::detail::process_frames
