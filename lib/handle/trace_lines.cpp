// Implements handle/tracer.hpp: calls, phases and notes as lines of JSON.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/tracer.hpp>
#include <argosy/handle/tracing.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <string>

#include "trace_gathering.hpp"

namespace argosy {

namespace {

constexpr std::chrono::milliseconds longest_gathered{100};

// Returns a number that is equal at both ends of a message, and different for all others.
std::uint64_t id_of_message(std::string_view file, int from, int to, std::int64_t number) {
  std::uint64_t id = 14695981039346656037u;  // FNV-1a
  auto const add_byte = [&](std::uint64_t b) { id = (id ^ (b & 255)) * 1099511628211u; };
  for (char const c : file) add_byte(static_cast<unsigned char>(c));
  for (std::uint64_t const n : {static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to),
                                static_cast<std::uint64_t>(number)})
    for (int shift = 0; shift < 64; shift += 8) add_byte(n >> shift);
  return id;
}

long thread_id() noexcept {
  constinit thread_local long id = 0;
  constinit thread_local unsigned of = 0;
  if (unsigned const now = detail::forks.load(std::memory_order_relaxed); id == 0 || of != now) {
    id = ::syscall(SYS_gettid);
    of = now;
  }
  return id;
}

std::int64_t nanoseconds_of(std::chrono::steady_clock::duration d) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count();
}

}  // namespace

namespace extend {

std::string error_name(std::error_code const& error) {
  if (!error) return "";
  if (error.category() != std::system_category() && error.category() != std::generic_category())
    return error.category().name() + (':' + std::to_string(error.value()));
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
  if (char const* const name = ::strerrorname_np(error.value())) return name;
#endif
  return "errno " + std::to_string(error.value());
}

}  // namespace extend

std::string detail::text_of_flags(extend::open_flags flags) {
  std::string s = flags.read && flags.write ? "read write" : flags.write ? "write" : "read";
  if (flags.create) s += flags.exclusive ? " create exclusive" : " create";
  return s;
}

// Returns the time since the epoch, which is comparable between ranks and nodes. It never goes
// backwards within one tracer.
std::int64_t extend::tracer::nanoseconds(std::chrono::steady_clock::time_point t) const noexcept {
  return nanoseconds_of(start_.time_since_epoch() + (t - steady_start_));
}

// Adds lines: `put` appends them to the gathered ones. `when` is the time of the newest.
template <class Put>
void extend::tracer::add_lines(std::int64_t lines, bool at_once,
                               std::chrono::steady_clock::time_point when, Put&& put) noexcept {
  if (ended_) return;
  gathering& all = *gathered_;
  if (unsigned const now = detail::forks.load(std::memory_order_relaxed); all.of_fork != now)
      [[unlikely]] {
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
    } catch (...) {  // no memory: this line is missing
      all.text.cut(before);
      lines = 0;
    }
  errno = saved;
  if (!there || lines == 0) return;
  all.lines += lines;
  all.newest = std::max(all.newest, when);
  has_gathered_.store(true, std::memory_order_relaxed);
  if (at_once || all.at_once || all.text.size() >= gathering::most ||
      all.newest - all.written > longest_gathered)
    write_locked();
}

// The functions of `gathering` are inline, so that they are not symbols of the library.

