// Implements open_file.hpp: the calls of one rank move their data, and make the summaries for the
// other ranks. One page because all code of a small call must be compiled as one.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <argosy/exchange/detail/call_times.hpp>
#include <argosy/exchange/detail/carry_out.hpp>
#include <argosy/exchange/detail/replace_window.hpp>
#include <argosy/exchange/detail/write_guard.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/handle/detail/give_back.hpp>
#include <argosy/layout/pack.hpp>
#include <argosy/policy/detail/whole.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/view/converter.hpp>

namespace argosy::detail {
namespace {

constexpr std::string_view whose_code = "a data representation, policy or handle of the program";

// Calls `f`, which may be code of the program. Returns its failure, or its exception as a failure.
template <class F>
failure caught(F&& f) try {
  return f();
} catch (...) {
  return failure_by(whose_code);
}

std::string how_far(access_kind kind, std::int64_t bytes, std::int64_t all) {
  return std::to_string(bytes) + " of " + std::to_string(all) + " bytes were " +
         (kind == access_kind::read ? "read" : "written") + " before";
}

// Returns the memory of contiguous data; empty for other data. The memory of a read is not const.
std::span<std::byte> stretch_of(source const& data) {
  if (item_row const& row = data.row(); row.address) {
    if (!row.is_stretch()) return {};
    return {const_cast<std::byte*>(row.first()), static_cast<std::size_t>(row.bytes())};
  }
  const_buffer const& buffer = data.buffer();
  if (buffer.form().pieces() != 1) return {};
  return {const_cast<std::byte*>(buffer.address()) + buffer.form().origin(),
          static_cast<std::size_t>(buffer.size())};
}

// Returns the bytes of data in several pieces; 0 if they are so long that copying them first would
// take longer than accessing them one by one.
std::int64_t bytes_to_stage(source const& data, std::int64_t least_direct_bytes) {
  if (item_row const& row = data.row(); row.known) {
    bool const are_long = row.known->size >= row.known->pieces * least_direct_bytes;
    return are_long ? 0 : row.bytes();
  }
  layout const& form = data.buffer().form();
  bool const are_long = form.size() / least_direct_bytes >= form.pieces();
  return are_long ? 0 : form.size();
}

// Copies all data to `stream`, which has no gaps.
void gather(source const& data, std::byte* stream) {
  if (item_row const& row = data.row(); row.known)
    return row.known->pack(row.address, row.count, stream);
  pack(data.buffer().form(), data.buffer().address(), stream);
}

// Copies the first `bytes` bytes of the data from `stream` to their places.
void scatter(source const& data, std::byte const* stream, std::int64_t bytes) {
  if (item_row const& row = data.row(); row.known && bytes == row.bytes())
    return row.known->unpack(stream, row.count, const_cast<void*>(row.address));
  const_buffer const& to = data.buffer();
  unpack(to.form(), stream, 0, bytes, const_cast<std::byte*>(to.address()));
}

// Returns the number of etypes of so many bytes; nothing if they are no whole etypes. Most etypes
// are bytes, for which there is no need to divide.
std::optional<std::int64_t> whole_etypes(std::int64_t bytes, std::int64_t etype) {
  if (etype == 1) return bytes;
  if (etype == 0 || bytes % etype != 0) return {};
  return bytes / etype;
}

// Returns true if a write excludes no other writer, and none excludes it. It then needs no guard.
bool is_free(merging const& m) {
  return m.writing != merging::others::ranks && !(m.opens && m.opens->unseen());
}

}  // namespace

std::int64_t memory_bytes_of(job const& t, std::int64_t bytes) {
  representation const& r = t.where->view.representation();
  if (!r.converts()) return bytes;
  if (bytes == t.bytes) return t.bytes == 0 ? 0 : t.memory->size();
  return converter(r, t.memory->form(), t.memory->types()).memory_position(bytes);
}

access_summary open_file::summary_of(job const& t) const {
  access_summary s;
  if (t.bytes == 0) return s;
  access const wanted = access_of(t);
  window const all = window_of(wanted, t.position, t.bytes);
  s.low = all.offset;
  s.high = all.offset + all.length;
  s.bytes = s.most_bytes = t.bytes;
  s.pieces = s.most_pieces = all.pieces;
  s.spans = all.length;
  s.granule = t.where->granule;
  sieving::estimate const alone = choice().sieving.estimate_of(wanted);
  s.alone_ns = s.alone_sum_ns = whole(alone.ns);
  s.alone_calls = whole(alone.calls);
  s.alone_bytes = whole(alone.bytes);
  s.ranks = 1;
  s.unsorted = t.where->sorted ? 0 : 1;
  return s;
}

// Returns true if a call may be made without a plan: the hints choose its policy, and no observer
// needs to see it. Usage reports, develop mode and atomic mode must see every call.
bool open_file::by_hints(call const& c) const {
  return !c.policy().has_value() && choice().one_stretch_is_one_call && !atomic_ &&
         !seen_by_.report() && !seen_by_.develops();
}

std::optional<plain_call> open_file::plain(call const& c) const {
  bool const allowed = c.kind() == access_kind::read ? can_read(modes()) : can_write(modes());
  bool const any_place = !has(modes(), mode::sequential) || c.pointer() == pointer_kind::shared;
  std::int64_t const etype = where_->one.etype;
  if (!allowed || !any_place || !by_hints(c) || etype == 0 || c.data.fault()) return {};
  std::span<std::byte> const memory = stretch_of(c.data);
  auto const bytes = static_cast<std::int64_t>(memory.size());
  if (bytes == 0) return {};
  std::optional<std::int64_t> const etypes = whole_etypes(bytes, etype);
  if (!etypes) return {};
  return plain_call{c.kind(), memory, *etypes};
}

// Returns the part of a call's summary that does not depend on its place in the file. The price is
// that of the one window that the policy would plan.
access_summary open_file::placeless_summary_of(plain_call const& p) const {
  access_summary s;
  s.spans = p.etypes;
  s.bytes = s.most_bytes = p.bytes();
  s.pieces = s.most_pieces = 1;
  sieving::estimate const alone = choice().sieving.estimate_of_stretch(p.kind, p.bytes());
  s.alone_ns = s.alone_sum_ns = whole(alone.ns);
  s.alone_calls = whole(alone.calls);
  s.alone_bytes = whole(alone.bytes);
  s.ranks = 1;
  return s;
}

std::optional<access_summary> open_file::summary_of(plain_call const& p,
                                                    std::int64_t offset) const {
  std::optional<std::int64_t> const at = where_->one.place(offset, p.bytes());
  if (!at) return {};
  access_summary s = placeless_summary_of(p);
  s.spans = p.bytes();
  s.low = *at;
  s.high = s.low + p.bytes();
  s.granule = where_->granule;
  return s;
}

std::error_code open_file::read_plain(std::int64_t at, plain_call const& p, report& done) {
  io_result const r = handle_.read(at, p.memory);
  done.read_calls = 1;
  done.bytes = done.memory_bytes = done.bytes_read = r.bytes;
  return r.error;
}

std::error_code open_file::write_plain(std::int64_t at, plain_call const& p, report& done) {
  auto const here = caller(p.kind);
  lone_writes::one const noted(merges_.counted());
  auto const write = [&] {
    io_result const r = handle_.write(at, p.memory);
    done.write_calls = 1;
    done.bytes = done.memory_bytes = done.bytes_written = r.bytes;
    return r.error;
  };
  auto const write_guarded = [&] {
    merging const how = merging_alone(here, false);
    return is_free(how) ? write()
                        : write_guard<any_handle>(handle_, how, done).pieces(at, p.bytes(), write);
  };
  std::error_code error =
      merges_.writes_freely() && is_only_writer(here) ? write() : write_guarded();
  // the handle wrote less and reported no error
  if (!error && done.bytes < p.bytes()) error = errc::io;
  if (!error) late_.write();
  return error;
}

// Carries out a call of `bytes` bytes by `move`, which returns the error of handle_.
template <class Move>
void open_file::carry(access_kind kind, std::int64_t bytes, report& done, failure& f, Move&& move) {
  // cheaper than assigning the name: its length is known here
  done.policy = std::string(sieving::name);
  done.reason.say(choice().sieving.words(kind));
  try {
    if (std::error_code const error = move())
      f = {error, how_far(kind, done.bytes, bytes)};
    else
      done.windows = 1;
  } catch (...) {
    f = failure_by(whose_code);
  }
}

void open_file::access_plain(plain_call const& p, std::int64_t offset, report& done, failure& f) {
  std::optional<std::int64_t> const at = where_->one.place(offset, p.bytes());
  if (!at) {
    std::int64_t nowhere = 0;
    f = where_->locate(offset, p.bytes(), nowhere);
    return;
  }
  auto const move = [&] {
    return p.kind == access_kind::read ? read_plain(*at, p, done) : write_plain(*at, p, done);
  };
  carry(p.kind, p.bytes(), done, f, [&] {
    if (p.bytes() < report::least_timed_bytes) return move();
    call_times const times(seen_by_.clock(), done);
    return move();
  });
}

std::optional<small_call> open_file::small(call const& c) const {
  view const& v = where_->view;
  bool const simple = c.pointer() != pointer_kind::shared &&
                      (c.kind() == access_kind::read ? can_read(modes()) : can_write(modes())) &&
                      !has(modes(), mode::sequential) && by_hints(c) && where_->sorted &&
                      !where_->checks_types && !v.stream().empty() && !c.data.fault();
  if (!simple) return {};
  std::span<std::byte> const memory = stretch_of(c.data);
  auto const bytes = memory.empty() ? bytes_to_stage(c.data, least_direct_bytes)
                                    : static_cast<std::int64_t>(memory.size());
  std::int64_t const most = memory.empty() ? most_close_bytes : report::least_timed_bytes;
  if (bytes == 0 || bytes >= most) return {};
  std::optional<std::int64_t> const etypes = whole_etypes(bytes, v.etype_size());
  if (!etypes) return {};
  return small_call{c.kind(), memory, c.data, bytes, *etypes};
}

// Finds `bytes` bytes from etype `offset` on; nothing if the view ends before. If one copy of the
// filetype has them all, uses its layout, because that of the stream joins copies.
std::optional<open_file::close_data> open_file::close_data_of(std::int64_t offset,
                                                              std::int64_t bytes) const {
  if (where_->one.etype > 0) {
    std::optional<std::int64_t> const at = where_->one.place(offset, bytes);
    if (!at) return {};
    return close_data{{*at, bytes, *at - where_->one.begin, bytes, 1, transfer_mode::whole}};
  }
  view const& v = where_->view;
  layout const& stream = v.stream();
  std::optional<std::int64_t> const start = v.position(offset);
  if (!start || bytes == 0 || bytes > stream.size() - *start) return {};
  layout const& one = v.filetype();
  std::int64_t const copy = *start < one.size() ? 0 : *start / one.size();
  std::int64_t const begin = *start - copy * one.size();
  if (bytes > one.size() - begin)
    return close_data{window_of(stream, *start, bytes), &stream, *start, 0};
  close_data d{window_of(one, begin, bytes), &one, begin, v.displacement() + copy * one.extent()};
  d.all.offset += d.base;
  d.all.position = *start;
  return d;
}

bool open_file::access_close(small_call const& c, std::int64_t offset, report& done, failure& f) {
  sieving const& by = choice().sieving;
  bool const reading = c.kind == access_kind::read;
  std::optional<close_data> const found = close_data_of(offset, c.bytes);
  if (!found) return false;
  window const& all = found->all;
  std::int64_t const most =
      std::min(most_close_bytes, reading ? by.read_window_bytes : by.write_window_bytes);
  bool const one = all.pieces == 1, fits = all.length <= most;
  if (one ? c.is_scattered() && !fits : !fits || !by.merge(all, c.kind)) return false;
  if (!one && !reading) return write_inserting(*found, c, done, f);

  carry(c.kind, c.bytes, done, f, [&] {
    if (!one) return read_picking(*found, c, done);
    if (c.is_scattered()) return access_staged(all, c, done);
    return reading ? read_plain(all.offset, c.with(c.memory), done)
                   : write_plain(all.offset, c.with(c.memory), done);
  });
  return true;
}

// Calls `move` with memory for `bytes` bytes. A kernel's copy is several times slower if the target
// lies a few bytes behind the source within their pages. So the memory has the same place within
// its page as `offset` of the file.
template <class Move>
std::error_code open_file::staged(std::int64_t offset, std::int64_t bytes, Move&& move) {
  constexpr std::int64_t page = 4096;
  auto const placed = [&](std::byte* room) {
    auto const behind =
        static_cast<std::uintptr_t>(offset) - reinterpret_cast<std::uintptr_t>(room);
    return move(room + behind % page);
  };
  if (bytes <= page) {
    std::array<std::byte, 2 * page> room;
    return placed(room.data());
  }
  staging_pool::lease room(buffers_);
  return placed(room.get().get(bytes + page));
}

// One piece of the file, several of memory.
std::error_code open_file::access_staged(window const& w, small_call const& c, report& done) {
  return staged(w.offset, w.length, [&](std::byte* stage) {
    plain_call const p = c.with({stage, static_cast<std::size_t>(w.length)});
    if (c.kind == access_kind::write) {
      gather(c.data, stage);
      return write_plain(w.offset, p, done);
    }
    std::error_code const error = read_plain(w.offset, p, done);
    scatter(c.data, stage, done.bytes);
    return error;
  });
}

// Several pieces of the file, one or more of memory.
std::error_code open_file::read_picking(close_data const& d, small_call const& c, report& done) {
  window const& w = d.all;
  std::int64_t const packed = c.is_scattered() ? w.wanted : 0;
  return staged(w.offset, w.length + packed, [&](std::byte* stage) {
    io_result const got = handle_.read(w.offset, {stage, static_cast<std::size_t>(w.length)});
    std::int64_t const bytes = data_within(where_->view.stream(), w, got.bytes);
    std::byte* const to = c.is_scattered() ? stage + w.length : c.memory.data();
    pack(*d.form, detail::moved(stage, d.base - w.offset), d.position, d.position + bytes, to);
    if (c.is_scattered()) scatter(c.data, to, bytes);
    done.read_calls = 1;
    done.bytes_read = got.bytes;
    done.merged_bytes = got.bytes - bytes;
    done.bytes = done.memory_bytes = bytes;
    return got.error;
  });
}

namespace {

// Calls `insert` under a guard. If the window has gaps and cannot be merged, does nothing, and
// `is_safe` becomes false.
template <class Insert>
std::error_code insert_guarded(any_handle& handle, merging const& how, window const& w,
                               report& done, bool& is_safe, Insert&& insert) {
  write_guard<any_handle> guard(handle, how, done);
  auto const leave = [&] { return is_safe = false, std::error_code(); };
  std::error_code const error = w.holes() == 0   ? guard.pieces(w.offset, w.length, insert)
                                : guard.merges() ? guard.merge(w.offset, w.length, insert, leave)
                                                 : leave();
  std::error_code const ended = guard.end();
  return error ? error : ended;
}

}  // namespace

// Reads a window, puts the call's data into it and writes it back. Returns false if merging is not
// safe; then nothing was done.
bool open_file::write_inserting(close_data const& d, small_call const& c, report& done,
                                failure& f) {
  window const& w = d.all;
  bool is_safe = true;
  carry(c.kind, c.bytes, done, f, [&]() -> std::error_code {
    auto const here = caller(c.kind);
    lone_writes::one const noted(merges_.counted());
    auto const insert = [&] { return replace_close(d, c, done); };
    std::error_code error =
        merges_.merges_freely() && is_only_writer(here)
            ? insert()
            : insert_guarded(handle_, merging_alone(here, false), w, done, is_safe, insert);
    // the handle wrote less and reported no error
    if (!error && is_safe && done.bytes < c.bytes) error = errc::io;
    if (!error && is_safe) late_.write();
    return error;
  });
  if (is_safe || f) return true;
  done = {};
  return false;
}

std::error_code open_file::replace_close(close_data const& d, small_call const& c, report& done) {
  window const& w = d.all;
  std::int64_t const packed = c.is_scattered() ? w.wanted : 0;
  return staged(w.offset, w.length + packed, [&](std::byte* stage) {
    layout const& stream = where_->view.stream();
    std::error_code const error =
        replace_window(handle_, stream, w, {stage, static_cast<std::size_t>(w.length)}, done, [&] {
          if (c.is_scattered()) gather(c.data, stage + w.length);
          std::byte const* const from = c.is_scattered() ? stage + w.length : c.memory.data();
          unpack(*d.form, from, d.position, d.position + w.wanted,
                 detail::moved(stage, d.base - w.offset));
        });
    done.memory_bytes = done.bytes;
    return error;
  });
}

failure open_file::reconcile() {
  return caught([&]() -> failure {
    return {handle_.reconcile(), "writing out what this node has kept of the file"};
  });
}

failure open_file::access_alone(job const& t, staging& with, report& done) {
  if (t.bytes == 0) {
    done.policy = t.by.policy.name();
    done.reason = "nothing to do";
    return {};
  }
  bool const counts = t.kind == access_kind::write;
  lone_writes::one const noted(counts ? merges_.counted() : nullptr);
  failure f = moved(t, with, done);
  f.keep(caught([&]() -> failure {
    done.memory_bytes = memory_bytes_of(t, done.bytes);
    return {};
  }));
  if (!f && t.kind == access_kind::write) late_.write();
  return f;
}

failure open_file::access_timed(job const& t, staging& with, report& done) {
  if (!t.told.timed) return access_alone(t, with, done);
  failure f;
  {
    call_times const times(seen_by_.clock(), done);
    f = access_alone(t, with, done);
  }
  count(t, done, static_cast<bool>(f));
  return f;
}

// Reconciles before and after: the agent must see what this rank wrote without it, and this rank
// must see what the agent writes.
failure open_file::ship(job const& t, report& done) {
  bool const apart = merges_.caches_differ();
  failure f = apart ? reconcile() : failure();
  if (!f) f = t.by.agents->ship(t, *t.by.shipped, done);
  if (apart && t.kind == access_kind::write) f.keep(reconcile());
  return f;
}

failure open_file::moved(job const& t, staging& with, report& done) {
  return caught([&]() -> failure {
    if (!t.by.shipped) return access_here(t, with, done);
    std::string const why_not = why_not_shipped(t);
    failure f = why_not.empty() ? ship(t, done) : access_here(t, with, done);
    done.reason += why_not.empty() ? agents_.parts().words() : "; not shipped: " + why_not;
    return f;
  });
}

namespace {

failure access_windows(job const& t, access const& wanted, any_handle& handle, merging how,
                       staging& with, report& done) {
  auto const before = [&] { return how_far(t.kind, done.bytes, t.bytes); };
  memory_side memory(t.where->view.representation(), *t.memory);
  try {
    if (std::error_code const error =
            carry_out(t.by.policy, wanted, handle, memory, how, with, done))
      return {error, before()};
  } catch (invalid_plan const& x) {
    return {errc::argument, std::string(x.what()) + "; " + before()};
  }
  return memory.fault();
}

}  // namespace

failure open_file::access_here(job const& t, staging& with, report& done) {
  if (atomic_) return access_locked(t, with, done);
  auto const here = caller(t.kind);
  return access_windows(t, access_of(t), handle_, merging_alone(here, t.beside), with, done);
}

failure open_file::access_locked(job const& t, staging& with, report& done) {
  // The lock covers everything between the first and the last byte until the call ends.
  window const all = t.where->sorted ? window_of(t.where->view.stream(), t.position, t.bytes)
                                     : window{0, INT64_MAX};
  auto const kind = t.kind == access_kind::read ? lock_kind::shared : lock_kind::exclusive;
  auto const [from, bytes] = range_of_data(all.offset, all.length);
  if (auto const e =
          lock_of_rank(handle_, all.offset, all.length, kind, merges_.gate_of_all(), false))
    return {e, classify(e) == errc::file_in_use ? "locking for atomic access: another program has "
                                                  "locked some of these bytes and keeps them"
                                                : "locking for atomic access"};
  ++done.locks;
  write_gate::holding const told(merges_.gate_of_all());
  merging const how = merges_.under_lock();
  failure f = caught([&] { return access_windows(t, access_of(t), handle_, how, with, done); });
  if (auto const e = give_back(handle_, from, bytes)) f.keep({e, "unlocking after atomic access"});
  return f;
}

}  // namespace argosy::detail
