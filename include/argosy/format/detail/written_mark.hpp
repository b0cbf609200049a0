// The lock that marks a file with a temporary name as one of a running save.
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

// One rank of a save holds this lock, from before the first byte until the file has its final name.
// It is a lock of an open (presence.hpp), with a handle of its own. The operating system releases
// it when the process ends.
class written_mark {
 public:
  // Opens the file and locks it. If files cannot be locked, the file is never treated as a
  // leftover. Fails if the name no longer exists. Local.
  failure enter(opener const& files, std::string const& path, std::uint64_t number);

  // Sets the permissions of the file, if there are some. Local.
  void permit(std::optional<unsigned> permissions);

 private:
  any_handle file_;
};

// Reads the permissions of the file that a save replaces. `into` stays empty if there is none, or
// if they are not known. Returns a failure if descriptors or memory are missing, which would stop
// the save, too. Local.
failure permissions_at(opener const& files, std::string const& path, std::optional<unsigned>& into);
// Returns true if these hints, or those of the environment, set the permissions of new files.
// Local.
bool says_permissions(hints const& given);
// Returns true if these hints, or those of the environment, ask for early writes or refuse them.
// Local.
bool says_early_writes(hints const& given);
// Returns the permissions of a file while it is written; `permissions` are the final ones. A user
// who may not read it at the end may not read it before, and its owner may write it.
constexpr unsigned while_written(unsigned permissions) { return permissions | 0600u; }

}  // namespace argosy::detail
