// Implements file/detail/usage.hpp: counts the calls of a file on one rank.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/usage.hpp>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace argosy::detail {
namespace {

char const* setting() {
  char const* const said = std::getenv("ARGOSY_REPORT");
  return said && *said && std::string_view(said) != "0" ? said : nullptr;
}

}  // namespace

bool wants_report() { return setting() != nullptr; }

std::size_t kind_of_call(std::string_view name, access_kind kind) noexcept {
  bool const background = name.starts_with("i") || name.starts_with("begin_") || name.starts_with("async_");
  call_place const place = name.ends_with("_all")       ? call_place::collective
                           : name.ends_with("_ordered") ? call_place::ordered
                           : name.ends_with("_shared")  ? call_place::shared
                                                        : call_place::local;
  return static_cast<std::size_t>(place) * 4 + (background ? 2u : 0u) + (kind == access_kind::write ? 1u : 0u);
}

std::string name_of_call_kind(std::size_t kind) {
  constexpr std::array<char const*, 4> places{"local", "shared", "collective", "ordered"};
  return std::string(places[kind / 4]) + (kind % 2 == 0 ? " reads" : " writes") +
         (kind % 4 >= 2 ? ", in the background" : "");
}

void usage_numbers::combine(usage_numbers const& other) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    row const& r = other.rows[i];
    rows[i].calls.combine(r.calls);
    rows[i].bytes += r.bytes;
    rows[i].file_calls += r.file_calls;
    rows[i].failed += r.failed;
  }
  detail::combine(totals, other.totals);
  views = std::max(views, other.views);
  if (other.largest.bytes > largest.bytes ||
      (other.largest.bytes == largest.bytes && other.largest.rank < largest.rank))
    largest = other.largest;
}

usage::usage(std::string path, int rank) : path_(std::move(path)), rank_(rank) {}

usage::~usage() {
  if (!told_ && rank_ == 0)
    std::fprintf(stderr, "argosy: '%s' was never closed, so ARGOSY_REPORT has nothing to tell of it\n", path_.c_str());
}

void usage::add(std::string_view call, access_kind kind, report const& done, bool failed) {
  std::lock_guard const guard(mutex_);
  std::size_t const k = kind_of_call(call, kind);
  ++calls_[k];
  bytes_[k] += done.bytes;
  file_calls_[k] += done.read_calls + done.write_calls;
  failed_[k] += failed ? 1 : 0;
  for (report_number const& n : report_numbers) total_.*n.value += done.*n.value;
  if (done.bytes <= largest_bytes_) return;
  largest_bytes_ = done.bytes;
  largest_call_ = call;
  largest_policy_ = done.policy;
  largest_reason_ = done.reason.str();
}

void usage::add_view() {
  std::lock_guard const guard(mutex_);
  ++views_;
}

usage_numbers usage::numbers() const {
  std::lock_guard const guard(mutex_);
  usage_numbers all;
  for (std::size_t k = 0; k < call_kinds; ++k) all.rows[k] = {spread(calls_[k]), bytes_[k], file_calls_[k], failed_[k]};
  all.totals = spreads_of(total_);
  all.views = views_;
  all.largest.bytes = largest_bytes_;
  all.largest.rank = rank_;
  all.largest.call.set_start(largest_call_);
  all.largest.policy.set_start(largest_policy_);
  all.largest.reason.set_start(largest_reason_);
  return all;
}

std::int64_t plain_copy_ns(std::int64_t bytes) try {
  using clock = std::chrono::steady_clock;
  constexpr std::size_t some = 4 << 20;  // more than most caches of one core
  std::vector<char> from(some, 'x'), to(some);
  clock::time_point begin;
  for (int i = 0; i < 2; ++i) {  // the first time memory is only found
    begin = clock::now();
    from[0] = static_cast<char>(i);
    std::memcpy(to.data(), from.data(), some);
    asm volatile("" : : "r"(to.data()) : "memory");
  }
  auto const ns = static_cast<double>(std::chrono::nanoseconds(clock::now() - begin).count());
  return static_cast<std::int64_t>(ns / static_cast<double>(some) * static_cast<double>(bytes));
} catch (std::bad_alloc const&) {
  return -1;
}

void publish(std::string const& text) {
  char const* const said = setting();
  std::string_view const to = said ? said : "1";
  std::FILE* const file = to == "1" || to == "stderr" ? nullptr : std::fopen(said, "a");
  if (!file && to != "1" && to != "stderr")
    std::fprintf(stderr, "argosy: ARGOSY_REPORT=%s cannot be written (%s), so the report comes here\n", said,
                 std::strerror(errno));
  std::FILE* const out = file ? file : stderr;
  std::fwrite(text.data(), 1, text.size(), out);
  std::fflush(out);
  if (file) std::fclose(file);
}

}  // namespace argosy::detail
