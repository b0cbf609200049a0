// Bodies of basic_xdmf.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <argosy/file/detail/open.hpp>
#include <argosy/format/basic_xdmf.hpp>
#include <argosy/format/detail/block_shares.hpp>
#include <argosy/format/detail/together.hpp>

namespace argosy {

template <communicator World>
void basic_xdmf<World>::save(World const& world, std::string const& path, on_error e, opener files) {
  detail::with_errors({"xdmf::save", path, world.rank()}, e.error(), what_failed_, [&] {
    detail::with_ranks(world, "xdmf::save", path, [&](World const& ours) {
      failure why;
      std::string text;
      for (detail::xdmf_field const& f : fields_)
        why.keep(detail::failure_of(errc::datatype, [&] { f.fault.require_none(); }));
      why.keep(detail::failure_of(errc::argument, [&] {
        failure bad;
        text = detail::xdmf_text(path, grid_, fields_, bad);
        return bad;
      }));
      detail::arguments given("xdmf::save", e.where());
      given.same_lines("steps", detail::fingerprint(text), [&] { return detail::xdmf_lines(grid_, fields_); });
      detail::agree_on_equal(ours, given, why, path);
      failure written;
      if (ours.rank() == 0)
        written = detail::failure_of(errc::io, [&] {
          return detail::replace_file(files, path, detail::temporary_path(path, detail::random_name()), text);
        });
      detail::agree_to_go_on(ours, written, "xdmf::save", path);
    });
  });
}

}  // namespace argosy
