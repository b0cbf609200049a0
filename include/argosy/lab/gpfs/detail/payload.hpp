// The bytes of a page or a message, or only their number.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace argosy::lab::gpfs::detail {

// A value. A hollow payload has a size but no bytes. Copies out of it and into it do nothing, so
// the same code serves files with contents and without.
class payload {
 public:
  payload() = default;
  payload(std::vector<std::byte> bytes)
      : size_(static_cast<std::int64_t>(bytes.size())), bytes_(std::move(bytes)) {}
  static payload of_zeros(std::int64_t size, bool hollow) {
    payload p;
    p.size_ = size;
    p.hollow_ = hollow;
    if (!hollow) p.bytes_.resize(static_cast<std::size_t>(size));
    return p;
  }
  static payload of(std::byte const* from, std::int64_t size, bool hollow) {
    payload p;
    p.size_ = size;
    p.hollow_ = hollow;
    if (!hollow) p.bytes_.assign(from, from + size);
    return p;
  }

  std::int64_t size() const { return size_; }
  bool is_hollow() const { return hollow_; }
  // Returns the bytes; empty if it is hollow.
  std::vector<std::byte> const& bytes() const { return bytes_; }
  std::byte const& operator[](std::size_t i) const { return bytes_[i]; }

  payload part(std::int64_t begin, std::int64_t end) const {
    return of(bytes_.data() + (hollow_ ? 0 : begin), end - begin, hollow_);
  }
  void copy_in(std::int64_t at, std::byte const* from, std::int64_t n) {
    if (!hollow_ && n > 0) std::memcpy(bytes_.data() + at, from, static_cast<std::size_t>(n));
  }
  void copy_out(std::int64_t at, std::byte* into, std::int64_t n) const {
    if (!hollow_ && n > 0) std::memcpy(into, bytes_.data() + at, static_cast<std::size_t>(n));
  }
  // Returns the memory of its bytes, to be filled; empty if it is hollow.
  std::span<std::byte> memory() { return bytes_; }

  friend bool operator==(payload const&, payload const&) = default;

 private:
  std::int64_t size_ = 0;
  bool hollow_ = false;
  std::vector<std::byte> bytes_;
};

}  // namespace argosy::lab::gpfs::detail
