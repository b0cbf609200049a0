// Small pieces of file system blocks that are dealt to the tasks at random, in one collective call.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <argosy/benchmark/detail/shuffle.hpp>
#include <argosy/datatype.hpp>

#include "workloads.hpp"

namespace papers {

namespace io = argosy;

// Each block has as many pieces as fit the row's bytes. The file exists before, and is not cached
// when a measurement begins. The time includes open, view, sync and close.
rates block_pieces(setup const& s) {
  std::int64_t const piece = s.what.transfer_bytes, block = s.machine.fs.block_bytes,
                     tasks = s.what.tasks();
  std::int64_t const of_block =
      std::max<std::int64_t>(1, s.what.bytes_per_task / blocks_of_task / piece);
  std::int64_t const blocks = std::max<std::int64_t>(2, blocks_of_task / s.scale),
                     mine = blocks * of_block * piece;
  std::vector<std::int64_t> dealt(static_cast<std::size_t>(blocks * tasks)),
      places(static_cast<std::size_t>(block / piece));
  std::iota(dealt.begin(), dealt.end(), 0);
  std::iota(places.begin(), places.end(), 0);
  std::mt19937_64 random(s.seed);
  io::bench::detail::shuffle(dealt, random);
  std::vector<std::vector<std::int64_t>> offsets(static_cast<std::size_t>(tasks));
  for (std::size_t k = 0; k < dealt.size(); ++k) {
    io::bench::detail::shuffle(places, random);
    for (std::int64_t const i : std::span(places).first(static_cast<std::size_t>(of_block)))
      offsets[k % offsets.size()].push_back(dealt[k] * block + i * piece);
  }
  for (auto& o : offsets) std::sort(o.begin(), o.end());
  io::lab::hollow_memory const memory(static_cast<std::size_t>(mine));
  return play(s, [&](player& p) {
    p.fill(blocks * tasks * block);
    for (io::access_kind const kind : {io::access_kind::write, io::access_kind::read}) {
      p.forget();
      p.time(kind, mine * tasks, [&] {
        io::hints const hints = p.ships_alone() ? p.hints_for_agents() : io::hints();
        auto f = io::lab::virtual_file::open(p.world, player::path, p.amode(), hints, p.opener());
        f.set_view(
            0, {io::bytes(1), io::table(offsets[static_cast<std::size_t>(p.world.rank())], piece)});
        if (kind == io::access_kind::write)
          f.write_at_all(0, memory.bytes(), p.policy());
        else
          f.read_at_all(0, memory.bytes(), p.policy());
        if (kind == io::access_kind::write) f.sync();
        f.close();
      });
    }
  });
}

}  // namespace papers
