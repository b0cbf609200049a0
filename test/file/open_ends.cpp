// The ends of opening a file: locks, names, pointers, reports and complaints, after a success and
// after a failure.
// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "file/open_cases.hpp"
#include "support/standard_error.hpp"

namespace opens {

TEST_CASE("pointers begin where rank 0 has seen the end", "[file][open]") {
  io::lab::virtual_files files;
  files.put("f", std::vector<std::byte>(10));
  auto const given = [&](int rank) {
    return opening{"f", mode::read_write | mode::append,
                   with({.size = 20 + 7 * rank}, files.opener())};
  };
  open_on(3, given, [](int, crew& c, agreement const& result) {
    REQUIRE(result);
    CHECK(c.file->position().get() == 20);
    io::extend::failure f;
    CHECK(c.pointer->get(f) == 20);
    CHECK_FALSE(f);
  });
}

TEST_CASE("a report is made on all ranks if one of them asks for it", "[file][open]") {
  io::lab::virtual_files const files;
  for (int const asks : {-1, 0, 1}) {
    std::optional<setting> report;
    auto const given = [&](int) { return opening{"f", created, files.opener()}; };
    auto const at = [&](int rank, std::string_view, bool begins, virtual_rank const&) {
      report.reset();
      if (!begins && rank == asks) report.emplace("ARGOSY_REPORT", "report");
    };
    open_on(
        2, given,
        [&](int, crew& c, agreement const& result) {
          REQUIRE(result);
          CHECK(c.reports == (asks >= 0));
          CHECK((c.file->seen_by().report() != nullptr) == (asks >= 0));
          if (c.reports) c.file->seen_by().report()->told();
        },
        at);
  }
}

TEST_CASE("locks count only if all ranks have them, and they reach all nodes", "[file][open]") {
  io::lab::virtual_files const files;
  struct row {
    std::error_code without;  // the error of rank 1's locks
    bool over_network, seen, works;
  };
  // may_lock_in_vain() is true while locks over a network count.
  for (row const& r : {row{{}, false, true, false}, row{{}, true, true, true},
                       row{{}, true, false, false}, row{errc::no_locks, true, true, false}})
    for (mode const how : {created, created | mode::unique_open}) {
      CAPTURE(r.over_network, r.seen, r.works, how);
      auto const given = [&](int rank) {
        auto const before = [&r, rank](file_call call) {
          return rank == 1 && call == file_call::lock ? r.without : std::error_code();
        };
        changes const c{.before = before, .over_network = r.over_network, .locks_are_seen = r.seen};
        return opening{"f", how, with(c, files.opener())};
      };
      open_on(2, given, [&](int, crew& c, agreement const& result) {
        REQUIRE(result);
        CHECK(c.file->merges().may_lock_in_vain() == r.works);
      });
    }
}

namespace {

// Returns the locks that one rank takes to open this file.
int locks_for(std::string const& path, mode how, bool& merges) {
  int locks = 0;
  auto const before = [&](file_call call) {
    locks += call == file_call::lock ? 1 : 0;
    return std::error_code();
  };
  auto const given = [&](int) {
    return opening{path, how, with({.before = before}, io::posix_opener())};
  };
  open_on(1, given, [&](int, crew& c, agreement const& result) {
    CHECK(result);
    merges = c.file->merges().together(false).allowed;
  });
  return locks;
}

}  // namespace

TEST_CASE("an open for writing tries a lock, and one for reading does not", "[file][open]") {
  scratch const dir;
  std::ofstream(dir / "a") << "abc";
  bool merges = false;
  CHECK(locks_for(dir / "a", mode::read, merges) == 0);
  CHECK(merges);
  CHECK(locks_for(dir / "a", mode::read_write | mode::unique_open, merges) == 1);
  CHECK(merges);
  CHECK(locks_for(dir / "a", mode::read_write, merges) == 1);
  CHECK(merges);
}

TEST_CASE("a file that loses its name while rank 0 enters it is not open", "[file][open]") {
  scratch const dir;
  struct row {
    mode how;
    file_call loses;
    std::error_code fails;  // the error of this call
    std::error_code result;
  };
  std::error_code const broken(EIO, std::system_category());
  for (row const& r : {row{mode::read_write, file_call::lock, {}, errc::no_such_file},
                       row{mode::read_write, file_call::lock, broken, broken},
                       row{mode::read_write | mode::unique_open, file_call::lock, {}, {}},
                       row{mode::read_write | mode::unique_open, file_call::lock, broken, broken},
                       row{created | mode::append, file_call::size, {}, {}},
                       row{created | mode::append | mode::unique_open, file_call::size, {}, {}}}) {
    std::string const path = dir / "a";
    std::ofstream(path).flush();
    CAPTURE(r.how, r.fails.message());
    auto const before = [&](file_call call) {
      if (call != r.loses) return std::error_code();
      std::filesystem::remove(path);
      return r.fails;
    };
    auto const given = [&](int) {
      return opening{path, r.how, with({.before = before}, io::posix_opener())};
    };
    open_on(1, given, [&](int, crew& c, agreement const& result) {
      CHECK(result.cause == r.result);
      CHECK(c.world.has_value() == !r.result);
      if (r.result == errc::no_such_file) CHECK_THAT(result.detail, Contains("lost its name"));
    });
  }
}

TEST_CASE("only rank 0 looks whether a file has kept its name", "[file][open]") {
  io::lab::virtual_files files;
  files.put("f", {});
  for (int const blind : {0, 1}) {
    auto const given = [&](int rank) {
      auto const finds = [](std::string const&, std::error_code& error) {
        error = std::error_code(ENOENT, std::system_category());
        return std::optional<io::extend::file_identity>();
      };
      io::opener const all = files.opener();
      return opening{"f", mode::read_write, rank == blind ? all.naming({.find = finds}) : all};
    };
    open_on(2, given, [&](int, crew& c, agreement const& result) {
      CHECK(result.cause == (blind == 0 ? errc::no_such_file : std::error_code()));
      CHECK(c.world.has_value() == (blind == 1));
    });
  }
}

TEST_CASE("a failed open leaves a file that it did not make", "[file][open]") {
  scratch const dir;
  std::ofstream(dir / "a").flush();
  for (bool const exists : {true, false}) {
    std::string const path = dir / (exists ? "a" : "new");
    auto const given = [&](int rank) {
      auto const before = [rank](file_call call) {
        return std::error_code(rank == 1 && call == file_call::lock ? EIO : 0,
                               std::system_category());
      };
      return opening{path,
                     mode::read_write | mode::unique_open | (exists ? mode::none : mode::create),
                     with({.before = before}, io::posix_opener())};
    };
    open_on(2, given, [&](int, crew& c, agreement const& result) {
      CHECK(result.failed_rank == 1);
      CHECK_FALSE(c.world);
      CHECK_FALSE(c.file->handle().is_open());
    });
    CHECK(std::filesystem::exists(path) == exists);
  }
}

namespace {

// Opens a file on three ranks of which each has its own word for develop mode that is not
// understood; an empty word is none. Returns what they say. `fails`: the rank that fails, or -1.
std::string complaints(std::vector<std::string> const& words, int fails, steps const& expected) {
  io::lab::virtual_files files;
  files.put("f", {});
  return io::test::errors_of([&] {
    std::optional<setting> develop;
    auto const given = [&](int rank) {
      develop.emplace("ARGOSY_DEVELOP", words[static_cast<std::size_t>(rank)]);
      auto const before = [rank, fails](file_call call) {
        return std::error_code(rank == fails && call == file_call::lock ? EIO : 0,
                               std::system_category());
      };
      return opening{"f", mode::read_write, with({.before = before}, files.opener())};
    };
    CHECK(open_on(3, given, [&](int, crew&, agreement const& result) {
            CHECK(static_cast<bool>(result) == (fails < 0));
          }) == expected);
  });
}

}  // namespace

TEST_CASE("a complaint comes once from the lowest rank, or from rank 0 and the rank that fails",
          "[file][open]") {
  auto const line = [](std::string const& word, std::string const& who) {
    return "argosy: ARGOSY_DEVELOP=" + word +
           " is not understood (1, on, true, 0, off, false); it is off (on rank " + who + ")\n";
  };
  steps const good = begun + same + opened();
  steps more = good;
  more.insert(more.begin() + 5, "all_reduce");
  steps const failed = begun + same + steps{"broadcast", "all_reduce", "all_reduce", "broadcast"};
  CHECK(complaints({"", "", ""}, -1, good) == "");
  CHECK(complaints({"a1", "a1", "a1"}, -1, more) == line("a1", "0, nor on 2 other ranks"));
  CHECK(complaints({"", "b1", "b1"}, -1, more) == line("b1", "1, nor on 1 other rank"));
  CHECK(complaints({"", "", "c1"}, -1, more) == line("c1", "2"));
  CHECK(complaints({"d0", "d1", "d2"}, 0, failed) == line("d0", "0"));
  for (int const fails : {1, 2}) {
    std::string const w = "e" + std::to_string(fails), who = std::to_string(fails);
    std::string const said = complaints({w + "0", w + "1", w + "2"}, fails, failed);
    CHECK_THAT(said, Contains(line(w + "0", "0")) && Contains(line(w + who, who)));
    CHECK(said.size() == 2 * line(w + "0", "0").size());
  }
}

}  // namespace opens
