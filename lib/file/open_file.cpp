// Implements open_file.hpp: the operations of one rank on its open file.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <argosy/file/detail/call/against_mode.hpp>
#include <argosy/file/detail/protocol/develop_checks.hpp>
#include <argosy/file/detail/state/io_threads.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/policy/automatic.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>

namespace argosy::detail {
open_file::open_file() : where_(std::make_shared<used_view const>(view())) {}
open_file::open_file(int rank, int ranks) : open_file() {
  opened_.begin({}, mode::none, rank, ranks);
  merges_.begin(mode::none, rank, ranks);
}
open_file::~open_file() = default;

void open_file::follow(file_hints h) {
  tristate const asked = h.values().ds_write;
  hints_.follow(std::move(h), ranks(), merges_.may_plan(asked));
  merges_.follow(asked);
}

void open_file::lies_on(storage s) {
  merges_.lies_on(s);
  hints_.lies_on(std::move(s), ranks(), may_plan_merges());
}

void open_file::meet(write_gate g, bool all) {
  if (merges_.meet(std::move(g), all)) hints_.choose_again(ranks(), may_plan_merges());
}

// Without memory for new policies, the rank may plan worse than it could. It still locks like the
// other ranks.
void open_file::agree_to_merge(bool agreed) noexcept {
  if (!merges_.agree(agreed)) return;
  try {
    hints_.choose_again(ranks(), may_plan_merges());
  } catch (std::bad_alloc const&) {
  }
}

bool open_file::may_plan_merges() const noexcept {
  return merges_.may_plan(hints().values().ds_write);
}

// By default only for files with mode::unique_open. Other opens would be outside the partitioning,
// and their writes would fail.
bool open_file::wants_partitioning() const {
  resolved_hints const& h = hints().values();
  if (!can_write(modes()) || h.partitioning == tristate::disable) return false;
  return h.partitioning == tristate::enable || (has(modes(), mode::unique_open) && h.ships());
}

failure open_file::sync() {
  bool const forgets = late_.was_written() && hints().values().sync_errors ==
                                                  resolved_hints::sync_error_life::until_written;
  if (late_.of_sync() && forgets) late_.forget_sync();
  if (late_.of_sync()) return late_.of_sync();
  late_.begin_sync();
  if (auto const code = handle_.sync())
    late_.keep_of_sync({code,
                        "what was written since the last sync may be lost: write it again, "
                        "and call clear_sync_error()"});
  return late_.of_sync();
}

failure open_file::prepare(call const& c, job& t, pointer_move* moved) const {
  bool const reading = c.kind() == access_kind::read;
  // Always done first, because ranks compare the policies even if a later step fails.
  hints_.choose(c.kind(), c.policy(), t);
  t.by.agents = agents_.serving();
  t.told.call = c.what;
  t.told.called_at = c.where();
  t.kind = c.kind();
  if (failure f = fault_of_data(c)) return f;
  if (reading && !can_read(modes())) return opened_for_writing_only();
  if (!reading && !can_write(modes())) return opened_for_reading_only();
  if (has(modes(), mode::sequential) && c.pointer() != pointer_kind::shared)
    return is_sequential("is accessed through its shared pointer only");
  if (c.views) return join_views(c, t);
  t.where = where_;
  bool const at_offset = c.pointer() == pointer_kind::explicit_offset;
  if (failure f = where_->fit(c.data, c.kind(), at_offset, t.bytes)) return f;
  // the job does not own the data
  t.memory = std::shared_ptr<const_buffer const>(std::shared_ptr<void>(), &c.data.buffer());
  t.etypes = t.bytes / where_->view.etype_size();
  t.told.timed =
      seen_by_.report() || t.bytes >= report::least_timed_bytes || (t.by.shipped && t.by.agents);
  if (seen_by_.develops() && !reading) tell_of_parts(*this, where_->view, c, t.bytes);
  if (c.pointer() == pointer_kind::shared) return {};
  if (at_offset) return locate(c.offset, t);
  if (!moved) return locate(position_.get(), t);
  if (moved->settings == 0) *moved = position_.advance(t.etypes);
  failure f = locate(moved->from, t);
  if (f) position_.take_back(std::exchange(*moved, {}));
  return f;
}

failure open_file::locate(std::int64_t offset, job& t) const {
  if (failure f = t.where->locate(offset, t.bytes, t.position)) return f;
  if (!t.where->overlapping || t.bytes == 0) return {};
  // A reference of its own, because t.where changes and may drop the copies.
  std::shared_ptr<overlapping_copies const> const copies = t.where->overlapping;
  if (auto first = copies->within_first(t.position, t.bytes)) {
    t.where = std::move(first);
    return {};
  }
  return t.kind == access_kind::write ? copies->twice(t.position, t.bytes) : failure();
}

void open_file::remark(std::string const& text) const {
  if (tracer* const t = seen_by_.trace()) t->note(text);
}

access open_file::access_of(job const& t) const {
  return {t.kind, t.where->view.stream(), t.position, t.bytes, t.memory->form(), t.where->sorted};
}

std::string open_file::why_not_shipped(job const& t) const {
  if (atomic_) return "atomic mode";
  if (!t.where->sorted) return "the view names bytes twice or out of order";
  if (t.by.agents) return {};
  if (!agents_.why_none().empty()) return agents_.why_none();
  return "no agents serve; the hint IBM_largeblock_io = false starts them";
}

plan open_file::explain(job const& t) const {
  if (t.bytes == 0) return {std::string(t.by.policy.name()), "nothing to do", t.kind, {}};
  if (!t.by.shipped) {
    plan p = t.by.policy.plan(access_of(t));
    p.reason += t.where->words_of_holes();
    return p;
  }
  std::string const why_not = why_not_shipped(t);
  plan p =
      why_not.empty() ? t.by.agents->explain(t, *t.by.shipped) : t.by.policy.plan(access_of(t));
  p.reason += t.where->words_of_holes();
  p.reason += why_not.empty() ? agents_.parts().words() : "; not shipped: " + why_not;
  return p;
}

}  // namespace argosy::detail
