// What a source need not compile again if the library is linked, which has it: long functions of
// layouts, views and their words. The target argosy::argosy says so by ARGOSY_LINKED; without it,
// as by argosy::headers, each source makes what it uses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Before a function whose body is in a header of its own: that header is included here, or by a
// source of the library.
#ifdef ARGOSY_LINKED
#define ARGOSY_ONCE
#else
#define ARGOSY_ONCE inline
#endif

namespace argosy::detail {

#pragma GCC diagnostic push
#if defined(__clang__) && __clang_major__ < 17
#pragma GCC diagnostic ignored "-Wc++2b-extensions"
#else
#pragma GCC diagnostic ignored "-Wc++23-extensions"
#endif

// For functions that the compiler may evaluate, too: it takes `here`, and a program that runs
// `in_library`. Only that is compiled then, also without optimisation, which asking
// std::is_constant_evaluated() does not bring about.
template <class Here, class InLibrary>
constexpr decltype(auto) once(Here here, [[maybe_unused]] InLibrary in_library) {
#ifdef ARGOSY_LINKED
  if consteval {
    return here();
  } else {
    return in_library();
  }
#else
  return here();
#endif
}

#pragma GCC diagnostic pop

}  // namespace argosy::detail
