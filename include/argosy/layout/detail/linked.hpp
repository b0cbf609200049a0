// Chooses the functions that a source need not compile if the library is linked: long functions of
// layouts and views, and their texts. The target argosy::argosy defines ARGOSY_LINKED. Without it,
// for example with argosy::headers, each source compiles the functions that it uses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Stands before a function with its body in a header of its own. That header is included here, or
// by a source of the library.
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

// Chooses for functions that the compiler may evaluate, too: the compiler takes `here`, and a
// program at run time takes `in_library`. Only `in_library` is compiled then, also without
// optimisation. A test of std::is_constant_evaluated() would compile both.
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
