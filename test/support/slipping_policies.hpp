// Policies of a program that make one mistake each, and the error text for each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/policy.hpp>
#include <argosy/policy/two_phase.hpp>

namespace argosy::test {

using namespace extend;

// Makes windows of 64 requested bytes; the mistake is in the third window.
struct slipping {
  enum what {
    none,
    late,
    early,
    nothing,
    negative,
    beyond,
    elsewhere,
    longer,
    more_pieces,
    not_whole,
    no_such_passage,
    small_buffer,
    small_gathered,
    no_buffer,
    huge_buffer,
    throws
  };
  static constexpr std::string_view name = "slipping";
  what slip = none;

  window next(access const& wanted, std::int64_t position) const {
    window w =
        window_of(wanted.file, position, std::min<std::int64_t>(64, wanted.end() - position));
    if (w.pieces > 1 && (slip == small_buffer || wanted.kind == access_kind::read))
      w.how = transfer_mode::merged;
    if (slip == small_gathered) w.how = transfer_mode::gathered;
    if (position != wanted.position + 128) return w;
    if (slip == late) w.position += 8;
    if (slip == early) w = window_of(wanted.file, position - 8, 64);
    if (slip == nothing) w.wanted = 0;
    if (slip == negative) w.wanted = -64;
    if (slip == beyond) w.wanted = wanted.bytes;
    if (slip == elsewhere) w.offset += 4096;
    if (slip == longer) w.length += 4;
    if (slip == more_pieces) ++w.pieces;
    if (slip == not_whole) w.how = transfer_mode::whole;
    if (slip == no_such_passage) w.how = static_cast<transfer_mode>(7);
    if (slip == throws) throw std::runtime_error("no window for you");
    return w;
  }
  std::int64_t buffer_for(access const&) const {
    if (slip == no_buffer) return 0;
    if (slip == huge_buffer) return std::numeric_limits<std::int64_t>::max();
    return slip == small_buffer ? 100 : slip == small_gathered ? 63 : 4096;
  }
  std::string reason(access const&) const { return "windows of 64 bytes"; }
  friend bool operator==(slipping const&, slipping const&) = default;
};
static_assert(independent_policy<slipping>);

struct slip_words {
  slipping::what slip;
  std::string words;
};
inline std::vector<slip_words> const& window_slips() {
  static std::vector<slip_words> const all{
      {slipping::late, "window 2 begins at 136, not at 128"},
      {slipping::early, "window 2 begins at 120, not at 128"},
      {slipping::nothing, "window 2 has 0 wanted bytes; it must have at least 1"},
      {slipping::negative, "window 2 has -64 wanted bytes"},
      {slipping::beyond, "wanted bytes, but the access ends at"},
      {slipping::elsewhere, "its wanted bytes lie in"},
      {slipping::longer, "its wanted bytes lie in"},
      {slipping::more_pieces, "window 2 has 17 pieces; they are 16"},
      {slipping::not_whole, "window 2 is not whole: it has 16 pieces"},
      {slipping::no_such_passage, "by a passage that is none: 7"},
      {slipping::small_buffer, "window 0 is merged and"},
      {slipping::small_gathered,
       "window 0 is gathered and has 64 bytes, but buffer_for returned 63"},
      {slipping::no_buffer, "buffer_for returned 0 bytes"},
      {slipping::huge_buffer, "buffer_for returned 9223372036854775807 bytes"},
  };
  return all;
}

// Makes plans for two aggregators, or for two agents, with a mistake.
struct slipping_plans {
  enum what {
    none,
    other_kind,
    no_window,
    negative_window,
    huge_window,
    no_granule,
    odd_granule,
    negative_ranges,
    no_domains,
    no_rank,
    same_rank,
    backwards,
    before_all,
    far_end,
    overlap,
    gap,
    short_end,
    unaligned,
    // mistakes in stripes
    negative_stripes,
    dealt_to_nobody,
    other_stripes,
    same_stripes,
    missing_stripes,
    cut_stripes,
    // mistakes in purity: two calls return different plans, or throw
    differs,
    throws,
    throws_in_key
  };
  static constexpr std::string_view name = "slipping plans";
  what slip = none;
  int rank = 0;               // the rank that the mistake concerns
  bool of_histogram = false;  // the mistake is in the second plan

