// Implements file/detail/ranks/call_mismatch.hpp for ranks of one node, and the texts for all.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/ranks/call_mismatch.hpp>

#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <argosy/world/memory_world.hpp>

namespace argosy::detail {

agreement call_mismatch::fault(std::string_view call, source_location const& where,
                               bool late) const {
  finding const f = found();
  std::string const who = std::to_string(f.who), there = f.at.words();
  std::string words;
  if (late)
    words =
        "this file has no collective calls in the background any more, since ranks were in "
        "different collective calls: rank " +
        who + " was in " + there + " and had not begun one that others had";
  else
    words = "ranks are in different collective calls: rank " + who + " is in " + there +
            ", and has not begun " + site_words(call, where.file_name(), where.line()) +
            ", which " + std::to_string(f.begun_by) + " of " + std::to_string(ranks_) +
            " ranks have begun";
  std::string advice = late ? "close the file, and open it again" : "";
  return {errc::not_same,   static_cast<int>(f.failed), errc::not_same, std::move(words), {}, {},
          std::move(advice)};
}

namespace {

class node_mismatch final : public call_mismatch {
 public:
  node_mismatch(std::shared_ptr<call_board> board, int ranks) noexcept
      : call_mismatch(std::move(board), ranks) {}

  void begin(std::string_view call, source_location const& where) noexcept override {
    // Two ranks may come last at the same time. At least one of them sees the other.
    if (all_have_begun(board_->begin(call, where))) ring();
  }
  bool all_begin(std::uint64_t number, bool by_program) noexcept override;
  void look(std::uint64_t number) noexcept override;
  bool is_void(std::uint64_t number) const noexcept override {
    std::uint64_t const verdict = verdict_.load();
    return verdict != 0 && (verdict >> rank_bits) <= number;
  }

 private:
  static constexpr int rank_bits = 20;

  finding found() const override {
    return line_of(verdict_.load() & ((std::uint64_t{1} << rank_bits) - 1)).found.load();
  }
  call_board::line& line_of(std::size_t rank) const noexcept { return board_->of(rank); }
  bool all_have_begun(std::uint64_t number) const noexcept {
    for (int r = 0; r < ranks_; ++r)
      if (line_of(static_cast<std::size_t>(r)).load_begun() < number) return false;
    return true;
  }
  void ring() noexcept {
    std::atomic_ref(bell_).fetch_add(1);
    memory_world::wake(bell_);
  }

  std::atomic_ref<std::uint64_t> const verdict_{board_->front().verdict};
  std::uint32_t& bell_ = board_->front().bell;
};

bool node_mismatch::all_begin(std::uint64_t number, bool by_program) noexcept {
  for (;;) {
    std::uint32_t const seen = std::atomic_ref(bell_).load();
    // In this order: a rank that has not begun the call may begin it after the call is void, but
    // not before.
    bool const all = all_have_begun(number);
    if (is_void(number)) return false;
    if (all) return true;
    if (by_program) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      look(number);
    } else {
      memory_world::wait(bell_, seen);
    }
  }
}

void node_mismatch::look(std::uint64_t number) noexcept {
  if (is_void(number)) return;
  std::uint64_t const ended = board_->mine().load_blocking();
  // another thread of this rank may be the one that the other ranks wait for
  if (ended % 2 != 0) return;
  for (int r = 0; r < ranks_; ++r) {
    call_board::line& other = line_of(static_cast<std::size_t>(r));
    // The other rank is in a blocking call that this rank has not reached, and stays there until
    // this rank comes. All background calls that it began before are published.
    if (other.load_blocking() != ended + 1) continue;
    std::uint64_t const begun = other.load_begun();
    if (begun >= number) continue;
    finding f{.who = r, .at = other.entered.load()};
    judge(f, begun + 1, [&](std::size_t k) { return line_of(k).load_begun(); });
    board_->mine().found.store(f);
    auto const me = static_cast<std::uint64_t>(&board_->mine() - &line_of(0));
    std::uint64_t const verdict = ((begun + 1) << rank_bits) | me;
    std::uint64_t before = verdict_.load();
    while ((before == 0 || before > verdict) && !verdict_.compare_exchange_weak(before, verdict)) {
    }
    ring();
    return;
  }
}

}  // namespace

std::unique_ptr<call_mismatch> call_mismatch::on_node(std::shared_ptr<call_board> board,
                                                      shared_memory lines, int rank, int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  board->meet(std::move(lines), std::move(all), rank);
  return std::make_unique<node_mismatch>(std::move(board), ranks);
}

}  // namespace argosy::detail
