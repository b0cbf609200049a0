// Implements handle/tracer.hpp: options from the environment, lines of text or JSON, the trace file.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/detail/size_limit.hpp>
#include <argosy/handle/tracer.hpp>
#include <argosy/handle/tracing.hpp>
#include <argosy/world/detail/host.hpp>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "trace_text.hpp"

namespace argosy {

namespace {

using detail::trace_text;

constexpr std::size_t most_gathered = std::size_t{64} << 10;
constexpr std::chrono::milliseconds longest_gathered{100};

// Each complaint once per process.
void complain(char const* variable, char const* value, char const* allowed) {
  static std::mutex mutex;
  static std::map<std::string, bool> said;
  std::lock_guard const guard(mutex);
  if (!said.emplace(std::string(variable) + "=" + value, true).second) return;
  std::fprintf(stderr, "argosy: %s=%s is not understood (%s); the default holds\n", variable, value, allowed);
}

template <class Value>
Value choice(int rank, char const* variable, Value value, std::initializer_list<std::pair<char const*, Value>> choices,
             char const* allowed) {
  char const* const said = std::getenv(variable);
  if (!said || !*said) return value;
  for (auto const& [name, meaning] : choices)
    if (std::strcmp(name, said) == 0) return meaning;
  if (rank == 0) complain(variable, said, allowed);  // all ranks mostly have the same environment
  return value;
}

// Makes a text safe for file names: other characters become '_'.
std::string plain(std::string s) {
  for (char& c : s)
    if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '.' && c != '_' &&
        c != '+')
      c = '_';
  return s;
}

std::string name_of(trace_options const& o, int number) {
  return fmt::format("{}/argosy-{}-{}-rank{}{}{}{}.{}", o.directory, plain(o.program), ::getpid(), o.rank,
                     o.agent.empty() ? "" : "-", plain(o.agent), number == 1 ? "" : fmt::format(".{}", number),
                     o.format == trace_format::text ? "trace" : "json");
}

// The same at both ends of a message, and of no other.
std::uint64_t id_of_message(std::string_view file, int from, int to, std::int64_t number) {
  std::uint64_t id = 14695981039346656037u;  // FNV-1a
  auto const add_byte = [&](std::uint64_t b) { id = (id ^ (b & 255)) * 1099511628211u; };
  for (char const c : file) add_byte(static_cast<unsigned char>(c));
  for (std::uint64_t const n :
       {static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to), static_cast<std::uint64_t>(number)})
    for (int shift = 0; shift < 64; shift += 8) add_byte(n >> shift);
  return id;
}

// How often this process is the child of a fork(): what its parent has gathered is not its own, and its thread has another number.
std::atomic<unsigned> forks{0};

void heed_forks() noexcept {
  static int const heeded = ::pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(heeded);
}

// When a program ends: the handler of a signal that calls exit() may have interrupted who holds it, and would wait for ever.
std::unique_lock<std::mutex> lock_if_free(std::mutex& mutex) noexcept {
  std::unique_lock guard(mutex, std::try_to_lock);
  for (int ms = 0; ms < 100 && !guard.owns_lock(); ++ms) {
    ::usleep(1000);
    static_cast<void>(guard.try_lock());
  }
  return guard;
}

long thread_id() noexcept {
  constinit thread_local long id = 0;
  constinit thread_local unsigned of = 0;
  if (unsigned const now = forks.load(std::memory_order_relaxed); id == 0 || of != now) {
    id = ::syscall(SYS_gettid);
    of = now;
  }
  return id;
}

}  // namespace

std::string error_name(std::error_code const& error) {
  if (!error) return "";
  if (error.category() != std::system_category() && error.category() != std::generic_category())
    return fmt::format("{}:{}", error.category().name(), error.value());
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
  if (char const* const name = ::strerrorname_np(error.value())) return name;
#endif
  return fmt::format("errno {}", error.value());
}

std::string detail::describe(open_flags flags) {
  std::string s = flags.read && flags.write ? "read write" : flags.write ? "write" : "read";
  if (flags.create) s += flags.exclusive ? " create exclusive" : " create";
  return s;
}

