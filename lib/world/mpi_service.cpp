// Implements mpi::serve of world/mpi.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <system_error>
#include <utility>

#include <argosy/world/mpi.hpp>

#include "serve_by_sockets.hpp"

namespace argosy {

std::unique_ptr<extend::service> mpi::serve(extend::serve_function f,
                                            std::error_code& error) const {
  return detail::serve_by_sockets(*this, std::move(f), error);
}

}  // namespace argosy
