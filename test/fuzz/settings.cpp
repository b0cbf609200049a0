// Settings of traces in the environment, and the lines of a trace. A line must be one line,
// whatever the file is called. The library itself reads no traces.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <argosy/handle/tracer.hpp>

#include "scratch.hpp"

using namespace argosy;

namespace {

// A refused value is remembered for ever, because it is reported once, so there may be only few.
extend::trace_options read_settings(FuzzedDataProvider& in) {
  static int left = 100'000;
  for (char const* const name :
       {"ARGOSY_TRACE", "ARGOSY_TRACE_FORMAT", "ARGOSY_TRACE_FROM", "ARGOSY_TRACE_WRITE"}) {
    std::string const value = in.ConsumeRandomLengthString(24);
    ::setenv(name, left > 0 ? value.c_str() : "", 1);
    --left;
  }
  extend::trace_options const o =
      extend::trace_options::from_environment(in.ConsumeIntegral<std::uint8_t>());
  FUZZ_CHECK(o.from_offset >= 0);
  return o;
}

void check_json(std::string_view line) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    FUZZ_CHECK(static_cast<unsigned char>(line[i]) >= 0x20);
    if (quoted && line[i] == '\\')
      ++i;
    else if (line[i] == '"')
      quoted = !quoted;
    else if (!quoted && line[i] == '{')
      ++depth;
    else if (!quoted && line[i] == '}')
      FUZZ_CHECK(--depth >= 0);
  }
  FUZZ_CHECK(depth == 0 && !quoted);
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static fuzz::scratch const scratch;
  FuzzedDataProvider in(data, size);
  extend::trace_options o = read_settings(in);
  o.directory = scratch.path();
  o.program = in.ConsumeRandomLengthString(16);
  o.agent = in.ConsumeRandomLengthString(16);
  std::string const file = in.ConsumeRandomLengthString(64),
                    note = in.ConsumeRandomLengthString(64);
  if (o.mode == extend::trace_mode::off) o.mode = extend::trace_mode::calls;
  std::string path;
  std::int64_t lines = 0;
  {
    extend::tracer t(o);
    argosy::detail::traced_call c;
    c.file = file;
    c.detail = "exclusive";
    c.offset = in.ConsumeIntegral<std::int64_t>();
    c.error = {in.ConsumeIntegral<std::uint8_t>(), std::system_category()};
    t.record(c);
    t.note(note);
    path = t.path();
    lines = t.lines();
  }
  FUZZ_CHECK(lines == 2 && path.starts_with(scratch.path()));
  std::ifstream trace(path);
  std::string const text{std::istreambuf_iterator<char>(trace), {}};
  ::unlink(path.c_str());
  FUZZ_CHECK(std::count(text.begin(), text.end(), '\n') == 6);
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    check_json(std::string_view(text).substr(at, end - at));
  }
  return 0;
}
