// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <argosy/benchmark/family.hpp>
#include <argosy/datatype/mpi.hpp>
#include <argosy/layout.hpp>

#include "lists.hpp"

namespace patterns {
namespace {

// Returns the offset of every byte of the stream, so that it does not matter how pieces are joined.
std::vector<std::int64_t> offsets_in(argosy::layout const& l, std::int64_t bytes) {
  std::vector<std::int64_t> all;
  for (std::int64_t base = 0; static_cast<std::int64_t>(all.size()) < bytes && l.size() > 0;
       base += l.extent())
    for (argosy::extend::cursor c(l); !c.done(); c.next())
      for (std::int64_t k = 0; k < c.current().length; ++k)
        all.push_back(base + c.current().offset + k);
  return all;
}

std::string fault_of(pattern const& p) {
  std::vector<int> owners(static_cast<std::size_t>(p.file_bytes()), -1);
  std::int64_t owned = 0;
  for (int rank = 0; rank < p.ranks(); ++rank) {
    share const mine = p.of(rank);
    std::vector<std::int64_t> in_file, in_memory;
    std::int64_t last = -1;
    std::string wrong;
    p.walk(rank, [&](transfer const& t) {
      if (t.file_offset <= last || t.file_offset + t.bytes > p.file_bytes())
        wrong = "has a piece out of order, or of the file";
      if (t.memory_offset < 0 || t.memory_offset + t.bytes > mine.memory_bytes)
        wrong = "has a piece outside of its memory";
      if (!wrong.empty()) return;
      last = t.file_offset;
      for (std::int64_t k = 0; k < t.bytes; ++k) {
        int& owner = owners[static_cast<std::size_t>(t.file_offset + k)];
        if (owner >= 0) wrong = "wants bytes of rank " + std::to_string(owner);
        owner = rank;
        in_file.push_back(t.file_offset + k);
        in_memory.push_back(t.memory_offset + k);
      }
    });
    owned += static_cast<std::int64_t>(in_file.size());
    mpi_share types = p.mpi_of(rank);
    if (!wrong.empty())
      ;
    else if (static_cast<std::int64_t>(in_file.size()) != mine.bytes)
      wrong = "has more or fewer bytes than it says";
    else if (offsets_in(mine.view, mine.bytes) != in_file)
      wrong = "has another layout in the file";
    else if (offsets_in(mine.memory, mine.bytes) != in_memory)
      wrong = "has another layout in memory";
    else if (offsets_in(argosy::from_mpi(types.view), mine.bytes) != in_file)
      wrong = "has another MPI datatype in the file";
    else if (offsets_in(argosy::from_mpi(types.memory), mine.bytes) != in_memory)
      wrong = "has another MPI datatype in memory";
    types.free();
    if (!wrong.empty())
      return "rank " + std::to_string(rank) + " of " + std::to_string(p.ranks()) + " " + wrong;
  }
  if (p.density() == 1 && owned != p.file_bytes())
    return "nobody wants some bytes of a file without holes";
  return {};
}

}  // namespace

std::string what_is_wrong(int most_ranks) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    std::vector<std::unique_ptr<pattern>> all =
        independent_patterns(ranks, {1 << 12, 1 << 5, 1 << 16});
    for (collective_case& c : collective_cases(ranks, {1 << 16, 20, {1 << 8, 1 << 12}}))
      all.push_back(std::move(c.what));
    for (argosy::bench::family const& f : argosy::bench::families()) {
      std::vector<std::int64_t> sizes = f.usual;
      for (std::int64_t& size : sizes) size = std::min<std::int64_t>(size, 4096);
      all.push_back(make_pattern(f, ranks, sizes));
    }
    for (auto const& p : all)
      if (std::string const wrong = fault_of(*p); !wrong.empty()) return p->name() + ": " + wrong;
  }
  return {};
}

}  // namespace patterns
