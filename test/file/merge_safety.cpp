// Merges: when a rank may merge, and what protects the writes of others in its window. One page
// because one oracle serves all states and pairs of calls.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/exchange/detail/write_guard.hpp>
#include <argosy/file/detail/state/lone_writes.hpp>
#include <argosy/file/detail/state/merge_safety.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/policy/storage.hpp>
#include <argosy/world/shared_memory.hpp>

#include "file/storages.hpp"
#include "support/catch.hpp"
#include "support/memory_handle.hpp"

namespace io = argosy;
using io::mode;
using io::tristate;
using io::detail::lone_writes;
using io::detail::merge_safety;
using io::detail::merging;
using io::detail::write_gate;
using io::test::gluster;
using io::test::lustre;
using io::test::memory_file;
using io::test::memory_handle;
using io::test::moose;
using io::test::nfs;
using io::test::traits;
using io::test::unique;

namespace {

// --- Situations: the modes of a file, its storage, its hints. All its ranks are in the same one.

enum class locks { work, lack, are_vain };

struct situation {
  mode how = mode::write;
  int ranks = 3;
  bool near = true;
  bool gates = true;  // false: there was no memory for them
  io::extend::storage on = {};
  tristate asked = tristate::automatic;
  bool agreed = false;
  bool reads = true;  // permissions let the ranks read
  locks have = locks::work;

  bool is_unique() const { return has(how, mode::unique_open); }
};

// One rank of such a file. All ranks share `lines`, which begin as zeros.
class rank_of {
 public:
  rank_of(situation const& s, int rank, io::extend::shared_memory const& lines)
      : file(memory_handle(std::make_shared<memory_file>())) {
    merges.begin(s.how, rank, s.ranks);
    merges.can_read(s.reads);
    bool none = false;
    if (merges.enters()) merges.enter(file, 7, none);
    if (s.have == locks::lack) merges.lacks_locks();
    merges.meet(gate_of(s, rank, lines), s.near);
    merges.lies_on(s.on);
    if (s.have == locks::are_vain) merges.locks_in_vain();
    merges.follow(s.asked);
    merges.agree(s.agreed);
  }
  merge_safety merges;
  io::extend::any_handle file;

