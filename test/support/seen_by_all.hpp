// Calls that tests of files need if hosts have caches of their own (docs/use/file_systems.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <system_error>

#include <argosy/error/errc.hpp>
#include <argosy/handle/posix.hpp>

#include "catch.hpp"

namespace argosy::test {

using namespace extend;

// Makes everything that was written so far visible to all ranks. Collective.
template <class File, class World>
void let_all_see(File& f, World const& world) {
  f.sync();
  world.barrier();
  f.sync();
}

// Switches atomic mode on. Returns false if the file system has no atomic mode between nodes.
// Collective.
template <class File>
bool goes_atomic(File& f, std::string const& path) {
  std::error_code refused, opened;
  f.set_atomic(true, refused);
  if (refused) {
    CHECK(refused == errc::no_locks);
    CHECK(posix::open(path, {.read = true}, opened).storage().reads_late);
  }
  return !refused;
}

}  // namespace argosy::test
