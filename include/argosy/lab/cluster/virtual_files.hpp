// Files of the virtual cluster: bytes in memory behind simulated servers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <argosy/handle/opener.hpp>
#include <argosy/lab/cluster/contents.hpp>
#include <argosy/lab/cluster/scenario.hpp>

namespace argosy::lab {

namespace detail {
struct disk_state;
}

// A file system of the virtual cluster. Copies are the same one. It outlives runs.
//
// Inside of a run, its calls take virtual time, wait in virtual time, and fail as the scenario says
// for the calling rank. Outside of runs they take no time. Names are any text and are compared as a
// whole. A directory exists only if it was made.
//
//   virtual_files files;
//   cluster.run([&](virtual_rank const& world) {
//     auto f = basic_file<virtual_rank>::open(world, "state", mode::create | mode::write, {},
//     files.opener());
//   });
//
// Written bytes are visible to all ranks at once, at the time when the call begins. They are safe
// when the node that wrote them has synced the file, through any handle. Until then each block may
// survive a crash, or not, or in part. A sync outside of a run makes the writes of all nodes safe.
class virtual_files {
 public:
  // Uses the disk of the scenario of the first run that opens a file. If files exist by then, in
  // blocks of another size, that disk is not used. The run's report lists it as a disk that was not
  // used.
  virtual_files();
  explicit virtual_files(virtual_disk disk, contents kept = contents::real);

  // Returns an opener of retrying handles, with the scenario's faults below the retries. Errors are
  // those of POSIX: ENOENT, EEXIST, EISDIR, EACCES, EROFS, ENOSPC, EBADF, EFBIG.
  argosy::opener opener() const;

  // The functions below are for use outside of runs. They take no time, and no fault of a scenario
  // strikes them.
  bool exists(std::string const& path) const;
  // Returns the names of all files, sorted, without directories.
  std::vector<std::string> names() const;
  // Returns the content; empty if there is no such file. Throws std::logic_error if the file has no
  // contents.
  std::vector<std::byte> content(std::string const& path) const;
  // Makes or replaces a file. Its bytes are safe. Throws std::length_error if the disk is full.
  void put(std::string const& path, std::span<std::byte const> bytes);
  void make_directory(std::string const& path);
  // Sets the permissions. 0400: reading, 0200: writing. Throws std::out_of_range if there is no
  // such file.
  void set_permissions(std::string const& path, unsigned permissions);
  // Makes the whole file system read-only, or writable again. Opening for writing, making, removing
  // and renaming then fail with EROFS. Handles that are open can still write.
  void set_read_only(bool on);
  // Returns the bytes of all allocated blocks of all files.
  std::int64_t allocated_bytes() const;

  // Returns the files that would exist after a crash now, as a separate file system. Throws
  // std::logic_error if the files have no contents. The seed decides for each block, size and name:
  //
  // - A block that was not synced is new, old, or torn at a sector of 512 bytes.
  // - A size that was not synced is the new one or the last synced one.
  // - A file that was made and not synced exists or does not exist.
  // - A renamed file has its new name or the old one, unless the opener has settled the renaming.
  //   If a renaming is lost, all later ones are lost, too.
  virtual_files crash(std::uint64_t seed) const;

 private:
  explicit virtual_files(std::shared_ptr<detail::disk_state> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::disk_state> state_;
};

}  // namespace argosy::lab
