// Reports as text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <argosy/layout/detail/counted.hpp>
#include <argosy/plan/report.hpp>

namespace argosy {
namespace detail {

// "1 write of 80 bytes", "3 writes of 240 bytes in all"
inline std::string calls_text(std::int64_t calls, char const* what, std::int64_t bytes) {
  return counted(calls, what) + " of " + counted(bytes, "byte") + (calls == 1 ? "" : " in all");
}

}  // namespace detail

inline std::string to_string(report const& r) {
  std::string text = (r.policy.empty() ? "" : r.policy + ": ") + detail::counted(r.bytes, "byte");
  if (r.read_calls > 0) text += ", " + detail::calls_text(r.read_calls, "read", r.bytes_read);
  if (r.write_calls > 0) text += ", " + detail::calls_text(r.write_calls, "write", r.bytes_written);
  return text + (r.read_calls > 0 || r.write_calls > 0 ? "" : ", no call of the file by this rank");
}

inline std::string to_table(report const& r) {
  std::string text;
  auto const line = [&](std::string name, std::string const& value) {
    name.resize(16, ' ');
    text += "  " + name + value + "\n";
  };
  line("policy", r.policy);
  line("reason", r.reason);
  line("bytes", std::to_string(r.bytes));
  line("memory_bytes", std::to_string(r.memory_bytes));
  line("rounds", std::to_string(r.rounds));
  line("messages", std::to_string(r.messages));
  line("message_bytes", std::to_string(r.message_bytes));
  line("view_bytes", std::to_string(r.view_bytes));
  line("windows", std::to_string(r.windows));
  line("read_calls", std::to_string(r.read_calls));
  line("bytes_read", std::to_string(r.bytes_read));
  line("write_calls", std::to_string(r.write_calls));
  line("bytes_written", std::to_string(r.bytes_written));
  line("merged_bytes", std::to_string(r.merged_bytes));
  line("locks", std::to_string(r.locks));
  line("fallbacks", std::to_string(r.fallbacks));
  line("hinted_ranges", std::to_string(r.hinted_ranges));
  return text;
}

}  // namespace argosy
