# Writes all mutants into one copy of the code, each behind a switch.
# SPDX-License-Identifier: BSD-3-Clause
SWITCH = """// One of many mutants is on: the one whose number ARGOSY_MUTANT says. ARGOSY_MUTANT_REACHED names a file of one byte for each,
// where those are marked whose places were reached.
#pragma once
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <type_traits>
#include <unistd.h>

namespace argosy_mutant {

struct state {
  int on = 0;
  unsigned char* reached = nullptr;
};

// Calls the kernel itself: tests replace open and its like.
inline state begin() {
  state s;
  if (char const* const number = std::getenv("ARGOSY_MUTANT")) s.on = std::atoi(number);
  if (char const* const name = std::getenv("ARGOSY_MUTANT_REACHED")) {
    long const file = ::syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC);
    struct stat about {};
    if (file >= 0 && ::fstat(static_cast<int>(file), &about) == 0 && about.st_size > 0) {
      long const at = ::syscall(SYS_mmap, nullptr, about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (at != -1) s.reached = reinterpret_cast<unsigned char*>(at);
    }
    if (file >= 0) ::syscall(SYS_close, file);
  }
  return s;
}
inline state const now = begin();

inline bool at_run_time(int n) {
  if (now.reached) [[unlikely]]
    now.reached[n] = 1;
  return now.on == n;
}

constexpr bool is(int n) {
  if (std::is_constant_evaluated()) return false;
  return at_run_time(n);
}

template <class T>
constexpr T plus(int n, T x, int by) {
  return is(n) ? static_cast<T>(x + static_cast<T>(by)) : x;
}

// A mutex that nobody else knows.
template <class M>
M& lockable(int n, M& m) {
  return is(n) ? *new M : m;
}

}  // namespace argosy_mutant
"""


def apply(text, numbered):
    """Returns the text with its mutants, [(number, mutant)], and the numbers of mutants whose edits
    conflict with others."""
    spans, dropped = [], set()
    for number, m in numbered:
        for begin, end, pre, post in m["edits"]:
            spans.append((begin, end, number, pre.replace("@N@", str(number)), post))
    # Edits are nested, or apart.
    spans.sort(key=lambda s: (s[0], -s[1], s[2]))
    open_ends = []
    for s in spans:
        while open_ends and open_ends[-1] <= s[0]:
            open_ends.pop()
        if open_ends and s[1] > open_ends[-1]:
            dropped.add(s[2])
        elif s[1] > s[0]:
            open_ends.append(s[1])
    before, behind = {}, {}
    for i, (begin, end, number, pre, post) in enumerate(spans):
        if number in dropped:
            continue
        before.setdefault(begin, []).append((-end if end > begin else -len(text), i, pre))
        if end > begin:
            behind.setdefault(end, []).append((-begin, -i, post))
    out, last = [], 0
    for at in sorted(set(before) | set(behind)):
        out.append(text[last:at])
        out += [post.encode() for _, _, post in sorted(behind.get(at, []))]
        out += [pre.encode() for _, _, pre in sorted(before.get(at, []))]
        last = at
    out.append(text[last:])
    return b"#include <argosy_mutant.hpp> " + b"".join(out), dropped
