// Implements file/detail/ranks/call_board.hpp: the records that a rank writes of its calls.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/ranks/call_board.hpp>

#include <algorithm>
#include <utility>

#include <argosy/file/detail/ranks/call_watch.hpp>

namespace argosy::detail {
namespace {

constexpr std::size_t head_bytes = 64;

}  // namespace

std::string site_words(std::string_view call, std::string_view file, std::uint64_t line) {
  return std::string(call) + " at " + std::string(file) + ":" + std::to_string(line);
}

call_site::call_site(std::string_view call, source_location const& where) noexcept
    : line_(where.line()) {
  std::string_view file = where.file_name();
  call = call.substr(0, text_.size() / 2);
  std::size_t const room = text_.size() - call.size() - 1;
  if (file.size() > room) file.remove_prefix(file.size() - room);
  std::copy(file.begin(), file.end(), std::copy(call.begin(), call.end(), text_.begin()) + 1);
}

std::string call_site::words() const {
  char const *const first = text_.data(), *const last = first + text_.size();
  char const* const zero = std::find(first, last, '\0');
  char const* const file = zero == last ? last : zero + 1;
  return site_words({first, zero}, {file, std::find(file, last, '\0')}, line_);
}

std::string call_board::line::last_seen() {
  bool const has_begun = load_begun() > 0, has_entered = load_blocking() > 0;
  if (!has_begun && !has_entered) return "open";
  std::uint64_t const before = std::atomic_ref(blocking_before).load();
  // A blocking call ends with an even number, which is not a further call.
  bool const background = has_begun && came_to(lane::blocking) <= (before + 1) / 2;
  return (background ? last_begun : entered).load().words();
}

call_board::call_board() noexcept = default;
call_board::~call_board() = default;

std::size_t call_board::bytes_for(int ranks) noexcept {
  return head_bytes + static_cast<std::size_t>(ranks) * sizeof(line);
}

void call_board::meet(shared_memory all, std::vector<int> ranks, int mine) noexcept {
  memory_ = std::move(all);
  ranks_ = std::move(ranks);
  mine_ = &of(static_cast<std::size_t>(mine));
  has_met_.store(true, std::memory_order_release);
}

call_board::line& call_board::of(std::size_t index) const noexcept {
  return static_cast<line*>(static_cast<void*>(memory_.bytes().data() + head_bytes))[index];
}

call_board::head& call_board::front() const noexcept {
  return *static_cast<head*>(static_cast<void*>(memory_.bytes().data()));
}

void call_board::be_watched(std::unique_ptr<call_watch> w) noexcept { watch_ = std::move(w); }

std::uint64_t call_board::begin(std::string_view call, source_location const& where) noexcept {
  if (watch_) {
    mine_->last_begun.store({call, where});
    std::atomic_ref(mine_->blocking_before).store(mine_->load_blocking());
  }
  return std::atomic_ref(mine_->begun).fetch_add(1) + 1;
}

void call_board::enter(std::string_view call, source_location const& where) noexcept {
  mine_->entered.store({call, where});
  std::uint64_t const before = std::atomic_ref(mine_->blocking).fetch_add(1);
  wait_for(lane::blocking, before / 2 + 1, call, where);
}

void call_board::wait_for(lane l, std::uint64_t number, std::string_view call,
                          source_location const& where) noexcept {
  if (watch_) watch_->wait_for(l, number, call, where);
}

void call_board::leave(lane l, bool entered) noexcept {
  if (watch_) watch_->end(l);
  if (entered) std::atomic_ref(mine_->blocking).fetch_add(1);
}

}  // namespace argosy::detail
