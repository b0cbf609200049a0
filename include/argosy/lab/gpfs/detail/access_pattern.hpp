// The access pattern of one open instance. A client node guesses from it what to prefetch, what to
// write behind, and which tokens to desire.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace argosy::lab::gpfs::detail {

// Sequential from the second call on that begins at the end of the call before. Strided from the
// third call on of the same length and distance.
class access_pattern {
 public:
  enum class kind { unknown, sequential, strided };

  void note(std::int64_t offset, std::int64_t length) {
    std::int64_t const distance = offset - offset_;
    if (calls_ > 0 && offset == offset_ + length_) {
      found_ = kind::sequential;
    } else if (calls_ > 1 && distance == distance_ && distance > 0 && length == length_) {
      found_ = kind::strided;
    } else {
      found_ = kind::unknown;
    }
    distance_ = calls_ > 0 ? distance : 0;
    offset_ = offset;
    length_ = length;
    ++calls_;
  }

  kind found() const { return found_; }
  std::int64_t offset() const { return offset_; }
  std::int64_t length() const { return length_; }
  std::int64_t end() const { return offset_ + length_; }
  std::int64_t distance() const { return distance_; }
  std::int64_t calls() const { return calls_; }

 private:
  kind found_ = kind::unknown;
  std::int64_t offset_ = 0, length_ = 0, distance_ = 0, calls_ = 0;
};

}  // namespace argosy::lab::gpfs::detail
