// Checks for leaks when leaks of the program can be told from those of Open MPI. At exit they
// cannot, because plugins are unloaded then, and a leak in an unloaded plugin has no name to
// suppress it by. Therefore the asan preset sets leak_check_at_exit=0. During MPI_Init plugins are
// loaded and unloaded, too. Without the address sanitizer, this header does nothing.
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

// Ends the process with an error if memory has leaked so far.
inline void check_leaks() {
#ifdef ARGOSY_TEST_ASAN
  __lsan_do_leak_check();
#endif
}

// Leaks of this thread are not reported while the object lives.
struct ignored_leaks {
#ifdef ARGOSY_TEST_ASAN
  ignored_leaks() { __lsan_disable(); }
  ~ignored_leaks() { __lsan_enable(); }
  ignored_leaks(ignored_leaks const&) = delete;
  auto operator=(ignored_leaks const&) -> ignored_leaks& = delete;
#endif
};

}  // namespace argosy::test
