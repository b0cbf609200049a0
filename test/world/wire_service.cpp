// A rank's service over frames: which answers count, and when a call may end.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/wire_peers.hpp"

#include <world/socket_service.hpp>

using namespace argosy;
using namespace argosy::test;
using namespace std::chrono_literals;

TEST_CASE("an answer of a rank that was not asked is none", "[wire][service]") {
  std::error_code error;
  std::atomic<bool> lied = false;
  auto const second = [&](int, std::span<std::byte const>) {
    while (!lied) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(50ms);
    return some_bytes(5, 1);
  };
  wire::station::options o;
  o.workers = 1;
  argosy::detail::socket_service zero(0, 3, second, o, error), one(1, 3, second, o, error);
  REQUIRE_FALSE(error);
  wire::station const two(
      {},
      [&](std::shared_ptr<wire::connection> const& c) {
        // An answer to the first question, which another rank was asked.
        c->send({1, 0, some_bytes(5, 2)});
        c->finish();
        return wire::connection::events{[](wire::frame) {}, [&](std::error_code) { lied = true; }};
      },
      error);
  REQUIRE_FALSE(error);
  zero.meet({zero.where(), one.where(), two.where()});
  auto const answers = zero.call({{1, some_bytes(3)}, {2, some_bytes(3)}});
  CHECK_FALSE(answers[0].error);
  CHECK(answers[0].content == some_bytes(5, 1));
  CHECK(answers[1].error);
}

// The request lies in the caller's memory, which is freed when the call has returned.
TEST_CASE("who answers before it has read the request does not end the call", "[wire][service]") {
  std::error_code error;
  argosy::detail::socket_service zero(
      0, 2, [](auto...) { return some_bytes(1); }, only(true), error);
  REQUIRE_FALSE(error);
  wire::address const where = wire::new_address();
  int const listener = wire::listen_local(where.local.data(), error);
  REQUIRE(listener >= 0);
  zero.meet({zero.where(), where});
  std::atomic<bool> returned{false};
  std::vector<extend::service_answer> answers;
  std::thread asks([&] {
    answers = zero.call({{1, some_bytes(std::size_t{16} << 20, 3)}});  // more than a socket holds
    returned = true;
  });
  int s = -1;
  while ((s = wire::accept_next(listener, error)) < 0) std::this_thread::sleep_for(1ms);
  ::fcntl(s, F_SETFL, 0);
  timeval const patience{100, 0};
  ::setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  std::vector<std::byte> hello = stranger::greeting(where);
  std::memcpy(hello.data() + 8, where.answered.data(), where.answered.size());
  for (std::byte const b : stranger::frame(1, 0, some_bytes(5, 2))) hello.push_back(b);
  auto const hear = [&](std::size_t bytes) {
    std::vector<std::byte> heard(bytes);
    std::size_t got = 0;
    for (ssize_t n = 1; got < bytes && n > 0;
         got += static_cast<std::size_t>(std::max<ssize_t>(n, 0)))
      n = ::recv(s, heard.data() + got, bytes - got, 0);
    CHECK(got == bytes);
    return heard;
  };
  hear(48 + 24);  // its greeting, and the head before the request
  CHECK(::send(s, hello.data(), hello.size(), MSG_NOSIGNAL) == std::ssize(hello));
  std::this_thread::sleep_for(100ms);
  CHECK_FALSE(returned);
  auto const asked = hear(std::size_t{16} << 20);
  CHECK(asked == some_bytes(std::size_t{16} << 20, 3));
  asks.join();
  CHECK_FALSE(answers.at(0).error);
  CHECK(answers.at(0).content == some_bytes(5, 2));
  wire::close_descriptor(s);
  wire::close_descriptor(listener);
}
