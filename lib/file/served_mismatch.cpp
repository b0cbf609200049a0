// Implements file/detail/ranks/call_mismatch.hpp between nodes: the questions of ranks, and the
// decisions of rank 0.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <argosy/file/detail/ranks/call_mismatch.hpp>

namespace argosy::detail {
namespace {

constexpr std::chrono::milliseconds longest_pause{1000}, between_checks{100};

class served_mismatch final : public call_mismatch {
 public:
  served_mismatch(std::shared_ptr<call_board> board, served_world const& world);

  bool all_begin(std::uint64_t number, bool by_program) override;
  void look(std::uint64_t number) override;
  bool is_void(std::uint64_t number) const noexcept override {
    std::lock_guard const guard(mutex_);
    return decided_.voids(number);
  }

 private:
  // The decisions of rank 0, which are final: all ranks have begun a call, or it is void.
  struct decisions {
    std::uint64_t all_begun = 0;  // calls that all ranks have begun
    std::uint64_t void_from = 0;  // the first void call; 0: no call is void
    finding found;

    bool voids(std::uint64_t number) const { return void_from != 0 && void_from <= number; }
    bool covers(std::uint64_t number) const { return all_begun >= number || voids(number); }
    void learn(decisions const& more) {
      all_begun = std::max(all_begun, more.all_begun);
      if (more.void_from == 0 || voids(more.void_from)) return;
      void_from = more.void_from;
      found = more.found;
    }
  };
  enum class subject : std::uint32_t {
    begun,  // to rank 0: this rank has begun the call; which rank is missing, and what is decided?
    decided,  // from rank 0
    line,     // to a missing rank: which call are you in?
    stuck     // to rank 0: rank `who` is in a call that keeps it from this one
  };
  // The bytes of a message are sent unchanged, and so are those of its answer.
  struct message {
    subject about = subject::begun;
    int who = -1;  // number of missing ranks to skip; in an answer, the next missing rank
    std::uint64_t number = 0;  // number of the call
    std::uint64_t begun = 0, blocking = 0;
    call_site at = {};
    decisions decided = {};

    std::vector<std::byte> bytes() const {
      auto const all = std::as_bytes(std::span(this, 1));
      return {all.begin(), all.end()};
    }
    static message from(std::span<std::byte const> b) {
      message m;
      if (b.size() == sizeof m) std::memcpy(&m, b.data(), sizeof m);
      return m;
    }
  };

  finding found() const override {
    std::lock_guard const guard(mutex_);
    return decided_.found;
  }
  std::vector<std::byte> answer(int from, std::span<std::byte const> asked);
  message count(int from, message m);
  int missing(std::uint64_t number, int leave_out) const noexcept;
  void end_calls(int from, message const& m);
  void learn(decisions const& more);
  void tell_all(decisions const& news);
  service_answer ask(int rank, message const& m) const;
  message ask_first(message const& m);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  decisions decided_;
  std::vector<std::uint64_t> begun_of_;  // on rank 0: the number of calls that each rank has begun

  // The next time at which this rank looks, and the missing rank that it asks then.
  std::chrono::steady_clock::time_point next_look_;
  std::chrono::milliseconds between_looks_{pause_ms};
  std::uint64_t looks_ = 0;

