// ARGOSY_TRACE=phases: the phases of calls on real files must add up to the time of the call.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/basic_file.hpp>

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <argosy/argosy.hpp>
#include <tools/argosy/json.hpp>
#include <tools/argosy/trace_events.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/files_on_worlds.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using io::tool::trace_event;

namespace {

struct variable {
  variable(char const* name, std::string const& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~variable() { ::unsetenv(name_); }
  char const* name_;
};

// Returns the paths of a rank's traces in a directory: one, or none yet.
std::vector<std::string> paths_of(std::string const& directory, int rank) {
  std::vector<std::string> paths;
  for (auto const& e : std::filesystem::directory_iterator(directory))
    if (e.path().filename().string().find("-rank" + std::to_string(rank) + ".") !=
        std::string::npos)
      paths.push_back(e.path().string());
  return paths;
}

std::string path_of(std::string const& directory, int rank) {
  auto const paths = paths_of(directory, rank);
  REQUIRE(paths.size() == 1);
  return paths.front();
}
io::tool::trace trace_of(std::string const& directory, int rank) {
  return io::tool::read_traces({path_of(directory, rank)});
}

// Returns the time of each kind of phase within a call, without the phases inside of it.
std::map<std::string, std::int64_t> own_times(io::tool::trace const& t, trace_event const& call) {
  std::map<std::string, std::int64_t> own;
  for (trace_event const& e : t.events) {
    if (e.begin_ns < call.begin_ns || e.end_ns() > call.end_ns()) continue;
    if (e.name == "round") continue;  // a part of the exchange, which is counted
    std::int64_t inside = 0;
    for (trace_event const& f : t.events) {
      bool const within = &f != &e && f.begin_ns >= e.begin_ns && f.end_ns() <= e.end_ns() &&
                          f.category != e.category;
      // Counts only phases that are directly inside.
      bool direct = within;
      for (trace_event const& g : t.events)
        direct = direct &&
                 !(&g != &e && &g != &f && g.begin_ns >= e.begin_ns && g.end_ns() <= e.end_ns() &&
                   f.begin_ns >= g.begin_ns && f.end_ns() <= g.end_ns() && g.took_ns > f.took_ns &&
                   g.category != e.category);
      if (direct) inside += f.took_ns;
    }
    own[e.category] += e.took_ns - inside;
  }
  return own;
}

}  // namespace

TEST_CASE("phases of collective calls on real files add up to their time", "[phases][mpi]") {
  io::mpi const world(MPI_COMM_WORLD);
  argosy::test::shared_scratch const dir(world);
  std::string const name = dir / "";
  variable const on("ARGOSY_TRACE", "phases"), where("ARGOSY_TRACE_DIR", name);
  std::int64_t took = 0;
  io::report report;
  {
    auto f = io::file::open(world, name + "data", io::mode::create | io::mode::read_write);
    std::vector<std::byte> const mine(1 << 20, std::byte{1});
    f.set_view(512 * world.rank(),
               {io::bytes(1), io::resized(io::bytes(512), 0, 512 * world.size())});
    auto const begin = std::chrono::steady_clock::now();
    report = f.write_all(mine, io::two_phase{});
    took = (std::chrono::steady_clock::now() - begin).count();
    f.write_at(0, mine);
    f.close();
  }
  io::tool::trace const t = trace_of(name, world.rank());
  CHECK(t.faults.empty());
  trace_event const* call = nullptr;
  int local_calls = 0;
  for (trace_event const& e : t.events) {
    if (e.category == "call" && e.name == "write_all") call = &e;
    local_calls += e.category == "call" && e.name == "write_at" ? 1 : 0;
  }
  REQUIRE(call != nullptr);
  CHECK(local_calls == 1);
  CHECK(call->bytes == 1 << 20);
  CHECK(call->file == name + "data");
  // The trace is written after the call, so the time that the program measured includes the call,
  // and little else.
  CHECK(call->took_ns <= took);
  auto const own = own_times(t, *call);
  std::int64_t sum = 0;
  for (auto const& [kind, ns] : own) {
    CAPTURE(kind);
    CHECK(ns >= 0);
    sum += ns;
  }
  CHECK(std::abs(static_cast<double>(sum - call->took_ns)) <=
        0.02 * static_cast<double>(call->took_ns));
  CHECK(own.at("call") * 2 < call->took_ns);
  CHECK(own.contains("agreement"));
  CHECK(own.contains("exchange"));
  auto const rounds = std::count_if(t.events.begin(), t.events.end(), [&](trace_event const& e) {
    return e.category == "exchange" && e.name == "round" && e.begin_ns >= call->begin_ns &&
           e.end_ns() <= call->end_ns();
  });
  CHECK(rounds >= report.rounds);
  CHECK(rounds <= 2 * report.rounds);
  int files = 0;
  for (trace_event const& e : t.events)
    files += e.category == "file" && e.name == "write" && e.bytes > 0 && e.offset >= 0;
  int all = 0;
  MPI_Allreduce(&files, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(all > world.size());  // the local call of each rank, and the windows of the collective one
  world.barrier();
}

namespace {

void check_arrows(io::tool::trace const& t) {
  struct ends {
    boost::json::value const* from = nullptr;
    boost::json::value const* to = nullptr;
  };
  boost::json::value const all = io::tool::parse_json(io::tool::perfetto_json(t));
  std::map<std::int64_t, ends> arrows;
  for (boost::json::value const& e : all.at("traceEvents").as_array()) {
    if (e.at("ph").as_string() == "s") arrows[e.at("id").as_int64()].from = &e;
    if (e.at("ph").as_string() == "f") arrows[e.at("id").as_int64()].to = &e;
  }
  CHECK(2 * arrows.size() == t.messages.size());
  for (auto const& [id, a] : arrows) {
    REQUIRE((a.from && a.to));
    auto const pid = [](boost::json::value const& e) { return e.at("pid").as_int64(); };
    auto const of = [](boost::json::value const& e, char const* n) {
      return e.at("args").at(n).as_int64();
    };
    CHECK(pid(*a.from) == of(*a.to, "peer"));
    CHECK(pid(*a.to) == of(*a.from, "peer"));
    CHECK(of(*a.from, "bytes") == of(*a.to, "bytes"));
    CHECK(a.from->at("ts").to_number<double>() <= a.to->at("ts").to_number<double>());
  }
}

}  // namespace

TEST_CASE("messages between nodes are arrows from their send to their receive", "[phases][mpi]") {
  io::mpi const ranks(MPI_COMM_WORLD);
  // Each rank is on a node of its own.
  argosy::test::nodes_world const world{ranks, {}};
  argosy::test::shared_scratch const dir(world);
  std::string const name = dir / "";
  variable const on("ARGOSY_TRACE", "phases"), where("ARGOSY_TRACE_DIR", name);
  io::report moved;
  {
    auto f = io::basic_file<argosy::test::nodes_world>::open(
        world, name + "data", io::mode::create | io::mode::read_write);
    std::vector<std::byte> mine(64 << 10, std::byte{1});
    f.set_view(512 * world.rank(),
               {io::bytes(1), io::resized(io::bytes(512), 0, 512 * world.size())});
    io::two_phase const policy{.window_bytes = 16 << 10, .aggregators = 2};
    moved = f.write_at_all(0, mine, policy);
    moved.message_bytes += f.read_at_all(0, mine, policy).message_bytes;
    f.close();
  }
  ranks.barrier();
  std::vector<std::string> paths;
  for (int r = 0; r < ranks.size(); ++r) paths.push_back(path_of(name, r));
  io::tool::trace const t = io::tool::read_traces(paths);
  CHECK(t.faults.empty());
  std::int64_t sent = 0, mine = 0, received = 0;
  for (io::tool::trace_message const& m : t.messages) {
    (m.sent ? sent : received) += m.bytes;
    if (m.sent && m.rank == ranks.rank()) mine += m.bytes;
    // The message lies within a call of its thread.
    CHECK(std::any_of(t.events.begin(), t.events.end(), [&](trace_event const& e) {
      return e.category == "call" && e.rank == m.rank && e.thread == m.thread &&
             e.begin_ns <= m.at_ns && m.at_ns <= e.end_ns();
    }));
  }
  CHECK(sent == received);
  CHECK(mine == moved.message_bytes);
  CHECK((sent > 0) == (ranks.size() > 1));
  check_arrows(t);
  ranks.barrier();
}

TEST_CASE("calls that do not wait have their phases, too, wherever they are carried out",
          "[phases][mpi]") {
  io::mpi const ranks(MPI_COMM_WORLD);
  auto const check = [&]<class World>(World const& world) {
    argosy::test::shared_scratch const dir(world);
    std::string const name = dir / "";
    variable const on("ARGOSY_TRACE", "phases"), where("ARGOSY_TRACE_DIR", name);
    {
      auto f = io::basic_file<World>::open(world, name + "data",
                                           io::mode::create | io::mode::read_write);
      std::vector<std::byte> const mine(64 << 10, std::byte{1});
      auto together = f.iwrite_at_all(world.rank() * std::ssize(mine), mine);
      together.wait();
      f.iwrite_at(world.rank() * std::ssize(mine), mine).wait();
      f.close();
    }
    io::tool::trace const t = io::tool::read_traces({path_of(name, world.rank())});
    for (std::string const call : {"iwrite_at_all", "iwrite_at"}) {
      CAPTURE(call);
      CHECK(std::count_if(t.events.begin(), t.events.end(), [&](trace_event const& e) {
              return e.category == "call" && e.name == call && e.bytes == 64 << 10;
            }) == 1);
    }
    world.barrier();
  };
  check(ranks);  // carried out on a thread, because all ranks share memory
  check(argosy::test::nodes_world{ranks, {}});  // carried out by the rank that waits
}

TEST_CASE("a rank that waits for others has written all that it did before", "[phases][mpi]") {
  io::mpi const world(MPI_COMM_WORLD);
  if (world.size() == 1) return;
  std::vector<std::byte> const mine(100);
  // The other ranks make the call at once. Rank 0 makes it when it has seen in their traces what
  // they did before.
  auto const look = [&](std::string const& directory, std::string const& mode, int number,
                        auto const& call) {
    io::file f;
    variable const on("ARGOSY_TRACE", mode), where("ARGOSY_TRACE_DIR", directory);
    f = io::file::open(world, directory + "/data" + std::to_string(number),
                       io::mode::create | io::mode::read_write);
    for (int i = 0; i < 3; ++i) f.write_at(1000 * number + i, mine);
    bool seen = true;
    std::string const last = "\"offset\":" + std::to_string(1000 * number + 2) + ",";
    auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    auto const has_told = [&](int r) {  // the trace file of a rank is made at its first write
      auto const paths = paths_of(directory, r);
      return !paths.empty() &&
             argosy::test::content_of(paths.front()).find(last) != std::string::npos;
    };
    for (int r = 1; r < world.size() && world.rank() == 0; ++r)
      while (!has_told(r) && seen) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        seen = std::chrono::steady_clock::now() < until;
      }
    CHECK(seen);
    call(f);
    f.close();
  };
  for (std::string const mode : {"calls", "phases"}) {
    CAPTURE(mode);
    argosy::test::shared_scratch const dir(world);
    std::string const name = dir / "";
    look(name, mode, 1, [&](io::file& f) { f.write_at_all(0, mine); });
    look(name, mode, 2, [&](io::file& f) { f.write_at_all(0, mine, io::two_phase{}); });
    look(name, mode, 3, [&](io::file& f) { f.sync(); });
    look(name, mode, 4,
         [&](io::file& f) { f.set_view(io::view(0, io::type<int>, io::type<int>)); });
    look(name, mode, 5, [&](io::file&) {
      io::file::open(world, name + "other", io::mode::create | io::mode::write);
    });
    look(name, mode, 6, [&](io::file& f) { f.iwrite_at_all(0, mine).wait(); });
    world.barrier();
  }
}

TEST_CASE("without phases a trace has calls only, and off has none", "[phases][mpi]") {
  io::mpi const world(MPI_COMM_WORLD);
  argosy::test::scratch const dir;
  for (std::string const mode : {"off", "calls"}) {
    std::string const traces = dir / mode;
    std::filesystem::create_directory(traces);
    variable const on("ARGOSY_TRACE", mode), where("ARGOSY_TRACE_DIR", traces);
    auto f =
        io::basic_file<io::self>::open(io::self(), dir / "f", io::mode::create | io::mode::write);
    std::vector<std::byte> const mine(100);
    f.write_at(0, mine);
    f.close();
    if (mode == "off") {
      CHECK(std::filesystem::is_empty(traces));
      continue;
    }
    io::tool::trace const t = trace_of(traces, 0);
    for (trace_event const& e : t.events) CHECK(e.category == "file");
  }
}
