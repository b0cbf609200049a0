// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/layout.hpp>

namespace io = argosy;

constexpr std::int64_t far = 4'000'000'000'000'000'000;
constexpr io::layout two = io::concat(io::at(-far, io::bytes(1)), io::at(far, io::bytes(1)));
static_assert(two.size() == 2);
