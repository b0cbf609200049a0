// Implements file/detail/ranks/call_watch.hpp: the clock, the search for late ranks, and the line
// that is printed.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/ranks/call_watch.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

namespace argosy::detail {
namespace {

// The question of one node to another: which of your ranks have not come to this call?
struct late_question {
  call_board::lane lane;
  std::uint64_t number;
};

// The first few late ranks, as text, and the number of all late ranks.
struct late_ranks {
  static constexpr std::uint64_t most_named = 8;
  std::uint64_t count = 0;
  std::string words;

  void add(std::uint64_t more, std::string_view names) {
    if (count < most_named && !names.empty()) (words += words.empty() ? "" : ", ") += names;
    count += more;
  }
};

// The watch asks one rank on each of at most this many nodes, because each question needs a
// connection. In a job with more nodes several ranks wait, and their watches ask different nodes.
constexpr std::size_t most_asked = 64;

late_ranks late_on(call_board const& board, late_question const& q) {
  late_ranks late;
  for (std::size_t r = 0; r < board.ranks().size(); ++r) {
    call_board::line& other = board.of(r);
    if (other.came_to(q.lane) >= q.number) continue;
    // The rank may be in a call of the other lane.
    late.add(1, std::to_string(board.ranks()[r]) + " (last seen in " + other.last_seen() + ")");
  }
  return late;
}

// Adds the late ranks of other nodes. Returns the number of nodes that did not answer.
std::size_t ask_nodes(service& asks, std::vector<int> const& ranks, late_question const& q,
                      late_ranks& late) {
  auto const asked = std::as_bytes(std::span(&q, 1));
  std::vector<parcel> requests;
  for (int const r : ranks) requests.push_back({r, {asked.begin(), asked.end()}});
  std::size_t silent = 0;
  for (service_answer const& a : asks.call(requests)) {
    std::uint64_t count = 0;
    if (a.error || a.content.size() < sizeof count) {
      ++silent;
      continue;
    }
    std::memcpy(&count, a.content.data(), sizeof count);
    late.add(count, {reinterpret_cast<char const*>(a.content.data()) + sizeof count,
                     a.content.size() - sizeof count});
  }
  return silent;
}

}  // namespace

std::shared_ptr<call_board> call_watch::from_environment(std::string const& path, int rank) {
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
    std::shared_ptr<call_board> board = of_others();
    board->watch()->start(std::chrono::duration<double>(seconds), path, rank);
    return board;
  } catch (std::system_error const&) {  // no thread can be made
    std::fprintf(stderr, "argosy: ARGOSY_WATCH: rank %d can have no thread to watch it\n", rank);
    return nullptr;
  }
}

std::shared_ptr<call_board> call_watch::of_others() {
  auto board = std::make_shared<call_board>();
  board->be_watched(std::make_unique<call_watch>(*board));
  return board;
}

void call_watch::start(std::chrono::duration<double> patience, std::string path, int rank) {
  patience_ = std::chrono::duration_cast<clock::duration>(patience);
  path_ = std::move(path);
  rank_ = rank;
  thread_ = std::thread([this] { run(); });
}

call_watch::~call_watch() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard const guard(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void call_watch::meet_others(std::unique_ptr<service> asks, std::vector<int> one_of_each) {
  if (one_of_each.size() > most_asked) one_of_each.resize(most_asked);
  std::lock_guard const guard(mutex_);
  others_.emplace(other_nodes{std::move(asks), std::move(one_of_each)});
}

void call_watch::wait_for(call_board::lane l, std::uint64_t number, std::string_view call,
                          source_location const& where) noexcept {
  if (!thread_.joinable()) return;
  auto const now = clock::now();
  {
    std::lock_guard const guard(mutex_);
    waits_[static_cast<std::size_t>(l)] = {number, call, where, now, now + patience_};
  }
  changed_.notify_one();
}

void call_watch::end(call_board::lane l) noexcept {
  if (!thread_.joinable()) return;
  std::lock_guard const guard(mutex_);
  waits_[static_cast<std::size_t>(l)].tell = never;
}

void call_watch::run() {
  std::unique_lock guard(mutex_);
  while (!ending_) {
    std::size_t const l = waits_[0].tell <= waits_[1].tell ? 0 : 1;
    wait const next = waits_[l];
    if (next.tell == never) {
      changed_.wait(guard);
    } else if (next.tell > clock::now()) {
      changed_.wait_until(guard, next.tell);
    } else {
      waits_[l].tell = never;  // once
      guard.unlock();          // unlocked, because this asks other nodes and they ask this one
      tell(static_cast<call_board::lane>(l), next);
      guard.lock();
    }
  }
}

void call_watch::tell(call_board::lane l, wait const& w) {
  double const seconds = std::chrono::duration<double>(clock::now() - w.since).count();
  std::string const place = site_words(w.call, w.where.file_name(), w.where.line());
  std::string const words = whom(l, w.number);
  std::fprintf(stderr, "argosy: rank %d has waited %.1f s in %s of '%s' %s\n", rank_, seconds,
               place.c_str(), path_.c_str(), words.c_str());
}

std::string call_watch::whom(call_board::lane l, std::uint64_t number) {
  if (!board_.has_met())
    return "for other ranks; which ones is not known before the file is open, or without shared "
           "memory";
  late_question const q{l, number};
  late_ranks late = late_on(board_, q);
  std::unique_lock guard(mutex_);
  other_nodes const* const others = others_ ? &*others_ : nullptr;
  guard.unlock();
  std::size_t const silent =
      others && others->asks ? ask_nodes(*others->asks, others->ranks, q, late) : 0;
  std::string words;
  if (late.count > 0) words = (late.count == 1 ? "for rank " : "for ranks ") + late.words;
  if (late.count > late_ranks::most_named)
    words += " and " + std::to_string(late.count - late_ranks::most_named) + " more";
  if (others && (!others->asks || silent > 0)) {
    std::string const where =
        !others->asks ? "of other nodes"
                      : "of " + std::to_string(silent) + " other nodes that did not tell";
    return words + (words.empty() ? "for ranks " : ", and perhaps for ranks ") + where;
  }
  return words.empty() ? "for the work of the others: all ranks have come to it" : words;
}

std::vector<std::byte> call_watch::answer(std::span<std::byte const> asked) const {
  late_question q{};
  if (asked.size() != sizeof q || !board_.has_met()) return {};
  std::memcpy(&q, asked.data(), sizeof q);
  if (q.lane > call_board::lane::background) return {};
  late_ranks const late = late_on(board_, q);
  std::vector<std::byte> all(sizeof late.count + late.words.size());
  std::memcpy(all.data(), &late.count, sizeof late.count);
  std::memcpy(all.data() + sizeof late.count, late.words.data(), late.words.size());
  return all;
}

}  // namespace argosy::detail