 private:
  static write_gate gate_of(situation const& s, int rank, io::extend::shared_memory const& lines) {
    if (!s.gates) return {};
    std::size_t const bytes = write_gate::bytes_for(s.ranks);
    if (s.near) return {lines.part(0, bytes), rank, s.ranks, nullptr};
    std::size_t const at = static_cast<std::size_t>(rank) * write_gate::bytes_for(1);
    return {lines.part(at, write_gate::bytes_for(1)), 0, 1, nullptr};
  }
};

io::extend::shared_memory lines_of_gates() {
  return io::extend::shared_memory::private_zeros(3 * write_gate::bytes_for(3));
}

// Calls `body` with each possible situation. Several nodes need several ranks. Locks can be in vain
// only if several nodes reach the file.
void for_all(std::function<void(situation const&)> const& body) {
  for (int bits = 0; bits < 3 << 9; ++bits) {
    auto const bit = [bits](int n) { return (bits >> n & 1) != 0; };
    situation s;
    s.ranks = 1 + (bits >> 9);
    if (bit(0)) s.how = s.how | mode::unique_open;
    s.agreed = bit(1);
    s.near = bit(2);
    s.gates = bit(3);
    s.on = traits(bit(4), bit(5), bit(6), bit(7));
    s.reads = bit(8);
    if (s.ranks == 1 && !s.near) continue;
    for (tristate const asked : {tristate::automatic, tristate::enable, tristate::disable})
      for (locks const have : {locks::work, locks::lack, locks::are_vain}) {
        if (have == locks::are_vain && (s.near || !s.on.over_network)) continue;
        s.asked = asked;
        s.have = have;
        body(s);
      }
  }
}

// --- Calls that write, each by a rank.

enum class by { rank, all, agent };

struct call {
  by who = by::rank;
  bool others = false;  // other threads or requests of the rank may write
  bool beside = false;  // this is a request
  bool agents = false;  // the file has agents
};

// A request counts as one of the `others`.
constexpr std::array<call, 9> calls{{{by::rank},
                                     {by::rank, true},
                                     {by::rank, true, true},
                                     {by::rank, false, false, true},
                                     {by::rank, true, false, true},
                                     {by::rank, true, true, true},
                                     {by::all},
                                     {by::all, true},
                                     {by::agent, true, false, true}}};

merging of(merge_safety const& m, call const& c) {
  if (c.who == by::all) return m.together(c.others);
  if (c.who == by::agent) return m.of_agent();
  return m.alone(c.others, c.beside, c.agents);
}

// Returns true if both calls may run at the same time, each on its rank, or both on one.
bool at_once(situation const& s, call const& a, call const& b, bool one_rank) {
  bool const collective = a.who == by::all || b.who == by::all;
  bool const agent = a.who == by::agent || b.who == by::agent;
  if (!collective && a.agents != b.agents) return false;
  // During a collective call all ranks are in it, so only threads, requests and agents write. Each
  // window of that call belongs to one rank.
  if (collective || (one_rank && !agent)) return a.others && b.others;
  return s.ranks > 1;
}

// Returns true if the write of `w` takes a lock while `m` merges.
bool locks_meanwhile(rank_of const& of_w, call const& w, merging const& how, rank_of const& of_m,
                     call const& m) {
  if (how.writing != merging::others::ranks) return false;
  bool const collective = m.who == by::all || w.who == by::all;
  write_gate::closed const by_merge(of(of_m.merges, m).gate);
  write_gate::closed const by_all(collective ? of_w.merges.gate_of_node() : nullptr);
  return !how.gate || !how.announces || !write_gate::writing(*how.gate);
}

// Returns why a merge by call `m` may lose what call `w` writes; empty if it does not.
std::string_view loss(situation const& s, rank_of const& of_m, call const& m, rank_of const& of_w,
                      call const& w, bool one_rank) {
  merging const how = of(of_m.merges, m);
  if (!how.allowed || !at_once(s, m, w, one_rank)) return {};
  if (how.writing != merging::others::ranks) return "the merge takes no lock";
  if (!locks_meanwhile(of_w, w, of(of_w.merges, w), of_m, m)) return "the write takes no lock";
  return {};
}

// Returns a mistake in a call that does not depend on other writes; empty if there is none.
std::string_view fault(situation const& s, rank_of const& r, call const& c) {
  merging const how = of(r.merges, c);
  bool const work = s.have == locks::work;
  if (how.opens && s.is_unique()) return "it looks for other opens, of which there are none";
  if (!how.opens && !s.is_unique()) return "other opens do not know of it";
  if (!s.near && s.on.separate_caches && !s.on.exact_writes && work &&
      (how.writing != merging::others::ranks || how.gate))
    return "a page with bytes of others may be written without a lock";
  if (!how.allowed) return {};
  if (!s.reads) return "it merges what it cannot read";
  if (!s.near && s.on.reads_late) return "what it reads may be old";
  if (how.writing == merging::others::none && !s.is_unique()) return "other opens may write";
  if (how.writing != merging::others::none && !work) return "it needs locks, and there are none";
  if (how.writing == merging::others::ranks && how.sees_all != s.near)
    return "it takes the gate of some ranks for that of all";
  return {};
}

// Returns true if the documentation promises that a call merges if its policy finds that cheaper.
bool merges_by_the_pages(situation const& s, call const& c) {
  if (!s.reads || (!s.near && s.on.reads_late)) return false;
  bool const agreed = s.agreed && s.asked == tristate::automatic;
  if (!s.near && c.who == by::rank && s.asked != tristate::enable && !agreed) return false;
  if (s.have == locks::work) return true;
  bool const alone = s.ranks == 1 && !c.others && c.who == by::rank;
  bool const by_itself = alone || (c.who == by::all && !c.others);
  bool const pages = !s.near && s.on.separate_caches && !s.on.exact_writes;
  return s.is_unique() && by_itself && !pages;
}

// Returns true if the documentation promises that a plain write takes no lock while no rank merges.
bool goes_free(situation const& s, call const& c) {
  if (!s.gates || c.who == by::agent || c.beside) return false;
  if (s.near) return true;
  if (s.on.separate_caches && !s.on.exact_writes) return false;
  bool const agreed = s.agreed && s.asked == tristate::automatic;
  return c.who == by::all || (s.asked != tristate::enable && !agreed && !c.agents);
}

std::string words(situation const& s, call const& c) {
  auto const yes = [](bool is, char const* what) { return is ? std::string(" ") + what : ""; };
  return std::to_string(s.ranks) + " ranks" + yes(s.is_unique(), "unique") + yes(s.near, "near") +
         yes(s.gates, "gates") + yes(s.on.over_network, "network") +
         yes(s.on.separate_caches, "caches") + yes(s.on.exact_writes, "exact") +
         yes(s.on.reads_late, "late") + " hint " + std::to_string(static_cast<int>(s.asked)) +
         yes(s.agreed, "agreed") + yes(s.reads, "reads") + " locks " +
         std::to_string(static_cast<int>(s.have)) + "; call " +
         std::to_string(static_cast<int>(c.who)) + yes(c.others, "others") +
         yes(c.beside, "beside") + yes(c.agents, "agents");
}

// --- Exact answers, as words.

std::string words(merging const& m) {
  std::string all = m.writing == merging::others::none       ? "none"
                    : m.writing == merging::others::programs ? "programs"
                                                             : "ranks";
  auto const add = [&](bool is, char const* what) { all += is ? std::string(", ") + what : ""; };
  add(m.allowed, "merges");
  add(m.opens != nullptr, "opens");
  add(m.gate != nullptr, "gate");
  add(!m.announces, "locks");
  add(m.announced_bytes == std::numeric_limits<std::int64_t>::max(), "long ones too");
  add(m.owns_windows, "owns");
  add(!m.waits, "never waits");
  add(!m.sees_all, "sees its node");
  merging rest = m;
  rest.announced_bytes = write_gate::most_bytes;
  if (m.announced_bytes != std::numeric_limits<std::int64_t>::max()) add(rest != m, "?");
  return all;
}

}  // namespace

