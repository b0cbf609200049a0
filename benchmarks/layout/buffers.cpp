// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"

namespace contest {

buffers::buffers(argosy::layout const& l)
    : memory(static_cast<std::size_t>(l.true_upper_bound())),
      stream(static_cast<std::size_t>(l.size())),
      expected_stream(stream.size()),
      expected_memory(memory.size()) {
  for (std::size_t i = 0; i < memory.size(); ++i)
    memory[i] = static_cast<std::byte>(i * 31 + i / 255);
  std::size_t k = 0;
  for (argosy::extend::cursor at(l); !at.done(); at.next())
    for (std::int64_t i = at.current().offset; i < at.current().end(); ++i) {
      expected_stream[k++] = memory[static_cast<std::size_t>(i)];
      expected_memory[static_cast<std::size_t>(i)] = memory[static_cast<std::size_t>(i)];
    }
}

}  // namespace contest
