// The steps of opening a file, one by one: on what the ranks agree, and for what they wait.
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "file/open_cases.hpp"

namespace opens {

TEST_CASE("an open makes the reductions of its steps, and no others", "[file][open]") {
  io::lab::virtual_files const files;
  auto const open = [&](mode how) {
    return open_on(3, [&](int) { return opening{"f", how, files.opener()}; }, succeeds);
  };
  CHECK(open(created) == begun + same + same + opened());
  CHECK(open(mode::read_write) == begun + same + opened());
  CHECK(open(mode::write) == begun + same + opened());
  CHECK(open(mode::read) == begun + same + opened(false));
  CHECK(open(mode::read_write | mode::unique_open) == begun + same + opened(false));
  CHECK(open(mode::read_write | mode::append) ==
        begun + same + opened() + steps{"broadcast", "barrier"});
}

TEST_CASE("ranks that call a file by different paths compare the file", "[file][open]") {
  scratch const dir;
  std::ofstream(dir / "a") << "abc";
  std::ofstream(dir / "other") << "abc";
  std::filesystem::create_hard_link(dir / "a", dir / "b");
  using hints_of_both = std::vector<io::hints>;
  hints_of_both const equal(2), first{{.window_bytes = 4096}, {.window_bytes = 8192}},
      apart{{.cb_nodes = 1, .window_bytes = 4096}, {.cb_nodes = 2, .window_bytes = 8192}};
  auto const open = [&](std::string const& name, hints_of_both const& hints, bool by_path,
                        std::string const& fault) {
    CAPTURE(name);
    auto const given = [&](int rank) {
      return opening{dir / (rank == 0 ? "a" : name), mode::read_write, io::posix_opener(),
                     hints[static_cast<std::size_t>(rank)]};
    };
    return open_on(2, given, [&](int, crew const& c, agreement const& result) {
      CHECK(c.one_path == by_path);
      CHECK(c.world.has_value() == fault.empty());
      CHECK(result.code == (fault.empty() ? std::error_code() : errc::not_same));
      CHECK_THAT(result.detail, Contains(fault));
      if (fault.empty())
        CHECK(c.file->hints().same_hash() == io::file_hints({}, {}, hints[0]).same_hash());
    });
  };
  std::size_t const parts = io::file_hints().same_on_all().size() / 256 + 1;
  steps const told(parts, "broadcast");
  CHECK(open("a", equal, true, "") == begun + same + opened());
  CHECK(open("b", equal, false, "") == begun + differ + same + opened(true, true));
  CHECK(open("other", equal, false, "'path'") == begun + differ + differ + differ + differ);
  CHECK(open("a", first, true, "") == begun + hints_differ + told + same + opened());
  CHECK(open("b", first, false, "") ==
        begun + differ + hints_differ + told + same + opened(true, true));
  CHECK(open("a", apart, true, "cb_nodes is") == begun + hints_differ + told + hints_differ);
  CHECK(open("b", apart, false, "cb_nodes is") ==
        begun + differ + hints_differ + told + hints_differ);
  CHECK(open("other", apart, false, "'path'") == begun + differ + differ + differ + differ);
}

TEST_CASE("modes that differ between ranks are refused", "[file][open]") {
  io::lab::virtual_files const files;
  auto const given = [&](int rank) {
    return opening{"f", rank == 1 ? created | mode::append : created, files.opener()};
  };
  open_on(3, given, [](int, crew const& c, agreement const& result) {
    CHECK(result.code == errc::not_same);
    CHECK(result.failed_rank == 1);
    CHECK_THAT(result.detail, Contains("'mode'") && Contains("append"));
    CHECK_FALSE(c.world);
  });
}

namespace {

// The time of birth that statx reports to a rank while the rank compares files.
enum class birth { as_it_is, known, unknown } told_birth = birth::as_it_is;

}  // namespace
}  // namespace opens

extern "C" int statx(int at, char const* path, int flags, unsigned mask,
                     struct statx* into) noexcept {
  auto const done = static_cast<int>(::syscall(SYS_statx, at, path, flags, mask, into));
  if (done != 0 || opens::told_birth == opens::birth::as_it_is) return done;
  into->stx_mask &= ~STATX_BTIME;
  if (opens::told_birth == opens::birth::known) into->stx_mask |= STATX_BTIME;
  return done;
}