TEST_CASE("a rank that may merge keeps out all that may be written meanwhile", "[file][merging]") {
  io::extend::shared_memory const lines = lines_of_gates();
  std::string_view wrong;
  for_all([&](situation const& s) {
    rank_of const first(s, 0, lines), last(s, s.ranks - 1, lines);
    for (call const& c : calls) {
      if (wrong = fault(s, first, c); !wrong.empty()) FAIL(wrong << ": " << words(s, c));
      for (call const& w : calls) {
        wrong = loss(s, first, c, first, w, true);
        if (wrong.empty()) wrong = loss(s, first, c, last, w, false);
        if (!wrong.empty()) FAIL(wrong << ": " << words(s, c) << "; with it " << words(s, w));
      }
    }
  });
}

TEST_CASE("ranks merge, and write without locks, wherever the pages promise it",
          "[file][merging]") {
  io::extend::shared_memory const lines = lines_of_gates();
  for_all([&](situation const& s) {
    rank_of const r(s, 0, lines);
    for (call const& c : calls) {
      merging const how = of(r.merges, c);
      if (how.allowed != merges_by_the_pages(s, c))
        FAIL((how.allowed ? "merges: " : "does not merge: ") << words(s, c));
      bool const free = how.writing != merging::others::ranks || (how.gate && how.announces);
      if (!free && goes_free(s, c)) FAIL("locks: " << words(s, c));
    }
  });
}

