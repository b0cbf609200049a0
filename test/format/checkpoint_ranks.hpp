// Checkpoints of virtual ranks, in the file "f" of virtual files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <system_error>

#include <argosy/format/any_world.hpp>
#include <argosy/format/checkpoint.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "format/checkpoint_cases.hpp"
#include "support/catch.hpp"

namespace argosy::test {

using rank = lab::virtual_rank;
using checkpoint = basic_checkpoint<rank>;

inline constexpr lab::virtual_options small_stacks{.stack_bytes = std::size_t{1} << 20};

// Returns the generation that the file has as a whole; 0 if there is no file, -1 if it is anything
// else.
inline std::int64_t generation_in(lab::virtual_files const& files) {
  if (!files.exists("f")) return 0;
  state back(0, 1, 0, false);
  std::error_code error;
  back.named<self>().load(self(), "f", error, files.opener());
  return !error && back.is(back.number) ? back.number : -1;
}

inline lab::virtual_files with_first() {
  lab::virtual_files files;
  lab::virtual_cluster({.ranks = 2}, small_stacks).run([&](rank const& world) {
    state(world.rank(), 2, 1, true).named<rank>().save(world, "f", {}, files.opener());
  });
  REQUIRE(generation_in(files) == 1);
  return files;
}

}  // namespace argosy::test
