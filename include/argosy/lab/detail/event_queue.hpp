// The queue of a simulation: future events, in the order of virtual time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace argosy::lab::detail {

// Events in the order of their times. Events of one time happen in the order of their keys, and
// events of one key in the order in which they were made.
template <class What>
class event_queue {
 public:
  struct event {
    std::int64_t time;
    std::uint64_t key, number;
    What what;

    bool operator>(event const& o) const {
      return time != o.time ? time > o.time : key != o.key ? key > o.key : number > o.number;
    }
  };

  bool empty() const noexcept { return heap_.empty(); }
  event const& front() const noexcept { return heap_.front(); }
  void push(std::int64_t time, std::uint64_t key, What what) {
    heap_.push_back({time, key, ++made_, std::move(what)});
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    event first = std::move(heap_.back());
    heap_.pop_back();
    return first;
  }
  void clear() noexcept { heap_.clear(); }
  // Returns the events in no particular order.
  std::vector<event> const& all() const noexcept { return heap_; }
  template <class F>
  void erase_if(F&& f) {
    std::erase_if(heap_, [&](event const& e) { return f(e.what); });
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

 private:
  std::vector<event> heap_;
  std::uint64_t made_ = 0;
};

}  // namespace argosy::lab::detail
