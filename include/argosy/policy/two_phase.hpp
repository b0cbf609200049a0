// two_phase: a few ranks, the aggregators, access the file in long windows. Data travels between
// the aggregators and all other ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/plan/collective_plan.hpp>
#include <argosy/policy/access_histogram.hpp>
#include <argosy/policy/access_summary.hpp>
#include <argosy/policy/collective_policy.hpp>
#include <argosy/policy/detail/defaults.hpp>
#include <argosy/policy/detail/reasons.hpp>

namespace argosy {

struct two_phase {
  static constexpr std::string_view name = "two_phase";
  // Staging memory of one aggregator, for two windows.
  std::int64_t buffer_bytes = detail::staging_buffer_bytes;
  // The longest window of an aggregator; at most half of the buffer.
  std::int64_t window_bytes = detail::cached_window_bytes;
  std::int64_t aggregators = 0;  // 0: up to aggregators_per_node on each node
  std::int64_t aggregators_per_node = 8;
  // Domains begin at multiples of this. If 0, at blocks of the file system.
  std::int64_t align_bytes = 0;
  // The smallest domain: there are fewer aggregators rather than smaller domains. If 0, one window.
  std::int64_t least_domain_bytes = 0;
  // Messages between nodes. 1: each rank sends its own data to an aggregator. 2: the ranks of a
  // node first combine their data. 0: the policy chooses 2 if it needs far fewer messages.
  std::int64_t layers = 0;
  // If false, no rank exchanges a window while another one is written or read. For measurements of
  // the overlap.
  bool overlap = true;

  constexpr collective_plan plan(access_kind kind, extend::access_summary const& all,
                                 extend::rank_group const& ranks) const {
    return plan_with(kind, all, ranks, nullptr);
  }
  // Returns a plan with domains of equal work instead of equal length.
  constexpr collective_plan plan(access_kind kind, extend::access_summary const& all,
                                 extend::rank_group const& ranks,
                                 detail::access_histogram const& where) const {
    return plan_with(kind, all, ranks, &where);
  }
  constexpr std::int64_t most_aggregators(extend::rank_group const& ranks) const {
    return std::clamp<std::int64_t>(
        aggregators > 0 ? aggregators : aggregators_per_node * ranks.nodes, 1, ranks.most());
  }
  constexpr std::uint64_t key() const {
    return detail::key_of(buffer_bytes, window_bytes, aggregators, aggregators_per_node,
                          align_bytes, least_domain_bytes, layers, overlap);
  }
  friend constexpr bool operator==(two_phase const&, two_phase const&) = default;

 private:
  constexpr collective_plan plan_with(access_kind kind, extend::access_summary const& all,
                                      extend::rank_group const& ranks,
                                      detail::access_histogram const* where) const {
    collective_plan p{std::string(name), "", kind, false};
    if (all.empty()) return p.reason = "no rank asks for anything", p;
    if (all.unsorted != 0)
      return p.reason = "a view names bytes twice or out of order, so it has no windows", p;
    p.together = true;
    // A larger granule would save few marks, and make windows longer.
    p.granule = all.granule > 4096 ? std::gcd(all.granule, std::int64_t{4096})
                                   : std::max<std::int64_t>(1, all.granule);
    // Domains and windows begin at whole granules. If the alignment is asked for, these must be
    // multiples of it.
    if (align_bytes > 0) p.granule = std::gcd(p.granule, align_bytes);
    std::int64_t const block =
        std::max<std::int64_t>(1, align_bytes > 0 ? align_bytes : ranks.block_bytes);
    std::int64_t window = std::max<std::int64_t>(1, std::min(window_bytes, buffer_bytes / 2));
    // Windows much longer than the accessed range would only take memory.
    std::int64_t const least = std::max(detail::cached_window_bytes, align_bytes);
    while (window / 2 >= std::max(all.span(), least)) window /= 2;
    p.window_bytes = whole(window, block, p.granule);
    domains(p, all, ranks, block, where);
    p.layers = layers_of(p, all, ranks);
    p.overlap = overlap;
    p.reason = extend::reason_text(&detail::words_of_plan,
                                   detail::numbers_of_plan(all, where != nullptr, p.layers));
    return p;
  }

