// The simulated GPFS over sockets, seen by mounts in one process and in children.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/host.hpp>
#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>
#include <argosy/lab/gpfs/mount.hpp>

#include <lab/gpfs/codec.hpp>
#include <lab/gpfs/process_frames.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/gpfs_hints.hpp"
#include "support/seed.hpp"
#include "support/wire_peers.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using namespace std::chrono_literals;
using io::test::in_child;
using io::test::scratch;
using io::test::seed;

namespace {

constexpr std::int64_t B = 1024;

gpfs::machine small() {
  gpfs::machine m;
  m.block_bytes = B;
  m.servers = 2;
  m.disks_per_server = 2;
  m.pagepool_bytes = 64 * B;
  m.lease_s = 0.1;
  return m;
}

std::vector<std::byte> filled(std::size_t n, int value) {
  return std::vector<std::byte>(n, static_cast<std::byte>(value));
}

// Well formed, but out of place.
gpfs::message_body random_request(std::mt19937_64& random) {
  auto const n = [&] { return static_cast<std::int64_t>(random() % 5); };
  auto const i = [&] { return static_cast<int>(random() % 5); };
  switch (random() % 12) {
    case 0:
      return gpfs::open_request{n(), "f", i(), true, true, true, false};
    case 1:
      return gpfs::close_notice{n(), i(), {n(), n()}};
    case 2: {
      gpfs::token_request r{n(), n(), gpfs::token_mode::write, {1, 1 + n()}, {0, n()}, random() % 2 == 0, {}, {}};
      r.surrenders.push_back({i(), {0, n()}, gpfs::token_mode::none, n()});
      return r;
    }
    case 3:
      return gpfs::token_release{n(), {n(), 9}, n(), {}};
    case 4:
      return gpfs::size_request{n(), n()};
    case 5:
      return gpfs::size_report{n(), n(), {n(), 0}};
    case 6:
      return gpfs::ship_start{n(), n() + 1, i(), i(), {}};
    case 7:
      return gpfs::ship_stop{n(), n(), i()};
    case 8:
      return gpfs::ship_ready{n(), n(), 0, {}};
    case 9:
      return gpfs::ship_interrupt{n(), i()};
    case 10:
      return gpfs::block_read{n(), n() + 1, n()};
    default:
      return gpfs::resize_request{n(), n() + 1, n()};
  }
}

// A host and some nodes, all with the file open.
struct cluster {
  explicit cluster(int nodes, gpfs::machine const& m = small()) {
    gpfs::host_options o;
    o.hardware = m;
    o.directory = dir.string();
    o.network = false;
    host = std::make_unique<gpfs::host>(o, error);
    REQUIRE_FALSE(error);
    for (int n = 0; n < nodes; ++n) {
      mounts.push_back(gpfs::mount::to(host->address(), n, error));
      REQUIRE_FALSE(error);
      files.push_back(open(n));
      REQUIRE_FALSE(error);
    }
  }
  gpfs::mounted_file open(int node, std::string const& name = "f") {
    return gpfs::mounted_file::open(mounts.at(static_cast<std::size_t>(node)), name,
                                    {.read = true, .write = true, .create = true}, error);
  }
  gpfs::client_counters count(int n) const { return mounts[static_cast<std::size_t>(n)].counters(); }
  void write(int n, std::int64_t offset, std::int64_t length, int value = 7) {
    auto const r = files[static_cast<std::size_t>(n)].write(offset, filled(static_cast<std::size_t>(length), value));
    REQUIRE_FALSE(r.error);
    REQUIRE(r.bytes == length);
  }
  std::vector<std::byte> read(int n, std::int64_t offset, std::int64_t length) {
    std::vector<std::byte> all(static_cast<std::size_t>(length));
    auto const r = files[static_cast<std::size_t>(n)].read(offset, all);
    REQUIRE_FALSE(r.error);
    all.resize(static_cast<std::size_t>(r.bytes));
    return all;
  }

