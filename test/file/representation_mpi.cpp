// external32 compared with the MPI library's own MPI_Pack_external, as far as that follows the
// standard.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/datatype/aggregate.hpp>
#include <argosy/datatype/mpi.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/view/converter.hpp>
#include <argosy/world/self.hpp>

#include "support/files.hpp"
#include "support/random_tree_mpi.hpp"
#include "support/seed.hpp"

namespace io = argosy;

namespace {

// Compares `count` items of a type. The items have random bytes, or values that fit four bytes.
template <class T>
void compare(MPI_Datatype type, T (*value)(std::mt19937_64&), MPI_Aint item_bytes) {
  CAPTURE(argosy::test::seed());
  std::mt19937_64 random(argosy::test::seed());
  std::vector<T> data(100);
  for (T& d : data) d = value(random);
  auto const count = static_cast<int>(data.size());

  auto const m = io::memory(data);
  io::extend::converter const c(io::external32, m.form(), m.types());
  REQUIRE(c.file_size() == item_bytes * count);
  std::vector<std::byte> ours(static_cast<std::size_t>(c.file_size())), theirs(ours.size() + 4096);
  REQUIRE(c.gather(data.data(), 0, c.file_size(), ours.data()));
  MPI_Aint position = 0;
  MPI_Pack_external("external32", data.data(), count, type, theirs.data(),
                    static_cast<MPI_Aint>(theirs.size()), &position);
  CHECK(position == c.file_size());
  theirs.resize(ours.size());
  CHECK((ours == theirs));

  std::vector<T> back(data.size());
  position = 0;
  MPI_Unpack_external("external32", ours.data(), static_cast<MPI_Aint>(ours.size()), &position,
                      back.data(), count, type);
  CHECK(std::memcmp(back.data(), data.data(), sizeof(T) * data.size()) == 0);
  std::vector<T> read(data.size());
  auto const n = io::memory(read);
  io::extend::converter from(io::external32, n.form(), n.types());
  REQUIRE(from.scatter(theirs.data(), 0, from.file_size(), read.data()));
  CHECK(std::memcmp(read.data(), data.data(), sizeof(T) * data.size()) == 0);
}

template <class T>
T any_integer(std::mt19937_64& random) {
  return static_cast<T>(random());
}
template <class T>
T any_real(std::mt19937_64& random) {
  return static_cast<T>(std::uniform_real_distribution<double>(-1e6, 1e6)(random));
}
template <class T>
std::complex<T> any_complex(std::mt19937_64& random) {
  return {any_real<T>(random), any_real<T>(random)};
}
long fitting(std::mt19937_64& random) {
  return static_cast<long>(static_cast<std::int32_t>(random()));
}
unsigned long fitting_unsigned(std::mt19937_64& random) {
  return static_cast<std::uint32_t>(random());
}
bool truth(std::mt19937_64& random) { return random() % 2 == 0; }

MPI_Aint pack_size(MPI_Datatype type) {
  MPI_Aint size = 0;
  MPI_Pack_external_size("external32", 1, type, &size);
  return size;
}

}  // namespace

TEST_CASE("basic types are written as MPI_Pack_external writes them", "[representation][mpi]") {
  compare<char>(MPI_CHAR, any_integer<char>, 1);
  compare<unsigned char>(MPI_UNSIGNED_CHAR, any_integer<unsigned char>, 1);
  compare<short>(MPI_SHORT, any_integer<short>, 2);
  compare<unsigned short>(MPI_UNSIGNED_SHORT, any_integer<unsigned short>, 2);
  compare<int>(MPI_INT, any_integer<int>, 4);
  compare<unsigned>(MPI_UNSIGNED, any_integer<unsigned>, 4);
  compare<long>(MPI_LONG, fitting, 4);
  compare<unsigned long>(MPI_UNSIGNED_LONG, fitting_unsigned, 4);
  compare<long long>(MPI_LONG_LONG, any_integer<long long>, 8);
  compare<unsigned long long>(MPI_UNSIGNED_LONG_LONG, any_integer<unsigned long long>, 8);
  compare<float>(MPI_FLOAT, any_real<float>, 4);
  compare<double>(MPI_DOUBLE, any_real<double>, 8);
  compare<std::complex<float>>(MPI_CXX_FLOAT_COMPLEX, any_complex<float>, 8);
  compare<std::complex<double>>(MPI_CXX_DOUBLE_COMPLEX, any_complex<double>, 16);
}

