// The tags of messages between ranks in a collective call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace argosy::detail {

// news of a failure; those behind it are of even and odd rounds
inline constexpr int link_tag = 32763;

// Messages with such a tag are bytes of files and nothing else: who carries them may know only how
// long they are.
constexpr bool carries_file_bytes(int tag) { return tag == link_tag + 1 || tag == link_tag + 2; }

}  // namespace argosy::detail
