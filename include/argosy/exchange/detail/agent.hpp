// The agent: reads and writes its stripes for other ranks, while its own rank computes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <argosy/error/errc.hpp>
#include <argosy/exchange/detail/guided_access.hpp>
#include <argosy/exchange/detail/run_pattern.hpp>
#include <argosy/exchange/detail/shipment.hpp>
#include <argosy/exchange/detail/staging.hpp>
#include <argosy/exchange/detail/window_part.hpp>
#include <argosy/exchange/detail/window_writer.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/layout/detail/marks.hpp>
#include <argosy/layout/detail/transfer.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/pack.hpp>
#include <argosy/layout/serialize.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/world/background.hpp>

namespace argosy::detail {

// Serves several requests at the same time, on threads or concurrently with the rank. Requests for
// the same window are combined. While one file call is in progress, further requests for that
// window are collected. The next file call serves all of them.
template <handle H>
class agent {
 public:
  // `beside`: carries out the requests; null: threads do.
  agent(H& file, sieving prices, merging how, std::shared_ptr<background> beside)
      : file_(file), prices_(prices), how_(how), beside_(std::move(beside)) {}

  void set_prices(sieving const& prices) {
    std::lock_guard const guard(mutex_);
    prices_ = prices;
  }

  // Answers a request of ship(). Errors of the file are in the answer; other errors are thrown.
  std::vector<std::byte> serve(std::span<std::byte const> request) {
    unpacking message(request);
    auto const wanted = message.next<shipment>();
    layout const form = deserialize(message.bytes(wanted.form_bytes));
    stream_range const theirs{&form, wanted.from, wanted.to};
    collective_plan const plan = wanted.plan();
    bool const reading = wanted.kind == access_kind::read;
    std::vector<part_ptr> parts;
    std::int64_t bytes = 0;
    for_each_part(plan, plan.domains[0], theirs, wanted.first_round,
                  [&](std::int64_t round, file_window const& w, window_part const& p) {
                    if (round >= wanted.end_round) return false;
                    bytes += p.bytes();
                    parts.push_back(std::make_shared<part>(
                        part{w, p, theirs, wanted.granule, wanted.sparse != 0}));
                    return true;
                  });
    if (bytes != wanted.data_bytes)
      throw std::length_error("argosy: a shipment is of another length than its view");

    shipment_result result;
    report done;
    std::string words;
    result.parts = static_cast<std::int64_t>(parts.size());
    std::vector<std::byte> answer(sizeof result + parts.size() * sizeof(std::int64_t) +
                                  static_cast<std::size_t>(reading ? bytes : 0));
    std::byte* counts = answer.data() + sizeof result;
    std::byte* const read = counts + parts.size() * sizeof(std::int64_t);
    // a write never changes them
    std::byte* at = reading ? read : const_cast<std::byte*>(message.bytes(bytes).data());
    for (part_ptr const& p : parts) {
      p->data = at;
      at += p->where.bytes();
    }
    in_steps(wanted, parts, done, [&](part_ptr const& p) {
      meet(wanted.kind, p, done);
      if (!p->error) return true;
      result.keep(p->error);
      words = "the window [" + std::to_string(p->window.begin) + ", " +
              std::to_string(p->window.end) + ")";
      return false;
    });
    for (part_ptr const& p : parts)
      std::memcpy(std::exchange(counts, counts + sizeof p->bytes), &p->bytes, sizeof p->bytes);
    result.words = static_cast<std::int64_t>(words.size());
    result.keep(done);
    std::memcpy(answer.data(), &result, sizeof result);
    auto const* const text = reinterpret_cast<std::byte const*>(words.data());
    answer.insert(answer.end(), text, text + words.size());
    return answer;
  }

 private:
  // The part of one request that lies in one window.
  struct part {
    file_window window;
    window_part where;
    stream_range theirs;
    std::int64_t granule = 1;
    bool sparse = false;
    std::byte* data = nullptr;
    std::int64_t bytes = 0;  // bytes moved so far
    std::error_code error = {};
    bool done = false;
  };
  // shared: the requester may have ended while another thread carries the part out
  using part_ptr = std::shared_ptr<part>;

