// Bytes that reach the host of a simulated GPFS through its socket: without the cookie, with it,
// and in messages. The host must cut off a peer that sends nonsense, and go on serving a node.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/lab/gpfs/host.hpp>
#include <argosy/lab/gpfs/mount.hpp>
#include <lab/gpfs/codec.hpp>
#include <lab/gpfs/process_frames.hpp>
#include <wire/address.hpp>

#include "../support/wire_peers.hpp"
#include "any_message.hpp"
#include "scratch.hpp"

using namespace argosy;

namespace {

using test::stranger;
namespace kinds = lab::gpfs::detail::process_frames;

lab::gpfs::machine small() {
  lab::gpfs::machine m;
  m.block_bytes = 512;
  m.servers = 2;
  m.pagepool_bytes = 16 * 512;
  m.lease_s = 0.001;
  m.ship_wait_s = 0.01;
  return m;
}

// A well-behaved node, and the files that it has open.
class client {
 public:
  explicit client(std::string const& address) : mount_(lab::gpfs::mount::to(address, 0, error_)) {
    FUZZ_CHECK(!error_);
    old_ = open("good");
    FUZZ_CHECK(!error_ && old_.write(0, bytes_).bytes == size());
  }
  // Must end, whatever the stranger did to this file.
  void use_the_old_file() {
    std::vector<std::byte> seen(bytes_.size());
    old_.write(100, bytes_);
    old_.sync();
    old_.read(0, seen);
  }
  // No stranger knew this file before. An error that a stranger left for a file of this number may
  // be reported once.
  void use_a_new_file(std::string const& name) {
    auto f = open(name);
    FUZZ_CHECK(!error_);
    bool const told = f.write(0, bytes_).bytes != size();
    FUZZ_CHECK(!told || f.write(0, bytes_).bytes == size());
    FUZZ_CHECK(!f.sync() || !f.sync());
    std::vector<std::byte> seen(bytes_.size());
    FUZZ_CHECK(f.read(0, seen).bytes == size() && seen == bytes_);
    FUZZ_CHECK(f.size(error_) == size() && !error_);
    FUZZ_CHECK(!f.close());
  }

 private:
  lab::gpfs::mounted_file open(std::string const& name) {
    return lab::gpfs::mounted_file::open(mount_, name,
                                         {.read = true, .write = true, .create = true}, error_);
  }
  std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size()); }

  std::vector<std::byte> const bytes_ = std::vector<std::byte>(1000, std::byte{0x5a});
  std::error_code error_;
  lab::gpfs::mount mount_;
  lab::gpfs::mounted_file old_;
};

// Returns a frame as a node would send it, except for its meaning.
std::vector<std::byte> any_frame(FuzzedDataProvider& in, int node) {
  auto const number = in.ConsumeIntegralInRange<std::uint64_t>(0, 3);
  switch (in.ConsumeIntegralInRange(0, 15)) {
    case 0: {
      std::string const name = in.ConsumeRandomLengthString(20);
      return stranger::frame(kinds::at_rest, number, std::as_bytes(std::span(name)));
    }
    case 1:
      return stranger::frame(in.ConsumeIntegralInRange<std::uint64_t>(0, 6), number,
                             in.ConsumeBytes<std::byte>(20));
    case 2: {
      auto const some = in.ConsumeBytes<std::byte>(60);  // has no length, or a wrong one
      return some;
    }
    default:
      break;
  }
  constexpr lab::gpfs::detail::role whom[] = {
      lab::gpfs::detail::role::manager, lab::gpfs::detail::role::server,
      lab::gpfs::detail::role::client, lab::gpfs::detail::role::manager};
  lab::gpfs::detail::message const m{
      {lab::gpfs::detail::role::client, in.ConsumeIntegralInRange(0, 30) == 0 ? 0 : node},
      {in.PickValueInArray(whom), in.ConsumeIntegralInRange(0, 1)},
      fuzz::any_message(in, small())};
  // Most of these messages would be refused, which would end the connection.
  if (!lab::gpfs::detail::makes_sense(m, small()) && in.ConsumeIntegralInRange(0, 7) != 0)
    return {};
  return stranger::frame(kinds::one_message, number, lab::gpfs::detail::encode(m));
}

void talk_as_a_node(stranger& s, wire::address const& where, FuzzedDataProvider& in) {
  if (!s.say(stranger::greeting(where, in.ConsumeIntegralInRange<std::uint64_t>(0, 3)))) return;
  std::array<std::byte, 48 + 24> heard;
  if (!s.hear(heard)) return;
  std::uint64_t node = 0;
  std::memcpy(&node, heard.data() + 48 + 16, 8);
  for (int k = 0; k < 30 && in.remaining_bytes() > 0; ++k)
    if (!s.say(any_frame(in, static_cast<int>(node)))) return;
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static fuzz::scratch const scratch;
  scratch.clear();
  FuzzedDataProvider in(data, size);
  std::error_code error;
  lab::gpfs::host host({.hardware = small(), .directory = scratch.path(), .network = false}, error);
  FUZZ_CHECK(!error);
  wire::address const where = wire::address_from(host.address(), error);
  FUZZ_CHECK(!error);
  client beside(host.address());
  for (int talk = 0; talk < 4 && in.remaining_bytes() > 0; ++talk) {
    stranger s(where);
    FUZZ_CHECK(s.connected());
    int const mode = in.ConsumeIntegralInRange(0, 15);
    if (mode == 1) s.say(stranger::greeting(where));
    if (mode <= 1)
      s.say(in.ConsumeBytes<std::byte>(in.ConsumeIntegralInRange<std::size_t>(0, 200)));
    else
      talk_as_a_node(s, where, in);
    s.stop_talking();
    FUZZ_CHECK(s.is_left());
  }
  beside.use_the_old_file();
  beside.use_a_new_file("new");
  return 0;
}
