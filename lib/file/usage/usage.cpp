// Implements file/detail/state/usage.hpp: counts the calls of a file on one rank.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/state/usage.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <argosy/handle/detail/size_limit.hpp>

namespace argosy::detail {
namespace {

char const* setting() {
  char const* const said = std::getenv("ARGOSY_REPORT");
  return said && *said && std::string_view(said) != "0" ? said : nullptr;
}

}  // namespace

bool wants_report() { return setting() != nullptr; }

std::string name_of_call_kind(std::size_t kind) {
  constexpr std::array<char const*, 4> places{"local", "shared", "collective", "ordered"};
  return std::string(places[kind / 4]) + (kind % 2 == 0 ? " reads" : " writes") +
         (kind % 4 >= 2 ? ", in the background" : "");
}

void program_line::set(source_location const& where) {
  file.set(where.file_name());
  line = where.line();
}

std::string program_line::words() const {
  return line > 0 ? " at " + std::string(file.get()) + ":" + std::to_string(line) : "";
}

void usage_numbers::row::combine(row const& other) {
  calls.combine(other.calls);
  bytes += other.bytes;
  file_calls += other.file_calls;
  failed += other.failed;
  if (other.largest < largest || (other.largest == largest && other.rank >= rank)) return;
  largest = other.largest;
  rank = other.rank;
  at = other.at;
}

void usage_numbers::combine(usage_numbers const& other) {
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].combine(other.rows[i]);
  detail::combine(totals, other.totals);
  exchange.combine(other.exchange);
  background.combine(other.background);
  begin.combine(other.begin);
  waited.combine(other.waited);
  paced.combine(other.paced);
  paced_together = std::max(paced_together, other.paced_together);
  least_aggregators = std::min(least_aggregators, other.least_aggregators);
  most_aggregators = std::max(most_aggregators, other.most_aggregators);
  views = std::max(views, other.views);
  if (other.largest.bytes > largest.bytes ||
      (other.largest.bytes == largest.bytes && other.largest.rank < largest.rank))
    largest = other.largest;
}

usage::usage(std::string path, int rank) : path_(std::move(path)), rank_(rank) {
  largest_of_kind_.fill(-1);
}

usage::~usage() {
  if (!told_ && rank_ == 0)
    std::fprintf(stderr,
                 "argosy: '%s' was never closed, so ARGOSY_REPORT has nothing to tell of it\n",
                 path_.c_str());
}

void usage::add(operation call, report const& done, bool failed, std::int64_t begin_ns,
                exchanged_by const& together, source_location const& where) {
  std::lock_guard const guard(mutex_);
  std::size_t const k = kind_of_call(row_of(call));
  ++calls_[k];
  bytes_[k] += done.bytes;
  file_calls_[k] += done.read_calls + done.write_calls;
  failed_[k] += failed ? 1 : 0;
  for (report_number const& n : report_numbers) total_.*n.value += done.*n.value;
  bool const background = k % 4 >= 2;
  if (background) background_ns_ += done.time_ns;
  if (done.bytes > largest_of_kind_[k]) {
    largest_of_kind_[k] = done.bytes;
    largest_at_[k] = where;
  }
  // A nonblocking call does not hold the program up, and the time of a failed call is not typical.
  if (!background && !failed) {
    begin_ns_ += begin_ns;
    waited_ns_ += done.waiting_ns;
    paced_ns_ += done.time_ns;
    paced_together_ += k / 4 >= 2 ? 1 : 0;
  }
  if (together.aggregators > 0) {
    least_aggregators_ = std::min(least_aggregators_, together.aggregators);
    most_aggregators_ = std::max(most_aggregators_, together.aggregators);
  }
  if (done.bytes <= largest_bytes_) return;
  largest_together_ = together;
  largest_bytes_ = done.bytes;
  largest_call_ = call;
  largest_policy_ = done.policy;
  largest_reason_ = done.reason.str();
  largest_where_ = where;
}

void usage::add_waited(std::int64_t ns) {
  std::lock_guard const guard(mutex_);
  total_.waited_ns += ns;
}

void usage::add_view() {
  std::lock_guard const guard(mutex_);
  ++views_;
}

