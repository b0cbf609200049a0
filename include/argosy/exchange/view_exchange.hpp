// Views travel, offsets do not: ranks tell aggregators how their data lies in the file, each view once.
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

#include <argosy/exchange/window_part.hpp>
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/serialize.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/parcel.hpp>

namespace argosy {

// What a rank has for a file domain of a rank that it shares no memory with.
struct far_domain {
  std::size_t domain = 0;  // index in the plan
  int rank = 0;            // the aggregator
  stream_range mine;
};
// What an aggregator was told by such a rank.
struct far_rank {
  int rank = 0;
  stream_range theirs;
};

// Kept from call to call. A regular view is told whole, in some hundred bytes at most, and holds for all calls; of an irregular
// one that is long, the pieces that concern the receiver. Who was told the same in the call before is told its place only.
class view_exchange {
 public:
  // Collective: everybody tells what it has for whom, and learns what others have for it. `view` numbers this rank's views.
  template <collective World>
  std::vector<far_rank> tell(World const& world, std::uint64_t view, std::vector<far_domain> const& to,
                             std::int64_t& bytes_told) {
    std::map<int, told> now;
    std::vector<parcel> parcels;
    for (far_domain const& d : to) {
      told t = what_to_tell(view, d.mine);
      auto const before = told_.find(d.rank);
      bool const again = before != told_.end() && before->second == t;
      note const n{d.mine.from - t.base, d.mine.to - t.base, again ? 1 : 0};
      parcel& p = parcels.emplace_back(parcel{d.rank, std::vector<std::byte>(sizeof n)});
      std::memcpy(p.content.data(), &n, sizeof n);
      auto const append = [&](std::vector<std::byte> const& form) {
        p.content.insert(p.content.end(), form.begin(), form.end());
      };
      if (!again && t.whole()) append(whole_form(view, *d.mine.file));
      if (!again && !t.whole()) append(part_of(d.mine));
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
    heard_ = std::move(heard);  // its nodes stay where they are
    return result;
  }

 private:
  struct note {
    std::int64_t from, to, again;
  };
  struct told {
    std::uint64_t view = 0;
    std::int64_t base = 0, end = -1;  // of the stream; end -1: all of it
    bool whole() const noexcept { return end < 0; }
    friend bool operator==(told const&, told const&) = default;
  };
  static constexpr std::int64_t piece_bytes = 16;  // an offset and a length
  static constexpr std::size_t short_form_bytes = 1024;

  told what_to_tell(std::uint64_t view, stream_range const& mine) {
    std::size_t const whole = whole_form(view, *mine.file).size();
    std::int64_t const pieces = mine.file->piece_at(mine.to - 1) - mine.file->piece_at(mine.from) + 1;
    if (whole <= short_form_bytes || static_cast<std::int64_t>(whole) / piece_bytes <= pieces) return {view, 0, -1};
    return {view, mine.from, mine.to};
  }
  std::vector<std::byte> const& whole_form(std::uint64_t view, layout const& l) {
    if (whole_.empty() || whole_view_ != view) {
      whole_ = serialize(l);
      whole_view_ = view;
    }
    return whole_;
  }
  static std::vector<std::byte> part_of(stream_range const& mine) {
    std::vector<std::int64_t> offsets, lengths;
    std::int64_t at = mine.from;
    for (cursor c(*mine.file, at); at < mine.to; c.next()) {
      offsets.push_back(c.current().offset);
      lengths.push_back(std::min(c.current().length, mine.to - at));
      at += lengths.back();
    }
    return serialize(table(offsets, lengths));
  }

  std::map<int, told> told_;  // by rank
  std::map<int, layout> heard_;
  std::vector<std::byte> whole_;
  std::uint64_t whole_view_ = 0;
};

}  // namespace argosy