  scratch const dir;
  std::error_code error;
  std::unique_ptr<gpfs::host> host;
  std::vector<gpfs::mount> mounts;
  std::vector<gpfs::mounted_file> files;
};

// Stands between one mount and the host, and ends both connections instead of passing the given kind of frame on.
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
    *far = station_.connect(
        host_, mount->introduction(),
        {[mount](io::wire::frame f) { mount->send(std::move(f)); }, [mount](std::error_code) { mount->close(); }},
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

TEST_CASE("what one node has written another one reads, and the file is there afterwards", "[gpfs][mount]") {
  cluster c(2);
  CHECK(c.mounts[1].node() == 1);
  CHECK(c.mounts[1].hardware() == small());
  c.write(0, 0, 3 * B, 1);
  c.write(1, B + 10, 20, 2);
  auto expected = filled(3 * B, 1);
  std::fill_n(expected.begin() + B + 10, 20, std::byte{2});
  CHECK(c.read(0, 0, 4 * B) == expected);
  CHECK(c.read(1, 0, 4 * B) == expected);
  CHECK(c.files[0].size(c.error) == 3 * B);
  CHECK_FALSE(c.files[1].resize(10 * B + 3));
  CHECK(c.files[0].size(c.error) == 10 * B + 3);
  for (auto& f : c.files) CHECK_FALSE(f.close());
  CHECK_FALSE(c.files[0].is_open());
  CHECK(c.files[0].write(0, expected).error == std::errc::bad_file_descriptor);

  CHECK(std::filesystem::file_size(c.dir / "f") == 10 * B + 3);
  std::string const content = io::test::content_of(c.dir / "f");
  CHECK(std::equal(expected.begin(), expected.end(), content.begin(),
                   [](std::byte a, char b) { return a == static_cast<std::byte>(b); }));
}

TEST_CASE("files that were there before have their bytes", "[gpfs][mount]") {
  cluster c(1);
  std::ofstream(c.dir / "old") << std::string(2500, 'x');
  auto f = c.open(0, "old");
  REQUIRE_FALSE(c.error);
  CHECK(f.size(c.error) == 2500);
  std::vector<std::byte> all(5000);
  CHECK(f.read(0, all).bytes == 2500);
  CHECK(all[2499] == std::byte{'x'});
  CHECK_FALSE(f.close());
  io::opener const files = c.mounts[0].files();
  CHECK_FALSE(files.remove("old"));
  CHECK_FALSE(std::filesystem::exists(c.dir / "old"));
  CHECK(files.remove("old") == std::errc::no_such_file_or_directory);
}

TEST_CASE("files are renamed in the directory, whether somebody opened them or not", "[gpfs][mount]") {
  cluster c(2);
  io::opener const files = c.mounts[0].files();
  REQUIRE(files.renames());
  for (bool const from_known : {false, true})
    for (bool const to_known : {false, true}) {
      CAPTURE(from_known, to_known);
      std::ofstream(c.dir / "from") << "new";
      std::ofstream(c.dir / "to") << "former";
      if (from_known) CHECK_FALSE(c.open(1, "from").close());
      if (to_known) CHECK_FALSE(c.open(1, "to").close());
      CHECK_FALSE(files.rename("from", "to"));
      CHECK_FALSE(files.settle("to"));
      CHECK_FALSE(std::filesystem::exists(c.dir / "from"));
      CHECK(io::test::content_of(c.dir / "to") == "new");
      auto f = c.open(1, "to");
      CHECK(f.size(c.error) == 3);
      std::vector<std::byte> back(3);
      CHECK(f.read(0, back).bytes == 3);
      CHECK(back[0] == std::byte{'n'});
      CHECK_FALSE(f.close());
      CHECK_FALSE(files.remove("to"));
    }
  CHECK(files.rename("from", "to") == std::errc::no_such_file_or_directory);
  CHECK(files.rename("from", "../to") == std::errc::permission_denied);
}

TEST_CASE("opening says why not", "[gpfs][mount]") {
  cluster c(1);
  io::opener const files = c.mounts[0].files();
  auto const opens = [&](std::string const& name, io::open_flags flags) {
    std::error_code error;
    files(name, flags, error);
    return error;
  };
  CHECK(opens("nowhere", {.read = true}) == std::errc::no_such_file_or_directory);
  CHECK(opens("f", {.write = true, .create = true, .exclusive = true}) == std::errc::file_exists);
  std::ofstream(c.dir / "there") << "x";
  CHECK(opens("there", {.write = true, .create = true, .exclusive = true}) == std::errc::file_exists);
  CHECK(opens("../outside", {.write = true, .create = true}) == std::errc::permission_denied);
  CHECK(opens("a/../../outside", {.write = true, .create = true}) == std::errc::permission_denied);
  CHECK(opens("/tmp/outside", {.write = true, .create = true}) == std::errc::permission_denied);
  CHECK(opens("no/such/directory", {.write = true, .create = true}) == std::errc::no_such_file_or_directory);
  CHECK(opens("", {.read = true}) == std::errc::permission_denied);
  CHECK_FALSE(opens("new", {.write = true, .create = true, .exclusive = true}));
}

TEST_CASE("two writers in one block: the messages are those of the simulation", "[gpfs][mount]") {
  cluster c(2);
  gpfs::loopback simulated(small(), 2);
  std::vector<gpfs::loopback_file> twins;
  std::error_code error;
  for (int n = 0; n < 2; ++n)
    twins.push_back(gpfs::loopback_file::open(simulated, n, "f", {.read = true, .write = true, .create = true}, error));
  int const rounds = 10;
  for (int r = 0; r < rounds; ++r)
    for (int n = 0; n < 2; ++n) {
      c.write(n, 512 * n + r, 1);
      twins[static_cast<std::size_t>(n)].write(512 * n + r, filled(1, 7));
    }
  // Every write but the first meets the other's token and its dirty block.
  CHECK(c.count(0).token_messages() == 2 + 6 * (rounds - 1));
  CHECK(c.count(1).token_messages() == 6 * rounds);
  CHECK(c.count(0).revoke_flushes == rounds);
  CHECK(c.count(1).revoke_flushes == rounds - 1);
  for (int n = 0; n < 2; ++n) {
    auto const mine = c.count(n), twin = simulated.client(n).counters();
    CHECK(mine.calls == twin.calls);
    CHECK(mine.token_messages() == twin.token_messages());
    CHECK(mine.revokes_sent == twin.revokes_sent);
    CHECK(mine.revokes_received == twin.revokes_received);
    CHECK(mine.revoke_flushes == twin.revoke_flushes);
    CHECK(mine.block_reads == twin.block_reads);
    CHECK(mine.block_writes == twin.block_writes);
    CHECK(mine.merge_reads == twin.merge_reads);
  }
  CHECK(c.host->manager().conflicts == simulated.manager().counters().conflicts);
  CHECK(c.host->manager().grants == simulated.manager().counters().grants);
  CHECK(c.host->servers().writes == 2 * rounds - 1);
}

TEST_CASE("several threads of a node, several nodes, one file", "[gpfs][mount]") {
  cluster c(3);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  std::int64_t const record = 100, each = 60;
  for (int n = 0; n < 3; ++n)
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&, n, t] {
        for (std::int64_t i = 0; i < each; ++i) {
          std::int64_t const at = ((i * 3 + n) * 2 + t) * record;
          auto const bytes = filled(record, static_cast<int>(i * 6 + n * 2 + t));
          if (c.files[static_cast<std::size_t>(n)].write(at, bytes).bytes != record) ++wrong;
          std::vector<std::byte> back(record);
          if (c.files[static_cast<std::size_t>(n)].read(at, back).bytes != record || back != bytes) ++wrong;
        }
      });
  for (auto& t : threads) t.join();
  CHECK(wrong == 0);
  for (int n = 0; n < 3; ++n) {
    auto const all = c.read(n, 0, 6 * each * record);
    for (std::int64_t k = 0; k < 6 * each; ++k)
      for (std::int64_t b = 0; b < record; ++b)
        REQUIRE(all[static_cast<std::size_t>(k * record + b)] == static_cast<std::byte>(k));
  }
}

