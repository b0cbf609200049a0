// What happens when something fails, line by line: arguments, differences between ranks, retries, merging, the end of the
// file, requests, exceptions. The table of faults itself: faults.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype/contiguous.hpp>
#include <argosy/datatype/indexed.hpp>
#include <argosy/file/any_world.hpp>
#include <argosy/file/file.hpp>
#include <argosy/file/representations.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/fault_bench.hpp"
#include "support/files.hpp"
#include "support/plain_world.hpp"

namespace io = argosy;
using io::errc;
using io::mode;
using io::test::common_directory;
using io::test::contains;
using io::test::content_of;
using io::test::for_each_set_of_ranks;
using io::test::make_file;
using io::test::open_descriptors;
using io::test::outcome;
using io::test::outcome_of;
using io::test::plain_world;
using io::test::promises;
using io::test::scripted;
using io::test::table;
using io::test::thrown_by;
using io::test::tiers;
using io::test::trouble;
using tier_place = io::test::place;

namespace {

io::mpi everyone() { return io::mpi(MPI_COMM_WORLD); }

}  // namespace

// --- Arguments ------------------------------------------------------------------------------------------------------

namespace {

// A call with a bad argument where `bad`, and what the rank is told that gave it.
struct misuse {
  char const* name;
  char const* call;
  errc gives;
  bool collective;
  std::function<outcome(io::file&, bool bad, bool throwing)> run;
};

template <class Call>
misuse misused(char const* name, char const* call, errc gives, bool collective, Call body) {
  return {name, call, gives, collective, [body](io::file& f, bool bad, bool throwing) {
            return outcome_of(f, [&](io::file& g, auto&... e) { body(g, bad, e...); }, throwing);
          }};
}

std::int64_t const far_away = std::numeric_limits<std::int64_t>::max();

std::array<int, 4> four{1, 2, 3, 4};
int* const nowhere = nullptr;

// What any read may be given.
template <class Call>
void add_misuses(std::vector<misuse>& all, char const* call, bool collective, Call body) {
  auto const of_data = [&](char const* name, errc gives, auto make) {
    all.push_back(misused(name, call, gives, collective, [=](io::file& f, bool bad, auto&... e) {
      if (bad)
        body(f, 0, make(), e...);
      else
        body(f, 0, io::target(four), e...);
    }));
  };
  of_data("a negative count", errc::argument, [] { return io::target(four.data(), io::type<int>, -1); });
  of_data("a null address", errc::argument, [] { return io::target(nowhere, io::type<int>, 4); });
  of_data("no whole etypes", errc::datatype,
          [] { return io::target(static_cast<void*>(four.data()), io::contiguous(3, io::type<std::byte>)); });
  of_data("a count whose bytes are beyond 2^63", errc::argument,
          [] { return io::target(four.data(), io::type<int>, far_away); });
}

template <class Call>
void add_offset_misuses(std::vector<misuse>& all, char const* call, bool collective, Call body) {
  auto const at = [&](char const* name, std::int64_t offset) {
    all.push_back(misused(name, call, errc::argument, collective, [=](io::file& f, bool bad, auto&... e) {
      body(f, bad ? offset : 0, io::target(four), e...);
    }));
  };
  at("a negative offset", -1);
  at("an offset beyond 2^63", far_away);
  at("an offset whose end is beyond 2^63", far_away / 4 - 1);
}

}  // namespace

