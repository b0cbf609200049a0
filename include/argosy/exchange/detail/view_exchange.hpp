// Sends views instead of lists of offsets: ranks send aggregators the layout of their data in the
// file, each view once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <argosy/exchange/detail/piece_list.hpp>
#include <argosy/exchange/detail/window_part.hpp>
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/serialize.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/parcel.hpp>

namespace argosy::detail {

// The data of this rank for the file domain of an aggregator on another node.
struct far_domain {
  std::size_t domain = 0;  // index in the plan
  int rank = 0;            // the aggregator
  stream_range mine;
};
// The data of a rank of another node, as an aggregator received it.
struct far_rank {
  int rank = 0;
  stream_range theirs;
};

// The state is kept for later calls. A regular view is sent whole (some hundred bytes at most) and
// is valid for all calls. For a long irregular view, only the pieces that concern the receiver are
// sent. If the receiver got the same layout in the previous call, only the new position is sent.
class view_exchange {
 public:
  // Sends aggregators this rank's layouts, and returns the layouts of other ranks for this
  // aggregator. `view` is the number of this rank's view. Collective.
  template <collective World>
  std::vector<far_rank> tell(World const& world, std::uint64_t view, collective_plan const& plan,
                             std::vector<far_domain> const& to, std::int64_t& bytes_told) {
    std::map<int, told> now;
    std::vector<parcel> parcels;
    for (far_domain const& d : to) {
      told t = what_to_tell(view, plan, d);
      auto const before = told_.find(d.rank);
      bool const again = before != told_.end() && before->second == t;
      note const n{d.mine.from - t.base, d.mine.to - t.base, again ? 1 : 0};
      parcel& p = parcels.emplace_back(parcel{d.rank, std::vector<std::byte>(sizeof n)});
      std::memcpy(p.content.data(), &n, sizeof n);
      auto const append = [&](std::vector<std::byte> const& form) {
        p.content.insert(p.content.end(), form.begin(), form.end());
      };
      if (!again && t.whole()) append(whole_form(view, *d.mine.file));
      if (!again && !t.whole()) append(part_of(plan, d));
      bytes_told += static_cast<std::int64_t>(p.content.size());
      now.emplace(d.rank, t);
    }
    told_ = std::move(now);

    std::map<int, layout> heard;
    std::vector<far_rank> result;
    for (parcel const& p : world.deliver(parcels)) {
      note n;
      std::memcpy(&n, p.content.data(), sizeof n);
      layout& form = heard[p.rank];
      if (n.again != 0)
        form = std::move(heard_.at(p.rank));
      else
        form = deserialize(std::span(p.content).subspan(sizeof n));
      result.push_back({p.rank, {&form, n.from, n.to}});
    }
    heard_ = std::move(heard);  // a move keeps the addresses of its nodes
    return result;
  }

 private:
  struct note {
    std::int64_t from, to, again;
  };
  struct told {
    std::uint64_t view = 0;
    std::int64_t base = 0, end = -1;  // in the stream; end -1: all of it
    file_domain domain = {};          // set if only the pieces in its stripes were sent
    bool whole() const noexcept { return end < 0; }
    friend bool operator==(told const&, told const&) = default;
  };
  static constexpr std::size_t short_form_bytes = 1024;

  told what_to_tell(std::uint64_t view, collective_plan const& plan, far_domain const& to) {
    std::size_t const whole = whole_form(view, *to.mine.file).size();
    // The number of pieces in the whole form. A part with fewer pieces is shorter.
    auto all = static_cast<std::int64_t>(to.mine.file->nodes().size());
    for (piece_table const& t : to.mine.file->tables()) all += static_cast<std::int64_t>(t.size());
    file_domain const& d = plan.domains[to.domain];
    bool const few = whole <= short_form_bytes || all <= to.mine.pieces();
    if (few && (!d.striped() || whole <= short_form_bytes)) return {view, 0, -1, {}};
    if (!d.striped()) return {view, to.mine.from, to.mine.to, {}};
    std::int64_t pieces = 0;
    for_each_part(plan, d, to.mine, 0, [&](std::int64_t, file_window const&, window_part const& p) {
      return (pieces += stream_range{to.mine.file, p.from, p.to}.pieces()) < all;
    });
    if (pieces >= all) return {view, 0, -1, {}};
    return {view, to.mine.from, to.mine.to, d};
  }
  std::vector<std::byte> const& whole_form(std::uint64_t view, layout const& l) {
    if (whole_.empty() || whole_view_ != view) {
      whole_ = serialize(l);
      whole_view_ = view;
    }
    return whole_;
  }
  // Returns the part of the view that lies in a domain, serialised. Its positions count from its
  // own start.
  static std::vector<std::byte> part_of(collective_plan const& plan, far_domain const& to) {
    piece_list pieces;
    file_domain const& d = plan.domains[to.domain];
    if (d.striped())
      for_each_part(plan, d, to.mine, 0,
                    [&](std::int64_t, file_window const&, window_part const& p) {
                      return pieces.add(*to.mine.file, p.from, p.to), true;
                    });
    else
      pieces.add(*to.mine.file, to.mine.from, to.mine.to);
    return pieces.form();
  }

  std::map<int, told> told_;  // by rank
  std::map<int, layout> heard_;
  std::vector<std::byte> whole_;
  std::uint64_t whole_view_ = 0;
};

}  // namespace argosy::detail