trace_options trace_options::from_environment(int rank, std::string agent) {
  trace_options o;
  o.rank = rank;
  o.agent = std::move(agent);
  o.mode = choice(rank, "ARGOSY_TRACE", trace_mode::off,
                  {{"off", trace_mode::off},
                   {"0", trace_mode::off},
                   {"1", trace_mode::calls},
                   {"errors", trace_mode::errors},
                   {"calls", trace_mode::calls},
                   {"phases", trace_mode::phases}},
                  "off, errors, calls or phases");
  o.format = choice(rank, "ARGOSY_TRACE_FORMAT", trace_format::text,
                    {{"text", trace_format::text}, {"chrome", trace_format::chrome}}, "text or chrome");
  if (char const* const from = std::getenv("ARGOSY_TRACE_FROM"); from && *from) {
    char* end = nullptr;
    errno = 0;
    long long const bytes = std::strtoll(from, &end, 10);
    if (!*end && !errno && bytes >= 0)
      o.from_offset = bytes;
    else if (rank == 0)
      complain("ARGOSY_TRACE_FROM", from, "a file offset in bytes");
  }
  if (char const* const directory = std::getenv("ARGOSY_TRACE_DIR")) o.directory = directory;
  o.write = choice(rank, "ARGOSY_TRACE_WRITE", detail::trace_write::gathered,
                   {{"gathered", detail::trace_write::gathered}, {"at_once", detail::trace_write::at_once}},
                   "gathered or at_once");
  return o;
}

// What gathers, and what is the same from line to line.
struct tracer::gathering {
  trace_text text;
  std::int64_t lines = 0;
  bool at_once = false;
  unsigned of_fork = forks.load(std::memory_order_relaxed);
  bool inherited = false;                                 // the file was made by the parent of this process
  std::chrono::steady_clock::time_point newest, written;  // the newest line; that at the last write