TEST_CASE("bools are written as MPI_Pack_external writes them", "[representation][mpi]") {
  std::mt19937_64 random(argosy::test::seed());
  std::array<bool, 50> data{};
  for (bool& b : data) b = truth(random);
  auto const m = io::memory(data);
  io::extend::converter const c(io::external32, m.form(), m.types());
  std::vector<std::byte> ours(50), theirs(50);
  REQUIRE(c.gather(data.data(), 0, 50, ours.data()));
  MPI_Aint position = 0;
  MPI_Pack_external("external32", data.data(), 50, MPI_CXX_BOOL, theirs.data(), 50, &position);
  CHECK((ours == theirs));
}

TEST_CASE("structs in a vector of blocks are written as MPI_Pack_external writes them",
          "[representation][mpi]") {
  if (io::test::is_mpich) {
    WARN("skipped: MPICH ends the program in MPI_Pack_external of several types");
    return;
  }
  struct cell {
    double x[3];
    int id;
    short kind[2];
  };
  std::array<int, 3> const lengths{3, 1, 2};
  std::array<MPI_Aint, 3> const places{offsetof(cell, x), offsetof(cell, id), offsetof(cell, kind)};
  std::array<MPI_Datatype, 3> const types{MPI_DOUBLE, MPI_INT, MPI_SHORT};
  MPI_Datatype packed, one, blocks;
  MPI_Type_create_struct(3, lengths.data(), places.data(), types.data(), &packed);
  MPI_Type_create_resized(packed, 0, sizeof(cell), &one);
  MPI_Type_vector(40, 2, 3, one, &blocks);
  MPI_Type_commit(&blocks);

  std::mt19937_64 random(argosy::test::seed());
  std::vector<cell> data(40 * 3);
  for (cell& c : data)
    c = {{any_real<double>(random), any_real<double>(random), 3},
         any_integer<int>(random),
         {7, any_integer<short>(random)}};
  auto const m = io::memory(data.data(), io::vector(40, 2, 3, io::type<cell>));
  io::extend::converter const c(io::external32, m.form(), m.types());
  REQUIRE(c.file_size() == 40 * 2 * 32);
  std::vector<std::byte> ours(static_cast<std::size_t>(c.file_size())), theirs(ours.size());
  REQUIRE(c.gather(data.data(), 0, c.file_size(), ours.data()));
  MPI_Aint position = 0;
  MPI_Pack_external("external32", data.data(), 1, blocks, theirs.data(), c.file_size(), &position);
  CHECK(position == c.file_size());
  CHECK((ours == theirs));
  MPI_Type_free(&blocks);
  MPI_Type_free(&one);
  MPI_Type_free(&packed);
}

// --- from_mpi: data described by MPI datatypes ---

TEST_CASE("random trees are written as MPI_Pack_external writes them",
          "[representation][mpi][random]") {
  using namespace io::test;
  if (is_mpich) {
    WARN(
        "skipped: MPICH ends the program in MPI_Pack_external of pairs, of several types, and of "
        "more");
    return;
  }
  constexpr std::uint64_t trees = 4000;
  constexpr std::int64_t widest = 1 << 16;
  combiner_counts seen{};
  std::size_t compared = 0, with_longs = 0, several_types = 0;
  for (std::uint64_t i = 0; i < trees; ++i) {
    std::uint64_t const case_seed = seed() + i;
    growth g;
    g.huge = false;
    g.most_pieces = 500;
    tree t = random_tree(case_seed, g);
    // Open MPI writes long double as it lies in memory: see the deviations below.
    auto const has = [&](std::string_view name) {
      return any_node(t, [&](tree const& at) {
        return at.form == form::leaf && leaves()[at.leaf].name == name;
      });
    };
    bool const has_long = has("long_int");
    if (has("long_double_int") || has_stride_of_minus_one(t) || has_darray_of_nothing(t)) continue;
    made_type const type = make_mpi(t, false, seen);
    commit(type);
    io::extend::typed_layout const typed = io::from_mpi(type.get());
    io::layout const& described = typed;
    if (described.empty() || described.true_extent() > widest) continue;
    io::extend::signature const types = io::detail::signature_of(typed);
    io::extend::converter const encode(io::external32, described, types);
    io::extend::converter decode(io::external32, described, types);
    std::vector<std::byte> stream(static_cast<std::size_t>(encode.file_size()));
    std::mt19937_64 random(case_seed);
    for (std::byte& b : stream) b = static_cast<std::byte>(random() >> 32);

    // From a random stream to memory, and back, by argosy and by MPI. If bytes have two names, the
    // last write counts.
    bool const twice = described.overlaps();
    if (twice && has_long) continue;
    std::vector<std::byte> ours(static_cast<std::size_t>(described.true_extent())),
        theirs(ours.size());
    std::byte* const at = ours.data() - described.true_lower_bound();
    decode.scatter(stream.data(), 0, decode.file_size(), at);
    MPI_Aint position = 0;
    MPI_Unpack_external("external32", stream.data(), static_cast<MPI_Aint>(stream.size()),
                        &position, theirs.data() - described.true_lower_bound(), 1, type.get());
    std::vector<std::byte> by_us(stream.size()), by_mpi(stream.size() + 4096);
    bool const fits = encode.gather(at, 0, encode.file_size(), by_us.data());
    position = 0;
    MPI_Pack_external("external32", at, 1, type.get(), by_mpi.data(),
                      static_cast<MPI_Aint>(by_mpi.size()), &position);
    bool const size_right = position == encode.file_size();
    by_mpi.resize(by_us.size());
    bool const unpacked = twice || (ours == theirs && by_us == stream);
    if (!fits || !size_right || by_us != by_mpi || !unpacked)
      FAIL("ARGOSY_TEST_SEED=" << case_seed << (fits ? "" : ": does not fit")
                               << (size_right ? "" : ": other size")
                               << (by_us == by_mpi ? "" : ": packed otherwise")
                               << (unpacked ? "" : ": unpacked otherwise")
                               << "\ntree: " << to_text(t) << "\ntypes: " << to_string(types));
    ++compared;
    with_longs += any_node(t, [](tree const& n) {
      return n.form == form::leaf && std::string_view(leaves()[n.leaf].name) == "long_int";
    });
    several_types += types.nodes().size() > 1;
  }
  WARN(trees << " trees, " << compared << " compared, " << with_longs << " with long, "
             << several_types << " of several types");
  CHECK(compared >= trees / 2);
  CHECK(with_longs >= trees / 50);
  CHECK(several_types >= trees / 10);
}

