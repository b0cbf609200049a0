// Text of reports.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include <argosy/layout/detail/counted.hpp>
#include <argosy/layout/detail/linked.hpp>
#include <argosy/plan/detail/report_words.hpp>
#include <argosy/plan/report.hpp>

namespace argosy {

ARGOSY_ONCE std::string to_string(report const& r) {
  std::string text = (r.policy.empty() ? "" : r.policy + ": ") + detail::counted(r.bytes, "byte");
  if (r.read_calls > 0) text += ", " + detail::calls_text(r.read_calls, "read", r.bytes_read);
  if (r.write_calls > 0) text += ", " + detail::calls_text(r.write_calls, "write", r.bytes_written);
  if (r.read_calls == 0 && r.write_calls == 0) text += ", no call of the file by this rank";
  if (r.merged_bytes > 0) text += ", " + detail::counted(r.merged_bytes, "byte") + " of holes read";
  if (r.fallbacks > 0)
    text += ", " + detail::counted(r.fallbacks, "window") + " by pieces instead of merged";
  if (r.rounds > 0) text += ", " + detail::counted(r.rounds, "round");
  if (r.messages > 0) text += ", " + detail::calls_text(r.messages, "message", r.message_bytes);
  if (r.view_bytes > 0) text += " and " + detail::counted(r.view_bytes, "byte") + " about views";
  if (r.hinted_ranges > 0) text += ", " + detail::counted(r.hinted_ranges, "hinted range");
  return text;
}

ARGOSY_ONCE std::string to_table(report const& r) {
  std::string text;
  auto const line = [&](std::string_view name, std::string const& value) {
    text += "  " + detail::padded(name) + value + "\n";
  };
  line("policy", r.policy);
  line("reason", r.reason);
  for (detail::report_number const& n : detail::report_numbers) {
    bool const background = n.value == &report::waited_ns;
    if (background ? !r.in_background : n.is_time && r.time_ns == 0) continue;
    std::string value = std::to_string(r.*n.value);
    if (n.value == &report::merged_bytes && r.merged_bytes > 0)
      value += "  of holes: read, and written back or thrown away";
    if (n.is_time) value += "  " + detail::duration(r.*n.value);
    if (background)
      value += ": in the background " + detail::duration(r.time_ns) +
               ", of which the program waited " + detail::duration(r.waited_ns);
    line(n.name, value);
  }
  if (r.time_ns > 0) {
    line("exchange_ns",
         std::to_string(r.exchange_ns()) + "  " + detail::duration(r.exchange_ns()) + ", the rest");
    line("rate", detail::with_digits(r.mb_per_s(), 1) + " MB/s of the request");
  }
  return text;
}

}  // namespace argosy
