// Implements handle/tracer.hpp: the file of a trace, from its first line to the end of the program.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/detail/size_limit.hpp>
#include <argosy/handle/tracer.hpp>
#include <argosy/world/detail/host.hpp>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "trace_gathering.hpp"

namespace argosy {

namespace {

using detail::trace_text;

// Returns a text that is safe for file names: other characters become '_'.
std::string plain(std::string s) {
  for (char& c : s)
    if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '.' &&
        c != '_' && c != '+')
      c = '_';
  return s;
}

std::string name_of(extend::trace_options const& o, int number) {
  std::string name = o.directory + "/argosy-" + plain(o.program) + '-' +
                     std::to_string(::getpid()) + "-rank" + std::to_string(o.rank);
  if (!o.agent.empty()) name += '-' + plain(o.agent);
  if (number != 1) name += '.' + std::to_string(number);
  return name + ".json";
}

// Returns "rank 3", or with an agent "rank 3 NAME".
std::string name_of_rank(extend::trace_options const& o) {
  return "rank " + std::to_string(o.rank) + (o.agent.empty() ? "" : " ") + o.agent;
}

// Returns ", pid 4711 on HOST".
std::string place_of_process() {
  return ", pid " + std::to_string(::getpid()) + " on " + detail::host_name();
}

// Returns the first lines of a trace. `argosy trace --text` needs `trace` and `mode`.
trace_text head_of(extend::trace_options const& o) {
  constexpr std::array<std::string_view, 4> modes{"off", "errors", "calls", "phases"};
  std::string const rank = name_of_rank(o), process = o.program + place_of_process();
  trace_text head;
  auto const put_event = [&](std::string_view start, std::string_view arguments) {
    head.put(start);
    head.put_number(o.rank);
    head.put(",\"args\":{");
    head.put(arguments);
  };
  put_event("[{\"name\":\"argosy\",\"ph\":\"M\",\"pid\":", "}}\n");
  put_event(",{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":", "\"name\":");
  head.put_quoted(rank + " (" + process + ")");
  head.put_argument(",\"trace\":", rank + " of " + process);
  head.put_argument(",\"mode\":", modes[static_cast<std::size_t>(o.mode)]);
  head.put("}}\n");
  put_event(",{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":", "\"sort_index\":");
  head.put_number(o.rank);
  head.put("}}\n");
  return head;
}

void heed_forks() noexcept {
  static int const heeded = ::pthread_atfork(
      nullptr, nullptr, [] { detail::forks.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(heeded);
}

// Locks the mutex if it is free. For the end of a program: the handler of a signal that calls
// exit() may have interrupted the owner of the mutex, and would wait for ever.
std::unique_lock<std::mutex> lock_if_free(std::mutex& mutex) noexcept {
  std::unique_lock guard(mutex, std::try_to_lock);
  for (int ms = 0; ms < 100 && !guard.owns_lock(); ++ms) {
    ::usleep(1000);
    static_cast<void>(guard.try_lock());
  }
  return guard;
}

}  // namespace

extend::tracer::tracer(extend::trace_options options)
    : options_(std::move(options)),
      steady_start_(std::chrono::steady_clock::now()),
      start_(std::chrono::system_clock::now()),
      gathered_(std::make_unique<gathering>(options_.rank)) {
  heed_forks();
  gathered_->at_once =
      options_.write == detail::trace_write::at_once || options_.mode == extend::trace_mode::errors;
  gathered_->newest = gathered_->written = steady_start_;
  if (options_.directory.empty()) {
    char const* const local = std::getenv("TMPDIR");
    options_.directory = local && *local ? local : "/tmp";
  }
  if (options_.program.empty()) options_.program = program_invocation_short_name;
  path_ = name_of(options_, 1);
}

extend::tracer::~tracer() {
  if (descriptor_ < 0) return;
  if (auto const guard = lock_if_free(mutex_)) {
    write_locked();
    bool const mine = !gathered_->inherited &&
                      gathered_->of_fork == detail::forks.load(std::memory_order_relaxed);
    if (!ended_ && mine) put_whole("]\n");
  }
  ::close(descriptor_);
}

void extend::tracer::look_at_directory(std::string* instead) noexcept {
  int const saved = errno;
  if (::access(options_.directory.c_str(), W_OK | X_OK) != 0) {
    std::lock_guard const guard(mutex_);
    tell(errno, instead);
  }
  errno = saved;
}

void extend::tracer::tell(int error, std::string* instead) noexcept try {
  if (std::exchange(told_, true)) return;
  bool const of_directory =
      error == ENOENT || error == EACCES || error == ENOTDIR || error == EROFS;
  std::string const words =
      "the trace of rank " + std::to_string(options_.rank) + " cannot be written to " +
      options_.directory + ": " + std::strerror(error) +
      (of_directory ? "; make the directory, or name another one by ARGOSY_TRACE_DIR" : "") + '\n';
  if (instead)
    *instead += words;
  else
    std::fprintf(stderr, "argosy: %s", words.c_str());
} catch (...) {  // no memory: nothing is reported
}

bool extend::tracer::start() noexcept try {
  // Creates a new file. In a directory that everyone may write to, an existing name could be
  // another user's link.
  auto const create = [&] {
    return ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
                  0644);
  };
  int opened = create();
  for (int number = 2; opened < 0 && errno == EEXIST && number < 100; ++number) {
    path_ = name_of(options_, number);
    opened = create();
  }
  if (opened < 0) {
    // The next attempt may find a descriptor, or a directory. An error that cannot go away ends the
    // trace.
    ended_ = errno != EMFILE && errno != ENFILE && errno != EINTR && errno != ENOENT;
    if (ended_ || errno == ENOENT) tell(errno);
    return false;
  }
  descriptor_ = opened;
  trace_text const head = head_of(options_);
  return put_whole(head.view()) == head.size();
} catch (...) {
  return false;
}

// Writes whole lines. If not all fit, writes as many as fit, and the trace ends there. Returns the
// number of bytes that stay.
std::size_t extend::tracer::put_whole(std::string_view lines) noexcept {
  detail::size_limit_guard guard(std::numeric_limits<std::int64_t>::max(), detail::size_limit());
  std::size_t put = 0;
  int error = 0;
  while (put < lines.size() && error == 0) {
    ssize_t const now = ::write(descriptor_, lines.data() + put, lines.size() - put);
    if (now > 0)
      put += static_cast<std::size_t>(now);
    else if (now == 0 || errno != EINTR)
      error = now == 0 ? EIO : errno;
  }
  guard.note(error);
  if (error == 0) return put;
  ended_ = true;
  std::size_t const whole = lines.substr(0, put).rfind('\n') + 1;  // without one: npos + 1 is 0
  auto const torn = static_cast<off_t>(put - whole);
  if (torn > 0)
    if (off_t const end = ::lseek(descriptor_, 0, SEEK_END);
        end >= torn && ::ftruncate(descriptor_, end - torn) != 0)
      return whole;  // the last line stays torn
  return whole;
}

void extend::tracer::write_locked() noexcept {
  has_gathered_.store(false, std::memory_order_relaxed);
  gathering& all = *gathered_;
  // These lines belong to the parent, and are dropped with the next line.
  if (all.of_fork != detail::forks.load(std::memory_order_relaxed)) return;
  int const saved = errno;
  std::string_view const lines = all.text.view();
  std::size_t const stayed = ended_ || lines.empty() ? 0 : put_whole(lines);
  lines_ +=
      stayed == lines.size()
          ? all.lines
          : std::count(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(stayed), '\n');
  all.text.cut(0);
  all.text.give_back(4 * gathering::most);
  all.lines = 0;
  all.written = all.newest;
  errno = saved;
}

void extend::tracer::write_gathered() noexcept {
  std::lock_guard const guard(mutex_);
  write_locked();
}

void extend::tracer::gather_no_more() noexcept {
  auto const guard = lock_if_free(mutex_);
  if (!guard) return;
  gathered_->at_once = true;
  write_locked();
}

namespace extend {

std::shared_ptr<tracer> open_trace(trace_options const& options, std::string* complaint) {
  if (options.mode == trace_mode::off) return nullptr;
  // All tracers, until the process ends, because a file may outlive main(), or may never be closed.
  struct all_open : std::map<std::string, std::shared_ptr<tracer>> {
    ~all_open() {
      for (auto const& [path, to] : *this) to->gather_no_more();
    }
  };
  static std::mutex mutex;
  static all_open open;
  auto made = std::make_shared<tracer>(options);
  std::lock_guard const guard(mutex);
  auto const [place, is_new] = open.try_emplace(made->path(), made);
  if (is_new) made->look_at_directory(complaint);
  return place->second;
}

}  // namespace extend

}  // namespace argosy