TEST_CASE("a file of external32 is the same by MPI datatypes and by C++ types",
          "[representation][mpi][file]") {
  struct cell {
    double x;
    int id;
    long n;
  };
  io::test::scratch const here;
  std::array<int, 3> const lengths{1, 1, 1};
  std::array<MPI_Aint, 3> const places{offsetof(cell, x), offsetof(cell, id), offsetof(cell, n)};
  std::array<MPI_Datatype, 3> const types{MPI_DOUBLE, MPI_INT, MPI_LONG};
  MPI_Datatype packed = MPI_DATATYPE_NULL, one = MPI_DATATYPE_NULL, column = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(3, lengths.data(), places.data(), types.data(), &packed);
  MPI_Type_create_resized(packed, 0, sizeof(cell), &one);
  MPI_Type_vector(20, 1, 4, MPI_LONG, &column);
  MPI_Type_commit(&one);
  MPI_Type_commit(&column);
  io::mpi_datatype const free_packed(packed), free_one(one), free_column(column);

  std::vector<cell> cells;
  std::vector<long> numbers;
  for (int i = 0; i < 20; ++i) {
    cells.push_back({1.5 * i, -i, 1000 + i});
    numbers.push_back(-7 * i);
  }
  auto const write = [&](std::string const& name, auto&& body) {
    auto f = io::basic_file<io::self>::open(io::self(), here / name,
                                            io::mode::create | io::mode::read_write);
    body(f);
    f.close();
    return io::test::content_of(here / name);
  };
  std::string const by_cpp = write("cpp", [&](auto& f) {
    f.set_view(0, {io::type<long>, io::vector(20, 1, 4, io::type<long>), io::external32});
    f.write_at(0, numbers);
    f.set_view(400, {io::type<cell>, io::type<cell>, io::external32});
    f.write_at(0, cells);
  });
  std::string const by_mpi = write("mpi", [&](auto& f) {
    f.set_view(0, {io::from_mpi(MPI_LONG), io::from_mpi(column), io::external32});
    CHECK(f.type_extent(io::from_mpi(MPI_LONG)) == 4);
    CHECK(f.type_extent(io::from_mpi(column)) == (19 * 4 + 1) * 4);
    CHECK(f.write_at(0, {numbers.data(), io::from_mpi(MPI_LONG), 20}).bytes == 80);
    f.set_view(400, {io::from_mpi(one), io::from_mpi(one), io::external32});
    CHECK(f.type_extent(io::from_mpi(one)) == sizeof(cell));
    CHECK(f.write_at(0, {cells.data(), io::from_mpi(one), 20}).memory_bytes == 20 * 20);
  });
  CHECK(by_cpp.size() > 400);
  CHECK(by_mpi == by_cpp);
  // Each library must read what the other one wrote.
  std::vector<long> got(20);
  write("mpi", [&](auto& f) {
    f.set_view(0, {io::from_mpi(MPI_LONG), io::from_mpi(column), io::external32});
    CHECK(f.read_at(0, got).bytes == 80);
    CHECK(got == numbers);
  });
}