namespace {

struct row {
  char const* what;
  situation in;
  call of;
  char const* then;
};

constexpr call thread{by::rank, true}, request{by::rank, true, true}, together{by::all},
    together_with_threads{by::all, true}, beside_agents{by::rank, false, false, true},
    request_beside_agents{by::rank, true, true, true}, agent{by::agent, true, false, true};

std::vector<row> rows_of_a_node() {
  return {
      {"the only rank keeps other opens out, and locks no window",
       {.ranks = 1},
       {},
       "programs, merges, opens"},
      {"a second thread is as another rank", {.ranks = 1}, thread, "ranks, merges, opens, gate"},
      {"a request locks: no rank waits for its end",
       {.ranks = 1},
       request,
       "ranks, merges, opens, gate, locks"},
      {"a unique file of one rank needs no locks", {.how = unique, .ranks = 1}, {}, "none, merges"},
      {"nor if there are none",
       {.how = unique, .ranks = 1, .have = locks::lack},
       {},
       "none, merges"},
      {"it cannot be merged if it cannot be read",
       {.how = unique, .ranks = 1, .reads = false},
       {},
       "none"},
      {"threads of a unique file interfere",
       {.how = unique, .ranks = 1},
       thread,
       "ranks, merges, gate"},
      {"and without locks nothing is merged",
       {.how = unique, .ranks = 1, .have = locks::lack},
       thread,
       "none"},
      {"ranks of a unique file interfere", {.how = unique}, {}, "ranks, merges, gate"},
      {"but not in a collective call",
       {.how = unique},
       together,
       "none, merges, owns, never waits"},
      {"unless threads write",
       {.how = unique},
       together_with_threads,
       "ranks, merges, gate, never waits"},
      {"ranks of a node see each other", {}, {}, "ranks, merges, opens, gate"},
      {"without a gate all take locks", {.gates = false}, {}, "ranks, merges, opens"},
      {"write permission alone", {.reads = false}, {}, "ranks, opens, gate"},
      {"a rank without locks", {.have = locks::lack}, {}, "none, opens"},
      {"a request where there are no locks", {.have = locks::lack}, request, "none, opens, locks"},
      {"a collective call", {}, together, "ranks, merges, opens, gate, owns, never waits"},
      {"a collective call beside requests",
       {},
       together_with_threads,
       "ranks, merges, opens, gate, never waits"},
      {"a collective call of one rank",
       {.ranks = 1},
       together,
       "programs, merges, opens, owns, never waits"},
      {"an agent", {}, agent, "ranks, merges, opens, gate"},
      {"a rank beside agents of its node", {}, beside_agents, "ranks, merges, opens, gate"},
      {"what a file lies on is nothing to a node", {.on = nfs}, {}, "ranks, merges, opens, gate"},
      {"nor if it is read late", {.on = moose}, {}, "ranks, merges, opens, gate"},
      {"nor do hints keep a node from merging",
       {.asked = tristate::disable},
       {},
       "ranks, merges, opens, gate"},
  };
}

situation far(io::extend::storage const& s, mode how = mode::write) {
  return {.how = how, .near = false, .on = s};
}
situation asking(io::extend::storage const& s, tristate asked, bool agreed) {
  return {.near = false, .on = s, .asked = asked, .agreed = agreed};
}
situation having(io::extend::storage const& s, locks have) {
  return {.near = false, .on = s, .have = have};
}

std::vector<row> rows_of_nodes() {
  return {
      {"ranks of several nodes do not merge by themselves",
       far(lustre),
       {},
       "ranks, opens, gate, sees its node"},
      {"by the hint they do, and lock",
       asking(lustre, tristate::enable, false),
       {},
       "ranks, merges, opens, sees its node"},
      {"and by agreement",
       asking(lustre, tristate::automatic, true),
       {},
       "ranks, merges, opens, sees its node"},
      {"but not if they are told not to",
       asking(lustre, tristate::disable, true),
       {},
       "ranks, opens, gate, sees its node"},
      {"collective calls do", far(lustre), together,
       "ranks, merges, opens, gate, owns, never waits, sees its node"},
      {"those of a unique file without a lock", far(lustre, unique), together,
       "none, merges, owns, never waits"},
      {"agents do", far(lustre), agent, "ranks, merges, opens, sees its node"},
      {"so that all beside them lock", far(lustre), beside_agents, "ranks, opens, sees its node"},
      {"locks end at the node: nothing is merged", having(lustre, locks::are_vain), together,
       "none, opens, owns, never waits"},
      {"nor by ranks", having(lustre, locks::are_vain), {}, "none, opens"},
  };
}

std::vector<row> rows_of_caches() {
  return {
      {"GlusterFS: what is under no lock may be long",
       far(gluster),
       {},
       "ranks, opens, gate, long ones too, sees its node"},
      {"GlusterFS: requests lock", far(gluster), request,
       "ranks, opens, gate, locks, long ones too, sees its node"},
      {"GlusterFS: requests lock beside agents", far(gluster), request_beside_agents,
       "ranks, opens, locks, long ones too, sees its node"},
      {"GlusterFS: agents merge", far(gluster), agent,
       "ranks, merges, opens, long ones too, sees its node"},
      {"NFS: all writes lock", far(nfs), {}, "ranks, opens, long ones too, sees its node"},
      {"NFS: those of a unique file, too",
       far(nfs, unique),
       {},
       "ranks, long ones too, sees its node"},
      {"NFS: also in a collective call", far(nfs, unique), together,
       "ranks, merges, long ones too, owns, never waits, sees its node"},
      {"NFS: without locks nothing is merged", having(nfs, locks::lack), together,
       "none, opens, owns, never waits"},
      {"MooseFS: nothing is merged", asking(moose, tristate::enable, true), {}, "none, opens"},
      {"MooseFS: not by collective calls", far(moose), together, "none, opens, owns, never waits"},
      {"MooseFS: not by agents", far(moose), agent, "none, opens"},
      {"read late, and whole pages: all lock",
       far(traits(true, true, false, true)),
       {},
       "ranks, opens, long ones too, sees its node"},
  };
}

}  // namespace

