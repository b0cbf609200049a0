// Both ends of connections in one process, and a stranger with a bare socket.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <wire/raw_socket.hpp>
#include <wire/station.hpp>

namespace argosy::test {

inline std::vector<std::byte> some_bytes(std::size_t n, std::uint64_t salt = 1) {
  std::vector<std::byte> b(n);
  std::uint64_t x = salt;
  for (std::byte& one : b)
    one = static_cast<std::byte>((x = x * 6364136223846793005 + 1442695040888963407) >> 56);
  return b;
}

// Options of a station that can be reached in one way only.
inline wire::station::options only(bool local) {
  wire::station::options o;
  o.local = local;
  o.network = !local;
  return o;
}

// Collects the frames that arrive over a connection; another thread waits for them. The limit on
// waiting serves only to end a failing test.
class inbox {
 public:
  wire::connection::events events() {
    return {[this](wire::frame f) {
              std::lock_guard const lock(mutex_);
              frames_.push_back(std::move(f));
              changed_.notify_all();
            },
            [this](std::error_code e) {
              std::lock_guard const lock(mutex_);
              ended_ = e;
              changed_.notify_all();
            }};
  }
  bool wait_frames(std::size_t n) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [&] { return frames_.size() >= n; });
  }
  std::optional<std::error_code> wait_end() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, limit, [&] { return ended_.has_value(); });
    return ended_;
  }
  std::vector<wire::frame> take() {
    std::lock_guard const lock(mutex_);
    return std::exchange(frames_, {});
  }

 private:
  static constexpr std::chrono::seconds limit{100};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<wire::frame> frames_;
  std::optional<std::error_code> ended_;
};

// A station that sends every frame back.
class echo {
 public:
  explicit echo(wire::station::options o, std::error_code& error)
      : station_(
            o,
            [](std::shared_ptr<wire::connection> const& c) {
              return wire::connection::events{[w = std::weak_ptr(c)](wire::frame f) {
                                                if (auto const held = w.lock())
                                                  held->send(std::move(f));
                                              },
                                              [](std::error_code) {}};
            },
            error) {}
  wire::station& station() { return station_; }

 private:
  wire::station station_;
};

// A client that may write any bytes to a station.
class stranger {
 public:
  explicit stranger(wire::address const& a) {
    std::error_code error;
    socket_ = wire::connect_local(a.local.data(), std::chrono::seconds(10), error);
    ::fcntl(socket_, F_SETFL, 0);
    timeval const patience{100, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  stranger(stranger const&) = delete;
  ~stranger() { wire::close_descriptor(socket_); }

  bool connected() const { return socket_ >= 0; }
  // Sends bytes. Returns false if the other side has closed the connection.
  bool say(std::span<std::byte const> bytes) {
    while (!bytes.empty()) {
      ssize_t const n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
  }
  bool hear(std::span<std::byte> bytes) {
    while (!bytes.empty()) {
      ssize_t const n = ::recv(socket_, bytes.data(), bytes.size(), 0);
      if (n < 0 && errno == EINTR) continue;  // with a time limit, calls are not restarted
      if (n <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
  }
  // Waits, and returns true if the other side closes the connection, whatever it sends before.
  bool is_left() {
    std::byte b;
    ssize_t n = 0;
    do {
      n = ::recv(socket_, &b, 1, 0);
    } while (n > 0 || (n < 0 && errno == EINTR));
    return n == 0 || errno == ECONNRESET;
  }
  // Returns true if the other side has closed the connection without sending anything. Does not
  // wait.
  bool is_gone() const {
    std::byte b;
    ssize_t const n = ::recv(socket_, &b, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
  }
  void stop_talking() { ::shutdown(socket_, SHUT_WR); }

  // Returns the greeting that a station sends.
  static std::vector<std::byte> greeting(wire::address const& a, std::uint64_t introduction = 0) {
    std::vector<std::byte> bytes(8 + a.shown.size() + 8);
    std::uint64_t const mark = 0x0179736f67726100;
    std::memcpy(bytes.data(), &mark, 8);
    std::memcpy(bytes.data() + 8, a.shown.data(), a.shown.size());
    std::memcpy(bytes.data() + 8 + a.shown.size(), &introduction, 8);
    return bytes;
  }
  static std::vector<std::byte> frame(std::uint64_t kind, std::uint64_t number,
                                      std::span<std::byte const> body) {
    std::uint64_t const head[] = {body.size(), kind, number};
    std::vector<std::byte> bytes;
    for (std::byte const b : std::as_bytes(std::span(head))) bytes.push_back(b);
    for (std::byte const b : body) bytes.push_back(b);
    return bytes;
  }

 private:
  int socket_ = -1;
};

}  // namespace argosy::test
