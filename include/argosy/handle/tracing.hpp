// A decorator that writes calls to a trace.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <argosy/handle/detail/parts.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/tracer.hpp>

namespace argosy {

// Around a handle it traces its calls; around a raw one, below `retrying`, the system calls. Costs two readings of the clock
// per call, and a write for each recorded call. Without tracing nothing is wrapped, and nothing is paid.
template <handle H>
class tracing {
 public:
  tracing(H traced, std::shared_ptr<tracer> to, std::string path)
      : inner_(std::move(traced)), tracer_(std::move(to)), path_(std::move(path)) {}

  io_result read(std::int64_t offset, std::span<std::byte> memory) {
    read_part const all{offset, memory};
    return transfer<read_part>(file_call::read, {&all, 1}, [&] { return inner_.read(offset, memory); });
  }
  io_result write(std::int64_t offset, std::span<std::byte const> memory) {
    write_part const all{offset, memory};
    return transfer<write_part>(file_call::write, {&all, 1}, [&] { return inner_.write(offset, memory); });
  }
  io_result read(std::span<read_part const> parts) {
    return transfer(file_call::read, parts, [&] { return inner_.read(parts); });
  }
  io_result write(std::span<write_part const> parts) {
    return transfer(file_call::write, parts, [&] { return inner_.write(parts); });
  }
  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind) {
    return call({.kind = file_call::lock,
                 .offset = offset,
                 .bytes = length,
                 .detail = kind == lock_kind::shared ? "shared" : "exclusive"},
                [&] { return inner_.lock(offset, length, kind); });
  }
  std::error_code unlock(std::int64_t offset, std::int64_t length) {
    return call({.kind = file_call::unlock, .offset = offset, .bytes = length},
                [&] { return inner_.unlock(offset, length); });
  }
  std::int64_t size(std::error_code& error) {
    traced_call c{.kind = file_call::size};
    c.begin = clock::now();
    c.result = inner_.size(error);
    finish(c, error);
    return c.result;
  }
  std::error_code resize(std::int64_t bytes) {
    return call({.kind = file_call::resize, .bytes = bytes}, [&] { return inner_.resize(bytes); });
  }
  std::error_code preallocate(std::int64_t bytes) {
    return call({.kind = file_call::preallocate, .bytes = bytes}, [&] { return inner_.preallocate(bytes); });
  }
  std::error_code sync() {
    return call({.kind = file_call::sync}, [&] { return inner_.sync(); });
  }
  std::error_code close() {
    return call({.kind = file_call::close}, [&] { return inner_.close(); });
  }
  bool is_open() const { return inner_.is_open(); }
  std::error_code fcntl(std::span<std::byte> argument) {
    return call({.kind = file_call::fcntl, .bytes = static_cast<std::int64_t>(argument.size())},
                [&] { return fcntl_of(inner_, argument); });
  }
  std::int64_t block_bytes() const { return inner_.block_bytes(); }
  bool takes_hints() const { return argosy::takes_hints(inner_); }
  int node() const { return node_of(inner_); }

  H& inner() noexcept { return inner_; }

 private:
  using clock = std::chrono::steady_clock;

  template <class Part, class Call>
  io_result transfer(file_call kind, std::span<Part const> parts, Call&& moves) {
    traced_call c{.kind = kind};
    c.begin = clock::now();
    io_result const done = moves();
    c.end = clock::now();
    if (!tracer_->wants(detail::end_of(parts), done.error)) return done;
    c.file = path_;
    c.offset = parts.empty() ? 0 : parts.front().offset;
    c.bytes = detail::total_bytes(parts);
    c.runs = detail::count_runs(parts);
    c.result = done.bytes;
    c.error = done.error;
    tracer_->record(c);
    return done;
  }
  template <class Call>
  std::error_code call(traced_call c, Call&& act) {
    c.begin = clock::now();
    std::error_code const error = act();
    finish(c, error);
    return error;
  }
  void finish(traced_call& c, std::error_code const& error) {
    c.end = clock::now();
    std::int64_t const last = c.offset < 0 ? -1 : c.bytes > INT64_MAX - c.offset ? INT64_MAX : c.offset + c.bytes;
    if (!tracer_->wants(last, error)) return;
    c.file = path_;
    c.error = error;
    tracer_->record(c);
  }

  mutable H inner_;
  std::shared_ptr<tracer> tracer_;
  std::string path_;
};

namespace detail {
std::string describe(open_flags flags);
}

// Opens with `inner`, and traces; returns `inner` itself if `to` is null.
inline opener with_tracing(opener inner, std::shared_ptr<tracer> to) {
  if (!to) return inner;
  return inner.opening(
      [inner, to = std::move(to)](std::string const& path, open_flags flags, std::error_code& error) -> any_handle {
        std::string const how = detail::describe(flags);
        traced_call c{.kind = file_call::open, .file = path, .detail = how};
        c.begin = std::chrono::steady_clock::now();
        any_handle opened = inner(path, flags, error);
        c.end = std::chrono::steady_clock::now();
        c.error = error;
        if (to->wants(-1, error)) to->record(c);
        if (error) return {};
        return any_handle(tracing(std::move(opened), to, path));
      });
}

// The same, with the options of the environment: see trace_options.
inline opener with_tracing(opener inner, int rank = 0, std::string agent = {}) {
  return with_tracing(std::move(inner), open_trace(trace_options::from_environment(rank, std::move(agent))));
}

static_assert(handle<tracing<posix>>);

}  // namespace argosy
