// argosy info: what files of each format hold, and damage in checkpoints.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/format/checkpoint.hpp>
#include <argosy/format/file_header.hpp>
#include <argosy/format/hdf5.hpp>
#include <argosy/format/zarr.hpp>
#include <argosy/world/self.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <tools/argosy/command.hpp>
#include <tools/argosy/json.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/run_tool.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using io::test::run_tool;
using io::test::tool_outcome;
using json_value = boost::json::value;

namespace {

// Writes a file as NumPy does: numpy.save("u.npy", numpy.zeros((30, 20)))
void write_npy(std::string const& path, std::size_t bytes) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (30, 20), }";
  header.resize(117, ' ');
  header += '\n';
  std::ofstream(path, std::ios::binary)
      << std::string("\x93NUMPY\x01\x00v\x00", 10) << header << std::string(bytes, '\0');
}

}  // namespace

TEST_CASE("an array of NumPy is told by its header", "[tool][info]") {
  argosy::test::scratch const dir;
  write_npy(dir / "u.npy", 30 * 20 * 8);
  tool_outcome const text = run_tool({"info", dir / "u.npy"});
  CAPTURE(text.err);
  CHECK(text.code == 0);
  CHECK_THAT(text.out, ContainsSubstring("(30, 20)") && ContainsSubstring("4.69 KiB"));
  json_value const v = io::tool::parse_json(run_tool({"info", dir / "u.npy", "--json"}).out);
  json_value const& one = v.as_array().at(0);
  CHECK(one.at("format").as_string() == "npy");
  CHECK(one.at("offset").as_int64() == 128);
  CHECK(one.at("bytes").as_int64() == 4800);
  CHECK(one.at("shape").as_array().size() == 2);
}

TEST_CASE("HDF5 files and Zarr stores are told", "[tool][info]") {
  argosy::test::scratch const dir;
  io::array_part const u = io::darray<double, 2>({6, 5}, io::distribute::block, {1, 1}, 0);
  io::basic_hdf5<io::self>::create(io::self(), dir / "run.h5",
                                   io::hdf5_content().add("fields/u", u, {.chunks = {3, 5}}))
      .close();
  using zarr = io::basic_zarr<io::self>;
  zarr::create_group(io::self(), dir / "run");
  zarr::create(io::self(), dir / "run/u", u, {.chunks = {2, 5}, .shards = {4, 5}}).close();
  zarr::pack(io::self(), dir / "run", dir / "run.zip");

  tool_outcome const text =
      run_tool({"info", dir / "run.h5", dir / "run", dir / "run/u", dir / "run.zip/u"});
  CAPTURE(text.out, text.err);
  CHECK(text.code == 0);
  CHECK_THAT(text.out, ContainsSubstring("run.h5: HDF5 file of 1 array\nfields/u '<f8' (6, 5)"));
  CHECK_THAT(text.out, ContainsSubstring("run: Zarr group of version 3\nu"));
  CHECK_THAT(text.out, ContainsSubstring("run/u: Zarr array, '<f8' (6, 5)"));
  CHECK_THAT(text.out, ContainsSubstring("run.zip/u: Zarr array, '<f8' (6, 5)"));

  auto const json = [&](std::string const& file) {
    tool_outcome const o = run_tool({"info", "--json", dir / file});
    CHECK(o.code == 0);
    return io::tool::parse_json(o.out).as_array().at(0);
  };
  json_value const in_file = json("run.h5").at("arrays").as_array().at(0);
  CHECK(in_file.at("name").as_string() == "fields/u");
  CHECK(in_file.at("chunks").as_array().at(0).as_int64() == 3);
  json_value const in_group = json("run").at("arrays").as_array().at(0);
  CHECK(in_group.at("name").as_string() == "u");
  CHECK(in_group.at("shards").as_array().at(0).as_int64() == 4);
  CHECK(json("run/u").at("chunks").as_array().at(0).as_int64() == 2);
  std::filesystem::create_directory(dir / "other");
  CHECK(run_tool({"info", dir / "other"}).code == 1);
}

TEST_CASE("what is no such file, or shorter than it says, is an error, and the others are told",
          "[tool][info]") {
  argosy::test::scratch const dir;
  write_npy(dir / "u.npy", 30 * 20 * 8);
  write_npy(dir / "short.npy", 100);
  std::ofstream(dir / "letter") << "Dear Sir,";
  for (std::string const bad : {"short.npy", "letter", "missing"}) {
    CAPTURE(bad);
    tool_outcome const o = run_tool({"info", dir / bad, dir / "u.npy"});
    CHECK(o.code == 1);
    CHECK_THAT(o.err, ContainsSubstring(bad));
    CHECK_THAT(o.out, ContainsSubstring("(30, 20)"));
    json_value const v = io::tool::parse_json(run_tool({"info", dir / bad, "--json"}).out);
    CHECK(v.as_array().at(0).as_object().contains("error"));
  }
}

