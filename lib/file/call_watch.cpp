// Implements file/detail/call_watch.hpp: the clock, the board of a node, and the line that is printed.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/call_watch.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace argosy::detail {
namespace {

using clock = std::chrono::steady_clock;

// The last call that a rank came to, in one lane: the number of it there, and among the calls of all lanes. Words, since other
// processes may read while this one writes.
struct arrival {
  std::uint64_t number, order;
  std::array<std::uint64_t, 14> text;
};
constexpr std::size_t lanes = 2;
using arrivals = std::array<arrival, lanes>;

std::string place_of(std::string_view call, source_location const& where) {
  return std::string(call) + " at " + where.file_name() + ":" + std::to_string(where.line());
}

// Keeps the end, as that of a path says more.
void write_text(arrival& a, std::string_view text) {
  std::array<char, sizeof a.text> letters{};
  if (text.size() >= letters.size()) text.remove_prefix(text.size() - letters.size() + 1);
  std::copy(text.begin(), text.end(), letters.begin());
  for (std::size_t i = 0; i < a.text.size(); ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, letters.data() + i * sizeof word, sizeof word);
    std::atomic_ref(a.text[i]).store(word, std::memory_order_relaxed);
  }
}

std::string read_text(arrival& a) {
  std::array<char, sizeof a.text> letters{};
  for (std::size_t i = 0; i < a.text.size(); ++i) {
    std::uint64_t const word = std::atomic_ref(a.text[i]).load(std::memory_order_relaxed);
    std::memcpy(letters.data() + i * sizeof word, &word, sizeof word);
  }
  return {letters.data(), ::strnlen(letters.data(), letters.size())};
}

// What one node asks another: who has not come to this call?
struct question {
  std::uint64_t lane, number;
};

// The first few of those who have not come, in words, and how many they are.
struct latecomers {
  static constexpr std::uint64_t most_named = 8;
  std::uint64_t count = 0;
  std::string words;

  void add(latecomers const& more) {
    if (count < most_named && !more.words.empty()) words += (words.empty() ? "" : ", ") + more.words;
    count += more.count;
  }
};

// Each is a connection; a job of more nodes has more than one that waits.
constexpr std::size_t most_asked = 64;

}  // namespace

struct call_watch::state {
  struct wait {
    std::uint64_t number;
    std::string place;
    clock::time_point since, tell;
  };

  clock::duration patience;
  std::string path;
  int rank;
  shared_memory board;
  std::vector<int> ranks;
  std::size_t mine = 0;
  bool others = false;            // there are other nodes
  std::unique_ptr<service> asks;  // null: they cannot be asked
  std::vector<int> elsewhere;     // a rank of each
  arrivals here = {};             // before there is a board
  std::array<std::optional<wait>, lanes> waits;
  bool ending = false;
  std::mutex mutex;
  std::condition_variable changed;
  std::thread thread;

  arrivals& of(std::size_t r) {
    auto* const first = static_cast<arrivals*>(static_cast<void*>(board.bytes().data()));
    return board.bytes().empty() ? here : first[r];
  }
  void run();
  void tell(std::size_t lane, wait const& w);
  std::string whom(std::size_t lane, std::uint64_t number);
  latecomers late_here(std::size_t lane, std::uint64_t number);
  // Adds those of the other nodes; how many nodes did not tell.
  std::size_t ask_others(question const& q, latecomers& late);
};

std::shared_ptr<call_watch> call_watch::from_environment(std::string path, int rank) {
  char const* const set = std::getenv("ARGOSY_WATCH");
  if (!set || *set == 0) return nullptr;
  char* end = nullptr;
  double const seconds = std::strtod(set, &end);
  if (*end != 0 || !(seconds >= 0 && seconds < 1e9)) {
    std::fprintf(stderr, "argosy: ARGOSY_WATCH=%s is no number of seconds; nobody watches\n", set);
    return nullptr;
  }
  if (seconds == 0) return nullptr;
  try {
    return std::make_shared<call_watch>(std::chrono::duration<double>(seconds), std::move(path), rank);
  } catch (std::system_error const&) {  // no thread can be made
    std::fprintf(stderr, "argosy: ARGOSY_WATCH: rank %d can have no thread to watch it\n", rank);
    return nullptr;
  }
}

std::shared_ptr<call_watch> call_watch::of_others(std::string path, int rank) try {
  return std::make_shared<call_watch>(std::chrono::hours(24 * 365), std::move(path), rank);
} catch (std::system_error const&) {
  return nullptr;
}

call_watch::call_watch(std::chrono::duration<double> patience, std::string path, int rank)
    : state_(std::make_unique<state>()) {
  state_->patience = std::chrono::duration_cast<clock::duration>(patience);
  state_->path = std::move(path);
  state_->rank = rank;
  state_->thread = std::thread([s = state_.get()] { s->run(); });
}

call_watch::~call_watch() {
  {
    std::lock_guard const guard(state_->mutex);
    state_->ending = true;
  }
  state_->changed.notify_one();
  state_->thread.join();
  state_->asks.reset();  // while what it answers from is there
}

std::size_t call_watch::bytes_for(int ranks) noexcept { return sizeof(arrivals) * static_cast<std::size_t>(ranks); }

void call_watch::meet(shared_memory board, std::vector<int> world_ranks, int mine) {
  std::lock_guard const guard(state_->mutex);
  if (board.bytes().empty()) return;
  state_->board = std::move(board);
  state_->ranks = std::move(world_ranks);
  state_->mine = static_cast<std::size_t>(mine);
}