namespace opens {

TEST_CASE("ranks compare the last change of a file if one of them cannot get its birth",
          "[file][open]") {
  scratch const dir;
  std::ofstream(dir / "a") << "abc";
  std::filesystem::create_hard_link(dir / "a", dir / "b");
  auto const given = [&](int rank) {
    return opening{dir / (rank == 0 ? "a" : "b"), mode::read_write, io::posix_opener()};
  };
  // Rank 0 looks at the file first: rank 1 computes until rank 0 waits.
  auto const at = [](int rank, std::string_view operation, bool begins, virtual_rank const& world) {
    if (begins) told_birth = birth::as_it_is;
    if (begins || operation != "all_gather") return;
    if (rank == 1) world.compute(1e-3);
    told_birth = rank == 0 ? birth::known : birth::unknown;
  };
  CHECK(open_on(2, given, succeeds, at) == begun + differ + differ + same + opened(true, true));
}

TEST_CASE("develop mode, the clock and the guard of threads are ready after an open",
          "[file][open]") {
  io::lab::virtual_files const files;
  for (bool const several : {false, true}) {
    watched_rank::several_threads = several;
    for (bool const develops : {false, true}) {
      auto const given = [&](int) {
        return opening{"f", created, files.opener(), {.develop = develops}};
      };
      open_on(2, given, [&](int, crew& c, agreement const& result) {
        REQUIRE(result);
        CHECK(c.develop == develops);
        CHECK(c.file->seen_by().develops() == develops);
        CHECK(c.file->seen_by().board() == nullptr);  // no rank is watched
        CHECK(c.file->others().threads().has_been() == !several);
        std::int64_t const before = io::detail::now_ns(*c.world);
        CHECK(io::detail::now_ns(c.file->seen_by().clock()) == before);
      });
    }
  }
  watched_rank::several_threads = false;
}

TEST_CASE("the trace of a rank is written out before the rank waits for others", "[file][open]") {
  scratch const dir, traces;
  setting const on("ARGOSY_TRACE", "calls"), to("ARGOSY_TRACE_DIR", traces.string());
  std::vector<std::size_t> made(2);  // locks and writes of each rank
  auto const with_count = [&made](int rank) {
    auto const before = [&made, rank](file_call call) {
      made[static_cast<std::size_t>(rank)] += call == file_call::lock || call == file_call::write;
      return std::error_code();
    };
    return with({.before = before}, io::posix_opener());
  };
  auto const traced = [&](int rank) {
    std::string text;
    for (auto const& entry : std::filesystem::directory_iterator(traces.string()))
      if (entry.path().string().ends_with("rank" + std::to_string(rank) + ".json")) {
        std::ifstream file(entry.path());
        text.assign(std::istreambuf_iterator<char>(file), {});
      }
    std::size_t lines = 0;
    for (std::string const name : {"\"name\":\"lock\"", "\"name\":\"write\""})
      for (std::size_t at = 0; (at = text.find(name, at)) != text.npos; ++at) ++lines;
    return lines;
  };
  std::size_t waits = 0;
  auto const at = [&](int rank, std::string_view operation, bool begins, virtual_rank const&) {
    if (!begins || (operation != "all_reduce" && operation != "duplicate")) return;
    CAPTURE(rank, operation, ++waits);
    CHECK(traced(rank) == made[static_cast<std::size_t>(rank)]);
  };
  auto const given = [&](int rank) { return opening{dir / "a", created, with_count(rank)}; };
  auto const open_another = [&](int rank, crew& c, agreement const& result) {
    REQUIRE(result);
    std::byte const one{};
    CHECK(c.file->handle().write(rank, {&one, 1}).bytes == 1);
    crew d;
    std::string const path = dir / "b";
    CHECK(io::detail::open_steps<watched_rank>(d, path, mode::read_write | mode::create, {})
              .run(*c.world, with_count(rank)));
    d.disband();
    d.file->abandon(false);
  };
  open_on(2, given, open_another, at);
  CHECK(made == std::vector<std::size_t>{3, 3});
  CHECK(waits > 20);
}

}  // namespace opens
