// The world of MPI. One page because all cases check one class, on ranks of MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/memory_world.hpp>
#include <argosy/world/mpi.hpp>
#include <argosy/world/self.hpp>

#include "support/leak_check.hpp"
#include "support/share_cases.hpp"
#include "support/world_cases.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>

#include <world/node_segment.hpp>

namespace io = argosy;
using namespace io::test;

namespace {

std::atomic<bool> foreign_descriptors_are_closed{false};

}  // namespace

// Replaces open of the system, to simulate that processes may not look at each other.
extern "C" int open(char const* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t const permissions = va_arg(more, mode_t);
  va_end(more);
  std::string_view const name = path;
  if (foreign_descriptors_are_closed && name.starts_with("/proc/") &&
      name.find("/fd/") != name.npos) {
    errno = EACCES;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, permissions));
}

namespace {

// Limits MPI's counts to `bytes` while it lives.
struct small_counts {
  explicit small_counts(std::size_t bytes) { io::detail::mpi_largest_count = bytes; }
  ~small_counts() { io::detail::mpi_largest_count = before; }
  small_counts(small_counts const&) = delete;
  small_counts& operator=(small_counts const&) = delete;
  std::size_t before = io::detail::mpi_largest_count;
};

struct limit {
  limit(decltype(RLIMIT_NOFILE) what, rlim_t value) : resource(what) {
    getrlimit(resource, &before);
    rlimit lower = before;
    lower.rlim_cur = value;
    setrlimit(resource, &lower);
  }
  ~limit() { setrlimit(resource, &before); }
  limit(limit const&) = delete;
  limit& operator=(limit const&) = delete;
  decltype(RLIMIT_NOFILE) resource;
  rlimit before = {};
};

// MPI libraries open what they need for a pair of ranks at their first message.
void meet_everyone(io::mpi const& world) { check_messages(world); }

std::int64_t available_memory() {
  std::ifstream lines("/proc/meminfo");
  for (std::string name, rest; lines >> name && std::getline(lines, rest);)
    if (name == "MemAvailable:") return std::stoll(rest) * 1024;
  return 0;
}

// Pages of zeros that take no memory before they are written.
struct lazy_memory {
  explicit lazy_memory(std::size_t n)
      : size(n),
        first(mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0)) {}
  ~lazy_memory() { munmap(first, size); }
  lazy_memory(lazy_memory const&) = delete;
  lazy_memory& operator=(lazy_memory const&) = delete;
  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(first), size}; }
  std::size_t size;
  void* first;
};

std::size_t segments_of(std::int64_t creator) {
  auto const prefix = "argosy." + std::to_string(creator) + ".";
  std::size_t count = 0;
  std::error_code none;
  for (auto const& entry : std::filesystem::directory_iterator("/dev/shm", none))
    count += entry.path().filename().string().starts_with(prefix);
  return count;
}

std::size_t segments_left(io::mpi const& world) {
  std::int64_t creator = getpid();
  world.broadcast(std::as_writable_bytes(std::span(&creator, 1)), 0);
  std::size_t const count = segments_of(creator);
  world.barrier();
  return count;
}

// Returns the present address space, plus room for MPI to go on.
rlim_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + (32 << 20);
}

// Takes every descriptor. A limit of 0 would do, but MPI could no longer poll its own.
struct no_more_files {
  no_more_files() : few(RLIMIT_NOFILE, static_cast<rlim_t>(highest()) + 1) {
    for (int d = dup(0); d >= 0; d = dup(0)) taken.push_back(d);
  }
  ~no_more_files() {
    for (int d : taken) close(d);
  }
  static int highest() {
    int result = 0;
    for (auto const& entry : std::filesystem::directory_iterator("/proc/self/fd"))
      result = std::max(result, std::stoi(entry.path().filename().string()));
    return result;
  }
  limit few;
  std::vector<int> taken;
};

struct no_more_memory : limit {
  no_more_memory() : limit(RLIMIT_AS, address_space()) {}
};

struct no_large_files : limit {
  no_large_files() : limit(RLIMIT_FSIZE, 4096) {}
};

// Breaks one rank. Every rank must get this error, and the next call must succeed.
template <class Broken>
void check_failure(io::mpi const& world, std::size_t size, int rank, int expected) {
  CAPTURE(size, rank, expected);
  std::error_code error;
  {
    std::optional<Broken> broken;
    if (world.rank() == rank) broken.emplace();
    CHECK(world.share(size, error).bytes().empty());
  }
  CHECK(error == std::error_code(expected, std::system_category()));
  CHECK(segments_left(world) == 0);
  CHECK(world.share(size, error).bytes().size() == size);
  CHECK_FALSE(error);
}

}  // namespace

