// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/concurrent_calls.hpp>

#include <utility>

namespace argosy::detail {

struct concurrent_calls::state {
  state(memory_world w, std::shared_ptr<open_file> f, std::shared_ptr<shared_pointer> p)
      : world(std::move(w)), file(std::move(f)), pointer(std::move(p)) {}

  memory_world world;
  std::shared_ptr<open_file> file;
  std::shared_ptr<shared_pointer> pointer;
  team<memory_world> ranks;  // with staging memory of its own
  staging space;

  std::mutex mutex;
  std::condition_variable ended;
  int under_way = 0;
};

namespace {

class collective_operation final : public operation {
 public:
  collective_operation(std::shared_ptr<open_file> f, collective_call c)
      : operation(c.given.call(), std::move(f)), what(std::move(c)) {}

  bool test() override {
    std::lock_guard const guard(mutex_);
    return has_ended_;
  }
  void wait() override {
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

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
};

}  // namespace

concurrent_calls::concurrent_calls(memory_world world, std::shared_ptr<open_file> file,
                                   std::shared_ptr<shared_pointer> pointer)
    : state_(std::make_shared<state>(std::move(world), std::move(file), std::move(pointer))) {}

concurrent_calls::~concurrent_calls() {
  if (!thread_) return;
  std::lock_guard const guard(state_->mutex);
  if (state_->under_way > 0) (void)thread_.release();  // its destructor would wait for other ranks
}

std::shared_ptr<operation> concurrent_calls::start(collective_call c) {
  if (!thread_) thread_ = std::make_unique<io_threads>(1);
  auto o = std::make_shared<collective_operation>(state_->file, std::move(c));
  {
    std::lock_guard const guard(state_->mutex);
    ++state_->under_way;
    ++state_->file->pending;
  }
  thread_->start([s = state_, o] {
    o->result = access_together(s->world, s->ranks, *s->file, *s->pointer, o->what, s->space, o->done);
    {
      std::lock_guard const guard(s->mutex);
      --s->under_way;
      --s->file->pending;
    }
    s->ended.notify_all();
    o->end();  // whoever waits for it finds nothing under way any more
  });
  return o;
}

void concurrent_calls::drain() {
  std::unique_lock guard(state_->mutex);
  state_->ended.wait(guard, [this] { return state_->under_way == 0; });
}

}  // namespace argosy::detail
