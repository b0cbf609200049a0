// Datatypes of MPI as layouts and back, against MPI itself and against the type maps of random trees.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include <argosy/datatype/darray.hpp>
#include <argosy/datatype/element.hpp>
#include <argosy/datatype/mpi.hpp>
#include <argosy/datatype/subarray.hpp>
#include <argosy/layout/pack.hpp>
#include <argosy/layout/print.hpp>

#include "support/random_tree_mpi.hpp"
#include "support/seed.hpp"
#include "support/sparse_memory.hpp"

namespace io = argosy;
using namespace argosy::test;

namespace {

constexpr std::uint64_t trees = 30'000;
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
  mpi_check(MPI_Pack(origin, 1, type, stream.data(), static_cast<int>(stream.size()), &position, MPI_COMM_SELF),
            "MPI_Pack");
  stream.resize(position == length ? size : static_cast<std::size_t>(position));
  return stream;
}

}  // namespace

TEST_CASE("random trees: from_mpi, to_mpi and MPI_Pack", "[mpi][datatype][random]") {
  combiner_counts seen{};
  std::size_t packed = 0, packed_far = 0, other_nodes = 0, refusals = 0, strides_of_minus_one = 0, predicted = 0;
  std::size_t fortran_boxes = 0, fortran_deals = 0;
  for (std::uint64_t i = 0; i < trees; ++i) {
    std::uint64_t const case_seed = seed() + i;
    CAPTURE(case_seed);  // seen where MPI crashes
    // Without alignment MPI leaves no bound to the library, and all is predicted. With it, MPI's bounds are taken.
    bool aligned = case_seed % 2 == 0;
    growth g;
    if (!aligned) g.leaf_types = leaves_without_alignment;
    tree t = random_tree(case_seed, g);
    if (has_stride_of_minus_one(t)) {
      ++strides_of_minus_one;
      continue;
    }
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
    fortran_boxes += any_node(t, [](tree const& at) { return at.form == form::subarray && at.fortran; });
    fortran_deals += any_node(t, [](tree const& at) { return at.form == form::darray && at.fortran; });
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

    // Three streams: MPI's of the tree, MPI's of to_mpi, and the bytes at the pieces of the oracle.
    auto const compare = [&](std::byte const* origin, std::vector<std::byte> const& stream) {
      std::vector<std::byte> ours(stream.size());
      pack(l, origin, ours.data());
      expect(ours == stream, "pack gives other bytes");
      MPI_Datatype handle = MPI_DATATYPE_NULL;
      mpi_check(MPI_Type_dup(type.get(), &handle), "MPI_Type_dup");
      io::mpi_datatype const committed(handle);
      mpi_check(MPI_Type_commit(&handle), "MPI_Type_commit");
      expect(mpi_pack(origin, handle, stream.size()) == stream, "MPI_Pack of the tree gives other bytes");
      expect(mpi_pack(origin, made.get(), stream.size()) == stream, "MPI_Pack of to_mpi gives other bytes");
    };
    engine random(~case_seed);
    if (fault.empty() && l.true_extent() <= widest_memory) {
      ++packed;
      std::vector<std::byte> memory(static_cast<std::size_t>(l.true_extent())), stream;
      for (std::byte& b : memory) b = static_cast<std::byte>(random() >> 32);
      std::byte const* const origin = memory.data() - l.true_lower_bound();
      for (io::piece const& p : pieces) stream.insert(stream.end(), origin + p.offset, origin + p.end());
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
             << " with a stride of -1 byte left out, " << predicted << " with all bounds predicted, " << packed
             << " packed and " << packed_far << " wider than 2^31, " << other_nodes
             << " with other nodes after to_mpi and from_mpi");
  CHECK(packed >= 20'000);
  CHECK(predicted >= 10'000);
  CHECK(fortran_boxes >= 500);
  CHECK(fortran_deals >= 500);
  CHECK(refusals + strides_of_minus_one <= trees / 50);
  CHECK(other_nodes <= trees / 1000);  // equal, but found in another form: see docs/develop/normal_form.md
  // All of MPI 3.1.
  for (int combiner :
       {MPI_COMBINER_NAMED, MPI_COMBINER_DUP, MPI_COMBINER_CONTIGUOUS, MPI_COMBINER_VECTOR, MPI_COMBINER_HVECTOR,
        MPI_COMBINER_INDEXED, MPI_COMBINER_HINDEXED, MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_HINDEXED_BLOCK,
        MPI_COMBINER_STRUCT, MPI_COMBINER_SUBARRAY, MPI_COMBINER_DARRAY, MPI_COMBINER_F90_REAL,
        MPI_COMBINER_F90_COMPLEX, MPI_COMBINER_F90_INTEGER, MPI_COMBINER_RESIZED}) {
    INFO("combiner " << combiner);
    CHECK(seen.at(static_cast<std::size_t>(combiner)) >= 500);
  }
}

TEST_CASE("numbers beyond 2^31", "[mpi][datatype][large]") {
  constexpr std::int64_t big = std::int64_t{1} << 33, odd = 5'000'000'011;
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < 40; ++i) places.push_back(i * i * big);
  std::vector<std::int64_t> lengths(places.size(), 7);
  lengths[3] = odd;
  for (io::layout const& l :
       {io::bytes(big), io::bytes(odd), io::repeat(odd, 16, io::bytes(8)), io::repeat(odd, -24, io::bytes(8)),
        io::repeat(odd, 1 << 20, io::repeat(100, 8, io::bytes(4))), io::at(-big, io::repeat(3, big, io::bytes(odd))),
        io::repeat(big, -1, io::bytes(1)), io::repeat(odd, -1, io::bytes(1)), io::table(places, 9),
        io::table(places, lengths), io::resized(io::repeat(odd, 3, io::bytes(1)), -big, 7 * odd),
        io::concat(io::bytes(odd), io::at(2 * odd, io::repeat(big, 2, io::bytes(1))))}) {
    CAPTURE(io::to_string(l));
    io::mpi_datatype const type = io::to_mpi(l);
    MPI_Count size = 0, lower_bound = 0, extent = 0, true_lower_bound = 0, true_extent = 0;
    MPI_Type_size_x(type.get(), &size);
    MPI_Type_get_extent_x(type.get(), &lower_bound, &extent);
    MPI_Type_get_true_extent_x(type.get(), &true_lower_bound, &true_extent);
    CHECK(size == l.size());
    CHECK(lower_bound == l.lower_bound());
    CHECK(extent == l.extent());
    CHECK(true_lower_bound == l.true_lower_bound());
    CHECK(true_extent == l.true_extent());
    io::layout const back = io::from_mpi(type.get());
    CHECK(back == l);
    CHECK(same_nodes(back, l));
  }
}

TEST_CASE("bytes in reverse", "[mpi][datatype]") {
  for (std::int64_t n : {2, 3, 4, 5, 1001, 4096}) {
    CAPTURE(n);
    io::layout const l = io::repeat(n, -1, io::bytes(1));
    std::vector<std::byte> memory(static_cast<std::size_t>(n)), want(memory.size());
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7);
    std::reverse_copy(memory.begin(), memory.end(), want.begin());
    io::mpi_datatype const type = io::to_mpi(l);
    CHECK(mpi_pack(memory.data() + n - 1, type.get(), memory.size()) == want);
    CHECK(io::from_mpi(type.get()) == l);
  }
}

TEST_CASE("arrays of any size are decoded as a few numbers", "[mpi][datatype][cost]") {
  int const sizes[] = {1000, 2000, 1'000'000}, subsizes[] = {998, 1998, 999'998}, starts[] = {1, 1, 1};
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE, &handle);
  io::mpi_datatype const box(handle);
  io::layout const l = io::from_mpi(box.get());
  CHECK(l == io::subarray(sizes, subsizes, starts, io::type<double>, io::order::fortran).form());
  CHECK(l.nodes().size() == 3);
  CHECK(l.extent() == std::int64_t{8} * 1000 * 2000 * 1'000'000);

  int const kinds[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  int const arguments[] = {3, MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, grid[] = {2, 3, 4};
  int const cube[] = {100, 100, 100};
  MPI_Type_create_darray(24, 17, 3, cube, kinds, arguments, grid, MPI_ORDER_C, MPI_FLOAT, &handle);
  io::mpi_datatype const dealt(handle);
  io::distribute::rule const rules[] = {
      {io::distribute::kind::cyclic, 3}, {io::distribute::kind::block, 0}, {io::distribute::kind::cyclic, 0}};
  CHECK(io::from_mpi(dealt.get()) == io::darray(cube, std::vector(std::begin(rules), std::end(rules)),
                                                std::vector(std::begin(grid), std::end(grid)), 17, io::type<float>)
                                         .form());
  CHECK(io::from_mpi(dealt.get()).nodes().size() <= 6);
}

TEST_CASE("parts that stand in several places are built and decoded once", "[mpi][datatype][cost]") {
  // A block-cyclic array, cut in each of 8 dimensions: 2^8 paths, 3 nodes per dimension. Not more dimensions, because
  // Open MPI writes out the members of every struct.
  io::layout l = io::bytes(1);
  for (std::int64_t d = 0, stride = 2; d < 8; ++d, stride *= 7)
    l = io::concat(io::repeat(2, 3 * stride, io::repeat(2, stride, l)), io::at(6 * stride, l));
  CHECK(l.nodes().size() <= 40);
  io::mpi_datatype const type = io::to_mpi(l);
  CHECK(io::from_mpi(type.get()) == l);
}

TEST_CASE("named types are decoded with their holes", "[mpi][datatype]") {
  using io::at, io::bytes, io::concat, io::resized;
  CHECK(io::from_mpi(MPI_DOUBLE) == bytes(8));
  CHECK(io::from_mpi(MPI_BYTE) == bytes(1));
  CHECK(io::from_mpi(MPI_2INT) == bytes(8));
  CHECK(io::from_mpi(MPI_SHORT_INT) == concat(bytes(2), at(4, bytes(4))));
  CHECK(io::from_mpi(MPI_DOUBLE_INT) == resized(bytes(12), 0, 16));
  CHECK(io::from_mpi(MPI_LONG_DOUBLE_INT) == resized(bytes(sizeof(long double) + 4), 0, 2 * sizeof(long double)));
  CHECK(io::from_mpi(MPI_C_DOUBLE_COMPLEX) == bytes(16));
#ifdef MPI_2DOUBLE_PRECISION
  if (MPI_2DOUBLE_PRECISION != MPI_DATATYPE_NULL) CHECK(io::from_mpi(MPI_2DOUBLE_PRECISION) == bytes(16));
#endif
  struct padded {
    double d;
    char c;
  };
  int const lengths[] = {1, 1};
  MPI_Aint const places[] = {0, 8};
  MPI_Datatype const types[] = {MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, lengths, places, types, &handle);
  io::mpi_datatype const record(handle);
  CHECK(io::from_mpi(record.get()) == resized(bytes(9), 0, sizeof(padded)));  // padded by MPI as by the compiler
}

TEST_CASE("a bound set by hand outweighs other members, as in MPI", "[mpi][datatype]") {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_CHAR, 0, 4, &handle);
  io::mpi_datatype const wide(handle);
  int const lengths[] = {1, 1};
  MPI_Aint const places[] = {0, 10};
  MPI_Datatype const types[] = {wide.get(), MPI_CHAR};
  MPI_Type_create_struct(2, lengths, places, types, &handle);
  io::mpi_datatype const record(handle);
  CHECK(io::from_mpi(record.get()) == io::resized(io::concat(io::bytes(1), io::at(10, io::bytes(1))), 0, 4));
}

TEST_CASE("no datatype is an error that says so", "[mpi][datatype][errors]") {
  CHECK_THROWS_WITH(io::from_mpi(MPI_DATATYPE_NULL), Catch::Matchers::ContainsSubstring("MPI_DATATYPE_NULL"));
  CHECK(io::from_mpi(io::to_mpi(io::layout()).get()) == io::layout());
  io::layout const nothing = io::resized(io::layout(), -3, 17);
  CHECK(io::from_mpi(io::to_mpi(nothing).get()) == nothing);
}

TEST_CASE("a datatype moves, and is freed once", "[mpi][datatype]") {
  io::mpi_datatype a = io::to_mpi(io::bytes(8));
  MPI_Datatype const handle = a.get();
  io::mpi_datatype b = std::move(a);
  CHECK(b.get() == handle);
  CHECK(a.get() == MPI_DATATYPE_NULL);
  a = std::move(b);
  CHECK(a.get() == handle);
  a = io::mpi_datatype();
  CHECK(a.get() == MPI_DATATYPE_NULL);
}
