// Options of b_eff_io, and its files of hints.
// SPDX-License-Identifier: BSD-3-Clause
#include "../support/catch.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <beffio/hint_file.hpp>
#include <beffio/options.hpp>

#include "../support/files.hpp"

using namespace beffio;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::int64_t M = 1024 * 1024;

std::string hint_set(std::string const& name) {
  std::filesystem::path const where(ARGOSY_TEST_HINT_SETS);
  std::string text = argosy::test::content_of((where / name).string());
  REQUIRE_FALSE(text.empty());
  return text;
}

options parsed(std::vector<char const*> words) {
  words.insert(words.begin(), "bench_beffio");
  return options_from(bench::words_of(usage, static_cast<int>(words.size()), words.data()));
}

}  // namespace

TEST_CASE("hints are chosen by ranks, method, type and chunk, and the last line counts",
          "[beffio][hints]") {
  hint_file const f = hint_file::parse(
      "# of a study\n"
      "all all all on_open a 1\n"
      "4   write scatter 1024 b 2  # small\n"
      "all all all Lmax c 3\n"
      "\n"
      "all read all all a 4\n");
  using list = hint_list;
  CHECK(f.at_open(8, method::write, 0) == list{{"a", "1"}});
  CHECK(f.at_open(8, method::read, 0) == list{{"a", "4"}});
  CHECK(f.of(4, method::write, 0, 1024, 2 * M) == list{{"b", "2"}});
  CHECK(f.of(8, method::write, 0, 1024, 2 * M).empty());
  CHECK(f.of(4, method::write, 1, 1024, 2 * M).empty());
  CHECK(f.of(4, method::rewrite, 3, 2 * M, 2 * M) == list{{"c", "3"}});
  CHECK(f.of(4, method::read, 3, 2 * M, 2 * M) == list{{"c", "3"}, {"a", "4"}});
  CHECK(hint_file().empty());
  for (std::string const line :
       {"all all all 1024 key", "all all all 1024 key value more", "x all all 1024 k v",
        "all reads all 1024 k v", "all all scattered 1024 k v", "all all all 1000 k v"})
    CHECK_THROWS_WITH(hint_file::parse("\n" + line), ContainsSubstring("line 2: "));
}

TEST_CASE("the sets of the published study say what it says", "[beffio][hints]") {
  auto const first = hint_file::parse(hint_set("white_baseline.hints"));
  auto const second = hint_file::parse(hint_set("white_second.hints"));
  auto const third = hint_file::parse(hint_set("white_third.hints"));
  std::string const large = "IBM_largeblock_io", buffer = "IBM_io_buffer_size";
  for (method const m : methods)
    for (int t = 0; t < types; ++t) {
      CHECK(first.at_open(64, m, t) == hint_list{{large, "false"}, {buffer, "8388608"}});
      CHECK(second.at_open(64, m, t) == hint_list{{large, "true"}, {buffer, "8388608"}});
      CHECK(third.at_open(64, m, t) == hint_list{{large, "switchable"}, {buffer, "8388608"}});
      for (std::int64_t const chunk : compared_chunks(16 * M)) {
        CAPTURE(t, chunk);
        CHECK(first.of(64, m, t, chunk, 16 * M).empty());
        auto const h = third.of(64, m, t, chunk, 16 * M);
        bool const shipped = t <= 1 && chunk < M;
        REQUIRE(!h.empty());
        CHECK(h[0] == std::pair(large, std::string(shipped ? "false" : "true")));
        if (shipped) CHECK(h[1] == std::pair(buffer, std::string("2097152")));
      }
    }
}

TEST_CASE("options are understood, or named", "[beffio]") {
  options const o = parsed({"--impl", "both", "--seconds", "12.5", "--partitions", "4,2,2",
                            "--unique=not-separate", "--hints", "a/white.hints", "--compare", "x",
                            "--compare", "y", "--all-rewrites"});
  CHECK((o.argosy && o.mpi && o.seconds == 12.5 && o.all_rewrites));
  CHECK(o.partitions == std::vector<int>{2, 4});
  CHECK(o.unique == unique_open::not_separated);
  CHECK(o.hint_set == "white");
  CHECK(o.compared == std::vector<std::string>{"x", "y"});
  CHECK(parsed({}).unique == unique_open::never);
  for (std::vector<char const*> const& bad : {std::vector<char const*>{"--impl", "none"},
                                              {"--seconds", "0"},
                                              {"--seconds", "nan"},
                                              {"--seconds"},
                                              {"--partitions", "2,"},
                                              {"--partitions", "0"},
                                              {"--release", "3"},
                                              {"--dir", ""},
                                              {"--unknown"},
                                              {"--release", "1", "--all-rewrites"},
                                              {"--hint-set", "x"}}) {
    CAPTURE(bad[0]);
    CHECK_THROWS_AS(parsed(bad), bench::usage_error);
  }
}