  void put_time(std::int64_t ns) {
    std::int64_t const seconds = ns / 1'000'000'000;
    if (seconds != second_) {
      auto const t = static_cast<std::time_t>(seconds);
      std::tm parts{};
      ::gmtime_r(&t, &parts);
      date_ = fmt::format("{:%Y-%m-%dT%H:%M:%S}.", parts);
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
  trace_text quoted_;
  bool quoted_is_whole_ = false;
  std::map<std::string, std::map<int, std::array<std::int64_t, 2>>, std::less<>>
      messages_;  // so far: of a file, by rank
};

tracer::tracer(trace_options options)
    : options_(std::move(options)),
      steady_start_(std::chrono::steady_clock::now()),
      start_(std::chrono::system_clock::now()),
      gathered_(std::make_unique<gathering>()) {
  heed_forks();
  gathered_->at_once = options_.write == detail::trace_write::at_once || options_.mode == trace_mode::errors;
  gathered_->newest = gathered_->written = steady_start_;
  if (options_.directory.empty()) {
    char const* const local = std::getenv("TMPDIR");
    options_.directory = local && *local ? local : "/tmp";
  }
  if (options_.program.empty()) options_.program = program_invocation_short_name;
  path_ = name_of(options_, 1);
}

tracer::~tracer() {
  if (descriptor_ < 0) return;
  if (auto const guard = lock_if_free(mutex_)) {
    write_locked();
    bool const mine = !gathered_->inherited && gathered_->of_fork == forks.load(std::memory_order_relaxed);
    if (!ended_ && mine && options_.format == trace_format::chrome) put_whole("]\n");
  }
  ::close(descriptor_);
}

// Time since the epoch, so that ranks and nodes can be compared, but never going backwards within one tracer.
std::int64_t tracer::nanoseconds(std::chrono::steady_clock::time_point t) const noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(start_.time_since_epoch() + (t - steady_start_)).count();
}

// `put` appends so many lines, the newest of which is of `when`, to what has gathered.
template <class Put>
void tracer::add_lines(std::int64_t lines, bool at_once, std::chrono::steady_clock::time_point when,
                       Put&& put) noexcept {
  if (ended_) return;
  gathering& all = *gathered_;
  if (unsigned const now = forks.load(std::memory_order_relaxed); all.of_fork != now) [[unlikely]] {
    all.of_fork = now;
    all.inherited = descriptor_ >= 0;
    all.text.cut(0);
    all.lines = 0;
  }
  int const saved = errno;
  bool const there = descriptor_ >= 0 || start();
  std::size_t const before = all.text.size();
  if (there) try {
      put(all);
    } catch (...) {  // no memory: a call less
      all.text.cut(before);
      lines = 0;
    }
  errno = saved;
  if (!there || lines == 0) return;
  all.lines += lines;
  all.newest = std::max(all.newest, when);
  has_gathered_.store(true, std::memory_order_relaxed);
  if (at_once || all.at_once || all.text.size() >= most_gathered || all.newest - all.written > longest_gathered)
    write_locked();
}

void tracer::record(detail::traced_call const& call) noexcept {
  auto const begin = nanoseconds(call.begin);
  auto const took = std::chrono::duration_cast<std::chrono::nanoseconds>(call.end - call.begin).count();
  bool const last = call.error || call.kind == file_call::close;
  auto const put_text = [&](gathering& all) {
    trace_text& line = all.text;
    all.put_time(begin);
    line.put(' ');
    line.put_fraction<6>((took + 500) / 1000);
    line.put(" s ");
    line.put(to_string(call.kind));
    line.put(' ');
    all.put_file(call.file);
    line.put_argument(" offset=", call.offset);
    line.put_argument(" bytes=", call.bytes);
    if (call.runs != 1) {
      line.put(" runs=");
      line.put_number(call.runs);
    }
    auto const put_word = [&](std::string_view name, std::string_view word) {
      if (word.empty()) return;
      line.put(name);
      line.put(word);
    };
    put_word(" at=", call.places);
    put_word(" failed=", call.failed);
    put_word(" ", call.detail);
    line.put(" ->");
    line.put_argument(" ", call.result);
    if (call.error) {
      line.put(' ');
      line.put(error_name(call.error));
      line.put(" (");
      line.put(call.error.message());
      line.put(')');
    } else if (call.result < 0) {
      line.put(call.missing ? " missing" : " ok");
    }
    line.put('\n');
  };
  auto const put_json = [&](gathering& all) {
    trace_text& line = all.text;
    line.put(",{\"name\":\"");
    line.put(to_string(call.kind));
    line.put(call.error ? R"(","cat":"error","ph":"X","pid":)" : R"(","cat":"file","ph":"X","pid":)");
    line.put_number(options_.rank);
    line.put(",\"tid\":");
    line.put_number(thread_id());
    line.put(",\"ts\":");
    line.put_fraction<3>(begin);
    line.put(",\"dur\":");
    line.put_fraction<3>(took);
    line.put(",\"args\":{\"file\":");
    all.put_file(call.file);
    line.put_argument(",\"offset\":", call.offset);
    line.put_argument(",\"bytes\":", call.bytes);
    if (call.runs != 1) {
      line.put(",\"runs\":");
      line.put_number(call.runs);
    }
    auto const put_word = [&](std::string_view name, std::string_view word) {
      if (word.empty()) return;
      line.put(name);
      line.put_quoted(word);
    };
    put_word(",\"at\":", call.places);
    put_word(",\"failed\":", call.failed);
    put_word(",\"detail\":", call.detail);
    line.put_argument(",\"result\":", call.result);
    if (call.missing) line.put(",\"missing\":true");
    if (call.error) {
      put_word(",\"error\":", error_name(call.error));
      line.put(",\"message\":");
      line.put_quoted(call.error.message());
    }
    line.put("}}\n");
  };
  std::lock_guard const guard(mutex_);
  if (options_.format == trace_format::text)
    add_lines(1, last, call.end, put_text);
  else
    add_lines(1, last, call.end, put_json);
}

// A call may have hundreds of phases, and its rank waits for their lines.
void tracer::record(std::span<detail::traced_phase const> phases, std::span<detail::traced_message const> messages,
                    std::string_view file) noexcept {
  auto const put_text = [&](gathering& all) {
    trace_text& lines = all.text;
    for (detail::traced_phase const& p : phases) {
      std::string_view const kind = name_of(p.what);
      all.put_time(nanoseconds(p.begin));
      lines.put(' ');
      lines.put_fraction<9>(std::chrono::duration_cast<std::chrono::nanoseconds>(p.end - p.begin).count());
      lines.put(" s ");
      lines.put(kind);
      lines.put(':');
      lines.put(p.facts.name.empty() ? kind : p.facts.name);
      lines.put(' ');
      all.put_file(file);
      lines.put_argument(" offset=", p.facts.offset);
      lines.put_argument(" bytes=", p.facts.bytes);
      lines.put_argument(" number=", p.facts.number);
      if (!p.facts.detail.empty()) {
        lines.put(' ');
        lines.put(p.facts.detail);
      }
      lines.put(" -> ok\n");
    }
    for (detail::traced_message const& m : messages) {
      all.put_time(nanoseconds(m.at));
      lines.put(m.what == detail::message_end::sent ? " 0.0 s message:sent " : " 0.0 s message:received ");
      all.put_file(file);
      lines.put_argument(" bytes=", m.bytes);
      lines.put_argument(" peer=", m.peer);
      lines.put_argument(" number=", all.next_message(file, m));
      lines.put(" -> ok\n");
    }
  };
  auto const put_json = [&](gathering& all) {
    trace_text& lines = all.text;
    auto const put_place = [&] {
      lines.put(",\"pid\":");
      lines.put_number(options_.rank);
      lines.put(",\"tid\":");
      lines.put_number(thread_id());
      lines.put(",\"ts\":");
    };
    for (detail::traced_phase const& p : phases) {
      std::string_view const kind = name_of(p.what);
      lines.put(",{\"name\":\"");
      lines.put(p.facts.name.empty() ? kind : p.facts.name);
      lines.put("\",\"cat\":\"");
      lines.put(kind);
      lines.put("\",\"ph\":\"X\"");
      put_place();
      lines.put_fraction<3>(nanoseconds(p.begin));
      lines.put(",\"dur\":");
      lines.put_fraction<3>(std::chrono::duration_cast<std::chrono::nanoseconds>(p.end - p.begin).count());
      lines.put(",\"args\":{\"file\":");
      all.put_file(file);
      lines.put_argument(",\"offset\":", p.facts.offset);
      lines.put_argument(",\"bytes\":", p.facts.bytes);
      lines.put_argument(",\"number\":", p.facts.number);
      if (!p.facts.detail.empty()) {
        lines.put(",\"detail\":");
        lines.put_quoted(p.facts.detail);
      }
      lines.put("}}\n");
    }
    int const me = options_.rank;
    for (detail::traced_message const& m : messages) {
      bool const sent = m.what == detail::message_end::sent;
      std::int64_t const number = all.next_message(file, m);
      // The viewers draw an arrow between two events of one id.
      lines.put(sent ? ",{\"name\":\"message\",\"cat\":\"message\",\"ph\":\"s\",\"id\":\""
                     : ",{\"name\":\"message\",\"cat\":\"message\",\"ph\":\"f\",\"bp\":\"e\",\"id\":\"");
      lines.put(fmt::format("{:#x}", id_of_message(file, sent ? me : m.peer, sent ? m.peer : me, number)));
      lines.put('"');
      put_place();
      lines.put_fraction<3>(nanoseconds(m.at));
      lines.put(",\"args\":{\"file\":");
      all.put_file(file);
      lines.put_argument(",\"bytes\":", m.bytes);
      lines.put_argument(",\"peer\":", m.peer);
      lines.put_argument(",\"number\":", number);
      lines.put("}}\n");
    }
  };
  if (phases.empty() && messages.empty()) return;
  auto const count = std::ssize(phases) + std::ssize(messages);
  auto const when = phases.empty() ? messages.back().at : phases.front().end;  // the first holds the others
  std::lock_guard const guard(mutex_);
  if (options_.format == trace_format::text)
    add_lines(count, false, when, put_text);
  else
    add_lines(count, false, when, put_json);
}

// At once, with what has gathered before it: notes are few, and who writes one mostly looks for something that goes wrong.
void tracer::note(std::string_view message) noexcept {
  if (options_.mode == trace_mode::off) return;
  auto const when = std::chrono::steady_clock::now();
  std::lock_guard const guard(mutex_);
  add_lines(1, true, when, [&](gathering& all) {
    trace_text& line = all.text;
    if (options_.format == trace_format::text) {
      all.put_time(nanoseconds(when));
      line.put(" # ");
      line.put_plainly(message);
    } else {
      line.put(",{\"name\":");
      line.put_quoted(message);
      line.put(R"(,"cat":"note","ph":"i","s":"p","pid":)");
      line.put_number(options_.rank);
      line.put(",\"tid\":");
      line.put_number(thread_id());
      line.put(",\"ts\":");
      line.put_fraction<3>(nanoseconds(when));
      line.put('}');
    }
    line.put('\n');
  });
}

void tracer::look_at_directory(std::string* instead) noexcept {
  int const saved = errno;
  if (::access(options_.directory.c_str(), W_OK | X_OK) != 0) {
    std::lock_guard const guard(mutex_);
    tell(errno, instead);
  }
  errno = saved;
}

void tracer::tell(int error, std::string* instead) noexcept try {
  if (std::exchange(told_, true)) return;
  bool const of_directory = error == ENOENT || error == EACCES || error == ENOTDIR || error == EROFS;
  std::string const words = fmt::format(
      "the trace of rank {} cannot be written to {}: {}{}\n", options_.rank, options_.directory, std::strerror(error),
      of_directory ? "; make the directory, or name another one by ARGOSY_TRACE_DIR" : "");
  if (instead)
    *instead += words;
  else
    std::fprintf(stderr, "argosy: %s", words.c_str());
} catch (...) {  // no memory: nothing is told
}

bool tracer::start() noexcept try {
  // A new file: a name in a directory that everybody may write to could be somebody's link.
  auto const create = [&] {
    return ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
  };
  int opened = create();
  for (int number = 2; opened < 0 && errno == EEXIST && number < 100; ++number) {
    path_ = name_of(options_, number);
    opened = create();
  }
  if (opened < 0) {
    // Next time there may be a descriptor, or a directory. An error that cannot go away ends the trace.
    ended_ = errno != EMFILE && errno != ENFILE && errno != EINTR && errno != ENOENT;
    if (ended_ || errno == ENOENT) tell(errno);
    return false;
  }
  descriptor_ = opened;
  std::string const host = detail::host_name();
  trace_text head;
  std::string const who = fmt::format("rank {}{}{}", options_.rank, options_.agent.empty() ? "" : " ", options_.agent);
  if (options_.format == trace_format::text) {
    head.put("# argosy trace: ");
    head.put_plainly(fmt::format("{} of {}, pid {} on {}", who, options_.program, ::getpid(), host));
    head.put("\n# time, duration, call, file, parameters -> result\n");
  } else {
    head.put(fmt::format("[{{\"name\":\"argosy\",\"ph\":\"M\",\"pid\":{},\"args\":{{}}}}\n", options_.rank));
    head.put(fmt::format(",{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{},\"args\":{{\"name\":", options_.rank));
    head.put_quoted(fmt::format("{} ({}, pid {} on {})", who, options_.program, ::getpid(), host));
    head.put(fmt::format(
        "}}}}\n,{{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":{0},\"args\":{{\"sort_index\":{0}}}}}\n",
        options_.rank));
  }
  return put_whole(head.view()) == head.size();
} catch (...) {
  return false;
}

// Writes whole lines: as many as fit, if not all do, and then the trace ends there. How many bytes of them stay.
std::size_t tracer::put_whole(std::string_view lines) noexcept {
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
  std::size_t const whole = lines.substr(0, put).rfind('\n') + 1;  // none: npos + 1 is 0
  auto const torn = static_cast<off_t>(put - whole);
  if (torn > 0)
    if (off_t const end = ::lseek(descriptor_, 0, SEEK_END); end >= torn && ::ftruncate(descriptor_, end - torn) != 0)
      return whole;  // then the last line stays torn
  return whole;
}

void tracer::write_locked() noexcept {
  has_gathered_.store(false, std::memory_order_relaxed);
  gathering& all = *gathered_;
  if (all.of_fork != forks.load(std::memory_order_relaxed)) return;  // the parent's; dropped with the next line
  int const saved = errno;
  std::string_view const lines = all.text.view();
  std::size_t const stayed = ended_ || lines.empty() ? 0 : put_whole(lines);
  lines_ += stayed == lines.size()
                ? all.lines
                : std::count(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(stayed), '\n');
  all.text.cut(0);
  all.text.give_back(4 * most_gathered);
  all.lines = 0;
  all.written = all.newest;
  errno = saved;
}

void tracer::write_gathered() noexcept {
  std::lock_guard const guard(mutex_);
  write_locked();
}

void tracer::gather_no_more() noexcept {
  auto const guard = lock_if_free(mutex_);
  if (!guard) return;
  gathered_->at_once = true;
  write_locked();
}

std::shared_ptr<tracer> open_trace(trace_options const& options, std::string* complaint) {
  if (options.mode == trace_mode::off) return nullptr;
  // A file that outlives main(), or is never closed, keeps its tracer.
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

}  // namespace argosy
