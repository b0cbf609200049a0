// The memory of a job, as it is or through the representation of the file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <argosy/exchange/detail/converted_memory.hpp>
#include <argosy/exchange/detail/memory_side.hpp>
#include <argosy/file/detail/open_file.hpp>

namespace argosy::detail {

// f(memory, check): check() is the failure of values that did not fit, to be asked after the transfer.
template <class F>
auto with_memory(job const& t, F&& f) {
  representation const& r = t.where->view.representation();
  if (!r.converts()) {
    native_memory memory(t.memory->form(), t.memory->address());
    return f(memory, [] { return failure(); });
  }
  converted_memory memory(r, t.memory->form(), t.memory->types(), t.memory->address());
  return f(memory, [&]() -> failure {
    return memory.fits() ? failure() : failure(errc::conversion, "in representation " + std::string(r.name()));
  });
}

}  // namespace argosy::detail
