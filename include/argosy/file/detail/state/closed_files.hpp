// Closed files whose reports ARGOSY_REPORT has shown. When the program ends, a table shows one line
// for each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include <argosy/file/detail/state/usage.hpp>

namespace argosy::detail {

// The closed files of which this process was rank 0. Any thread.
class closed_files {
 public:
  void add(usage_report const& r);
  // Returns the table, with the files that took longest first. Empty if fewer than two reports were
  // added, since there is nothing to sum up.
  std::string table() const;

  // A program may write a file for each step. Further files, by name, share one line.
  static constexpr std::size_t most_lines = 1000;

 private:
  struct line {
    std::int64_t closed = 0, calls = 0, together = 0, bytes_read = 0, bytes_written = 0,
                 file_calls = 0, failed = 0;
    std::int64_t time_ns = 0;  // time of the slowest rank
    // for reports with a measured plain copy: time of the calls, and of the copy
    std::int64_t timed_copy_ns = 0, copy_ns = 0;
    std::int64_t advice = 0;
    void combine(line const& other);
  };
  static line line_of(usage_report const& r);

  mutable std::mutex mutex_;
  std::map<std::string, line> by_path_;
  line others_;
};

// Returns the table of this process.
closed_files& files_closed();

// Publishes the report, and adds its line to the table.
void tell(usage_report const& r);

}  // namespace argosy::detail