TEST_CASE("locks exclude threads and nodes", "[gpfs][mount]") {
  cluster c(2);
  REQUIRE_FALSE(c.files[0].lock(0, 10, io::lock_kind::exclusive));
  std::atomic<bool> got{false};
  std::thread other([&] {
    c.files[1].lock(5, 10, io::lock_kind::exclusive);
    got = true;
    c.files[1].unlock(5, 10);
  });
  std::thread sibling([&] {
    c.files[0].lock(5, 10, io::lock_kind::shared);
    got = true;
    c.files[0].unlock(5, 10);
  });
  std::this_thread::sleep_for(30ms);
  CHECK_FALSE(got);
  CHECK_FALSE(c.files[0].unlock(0, 10));
  other.join();
  sibling.join();
  CHECK(got);
}

TEST_CASE("partitioned: no revocations, and the owners keep the blocks", "[gpfs][mount]") {
  cluster c(3);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::size_t n = 0; n < 3; ++n)
    threads.emplace_back([&, n] {
      auto start = io::test::ship_start(3);
      if (c.files[n].fcntl(start)) ++wrong;
      for (std::int64_t i = 0; i < 30; ++i) {
        std::int64_t const at = (i * 3 + static_cast<std::int64_t>(n)) * 100;
        if (c.files[n].write(at, filled(100, static_cast<int>(i * 3) + static_cast<int>(n))).bytes != 100) ++wrong;
      }
      io::test::ship_stop stop;
      if (c.files[n].fcntl(stop)) ++wrong;
    });
  for (auto& t : threads) t.join();
  CHECK(wrong == 0);
  for (int n = 0; n < 3; ++n) {
    CHECK(c.count(n).revokes_received == 0);
    CHECK(c.count(n).ships_sent > 0);
    auto const all = c.read(n, 0, 9000);
    REQUIRE(all.size() == 9000);
    for (std::size_t k = 0; k < 9000; ++k) REQUIRE(all[k] == static_cast<std::byte>(k / 100));
  }
}

