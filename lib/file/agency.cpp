// Implements agency.hpp: one rank's access to the agents of a file.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/state/agency.hpp>

#include <algorithm>
#include <utility>

#include <argosy/error/agreement.hpp>
#include <argosy/exchange/detail/agent.hpp>
#include <argosy/exchange/detail/ship.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/layout/detail/counted.hpp>

namespace argosy::detail {

struct agency::state {
  state(open_file& f, rank_group const& r)
      : file(f),
        ranks(r),
        // Ranks that write without an agent may write to the same window. So merging needs the lock
        // even if no other program has the file open.
        mine(f.handle(), f.choice().sieving_of_owner(), f.merges().of_agent(),
             f.others().workers()) {}

  open_file& file;
  rank_group ranks;
  agent<any_handle> mine;
  // destroyed first: it waits for requests that `mine` still answers
  std::unique_ptr<service> others;
};

agency::agency(open_file& f, rank_group const& ranks) : state_(std::make_unique<state>(f, ranks)) {}
agency::~agency() = default;

serve_function agency::answers() {
  return [s = state_.get()](int, std::span<std::byte const> request) {
    // The rank may have written the same data without an agent before this request, and may do so
    // again after it.
    auto const reconcile = [s] {
      if (!s->file.merges().caches_differ()) return;
      if (failure const lost = s->file.reconcile())
        s->file.late().add("a write", local_agreement(s->file.rank(), lost));
    };
    reconcile();
    auto answer = s->mine.serve(request);
    reconcile();
    return answer;
  };
}

void agency::serve(std::unique_ptr<service> s) { state_->others = std::move(s); }

void agency::set_prices(sieving const& prices) { state_->mine.set_prices(prices); }

rank_group const& agency::ranks() const { return state_->ranks; }

failure agency::ship(job const& t, data_shipping const& how, report& done) {
  state& s = *state_;
  access const wanted = s.file.access_of(t);
  memory_side memory(t.where->view.representation(), *t.memory);
  failure f =
      shipping(*s.others, how, s.ranks, s.file.rank(), wanted, t.where->granule, memory, done)
          .run();
  if (!f) return memory.fault();
  f.detail += "; " + std::to_string(done.bytes) + " of " + std::to_string(t.bytes) +
              " bytes were " + (t.kind == access_kind::read ? "read" : "written") + " before";
  return f;
}

plan agency::explain(job const& t, data_shipping const& how) const {
  access const wanted = state_->file.access_of(t);
  plan p{std::string(data_shipping::name),
         "",
         t.kind,
         {},
         how.stripe_for(state_->ranks) * std::max<std::int64_t>(1, how.buffers)};
  p.reason = counted(how.agents_of(state_->ranks), "agent") + ", stripes of " +
             counted(how.stripe_for(state_->ranks), "byte");
  if (t.bytes == 0) return p;
  window const all = window_of(wanted.file, wanted.position, wanted.bytes);
  collective_plan const bound =
      how.bound(t.kind, all.offset, all.offset + all.length, state_->ranks);
  stream_range const mine{&wanted.file, wanted.position, wanted.end()};
  for (file_domain const& d : bound.domains)
    for_each_part(bound, d, mine, 0,
                  [&](std::int64_t, file_window const&, window_part const& part) {
                    p.windows.push_back(window_of(wanted.file, part.from, part.bytes()));
                    return true;
                  });
  std::sort(p.windows.begin(), p.windows.end(),
            [](window const& a, window const& b) { return a.offset < b.offset; });
  return p;
}

}  // namespace argosy::detail