void call_watch::meet_others(std::unique_ptr<service> ask, std::vector<int> one_of_each) {
  std::lock_guard const guard(state_->mutex);
  state_->others = true;
  state_->asks = std::move(ask);
  if (one_of_each.size() > most_asked) one_of_each.resize(most_asked);
  state_->elsewhere = std::move(one_of_each);
}

std::uint64_t call_watch::come(lane l, std::string_view call, source_location const& where) {
  arrivals& mine = state_->of(state_->mine);
  arrival& a = mine[static_cast<std::size_t>(l)];
  write_text(a, place_of(call, where));
  std::uint64_t order = 0;
  for (arrival& other : mine) order = std::max(order, std::atomic_ref(other.order).load(std::memory_order_relaxed));
  std::atomic_ref(a.order).store(order + 1, std::memory_order_relaxed);
  return std::atomic_ref(a.number).fetch_add(1, std::memory_order_release) + 1;
}

call_watch::waiting::waiting(call_watch* w, lane l, std::uint64_t number, std::string_view call,
                             source_location const& where)
    : watch_(w), lane_(static_cast<std::size_t>(l)) {
  if (!watch_) return;
  state& s = *watch_->state_;
  auto const now = clock::now();
  {
    std::lock_guard const guard(s.mutex);
    s.waits[lane_] = state::wait{number, place_of(call, where), now, now + s.patience};
  }
  s.changed.notify_one();
}

call_watch::waiting::~waiting() {
  if (!watch_) return;
  std::lock_guard const guard(watch_->state_->mutex);
  watch_->state_->waits[lane_].reset();
}

void call_watch::state::run() {
  std::unique_lock guard(mutex);
  while (!ending) {
    auto next = clock::time_point::max();
    for (std::size_t l = 0; l < lanes; ++l) {
      if (!waits[l]) continue;
      if (waits[l]->tell <= clock::now()) {
        wait const w = *waits[l];
        waits[l]->tell = clock::time_point::max();  // once
        guard.unlock();                             // others are asked, and ask
        tell(l, w);
        guard.lock();
        next = clock::time_point::min();  // the wait may have ended, and another begun
        continue;
      }
      next = std::min(next, waits[l]->tell);
    }
    if (next == clock::time_point::max())
      changed.wait(guard);
    else
      changed.wait_until(guard, next);
  }
}

void call_watch::state::tell(std::size_t lane, wait const& w) {
  double const seconds = std::chrono::duration<double>(clock::now() - w.since).count();
  std::string const words = whom(lane, w.number);
  std::fprintf(stderr, "argosy: rank %d has waited %.1f s in %s of '%s' %s\n", rank, seconds, w.place.c_str(),
               path.c_str(), words.c_str());
}

std::string call_watch::state::whom(std::size_t lane, std::uint64_t number) {
  if (board.bytes().empty())
    return "for other ranks; which ones is not known before the file is open, or without shared memory";
  latecomers late = late_here(lane, number);
  std::size_t const silent = others ? ask_others({lane, number}, late) : 0;
  std::string words;
  if (late.count > 0) words = (late.count == 1 ? "for rank " : "for ranks ") + late.words;
  if (late.count > latecomers::most_named)
    words += " and " + std::to_string(late.count - latecomers::most_named) + " more";
  if (others && (!asks || silent > 0)) {
    std::string const where =
        !asks ? "of other nodes" : "of " + std::to_string(silent) + " other nodes that did not tell";
    return words + (words.empty() ? "for ranks " : ", and perhaps for ranks ") + where;
  }
  return words.empty() ? "for the work of the others: all ranks have come to it" : words;
}

latecomers call_watch::state::late_here(std::size_t lane, std::uint64_t number) {
  latecomers late;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    arrivals& all = of(r);
    if (std::atomic_ref(all[lane].number).load(std::memory_order_acquire) >= number) continue;
    // Where it is may be a call of the other lane.
    arrival* seen = nullptr;
    for (arrival& a : all)
      if (std::atomic_ref(a.number).load(std::memory_order_acquire) > 0 &&
          (!seen || std::atomic_ref(a.order).load() > std::atomic_ref(seen->order).load()))
        seen = &a;
    latecomers one;
    one.count = 1;
    one.words = std::to_string(ranks[r]) + " (last seen in " + (seen ? read_text(*seen) : "open") + ")";
    late.add(one);
  }
  return late;
}

std::size_t call_watch::state::ask_others(question const& q, latecomers& late) {
  if (!asks) return 0;
  std::vector<std::byte> const asked(std::as_bytes(std::span(&q, 1)).begin(), std::as_bytes(std::span(&q, 1)).end());
  std::vector<parcel> requests;
  for (int const r : elsewhere) requests.push_back({r, asked});
  std::size_t silent = 0;
  for (service_answer const& a : asks->call(requests)) {
    latecomers more;
    if (a.error || a.content.size() < sizeof more.count) {
      ++silent;
      continue;
    }
    std::memcpy(&more.count, a.content.data(), sizeof more.count);
    for (std::byte const b : std::span(a.content).subspan(sizeof more.count)) more.words += static_cast<char>(b);
    late.add(more);
  }
  return silent;
}

// What it reads does not change once others can ask.
std::vector<std::byte> call_watch::answer(std::span<std::byte const> asked) const {
  question q{};
  if (asked.size() != sizeof q || state_->board.bytes().empty()) return {};
  std::memcpy(&q, asked.data(), sizeof q);
  if (q.lane >= lanes) return {};
  latecomers const late = state_->late_here(q.lane, q.number);
  std::vector<std::byte> all(sizeof late.count + late.words.size());
  std::memcpy(all.data(), &late.count, sizeof late.count);
  std::memcpy(all.data() + sizeof late.count, late.words.data(), late.words.size());
  return all;
}

}  // namespace argosy::detail
