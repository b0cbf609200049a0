// Two bytes that are further from each other than 64 bits can tell.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy: this layout spans more than 2.63 - 1 bytes; check displacements, strides and
// bounds

#include <argosy/layout.hpp>

namespace io = argosy;

constexpr std::int64_t far = 6'000'000'000'000'000'000;
constexpr io::layout two = io::concat(io::at(-far, io::bytes(1)), io::at(far, io::bytes(1)));
static_assert(two.size() == 2);
