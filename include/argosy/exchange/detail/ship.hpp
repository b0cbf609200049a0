// ship: an independent read or write that agents carry out, each for its stripes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <argosy/agree/detail/phase.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/exchange/detail/memory_side.hpp>
#include <argosy/exchange/detail/piece_list.hpp>
#include <argosy/exchange/detail/shipment.hpp>
#include <argosy/exchange/detail/window_part.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/serialize.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/access.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/world/service.hpp>

namespace argosy::detail {

// Sends requests to all agents at the same time, until all are answered. Each agent has up to
// `buffers` requests, with at most a stripe of data each. Waits for agents only. If the view is
// short as a layout, it is sent whole. Of a longer one, the pieces in the agent's stripes are sent.
class shipping {
 public:
  // `granule` must divide all offsets and lengths of the view. The access must be sorted and not
  // empty.
  shipping(service& agents, data_shipping const& how, rank_group const& ranks, int rank,
           access const& wanted, std::int64_t granule, memory_side& memory, report& done)
      : agents_(agents),
        how_(how),
        rank_(rank),
        wanted_(wanted),
        mine_{&wanted.file, wanted.position, wanted.end()},
        granule_(granule),
        memory_(memory),
        done_(done) {
    std::int64_t const low = cursor(wanted.file, wanted.position).current().offset;
    std::int64_t const last = cursor(wanted.file, wanted.end() - 1).current().offset;
    most_bytes_ = how.stripe_for(ranks);
    // Domains are whole stripes, so that requests of several ranks have equal windows.
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::int64_t const end =
        last / most_bytes_ > most / most_bytes_ - 1 ? most : (last / most_bytes_ + 1) * most_bytes_;
    plan_ = how.bound(wanted.kind, low / most_bytes_ * most_bytes_, end, ranks);
    std::size_t pieces = 0;
    for (piece_table const& t : wanted.file.tables()) pieces += t.size();
    if (pieces <= most_told_pieces) form_ = serialize(wanted.file);
    done.policy = data_shipping::name;
    done.reason = std::to_string(how.agents_of(ranks)) + " agents, stripes of " +
                  std::to_string(most_bytes_) + " bytes";
  }

  failure run() {
    std::vector<lane> lanes;
    for (file_domain const& d : plan_.domains) lanes.push_back({d, 0, false});
    while (!failed_) {
      std::vector<consignment> all;
      std::vector<parcel> requests;
      for (lane& l : lanes)
        for (std::int64_t b = 0; b < std::max<std::int64_t>(1, how_.buffers) && !l.done; ++b)
          if (consignment c = next_of(l); !c.parts.empty()) {
            requests.push_back(packed(c));
            all.push_back(std::move(c));
          }
      if (all.empty()) break;
      std::vector<service_answer> const answers = [&] {
        in_phase const now(phase::waiting);
        return agents_.call(requests);
      }();
      ++done_.rounds;
      for (std::size_t i = 0; i < all.size(); ++i) take(all[i], answers[i]);
    }
    // After a failure: parts that were never sent.
    for (lane const& l : lanes)
      if (failed_ && !l.done)
        for_each_part(plan_, l.domain, mine_, l.next_round,
                      [&](std::int64_t, file_window const&, window_part const& p) {
                        first_gap_ = std::min(first_gap_, p.from);
                        return false;
                      });
    done_.bytes = std::min(first_gap_, wanted_.end()) - wanted_.position;
    return std::move(failed_);
  }

 private:
  // a view with at most this many pieces is sent whole
  static constexpr std::size_t most_told_pieces = 64;

  // The progress of one agent.
  struct lane {
    file_domain domain;
    std::int64_t next_round;
    bool done;
  };
  // One request.
  struct consignment {
    lane* of = nullptr;
    std::int64_t first_round = 0, end_round = 0, bytes = 0;
    std::vector<window_part> parts = {};
  };

  consignment next_of(lane& l) {
    consignment c{&l, l.next_round, plan_.rounds_of(l.domain)};
    std::int64_t cost = 0;
    bool more = false;
    for_each_part(plan_, l.domain, mine_, l.next_round,
                  [&](std::int64_t round, file_window const&, window_part const& p) {
                    std::int64_t const told =
                        form_.empty() ? piece_list::piece_bytes *
                                            stream_range{&wanted_.file, p.from, p.to}.pieces()
                                      : 0;
                    more = !c.parts.empty() && cost + p.bytes() + told > most_bytes_;
                    if (more) {
                      c.end_round = round;
                      return false;
                    }
                    cost += p.bytes() + told;
                    c.bytes += p.bytes();
                    c.parts.push_back(p);
                    return true;
                  });
    l.next_round = c.end_round;
    l.done = !more;
    return c;
  }

