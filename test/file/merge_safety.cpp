// Merges: when a rank may merge, and what protects the writes of others in its window. One file,
// because one oracle serves all states and pairs of calls.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/error/errc.hpp>
#include <argosy/exchange/detail/write_guard.hpp>
#include <argosy/file/detail/state/lone_writes.hpp>
#include <argosy/file/detail/state/merge_safety.hpp>
#include <argosy/file/detail/state/used_view.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/view/view.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/memory_handle.hpp"

namespace io = argosy;
using io::errc;
using io::mode;
using io::tristate;
using io::detail::lone_writes;
using io::detail::merge_safety;
using io::detail::merging;
using io::detail::used_view;
using io::detail::write_gate;
using io::test::memory_file;
using io::test::memory_handle;
using io::test::scratch;

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

io::extend::storage traits(bool network, bool caches, bool exact, bool late) {
  return {.over_network = network,
          .separate_caches = caches,
          .exact_writes = exact,
          .reads_late = late};
}

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

io::extend::storage const lustre = traits(true, false, false, false);
io::extend::storage const gluster = traits(true, true, true, false);
io::extend::storage const nfs = traits(true, true, false, false);
io::extend::storage const moose = traits(true, true, true, true);

constexpr mode unique = mode::write | mode::unique_open;
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

// --- Views of ranks on several nodes.

namespace {

constexpr io::sieving always{
    .write_window_bytes = 32, .writes = io::sieving_mode::always, .merges = false};

used_view seen(io::view const& v, bool written = true) {
  return used_view(v, false, false, written);
}
// Returns `n` pieces of 8 bytes, with a hole of 8 bytes behind each.
auto pieces_with_holes(std::int64_t n) {
  return io::resized(io::vector(n, 8, 16, io::type<std::byte>), 0, 16 * n);
}
io::view const with_holes(0, io::type<std::byte>, pieces_with_holes(8));

// Each copy has 256 bytes. One of `parts` parts, the `nth`, consists of 8 pieces with holes; the
// rest is one stretch.
io::view with_holes_in_part(int nth, int parts) {
  std::vector<std::int64_t> lengths, places;
  std::int64_t const part = 256 / parts;
  std::int64_t at = 0;
  auto const add = [&](std::int64_t bytes, std::int64_t hole) {
    lengths.push_back(bytes);
    places.push_back(at);
    at += bytes + hole;
  };
  if (nth > 0) add(nth * part, 8);
  for (int i = 0; i < 8; ++i) add(part / 8, 1);
  if (nth + 1 < parts) add((parts - nth - 1) * part, 1);
  return {0, io::type<std::byte>,
          io::resized(io::hindexed(lengths, places, io::type<std::byte>), 0, at)};
}

// One of three ranks on nodes of their own, which may merge if its view has holes.
struct far_rank {
  merge_safety merges;
  far_rank() {
    merges.begin(mode::write, 1, 3);
    merges.meet({}, false);
    merges.lies_on(gluster);
  }
  bool would_merge(io::view const& v, io::sieving const& by = always, bool written = true) const {
    return merges.would_merge(seen(v, written), by);
  }
};

}  // namespace

TEST_CASE("a rank would merge in a view that has holes", "[file][merging]") {
  far_rank const r;
  CHECK(r.would_merge(with_holes));
  CHECK_FALSE(r.would_merge(io::view()));
  CHECK_FALSE(r.would_merge({16, io::type<int>, io::contiguous(8, io::type<int>)}));
  CHECK_FALSE(r.would_merge({0, io::type<std::byte>, io::contiguous(0, io::type<std::byte>)}));
  // The whole range of offsets.
  CHECK_FALSE(r.would_merge(
      {0, io::type<std::byte>,
       io::contiguous(std::numeric_limits<std::int64_t>::max(), io::type<std::byte>)}));
  // The last piece of a copy ends where the first one of the next copy begins.
  std::array<int, 2> const lengths{4, 4}, places{0, 12};
  io::view const touching(0, io::type<std::byte>,
                          io::hindexed(lengths, places, io::type<std::byte>));
  CHECK_FALSE(
      r.would_merge(touching, {.write_window_bytes = 8, .writes = io::sieving_mode::always}));
  CHECK(r.would_merge(touching, {.write_window_bytes = 16, .writes = io::sieving_mode::always}));
}

