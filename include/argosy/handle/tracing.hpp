// A decorator that writes calls to a trace.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <argosy/agree/detail/phase.hpp>
#include <argosy/extend.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/detail/parts.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/tracer.hpp>

namespace argosy {

namespace extend {

// Writes calls to a trace. Around a handle it traces its calls; around a raw handle, below
// `retrying`, the system calls. Costs two readings of the clock per call, and a line in memory for
// each recorded call (see tracer). Without tracing there is no wrapper, and no cost.
template <handle H>
class tracing : public forwarding<tracing<H>, H> {
  using base = forwarding<tracing, H>;

 public:
  tracing(H traced, std::shared_ptr<tracer> to, std::string path)
      : base(std::move(traced)), tracer_(std::move(to)), path_(std::move(path)) {}

  template <class Act>
  io_result around(handle_call const& call, Act&& act) {
    detail::traced_call c{
        .kind = call.kind, .file = path_, .offset = call.offset, .bytes = call.length};
    c.begin = std::chrono::steady_clock::now();
    io_result const done = act();
    c.end = std::chrono::steady_clock::now();
    c.error = done.error;
    if (!tracer_->wants(end_of(call), done.error)) {
      if (call.kind == file_call::close) tracer_->flush();  // also writes phases
      return done;
    }
    if (call.moves_data() || call.kind == file_call::size) c.result = done.bytes;
    if (call.kind == file_call::lock)
      c.detail = call.lock == lock_kind::shared ? "shared" : "exclusive";
    if (!call.moves_data()) return tracer_->record(c), done;
    if (call.kind == file_call::read && detail::is_reading_to_merge) c.detail = detail::to_merge;
    c.bytes = call.bytes();
    c.runs = call.runs();
    std::string places, failed;
    if (c.runs > 1) {
      places = call.of_parts([](auto parts) { return detail::run_list(parts); });
      if (done.error)
        failed = call.of_parts([&](auto parts) { return detail::run_at(parts, done.bytes); });
    }
    c.places = places;
    c.failed = failed;
    tracer_->record(c);
    return done;
  }

 private:
  // Returns the end of the range that the call touches, or -1 if it touches none.
  static std::int64_t end_of(handle_call const& call) {
    if (call.moves_data()) return call.end();
    if (call.offset < 0) return -1;
    return call.length > INT64_MAX - call.offset ? INT64_MAX : call.offset + call.length;
  }

  std::shared_ptr<tracer> tracer_;
  std::string path_;
};

}  // namespace extend

namespace detail {
std::string text_of_flags(open_flags flags);
}

// Returns an opener that opens with `inner`, and traces. Returns `inner` itself if `to` is null.
inline opener with_tracing(opener inner, std::shared_ptr<extend::tracer> to) {
  if (!to) return inner;
  return inner.opening([inner, to = std::move(to)](std::string const& path,
                                                   extend::open_flags flags,
                                                   std::error_code& error) -> extend::any_handle {
    std::string const how = detail::text_of_flags(flags);
    detail::traced_call c{.kind = file_call::open, .file = path, .detail = how};
    c.begin = std::chrono::steady_clock::now();
    extend::any_handle opened = inner(path, flags, error);
    c.end = std::chrono::steady_clock::now();
    c.missing = flags.may_be_missing && error == std::errc::no_such_file_or_directory;
    if (!c.missing) c.error = error;
    if (to->wants(-1, c.error)) to->record(c);
    if (error) return {};
    return extend::any_handle(extend::tracing(std::move(opened), to, path));
  });
}

// Returns the opener with tracing by the options of the environment: see trace_options.
inline opener with_tracing(opener inner, int rank = 0, std::string agent = {}) {
  return with_tracing(std::move(inner), extend::open_trace(extend::trace_options::from_environment(
                                            rank, std::move(agent))));
}

static_assert(extend::handle<extend::tracing<extend::any_handle>>);

}  // namespace argosy
