// Lines that a tracer gathers until they are written, for handle/tracer.hpp.
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

// The number of forks from the first process to this one. Lines that the parent has gathered do not
// belong to this process, and its thread has another number.
inline std::atomic<unsigned> forks{0};

}  // namespace detail

// The gathered lines, and the state that does not change from line to line.
struct extend::tracer::gathering {
  static constexpr std::size_t most = std::size_t{64} << 10;  // bytes before a write

  explicit gathering(int rank) : rank_(rank) {}

  detail::trace_text text;
  std::int64_t lines = 0;
  bool at_once = false;
  unsigned of_fork = detail::forks.load(std::memory_order_relaxed);
  bool inherited = false;  // the file was made by the parent of this process
  // time of the newest line; time of the newest line at the last write
  std::chrono::steady_clock::time_point newest, written;

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
  std::string place_;  // JSON of this thread and second
  std::string file_;   // the last file
  detail::trace_text quoted_;
  bool quoted_is_whole_ = false;
  std::map<std::string, std::map<int, std::array<std::int64_t, 2>>, std::less<>>
      messages_;  // number of messages, by file and rank
};

}  // namespace argosy
