// The table of byte-range locks under many orders of steps. Threads and the kernel are simulated,
// and the seed determines the schedule. One page because the simulated mutex, condition and kernel
// share one schedule.
// SPDX-License-Identifier: BSD-3-Clause
#include <handle/range_locks.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <lab/cluster/coroutine.hpp>

#include "support/catch.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using io::extend::lock_kind;
using io::lab::detail::coroutine;
using io::lab::detail::stack_pool;

namespace {

enum class mode { none, shared, exclusive };
constexpr bool conflict(mode a, mode b) {
  return a != mode::none && b != mode::none && (a == mode::exclusive || b == mode::exclusive);
}

constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t bytes = 13;  // the last byte stands for all behind it
using modes = std::array<mode, bytes>;

struct range {
  std::int64_t begin = 0, end = 0;
  bool has(std::size_t b) const {
    return begin <= static_cast<std::int64_t>(b) && static_cast<std::int64_t>(b) < end;
  }
  bool overlaps(range o) const { return begin < o.end && o.begin < end; }
};

// Bugs planted below the table, which the oracle must find.
enum class planted { none, loses_wakes, keeps_bytes, forgets_more, shares_exclusive, goes_on };

struct explored {
  struct mutex {
    void lock();
    void unlock();
  };
  struct condition {
    template <class Predicate>
    void wait(std::unique_lock<mutex>& guard, Predicate&& predicate);
    void notify_all();
    std::uint64_t rung = 0;
  };
  using owner = int;  // 1 or more
  static owner self();
  static int control(int descriptor, int type, std::int64_t begin, std::int64_t end);
  static int wait(int descriptor, int type, std::int64_t begin, std::int64_t end,
                  std::chrono::milliseconds limit);
};
using table = io::detail::basic_range_locks<explored>;

// The bytes that one thread has locked, and the call that it makes.
struct thread {
  std::size_t handle = 0;
  modes held{};
  std::optional<range> intact;  // locked by one call, and unchanged since
  // the running call
  bool calls = false, locks = false, in_kernel = false, answered = false;
  range where;
  mode wanted = mode::none;
  int fails_with = 0;          // the call fails with this error at once
  bool interruptible = false;  // may be interrupted while it waits in the kernel
  bool unlock_fails = false, unlock_failed = false;

  std::unique_ptr<coroutine> flow;
  std::function<bool()> may_go;

  // During a call, only the weaker of the old and the wanted mode is certain.
  mode certain(std::size_t b) const {
    return calls && locks && where.has(b) ? std::min(held[b], wanted) : held[b];
  }
};

struct counts {
  int locks = 0, conversions = 0, errors = 0, interrupted = 0, for_others = 0, table_waits = 0,
      kernel_waits = 0, stuck = 0;
};

struct over {};  // thrown when the run has ended, to unwind threads that wait

class run {
 public:
  run(std::uint64_t seed, planted p, counts& c, std::string* story)
      : planted_bug(p), count(c), random_(seed), story_(story) {
    now = this;
    spurious_ = below(2) == 0;
    unlocks_fail_ = below(4) == 0;
    std::size_t const handles = 1 + below(2);
    for (std::size_t h = 0; h < handles; ++h) {
      handles_.emplace_back();
      std::size_t const threads = h == 0 ? 2 + below(3) : 1 + below(2);
      for (std::size_t t = 0; t < threads; ++t) {
        threads_.emplace_back();
        threads_.back().handle = h;
      }
    }
    for (thread& t : threads_)
      t.flow = std::make_unique<coroutine>(stacks(), [this, &t] {
        try {
          live(t);
        } catch (over const&) {
        }
      });
  }
  ~run() {
    is_over_ = true;
    for (thread& t : threads_)
      while (!t.flow->done()) resume(t);
    now = nullptr;
  }
  run(run const&) = delete;

