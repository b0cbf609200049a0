// What one rank does with its open file.
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

#include <argosy/file/detail/against_mode.hpp>
#include <argosy/file/detail/develop_checks.hpp>
#include <argosy/file/detail/io_threads.hpp>
#include <argosy/file/detail/open_file.hpp>
#include <argosy/policy/automatic.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>

namespace argosy::detail {
open_file::open_file()
    : where_(std::make_shared<used_view const>(view())), choice_(hints_.values()) {}
open_file::open_file(int rank, int ranks) : open_file() {
  opened_.begin({}, mode::none, rank, ranks);
  merges_.begin(mode::none, rank, ranks);
}
open_file::~open_file() = default;

void open_file::follow(file_hints h) {
  toggle const asked = h.values().ds_write;
  chosen next(h.values(), ranks(), storage_, merges_.may_plan(asked));
  if (h.values().cb_config_list != hints_.values().cb_config_list) hosts_allow_ = -1;
  hints_ = std::move(h);
  choice_ = std::move(next);
  merges_.follow(asked);
}

void open_file::lies_on(storage s) {
  storage_ = std::move(s);
  merges_.lies_on(storage_);
  choose_again();
}

void open_file::meet(write_gate g, bool all) {
  if (merges_.meet(std::move(g), all)) choose_again();
}

// Without memory for that a rank may plan worse than it could, but locks as the others do.
void open_file::agree_to_merge(bool agreed) noexcept {
  if (!merges_.agree(agreed)) return;
  try {
    choose_again();
  } catch (std::bad_alloc const&) {
  }
}

void open_file::choose_again() {
  resolved_hints const& h = hints_.values();
  choice_ = chosen(h, ranks(), storage_, merges_.may_plan(h.ds_write));
}

file_hints const& open_file::told_hints() {
  hint_facts facts;
  {
    std::lock_guard const guard(last_call_lock_);
    facts = last_call_;
  }
  facts.policy_takes_hints = false;
  for (std::string_view const known :
       {independent::name, sieving::name, two_phase::name, data_shipping::name, automatic::name})
    if (facts.policy == known) facts.policy_takes_hints = true;
  facts.may_ship = storage_.exchange.block_ns > 0;
  facts.stripe_bytes = storage_.stripe_bytes;
  facts.stripe_count = storage_.stripe_count;
  facts.hosts_allow = hosts_allow_;
  facts.hosts_known = facts.hosts_allow >= 0;
  facts.hosts_met = hosts_met_;
  return told_.set(with_effects(hints_, facts));
}

void open_file::note_call(call const& c, bool collective) noexcept {
  any_policy const& given = c.policy();
  int const alone = collective || given.has_value() ? none_alone : static_cast<int>(c.what);
  if (alone != none_alone && noted_alone_.load(std::memory_order_relaxed) == alone)
    return;  // as before
  if (!last_call_lock_.try_lock()) return;  // of calls at the same time, one is the last
  last_call_.call = c.name();
  last_call_.kind = c.kind();
  last_call_.collective = collective;
  last_call_.planned = false;
  last_call_.policy = given.has_value() ? given.name() : std::string_view();
  noted_alone_.store(alone, std::memory_order_relaxed);
  last_call_lock_.unlock();
}

// By default only for files opened unique: others who have it open would be outside of the partitioning, and their writes refused.
bool open_file::wants_partitioning() const {
  resolved_hints const& h = hints_.values();
  if (!can_write(modes()) || h.partitioning == toggle::disable) return false;
  return h.partitioning == toggle::enable || (has(modes(), mode::unique_open) && h.ships());
}

std::string open_file::on_prices_of(any_policy const& given, reason_text const& reason) const {
  automatic const* const own = given.target<automatic>();
  if (!own || own->storage.ends_with(storage_.name) || !reason.str().ends_with(own->storage)) return {};
  return " (of the policy that the program gave; what ranks take alone by those of " + storage_.name + ")";
}

failure open_file::sync() {
  bool const forgets = late_.was_written() && hints_.values().sync_errors ==
                                                  resolved_hints::sync_error_life::until_written;
  if (late_.of_sync() && forgets) late_.forget_sync();
  if (late_.of_sync()) return late_.of_sync();
  late_.begin_sync();
  if (auto const code = handle_.sync())
    late_.keep_of_sync({code, "what was written since the last sync may be lost: write it again, "
                              "and call clear_sync_error()"});
  return late_.of_sync();
}

namespace {

bool names(host_limit const& l, std::string const& host) {
  return l.host == host || l.host == host.substr(0, host.find('.'));
}

}  // namespace

std::uint64_t open_file::hosts_met(std::string const& host) const {
  auto const& list = hints_.values().cb_config_list;
  std::uint64_t met = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), 64); ++i)
    if (names(list[i], host)) met |= std::uint64_t{1} << i;
  return met;
}