TEST_CASE("a bad argument on one rank of a collective call is refused on all, before any file call",
          "[faults][arguments]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "state.dat";
  std::vector<misuse> all;
  static constexpr std::array<int, 4> written{1, 2, 3, 4};

  auto const both = [&](char const* call, bool collective, bool has_offset, auto body) {
    add_misuses(all, call, collective, body);
    if (has_offset) add_offset_misuses(all, call, collective, body);
  };
  both("read_at", false, true, [](io::file& f, std::int64_t o, io::target d, auto&... e) { f.read_at(o, d, e...); });
  both("read", false, false, [](io::file& f, std::int64_t, io::target d, auto&... e) { f.read(d, e...); });
  both("read_shared", false, false,
       [](io::file& f, std::int64_t, io::target d, auto&... e) { f.read_shared(d, e...); });
  both("iread_at", false, true,
       [](io::file& f, std::int64_t o, io::target d, auto&... e) { f.iread_at(o, d).wait(e...); });
  both("iread", false, false, [](io::file& f, std::int64_t, io::target d, auto&... e) { f.iread(d).wait(e...); });
  both("iread_shared", false, false,
       [](io::file& f, std::int64_t, io::target d, auto&... e) { f.iread_shared(d).wait(e...); });
  both("read_at_all", true, true,
       [](io::file& f, std::int64_t o, io::target d, auto&... e) { f.read_at_all(o, d, e...); });
  both("read_all", true, false, [](io::file& f, std::int64_t, io::target d, auto&... e) { f.read_all(d, e...); });
  both("read_ordered", true, false,
       [](io::file& f, std::int64_t, io::target d, auto&... e) { f.read_ordered(d, e...); });

  // Of writes, the data is described in the same way.
  auto const writing = [&](char const* call, bool collective, auto body) {
    auto const of = [&](char const* name, errc gives, auto make) {
      all.push_back(misused(name, call, gives, collective, [=](io::file& f, bool bad, auto&... e) {
        if (bad)
          body(f, make(), e...);
        else
          body(f, io::source(written), e...);
      }));
    };
    of("a negative count", errc::argument, [] { return io::source(written.data(), io::type<int>, -1); });
    of("a null address", errc::argument, [] { return io::source(nowhere, io::type<int>, 4); });
    of("no whole etypes", errc::datatype,
       [] { return io::source(static_cast<void const*>(written.data()), io::contiguous(3, io::type<std::byte>)); });
  };
  auto const offsets = [&](char const* call, bool collective, auto body) {
    for (std::int64_t const offset : {std::int64_t{-1}, far_away, far_away / 4 - 1})
      all.push_back(misused("an offset that is none", call, errc::argument, collective,
                            [=](io::file& f, bool bad, auto&... e) { body(f, bad ? offset : 0, e...); }));
  };
  writing("write_at", false, [](io::file& f, io::source d, auto&... e) { f.write_at(0, d, e...); });
  offsets("write_at", false, [](io::file& f, std::int64_t o, auto&... e) { f.write_at(o, written, e...); });
  writing("write", false, [](io::file& f, io::source d, auto&... e) { f.write(d, e...); });
  writing("write_shared", false, [](io::file& f, io::source d, auto&... e) { f.write_shared(d, e...); });
  writing("iwrite_at", false, [](io::file& f, io::source d, auto&... e) { f.iwrite_at(0, d).wait(e...); });
  offsets("iwrite_at", false, [](io::file& f, std::int64_t o, auto&... e) { f.iwrite_at(o, written).wait(e...); });
  writing("iwrite", false, [](io::file& f, io::source d, auto&... e) { f.iwrite(d).wait(e...); });
  writing("iwrite_shared", false, [](io::file& f, io::source d, auto&... e) { f.iwrite_shared(d).wait(e...); });
  writing("write_at_all", true, [](io::file& f, io::source d, auto&... e) { f.write_at_all(0, d, e...); });
  offsets("write_at_all", true, [](io::file& f, std::int64_t o, auto&... e) { f.write_at_all(o, written, e...); });
  writing("write_all", true, [](io::file& f, io::source d, auto&... e) { f.write_all(d, e...); });
  writing("write_ordered", true, [](io::file& f, io::source d, auto&... e) { f.write_ordered(d, e...); });

  auto const view_of = [&](char const* name, errc gives, auto body) {
    all.push_back(misused(name, "set_view", gives, true, body));
  };
  auto const ints = io::type<int>;
  view_of("a negative displacement", errc::argument,
          [=](io::file& f, bool bad, auto&... e) { f.set_view(bad ? -4 : 0, ints, e...); });
  view_of("a filetype that goes back", errc::datatype, [=](io::file& f, bool bad, auto&... e) {
    std::vector<std::int64_t> const places = bad ? std::vector<std::int64_t>{8, 0} : std::vector<std::int64_t>{0, 8};
    f.set_view(0, {ints, [&] { return io::indexed(std::vector<std::int64_t>{1, 1}, places, io::type<int>); }}, e...);
  });
  view_of("a filetype that names bytes twice", errc::datatype, [=](io::file& f, bool bad, auto&... e) {
    std::vector<std::int64_t> const places = bad ? std::vector<std::int64_t>{0, 0} : std::vector<std::int64_t>{0, 8};
    f.set_view(0, {ints, [&] { return io::indexed(std::vector<std::int64_t>{1, 1}, places, io::type<int>); }}, e...);
  });
  view_of("an etype that does not divide", errc::datatype, [=](io::file& f, bool bad, auto&... e) {
    f.set_view(0, {ints, [&] { return io::contiguous(bad ? 3 : 4, io::type<std::byte>); }}, e...);
  });
  view_of("an unknown representation", errc::representation, [=](io::file& f, bool bad, auto&... e) {
    f.set_view(0, {ints, ints, bad ? "punched cards" : "native"}, e...);
  });
  view_of("a datatype that cannot be made", errc::datatype, [=](io::file& f, bool bad, auto&... e) {
    f.set_view(0, {ints, [&] { return io::contiguous(bad ? -1 : 1, io::type<int>); }}, e...);
  });
  all.push_back(misused("a negative size", "set_size", errc::argument, true,
                        [](io::file& f, bool bad, auto&... e) { f.set_size(bad ? -1 : 64, e...); }));
  all.push_back(misused("a negative size", "preallocate", errc::argument, true,
                        [](io::file& f, bool bad, auto&... e) { f.preallocate(bad ? -1 : 64, e...); }));
  all.push_back(misused("a negative offset", "seek", errc::argument, false, [](io::file& f, bool bad, auto&... e) {
    if constexpr (sizeof...(e) == 0)
      f.seek(bad ? -1 : 0);
    else
      f.seek(bad ? -1 : 0, io::seek_from::start, e...);
  }));

  for (bool const develop : {false, true}) {
    scripted tier(tier_place::decorator);
    table cells(world, develop ? "bad arguments, develop mode" : "bad arguments");
    std::error_code error;
    io::file f =
        io::file::open(world, path, mode::create | mode::read_write, {{.develop = develop}, error}, tier.files());
    CHECK_FALSE(error);
    if (error) return;
    f.set_size(64);
    for (misuse const& m : all) {
      if (develop && !m.collective) continue;  // they compare nothing
      for_each_set_of_ranks(world, [&](bool bad_here, std::string const& where) {
        cells.begin(std::string(m.call) + ", " + m.name + " " + where);
        for (bool const throwing : {false, true}) {
          cells.again();
          f.set_view(0, io::type<int>);
          if (world.rank() == 0) make_file(path, 64);
          world.barrier();
          tier.script().clear();
          outcome const o = m.run(f, bad_here, throwing);
          promises const all_of(world, {bad_here ? static_cast<int>(m.gives) : 0, 0});
          std::error_code const promised = all_of.code(m.collective);
          cells.expect_code(o, promised);
          bool const request = m.call[0] == 'i';
          if (promised && (throwing || !request))
            cells.expect_words(o.words, m.call, path, all_of.failed_rank(m.collective), m.gives);
          if (promised || m.collective) {
            cells.expect(tier.script().calls(io::file_call::write) == 0, "something was written");
            cells.expect(tier.script().calls(io::file_call::read) == 0, "something was read");
            cells.expect(tier.script().calls(io::file_call::resize) == 0, "the size was set");
          }
          if (m.collective) cells.expect(content_of(path) == std::string(64, 'o'), "the file changed");
          world.barrier();
        }
        cells.end();
      });
    }
    f.close(error);
    CHECK_FALSE(error);
  }
}

