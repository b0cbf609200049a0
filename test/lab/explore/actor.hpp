// The part of each rank in a program, on any world. Few sources include this header, because it
// instantiates basic_file. One page because each step of a program may use all state of its rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <argosy/datatype/indexed.hpp>
#include <argosy/datatype/resized.hpp>
#include <argosy/file/any_world.hpp>

#include "around.hpp"
#include "meeting.hpp"
#include "run.hpp"
#include "session.hpp"
#include "several_views.hpp"
#include "static_types.hpp"

namespace argosy::explore {

using namespace extend;

template <communicator World>
class actor {
 public:
  actor(session& s, World const& world, changes const& c, opener files, meeting* m = nullptr)
      : session_(s),
        world_(world),
        changes_(c),
        files_(std::move(files)),
        meeting_(m),
        me_(world.rank()) {}

  void run() {
    for (std::size_t k = 0; k < session_.steps().size(); ++k) {
      step const& s = session_.steps()[k];
      session_.enter(s);
      bool const sensible = session_.makes_sense(s);
      if (sensible) {
        record& r = session_.begin(k, me_);
        if (meeting_) meeting_->begins(k);
        act(s, r);
        bool const lost = r.code == errc::rank_failed;
        session_.arrive(k, me_);
        if (meeting_)
          meeting_->did(k);
        else if (lost)
          return give_up();
      }
      if (s.loose) continue;
      if (meeting_)
        meeting_->after(k, sensible);
      else
        world_.barrier();
    }
    for (basic_file<World>& f : files_open_) {
      std::error_code error;
      if (f.is_open()) f.close(error);
    }
  }

 private:
  // After a death no collective call succeeds. Checks that the files still close.
  void give_up() {
    for (basic_file<World>& f : files_open_) {
      if (!f.is_open()) continue;
      std::error_code error;
      f.close(error);
      if (error != errc::rank_failed || f.is_open())
        throw found_wrong("after a death, close is told " + error.message());
    }
  }

  void act(step const& s, record& r) {
    file_ = &files_open_[static_cast<std::size_t>(s.slot)];
    if constexpr (requires { typename World::gone; }) {
      try {
        dispatch(s, r);
      } catch (typename World::gone const& early) {
        r.code = early.code;
      }
    } else if (meeting_) {
      try {
        caught(r, [&] { dispatch(s, r); });
      } catch (std::exception const& e) {
        meeting_->found(e.what());
      }
    } else {
      caught(r, [&] { dispatch(s, r); });
    }
    if (r.now == record::state::begun) r.now = record::state::done;
    if (r.code) r.words = file_->what_failed();
  }
  // Runs f and notes its error. What code of the program throws arrives unchanged. Calls that have
  // only a throwing form report their errors by that.
  template <class F>
  static void caught(record& r, F&& f) {
    try {
      f();
    } catch (thrown_on_purpose const&) {
      r.code = errc::user_code;
      r.threw = true;
    } catch (error const& e) {
      r.code = e.code();
    }
  }

  void dispatch(step const& s, record& r) {
    bool const culprit = me_ == s.culprit % world_.size();
    bool const differs = s.mistake == slip::other_size && culprit && world_.size() > 1;
    std::int64_t const size = s.offset + (differs ? 1 : 0);
    switch (s.what) {
      case op::open:
        *file_ = basic_file<World>::open(world_, session_.path(s.file), s.modes,
                                         {hints_of(s), r.code}, decorated(files_, s.around));
        if (r.code && file_->is_open()) throw found_wrong("open fails, and the file is open");
        return;
      case op::close:
        file_->close(r.code);
        if (file_->is_open()) throw found_wrong("closed, and still open");
        if (s.later) wait(s);
        return;
      case op::set_view:
        set_view(s, r.code);
        if (file_->is_open()) r.displacement = file_->view().displacement();
        return;
      case op::set_hints:
        return file_->set_hints(hints_of(s), r.code);
      case op::set_size:
        return file_->set_size(size, r.code);
      case op::preallocate:
        return file_->preallocate(size, r.code);
      case op::sync:
        return file_->sync(r.code);
      case op::clear_sync:
        return file_->clear_sync_error();
      case op::set_atomic:
        return file_->set_atomic(s.on, r.code);
      case op::seek:
        file_->seek(s.offset, s.whence, r.code);
        if (!r.code) session_.of(me_).position = r.sought;
        return stands_at(session_.of(me_).position, s);
      case op::seek_shared:
        return file_->seek_shared(size, s.whence, r.code);
      case op::ask:
        return ask(r);
      case op::explain:
      case op::explain_all:
        return explain(s, r);
      case op::compute:
        return world_.compute(1e-6 *
                              static_cast<double>(mixed(s.salt, static_cast<std::uint64_t>(me_)) %
                                                  static_cast<std::uint64_t>(s.count + 1)));
      case op::wait:
        return wait(s);
      case op::test:
        return test(s);
      case op::drop:
        return drop(s, r);
      default:
        return transfer(s, r, culprit);
    }
  }

