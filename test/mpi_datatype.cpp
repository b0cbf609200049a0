// Datatypes of MPI as layouts and back, against MPI itself and against the type maps of random trees.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <mpi.h>

#include <argosy/datatype/element.hpp>
#include <argosy/datatype/mpi.hpp>
#include <argosy/layout/pack.hpp>
#include <argosy/layout/print.hpp>

#include "support/random_tree_mpi.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace argosy::test;

namespace {

constexpr std::uint64_t trees = 24'000;
constexpr std::int64_t widest_memory = 1 << 18;

bool same_nodes(io::layout const& a, io::layout const& b) {
  return std::ranges::equal(a.nodes(), b.nodes()) && std::ranges::equal(a.places(), b.places()) &&
         std::ranges::equal(a.tables(), b.tables()) && a.origin() == b.origin();
}

std::vector<io::piece> pieces_of(io::layout const& l) {
  std::vector<io::piece> result;
  for (io::cursor at(l); !at.done(); at.next()) result.push_back(at.current());
  return result;
}

std::vector<std::byte> mpi_pack(std::byte const* origin, MPI_Datatype type, std::size_t size) {
  int const length = static_cast<int>(size);
  std::vector<std::byte> stream(size + 16);
  int position = 0;
  mpi_check(MPI_Pack(origin, 1, type, stream.data(), static_cast<int>(stream.size()), &position, MPI_COMM_SELF), "MPI_Pack");
  stream.resize(position == length ? size : static_cast<std::size_t>(position));
  return stream;
}

}  // namespace

TEST_CASE("random trees: from_mpi, to_mpi and MPI_Pack", "[mpi][datatype][random]") {
  combiner_counts seen{};
  std::size_t packed = 0, other_nodes = 0;
  for (std::uint64_t i = 0; i < trees; ++i) {
    std::uint64_t const case_seed = seed() + i;
    // Without alignment MPI leaves no bound to the library, and all is predicted. With it, MPI's bounds are taken.
    bool const aligned = case_seed % 2 == 0;
    growth g;
    if (!aligned) g.leaf_types = leaves_without_alignment;
    tree t = random_tree(case_seed, g);
    std::string fault;
    auto const expect = [&](bool good, std::string const& what) {
      if (!good && fault.empty()) fault = what;
    };

    made_type const type = make_mpi(t, aligned, seen);
    type_map const want = expand(t, bounds_rule::markers);
    std::vector<io::piece> const pieces = joined(want.pieces);
    io::layout const l = to_layout(t, bounds_rule::markers);
    io::layout const decoded = io::from_mpi(type.get());
    expect(pieces_of(decoded) == pieces, "from_mpi: other pieces");
    expect(decoded.lower_bound() == want.limits.low && decoded.extent() == want.limits.extent(),
           "from_mpi: bounds [" + std::to_string(decoded.lower_bound()) + ", +" + std::to_string(decoded.extent()) +
               ") instead of [" + std::to_string(want.limits.low) + ", +" + std::to_string(want.limits.extent()) + ")");
    expect(decoded == l, "from_mpi is not the layout");

    io::mpi_datatype const made = io::to_mpi(l);
    io::layout const back = io::from_mpi(made.get());
    expect(back == l, "from_mpi(to_mpi) is not the layout but " + io::to_string(back));
    other_nodes += !same_nodes(back, l);

    if (l.true_extent() <= widest_memory) {
      ++packed;
      engine random(~case_seed);
      std::vector<std::byte> memory(static_cast<std::size_t>(l.true_extent()));
      for (std::byte& b : memory) b = static_cast<std::byte>(random() >> 32);
      std::byte const* const origin = memory.data() - l.true_lower_bound();
      std::vector<std::byte> ours(static_cast<std::size_t>(l.size()));
      pack(l, origin, ours.data());
      io::mpi_datatype committed;
      MPI_Datatype copy = MPI_DATATYPE_NULL;
      mpi_check(MPI_Type_dup(type.get(), &copy), "MPI_Type_dup");
      mpi_check(MPI_Type_commit(&copy), "MPI_Type_commit");
      committed = io::mpi_datatype(copy);
      expect(mpi_pack(origin, committed.get(), ours.size()) == ours, "MPI_Pack of the tree gives other bytes");
      expect(mpi_pack(origin, made.get(), ours.size()) == ours, "MPI_Pack of to_mpi gives other bytes");
    }
    if (!fault.empty())
      FAIL_CHECK(fault << "\nARGOSY_TEST_SEED=" << case_seed << "\ntree:   " << to_text(t)
                 << "\nlayout: " << io::to_string(l));
  }
  WARN(trees << " trees, " << packed << " packed, " << other_nodes << " with other nodes after to_mpi and from_mpi");
  for (int combiner :
       {MPI_COMBINER_NAMED, MPI_COMBINER_DUP, MPI_COMBINER_CONTIGUOUS, MPI_COMBINER_VECTOR, MPI_COMBINER_HVECTOR,
        MPI_COMBINER_INDEXED, MPI_COMBINER_HINDEXED, MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_HINDEXED_BLOCK,
        MPI_COMBINER_STRUCT, MPI_COMBINER_SUBARRAY, MPI_COMBINER_DARRAY, MPI_COMBINER_F90_REAL, MPI_COMBINER_F90_COMPLEX,
        MPI_COMBINER_F90_INTEGER, MPI_COMBINER_RESIZED}) {
    INFO("combiner " << combiner);
    CHECK(seen.at(static_cast<std::size_t>(combiner)) >= 500);
  }
}
