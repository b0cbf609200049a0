// The simulated GPFS over sockets: nodes and hosts that die, and peers that send nonsense.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/host.hpp>
#include <argosy/lab/gpfs/mount.hpp>

#include <lab/gpfs/codec.hpp>
#include <lab/gpfs/process_frames.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "lab/gpfs/gpfs_mount_cases.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/gpfs_hints.hpp"
#include "support/seed.hpp"
#include "support/wire_peers.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using namespace std::chrono_literals;
using namespace io::test;

namespace {

// Returns a well-formed request that is out of place.
gpfs::detail::message_body random_request(std::mt19937_64& random) {
  auto const n = [&] { return static_cast<std::int64_t>(random() % 5); };
  auto const i = [&] { return static_cast<int>(random() % 5); };
  switch (random() % 12) {
    case 0:
      return gpfs::detail::open_request{n(), "f", i(), true, true, true, false};
    case 1:
      return gpfs::detail::close_notice{n(), i(), {n(), n()}};
    case 2: {
      gpfs::detail::token_request r{n(),          n(),      gpfs::detail::token_mode::write,
                                    {1, 1 + n()}, {0, n()}, random() % 2 == 0,
                                    {},           {}};
      r.surrenders.push_back({i(), {0, n()}, gpfs::detail::token_mode::none, n()});
      return r;
    }
    case 3:
      return gpfs::detail::token_release{n(), {n(), 9}, n(), {}};
    case 4:
      return gpfs::detail::size_request{n(), n()};
    case 5:
      return gpfs::detail::size_report{n(), n(), {n(), 0}};
    case 6:
      return gpfs::detail::ship_start{n(), n() + 1, i(), i(), {}};
    case 7:
      return gpfs::detail::ship_stop{n(), n(), i()};
    case 8:
      return gpfs::detail::ship_ready{n(), n(), 0, {}};
    case 9:
      return gpfs::detail::ship_interrupt{n(), i()};
    case 10:
      return gpfs::detail::block_read{n(), n() + 1, n()};
    default:
      return gpfs::detail::resize_request{n(), n() + 1, n()};
  }
}

// A bridge between one mount and the host. It passes frames on, but closes both connections instead
// of passing one of the given kind.
class bridge {
 public:
  bridge(std::string const& host, std::uint64_t last_kind, std::error_code& error)
      : host_(io::wire::address_from(host, error)),
        last_(last_kind),
        station_(here(), [this](auto const& c) { return welcome(c); }, error) {}
  ~bridge() { station_.stop(); }
  std::string address() const { return io::wire::to_text(station_.where()); }

 private:
  using connection = std::shared_ptr<io::wire::connection>;
  static io::wire::station::options here() {
    io::wire::station::options o;
    o.network = false;
    return o;
  }
  io::wire::connection::events welcome(connection const& mount) {
    auto const far = std::make_shared<connection>();
    std::error_code error;
    *far = station_.connect(host_, mount->introduction(),
                            {[mount](io::wire::frame f) { mount->send(std::move(f)); },
                             [mount](std::error_code) { mount->close(); }},
                            error);
    if (error) mount->close();
    return {[this, far, mount](io::wire::frame f) {
              if (f.kind != last_) return (*far)->send(std::move(f));
              (*far)->close();
              mount->close();
            },
            [far](std::error_code) { (*far)->close(); }};
  }

  io::wire::address host_;
  std::uint64_t last_;
  io::wire::station station_;
};

}  // namespace

TEST_CASE("a node that is killed loses what it has not flushed, and holds nobody up",
          "[gpfs][mount]") {
  cluster c(1);
  c.write(0, 0, 4 * B, 1);
  scratch const notes;
  std::string const ready = notes / "ready";
  std::string const address = c.host->address();
  pid_t const child = ::fork();
  if (child == 0) {
    std::error_code error;
    auto const m = gpfs::mount::to(address, 5, error);
    auto f = gpfs::mounted_file::open(m, "f", {.read = true, .write = true}, error);
    f.write(0, filled(B, 2));
    f.sync();
    f.write(2 * B + 5, filled(10, 3));
    f.lock(0, 100, io::extend::lock_kind::exclusive);
    std::ofstream(ready) << "x";
    for (;;) ::pause();
  }
  while (!std::filesystem::exists(ready)) std::this_thread::sleep_for(1ms);
  CHECK(c.host->nodes() == 2);
  // These calls are pending when the child dies. They wait for its token and its lock.
  ::kill(child, SIGSTOP);
  ::waitpid(child, nullptr, WUNTRACED);  // a child that still runs would answer
  std::thread locks([&] { CHECK_FALSE(c.files[0].lock(50, 1, io::extend::lock_kind::shared)); });
  std::thread reads([&] {
    auto const all = c.read(0, 0, 4 * B);
    REQUIRE(all.size() == 4 * B);
    CHECK(all[0] == std::byte{2});          // it was synced
    CHECK(all[2 * B + 5] == std::byte{1});  // it died with the node
    CHECK(all[3 * B] == std::byte{1});
  });
  std::this_thread::sleep_for(20ms);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  reads.join();
  locks.join();
  CHECK(c.host->manager().failed_nodes == 1);
  // the number of the lost node cannot be used again
  std::error_code error;
  gpfs::mount::to(address, 5, error);
  CHECK(error == std::errc::device_or_resource_busy);
}