  static hints hints_of(step const& s) {
    hints h;
    for (auto const& [name, value] : s.hints) h.set(name, value);
    return h;
  }

  void set_view(step const& s, std::error_code& error) {
    bool const sequential = has(session_.modes, mode::sequential);
    view_choice v = s.view;
    v.displacement = session_.displacement_of(s);
    tile const& t = tiles_of(v, world_.size())[static_cast<std::size_t>(me_)];
    std::int64_t const from = sequential ? current_displacement : t.displacement;
    representation const how = representation_of(v.representation);
    hints const h = hints_of(s);
    if (v.item == basic_type::byte) {
      if (how == native && h.empty()) return file_->set_view(from, {t.etype, t.filetype}, error);
      return file_->set_view(from, {t.etype, t.filetype, how}, {h, error});
    }
    std::vector<std::int64_t> lengths, starts;
    for (piece const& p : t.blocks) {
      starts.push_back(p.offset);
      lengths.push_back(p.length);
    }
    auto const filetype = [&] { return resized(hindexed(lengths, starts, t.item), 0, t.extent); };
    if (s.salt % 2 == 0) return file_->set_view(from, {t.item, filetype, how}, {h, error});
    file_->set_view(from, {t.item, filetype, std::string(how.name())}, {h, error});
  }

  // --- Questions to a file ---

  void must(bool is, std::string const& what) const {
    if (!is) throw found_wrong(fmt::format("on rank {}: {}", me_, what));
  }
  void stands_at(std::int64_t to, step const& s) const {
    if (has(session_.modes, mode::sequential)) return;  // a sequential file has no such pointer
    must(file_->position() == to, fmt::format("after {} the pointer stands at {}, and not at {}",
                                              name_of(s.what), file_->position(), to));
  }

  void ask(record& r) {
    tile const& t = session_.tiles[static_cast<std::size_t>(me_)];
    must(file_->mode() == session_.modes && file_->path() == session_.path(session_.file),
         "another mode, or path");
    must(file_->atomic() == session_.atomic, "another atomic mode");
    std::int64_t const at = session_.of(me_).position;
    // A sequential file has no individual pointer.
    if (!has(session_.modes, mode::sequential))
      must(file_->position() == at, "the pointer is elsewhere");
    must(file_->view().displacement() == t.displacement, "another displacement");
    must(file_->view().representation().name() ==
             representation_of(session_.view.representation).name(),
         "another representation");
    must(file_->type_extent(item_type{session_.view.item}) ==
             file_bytes_of(session_.view.representation, session_.view.item),
         "another extent");
    if (t.bytes > 0)
      for (std::int64_t const k : {std::int64_t{0}, std::int64_t{1}, at})
        must(file_->byte_offset(k) == t.locate(k * t.etype_bytes, 1)[0].offset,
             fmt::format("etype {} lies at {}", k, file_->byte_offset(k)));
    for (auto const& [name, value] : session_.hints)
      must(file_->get_hints().find(name) != nullptr, "nobody has heard of the hint " + name);
    std::int64_t const bytes = file_->size(r.code);
    must(r.code || bytes == session_.size_now(), fmt::format("the file has {} bytes", bytes));
    if (r.code || !session_.shared_known) return;
    std::int64_t const shared = file_->position_shared();
    must(shared == session_.shared, fmt::format("the shared pointer stands at {}", shared));
  }

  void explain(step const& s, record& r) {
    access_kind const kind = s.on ? access_kind::write : access_kind::read;
    std::int64_t const at = session_.offset_of(s, me_), calls = session_.of(me_).calls;
    const_buffer const data = buffer_of(r);
    if (s.what == op::explain_all) {
      file_->explain_at_all(kind, at, data, to_policy(s.policy));
    } else {
      plan const p = file_->explain_at(kind, at, data, to_policy(s.policy));
      std::int64_t wanted = 0;
      for (window const& w : p.windows) wanted += w.wanted;
      must(wanted == r.bytes, fmt::format("a plan of {} bytes, for {}", wanted, r.bytes));
    }
    // An agent on this rank may be calling the file for other ranks.
    must(session_.serves || calls == session_.of(me_).calls, "to explain a call files are called");
  }

