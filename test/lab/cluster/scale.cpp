// The growth of a collective write with the number of ranks, as far as it is exact. bench_scale
// measures the rest.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/layout/serialize.hpp>
#include <argosy/policy/two_phase.hpp>

#include "support/catch.hpp"
#include "support/sanitized.hpp"

namespace io = argosy;

namespace {

constexpr int most_ranks = io::test::sanitized ? 256 : 4096;
constexpr int per_node = 16, domains = 4;
constexpr std::int64_t note_bytes = 24;  // from a rank to an aggregator that has its view

struct told {
  std::int64_t messages = 0, view_bytes = 0;
};
struct growth {
  std::vector<told> first, second;       // for each rank, in two equal calls
  std::vector<std::int64_t> form_bytes;  // size of each rank's view, serialized
  std::int64_t collectives_of_a_call = 0;
};

// Each rank writes its whole view, `calls` times, through four aggregators. A window is a quarter
// of the file.
template <class View>
io::lab::virtual_report write_together(int ranks, std::int64_t file_bytes, int calls,
                                       View&& view_of, growth& g, std::int64_t layers = 1) {
  io::lab::virtual_files const files;
  g.first.assign(static_cast<std::size_t>(ranks), {});
  g.second = g.first;
  g.form_bytes.assign(static_cast<std::size_t>(ranks), 0);
  return io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = per_node, .seed = 1})
      .run([&](io::lab::virtual_rank const& world) {
        auto const me = static_cast<std::size_t>(world.rank());
        io::layout const mine = view_of(world.rank());
        std::vector<std::byte> const data(static_cast<std::size_t>(mine.size()), std::byte{1});
        auto f = io::basic_file<io::lab::virtual_rank>::open(
            world, "state", io::mode::create | io::mode::read_write, {}, files.opener());
        f.set_view(0, {io::bytes(1), mine});
        g.form_bytes[me] = static_cast<std::int64_t>(serialize(f.view().stream()).size());
        io::two_phase const one_round{.buffer_bytes = 2 * file_bytes / domains,
                                      .window_bytes = file_bytes / domains,
                                      .aggregators = domains,
                                      .align_bytes = 1,
                                      .least_domain_bytes = 1,
                                      .layers = layers};
        for (int call = 0; call < calls; ++call) {
          io::report const r = f.write_at_all(0, data, one_round);
          if (r.rounds != 1) throw std::runtime_error("not one round");
          (call == 0 ? g.first : g.second)[me] = {r.messages, r.view_bytes};
        }
        f.close();
      });
}

template <class View>
growth growth_of(int ranks, std::int64_t file_bytes, View&& view_of) {
  growth g, of_three;
  std::int64_t const two = write_together(ranks, file_bytes, 2, view_of, g).collectives;
  // A third call shows what one call costs. Open and close are left out; their cost does not grow
  // either.
  if (ranks <= 256)
    g.collectives_of_a_call =
        write_together(ranks, file_bytes, 3, view_of, of_three).collectives - two;
  return g;
}

// Returns the number of aggregators on other nodes, for a rank that has data for all of them.
std::int64_t partners(int rank, int ranks) {
  std::int64_t far = 0;
  for (int d = 0; d < domains; ++d) far += rank / per_node != d * ranks / domains / per_node;
  return far;
}

}  // namespace

TEST_CASE("regular views: a constant number of messages and bytes for each partner",
          "[scale][two_phase]") {
  for (int ranks = 64; ranks <= most_ranks; ranks *= 4)
    for (std::int64_t const each : {32, 256}) {
      if (each > 32 && ranks > 256) continue;
      CAPTURE(ranks, each);
      growth const g = growth_of(ranks, each * 8 * ranks, [&](int rank) {
        return at(8 * rank, io::flatten(io::vector(each, 1, ranks, io::type<double>)));
      });
      // A reduction at the beginning, one at the end, and the exchange of parcels between them.
      if (ranks <= 256) CHECK(g.collectives_of_a_call == 3);
      std::size_t others = 0;
      for (int r = 0; r < ranks; ++r) {
        auto const i = static_cast<std::size_t>(r);
        std::int64_t const far = partners(r, ranks);
        // A parcel and a message go to each aggregator, and the view once.
        others += g.first[i].messages != 2 * far || g.second[i].messages != 2 * far;
        others += g.first[i].view_bytes != far * (note_bytes + g.form_bytes[i]);
        others += g.second[i].view_bytes != far * note_bytes;
        others += g.form_bytes[i] > 96;  // independent of the number of pieces
      }
      CHECK(others == 0);
    }
}

