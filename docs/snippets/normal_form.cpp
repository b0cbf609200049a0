// The snippets of docs/develop/normal_form.md. The compiler checks most of them.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/layout.hpp>
#include <argosy/layout/print.hpp>

using namespace argosy;

// [algebra]
static_assert(repeat(10, 8, bytes(8)) == bytes(80));
static_assert(repeat(4, 512, repeat(8, 64, bytes(32))) == repeat(32, 64, bytes(32)));
static_assert(concat(bytes(8), at(8, bytes(4))) == bytes(12));
static_assert(concat(bytes(4), at(16, bytes(4)), at(32, bytes(4))) == repeat(3, 16, bytes(4)));
// [algebra]

// [junctions]
// Each copy ends at the beginning of the next: inner pieces are 12 bytes, the first has 8 and the
// last 4.
constexpr layout record = concat(bytes(8), at(28, bytes(4)));
static_assert(repeat(100, 32, record).pieces() == 101);
static_assert(repeat(100, 32, record) ==
              concat(bytes(8), at(28, repeat(99, 32, bytes(12))), at(3196, bytes(4))));
// [junctions]

// [bounds]
static_assert(resized(bytes(8), 0, 16) != bytes(8));
static_assert(same_bytes(resized(bytes(8), 0, 16), bytes(8)));
// [bounds]

int main() {
  // [walk]
  layout const pair = concat(bytes(8), at(24, bytes(4)));
  for (extend::cursor at(pair); !at.done(); at.next()) {
    extend::piece const p = at.current();
    if (p.end() > pair.upper_bound()) return 1;
  }
  // [walk]
  return to_string(pair) == "concat(bytes(8), at(24, bytes(4)))" ? 0 : 1;
}
