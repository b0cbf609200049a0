// Implements software.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "software.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>

namespace papers {

namespace io = argosy;

namespace {

io::extend::any_policy by_file_system(row const&, paper_machine const&) {
  return io::independent{};
}

// Blocks are bound to all tasks. Agents access the requested parts of a stripe, block by block and
// never across a gap. With large blocks, each task accesses its own data.
io::extend::any_policy shipped(row const& r, paper_machine const& m) {
  if (r.largeblock) return io::independent{};
  std::int64_t const stripe = r.stripe_bytes > 0 ? r.stripe_bytes : 16 * m.fs.block_bytes;
  io::data_shipping how{.stripe_bytes = stripe,
                        .agents = r.tasks(),
                        .window_bytes = stripe,
                        .sparse = true,
                        .overlap = false};
  if (r.max_acc) how.max_ranges = *r.max_acc;
  return how;
}

// At level 2 it sieves, with locks around its merges. If the file system has no locks, it writes as
// at level 0.
io::extend::any_policy by_romio(row const& r, paper_machine const& m) {
  if (r.level == 0) return io::independent{};
  if (r.level == 3) return romio_1{};
  bool const merges = !m.is_striped || m.disk.has_locks;
  return io::sieving{.read_window_bytes = 4 << 20,
                     .write_window_bytes = 512 << 10,
                     .reads = io::sieving_mode::always,
                     .writes = merges ? io::sieving_mode::always : io::sieving_mode::never};
}
io::extend::any_policy by_hints(row const&, paper_machine const&) { return {}; }

}  // namespace

software const* find_software(std::string_view name) {
  static constexpr software all[] = {
      {.name = "posix", .plain = true, .policy = by_file_system},
      {.name = "ibm_prototype",
       .agents = true,
       .by_turns = true,
       .locks = false,
       .policy = shipped},
      {.name = "ibm_pe", .agents = true, .locks = false, .policy = shipped},
      {.name = "romio_1", .together = true, .policy = by_romio},
      {.name = "argosy", .together = true, .policy = by_hints}};
  for (software const& s : all)
    if (s.name == name) return &s;
  return nullptr;
}

io::collective_plan romio_1::plan(io::access_kind kind, io::extend::access_summary const& all,
                                  io::extend::rank_group const& ranks) const {
  io::collective_plan p{.policy = std::string(name), .kind = kind, .overlap = false};
  if (all.empty()) return p.reason = "no task asks for anything", p;
  if (all.unsorted != 0) return p.reason = "a view names bytes out of order", p;
  if (all.spans <= all.span()) return p.reason = "accesses do not interleave", p;
  p.together = true;
  p.reason = "accesses interleave";
  p.granule = std::gcd(all.granule, std::int64_t{4096});
  p.window_bytes = std::max(p.granule, buffer_bytes / p.granule * p.granule);
  // Whole granules, because the executor requires that.
  std::int64_t const n = ranks.size, granules = all.span() / p.granule;
  std::int64_t begin = all.low;
  for (std::int64_t a = 0; a < n; ++a) {
    std::int64_t const end = a + 1 < n ? all.low + granules * (a + 1) / n * p.granule : all.high;
    p.domains.push_back({begin, end, static_cast<int>(a)});
    begin = end;
  }
  return p;
}

}  // namespace papers
