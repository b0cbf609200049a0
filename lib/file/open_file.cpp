// What one rank does with its open file.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/exchange/detail/carry_out.hpp>
#include <argosy/file/detail/io_threads.hpp>
#include <argosy/file/detail/open_file.hpp>
#include <argosy/file/detail/with_memory.hpp>
#include <argosy/handle/detail/give_back.hpp>

namespace argosy::detail {
namespace {

std::string number(std::int64_t n) { return std::to_string(n); }

}  // namespace

open_file::open_file()
    : files(posix_opener()), where(std::make_shared<used_view const>(view())), choice_(hints_.values()) {}
open_file::~open_file() = default;

void open_file::follow(file_hints h) {
  chosen next(h.values(), ranks);
  hints_ = std::move(h);
  choice_ = std::move(next);
}

merging open_file::merging_for(bool ranks_write) const {
  using enum merging::others;
  if (has(modes, mode::unique_open) && !ranks_write) return {none, readable};
  // Where a rank has no locks nobody merges, and so nobody has to be kept from it.
  if (!has_locks) return {none, false};
  return {ranks_write ? ranks : programs, readable};
}

// By default only for files opened unique: others who have it open would be outside of the partitioning, and their writes refused.
bool open_file::wants_partitioning() const {
  resolved_hints const& h = hints_.values();
  if (!can_write(modes) || h.partitioning == toggle::disable) return false;
  return h.partitioning == toggle::enable || (has(modes, mode::unique_open) && h.ships());
}

namespace {

// Prices may be any numbers, and views may span the whole file: longer than this, or no number at all, is for ever.
std::int64_t whole_ns(double ns) {
  return ns < 0x1p63 ? static_cast<std::int64_t>(ns) : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

access_summary open_file::summary_of(job const& t) const {
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
  s.alone_ns = s.alone_sum_ns = whole_ns(choice_.sieving.price_ns(wanted));
  s.ranks = 1;
  s.unsorted = t.where->sorted ? 0 : 1;
  return s;
}

bool open_file::forgets_lost() const { return written && hints_.values().sync_errors == "until_written"; }

bool open_file::may_aggregate(int place_in_node, std::string const& host) const {
  for (host_limit const& l : hints_.values().cb_config_list)
    if (l.host == "*" || l.host == host || l.host == host.substr(0, host.find('.')))
      return l.most < 0 || place_in_node < l.most;
  return hints_.values().cb_config_list.empty();
}

failure open_file::prepare(call const& c, job& t) const {
  bool const reading = c.kind == access_kind::read;
  any_policy const& given = c.policy();
  // First, whatever fails afterwards: ranks compare the policies for all of them.
  t.policy = given.has_value() && !given.is_collective() ? given : choice_.alone;
  if (!given.has_value())
    t.together = choice_.together(c.kind);
  else if (given.is_collective())
    t.together = given;
  if (data_shipping const* const shipped = given.target<data_shipping>())
    t.shipped = *shipped;
  else if (!given.has_value() && choice_.ships)
    t.shipped = choice_.data_shipping;
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
    t.bytes = v.representation().converts() ? memory.types().size_with(v.representation().sizes()) : memory.size();
  } catch (invalid_layout const& e) {
    return {errc::argument, e.what()};
  }
  if (v.stream().empty()) t.bytes = 0;  // no etype is reached: as at the end of the file
  if (!v.is_whole(t.bytes))
    return {errc::datatype, "the data has " + number(t.bytes) + " bytes in the file, not whole etypes of " +
                                number(v.etype_size()) + " bytes"};
  t.etypes = t.bytes / v.etype_size();
  if (failure f = where->fault_of(memory.types(), t.etypes)) return f;
  if (develop && !reading && t.bytes % v.filetype().size() != 0)
    remark(std::string(c.name) + " at " + c.where().file_name() + ":" + number(c.where().line()) + ": the data has " +
           number(t.bytes) + " bytes in the file, no whole number of filetypes of " + number(v.filetype().size()));
  if (c.pointer == pointer_kind::shared) return {};
  return locate(c.pointer == pointer_kind::individual ? position : c.offset, t);
}

failure open_file::locate(std::int64_t offset, job& t) const {
  if (offset < 0) return {errc::argument, "the offset is " + number(offset) + " etypes; it must not be negative"};
  if (t.where->view.stream().empty()) return {};
  auto const start = t.where->view.position(offset);
  if (!start || t.bytes > t.where->view.stream().size() - *start)
    return {errc::argument, "offset " + number(offset) + " and " + number(t.bytes) +
                                " bytes reach beyond what the view can " +
                                "address (2^63 bytes at most, none if its filetype is empty)"};
  t.position = *start;
  return {};
}

// MPI 3.1, 13.6.6: the data must be of the types of the etype; bytes match all.
failure used_view::fault_of(stream_types const& data, std::int64_t etypes) const try {
  if (!checks_types || etypes == 0 || types.is_bytes()) return {};
  type_digest const given(data.get());
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
  if (trace_) trace_->note(text);
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

// What code of the program throws, as a failure.
template <class F>
failure caught(F&& f) try {
  return f();
} catch (...) {
  return failure_by("a data representation, policy or handle of the program");
}

}  // namespace

std::string open_file::why_not_shipped(job const& t) const {
  if (atomic) return "atomic mode";
  if (!t.where->sorted) return "the view names bytes twice";
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
  done.memory_bytes = memory_bytes_of(t, done.bytes);
  if (!f && t.kind == access_kind::write) written = true;
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
  return with_memory(t, [&](auto& memory, auto const& check) -> failure {
    if (std::error_code const error = carry_out(t.policy, wanted, handle, memory, how, with, done))
      return {error, number(done.bytes) + " of " + number(t.bytes) + " bytes were " +
                         (t.kind == access_kind::read ? "read" : "written") + " before"};
    return check();
  });
}

}  // namespace

failure open_file::access_here(job const& t, staging& with, report& done) {
  if (atomic) return access_locked(t, with, done);
  return access_windows(t, access_of(t), handle, merging_for(ranks > 1 || pending > 0), with, done);
}

failure open_file::access_locked(job const& t, staging& with, report& done) {
  // Everything between the first and the last byte is ours until the call ends.
  window const all = t.where->sorted ? window_of(t.where->view.stream(), t.position, t.bytes) : window{0, INT64_MAX};
  auto const kind = t.kind == access_kind::read ? lock_kind::shared : lock_kind::exclusive;
  if (auto const e = handle.lock(all.offset, all.length, kind)) return {e, "locking for atomic access"};
  ++done.locks;
  failure f =
      caught([&] { return access_windows(t, access_of(t), handle, {merging::others::none, readable}, with, done); });
  if (auto const e = give_back(handle, all.offset, all.length)) f.keep({e, "unlocking after atomic access"});
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
