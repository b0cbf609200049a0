// The text of datatypes that the command reads, and its output.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/layout/print.hpp>

#include <sstream>
#include <string>
#include <vector>

#include <tools/argosy/command.hpp>
#include <tools/argosy/datatype_text.hpp>
#include <tools/argosy/json.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/run_tool.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using io::test::run_tool;
using io::test::tool_outcome;
using io::tool::parse_datatype;

namespace {

std::string fault_of(std::string const& text, std::int64_t rank = 0) {
  try {
    parse_datatype(text, rank);
  } catch (io::tool::datatype_text_error const& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("text makes the layout that the library's own calls make", "[tool][layout]") {
  io::extend::element<double> const d;
  CHECK(parse_datatype("double") == d.form());
  CHECK(parse_datatype(" int32 ") == io::bytes(4));
  CHECK(parse_datatype("bytes(24)") == io::bytes(24));
  CHECK(parse_datatype("double[10]") == io::contiguous(10, d).form());
  CHECK(parse_datatype("float[2][3]") == io::bytes(24));
  CHECK(parse_datatype("contiguous(10; double)") == io::contiguous(10, d).form());
  CHECK(parse_datatype("vector(5,2,7; double)") == io::vector(5, 2, 7, d).form());
  CHECK(parse_datatype("vector(5,2,-7; double)") == io::vector(5, 2, -7, d).form());
  CHECK(parse_datatype("hvector(5,2,100; double)") == io::hvector(5, 2, 100, d).form());
  CHECK(parse_datatype("indexed(2,1; at 0,5; double)") == io::indexed({2, 1}, {0, 5}, d).form());
  CHECK(parse_datatype("hindexed(2,1; at 0,50; double)") ==
        io::hindexed({2, 1}, {0, 50}, d).form());
  CHECK(parse_datatype("indexed_block(3; at 0,10,20; double)") ==
        io::indexed_block(3, {0, 10, 20}, d).form());
  CHECK(parse_datatype("hindexed_block(3; at 0,99; double)") ==
        io::hindexed_block(3, {0, 99}, d).form());
  CHECK(parse_datatype("resized(-8,64; double)") == resized(d.form(), -8, 64));
  CHECK(parse_datatype("subarray(8,9; 2,3; 4,5; double)") ==
        io::subarray({8, 9}, {2, 3}, {4, 5}, d).form());
  CHECK(parse_datatype("subarray(8,9; 2,3; 4,5; double; fortran)") ==
        io::subarray({8, 9}, {2, 3}, {4, 5}, d, io::order::fortran).form());
  CHECK(parse_datatype("record(0: double; 12: int[3])") ==
        io::record(io::member(0, d), io::member(12, io::type<int>, 3)).form());
  CHECK(parse_datatype("contiguous(3; resized(0,64; vector(2,1,3; int)))") ==
        io::contiguous(3, resized(io::vector(2, 1, 3, io::type<int>).form(), 0, 64)).form());
}

TEST_CASE("each process has its own part of a darray", "[tool][layout]") {
  using namespace io::distribute;
  for (int rank = 0; rank < 16; ++rank) {
    CHECK(parse_datatype("darray(100,64; block,cyclic(8); grid 4x4; double)", rank) ==
          io::darray<double, 2>({100, 64}, {block, cyclic(8)}, {4, 4}, rank).form());
    CHECK(parse_datatype("darray(100,64; cyclic; grid 4x4; double; fortran)", rank) ==
          io::darray<double, 2>({100, 64}, cyclic, {4, 4}, rank, io::order::fortran).form());
  }
  CHECK(parse_datatype("darray(9; block(5); grid 2; int)", 1) ==
        io::darray<int, 1>({9}, {block(5)}, {2}, 1).form());
}

TEST_CASE("what is wrong is shown with its place and the form that is right", "[tool][layout]") {
  CHECK_THAT(fault_of("darry(3; block; grid 2; double)"),
             ContainsSubstring("did you mean darray(") && ContainsSubstring("\n  ^"));
  CHECK_THAT(fault_of("dobule"), ContainsSubstring("did you mean double?"));
  CHECK_THAT(
      fault_of("vector(3,1; double)"),
      ContainsSubstring("3 numbers") && ContainsSubstring("vector(COUNT,BLOCK,STRIDE; double)"));
  CHECK_THAT(fault_of("vector(3,1,2; double"), ContainsSubstring("')'"));
  CHECK_THAT(fault_of("double double"), ContainsSubstring("something follows"));
  CHECK_THAT(fault_of(""), ContainsSubstring("here should be a type"));
  CHECK_THAT(fault_of("indexed(1,2; at 1; double)"), ContainsSubstring("block lengths"));
  CHECK_THAT(fault_of("darray(10; block; grid 2; double)", 2),
             ContainsSubstring("rank 2 is not in a grid of 2"));
  CHECK_THAT(fault_of("darray(10,10; none; grid 2x1; double)"), ContainsSubstring("none"));
  CHECK_THAT(fault_of("darray(10; tiles; grid 2; double)"), ContainsSubstring("cyclic(k)"));
  CHECK_THAT(fault_of("contiguous(9223372036854775807; double)"), ContainsSubstring("2^63"));
  CHECK_THAT(fault_of("contiguous(99999999999999999999; double)"), ContainsSubstring("64 bits"));
  CHECK_THAT(fault_of("bytes(-1)"), ContainsSubstring("negative"));
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "contiguous(1; ";
  CHECK_THAT(fault_of(deep + "double" + std::string(100, ')')),
             ContainsSubstring("nested more than 32"));
}

TEST_CASE("the command shows normal form, pieces and density, as text and as JSON",
          "[tool][layout]") {
  tool_outcome const o =
      run_tool({"layout", "darray(1024,1024; block,cyclic(8); grid 4x4; double)", "--rank", "5"});
  CHECK(o.code == 0);
  CHECK_THAT(o.out,
             ContainsSubstring("resized(at(2097216, repeat(8192, 256, bytes(64))), 0, 8388608)") &&
                 ContainsSubstring("density 25 %") && ContainsSubstring("8184 more"));
  tool_outcome const j = run_tool({"layout", "vector(3,1,2; int)", "--json", "--pieces=2"});
  CHECK(j.code == 0);
  boost::json::value const v = io::tool::parse_json(j.out);
  CHECK(v.at("bytes").as_int64() == 12);
  CHECK(v.at("pieces").as_int64() == 3);
  CHECK(v.at("form").as_string() == "repeat(3, 8, bytes(4))");
  CHECK(v.at("first_pieces").as_array().size() == 2);
  CHECK_THAT(run_tool({"layout", "indexed(1,1; at 5,0; int)"}).out,
             ContainsSubstring("offsets decrease"));
  CHECK_THAT(run_tool({"layout", "hvector(2,1,2; int)"}).out, ContainsSubstring("named twice"));
}

TEST_CASE("a picture is written where --svg says, and an error if it cannot be", "[tool][layout]") {
  argosy::test::scratch const dir;
  CHECK(run_tool({"layout", "vector(3,1,2; int)", "--svg", dir / "p.svg"}).code == 0);
  CHECK_THAT(argosy::test::content_of(dir / "p.svg"), ContainsSubstring("<svg "));
  tool_outcome const o = run_tool({"layout", "int", "--svg", dir / "none/p.svg"});
  CHECK(o.code == 1);
  CHECK_THAT(o.err, ContainsSubstring("cannot write"));
}

TEST_CASE("words that are not understood end with 2, and with what was probably meant", "[tool]") {
  for (auto const& [words, said] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"layot", "int"}, "did you mean: argosy layout"},
           {{"quux"}, "argosy --help lists them"},
           {{"layout"}, "something is missing"},
           {{"layout", "int", "float"}, "\"float\" is too much"},
           {{"layout", "int", "--rnak", "3"}, "did you mean --rank"},
           {{"layout", "int", "--rank"}, "--rank needs a value"},
           {{"layout", "int", "--rank", "x"}, "whole number"},
           {{"layout", "int", "--rank", "-1"}, "at least 0"},
           {{"layout", "int", "--rank", "9999999999g"}, "whole number"},
           {{"layout", "int", "--rank", "1", "--rank", "2"}, "given twice"},
           {{"layout", "int", "--json=yes"}, "takes no value"},
           {{"layout", "dobule"}, "did you mean double?"}}) {
    tool_outcome const o = run_tool(words);
    CAPTURE(words, o.err);
    CHECK(o.code == 2);
    CHECK(o.out.empty());
    CHECK_THAT(o.err, ContainsSubstring(said));
  }
  CHECK(run_tool({}).code == 2);
}

