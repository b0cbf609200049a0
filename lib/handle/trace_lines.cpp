// Implements handle/tracer.hpp: calls, phases and notes as lines of text or JSON.
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

using detail::trace_text;

constexpr std::chrono::milliseconds longest_gathered{100};

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

long thread_id() noexcept {
  constinit thread_local long id = 0;
  constinit thread_local unsigned of = 0;
  if (unsigned const now = detail::forks.load(std::memory_order_relaxed); id == 0 || of != now) {
    id = ::syscall(SYS_gettid);
    of = now;
  }
  return id;
}

}  // namespace

std::string error_name(std::error_code const& error) {
  if (!error) return "";
  if (error.category() != std::system_category() && error.category() != std::generic_category())
    return error.category().name() + (':' + std::to_string(error.value()));
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
  if (char const* const name = ::strerrorname_np(error.value())) return name;
#endif
  return "errno " + std::to_string(error.value());
}

std::string detail::describe(open_flags flags) {
  std::string s = flags.read && flags.write ? "read write" : flags.write ? "write" : "read";
  if (flags.create) s += flags.exclusive ? " create exclusive" : " create";
  return s;
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
  if (unsigned const now = detail::forks.load(std::memory_order_relaxed); all.of_fork != now) [[unlikely]] {
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
  if (at_once || all.at_once || all.text.size() >= gathering::most || all.newest - all.written > longest_gathered)
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
      if (p.facts.source_line > 0) {
        lines.put(" from=");
        lines.put(p.facts.source_file);
        lines.put(':');
        lines.put_number(p.facts.source_line);
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
      if (p.facts.source_line > 0) {
        lines.put(",\"from\":");
        lines.put_quoted(p.facts.source_file + (':' + std::to_string(p.facts.source_line)));
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
      lines.put_hex(id_of_message(file, sent ? me : m.peer, sent ? m.peer : me, number));
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

}  // namespace argosy