  // --- Requests ---

  void end_of(std::size_t i, bool waits) {
    auto& mine = session_.of(me_);
    record& r = *mine.pending[i];
    under_way q = std::move(requests_[i]);
    if (waits)
      caught(r, [&] { r.told = q.split ? file_->end(r.code) : q.what.wait(r.code); });
    else
      q.what = request();
    if (waits) taken_back(r);
    r.now = waits ? record::state::done : record::state::dropped;
    auto const at = static_cast<std::ptrdiff_t>(i);
    mine.ended.push_back(std::move(mine.pending[i]));
    mine.pending.erase(mine.pending.begin() + at);
    requests_.erase(requests_.begin() + at);
  }
  // Returns an index below n, another one on each rank.
  std::size_t some(step const& s, std::size_t n) const {
    return s.salt == 0 ? 0 : mixed(mixed(s.salt, static_cast<std::uint64_t>(me_)), n) % n;
  }
  void wait(step const& s) {
    // This rank may die in between.
    while (!requests_.empty()) end_of(some(s, requests_.size()), true);
  }
  void test(step const& s) {
    std::size_t const n = std::min(requests_.size(), static_cast<std::size_t>(s.count) % 4 + 1);
    for (std::size_t i = 0; i < n; ++i) {
      under_way& q = requests_[(i + some(s, n)) % n];
      for (int tries = 0; !q.split && tries < 3 && !q.what.test(); ++tries) {
      }
    }
  }
  void drop(step const& s, record& r) {
    bool collective = false;
    std::size_t const n = requests_.size();
    for (std::size_t i = 0, at = 0; i < n; ++i) {
      if (mixed(s.salt, i) % 2 == 0 || requests_[at].split) {
        ++at;
        continue;
      }
      collective = collective || is_collective(session_.of(me_).pending[at]->what);
      end_of(at, false);
    }
    wait(s);
    if (!collective) return;
    // The ranks continue a dropped collective request at their next collective call, so this makes
    // one.
    record flush;
    bool const reads = argosy::detail::can_read(session_.modes);
    caught(flush, [&] {
      file_->explain_at_all(reads ? access_kind::read : access_kind::write, 0,
                            const_buffer{nullptr, bytes(0)});
    });
    if (flush.code == errc::rank_failed) r.code = flush.code;
  }

  buffer buffer_of(record& r) const {
    bool const typed = converts(r.representation) && r.item != basic_type::byte;
    return {
        r.buffer.data() + r.memory.base, r.memory.form,
        typed ? signature(r.item, r.etypes) : signature(basic_type::byte, r.memory.form.size())};
  }

  // Returns the data of a call, at no address if the call is to be refused for that.
  target data_of(record& r, bool no_address) const {
    std::byte* const address = no_address ? nullptr : r.buffer.data() + r.memory.base;
    if (r.memory.type != nullptr && r.expected != errc::datatype)
      return r.memory.type->data(address, r.memory.copies);
    buffer in = buffer_of(r);
    if (no_address) in = {nullptr, in.form(), in.types()};
    if (r.expected == errc::datatype) in = {in.address(), bytes(r.bytes - 1)};
    return in;
  }

  void transfer(step const& s, record& r, bool culprit) {
    policy_choice const& choice = policy_of(s, me_);
    any_policy how =
        s.trouble == trouble::policy_throws ? throwing(choice.kind) : to_policy(choice);
    if (changes_.policy) how = changes_.policy(how);
    target const in = data_of(r, culprit && s.mistake == slip::null_address);
    std::int64_t place = session_.offset_of(s, me_);
    std::int64_t const at = s.mistake == slip::negative_offset && culprit ? -1 - place : place;
    if (at_pointer(s.what) && !has(session_.modes, mode::sequential)) {
      std::error_code refused;
      file_->seek(place, seek_from::start, refused);
      if (refused) place = file_->position();
    }
    request q;
    caught(r, [&] {
      if (by_views(s.what))
        move_by_views(s, r, culprit && s.mistake == slip::null_address, how);
      else
        q = begun(r, at, in, how);
    });
    r.from = place;
    if (at_pointer(s.what)) moved(s, r, place);
    if (!is_request(s.what)) return;
    if (!s.later) {
      caught(r, [&] { r.told = is_split(s.what) ? file_->end(r.code) : q.wait(r.code); });
      taken_back(r);
      return;
    }
    requests_.push_back({std::move(q), is_split(s.what)});
    auto kept = std::make_unique<record>(std::move(r));
    kept->now = record::state::pending;
    r = {};
    r.now = record::state::pending;
    r.beside = true;
    session_.of(me_).pending.push_back(std::move(kept));
  }