TEST_CASE("a file that is not there is told without advice on modes", "[tool][info]") {
  argosy::test::scratch const dir;
  tool_outcome const o = run_tool({"info", dir / "missing"});
  CHECK_THAT(o.err, Catch::Matchers::StartsWith("argosy: read_header of '") &&
                        ContainsSubstring("no such file") && !ContainsSubstring("mode::") &&
                        !ContainsSubstring("argosy: argosy"));
  tool_outcome const odd = run_tool({"info", dir / "a What to do: b"});
  CHECK_THAT(odd.err,
             ContainsSubstring("a What to do: b' failed") && ContainsSubstring("no such file"));
  CHECK_THAT(odd.err, !ContainsSubstring("check the path"));
}

TEST_CASE("a checkpoint is told with its arrays, and --check finds the block that is damaged",
          "[tool][info]") {
  argosy::test::scratch const dir;
  io::checkpoint_header h;
  h.arrays.push_back({.name = "density", .shape = {1000}});
  h.arrays.back().type = std::get<io::npy_header>([&] {
                           write_npy(dir / "t.npy", 4800);
                           return io::read_header(dir / "t.npy");
                         }())
                             .type;
  io::detail::place_arrays(h);
  // An array of zeros with a wrong checksum: 8000 bytes of a block whose checksum was never
  // computed.
  std::vector<std::byte> const head = io::detail::checkpoint_header_of(h);
  std::string file(static_cast<std::size_t>(h.file_bytes), '\0');
  file.replace(0, head.size(), reinterpret_cast<char const*>(head.data()), head.size());
  std::ofstream(dir / "state", std::ios::binary) << file;

  tool_outcome const plain = run_tool({"info", dir / "state"});
  CAPTURE(plain.err);
  CHECK(plain.code == 0);
  CHECK_THAT(plain.out, ContainsSubstring("checkpoint of 1 array") && ContainsSubstring("density"));
  tool_outcome const checked = run_tool({"info", dir / "state", "--check"});
  CHECK(checked.code == 1);
  CHECK_THAT(checked.out, ContainsSubstring("DAMAGED: block 0 of density"));
  json_value const v =
      io::tool::parse_json(run_tool({"info", dir / "state", "--check", "--json"}).out);
  json_value const& one = v.as_array().at(0);
  auto const& damaged = one.at("damaged").as_array();
  REQUIRE(damaged.size() == 1);
  CHECK(damaged[0].at("array").as_string() == "density");
  CHECK(damaged[0].at("bytes").as_int64() == 8000);
}

TEST_CASE("a checkpoint with codecs is told with their names, and damage by its place in the file",
          "[tool][info]") {
  argosy::test::scratch const dir;
  std::vector<double> const u(1000, 0.5);
  io::basic_checkpoint<io::self> state;
  state.add_value("density", u).encode({io::zarr_codec::crc32c()}, 4096);
  state.save(io::self(), dir / "state");
  tool_outcome const whole = run_tool({"info", dir / "state", "--check"});
  CHECK(whole.code == 0);
  CHECK_THAT(whole.out, ContainsSubstring("density: '<f8' (1000,), crc32c\n") &&
                            ContainsSubstring("all blocks are as they were written"));
  std::string file = argosy::test::content_of(dir / "state");
  file.back() ^= 1;
  std::ofstream(dir / "state", std::ios::binary) << file;
  json_value const v =
      io::tool::parse_json(run_tool({"info", dir / "state", "--check", "--json"}).out);
  json_value const& one = v.as_array().at(0);
  CHECK(one.at("codecs").as_string() == "crc32c");
  CHECK_FALSE(one.at("arrays").as_array().at(0).as_object().contains("offset"));
  json_value const& damaged = one.at("damaged").as_array().at(0);
  CHECK(damaged.at("block").as_int64() == 1);
  CHECK(damaged.at("offset").as_int64() == std::ssize(file) - (8000 - 4096 + 4));
  CHECK(damaged.at("bytes").as_int64() == 8000 - 4096 + 4);
}

TEST_CASE("what killed jobs left of a checkpoint is listed, and removed where that is asked for",
          "[tool][info]") {
  argosy::test::scratch const dir;
  write_npy(dir / "state", 30 * 20 * 8);
  std::string const left = dir / "state.0123456789abcdef.part";
  std::ofstream(left) << std::string(2048, 'x');
  tool_outcome const listed = run_tool({"info", dir / "state"});
  CHECK(listed.code == 0);
  CHECK_THAT(listed.out, ContainsSubstring(
                             "state.0123456789abcdef.part: 2 KiB, a save that did not end left it; "
                             "--remove-parts removes it"));
  CHECK(std::filesystem::exists(left));
  json_value const v = io::tool::parse_json(run_tool({"info", dir / "state", "--json"}).out);
  auto const& parts = v.as_array().at(0).at("parts").as_array();
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].at("bytes").as_int64() == 2048);
  // Also if the first save of all was killed.
  std::filesystem::remove(dir / "state");
  tool_outcome const removed = run_tool({"info", dir / "state", "--remove-parts"});
  CHECK(removed.code == 1);
  CHECK_THAT(removed.out, ContainsSubstring("a save that did not end left it; removed"));
  CHECK(!std::filesystem::exists(left));
}
