// Function bodies of basic_xdmf.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/format/basic_xdmf.hpp>
#include <argosy/format/detail/block_shares.hpp>
#include <argosy/format/detail/together.hpp>

namespace argosy {

template <communicator World>
void basic_xdmf<World>::save(World const& world, std::string const& name, on_error e,
                             opener const& files) {
  detail::program_call const call{"xdmf::save", name, e.where(), detail::name_use::replaces_file};
  detail::in_one_call_of_its_own(
      world, call, e.error(), what_failed_, [&](detail::joint_call<World> const& s) {
        std::string text, path;
        s.alone_with_equal("steps", errc::argument, [&](std::string& lines) {
          extend::failure why;
          path = detail::without_prefix(name);
          for (detail::xdmf_field const& f : fields_)
            why.keep(detail::failure_of(errc::datatype, [&] { f.fault.require_none(); }));
          if (!why) text = detail::xdmf_text(path, grid_, fields_, why);
          lines = detail::xdmf_lines(grid_, fields_);
          return why;
        });
        s.on_first(errc::io, [&] {
          return detail::replace_file(files, path,
                                      detail::temporary_path(path, detail::random_name()), text);
        });
      });
}

}  // namespace argosy