TEST_CASE("a call that the mode does not allow is refused", "[faults][arguments]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "state.dat";
  if (world.rank() == 0) make_file(path, 64);
  world.barrier();
  std::array<int, 4> data{};
  std::error_code error;
  table cells(world, "calls against the mode");
  auto const refused = [&](io::file& f, errc why, char const* name, bool collective, auto call) {
    for (bool const throwing : {false, true}) {
      cells.begin(name);
      outcome const o = outcome_of(f, call, throwing);
      cells.expect_code(o, why);
      cells.expect_words(o.words, name, path, collective ? 0 : world.rank(), why);
      cells.expect(contains(o.words, "What to do: "), "says not what to do: " + o.words);
      cells.end();
    }
  };
  io::file reading = io::file::open(world, path, mode::read);
  refused(reading, errc::read_only, "write_at", false, [&](io::file& f, auto&... e) { f.write_at(0, data, e...); });
  refused(reading, errc::read_only, "write", false, [&](io::file& f, auto&... e) { f.write(data, e...); });
  refused(reading, errc::read_only, "write_shared", false,
          [&](io::file& f, auto&... e) { f.write_shared(data, e...); });
  refused(reading, errc::read_only, "write_at_all", true,
          [&](io::file& f, auto&... e) { f.write_at_all(0, data, e...); });
  refused(reading, errc::read_only, "write_all", true, [&](io::file& f, auto&... e) { f.write_all(data, e...); });
  refused(reading, errc::read_only, "write_ordered", true,
          [&](io::file& f, auto&... e) { f.write_ordered(data, e...); });
  refused(reading, errc::read_only, "set_size", true, [&](io::file& f, auto&... e) { f.set_size(10, e...); });
  refused(reading, errc::read_only, "preallocate", true, [&](io::file& f, auto&... e) { f.preallocate(100, e...); });
  reading.close();
  io::file writing = io::file::open(world, path, mode::write);
  refused(writing, errc::access, "read_at", false, [&](io::file& f, auto&... e) { f.read_at(0, data, e...); });
  refused(writing, errc::access, "read_all", true, [&](io::file& f, auto&... e) { f.read_all(data, e...); });
  refused(writing, errc::access, "read_ordered", true, [&](io::file& f, auto&... e) { f.read_ordered(data, e...); });
  writing.close();
  io::file sequential = io::file::open(world, path, mode::read | mode::sequential);
  refused(sequential, errc::unsupported, "read_at", false, [&](io::file& f, auto&... e) { f.read_at(0, data, e...); });
  refused(sequential, errc::unsupported, "read_at_all", true,
          [&](io::file& f, auto&... e) { f.read_at_all(0, data, e...); });
  refused(sequential, errc::unsupported, "seek_shared", true,
          [&](io::file& f, auto&... e) { f.seek_shared(0, io::seek_from::start, e...); });
  sequential.close();
  for (io::mode const wrong :
       {mode::none, mode::read | mode::write, mode::read | mode::create, mode::read | mode::exclusive}) {
    cells.begin("open with modes that contradict each other");
    io::file const f = io::file::open(world, path, wrong, error);
    cells.expect(error == errc::amode, error.message());
    cells.end();
  }
  if (world.rank() == 0) CHECK(content_of(path) == std::string(64, 'o'));
}

TEST_CASE("one rank opens with bad modes or without a name: the others learn which rank", "[faults][arguments]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "state.dat";
  table cells(world, "bad arguments of open");
  for_each_set_of_ranks(world, [&](bool bad_here, std::string const& where) {
    for (bool const name : {false, true}) {
      cells.begin(std::string(name ? "no name " : "modes ") + where);
      std::error_code error;
      io::file const f =
          io::file::open(world, bad_here && name ? "" : path,
                         mode::create | mode::write | (bad_here && !name ? mode::read : mode::none), error);
      errc const own = name ? errc::bad_file : errc::amode;
      cells.expect(error == (bad_here ? own : errc::error_on_another_rank), error.message());
      cells.expect(!f.is_open() && !std::filesystem::exists(path), "something is left");
      cells.end();
      world.barrier();
    }
  });
}