TEST_CASE("each byte of a short copy is looked at, and the smallest hole counts",
          "[file][merging]") {
  far_rank const r;
  io::sieving const short_windows{.write_window_bytes = 4, .writes = io::sieving_mode::always};
  auto const copies_of = [](auto const& type, std::int64_t extent) {
    return io::view(0, io::type<std::byte>, io::resized(type, 0, extent));
  };
  CHECK(r.would_merge(copies_of(io::type<std::byte>, 2), short_windows));
  CHECK_FALSE(r.would_merge(copies_of(io::type<std::byte>, 4), short_windows));
  auto const two_bytes = io::vector(2, 1, 10, io::type<std::byte>);
  CHECK(r.would_merge(copies_of(two_bytes, 12), short_windows));  // from the second byte on
  CHECK_FALSE(r.would_merge(copies_of(two_bytes, 14), short_windows));
  CHECK(r.would_merge(copies_of(io::contiguous(3, io::type<std::byte>), 4),
                      {.write_window_bytes = 5, .writes = io::sieving_mode::always}));
}

TEST_CASE("the policy says whether a window with holes would be merged", "[file][merging]") {
  far_rank const r;
  CHECK_FALSE(r.would_merge(with_holes, {.writes = io::sieving_mode::never}));
  io::extend::prices const dear_calls{.write_call_ns = 1e9}, dear_locks{.lock_ns = 1e9};
  CHECK(r.would_merge(with_holes, {.prices = dear_calls}));
  CHECK(r.would_merge(with_holes, {.prices = dear_calls, .merges = false}));
  CHECK_FALSE(r.would_merge(with_holes, {.prices = dear_locks}));
}

TEST_CASE("four windows of a copy of the filetype stand for all", "[file][merging]") {
  far_rank const r;
  for (int quarter = 0; quarter < 4; ++quarter) {
    CAPTURE(quarter);
    CHECK(r.would_merge(with_holes_in_part(quarter, 4)));
  }
  for (int eighth : {0, 2, 4, 6}) {
    CAPTURE(eighth);
    CHECK(r.would_merge(with_holes_in_part(eighth, 8)));
  }
  for (int eighth : {1, 3, 5, 7}) {
    CAPTURE(eighth);
    CHECK_FALSE(r.would_merge(with_holes_in_part(eighth, 8)));
  }
}

TEST_CASE("a view whose copies overlap merges in its first copy, and an unsorted one nowhere",
          "[file][merging]") {
  far_rank const r;
  auto const copies_each = [](std::int64_t extent) {
    return io::view(0, io::type<std::byte>,
                    io::resized(io::vector(2, 8, 24, io::type<std::byte>), 0, extent));
  };
  CHECK(seen(copies_each(8)).overlapping);
  CHECK(r.would_merge(copies_each(8)));
  CHECK_FALSE(r.would_merge(copies_each(8), always, false));
  CHECK_FALSE(seen(copies_each(16)).overlapping);
  CHECK_FALSE(r.would_merge(copies_each(16)));
}

TEST_CASE("no rank asks to merge where it may not, or where a hint says whether it does",
          "[file][merging]") {
  auto const merges_after = [](auto&& change) {
    far_rank r;
    change(r.merges);
    return r.would_merge(with_holes);
  };
  CHECK(merges_after([](merge_safety&) {}));
  CHECK(merges_after([](merge_safety& m) { m.begin(mode::read_write, 1, 3); }));
  CHECK(merges_after([](merge_safety& m) { m.begin(unique, 1, 3); }));
  CHECK(merges_after([](merge_safety& m) { m.agree(true); }));
  CHECK(merges_after([](merge_safety& m) { m.lies_on(nfs); }));
  CHECK_FALSE(merges_after([](merge_safety& m) { m.begin(mode::read, 1, 3); }));
  CHECK_FALSE(merges_after([](merge_safety& m) { m.meet({}, true); }));
  CHECK_FALSE(merges_after([](merge_safety& m) { m.lacks_locks(); }));
  CHECK_FALSE(merges_after([](merge_safety& m) { m.locks_in_vain(); }));
  CHECK_FALSE(merges_after([](merge_safety& m) { m.lies_on(moose); }));
  CHECK_FALSE(merges_after([](merge_safety& m) { m.can_read(false); }));
  CHECK_FALSE(merges_after([](merge_safety& m) { m.follow(tristate::enable); }));
  CHECK_FALSE(merges_after([](merge_safety& m) { m.follow(tristate::disable); }));
}

// --- Files.

namespace {

// A handle that records calls of locks and syncs.
class noting : public io::extend::forwarding<noting, io::extend::any_handle> {
 public:
  noting(io::extend::any_handle h, std::shared_ptr<std::vector<std::string>> done)
      : io::extend::forwarding<noting, io::extend::any_handle>(std::move(h)),
        done_(std::move(done)) {}
  std::error_code reconcile() {
    done_->push_back("reconcile");
    return forwarding::reconcile();
  }
  template <class Act>
  io::extend::io_result around(io::extend::handle_call const& call, Act&& act) {
    std::string text(to_string(call.kind));
    if (call.kind == io::file_call::lock)
      text += call.lock == io::extend::lock_kind::shared ? " shared" : " exclusive";
    if (call.offset == merge_safety::lock_tried_at && call.length == 1) text += " tried";
    done_->push_back(std::move(text));
    return act();
  }

