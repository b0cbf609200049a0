// Phases of calls: they nest, cost nothing without a listener, and add up to the time of the call.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/agree/detail/phase.hpp>
#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/policy.hpp>

#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace io = argosy;
using io::detail::phase;

namespace {

// Records the phases.
class listener final : public io::detail::phase_listener {
 public:
  void begin(phase p, io::detail::phase_facts const& facts) noexcept override {
    heard += "(" + std::string(facts.name.empty() ? name_of(p) : facts.name);
  }
  void end(phase) noexcept override { heard += ")"; }
  std::string heard;
};

bool is_phase(std::string_view kind) {
  for (std::size_t p = 0; p < io::detail::phase_count; ++p)
    if (kind == name_of(static_cast<phase>(p))) return true;
  return false;
}

// Every rank has each size-th stretch of 512 bytes, so that all ranks exchange with all.
io::lab::virtual_report written_by(io::lab::scenario s, io::extend::any_policy policy,
                                   bool timeline) {
  io::lab::virtual_files const files;
  return io::lab::virtual_cluster(std::move(s), {.timeline = timeline})
      .run([&](io::lab::virtual_rank const& world) {
        auto f = io::lab::virtual_file::open(world, "f", io::mode::create | io::mode::write, {},
                                             files.opener());
        std::vector<std::byte> const mine(64 << 10, std::byte{1});
        f.set_view(512 * world.rank(), io::resized(io::bytes(512), 0, 512 * world.size()));
        f.write_all(mine, policy);
        f.close();
      });
}

struct call_times {
  std::int64_t took = 0;
  // time of each kind of phase, without phases inside of it
  std::map<std::string, std::int64_t> own;
};

// Returns the times of each rank's only call. Spans are ordered by their ends, so inner spans come
// first.
std::vector<call_times> times_of(io::lab::virtual_report const& r, int ranks) {
  std::vector<call_times> all(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    auto const call =
        std::find_if(r.timeline.begin(), r.timeline.end(), [&](io::lab::virtual_span const& s) {
          return s.rank == rank && s.kind == std::string_view("call");
        });
    REQUIRE(call != r.timeline.end());
    call_times& mine = all[static_cast<std::size_t>(rank)];
    mine.took = call->end_ps - call->begin_ps;
    std::vector<io::lab::virtual_span> open;  // spans that have ended, and lie in no other one yet
    for (io::lab::virtual_span const& s : r.timeline) {
      // The virtual file adds a span of the same name inside of the phase. Only that of the phase
      // counts.
      bool const counts = is_phase(s.kind) && (s.kind != "file" || s.offset >= 0);
      if (s.rank != rank || !counts || s.begin_ps < call->begin_ps || s.end_ps > call->end_ps)
        continue;
      std::int64_t inside = 0;
      while (!open.empty() && open.back().begin_ps >= s.begin_ps) {
        inside += open.back().end_ps - open.back().begin_ps;
        open.pop_back();
      }
      mine.own[std::string(s.kind)] += s.end_ps - s.begin_ps - inside;
      open.push_back(s);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("phases nest, and are heard only while somebody listens in this thread", "[phases]") {
  listener to;
  {
    io::detail::in_phase const nobody(phase::call);
  }
  {
    io::detail::hearing_phases const hears(&to);
    io::detail::in_phase const call(phase::call, {.name = "write_all"});
    {
      io::detail::in_phase const begins(phase::agreement);
    }
    {
      io::detail::in_phase const moves(phase::exchange);
      io::detail::hearing_phases const nothing_new(nullptr);
      io::detail::in_phase const waits(phase::waiting);
    }
  }
  {
    io::detail::in_phase const nobody(phase::file);
  }
  CHECK(to.heard == "(write_all(agreement)(exchange(waiting)))");
}

TEST_CASE("a timeline of virtual ranks has all phases, and they add up to the time of the call",
          "[phases][virtual]") {
  constexpr int ranks = 8;
  auto const r = written_by({.ranks = ranks, .ranks_per_node = 4, .seed = 3},
                            io::two_phase{.buffer_bytes = 64 << 10, .align_bytes = 512}, true);
  std::map<std::string, std::int64_t> all;
  for (call_times const& c : times_of(r, ranks)) {
    REQUIRE(c.took > 0);
    std::int64_t sum = 0;
    for (auto const& [kind, ps] : c.own) {
      CHECK(ps >= 0);
      sum += ps;
      all[kind] += ps;
    }
    CHECK(std::abs(static_cast<double>(sum - c.took)) <= 0.02 * static_cast<double>(c.took));
    // The phases must have most of the time, because the call alone would add up, too.
    CHECK(c.own.at("call") * 2 < c.took);
  }
  for (std::string const kind : {"agreement", "exchange", "waiting", "file"}) {
    CAPTURE(kind);
    CHECK(all[kind] > 0);
  }
}

TEST_CASE("locks are a phase of their own", "[phases][virtual]") {
  auto const r = written_by({.ranks = 4, .ranks_per_node = 4, .seed = 3},
                            io::sieving{.writes = io::sieving_mode::always}, true);
  std::int64_t locks = 0;
  for (call_times const& c : times_of(r, 4))
    locks += c.own.contains("locks") ? c.own.at("locks") : 0;
  CHECK(locks > 0);
}

TEST_CASE("messages that were received are arrows from their send to their receive",
          "[phases][virtual]") {
  auto const r = written_by({.ranks = 8, .ranks_per_node = 4, .seed = 3},
                            io::two_phase{.align_bytes = 512}, true);
  REQUIRE(!r.flows.empty());
  CHECK(std::count_if(r.timeline.begin(), r.timeline.end(), [](io::lab::virtual_span const& s) {
          return s.name == "send";
        }) == std::ssize(r.flows));
  for (io::lab::virtual_flow const& f : r.flows) {
    CHECK(f.sent_ps < f.received_ps);
    CHECK(f.from / 4 != f.to / 4);
    // Both ends must lie in spans of their ranks, where the viewer draws them.
    auto const within = [&](int rank, std::int64_t at) {
      return std::any_of(r.timeline.begin(), r.timeline.end(), [&](io::lab::virtual_span const& s) {
        return s.rank == rank && s.begin_ps <= at && at <= s.end_ps;
      });
    };
    CHECK(within(f.from, f.sent_ps));
    CHECK(within(f.to, f.received_ps));
  }
}

TEST_CASE("listening changes nothing of a run", "[phases][virtual]") {
  io::lab::scenario const s{.ranks = 6, .ranks_per_node = 3, .seed = 9};
  auto const heard = written_by(s, io::two_phase{}, true),
             unheard = written_by(s, io::two_phase{}, false);
  CHECK(heard.trace_hash == unheard.trace_hash);
  CHECK(unheard.timeline.empty());
  CHECK(unheard.flows.empty());
}