static_assert(std::is_convertible_v<MPI_Comm, io::mpi>);
static_assert(!std::is_convertible_v<double, io::mpi>);
static_assert(!std::is_convertible_v<std::nullptr_t, io::mpi>);

TEST_CASE("a world refers to the communicator that it was made from", "[world][mpi]") {
  io::mpi const a = MPI_COMM_WORLD;
  CHECK(a.get() == MPI_COMM_WORLD);
  int rank = -1, size = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(a.rank() == rank);
  CHECK(a.size() == size);

  struct convertible {
    operator MPI_Comm() const { return MPI_COMM_SELF; }
  };
  CHECK(io::mpi(convertible()).size() == 1);

  CHECK_THROWS_AS(io::mpi(MPI_COMM_NULL), std::invalid_argument);
  if (a.size() > 1) {
    MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, a.rank() == 0 ? 0 : 1, 0, &half);
    [[maybe_unused]] ignored_leaks const of_open_mpi;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, a.rank() == 0 ? 1 : 0, 1, &inter);
    CHECK_THROWS_AS(io::mpi(inter), std::invalid_argument);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
  }
}

TEST_CASE("ranks reduce values of any size", "[world][mpi]") {
  check_reductions(io::mpi(MPI_COMM_WORLD));
  check_reductions(io::mpi(MPI_COMM_SELF));
}

TEST_CASE("ranks that meet in memory alone", "[world][memory]") {
  io::mpi const ranks = io::mpi(MPI_COMM_WORLD).node();
  io::extend::memory_world const world(
      ranks.share(io::extend::memory_world::bytes_for(ranks.size())), ranks.rank(), ranks.size());
  check_reductions(world);
  check_sums(world);
  check_gathers_and_broadcasts(world);
  for (int i = 0; i < 1000; ++i) world.barrier();
  io::extend::shared_memory const m = world.share(sizeof(std::uint32_t));
  std::atomic_ref<std::uint32_t> const count(*reinterpret_cast<std::uint32_t*>(m.bytes().data()));
  ++count;
  world.barrier();
  CHECK(count == static_cast<std::uint32_t>(ranks.size()));
}

TEST_CASE("collective calls may meet in memory, and messages go on meanwhile",
          "[world][mpi][memory]") {
  io::mpi world = io::mpi(MPI_COMM_WORLD).node();
  world.meet_in(world.share(io::extend::memory_world::bytes_for(world.size())));
  check_reductions(world);
  check_sums(world);
  check_gathers_and_broadcasts(world);
  check_messages(world);
  check_deliveries(world);
  check_split(world);
  check_groups_are_separate(world);
  io::mpi const copy = world;
  for (int i = 0; i < 1000; ++i) (i % 3 == 0 ? copy : world).barrier();
  // The message needs its sender to call MPI, and its receiver comes to the barrier only
  // afterwards.
  bytes const out = content(5'000'000, world.rank());
  bytes in(out.size());
  int const next = (world.rank() + 1) % world.size(),
            before = (world.rank() + world.size() - 1) % world.size();
  for (int sender = 0; sender < world.size() && world.size() > 1; ++sender) {
    io::mpi::request sent;
    if (world.rank() == sender) sent = world.start_send(out, next, 1);
    if (before == sender) {
      CHECK(world.receive(in, before, 1) == in.size());
      CHECK(in == content(5'000'000, before));
    }
    world.barrier();
    io::mpi::wait_all({&sent, 1});
  }
}

TEST_CASE("ranks sum what comes before them", "[world][mpi]") {
  check_sums(io::mpi(MPI_COMM_WORLD));
}

TEST_CASE("ranks learn where their elements begin, and a sum that is none is an error of all",
          "[world][mpi]") {
  io::mpi const world(MPI_COMM_WORLD);
  check_shares(world.rank(), world.size(), [&](auto n) { return io::share_of(world, n); });
  check_shares(world.rank(), world.size(), [](auto n) { return io::share_of(MPI_COMM_WORLD, n); });
  check_shares(0, 1, [](auto n) { return io::share_of(io::self(), n); });
}

TEST_CASE("ranks gather and broadcast", "[world][mpi]") {
  io::mpi const world = MPI_COMM_WORLD;
  check_gathers_and_broadcasts(world);
  bytes const mine(3);
  bytes all(3 * static_cast<std::size_t>(world.size()) + 1);
  CHECK_THROWS_AS(world.all_gather(mine, all), std::invalid_argument);
}

TEST_CASE("ranks send messages of any size, in order", "[world][mpi]") {
  io::mpi const world = MPI_COMM_WORLD;
  check_messages(world);
  check_lengths(world);
  check_order(world);
}