TEST_CASE("different arguments on different ranks are not_same on all", "[faults][arguments]") {
  io::mpi const world = everyone();
  if (world.size() == 1) return;
  common_directory const directory(world);
  std::string const path = directory / "state.dat", other_path = directory / "other.dat";
  if (world.rank() == 0) make_file(path, 64), make_file(other_path, 64);
  world.barrier();
  struct difference {
    char const* call;
    char const* argument;
    std::function<void(io::file&, bool, std::error_code&)> run;
    char const* shown = "";  // what one of them gave, in words
  };
  auto const ints = io::type<int>;
  difference const all[] = {
      {"open", "path",
       [&](io::file& f, bool odd, auto& e) { f = io::file::open(world, odd ? other_path : path, mode::read, e); }},
      {"open", "mode",
       [&](io::file& f, bool odd, auto& e) {
         f = io::file::open(world, path, odd ? mode::read_write | mode::append : mode::read, e);
       },
       "it is read_write | append"},
      {"open", "hints",
       [&](io::file& f, bool odd, auto& e) {
         f = io::file::open(world, path, mode::read, {{.cb_buffer_bytes = odd ? 1 << 20 : 2 << 20}, e});
       }},
      {"set_view", "extent of the etype",
       [=](io::file& f, bool odd, auto& e) {
         if (odd)
           f.set_view(0, io::type<double>, e);
         else
           f.set_view(0, ints, e);
       }},
      {"set_view", "representation",
       [=](io::file& f, bool odd, auto& e) { f.set_view(0, {ints, ints, odd ? "external32" : "native"}, e); }},
      {"set_view", "hints",
       [=](io::file& f, bool odd, auto& e) {
         f.set_view(0, {ints, ints, "native"}, {{.cb_buffer_bytes = odd ? 1 << 20 : 2 << 20}, e});
       }},
      {"set_size", "size", [](io::file& f, bool odd, auto& e) { f.set_size(odd ? 7 : 9, e); }},
      {"preallocate", "size", [](io::file& f, bool odd, auto& e) { f.preallocate(odd ? 77 : 99, e); }},
      {"set_atomic", "flag", [](io::file& f, bool odd, auto& e) { f.set_atomic(odd, e); }, "it is on"},
      {"set_hints", "hints",
       [](io::file& f, bool odd, auto& e) { f.set_hints({.cb_buffer_bytes = odd ? 1 << 20 : 2 << 20}, e); }},
      {"seek_shared", "offset",
       [](io::file& f, bool odd, auto& e) { f.seek_shared(odd ? 1 : 2, io::seek_from::start, e); }},
      {"seek_shared", "whence",
       [](io::file& f, bool odd, auto& e) { f.seek_shared(0, odd ? io::seek_from::end : io::seek_from::start, e); },
       "it is end"},
  };
  for (bool const develop : {false, true}) {
    table cells(world, develop ? "different arguments, develop mode" : "different arguments");
    for (difference const& d : all)
      for (int r = 0; r < world.size(); ++r) {
        cells.begin(std::string(d.call) + ", " + d.argument + ", rank " + std::to_string(r) + " differs");
        std::error_code error;
        io::file f = io::file::open(world, path, mode::read_write, {{.develop = develop}, error});
        cells.expect(!error, "opening: " + error.message());
        std::size_t const descriptors = open_descriptors();
        bool const opens = std::string_view(d.call) == "open";
        io::file second;
        std::string words;
        if (opens && develop) ::setenv("ARGOSY_DEVELOP", "1", 1);
        d.run(opens ? second : f, world.rank() == r, error);
        if (opens && develop) ::unsetenv("ARGOSY_DEVELOP");
        words = opens ? second.what_failed() : f.what_failed();
        cells.expect(error == errc::not_same, error.message() + " (" + words + ")");
        cells.expect(contains(words, "'" + std::string(d.argument) + "'"), "does not name the argument: " + words);
        cells.expect(contains(words, std::string(d.call) + " of '"), "does not name the call: " + words);
        cells.expect(contains(words, d.shown), "does not tell what was given: " + words);
        // Both ranks that differ: rank r and another one.
        cells.expect(contains(words, "rank " + std::to_string(r)) || contains(words, "and " + std::to_string(r)),
                     "does not name the rank: " + words);
        if (develop) cells.expect(contains(words, "faults_contract.cpp:"), "does not name the place: " + words);
        cells.expect(!second.is_open() && open_descriptors() == descriptors, "a descriptor is left");
        f.sync(error);
        cells.expect(!error, "afterwards: " + error.message());
        f.close(error);
        cells.expect(!error, "closing: " + error.message());
        cells.end();
        world.barrier();
      }
  }
  if (world.rank() == 0) CHECK(content_of(path) == std::string(64, 'o'));
}

TEST_CASE("ranks in different collective calls all learn it, and develop mode names both places",
          "[faults][arguments]") {
  io::mpi const world = everyone();
  if (world.size() == 1) return;
  common_directory const directory(world);
  std::array<int, 4> data{};
  using call = std::function<void(io::file&, std::error_code&)>;
  std::vector<std::pair<char const*, call>> const calls{
      {"sync", [](io::file& f, auto& e) { f.sync(e); }},
      {"set_size", [](io::file& f, auto& e) { f.set_size(8, e); }},
      {"set_atomic", [](io::file& f, auto& e) { f.set_atomic(true, e); }},
      {"set_view", [](io::file& f, auto& e) { f.set_view(0, io::type<int>, e); }},
      {"seek_shared", [](io::file& f, auto& e) { f.seek_shared(0, io::seek_from::start, e); }},
      {"write_at_all", [&](io::file& f, auto& e) { f.write_at_all(0, data, e); }},
      {"read_all", [&](io::file& f, auto& e) { f.read_all(data, e); }},
      {"write_ordered", [&](io::file& f, auto& e) { f.write_ordered(data, e); }},
      {"close", [](io::file& f, auto& e) { f.close(e); }},
  };
  for (bool const develop : {false, true}) {
    table cells(world, develop ? "different calls, develop mode" : "different calls");
    std::error_code error;
    io::file f =
        io::file::open(world, directory / "state.dat", mode::create | mode::read_write, {{.develop = develop}, error});
    CHECK_FALSE(error);
    if (error) return;
    for (auto const& [name, run] : calls)
      for (auto const& [other_name, other] : calls) {
        if (std::string_view(name) == other_name) continue;
        int const odd = cells.cells() % world.size();
        cells.begin(std::string(other_name) + " on rank " + std::to_string(odd) + ", " + name + " elsewhere");
        (world.rank() == odd ? other : run)(f, error);
        cells.expect(error == errc::not_same, error.message());
        cells.expect(contains(f.what_failed(), "different collective calls"), f.what_failed());
        cells.expect(f.is_open(), "is closed");
        if (develop)
          cells.expect(contains(f.what_failed(), name, " at ") && contains(f.what_failed(), other_name, " at ") &&
                           contains(f.what_failed(), "faults_contract.cpp:"),
                       f.what_failed());
        cells.end();
      }
    f.close(error);
    CHECK_FALSE(error);
  }
}

// --- The lines of the contract that the tables do not show ----------------------------------------------------------

namespace {

// Rank r's bytes in a file of interleaved blocks, and windows that are merged.
io::layout interleaved(io::mpi const& world, std::int64_t block) {
  return resized(at(world.rank() * block, io::bytes(block)), 0, block * world.size());
}
io::layout every_other(std::int64_t block) { return resized(io::bytes(block), 0, 2 * block); }
io::sieving const merging_windows{
    .read_window_bytes = 256, .write_window_bytes = 256, .reads = io::sieve::always, .writes = io::sieve::always};

}  // namespace

