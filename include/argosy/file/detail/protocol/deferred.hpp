// Nonblocking collective calls of ranks that exchange by the world itself. Between nodes they are
// used if there is no service for a thread of each rank, or if the hint argosy_progress forbids the
// thread. Then the ranks carry them out in order, when a rank waits for one of them or makes
// another collective call of the file. A world that works in the background carries them out there,
// one after the other. Then another collective call of the file waits for them. In both cases all
// ranks carry them out in the order in which they began, so ranks in different calls are detected.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <argosy/error/detail/memory_reserve.hpp>
#include <argosy/file/detail/call/background_call.hpp>
#include <argosy/file/detail/protocol/collective_steps.hpp>
#include <argosy/world/background.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/rank_failure.hpp>

namespace argosy::detail {

// Makes all other ranks leave the call after a rank of the world has died.
template <class World>
agreement without(rank_failure const& lost, std::optional<World> const& world) {
  int rank = lost.rank();
  if constexpr (requires { world->revoke(); })
    if (int const known = world ? world->revoke() : -1; known >= 0) rank = known;
  return {errc::rank_failed, rank, errc::rank_failed, lost.what(), {}};
}

template <communicator World>
class deferred {
 public:
  // `workers` carry calls out concurrently with the program. null: only when a rank waits.
  deferred(World world, std::shared_ptr<open_file> f, std::shared_ptr<shared_pointer> pointer,
           std::shared_ptr<team<World>> ranks, std::shared_ptr<background> workers = nullptr)
      : state_(std::make_shared<state>(std::move(world), std::move(f), std::move(pointer),
                                       std::move(ranks), std::move(workers))) {}

  bool goes_on() const noexcept { return state_->workers != nullptr; }

  std::shared_ptr<background_call> start(collective_call c) {
    auto next = std::make_shared<call>(state_, std::move(c));
    {
      std::lock_guard const guard(state_->queue);
      state_->waiting.push_back(next);
    }
    if (goes_on()) {
      state_->file->others().add_request();
      ++state_->under_way;
      if (!std::exchange(state_->at_it, true)) state_->workers->start([s = state_] { s->go_on(); });
    }
    return next;
  }
  // Carries out, or waits for, all calls that have begun. Collective.
  void finish() { state_->finish_up_to(nullptr); }

 private:
  struct call;
  struct state {
    state(World w, std::shared_ptr<open_file> f, std::shared_ptr<shared_pointer> p,
          std::shared_ptr<team<World>> r, std::shared_ptr<background> b)
        : world(std::move(w)),
          file(std::move(f)),
          pointer(std::move(p)),
          ranks(std::move(r)),
          workers(std::move(b)) {}

    World world;
    std::shared_ptr<open_file> file;
    std::shared_ptr<shared_pointer> pointer;
    std::shared_ptr<team<World>> ranks;
    std::mutex at_work;  // several threads may wait for requests of one file
    std::mutex queue;
    std::deque<std::shared_ptr<call>> waiting;
    std::shared_ptr<background> workers;
    int under_way = 0;   // with workers: calls that have not ended
    bool at_it = false;  // a worker is carrying out calls

    std::shared_ptr<call> first() {
      std::lock_guard const guard(queue);
      if (waiting.empty()) return nullptr;
      std::shared_ptr<call> next = std::move(waiting.front());
      waiting.pop_front();
      return next;
    }

    // Carries out all calls in their order, concurrently with the program.
    void go_on() {
      while (std::shared_ptr<call> const next = first()) {
        carry_out(*next);
        --under_way;
        file->others().end_request();
        workers->wake();
      }
      at_it = false;
    }

    // Carries out calls in their order until `last` has ended, or all if it is null. Works on the
    // program's thread; if there are workers, waits for them instead.
    void finish_up_to(call* last) {
      if (workers) return wait_for_workers(last);
      std::lock_guard const only(at_work);
      while (!(last && last->ended)) {
        std::shared_ptr<call> const next = first();
        if (!next) return;
        std::int64_t const since = now_ns(file->seen_by().clock());
        carry_out(*next);
        std::int64_t const took = now_ns(file->seen_by().clock()) - since;
        next->add_waited(took);
        if (last) last->add_waited(-took);  // its own wait contains all of them
      }
    }
    void wait_for_workers(call* last) {
      std::int64_t const since = now_ns(file->seen_by().clock());
      workers->wait([&] { return last ? last->ended : under_way == 0; });
      if (!last && file->seen_by().report())
        file->seen_by().report()->add_waited(now_ns(file->seen_by().clock()) - since);
    }

    void carry_out(call& c) {
      call_board* const board = file->seen_by().board();
      std::uint64_t const number = board ? board->begin(c.what.name(), c.what.where) : 0;
      call_board::waiting const here(board, call_board::lane::background, number, c.what.name(),
                                     c.what.where);
      try {
        one_thread::inside const caller(workers ? nullptr : &file->others().threads());
        if (!caller.is_alone()) c.what.all.pending = 1;  // another thread or call may write
        c.result = with_reserve(world, [&] {
          return collective_steps<World>({world, *ranks, *file, *pointer}, c.what, c.done)
              .run(staging_of_call(file->buffers()));
        });
        if constexpr (!working_in_background<World>)
          c.done.reason +=
              "; carried out where it was waited for, as its nodes exchange by MPI alone";
      } catch (rank_failure const& lost) {
        c.result = without(lost, std::optional<World>(world));
        // It is not known any more which windows the aggregators wrote.
        if (c.what.kind() == access_kind::write) c.done.bytes = c.done.memory_bytes = 0;
      }
      file->count(c.what.work(), c.done, !c.result);
      c.has_result();
      c.ended = true;
    }
  };

  struct call final : background_call {
    call(std::weak_ptr<state> s, collective_call c)
        : background_call(c.what, s.lock()->file), what(std::move(c)), queue(std::move(s)) {}
    bool test() override {
      auto const s = queue.lock();
      if (s && s->workers)
        s->workers->pause();
      else
        wait();
      return ended;
    }
    void wait() override {
      if (auto const s = queue.lock()) s->finish_up_to(this);
    }
    void leave() override {}  // the call stays in the queue

    collective_call what;
    std::weak_ptr<state> queue;  // expired when the file is gone
    bool ended = false;
  };

  std::shared_ptr<state> state_;
};

}  // namespace argosy::detail