  // Returns the size of windows: at most `window`, but at least a granule. Windows are whole
  // granules, because marks are. They are whole blocks, too, if granules divide blocks, or if there
  // is room for four windows that are both.
  static constexpr std::int64_t whole(std::int64_t window, std::int64_t block,
                                      std::int64_t granule) {
    std::int64_t const both = block / std::gcd(block, granule);  // granules of the least such size
    if (both <= window / granule / 4)
      granule *= both;
    else if (window > block)
      window = window / block * block;
    return std::max<std::int64_t>(1, window / granule) * granule;
  }

  // Cuts the range into domains of equal length or equal work. Cuts are at blocks.
  constexpr void domains(collective_plan& p, extend::access_summary const& all,
                         extend::rank_group const& ranks, std::int64_t block,
                         detail::access_histogram const* where) const {
    std::int64_t const least = least_domain_bytes > 0 ? least_domain_bytes : p.window_bytes;
    std::int64_t const wanted = where ? worked_bytes(all, *where) : all.span();
    std::int64_t const n =
        std::clamp<std::int64_t>((wanted + least - 1) / least, 1, most_aggregators(ranks));
    extend::equal_domains const even{all.low, all.high, n, block, p.granule, ranks.size};
    if (!where && ranks.eligible.empty()) return static_cast<void>(p.domains = even);
    std::vector<int> const owners = owners_of(n, ranks);
    std::vector<std::int64_t> const cuts =
        where ? cuts_of_work(all, *where, n) : std::vector<std::int64_t>();
    std::vector<extend::file_domain> list;
    std::int64_t begin = all.low;
    for (std::int64_t i = 0; i < n; ++i) {
      std::int64_t end = even.cut(i + 1);
      if (where && i + 1 < n) {
        std::int64_t const wanted_cut = cuts[static_cast<std::size_t>(i)];
        std::int64_t const cut = wanted_cut - wanted_cut % block;
        end = std::clamp(cut - cut % p.granule, begin, all.high);
      }
      list.push_back({begin, end, owners[static_cast<std::size_t>(i)]});
      begin = end;
    }
    if (where) trim(list, p.granule, all, *where);
    p.domains = std::move(list);
  }
  // Returns the aggregators in ascending order, so that neighbours in the file are neighbours in
  // the machine.
  static constexpr std::vector<int> owners_of(std::int64_t n, extend::rank_group const& ranks) {
    std::vector<int> owners;
    owners.reserve(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) owners.push_back(ranks.chosen(i, n));
    std::sort(owners.begin(), owners.end());
    return owners;
  }

  // Returns the number of layers that needs less work on the busiest ranks. The work is counted in
  // messages, once for ranks that send their own data, once for nodes that combine it. Only means
  // over all ranks are known. A rank has data in at most as many windows as it has pieces, or as
  // its own range has.
  constexpr std::int64_t layers_of(collective_plan const& p, extend::access_summary const& all,
                                   extend::rank_group const& ranks) const {
    if (layers > 0 || ranks.nodes <= 1 || ranks.nodes >= ranks.size)
      return layers == 2 && ranks.nodes > 1 ? 2 : 1;
    auto const of = [](std::int64_t n) { return static_cast<double>(n); };
    double const senders = of(all.ranks), nodes = of(ranks.nodes),
                 owners = of(std::ssize(p.domains));
    double const windows = of(detail::windows_of(p).all);
    double const touched = std::min(
        {windows, of(all.pieces) / senders, of(all.spans) / senders / of(p.window_bytes) + 1});
    double const told = std::min(touched, owners);  // messages about the view
    double const alone = (touched + told) * (1 + senders / owners);
    double const relays = std::min(of(most_relays), of(ranks.size) / nodes);
    double const put_together = windows / relays + windows / owners * nodes + windows * visit +
                                of(all.bytes) / nodes / relays / copied_bytes;
    return 2 * put_together < alone ? 2 : 1;
  }
  static constexpr std::int64_t most_relays = 8;  // ranks of a node
  // The cost for one rank of a window on another node, whether or not the rank has data there.
  static constexpr double visit = 1.0 / 8;
  static constexpr double copied_bytes = 4096;  // bytes copied in the time of a message

