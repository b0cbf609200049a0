// Catch2, version 2 or 3. Tests include this header, never Catch2 itself.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
// Names of version 2 for version 3, where tests use them.
using Catch::Approx;
namespace Catch {
using Matchers::Equals;
using Matchers::StartsWith;
inline auto Contains(std::string const& text) { return Matchers::ContainsSubstring(text); }
}  // namespace Catch
#else
#include <catch2/catch.hpp>
// A name of version 3 for version 2.
namespace Catch::Matchers {
inline auto ContainsSubstring(std::string const& text) { return Contains(text); }
}  // namespace Catch::Matchers
#endif