  // Runs all threads. Returns the first mistake, or an empty text.
  std::string result() {
    while (wrong_.empty()) {
      std::vector<thread*> able;
      bool all_done = true;
      for (thread& t : threads_) {
        if (t.flow->done()) continue;
        all_done = false;
        if (!t.may_go || t.may_go()) able.push_back(&t);
      }
      if (all_done) break;
      if (able.empty()) {
        ++count.stuck;
        check_sleepers();
        break;
      }
      resume(*able[below(able.size())]);
      check_bytes();
    }
    return wrong_;
  }

  // --- Calls of the table
  static inline run* now = nullptr;

  // Lets other threads run, at least until `may_go` is true.
  void pass(std::function<bool()> may_go = {}) {
    if (is_over_) throw over();
    if (std::exchange(at_once_, false)) return;
    thread& t = *current_;
    t.may_go = std::move(may_go);
    t.flow->suspend();
    t.may_go = {};
    if (is_over_) throw over();
  }
  int self() const {
    for (std::size_t i = 0; i < threads_.size(); ++i)
      if (&threads_[i] == current_) return static_cast<int>(i) + 1;
    return 0;
  }
  bool& is_locked() { return handles_[current_->handle].is_locked; }
  bool is_spurious() { return spurious_ && below(8) == 0; }

  int control(std::size_t h, bool waits, int type, range where) {
    thread& me = *current_;
    bool const unlocks = type == F_UNLCK;
    if (waits == unlocks) say("the kernel is asked in the wrong way");
    pass();
    if (!unlocks) me.answered = me.fails_with != 0;
    if (unlocks) {
      if (me.unlock_fails) {
        me.unlock_failed = true;
        for (std::size_t b = 0; b < bytes; ++b) handles_[h].left[b] |= where.has(b);
        return ENOLCK;
      }
      if (planted_bug == planted::keeps_bytes && below(16) == 0) return 0;
      if (planted_bug == planted::forgets_more && where.end < endless) ++where.end;
    } else {
      if (me.fails_with != 0) return me.fails_with;
      mode const wanted = type == F_RDLCK ? mode::shared : mode::exclusive;
      auto const is_free = [=, this] {
        for (std::size_t other = 0; other < handles_.size(); ++other)
          for (std::size_t b = 0; b < bytes; ++b)
            if (other != h && where.has(b) && conflict(handles_[other].kernel[b], wanted))
              return false;
        return true;
      };
      if (!is_free()) {
        ++count.kernel_waits;
        me.in_kernel = true;
        pass([&] { return me.interruptible || is_free(); });
        me.in_kernel = false;
        me.answered = true;
        if (!is_free() && planted_bug != planted::goes_on) return EINTR;
      }
    }
    me.answered = true;
    for (std::size_t b = 0; b < bytes; ++b) {
      if (!where.has(b)) continue;
      mode& m = handles_[h].kernel[b];
      m = type == F_WRLCK && planted_bug != planted::shares_exclusive ? mode::exclusive
                                                                      : mode::shared;
      if (unlocks) m = mode::none;
      if (unlocks) handles_[h].left[b] = false;
    }
    pass();
    return 0;
  }

  planted const planted_bug;
  counts& count;
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

 private:
  struct open_file {
    table locks;
    bool is_locked = false;  // the table's mutex
    modes kernel{};
    std::array<bool, bytes> left{};  // bytes that the kernel failed to unlock
  };

  static stack_pool& stacks() {
    static stack_pool pool(64 << 10);
    return pool;
  }
  void resume(thread& t) {
    current_ = &t;
    t.flow->resume();
    current_ = nullptr;
  }
  void say(std::string const& what) {
    if (wrong_.empty()) wrong_ = what;
  }
  std::string name(thread const& t) const {
    return "thread " + std::to_string(&t - threads_.data()) + " of handle " +
           std::to_string(t.handle);
  }
  void tell(thread const& t, std::string const& what, std::optional<int> error = {}) {
    if (!story_) return;
    auto const number = [](std::int64_t n) {
      return n == endless ? std::string("end") : std::to_string(n);
    };
    *story_ += name(t) + ": " + what + " [" + number(t.where.begin) + ", " + number(t.where.end) +
               ")" + (error ? " -> " + std::to_string(*error) : std::string()) + "\n";
  }