TEST_CASE("each call gets what the pages say of its node and its file system", "[file][merging]") {
  io::extend::shared_memory const lines = lines_of_gates();
  for (auto const& rows : {rows_of_a_node(), rows_of_nodes(), rows_of_caches()})
    for (row const& one : rows) {
      INFO(one.what);
      rank_of const r(one.in, 0, lines);
      merging const how = of(r.merges, one.of);
      CHECK(words(how) == one.then);
      if (how.gate)
        CHECK(how.gate == (one.in.near ? r.merges.gate_of_all() : r.merges.gate_of_node()));
    }
}

TEST_CASE("a rank that has locked all that it accesses keeps other opens out, and no rank",
          "[file][merging]") {
  io::extend::shared_memory const lines = lines_of_gates();
  for (bool const reads : {false, true})
    for (bool const near : {false, true}) {
      CAPTURE(reads, near);
      rank_of const shared({.near = near, .on = gluster, .reads = reads}, 0, lines);
      CHECK(words(shared.merges.under_lock()) ==
            (reads ? "programs, merges, opens" : "programs, opens"));
      rank_of const alone({.how = unique, .near = near, .reads = reads}, 0, lines);
      CHECK(words(alone.merges.under_lock()) == (reads ? "programs, merges" : "programs"));
    }
}

TEST_CASE("the short answers for a file's only rank are those of alone()", "[file][merging]") {
  io::extend::shared_memory const lines = lines_of_gates();
  int writing = 0, merged = 0;
  for_all([&](situation const& s) {
    rank_of const r(s, 0, lines);
    merging const how = r.merges.alone(false, false, false);
    bool const only = s.ranks == 1;
    bool const writes =
        only && how.writing != merging::others::ranks && !(how.opens && how.opens->unseen());
    bool const merges = only && how.writing == merging::others::none && !how.opens && how.allowed;
    if (r.merges.writes_freely() != writes) FAIL("writes: " << words(s, {}));
    if (r.merges.merges_freely() && !merges) FAIL("merges: " << words(s, {}));
    if (s.is_unique() && r.merges.merges_freely() != merges) FAIL("merges not: " << words(s, {}));
    writing += writes;
    merged += merges;
  });
  CHECK(writing > 0);
  CHECK(merged > 0);
}

TEST_CASE("a gate is that of all ranks, or of those of one node", "[file][merging]") {
  io::extend::shared_memory const lines = lines_of_gates();
  for (bool const near : {false, true}) {
    CAPTURE(near);
    rank_of r({.near = near}, 1, lines);
    CHECK(r.merges.is_near() == near);
    CHECK((r.merges.gate_of_all() != nullptr) == near);
    CHECK((r.merges.gate_of_node() != nullptr) != near);
    r.merges.leave();
    CHECK_FALSE(r.merges.gate_of_all());
    CHECK_FALSE(r.merges.gate_of_node());
    CHECK_FALSE(r.merges.alone(false, false, false).gate);
    CHECK(r.merges.is_near() == near);
    rank_of const none({.near = near, .gates = false}, 1, lines);
    CHECK_FALSE(none.merges.gate_of_all());
    CHECK_FALSE(none.merges.gate_of_node());
  }
}