  // Calls f(part) for every part, until f returns false. If it pays, goes step by step, with hints
  // to the file system.
  template <class F>
  void in_steps(shipment const& wanted, std::vector<part_ptr> const& parts, report& done, F&& f) {
    std::size_t next = 0;
    auto const carry_out = [&](std::size_t end) {
      while (next < end)
        if (!f(parts[next++])) return false;
      return true;
    };
    std::vector<std::int64_t> first;  // index in `ranges` of the first range of each part
    block_ranges ranges(file_.block_bytes(), wanted.kind == access_kind::write);
    if (wanted.max_ranges > 0 && takes_hints(file_) && !looks_regular(parts))
      for (part_ptr const& p : parts)
        first.push_back(ranges.add(*p->theirs.file, p->where.from, p->where.to));
    if (ranges.get().size() < 2) {
      carry_out(parts.size());
      return;
    }
    guided_access(
        file_, ranges.get(), wanted.max_ranges, done, [&](std::int64_t, std::int64_t end) {
          // A step ends at the end of a window, because windows are accessed whole.
          auto const behind = std::lower_bound(first.begin(), first.end(), end) - first.begin();
          if (!carry_out(static_cast<std::size_t>(behind))) return std::int64_t{-1};
          return next < first.size() ? first[next] : static_cast<std::int64_t>(ranges.get().size());
        });
  }
  static bool looks_regular(std::vector<part_ptr> const& parts) {
    run_pattern all;
    for (part_ptr const& p : parts) {
      all.window(p->window.begin, p->window.end);
      std::int64_t at = p->where.from;
      for (cursor c(*p->theirs.file, at); at < p->where.to && all.may_be_regular(); c.next()) {
        std::int64_t const length = std::min(c.current().length, p->where.to - at);
        all.piece(c.current().offset, length);
        at += length;
      }
    }
    return all.regular();
  }

  struct meeting {
    std::vector<part_ptr> waiting;
    bool busy = false;
    int users = 0;
  };
  using place = std::tuple<access_kind, std::int64_t, std::int64_t>;

  // Returns when `mine` is done. If no thread works on the window, this thread carries out all
  // waiting parts, including its own.
  void meet(access_kind kind, part_ptr const& mine, report& done) {
    std::unique_lock guard(mutex_);
    auto const here =
        meetings_.try_emplace(place{kind, mine->window.begin, mine->window.end}).first;
    struct visit {
      agent& a;
      std::unique_lock<std::mutex>& guard;
      typename std::map<place, meeting>::iterator here;
      part_ptr const& mine;
      ~visit() {
        if (!guard.owns_lock()) guard.lock();
        std::erase(here->second.waiting, mine);
        if (--here->second.users == 0) a.meetings_.erase(here);
      }
    } const until_the_end{*this, guard, here, mine};
    meeting& m = here->second;
    ++m.users;
    m.waiting.push_back(mine);
    while (!mine->done) {
      if (m.busy)
        wait(guard, [&] { return mine->done || !m.busy; });
      else
        lead(guard, m, kind, done);
    }
  }

  void lead(std::unique_lock<std::mutex>& guard, meeting& m, access_kind kind, report& done) {
    sieving const prices = prices_;
    if (spaces_.empty()) {
      spaces_.reserve(++spaces_made_);
      spaces_.push_back(std::make_unique<workspace>());
    }
    std::unique_ptr<workspace> space = std::move(spaces_.back());
    spaces_.pop_back();
    m.busy = true;
    std::vector<part_ptr> const all = std::exchange(m.waiting, {});
    guard.unlock();
    struct finish {  // no thread may wait for ever, even after an exception
      agent& a;
      std::unique_lock<std::mutex>& guard;
      meeting& m;
      std::vector<part_ptr> const& all;
      std::unique_ptr<workspace>& space;
      bool carried_out = false;
      ~finish() {
        guard.lock();
        for (part_ptr const& p : all) {
          if (!carried_out) p->error = errc::io;
          p->done = true;
        }
        m.busy = false;
        // cannot throw: the space came from here, or room was reserved
        a.spaces_.push_back(std::move(space));
        a.notify();
      }
    } at_the_end{*this, guard, m, all, space};
    if (kind == access_kind::read)
      read(all, prices, *space, done);
    else
      write(all, prices, *space, done);
    at_the_end.carried_out = true;
  }

  template <class P>
  void wait(std::unique_lock<std::mutex>& guard, P&& ended) {
    if (!beside_) return changed_.wait(guard, std::forward<P>(ended));
    guard.unlock();
    beside_->wait(std::forward<P>(ended));
    guard.lock();
  }
  void notify() {
    changed_.notify_all();
    if (beside_) beside_->wake();
  }

