// A handle with a type chosen at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include <argosy/agree/detail/phase.hpp>
#include <argosy/extend.hpp>
#include <argosy/handle/detail/parts.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/handle/trying.hpp>
#include <argosy/layout/detail/type_tag.hpp>

namespace argosy {

namespace extend {

// Holds any handle by value. One allocation to make it, one indirect call per call. A read or write
// throws std::logic_error if the held handle returns a negative count or more bytes than requested.
class any_handle {
 public:
  // Not open. Calls that can report an error report EBADF. The others return defaults, such as 4096
  // for block_bytes(), or no value. An object that was moved from is not open, either.
  any_handle() noexcept = default;
  // The constraint does not check how an H is constructed. A decorator that is constructed from an
  // any_handle would lead back to this constraint.
  template <class H>
    requires(!std::same_as<std::remove_cvref_t<H>, any_handle> &&
             detail::handle_calls<std::remove_cvref_t<H>>)
  any_handle(H&& held) {
    using mine = std::remove_cvref_t<H>;
    constexpr bool taken = handle<mine> && std::constructible_from<mine, H>;
    static_assert(taken,
                  "argosy::extend::any_handle: a handle is moved into it, by std::move, or copied "
                  "if it can be");
    if constexpr (taken) held_ = std::make_unique<model<mine>>(std::forward<H>(held));
  }

  io_result read(std::int64_t offset, std::span<std::byte> memory) {
    detail::in_phase const now(detail::phase::file, [&] {
      return detail::phase_facts{
          .name = "read",
          .offset = offset,
          .bytes = std::ssize(memory),
          .detail = detail::is_reading_to_merge ? detail::to_merge : std::string_view()};
    });
    return counted(std::ssize(memory), [&] { return held_->read(offset, memory); });
  }
  io_result write(std::int64_t offset, std::span<std::byte const> memory) {
    detail::in_phase const now(detail::phase::file, [&] {
      return detail::phase_facts{.name = "write", .offset = offset, .bytes = std::ssize(memory)};
    });
    return counted(std::ssize(memory), [&] { return held_->write(offset, memory); });
  }
  io_result read(std::span<read_part const> parts) {
    detail::in_phase const now(detail::phase::file, [&] { return facts_of("read", parts); });
    return counted(detail::total_bytes(parts), [&] { return held_->read(parts); });
  }
  io_result write(std::span<write_part const> parts) {
    detail::in_phase const now(detail::phase::file, [&] { return facts_of("write", parts); });
    return counted(detail::total_bytes(parts), [&] { return held_->write(parts); });
  }
  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind) {
    detail::in_phase const now(detail::phase::locks,
                               {.name = "lock", .offset = offset, .bytes = length});
    return held_ ? held_->lock(offset, length, kind) : closed();
  }
  bool try_lock(std::int64_t offset, std::int64_t length, lock_kind kind, std::error_code& error) {
    detail::in_phase const now(detail::phase::locks,
                               {.name = "lock", .offset = offset, .bytes = length});
    error.clear();
    if (held_) return held_->try_lock(offset, length, kind, error);
    error = closed();
    return false;
  }
  std::error_code unlock(std::int64_t offset, std::int64_t length) {
    detail::in_phase const now(detail::phase::locks,
                               {.name = "unlock", .offset = offset, .bytes = length});
    return held_ ? held_->unlock(offset, length) : closed();
  }
  std::int64_t size(std::error_code& error) {
    if (held_) return held_->size(error);
    error = closed();
    return 0;
  }
  std::error_code resize(std::int64_t bytes) { return held_ ? held_->resize(bytes) : closed(); }
  std::error_code preallocate(std::int64_t bytes) {
    return held_ ? held_->preallocate(bytes) : closed();
  }
  std::error_code sync() {
    detail::in_phase const now(detail::phase::file, {.name = "sync"});
    return held_ ? held_->sync() : closed();
  }
  std::error_code reconcile() {
    detail::in_phase const now(detail::phase::file, {.name = "sync"});
    return held_ ? held_->reconcile() : closed();
  }
  std::error_code close() { return held_ ? held_->close() : closed(); }
  bool is_open() const { return held_ && held_->is_open(); }
  std::int64_t block_bytes() const { return held_ ? held_->block_bytes() : 4096; }
  std::error_code fcntl(std::span<std::byte> argument) {
    return held_ ? held_->fcntl(argument) : closed();
  }
  bool takes_hints() const { return held_ && held_->takes_hints(); }
  int node() const { return held_ ? held_->node() : unknown_node; }
  argosy::extend::storage storage() const {
    return held_ ? held_->storage() : argosy::extend::storage();
  }
  std::optional<bool> is_locked(std::int64_t offset, std::int64_t length) const {
    return held_ ? held_->is_locked(offset, length) : std::nullopt;
  }
  std::optional<locked_range> lock_in_the_way(std::int64_t offset, std::int64_t length,
                                              lock_kind kind) const {
    return held_ ? held_->lock_in_the_way(offset, length, kind) : std::nullopt;
  }
  bool tells_locks() const { return held_ && held_->tells_locks(); }

  std::optional<file_identity> identity() const { return held_ ? held_->identity() : std::nullopt; }

  // Returns the held handle if it is an H, otherwise null. Valid until the held handle is
  // destroyed. Moving this object does not move the held handle.
  template <handle H>
  H* target() noexcept {
    return held_ && held_->type() == &detail::type_tag<H> ? &static_cast<model<H>&>(*held_).handle_
                                                          : nullptr;
  }

