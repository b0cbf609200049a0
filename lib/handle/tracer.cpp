// Implements handle/tracer.hpp: options from the environment, lines of text or JSON, the trace file.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/detail/size_limit.hpp>
#include <argosy/handle/tracer.hpp>
#include <argosy/handle/tracing.hpp>
#include <argosy/world/detail/host.hpp>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

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

namespace argosy {

namespace {

using text = fmt::memory_buffer;

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

// On a line.
void add_plainly(text& out, std::string_view s) {
  for (char const c : s) out.push_back(static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
}

// Inside quotes, as JSON wants it; text takes the same.
void quote(text& out, std::string_view s) {
  out.push_back('"');
  for (char const c : s) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

template <class... Arguments>
void add(text& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

void add_time(text& out, std::int64_t ns) {
  auto const seconds = static_cast<std::time_t>(ns / 1'000'000'000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  add(out, "{:%Y-%m-%dT%H:%M:%S}.{:09}Z", parts, ns % 1'000'000'000);
}

void add_microseconds(text& out, std::int64_t ns) { add(out, "{}.{:03}", ns / 1000, ns % 1000); }

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

long thread_id() { return ::syscall(SYS_gettid); }

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
  return o;
}

tracer::tracer(trace_options options)
    : options_(std::move(options)),
      steady_start_(std::chrono::steady_clock::now()),
      start_(std::chrono::system_clock::now()) {
  if (options_.directory.empty()) {
    char const* const local = std::getenv("TMPDIR");
    options_.directory = local && *local ? local : "/tmp";
  }
  if (options_.program.empty()) options_.program = program_invocation_short_name;
  path_ = name_of(options_, 1);
}

tracer::~tracer() {
  if (descriptor_ < 0) return;
  if (!ended_ && options_.format == trace_format::chrome) put_whole("]\n");
  ::close(descriptor_);
}

// Time since the epoch, so that ranks and nodes can be compared, but never going backwards within one tracer.
std::int64_t tracer::nanoseconds(std::chrono::steady_clock::time_point t) const noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(start_.time_since_epoch() + (t - steady_start_)).count();
}

void tracer::record(traced_call const& call) noexcept try {
  text line;
  auto const begin = nanoseconds(call.begin);
  auto const took = std::chrono::duration_cast<std::chrono::nanoseconds>(call.end - call.begin).count();
  if (options_.format == trace_format::text) {
    add_time(line, begin);
    add(line, " {:.6f} s {} ", static_cast<double>(took) * 1e-9, to_string(call.kind));
    quote(line, call.file);
    if (call.offset >= 0) add(line, " offset={}", call.offset);
    if (call.bytes >= 0) add(line, " bytes={}", call.bytes);
    if (call.runs != 1) add(line, " runs={}", call.runs);
    if (!call.places.empty()) add(line, " at={}", call.places);
    if (!call.failed.empty()) add(line, " failed={}", call.failed);
    if (!call.detail.empty()) add(line, " {}", call.detail);
    add(line, " ->");
    if (call.result >= 0) add(line, " {}", call.result);
    if (call.error)
      add(line, " {} ({})", error_name(call.error), call.error.message());
    else if (call.result < 0)
      add(line, " ok");
  } else {
    add(line, ",{{\"name\":\"{}\",\"cat\":\"{}\",\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":", to_string(call.kind),
        call.error ? "error" : "file", options_.rank, thread_id());
    add_microseconds(line, begin);
    add(line, ",\"dur\":");
    add_microseconds(line, took);
    add(line, ",\"args\":{{\"file\":");
    quote(line, call.file);
    if (call.offset >= 0) add(line, ",\"offset\":{}", call.offset);
    if (call.bytes >= 0) add(line, ",\"bytes\":{}", call.bytes);
    if (call.runs != 1) add(line, ",\"runs\":{}", call.runs);
    if (!call.places.empty()) add(line, ",\"at\":\"{}\"", call.places);
    if (!call.failed.empty()) add(line, ",\"failed\":\"{}\"", call.failed);
    if (!call.detail.empty()) {
      add(line, ",\"detail\":");
      quote(line, call.detail);
    }
    if (call.result >= 0) add(line, ",\"result\":{}", call.result);
    if (call.error) {
      add(line, ",\"error\":\"{}\",\"message\":", error_name(call.error));
      quote(line, call.error.message());
    }
    add(line, "}}}}");
  }
  line.push_back('\n');
  put({line.data(), line.size()});
} catch (...) {  // no memory: a line less
}

// A call may have hundreds of phases, and its rank waits for their lines: no format string is read here.
void tracer::record(std::span<detail::traced_phase const> phases, std::span<detail::traced_message const> messages,
                    std::string_view file) noexcept try {
  text lines, quoted_file;
  quote(quoted_file, file);
  bool const json = options_.format == trace_format::chrome;
  std::string const place = fmt::format(",\"pid\":{},\"tid\":{},\"ts\":", options_.rank, thread_id());
  auto const put_text = [&](std::string_view s) { lines.append(s.data(), s.data() + s.size()); };
  auto const put_number = [&](std::int64_t n) { put_text(std::string_view(fmt::format_int(n).c_str())); };
  // `digits` behind the point, of a number that counts in those.
  auto const put_fraction = [&](std::int64_t n, std::int64_t unit) {
    put_number(n / unit);
    lines.push_back('.');
    for (std::int64_t rest = n % unit, u = unit / 10; u > 0; u /= 10)
      lines.push_back(static_cast<char>('0' + rest / u % 10));
  };
  auto const put_argument = [&](std::string_view name, std::int64_t value) {
    if (value < 0) return;
    put_text(name);
    put_number(value);
  };
  for (detail::traced_phase const& p : phases) {
    std::string_view const kind = name_of(p.what), name = p.facts.name.empty() ? kind : p.facts.name;
    auto const begin = nanoseconds(p.begin);
    auto const took = std::chrono::duration_cast<std::chrono::nanoseconds>(p.end - p.begin).count();
    if (json) {
      put_text(",{\"name\":\"");
      put_text(name);
      put_text("\",\"cat\":\"");
      put_text(kind);
      put_text("\",\"ph\":\"X\"");
      put_text(place);
      put_fraction(begin, 1000);
      put_text(",\"dur\":");
      put_fraction(took, 1000);
      put_text(",\"args\":{\"file\":");
      put_text({quoted_file.data(), quoted_file.size()});
      put_argument(",\"offset\":", p.facts.offset);
      put_argument(",\"bytes\":", p.facts.bytes);
      put_text("}}\n");
    } else {
      add_time(lines, begin);
      lines.push_back(' ');
      put_fraction(took, 1'000'000'000);
      put_text(" s ");
      put_text(kind);
      lines.push_back(':');
      put_text(name);
      lines.push_back(' ');
      put_text({quoted_file.data(), quoted_file.size()});
      put_argument(" offset=", p.facts.offset);
      put_argument(" bytes=", p.facts.bytes);
      put_text(" -> ok\n");
    }
  }
  for (detail::traced_message const& m : messages) {
    bool const sent = m.what == detail::message_end::sent;
    std::int64_t const number = next_message(file, m);
    auto const at = nanoseconds(m.at);
    if (json) {
      // The viewers draw an arrow between two events of one id.
      put_text(sent ? ",{\"name\":\"message\",\"cat\":\"message\",\"ph\":\"s\",\"id\":\""
                    : ",{\"name\":\"message\",\"cat\":\"message\",\"ph\":\"f\",\"bp\":\"e\",\"id\":\"");
      int const me = options_.rank;
      add(lines, "{:#x}", id_of_message(file, sent ? me : m.peer, sent ? m.peer : me, number));
      lines.push_back('"');
      put_text(place);
      put_fraction(at, 1000);
      put_text(",\"args\":{\"file\":");
      put_text({quoted_file.data(), quoted_file.size()});
      put_argument(",\"bytes\":", m.bytes);
      put_argument(",\"peer\":", m.peer);
      put_argument(",\"number\":", number);
      put_text("}}\n");
    } else {
      add_time(lines, at);
      put_text(sent ? " 0.0 s message:sent " : " 0.0 s message:received ");
      put_text({quoted_file.data(), quoted_file.size()});
      put_argument(" bytes=", m.bytes);
      put_argument(" peer=", m.peer);
      put_argument(" number=", number);
      put_text(" -> ok\n");
    }
  }
  put({lines.data(), lines.size()}, std::ssize(phases) + std::ssize(messages));
} catch (...) {  // no memory: a call less
}

// Both ends count alike, so that they can be put together.
std::int64_t tracer::next_message(std::string_view file, detail::traced_message const& m) {
  std::lock_guard const guard(mutex_);
  return messages_[{std::string(file), m.peer, m.what}]++;
}

void tracer::note(std::string_view message) noexcept try {
  if (options_.mode == trace_mode::off) return;
  text line;
  auto const now = nanoseconds(std::chrono::steady_clock::now());
  if (options_.format == trace_format::text) {
    add_time(line, now);
    add(line, " # ");
    add_plainly(line, message);
  } else {
    add(line, ",{{\"name\":");
    quote(line, message);
    add(line, ",\"cat\":\"note\",\"ph\":\"i\",\"s\":\"p\",\"pid\":{},\"tid\":{},\"ts\":", options_.rank, thread_id());
    add_microseconds(line, now);
    line.push_back('}');
  }
  line.push_back('\n');
  put({line.data(), line.size()});
} catch (...) {
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
  text head;
  std::string const who = fmt::format("rank {}{}{}", options_.rank, options_.agent.empty() ? "" : " ", options_.agent);
  if (options_.format == trace_format::text) {
    add(head, "# argosy trace: ");
    add_plainly(head, fmt::format("{} of {}, pid {} on {}", who, options_.program, ::getpid(), host));
    add(head, "\n# time, duration, call, file, parameters -> result\n");
  } else {
    std::string const what = fmt::format("{} ({}, pid {} on {})", who, options_.program, ::getpid(), host);
    add(head, "[{{\"name\":\"argosy\",\"ph\":\"M\",\"pid\":{},\"args\":{{}}}}\n", options_.rank);
    add(head, ",{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{},\"args\":{{\"name\":", options_.rank);
    quote(head, what);
    add(head, "}}}}\n,{{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":{0},\"args\":{{\"sort_index\":{0}}}}}\n",
        options_.rank);
  }
  return put_whole({head.data(), head.size()});
} catch (...) {
  return false;
}

// Writes a whole line or nothing: one that does not fit is removed again, and the trace ends there.
bool tracer::put_whole(std::string_view line) noexcept {
  detail::size_limit_guard guard(std::numeric_limits<std::int64_t>::max(), 0);
  ssize_t put;
  do {
    put = ::write(descriptor_, line.data(), line.size());
  } while (put < 0 && errno == EINTR);
  guard.note(put < 0 ? errno : 0);
  if (put == static_cast<ssize_t>(line.size())) return true;
  ended_ = true;
  if (put > 0)
    if (off_t const now = ::lseek(descriptor_, 0, SEEK_END); now >= put && ::ftruncate(descriptor_, now - put) != 0)
      return false;  // then the last line stays torn
  return false;
}

void tracer::put(std::string_view lines, std::int64_t count) noexcept {
  int const saved = errno;
  {
    std::lock_guard const guard(mutex_);
    if (!ended_ && (descriptor_ >= 0 || start()) && put_whole(lines)) lines_ += count;
  }
  errno = saved;
}

std::shared_ptr<tracer> open_trace(trace_options const& options, std::string* complaint) {
  if (options.mode == trace_mode::off) return nullptr;
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<tracer>> open;
  auto made = std::make_shared<tracer>(options);
  std::lock_guard const guard(mutex);
  auto const [place, is_new] = open.try_emplace(made->path(), made);
  if (is_new) made->look_at_directory(complaint);
  return place->second;
}

}  // namespace argosy
