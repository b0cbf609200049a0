// Wrong arguments, and arguments that differ between ranks, line by line of the contract. One page
// because its tables of misuses must cover the same calls.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype/contiguous.hpp>
#include <argosy/datatype/indexed.hpp>
#include <argosy/file/file.hpp>

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

#include "file/contract_cases.hpp"
#include "support/catch.hpp"
#include "support/fault_bench.hpp"
#include "support/files.hpp"

namespace io = argosy;
using io::errc;
using io::mode;
using tier_place = io::test::place;
using namespace io::test;

namespace {

// A call with a bad argument on ranks where `bad` is true, and the error that these ranks must get.
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

// Adds the bad arguments that any read may be given.
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
  of_data("a negative count", errc::argument,
          [] { return io::target(four.data(), io::type<int>, -1); });
  of_data("a null address", errc::argument, [] { return io::target(nowhere, io::type<int>, 4); });
  of_data("no whole etypes", errc::datatype, [] {
    return io::target(static_cast<void*>(four.data()), io::contiguous(3, io::type<std::byte>));
  });
  of_data("a count whose bytes are beyond 2^63", errc::argument,
          [] { return io::target(four.data(), io::type<int>, far_away); });
}

template <class Call>
void add_offset_misuses(std::vector<misuse>& all, char const* call, bool collective, Call body) {
  auto const at = [&](char const* name, std::int64_t offset) {
    all.push_back(
        misused(name, call, errc::argument, collective, [=](io::file& f, bool bad, auto&... e) {
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
  both("read_at", false, true,
       [](io::file& f, std::int64_t o, io::target d, auto&... e) { f.read_at(o, d, e...); });
  both("read", false, false,
       [](io::file& f, std::int64_t, io::target d, auto&... e) { f.read(d, e...); });
  both("read_shared", false, false,
       [](io::file& f, std::int64_t, io::target d, auto&... e) { f.read_shared(d, e...); });
  both("iread_at", false, true,
       [](io::file& f, std::int64_t o, io::target d, auto&... e) { f.iread_at(o, d).wait(e...); });
  both("iread", false, false,
       [](io::file& f, std::int64_t, io::target d, auto&... e) { f.iread(d).wait(e...); });
  both("iread_shared", false, false,
       [](io::file& f, std::int64_t, io::target d, auto&... e) { f.iread_shared(d).wait(e...); });
  both("read_at_all", true, true,
       [](io::file& f, std::int64_t o, io::target d, auto&... e) { f.read_at_all(o, d, e...); });
  both("read_all", true, false,
       [](io::file& f, std::int64_t, io::target d, auto&... e) { f.read_all(d, e...); });
  both("read_ordered", true, false,
       [](io::file& f, std::int64_t, io::target d, auto&... e) { f.read_ordered(d, e...); });

  // The data of writes is described in the same way.
  auto const writing = [&](char const* call, bool collective, auto body) {
    auto const of = [&](char const* name, errc gives, auto make) {
      all.push_back(misused(name, call, gives, collective, [=](io::file& f, bool bad, auto&... e) {
        if (bad)
          body(f, make(), e...);
        else
          body(f, io::source(written), e...);
      }));
    };
    of("a negative count", errc::argument,
       [] { return io::source(written.data(), io::type<int>, -1); });
    of("a null address", errc::argument, [] { return io::source(nowhere, io::type<int>, 4); });
    of("no whole etypes", errc::datatype, [] {
      return io::source(static_cast<void const*>(written.data()),
                        io::contiguous(3, io::type<std::byte>));
    });
  };
  auto const offsets = [&](char const* call, bool collective, auto body) {
    for (std::int64_t const offset : {std::int64_t{-1}, far_away, far_away / 4 - 1})
      all.push_back(
          misused("an offset that is none", call, errc::argument, collective,
                  [=](io::file& f, bool bad, auto&... e) { body(f, bad ? offset : 0, e...); }));
  };
  writing("write_at", false, [](io::file& f, io::source d, auto&... e) { f.write_at(0, d, e...); });
  offsets("write_at", false,
          [](io::file& f, std::int64_t o, auto&... e) { f.write_at(o, written, e...); });
  writing("write", false, [](io::file& f, io::source d, auto&... e) { f.write(d, e...); });
  writing("write_shared", false,
          [](io::file& f, io::source d, auto&... e) { f.write_shared(d, e...); });
  writing("iwrite_at", false,
          [](io::file& f, io::source d, auto&... e) { f.iwrite_at(0, d).wait(e...); });
  offsets("iwrite_at", false,
          [](io::file& f, std::int64_t o, auto&... e) { f.iwrite_at(o, written).wait(e...); });
  writing("iwrite", false, [](io::file& f, io::source d, auto&... e) { f.iwrite(d).wait(e...); });
  writing("iwrite_shared", false,
          [](io::file& f, io::source d, auto&... e) { f.iwrite_shared(d).wait(e...); });
  writing("write_at_all", true,
          [](io::file& f, io::source d, auto&... e) { f.write_at_all(0, d, e...); });
  offsets("write_at_all", true,
          [](io::file& f, std::int64_t o, auto&... e) { f.write_at_all(o, written, e...); });
  writing("write_all", true, [](io::file& f, io::source d, auto&... e) { f.write_all(d, e...); });
  writing("write_views_all", true, [](io::file& f, io::source d, auto&... e) {
    f.write_views_all({{f.view(), std::move(d)}}, e...);
  });
  all.push_back(misused("a view that is none", "write_views_all", errc::datatype, true,
                        [](io::file& f, bool bad, auto&... e) {
                          f.write_views_all({{io::view(bad ? -4 : 0, io::type<int>), {}}}, e...);
                        }));
  writing("write_ordered", true,
          [](io::file& f, io::source d, auto&... e) { f.write_ordered(d, e...); });

  auto const view_of = [&](char const* name, errc gives, auto body) {
    all.push_back(misused(name, "set_view", gives, true, body));
  };
  auto const ints = io::type<int>;
  view_of("a negative displacement", errc::argument,
          [=](io::file& f, bool bad, auto&... e) { f.set_view(bad ? -4 : 0, ints, e...); });
  view_of("a filetype that goes back", errc::datatype, [=](io::file& f, bool bad, auto&... e) {
    std::vector<std::int64_t> const places =
        bad ? std::vector<std::int64_t>{8, 0} : std::vector<std::int64_t>{0, 8};
    f.set_view(
        0,
        {ints, [&] { return io::indexed(std::vector<std::int64_t>{1, 1}, places, io::type<int>); }},
        e...);
  });
  view_of(
      "a filetype that names bytes twice", errc::datatype, [=](io::file& f, bool bad, auto&... e) {
        std::vector<std::int64_t> const places =
            bad ? std::vector<std::int64_t>{0, 0} : std::vector<std::int64_t>{0, 8};
        f.set_view(
            0,
            {ints,
             [&] { return io::indexed(std::vector<std::int64_t>{1, 1}, places, io::type<int>); }},
            e...);
      });
  view_of("an etype that does not divide", errc::datatype, [=](io::file& f, bool bad, auto&... e) {
    f.set_view(0, {ints, [&] { return io::contiguous(bad ? 3 : 4, io::type<std::byte>); }}, e...);
  });
  view_of("an unknown representation", errc::representation,
          [=](io::file& f, bool bad, auto&... e) {
            f.set_view(0, {ints, ints, bad ? "punched cards" : "native"}, e...);
          });
  view_of("a datatype that cannot be made", errc::datatype, [=](io::file& f, bool bad, auto&... e) {
    f.set_view(0, {ints, [&] { return io::contiguous(bad ? -1 : 1, io::type<int>); }}, e...);
  });
  all.push_back(
      misused("a negative size", "set_size", errc::argument, true,
              [](io::file& f, bool bad, auto&... e) { f.set_size(bad ? -1 : 64, e...); }));
  all.push_back(
      misused("a negative size", "preallocate", errc::argument, true,
              [](io::file& f, bool bad, auto&... e) { f.preallocate(bad ? -1 : 64, e...); }));
  all.push_back(misused("a negative offset", "seek", errc::argument, false,
                        [](io::file& f, bool bad, auto&... e) {
                          if constexpr (sizeof...(e) == 0)
                            f.seek(bad ? -1 : 0);
                          else
                            f.seek(bad ? -1 : 0, io::seek_from::start, e...);
                        }));

  for (bool const develop : {false, true}) {
    scripted tier(tier_place::decorator);
    table cells(world, develop ? "bad arguments, develop mode" : "bad arguments");
    std::error_code error;
    io::file f = io::file::open(world, path, mode::create | mode::read_write,
                                {{.develop = develop}, error}, tier.files());
    CHECK_FALSE(error);
    if (error) return;
    f.set_size(64);
    for (misuse const& m : all) {
      if (develop && !m.collective) continue;  // local calls compare nothing
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
          if (m.collective)
            cells.expect(content_of(path) == std::string(64, 'o'), "the file changed");
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
  refused(reading, errc::read_only, "write_at", false,
          [&](io::file& f, auto&... e) { f.write_at(0, data, e...); });
  refused(reading, errc::read_only, "write", false,
          [&](io::file& f, auto&... e) { f.write(data, e...); });
  refused(reading, errc::read_only, "write_shared", false,
          [&](io::file& f, auto&... e) { f.write_shared(data, e...); });
  refused(reading, errc::read_only, "write_at_all", true,
          [&](io::file& f, auto&... e) { f.write_at_all(0, data, e...); });
  refused(reading, errc::read_only, "write_all", true,
          [&](io::file& f, auto&... e) { f.write_all(data, e...); });
  refused(reading, errc::read_only, "write_views_all", true,
          [&](io::file& f, auto&... e) { f.write_views_all({{f.view(), data}}, e...); });
  refused(reading, errc::read_only, "write_ordered", true,
          [&](io::file& f, auto&... e) { f.write_ordered(data, e...); });
  refused(reading, errc::read_only, "set_size", true,
          [&](io::file& f, auto&... e) { f.set_size(10, e...); });
  refused(reading, errc::read_only, "preallocate", true,
          [&](io::file& f, auto&... e) { f.preallocate(100, e...); });
  reading.close();
  io::file writing = io::file::open(world, path, mode::write);
  refused(writing, errc::access, "read_at", false,
          [&](io::file& f, auto&... e) { f.read_at(0, data, e...); });
  refused(writing, errc::access, "read_all", true,
          [&](io::file& f, auto&... e) { f.read_all(data, e...); });
  refused(writing, errc::access, "read_ordered", true,
          [&](io::file& f, auto&... e) { f.read_ordered(data, e...); });
  writing.close();
  io::file sequential = io::file::open(world, path, mode::read | mode::sequential);
  refused(sequential, errc::unsupported, "read_at", false,
          [&](io::file& f, auto&... e) { f.read_at(0, data, e...); });
  refused(sequential, errc::unsupported, "read_at_all", true,
          [&](io::file& f, auto&... e) { f.read_at_all(0, data, e...); });
  refused(sequential, errc::unsupported, "read_views_all", true,
          [&](io::file& f, auto&... e) { f.read_views_all({{f.view(), data}}, e...); });
  refused(sequential, errc::unsupported, "seek_shared", true,
          [&](io::file& f, auto&... e) { f.seek_shared(0, io::seek_from::start, e...); });
  sequential.close();
  for (io::mode const wrong : {mode::none, mode::read | mode::write, mode::read | mode::create,
                               mode::read | mode::exclusive}) {
    cells.begin("open with modes that contradict each other");
    io::file const f = io::file::open(world, path, wrong, error);
    cells.expect(error == errc::amode, error.message());
    cells.end();
  }
  if (world.rank() == 0) CHECK(content_of(path) == std::string(64, 'o'));
}

TEST_CASE("one rank opens with bad modes or without a name: the others learn which rank",
          "[faults][arguments]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "state.dat";
  table cells(world, "bad arguments of open");
  for_each_set_of_ranks(world, [&](bool bad_here, std::string const& where) {
    for (bool const name : {false, true}) {
      cells.begin(std::string(name ? "no name " : "modes ") + where);
      std::error_code error;
      io::file const f = io::file::open(
          world, bad_here && name ? "" : path,
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
    char const* shown = "";  // text of the value that one rank gave
  };
  auto const ints = io::type<int>;
  difference const all[] = {
      {"open", "path",
       [&](io::file& f, bool odd, auto& e) {
         f = io::file::open(world, odd ? other_path : path, mode::read, e);
       }},
      {"open", "mode",
       [&](io::file& f, bool odd, auto& e) {
         f = io::file::open(world, path, odd ? mode::read_write | mode::append : mode::read, e);
       },
       "it is read_write | append"},
      {"open", "hints",
       [&](io::file& f, bool odd, auto& e) {
         f = io::file::open(world, path, mode::read,
                            {{.cb_buffer_bytes = odd ? 1 << 20 : 2 << 20}, e});
       }},
      {"set_view", "extent of the etype",
       [=](io::file& f, bool odd, auto& e) {
         if (odd)
           f.set_view(0, io::type<double>, e);
         else
           f.set_view(0, ints, e);
       }},
      {"set_view", "representation",
       [=](io::file& f, bool odd, auto& e) {
         f.set_view(0, {ints, ints, odd ? "external32" : "native"}, e);
       }},
      {"set_view", "hints",
       [=](io::file& f, bool odd, auto& e) {
         f.set_view(0, {ints, ints, "native"}, {{.cb_buffer_bytes = odd ? 1 << 20 : 2 << 20}, e});
       }},
      {"set_size", "size", [](io::file& f, bool odd, auto& e) { f.set_size(odd ? 7 : 9, e); }},
      {"preallocate", "size",
       [](io::file& f, bool odd, auto& e) { f.preallocate(odd ? 77 : 99, e); }},
      {"set_atomic", "flag", [](io::file& f, bool odd, auto& e) { f.set_atomic(odd, e); },
       "it is on"},
      {"set_hints", "hints",
       [](io::file& f, bool odd, auto& e) {
         f.set_hints({.cb_buffer_bytes = odd ? 1 << 20 : 2 << 20}, e);
       }},
      {"seek_shared", "offset",
       [](io::file& f, bool odd, auto& e) { f.seek_shared(odd ? 1 : 2, io::seek_from::start, e); }},
      {"seek_shared", "whence",
       [](io::file& f, bool odd, auto& e) {
         f.seek_shared(0, odd ? io::seek_from::end : io::seek_from::start, e);
       },
       "it is end"},
  };
  for (bool const develop : {false, true}) {
    table cells(world, develop ? "different arguments, develop mode" : "different arguments");
    for (difference const& d : all)
      for (int r = 0; r < world.size(); ++r) {
        cells.begin(std::string(d.call) + ", " + d.argument + ", rank " + std::to_string(r) +
                    " differs");
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
        cells.expect(contains(words, "'" + std::string(d.argument) + "'"),
                     "does not name the argument: " + words);
        cells.expect(contains(words, std::string(d.call) + " of '"),
                     "does not name the call: " + words);
        cells.expect(contains(words, d.shown), "does not tell what was given: " + words);
        // The words must name both ranks that differ: rank r and another one.
        cells.expect(contains(words, "rank " + std::to_string(r)) ||
                         contains(words, "and " + std::to_string(r)),
                     "does not name the rank: " + words);
        if (develop)
          cells.expect(contains(words, "faults_arguments.cpp:"),
                       "does not name the place: " + words);
        cells.expect(!second.is_open() && open_descriptors() == descriptors,
                     "a descriptor is left");
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
    io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write,
                                {{.develop = develop}, error});
    CHECK_FALSE(error);
    if (error) return;
    for (auto const& [name, run] : calls)
      for (auto const& [other_name, other] : calls) {
        if (std::string_view(name) == other_name) continue;
        int const odd = cells.cells() % world.size();
        cells.begin(std::string(other_name) + " on rank " + std::to_string(odd) + ", " + name +
                    " elsewhere");
        (world.rank() == odd ? other : run)(f, error);
        cells.expect(error == errc::not_same, error.message());
        cells.expect(contains(f.what_failed(), "different collective calls"), f.what_failed());
        cells.expect(f.is_open(), "is closed");
        if (develop)
          cells.expect(contains(f.what_failed(), name, " at ") &&
                           contains(f.what_failed(), other_name, " at ") &&
                           contains(f.what_failed(), "faults_arguments.cpp:"),
                       f.what_failed());
        cells.end();
      }
    f.close(error);
    CHECK_FALSE(error);
  }
}
