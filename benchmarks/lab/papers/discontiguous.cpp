// Small blocks, dealt to the tasks at random, region after region. Each region has a new view and
// one collective call.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <argosy/benchmark/detail/shuffle.hpp>
#include <argosy/datatype.hpp>

#include "workloads.hpp"

namespace papers {

namespace io = argosy;

rates discontiguous(setup const& s) {
  constexpr std::int64_t region_bytes = std::int64_t{2} << 30;
  std::int64_t const block = s.what.transfer_bytes, tasks = s.what.tasks();
  // Bytes of a task, in a region.
  std::int64_t const most = std::max<std::int64_t>(1, region_bytes / s.scale / block / tasks);
  std::int64_t const mine = s.bytes(block) / block;
  io::lab::hollow_memory const memory(static_cast<std::size_t>(std::min(mine, most) * block));
  // The blocks of a region, in the order in which they are dealt. They are computed once for all
  // tasks.
  std::vector<std::int64_t> dealt;
  std::int64_t dealt_region = -1;
  auto const deal = [&](std::int64_t region, std::int64_t blocks) {
    if (std::exchange(dealt_region, region) == region) return;
    dealt.resize(static_cast<std::size_t>(blocks));
    std::iota(dealt.begin(), dealt.end(), 0);
    std::mt19937_64 random(s.seed * 1000 + static_cast<std::uint64_t>(region));
    io::bench::detail::shuffle(dealt, random);
  };
  return play(
      s,
      [&](player& p) {
        for (io::access_kind const kind : {io::access_kind::write, io::access_kind::read})
          p.time(kind, mine * block * tasks, [&] {
            auto f = io::lab::virtual_file::open(p.world, player::path, p.amode(),
                                                 p.hints_if_unique(), p.opener());
            for (std::int64_t region = 0, done = 0; done < mine; ++region) {
              std::int64_t const here = std::min(most, mine - done);
              deal(region, here * tasks);
              auto const first = dealt.begin() + p.world.rank() * here;
              std::vector<std::int64_t> offsets(first, first + here);
              std::sort(offsets.begin(), offsets.end());
              for (std::int64_t& o : offsets) o *= block;
              f.set_view(done * tasks * block,
                         {io::bytes(1), io::table(std::move(offsets), block)});
              std::span<std::byte> const bytes =
                  memory.bytes().first(static_cast<std::size_t>(here * block));
              if (kind == io::access_kind::write)
                f.write_at_all(0, bytes, p.policy());
              else
                f.read_at_all(0, bytes, p.policy());
              done += here;
            }
            if (kind == io::access_kind::write) f.sync();
            f.close();
          });
      },
      always_by_turns(s));
}

}  // namespace papers
