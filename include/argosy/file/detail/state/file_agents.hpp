// The agents of an open file, which carry out calls of single ranks, and the partitioning of the
// file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <argosy/file/detail/state/agency.hpp>
#include <argosy/file/detail/state/partitioning.hpp>

namespace argosy::detail {

// Agents serve from the first collective call at which the hints ask for them until close.
class file_agents {
 public:
  // null: there are no agents
  agency* serving() const noexcept { return serving_.get(); }
  void serve(std::unique_ptr<agency> all) { serving_ = std::move(all); }
  void end() { serving_.reset(); }
  // Stores why there are no agents, and will be none.
  void refuse(std::string why) { why_none_ = std::move(why); }
  std::string const& why_none() const noexcept { return why_none_; }
  bool may_be_had() const noexcept { return !serving_ && why_none_.empty(); }

  partitioning& parts() noexcept { return parts_; }
  partitioning const& parts() const noexcept { return parts_; }

 private:
  std::unique_ptr<agency> serving_;
  std::string why_none_;
  partitioning parts_;
};

}  // namespace argosy::detail