TEST_CASE("who mounts later learns that a file is partitioned", "[gpfs][mount]") {
  cluster c(1);
  auto start = io::test::ship_start(1);
  REQUIRE_FALSE(c.files[0].fcntl(start));
  c.write(0, 0, 10, 5);
  std::error_code error;
  auto const late = gpfs::mount::to(c.host->address(), gpfs::mount::any_node, error);
  REQUIRE_FALSE(error);
  CHECK(late.node() == 1);
  auto f = gpfs::mounted_file::open(late, "f", {.read = true}, error);
  REQUIRE_FALSE(error);
  std::vector<std::byte> bytes(20);
  CHECK(f.read(0, bytes).bytes == 10);
  CHECK(bytes[9] == std::byte{5});
  CHECK(late.counters().ships_sent == 1);
  io::test::ship_stop stop;
  CHECK_FALSE(c.files[0].fcntl(stop));
  CHECK(f.read(0, bytes).bytes == 10);
}

TEST_CASE("a node that is killed loses what it has not flushed, and holds nobody up", "[gpfs][mount]") {
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
    f.lock(0, 100, io::lock_kind::exclusive);
    std::ofstream(ready) << "x";
    for (;;) ::pause();
  }
  while (!std::filesystem::exists(ready)) std::this_thread::sleep_for(1ms);
  CHECK(c.host->nodes() == 2);
  // Under way when it happens: it asks the child for its token, and for the lock.
  ::kill(child, SIGSTOP);
  ::waitpid(child, nullptr, WUNTRACED);  // until it has: it would answer
  std::thread locks([&] { CHECK_FALSE(c.files[0].lock(50, 1, io::lock_kind::shared)); });
  std::thread reads([&] {
    auto const all = c.read(0, 0, 4 * B);
    REQUIRE(all.size() == 4 * B);
    CHECK(all[0] == std::byte{2});          // it was synchronised
    CHECK(all[2 * B + 5] == std::byte{1});  // it died with the node
    CHECK(all[3 * B] == std::byte{1});
  });
  std::this_thread::sleep_for(20ms);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  reads.join();
  locks.join();
  CHECK(c.host->manager().failed_nodes == 1);
  // its number is burnt
  std::error_code error;
  gpfs::mount::to(address, 5, error);
  CHECK(error == std::errc::device_or_resource_busy);
}

TEST_CASE("a node that leaves gives everything back at once", "[gpfs][mount]") {
  gpfs::machine m = small();
  m.lease_s = 1000;
  cluster c(2, m);
  c.write(1, 0, 2 * B, 3);
  CHECK_FALSE(c.files[1].close());
  c.mounts[1].leave();
  CHECK(c.read(0, 0, 2 * B) == filled(2 * B, 3));
  c.write(0, 0, 2 * B, 4);
  CHECK(c.host->manager().failed_nodes == 0);
  std::error_code error;
  gpfs::mounted_file::open(c.mounts[1], "f", {.read = true}, error);
  CHECK(error.value() == ESTALE);
}

