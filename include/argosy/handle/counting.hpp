// A decorator that counts calls and bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/extend.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/file_call.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/opener.hpp>

namespace argosy {

// Counts of calls. Any number of handles and threads may share them, and they may be read at any
// time.
class call_counts {
 public:
  std::int64_t calls(file_call kind) const noexcept { return at(calls_, kind); }
  std::int64_t errors(file_call kind) const noexcept { return at(errors_, kind); }
  std::int64_t bytes_read() const noexcept { return at(bytes_, file_call::read); }
  std::int64_t bytes_written() const noexcept { return at(bytes_, file_call::write); }
  // Returns the number of contiguous ranges that reads (or writes) requested; 0 for other calls.
  // Adjacent parts of one call are one range.
  std::int64_t runs(file_call kind) const noexcept { return at(runs_, kind); }

  void count(file_call kind, std::error_code const& error, std::int64_t bytes = 0,
             std::int64_t runs = 0) noexcept {
    add(calls_, kind, 1);
    if (error) add(errors_, kind, 1);
    if (bytes != 0) add(bytes_, kind, bytes);
    if (runs != 0) add(runs_, kind, runs);
  }
  // Sets all counts to 0.
  void reset() noexcept {
    for (auto* numbers : {&calls_, &errors_, &bytes_, &runs_})
      for (auto& n : *numbers) n.store(0, std::memory_order_relaxed);
  }

 private:
  using by_kind = std::array<std::atomic<std::int64_t>, detail::file_call_count>;
  static std::int64_t at(by_kind const& numbers, file_call kind) noexcept {
    return numbers[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed);
  }
  static void add(by_kind& numbers, file_call kind, std::int64_t n) noexcept {
    numbers[static_cast<std::size_t>(kind)].fetch_add(n, std::memory_order_relaxed);
  }

  by_kind calls_{}, errors_{}, bytes_{}, runs_{};
};

namespace extend {

// Counts calls. Around a handle it counts the requests; around a raw handle, below `retrying`, it
// counts system calls.
template <handle H>
class counting : public forwarding<counting<H>, H> {
  using base = forwarding<counting, H>;

 public:
  counting()
    requires std::default_initializable<H>
  = default;
  counting(H counted, std::shared_ptr<call_counts> counts)
      : base(std::move(counted)), counts_(std::move(counts)) {}

  template <class Act>
  io_result around(handle_call const& call, Act&& act) {
    io_result const done = act();
    bool const moves = call.moves_data();
    counts_->count(call.kind, done.error, moves ? done.bytes : 0, moves ? call.runs() : 0);
    return done;
  }

  std::shared_ptr<call_counts> const& counts() const noexcept { return counts_; }

 private:
  std::shared_ptr<call_counts> counts_ = std::make_shared<call_counts>();
};

}  // namespace extend

// Returns an opener that opens with `inner`, and counts its opens and the calls of the opened
// handles.
inline opener with_counting(opener const& inner, std::shared_ptr<call_counts> counts) {
  return inner.opening(
      [inner, counts = std::move(counts)](std::string const& path, extend::open_flags flags,
                                          std::error_code& error) -> extend::any_handle {
        extend::any_handle opened = inner(path, flags, error);
        counts->count(file_call::open, error);
        if (error) return {};
        return extend::any_handle(extend::counting(std::move(opened), counts));
      });
}

static_assert(extend::handle<extend::counting<extend::any_handle>>);

}  // namespace argosy
