// Nonblocking collective calls where ranks exchange by the world itself, which no thread beside them may use: without a service, or
// by the hint argosy_progress. They are carried out, in order, when a rank waits for one of them or comes to another collective call
// of the file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <argosy/file/detail/collective_call.hpp>
#include <argosy/file/detail/operation.hpp>
#include <argosy/world/background.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/rank_failure.hpp>

namespace argosy::detail {

// A rank of the world died: all others leave the call, too.
template <class World>
agreement without(rank_failure const& lost, std::optional<World> const& world) {
  int rank = lost.rank();
  if constexpr (requires { world->revoke(); })
    if (world) rank = world->revoke();
  return {errc::rank_failed, rank, errc::rank_failed, lost.what(), {}};
}

template <communicator World>
class deferred {
 public:
  deferred(World world, std::shared_ptr<open_file> f, std::shared_ptr<shared_pointer> pointer,
           std::shared_ptr<team<World>> ranks)
      : state_(std::make_shared<state>(std::move(world), std::move(f), std::move(pointer), std::move(ranks))) {}

  std::shared_ptr<operation> start(collective_call c) {
    auto next = std::make_shared<call>(state_, std::move(c));
    std::lock_guard const guard(state_->queue);
    state_->waiting.push_back(next);
    return next;
  }
  // Ends all that have begun. Collective.
  void finish() { state_->finish_up_to(nullptr); }

 private:
  struct call;
  struct state {
    state(World w, std::shared_ptr<open_file> f, std::shared_ptr<shared_pointer> p, std::shared_ptr<team<World>> r)
        : world(std::move(w)), file(std::move(f)), pointer(std::move(p)), ranks(std::move(r)) {}

    World world;
    std::shared_ptr<open_file> file;
    std::shared_ptr<shared_pointer> pointer;
    std::shared_ptr<team<World>> ranks;
    std::mutex at_work;  // requests of one file may be waited for by several threads
    std::mutex queue;
    std::deque<std::shared_ptr<call>> waiting;

    std::shared_ptr<call> first() {
      std::lock_guard const guard(queue);
      if (waiting.empty()) return nullptr;
      std::shared_ptr<call> next = std::move(waiting.front());
      waiting.pop_front();
      return next;
    }

    // Carries them out in their order, until `last` has ended; all, if it is null. On the program's thread.
    void finish_up_to(call const* last) {
      std::lock_guard const only(at_work);
      while (!(last && last->ended)) {
        std::shared_ptr<call> const next = first();
        if (!next) return;
        arguments const& given = next->what.given;
        call_watch::waiting const here(file->watch.get(), call_watch::lane::nonblocking, given.call(), given.where());
        try {
          one_thread::inside const caller(&file->user);
          if (!caller.is_alone()) next->what.all.pending = 1;  // another thread may write
          next->result = access_together(world, *ranks, *file, *pointer, next->what,
                                         staging_pool::lease(file->buffers).get(), next->done);
          if constexpr (!working_in_background<World>)
            next->done.reason += "; carried out where it was waited for, as its nodes exchange by MPI alone";
        } catch (rank_failure const& lost) {
          next->result = without(lost, std::optional<World>(world));
          // Which windows the aggregators wrote, nobody can say any more.
          if (next->what.work.kind == access_kind::write) next->done.bytes = next->done.memory_bytes = 0;
        }
        file->count(next->what.work, next->done, !next->result);
        next->has_result();
        next->ended = true;
      }
    }
  };

  struct call final : operation {
    call(std::weak_ptr<state> s, collective_call c)
        : operation(c.given.call(), s.lock()->file), what(std::move(c)), queue(std::move(s)) {}
    bool test() override {
      wait();
      return true;
    }
    void wait() override {
      if (auto const s = queue.lock()) s->finish_up_to(this);
    }
    void leave() override {}  // it stays in the queue

    collective_call what;
    std::weak_ptr<state> queue;  // gone: so is the file
    bool ended = false;
  };

  std::shared_ptr<state> state_;
};

}  // namespace argosy::detail
