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
#include <utility>
#include <vector>

#include <argosy/agree/detail/phase.hpp>
#include <argosy/error/errc.hpp>
#include <argosy/error/source_location.hpp>
#include <argosy/handle/fault_script.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/detail/event_queue.hpp>
#include <argosy/world/service.hpp>

#include "coroutine.hpp"
#include "processors.hpp"

namespace argosy::lab::detail {

using picoseconds = std::int64_t;
using place = source_location;

constexpr picoseconds ps_of_ns(std::int64_t ns) { return ns * 1000; }
constexpr double seconds_of(picoseconds t) { return static_cast<double>(t) * 1e-12; }
// Returns the time for `bytes` bytes at `mb_per_s` million bytes per second.
constexpr picoseconds ps_of_bytes(std::int64_t bytes, std::int64_t mb_per_s) {
  std::int64_t const rate = mb_per_s > 0 ? mb_per_s : 1;
  return bytes / rate * 1'000'000 + bytes % rate * 1'000'000 / rate;
}

constexpr std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Thrown to unwind the stack of a task whose run, or rank, has ended. Not a std::exception, so few
// handlers catch it. If a handler does, the next operation throws it again.
struct run_ended {};

// The values are part of the hash of a run, so add new ones at the end.
enum class call_kind {
  barrier,
  all_reduce,
  all_gather,
  broadcast,
  exclusive_sum,
  duplicate,
  split,
  node,
  share,
  send,
  receive,
  wait_all,
  compute,
  pause,
  background,
  file,
  memory,
  wake,
  deliver,
  ask
};
char const* name_of(call_kind k) noexcept;

struct rank_state;
struct task;
class group;

// A message that a rank sends or receives, until it has been waited for.
struct operation {
  bool is_receive = false, done = false;
  int owner = 0, peer = 0, tag = 0;  // ranks of the cluster
  int peer_in_group = 0;
  std::uint64_t group = 0, run = 0;
  place where = {};
  std::span<std::byte> into = {};
  std::size_t bytes = 0;
  picoseconds at = 0;  // when it was completed, or started
  bool peer_died = false;
  task* waiter = nullptr;
};

// One rank's part of a service.
struct served {
  serve_function answer;
  bool open = true;
  int under_way = 0;
  task* last = nullptr;  // the task that waits for the answers under way
};
// A call to services of one or several ranks.
struct inquiry {
  task* who = nullptr;  // null if the task waits no more
  std::size_t left = 0;
  picoseconds at = 0;
};
struct question {
  int from = 0, to = 0;  // ranks of the cluster
  int from_in_group = 0;
  std::shared_ptr<served> whom;
  std::shared_ptr<inquiry> of;
  std::vector<std::byte> content;  // first the request, later the answer
  std::error_code error;
  bool is_answer = false, done = false;
};

// A message under way.
struct message {
  int from = 0, to = 0, tag = 0;
  std::uint64_t group = 0;
  std::size_t bytes = 0;
  picoseconds sent = 0;
  bool hollow = false;                // its bytes are not transferred
  std::vector<std::byte> content;     // content of a short message
  std::byte const* memory = nullptr;  // memory of a long message
  std::shared_ptr<operation> sender;  // the send of a long message, which waits for the receive
  std::shared_ptr<question> about;    // set for a request or answer of a service: it has no receive
  picoseconds ready = 0;
};

template <class T>
class fifo {
 public:
  bool empty() const noexcept { return first_ == items_.size(); }
  T& front() { return items_[first_]; }
  void push(T x) { items_.push_back(std::move(x)); }
  T pop() {
    T x = std::move(items_[first_++]);
    if (first_ == items_.size()) {
      items_.clear();
      first_ = 0;
    }
    return x;
  }
  template <class F>
  void remove_if(F&& f) {
    items_.erase(items_.begin(),
                 items_.begin() + static_cast<std::ptrdiff_t>(std::exchange(first_, 0)));
    std::erase_if(items_, f);
  }
  template <class F>
  void for_each(F&& f) {
    for (std::size_t i = first_; i < items_.size(); ++i) f(items_[i]);
  }