  // --- The life of a thread
  void live(thread& me) {
    for (std::size_t n = 3 + below(6); n > 0 && wrong_.empty(); --n) {
      pass();
      std::size_t const what = below(20);
      if (what < 11) {
        lock(me, what < 4 && me.intact ? *me.intact : somewhere(), below(2) == 0);
      } else if (what < 18) {
        range const r = what < 15 && me.intact ? part_of(*me.intact) : somewhere();
        if (holds(me, r)) unlock(me, r);
      } else {
        unlock_for_another(me);
      }
    }
    pass();
    if (holds(me, {0, endless})) unlock(me, {0, endless});
  }
  range somewhere() {
    auto const begin = static_cast<std::int64_t>(below(bytes - 1));
    if (below(16) == 0) return {begin, endless};
    return {begin,
            std::min<std::int64_t>(bytes - 1, begin + 1 + static_cast<std::int64_t>(below(6)))};
  }
  range part_of(range r) {
    if (r.end == endless || r.end - r.begin < 2 || below(2) == 0) return r;
    std::int64_t const cut =
        r.begin + 1 +
        static_cast<std::int64_t>(below(static_cast<std::size_t>(r.end - r.begin - 1)));
    return below(2) == 0 ? range{r.begin, cut} : range{cut, r.end};
  }

  void lock(thread& me, range r, bool shares) {
    me.where = r;
    me.wanted = shares ? mode::shared : mode::exclusive;
    me.calls = me.locks = true;
    me.answered = false;
    constexpr int errors[] = {EINTR, ENOLCK, EAGAIN, EDEADLK};
    me.fails_with = below(8) == 0 ? errors[below(4)] : 0;
    me.interruptible = below(6) == 0;
    me.unlock_fails = unlocks_fail_ && below(12) == 0;
    for (std::size_t b = 0; b < bytes; ++b)
      if (r.has(b) && me.held[b] != mode::none && me.held[b] != me.wanted) {
        ++count.conversions;
        break;
      }
    tell(me, shares ? "locks, shared" : "locks, exclusive");
    int const error = handles_[me.handle].locks.lock(
        static_cast<int>(me.handle), r.begin, r.end,
        shares ? lock_kind::shared : lock_kind::exclusive, std::chrono::seconds(1));
    tell(me, "has locked", error);
    if (error != 0 && error != me.fails_with && !(error == EINTR && me.interruptible))
      say("an error from nowhere");
    if (error == 0 && me.fails_with != 0) say("an error is lost");
    me.calls = false;
    if (error != 0) {
      ++(error == me.fails_with ? count.errors : count.interrupted);
      return;
    }
    ++count.locks;
    for (std::size_t b = 0; b < bytes; ++b)
      if (r.has(b)) me.held[b] = me.wanted;
    me.intact = r;
  }