TEST_CASE("a window whose reading fails, or is short, is not written", "[faults][merging]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "state.dat";
  scripted tier(tier_place::decorator);
  std::string const old(1024, 'o');
  if (world.rank() == 0) make_file(path, 1024);
  world.barrier();
  int const odd = world.size() - 1;
  std::error_code error;
  io::file f = io::file::open(world, path, mode::read_write, error, tier.files());
  f.set_view(0, every_other(16));
  std::vector<char> const data(512, 'n');
  // Four windows; reading the second one fails: the first is complete, nothing else was written.
  if (world.rank() == odd) {
    tier.script().add(io::fail_at(io::file_call::read, 2, std::errc::io_error));
    io::report const r = f.write_at(0, data, {merging_windows, error});
    CHECK(error == errc::io);
    CHECK(r.bytes == 128);
    std::string expected = old;
    for (std::size_t i = 0; i < 256; ++i)
      if (i % 32 < 16) expected[i] = 'n';
    CHECK(content_of(path) == expected);
    make_file(path, 1024);

    // Cut short, and nothing said: there is more in the file, so it is read again, not taken for zeros.
    tier.script().clear();
    tier.script().add(io::shorten_at(io::file_call::read, 1, 10));
    tier.script().add(io::shorten_at(io::file_call::read, 2, 0));
    f.write_at(0, data, {merging_windows, error});
    CHECK_FALSE(error);
    expected = old;
    for (std::size_t i = 0; i < 1024; ++i)
      if (i % 32 < 16) expected[i] = 'n';
    CHECK(content_of(path) == expected);
    make_file(path, 1024);

    // For ever: an error, and the window as it was.
    tier.script().clear();
    tier.script().add(io::shorten_at(io::file_call::read, 1, 0, io::fault::forever));
    io::report const none = f.write_at(0, data, {merging_windows, error});
    CHECK(error == errc::truncated);
    CHECK(none.bytes == 0);
    CHECK(content_of(path) == old);
    tier.script().clear();
  }
  f.close(error);
  CHECK_FALSE(error);
}

TEST_CASE("a write that is short and says nothing is an error", "[faults][merging]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  scripted tier(tier_place::decorator);
  io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write, {}, tier.files());
  std::vector<char> const data(512, 'n');
  std::error_code error;
  for (io::any_policy const& policy : {io::any_policy(io::independent{}), io::any_policy(merging_windows)})
    for (bool const holes : {false, true}) {
      f.set_view(0, holes ? every_other(16) : io::layout(io::bytes(16)));
      tier.script().clear();
      if (world.rank() == 0) tier.script().add(io::shorten_at(io::file_call::write, 1, 5));
      io::report const r = f.write_at_all(world.rank() * 512, data, {policy, error});
      CHECK(error == (world.rank() == 0 ? errc::io : errc::error_on_another_rank));
      if (world.rank() == 0) CHECK(r.bytes == 5);
    }
  f.close(error);
  CHECK_FALSE(error);
}

TEST_CASE("an aggregator's write that is short and says nothing is an error on every rank", "[faults][two_phase]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  scripted tier(tier_place::decorator);
  io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write, {}, tier.files());
  std::vector<char> const data(512, 'n');
  std::error_code error;
  for (io::any_policy const& policy :
       {io::any_policy(io::two_phase{}), io::any_policy(io::two_phase{.window_bytes = 64}),
        io::any_policy(io::data_shipping{})})
    for (bool const holes : {false, true}) {
      f.set_view(0, holes ? every_other(16) : io::layout(io::bytes(16)));
      for (std::int64_t const bytes : {5, 0}) {
        CAPTURE(policy.name(), holes, bytes, world.rank());
        tier.script().clear();
        tier.script().add(io::shorten_at(io::file_call::write, 1, bytes));
        f.write_at_all(world.rank() * 512, data, {policy, error});
        CHECK(error);
      }
    }
  f.close(error);
  CHECK_FALSE(error);
}

TEST_CASE("what fails in the background, and nobody waits for, is told by close", "[faults][close][nonblocking]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  scripted tier(tier_place::decorator);
  std::vector<char> const data(512, 'n');
  using begin = std::function<void(io::file&)>;
  std::int64_t const here = world.rank() * 512;
  std::pair<std::string, begin> const ways[] = {
      {"iwrite_at", [&](io::file& f) { f.iwrite_at(here, data); }},
      {"iwrite_at_all", [&](io::file& f) { f.iwrite_at_all(here, data); }},
      {"begin_write_at_all", [&](io::file& f) { f.begin_write_at_all(here, data); }}};
  for (auto const& [call, drop] : ways)
    for (int failing = -1; failing < world.size(); ++failing) {
      CAPTURE(call, failing, world.rank());
      tier.script().clear();
      io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write, {}, tier.files());
      // Each rank by itself: then who fails is known.
      f.set_hints({.policy = "independent"});
      tier.script().clear();
      if (world.rank() == failing)
        tier.script().add(io::fail_at(io::file_call::write, 1, std::errc::no_space_on_device));
      drop(f);
      std::error_code error;
      f.close(error);
      CHECK(error == (failing < 0               ? std::error_code()
                      : failing == world.rank() ? make_error_code(io::errc::no_space)
                                                : make_error_code(io::errc::error_on_another_rank)));
      if (failing >= 0)
        CHECK_THAT(f.what_failed(), Catch::Matchers::ContainsSubstring(call + ", which nobody waited for, failed"));
      CHECK_FALSE(f.is_open());
    }

  // Who holds the request is told by it.
  tier.script().clear();
  io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write, {}, tier.files());
  tier.script().clear();
  tier.script().add(io::fail_at(io::file_call::write, 1, std::errc::no_space_on_device));
  io::request r = f.iwrite_at(here, data);
  std::error_code error;
  f.close(error);
  CHECK_FALSE(error);
  r.wait(error);
  CHECK(error == io::errc::no_space);
}

TEST_CASE("EINTR, EAGAIN and short counts are never seen by the user", "[faults][retries]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  for (auto const& tier : tiers()) {
    if (tier->where() == tier_place::decorator) continue;
    std::error_code error;
    io::file f = io::file::open(world, directory / "broken.dat", mode::create | mode::read_write, error, tier->files());
    f.set_view(0, interleaved(world, 32));
    std::vector<char> out(640, static_cast<char>('a' + world.rank())), in(640);
    for (int const number : {EINTR, EAGAIN, 0})
      for (auto const kind : {io::file_call::write, io::file_call::read, io::file_call::sync, io::file_call::lock}) {
        bool const moves = kind == io::file_call::write || kind == io::file_call::read;
        if (number == 0 && !moves) continue;
        trouble t{.name = "", .kind = kind, .number = number, .times = number == EAGAIN ? 3 : 50};
        if (number == 0) t.bytes = 3;
        tier->arm(t);
        for (io::any_policy const& policy : {io::any_policy(io::independent{}), io::any_policy(merging_windows)}) {
          CHECK(f.write_at_all(0, out, {policy, error}).bytes == 640);
          CHECK_FALSE(error);
          CHECK(f.read_at_all(0, in, {policy, error}).bytes == 640);
          CHECK_FALSE(error);
          CHECK(in == out);
          f.sync(error);
          CHECK_FALSE(error);
        }
        if (kind != io::file_call::lock || world.size() > 1) CHECK(tier->disarm());
        tier->disarm();
      }
    f.close(error);
    CHECK_FALSE(error);
  }
}

