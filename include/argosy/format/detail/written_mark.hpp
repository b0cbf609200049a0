// The lock by which a file under a temporary name is known to belong to a running save.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <argosy/error/failure.hpp>
#include <argosy/file/hints.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/opener.hpp>

namespace argosy::detail {

// One rank of a save holds it, from before the first byte until the file has its name. It is a lock
// of an open (presence.hpp) by a handle of its own. The operating system gives it back when the
// process ends.
class written_mark {
 public:
  // Opens the file and locks it. Where files cannot be locked, nobody can take the file for a
  // leftover. Fails if the name is not there any more. Local.
  failure enter(opener const& files, std::string const& path, std::uint64_t number);

  // Gives the file these permissions, if there are some. Local.
  void permit(std::optional<unsigned> permissions);

 private:
  any_handle file_;
};

// Looks up the permissions of the file that a save replaces: nothing if there is none, or if they
// are not known. A failure if descriptors or memory are wanting, which will stop the save, too.
// Local.
failure permissions_at(opener const& files, std::string const& path, std::optional<unsigned>& into);
// Says whether these hints, or those of the environment, set the permissions of new files. Local.
bool says_permissions(hints const& given);
// With these a file is made that is to have others at the end: nobody else may read it meanwhile
// who may not at the end, and its owner may write it.
constexpr unsigned while_written(unsigned permissions) { return permissions | 0600u; }

}  // namespace argosy::detail
