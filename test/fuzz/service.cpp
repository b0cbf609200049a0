// Bytes that reach the service of a rank through its socket, and nonsense instead of answers. Calls
// must end, strangers must be cut off, and another rank must be served.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <wire/raw_socket.hpp>
#include <world/socket_service.hpp>

#include "../support/wire_peers.hpp"

using namespace argosy;

namespace {

using detail::socket_service;
using test::stranger;

wire::station::options local() {
  wire::station::options o;
  o.network = false;
  o.workers = 1;
  return o;
}

std::vector<std::byte> reversed(int, std::span<std::byte const> bytes) {
  if (!bytes.empty() && bytes[0] == std::byte{7}) throw std::runtime_error("no");
  return {bytes.rbegin(), bytes.rend()};
}

std::vector<std::byte> any_frame(FuzzedDataProvider& in) {
  if (in.ConsumeIntegralInRange(0, 7) == 0) return in.ConsumeBytes<std::byte>(60);
  return stranger::frame(
      in.ConsumeIntegralInRange<std::uint64_t>(0, 3),
      in.ConsumeIntegralInRange<std::uint64_t>(0, 3),
      in.ConsumeBytes<std::byte>(in.ConsumeIntegralInRange<std::size_t>(0, 100)));
}

// A stranger asks nonsense.
void ask(wire::address const& where, FuzzedDataProvider& in) {
  stranger s(where);
  FUZZ_CHECK(s.connected());
  if (in.ConsumeIntegralInRange(0, 7) != 0)
    s.say(stranger::greeting(where, in.ConsumeBool() ? 2 : in.ConsumeIntegral<std::uint64_t>()));
  while (in.remaining_bytes() > 0 && s.say(any_frame(in))) {
  }
  s.stop_talking();
  FUZZ_CHECK(s.is_left());
}

// Listens as rank 2, and answers nonsense.
class liar {
 public:
  explicit liar(FuzzedDataProvider& in) : in_(in) {
    std::error_code error;
    listener_ = wire::listen_local(where_.local.data(), error);
    FUZZ_CHECK(!error);
  }
  ~liar() {
    if (thread_.joinable()) thread_.join();
    if (listener_ >= 0) wire::close_descriptor(listener_);
  }
  wire::address const& where() const { return where_; }
  void start() {
    thread_ = std::thread([this] { talk(); });
  }

 private:
  void talk() {
    pollfd waiting{listener_, POLLIN, 0};
    FUZZ_CHECK(::poll(&waiting, 1, 5000) == 1);
    std::error_code error;
    int const s = wire::accept_next(listener_, error);
    FUZZ_CHECK(s >= 0);
    // closed, so that a second connection fails
    wire::close_descriptor(std::exchange(listener_, -1));
    std::vector<std::byte> hello = stranger::greeting(where_);
    std::memcpy(hello.data() + 8, where_.answered.data(), where_.answered.size());
    if (in_.ConsumeIntegralInRange(0, 7) == 0) hello = in_.ConsumeBytes<std::byte>(48);
    ::send(s, hello.data(), hello.size(), MSG_NOSIGNAL);
    while (in_.remaining_bytes() > 0) {
      auto const f = any_frame(in_);
      if (::send(s, f.data(), f.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) break;
    }
    wire::close_descriptor(s);
  }

  FuzzedDataProvider& in_;
  wire::address where_ = wire::new_address();
  int listener_ = -1;
  std::thread thread_;
};

std::vector<extend::parcel> questions(std::initializer_list<int> ranks) {
  std::vector<extend::parcel> all;
  for (int const rank : ranks) all.push_back({rank, {std::byte{1}, std::byte{2}, std::byte{3}}});
  return all;
}
bool is_right(extend::service_answer const& a) {
  return !a.error && a.content == std::vector{std::byte{3}, std::byte{2}, std::byte{1}};
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  FuzzedDataProvider in(data, size);
  std::error_code error;
  socket_service first(0, 3, reversed, local(), error), second(1, 3, reversed, local(), error);
  FUZZ_CHECK(!error);
  bool const asked = in.ConsumeBool();
  liar third(in);
  for (socket_service* s : {&first, &second})
    s->meet({first.where(), second.where(), third.where()});
  if (asked) {
    ask(first.where(), in);
    FUZZ_CHECK(is_right(second.call(questions({0}))[0]));
  } else {
    third.start();
    auto const answers = first.call(questions({1, 2, 2}));
    FUZZ_CHECK(is_right(answers[0]));
  }
  auto const answers = second.call(questions({0, 1}));
  FUZZ_CHECK(std::all_of(answers.begin(), answers.end(), is_right));
  return 0;
}
