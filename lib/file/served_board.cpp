// Implements file/detail/served_board.hpp: what ranks ask each other, and what rank 0 decides.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/served_board.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace argosy::detail {
namespace {

enum class subject : std::uint32_t {
  has_begun,  // to rank 0
  all_begun,  // from rank 0
  missing,    // to rank 0: who has not begun this call?
  line,       // where are you?
  found,      // to rank 0: this call cannot be begun by all
  is_void     // from rank 0
};

// In a fixed place, since it is sent as it is; of a text that is too long the end.
template <std::size_t N>
struct sent_text {
  char letters[N];

  void write(std::string_view text) noexcept {
    if (text.size() >= N) text.remove_prefix(text.size() - N + 1);
    std::fill(std::copy(text.begin(), text.end(), letters), letters + N, '\0');
  }
  std::string read() const { return {letters, ::strnlen(letters, N)}; }
};

constexpr std::chrono::milliseconds longest_pause{1000}, between_checks{100};

}  // namespace

struct served_board::question {
  subject about = subject::has_begun;
  int who = -1;              // found: who cannot come. missing: how many of them to leave out. Answers: the rank
  std::uint64_t number = 0;  // of the call
  std::uint64_t begun = 0, blocking = 0;  // of a line
  int begun_by = 0, failed = 0;
  sent_text<32> call = {};
  sent_text<80> file = {};
  std::uint64_t line = 0;

  std::vector<std::byte> bytes() const {
    static_assert(std::is_trivially_copyable_v<question>);
    std::vector<std::byte> b(sizeof *this);
    std::memcpy(b.data(), this, sizeof *this);
    return b;
  }
  static question from(std::span<std::byte const> b) {
    question q;
    if (b.size() == sizeof q) std::memcpy(&q, b.data(), sizeof q);
    return q;
  }
};

served_board::served_board(served_world const& world)
    : rank_(world.rank()),
      begun_of_(world.rank() == 0 ? static_cast<std::size_t>(world.size()) : 0),
      size_(world.size()),
      world_(world) {
  world_.listen([this](int from, std::span<std::byte const> asked) { return answer(from, asked); });
}

// --- What others are told ---

std::vector<std::byte> served_board::answer(int from, std::span<std::byte const> asked) {
  if (asked.size() != sizeof(question)) return {};
  question q = question::from(asked);
  switch (q.about) {
    case subject::has_begun:
      count(from, q.number);
      return {};
    case subject::all_begun: {
      std::lock_guard const guard(mutex_);
      all_begun_ = std::max(all_begun_, q.number);
      changed_.notify_all();
      return {};
    }
    case subject::missing: {
      count(from, q.number);  // who waits for it has begun it
      std::lock_guard const guard(mutex_);
      if (all_begun_ >= q.number) return question{.about = subject::all_begun, .number = all_begun_}.bytes();
      if (has_been_void(q.number)) return what_was_found().bytes();
      std::vector<int> missing;
      for (std::size_t r = 0; r < begun_of_.size(); ++r)
        if (begun_of_[r] < q.number) missing.push_back(static_cast<int>(r));
      q.who = missing.empty() ? -1 : missing[static_cast<std::size_t>(q.who) % missing.size()];
      return q.bytes();
    }
    case subject::line: {
      std::lock_guard const guard(mutex_);
      q.begun = begun_;
      q.blocking = blocking_;
      q.call.write(call_);
      q.file.write(where_.file_name());
      q.line = where_.line();
      return q.bytes();
    }
    case subject::found:
      judge(from, q);
      return {};
    case subject::is_void: {
      std::lock_guard const guard(mutex_);
      if (void_from_ == 0 || q.number < void_from_) {
        void_from_ = q.number;
        finding_ = {q.who, q.begun_by, q.failed, q.call.read(), q.file.read(), q.line};
      }
      changed_.notify_all();
      return {};
    }
  }
  return {};
}

// At rank 0. What all have begun is begun once and for all: nobody can find any more that one of them has not.
void served_board::count(int from, std::uint64_t number) {
  question q{.about = subject::all_begun};
  {
    std::lock_guard const guard(mutex_);
    auto& begun = begun_of_[static_cast<std::size_t>(from)];
    begun = std::max(begun, number);
    q.number = *std::min_element(begun_of_.begin(), begun_of_.end());
    if (has_been_void(q.number)) q.number = void_from_ - 1;
    if (q.number <= all_begun_) return;
    all_begun_ = q.number;
    changed_.notify_all();  // the word to this rank itself may be lost, too
  }
  tell_all(q);
}

