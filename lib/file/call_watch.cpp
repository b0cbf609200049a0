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

// The last call that a rank came to, in one lane. Words, since other processes may read while this one writes.
struct arrival {
  std::uint64_t number;
  std::array<std::uint64_t, 15> text;
};
constexpr std::size_t lanes = 2;
using arrivals = std::array<arrival, lanes>;

std::atomic_ref<std::uint64_t> at(std::uint64_t& word) { return std::atomic_ref<std::uint64_t>(word); }

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
    at(a.text[i]).store(word, std::memory_order_relaxed);
  }
}

std::string read_text(arrival& a) {
  std::array<char, sizeof a.text> letters{};
  for (std::size_t i = 0; i < a.text.size(); ++i) {
    std::uint64_t const word = at(a.text[i]).load(std::memory_order_relaxed);
    std::memcpy(letters.data() + i * sizeof word, &word, sizeof word);
  }
  return {letters.data(), ::strnlen(letters.data(), letters.size())};
}

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
  bool others = true;  // ranks of which nothing is known
  arrivals here = {};  // before there is a board
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
}

std::size_t call_watch::bytes_for(int ranks) noexcept { return sizeof(arrivals) * static_cast<std::size_t>(ranks); }

void call_watch::meet(shared_memory board, std::vector<int> world_ranks, int mine, bool others) {
  std::lock_guard const guard(state_->mutex);
  if (board.bytes().empty()) return;
  state_->board = std::move(board);
  state_->ranks = std::move(world_ranks);
  state_->mine = static_cast<std::size_t>(mine);
  state_->others = others;
}

std::uint64_t call_watch::come(lane l, std::string_view call, source_location const& where) {
  arrival& a = state_->of(state_->mine)[static_cast<std::size_t>(l)];
  write_text(a, place_of(call, where));
  return at(a.number).fetch_add(1, std::memory_order_release) + 1;
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
        tell(l, *waits[l]);
        waits[l]->tell = clock::time_point::max();  // once
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
  std::string late;
  std::size_t count = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    arrival& a = of(r)[lane];
    std::uint64_t const come = at(a.number).load(std::memory_order_acquire);
    if (come >= number) continue;
    if (++count > 8) continue;
    std::string const last = come == 0 ? std::string() : read_text(a);
    late += (late.empty() ? "" : ", ") + std::to_string(ranks[r]) +
            (last.empty() ? " (which came to none yet)" : " (last seen in " + last + ")");
  }
  if (count > 8) late += " and " + std::to_string(count - 8) + " more";
  std::string words = count == 0 ? std::string() : std::string(count == 1 ? "for rank " : "for ranks ") + late;
  if (others) return words + (count == 0 ? "for ranks of other nodes" : ", and perhaps for ranks of other nodes");
  return count == 0 ? "for the work of the others: all ranks have come to it" : words;
}

}  // namespace argosy::detail
