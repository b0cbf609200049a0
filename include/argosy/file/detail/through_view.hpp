// Local calls of a file through a view that is not the one of set_view.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <utility>

#include <argosy/file/basic_file.hpp>
#include <argosy/file/detail/basic_file_view.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/view/view.hpp>

namespace argosy::detail {

struct through_view {
  // Calls `call`, which makes local calls of the file at explicit offsets. They use the view `v`,
  // and may merge only if the ranks have agreed to merge before. Local. No other thread may be in a
  // call of the file.
  template <communicator World, class Call>
  static auto of(basic_file<World>& f, view const& v, Call&& call) {
    open_file& part = f.local();
    struct restoring {
      open_file& part;
      std::shared_ptr<used_view const> before;
      ~restoring() { part.look_through(std::move(before)); }
    } const after{part, part.where()};
    part.look_through(
        checked_view(v, can_write(part.modes()), part.where()->lenient, f.crew_->develop));
    return std::forward<Call>(call)();
  }
};

}  // namespace argosy::detail
