// Function bodies of basic_zarr: groups, and stores in one zip file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <argosy/format/basic_zarr.hpp>
#include <argosy/format/detail/together.hpp>
#include <argosy/format/detail/zarr/pack.hpp>

namespace argosy {

template <communicator World>
void basic_zarr<World>::create_group(World const& world, std::string const& path,
                                     std::string const& attributes, detail::hinted with,
                                     opener const& files) {
  std::string what;
  detail::program_call const call{"zarr::create_group", path, with.where(),
                                  detail::name_use::makes_file};
  detail::in_one_call_of_its_own(world, call, with.error(), what, [&](joint const& s) {
    std::string json;
    s.alone_with_equal("group", errc::argument, [&](std::string& text) {
      extend::failure why;
      json = detail::zarr_group_json(attributes, why);
      text = "attributes " + attributes;
      return why;
    });
    s.on_first(errc::io, [&] {
      return detail::make_zarr_group(files, files.absolute(detail::without_prefix(path)), json,
                                     detail::permissions_in(with.hints()));
    });
  });
}

template <communicator World>
zarr_group basic_zarr<World>::group_of(World const& world, std::string const& path,
                                       detail::hinted with, opener const& files) {
  zarr_group g;
  std::string what;
  detail::program_call const call{"zarr::group_of", path, with.where(),
                                  detail::name_use::reads_file};
  detail::in_one_call_of_its_own(world, call, with.error(), what, [&](joint const& s) {
    std::string text;
    std::optional<zarr_group> found;
    s.on_first(errc::io, [&]() -> extend::failure {
      extend::failure why = detail::read_zarr_group(files, detail::without_prefix(path), text);
      if (!why) found = detail::parse_zarr_group(text, why);
      return why;
    });
    s.share_text(text);
    s.alone(errc::io, [&]() -> extend::failure {
      extend::failure why;
      if (!found) found = detail::parse_zarr_group(text, why);
      return why;
    });
    g = *std::move(found);
  });
  return g;
}

template <communicator World>
void basic_zarr<World>::consolidate(World const& world, std::string const& path,
                                    detail::hinted with, opener const& files) {
  std::string what;
  detail::program_call const call{"zarr::consolidate", path, with.where(),
                                  detail::name_use::makes_file};
  detail::in_one_call_of_its_own(world, call, with.error(), what, [&](joint const& s) {
    s.on_first(errc::io,
               [&] { return detail::consolidate_zarr(files, detail::without_prefix(path)); });
  });
}

template <communicator World>
void basic_zarr<World>::pack(World const& world, std::string const& path, std::string const& zip,
                             detail::hinted with, opener const& files) {
  std::string what;
  detail::program_call const call{"zarr::pack", zip, with.where(), detail::name_use::makes_file};
  detail::in_one_call_of_its_own(world, call, with.error(), what, [&](joint const& s) {
    detail::pack_zarr(s, path, zip, with, files);
  });
}

}  // namespace argosy