TEST_CASE("without the host every call fails, and none waits", "[gpfs][mount]") {
  cluster c(2);
  c.write(0, 0, B, 1);
  std::error_code waiting;
  std::thread starts([&] {  // waits for the other node, which never comes
    auto start = io::test::ship_start(2);
    waiting = c.files[0].fcntl(start);
  });
  std::this_thread::sleep_for(20ms);
  c.host.reset();
  starts.join();
  CHECK(waiting.value() == ESTALE);
  std::vector<std::byte> bytes(10);
  for (auto& f : c.files) {
    CHECK(f.read(0, bytes).error.value() == ESTALE);
    CHECK(f.write(0, bytes).error.value() == ESTALE);
    CHECK(f.sync().value() == ESTALE);
    CHECK(f.close().value() == ESTALE);
  }
  std::error_code error;
  gpfs::mount::to("no address", 0, error);
  CHECK(error);
}

TEST_CASE("a host that dies while a file is being closed is an error, and nobody waits for it",
          "[gpfs][mount]") {
  cluster c(1);
  // The bridge cuts the connection when the host asks for the final length, after the file is
  // closed.
  std::error_code error;
  bridge between(c.host->address(), gpfs::detail::process_frames::at_rest, error);
  REQUIRE_FALSE(error);
  // The thread owns this, because it is detached if it does not return.
  struct closing {
    gpfs::mounted_file file;
    std::error_code error;
    std::atomic<bool> ended{false};
  };
  auto const it = std::make_shared<closing>();
  auto const m = gpfs::mount::to(between.address(), gpfs::mount::any_node, error);
  REQUIRE_FALSE(error);
  it->file = gpfs::mounted_file::open(m, "f", {.read = true, .write = true}, error);
  REQUIRE_FALSE(error);
  CHECK(it->file.write(0, filled(100, 1)).bytes == 100);
  std::thread([it] {
    it->error = it->file.close();
    it->ended = true;
  }).detach();
  for (int i = 0; i < 20000 && !it->ended; ++i) std::this_thread::sleep_for(1ms);
  REQUIRE(it->ended);
  CHECK(it->error.value() == ESTALE);
  CHECK_FALSE(it->file.is_open());
  CHECK(c.read(0, 0, 100) == filled(100, 1));  // synced before
}

TEST_CASE("a host is there for other machines unless it is told not to be", "[gpfs][mount]") {
  for (bool const network : {true, false}) {
    gpfs::host_options o;
    if (!network) o.network = false;
    std::error_code error;
    gpfs::host const h(o, error);
    REQUIRE_FALSE(error);
    CHECK((io::wire::address_from(h.address(), error).port != 0) == network);
  }
}

TEST_CASE("a host that is hit by nonsense cuts off who sends it, and serves the others",
          "[gpfs][mount]") {
  CAPTURE(seed());
  std::mt19937_64 random(seed());
  gpfs::machine m = small();
  m.lease_s = 0.001;
  cluster c(1, m);
  std::error_code error;
  auto const where = io::wire::address_from(c.host->address(), error);
  REQUIRE_FALSE(error);
  // Opens files, so that random file numbers are valid ones.
  for (char const* name : {"1", "2", "3", "4", "5"}) c.files.push_back(c.open(0, name));
  int const talks = 200;
  for (int round = 0; round < talks; ++round) {
    io::test::stranger s(where);
    REQUIRE(s.connected());
    REQUIRE(s.say(io::test::stranger::greeting(where)));
    std::vector<std::byte> heard(48 + 24);
    REQUIRE(s.hear(heard));
    std::uint64_t node = 0;
    std::memcpy(&node, heard.data() + 48 + 16, 8);
    gpfs::detail::address const me{gpfs::detail::role::client, static_cast<int>(node)};
    auto const say = [&](std::vector<std::byte> const& body) {
      return s.say(io::test::stranger::frame(gpfs::detail::process_frames::one_message, 0, body));
    };
    bool heard_out = true;
    for (int k = 0; k < 20 && heard_out; ++k) {
      gpfs::detail::message_body const body = random_request(random);
      bool const to_server = std::holds_alternative<gpfs::detail::block_read>(body);
      auto bytes = gpfs::detail::encode(
          {me, {to_server ? gpfs::detail::role::server : gpfs::detail::role::manager, 0}, body});
      heard_out = say(bytes);
    }
    // then a message that is malformed
    auto bytes = gpfs::detail::encode(
        {me, {gpfs::detail::role::manager, 0}, gpfs::detail::size_request{1, 0}});
    if (round % 2 == 0)
      bytes.resize(random() % bytes.size());
    else
      // claims another sender
      bytes[4 + random() % 4] = static_cast<std::byte>(200 + random() % 50);
    say(bytes);
    REQUIRE(s.is_left());
  }
  CHECK(c.host->malformed() == talks);
  auto f = c.open(0, "another");
  REQUIRE_FALSE(c.error);
  CHECK(f.write(0, filled(100, 1)).bytes == 100);
  CHECK_FALSE(f.close());
}

