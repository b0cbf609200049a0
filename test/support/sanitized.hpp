// Under sanitizers, programs are several times as slow and as large, so random tests do less.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ARGOSY_TEST_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ARGOSY_TEST_SANITIZED true
#endif
#endif
#if !defined(ARGOSY_TEST_SANITIZED)
#define ARGOSY_TEST_SANITIZED false
#endif

namespace argosy::test {

inline constexpr bool sanitized = ARGOSY_TEST_SANITIZED;

}  // namespace argosy::test
