// What a tracer gathers until it is written, for handle/tracer.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <argosy/handle/tracer.hpp>

#include "trace_text.hpp"

namespace argosy {

namespace detail {

// How often this process is the child of a fork(): what its parent has gathered is not its own, and
// its thread has another number.
inline std::atomic<unsigned> forks{0};

}  // namespace detail

// What gathers, and what is the same from line to line.
struct tracer::gathering {
  static constexpr std::size_t most = std::size_t{64} << 10;  // bytes; then they are written

  explicit gathering(int rank) : rank_(rank) {}

  detail::trace_text text;
  std::int64_t lines = 0;
  bool at_once = false;
  unsigned of_fork = detail::forks.load(std::memory_order_relaxed);
  bool inherited = false;  // the file was made by the parent of this process
  std::chrono::steady_clock::time_point newest, written;  // the newest line; that at the last write

  // Each appends a line. `begin` and `when` are in nanoseconds since 1970.
  void put_call(detail::traced_call const& call, std::int64_t begin);
  void put_phase(detail::traced_phase const& p, std::int64_t begin, std::string_view file);
  void put_message(detail::traced_message const& m, std::int64_t when, std::string_view file);
  void put_note(std::string_view message, std::int64_t when);

 private:
  void put_place(std::int64_t when);
  void put_file(std::string_view file);
  void put_start(std::string_view name, std::string_view category, std::int64_t begin,
                 std::chrono::steady_clock::duration took, std::string_view file);
  std::int64_t next_message(std::string_view file, detail::traced_message const& m);

  int rank_;
  long thread_ = -1;
  std::int64_t second_ = -1;
  std::string place_;  // of this thread and second
  std::string file_;   // the last
  detail::trace_text quoted_;
  bool quoted_is_whole_ = false;
  std::map<std::string, std::map<int, std::array<std::int64_t, 2>>, std::less<>>
      messages_;  // so far: of a file, by rank
};

}  // namespace argosy
