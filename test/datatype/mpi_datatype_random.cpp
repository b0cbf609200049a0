// Datatypes of MPI as layouts and back, compared with MPI itself and with the type maps of random
// trees.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include <argosy/datatype/element.hpp>
#include <argosy/datatype/file_form.hpp>
#include <argosy/datatype/mpi.hpp>
#include <argosy/layout/pack.hpp>
#include <argosy/layout/print.hpp>

#include "support/mpi_datatype_cases.hpp"
#include "support/random_tree_mpi.hpp"
#include "support/sanitized.hpp"
#include "support/seed.hpp"
#include "support/sparse_memory.hpp"

namespace io = argosy;
using namespace argosy::test;

namespace {

constexpr std::uint64_t trees = argosy::test::sanitized ? 6'000 : 30'000;
constexpr std::int64_t widest_memory = 1 << 18;

std::vector<io::extend::piece> pieces_of(io::layout const& l) {
  std::vector<io::extend::piece> result;
  for (io::extend::cursor at(l); !at.done(); at.next()) result.push_back(at.current());
  return result;
}

// Sizes of a representation that, for example, writes decimal digits.
constexpr io::basic_sizes text_sizes{1,  2,  3,  7,  6, 12, 11, 21, 20,
                                     40, 40, 21, 20, 9, 15, 24, 45, 46};

// The items of a signature, one by one.
using items = std::vector<io::extend::basic_type>;
void list_items(std::span<io::detail::signature_node const> nodes, items& all) {
  for (std::size_t i = 0; i < nodes.size(); i += nodes[i].span())
    for (std::int64_t k = 0; k < nodes[i].count; ++k) {
      if (nodes[i].body == 0)
        all.push_back(nodes[i].type);
      else
        list_items(nodes.subspan(i + 1, nodes[i].body), all);
    }
}
items items_of(io::extend::signature const& s) {
  items all;
  list_items(s.nodes(), all);
  return all;
}
items items_of(tree const& t) {
  if (t.form == form::leaf) return leaf_items()[t.leaf];
  std::vector<items> parts;
  for (tree const& p : t.parts) parts.push_back(items_of(p));
  items all;
  for_each_copy(t, std::vector<limits>(parts.size()), [&](std::int64_t, std::size_t i) {
    all.insert(all.end(), parts[i].begin(), parts[i].end());
  });
  return all;
}

// Returns true if the library packs four complex numbers correctly. Open MPI 5.0.11 packs the last
// one from another place.
bool packs_complex_blocks() {
  MPI_Aint const places[] = {105, 16, 104, 64};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed_block(4, 1, places, MPI_C_DOUBLE_COMPLEX, &type);
  made_type const blocks(type, false);
  commit(blocks);
  std::vector<std::byte> memory(121), stream;
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i);
  for (MPI_Aint const at : places)
    stream.insert(stream.end(), memory.begin() + at, memory.begin() + at + 16);
  return mpi_pack(memory.data(), blocks.get(), stream.size()) == stream;
}

tree without_given_bounds(tree t) {
  t.given_bounds.reset();
  for (tree& p : t.parts) p = without_given_bounds(p);
  return t;
}

}  // namespace