 private:
  // Makes a call. Throws if its count is impossible, because memory and file pointers follow the
  // count, and a handle of the program may count wrongly.
  template <class Call>
  io_result counted(std::int64_t asked, Call&& call) const {
    io_result const r = held_ ? call() : io_result{0, closed()};
    if (r.bytes < 0 || r.bytes > asked) [[unlikely]]
      refuse_count(r.bytes, asked);
    return r;
  }
  [[noreturn]] static void refuse_count(std::int64_t bytes, std::int64_t asked) {
    throw std::logic_error("a handle, or a decorator of one, says that it moved " +
                           std::to_string(bytes) + " of " + std::to_string(asked) + " bytes");
  }
  struct interface {
    virtual ~interface() = default;
    virtual void const* type() const = 0;
    virtual io_result read(std::int64_t, std::span<std::byte>) = 0;
    virtual io_result write(std::int64_t, std::span<std::byte const>) = 0;
    virtual io_result read(std::span<read_part const>) = 0;
    virtual io_result write(std::span<write_part const>) = 0;
    virtual std::error_code lock(std::int64_t, std::int64_t, lock_kind) = 0;
    virtual bool try_lock(std::int64_t, std::int64_t, lock_kind, std::error_code&) = 0;
    virtual std::error_code unlock(std::int64_t, std::int64_t) = 0;
    virtual std::int64_t size(std::error_code&) = 0;
    virtual std::error_code resize(std::int64_t) = 0;
    virtual std::error_code preallocate(std::int64_t) = 0;
    virtual std::error_code sync() = 0;
    virtual std::error_code reconcile() = 0;
    virtual std::error_code close() = 0;
    virtual bool is_open() = 0;
    virtual std::int64_t block_bytes() = 0;
    virtual std::error_code fcntl(std::span<std::byte>) = 0;
    virtual bool takes_hints() = 0;
    virtual int node() = 0;
    virtual argosy::extend::storage storage() = 0;
    virtual std::optional<bool> is_locked(std::int64_t, std::int64_t) = 0;
    virtual std::optional<locked_range> lock_in_the_way(std::int64_t, std::int64_t, lock_kind) = 0;
    virtual bool tells_locks() = 0;
    virtual std::optional<file_identity> identity() = 0;
  };

  template <class H>
  struct model final : interface {
    template <class T>
    explicit model(T&& held) : handle_(std::forward<T>(held)) {}
    void const* type() const override { return &detail::type_tag<H>; }

    io_result read(std::int64_t offset, std::span<std::byte> memory) override {
      return handle_.read(offset, memory);
    }
    io_result write(std::int64_t offset, std::span<std::byte const> memory) override {
      return handle_.write(offset, memory);
    }
    io_result read(std::span<read_part const> parts) override { return handle_.read(parts); }
    io_result write(std::span<write_part const> parts) override { return handle_.write(parts); }
    std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind) override {
      return handle_.lock(offset, length, kind);
    }
    bool try_lock(std::int64_t offset, std::int64_t length, lock_kind kind,
                  std::error_code& error) override {
      return detail::try_lock_of(handle_, offset, length, kind, error);
    }
    std::error_code unlock(std::int64_t offset, std::int64_t length) override {
      return handle_.unlock(offset, length);
    }
    std::int64_t size(std::error_code& error) override { return handle_.size(error); }
    std::error_code resize(std::int64_t bytes) override { return handle_.resize(bytes); }
    std::error_code preallocate(std::int64_t bytes) override { return handle_.preallocate(bytes); }
    std::error_code sync() override { return handle_.sync(); }
    std::error_code reconcile() override { return argosy::detail::reconcile(handle_); }
    std::error_code close() override { return handle_.close(); }
    bool is_open() override { return handle_.is_open(); }
    std::int64_t block_bytes() override { return handle_.block_bytes(); }
    std::error_code fcntl(std::span<std::byte> argument) override {
      return detail::fcntl_of(handle_, argument);
    }
    bool takes_hints() override { return argosy::detail::takes_hints(handle_); }
    int node() override { return detail::node_of(handle_); }
    argosy::extend::storage storage() override { return detail::storage_of(handle_); }
    std::optional<bool> is_locked(std::int64_t offset, std::int64_t length) override {
      return argosy::detail::is_locked(handle_, offset, length);
    }
    std::optional<locked_range> lock_in_the_way(std::int64_t offset, std::int64_t length,
                                                lock_kind kind) override {
      return argosy::detail::lock_in_the_way(handle_, offset, length, kind);
    }
    bool tells_locks() override { return argosy::detail::tells_locks(handle_); }
    std::optional<file_identity> identity() override { return detail::identity_of(handle_); }

    H handle_;
  };

  template <class Part>
  static detail::phase_facts facts_of(std::string_view name, std::span<Part const> parts) noexcept {
    return {.name = name,
            .offset = parts.empty() ? -1 : parts.front().offset,
            .bytes = detail::total_bytes(parts)};
  }
  static std::error_code closed() noexcept {
    return std::make_error_code(std::errc::bad_file_descriptor);
  }

  std::unique_ptr<interface> held_;
};

}  // namespace extend

static_assert(extend::takes_fcntl<extend::any_handle> && extend::has_try_lock<extend::any_handle>);

}  // namespace argosy
