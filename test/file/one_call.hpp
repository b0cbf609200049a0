// One collective call of one rank, and a policy of the program, for tests of the steps of a call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/detail/protocol/collective_call.hpp>
#include <argosy/file/detail/protocol/collective_steps.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/two_phase.hpp>

#include "file/one_rank.hpp"

namespace argosy::test {

using detail::collective_call;
using detail::operation;

using steps = detail::collective_steps<mortal_world>;
inline constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

// One call of a file, in full or plain.
class one_call {
 public:
  one_call(one_rank& r, operation what, std::int64_t at, std::vector<std::byte>& data,
           any_policy with = {})
      : rank_(r), with_(std::move(with)), data_(data), asked_{what, at, data_, with_} {}

  collective_call& in_full(bool develop = false) {
    return call_.emplace(asked_, *rank_.file, develop, true);
  }
  collective_call& plain() {
    plain_ = rank_.file->plain(asked_);
    REQUIRE(plain_);
    return call_.emplace(asked_, *plain_, *rank_.file);
  }
  extend::agreement run() { return steps(rank_.all(), *call_, done).run(space()); }
  collective_plan explain() {
    extend::agreement result;
    collective_plan p = steps(rank_.all(), *call_, done).explain(result);
    CHECK(result);
    return p;
  }
  detail::staging_of_call space() { return detail::staging_of_call(rank_.file->buffers()); }

  report done;

 private:
  one_rank& rank_;
  access_options const with_;
  source data_;
  detail::call const asked_;
  std::optional<detail::plain_call> plain_;
  std::optional<collective_call> call_;
};

inline std::vector<std::byte> some_bytes(std::size_t n = 64) {
  return std::vector(n, std::byte{7});
}

inline void look_through(one_rank& r, view v) {
  r.file->look_through(detail::checked_view(std::move(v), true, false, false));
}
// Every fourth int.
inline view with_gaps() { return {0, type<int>, resized(type<int>, 0, 16)}; }

// A policy of the program. It counts what it is asked for.
struct counting_policy {
  static constexpr std::string_view name = "counting";
  std::shared_ptr<int> plans = std::make_shared<int>(0);
  std::optional<two_phase> exchange = two_phase();  // empty: a plan of stripes
  int domains_more = 0;                             // domains of ranks that do not exist
  std::int64_t window_bytes = 0;                    // if not 0

  collective_plan plan(access_kind kind, extend::access_summary const& all,
                       extend::rank_group const& ranks) const {
    ++*plans;
    collective_plan p =
        exchange ? exchange->plan(kind, all, ranks) : data_shipping().plan(kind, all, ranks);
    p.policy = name;
    if (window_bytes > 0) p.window_bytes = window_bytes;
    for (int i = 0; i < domains_more; ++i) p.domains.push_back(p.domains.front());
    return p;
  }
  collective_plan plan(access_kind kind, extend::access_summary const& all,
                       extend::rank_group const& ranks, detail::access_histogram const&) const {
    collective_plan p = plan(kind, all, ranks);
    p.reason = "by a histogram";
    return p;
  }
  std::uint64_t key() const { return 1; }
  friend bool operator==(counting_policy const&, counting_policy const&) = default;
};

}  // namespace argosy::test
