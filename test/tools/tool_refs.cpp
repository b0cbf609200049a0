// argosy refs: the ranges of files that the references name, and the same references in zarr and
// xarray. Without these that part is skipped.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/format/checkpoint.hpp>
#include <argosy/format/hdf5.hpp>
#include <argosy/world/self.hpp>
#include <tools/argosy/json.hpp>

#include "support/array_files.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/python.hpp"
#include "support/run_tool.hpp"

namespace io = argosy;
using namespace argosy::test;
using Catch::Matchers::ContainsSubstring;
using json_value = boost::json::value;

namespace {

// Returns the bytes that a reference names.
std::string bytes_at(json_value const& refs, std::string const& key) {
  auto const& range = refs.at(key).as_array();
  return content_of(range.at(0).as_string().c_str())
      .substr(static_cast<std::size_t>(range.at(1).as_int64()),
              static_cast<std::size_t>(range.at(2).as_int64()));
}

json_value metadata(json_value const& refs, std::string const& key) {
  return io::tool::parse_json(refs.at(key).as_string());
}

}  // namespace

TEST_CASE("references name the bytes of arrays, and zarr and xarray read them", "[tool][refs]") {
  scratch const dir;
  std::vector<double> values(7 * 9);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  hand_array const a = hand_array_of("f8", {7, 9}, values);
  write_bytes(dir / "big.npy", a.npy(false, true));
  write_bytes(dir / "fortran.npy", a.npy(true, false));
  write_bytes(dir / "plain.raw", "head" + a.bytes(false, false));
  io::self const world;
  io::subarray const whole({7, 9}, {7, 9}, {0, 0}, io::type<double>);
  io::basic_checkpoint<io::self> state;
  state.add("inside", whole, values);
  state.save(world, dir / "state");
  state.encode({io::zarr_codec::crc32c()}).save(world, dir / "encoded");
  tool_outcome const refused = run_tool({"refs", dir / "encoded"});
  CHECK(refused.code == 1);
  CHECK_THAT(refused.err, ContainsSubstring("its blocks are encoded by crc32c"));
  io::hdf5_content content;
  content.add("fields/one", whole, {.attributes = {{"units", "K"}}});
  content.add("fields/packed", whole,
              {.chunks = {4, 4},
               .filters = {io::hdf5_filter::shuffle(), io::hdf5_filter::deflate(),
                           io::hdf5_filter::fletcher32()},
               .dimension_names = {"y", "x"}});
  content.add("fields/chunks", whole, {.chunks = {4, 4}})
      .add("never", whole, {.chunks = {4, 4}, .filters = {io::hdf5_filter::deflate()}});
  auto h = io::basic_hdf5<io::self>::create(world, dir / "run.h5", content);
  h.write_all("fields/one", whole, values);
  h.write_all("fields/packed", whole, values);
  h.write_all("fields/chunks", whole, values);
  h.close();

  tool_outcome const o = run_tool(
      {"refs", dir / "big.npy", dir / "fortran.npy", dir / "plain.raw", dir / "state",
       dir / "run.h5:fields/one", dir / "run.h5:fields/packed", dir / "run.h5:fields/chunks",
       "--type", "<f8", "--shape", "7x9", "--offset", "4", "--output", dir / "run.json"});
  CAPTURE(o.err);
  REQUIRE(o.code == 0);
  json_value const all = io::tool::parse_json(content_of(dir / "run.json"));
  CHECK(all.at("version").as_int64() == 1);
  json_value const& refs = all.at("refs");
  CHECK(bytes_at(refs, "big/0.0") == a.bytes(false, true));
  CHECK(bytes_at(refs, "fortran/0.0") == a.bytes(true, false));
  CHECK(bytes_at(refs, "plain/0.0") == a.bytes(false, false));
  CHECK(bytes_at(refs, "inside/0.0") == a.bytes(false, false));
  CHECK(bytes_at(refs, "fields/one/0.0") == a.bytes(false, false));
  CHECK(metadata(refs, "big/.zarray").at("dtype").as_string() == ">f8");
  CHECK(metadata(refs, "fortran/.zarray").at("order").as_string() == "F");
  CHECK(metadata(refs, "fields/one/.zattrs").at("units").as_string() == "K");
  CHECK(metadata(refs, "fields/packed/.zattrs").at("_ARRAY_DIMENSIONS").as_array().at(1) == "x");
  CHECK(refs.as_object().contains("fields/packed/1.2"));
  CHECK(refs.as_object().contains("fields/.zgroup"));
  tool_outcome const never = run_tool({"refs", dir / "run.h5"});
  CHECK(never.code == 1);
  CHECK_THAT(never.err, ContainsSubstring("run.h5:never': some of its elements were never"));

  std::string const python = python_with("fsspec, zarr, xarray", ARGOSY_TEST_ZARR_PYTHON);
  if (python.empty()) return skipped("python3 has no fsspec, zarr and xarray: run cmake/zarr.sh");
  CHECK(std::system((python + " " ARGOSY_TEST_REFS_CHECK " " + (dir / "run.json")).c_str()) == 0);
}

TEST_CASE("a large array has chunks that are equal shares of its slowest dimension",
          "[tool][refs]") {
  scratch const dir;
  std::string const bytes(std::size_t{24} << 20, 'x');
  write_bytes(dir / "u.raw", bytes);
  for (bool const fortran : {false, true}) {
    std::string const shape = fortran ? "1048576x24" : "24x1048576";
    tool_outcome const o = run_tool({"refs", dir / "u.raw", "--type", "|u1", "--shape", shape,
                                     "--order", fortran ? "fortran" : "c"});
    REQUIRE(o.code == 0);
    json_value const refs = io::tool::parse_json(o.out).at("refs");
    auto const& second = refs.at(fortran ? "u/0.1" : "u/1.0").as_array();
    CHECK(second.at(1).as_int64() == 12 << 20);
    CHECK(second.at(2).as_int64() == 12 << 20);
    CHECK_FALSE(refs.as_object().contains(fortran ? "u/0.2" : "u/2.0"));
  }
}

TEST_CASE("empty arrays have no chunks, and what has no references is refused", "[tool][refs]") {
  scratch const dir;
  write_bytes(dir / "none.npy", hand_array_of<double>("f8", {0, 3}, {}).npy(false, false));
  tool_outcome const o = run_tool({"refs", dir / "none.npy"});
  REQUIRE(o.code == 0);
  json_value const refs = io::tool::parse_json(o.out).at("refs");
  CHECK(refs.as_object().size() == 4);
  write_bytes(dir / "r.raw", std::string(12, 'x'));
  tool_outcome const record =
      run_tool({"refs", dir / "r.raw", "--type", "[('x', '<f8'), ('n', '<i4')]", "--shape", "1"});
  CHECK(record.code == 1);
  CHECK_THAT(record.err, ContainsSubstring("r.raw") && ContainsSubstring("records"));
  tool_outcome const twice = run_tool({"refs", dir / "none.npy", dir / "none.npy"});
  CHECK(twice.code == 1);
  CHECK_THAT(twice.err, ContainsSubstring("another array 'none'"));
  write_bytes(dir / "\xff.npy", content_of(dir / "none.npy"));
  CHECK_THAT(run_tool({"refs", dir / "\xff.npy"}).err, ContainsSubstring("not UTF-8"));
  CHECK(run_tool({"refs", dir / "missing"}).code == 1);
}