TEST_CASE("a file is taken to lie on local storage until something else is known",
          "[file][merging]") {
  merge_safety m;
  m.begin(mode::write, 0, 3);
  m.meet({}, false);
  CHECK_FALSE(m.caches_differ());
  CHECK_FALSE(m.may_lock_in_vain());
  CHECK_FALSE(m.may_plan(tristate::automatic));
  CHECK(m.may_plan(tristate::enable));
  CHECK(words(m.together(true)) == "ranks, merges, never waits, sees its node");
}

TEST_CASE("policies are chosen again if ranks turn out to be apart, or agree otherwise",
          "[file][merging]") {
  merge_safety m;
  CHECK(m.is_near());
  CHECK_FALSE(m.meet({}, true));
  CHECK(m.meet({}, false));
  CHECK_FALSE(m.is_near());
  CHECK_FALSE(m.meet({}, false));
  CHECK(m.meet({}, true));
  CHECK_FALSE(m.agree(false));
  CHECK(m.agree(true));
  CHECK_FALSE(m.agree(true));
  CHECK(m.agree(false));
}

TEST_CASE("opens that may write enter the file, unless they are unique", "[file][merging]") {
  for (mode const how : {mode::read, mode::write, mode::read_write})
    for (mode const more : {mode::none, mode::create, mode::unique_open, mode::sequential}) {
      merge_safety m;
      CAPTURE(to_string(how | more));
      CHECK_FALSE(m.enters());
      m.begin(how | more, 0, 3);
      CHECK(m.enters() == (how != mode::read && more != mode::unique_open));
    }
}

TEST_CASE("locks are tried across nodes where several of them reach a file for writing",
          "[file][merging]") {
  io::extend::shared_memory const lines = lines_of_gates();
  for_all([&](situation const& s) {
    rank_of r(s, 0, lines);
    bool const tries = s.have == locks::work && s.on.over_network && !s.near;
    if (r.merges.may_lock_in_vain() != tries) FAIL(words(s, {}));
    r.merges.begin(mode::read, 0, s.ranks);
    if (r.merges.may_lock_in_vain()) FAIL("to read: " << words(s, {}));
  });
}

TEST_CASE("ranks of several nodes plan merges if all lock what they write", "[file][merging]") {
  io::extend::shared_memory const lines = lines_of_gates();
  for_all([&](situation const& s) {
    rank_of const r(s, 0, lines);
    for (tristate const hint : {tristate::automatic, tristate::enable, tristate::disable}) {
      bool const lock = hint == tristate::enable || (hint == tristate::automatic && s.agreed);
      if (r.merges.may_plan(hint) != (s.near || (lock && !s.on.reads_late)))
        FAIL(static_cast<int>(hint) << ": " << words(s, {}));
    }
  });
}

// --- Writes of a rank by itself.

TEST_CASE("a write counts when it begins and when it ends", "[file][merging]") {
  lone_writes writes;
  CHECK(writes.count() == 0);
  CHECK_FALSE(writes.are_unfound());
  {
    lone_writes::one const first(&writes);
    CHECK(writes.count() == 1);
    CHECK(writes.are_unfound());
    lone_writes::one const nobody_counts(nullptr);
    CHECK(writes.count() == 1);
    lone_writes::one const second(&writes);
    CHECK(writes.count() == 2);
    // A rank that has seen this count has not seen the end of the writes.
    writes.are_found(writes.count());
    CHECK_FALSE(writes.are_unfound());
  }
  CHECK(writes.count() == 4);
  CHECK(writes.are_unfound());
  writes.are_found(3);
  CHECK(writes.are_unfound());
  writes.are_found(4);
  CHECK_FALSE(writes.are_unfound());
}

TEST_CASE("writes count where nodes have caches of their own", "[file][merging]") {
  io::extend::shared_memory const lines = lines_of_gates();
  for_all([&](situation const& s) {
    rank_of r(s, 0, lines);
    merge_safety const& seen_by_others = r.merges;
    bool const differ = !s.near && s.on.separate_caches;
    if (r.merges.caches_differ() != differ) FAIL(words(s, {}));
    lone_writes* const counted = differ ? &r.merges.written_alone() : nullptr;
    if (r.merges.counted() != counted) FAIL("counted: " << words(s, {}));
    if (&seen_by_others.written_alone() != &r.merges.written_alone()) FAIL("two of them");
  });
}
