// Implements concurrent_calls.hpp: collective calls that a thread of each rank carries out while
// the program goes on.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/protocol/concurrent_calls.hpp>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <system_error>
#include <utility>

#include <argosy/error/detail/memory_reserve.hpp>
#include <argosy/exchange/detail/staging.hpp>
#include <argosy/file/detail/protocol/collective_steps.hpp>
#include <argosy/world/rank_failure.hpp>

namespace argosy::detail {

class collective_background_call;

namespace {

// A call and its place in the sequence.
struct turn {
  call_mismatch* mixed = nullptr;  // null: there is only one rank
  std::uint64_t number = 0;
  bool by_program = false;
  bool late = false;
};

// Carries out a call for all ranks together, if all of them begin it.
using together = std::function<agreement(collective_call&, report&, turn const&)>;

template <class World>
together on(World world, std::shared_ptr<open_file> const& file,
            std::shared_ptr<shared_pointer> const& pointer) {
  struct means {
    World world;
    std::shared_ptr<open_file> file;
    std::shared_ptr<shared_pointer> pointer;
    team<World> ranks = {};  // with staging memory of its own
    staging space = {};
  };
  auto all = std::make_shared<means>(means{std::move(world), file, pointer});
  return [all = std::move(all)](collective_call& c, report& done, turn const& t) -> agreement {
    try {
      if (t.mixed && !t.mixed->all_begin(t.number, t.by_program))
        return t.mixed->fault(c.name(), c.where, t.late);
      return with_reserve(all->world, [&] {
        ranks_of_file<World> const of{all->world, all->ranks, *all->file, *all->pointer};
        return collective_steps<World>(of, c, done).run(staging_of_call(all->space));
      });
    } catch (rank_failure const& lost) {
      // The other ranks leave the call, too. It is not known any more what was written.
      if constexpr (requires { all->world.revoke(lost.rank()); }) all->world.revoke(lost.rank());
      if (c.kind() == access_kind::write) done.bytes = done.memory_bytes = 0;
      return {errc::rank_failed, lost.rank(), errc::rank_failed, lost.what(), {}, {}};
    }
  };
}

}  // namespace

struct concurrent_calls::state {
  state(together how, std::unique_ptr<call_mismatch> m, std::shared_ptr<open_file> f)
      : mixed(std::move(m)), all_ranks(std::move(how)), file(std::move(f)) {}

  std::unique_ptr<call_mismatch> mixed;  // null: there is only one rank
  together all_ranks;
  std::shared_ptr<open_file> file;

  // Carries out the first waiting call, if there is one. `by_program`: on the thread of the
  // program.
  void next(bool by_program);
  // Lets the program wait for call `number` until `has_ended` is true. From time to time checks
  // whether the call can end at all.
  template <class Ended>
  void wait(std::unique_lock<std::mutex>& guard, std::condition_variable& changed,
            std::uint64_t number, Ended has_ended) {
    if (!mixed) return changed.wait(guard, has_ended);
    constexpr std::chrono::milliseconds pause(call_mismatch::pause_ms);
    while (!changed.wait_for(guard, pause, has_ended)) mixed->look(number);
  }
  std::mutex at_work;  // one call after the other, on whichever thread

  bool has_work() {
    std::lock_guard const guard(mutex);
    return under_way > 0;
  }

  auto latest() {
    std::lock_guard const guard(mutex);
    return last;
  }

  std::mutex mutex;
  std::condition_variable ended;
  int under_way = 0;
  std::uint64_t begun = 0;
  struct {
    std::uint64_t number = 0;
    std::string_view call;  // a string literal
    source_location where;
  } last;  // the last call that was begun
  std::deque<std::shared_ptr<collective_background_call>> waiting;
  // false: no thread could be made, and a rank that waits for a call carries it out
  std::atomic<bool> has_thread{true};
};

class collective_background_call final : public background_call {
 public:
  collective_background_call(std::shared_ptr<concurrent_calls::state> s,
                             std::shared_ptr<open_file> f, collective_call c)
      : background_call(c.what, std::move(f)), what(std::move(c)), queue_(std::move(s)) {}