TEST_CASE("where a rank has no locks nobody merges, and atomic mode is an error on every rank", "[faults][locks]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "broken.dat";
  for (auto const& tier : tiers()) {
    std::error_code error;
    if (world.rank() == 0) make_file(path, 64 * world.size());
    for (int odd = 0; odd < world.size(); ++odd) {
      world.barrier();
      if (world.rank() == odd) tier->arm({.name = "ENOLCK", .kind = io::file_call::lock, .number = ENOLCK, .times = 0});
      io::file f = io::file::open(world, path, mode::read_write, error, tier->files());
      CHECK_FALSE(error);
      f.set_atomic(true, error);
      CHECK(error == (world.rank() == odd ? errc::no_locks : errc::error_on_another_rank));
      CHECK_FALSE(f.atomic());

      // Pieces of one rank, with holes that are those of nobody else.
      f.set_view(64 * world.rank(), every_other(8), error);
      CHECK_FALSE(error);
      std::vector<char> const data(32, 'n');
      io::report const r = f.write_at_all(0, data, {merging_windows, error});
      CHECK_FALSE(error);
      CHECK(r.bytes == 32);
      CHECK(r.fallbacks > 0);
      CHECK(r.merged_bytes == 0);
      CHECK(r.locks == 0);
      f.close(error);
      CHECK_FALSE(error);
      tier->disarm();
    }
    std::string expected;
    for (int i = 0; i < 4 * world.size(); ++i) expected += "nnnnnnnnoooooooo";
    world.barrier();
    CHECK(content_of(path) == expected);
    world.barrier();
  }
}

TEST_CASE("where locks come to an end later, a rank of one node waits until nobody merges", "[faults][locks]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "broken.dat";
  for (auto const& tier : tiers()) {
    std::error_code error;
    if (world.rank() == 0) make_file(path, 64 * world.size());
    world.barrier();
    io::file f = io::file::open(world, path, mode::read_write, error, tier->files());
    f.set_view(64 * world.rank(), every_other(8), error);
    for (int odd = 0; odd < world.size(); ++odd) {
      bool const mine = world.rank() == odd;
      if (mine) tier->arm({.name = "ENOLCK", .kind = io::file_call::lock, .number = ENOLCK, .times = 0});
      std::vector<char> const data(32, static_cast<char>('a' + odd));
      io::report r = f.write_at_all(0, data, {merging_windows, error});
      CHECK_FALSE(error);
      CHECK(r.bytes == 32);
      if (mine) CHECK(r.merged_bytes == 0);
      // Together each window has one owner.
      r = f.write_at_all(0, data, {io::two_phase{}, error});
      CHECK_FALSE(error);
      CHECK(r.bytes == 32);
      tier->disarm();
      std::string expected;
      for (int i = 0; i < 4 * world.size(); ++i) expected += std::string(8, data[0]) + std::string(8, 'o');
      world.barrier();
      CHECK(content_of(path) == expected);
      world.barrier();
    }
    f.close(error);
    CHECK_FALSE(error);
    world.barrier();
  }
}

TEST_CASE("ranks that merge into each other's holes lose nothing", "[faults][merging]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "state.dat";
  scripted no_locks(tier_place::raw);
  for (bool const locks : {true, false}) {
    std::error_code error;
    if (!locks) no_locks.script().add(io::fail_from(io::file_call::lock, 1, std::errc::no_lock_available));
    io::file f = locks ? io::file::open(world, path, mode::create | mode::read_write)
                       : io::file::open(world, path, mode::create | mode::read_write, {}, no_locks.files());
    f.set_view(0, interleaved(world, 8));
    for (int round = 0; round < 20; ++round) {
      std::vector<char> const data(512, static_cast<char>('A' + world.rank() + 8 * (round % 7)));
      f.write_at(0, data, {merging_windows, error});  // nobody waits for anybody
      CHECK_FALSE(error);
      world.barrier();
      std::vector<char> in(512);
      f.read_at(0, in, {io::independent{}, error});
      CHECK(in == data);
      world.barrier();
    }
    f.close(error);
    CHECK_FALSE(error);
  }
}

TEST_CASE("reading past the end: exact counts on every rank and in every policy, memory beyond untouched",
          "[faults][end]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "state.dat";
  std::int64_t const n = world.size();
  for (std::int64_t const size : {std::int64_t{0}, std::int64_t{1}, 37 * n, 37 * n + 8 * n + 3}) {
    if (world.rank() == 0) make_file(path, size);
    world.barrier();
    io::file f = io::file::open(world, path, mode::read);
    f.set_view(0, interleaved(world, 8));
    // Bytes of this rank before the end.
    std::int64_t const tile = 8 * n;
    std::int64_t const there = size / tile * 8 + std::clamp<std::int64_t>(size % tile - 8 * world.rank(), 0, 8);
    for (io::any_policy const& policy :
         {io::any_policy(io::independent{}), io::any_policy(io::sieving{}), io::any_policy(merging_windows),
          io::any_policy(io::independent{.buffer_bytes = 5})}) {
      auto const check = [&](io::report const& r, std::vector<char> const& in) {
        CHECK(r.bytes == there);
        CHECK(std::count(in.begin(), in.end(), 'o') == there);
        CHECK(std::count(in.begin() + there, in.end(), '?') == 1000 - there);
      };
      std::vector<char> in(1000, '?');
      check(f.read_at(0, in, policy), in);
      std::fill(in.begin(), in.end(), '?');
      check(f.read_at_all(0, in, policy), in);
      std::fill(in.begin(), in.end(), '?');
      check(f.iread_at(0, in, policy).wait(), in);
      CHECK(f.read_at_all(std::int64_t{1} << 50, in, policy).bytes == 0);
    }
    f.close();
    world.barrier();
  }
}

