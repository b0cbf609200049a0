// The trace of a rank: a file with a line for each call to its files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <argosy/handle/detail/traced_phases.hpp>
#include <argosy/handle/file_call.hpp>
#include <argosy/handle/handle.hpp>

namespace argosy {

// errors: only calls that failed; phases: those, and what reads and writes of files do when: agree,
// exchange, wait, access
enum class trace_mode { off, errors, calls, phases };
namespace detail {
// of calls and phases; errors are always written at once
enum class trace_write { gathered, at_once };
}  // namespace detail

struct trace_options {
  trace_mode mode = trace_mode::off;
  // reads, writes and locks that end before it are left out, unless they fail
  std::int64_t from_offset = 0;
  std::string directory = {};  // empty: TMPDIR, or /tmp: local to the node
  std::string program = {};    // empty: the name of this one
  int rank = 0;
  std::string agent = {};  // a role of this rank for others; becomes part of the file's name
  detail::trace_write write = detail::trace_write::gathered;

  // Reads ARGOSY_TRACE = off | errors | calls | phases (0 is off, 1 is calls), ARGOSY_TRACE_FROM =
  // bytes, ARGOSY_TRACE_DIR, ARGOSY_TRACE_WRITE = gathered | at_once. Rank 0 reports a value that
  // is not understood on standard error, once, and its default is used.
  static trace_options from_environment(int rank = 0, std::string agent = {});
};

namespace detail {

// One call, as it is written.
struct traced_call {
  file_call kind = file_call::read;
  std::string_view file = {};
  std::int64_t offset = -1;  // -1: the call has none
  std::int64_t bytes = -1;   // asked for: by a transfer, a lock, a resize
  // stretches of the file, for lists of parts; then offset is the first
  std::int64_t runs = 1;
  // of several runs: "0+8,100+8", the first of them if there are many
  std::string_view places = {};
  std::string_view failed = {};  // the run in which the error came
  std::string_view detail = {};  // the kind of lock, how the file was opened, what a read is for
  std::chrono::steady_clock::time_point begin = {}, end = {};
  std::int64_t result = -1;  // bytes moved, or the size; -1: none
  std::error_code error = {};
  bool missing = false;  // a look for a file that need not be there, and is not: no error
};

}  // namespace detail

// One file per rank, <directory>/argosy-<program>-<pid>-rank<rank>[-<agent>].json, made at the
// first line; any number of handles and threads. It opens in Perfetto and chrome://tracing, and
// `argosy trace` reads it. Lines gather in memory and are written together:
//   - when there are 64 KiB of them, or the newest is 0.1 s younger than what was written last;
//   - with a line that tells an error, or a note, at once;
//   - before a rank waits for others in a collective call, when a file is closed, and when the
//   program ends by exit.
// A process that is killed, or ends by a signal, abort() or _exit(), loses what has gathered since:
// less than 64 KiB, of calls of 0.1 s, which may be long ago; killed while it writes, half a line
// may stay. With trace_write::at_once the lines of each call are written after it, in one piece,
// and none is lost: for programs that crash. A child made by fork() does not write what its parent
// has gathered.
//
// The trace of a process that dies lacks its last ']', which the viewers do not mind. This puts
// several ranks into one picture:
//
//   (head -qn1 argosy-*-rank0.json | head -n1; grep -hs '^,' argosy-*.json; echo ']') > all.json
//
// Nothing that happens to the trace disturbs the calls that are traced: if it cannot be written, it
// says so once, on standard error, and ends, after a whole line.
class tracer {
 public:
  explicit tracer(trace_options options);
  tracer(tracer const&) = delete;
  tracer& operator=(tracer const&) = delete;
  ~tracer();

  bool wants(std::int64_t end_offset, std::error_code const& error) const noexcept {
    return options_.mode != trace_mode::off &&
           (error ||
            (options_.mode == trace_mode::calls &&
             (end_offset < 0 || options_.from_offset == 0 || end_offset > options_.from_offset)));
  }
  void record(detail::traced_call const& call) noexcept;
  // The phases and messages of one call, all in one piece.
  void record(std::span<detail::traced_phase const> phases,
              std::span<detail::traced_message const> messages, std::string_view file) noexcept;
  // Writes a line of the caller's own, for instance which collective call is running.
  void note(std::string_view text) noexcept;
  // Writes what has gathered. Costs a look at a variable if nothing has.
  void flush() noexcept {
    if (has_gathered_.load(std::memory_order_relaxed)) write_gathered();
  }

  trace_options const& options() const noexcept { return options_; }
  // The path of the trace. If an earlier tracer or process left such a file, a number is added when
  // the first line is written.
  std::string path() const {
    std::lock_guard const guard(mutex_);
    return path_;
  }
  // In the file so far; lines that gather in memory are not yet among them.
  std::int64_t lines() const noexcept { return lines_; }
  // Says it now if the directory is missing or cannot be written to: a trace of errors may have
  // nothing to write for long. `instead`: gets the words, as a line.
  void look_at_directory(std::string* instead = nullptr) noexcept;

 private:
  struct gathering;
  friend std::shared_ptr<tracer> open_trace(trace_options const& options, std::string* complaint);

  // With the mutex locked.
  template <class Put>
  void add_lines(std::int64_t lines, bool at_once, std::chrono::steady_clock::time_point when,
                 Put&& put) noexcept;
  void write_locked() noexcept;
  void tell(int error, std::string* instead = nullptr) noexcept;
  bool start() noexcept;
  std::size_t put_whole(std::string_view lines) noexcept;

  void write_gathered() noexcept;
  void gather_no_more() noexcept;
  std::int64_t nanoseconds(std::chrono::steady_clock::time_point t) const noexcept;

  trace_options options_;
  std::string path_;
  std::chrono::steady_clock::time_point steady_start_;
  std::chrono::system_clock::time_point start_;
  mutable std::mutex mutex_;
  int descriptor_ = -1;
  bool ended_ = false, told_ = false;
  std::unique_ptr<gathering> gathered_;
  std::atomic<bool> has_gathered_{false};
  std::atomic<std::int64_t> lines_{0};
};

// The tracer of this rank; null if the mode is off. The same tracer for the same file, until the
// process ends. `complaint`: gets a line if the directory cannot be written to, which else is told
// on standard error.
std::shared_ptr<tracer> open_trace(trace_options const& options, std::string* complaint = nullptr);

// The name of an errno value or of argosy's own code: "ENOSPC", or "argosy:14".
std::string error_name(std::error_code const& error);

}  // namespace argosy