bool open_file::may_aggregate(int place_in_node, std::string const& host) const {
  for (host_limit const& l : hints_.values().cb_config_list)
    if (l.host == "*" || names(l, host)) return l.most < 0 || place_in_node < l.most;
  return hints_.values().cb_config_list.empty();
}

// By the hints, or as given, for this rank and for all ranks together.
void open_file::choose(access_kind kind, any_policy const& alone, any_policy const& together, job& t) const {
  t.policy = alone.has_value() && !alone.is_collective() ? alone : choice_.alone;
  if (!together.has_value())
    t.together = choice_.together(kind);
  else if (together.is_collective())
    t.together = together;
  t.given_together = together.has_value();
  if (data_shipping const* const shipped = alone.has_value() ? alone.target<data_shipping>() : nullptr)
    t.shipped = *shipped;
  else if (!alone.has_value() && choice_.ships)
    t.shipped = choice_.data_shipping;
}

failure open_file::prepare(call const& c, job& t, pointer_move* moved) const {
  bool const reading = c.kind() == access_kind::read;
  // First, whatever fails afterwards: ranks compare the policies for all of them.
  if (hints_.values().overriding.empty())
    choose(c.kind(), c.policy(), c.policy(), t);
  else
    choose(c.kind(), overridden(c.policy(), hints_.values(), c.kind(), false),
           overridden(c.policy(), hints_.values(), c.kind(), true), t);
  t.agents = agents_.serving();
  t.call = c.what;
  t.called_at = c.where();
  t.kind = c.kind();
  if (c.data.fault()) return *c.data.fault();
  if (reading && !can_read(modes())) return opened_for_writing_only();
  if (!reading && !can_write(modes())) return opened_for_reading_only();
  if (has(modes(), mode::sequential) && c.pointer() != pointer_kind::shared)
    return is_sequential("is accessed through its shared pointer only");
  const_buffer const& memory = c.data.buffer();
  t.where = where_;
  t.memory = std::shared_ptr<const_buffer const>(std::shared_ptr<void>(), &memory);  // not held
  view const& v = where_->view;
  try {
    if (!v.representation().converts()) {
      t.bytes = memory.size();
    } else {
      // Nobody may find this out later, when others count on this rank's part.
      if (std::int64_t const typed = memory.types().size_with(native_sizes); typed != memory.size())
        return {errc::argument, "the data has " + std::to_string(memory.size()) +
                                    " bytes in memory, but its types have " + std::to_string(typed)};
      t.bytes = memory.types().size_with(v.representation().sizes());
    }
  } catch (invalid_layout const& e) {
    return {errc::argument, e.what()};
  }
  if (v.stream().empty() && reading) t.bytes = 0;  // no etype is reached: as at the end of the file
  bool const may_be_cut =
      where_->lenient && !v.representation().converts() && c.pointer() == pointer_kind::explicit_offset;
  if (!v.is_whole(t.bytes) && !may_be_cut)
    return {errc::datatype, "the data has " + std::to_string(t.bytes) + " bytes in the file, not whole etypes of " +
                                std::to_string(v.etype_size()) + " bytes"};
  t.etypes = t.bytes / v.etype_size();
  t.timed = seen_by_.report() || t.bytes >= report::least_timed_bytes || (t.shipped && t.agents);
  if (failure f = where_->fault_of(memory.types(), t.etypes)) return f;
  if (seen_by_.develops() && !reading) tell_of_parts(*this, c, t.bytes);
  if (c.pointer() == pointer_kind::shared) return {};
  if (c.pointer() == pointer_kind::explicit_offset) return locate(c.offset, t);
  if (!moved) return locate(position_.get(), t);
  if (moved->settings == 0) *moved = position_.advance(t.etypes);
  failure f = locate(moved->from, t);
  if (f) position_.take_back(std::exchange(*moved, {}));
  return f;
}

failure open_file::locate(std::int64_t offset, job& t) const {
  if (failure f = t.where->locate(offset, t.bytes, t.position)) return f;
  if (!t.where->overlapping || t.bytes == 0) return {};
  // Held beyond the change of t.where, of which it is a part.
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
  if (t.agents) return {};
  if (!agents_.why_none().empty()) return agents_.why_none();
  return "no agents serve; the hint IBM_largeblock_io = false starts them";
}

plan open_file::explain(job const& t) const {
  if (t.bytes == 0) return {std::string(t.policy.name()), "nothing to do", t.kind, {}};
  if (!t.shipped) {
    plan p = t.policy.plan(access_of(t));
    p.reason += t.where->words_of_holes();
    return p;
  }
  std::string const why_not = why_not_shipped(t);
  plan p = why_not.empty() ? t.agents->explain(t, *t.shipped) : t.policy.plan(access_of(t));
  p.reason += t.where->words_of_holes();
  p.reason += why_not.empty() ? agents_.parts().words() : "; not shipped: " + why_not;
  return p;
}

}  // namespace argosy::detail