usage_numbers usage::numbers() const {
  std::lock_guard const guard(mutex_);
  usage_numbers all;
  for (std::size_t k = 0; k < call_kinds; ++k) {
    all.rows[k] = {rank_statistics(calls_[k]), bytes_[k], file_calls_[k], failed_[k],
                   largest_of_kind_[k],        rank_};
    all.rows[k].at.set(largest_at_[k]);
  }
  all.totals = spreads_of(total_);
  all.exchange = rank_statistics(total_.exchange_ns());
  all.background = rank_statistics(background_ns_);
  all.begin = {rank_statistics(begin_ns_), rank_};
  all.waited = rank_statistics(waited_ns_);
  all.paced = rank_statistics(paced_ns_);
  all.paced_together = paced_together_;
  all.least_aggregators = least_aggregators_;
  all.most_aggregators = most_aggregators_;
  all.largest.together = largest_together_;
  all.views = views_;
  all.largest.bytes = largest_bytes_;
  all.largest.rank = rank_;
  all.largest.call.set_start(row_of(largest_call_).name);
  all.largest.policy.set_start(largest_policy_);
  all.largest.reason.set_start(largest_reason_);
  all.largest.at.set(largest_where_);
  return all;
}

std::int64_t plain_copy_ns(std::int64_t bytes) try {
  using clock = std::chrono::steady_clock;
  constexpr std::size_t some = 4 << 20;  // more than most caches of one core
  std::vector<char> from(some, 'x'), to(some);
  auto best = clock::duration::max();
  for (int i = 0; i < 8; ++i) {  // several, because some of the copies may be interrupted
    clock::time_point const begin = clock::now();
    from[0] = static_cast<char>(i);
    std::memcpy(to.data(), from.data(), some);
    asm volatile("" : : "r"(to.data()) : "memory");
    best = std::min(best, clock::now() - begin);
  }
  auto const ns = static_cast<double>(std::chrono::nanoseconds(best).count());
  return static_cast<std::int64_t>(ns / static_cast<double>(some) * static_cast<double>(bytes));
} catch (std::bad_alloc const&) {
  return -1;
}

namespace {

// Returns true for a link that another user has put into a directory where every user may write.
// The report must not be added to the target of such a link. The kernel's fs.protected_symlinks
// makes the same check, if it is on.
bool is_link_of_another(char const* path) {
  struct stat link{};
  struct stat directory{};
  std::string parent(path);
  std::size_t const slash = parent.rfind('/');
  parent = slash == std::string::npos ? "." : parent.substr(0, slash + 1);
  if (::lstat(path, &link) != 0 || ::stat(parent.c_str(), &directory) != 0) return true;
  bool const for_all = (directory.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH);
  return S_ISLNK(link.st_mode) && for_all && link.st_uid != ::geteuid() &&
         link.st_uid != directory.st_uid;
}

// Opens the file of the reports, and never waits for the reader of a pipe. Returns 0 or errno.
int open_to_append(char const* path, int& descriptor) {
  constexpr int how = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  descriptor = ::open(path, how | O_NOFOLLOW, 0666);
  if (descriptor < 0 && errno == ELOOP && !is_link_of_another(path))
    descriptor = ::open(path, how, 0666);
  if (descriptor < 0) return errno;
  int const status = ::fcntl(descriptor, F_GETFL);
  if (status >= 0) ::fcntl(descriptor, F_SETFL, status & ~O_NONBLOCK);
  return 0;
}

// Appends the text. Returns 0, or the errno if a part of it could not be written.
int append(char const* path, std::string_view text) {
  int descriptor = -1;
  if (int const error = open_to_append(path, descriptor)) return error;
  int error = 0;
  {
    size_limit_guard guard(std::numeric_limits<std::int64_t>::max(), size_limit());
    while (!text.empty() && error == 0) {
      ssize_t const put = ::write(descriptor, text.data(), text.size());
      if (put > 0)
        text.remove_prefix(static_cast<std::size_t>(put));
      else if (put == 0 || errno != EINTR)
        error = put == 0 ? EIO : errno;
    }
    guard.note(error);
  }
  if (::close(descriptor) != 0 && error == 0 && errno != EINTR) error = errno;
  return error;
}

}  // namespace

void publish(std::string const& text) {
  char const* const said = setting();
  std::string_view const to = said ? said : "1";
  bool const has_file = to != "1" && to != "stderr";
  int const error = has_file ? append(said, text) : 0;
  if (error == 0 && has_file) return;
  if (error == ELOOP)
    std::fprintf(stderr,
                 "argosy: ARGOSY_REPORT=%s is a link that another user may have put there, so the "
                 "report comes here\n",
                 said);
  else if (error != 0)
    std::fprintf(stderr,
                 "argosy: ARGOSY_REPORT=%s cannot be written (%s), so the report comes here\n",
                 said, std::strerror(error));
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace argosy::detail
