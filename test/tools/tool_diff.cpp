// argosy diff: arrays whose bytes are made by hand, and what it says of them.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <tools/argosy/json.hpp>

#include "support/array_files.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/run_tool.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace argosy::test;
using Catch::Matchers::ContainsSubstring;
using json_value = boost::json::value;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

// Writes two arrays as .npy files, compares them, and returns what the command said.
template <class T>
tool_outcome compared(std::string const& type, list const& shape, std::vector<T> const& a,
                      std::vector<T> const& b, std::vector<std::string> const& more = {}) {
  scratch const dir;
  std::size_t const item = type[0] == 'c' ? sizeof(T) / 2 : sizeof(T);
  write_bytes(dir / "a.npy", hand_array_of(type, shape, a, item).npy(false, false));
  write_bytes(dir / "b.npy", hand_array_of(type, shape, b, item).npy(true, true));
  std::vector<std::string> words{"diff", dir / "a.npy", dir / "b.npy"};
  words.insert(words.end(), more.begin(), more.end());
  return run_tool(words);
}

}  // namespace

TEST_CASE("equal arrays are equal in any order and byte order, with NaN and both zeros",
          "[tool][diff]") {
  std::vector<double> const x{1, not_a_number, -0.0, infinite, -infinite, 1e300};
  std::vector<double> y = x;
  y[2] = 0;
  tool_outcome const o = compared("f8", {2, 3}, x, y);
  CAPTURE(o.err);
  CHECK(o.code == 0);
  CHECK(o.out == "6 elements, all equal\n");
}

TEST_CASE("the first difference, the largest errors and their places are printed", "[tool][diff]") {
  tool_outcome const o =
      compared<double>("f8", {2, 3}, {1, 2, 3, 400, 5, not_a_number}, {1, 2.5, 3, 410, 5, 6});
  CHECK(o.code == 1);
  CHECK_THAT(o.out, ContainsSubstring("3 of 6 elements differ\n"
                                      "the first at [0, 1]: 2 and 2.5\n"
                                      "the largest absolute error is 10 at [1, 0]: 400 and 410\n"
                                      "the largest relative error is 0.2 at [0, 1]: 2 and 2.5\n"));
  CHECK_THAT(o.out, ContainsSubstring("a.npy: '<f8' (2, 3), npy") &&
                        ContainsSubstring("b.npy: '>f8' (2, 3), Fortran order, npy"));
}

TEST_CASE("tolerances count errors as equal, but never NaN and a number", "[tool][diff]") {
  std::vector<double> const a{1, 100}, b{1.5, 101};
  CHECK(compared("f8", {2}, a, b, {"--tolerance", "0.5"}).code == 1);
  CHECK(compared("f8", {2}, a, b, {"--tolerance", "1"}).code == 0);
  CHECK(compared("f8", {2}, a, b, {"--relative", "0.01"}).code == 1);
  CHECK(compared("f8", {2}, a, b, {"--relative", "0.01", "--tolerance=0.5"}).code == 0);
  std::vector<double> const c{1, not_a_number};
  CHECK(compared("f8", {2}, a, c, {"--tolerance", "1e300"}).code == 1);
  std::vector<double> const d{1, infinite};
  CHECK(compared("f8", {2}, a, d, {"--tolerance", "1e300"}).code == 1);
}

TEST_CASE("integers of 64 bits, complex numbers and truths are compared exactly", "[tool][diff]") {
  std::int64_t const large = (std::int64_t{1} << 62) + 1;
  tool_outcome const o = compared<std::int64_t>("i8", {2}, {large, 0}, {large - 1, 0});
  CHECK(o.code == 1);
  CHECK_THAT(o.out, ContainsSubstring("[0]: 4611686018427387905 and 4611686018427387904"));
  using number = std::complex<float>;
  CHECK(compared<number>("c8", {1}, {{1, 2}}, {{1, 2}}).code == 0);
  tool_outcome const c = compared<number>("c8", {1}, {{1, 2}}, {{4, -2}});
  CHECK_THAT(c.out, ContainsSubstring("absolute error is 5 at [0]: (1+2j) and (4-2j)"));
  CHECK_THAT(compared<char>("b1", {2}, {0, 1}, {0, 0}).out,
             ContainsSubstring("[1]: True and False"));
}

TEST_CASE("types and shapes that differ are said, and numbers are compared all the same",
          "[tool][diff]") {
  scratch const dir;
  std::vector<float> const floats{1, 2, 3};
  std::vector<double> const doubles{1, 2, 4};
  write_bytes(dir / "f.npy", hand_array_of("f4", {3}, floats).npy(false, false));
  write_bytes(dir / "d.npy", hand_array_of("f8", {3}, doubles).npy(false, false));
  write_bytes(dir / "s.npy", hand_array_of("f8", {3, 1}, doubles).npy(false, false));
  tool_outcome const types = run_tool({"diff", dir / "f.npy", dir / "d.npy"});
  CHECK(types.code == 1);
  CHECK_THAT(types.out, ContainsSubstring("the types differ\n1 of 3 elements differ"));
  tool_outcome const shapes = run_tool({"diff", dir / "d.npy", dir / "s.npy"});
  CHECK(shapes.code == 1);
  CHECK_THAT(shapes.out, ContainsSubstring("the shapes differ"));
}