namespace {

// A real file that another program cuts while it is read: after the first bytes.
struct cut_while_read : io::raw_posix {
  std::string path;
  std::int64_t calls = 0;

  cut_while_read() = default;
  cut_while_read(io::raw_posix&& raw, std::string p) : io::raw_posix(std::move(raw)), path(std::move(p)) {}
  using io::raw_posix::read;
  io::io_result read(std::int64_t offset, std::span<std::byte> memory) {
    if (calls++ > 0) return io::raw_posix::read(offset, memory);
    io::io_result const got = io::raw_posix::read(offset, memory.first(std::min<std::size_t>(memory.size(), 100)));
    if (::truncate(path.c_str(), 50) != 0) std::perror("truncate");
    return got;
  }
};

}  // namespace

TEST_CASE("a file that is truncated while it is read is an error with the true count", "[faults][end]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "state.dat";
  if (world.rank() == 0) make_file(path, 4000);
  world.barrier();
  int const odd = world.size() / 2;
  io::opener const files = io::posix_opener().opening([&](auto const& name, auto flags, auto& e) -> io::any_handle {
    io::raw_posix raw = io::raw_posix::open(name, flags, e);
    if (e) return {};
    return io::any_handle(io::retrying(cut_while_read(std::move(raw), name)));
  });
  io::file f = io::file::open(world, path, mode::read, {}, world.rank() == odd ? files : io::posix_opener());
  std::vector<char> in(1000, '?');
  std::error_code error;
  io::report const r = f.read_at_all(0, std::span(in).first(world.rank() == odd ? 1000 : 0), error);
  CHECK(error == (world.rank() == odd ? errc::truncated : errc::error_on_another_rank));
  if (world.rank() == odd) {
    CHECK(r.bytes == 100);
    CHECK(std::string(in.begin(), in.end()) == std::string(100, 'o') + std::string(900, '?'));
  }
  f.close(error);
  CHECK_FALSE(error);
}

TEST_CASE("a request tells its error when it is waited for, once, and leaves the file usable", "[faults][requests]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  scripted tier(tier_place::decorator);
  io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write, {}, tier.files());
  int const odd = world.size() - 1;
  bool const here = world.rank() == odd;
  std::vector<char> data(100, 'a');
  std::error_code error;
  if (here) tier.script().add(io::fail_at(io::file_call::write, 2, std::errc::no_space_on_device));
  std::array<io::request, 3> requests;
  for (std::size_t i = 0; i < 3; ++i) {
    requests[i] = f.iwrite_at(world.rank() * 300 + static_cast<std::int64_t>(i) * 100, data);
    while (!requests[i].test()) std::this_thread::yield();  // one after the other; testing takes no error away
  }
  wait_all(requests, error);
  CHECK(error == (here ? std::error_code(errc::no_space) : std::error_code()));
  for (io::request& r : requests) CHECK_FALSE(r.pending());
  CHECK(requests[1].wait(error).bytes == 0);
  CHECK_FALSE(error);
  // One that is dropped leaves its error to close, and does not wait for other ranks.
  if (here) {
    tier.script().clear();
    tier.script().add(io::fail_at(io::file_call::write, 1, std::errc::io_error));
    {
      io::request const dropped = f.iwrite_at(0, data);
    }
    CHECK(tier.script().struck() == 2);
  }
  // Bad arguments, too, come with the request.
  io::request bad = f.iread_at(-1, data);
  outcome const o = thrown_by([&] { bad.wait(); });
  CHECK(o.code == errc::argument);
  CHECK(o.failed_rank == world.rank());
  f.write_at_all(world.rank() * 100, data, error);
  CHECK_FALSE(error);
  f.close(error);
  CHECK(error == (here ? errc::io : errc::error_on_another_rank));
}

TEST_CASE("what cannot be changed under a request is refused on every rank", "[faults][requests]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  auto const script = std::make_shared<io::fault_script>();
  std::atomic<bool> go_on{false};
  script->sleep_by([&](auto) {
    while (!go_on) std::this_thread::yield();
  });
  io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write, {},
                              io::with_faults(io::posix_opener(), script));
  int const odd = world.size() / 2;
  bool const here = world.rank() == odd;
  std::vector<char> data(100, 'a');
  io::request r;
  if (here) {
    script->add(io::delay_at(io::file_call::write, 1, std::chrono::nanoseconds(1)));
    r = f.iwrite_at(0, data);
  }
  auto const promised = here ? errc::unsupported : errc::error_on_another_rank;
  std::error_code error;
  f.set_view(0, io::type<int>, error);
  CHECK(error == promised);
  f.set_size(5, error);
  CHECK(error == promised);
  f.preallocate(5, error);
  CHECK(error == promised);
  f.sync(error);
  CHECK_FALSE(error);
  go_on = true;
  CHECK(r.wait(error).bytes == (here ? 100 : 0));
  CHECK_FALSE(error);
  f.set_view(0, io::type<int>, error);
  CHECK_FALSE(error);
  f.close(error);
  CHECK_FALSE(error);
}

namespace {
struct my_exception {
  int number;
};
}  // namespace