  // Makes the call. Returns its request if it is nonblocking.
  request begun(record& r, std::int64_t at, target const& in, any_policy const& how) {
    source const out = in;
    std::error_code& e = r.code;
    switch (r.what) {
      case op::read_at:
        r.told = file_->read_at(at, in, {how, e});
        break;
      case op::write_at:
        r.told = file_->write_at(at, out, {how, e});
        break;
      case op::iread_at:
        return file_->iread_at(at, in, how);
      case op::iwrite_at:
        return file_->iwrite_at(at, out, how);
      case op::read_at_all:
        r.told = file_->read_at_all(at, in, {how, e});
        break;
      case op::write_at_all:
        r.told = file_->write_at_all(at, out, {how, e});
        break;
      case op::read:
        r.told = file_->read(in, {how, e});
        break;
      case op::write:
        r.told = file_->write(out, {how, e});
        break;
      case op::iread:
        return file_->iread(in, how);
      case op::iwrite:
        return file_->iwrite(out, how);
      case op::read_all:
        r.told = file_->read_all(in, {how, e});
        break;
      case op::write_all:
        r.told = file_->write_all(out, {how, e});
        break;
      case op::read_shared:
        r.told = file_->read_shared(in, {how, e});
        break;
      case op::write_shared:
        r.told = file_->write_shared(out, {how, e});
        break;
      case op::iread_shared:
        return file_->iread_shared(in, how);
      case op::iwrite_shared:
        return file_->iwrite_shared(out, how);
      case op::read_ordered:
        r.told = file_->read_ordered(in, {how, e});
        break;
      case op::write_ordered:
        r.told = file_->write_ordered(out, {how, e});
        break;
      case op::iread_at_all:
        return file_->iread_at_all(at, in, how);
      case op::iwrite_at_all:
        return file_->iwrite_at_all(at, out, how);
      case op::iread_all:
        return file_->iread_all(in, how);
      case op::iwrite_all:
        return file_->iwrite_all(out, how);
      case op::begin_read_at_all:
        file_->begin_read_at_all(at, in, how);
        break;
      case op::begin_write_at_all:
        file_->begin_write_at_all(at, out, how);
        break;
      case op::begin_read_all:
        file_->begin_read_all(in, how);
        break;
      case op::begin_write_all:
        file_->begin_write_all(out, how);
        break;
      case op::begin_read_ordered:
        file_->begin_read_ordered(in, how);
        break;
      case op::begin_write_ordered:
        file_->begin_write_ordered(out, how);
        break;
      default:
        break;
    }
    return {};
  }

  void move_by_views(step const& s, record& r, bool no_address, any_policy const& how) {
    std::vector<viewed_target> const all =
        dealt_to_views(r, s.views, mixed(r.key, s.salt), no_address);
    if (r.writes)
      r.told = file_->write_views_all(all, {how, r.code});
    else
      r.told = file_->read_views_all(all, {how, r.code});
  }

  // A collective request that failed moves the pointer back, unless the pointer was set meanwhile.
  void taken_back(record const& r) {
    if (at_pointer(r.what) && is_collective(r.what) && r.code && file_->is_open() &&
        !has(session_.modes, mode::sequential) && file_->position() == r.from)
      session_.of(me_).position = r.from;
  }
  // Checks that the pointer has moved: by a request before the call returns, by another call if it
  // succeeds.
  void moved(step const& s, record const& r, std::int64_t from) {
    bool const moves = is_request(s.what) ? r.expected == errc{} : !r.code;
    std::int64_t const to = from + (moves ? r.etypes : 0);
    session_.of(me_).position = to;
    stands_at(to, s);
  }

  session& session_;
  World const& world_;
  changes const& changes_;
  opener files_;
  meeting* meeting_;
  int me_;
  std::array<basic_file<World>, 2> files_open_;
  basic_file<World>* file_ = files_open_.data();  // the file of this step
  struct under_way {
    request what;
    bool split = false;
  };
  std::vector<under_way> requests_;  // requests of session::rank_state::pending, in the same order
};

}  // namespace argosy::explore
