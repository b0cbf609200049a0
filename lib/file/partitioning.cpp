// Implements partitioning.hpp: the directives that tell a file system which node serves which part.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/state/partitioning.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <limits>
#include <span>
#include <system_error>

namespace argosy::detail {
namespace {

namespace gpfs = argosy::gpfs;  // not detail::gpfs

template <class Structures>
struct directive {
  gpfs::gpfsFcntlHeader_t header{.totalLength = sizeof(directive)};
  Structures what = {};
};
struct start_with_map {
  gpfs::gpfsDataShipStart_t start;
  gpfs::gpfsDataShipMap_t map;
};

template <class Structures>
failure give(any_handle& h, directive<Structures>& d, char const* name) {
  std::error_code const e = h.fcntl(std::as_writable_bytes(std::span(&d, 1)));
  return e ? failure(e, std::string(name) + " of file partitioning") : failure();
}

bool is(failure const& f, int error) {
  return f.code == std::error_code(error, std::system_category());
}

constexpr std::int64_t longest_stripe = std::numeric_limits<int>::max();

}  // namespace

std::string partitioning::words() const {
  if (asked_ == stripes()) return {};
  return why_not_.empty() ? "; partitioned in the file system" : "; not partitioned: " + why_not_;
}

void partitioning::add_node(agent_nodes& all, int node, int rank, data_shipping const& how,
                            rank_group const& ranks) const noexcept {
  std::int64_t const agents = std::min(how.agents_of(ranks), agent_nodes::most);
  for (std::int64_t a = 0; a < agents; ++a)
    if (how.rank_of(a, ranks) == rank) all.node[static_cast<std::size_t>(a)] = node;
}

bool partitioning::is_possible(stripes const& wanted, agent_nodes const& all) noexcept {
  return all.can_be_told && wanted.agents <= agent_nodes::most && wanted.bytes <= longest_stripe &&
         std::count(all.node.begin(), all.node.begin() + wanted.agents, unknown_node) == 0;
}

std::string partitioning::why_impossible(stripes const& wanted, agent_nodes const& all) {
  if (!all.can_be_told) return "the file system takes no directives";
  if (wanted.agents > agent_nodes::most)
    return std::to_string(wanted.agents) + " agents; a map has room for " +
           std::to_string(agent_nodes::most);
  if (wanted.bytes > longest_stripe) return "stripes of 2 GiB or more have no place in a map";
  auto const agent = std::find(all.node.begin(), all.node.end(), unknown_node) - all.node.begin();
  return "agent " + std::to_string(agent) + " does not know the number of its node";
}

failure partitioning::start(any_handle& h, stripes const& wanted, int instances,
                            agent_nodes const& all) {
  directive<start_with_map> d;
  d.what.start.numInstances = instances;
  d.what.map.partitionSize = static_cast<int>(wanted.bytes);
  d.what.map.agentCount = static_cast<int>(wanted.agents);
  std::copy_n(all.node.begin(), wanted.agents, d.what.map.agentNodeNumber);
  return give(h, d, "start");
}

failure partitioning::stop(any_handle& h) {
  directive<gpfs::gpfsDataShipStop_t> d;
  failure f = give(h, d, "stop");
  if (f && has_ended(f)) f.detail += "; what was written since the last sync may be lost";
  return f;
}

bool partitioning::was_released(failure const& f) { return is(f, ETIMEDOUT) || is(f, ESTALE); }
bool partitioning::has_ended(failure const& f) { return is(f, EIO) || is(f, ESTALE); }

}  // namespace argosy::detail