TEST_CASE("what the user's code throws reaches the caller, and the file stays usable", "[faults][exceptions]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::error_code ignored;
  io::register_representation("throwing",
                              {.file_bytes = {},
                               .read = [](auto...) -> bool { throw my_exception{3}; },
                               .write = [](auto...) -> bool { throw my_exception{4}; }},
                              ignored);
  io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write);
  table cells(world, "exceptions of the user");
  std::array<int, 4> data{1, 2, 3, 4};
  using call = std::function<void(io::file&, bool, std::error_code&)>;
  auto const type_of = [](bool bad) {
    return [bad] {
      if (bad) throw my_exception{1};
      return io::type<int>;
    };
  };
  struct body {
    char const* name;
    bool collective;
    call run;
  } const calls[] = {
      {"write_at, datatype", false,
       [&](io::file& g, bool bad, auto& e) { g.write_at(0, io::source(data.data(), type_of(bad), 4), e); }},
      {"write_at_all, datatype", true,
       [&](io::file& g, bool bad, auto& e) { g.write_at_all(0, io::source(data.data(), type_of(bad), 4), e); }},
      {"read_ordered, datatype", true,
       [&](io::file& g, bool bad, auto& e) { g.read_ordered(io::target(data.data(), type_of(bad), 4), e); }},
      {"iread, datatype", false,
       [&](io::file& g, bool bad, auto& e) { g.iread(io::target(data.data(), type_of(bad), 4)).wait(e); }},
      {"set_view, filetype", true, [&](io::file& g, bool bad, auto& e) { g.set_view(0, type_of(bad), e); }},
      {"write_at_all, representation", true,
       [&](io::file& g, bool bad, auto& e) {
         g.set_view(0, {io::type<int>, io::type<int>, "throwing"}, e);
         g.write_at_all(0, std::span(data).first(bad ? 4 : 0), e);
       }},
      {"iwrite_at, representation", false,
       [&](io::file& g, bool bad, auto& e) {
         g.set_view(0, {io::type<int>, io::type<int>, "throwing"}, e);
         g.iwrite_at(0, std::span(data).first(bad ? 4 : 0)).wait(e);
       }},
  };
  for (auto const& c : calls)
    for_each_set_of_ranks(world, [&](bool bad_here, std::string const& where) {
      cells.begin(std::string(c.name) + " " + where);
      f.set_view(0, io::type<int>);
      std::error_code error;
      bool reached = false;
      try {
        c.run(f, bad_here, error);
      } catch (my_exception const&) {
        reached = true;
      }
      cells.expect(reached == bad_here, reached ? "threw" : "did not throw");
      if (!bad_here)
        cells.expect(error == (c.collective ? std::error_code(errc::error_on_another_rank) : std::error_code()),
                     error.message());
      f.set_view(0, io::type<int>);
      cells.expect(f.write_at_all(world.rank() * 4, data, error).bytes == 16 && !error,
                   "afterwards: " + error.message());
      cells.end();
    });
  // Error codes of the user are kept, too, also one that says nothing.
  for (std::error_code const code : {std::error_code(ENOSPC, std::system_category()), std::error_code()}) {
    std::error_code error;
    bool reached = false;
    try {
      f.set_view(
          0,
          [&] {
            if (world.rank() == 0) throw std::system_error(code, "mine");
            return io::type<int>;
          },
          error);
    } catch (std::system_error const& e) {
      reached = e.code() == code;
    }
    CHECK(reached == (world.rank() == 0));
    if (world.rank() != 0) CHECK(error == errc::error_on_another_rank);
  }
  f.close();
}

TEST_CASE("ranks that are late, or have nothing to do, are ordinary", "[faults][late]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  scripted tier(tier_place::decorator);
  io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write, {}, tier.files());
  std::vector<char> data(64, 'a');
  std::error_code error;
  for (int odd = 0; odd < world.size(); ++odd) {
    tier.script().clear();
    if (world.rank() == odd) {
      tier.script().add(io::delay_at(io::file_call::write, 1, std::chrono::milliseconds(20)));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    auto const mine = std::span(data).first(world.rank() == odd ? 64 : 0);
    CHECK(f.write_at_all(0, mine, error).bytes == static_cast<std::int64_t>(mine.size()));
    CHECK_FALSE(error);
    CHECK(f.write_ordered(mine, error).bytes == static_cast<std::int64_t>(mine.size()));
    CHECK_FALSE(error);
    // It fails, and the others, who have nothing to do, learn it.
    if (world.rank() == odd) tier.script().add(io::fail_from(io::file_call::write, 1, std::errc::io_error));
    f.write_at_all(0, mine, error);
    CHECK(error == (world.rank() == odd ? errc::io : errc::error_on_another_rank));
  }
  tier.script().clear();
  f.close(error);
  CHECK_FALSE(error);
}

TEST_CASE("a shared pointer never goes beyond 2^63", "[faults][shared]") {
  io::mpi const mpi = everyone();
  common_directory const directory(mpi);
  auto const check = [&](auto const& world) {
    using file = io::basic_file<std::remove_cvref_t<decltype(world)>>;
    file f = file::open(world, directory / "state.dat", mode::create | mode::read_write);
    std::array<char, 8> data{};
    std::error_code error;
    for (int i = 0; i < 3; ++i) {
      f.seek_shared(far_away - 3);
      mpi.barrier();
      f.write_shared(data, error);
      CHECK(error == errc::argument);
      f.write_ordered(data, error);
      CHECK(error == errc::argument);
      CHECK(f.position_shared() == far_away - 3);
      mpi.barrier();
    }
    f.seek_shared(0);
    CHECK(f.write_ordered(data, error).bytes == 8);
    CHECK_FALSE(error);
    f.close();
  };
  check(mpi);
  check(plain_world(mpi));
}

TEST_CASE("a lock of the hidden pointer that cannot be taken back stops nobody", "[faults][shared]") {
  io::mpi const mpi = everyone();
  if (mpi.size() == 1) return;  // it lies in memory
  common_directory const directory(mpi);
  plain_world const world(mpi);
  scripted tier(tier_place::raw);
  table cells(mpi, "unlocking the hidden pointer");
  using file = io::basic_file<plain_world>;
  file f = file::open(world, directory / "state.dat", mode::create | mode::read_write, {}, tier.files());
  std::array<char, 8> data{};
  for_each_set_of_ranks(mpi, [&](bool here, std::string const& where) {
    cells.begin(where);
    tier.script().clear();
    if (here) tier.script().add(io::fail_at(io::file_call::unlock, 1, std::errc::io_error));
    std::error_code error;
    for (int i = 0; i < 5; ++i) {
      f.write_shared(data, {io::independent{}, error});
      bool const struck = here && i == 0;
      cells.expect(error == (struck ? std::error_code(errc::io) : std::error_code()), error.message());
    }
    mpi.barrier();
    cells.end();
  });
  f.close();
}