TEST_CASE("help, version and man page are made of one table", "[tool]") {
  tool_outcome const all = run_tool({"--help"}), man = run_tool({"--man"});
  CHECK(all.code == 0);
  CHECK_THAT(run_tool({"--version"}).out, ContainsSubstring("argosy "));
  CHECK(man.out.starts_with(".\\\""));
  for (io::tool::command_info const& c : io::tool::all_commands()) {
    CAPTURE(c.name);
    CHECK_THAT(all.out, ContainsSubstring("argosy " + std::string(c.name)));
    tool_outcome const help = run_tool({std::string(c.name), "--help"});
    CHECK(help.code == 0);
    CHECK(run_tool({"help", std::string(c.name)}).out == help.out);
    for (io::tool::option_info const& o : c.options) {
      CHECK_THAT(help.out, ContainsSubstring(std::string(o.name)));
      // Dashes are escaped in roff.
      std::string roff = "\\fB";
      for (char const ch : o.name) roff += ch == '-' ? "\\-" : std::string(1, ch);
      CHECK_THAT(man.out, ContainsSubstring(roff + "\\fR"));
    }
    CHECK(c.example.starts_with(c.name));
  }
  // A line of text that begins with a dot would be a request of roff.
  std::istringstream lines(man.out);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with('.')) {
      bool const known = line.starts_with(".\\\"") || line.starts_with(".TH ") ||
                         line.starts_with(".SH ") || line == ".br" || line == ".PP" ||
                         line == ".TP" || line == ".nf" || line == ".fi";
      CAPTURE(line);
      CHECK(known);
    }
}

