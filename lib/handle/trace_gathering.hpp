// What a tracer gathers until it is written, for handle/tracer.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once


#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <argosy/handle/tracer.hpp>

#include "trace_text.hpp"

namespace argosy {

namespace detail {

// How often this process is the child of a fork(): what its parent has gathered is not its own, and its thread has another number.
inline std::atomic<unsigned> forks{0};

}  // namespace detail

// What gathers, and what is the same from line to line.
struct tracer::gathering {
  static constexpr std::size_t most = std::size_t{64} << 10;  // bytes; then they are written

  detail::trace_text text;
  std::int64_t lines = 0;
  bool at_once = false;
  unsigned of_fork = detail::forks.load(std::memory_order_relaxed);
  bool inherited = false;                                 // the file was made by the parent of this process
  std::chrono::steady_clock::time_point newest, written;  // the newest line; that at the last write

  void put_time(std::int64_t ns) {
    std::int64_t const seconds = ns / 1'000'000'000;
    if (seconds != second_) {
      auto const t = static_cast<std::time_t>(seconds);
      std::tm parts{};
      ::gmtime_r(&t, &parts);
      std::array<char, 80> date{};
      date_.assign(date.data(), std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S.", &parts));
      second_ = seconds;
    }
    text.put(date_);
    text.put_digits<9>(ns % 1'000'000'000);
    text.put('Z');
  }
  void put_file(std::string_view file) {
    if (!quoted_is_whole_ || file != file_) {
      quoted_is_whole_ = false;
      quoted_.cut(0);
      quoted_.put_quoted(file);
      file_ = file;
      quoted_is_whole_ = true;
    }
    text.put(quoted_.view());
  }
  // Both ends count alike, so that they can be put together.
  std::int64_t next_message(std::string_view file, detail::traced_message const& m) {
    auto of_file = messages_.find(file);
    if (of_file == messages_.end()) of_file = messages_.try_emplace(std::string(file)).first;
    return of_file->second[m.peer][static_cast<std::size_t>(m.what)]++;
  }

 private:
  std::int64_t second_ = -1;
  std::string date_;
  std::string file_;  // the last
  detail::trace_text quoted_;
  bool quoted_is_whole_ = false;
  std::map<std::string, std::map<int, std::array<std::int64_t, 2>>, std::less<>>
      messages_;  // so far: of a file, by rank
};

}  // namespace argosy
