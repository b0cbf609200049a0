// Implements view/view.hpp, filetype.hpp and converter.hpp for programs that link the library.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/view/view.hpp>

#include <argosy/view/converter.hpp>
#include <argosy/view/detail/converter.hpp>
#include <argosy/view/detail/filetype_faults.hpp>
#include <argosy/view/detail/view_queries.hpp>

namespace argosy::detail {

filetype_fault linked::check_filetype(layout const& etype, layout const& filetype, bool writable) {
  return check_filetype_here(etype, filetype, writable);
}

}  // namespace argosy::detail

namespace argosy {

void view::make_in_library() { make_here(); }

void view::compare_types_in_library(extend::signature const& etype,
                                    extend::signature const& filetype) {
  compare_types_here(etype, filetype);
}

}  // namespace argosy