  collective_plan plan(access_kind kind, access_summary const& all, rank_group const& ranks) const {
    return slipped(two_phase{.window_bytes = 512, .aggregators = 2}.plan(kind, all, ranks), kind,
                   all, ranks, of_histogram ? none : slip);
  }
  collective_plan plan(access_kind kind, access_summary const& all, rank_group const& ranks,
                       argosy::detail::access_histogram const& where) const {
    return slipped(two_phase{.window_bytes = 512, .aggregators = 2}.plan(kind, all, ranks, where),
                   kind, all, ranks, slip);
  }
  std::uint64_t key() const {
    if (slip == throws_in_key) throw std::runtime_error("no key for you");
    return 5;
  }
  friend bool operator==(slipping_plans const&, slipping_plans const&) = default;

 private:
  collective_plan slipped(collective_plan p, access_kind kind, access_summary const& all,
                          rank_group const& ranks, what now) const {
    if (now >= negative_stripes && now <= cut_stripes)
      p = data_shipping{.stripe_bytes = 1, .agents = 2}.plan(kind, all, ranks);
    std::vector<file_domain>& d = p.domains.as_list();
    if (now == other_kind)
      p.kind = kind == access_kind::read ? access_kind::write : access_kind::read;
    if (now == no_window) p.window_bytes = 0;
    if (now == negative_window) p.window_bytes = -4;
    if (now == huge_window) p.window_bytes = std::numeric_limits<std::int64_t>::max() / 4 * 4;
    if (now == no_granule) p.granule = 0;
    if (now == odd_granule) p.granule = 3;
    if (now == negative_ranges) p.max_ranges = -1;
    if (now == no_domains) d.clear();
    if (now == no_rank) d[1].rank = static_cast<int>(ranks.size);
    if (now == same_rank) d[1].rank = d[0].rank;
    if (now == backwards) std::swap(d[1].begin, d[1].end);
    if (now == before_all) d[0].begin = -512;
    if (now == far_end) d[1].end = std::numeric_limits<std::int64_t>::max() / 4 * 4;
    if (now == overlap) d[1].begin -= 512;
    if (now == gap) d[1].begin += 512;
    if (now == short_end) d[1].end -= 512;
    if (now == unaligned) ++d[1].begin;
    if (now == negative_stripes) d[0].stripe_bytes = d[1].stripe_bytes = -4096;
    if (now == dealt_to_nobody) d[0].dealt_to = d[1].dealt_to = 0;
    if (now == other_stripes) d[1].stripe_bytes *= 2;
    if (now == same_stripes) d[1].begin = d[0].begin;
    if (now == missing_stripes) d.pop_back();
    if (now == cut_stripes) d[0].begin += 512;
    if (now == differs) d[0].rank = rank % 2 == 0 ? 0 : 1, d[1].rank = 2;
    if (now == throws) throw std::runtime_error("no plan for you");
    return p;
  }
};
static_assert(balancing_policy<slipping_plans>);

struct plan_slip_words {
  slipping_plans::what slip;
  std::string words;
};
inline std::vector<plan_slip_words> const& plan_slips() {
  using s = slipping_plans;
  static std::vector<plan_slip_words> const all{
      {s::other_kind, "the plan is one of a"},
      {s::no_window, "window_bytes is 0"},
      {s::negative_window, "window_bytes is -4"},
      {s::huge_window, "window_bytes is 9223372036854775804"},
      {s::no_granule, "granule is 0"},
      {s::odd_granule, "granule is 3; it must divide"},
      {s::negative_ranges, "max_ranges is -1"},
      {s::no_domains, "there are no domains"},
      {s::no_rank, "domain 1 belongs to rank 4; there are 4 ranks"},
      {s::same_rank, "domain 1 belongs to rank 0, which has one already"},
      {s::backwards, "domain 1 is ["},
      {s::before_all, "domain 0 is [-512,"},
      {s::far_end, "beyond what ranks ask for, [0, 12800)"},
      {s::overlap, "before the one before it ends, at"},
      {s::gap, "of the file, which this rank asks for, is in no domain"},
      {s::short_end, "of the file, which this rank asks for, is in no domain"},
      {s::unaligned, "no multiple of the granule"},
      {s::negative_stripes, "has stripes of -4096 bytes"},
      {s::dealt_to_nobody, "dealt to 0"},
      {s::other_stripes, "domain 1 has other stripes than domain 0"},
      {s::same_stripes, "domain 1 has the stripes of domain 0"},
      {s::missing_stripes, "of the file is in no domain"},
      {s::cut_stripes, "are all its own"},
  };
  return all;
}

}  // namespace argosy::test