  parcel packed(consignment const& c) {
    bool const writing = wanted_.kind == access_kind::write;
    shipment s;
    s.kind = wanted_.kind;
    s.sparse = how_.sparse ? 1 : 0;
    s.max_ranges = how_.max_ranges;
    s.domain = c.of->domain;
    s.window_bytes = plan_.window_bytes;
    s.first_round = c.first_round;
    s.end_round = c.end_round;
    s.granule = granule_;
    s.data_bytes = c.bytes;
    std::vector<std::byte> pieces;
    std::span<std::byte const> form = form_;
    if (form_.empty()) {
      form = pieces = form_of(c);
      s.to = c.bytes;
    } else {
      s.from = mine_.from;
      s.to = mine_.to;
    }
    s.form_bytes = static_cast<std::int64_t>(form.size());
    parcel p{s.domain.rank,
             std::vector<std::byte>(sizeof s + form.size() +
                                    static_cast<std::size_t>(writing ? c.bytes : 0))};
    std::memcpy(p.content.data(), &s, sizeof s);
    std::memcpy(p.content.data() + sizeof s, form.data(), form.size());
    if (writing) {
      std::byte* to = p.content.data() + sizeof s + form.size();
      for (window_part const& part : c.parts) {
        memory_.gather(part.from - mine_.from, part.to - mine_.from, to);
        to += part.bytes();
      }
    }
    if (p.rank != rank_) {
      ++done_.messages;
      done_.message_bytes += c.bytes;
      done_.view_bytes += static_cast<std::int64_t>(sizeof s + form.size());
    }
    return p;
  }
  std::vector<std::byte> form_of(consignment const& c) const {
    piece_list pieces;
    for (window_part const& p : c.parts) pieces.add(wanted_.file, p.from, p.to);
    return pieces.form();
  }

  void take(consignment const& c, service_answer const& a) {
    auto const lost = [&](failure f) {
      first_gap_ = std::min(first_gap_, c.parts.front().from);
      failed_.keep(std::move(f));
    };
    std::string const who = "the agent on rank " + std::to_string(c.of->domain.rank);
    if (a.error) return lost({a.error, who + " does not answer"});
    try {
      unpacking message(a.content);
      auto const result = message.next<shipment_result>();
      unpacking counts(
          message.bytes(result.parts * static_cast<std::int64_t>(sizeof(std::int64_t))));
      auto const data = message.bytes(wanted_.kind == access_kind::read ? c.bytes : 0);
      auto const words = message.bytes(result.words);
      std::byte const* from = data.data();
      for (window_part const& p : c.parts) {
        auto const bytes = std::clamp<std::int64_t>(counts.next<std::int64_t>(), 0, p.bytes());
        if (!data.empty() && bytes > 0)
          memory_.scatter(from, p.from - mine_.from, p.from - mine_.from + bytes);
        if (!data.empty()) from += p.bytes();
        if (bytes == p.bytes()) continue;
        first_gap_ = std::min(first_gap_, p.from + bytes);
        c.of->done = true;  // the file ends here, or an error ends this agent's part
      }
      result.add_to(done_);
      if (result.error != 0)
        failed_.keep({result.code(),
                      who + (wanted_.kind == access_kind::read ? ", reading " : ", writing ") +
                          std::string(reinterpret_cast<char const*>(words.data()), words.size())});
    } catch (std::length_error const& e) {
      lost({errc::io, who + " answers nonsense: " + e.what()});
    }
  }

  service& agents_;
  data_shipping const& how_;
  int rank_;
  access const& wanted_;
  stream_range mine_;
  std::int64_t granule_;
  memory_side& memory_;
  report& done_;
  collective_plan plan_;
  std::int64_t most_bytes_ = 0;
  std::vector<std::byte> form_;  // the whole view, serialised; empty: pieces are sent instead
  // the first byte of the stream that was not moved
  std::int64_t first_gap_ = std::numeric_limits<std::int64_t>::max();
  failure failed_;
};

}  // namespace argosy::detail