// Appends the rank, the thread and the time of an event.
inline void extend::tracer::gathering::put_place(std::int64_t when) {
  long const thread = thread_id();
  // A clock that was never set would put zeros before the number, which is not JSON.
  when = std::max(when, nanoseconds_of(std::chrono::seconds(1)));
  std::int64_t const second = when / 1'000'000'000;
  if (thread != thread_ || second != second_) {
    place_ = ",\"pid\":" + std::to_string(rank_) + ",\"tid\":" + std::to_string(thread) +
             ",\"ts\":" + std::to_string(second);
    thread_ = thread;
    second_ = second;
  }
  text.put(place_);
  text.put_digits<6>(when % 1'000'000'000 / 1000);
  text.put('.');
  text.put_digits<3>(when % 1000);
}

inline void extend::tracer::gathering::put_file(std::string_view file) {
  if (!quoted_is_whole_ || file != file_) {
    quoted_is_whole_ = false;
    quoted_.cut(0);
    quoted_.put(",\"args\":{\"file\":");
    quoted_.put_quoted(file);
    file_ = file;
    quoted_is_whole_ = true;
  }
  text.put(quoted_.view());
}

// Appends the first fields of the lines of calls and phases.
inline void extend::tracer::gathering::put_start(std::string_view name, std::string_view category,
                                                 std::int64_t begin,
                                                 std::chrono::steady_clock::duration took,
                                                 std::string_view file) {
  text.put(",{\"name\":\"");
  text.put(name);
  text.put("\",\"cat\":\"");
  text.put(category);
  text.put("\",\"ph\":\"X\"");
  put_place(begin);
  text.put(",\"dur\":");
  text.put_time(nanoseconds_of(took));
  put_file(file);
}

// Returns the number of a message. Both ends count alike, so that they can be matched.
inline std::int64_t extend::tracer::gathering::next_message(std::string_view file,
                                                            detail::traced_message const& m) {
  auto of_file = messages_.find(file);
  if (of_file == messages_.end()) of_file = messages_.try_emplace(std::string(file)).first;
  return of_file->second[m.peer][static_cast<std::size_t>(m.what)]++;
}

inline void extend::tracer::gathering::put_call(detail::traced_call const& call,
                                                std::int64_t begin) {
  put_start(to_string(call.kind), call.error ? "error" : "file", begin, call.end - call.begin,
            call.file);
  text.put_argument(",\"offset\":", call.offset);
  text.put_argument(",\"bytes\":", call.bytes);
  if (call.runs != 1) {
    text.put(",\"runs\":");
    text.put_number(call.runs);
  }
  text.put_argument(",\"at\":", call.places);
  text.put_argument(",\"failed\":", call.failed);
  text.put_argument(",\"detail\":", call.detail);
  text.put_argument(",\"result\":", call.result);
  if (call.missing) text.put(",\"missing\":true");
  if (call.error) {
    text.put_argument(",\"error\":", extend::error_name(call.error));
    text.put_argument(",\"message\":", call.error.message());
  }
  text.put("}}\n");
}

inline void extend::tracer::gathering::put_phase(detail::traced_phase const& p, std::int64_t begin,
                                                 std::string_view file) {
  std::string_view const kind = name_of(p.what);
  put_start(p.facts.name.empty() ? kind : p.facts.name, kind, begin, p.end - p.begin, file);
  text.put_argument(",\"offset\":", p.facts.offset);
  text.put_argument(",\"bytes\":", p.facts.bytes);
  text.put_argument(",\"number\":", p.facts.number);
  text.put_argument(",\"detail\":", p.facts.detail);
  if (p.facts.source_line > 0) {
    text.put(",\"from\":\"");
    text.put_escaped(p.facts.source_file);
    text.put(':');
    text.put_number(p.facts.source_line);
    text.put('"');
  }
  text.put("}}\n");
}

inline void extend::tracer::gathering::put_message(detail::traced_message const& m,
                                                   std::int64_t when, std::string_view file) {
  bool const sent = m.what == detail::message_end::sent;
  std::int64_t const number = next_message(file, m);
  // The viewers draw an arrow between two events of one id.
  text.put(sent ? R"(,{"name":"message","cat":"message","ph":"s","id":")"
                : R"(,{"name":"message","cat":"message","ph":"f","bp":"e","id":")");
  text.put_hex(id_of_message(file, sent ? rank_ : m.peer, sent ? m.peer : rank_, number));
  text.put('"');
  put_place(when);
  put_file(file);
  text.put_argument(",\"bytes\":", m.bytes);
  text.put_argument(",\"peer\":", m.peer);
  text.put_argument(",\"number\":", number);
  text.put("}}\n");
}

inline void extend::tracer::gathering::put_note(std::string_view message, std::int64_t when) {
  text.put(",{\"name\":");
  text.put_quoted(message);
  text.put(R"(,"cat":"note","ph":"i","s":"p")");
  put_place(when);
  text.put("}\n");
}

void extend::tracer::record(detail::traced_call const& call) noexcept {
  bool const at_once = call.error || call.kind == file_call::close;
  std::lock_guard const guard(mutex_);
  add_lines(1, at_once, call.end,
            [&](gathering& all) { all.put_call(call, nanoseconds(call.begin)); });
}

// Writes the lines after the call. A call may have hundreds of phases, and its rank waits for their
// lines.
void extend::tracer::record(std::span<detail::traced_phase const> phases,
                            std::span<detail::traced_message const> messages,
                            std::string_view file) noexcept {
  if (phases.empty() && messages.empty()) return;
  auto const count = std::ssize(phases) + std::ssize(messages);
  // The first phase contains the others.
  auto const when = phases.empty() ? messages.back().at : phases.front().end;
  std::lock_guard const guard(mutex_);
  add_lines(count, false, when, [&](gathering& all) {
    for (detail::traced_phase const& p : phases) all.put_phase(p, nanoseconds(p.begin), file);
    for (detail::traced_message const& m : messages) all.put_message(m, nanoseconds(m.at), file);
  });
}

// Writes the note at once, with the lines gathered before. Notes are few, and are mostly used to
// look for a fault.
void extend::tracer::note(std::string_view message) noexcept {
  if (options_.mode == extend::trace_mode::off) return;
  auto const when = std::chrono::steady_clock::now();
  std::lock_guard const guard(mutex_);
  add_lines(1, true, when, [&](gathering& all) { all.put_note(message, nanoseconds(when)); });
}

}  // namespace argosy
