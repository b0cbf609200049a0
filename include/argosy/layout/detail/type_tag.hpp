// Identifies types at run time, also in programs compiled without type information.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace argosy::detail {

// A variable per type; its address identifies the type. Visible to all shared objects of a program,
// so that they agree on it.
template <class T>
#if defined(__GNUC__)
[[gnu::visibility("default")]]
#endif
inline constexpr char type_tag = 0;

}  // namespace argosy::detail
