// What each rank does, on any world: included by few, since it instantiates basic_file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <argosy/file/basic_file.hpp>
#include <argosy/world/virtual_cluster.hpp>

#include "meeting.hpp"
#include "run.hpp"
#include "witness.hpp"

namespace argosy::explore {

template <communicator World>
class actor {
 public:
  actor(session& s, World const& world, changes const& c, opener files, meeting* m = nullptr)
      : session_(s), world_(world), changes_(c), files_(std::move(files)), meeting_(m), me_(world.rank()) {}

  void run() {
    for (std::size_t k = 0; k < session_.steps().size(); ++k) {
      step const& s = session_.steps()[k];
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
    std::error_code error;
    if (file_.is_open()) file_.close(error);
  }

 private:
  // Nothing collective succeeds any more; the file closes all the same.
  void give_up() {
    if (!file_.is_open()) return;
    std::error_code error;
    file_.close(error);
    if (error != errc::rank_failed || file_.is_open())
      throw found_wrong("after a death, close is told " + error.message());
  }

  void act(step const& s, record& r) {
    if constexpr (requires { typename World::gone; }) {
      try {
        dispatch(s, r);
      } catch (typename World::gone const& early) {
        r.code = early.code;
      }
    } else if (meeting_) {
      try {
        dispatch(s, r);
      } catch (std::exception const& e) {
        meeting_->found(e.what());
      }
    } else {
      dispatch(s, r);
    }
    if (r.now == record::state::begun) r.now = record::state::done;
    if (r.code) r.words = file_.what_failed();
  }

  void dispatch(step const& s, record& r) {
    bool const culprit = me_ == s.culprit % world_.size();
    bool const differs = s.mistake == slip::other_size && culprit && world_.size() > 1;
    std::int64_t const size = s.offset + (differs ? 1 : 0);
    switch (s.what) {
      case op::open: {
        hints h;
        for (auto const& [name, value] : s.hints) h.set(name, value);
        file_ = basic_file<World>::open(world_, session_.path(s.file), s.modes, r.code, h, files_);
        if (r.code && file_.is_open()) throw found_wrong("open fails, and the file is open");
        return;
      }
      case op::close:
        file_.close(r.code);
        if (file_.is_open()) throw found_wrong("closed, and still open");
        return;
      case op::set_view: {
        tile const t = tiles_of(s.view, world_.size())[static_cast<std::size_t>(me_)];
        return file_.set_view(t.displacement, t.etype, t.filetype, r.code);
      }
      case op::set_size:
        return file_.set_size(size, r.code);
      case op::preallocate:
        return file_.preallocate(size, r.code);
      case op::sync:
        return file_.sync(r.code);
      case op::clear_sync:
        return file_.clear_sync_error();
      case op::set_atomic:
        return file_.set_atomic(s.on, r.code);
      case op::seek_shared:
        return file_.seek_shared(s.offset, seek_from::start, r.code);
      case op::compute:
        return world_.compute(1e-6 * static_cast<double>(mixed(s.salt, static_cast<std::uint64_t>(me_)) %
                                                         static_cast<std::uint64_t>(s.count + 1)));
      case op::wait:
        return wait();
      default:
        return transfer(s, r, culprit);
    }
  }

  void wait() {
    auto& mine = session_.of(me_);
    while (!requests_.empty()) {  // this rank may die in between
      record& r = *mine.pending.front();
      r.told = requests_.front().wait(r.code);
      r.now = record::state::done;
      mine.ended.push_back(std::move(mine.pending.front()));
      mine.pending.erase(mine.pending.begin());
      requests_.erase(requests_.begin());
    }
  }

  void transfer(step const& s, record& r, bool culprit) {
    any_policy how = to_policy(s.policy);
    if (changes_.policy) how = changes_.policy(how);
    bool const nowhere = s.mistake == slip::null_address && culprit;
    buffer const in{nowhere ? nullptr : r.buffer.data() + r.memory.base, r.memory.form};
    const_buffer const out = in;
    std::int64_t const place = session_.offset_of(s, me_);
    std::int64_t const at = s.mistake == slip::negative_offset && culprit ? -1 - place : place;
    if (at_pointer(s.what)) file_.seek(place);
    std::error_code& e = r.code;
    request q;
    switch (s.what) {
      case op::read_at:
        r.told = file_.read_at(at, in, how, e);
        break;
      case op::write_at:
        r.told = file_.write_at(at, out, how, e);
        break;
      case op::iread_at:
        q = file_.iread_at(at, in, how);
        break;
      case op::iwrite_at:
        q = file_.iwrite_at(at, out, how);
        break;
      case op::read_at_all:
        r.told = file_.read_at_all(at, in, how, e);
        break;
      case op::write_at_all:
        r.told = file_.write_at_all(at, out, how, e);
        break;
      case op::read:
        r.told = file_.read(in, how, e);
        break;
      case op::write:
        r.told = file_.write(out, how, e);
        break;
      case op::iread:
        q = file_.iread(in, how);
        break;
      case op::iwrite:
        q = file_.iwrite(out, how);
        break;
      case op::read_all:
        r.told = file_.read_all(in, how, e);
        break;
      case op::write_all:
        r.told = file_.write_all(out, how, e);
        break;
      case op::read_shared:
        r.told = file_.read_shared(in, how, e);
        break;
      case op::write_shared:
        r.told = file_.write_shared(out, how, e);
        break;
      case op::iread_shared:
        q = file_.iread_shared(in, how);
        break;
      case op::iwrite_shared:
        q = file_.iwrite_shared(out, how);
        break;
      case op::read_ordered:
        r.told = file_.read_ordered(in, how, e);
        break;
      case op::write_ordered:
        r.told = file_.write_ordered(out, how, e);
        break;
      default:
        break;
    }
    if (at_pointer(s.what)) moved(s, r, place);
    if (!is_request(s.what)) return;
    if (!s.later) {
      r.told = q.wait(e);
      return;
    }
    requests_.push_back(std::move(q));
    auto kept = std::make_unique<record>(std::move(r));
    kept->now = record::state::pending;
    r = {};
    r.now = record::state::pending;
    r.beside = true;
    session_.of(me_).pending.push_back(std::move(kept));
  }

  // Requests move the pointer at once, other calls if they succeed.
  void moved(step const& s, record const& r, std::int64_t from) {
    bool const moves = is_request(s.what) ? r.expected == errc{} : !r.code;
    std::int64_t const to = from + (moves ? r.etypes : 0);
    session_.of(me_).position = to;
    if (file_.position() != to)
      throw found_wrong(fmt::format("{} on rank {}: the pointer stands at {}, and not at {}", name_of(s.what), me_,
                                    file_.position(), to));
  }

  session& session_;
  World const& world_;
  changes const& changes_;
  opener files_;
  meeting* meeting_;
  int me_;
  basic_file<World> file_;
  std::vector<request> requests_;  // of session::rank_state::pending
};

// `world_of(rank, session)` is what the program is given.
template <class MakeWorld>
verdict run_on(program const& p, changes const& c, MakeWorld&& world_of) {
  verdict v;
  try {
    std::unique_ptr<file_system> const files = files_for(p);
    session s(p, *files);
    std::int64_t const steps = static_cast<std::int64_t>(s.steps().size()) + 1;
    virtual_cluster const cluster(p.world,
                                  {.stack_bytes = std::size_t{1} << 20,
                                   .most_events = (1'000'000 + 20'000 * steps * p.world.ranks) * (p.gpfs ? 4 : 1)});
    virtual_report const r = cluster.run([&](virtual_rank const& rank) {
      struct guard {
        session& told;
        int me;
        bool ended = false;
        ~guard() { told.leave(me, !ended); }
      } here{s, rank.rank()};
      auto const world = world_of(rank, s);
      opener mine = with_witness(c.files ? c.files(files->files(), rank.rank()) : files->files(), s, rank.rank());
      if (c.above) mine = c.above(std::move(mine), rank.rank());
      actor(s, world, c, std::move(mine)).run();
      here.ended = true;
    });
    s.finish();
    v.trace_hash = r.trace_hash;
    v.operations = s.operations;
    v.policies = s.policies;
  } catch (std::exception const& e) {
    v.wrong = e.what();
  }
  return v;
}

}  // namespace argosy::explore
