// argosy convert: arrays whose bytes are made by hand, through all pairs of formats and back.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/checkpoint.hpp>
#include <argosy/format/hdf5.hpp>
#include <argosy/format/zarr.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "support/array_files.hpp"
#include "support/catch.hpp"
#include "support/run_tool.hpp"
#include "support/seed.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace argosy::test;
using Catch::Matchers::ContainsSubstring;

namespace {

struct type_of_array {
  char const* name;
  std::size_t bytes, item;
};
constexpr type_of_array types[] = {{"f8", 8, 8},   {"f4", 4, 4}, {"i8", 8, 8},
                                   {"i4", 4, 4},   {"u2", 2, 2}, {"i1", 1, 1},
                                   {"c16", 16, 8}, {"c8", 8, 4}, {"u8", 8, 8}};

// Returns an array of random bytes, among which are NaNs.
hand_array random_array(engine& random) {
  type_of_array const& t = types[pick(random, 0, std::ssize(types) - 1)];
  hand_array a{t.name, list(static_cast<std::size_t>(pick(random, 0, 4))), {}, t.item};
  std::int64_t n = 1;
  for (std::int64_t& along : a.shape) n *= along = pick(random, one_in(random, 12) ? 0 : 1, 5);
  for (std::int64_t i = 0; i < n; ++i) {
    std::string one;
    while (one.size() < t.bytes)
      one += static_cast<char>(one_in(random, 4) ? 255 : pick(random, 0, 255));
    a.elements.push_back(one);
  }
  return a;
}

enum class form { npy, raw, zarr, hdf5, checkpoint };
constexpr form all_forms[] = {form::npy, form::raw, form::zarr, form::hdf5, form::checkpoint};
constexpr char const* endings[] = {".npy", ".raw", ".zarr", ".h5:a/b", ".checkpoint:u"};

std::string file_of(std::string const& name, form f) { return name + endings[static_cast<int>(f)]; }
bool keeps_order(form f) { return f != form::zarr && f != form::hdf5; }

// Converts collectively. Returns what this rank printed.
tool_outcome converted(std::string const& from, std::string const& to,
                       std::vector<std::string> const& more = {}) {
  std::vector<std::string> words{"convert", from, to};
  words.insert(words.end(), more.begin(), more.end());
  return run_tool(words);
}

// Writes a file on rank 0, for all ranks.
void make(io::mpi const& world, std::string const& path, std::string const& bytes) {
  if (world.rank() == 0) write_bytes(path, bytes);
  world.barrier();
}

std::vector<std::string> random_choices(engine& random, hand_array const& a, form to) {
  std::vector<std::string> words{"--memory", std::to_string(pick(random, 300, 5000))};
  if (keeps_order(to) || a.shape.empty() || one_in(random, 3)) return words;
  list chunks;
  for (std::size_t d = 0; d < a.shape.size(); ++d) chunks.push_back(pick(random, 1, 3));
  words.insert(words.end(), {"--chunks", hand_array{.shape = chunks}.shape_text("x")});
  if (to == form::hdf5 && one_in(random, 2)) words.insert(words.end(), {"--filter", "shuffle"});
  if (to == form::zarr && one_in(random, 2)) {
    for (std::int64_t& n : chunks) n *= pick(random, 1, 2);
    words.insert(words.end(), {"--shards", hand_array{.shape = chunks}.shape_text("x")});
  }
  return words;
}

std::vector<std::string> names_in(std::string const& directory) {
  std::vector<std::string> all;
  for (auto const& e : std::filesystem::directory_iterator(directory))
    all.push_back(e.path().filename());
  std::ranges::sort(all);
  return all;
}

}  // namespace

TEST_CASE("random arrays pass through all pairs of formats", "[tool][convert]") {
  using enum form;
  // Each format follows each, also itself. Arrays begin and end in raw files.
  constexpr form all[] = {raw,  raw,  zarr,       raw,  hdf5, raw,        checkpoint, zarr, zarr,
                          hdf5, zarr, checkpoint, hdf5, hdf5, checkpoint, checkpoint, npy,  npy,
                          raw,  npy,  zarr,       npy,  hdf5, npy,        checkpoint, raw};
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const dir(world, in_memory());
  CAPTURE(seed());
  engine random(seed());
  hand_array a;
  bool fortran = false, big = false;
  for (std::size_t i = 0; i + 1 < std::size(all); ++i) {
    std::string const number = std::to_string(i), from = file_of(dir / number, all[i]),
                      to = file_of(dir / std::to_string(i + 1), all[i + 1]);
    std::vector<std::string> words;
    if (all[i] == raw) {
      a = random_array(random);
      big = one_in(random, 2), fortran = one_in(random, 2);
      make(world, from, a.bytes(fortran, big));
      words = {"--type",  "'" + a.name_of_type(big) + "'", "--shape", a.shape_text("x"),
               "--order", fortran ? "fortran" : "c"};
    }
    std::vector<std::string> const more = random_choices(random, a, all[i + 1]);
    words.insert(words.end(), more.begin(), more.end());
    tool_outcome const o = converted(from, to, words);
    CAPTURE(from, to, words, a.type, a.shape, big, fortran, o.err);
    REQUIRE(o.code == 0);
    fortran = fortran && keeps_order(all[i + 1]);
    if (all[i + 1] == raw) CHECK(content_of(to) == a.bytes(fortran, false));
    world.barrier();
  }
}