 private:
  std::vector<T> items_;
  std::size_t first_ = 0;
};

struct channel_name {
  std::uint64_t group;
  int from, tag;
  auto operator<=>(channel_name const&) const = default;
};
struct channel {
  fifo<message> arrived;
  fifo<std::shared_ptr<operation>> posted;
};

// The operation that a task waits for, for deadlock reports.
struct waiting {
  call_kind kind = call_kind::compute;
  std::uint64_t group = 0;
  std::span<virtual_rank::request const> requests = {};
  std::string const* words = nullptr;  // set by the waiting task
  place where = {};
  picoseconds since = 0;
};

// A phase that a task is in.
struct open_phase {
  argosy::detail::phase what = {};
  argosy::detail::phase_facts facts = {};
  picoseconds began = 0;
  int again = 0;  // number of its beginnings inside of itself
};

struct task {
  int number = 0;
  rank_state* rank = nullptr;
  bool is_service = false, started = false, finished = false, blocked = false, cancelled = false;
  // it waited for shared memory, and a rank that could have changed it is dead
  bool left_alone = false;
  picoseconds time = 0;
  std::int64_t pending = 0;  // requests that it waits for
  picoseconds wake_at = 0;
  waiting why;
  std::vector<open_phase> phases;
  // set while the task runs, because tasks share a thread
  argosy::detail::phase_listener* heard = nullptr;
  bool reads_to_merge = false;  // likewise
  std::optional<coroutine> context;
};

struct rank_state {
  int number = 0, node = 0;
  task* program = nullptr;
  std::vector<task*> services;                       // services that have not ended
  std::vector<std::shared_ptr<question>> questions;  // requests that have come and are not answered
  std::map<channel_name, channel> mail;
  // when the last message to each rank arrives: later messages do not overtake it
  std::map<int, picoseconds> last_to;
  double factor = 1;
  std::vector<paused_rank> pauses;  // pauses that have not begun
  std::int64_t dies_at = 0;         // the operation at which the rank dies; 0: never
  std::int64_t operations = 0;
  bool dead = false;
  picoseconds death = 0;
  std::string note;  // describes the current file call
  std::string last_note;
  call_kind last_kind = call_kind::compute;
  // the collective call that it left last; 0: none
  std::uint64_t last_group = 0, last_number = 0;
  std::shared_ptr<fault_script> faults;  // null if the rank has none
};

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

// Ranks that communicate, shared by their virtual_ranks.
class group {
 public:
  group(scheduler& s, std::vector<int> members);
  ~group();

  std::uint64_t id = 0;
  std::vector<int> members;  // ranks of the cluster
  int nodes = 1;             // number of nodes that they are on
  int size() const noexcept { return static_cast<int>(members.size()); }

  // A rank's arguments of a collective call, and the place of its results.
  struct arrival {
    call_kind kind = call_kind::barrier;
    std::size_t bytes = 0;
    int root = 0;
    place where = {};
    std::byte const* in = nullptr;
    std::byte* out = nullptr;
    combine_function* combine = nullptr;
    std::int64_t number = 0, second = 0;  // for exclusive_sum and split; also the result
    std::shared_ptr<group>* made = nullptr;
    std::shared_ptr<std::byte>* memory = nullptr;
    std::vector<parcel> const* parcels = nullptr;
    std::vector<parcel>* delivered = nullptr;
    int error = 0;  // result of share

    task* who = nullptr;
    picoseconds at = 0;
    bool done = false, failed = false;
  };
  // Collective. Returns false as scheduler::begin does.
  bool meet(int me, arrival& mine);
  [[noreturn]] void throw_lost(call_kind k, place where) const;

  void member_died(int number);
  int dead_member = -1;  // the first dead member, or -1
  picoseconds dead_since = 0;
  bool revoked = false;
  void tell_meetings(picoseconds at);
  std::vector<std::weak_ptr<group>> made;  // groups made from this one
  // another group of the same ranks; null until `beside` is called
  std::shared_ptr<group> beside;
  std::vector<std::shared_ptr<served>> sides;  // parts of a service, by member

 private:
  struct meeting {
    arrival first;  // the arguments that those of other ranks are compared with
    int first_rank = 0;
    std::vector<arrival*> arrived;  // null if the rank has not called yet, or has left
    int count = 0, left = 0;
    // For a broadcast, by ranks counted from the root: when each called (-1: not yet), and when the
    // message reaches it.
    std::vector<picoseconds> came, reach;
    std::vector<std::byte> content;
  };
  void compare(meeting const& m, int me, arrival const& mine);
  void finish(meeting& m);
  void move_data(meeting& m);
  void split(meeting& m);
  void share(meeting& m);
  void deliver(meeting& m, std::vector<picoseconds>& t);
  void broadcast_from(meeting& m, int relative);
  void release(meeting& m, arrival& a, picoseconds at);
  picoseconds hop(int a, int b, std::int64_t bytes) const;
  void exchange(std::vector<picoseconds>& t, std::int64_t bytes) const;
  void gather(std::vector<picoseconds>& t, std::int64_t bytes) const;

  scheduler& scheduler_;
  std::vector<std::uint64_t> next_;  // the number of each member's next call
  std::vector<std::unique_ptr<meeting>> open_;
  std::uint64_t first_open_ = 0;
  std::vector<int> node_of_;
};

inline bool unwinding(task const& t) noexcept { return t.cancelled; }
bool is_inside(place const& where);  // true for lines inside of the library
// empty for lines inside of the library, which users cannot change
std::string text_of(place const& where);

}  // namespace argosy::lab::detail
