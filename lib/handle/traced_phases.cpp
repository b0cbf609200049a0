// Implements handle/detail/traced_phases.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/detail/traced_phases.hpp>
#include <argosy/handle/tracer.hpp>

namespace argosy::detail {

bool traced_phases::wanted_by(tracer const& to) noexcept {
  return to.options().mode == trace_mode::phases;
}

// Memory of earlier calls, so that the next call of this thread need not allocate.
struct traced_phases::left_over {
  std::vector<traced_phase> phases;
  std::vector<traced_message> messages;
  std::vector<open_phase> open;
  ~left_over() { is_gone = true; }

  // true for a call while the thread, or the program, ends
  static constinit thread_local bool is_gone;
  static thread_local left_over mine;
};
constinit thread_local bool traced_phases::left_over::is_gone = false;
thread_local traced_phases::left_over traced_phases::left_over::mine;

namespace {

constexpr std::size_t most_left = 1024;

template <class T>
void take(std::vector<T>& into, std::vector<T>& from) noexcept {
  if (into.capacity() == 0) into.swap(from);
}
template <class T>
void leave(std::vector<T>& what, std::vector<T>& to) noexcept {
  if (what.capacity() <= to.capacity() || what.capacity() > most_left) return;
  what.clear();
  to.swap(what);
}

}  // namespace

void traced_phases::begin(phase p, phase_facts const& facts) noexcept try {
  if (all_.capacity() == 0 && !left_over::is_gone) {
    left_over& left = left_over::mine;
    take(all_, left.phases);
    take(messages_, left.messages);
    take(open_, left.open);
  }
  if (!open_.empty() && all_[open_.back().index].what == p &&
      all_[open_.back().index].facts.name == facts.name) {
    ++open_.back().again;
    return;
  }
  open_.push_back({all_.size(), 0});
  all_.push_back({p, facts, std::chrono::steady_clock::now(), {}});
} catch (...) {  // no memory: this call has no phases
  to_ = nullptr;
}

void traced_phases::end(phase) noexcept {
  if (!to_ || open_.empty()) return;
  if (open_.back().again > 0) {
    --open_.back().again;
    return;
  }
  all_[open_.back().index].end = std::chrono::steady_clock::now();
  open_.pop_back();
}

void traced_phases::message_passed(message_end e, int peer, std::int64_t bytes) noexcept try {
  if (to_) messages_.push_back({e, peer, bytes, std::chrono::steady_clock::now()});
} catch (...) {
  to_ = nullptr;
}

void traced_phases::write() noexcept {
  to_->record(all_, messages_, file_);
  if (left_over::is_gone) return;
  left_over& left = left_over::mine;
  leave(open_, left.open);
  leave(all_, left.phases);
  leave(messages_, left.messages);
}

}  // namespace argosy::detail