TEST_CASE("a raw file and a .npy file have the bytes that numpy would write", "[tool][convert]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const dir(world, in_memory());
  hand_array const a = hand_array_of<std::int16_t>("i2", {2, 3}, {1, 2, 3, 4, 5, 6});
  make(world, dir / "in.raw", "head" + a.bytes(false, true));
  REQUIRE(converted(dir / "in.raw", dir / "out.npy",
                    {"--type", ">i2", "--shape", "2,3", "--offset", "4"})
              .code == 0);
  std::string const npy = content_of(dir / "out.npy");
  CHECK_THAT(npy, ContainsSubstring("'descr': '<i2'") && ContainsSubstring("(2, 3)"));
  CHECK(npy.ends_with(a.bytes(false, false)));
  CHECK((npy.size() - 12) % 64 == 0);
}

TEST_CASE("a checkpoint has the bytes that a program saves", "[tool][convert]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const dir(world, in_memory());
  std::vector<double> values(300000);  // three blocks of checksums
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * i);
  auto const n = std::ssize(values);
  make(world, dir / "in.raw", hand_array_of("f8", {n}, values).bytes(false, false));
  REQUIRE(converted(dir / "in.raw", dir / "out.ckpt:u",
                    {"--type", "<f8", "--shape", std::to_string(n), "--memory", "100k"})
              .code == 0);
  io::checkpoint state;
  if (world.rank() != 0) values.clear();
  state.add("u", io::subarray({n}, {std::ssize(values)}, {0}, io::type<double>), values);
  state.save(world, dir / "saved");
  CHECK(content_of(dir / "out.ckpt") == content_of(dir / "saved"));
  state.encode({io::zarr_codec::crc32c()}, 65536).save(world, dir / "encoded.ckpt");
  CHECK(converted(dir / "encoded.ckpt:u", dir / "back.raw", {"--memory", "100k"}).code == 0);
  CHECK(content_of(dir / "back.raw") == content_of(dir / "in.raw"));
}

TEST_CASE("attributes and names are carried between Zarr and HDF5, and losses are said",
          "[tool][convert]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const dir(world, in_memory());
  std::vector<double> x{1, 2, 3};
  io::subarray const part({3}, {world.rank() == 0 ? 3 : 0}, {0}, io::type<double>);
  if (world.rank() != 0) x.clear();
  auto z = io::zarr::create(world, dir / "a.zarr", part,
                            {.fill_value = "7.0",
                             .dimension_names = {"time"},
                             .attributes = R"({"units":"K","step":12,"origin":[0.5,2.0],)"
                                           R"("axes":["y","xx"],"odd":{"deep":true}})"});
  z.write_all(x);
  z.close();
  tool_outcome const there = converted(dir / "a.zarr", dir / "b.h5:u", {"--json"});
  CAPTURE(there.err);
  REQUIRE(there.code == 0);
  if (world.rank() == 0)
    CHECK_THAT(there.out, ContainsSubstring("the attribute 'odd'") &&
                              ContainsSubstring("the fill value 7") && !ContainsSubstring("units"));
  io::hdf5_content const c = io::hdf5::content_of(world, dir / "b.h5");
  io::hdf5_options const& how = c.find("u")->options;
  CHECK(how.dimension_names == std::vector<std::string>{"time"});
  REQUIRE(how.attributes.size() == 4);
  CHECK(how.attributes[0].text() == "K");
  CHECK(how.attributes[1].numbers<std::int64_t>() == std::vector<std::int64_t>{12});
  CHECK(how.attributes[2].numbers<double>() == std::vector<double>{0.5, 2});
  CHECK(how.attributes[3].texts() == std::vector<std::string>{"y", "xx"});
  REQUIRE(converted(dir / "b.h5:u", dir / "c.zarr").code == 0);
  io::zarr_options const back = io::zarr::header_of(world, dir / "c.zarr").options;
  CHECK(back.dimension_names == std::vector<std::string>{"time"});
  CHECK(back.attributes == R"({"units":"K","step":12,"origin":[5E-1,2E0],"axes":["y","xx"]})");
  io::zarr::pack(world, dir / "c.zarr", dir / "c.zip");
  REQUIRE(converted(dir / "c.zip", dir / "e.raw").code == 0);
  CHECK(content_of(dir / "e.raw") ==
        bytes_of_value(1.0) + bytes_of_value(2.0) + bytes_of_value(3.0));
  tool_outcome const lost = converted(dir / "c.zarr", dir / "d.npy");
  CHECK(lost.code == 0);
  if (world.rank() == 0)
    CHECK_THAT(lost.err, ContainsSubstring("lost, because") && ContainsSubstring("'units'") &&
                             ContainsSubstring("the names of dimensions"));
}

