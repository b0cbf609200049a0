// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <argosy/exchange/detail/carry_out.hpp>
#include <argosy/exchange/detail/converted_memory.hpp>
#include <argosy/file/detail/io_threads.hpp>
#include <argosy/file/detail/open_file.hpp>
#include <argosy/handle/detail/give_back.hpp>
#include <argosy/policy/automatic.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>

namespace argosy::detail {
namespace {

sieve sieve_of(toggle t) {
  return t == toggle::enable ? sieve::always : t == toggle::disable ? sieve::never : sieve::automatic;
}

std::string number(std::int64_t n) { return std::to_string(n); }

}  // namespace

open_file::open_file() : files(posix_opener()), where(std::make_shared<used_view const>(view())) {}
open_file::~open_file() = default;

sieving open_file::sieving_of_hints() const {
  resolved_hints const& h = hints.values();
  sieving s{.read_window_bytes = h.ind_rd_buffer_bytes,
            .write_window_bytes = h.ind_wr_buffer_bytes,
            .reads = sieve_of(h.ds_read),
            .writes = sieve_of(h.ds_write),
            .sharers = ranks};
  s.prices.call_ns = h.price_call_ns.value_or(s.prices.call_ns);
  s.prices.write_call_ns = h.price_write_call_ns.value_or(s.prices.write_call_ns);
  s.prices.lock_ns = h.price_lock_ns.value_or(s.prices.lock_ns);
  s.prices.byte_ns = h.price_byte_ns.value_or(s.prices.byte_ns);
  s.prices.piece_ns = h.price_piece_ns.value_or(s.prices.piece_ns);
  return s;
}

// Windows belong to one agent each: nobody waits for its locks.
sieving open_file::sieving_of_agents() const {
  sieving s = sieving_of_hints();
  s.sharers = 1;
  return s;
}

data_shipping open_file::shipping_of_hints() const {
  resolved_hints const& h = hints.values();
  return {
      .stripe_bytes = h.io_buffer_bytes, .agents = h.cb_nodes, .sparse = h.sparse_access, .max_ranges = h.max_ranges};
}

any_policy open_file::policy_of_hints() const {
  if (hints.values().policy == independent::name) return independent{};
  return sieving_of_hints();
}

any_policy open_file::together_of_hints(access_kind kind) const {
  resolved_hints const& h = hints.values();
  toggle const asked = kind == access_kind::read ? h.cb_read : h.cb_write;
  if (h.policy == independent::name || h.policy == sieving::name || asked == toggle::disable) return {};
  if (h.policy == data_shipping::name) return shipping_of_hints();
  two_phase const together{.buffer_bytes = h.cb_buffer_bytes,
                           .aggregators = h.cb_nodes,
                           .align_bytes = h.cb_block_bytes,
                           .least_domain_bytes = h.min_domain_bytes};
  if (h.policy == two_phase::name || asked == toggle::enable) return together;
  if (h.largeblock_io) return {};
  if (h.ships()) return shipping_of_hints();
  automatic choice{.two_phase = together, .sieving = sieving_of_hints(), .data_shipping = shipping_of_hints()};
  choice.exchange.round_ns = h.price_message_ns.value_or(choice.exchange.round_ns);
  choice.exchange.block_ns = h.price_block_ns.value_or(choice.exchange.block_ns);
  choice.exchange.byte_ns = h.price_message_byte_ns.value_or(choice.exchange.byte_ns);
  return choice;
}

merging open_file::merging_for(bool ranks_write) const {
  using enum merging::others;
  if (has(modes, mode::unique_open) && !ranks_write) return {none, readable};
  // Where a rank has no locks nobody merges, and so nobody has to be kept from it.
  if (!has_locks) return {none, false};
  return {ranks_write ? ranks : programs, readable};
}

// Of a file that nobody else may write: only then is nobody an outsider of the partitioning.
bool open_file::wants_partitioning() const {
  resolved_hints const& h = hints.values();
  if (!can_write(modes) || h.partitioning == toggle::disable) return false;
  return h.partitioning == toggle::enable || (has(modes, mode::unique_open) && h.ships());
}

namespace {

// Prices may be any numbers, and views may span the whole file: longer than this, or no number at all, is for ever.
std::int64_t whole_ns(double ns) {
  return ns < 0x1p63 ? static_cast<std::int64_t>(ns) : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

access_summary open_file::summarise(job const& t) const {
  access_summary s;
  s.pending = pending > 0 ? 1 : 0;
  if (t.bytes == 0) return s;
  access const wanted = access_of(t);
  window const all = window_of(wanted.file, t.position, t.bytes);
  s.low = all.offset;
  s.high = all.offset + all.length;
  s.bytes = s.most_bytes = t.bytes;
  s.pieces = s.most_pieces = all.pieces;
  s.spans = all.length;
  s.granule = t.where->granule;
  s.alone_ns = s.alone_sum_ns = whole_ns(sieving_of_hints().price_ns(wanted));
  s.ranks = 1;
  s.unsorted = t.where->sorted ? 0 : 1;
  return s;
}

bool open_file::may_aggregate(int place_in_node, std::string const& host) const {
  for (host_limit const& l : hints.values().cb_config_list)
    if (l.host == "*" || l.host == host || l.host == host.substr(0, host.find('.')))
      return l.most < 0 || place_in_node < l.most;
  return hints.values().cb_config_list.empty();
}

failure open_file::prepare(call const& c, job& t) const {
  bool const reading = c.kind == access_kind::read;
  any_policy const& policy = c.policy();
  // First, whatever fails afterwards: ranks compare the policies for all of them.
  bool const chosen = policy.has_value();
  t.policy = chosen && !policy.is_collective() ? policy : policy_of_hints();
  t.together = !chosen ? together_of_hints(c.kind) : policy.is_collective() ? policy : any_policy();
  if (data_shipping const* const given = policy.target<data_shipping>())
    t.shipped = *given;
  else if (!chosen && hints.values().ships())
    t.shipped = shipping_of_hints();
  t.agents = agents.get();
  if (c.data.fault()) return c.data.fault();
  if (reading ? !can_read(modes) : !can_write(modes))
    return {errc::amode, std::string("the file was opened for ") + (reading ? "writing" : "reading") + " only"};
  if (has(modes, mode::sequential) && c.pointer != pointer_kind::shared)
    return {errc::amode, "a sequential file is accessed through its shared pointer only"};
  const_buffer const& memory = c.data.buffer();
  t.kind = c.kind;
  t.where = where;
  t.memory = std::shared_ptr<const_buffer const>(std::shared_ptr<void>(), &memory);  // not held
  view const& v = where->view;
  try {
    t.bytes = v.representation().converts() ? memory.types.size_with(v.representation().sizes()) : memory.size();
  } catch (invalid_layout const& e) {
    return {errc::argument, e.what()};
  }
  if (!v.is_whole(t.bytes))
    return {errc::datatype, "the data has " + number(t.bytes) + " bytes in the file, not whole etypes of " +
                                number(v.etype_size()) + " bytes"};
  t.etypes = t.bytes / v.etype_size();
  if (c.pointer == pointer_kind::shared) return {};
  return place(c.pointer == pointer_kind::individual ? position : c.offset, t);
}

failure open_file::place(std::int64_t offset, job& t) const {
  if (offset < 0) return {errc::argument, "the offset is " + number(offset) + " etypes; it must not be negative"};
  auto const start = t.where->view.position(offset);
  if (!start || t.bytes > t.where->view.stream().size() - *start)
    return {errc::argument, "offset " + number(offset) + " and " + number(t.bytes) +
                                " bytes reach beyond what the view can " +
                                "address (2^63 bytes at most, none if its filetype is empty)"};
  t.position = *start;
  return {};
}

access open_file::access_of(job const& t) const {
  return {t.kind, t.where->view.stream(), t.position, t.bytes, t.memory->form, t.where->sorted};
}

namespace {

// What `f` throws, as a failure.
template <class F>
failure caught(F&& f) try {
  return f();
} catch (std::bad_alloc const&) {
  failure thrown(make_error_code(errc::io), "out of memory");
  thrown.thrown = std::current_exception();
  return thrown;
} catch (...) {
  failure thrown(make_error_code(errc::conversion), "a data representation, policy or handle of the program threw");
  thrown.thrown = std::current_exception();
  return thrown;
}

}  // namespace

std::string open_file::why_not_shipped(job const& t) const {
  if (atomic) return "atomic mode";
  if (!t.where->sorted) return "the view names bytes twice";
  if (t.agents) return {};
  return why_no_agents.empty() ? "no agents serve; the hint IBM_largeblock_io = false starts them" : why_no_agents;
}

failure open_file::move(job const& t, staging& with, report& done) {
  if (t.bytes == 0) {
    done.policy = t.policy.name();
    done.reason = "nothing to do";
    return {};
  }
  return caught([&]() -> failure {
    if (!t.shipped) return move_here(t, with, done);
    std::string const why_not = why_not_shipped(t);
    if (why_not.empty()) {
      failure f = t.agents->ship(t, *t.shipped, done);
      done.reason += parts.words();
      return f;
    }
    failure f = move_here(t, with, done);
    done.reason += "; not shipped: " + why_not;
    return f;
  });
}

plan open_file::explain(job const& t) const {
  if (!t.shipped) return t.policy.plan(access_of(t));
  std::string const why_not = why_not_shipped(t);
  plan p = why_not.empty() ? t.agents->explain(t, *t.shipped) : t.policy.plan(access_of(t));
  p.reason += why_not.empty() ? parts.words() : "; not shipped: " + why_not;
  return p;
}

failure open_file::move_here(job const& t, staging& with, report& done) {
  return atomic ? move_atomic(t, with, done) : move(t, with, done, merging_for(ranks > 1 || pending > 0));
}

failure open_file::move_atomic(job const& t, staging& with, report& done) {
  // Everything between the first and the last byte is ours until the call ends.
  window const all = t.where->sorted ? window_of(t.where->view.stream(), t.position, t.bytes) : window{0, INT64_MAX};
  auto const kind = t.kind == access_kind::read ? lock_kind::shared : lock_kind::exclusive;
  if (auto const e = handle.lock(all.offset, all.length, kind)) return {e, "locking for atomic access"};
  ++done.locks;
  failure f = caught([&] { return move(t, with, done, {merging::others::none, readable}); });
  if (auto const e = give_back(handle, all.offset, all.length)) f.keep({e, "unlocking after atomic access"});
  return f;
}

failure open_file::move(job const& t, staging& with, report& done, merging how) {
  view const& v = t.where->view;
  access const wanted = access_of(t);
  std::error_code error;
  bool fits = true;
  if (v.representation().converts()) {
    converted_memory memory(v.representation(), t.memory->form, t.memory->types, t.memory->address);
    error = carry_out(t.policy, wanted, handle, memory, how, with, done);
    fits = memory.fits();
  } else {
    native_memory memory(t.memory->form, t.memory->address);
    error = carry_out(t.policy, wanted, handle, memory, how, with, done);
  }
  if (error)
    return {error, number(done.bytes) + " of " + number(t.bytes) + " bytes were " +
                       (t.kind == access_kind::read ? "read" : "written") + " before"};
  if (!fits) return {errc::conversion, "in representation " + std::string(v.representation().name())};
  return {};
}

void open_file::start(std::function<void()> work) {
  if (beside) return beside->start(std::move(work));
  {
    std::lock_guard const guard(threads_mutex_);
    if (!threads_) threads_ = std::make_unique<io_threads>(hints.values().io_threads);
  }
  threads_->start(std::move(work));
}

}  // namespace argosy::detail
