// Implements the runs of planned.hpp in builds that have the laboratory.
// SPDX-License-Identifier: BSD-3-Clause
#include "planned.hpp"

#include <algorithm>
#include <stdexcept>
#include <system_error>

#if ARGOSY_TOOL_HAS_LAB
#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#endif

namespace argosy::tool {

planned_call scaled(planned_call c, std::int64_t most_bytes) {
  while (c.array.bytes() > most_bytes) {
    // Chooses the dimension with most elements for each process. No dimension becomes smaller than
    // the number of its processes.
    std::size_t longest = 0;
    auto const each = [&](std::size_t d) { return c.array.sizes[d] / c.array.grid[d]; };
    for (std::size_t d = 1; d < c.array.sizes.size(); ++d)
      if (each(d) > each(longest)) longest = d;
    if (each(longest) < 2) break;
    c.array.sizes[longest] /= 2;
  }
  return c;
}

#if ARGOSY_TOOL_HAS_LAB

bool has_virtual_cluster() noexcept { return true; }

namespace {

lab::scenario scenario_of(planned_call const& c) {
  lab::scenario s{.ranks = static_cast<int>(c.ranks),
                  .ranks_per_node = static_cast<int>((c.ranks + c.nodes - 1) / c.nodes)};
  s.disk.block_bytes = c.block_bytes;
  return s;
}

}  // namespace

storage dry_storage(planned_call const& c) {
  lab::virtual_files const files(scenario_of(c).disk);
  std::error_code error;
  any_handle const f = files.opener()("array", {.write = true, .create = true}, error);
  return f.storage();
}

dry_run run_dry(planned_call const& c, any_policy const& by) {
  lab::scenario const s = scenario_of(c);
  lab::virtual_files files(s.disk);
  if (c.kind == access_kind::read)
    files.put("array", std::vector<std::byte>(static_cast<std::size_t>(c.array.bytes())));
  lab::virtual_cluster const cluster(s);
  // Runs with or without the call. The second is subtracted from the first.
  auto const run = [&](bool calls) {
    return cluster.run([&](lab::virtual_rank const& world) {
      auto f = lab::virtual_file::open(
          world, "array", c.kind == access_kind::write ? mode::create | mode::write : mode::read,
          c.hints, files.opener());
      layout const mine = c.array.part_of(world.rank());
      f.set_view(0, {argosy::bytes(c.array.element_bytes), mine});
      if (calls) {
        std::vector<std::byte> data(static_cast<std::size_t>(mine.size()));
        if (c.kind == access_kind::write)
          f.write_all(data, by);
        else
          f.read_all(data, by);
      }
      f.close();
    });
  };
  lab::virtual_report const with = run(true), without = run(false);
  return {by.has_value() ? std::string(by.name()) : "as the hints choose",
          with.seconds - without.seconds,
          with.file_calls - without.file_calls,
          with.file_runs - without.file_runs,
          with.messages - without.messages,
          with.message_bytes - without.message_bytes};
}

#else

bool has_virtual_cluster() noexcept { return false; }

storage dry_storage(planned_call const&) { return {}; }

dry_run run_dry(planned_call const&, any_policy const&) {
  throw std::logic_error(
      "this argosy was built without the virtual cluster (ARGOSY_BUILD_LAB=OFF)");
}

#endif

}  // namespace argosy::tool
