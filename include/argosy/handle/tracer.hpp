// The trace of a rank: a file with a line for each call of its files.
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

#include <argosy/extend.hpp>
#include <argosy/handle/detail/traced_phases.hpp>
#include <argosy/handle/file_call.hpp>
#include <argosy/handle/handle.hpp>

namespace argosy {

namespace extend {

// - off: no trace.
// - errors: only failed calls of handles.
// - calls: all calls of handles.
// - phases: failed calls, and the phases of reads and writes of files: agree, exchange, wait and
//   access.
enum class trace_mode { off, errors, calls, phases };

}  // namespace extend
namespace detail {
// For calls and phases. Errors are always written at once.
enum class trace_write { gathered, at_once };
}  // namespace detail

namespace extend {

struct trace_options {
  trace_mode mode = trace_mode::off;
  // Calls whose range ends at or before this file offset are left out, unless they fail. It
  // concerns only reads, writes, locks and unlocks. 0: no call is left out.
  std::int64_t from_offset = 0;
  std::string directory = {};  // if empty, TMPDIR, or /tmp: local to the node
  std::string program = {};    // if empty, the name of this program
  int rank = 0;
  std::string agent = {};  // a role of this rank for other ranks; part of the file's name
  detail::trace_write write = detail::trace_write::gathered;

  // Reads ARGOSY_TRACE = off | errors | calls | phases (0 is off, 1 is calls), ARGOSY_TRACE_FROM =
  // bytes, ARGOSY_TRACE_DIR, ARGOSY_TRACE_WRITE = gathered | at_once. If a value is invalid, rank 0
  // reports it once on standard error, and the default is used.
  static trace_options from_environment(int rank = 0, std::string agent = {});
};

}  // namespace extend

namespace detail {

// One call, as the trace shows it.
struct traced_call {
  file_call kind = file_call::read;
  std::string_view file = {};
  std::int64_t offset = -1;  // -1: none
  std::int64_t bytes = -1;   // requested by a transfer, a lock or a resize
  // Number of contiguous ranges of the file, for lists of parts; offset is that of the first.
  std::int64_t runs = 1;
  // Several runs as "0+8,100+8"; only the first ones if there are many.
  std::string_view places = {};
  std::string_view failed = {};  // the run with the error
  std::string_view detail = {};  // kind of lock, mode of open, purpose of a read
  std::chrono::steady_clock::time_point begin = {}, end = {};
  std::int64_t result = -1;  // bytes moved, or the size; -1: none
  std::error_code error = {};
  bool missing = false;  // a file that need not exist is missing: no error
};

}  // namespace detail

namespace extend {

// Writes one file per rank, <directory>/argosy-<program>-<pid>-rank<rank>[-<agent>].json, made at
// the first line. Any number of handles and threads may use it. It opens in Perfetto and
// chrome://tracing, and `argosy trace` reads it. Lines are gathered in memory and written together:
// - if there are 64 KiB of them, or if the newest is 0.1 s younger than the last written one;
// - at once if a line reports an error, or is a note;
// - before a rank waits for other ranks in a collective call, when a file is closed, and when the
//   program ends by exit.
//
// A process that is killed, or ends by a signal, abort() or _exit(), loses the gathered lines. They
// are less than 64 KiB, of calls within 0.1 s, which may be long ago. If it is killed while it
// writes, half a line may remain. With trace_write::at_once the lines of each call are written
// after it, in one piece, and none is lost; use it for programs that crash. A child made by fork()
// does not write the lines that its parent has gathered.
//
// The trace of a process that dies lacks its last ']', which the viewers accept. This command puts
// several ranks into one picture:
//
//   (head -qn1 argosy-*-rank0.json | head -n1; grep -hs '^,' argosy-*.json; echo ']') > all.json
//
// Errors of the trace never disturb the traced calls. If it cannot be written, it reports that
// once, on standard error, and ends after a whole line.
class tracer {
 public:
  explicit tracer(trace_options options);
  tracer(tracer const&) = delete;
  tracer& operator=(tracer const&) = delete;
  ~tracer();

  // Returns true if a call with this end and this error belongs into the trace. The end is -1 for
  // calls without a range.
  bool wants(std::int64_t end_offset, std::error_code const& error) const noexcept {
    return options_.mode != trace_mode::off &&
           (error ||
            (options_.mode == trace_mode::calls &&
             (end_offset < 0 || options_.from_offset == 0 || end_offset > options_.from_offset)));
  }
  // Adds a line for one call, whatever wants() returns. Lines of failed calls, and of close, are
  // written to the file at once, with all lines that were gathered before.
  void record(detail::traced_call const& call) noexcept;
  // Adds the phases and messages of one call. All these lines get into the file in one piece.
  void record(std::span<detail::traced_phase const> phases,
              std::span<detail::traced_message const> messages, std::string_view file) noexcept;
  // Writes a line of the caller's own at once, for example the collective call that is running.
  void note(std::string_view text) noexcept;
  // Writes the gathered lines. Costs one read of a variable if there are none.
  void flush() noexcept {
    if (has_gathered_.load(std::memory_order_relaxed)) write_gathered();
  }

  trace_options const& options() const noexcept { return options_; }
  // Returns the path of the trace. If an earlier tracer or process left such a file, a number is
  // added when the first line is written.
  std::string path() const {
    std::lock_guard const guard(mutex_);
    return path_;
  }
  // Returns the number of lines in the file. Lines that are gathered in memory are not counted.
  std::int64_t lines() const noexcept { return lines_; }
  // Reports now if the directory is missing or cannot be written to, because a trace of errors may
  // have nothing to write for long. If `instead` is given, it receives the text, as a line.
  // Otherwise the text goes to standard error.
  void look_at_directory(std::string* instead = nullptr) noexcept;

 private:
  struct gathering;
  friend std::shared_ptr<tracer> open_trace(trace_options const& options, std::string* complaint);

  // Adds lines. Precondition: the mutex is locked.
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

// Returns the tracer of this rank, or null if the mode is off. The same directory, program, rank
// and agent have the same tracer in a process until it ends, with the options of the first call.
// If the directory cannot be written to, the first call adds a line to `complaint`. If that is left
// out, the line goes to standard error. Any thread may call it.
std::shared_ptr<tracer> open_trace(trace_options const& options, std::string* complaint = nullptr);

// Returns the name of an error: "ENOSPC" for an errno, otherwise category and number, such as
// "argosy:14". An empty string for no error.
std::string error_name(std::error_code const& error);

}  // namespace extend

}  // namespace argosy