TEST_CASE("random trees: from_mpi, to_mpi and MPI_Pack", "[mpi][datatype][random]") {
  combiner_counts seen{};
  std::size_t packed = 0, packed_far = 0, other_nodes = 0, refusals = 0, strides_of_minus_one = 0,
              predicted = 0;
  std::size_t in_files = 0;
  std::size_t fortran_boxes = 0, fortran_deals = 0;
  std::size_t mpi_wrong = 0;
  bool const complex_packed = packs_complex_blocks();
  for (std::uint64_t i = 0; i < trees; ++i) {
    std::uint64_t const case_seed = seed() + i;
    CAPTURE(case_seed);  // shown if MPI crashes
    // Without alignment MPI leaves no bound to the library, so all bounds are predicted. With it,
    // the bounds that MPI reports are used.
    bool aligned = case_seed % 2 == 0;
    growth g;
    if (!aligned) g.leaf_types = leaves_without_alignment;
    tree t = random_tree(case_seed, g);
    if (has_stride_of_minus_one(t)) {
      ++strides_of_minus_one;
      continue;
    }
    if (has_blocks_of_nothing(t)) continue;
    aligned = aligned || has_part_of_nothing(t);
    predicted += !aligned;
    std::string fault;
    auto const expect = [&](bool good, std::string const& what) {
      if (!good && fault.empty()) fault = what;
    };

    made_type type(MPI_DATATYPE_NULL, true);
    try {
      type = make_mpi(t, aligned, seen);
    } catch (refused const& e) {
      ++refusals;
      if (!has_darray_of_nothing(t)) FAIL("ARGOSY_TEST_SEED=" << case_seed << "\n" << e.what());
      continue;
    }
    commit(type);
    fortran_boxes +=
        any_node(t, [](tree const& at) { return at.form == form::subarray && at.fortran; });
    fortran_deals +=
        any_node(t, [](tree const& at) { return at.form == form::darray && at.fortran; });
    type_map const want = expand(t, rule_of_bounds);
    std::vector<io::extend::piece> const pieces = joined(want.pieces);
    io::layout const l = to_layout(t, rule_of_bounds);
    io::extend::typed_layout const decoded = io::from_mpi(type.get());
    expect(pieces_of(decoded) == pieces, "from_mpi: other pieces");
    expect(decoded.form().lower_bound() == want.limits.low &&
               decoded.form().extent() == want.limits.extent(),
           "from_mpi: bounds [" + std::to_string(decoded.form().lower_bound()) + ", +" +
               std::to_string(decoded.form().extent()) + ") instead of [" +
               std::to_string(want.limits.low) + ", +" + std::to_string(want.limits.extent()) +
               ")");
    expect(decoded == l, "from_mpi is not the layout");

    expect(items_of(decoded.types()) == items_of(t), "from_mpi: other types along the stream");
    tree const unpadded = without_given_bounds(t);
    for (io::basic_sizes const& sizes : {io::detail::external32_sizes, text_sizes}) {
      if (has_part_of_nothing(t)) break;
      io::layout const file = io::detail::file_form_of(decoded, sizes);
      type_map const there = expand(unpadded, bounds_rule::markers, leaves_with(sizes));
      expect(pieces_of(file) == joined(there.pieces), "from_mpi: other pieces in a file");
      ++in_files;
      expect(file.lower_bound() == there.limits.low && file.extent() == there.limits.extent(),
             "from_mpi: bounds in a file [" + std::to_string(file.lower_bound()) + ", +" +
                 std::to_string(file.extent()) + ") instead of [" +
                 std::to_string(there.limits.low) + ", +" + std::to_string(there.limits.extent()) +
                 ")");
    }

    io::mpi_datatype const made = io::to_mpi(l);
    io::layout const back = io::from_mpi(made.get());
    expect(back == l, "from_mpi(to_mpi) is not the layout but " + io::to_string(back));
    other_nodes += !same_nodes(back, l);

    // Compares three streams: MPI's of the tree, MPI's of to_mpi, and the bytes at the oracle's
    // pieces.
    auto const compare = [&](std::byte const* origin, std::vector<std::byte> const& stream) {
      std::vector<std::byte> ours(stream.size());
      pack(l, origin, ours.data());
      expect(ours == stream, "pack gives other bytes");
      bool const as_mpi = mpi_pack(origin, type.get(), stream.size()) == stream;
      if (!as_mpi && !complex_packed && to_text(t).find("complex") != std::string::npos)
        ++mpi_wrong;
      else
        expect(as_mpi, "MPI_Pack of the tree gives other bytes");
      expect(mpi_pack(origin, made.get(), stream.size()) == stream,
             "MPI_Pack of to_mpi gives other bytes");
    };
    engine random(~case_seed);
    if (fault.empty() && l.true_extent() <= widest_memory) {
      ++packed;
      // One byte more, so that empty memory has an address, too: MPICH refuses a null one.
      std::vector<std::byte> memory(static_cast<std::size_t>(l.true_extent()) + 1), stream;
      for (std::byte& b : memory) b = static_cast<std::byte>(random() >> 32);
      std::byte const* const origin = memory.data() - l.true_lower_bound();
      for (io::extend::piece const& p : pieces)
        stream.insert(stream.end(), origin + p.offset, origin + p.end());
      compare(origin, stream);
    } else if (fault.empty() && l.true_extent() <= sparse_memory::widest) {
      sparse_memory memory(l);
      if (memory.good()) {
        packed_far += l.true_extent() > std::int64_t{1} << 31;
        std::vector<std::byte> data(static_cast<std::size_t>(l.size()));
        for (std::byte& b : data) b = static_cast<std::byte>(random() >> 32);
        memory.write(pieces, data.data());
        compare(memory.origin(), memory.read(pieces));
      }
    }
    if (!fault.empty())
      FAIL(fault << "\nARGOSY_TEST_SEED=" << case_seed << "\ntree:   " << to_text(t)
                 << "\nlayout: " << io::to_string(l));
  }
  WARN(trees << " trees, " << refusals << " refused by MPI and " << strides_of_minus_one
             << " with a stride of -1 byte left out, " << predicted
             << " with all bounds predicted, " << packed << " packed and " << packed_far
             << " wider than 2^31, " << other_nodes
             << " with other nodes after to_mpi and from_mpi, " << mpi_wrong
             << " that MPI packs wrongly");
  CHECK(packed >= trees * 2 / 3);
  CHECK(predicted >= trees / 3);
  CHECK(in_files >= trees);
  CHECK(fortran_boxes >= trees / 60);
  CHECK(fortran_deals >= trees / 60);
  CHECK(refusals + strides_of_minus_one <= trees / 50);
  CHECK(mpi_wrong <= trees / 50);
  // equal, but in another form: see docs/develop/normal_form.md
  CHECK(other_nodes <= trees / 1000);
  // All combiners of MPI 3.1.
  for (int combiner :
       {MPI_COMBINER_NAMED, MPI_COMBINER_DUP, MPI_COMBINER_CONTIGUOUS, MPI_COMBINER_VECTOR,
        MPI_COMBINER_HVECTOR, MPI_COMBINER_INDEXED, MPI_COMBINER_HINDEXED,
        MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_HINDEXED_BLOCK, MPI_COMBINER_STRUCT,
        MPI_COMBINER_SUBARRAY, MPI_COMBINER_DARRAY, MPI_COMBINER_F90_REAL, MPI_COMBINER_F90_COMPLEX,
        MPI_COMBINER_F90_INTEGER, MPI_COMBINER_RESIZED}) {
    INFO("combiner " << combiner);
    CHECK(seen.at(static_cast<std::size_t>(combiner)) >= trees / 60);
  }
}
