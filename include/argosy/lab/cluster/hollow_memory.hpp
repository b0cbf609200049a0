// Memory of any length that occupies one megabyte, for programs whose data is never looked at.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace argosy::lab {

// One megabyte, mapped again and again. A write to one place changes the bytes at all places of the
// same offset in their megabyte. Copies stay in the cache, so a thousand ranks can each write half
// a gigabyte of it through the code that moves real data.
//
//   hollow_memory const data(std::size_t{512} << 20);
//   f.write_all({data.bytes().data(), 1, type});
class hollow_memory {
 public:
  // Throws std::system_error if the system has no more addresses or mappings.
  explicit hollow_memory(std::size_t bytes);
  hollow_memory(hollow_memory&&) noexcept = default;
  hollow_memory& operator=(hollow_memory&&) noexcept = default;

  // Returns the memory. Valid as long as this object. Do not call it after a move from the object.
  std::span<std::byte> bytes() const noexcept { return {at_.get(), size_}; }

 private:
  struct unmap {
    std::size_t mapped;
    void operator()(std::byte* at) const noexcept;
  };
  std::unique_ptr<std::byte, unmap> at_;
  std::size_t size_ = 0;
};

}  // namespace argosy::lab