TEST_CASE("argosy-gpfsd hosts, and its death is an error", "[gpfs][mount]") {
  scratch const dir;
  std::ofstream(dir / "machine") << "block_bytes 2048\nlease_s 0.1\n";
  std::filesystem::create_directory(dir / "data");
  pid_t const daemon = ::fork();
  if (daemon == 0) {
    std::string const socket = dir / "socket", machine = dir / "machine", data = dir / "data";
    ::execl(ARGOSY_TEST_GPFSD, "argosy-gpfsd", "--socket", socket.c_str(), "--machine",
            machine.c_str(), "--directory", data.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  while (!std::filesystem::exists(dir / "socket") && ::waitpid(daemon, nullptr, WNOHANG) == 0)
    std::this_thread::sleep_for(1ms);
  REQUIRE((std::filesystem::status(dir / "socket").permissions() & std::filesystem::perms::all) ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  std::error_code error;
  auto const a =
      gpfs::mount::to(io::test::content_of(dir / "socket"), gpfs::mount::any_node, error);
  REQUIRE_FALSE(error);
  auto const b =
      gpfs::mount::to(io::test::content_of(dir / "socket"), gpfs::mount::any_node, error);
  REQUIRE_FALSE(error);
  CHECK(a.hardware().block_bytes == 2048);
  auto f = gpfs::mounted_file::open(a, "f", {.read = true, .write = true, .create = true}, error);
  auto g = gpfs::mounted_file::open(b, "f", {.read = true, .write = true}, error);
  REQUIRE_FALSE(error);
  CHECK(f.write(0, filled(5000, 3)).bytes == 5000);
  std::vector<std::byte> bytes(6000);
  CHECK(g.read(0, bytes).bytes == 5000);
  CHECK_FALSE(f.sync());
  CHECK(std::filesystem::file_size(dir / "data/f") == 5000);

  bool const orderly = GENERATE(true, false);
  ::kill(daemon, orderly ? SIGTERM : SIGKILL);
  int status = 0;
  CHECK(::waitpid(daemon, &status, 0) == daemon);
  CHECK((orderly ? WIFEXITED(status) && WEXITSTATUS(status) == 0 : WIFSIGNALED(status)));
  CHECK(f.write(0, bytes).error.value() == ESTALE);
  CHECK(std::filesystem::exists(dir / "socket") == !orderly);
  gpfs::mount::to(a.is_mounted() ? io::test::content_of(dir / "socket") : "", gpfs::mount::any_node,
                  error);
  CHECK(error);
}

TEST_CASE("what is said of a file that nobody has opened is nonsense", "[gpfs][mount]") {
  cluster c(1);
  auto const where = io::wire::address_from(c.host->address(), c.error);
  io::test::stranger s(where);
  REQUIRE(s.say(io::test::stranger::greeting(where, 2)));
  // If the host accepted this, the next file that is opened would have this size.
  auto const bytes = gpfs::detail::encode({{gpfs::detail::role::client, 1},
                                           {gpfs::detail::role::manager, 0},
                                           gpfs::detail::resize_request{1, 1, 1'000'000}});
  REQUIRE(s.say(io::test::stranger::frame(gpfs::detail::process_frames::one_message, 0, bytes)));
  CHECK(s.is_left());
  CHECK(c.host->malformed() == 1);
  auto f = c.open(0, "another");
  CHECK(f.size(c.error) == 0);
  CHECK_FALSE(f.close());
}

TEST_CASE("a name with a zero in it names no other file", "[gpfs][mount]") {
  cluster c(1);
  c.open(0, std::string("f\0g", 3));
  CHECK(c.error == std::errc::permission_denied);
  CHECK(c.mounts[0].files().remove(std::string("f\0", 2)) == std::errc::permission_denied);
  CHECK(std::filesystem::exists(c.dir / "f"));
}

TEST_CASE("a host that says no without a reason, or names no node, is an error", "[gpfs][mount]") {
  for (auto const& [kind, number] :
       {std::pair{gpfs::detail::process_frames::refused, std::uint64_t{0}},
        std::pair{gpfs::detail::process_frames::refused, std::uint64_t{1} << 40},
        std::pair{gpfs::detail::process_frames::welcome, std::uint64_t{1} << 40}}) {
    std::error_code error;
    auto const say = [k = kind, n = number](std::shared_ptr<io::wire::connection> const& c) {
      c->send({k, n, {}});
      return io::wire::connection::events{[](io::wire::frame) {}, [](std::error_code) {}};
    };
    io::wire::station const host({}, say, error);
    REQUIRE_FALSE(error);
    gpfs::mount::to(io::wire::to_text(host.where()), 0, error);
    CHECK(error == std::errc::bad_message);
  }
}
