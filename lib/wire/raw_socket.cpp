// Implements raw_socket.hpp: socket, bind, listen, accept, connect.
// SPDX-License-Identifier: BSD-3-Clause
#include "raw_socket.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <thread>

namespace argosy::wire {

namespace {

using clock = std::chrono::steady_clock;

struct place {
  sockaddr_storage bytes = {};
  socklen_t length = 0;
  template <class T>
  static place of(T const& a, std::size_t length = sizeof(T)) {
    place p;
    std::memcpy(&p.bytes, &a, length);
    p.length = static_cast<socklen_t>(length);
    return p;
  }
  sockaddr const* get() const { return reinterpret_cast<sockaddr const*>(&bytes); }
};

// Returns the address of a local name. A name that begins with a zero byte is in no directory, and
// ends with its socket.
place local_place(std::string const& name) {
  sockaddr_un a = {};
  a.sun_family = AF_UNIX;
  std::size_t const n = std::min(name.size(), sizeof a.sun_path - 1);
  std::memcpy(a.sun_path + 1, name.data(), n);
  return place::of(a, offsetof(sockaddr_un, sun_path) + 1 + n);
}

place network_place(address::host const& host, std::uint32_t port) {
  if (host.family == 4) {
    sockaddr_in a = {};
    a.sin_family = AF_INET;
    a.sin_port = htons(static_cast<std::uint16_t>(port));
    std::memcpy(&a.sin_addr, host.bytes.data(), sizeof a.sin_addr);
    return place::of(a);
  }
  sockaddr_in6 a = {};
  a.sin6_family = AF_INET6;
  a.sin6_port = htons(static_cast<std::uint16_t>(port));
  std::memcpy(&a.sin6_addr, host.bytes.data(), sizeof a.sin6_addr);
  return place::of(a);
}

int fail(int descriptor, int code, std::error_code& error) {
  error.assign(code, std::system_category());
  close_descriptor(descriptor);
  return -1;
}

int make(int family, std::error_code& error) {
  int const s = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  return s < 0 ? fail(-1, errno, error) : s;
}

int listen_at(int s, place const& where, std::error_code& error) {
  if (::bind(s, where.get(), where.length) != 0 || ::listen(s, SOMAXCONN) != 0)
    return fail(s, errno, error);
  return s;
}

// Sets the options by which a peer machine that has disappeared is noticed after a while.
void tune(int s) {
  if (family_of(s) == AF_UNIX) return;
  int const on = 1, idle_s = 10, interval_s = 10, probes = 3;
  unsigned const unanswered_ms = 40000;
  ::setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(s, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(s, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  ::setsockopt(s, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
  ::setsockopt(s, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  ::setsockopt(s, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms, sizeof unanswered_ms);
}

// Waits until the socket is connected; returns the error of the attempt, or 0.
int wait_connected(int s, clock::time_point until) {
  for (;;) {
    auto const left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - clock::now()).count();
    pollfd p{s, POLLOUT, 0};
    int const n = ::poll(&p, 1, static_cast<int>(std::max<decltype(left)>(left, 0)));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return ETIMEDOUT;
    int code = 0;
    socklen_t length = sizeof code;
    return ::getsockopt(s, SOL_SOCKET, SO_ERROR, &code, &length) != 0 ? errno : code;
  }
}

int connect_to(place const& where, std::chrono::milliseconds patience, std::error_code& error) {
  error.clear();
  auto const until = clock::now() + patience;
  int const s = make(where.bytes.ss_family, error);
  if (s < 0) return s;
  int code = 0;
  // A local listener with a full queue returns EAGAIN.
  while ((code = ::connect(s, where.get(), where.length) == 0 ? 0 : errno) == EAGAIN &&
         clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (code == EINPROGRESS || code == EINTR) code = wait_connected(s, until);
  if (code != 0) return fail(s, code, error);
  tune(s);
  return s;
}

}  // namespace

void close_descriptor(int descriptor) {
  if (descriptor >= 0) ::close(descriptor);
}

int listen_local(std::string const& name, std::error_code& error) {
  error.clear();
  int const s = make(AF_UNIX, error);
  return s < 0 ? s : listen_at(s, local_place(name), error);
}

// Listens with one socket for both families if the machine has both.
int listen_network(std::uint32_t& port, std::error_code& error) {
  int s = -1;
  for (std::uint32_t const family : {6u, 4u}) {
    error.clear();
    s = make(family == 6 ? AF_INET6 : AF_INET, error);
    if (s < 0) continue;
    int const off = 0;
    if (family == 6) ::setsockopt(s, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    s = listen_at(s, network_place({family, {}}, 0), error);
    if (s >= 0) break;
  }
  if (s < 0) return s;
  place where;
  where.length = sizeof where.bytes;
  if (::getsockname(s, reinterpret_cast<sockaddr*>(&where.bytes), &where.length) != 0)
    return fail(s, errno, error);
  sockaddr_in a;  // the port is at the same place in both structures
  static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
  std::memcpy(&a, &where.bytes, sizeof a);
  port = ntohs(a.sin_port);
  return s;
}

int accept_next(int listener, std::error_code& error) {
  error.clear();
  for (;;) {
    int const s = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (s >= 0) {
      tune(s);
      return s;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return -1;
    // The peer has gone already, or the network failed. The next peer may succeed.
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM ||
        errno == EBADF || errno == EINVAL || errno == ENOTSOCK)
      return fail(-1, errno, error);
  }
}

int connect_local(std::string const& name, std::chrono::milliseconds patience,
                  std::error_code& error) {
  return connect_to(local_place(name), patience, error);
}

int connect_network(address::host const& host, std::uint32_t port,
                    std::chrono::milliseconds patience, std::error_code& error) {
  return connect_to(network_place(host, port), patience, error);
}

bool is_loopback(address::host const& host) {
  if (host.family == 4) return host.bytes[0] == std::byte{127};
  in6_addr a;
  std::memcpy(&a, host.bytes.data(), sizeof a);
  return IN6_IS_ADDR_LOOPBACK(&a);
}

int family_of(int descriptor) {
  int family = AF_UNSPEC;
  socklen_t length = sizeof family;
  ::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &length);
  return family;
}

bool is_of_same_user(int descriptor) {
  ucred peer = {};
  socklen_t length = sizeof peer;
  if (family_of(descriptor) != AF_UNIX) return true;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
    return true;  // only the cookie protects then
  return peer.uid == ::geteuid() || peer.uid == 0;
}

namespace {

struct waiting_peers {
  int listener = -1;
  bool have_gone = false;
};

// Runs in a descriptor table of its own, so that no other thread gets the number that becomes free.
// It frees the lowest number, which is below any limit that was lowered since.
int end_peers(void* p) {
  auto& peers = *static_cast<waiting_peers*>(p);
  ::close(peers.listener == 0 ? 1 : 0);
  constexpr int at_a_time = 64;  // the mutex of the station is held meanwhile
  std::error_code error;
  for (int i = 0, s = 0; i < at_a_time && (s = accept_next(peers.listener, error)) >= 0; ++i)
    ::close(s);
  peers.have_gone = !error;
  return 0;
}

}  // namespace

// Makes a child that shares this process's memory, as posix_spawn() does, and sends no signal when
// it ends.
bool turn_away(int listener) {
  constexpr std::size_t stack_bytes = std::size_t{64} << 10;
  std::unique_ptr<std::byte[]> const stack(new (std::nothrow) std::byte[stack_bytes]);
  if (!stack) return false;
  waiting_peers peers{listener};
  int const child = ::clone(end_peers, stack.get() + stack_bytes, CLONE_VM | CLONE_VFORK, &peers);
  if (child < 0) return false;
  while (::waitpid(child, nullptr, static_cast<int>(__WCLONE)) < 0 && errno == EINTR) {
  }
  return peers.have_gone;
}

}  // namespace argosy::wire
