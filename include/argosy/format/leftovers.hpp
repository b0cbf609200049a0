// Files that unfinished saves have left beside a checkpoint or an .xdmf, and how they are removed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <argosy/file/on_error.hpp>

namespace argosy {

// A file that a save wrote before it took the name: path.<16 hexadecimal digits>.part
struct leftover {
  std::string path;
  std::int64_t bytes = 0;
  // why it must not be removed, such as "a running job writes it"; empty: no job needs it
  std::string kept = {};
};

//   for (io::leftover const& l : io::find_leftovers("state.checkpoint"))
//     std::cout << l.path << " " << l.kept << "\n";
// Returns the files that saves at `path` have left, and those that running saves are writing,
// sorted by name. Local. Looks at files of the operating system. A save locks its file for as long
// as it runs, and the lock goes with its process. A file is kept if it is locked, if locks cannot
// be asked for, if it is empty and younger than a minute (a save that begins), and if it was
// written in the last hour on a network file system, where a lock may hold on one node only.
std::vector<leftover> find_leftovers(std::string const& path, on_error e = {});
// Removes all of them that no job needs. Returns all, removed or kept; `kept` also says why a file
// could not be removed.
std::vector<leftover> remove_leftovers(std::string const& path, on_error e = {});

}  // namespace argosy
