// ARGOSY_TRACE=phases: what calls on real files do when, and that it adds up to their time.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/argosy.hpp>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <boost/mpi.hpp>

#include <tools/argosy/trace_events.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"

namespace io = argosy;
using io::tool::trace_event;

namespace {

struct variable {
  variable(char const* name, std::string const& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~variable() { ::unsetenv(name_); }
  char const* name_;
};

// Of the traces in a directory, those of this rank.
io::tool::trace trace_of(std::string const& directory, int rank) {
  std::vector<std::string> paths;
  for (auto const& e : std::filesystem::directory_iterator(directory))
    if (e.path().filename().string().find("-rank" + std::to_string(rank) + ".") != std::string::npos)
      paths.push_back(e.path().string());
  REQUIRE(paths.size() == 1);
  return io::tool::read_traces(paths);
}

// The time of each kind of phase inside of a call, without what lies inside of it.
std::map<std::string, std::int64_t> own_times(io::tool::trace const& t, trace_event const& call) {
  std::map<std::string, std::int64_t> own;
  for (trace_event const& e : t.events) {
    if (e.begin_ns < call.begin_ns || e.end_ns() > call.end_ns()) continue;
    std::int64_t inside = 0;
    for (trace_event const& f : t.events) {
      bool const within = &f != &e && f.begin_ns >= e.begin_ns && f.end_ns() <= e.end_ns() && f.category != e.category;
      // Only what is directly inside.
      bool direct = within;
      for (trace_event const& g : t.events)
        direct = direct && !(&g != &e && &g != &f && g.begin_ns >= e.begin_ns && g.end_ns() <= e.end_ns() &&
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
  boost::mpi::communicator const world;
  for (std::string const format : {"text", "chrome"}) {
    std::string name;
    std::unique_ptr<argosy::test::scratch> dir;
    if (world.rank() == 0) {
      dir = std::make_unique<argosy::test::scratch>();
      name = dir->string();
    }
    boost::mpi::broadcast(world, name, 0);
    variable const on("ARGOSY_TRACE", "phases"), where("ARGOSY_TRACE_DIR", name), how("ARGOSY_TRACE_FORMAT", format);
    std::int64_t took = 0;
    {
      auto f = io::file::open(world, name + "/data", io::mode::create | io::mode::read_write);
      std::vector<std::byte> const mine(1 << 20, std::byte{1});
      f.set_view(512 * world.rank(), {io::bytes(1), io::resized(io::bytes(512), 0, 512 * world.size())});
      auto const begin = std::chrono::steady_clock::now();
      f.write_all(mine, io::two_phase{});
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
    CHECK(call->file == name + "/data");
    // What the program saw holds the call, and little else; writing the trace comes after it.
    CHECK(call->took_ns <= took);
    auto const own = own_times(t, *call);
    std::int64_t sum = 0;
    for (auto const& [kind, ns] : own) {
      CAPTURE(kind);
      CHECK(ns >= 0);
      sum += ns;
    }
    CHECK(std::abs(static_cast<double>(sum - call->took_ns)) <= 0.02 * static_cast<double>(call->took_ns));
    CHECK(own.at("call") * 2 < call->took_ns);
    CHECK(own.contains("agreement"));
    CHECK(own.contains("exchange"));
    int files = 0;
    for (trace_event const& e : t.events)
      files += e.category == "file" && e.name == "write" && e.bytes > 0 && e.offset >= 0;
    int const all = boost::mpi::all_reduce(world, files, std::plus<>());
    CHECK(all > world.size());  // the local call of each rank, and the windows of the collective one
    world.barrier();
  }
}

TEST_CASE("without phases a trace has calls only, and off has none", "[phases][mpi]") {
  boost::mpi::communicator const world;
  argosy::test::scratch const dir;
  for (std::string const mode : {"off", "calls"}) {
    std::string const traces = dir / mode;
    std::filesystem::create_directory(traces);
    variable const on("ARGOSY_TRACE", mode), where("ARGOSY_TRACE_DIR", traces);
    auto f = io::basic_file<io::self>::open(io::self(), dir / "f", io::mode::create | io::mode::write);
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