// At rank 0. Void is a call that not all have begun, and each after it. Who finds that has begun it, and may say so here before its
// own has_begun comes, which another thread sends.
void served_board::judge(int from, question const& found) {
  question q = found;
  q.about = subject::is_void;
  {
    std::lock_guard const guard(mutex_);
    auto& finder = begun_of_[static_cast<std::size_t>(from)];
    finder = std::max(finder, q.number);
    if (q.number <= all_begun_ || has_been_void(q.number)) return;
    int const ranks = static_cast<int>(begun_of_.size());
    int first = 0;
    q.begun_by = 0;
    for (int r = ranks; r-- > 0;)
      if (begun_of_[static_cast<std::size_t>(r)] >= q.number) {
        ++q.begun_by;
        first = r;
      }
    q.failed = 2 * q.begun_by < ranks ? first : q.who;
  }
  tell_all(q);
}

// With the mutex.
served_board::question served_board::what_was_found() const {
  question q{.about = subject::is_void,
             .who = finding_.who,
             .number = void_from_,
             .begun_by = finding_.begun_by,
             .failed = finding_.failed,
             .line = finding_.line};
  q.call.write(finding_.call);
  q.file.write(finding_.file);
  return q;
}

service_answer served_board::ask(int rank, question const& q) const {
  std::vector<parcel> one(1);
  one[0] = {rank, q.bytes()};
  service_answer answer = std::move(world_.ask(std::move(one))[0]);
  if (answer.error) answer.content.clear();
  return answer;
}

// If rank 0 had no memory for the question, it is asked again later. If it cannot be reached, no
// call can be decided.
service_answer served_board::ask_first(question const& q) const {
  service_answer answer = ask(0, q);
  if (answer.error && answer.error != errc::io) world_.revoke(0);
  return answer;
}

void served_board::tell_all(question const& q) const {
  std::vector<parcel> all;
  for (int r = 0; r < size_; ++r) all.push_back({r, q.bytes()});
  world_.ask(std::move(all));
}

// --- This rank ---

void served_board::begin(std::uint64_t number) noexcept {
  std::lock_guard const guard(mutex_);
  begun_ = number;
}

void served_board::enter(std::string_view call, source_location const& where) noexcept {
  std::lock_guard const guard(mutex_);
  ++blocking_;
  call_ = call;
  where_ = where;
}

void served_board::leave() noexcept {
  std::lock_guard const guard(mutex_);
  ++blocking_;
}

bool served_board::is_void(std::uint64_t number) const noexcept {
  std::lock_guard const guard(mutex_);
  return has_been_void(number);
}

bool served_board::all_begin(std::uint64_t number, bool by_program) {
  ask_first({.about = subject::has_begun, .number = number});
  std::unique_lock guard(mutex_);
  auto const is_decided = [&] { return all_begun_ >= number || has_been_void(number); };
  std::chrono::milliseconds const between =
      by_program ? std::chrono::milliseconds(pause_ms) : between_checks;
  while (!changed_.wait_for(guard, between, is_decided)) {
    guard.unlock();
    world_.check();
    if (by_program) look(number);
    guard.lock();
  }
  return all_begun_ >= number;
}

void served_board::look(std::uint64_t number) {
  std::uint64_t ended = 0;
  question missing{.about = subject::missing, .number = number};
  {
    std::lock_guard const guard(mutex_);
    auto const now = std::chrono::steady_clock::now();
    if (all_begun_ >= number || has_been_void(number)) return;
    if (blocking_ % 2 != 0) return;  // another thread of this rank may be what the others wait for
    if (now < next_look_) return;
    ended = blocking_;
    next_look_ = now + between_looks_;
    between_looks_ = std::min(2 * between_looks_, longest_pause);
    missing.who = static_cast<int>(looks_++ & 0xffff);
  }
  question const absent = question::from(ask_first(missing).content);
  // It is decided, and the word of that has not come: it may be lost where a rank runs out of memory.
  if (absent.about == subject::all_begun || absent.about == subject::is_void) {
    answer(0, absent.bytes());
    return;
  }
  if (absent.about != subject::missing || absent.who < 0) return;
  question const there = question::from(ask(absent.who, {.about = subject::line}).content);
  // It is in a blocking call to which this rank has not come: it stays there until this rank comes. What it began before, it
  // counts.
  if (there.about != subject::line || there.blocking != ended + 1 || there.begun >= number) return;
  question found = there;
  found.about = subject::found;
  found.who = absent.who;
  found.number = there.begun + 1;
  ask(0, found);
}

agreement served_board::fault(std::string_view call, source_location const& where, bool late) const {
  std::lock_guard const guard(mutex_);
  return fault_of(finding_, size_, call, where, late);
}

}  // namespace argosy::detail
