// Files in memory that processes of a node map, and segments of System V where a limit of files
// forbids them: each POSIX call is made and checked here. Functions return an errno, or 0. A window
// of MPI_Win_allocate_shared would have to be freed by the thread that calls MPI, and by all ranks
// at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace argosy::detail::node_segment {

using name = std::array<char, 64>;

// A file in memory has no name in a directory, so that nothing is left of it if its ranks are
// killed: other processes open it as a descriptor of the one that made it. Where that is impossible
// (ranks in containers with processes of their own, or that may not look at each other), it has a
// name until it is removed.
enum class kind { nameless, named };
// Returns what this process makes: nameless until a rank could not open such a segment.
kind preferred() noexcept;
void prefer(kind k) noexcept;

// Maps a new segment of zeros whose space is reserved. Sizes are not 0. `k` becomes the kind that
// it is.
int create(name& n, std::size_t size, std::byte*& first, kind& k) noexcept;
int open(name const& n, std::size_t size, std::byte*& first) noexcept;
// Is called once, by the process that made it, after all have opened it. They keep what they have
// mapped.
void remove(name const& n) noexcept;
// Returns true if it may help to make a segment with a name: the error of the one without has to do
// with how it is opened.
bool may_need_name(int error) noexcept;
void unmap(std::byte* first, std::size_t size) noexcept;

// Sleeps while the word, of a segment or private, is `seen`, at most so long (zero: for ever); may
// wake early.
void wait(std::uint32_t const& word, std::uint32_t seen,
          std::chrono::milliseconds longest = {}) noexcept;
void wake(std::uint32_t const& word) noexcept;

}  // namespace argosy::detail::node_segment
