// Segments of memory that processes of a node map: files in memory, or segments of System V if a
// limit of files forbids them. Each POSIX call is made and checked here. Functions return an errno,
// or 0. A window of MPI_Win_allocate_shared is no alternative: all ranks would have to free it at a
// time, by the thread that calls MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace argosy::detail::node_segment {

using name = std::array<char, 64>;

// A nameless file in memory leaves nothing behind if its ranks are killed. Other processes open it
// as a descriptor of the process that made it. If that is impossible, the file has a name until it
// is removed. That is so for ranks in containers with processes of their own, and for ranks that
// may not inspect each other.
enum class kind { nameless, named };
// Returns the kind that this process makes: nameless until a rank could not open such a segment.
kind preferred() noexcept;
void prefer(kind k) noexcept;

// Maps a new segment of zeros and reserves its space. The size is not 0. Sets `k` to the kind that
// was made.
int create(name& n, std::size_t size, std::byte*& first, kind& k) noexcept;
int open(name const& n, std::size_t size, std::byte*& first) noexcept;
// Removes the name. Called once, by the process that made the segment, after all ranks have opened
// it. What they have mapped stays mapped.
void remove(name const& n) noexcept;
// Returns true if a segment with a name may work where one without failed, because the error comes
// from opening it.
bool may_need_name(int error) noexcept;
void unmap(std::byte* first, std::size_t size) noexcept;

// Sleeps while the word is `seen`, at most for the given time (zero: without limit). May return
// early. The word may be in a segment or private.
void wait(std::uint32_t const& word, std::uint32_t seen,
          std::chrono::milliseconds longest = {}) noexcept;
void wake(std::uint32_t const& word) noexcept;

}  // namespace argosy::detail::node_segment
