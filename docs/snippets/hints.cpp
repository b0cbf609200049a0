// The snippets of docs/use/hints.md, in its order. What they claim is asserted.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/file_hints.hpp>
#include <argosy/layout/number.hpp>

#include <cstdio>

namespace io = argosy;

int main() {
  // [hints]
  using namespace io::literals;
  io::hints given{.cb_buffer_bytes = 8_MiB, .ds_write = io::toggle::disable};
  given.set("cb_nodes", "4");  // any hint by its name
  // [hints]
  io::file_hints const f({}, {}, given);
  std::printf("%s", io::to_string(f).c_str());
  return f.values().cb_buffer_bytes == (8 << 20) && f.values().cb_nodes == 4 ? 0 : 1;
}
