// A handle whose file is a vector of bytes, for tests of code that uses handles.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <system_error>
#include <vector>

#include <argosy/error/errc.hpp>
#include <argosy/handle/detail/parts.hpp>
#include <argosy/handle/handle.hpp>

namespace argosy::test {

using namespace extend;

struct memory_file {
  std::vector<std::byte> bytes;
  bool has_locks = true;
  std::int64_t locks = 0, unlocks = 0;
  std::int64_t lists = 0;  // calls with a list of parts
};

class memory_handle {
 public:
  explicit memory_handle(std::shared_ptr<memory_file> file) : file_(std::move(file)) {}

  io_result read(std::int64_t offset, std::span<std::byte> into) {
    auto const size = static_cast<std::int64_t>(file_->bytes.size());
    auto const n =
        std::clamp<std::int64_t>(size - offset, 0, static_cast<std::int64_t>(into.size()));
    std::copy_n(file_->bytes.begin() + std::min(offset, size), n, into.begin());
    return {n, {}};
  }
  io_result write(std::int64_t offset, std::span<std::byte const> from) {
    auto const end = static_cast<std::size_t>(offset) + from.size();
    if (file_->bytes.size() < end) file_->bytes.resize(end);
    std::copy(from.begin(), from.end(), file_->bytes.begin() + offset);
    return {static_cast<std::int64_t>(from.size()), {}};
  }
  io_result read(std::span<read_part const> parts) {
    ++file_->lists;
    return detail::one_by_one(parts, [&](std::int64_t offset, std::span<std::byte> memory) {
      return read(offset, memory);
    });
  }
  io_result write(std::span<write_part const> parts) {
    ++file_->lists;
    return detail::one_by_one(parts, [&](std::int64_t offset, std::span<std::byte const> memory) {
      return write(offset, memory);
    });
  }

  std::error_code lock(std::int64_t, std::int64_t, lock_kind) {
    if (!file_->has_locks) return errc::no_locks;
    ++file_->locks;
    return {};
  }
  std::error_code unlock(std::int64_t, std::int64_t) {
    ++file_->unlocks;
    return {};
  }
  std::int64_t size(std::error_code&) { return static_cast<std::int64_t>(file_->bytes.size()); }
  std::error_code resize(std::int64_t n) {
    file_->bytes.resize(static_cast<std::size_t>(n));
    return {};
  }
  std::error_code preallocate(std::int64_t n) {
    file_->bytes.resize(std::max(file_->bytes.size(), static_cast<std::size_t>(n)));
    return {};
  }
  std::error_code sync() { return {}; }
  std::error_code close() {
    file_.reset();
    return {};
  }
  bool is_open() const { return file_ != nullptr; }
  std::int64_t block_bytes() const { return 4096; }

 private:
  std::shared_ptr<memory_file> file_;
};

static_assert(handle<memory_handle>);

}  // namespace argosy::test
