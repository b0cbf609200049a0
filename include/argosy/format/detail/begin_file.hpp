// The start of a file that is written under a temporary name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/format/detail/block_shares.hpp>
#include <argosy/format/detail/together.hpp>
#include <argosy/format/detail/unfinished_file.hpp>
#include <argosy/format/detail/written_mark.hpp>

namespace argosy::detail {

// Chooses the name and the permissions of a temporary file. `to` is the full path of the file that
// it replaces. Unless hints of the program or of the environment set the permissions, they are
// those of the replaced file. Sets the hints with which the file is made. Collective.
template <communicator World>
unfinished_file begin_file(joint_call<World> const& s, std::string const& path,
                           std::string const& to, opener const& files, hints const& given,
                           hints& own) {
  unfinished_file part{.number = random_name()};
  if constexpr (requires { s.world().unique_number(); }) part.number = s.world().unique_number();
  s.broadcast(std::as_writable_bytes(std::span(&part.number, 1)));
  std::int64_t kept = -1;
  s.on_first(errc::io, [&]() -> failure {
    if (says_permissions(given)) return {};
    failure why = permissions_at(files, path, part.permissions);
    if (part.permissions) kept = while_written(*part.permissions);
    return why;
  });
  s.broadcast(std::as_writable_bytes(std::span(&kept, 1)));
  s.alone(errc::io, [&] {
    part.path = temporary_path(path, part.number);
    part.full_path = temporary_path(to, part.number);
    own = given;
    // The file is synced before it gets its name.
    if (!says_early_writes(given)) own.early_writes = tristate::enable;
    if (kept >= 0) own.file_permissions = static_cast<unsigned>(kept);
  });
  return part;
}

}  // namespace argosy::detail
