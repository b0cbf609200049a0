// The tags of messages between ranks in a collective call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace argosy::detail {

// the tag for failures; the next two are for even and odd rounds
inline constexpr int link_tag = 32763;

// Returns true if messages with this tag contain only bytes of files. A virtual cluster without
// contents transfers only their length.
constexpr bool carries_file_bytes(int tag) { return tag == link_tag + 1 || tag == link_tag + 2; }

}  // namespace argosy::detail
