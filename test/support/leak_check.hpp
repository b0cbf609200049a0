// Leaks, where they can be told from those of Open MPI: not at exit, because then its plugins are
// unloaded and a leak in a plugin that is gone has no name to suppress it by (so the asan preset
// says leak_check_at_exit=0), and not during MPI_Init, which loads and unloads some, too. Does
// nothing without the address sanitizer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define ARGOSY_TEST_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARGOSY_TEST_ASAN
#endif
#endif

#ifdef ARGOSY_TEST_ASAN
#include <sanitizer/lsan_interface.h>
#endif

namespace argosy::test {

/// Ends the process with an error if memory has leaked so far.
inline void check_leaks() {
#ifdef ARGOSY_TEST_ASAN
  __lsan_do_leak_check();
#endif
}

/// While it lives, this thread may leak.
struct ignored_leaks {
#ifdef ARGOSY_TEST_ASAN
  ignored_leaks() { __lsan_disable(); }
  ~ignored_leaks() { __lsan_enable(); }
  ignored_leaks(ignored_leaks const&) = delete;
  auto operator=(ignored_leaks const&) -> ignored_leaks& = delete;
#endif
};

}  // namespace argosy::test
