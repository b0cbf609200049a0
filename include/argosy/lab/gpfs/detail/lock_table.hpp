// The byte-range locks of one file, and the requests that wait for them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <utility>
#include <vector>

#include <argosy/lab/gpfs/detail/block_range.hpp>

namespace argosy::lab::gpfs::detail {

class lock_table {
 public:
  struct holder {
    node_id node = 0;
    int instance = 0;
    std::int64_t owner = 0;
    friend bool operator==(holder const&, holder const&) = default;
  };

  // Requests a lock. Returns false if the request has to wait. In both cases granted() returns it
  // once it has the lock.
  bool request(holder const& who, std::int64_t begin, std::int64_t end, bool exclusive,
               std::int64_t call);
  // Returns true if request() would have to wait, without requesting the lock.
  bool would_wait(holder const& who, std::int64_t begin, std::int64_t end, bool exclusive) const {
    return !may_go({who, begin, end, exclusive, 0}, waiting_.end());
  }
  void unlock(holder const& who, std::int64_t begin, std::int64_t end);
  void forget(node_id node, int instance);
  void forget(node_id node);

  // Returns the holders that got their locks since the last call, with their call numbers.
  std::vector<std::pair<holder, std::int64_t>> granted() { return std::exchange(granted_, {}); }
  std::size_t size() const { return held_.size(); }

 private:
  struct entry {
    holder who;
    std::int64_t begin = 0, end = 0;
    bool exclusive = false;
    std::int64_t call = 0;
  };
  using place = std::list<entry>::const_iterator;

  // `earlier`: the requests before this one wait already
  bool may_go(entry const& w, place earlier) const;
  void take(entry const& e);
  void grant();

  std::list<entry> held_, waiting_;
  std::vector<std::pair<holder, std::int64_t>> granted_;
};

}  // namespace argosy::lab::gpfs::detail
