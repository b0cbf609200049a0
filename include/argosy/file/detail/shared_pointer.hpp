// The file pointer that all ranks of an open file share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <argosy/error/failure.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy::detail {

// In memory where all ranks share some; else in a hidden file beside the data, under a lock, made by the rank that needs it
// first. Every open of a file has its own. Values are etypes.
class shared_pointer {
 public:
  shared_pointer() = default;
  explicit shared_pointer(shared_memory m) : memory_(std::move(m)) {}
  shared_pointer(opener files, std::string path) : files_(std::move(files)), path_(std::move(path)) {}

  // The value before; `n` is added, unless that would go beyond 2^63. Local: waits for no rank that computes.
  std::int64_t add(std::int64_t n, failure& f) {
    if (memory_.bytes().empty()) return in_file([n](std::int64_t v) { return n > INT64_MAX - v ? v : v + n; }, f);
    std::atomic_ref<std::int64_t> value(*static_cast<std::int64_t*>(static_cast<void*>(memory_.bytes().data())));
    std::int64_t before = value.load(std::memory_order_relaxed);
    while (n <= INT64_MAX - before && !value.compare_exchange_weak(before, before + n, std::memory_order_relaxed)) {
    }
    return before;
  }
  std::int64_t get(failure& f) { return add(0, f); }

  // On every rank, between two agreements.
  void set(std::int64_t value, int rank) {
    ++epoch_;
    start_ = value;
    if (rank == 0 && !memory_.bytes().empty())
      std::atomic_ref<std::int64_t>(*static_cast<std::int64_t*>(static_cast<void*>(memory_.bytes().data())))
          .store(value, std::memory_order_relaxed);
  }

  // When no rank needs it any more; by one of them. That nobody needed the hidden file is no error.
  void remove() {
    if (handle_.is_open()) handle_.close();
    if (files_ && !path_.empty()) files_->remove(path_);
  }
  void close() {
    if (handle_.is_open()) handle_.close();
  }

 private:
  // What the hidden file holds, twice: the newer of the two counts, the older is written over, so that a write that is torn
  // leaves the pointer as it was. Setting the pointer touches no file: what is of an earlier epoch does not count.
  struct stored {
    std::int64_t number = 0;  // of the write
    std::int64_t epoch = 0;
    std::int64_t value = 0;
    std::uint64_t check = 0;

    std::uint64_t sum() const {
      std::uint64_t h = 14695981039346656037u;
      for (std::int64_t const x : {number, epoch, value}) h = (h ^ static_cast<std::uint64_t>(x)) * 1099511628211u;
      return h;
    }
  };

  template <class Change>
  std::int64_t in_file(Change&& change, failure& f);

  shared_memory memory_;
  std::unique_ptr<std::mutex> in_use_ = std::make_unique<std::mutex>();  // the hidden file, by threads
  std::optional<opener> files_;
  std::string path_;
  any_handle handle_;
  std::int64_t epoch_ = 0;
  std::int64_t start_ = 0;
};

template <class Change>
std::int64_t shared_pointer::in_file(Change&& change, failure& f) {
  auto const failed = [&](std::error_code e, char const* what) {
    if (e) f.keep({e, std::string(what) + " the shared pointer in '" + path_ + "'"});
    return static_cast<bool>(e);
  };
  std::lock_guard const guard(*in_use_);
  if (!files_) {  // of a file that is not open
    f.keep({errc::file, "the file is closed"});
    return 0;
  }
  if (!handle_.is_open()) {
    std::error_code e;
    handle_ = (*files_)(path_, {.read = true, .write = true, .create = true, .permissions = 0600}, e);
    if (failed(e, "opening")) return 0;
  }
  std::array<stored, 2> slots;
  if (failed(handle_.lock(0, sizeof slots, lock_kind::exclusive), "locking")) return 0;
  std::int64_t before = 0;
  if (!failed(handle_.read(0, std::as_writable_bytes(std::span(slots))).error, "reading")) {
    for (stored& s : slots)
      if (s.check != s.sum()) s = {};  // never written, or torn
    std::size_t const newer = slots[1].number > slots[0].number ? 1 : 0, older = 1 - newer;
    stored s = slots[newer];
    bool const counts = s.epoch == epoch_;
    before = counts ? s.value : start_;
    s = {s.number + 1, epoch_, change(before), 0};
    s.check = s.sum();
    if (s.value != before || !counts) {
      io_result const put = handle_.write(static_cast<std::int64_t>(older * sizeof s), std::as_bytes(std::span(&s, 1)));
      bool const cut = put.bytes < static_cast<std::int64_t>(sizeof s);
      // If it were lost later, the next rank would be given the same place, before anybody is told.
      if (!failed(cut && !put.error ? make_error_code(errc::io) : put.error, "writing"))
        failed(handle_.sync(), "syncing");
    }
  }
  // A lock that stays would stop all other ranks; it goes with its handle.
  if (failed(handle_.unlock(0, sizeof slots), "unlocking")) handle_.close();
  return before;
}

}  // namespace argosy::detail
