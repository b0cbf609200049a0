// Types told apart at run time, also where a program is compiled without type information.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace argosy::detail {

// An address for each type. Visible to all shared objects of a program, so that they agree on it.
template <class T>
#if defined(__GNUC__)
[[gnu::visibility("default")]]
#endif
inline constexpr char type_tag = 0;

}  // namespace argosy::detail