  // Work counts requested bytes fully and the gaps between them a little, because gaps need
  // windows, too.
  static constexpr double empty_byte = 1.0 / 64;
  static constexpr double work_of(extend::access_summary const& all,
                                  detail::access_histogram const& where, std::int64_t k) {
    auto const length =
        detail::access_histogram::begin_of(all, k + 1) - detail::access_histogram::begin_of(all, k);
    return static_cast<double>(where.bytes[static_cast<std::size_t>(k)]) +
           static_cast<double>(length) * empty_byte;
  }
  // Returns the bytes of all parts of the range in which any byte is requested.
  static constexpr std::int64_t worked_bytes(extend::access_summary const& all,
                                             detail::access_histogram const& where) {
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < detail::access_histogram::stretches; ++k)
      if (where.bytes[static_cast<std::size_t>(k)] > 0)
        sum += detail::access_histogram::begin_of(all, k + 1) -
               detail::access_histogram::begin_of(all, k);
    return sum;
  }
  // Returns the offsets that cut the work into equal parts: the end of each part but the last.
  // O(stretches + parts).
  static constexpr std::vector<std::int64_t> cuts_of_work(extend::access_summary const& all,
                                                          detail::access_histogram const& where,
                                                          std::int64_t parts) {
    double sum = 0, before = 0;
    for (std::int64_t k = 0; k < detail::access_histogram::stretches; ++k)
      sum += work_of(all, where, k);
    std::vector<std::int64_t> cuts;
    for (std::int64_t k = 0; k < detail::access_histogram::stretches; ++k) {
      double const work = work_of(all, where, k);
      if (work <= 0) continue;
      std::int64_t const begin = detail::access_histogram::begin_of(all, k),
                         end = detail::access_histogram::begin_of(all, k + 1);
      for (auto i = std::ssize(cuts) + 1; i < parts; ++i) {
        double const rest = sum * static_cast<double>(i) / static_cast<double>(parts) - before;
        if (rest >= work) break;  // the cut is in a later stretch
        cuts.push_back(begin + static_cast<std::int64_t>(static_cast<double>(end - begin) *
                                                         (std::max(0.0, rest) / work)));
      }
      before += work;
    }
    cuts.resize(static_cast<std::size_t>(parts - 1), all.high);
    return cuts;
  }
  // Cuts stretches without requested bytes off the ends of domains, because they need no windows.
  // O(stretches + domains), since domains and the stretches at their ends are both in ascending
  // order.
  static constexpr void trim(std::vector<extend::file_domain>& domains, std::int64_t granule,
                             extend::access_summary const& all,
                             detail::access_histogram const& where) {
    constexpr auto n = static_cast<std::size_t>(detail::access_histogram::stretches);
    auto const begin_of = [&](std::size_t k) {
      return detail::access_histogram::begin_of(all, static_cast<std::int64_t>(k));
    };
    // For each stretch: the start of the next stretch with requested bytes and the end of the
    // previous one, itself included.
    std::array<std::int64_t, n> begins, ends;
    for (std::size_t k = n; k-- > 0;)
      begins[k] = where.bytes[k] > 0 ? begin_of(k) : k + 1 < n ? begins[k + 1] : all.high;
    for (std::size_t k = 0; k < n; ++k)
      ends[k] = where.bytes[k] > 0 ? begin_of(k + 1) : k > 0 ? ends[k - 1] : all.low;

    std::size_t first = 0, last = 0;  // the stretches at the two ends of a domain
    for (extend::file_domain& d : domains) {
      if (d.begin == d.end) continue;
      while (begin_of(first + 1) <= d.begin) ++first;
      while (begin_of(last + 1) < d.end) ++last;
      std::int64_t const from = std::clamp(begins[first], d.begin, d.end),
                         to = std::clamp(ends[last], from, d.end);
      d.begin = from - from % granule;
      d.end = to % granule == 0 ? to : std::min(d.end, to + granule - to % granule);
    }
  }
};
static_assert(extend::balancing_policy<two_phase>);

}  // namespace argosy
