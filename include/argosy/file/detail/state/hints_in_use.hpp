// The hints of an open file: the policies that they choose, and their status.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include <argosy/file/detail/state/chosen.hpp>
#include <argosy/file/detail/state/last_call.hpp>
#include <argosy/file/detail/state/per_thread.hpp>
#include <argosy/file/file_hints.hpp>
#include <argosy/policy/any_policy.hpp>
#include <argosy/policy/storage.hpp>

namespace argosy::detail {

struct job;

class hints_in_use {
 public:
  hints_in_use() : choice_(hints_.values()) {}

  file_hints const& hints() const noexcept { return hints_; }
  chosen const& choice() const noexcept { return choice_; }
  // Returns the storage of the file.
  storage const& on() const noexcept { return on_; }

  // `merges`: policies of a single rank may plan merges.
  void follow(file_hints h, int ranks, bool merges);
  void choose_again(int ranks, bool merges) {
    choice_ = chosen(hints_.values(), ranks, on_, merges);
  }
  void lies_on(storage s, int ranks, bool merges);

  // Chooses the policies of a job by the hints, or as given: for this rank alone, and for all ranks
  // together.
  void choose(access_kind kind, any_policy const& given, job& t) const;
  // Returns a note for the reason of a plan if the policy given to its call used the prices of
  // another storage than the file's. Otherwise returns an empty string.
  std::string on_prices_of(any_policy const& given, bool weighed) const;

  last_call& last() noexcept { return last_; }
  last_call const& last() const noexcept { return last_; }
  // Returns the hints with their status in the last call. Valid until this thread calls told()
  // again.
  file_hints const& told();

  // Returns true if cb_config_list allows an aggregator in this place.
  bool may_aggregate(int place_in_node, std::string const& host) const;
  // Returns a bit for each entry of cb_config_list; it is set if the entry names the host.
  std::uint64_t hosts_met(std::string const& host) const;
  // Stores how many ranks cb_config_list allows, and which entries name hosts of this job. Any
  // thread.
  void tell_hosts(std::int64_t allowed, std::uint64_t met) noexcept {
    hosts_met_ = met;
    hosts_allow_ = allowed;
  }

 private:
  void choose(access_kind kind, any_policy const& alone, any_policy const& together, job& t) const;

  file_hints hints_;
  storage on_;
  chosen choice_;
  last_call last_;
  per_thread<file_hints> told_;
  std::atomic<std::uint64_t> hosts_met_{0};
  std::atomic<std::int64_t> hosts_allow_{-1};  // -1: not known yet
};

}  // namespace argosy::detail
