// Two bytes with a distance that 64 bits cannot hold.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy: this layout spans more than 2.63 - 1 bytes; check displacements

#include <argosy/layout.hpp>

namespace io = argosy;

constexpr std::int64_t far = 6'000'000'000'000'000'000;
constexpr io::layout two = io::concat(io::at(-far, io::bytes(1)), io::at(far, io::bytes(1)));
static_assert(two.size() == 2);
