// Implements concurrent_calls.hpp: collective calls that a thread of each rank carries out while the program goes on.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/concurrent_calls.hpp>

#include <atomic>
#include <deque>
#include <mutex>
#include <system_error>
#include <utility>

namespace argosy::detail {

class collective_operation;

struct concurrent_calls::state {
  state(memory_world w, std::shared_ptr<open_file> f, std::shared_ptr<shared_pointer> p)
      : world(std::move(w)), file(std::move(f)), pointer(std::move(p)) {}

  memory_world world;
  std::shared_ptr<open_file> file;
  std::shared_ptr<shared_pointer> pointer;
  team<memory_world> ranks;  // with staging memory of its own
  staging space;

  // Carries out the first that waits, if there is one.
  void next();
  std::mutex at_work;  // one after the other, whoever does it

  bool has_work() {
    std::lock_guard const guard(mutex);
    return under_way > 0;
  }

  std::mutex mutex;
  std::condition_variable ended;
  int under_way = 0;
  std::deque<std::shared_ptr<collective_operation>> waiting;
  std::atomic<bool> has_thread{true};  // false: none could be made, and who waits for a call carries it out
};

class collective_operation final : public operation {
 public:
  collective_operation(std::shared_ptr<concurrent_calls::state> s, std::shared_ptr<open_file> f, collective_call c)
      : operation(c.given.call(), std::move(f)), what(std::move(c)), queue_(std::move(s)) {}

  bool test() override {
    if (!queue_->has_thread) carry_out_here();
    return has_ended();
  }
  void wait() override {
    call_watch::waiting const here(file->watch.get(), call_watch::lane::nonblocking, number, call, what.given.where());
    if (!queue_->has_thread) carry_out_here();
    std::unique_lock guard(mutex_);
    ended_.wait(guard, [this] { return has_ended_; });
  }
  void leave() override {}  // others may not have begun it
  void end() {
    {
      std::lock_guard const guard(mutex_);
      has_ended_ = true;
    }
    ended_.notify_all();
  }

  collective_call what;
  std::uint64_t number = 0;  // for who watches

 private:
  bool has_ended() {
    std::lock_guard const guard(mutex_);
    return has_ended_;
  }
  void carry_out_here() {
    while (!has_ended()) queue_->next();
  }

  std::shared_ptr<concurrent_calls::state> queue_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
};

void concurrent_calls::state::next() {
  std::lock_guard const only(at_work);
  std::shared_ptr<collective_operation> o;
  {
    std::lock_guard const guard(mutex);
    if (waiting.empty()) return;
    o = std::move(waiting.front());
    waiting.pop_front();
  }
  o->result = access_together(world, ranks, *file, *pointer, o->what, space, o->done);
  file->count(o->what.work, o->done, !o->result);
  o->has_result();
  {
    std::lock_guard const guard(mutex);
    --under_way;
    --file->pending;
  }
  ended.notify_all();
  o->end();  // whoever waits for it finds nothing under way any more
}

concurrent_calls::concurrent_calls(memory_world world, std::shared_ptr<open_file> file,
                                   std::shared_ptr<shared_pointer> pointer)
    : state_(std::make_shared<state>(std::move(world), std::move(file), std::move(pointer))) {}

concurrent_calls::~concurrent_calls() {
  if (!thread_) return;
  std::lock_guard const guard(state_->mutex);
  if (state_->has_thread && state_->under_way > 0)
    (void)thread_.release();  // its destructor would wait for other ranks
}

std::shared_ptr<operation> concurrent_calls::start(collective_call c) {
  if (!thread_) thread_ = std::make_unique<io_threads>(1);
  auto o = std::make_shared<collective_operation>(state_, state_->file, std::move(c));
  if (call_watch* const watch = state_->file->watch.get())
    o->number = watch->come(call_watch::lane::nonblocking, o->call, o->what.given.where());
  state_->file->add_pending();
  {
    std::lock_guard const guard(state_->mutex);
    state_->waiting.push_back(o);
    ++state_->under_way;
  }
  if (state_->has_thread) try {
      thread_->start([s = state_] { s->next(); });
    } catch (std::system_error const&) {  // of the first call only: later ones have its thread
      state_->has_thread = false;
    }
  return o;
}

void concurrent_calls::drain() {
  if (!state_->has_thread)
    while (state_->has_work()) state_->next();
  std::unique_lock guard(state_->mutex);
  state_->ended.wait(guard, [this] { return state_->under_way == 0; });
}

}  // namespace argosy::detail
