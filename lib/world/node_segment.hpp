// Files in memory that processes of a node map, and segments of System V where a limit of files forbids them: each POSIX call
// is made and checked here. Functions return an errno, or 0.
// A window of MPI_Win_allocate_shared would have to be freed by the thread that calls MPI, and by all ranks at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace argosy::detail::node_segment {

using name = std::array<char, 64>;

// Maps a new segment of zeros whose space is reserved. Sizes are not 0.
int create(name& n, std::size_t size, std::byte*& first) noexcept;
int open(name const& n, std::size_t size, std::byte*& first) noexcept;
void remove(name const& n) noexcept;  // processes that have mapped it keep it
void unmap(std::byte* first, std::size_t size) noexcept;

// Sleeps while the word, of a segment or private, is `seen`, at most so long (zero: for ever); may wake early.
void wait(std::uint32_t const& word, std::uint32_t seen, std::chrono::milliseconds longest = {}) noexcept;
void wake(std::uint32_t const& word) noexcept;

}  // namespace argosy::detail::node_segment
