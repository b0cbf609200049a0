// An opener that calls a function before and after each call that changes a file or a name. Tests
// plant crashes there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/opener.hpp>

namespace argosy::test {

using namespace extend;

class looking_handle {
 private:
  template <class Call>
  auto around(Call&& call) {
    look_();
    auto result = call();
    look_();
    return result;
  }

 public:
  looking_handle(any_handle inner, std::function<void()> look)
      : inner_(std::move(inner)), look_(std::move(look)) {}

  io_result read(std::int64_t at, std::span<std::byte> into) { return inner_.read(at, into); }
  io_result read(std::span<read_part const> parts) { return inner_.read(parts); }
  io_result write(std::int64_t at, std::span<std::byte const> from) {
    return around([&] { return inner_.write(at, from); });
  }
  io_result write(std::span<write_part const> parts) {
    return around([&] { return inner_.write(parts); });
  }
  std::error_code lock(std::int64_t at, std::int64_t n, lock_kind kind) {
    return inner_.lock(at, n, kind);
  }
  std::error_code unlock(std::int64_t at, std::int64_t n) { return inner_.unlock(at, n); }
  std::int64_t size(std::error_code& error) { return inner_.size(error); }
  std::error_code resize(std::int64_t n) {
    return around([&] { return inner_.resize(n); });
  }
  std::error_code preallocate(std::int64_t n) {
    return around([&] { return inner_.preallocate(n); });
  }
  std::error_code sync() {
    return around([&] { return inner_.sync(); });
  }
  std::error_code close() {
    return around([&] { return inner_.close(); });
  }
  bool is_open() const { return inner_.is_open(); }
  std::int64_t block_bytes() const { return inner_.block_bytes(); }

 private:
  any_handle inner_;
  std::function<void()> look_;
};

static_assert(handle<looking_handle>);

inline opener looking(opener const& inner, std::function<void()> const& look) {
  auto const around = [look](auto&& call) {
    look();
    auto const error = call();
    look();
    return error;
  };
  opener::directory_functions directories{
      [=](std::string const& path) { return inner.make_directory(path); },
      [=](std::string const& from, std::string const& to) {
        return around([&] { return inner.exchange_directories(from, to); });
      },
      [=](std::string const& path) { return around([&] { return inner.remove_directory(path); }); },
      [=](std::string const& path, std::vector<std::string>& names) {
        return inner.list(path, names);
      }};
  return opener{
      [=](std::string const& path, open_flags flags, std::error_code& error) -> any_handle {
        look();
        any_handle opened = inner(path, flags, error);
        look();
        if (error) return {};
        return any_handle(looking_handle(std::move(opened), look));
      },
      [=](std::string const& path) {
        look();
        return inner.remove(path);
      },
      [=](std::string const& from, std::string const& to) {
        return around([&] { return inner.rename(from, to); });
      },
      [=](std::string const& path) {
        auto const error = inner.settle(path);
        look();
        return error;
      }}
      .with_directories(std::move(directories));
}

}  // namespace argosy::test
