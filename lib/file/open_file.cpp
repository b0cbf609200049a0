// What one rank does with its open file.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <argosy/exchange/detail/call_times.hpp>
#include <argosy/exchange/detail/carry_out.hpp>
#include <argosy/exchange/detail/write_guard.hpp>
#include <argosy/file/detail/against_mode.hpp>
#include <argosy/file/detail/develop_checks.hpp>
#include <argosy/file/detail/io_threads.hpp>
#include <argosy/file/detail/open_file.hpp>
#include <argosy/handle/detail/give_back.hpp>
#include <argosy/policy/automatic.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/two_phase.hpp>
#include <argosy/view/converter.hpp>

namespace argosy::detail {
namespace {

std::string number(std::int64_t n) { return std::to_string(n); }

}  // namespace

open_file::open_file()
    : files(posix_opener()), where(std::make_shared<used_view const>(view())), choice_(hints_.values()) {}
open_file::~open_file() = default;

void open_file::follow(file_hints h) {
  chosen next(h.values(), ranks, storage_, near);
  if (h.values().cb_config_list != hints_.values().cb_config_list) hosts_allow_ = -1;
  hints_ = std::move(h);
  choice_ = std::move(next);
}

void open_file::lies_on(storage s) {
  storage_ = std::move(s);
  choice_ = chosen(hints_.values(), ranks, storage_, near);
}

void open_file::meet(write_gate g, bool all) {
  gate = std::move(g);
  if (std::exchange(near, all) != all) choice_ = chosen(hints_.values(), ranks, storage_, near);
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
  char const* const alone = collective || given.has_value() ? nullptr : c.name.data();
  if (alone && noted_alone_.load(std::memory_order_relaxed) == alone) return;  // as before
  if (!last_call_lock_.try_lock()) return;  // of calls at the same time, one is the last
  last_call_.call = c.name;
  last_call_.kind = c.kind;
  last_call_.collective = collective;
  last_call_.planned = false;
  last_call_.policy = given.has_value() ? given.name() : std::string_view();
  noted_alone_.store(alone, std::memory_order_relaxed);
  last_call_lock_.unlock();
}

merging open_file::merging_for(bool ranks_write) const {
  using enum merging::others;
  // Where nodes have caches of their own, locks are where these meet, whoever has the file open.
  bool const locks = ranks_write || caches_meet_in_locks();
  if (has(modes, mode::unique_open) && !locks) return {none, readable};
  // Where a rank has no locks nobody merges, and so nobody has to be kept from it.
  if (!has_locks) return {none, false};
  bool const announced = ranks_write && gate && !caches_meet_in_locks();
  return {locks ? ranks : programs, readable, opens ? &*opens : nullptr, announced ? &gate : nullptr};
}

merging open_file::merging_alone(one_thread::inside const& caller, bool beside) const {
  merging m = merging_for(ranks > 1 || pending > 0 || !caller.is_alone());
  // The program may go on for long before a request ends, and nobody who merges is to wait for it.
  m.announces = !beside;
  if (near) return m;
  if (!choice_.all_lock) m.allowed = false;
  if (choice_.all_lock || agents) m.gate = nullptr;
  return m;
}

// By default only for files opened unique: others who have it open would be outside of the partitioning, and their writes refused.
bool open_file::wants_partitioning() const {
  resolved_hints const& h = hints_.values();
  if (!can_write(modes) || h.partitioning == toggle::disable) return false;
  return h.partitioning == toggle::enable || (has(modes, mode::unique_open) && h.ships());
}

namespace {

// Prices may be any numbers, and views may span the whole file: longer than this, or no number at all, is for ever.
std::int64_t whole(double n) {
  return n < 0x1p63 ? static_cast<std::int64_t>(n) : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

access_summary open_file::summary_of(job const& t) const {
  access_summary s;
  s.pending = pending > 0 ? 1 : 0;
  if (t.bytes == 0) return s;
  access const wanted = access_of(t);
  window const all = window_of(wanted, t.position, t.bytes);
  s.low = all.offset;
  s.high = all.offset + all.length;
  s.bytes = s.most_bytes = t.bytes;
  s.pieces = s.most_pieces = all.pieces;
  s.spans = all.length;
  s.granule = t.where->granule;
  sieving::estimate const alone = choice_.sieving.estimate_of(wanted);
  s.alone_ns = s.alone_sum_ns = whole(alone.ns);
  s.alone_calls = whole(alone.calls);
  s.ranks = 1;
  s.unsorted = t.where->sorted ? 0 : 1;
  return s;
}

std::string open_file::on_prices_of(any_policy const& given, reason_text const& reason) const {
  automatic const* const own = given.target<automatic>();
  if (!own || own->storage.ends_with(storage_.name) || !reason.str().ends_with(own->storage)) return {};
  return " (of the policy that the program gave; what ranks take alone by those of " + storage_.name + ")";
}

bool open_file::forgets_lost() const { return written && hints_.values().sync_errors == "until_written"; }

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
  bool const reading = c.kind == access_kind::read;
  // First, whatever fails afterwards: ranks compare the policies for all of them.
  if (hints_.values().overriding.empty())
    choose(c.kind, c.policy(), c.policy(), t);
  else
    choose(c.kind, overridden(c.policy(), hints_.values(), c.kind, false),
           overridden(c.policy(), hints_.values(), c.kind, true), t);
  t.agents = agents.get();
  t.call = c.name;
  t.kind = c.kind;
  if (c.data.fault()) return *c.data.fault();
  if (reading && !can_read(modes)) return opened_for_writing_only();
  if (!reading && !can_write(modes)) return opened_for_reading_only();
  if (has(modes, mode::sequential) && c.pointer != pointer_kind::shared)
    return is_sequential("is accessed through its shared pointer only");
  const_buffer const& memory = c.data.buffer();
  t.where = where;
  t.memory = std::shared_ptr<const_buffer const>(std::shared_ptr<void>(), &memory);  // not held
  view const& v = where->view;
  try {
    if (!v.representation().converts()) {
      t.bytes = memory.size();
    } else {
      // Nobody may find this out later, when others count on this rank's part.
      if (std::int64_t const typed = memory.types().size_with(native_sizes); typed != memory.size())
        return {errc::argument,
                "the data has " + number(memory.size()) + " bytes in memory, but its types have " + number(typed)};
      t.bytes = memory.types().size_with(v.representation().sizes());
    }
  } catch (invalid_layout const& e) {
    return {errc::argument, e.what()};
  }
  if (v.stream().empty() && reading) t.bytes = 0;  // no etype is reached: as at the end of the file
  bool const may_be_cut =
      where->lenient && !v.representation().converts() && c.pointer == pointer_kind::explicit_offset;
  if (!v.is_whole(t.bytes) && !may_be_cut)
    return {errc::datatype, "the data has " + number(t.bytes) + " bytes in the file, not whole etypes of " +
                                number(v.etype_size()) + " bytes"};
  t.etypes = t.bytes / v.etype_size();
  t.timed = used || t.bytes >= report::least_timed_bytes || (t.shipped && t.agents);
  if (failure f = where->fault_of(memory.types(), t.etypes)) return f;
  if (develop && !reading) tell_of_parts(*this, c, t.bytes);
  if (c.pointer == pointer_kind::shared) return {};
  if (c.pointer == pointer_kind::explicit_offset) return locate(c.offset, t);
  if (!moved) return locate(position.get(), t);
  *moved = position.advance(t.etypes);
  failure f = locate(moved->from, t);
  if (f) position.take_back(std::exchange(*moved, {}));
  return f;
}

namespace {

// Where `bytes` from etype `offset` on lie in the stream of the view.
failure locate_in(view const& v, std::int64_t offset, std::int64_t bytes, std::int64_t& position) {
  if (offset < 0) return {errc::argument, "the offset is " + number(offset) + " etypes; it must not be negative"};
  if (v.stream().empty() && bytes == 0) return {};
  auto const start = v.position(offset);
  if (v.stream().empty())
    return {errc::argument, number(bytes) + " bytes are given, but the filetype of this rank's view is empty"};
  if (v.is_one_copy() && (!start || bytes > v.stream().size() - *start))
    return {
        errc::datatype,
        "offset " + number(offset) + " and " + number(bytes) +
            " bytes reach beyond the first copy of the filetype, and its copies overlap, so they cannot be written"};
  if (!start || bytes > v.stream().size() - *start)
    return {errc::argument, "offset " + number(offset) + " and " + number(bytes) +
                                " bytes reach beyond what the view can address (2^63 bytes at most)"};
  position = *start;
  return {};
}

}  // namespace

failure open_file::locate(std::int64_t offset, job& t) const {
  return locate_in(t.where->view, offset, t.bytes, t.position);
}

// MPI 3.1, 13.6.6: the data must be of the types of the etype; bytes match all.
failure used_view::fault_of(stream_types const& data, std::int64_t etypes) const try {
  if (!checks_types || etypes == 0 || types.is_bytes()) return {};
  type_digest const given(data.get(), view.representation().converts());
  if (given.is_bytes() || given.repeats(types, etypes)) return {};
  return {errc::datatype,
          "the data is of other types (" + to_string(data.get()) + ") than the etype (" +
              to_string(view.etype_types()) + ")" +
              (view.representation().converts()
                   ? ", and representation " + std::string(view.representation().name()) + " converts by type"
                   : "; found in develop mode, where types are compared")};
} catch (invalid_layout const& e) {
  return {errc::datatype, e.what()};
}

std::string used_view::words_of_holes() const {
  std::int64_t const data = view.etype().size(), extent = view.etype().extent();
  if (data >= extent) return {};
  return "; the etype has holes, which stay in the file: " + std::to_string(data) + " of every " +
         std::to_string(extent) + " bytes are data (io::packed(type) leaves them out)";
}

void open_file::remark(std::string const& text) const {
  if (trace) trace->note(text);
}

std::int64_t memory_bytes_of(job const& t, std::int64_t bytes) {
  representation const& r = t.where->view.representation();
  if (!r.converts()) return bytes;
  if (bytes == t.bytes) return t.bytes == 0 ? 0 : t.memory->size();
  return converter(r, t.memory->form(), t.memory->types()).memory_position(bytes);
}

access open_file::access_of(job const& t) const {
  return {t.kind, t.where->view.stream(), t.position, t.bytes, t.memory->form(), t.where->sorted};
}

namespace {

constexpr std::string_view whose_code = "a data representation, policy or handle of the program";

// What code of the program throws, as a failure.
template <class F>
failure caught(F&& f) try {
  return f();
} catch (...) {
  return failure_by(whose_code);
}

}  // namespace

std::optional<plain_call> open_file::plain(call const& c) const {
  bool const allowed = c.kind == access_kind::read ? can_read(modes) : can_write(modes);
  bool const any_place = !has(modes, mode::sequential) || c.pointer == pointer_kind::shared;
  // Whoever counts and times calls, or looks for mistakes, wants to see all of them.
  bool const by_hints = !c.policy().has_value() && choice_.one_stretch_is_one_call && !atomic && !used && !develop;
  std::int64_t const etype = where->one.etype;
  if (!allowed || !any_place || !by_hints || etype == 0 || c.data.fault()) return {};
  void const* address = c.data.row().address;
  std::int64_t bytes = 0;
  if (address) {
    bytes = c.data.row().count * size_in(native_sizes, c.data.row().type);
  } else {
    const_buffer const& data = c.data.buffer();
    if (data.form().pieces() != 1) return {};
    bytes = data.size();
    address = data.address() + data.form().origin();
  }
  if (bytes == 0) return {};
  std::int64_t const etypes = etype == 1 ? bytes : bytes / etype;
  if (etypes * etype != bytes) return {};
  auto* const memory = static_cast<std::byte*>(const_cast<void*>(address));  // what is read into is not const
  return plain_call{c.kind, {memory, static_cast<std::size_t>(bytes)}, etypes};
}

// As carry_out() does it with the one window that the policy would plan.
access_summary open_file::placeless_summary_of(plain_call const& p) const {
  access_summary s;
  s.pending = pending > 0 ? 1 : 0;
  s.spans = p.etypes;
  s.bytes = s.most_bytes = p.bytes();
  s.pieces = s.most_pieces = 1;
  sieving::estimate const alone = choice_.sieving.estimate_of_stretch(p.kind, p.bytes());
  s.alone_ns = s.alone_sum_ns = whole(alone.ns);
  s.alone_calls = whole(alone.calls);
  s.ranks = 1;
  return s;
}

std::optional<access_summary> open_file::summary_of(plain_call const& p, std::int64_t offset) const {
  std::optional<std::int64_t> const at = where->one.place(offset, p.bytes());
  if (!at) return {};
  access_summary s = placeless_summary_of(p);
  s.spans = p.bytes();
  s.low = *at;
  s.high = s.low + p.bytes();
  s.granule = where->granule;
  return s;
}

std::error_code open_file::read_plain(std::int64_t at, plain_call const& p, report& done) {
  io_result const r = handle.read(at, p.memory);
  done.read_calls = 1;
  done.bytes = done.memory_bytes = done.bytes_read = r.bytes;
  return r.error;
}

std::error_code open_file::write_plain(std::int64_t at, plain_call const& p, report& done) {
  auto const here = caller(p.kind);
  write_guard<any_handle> guard(handle, merging_alone(here, false), done);
  std::error_code error = guard.pieces(at, p.bytes(), [&] {
    io_result const r = handle.write(at, p.memory);
    done.write_calls = 1;
    done.bytes = done.memory_bytes = done.bytes_written = r.bytes;
    return r.error;
  });
  if (!error && done.bytes < p.bytes()) error = errc::io;  // the handle wrote less and reported no error
  if (!error && !written.load(std::memory_order_relaxed)) written = true;
  return error;
}

report open_file::access_plain(plain_call const& p, std::int64_t offset, failure& f) {
  bool const reading = p.kind == access_kind::read;
  report done;
  std::optional<std::int64_t> const at = where->one.place(offset, p.bytes());
  if (!at) {
    std::int64_t nowhere = 0;
    f = locate_in(where->view, offset, p.bytes(), nowhere);
    return done;
  }
  done.policy = std::string(sieving::name);  // cheaper than assigning the name: its length is known here
  done.reason.say(choice_.sieving.words(p.kind));
  try {
    std::error_code error;
    if (p.bytes() >= report::least_timed_bytes) {
      call_times const times(clock, done);
      error = reading ? read_plain(*at, p, done) : write_plain(*at, p, done);
    } else {
      error = reading ? read_plain(*at, p, done) : write_plain(*at, p, done);
    }
    if (error)
      f = failure(error, number(done.bytes) + " of " + number(p.bytes()) + " bytes were " +
                             (reading ? "read" : "written") + " before");
    else
      done.windows = 1;
  } catch (...) {
    f = failure_by(whose_code);
  }
  return done;
}

std::string open_file::why_not_shipped(job const& t) const {
  if (atomic) return "atomic mode";
  if (!t.where->sorted) return "the view names bytes twice or out of order";
  if (t.agents) return {};
  return why_no_agents.empty() ? "no agents serve; the hint IBM_largeblock_io = false starts them" : why_no_agents;
}

failure open_file::access_alone(job const& t, staging& with, report& done) {
  if (t.bytes == 0) {
    done.policy = t.policy.name();
    done.reason = "nothing to do";
    return {};
  }
  failure f = moved(t, with, done);
  f.keep(caught([&]() -> failure {
    done.memory_bytes = memory_bytes_of(t, done.bytes);
    return {};
  }));
  if (!f && t.kind == access_kind::write) written = true;
  return f;
}

failure open_file::access_timed(job const& t, staging& with, report& done) {
  if (!t.timed) return access_alone(t, with, done);
  failure f;
  {
    call_times const times(clock, done);
    f = access_alone(t, with, done);
  }
  count(t, done, static_cast<bool>(f));
  return f;
}

failure open_file::moved(job const& t, staging& with, report& done) {
  return caught([&]() -> failure {
    if (!t.shipped) return access_here(t, with, done);
    std::string const why_not = why_not_shipped(t);
    failure f = why_not.empty() ? t.agents->ship(t, *t.shipped, done) : access_here(t, with, done);
    done.reason += why_not.empty() ? parts.words() : "; not shipped: " + why_not;
    return f;
  });
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
  p.reason += why_not.empty() ? parts.words() : "; not shipped: " + why_not;
  return p;
}

namespace {

failure access_windows(job const& t, access const& wanted, any_handle& handle, merging how, staging& with,
                       report& done) {
  auto const before = [&] {
    return number(done.bytes) + " of " + number(t.bytes) + " bytes were " +
           (t.kind == access_kind::read ? "read" : "written") + " before";
  };
  memory_side memory(t.where->view.representation(), *t.memory);
  try {
    if (std::error_code const error = carry_out(t.policy, wanted, handle, memory, how, with, done))
      return {error, before()};
  } catch (invalid_plan const& x) {
    return {errc::argument, std::string(x.what()) + "; " + before()};
  }
  return memory.fault();
}

}  // namespace

failure open_file::access_here(job const& t, staging& with, report& done) {
  if (atomic) return access_locked(t, with, done);
  auto const here = caller(t.kind);
  return access_windows(t, access_of(t), handle, merging_alone(here, t.beside), with, done);
}

failure open_file::access_locked(job const& t, staging& with, report& done) {
  // Everything between the first and the last byte is ours until the call ends.
  window const all = t.where->sorted ? window_of(t.where->view.stream(), t.position, t.bytes) : window{0, INT64_MAX};
  auto const kind = t.kind == access_kind::read ? lock_kind::shared : lock_kind::exclusive;
  auto const [from, bytes] = range_of_data(all.offset, all.length);
  if (auto const e = handle.lock(from, bytes, kind)) return {e, "locking for atomic access"};
  ++done.locks;
  merging const how{merging::others::programs, readable, opens ? &*opens : nullptr};
  failure f = caught([&] { return access_windows(t, access_of(t), handle, how, with, done); });
  if (auto const e = give_back(handle, from, bytes)) f.keep({e, "unlocking after atomic access"});
  return f;
}

void open_file::start(std::function<void()> work) {
  if (workers) return workers->start(std::move(work));
  {
    std::lock_guard const guard(threads_mutex_);
    if (!threads_) threads_ = std::make_unique<io_threads>(hints_.values().io_threads);
  }
  threads_->start(std::move(work));
}

}  // namespace argosy::detail