  bool test() override {
    if (!queue_->has_thread) carry_out_here();
    return has_ended();
  }
  void wait() override {
    call_board::waiting const here(file->seen_by().board(), call_board::lane::background, number,
                                   name(), what.where);
    if (!queue_->has_thread) carry_out_here();
    std::unique_lock guard(mutex_);
    queue_->wait(guard, ended_, number, [this] { return has_ended_; });
  }
  void leave() override {}  // other ranks may not have begun it
  void look() override {
    if (queue_->mixed && !has_ended()) queue_->mixed->look(number);
  }
  void end() {
    {
      std::lock_guard const guard(mutex_);
      has_ended_ = true;
    }
    ended_.notify_all();
  }

  collective_call what;
  std::uint64_t number = 0;  // number among these calls of the file
  bool late = false;         // begun after a mismatch was found

 private:
  bool has_ended() {
    std::lock_guard const guard(mutex_);
    return has_ended_;
  }
  void carry_out_here() {
    while (!has_ended()) queue_->next(true);
  }

  std::shared_ptr<concurrent_calls::state> queue_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
};

void concurrent_calls::state::next(bool by_program) {
  [[maybe_unused]] memory_reserve const kept;
  std::lock_guard const only(at_work);
  std::shared_ptr<collective_background_call> o;
  {
    std::lock_guard const guard(mutex);
    if (waiting.empty()) return;
    o = std::move(waiting.front());
    waiting.pop_front();
  }
  file->before_waiting();
  o->result = all_ranks(o->what, o->done, {mixed.get(), o->number, by_program, o->late});
  file->count(o->what.work(), o->done, !o->result);
  o->has_result();
  {
    std::lock_guard const guard(mutex);
    --under_way;
    file->others().end_request();
  }
  ended.notify_all();
  o->end();  // a thread that wakes up here finds no call in progress any more
}

concurrent_calls::concurrent_calls(memory_world world, std::unique_ptr<call_mismatch> mixed,
                                   std::shared_ptr<open_file> const& file,
                                   std::shared_ptr<shared_pointer> const& pointer)
    : state_(std::make_shared<state>(on(std::move(world), file, pointer), std::move(mixed), file)) {
}

concurrent_calls::concurrent_calls(served_world world, std::unique_ptr<call_mismatch> mixed,
                                   std::shared_ptr<open_file> const& file,
                                   std::shared_ptr<shared_pointer> const& pointer)
    : state_(std::make_shared<state>(on(std::move(world), file, pointer), std::move(mixed), file)) {
}

concurrent_calls::~concurrent_calls() {
  if (!thread_) return;
  std::lock_guard const guard(state_->mutex);
  if (state_->has_thread && state_->under_way > 0) [[maybe_unused]]
    auto* const left = thread_.release();  // ending it would wait for other ranks
}

std::shared_ptr<background_call> concurrent_calls::start(collective_call c) {
  if (!thread_) thread_ = std::make_unique<io_threads>(1);
  auto o = std::make_shared<collective_background_call>(state_, state_->file, std::move(c));
  state_->file->others().add_request();
  {
    std::lock_guard const guard(state_->mutex);
    state_->waiting.push_back(o);
    ++state_->under_way;
    o->number = ++state_->begun;
    state_->last = {o->number, o->name(), o->what.where};
    if (state_->mixed) {
      o->late = state_->mixed->is_void(o->number);
      state_->mixed->begin(o->name(), o->what.where);
    }
  }
  if (state_->has_thread) try {
      thread_->start([s = state_] { s->next(false); });
    } catch (std::system_error const&) {  // only at the first call: later ones use its thread
      state_->has_thread = false;
    }
  return o;
}

void concurrent_calls::drain() {
  if (!state_->has_work()) return;
  open_file& file = *state_->file;
  std::int64_t const since = now_ns(file.seen_by().clock());
  auto const last = state_->latest();
  call_board::waiting const here(file.seen_by().board(), call_board::lane::background, last.number,
                                 last.call, last.where);
  if (!state_->has_thread)
    while (state_->has_work()) state_->next(true);
  std::unique_lock guard(state_->mutex);
  state_->wait(guard, state_->ended, last.number, [this] { return state_->under_way == 0; });
  if (file.seen_by().report())
    file.seen_by().report()->add_waited(now_ns(file.seen_by().clock()) - since);
}

}  // namespace argosy::detail
