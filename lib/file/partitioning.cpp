// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/detail/file/partitioning.hpp>

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

}  // namespace

std::string partitioning::words() const {
  if (asked_ == stripes()) return {};
  return why_not_.empty() ? "; partitioned in the file system" : "; not partitioned: " + why_not_;
}

agent_nodes partitioning::nodes_of(int rank, any_handle& h, data_shipping const& how, rank_group const& ranks) const {
  agent_nodes mine;
  mine.can_be_told = h.takes_hints();
  std::int64_t const agents = std::min(how.agents_of(ranks), agent_nodes::most);
  for (std::int64_t a = 0; a < agents; ++a)
    if (how.rank_of(a, ranks) == rank) mine.node[static_cast<std::size_t>(a)] = h.node();
  return mine;
}

std::string partitioning::why_not(stripes const& wanted, agent_nodes const& all) {
  if (!all.can_be_told) return "the file system takes no directives";
  if (wanted.agents > agent_nodes::most)
    return std::to_string(wanted.agents) + " agents; a map has room for " + std::to_string(agent_nodes::most);
  if (wanted.bytes > std::numeric_limits<int>::max()) return "stripes of 2 GiB or more have no place in a map";
  for (std::int64_t a = 0; a < wanted.agents; ++a)
    if (all.node[static_cast<std::size_t>(a)] == unknown_node)
      return "agent " + std::to_string(a) + " does not know the number of its node";
  return {};
}

failure partitioning::start(any_handle& h, stripes const& wanted, int instances, agent_nodes const& all) const {
  directive<start_with_map> d;
  d.what.start.numInstances = instances;
  d.what.map.partitionSize = static_cast<int>(wanted.bytes);
  d.what.map.agentCount = static_cast<int>(wanted.agents);
  std::copy_n(all.node.begin(), wanted.agents, d.what.map.agentNodeNumber);
  return give(h, d, "start");
}

failure partitioning::stop(any_handle& h) const {
  directive<gpfs::gpfsDataShipStop_t> d;
  failure f = give(h, d, "stop");
  if (f) f.detail += "; what was written since the last sync may be lost";
  return f;
}

bool partitioning::was_released(failure const& f) {
  return f.code == std::error_code(ETIMEDOUT, std::system_category()) ||
         f.code == std::error_code(ESTALE, std::system_category());
}

}  // namespace argosy::detail
