// The scheduler of the virtual cluster: runs tasks in the order of their clocks, carries messages,
// and records what each rank waits for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <argosy/agree/detail/phase.hpp>
#include <argosy/error/errc.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/detail/event_queue.hpp>
#include <argosy/world/service.hpp>

#include "coroutine.hpp"
#include "processors.hpp"
#include "task.hpp"

namespace argosy::lab::detail {

class group;

class scheduler final : public argosy::detail::phase_listener {
 public:
  scheduler(lab::scenario const& s, virtual_options const& o);
  ~scheduler();
  scheduler(scheduler const&) = delete;
  scheduler& operator=(scheduler const&) = delete;

  virtual_report run(std::function<void(virtual_rank const&)> const& program);

  // Returns the scheduler that runs now; null outside of runs.
  static scheduler* running() noexcept;
  static scheduler& here();  // throws std::logic_error outside of runs
  std::uint64_t run_number() const noexcept { return run_number_; }
  task& now() noexcept { return *current_; }
  rank_state& me() noexcept { return *current_->rank; }
  lab::scenario const& scenario() const noexcept { return scenario_; }
  bool has_contents() const noexcept { return options_.contents == contents::real; }
  bool disk_opened = false;  // a file was opened on the scenario's disk
  rank_state& rank(int number) { return ranks_[static_cast<std::size_t>(number)]; }
  bool ending() const noexcept { return ending_; }

  // Begins every operation of a rank. Returns false if the task is being unwound, and a destructor
  // calls: then the operation must do nothing.
  bool begin(call_kind kind);
  // Lets all earlier events happen first.
  void synchronize();
  void charge(picoseconds t) { current_->time += t; }
  // Takes time on the running rank's processor, which other ranks may share.
  void work(picoseconds t) { current_->time = worked(current_->rank->number, current_->time, t); }
  // Return when work that begins at `at` is done, by a rank's processor or by a daemon of a node.
  picoseconds worked(int rank_number, picoseconds at, picoseconds takes);
  picoseconds worked_beside(int node, picoseconds at, picoseconds takes);
  // Returns the rank of a task.
  int rank_of(std::int64_t task_number) const {
    return tasks_[static_cast<std::size_t>(task_number)]->rank->number;
  }
  picoseconds scaled(picoseconds t) const;
  // Returns the time that the running rank's processor needs for the bytes of a message.
  picoseconds handling(std::size_t bytes) const {
    std::int64_t const rate = scenario_.network.rank_mb_per_s;
    return rate > 0 ? scaled(ps_of_bytes(static_cast<std::int64_t>(bytes), rate)) : 0;
  }
  // Blocks the running task until wake().
  void block(waiting why);
  void wake(task& t, picoseconds at);
  void start_service(std::function<void()> work);
  // Calls `what` at a time, for parts that are not ranks, such as a simulated machine. Calls of one
  // time are made in the order of posting, whatever the seed. A run that ends drops the remaining
  // calls.
  void post(picoseconds at, std::function<void()> what);
  bool in_task() const noexcept { return current_ != nullptr; }
  std::vector<std::function<void(rank_state&)>> when_lost;  // called at every death
  std::vector<std::function<void()>> when_ended;            // called at the end of the run

  void record(char const* kind, std::string_view name, picoseconds begin, std::int64_t bytes = -1,
              int peer = -1);
  // Phases of the running task, recorded if there is a timeline.
  void begin(argosy::detail::phase p, argosy::detail::phase_facts const& facts) noexcept override;
  void end(argosy::detail::phase p) noexcept override;
  void hash(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) noexcept {
    hash_ = mixed(hash_ ^ a) + mixed(b) * 3 + c;
  }
  [[noreturn]] void fail(virtual_run_error::reason why, std::string words);

  // The adapters of nodes if they belong to a simulated machine, whose other traffic uses them,
  // too. Returns when data has left the node, or has entered it.
  std::function<picoseconds(int node, bool leaves, picoseconds at, picoseconds takes)> adapters;
  // Returns when the data begins to leave.
  picoseconds leave_node(int node, picoseconds at, picoseconds takes);
  // Returns when the data has entered.
  picoseconds enter_node(int node, picoseconds at, picoseconds takes);

