// Temporary files that unfinished saves have left next to a checkpoint or an .xdmf, and their
// removal.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <argosy/file/on_error.hpp>

namespace argosy {

// A temporary file of a save: path.<16 hexadecimal digits>.part
struct leftover {
  std::string path;
  std::int64_t bytes = 0;
  // The reason why it must not be removed, such as "a running job writes it". Empty if no job needs
  // it.
  std::string kept = {};
};

// Returns the temporary files that saves at `path` have left, and those that running saves are
// writing, sorted by name. Local. Only for files of the operating system.
//   for (io::leftover const& l : io::find_leftovers("state.checkpoint"))
//     std::cout << l.path << " " << l.kept << "\n";
// Throws if the directory of `path` cannot be listed.
//
// A save locks its file as long as it runs, and the lock ends with its process. A file is kept if
// it is locked, if it cannot be opened, or if locks do not work. An empty file younger than a
// minute is kept, because a save may just begin. On a network file system a lock may hold on one
// node only. A file that was written there in the last hour is therefore kept, too.
std::vector<leftover> find_leftovers(std::string const& path, on_error e = {});
// Removes all temporary files that no job needs. Local. Returns all, removed or kept; `kept` also
// says why a file could not be removed.
std::vector<leftover> remove_leftovers(std::string const& path, on_error e = {});

}  // namespace argosy
