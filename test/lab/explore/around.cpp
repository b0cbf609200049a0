// SPDX-License-Identifier: BSD-3-Clause
#include "around.hpp"

#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <argosy/handle/counting.hpp>
#include <argosy/handle/throttled.hpp>
#include <argosy/handle/tracing.hpp>

namespace argosy::explore {

using namespace extend;
namespace {

// One tracer for all programs; its directory is removed when the process ends. Successful reads and
// writes are not traced.
struct trace {
  std::string directory =
      (std::filesystem::temp_directory_path() / fmt::format("argosy-explore-{}", ::getpid()))
          .string();
  std::shared_ptr<tracer> to;

  trace() {
    std::filesystem::create_directories(directory);
    to = std::make_shared<tracer>(trace_options{
        .mode = trace_mode::calls, .from_offset = std::int64_t{1} << 60, .directory = directory});
  }
  ~trace() {
    to = nullptr;
    std::error_code error;
    std::filesystem::remove_all(directory, error);
  }
};

}  // namespace

opener decorated(opener inner, std::vector<decorator> const& around) {
  for (decorator const d : around) switch (d) {
      case decorator::counting:
        inner = with_counting(std::move(inner), std::make_shared<call_counts>());
        break;
      case decorator::tracing: {
        static trace all;
        inner = with_tracing(std::move(inner), all.to);
        break;
      }
      case decorator::throttled:
        inner = with_throttle(std::move(inner),
                              std::make_shared<throttle>(throttle_rates{.bytes_per_second = 1e15}));
        break;
    }
  return inner;
}

}  // namespace argosy::explore