TEST_CASE("without the host every call fails, and none waits", "[gpfs][mount]") {
  cluster c(2);
  c.write(0, 0, B, 1);
  std::error_code waiting;
  std::thread starts([&] {  // for the other, who never comes
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

TEST_CASE("a host that dies while a file is being closed is an error, and nobody waits for it", "[gpfs][mount]") {
  cluster c(1);
  // While it is asked for the length at rest; the file is closed by then.
  std::error_code error;
  bridge between(c.host->address(), gpfs::process_frames::at_rest, error);
  REQUIRE_FALSE(error);
  // Kept by the thread, which is left to itself if it does not come back.
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
  CHECK(c.read(0, 0, 100) == filled(100, 1));  // what was synchronised before
}

TEST_CASE("a host that is hit by nonsense cuts off who sends it, and serves the others", "[gpfs][mount]") {
  CAPTURE(seed());
  std::mt19937_64 random(seed());
  gpfs::machine m = small();
  m.lease_s = 0.001;
  cluster c(1, m);
  std::error_code error;
  auto const where = io::wire::address_from(c.host->address(), error);
  REQUIRE_FALSE(error);
  // Numbers of files are to mean something.
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
    gpfs::address const me{gpfs::role::client, static_cast<int>(node)};
    auto const say = [&](std::vector<std::byte> const& body) {
      return s.say(io::test::stranger::frame(gpfs::process_frames::one_message, 0, body));
    };
    bool heard_out = true;
    for (int k = 0; k < 20 && heard_out; ++k) {
      gpfs::message_body const body = random_request(random);
      bool const to_server = std::holds_alternative<gpfs::block_read>(body);
      auto bytes = gpfs::encode({me, {to_server ? gpfs::role::server : gpfs::role::manager, 0}, body});
      heard_out = say(bytes);
    }
    // and now something that is none
    auto bytes = gpfs::encode({me, {gpfs::role::manager, 0}, gpfs::size_request{1, 0}});
    if (round % 2 == 0)
      bytes.resize(random() % bytes.size());
    else
      bytes[4 + random() % 4] = static_cast<std::byte>(200 + random() % 50);  // from somebody else
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
    ::execl(ARGOSY_TEST_GPFSD, "argosy-gpfsd", "--socket", socket.c_str(), "--machine", machine.c_str(), "--directory",
            data.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  while (!std::filesystem::exists(dir / "socket") && ::waitpid(daemon, nullptr, WNOHANG) == 0)
    std::this_thread::sleep_for(1ms);
  REQUIRE((std::filesystem::status(dir / "socket").permissions() & std::filesystem::perms::all) ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  std::error_code error;
  auto const a = gpfs::mount::to(io::test::content_of(dir / "socket"), gpfs::mount::any_node, error);
  REQUIRE_FALSE(error);
  auto const b = gpfs::mount::to(io::test::content_of(dir / "socket"), gpfs::mount::any_node, error);
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
  gpfs::mount::to(a.is_mounted() ? io::test::content_of(dir / "socket") : "", gpfs::mount::any_node, error);
  CHECK(error);
}

TEST_CASE("what is said of a file that nobody has opened is nonsense", "[gpfs][mount]") {
  cluster c(1);
  auto const where = io::wire::address_from(c.host->address(), c.error);
  io::test::stranger s(where);
  REQUIRE(s.say(io::test::stranger::greeting(where, 2)));
  // The next file that is opened would have this size.
  auto const bytes =
      gpfs::encode({{gpfs::role::client, 1}, {gpfs::role::manager, 0}, gpfs::resize_request{1, 1, 1'000'000}});
  REQUIRE(s.say(io::test::stranger::frame(gpfs::process_frames::one_message, 0, bytes)));
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
  for (auto const& [kind, number] : {std::pair{gpfs::process_frames::refused, std::uint64_t{0}},
                                     std::pair{gpfs::process_frames::refused, std::uint64_t{1} << 40},
                                     std::pair{gpfs::process_frames::welcome, std::uint64_t{1} << 40}}) {
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