TEST_CASE("JSON is read as it is written, and faults are found", "[tool][json]") {
  std::ostringstream out;
  io::tool::json_writer j(out);
  j.open('{')
      .member("a", "q\"\\\n\xc3\xa4\xff")
      .member("b", 3)
      .member("c", 0.5)
      .key("d")
      .open('[')
      .value(true)
      .close(']')
      .close('}');
  boost::json::value const v = io::tool::parse_json(out.str());
  CHECK(v.at("a").as_string() == "q\"\\\n\xc3\xa4\xef\xbf\xbd");
  CHECK(v.at("b").as_int64() == 3);
  CHECK(v.at("c").to_number<double>() == 0.5);
  CHECK(io::tool::parse_json("\"\\u00e4\\ud83d\\ude00\"").as_string() ==
        "\xc3\xa4\xf0\x9f\x98\x80");
  CHECK(io::tool::parse_json("9223372036854775807").as_int64() == INT64_MAX);
  for (std::string const bad : {"", "{", "[1,]", "{\"a\"}", "\"a", "tru", "1 2", "{\"a\":1,}",
                                "\"\\x\"", "\"\\u12g4\"", "\"\\ud800\"", "-"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(io::tool::parse_json(bad), std::invalid_argument);
  }
  CHECK_THROWS_AS(io::tool::parse_json(std::string(100'000, '[')), std::invalid_argument);
}
