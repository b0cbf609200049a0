// Implements handle/detail/traced_phases.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/detail/traced_phases.hpp>
#include <argosy/handle/tracer.hpp>

namespace argosy::detail {

bool traced_phases::wanted_by(tracer const& to) noexcept { return to.options().mode == trace_mode::phases; }

void traced_phases::begin(phase p, phase_facts const& facts) noexcept try {
  if (!open_.empty() && all_[open_.back().index].what == p) {
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

void traced_phases::write() noexcept { to_->record(all_, messages_, file_); }

}  // namespace argosy::detail
