// The reference of a file to its own part.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <utility>

#include <argosy/file/detail/state/open_file.hpp>

namespace argosy::detail {

// Requests and completions may hold the part longer than the file. When this reference goes, no
// thread works for the file any more. Otherwise a thread could still report to an executor while
// the program ends.
class own_part {
 public:
  own_part() = default;
  explicit own_part(std::shared_ptr<open_file> part) : part_(std::move(part)) {}
  own_part(own_part&& other) noexcept : part_(std::move(other.part_)) {}
  own_part& operator=(own_part other) noexcept {
    part_.swap(other.part_);
    return *this;
  }
  ~own_part() {
    if (part_) part_->leave();
  }

  explicit operator bool() const { return part_ != nullptr; }
  open_file* operator->() const { return part_.get(); }
  open_file& operator*() const { return *part_; }
  std::shared_ptr<open_file> const& shared() const { return part_; }

 private:
  std::shared_ptr<open_file> part_;
};

}  // namespace argosy::detail
