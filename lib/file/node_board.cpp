// Implements file/detail/node_board.hpp: what ranks publish of their calls, and how a wait without end is found.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/node_board.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include <argosy/world/memory_world.hpp>

namespace argosy::detail {
namespace {

// Words, since other processes may read while this one writes; of a text that is too long the end.
template <std::size_t N>
struct shared_text {
  std::array<std::uint64_t, N> words;

  void write(std::string_view text) noexcept {
    std::array<std::uint64_t, N> letters{};
    if (text.size() > sizeof letters) text.remove_prefix(text.size() - sizeof letters);
    std::memcpy(letters.data(), text.data(), text.size());
    write(letters);
  }
  void write(std::array<std::uint64_t, N> const& letters) noexcept {
    for (std::size_t i = 0; i < N; ++i)
      std::atomic_ref<std::uint64_t>(words[i]).store(letters[i], std::memory_order_relaxed);
  }
  std::array<std::uint64_t, N> copy() noexcept {
    std::array<std::uint64_t, N> letters;
    for (std::size_t i = 0; i < N; ++i)
      letters[i] = std::atomic_ref<std::uint64_t>(words[i]).load(std::memory_order_relaxed);
    return letters;
  }
  std::string read() {
    auto const letters = copy();
    auto const* const first = reinterpret_cast<char const*>(letters.data());
    return {first, ::strnlen(first, sizeof letters)};
  }
};

struct place {
  shared_text<4> call;
  shared_text<10> file;
  std::uint64_t line;

  void write(std::string_view name, source_location const& where) noexcept {
    call.write(name);
    file.write(where.file_name());
    std::atomic_ref<std::uint64_t>(line).store(where.line(), std::memory_order_relaxed);
  }
  void copy_from(place& other) noexcept {
    call.write(other.call.copy());
    file.write(other.file.copy());
    std::atomic_ref<std::uint64_t>(line).store(std::atomic_ref<std::uint64_t>(other.line).load());
  }
};

// In front: the first call that is void, above the rank that found it; 0: none is. And a word that changes when those who wait
// should look.
struct head {
  std::uint64_t verdict;
  std::uint32_t bell;
};
constexpr std::size_t front = 64;
constexpr int rank_bits = 20;

head& head_of(shared_memory const& m) { return *static_cast<head*>(static_cast<void*>(m.bytes().data())); }

void ring(head& h) noexcept {
  std::atomic_ref<std::uint32_t>(h.bell).fetch_add(1);
  memory_world::wake(h.bell);
}

}  // namespace

// Of one rank. Others than the counts are read only where the rank cannot change them, or for words.
struct node_board::line {
  alignas(64) std::uint64_t begun;  // calls in the background
  std::uint64_t blocking;           // twice the blocking calls that have ended, and one if it is in the next
  place now;                        // that one
  // What this rank has found: the rank that cannot come, where it is, and how many have begun the call.
  std::uint64_t who, begun_by, failed;
  place there;
};

std::size_t node_board::bytes_for(int size) noexcept { return front + static_cast<std::size_t>(size) * sizeof(line); }

node_board::node_board(shared_memory m, int rank, int size) : memory_(std::move(m)), rank_(rank), size_(size) {}

node_board::line& node_board::of(int rank) const noexcept {
  auto* const first = static_cast<line*>(static_cast<void*>(memory_.bytes().data() + front));
  return first[rank];
}

bool node_board::all_have_begun(std::uint64_t number) const noexcept {
  for (int r = 0; r < size_; ++r)
    if (std::atomic_ref(of(r).begun).load() < number) return false;
  return true;
}

void node_board::begin(std::uint64_t number) noexcept {
  std::atomic_ref(of(rank_).begun).store(number);
  if (all_have_begun(number)) ring(head_of(memory_));  // of two that come last at least one sees the other
}

void node_board::enter(std::string_view call, source_location const& where) noexcept {
  line& mine = of(rank_);
  mine.now.write(call, where);
  std::atomic_ref(mine.blocking).fetch_add(1);
}
void node_board::leave() noexcept { std::atomic_ref(of(rank_).blocking).fetch_add(1); }

bool node_board::is_void(std::uint64_t number) const noexcept {
  std::uint64_t const verdict = std::atomic_ref(head_of(memory_).verdict).load();
  return verdict != 0 && (verdict >> rank_bits) <= number;
}

bool node_board::all_begin(std::uint64_t number, bool by_program) noexcept {
  head& h = head_of(memory_);
  for (;;) {
    std::uint32_t const seen = std::atomic_ref<std::uint32_t>(h.bell).load();
    // In this order: the rank that had not begun it may do so once it is void, and not before.
    bool const all = all_have_begun(number);
    if (is_void(number)) return false;
    if (all) return true;
    if (by_program) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      look(number);
    } else {
      memory_world::wait(h.bell, seen);
    }
  }
}

void node_board::look(std::uint64_t number) noexcept {
  if (is_void(number)) return;
  line& mine = of(rank_);
  std::uint64_t const ended = std::atomic_ref(mine.blocking).load();
  if (ended % 2 != 0) return;  // another thread of this rank may be what the others wait for
  for (int r = 0; r < size_; ++r) {
    line& other = of(r);
    // It is in a blocking call to which this rank has not come: it stays there until this rank comes. What it began before, it
    // had published before.
    if (std::atomic_ref(other.blocking).load() != ended + 1) continue;
    std::uint64_t const begun = std::atomic_ref(other.begun).load();
    if (begun >= number) continue;
    std::uint64_t have = 0, first = 0;
    for (int k = size_; k-- > 0;)
      if (std::atomic_ref(of(k).begun).load() > begun) {
        ++have;
        first = static_cast<std::uint64_t>(k);
      }
    std::atomic_ref(mine.who).store(static_cast<std::uint64_t>(r));
    std::atomic_ref(mine.begun_by).store(have);
    std::atomic_ref(mine.failed)
        .store(2 * have < static_cast<std::uint64_t>(size_) ? first : static_cast<std::uint64_t>(r));
    mine.there.copy_from(other.now);
    head& h = head_of(memory_);
    std::uint64_t const verdict = ((begun + 1) << rank_bits) | static_cast<std::uint64_t>(rank_);
    std::uint64_t before = std::atomic_ref(h.verdict).load();
    while ((before == 0 || before > verdict) && !std::atomic_ref(h.verdict).compare_exchange_weak(before, verdict)) {
    }
    ring(h);
    return;
  }
}

agreement node_board::fault(std::string_view call, source_location const& where, bool late) const {
  auto const finder =
      static_cast<int>(std::atomic_ref(head_of(memory_).verdict).load() & ((std::uint64_t{1} << rank_bits) - 1));
  line& found = of(finder);
  auto const number = [](std::uint64_t& word) { return static_cast<int>(std::atomic_ref(word).load()); };
  return fault_of({number(found.who), number(found.begun_by), number(found.failed), found.there.call.read(),
                   found.there.file.read(), std::atomic_ref(found.there.line).load()},
                  size_, call, where, late);
}

}  // namespace argosy::detail
