// A decorator with the faults of a script.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/extend.hpp>
#include <argosy/handle/detail/parts.hpp>
#include <argosy/handle/fault_script.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/posix.hpp>

namespace argosy {

namespace extend {

// Adds faults to a handle. A faulty<posix> fails like a file, after all retries. A
// retrying<faulty<raw_posix>> fails like the kernel: use it for EINTR, EAGAIN and short counts,
// which must not reach the caller.
template <handle H>
class faulty : public forwarding<faulty<H>, H> {
  using base = forwarding<faulty, H>;

 public:
  using base::inner;

  faulty()
    requires std::default_initializable<H>
  = default;
  faulty(H broken, std::shared_ptr<fault_script> script)
      : base(std::move(broken)), script_(std::move(script)) {}

  // Transfers bytes, perhaps fewer than requested.
  io_result read(std::int64_t offset, std::span<std::byte> memory) {
    auto const v = script_->next(file_call::read);
    auto const most = std::min(static_cast<std::int64_t>(memory.size()), v.most_bytes);
    if (v.error && most == 0) return {0, v.error};
    io_result const done = inner().read(offset, memory.first(static_cast<std::size_t>(most)));
    return {done.bytes, done.error ? done.error : v.error};
  }
  io_result write(std::int64_t offset, std::span<std::byte const> memory) {
    write_part const all{offset, memory};
    return write(std::span<write_part const>(&all, 1));
  }
  io_result read(std::span<read_part const> parts) {
    auto const v = script_->next(file_call::read);
    if (v.error && v.most_bytes == 0) return {0, v.error};
    io_result const done = v.most_bytes == fault::all_bytes
                               ? inner().read(parts)
                               : inner().read(detail::first_bytes(parts, v.most_bytes));
    return {done.bytes, done.error ? done.error : v.error};
  }
  io_result write(std::span<write_part const> parts);

  template <class Act>
  io_result around(handle_call const& call, Act&& act) {
    auto const v = script_->next(call.kind);
    if (call.kind == file_call::close) {  // closes even if it returns an error
      io_result const done = act();
      return {0, v.error ? v.error : done.error};
    }
    if (v.error) return {0, v.error};
    if (call.kind == file_call::preallocate && call.length > script_->disk_bytes())
      return {0, full()};
    return act();
  }

  std::shared_ptr<fault_script> const& script() const noexcept { return script_; }

 private:
  static std::error_code full() {
    return {static_cast<int>(std::errc::no_space_on_device), std::system_category()};
  }

  std::shared_ptr<fault_script> script_ = std::make_shared<fault_script>();
};

}  // namespace extend

template <extend::handle H>
extend::io_result extend::faulty<H>::write(std::span<write_part const> parts) {
  auto const v = script_->next(file_call::write);
  if (v.error && v.most_bytes == 0) return {0, v.error};
  std::int64_t const disk = script_->disk_bytes();
  if (v.most_bytes == fault::all_bytes && detail::end_of(parts) <= disk)
    return parts.size() == 1 ? inner().write(parts[0].offset, parts[0].memory)
                             : inner().write(parts);

  auto const kept = detail::first_bytes(parts, v.most_bytes);
  auto const fitting = detail::parts_below(std::span<write_part const>(kept), disk);
  auto const there = detail::total_bytes(std::span<write_part const>(fitting));
  bool const cut = there < detail::total_bytes(std::span<write_part const>(kept));
  extend::io_result const done =
      fitting.empty() ? extend::io_result{} : inner().write(std::span<write_part const>(fitting));
  // A raw handle may stop before it reaches the offset at which the disk is full.
  return {done.bytes, done.error ? done.error : cut && done.bytes == there ? full() : v.error};
}

// Returns an opener that opens with `inner`, unless the script has a fault for open. The opened
// files have the faults of the script.
inline opener with_faults(opener const& inner, std::shared_ptr<fault_script> script) {
  return inner.opening(
      [inner, script = std::move(script)](std::string const& path, extend::open_flags flags,
                                          std::error_code& error) -> extend::any_handle {
        if (auto const v = script->next(file_call::open); v.error) {
          error = v.error;
          return {};
        }
        extend::any_handle opened = inner(path, flags, error);
        if (error) return {};
        return extend::any_handle(extend::faulty(std::move(opened), script));
      });
}

// Returns an opener of real files with faults below the retries, which count system calls instead
// of calls.
inline opener with_raw_faults(std::shared_ptr<fault_script> script) {
  return posix_opener().opening(
      [script = std::move(script)](std::string const& path, extend::open_flags flags,
                                   std::error_code& error) -> extend::any_handle {
        error.clear();
        for (;;) {
          if (auto const v = script->next(file_call::open); v.error) {
            if (v.error == std::errc::interrupted) continue;
            error = v.error;
            return {};
          }
          extend::raw_posix opened = extend::raw_posix::open(path, flags, error);
          if (error == std::errc::interrupted) continue;
          if (error) return {};
          return extend::any_handle(extend::retrying(extend::faulty(std::move(opened), script)));
        }
      });
}

static_assert(extend::handle<extend::faulty<posix>>);
static_assert(extend::handle<extend::retrying<extend::faulty<extend::raw_posix>>>);

}  // namespace argosy
