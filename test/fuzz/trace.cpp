// Traces, as `argosy trace` reads them. Every line is an event, a fault or nothing. Merged traces
// must be JSON again, and as text each event must be one line.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>

#include <tools/argosy/json.hpp>
#include <tools/argosy/trace_events.hpp>

using namespace argosy;

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text = fuzz::text_of(data, size);
  tool::trace t;
  std::ostringstream printed;
  tool::read_trace(text, "f", t, &printed);
  auto const lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  FUZZ_CHECK(t.events.size() + t.faults.size() <= lines);
  std::string const all_lines = printed.str();
  auto const shown = static_cast<std::size_t>(std::ranges::count(all_lines, '\n'));
  FUZZ_CHECK(shown >= t.events.size() + t.messages.size() && shown <= 2 * lines);
  for (tool::trace_event const& e : t.events)
    FUZZ_CHECK(e.took_ns >= 0 && e.begin_ns >= 0 && e.end_ns() >= e.begin_ns && e.runs > 0);
  std::ranges::sort(t.events, {}, &tool::trace_event::begin_ns);
  boost::json::value const all = tool::parse_json(tool::perfetto_json(t));
  FUZZ_CHECK(all.as_object().contains("traceEvents"));
  return 0;
}