TEST_CASE("a request that is dropped gives its memory back", "[world][mpi]") {
  io::mpi const world = io::mpi(MPI_COMM_WORLD).duplicate();
  check_dropped_requests(world);

  // The receive is dropped while the message is on its way, or after it has arrived.
  std::size_t const size = 3'000'000;
  bytes const out = content(size, world.rank());
  int const n = world.size(), right = (world.rank() + 1) % n, left = (world.rank() + n - 1) % n;
  for (int wait = 0; wait < 2; ++wait) {
    // Each round has tags of its own, because another rank may be a round ahead.
    int const first = 4 + 2 * wait, second = first + 1;
    bytes in(size), small(8);
    std::optional<io::mpi::request> big = world.start_receive(in, left, first);
    std::optional<io::mpi::request> ready = world.start_receive(small, left, second);
    // A synchronous send is complete only when the message was received. The test can thus find out
    // that no message is on its way.
    MPI_Request sent[2];
    MPI_Issend(out.data(), static_cast<int>(size), MPI_BYTE, right, first, world.get(), &sent[0]);
    MPI_Issend(out.data(), 8, MPI_BYTE, right, second, world.get(), &sent[1]);
    if (wait) world.barrier();
    big.reset();
    ready.reset();
    in.assign(size, std::byte{0x55});
    small.assign(8, std::byte{0x55});
    world.barrier();
    CHECK(std::all_of(in.begin(), in.end(), [](std::byte b) { return b == std::byte{0x55}; }));
    CHECK(
        std::all_of(small.begin(), small.end(), [](std::byte b) { return b == std::byte{0x55}; }));
    // Messages whose receives were cancelled in time must still be received, whenever they come.
    MPI_Request everybody = MPI_REQUEST_NULL;
    for (int ended = 0; !ended;) {
      for (int tag : {first, second}) {
        int found = 0;
        MPI_Iprobe(left, tag, world.get(), &found, MPI_STATUS_IGNORE);
        if (found) CHECK(world.receive(in, left, tag) == (tag == first ? size : 8));
      }
      int received = 0;
      if (everybody != MPI_REQUEST_NULL) {
        MPI_Test(&everybody, &ended, MPI_STATUS_IGNORE);
      } else if (MPI_Testall(2, sent, &received, MPI_STATUSES_IGNORE); received) {
        MPI_Ibarrier(world.get(), &everybody);
      }
    }
  }

  // A send that is dropped continues.
  {
    [[maybe_unused]] io::mpi::request const left_alone = world.start_send(out, right, 3);
  }
  bytes in(size);
  CHECK(world.receive(in, left, 3) == size);
  CHECK(in == content(size, left));
  world.barrier();  // `out` has been received by now
}

TEST_CASE("groups of ranks have messages of their own", "[world][mpi]") {
  io::mpi const world = MPI_COMM_WORLD;
  check_groups_are_separate(world);
  check_split(world);
  CHECK_THROWS_AS(world.split(MPI_UNDEFINED, 0), std::invalid_argument);
}

TEST_CASE("a world may outlive MPI", "[world][mpi]") {
  // destroyed after main, so after MPI_Finalize
  static io::mpi const kept = io::mpi(MPI_COMM_WORLD).duplicate();
  check_sums(kept);
}

TEST_CASE("lengths beyond one count of MPI", "[world][mpi]") {
  // MPICH takes a minute for megabytes in blocks of 63 bytes.
  small_counts const counts(GENERATE(std::size_t{251}, std::size_t{1000}, std::size_t{65536}));
  io::mpi const world = MPI_COMM_WORLD;
  check_gathers_and_broadcasts(world);
  check_messages(world);
  check_deliveries(world);
  check_lengths(world);

  // One rank sends with a count, the other receives with blocks.
  int const n = world.size(), right = (world.rank() + 1) % n, left = (world.rank() + n - 1) % n;
  bytes const out = content(5000, world.rank());
  bytes in(100000);
  io::mpi::request sent[1];
  {
    small_counts const whole(100000);
    sent[0] = world.start_send(out, right, 1);
  }
  CHECK(world.receive(in, left, 1) == 5000);
  io::mpi::wait_all(sent);
  in.resize(5000);
  CHECK(in == content(5000, left));
}