  // the last copy; destroyed first, and then no rank sends a question any more
  served_world world_;
};

served_mismatch::served_mismatch(std::shared_ptr<call_board> board, served_world const& world)
    : call_mismatch(std::move(board), world.size()),
      begun_of_(world.rank() == 0 ? static_cast<std::size_t>(world.size()) : 0),
      world_(world) {
  world_.listen([this](int from, std::span<std::byte const> asked) { return answer(from, asked); });
}

// --- Answers to other ranks ---

std::vector<std::byte> served_mismatch::answer(int from, std::span<std::byte const> asked) {
  if (asked.size() != sizeof(message)) return {};
  message m = message::from(asked);
  switch (m.about) {
    case subject::begun:
      return count(from, m).bytes();
    case subject::decided:
      learn(m.decided);
      return {};
    case subject::line: {
      // In this order, so that all calls that this rank began before it entered a call are counted.
      call_board::line& mine = board_->mine();
      m.blocking = mine.load_blocking();
      m.begun = mine.load_begun();
      m.at = mine.entered.load();
      return m.bytes();
    }
    case subject::stuck:
      end_calls(from, m);
  }
  return {};
}

// On rank 0, with the mutex locked. Returns one of the ranks that have not begun a call; -1: all
// have.
int served_mismatch::missing(std::uint64_t number, int leave_out) const noexcept {
  auto const is_missing = [&](std::uint64_t begun) { return begun < number; };
  auto const all = std::count_if(begun_of_.begin(), begun_of_.end(), is_missing);
  if (all == 0) return -1;
  auto r = std::find_if(begun_of_.begin(), begun_of_.end(), is_missing);
  for (auto skip = leave_out % all; skip > 0; --skip)
    r = std::find_if(r + 1, begun_of_.end(), is_missing);
  return static_cast<int>(r - begun_of_.begin());
}

// On rank 0. When all ranks have begun a call, no rank can find any more that one has not.
served_mismatch::message served_mismatch::count(int from, message m) {
  std::unique_lock guard(mutex_);
  auto& begun = begun_of_[static_cast<std::size_t>(from)];
  begun = std::max(begun, m.number);
  std::uint64_t all = *std::min_element(begun_of_.begin(), begun_of_.end());
  if (decided_.voids(all)) all = decided_.void_from - 1;
  bool const news = all > decided_.all_begun;
  if (news) decided_.all_begun = all;
  m.decided = decided_;
  m.who = missing(m.number, m.who);
  guard.unlock();
  if (news) tell_all(m.decided);
  return m;
}

// On rank 0. Makes a call void that not all ranks have begun, and all later ones. A rank that sends
// `stuck` has begun the call. Its `begun` message may arrive later, since another thread sends it.
void served_mismatch::end_calls(int from, message const& m) {
  std::unique_lock guard(mutex_);
  auto& finder = begun_of_[static_cast<std::size_t>(from)];
  finder = std::max(finder, m.number);
  if (decided_.covers(m.number)) return;
  decided_.void_from = m.number;
  decided_.found = {.who = m.who, .at = m.at};
  judge(decided_.found, m.number, [&](std::size_t r) { return begun_of_[r]; });
  decisions const news = decided_;
  guard.unlock();
  tell_all(news);
}

void served_mismatch::learn(decisions const& more) {
  {
    std::lock_guard const guard(mutex_);
    decided_.learn(more);
  }
  changed_.notify_all();
}

// On rank 0.
void served_mismatch::tell_all(decisions const& news) {
  changed_.notify_all();
  std::vector<parcel> all;
  std::vector<std::byte> const bytes = message{.about = subject::decided, .decided = news}.bytes();
  for (int r = 1; r < ranks_; ++r) all.push_back({r, bytes});
  world_.ask(std::move(all));
}

// --- This rank ---

service_answer served_mismatch::ask(int rank, message const& m) const {
  std::vector<parcel> one(1);
  one[0] = {rank, m.bytes()};
  service_answer answer = std::move(world_.ask(std::move(one))[0]);
  if (answer.error) answer.content.clear();
  return answer;
}

// Reports to rank 0 that a call is begun here, and receives its decisions. If rank 0 had no memory
// for the question, it is asked again later. If rank 0 cannot be reached, no call can be decided.
served_mismatch::message served_mismatch::ask_first(message const& m) {
  service_answer const answer = ask(0, m);
  if (answer.error && answer.error != errc::io) world_.revoke(0);
  message const told = message::from(answer.content);
  learn(told.decided);
  return told;
}

bool served_mismatch::all_begin(std::uint64_t number, bool by_program) {
  ask_first({.number = number});
  std::unique_lock guard(mutex_);
  auto const between = by_program ? std::chrono::milliseconds(pause_ms) : between_checks;
  while (!changed_.wait_for(guard, between, [&] { return decided_.covers(number); })) {
    guard.unlock();
    world_.check();
    if (by_program) look(number);
    guard.lock();
  }
  return decided_.all_begun >= number;
}

void served_mismatch::look(std::uint64_t number) {
  std::uint64_t const ended = board_->mine().load_blocking();
  // another thread of this rank may be the one that the other ranks wait for
  if (ended % 2 != 0) return;
  message m{.number = number};
  {
    std::lock_guard const guard(mutex_);
    auto const now = std::chrono::steady_clock::now();
    if (decided_.covers(number) || now < next_look_) return;
    next_look_ = now + between_looks_;
    between_looks_ = std::min(2 * between_looks_, longest_pause);
    m.who = static_cast<int>(looks_++ & 0xffff);
  }
  // The message of a decision may be lost if a rank ran out of memory, so rank 0 is asked again.
  message const absent = ask_first(m);
  if (absent.decided.covers(number) || absent.who < 0) return;
  message there = message::from(ask(absent.who, {.about = subject::line}).content);
  // The other rank is in a blocking call that this rank has not reached, and stays there until this
  // rank comes. All background calls that it began before are counted.
  if (there.about != subject::line || there.blocking != ended + 1 || there.begun >= number) return;
  there.about = subject::stuck;
  there.number = there.begun + 1;
  there.who = absent.who;
  ask(0, there);
}

}  // namespace

std::unique_ptr<call_mismatch> call_mismatch::between_nodes(std::shared_ptr<call_board> board,
                                                            served_world const& world) {
  return std::make_unique<served_mismatch>(std::move(board), world);
}

}  // namespace argosy::detail