 private:
  std::shared_ptr<std::vector<std::string>> done_;
};

using texts = std::vector<std::string>;

// A file that several handles have open. Their locks exclude each other.
struct one_file {
  scratch dir{io::test::in_memory()};
  std::shared_ptr<io::fault_script> script = std::make_shared<io::fault_script>();
  std::shared_ptr<texts> done = std::make_shared<texts>();

  io::extend::any_handle open() const {
    std::error_code error;
    io::extend::any_handle h =
        io::posix_opener()(dir / "f", {.read = true, .write = true, .create = true}, error);
    if (error) throw std::system_error(error);
    h.target<io::posix>()->raw().longest_lock_wait = std::chrono::seconds(10);
    return h;
  }
  io::extend::any_handle noted(io::extend::any_handle h) const {
    return noting(io::extend::faulty(std::move(h), script), done);
  }
};

// One rank of an open of the file.
struct rank_in {
  io::extend::any_handle file;
  merge_safety merges;
  bool none = true;
  io::extend::failure failed;

  rank_in(one_file const& in, std::uint64_t number, int rank = 0, int ranks = 1) : file(in.open()) {
    merges.begin(mode::write, rank, ranks);
    failed = merges.enter(file, number, none);
  }
  bool is_alone() { return merges.is_alone(file); }
  io::detail::presence const& opens() const { return *merges.under_lock().opens; }
};

}  // namespace

TEST_CASE("ranks of one open are no strangers to each other, and a second open is",
          "[file][merging]") {
  one_file const f;
  rank_in a(f, 1, 0, 3), b(f, 1, 1, 3), c(f, 1, 2, 3);
  std::array<rank_in*, 3> const ranks{&a, &b, &c};
  for (rank_in* const r : ranks) {
    CHECK_FALSE(r->failed);
    CHECK_FALSE(r->none);
    CHECK(r->opens().obstacle().empty());
    CHECK(r->is_alone());
    CHECK_FALSE(r->opens().readmit(r->file));
  }
  {
    rank_in other(f, 2);
    CHECK_FALSE(other.failed);
    CHECK(other.opens().obstacle().empty());
    CHECK_FALSE(other.is_alone());
    for (rank_in* const r : ranks) CHECK_FALSE(r->is_alone());
  }
  for (rank_in* const r : ranks) CHECK(r->is_alone());
}

TEST_CASE("a rank that is alone stays so: an open of the file waits", "[file][merging]") {
  one_file const f;
  rank_in a(f, 1);
  CHECK(a.is_alone());
  auto enters = std::async(std::launch::async, [&] { return std::make_unique<rank_in>(f, 2); });
  CHECK(enters.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout);
  CHECK_FALSE(a.opens().readmit(a.file));
  std::unique_ptr<rank_in> const other = enters.get();
  CHECK_FALSE(other->failed);
  CHECK_FALSE(a.is_alone());
}

TEST_CASE("an open that came beside a strange lock is seen when it writes, though it never merges",
          "[file][merging]") {
  using change = void (*)(merge_safety&);
  for (change const after : {change([](merge_safety&) {}), change([](merge_safety& m) {
                               m.meet({}, false);
                               m.lies_on(moose);
                             }),
                             change([](merge_safety& m) { m.lacks_locks(); }),
                             change([](merge_safety& m) { m.locks_in_vain(); })}) {
    one_file const f;
    io::extend::any_handle program = f.open();
    CHECK_FALSE(program.lock(0, std::numeric_limits<std::int64_t>::max(),
                             io::extend::lock_kind::exclusive));
    rank_in r(f, 1);
    CHECK(r.opens().unseen());
    after(r.merges);
    program.close();
    rank_in other(f, 2);
    CHECK(other.is_alone());
    CHECK_FALSE(other.opens().readmit(other.file));
    io::report done;
    io::detail::write_guard<io::extend::any_handle> guard(
        r.file, r.merges.alone(false, false, false), done);
    CHECK_FALSE(guard.pieces(0, 8, [] { return std::error_code(); }));
    CHECK_FALSE(other.is_alone());
  }
}

TEST_CASE("a unique open is alone by promise, and one for reading never", "[file][merging]") {
  one_file const f;
  io::extend::any_handle file = f.noted(f.open());
  for (mode const how : {mode::read, mode::read | mode::unique_open, unique}) {
    merge_safety m;
    m.begin(how, 0, 1);
    CHECK(m.is_alone(file) == has(how, mode::unique_open));
  }
  CHECK(f.done->empty());
}

