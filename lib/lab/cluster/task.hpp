// Tasks and ranks of the virtual cluster, and the messages under way between them. These are plain
// values, which the scheduler uses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/agree/detail/phase.hpp>
#include <argosy/error/source_location.hpp>
#include <argosy/handle/fault_script.hpp>
#include <argosy/lab/cluster/rank.hpp>
#include <argosy/lab/cluster/scenario.hpp>
#include <argosy/world/service.hpp>

#include "coroutine.hpp"

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

inline bool unwinding(task const& t) noexcept { return t.cancelled; }
bool is_inside(place const& where);  // true for lines inside of the library
// empty for lines inside of the library, which users cannot change
std::string text_of(place const& where);

}  // namespace argosy::lab::detail