TEST_CASE("data of other types than the etype is refused where a representation converts",
          "[representation][mpi][file]") {
  io::test::scratch const here;
  auto f = io::basic_file<io::self>::open(io::self(), here / "data",
                                          io::mode::create | io::mode::read_write);
  std::error_code error;
  std::array<long, 2> longs = {1, 2};
  std::array<long long, 2> wide = {3, 4};
  std::array<std::complex<double>, 2> complex{};
  std::array<int, 4> ints{};
  f.set_view(0, {io::from_mpi(MPI_LONG), io::from_mpi(MPI_LONG), io::external32});
  CHECK(f.write_at(0, longs).bytes == 8);
  f.write_at(0, wide, error);  // 16 bytes in the file are 4 etypes, but of another type
  CHECK(error == io::errc::datatype);
  CHECK(f.what_failed().find("2 int64") != std::string::npos);
  f.set_view(0, {io::from_mpi(MPI_DOUBLE), io::from_mpi(MPI_DOUBLE), io::external32});
  f.write_at(0, complex, error);  // consist of doubles, too
  CHECK_FALSE(error);
  f.write_at(0, ints, error);
  CHECK(error == io::errc::datatype);
  // Bytes may be written to any etype, unchanged.
  f.write_at(0, {ints.data(), io::from_mpi(MPI_BYTE), 16}, error);
  CHECK_FALSE(error);
  // Bytes as etype take any data.
  f.set_view(0, {io::from_mpi(MPI_BYTE), io::from_mpi(MPI_BYTE), io::external32});
  f.write_at(0, ints, error);
  CHECK_FALSE(error);
  // In native, types are not needed.
  f.set_view(0, {io::from_mpi(MPI_LONG), io::from_mpi(MPI_LONG)});
  f.write_at(0, ints, error);
  CHECK_FALSE(error);
  f.close();
}

TEST_CASE("absolute addresses are written from MPI_BOTTOM", "[representation][mpi][file]") {
  io::test::scratch const here;
  std::vector<double> a(3, 1.5);
  std::array<int, 2> b = {7, 8};
  std::array<MPI_Aint, 2> places{};
  MPI_Get_address(a.data(), &places[0]);
  MPI_Get_address(b.data(), &places[1]);
  std::array<int, 2> const lengths{3, 2};
  std::array<MPI_Datatype, 2> const types{MPI_DOUBLE, MPI_INT};
  MPI_Datatype both = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), &both);
  MPI_Type_commit(&both);
  io::mpi_datatype const free_both(both);
  auto f = io::basic_file<io::self>::open(io::self(), here / "data",
                                          io::mode::create | io::mode::read_write);
  CHECK(f.write({MPI_BOTTOM, io::from_mpi(both), 1}).bytes == 32);
  a.assign(3, 0);
  b = {};
  f.seek(0);
  CHECK(f.read({MPI_BOTTOM, io::from_mpi(both), 1}).bytes == 32);
  CHECK(a == std::vector<double>(3, 1.5));
  CHECK(b == std::array<int, 2>{7, 8});
  std::error_code error;
  f.write({MPI_BOTTOM, io::from_mpi(MPI_INT), 1}, error);  // a relative type has no address
  CHECK(error == io::errc::argument);
  f.close();
}

// If this MPI library deviates from the standard, argosy follows the standard. Deviations are
// printed, not required: another library may be right, and its comparison would belong above.
TEST_CASE("deviations of the MPI library from the table of external32",
          "[representation][mpi][deviations]") {
  struct row {
    char const* name;
    MPI_Datatype type;
    io::extend::basic_type basic;
  };
  for (row const& r :
       {row{"MPI_LONG", MPI_LONG, io::extend::basic_type::long_int},
        row{"MPI_UNSIGNED_LONG", MPI_UNSIGNED_LONG, io::extend::basic_type::unsigned_long},
        row{"MPI_WCHAR", MPI_WCHAR, io::extend::basic_type::wide_character},
        row{"MPI_LONG_DOUBLE", MPI_LONG_DOUBLE, io::extend::basic_type::long_double}}) {
    MPI_Aint const told = pack_size(r.type);
    std::int64_t const standard = io::detail::size_in(io::detail::external32_sizes, r.basic);
    if (told != standard)
      WARN(r.name << ": MPI_Pack_external_size says " << told << " bytes, the standard "
                  << standard);
  }
  long double const value = 1.5L;
  long double back = 0;
  std::array<std::byte, 64> packed{};
  MPI_Aint position = 0;
  MPI_Pack_external("external32", &value, 1, MPI_LONG_DOUBLE, packed.data(), 64, &position);
  MPI_Aint from = 0;
  MPI_Unpack_external("external32", packed.data(), position, &from, &back, 1, MPI_LONG_DOUBLE);
  if (back != value)
    WARN("MPI_LONG_DOUBLE: 1.5 does not come back from MPI_Pack_external and MPI_Unpack_external");
  SUCCEED();
}
