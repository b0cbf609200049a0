// A host that lies to a node over its socket. Calls may fail, but all must end.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <argosy/lab/gpfs/mount.hpp>
#include <lab/gpfs/codec.hpp>
#include <lab/gpfs/process_frames.hpp>
#include <wire/address.hpp>
#include <wire/raw_socket.hpp>

#include "../support/wire_peers.hpp"
#include "any_message.hpp"

using namespace argosy;

namespace {

using test::stranger;
namespace kinds = lab::gpfs::detail::process_frames;

lab::gpfs::machine small() {
  lab::gpfs::machine m;
  m.block_bytes = 512;
  m.servers = 2;
  m.pagepool_bytes = 16 * 512;
  return m;
}

struct door {
  door() {
    std::error_code error;
    listener = wire::listen_local(where.local.data(), error);
    FUZZ_CHECK(!error);
    where.host_count = 0;
  }
  wire::address where = wire::new_address();
  int listener = -1;
};

class liar {
 public:
  liar(door const& d, FuzzedDataProvider& in) : door_(d), in_(in), thread_([this] { talk(); }) {}
  ~liar() { thread_.join(); }

 private:
  void talk() {
    pollfd waiting{door_.listener, POLLIN, 0};
    FUZZ_CHECK(::poll(&waiting, 1, 5000) == 1);
    std::error_code error;
    socket_ = wire::accept_next(door_.listener, error);
    FUZZ_CHECK(socket_ >= 0);
    std::vector<std::byte> hello = stranger::greeting(door_.where);
    std::memcpy(hello.data() + 8, door_.where.answered.data(), door_.where.answered.size());
    if (in_.ConsumeIntegralInRange(0, 15) == 0) hello = in_.ConsumeBytes<std::byte>(48);
    say(hello);
    if (in_.ConsumeIntegralInRange(0, 7) != 0) say(welcome());
    for (int k = 0; k < 60 && in_.remaining_bytes() > 0; ++k) {
      if (in_.ConsumeBool()) hear();
      say(frame());
    }
    wire::close_descriptor(socket_);
  }

  std::vector<std::byte> welcome() {
    std::ostringstream text;
    text << machine_;
    std::string const usual = text.str(), said = in_.ConsumeIntegralInRange(0, 15) == 0
                                                     ? in_.ConsumeRandomLengthString(60)
                                                     : usual;
    return stranger::frame(kinds::welcome, 0, std::as_bytes(std::span(said)));
  }

  std::vector<std::byte> frame() {
    if (in_.ConsumeIntegralInRange(0, 15) == 0)
      return stranger::frame(in_.ConsumeIntegralInRange<std::uint64_t>(0, 6),
                             in_.ConsumeIntegralInRange<std::uint64_t>(0, 3),
                             in_.ConsumeBytes<std::byte>(20));
    constexpr lab::gpfs::detail::role who[] = {
        lab::gpfs::detail::role::manager, lab::gpfs::detail::role::server,
        lab::gpfs::detail::role::client, lab::gpfs::detail::role::manager};
    lab::gpfs::detail::message const m{
        {in_.PickValueInArray(who), in_.ConsumeIntegralInRange(0, 1)},
        {lab::gpfs::detail::role::client, 0},
        fuzz::any_message(in_, machine_)};
    if (!lab::gpfs::detail::makes_sense(m, machine_) && in_.ConsumeIntegralInRange(0, 7) != 0)
      return {};
    return stranger::frame(kinds::one_message, 0, lab::gpfs::detail::encode(m));
  }

  // Receives the node's requests for a short time.
  void hear() {
    pollfd waiting{socket_, POLLIN, 0};
    if (::poll(&waiting, 1, 1) == 1) {
      std::array<std::byte, 4096> some;
      while (::recv(socket_, some.data(), some.size(), MSG_DONTWAIT) > 0) {
      }
    }
  }
  void say(std::span<std::byte const> bytes) {
    while (!bytes.empty()) {
      ssize_t const n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n <= 0) return;  // the node has gone, or does not listen
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
  }

  door const& door_;
  FuzzedDataProvider& in_;
  lab::gpfs::machine const machine_ = small();
  int socket_ = -1;
  std::thread thread_;
};

void work(lab::gpfs::mount const& m) {
  std::error_code error;
  auto f =
      lab::gpfs::mounted_file::open(m, "f", {.read = true, .write = true, .create = true}, error);
  if (error) return;
  std::vector<std::byte> memory(1500);
  f.read(0, memory);
  f.write(700, memory);
  f.sync();
  f.read(100, memory);
  f.size(error);
  f.resize(10);
  f.close();
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static door const d;
  FuzzedDataProvider in(data, size);
  liar const host(d, in);
  std::error_code error;
  auto const m = lab::gpfs::mount::to(wire::to_text(d.where), 0, error);
  if (!error) work(m);
  return 0;
}