  // --- messages.cpp ---
  std::shared_ptr<operation> start_send(group const& g, int me, std::span<std::byte const> bytes,
                                        int to, int tag, place where);
  std::shared_ptr<operation> start_receive(group const& g, int me, std::span<std::byte> into,
                                           int from, int tag, place where);
  void wait_all(std::span<virtual_rank::request> requests, place where);
  std::size_t wait(std::shared_ptr<operation> o, call_kind kind, place where);
  void drop(std::shared_ptr<operation> const& o);
  void revoke(group& g);

  // --- service.cpp ---
  // Each request goes to the rank in it, to that rank's part of the service.
  std::vector<service_answer> ask(group const& g, int me,
                                  std::vector<std::shared_ptr<served>> const& sides,
                                  std::vector<parcel> const& requests);
  void end(served& side);

  // --- memory.cpp ---
  void wait(group const& g, std::uint32_t const& word, std::uint32_t seen, place where);
  void wake(std::uint32_t const& word);
  // Wakes ranks that wait for memory on this communicator, because the rank that would have changed
  // it may be dead.
  void tell_watchers(group const& g, picoseconds at);

  // --- collective.cpp ---
  std::uint64_t add(group& g);
  void remove(group& g);

  virtual_report report;
  std::uint64_t next_number = 0;  // used by virtual_rank::unique_number

 private:
  // The subject of an event.
  struct subject {
    task* who = nullptr;   // null for an arriving message or a posted call
    std::size_t slot = 0;  // index in in_flight_ or calls_
    bool is_call = false;
    bool is_message() const { return !who && !is_call; }
  };

  task& make_task(rank_state& r, bool is_service, std::function<void()> body);
  void push(picoseconds at, subject what);
  // Returns 0 if the seed is 0, so that events of one time happen in the order in which they were
  // made.
  std::uint64_t key_of(std::uint64_t n) const {
    return scenario_.seed != 0 ? mixed(scenario_.seed ^ mixed(n)) : 0;
  }
  void resume(task& t);
  void loop();
  void unwind();
  int runnable(int node, std::size_t processor, int except, picoseconds at) const;
  void die();
  void lost(rank_state& r);  // makes operations that wait for it end
  std::string words_of(task const& t) const;
  std::vector<blocked_rank> blocked() const;
  bool in_file_call(waiting const& w) const;
  std::vector<std::string> did_not_happen() const;

  // service.cpp
  void post(std::shared_ptr<question> q);
  void arrive(std::shared_ptr<question> const& q);
  void answer(std::shared_ptr<question> const& q);
  void finish(question& q, std::error_code error, picoseconds at);

  // messages.cpp
  // Returns when a message arrives that the running task sends now. `bytes` is 0 if the receiver
  // requests the bytes later.
  picoseconds time_of_arrival(int from, int to, std::int64_t bytes);
  void put_in_flight(message m, picoseconds at);
  void deliver(message m);
  void match(message m, operation& receive);
  void complete(operation& o, picoseconds at);
  void wait_for(operation& o);
  void tell_senders_and_receivers(rank_state& dead);
  bool is_revoked(std::uint64_t g) const;

  lab::scenario scenario_;
  virtual_options options_;
  stack_pool stacks_;
  std::vector<rank_state> ranks_;
  std::vector<std::unique_ptr<task>> tasks_;
  event_queue<subject> queue_;
  std::vector<message> in_flight_;
  std::vector<std::size_t> free_in_flight_;
  std::vector<std::function<void()>> calls_;
  std::vector<std::size_t> free_calls_;
  std::vector<picoseconds> adapter_out_, adapter_in_;
  // one for each node; empty if processors are not counted
  std::vector<node_processors> processors_;
  // tasks that wait for a word, in the order in which they came
  std::unordered_map<std::uint32_t const*, std::vector<task*>> watchers_;
  std::map<std::uint64_t, group*> groups_;
  std::uint64_t next_group_ = 0;
  std::uint64_t keys_ = 0, hash_ = 0, run_number_ = 0;
  picoseconds now_ = 0;
  task* current_ = nullptr;
  bool ending_ = false;
  std::optional<virtual_run_error::reason> failed_;
  std::string failed_words_;
  std::exception_ptr thrown_;
};

}  // namespace argosy::lab::detail