  // Other threads may get the bytes from the beginning of the call on.
  void unlock(thread& me, range r) { unlock(me, me, r); }
  void unlock(thread& me, thread& of, range r) {
    for (std::size_t b = 0; b < bytes; ++b)
      if (r.has(b)) of.held[b] = mode::none;
    if (of.intact && of.intact->overlaps(r)) of.intact.reset();
    me.where = r;
    me.calls = true;
    me.locks = false;
    me.unlock_fails = unlocks_fail_ && below(12) == 0;
    me.unlock_failed = false;
    tell(me, "unlocks");
    int const error = handles_[me.handle].locks.unlock(static_cast<int>(me.handle), r.begin, r.end);
    tell(me, "has unlocked", error);
    if (error != (me.unlock_failed ? ENOLCK : 0))
      say("unlocking fails for no reason, or an error is lost");
    me.calls = false;
  }
  // Unlocks a range that this thread has not locked: one that no thread has, or exactly the range
  // of one other thread. No other thread may run before the table looks.
  void unlock_for_another(thread& me) {
    if (handles_[me.handle].is_locked) return;
    range const r = somewhere();
    bool is_for_nobody = !holds(me, r);
    for (thread& of : threads_) {
      if (&of == &me || of.handle != me.handle) continue;
      bool const may_change = of.calls && of.answered;
      if (of.intact && !may_change && !others_hold(of, *of.intact)) {
        ++count.for_others;
        at_once_ = true;
        return unlock(me, of, *of.intact);
      }
      bool is_all_his = true;
      for (std::size_t b = 0; b < bytes; ++b)
        if (r.has(b) && of.held[b] == mode::none) is_all_his = false;
      if (is_all_his || (of.calls && of.where.overlaps(r))) is_for_nobody = false;
    }
    if (!is_for_nobody) return;
    at_once_ = true;
    unlock(me, r);
  }
  static bool holds(thread const& t, range r) {
    for (std::size_t b = 0; b < bytes; ++b)
      if (r.has(b) && t.held[b] != mode::none) return true;
    return false;
  }
  bool others_hold(thread const& of, range r) const {
    return std::any_of(threads_.begin(), threads_.end(), [&](thread const& t) {
      return &t != &of && t.handle == of.handle && holds(t, r);
    });
  }