TEST_CASE("irregular views: what concerns an aggregator, and nothing else, and once",
          "[scale][two_phase]") {
  constexpr std::int64_t pieces = 512, piece_bytes = 8;
  // most bytes for the distance between two pieces
  constexpr std::int64_t step_bytes = 3;
  for (int ranks = 64; ranks <= most_ranks; ranks *= 4) {
    CAPTURE(ranks);
    // The file consists of stretches with one piece of each rank, in another order each time.
    growth const g = growth_of(ranks, pieces * piece_bytes * ranks, [&](int rank) {
      std::vector<std::int64_t> offsets;
      for (std::int64_t i = 0; i < pieces; ++i)
        offsets.push_back((i * ranks + (rank + i * i * 7) % ranks) * piece_bytes);
      return io::table(offsets, piece_bytes);
    });
    if (ranks <= 256) CHECK(g.collectives_of_a_call == 3);
    std::size_t others = 0;
    for (int r = 0; r < ranks; ++r) {
      auto const i = static_cast<std::size_t>(r);
      std::int64_t const far = partners(r, ranks), told_pieces = pieces * far / domains;
      others += g.first[i].messages != 2 * far || g.second[i].messages != 2 * far;
      others += g.first[i].view_bytes > far * (note_bytes + 32) + told_pieces * step_bytes;
      others += g.first[i].view_bytes < told_pieces;
      others += g.second[i].view_bytes != far * note_bytes;
    }
    CHECK(others == 0);
  }
}

TEST_CASE("ranks that share data with nobody send nothing, however many there are",
          "[scale][two_phase]") {
  for (int ranks = 16; ranks <= most_ranks; ranks *= 4) {
    CAPTURE(ranks);
    // The data of a node lies in a quarter of the file, whose aggregator is on that node or on
    // another one.
    growth const g =
        growth_of(ranks, 64 * ranks, [&](int rank) { return at(rank * 64, io::bytes(64)); });
    std::size_t others = 0;
    for (int r = 0; r < ranks; ++r) {
      auto const i = static_cast<std::size_t>(r);
      int const owner = r * domains / ranks * ranks / domains;
      std::int64_t const far = r / per_node != owner / per_node;
      others += g.first[i].messages != 2 * far ||
                g.first[i].view_bytes != far * (note_bytes + g.form_bytes[i]);
    }
    CHECK(others == 0);
  }
}

TEST_CASE("doubles dealt to the ranks: put together on a node, messages go with pairs of nodes",
          "[scale][layers]") {
  for (int ranks = 64; ranks <= most_ranks; ranks *= 4) {
    CAPTURE(ranks);
    constexpr std::int64_t each = 32;
    auto const view_of = [&](int rank) {
      return at(8 * rank, io::flatten(io::vector(each, 1, ranks, io::type<double>)));
    };
    growth chosen, one;
    std::int64_t const messages[] = {
        write_together(ranks, each * 8 * ranks, 1, view_of, chosen, 0).messages,
        write_together(ranks, each * 8 * ranks, 1, view_of, one, 1).messages};
    auto const sum = [](growth const& g, auto member) {
      std::int64_t all = 0;
      for (told const& t : g.first) all += t.*member;
      return all;
    };
    // One message for each window and node except the aggregator's own. Without putting together
    // there are two for each window and rank.
    CHECK(sum(chosen, &told::messages) == domains * (ranks / per_node - 1));
    CHECK(sum(one, &told::messages) == 2 * domains * (ranks - per_node));
    CHECK(messages[0] < messages[1]);
    // The places of pieces are sent once for a node, too: as a stride, not as an offset for each
    // piece.
    CHECK(sum(chosen, &told::view_bytes) <= 32 * sum(chosen, &told::messages));
    CHECK(sum(chosen, &told::view_bytes) < sum(one, &told::view_bytes) / per_node);
  }
}

TEST_CASE("whether ranks of a node put together what they send follows from what all know",
          "[scale][layers]") {
  constexpr std::int64_t each = 64 << 10;
  // `pieces` and `span` are those of each rank.
  auto const layers = [](std::int64_t ranks, std::int64_t pieces, std::int64_t span,
                         std::int64_t of_node = 16) {
    io::extend::access_summary all;
    all.low = 0;
    all.high = all.bytes = ranks * each;
    all.most_bytes = each;
    all.pieces = ranks * pieces;
    all.most_pieces = pieces;
    all.spans = ranks * span;
    all.granule = 8;
    all.ranks = static_cast<std::int32_t>(ranks);
    return io::two_phase{}
        .plan(io::access_kind::write, all, {.size = ranks, .nodes = ranks / of_node})
        .layers;
  };
  for (std::int64_t ranks = 256; ranks <= 16384; ranks *= 4) {
    CAPTURE(ranks);
    CHECK(layers(ranks, each / 8, ranks * each) == 2);  // doubles dealt to the ranks
    // a node with one rank has nothing to put together
    CHECK(layers(ranks, each / 8, ranks * each, 1) == 1);
    CHECK(layers(ranks, 1, each) == 1);                       // each rank has a stretch of its own
    CHECK(layers(ranks, 400, 32 * ranks * each / 512) == 1);  // tiles
  }
  CHECK(layers(16, each / 8, 16 * each) == 1);  // one node
}