TEST_CASE("a message of more than 2 GiB", "[world][mpi][large]") {
  io::mpi const world = MPI_COMM_WORLD;
  constexpr std::size_t size = (std::size_t{1} << 31) + 12345;
  if (world.size() != 2) return;
  struct least {
    std::int64_t value;
    void combine(least const& other) { value = std::min(value, other.value); }
  } memory{available_memory()};
  world.all_reduce(memory);
  if (memory.value < std::int64_t{8} << 30) {
    WARN("not enough memory to try");
    return;
  }
  lazy_memory const lazy(size + 100);
  auto const all = lazy.bytes();
  auto const places = {std::size_t{0}, size / 2, (std::size_t{1} << 31) - 1, std::size_t{1} << 31,
                       size - 1};
  if (world.rank() == 0) {
    for (std::size_t p : places) all[p] = static_cast<std::byte>(p % 251 + 1);
    world.send(all.first(size), 1, 1);
  } else {
    CHECK(world.receive(all, 0, 1) == size);
    for (std::size_t p : places) CHECK(all[p] == static_cast<std::byte>(p % 251 + 1));
    CHECK(all[size] == std::byte{});
  }
}

TEST_CASE("ranks of a node share memory", "[world][mpi]") {
  io::mpi const node = io::mpi(MPI_COMM_WORLD).node();
  check_shared_memory(node);
  CHECK(segments_left(node) == 0);
}

TEST_CASE(
    "where a rank may not open what another one has open, shared memory has a name for a while",
    "[world][mpi]") {
  io::mpi const node = io::mpi(MPI_COMM_WORLD).node();
  for (int const who : {0, node.size() - 1}) {
    namespace segments = io::detail::node_segment;
    segments::prefer(segments::kind::nameless);
    if (node.rank() == who) foreign_descriptors_are_closed = true;
    check_shared_memory(node);
    bool const named = node.size() > 1 && who != 0;  // rank 0 opens no memory of others
    CHECK((segments::preferred() == segments::kind::named) == named);
    check_shared_memory(node);
    foreign_descriptors_are_closed = false;
    segments::prefer(segments::kind::nameless);
    CHECK(segments_left(node) == 0);
  }
}

// A name, which the kernel does not remove, would be left after half of the kills.
TEST_CASE("a process that is killed leaves no shared memory behind", "[world][mpi]") {
  if (io::mpi(MPI_COMM_WORLD).rank() != 0) return;
  for (int i = 0; i < 20; ++i) {
    pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0)
      for (;;) {
        namespace segments = io::detail::node_segment;
        segments::name n{};
        std::byte* first = nullptr;
        auto k = segments::kind::nameless;
        if (segments::create(n, 8192, first, k) != 0) ::_exit(1);
        segments::unmap(first, 8192);
        segments::remove(n);
      }
    std::this_thread::sleep_for(std::chrono::microseconds(3000 + 137 * i));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    CHECK(segments_of(child) == 0);
  }
}

TEST_CASE("shared memory outlives the communicator, and belongs to no thread", "[world][mpi]") {
  auto memory = [] { return io::mpi(MPI_COMM_WORLD).node().share(4096); }();
  memory.bytes()[0] = std::byte{1};
  std::thread([gone = std::move(memory)] { gone.bytes()[1] = std::byte{2}; }).join();
}

TEST_CASE("memory cannot be shared: every rank learns why", "[world][mpi]") {
  io::mpi const node = io::mpi(MPI_COMM_WORLD).node();
  meet_everyone(node);
  CHECK(node.share(4096).bytes().size() == 4096);
  int const rank = node.rank(), last = node.size() - 1;

  for (int broken : {0, last}) {
    check_failure<no_more_files>(node, 4096, broken, EMFILE);
    check_failure<no_more_memory>(node, 64 << 20, broken, ENOMEM);
  }
  // A limit on file sizes forbids a file in memory, and a larger write would end the process by a
  // signal. Memory of another kind must be used.
  {
    std::error_code error;
    std::optional<no_large_files> broken;
    if (node.rank() == 0) broken.emplace();
    CHECK(node.share(8192, error).bytes().size() == 8192);
    CHECK_FALSE(error);
  }
  CHECK(segments_left(node) == 0);

  std::error_code error;
  struct statvfs fs = {};
  REQUIRE(statvfs("/dev/shm", &fs) == 0);
  if (fs.f_blocks != 0) {
    CHECK(node.share((fs.f_blocks + 1000) * fs.f_frsize, error).bytes().empty());
    CHECK(error == std::errc::no_space_on_device);
    CHECK_THROWS_AS(node.share((fs.f_blocks + 1000) * fs.f_frsize), std::system_error);
  }
  CHECK(node.share(~std::size_t{0}, error).bytes().empty());
  CHECK(error == std::errc::file_too_large);
  if (node.size() > 1) {
    CHECK(node.share(rank == last ? 100 : 200, error).bytes().empty());
    CHECK(error == std::errc::invalid_argument);
    CHECK(node.share(rank == last ? 0 : 200, error).bytes().empty());
    CHECK(error == std::errc::invalid_argument);
  }
  CHECK(segments_left(node) == 0);
  check_shared_memory(node);
}