  // --- Checks after every step
  void check_bytes() {
    for (std::size_t b = 0; b < bytes; ++b) {
      for (std::size_t i = 0; i < threads_.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (conflict(threads_[i].certain(b), threads_[j].certain(b)))
            say("byte " + std::to_string(b) + ": " + name(threads_[i]) + " has it, and so has " +
                name(threads_[j]));
      for (std::size_t h = 0; h < handles_.size(); ++h) {
        mode needed = mode::none;
        bool in_motion = handles_[h].left[b];
        for (thread const& t : threads_) {
          if (t.handle != h) continue;
          needed = std::max(needed, t.certain(b));
          in_motion = in_motion || (t.calls && t.where.has(b));
        }
        mode const there = handles_[h].kernel[b];
        if (there == needed) continue;
        std::string const where = "byte " + std::to_string(b) + " of handle " + std::to_string(h);
        if (there < needed)
          say(where + ": the kernel does not hold it any more, but a thread does");
        if (!in_motion) say(where + ": the kernel holds it for nobody");
      }
    }
  }

  // No thread can run. Each must wait for a thread that holds a conflicting lock, perhaps through
  // one that waits in the kernel.
  void check_sleepers() {
    auto const meets = [&](thread const& t, auto&& has) {
      for (std::size_t b = 0; b < bytes; ++b)
        if (t.where.has(b) && conflict(has(b), t.wanted)) return true;
      return false;
    };
    std::vector<thread const*> justified;
    for (bool more = true; more;) {
      more = false;
      for (thread const& t : threads_) {
        if (t.flow->done() || !t.calls || !t.locks) continue;
        if (std::find(justified.begin(), justified.end(), &t) != justified.end()) continue;
        bool waits = false;
        for (thread const& o : threads_)
          if (&o != &t) waits = waits || meets(t, [&](std::size_t b) { return o.held[b]; });
        for (thread const* o : justified)
          if (o->handle == t.handle && o->in_kernel)
            waits = waits || meets(t, [&](std::size_t b) {
                      return o->where.has(b) ? o->wanted : mode::none;
                    });
        // Bytes that the kernel failed to unlock, and bytes left to threads that wait in the
        // kernel.
        for (std::size_t h = 0; h < handles_.size(); ++h) {
          if (h == t.handle) continue;
          modes there{};
          for (std::size_t b = 0; b < bytes; ++b)
            if (handles_[h].left[b] || left_to_one_who_waits(h, b))
              there[b] = handles_[h].kernel[b];
          waits = waits || meets(t, [&](std::size_t b) { return there[b]; });
        }
        if (!waits) continue;
        justified.push_back(&t);
        more = true;
      }
    }
    for (thread const& t : threads_)
      if (!t.flow->done() && std::find(justified.begin(), justified.end(), &t) == justified.end())
        say(name(t) + " sleeps, and nobody is in its way");
  }

  bool left_to_one_who_waits(std::size_t h, std::size_t b) const {
    return std::any_of(threads_.begin(), threads_.end(), [=](thread const& t) {
      return t.handle == h && t.in_kernel && t.where.has(b);
    });
  }

  std::mt19937_64 random_;
  std::string* story_;
  std::string wrong_;
  bool spurious_ = false, unlocks_fail_ = false, is_over_ = false;
  bool at_once_ = false;  // the next step runs without other threads
  std::deque<open_file> handles_;
  std::vector<thread> threads_;
  thread* current_ = nullptr;
};

void explored::mutex::lock() {
  run& r = *run::now;
  r.pass([&is_locked = r.is_locked()] { return !is_locked; });
  r.is_locked() = true;
}
void explored::mutex::unlock() { run::now->is_locked() = false; }

template <class Predicate>
void explored::condition::wait(std::unique_lock<mutex>& guard, Predicate&& predicate) {
  run& r = *run::now;
  while (!predicate()) {
    ++r.count.table_waits;
    std::uint64_t const seen = rung;
    guard.unlock();
    r.pass([&] { return rung != seen || r.is_spurious(); });
    guard.lock();
  }
}
void explored::condition::notify_all() {
  run& r = *run::now;
  r.pass();
  if (r.planted_bug != planted::loses_wakes || r.below(4) > 0) ++rung;
}

int explored::self() { return run::now->self(); }
int explored::control(int descriptor, int type, std::int64_t begin, std::int64_t end) {
  return run::now->control(static_cast<std::size_t>(descriptor), false, type, {begin, end});
}
int explored::wait(int descriptor, int type, std::int64_t begin, std::int64_t end,
                   std::chrono::milliseconds) {
  return run::now->control(static_cast<std::size_t>(descriptor), true, type, {begin, end});
}

// Returns the number of seeds until the oracle finds the planted bug; empty if it does not.
std::optional<int> seeds_to_find(planted p, int most) {
  counts c;
  for (int k = 0; k < most; ++k)
    if (!run(io::test::seed() + static_cast<std::uint64_t>(k), p, c, nullptr).result().empty())
      return k + 1;
  return {};
}

}  // namespace

TEST_CASE("in no order of steps is a lock given twice or lost, or does a thread sleep on",
          "[locks]") {
  counts c;
  int const seeds = 8000;
  for (int k = 0; k < seeds; ++k) {
    std::uint64_t const s = io::test::seed() + static_cast<std::uint64_t>(k);
    if (run(s, planted::none, c, nullptr).result().empty()) continue;
    std::string story;
    std::string const wrong = run(s, planted::none, c, &story).result();
    FAIL("seed " << s << " (replay: ARGOSY_TEST_SEED=" << s << "): " << wrong << "\n" << story);
  }
  // The random programs must do what locks are made for.
  CHECK(c.locks > 5 * seeds);
  CHECK(c.conversions > seeds);
  CHECK(c.errors > seeds / 2);
  CHECK(c.interrupted > seeds / 20);
  CHECK(c.for_others > seeds / 20);
  CHECK(c.table_waits > seeds);
  CHECK(c.kernel_waits > seeds / 2);
  CHECK(c.stuck > 0);
  CHECK(c.stuck < seeds / 2);
}

TEST_CASE("what goes wrong below the table is seen", "[locks]") {
  for (planted const p : {planted::loses_wakes, planted::keeps_bytes, planted::forgets_more,
                          planted::shares_exclusive, planted::goes_on}) {
    CAPTURE(static_cast<int>(p));
    CHECK(seeds_to_find(p, 300));
  }
}