TEST_CASE("a rank without locks learns it when it enters, and reports other errors",
          "[file][merging][faults]") {
  struct {
    std::errc error;
    bool none;
  } const cases[] = {{std::errc::no_lock_available, true}, {std::errc::io_error, false}};
  for (auto const& one : cases) {
    one_file const f;
    f.script->add(io::fail_from(io::file_call::lock, 1, one.error));
    io::extend::any_handle file = f.noted(f.open());
    merge_safety m;
    m.begin(mode::write, 0, 1);
    bool none = !one.none;
    io::extend::failure const failed = m.enter(file, 1, none);
    CHECK(failed.code == one.error);
    CHECK(failed.detail == "trying a byte-range lock");
    CHECK(none == one.none);
  }
}

namespace {

// Tries a lock after `change`, on a handle that records its calls.
struct tried {
  bool none = false;
  io::extend::failure failed;
  texts done;

  tried(one_file const& f, io::extend::any_handle h,
        std::function<void(merge_safety&)> const& change = {}, bool none_before = false)
      : none(none_before) {
    merge_safety m;
    m.begin(unique, 0, 3);
    if (change) change(m);
    io::extend::any_handle file = f.noted(std::move(h));
    f.done->clear();
    failed = m.try_lock(file, none);
    done = *f.done;
  }
};

io::extend::any_handle blind(bool has_locks = true) {
  auto const file = std::make_shared<memory_file>();
  file->has_locks = has_locks;
  return memory_handle(file);
}

}  // namespace

TEST_CASE("a lock is tried far behind the data, and given back", "[file][merging]") {
  one_file const f;
  for (bool const tells : {false, true}) {
    tried const t(f, tells ? f.open() : blind(), {}, true);
    CHECK_FALSE(t.failed);
    CHECK_FALSE(t.none);
    CHECK(t.done == texts{"lock shared tried", "unlock tried"});
  }
  // The offset lies behind all data, and before the bytes for opens and for the last byte of data.
  std::int64_t const at = merge_safety::lock_tried_at;
  CHECK(at > std::int64_t{1} << 62);
  CHECK(at < io::detail::range_of_data(io::detail::first_reserved, 1).offset);
}

TEST_CASE("a lock of another program is not waited for", "[file][merging]") {
  one_file const f;
  io::extend::any_handle other = f.open();
  CHECK_FALSE(other.lock(merge_safety::lock_tried_at, 1, io::extend::lock_kind::exclusive));
  tried const t(f, f.open());
  CHECK_FALSE(t.failed);
  CHECK_FALSE(t.none);
  CHECK(t.done == texts{"lock shared tried", "reconcile", "sync"});
  f.script->add(io::fail_from(io::file_call::sync, 2, std::errc::io_error));
  tried const lost(f, f.open());
  CHECK(lost.failed.code == std::errc::io_error);
  CHECK(lost.failed.detail == "writing out what this node has kept");
  CHECK_FALSE(lost.none);
}

TEST_CASE("a rank reports the error of a lock that it tries", "[file][merging][faults]") {
  std::string const words = "trying a byte-range lock";
  {
    one_file const f;
    tried const t(f, blind(false));
    CHECK(t.failed.code == errc::no_locks);
    CHECK(t.failed.detail == words);
    CHECK(t.none);
    CHECK(t.done == texts{"lock shared tried"});
  }
  for (bool const tells : {false, true})
    for (std::errc const error : {std::errc::no_lock_available, std::errc::io_error}) {
      one_file const f;
      f.script->add(io::fail_at(io::file_call::lock, 1, error));
      tried const t(f, tells ? f.open() : blind(), {}, error == std::errc::io_error);
      CHECK(t.failed.code == error);
      CHECK(t.none == (error == std::errc::no_lock_available));
      CHECK(t.done == texts{"lock shared tried"});
    }
  one_file const f;
  f.script->add(io::fail_at(io::file_call::unlock, 1, std::errc::io_error));
  tried const t(f, f.open());
  CHECK(t.failed.code == std::errc::io_error);
  CHECK(t.failed.detail == words);
  CHECK_FALSE(t.none);
  CHECK(t.done == texts{"lock shared tried", "unlock tried", "unlock tried"});
}

TEST_CASE("locks that other nodes do not see, or that keep nothing old away, are none",
          "[file][merging]") {
  one_file const f;
  auto const late = [](bool near) {
    return [near](merge_safety& m) {
      m.meet({}, near);
      m.lies_on(moose);
    };
  };
  for (auto const& change :
       {std::function<void(merge_safety&)>(late(false)),
        std::function<void(merge_safety&)>([](merge_safety& m) { m.locks_in_vain(); })}) {
    tried const t(f, f.open(), change);
    CHECK(t.failed.code == errc::no_locks);
    CHECK(t.none);
    CHECK(t.done.empty());
  }
  CHECK_FALSE(tried(f, f.open(), late(true)).failed);
  // A rank tries its lock although another rank has none.
  CHECK_FALSE(tried(f, f.open(), [](merge_safety& m) { m.lacks_locks(); }).failed);
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