  struct workspace {
    staging window, merged;
    std::vector<std::uint64_t> covered;
  };

  void write(std::vector<part_ptr> const& all, sieving prices, workspace& space, report& done) {
    file_window w = all[0]->window;
    std::int64_t granule = std::gcd(w.begin, w.length());  // the ends of windows cut pieces, too
    for (part_ptr const& p : all) {
      granule = std::gcd(granule, p->granule);
      if (p->sparse) prices.writes = sieving_mode::never;
    }
    std::byte const* data = nullptr;
    file_share const& only = all[0]->where.file;
    if (all.size() == 1 && only.dense != 0) {
      w = {only.low, only.high};
      granule = w.length();
      data = all[0]->data;
    }
    space.covered.assign(static_cast<std::size_t>(marks::words_for((w.length() - 1) / granule + 1)),
                         0);
    marks covered(space.covered);
    if (data) {
      covered.set(0, 1);
    } else {
      std::byte* const window = space.window.get(w.length());
      for (part_ptr const& p : all) {
        unpack(*p->theirs.file, p->data, p->where.from, p->where.to, moved(window, -w.begin));
        covered.set(*p->theirs.file, p->where.from, p->where.to, w.begin, granule);
      }
      data = window;
    }
    window_writer<H> writer(file_, prices, how_, space.merged, done);
    std::error_code error = writer.write(w, data, covered, granule);
    if (std::error_code const ended = writer.end(); !error) error = ended;
    for (part_ptr const& p : all) {
      p->error = error;
      if (!error) p->bytes = p->where.bytes();
    }
  }

  void read(std::vector<part_ptr> const& all, sieving const& prices, workspace& space,
            report& done) {
    window hull{all[0]->where.file.low, 0, 0, 0, 0, transfer_mode::merged};
    std::int64_t end = 0;
    bool sparse = false;
    for (part_ptr const& p : all) {
      hull.offset = std::min(hull.offset, p->where.file.low);
      end = std::max(end, p->where.file.high);
      hull.wanted += p->where.bytes();
      hull.pieces += stream_range{p->theirs.file, p->where.from, p->where.to}.pieces();
      sparse = sparse || p->sparse;
    }
    hull.length = end - hull.offset;
    ++done.windows;
    if (hull.pieces == 1 || sparse || !prices.merge(hull, access_kind::read)) {
      for (part_ptr const& p : all) read_pieces(*p, done);
      return;
    }
    std::byte* const memory = space.window.get(hull.length);
    io_result const got = file_.read(hull.offset, {memory, static_cast<std::size_t>(hull.length)});
    ++done.read_calls;
    done.bytes_read += got.bytes;
    done.merged_bytes += std::max<std::int64_t>(0, got.bytes - hull.wanted);
    for (part_ptr const& p : all) {
      std::int64_t const to =
          std::min(p->where.to, std::max(p->where.from, p->theirs.before(hull.offset + got.bytes)));
      if (to > p->where.from)
        pack(*p->theirs.file, moved(memory, -hull.offset), p->where.from, to, p->data);
      p->bytes = to - p->where.from;
      if (to < p->where.to) p->error = got.error;
    }
  }
  void read_pieces(part& p, report& done) {
    std::vector<read_part> pieces;
    std::byte* to = p.data;
    std::int64_t position = p.where.from;
    for (cursor c(*p.theirs.file, position); position < p.where.to; c.next()) {
      std::int64_t const length = std::min(c.current().length, p.where.to - position);
      pieces.push_back({c.current().offset, {to, static_cast<std::size_t>(length)}});
      to += length;
      position += length;
    }
    io_result const got = file_.read(pieces);
    done.read_calls += static_cast<std::int64_t>(pieces.size());
    done.bytes_read += got.bytes;
    p.bytes = got.bytes;
    p.error = got.error;
  }

  H& file_;
  sieving prices_;
  merging const how_;
  std::shared_ptr<background> const beside_;
  std::mutex mutex_;  // never held while waiting or accessing the file
  std::condition_variable changed_;
  std::map<place, meeting> meetings_;
  std::vector<std::unique_ptr<workspace>> spaces_;  // those that are not in use
  std::size_t spaces_made_ = 0;
};

}  // namespace argosy::detail
