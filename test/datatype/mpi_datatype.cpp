// Datatypes of MPI as layouts and back: large numbers, arrays, holes, bounds, errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include <mpi.h>

#include <argosy/datatype/darray.hpp>
#include <argosy/datatype/element.hpp>
#include <argosy/datatype/mpi.hpp>
#include <argosy/datatype/subarray.hpp>
#include <argosy/layout/print.hpp>

#include "support/mpi_datatype_cases.hpp"

namespace io = argosy;
using namespace argosy::test;

TEST_CASE("numbers beyond 2^31", "[mpi][datatype][large]") {
  constexpr std::int64_t big = std::int64_t{1} << 33, odd = 5'000'000'011;
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < 40; ++i) places.push_back(i * i * big);
  std::vector<std::int64_t> lengths(places.size(), 7);
  lengths[3] = odd;
  for (io::layout const& l :
       {io::bytes(big), io::bytes(odd), io::repeat(odd, 16, io::bytes(8)),
        io::repeat(odd, -24, io::bytes(8)),
        io::repeat(odd, 1 << 20, io::repeat(100, 8, io::bytes(4))),
        io::at(-big, io::repeat(3, big, io::bytes(odd))), io::repeat(big, -1, io::bytes(1)),
        io::repeat(odd, -1, io::bytes(1)), io::table(places, 9), io::table(places, lengths),
        io::resized(io::repeat(odd, 3, io::bytes(1)), -big, 7 * odd),
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
  int const sizes[] = {1000, 2000, 1'000'000}, subsizes[] = {998, 1998, 999'998},
            starts[] = {1, 1, 1};
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE, &handle);
  MPI_Type_commit(&handle);
  io::mpi_datatype const box(handle);
  io::layout const l = io::from_mpi(box.get());
  CHECK(l == io::subarray(sizes, subsizes, starts, io::type<double>, io::order::fortran).form());
  CHECK(l.nodes().size() == 3);
  CHECK(l.extent() == std::int64_t{8} * 1000 * 2000 * 1'000'000);

  int const kinds[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  int const arguments[] = {3, MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG},
            grid[] = {2, 3, 4};
  int const cube[] = {100, 100, 100};
  MPI_Type_create_darray(24, 17, 3, cube, kinds, arguments, grid, MPI_ORDER_C, MPI_FLOAT, &handle);
  MPI_Type_commit(&handle);
  io::mpi_datatype const dealt(handle);
  io::distribute::rule const rules[] = {{io::distribute::kind::cyclic, 3},
                                        {io::distribute::kind::block, 0},
                                        {io::distribute::kind::cyclic, 0}};
  CHECK(io::from_mpi(dealt.get()) ==
        io::darray(cube, std::vector(std::begin(rules), std::end(rules)),
                   std::vector(std::begin(grid), std::end(grid)), 17, io::type<float>)
            .form());
  CHECK(io::from_mpi(dealt.get()).form().nodes().size() <= 6);
}

TEST_CASE("parts that stand in several places are built and decoded once",
          "[mpi][datatype][cost]") {
  // A block-cyclic array, cut in each of 8 dimensions: 2^8 paths, 3 nodes per dimension. Not more
  // dimensions, because Open MPI writes out the members of every struct.
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
  CHECK(io::from_mpi(MPI_LONG_DOUBLE_INT) ==
        resized(bytes(sizeof(long double) + 4), 0, 2 * sizeof(long double)));
  CHECK(io::from_mpi(MPI_C_DOUBLE_COMPLEX) == bytes(16));
#ifdef MPI_2DOUBLE_PRECISION
  if (MPI_2DOUBLE_PRECISION != MPI_DATATYPE_NULL)
    CHECK(io::from_mpi(MPI_2DOUBLE_PRECISION) == bytes(16));
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
  MPI_Type_commit(&handle);
  io::mpi_datatype const record(handle);
  // padded by MPI as by the compiler
  CHECK(io::from_mpi(record.get()) == resized(bytes(9), 0, sizeof(padded)));
}

TEST_CASE("a bound set by hand outweighs other members, if MPI says so", "[mpi][datatype]") {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_CHAR, 0, 4, &handle);
  io::mpi_datatype const wide(handle);
  int const lengths[] = {1, 1};
  MPI_Aint const places[] = {0, 10};
  MPI_Datatype const types[] = {wide.get(), MPI_CHAR};
  MPI_Type_create_struct(2, lengths, places, types, &handle);
  MPI_Type_commit(&handle);
  io::mpi_datatype const record(handle);
  std::int64_t const extent = rule_of_bounds == bounds_rule::markers ? 4 : 11;
  CHECK(io::from_mpi(record.get()) ==
        io::resized(io::concat(io::bytes(1), io::at(10, io::bytes(1))), 0, extent));
}

TEST_CASE("no datatype is an error that says so", "[mpi][datatype][errors]") {
  CHECK_THROWS_WITH(io::from_mpi(MPI_DATATYPE_NULL).form(),
                    Catch::Matchers::ContainsSubstring("MPI_DATATYPE_NULL"));
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(3, MPI_INT, &handle);
  io::mpi_datatype const raw(handle);
  CHECK_THROWS_WITH(io::from_mpi(handle).form(),
                    Catch::Matchers::ContainsSubstring("not committed"));
  MPI_Type_commit(&handle);
  CHECK(io::from_mpi(handle) == io::bytes(12));
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