TEST_CASE("records pass where the format has them, and are refused elsewhere", "[tool][convert]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const dir(world, in_memory());
  std::string const bytes = hand_array_of<double>("f8", {4}, {1, 2, 3, 4}).bytes(false, false);
  make(world, dir / "in.raw", bytes);
  std::vector<std::string> const raw{"--type", "[('x', '<f8'), ('y', '<i8')]", "--shape", "2"};
  for (std::string const to : {"a.npy", "b.h5:u", "c.ckpt:u"}) {
    CAPTURE(to);
    REQUIRE(converted(dir / "in.raw", dir / to, raw).code == 0);
    REQUIRE(converted(dir / to, dir / ("back-" + to + ".raw")).code == 0);
    CHECK(content_of(dir / ("back-" + to + ".raw")) == bytes);
  }
  tool_outcome const o = converted(dir / "in.raw", dir / "d.zarr", raw);
  CHECK(o.code == 1);
  if (world.rank() == 0) CHECK_THAT(o.err, ContainsSubstring("d.zarr"));
  CHECK_FALSE(std::filesystem::exists(dir / "d.zarr"));
}

TEST_CASE("nothing is overwritten or half written", "[tool][convert]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const dir(world, in_memory());
  std::vector<float> const values{1, 2, 3, 4};
  hand_array const a = hand_array_of("f4", {2, 2}, values);
  make(world, dir / "a.npy", a.npy(false, false));
  make(world, dir / "old.raw", "old");
  auto const fails = [&](std::string const& from, std::string const& to,
                         std::vector<std::string> const& more, int code, std::string const& text) {
    std::vector<std::string> const before = names_in(dir / ".");
    world.barrier();
    tool_outcome const o = converted(dir / from, dir / to, more);
    CAPTURE(from, to, o.err);
    CHECK(o.code == code);
    if (world.rank() == 0) CHECK_THAT(o.err, ContainsSubstring(text));
    if (world.rank() != 0) CHECK(o.err.empty());
    CHECK(names_in(dir / ".") == before);
    world.barrier();
  };
  fails("a.npy", "old.raw", {}, 1, "give --force");
  CHECK(content_of(dir / "old.raw") == "old");
  REQUIRE(converted(dir / "a.npy", dir / "old.raw", {"--force"}).code == 0);
  CHECK(content_of(dir / "old.raw") == a.bytes(false, false));
  fails("a.npy", "a.npy", {"--force"}, 1, "is read");
  fails("missing", "b.npy", {}, 1, "no such file");
  fails("a.npy", "b.png", {}, 2, "--to");
  fails("a.npy", "b.h5", {}, 2, "FILE:ARRAY");
  fails("a.npy", "b.npy", {"--chunks", "1x1"}, 2, "--chunks is no choice");
  fails("a.npy", "b.zarr", {"--codec", "zip"}, 2, "zip is not known");
  fails("a.npy", "b.zarr", {"--chunks", "2"}, 1, "b.zarr");
  fails("a.npy", "gone/b.npy", {}, 1, "gone/b.npy");
  fails("old.raw", "b.npy", {}, 2, "--type");
  fails("old.raw", "b.npy", {"--type", "<f8", "--shape", "9"}, 1, "it has 16 bytes");
  io::hdf5_content two;
  two.add("u", io::type<int>).add("v", io::type<int>);
  io::hdf5::create(world, dir / "two.h5", two).close();
  fails("a.npy", "two.h5:u", {"--force"}, 1, "it would lose 'v'");
  fails("two.h5", "b.npy", {}, 1, "not one array");
  fails("two.h5:w", "b.npy", {}, 1, "no array 'w'");
}

TEST_CASE("an array that cannot be read to its end leaves no new file", "[tool][convert]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const dir(world, in_memory());
  std::vector<double> const values(1000, 1.5);
  make(world, dir / "a.npy", hand_array_of("f8", {1000}, values).npy(false, false));
  REQUIRE(converted(dir / "a.npy", dir / "a.ckpt:u").code == 0);
  std::string bytes = content_of(dir / "a.ckpt");
  world.barrier();
  std::size_t const last = bytes.find(bytes_of_value(1.5)) + 7900;
  bytes[last] = static_cast<char>(bytes[last] ^ 1);
  make(world, dir / "a.ckpt", bytes);
  for (form const f : all_forms) {
    std::vector<std::string> const before = names_in(dir / ".");
    world.barrier();
    tool_outcome const o = converted(dir / "a.ckpt:u", file_of(dir / "new", f));
    CAPTURE(static_cast<int>(f), o.err);
    CHECK(o.code == 1);
    if (world.rank() == 0) CHECK_THAT(o.err, ContainsSubstring("damaged"));
    CHECK(names_in(dir / ".") == before);
    world.barrier();
  }
}