TEST_CASE("records are compared field by field, and printed", "[tool][diff]") {
  scratch const dir;
  auto const record = [](double x, std::int32_t n) {
    return bytes_of_value(x) + bytes_of_value(n);
  };
  std::string const a = record(1, 2) + record(3, 4), b = record(1, 2) + record(3.5, 4);
  write_bytes(dir / "a.raw", a);
  write_bytes(dir / "b.raw", b);
  std::vector<std::string> words{
      "diff", dir / "a.raw", dir / "b.raw", "--type", "[('x', '<f8'), ('n', '<i4')]", "--shape",
      "2"};
  tool_outcome const o = run_tool(words);
  CAPTURE(o.err);
  CHECK(o.code == 1);
  CHECK_THAT(o.out, ContainsSubstring("the first at [1]: (3, 4) and (3.5, 4)") &&
                        ContainsSubstring("absolute error is 0.5 at [1]"));
}

TEST_CASE("parts of an array in memory find what a comparison of all finds", "[tool][diff]") {
  CAPTURE(seed());
  engine random(seed());
  for (int round = 0; round < 20; ++round) {
    list shape(static_cast<std::size_t>(pick(random, 0, 4)));
    std::int64_t n = 1;
    for (std::int64_t& along : shape) n *= along = pick(random, one_in(random, 8) ? 0 : 1, 5);
    std::vector<double> a(static_cast<std::size_t>(n)), b(a.size());
    std::int64_t different = 0;
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<double>(pick(random, -9, 9));
      b[i] = one_in(random, 3) ? static_cast<double>(pick(random, -9, 9)) : a[i];
      different += a[i] != b[i] ? 1 : 0;
      most = std::max(most, std::abs(a[i] - b[i]));
    }
    tool_outcome const o =
        compared("f8", shape, a, b, {"--json", "--memory", std::to_string(pick(random, 1, 500))});
    CAPTURE(o.err, o.out);
    json_value const v = io::tool::parse_json(o.out);
    CHECK(o.code == (different > 0 ? 1 : 0));
    CHECK(v.at("elements").as_int64() == n);
    CHECK(v.at("different").as_int64() == different);
    if (different == 0) continue;
    std::size_t first = 0;
    while (a[first] == b[first]) ++first;
    auto left = static_cast<std::int64_t>(first);
    auto const& index = v.at("first").at("index").as_array();
    for (std::size_t d = shape.size(); d-- > 0; left /= shape[d])
      CHECK(index[d].as_int64() == left % shape[d]);
    CHECK(v.at("largest_absolute").at("error").to_number<double>() == most);
  }
}

TEST_CASE("what cannot be compared ends with 2, and the text names it", "[tool][diff]") {
  scratch const dir;
  std::vector<double> const x{1, 2, 3};
  write_bytes(dir / "a.npy", hand_array_of("f8", {3}, x).npy(false, false));
  write_bytes(dir / "raw", hand_array_of("f8", {3}, x).bytes(false, false));
  write_bytes(dir / "short.npy", hand_array_of("f8", {3}, x).npy(false, false).substr(0, 140));
  auto const with = [&](std::string const& b, std::vector<std::string> const& more = {}) {
    std::vector<std::string> words{"diff", dir / "a.npy", b};
    words.insert(words.end(), more.begin(), more.end());
    tool_outcome const o = run_tool(words);
    CHECK(o.code == 2);
    CHECK(o.out.empty());
    return o.err;
  };
  CHECK_THAT(with(dir / "missing"), ContainsSubstring("missing") && ContainsSubstring("no such"));
  CHECK_THAT(with(dir / "a.npy:u"), ContainsSubstring("give it without ':u'"));
  CHECK_THAT(with(dir / "short.npy"), ContainsSubstring("short.npy"));
  CHECK_THAT(with(dir / "raw"), ContainsSubstring("--type"));
  CHECK_THAT(with(dir / "raw", {"--type", "<f8", "--shape", "4"}),
             ContainsSubstring("it has 24 bytes, and '<f8' (4,) needs 32"));
  CHECK_THAT(with(dir / "raw", {"--type", "<f8", "--shape", "3y"}), ContainsSubstring("30x20"));
  CHECK_THAT(with(dir / "raw", {"--type", "zz", "--shape", "3"}), ContainsSubstring("--type"));
  CHECK_THAT(with(dir / "raw", {"--to", "png"}), ContainsSubstring("png is no format"));
  CHECK_THAT(with(dir.string()), ContainsSubstring("zarr"));
  CHECK(run_tool({"diff", dir / "a.npy", dir / "raw", "--type", "<f8", "--shape", "3"}).code == 0);
}
