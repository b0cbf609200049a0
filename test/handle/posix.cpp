// The posix handle on real files, and on real files that break.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/posix.hpp>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/fault_shim.hpp"
#include "support/files.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using io::errc;
using io::io_result;
using io::lock_kind;
using io::posix;
using io::test::content_of;
using io::test::in_child;
using io::test::open_descriptors;
using io::test::scratch;
using io::test::skipped;
using namespace std::chrono_literals;

namespace {

constexpr io::open_flags read_only{.read = true};
constexpr io::open_flags write_only{.write = true, .create = true};
constexpr io::open_flags read_write{.read = true, .write = true, .create = true};

posix opened(std::string const& path, io::open_flags flags = read_write) {
  std::error_code error;
  posix f = posix::open(path, flags, error);
  REQUIRE_FALSE(error);
  REQUIRE(f.is_open());
  return f;
}

std::error_code error_of_open(std::string const& path, io::open_flags flags) {
  std::error_code error;
  std::size_t const before = open_descriptors();
  posix f = posix::open(path, flags, error);
  CHECK(f.is_open() == !error);
  f = posix();
  CHECK(open_descriptors() == before);
  return error;
}

std::vector<std::byte> bytes_of(std::string const& text) {
  std::vector<std::byte> b(text.size());
  std::memcpy(b.data(), text.data(), text.size());
  return b;
}
std::string text_of(std::span<std::byte const> b) { return {reinterpret_cast<char const*>(b.data()), b.size()}; }

std::error_code errno_code(int value) { return {value, std::system_category()}; }

// No faults beyond its scope.
struct faults {
  faults(std::string const& path, char const* text) { REQUIRE(argosy_faults(path.c_str(), text) == 0); }
  ~faults() { argosy_faults(nullptr, nullptr); }
  faults(faults const&) = delete;
  faults& operator=(faults const&) = delete;
};

// Random transfers, single and in parts, against a file in memory.
template <class H>
void against_memory(H& f, std::uint64_t seed, int rounds, std::int64_t extent) {
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  auto const below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  std::vector<std::byte> file;
  for (int round = 0; round < rounds; ++round) {
    bool const writing = below(2) == 0;
    struct stretch {
      std::int64_t offset;
      std::size_t length, place;
    };
    std::vector<stretch> stretches;
    std::size_t total = 0;
    std::int64_t at = below(extent);
    int const count = below(4) == 0 ? 1 : 1 + static_cast<int>(below(below(8) == 0 ? 3000 : 12));
    for (int i = 0; i < count; ++i) {
      auto const length = static_cast<std::size_t>(below(8) == 0 ? 0 : 1 + below(40));
      stretches.push_back({at, length, total});
      total += length + static_cast<std::size_t>(below(3));
      at += static_cast<std::int64_t>(length);
      if (below(3) == 0) at = below(10) == 0 ? below(extent) : at + below(20);
    }
    std::vector<std::byte> memory(total + 1);
    for (auto& b : memory) b = static_cast<std::byte>(random());

    std::int64_t expected = 0;
    auto const size = [&] { return static_cast<std::int64_t>(file.size()); };
    auto wanted = memory;
    for (auto const& s : stretches) {
      auto const n = static_cast<std::int64_t>(s.length);
      if (writing) {
        if (n > 0 && size() < s.offset + n) file.resize(static_cast<std::size_t>(s.offset + n));
        std::copy_n(memory.begin() + static_cast<std::ptrdiff_t>(s.place), n, file.begin() + (n > 0 ? s.offset : 0));
        expected += n;
      } else {
        std::int64_t const there = std::clamp<std::int64_t>(size() - s.offset, 0, n);
        if (there > 0)
          std::copy_n(file.begin() + s.offset, there, wanted.begin() + static_cast<std::ptrdiff_t>(s.place));
        expected += there;
        if (there < n) break;
      }
    }

    io_result done;
    if (stretches.size() == 1) {
      auto const span = std::span(memory).subspan(stretches[0].place, stretches[0].length);
      done =
          writing ? f.write(stretches[0].offset, std::span<std::byte const>(span)) : f.read(stretches[0].offset, span);
    } else if (writing) {
      std::vector<io::write_part> parts;
      for (auto const& s : stretches) parts.push_back({s.offset, std::span(memory).subspan(s.place, s.length)});
      done = f.write(parts);
    } else {
      std::vector<io::read_part> parts;
      for (auto const& s : stretches) parts.push_back({s.offset, std::span(memory).subspan(s.place, s.length)});
      done = f.read(parts);
    }
    CAPTURE(round, writing, count);
    REQUIRE_FALSE(done.error);
    REQUIRE(done.bytes == expected);
    REQUIRE(memory == wanted);

    if (below(20) == 0) {
      std::int64_t const cut = below(extent);
      REQUIRE_FALSE(f.resize(cut));
      file.resize(static_cast<std::size_t>(cut));
    }
    std::error_code error;
    REQUIRE(f.size(error) == size());
    REQUIRE_FALSE(error);
  }
}

}  // namespace

TEST_CASE("what is written is read, in one piece and in parts", "[posix]") {
  scratch const dir;
  auto const seed = io::test::seed();
  for (std::uint64_t i = 0; i < 4; ++i) {
    posix f = opened(dir / std::to_string(i));
    against_memory(f, seed + i, 400, 20000);
    CHECK_FALSE(f.close());
  }
}

TEST_CASE("transfers are split where the kernel, or the test, draws the line", "[posix]") {
  scratch const dir;
  for (std::int64_t const most : {1, 7, 64, 4096}) {
    posix f = opened(dir / std::to_string(most));
    f.raw().most_bytes = most;
    against_memory(f, io::test::seed() + static_cast<std::uint64_t>(most), most < 10 ? 40 : 200, 5000);
  }
}

TEST_CASE("transfers beyond 2 GiB", "[posix]") {
  // /dev/null takes any bytes without looking at them, so that they need not exist.
  constexpr std::size_t huge = (std::size_t{5} << 30) + 12345;
  void* const nowhere = ::mmap(nullptr, huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(nowhere != MAP_FAILED);
  std::span const memory(static_cast<std::byte*>(nowhere), huge);
  {
    posix f = opened("/dev/null", {.write = true});
    io_result const one = f.write(0, memory);
    CHECK_FALSE(one.error);
    CHECK(one.bytes == static_cast<std::int64_t>(huge));
    std::vector<io::write_part> parts;
    std::int64_t offset = 0;
    for (std::size_t from = 0; from < huge; from += std::size_t{1} << 30) {  // runs, and each run beyond the limit
      auto const part = memory.subspan(from, std::min(huge - from, std::size_t{1} << 30));
      parts.push_back({offset, part});
      offset += static_cast<std::int64_t>(part.size()) + (from == std::size_t{3} << 30 ? 1 : 0);
    }
    io_result const many = f.write(parts);
    CHECK_FALSE(many.error);
    CHECK(many.bytes == static_cast<std::int64_t>(huge));
  }
  ::munmap(nowhere, huge);

  // A read of 2.5 GiB from holes, into the same few pages again and again.
  char shm[] = "/dev/shm/argosy_test_XXXXXX";
  int const raw = ::mkstemp(shm);
  if (raw < 0) return skipped("no /dev/shm");
  constexpr std::int64_t bytes = (std::int64_t{5} << 29) + 777;
  constexpr std::size_t window = std::size_t{16} << 20;
  int const pages = ::memfd_create("argosy_test", MFD_CLOEXEC);
  REQUIRE(pages >= 0);
  REQUIRE(::ftruncate(pages, static_cast<off_t>(window)) == 0);
  std::size_t const mapped = (static_cast<std::size_t>(bytes) / window + 1) * window;
  auto* const base =
      static_cast<std::byte*>(::mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  for (std::size_t at = 0; at < mapped; at += window)
    REQUIRE(::mmap(base + at, window, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, pages, 0) != MAP_FAILED);
  {
    posix f = opened(shm);
    REQUIRE_FALSE(f.resize(bytes));
    std::byte const mark{42};
    REQUIRE(f.write(bytes - 1, std::span(&mark, 1)).bytes == 1);
    io_result const got = f.read(0, std::span(base, static_cast<std::size_t>(bytes) + 5));
    CHECK_FALSE(got.error);
    CHECK(got.bytes == bytes);
    CHECK(base[bytes - 1] == mark);
  }
  ::munmap(base, mapped);
  ::close(pages);
  ::close(raw);
  ::unlink(shm);
}

TEST_CASE("open says why not, and leaves nothing behind", "[posix][errors]") {
  scratch const dir;
  CHECK(error_of_open(dir / "none", read_only) == std::errc::no_such_file_or_directory);
  CHECK(error_of_open(dir / "none", {.read = true, .write = true}) == std::errc::no_such_file_or_directory);
  CHECK(error_of_open(dir / "no/directory", write_only) == std::errc::no_such_file_or_directory);
  CHECK(error_of_open("", read_only) == std::errc::no_such_file_or_directory);
  CHECK(error_of_open(dir.string(), read_only) == std::errc::is_a_directory);
  CHECK(error_of_open(dir.string(), read_write) == std::errc::is_a_directory);
  CHECK(error_of_open(dir / std::string(300, 'x'), write_only) == std::errc::filename_too_long);
  CHECK(error_of_open(dir / "none", {}) == std::errc::invalid_argument);
  CHECK(error_of_open(dir / std::string("a\0b", 3), write_only) == std::errc::invalid_argument);
  CHECK_FALSE(std::filesystem::exists(dir / "a"));

  CHECK_FALSE(error_of_open(dir / "file", write_only));
  CHECK(error_of_open(dir / "file", {.write = true, .create = true, .exclusive = true}) == std::errc::file_exists);
  CHECK(error_of_open(dir / "file/below", write_only) == std::errc::not_a_directory);
  REQUIRE(::symlink("loop", (dir / "loop").c_str()) == 0);
  CHECK(error_of_open(dir / "loop", read_only) == std::errc::too_many_symbolic_link_levels);
  CHECK(error_of_open("/proc/self/exe", {.write = true}) == std::errc::text_file_busy);
}

TEST_CASE("a file that an exclusive open has made goes with it, if it fails after that", "[posix][errors][faults]") {
  scratch const dir;
  argosy::open_flags const making{.read = true, .write = true, .create = true, .exclusive = true};
  std::string const path = dir / "new";
  {
    faults const f(path, "fstat@1=EIO");
    CHECK(error_of_open(path, making) == std::errc::io_error);
    CHECK_FALSE(std::filesystem::exists(path));
  }
  {
    faults const f(path, "fstat@1x2=EINTR");  // repeated, and not told that there is such a file
    CHECK_FALSE(error_of_open(path, making));
    CHECK(std::filesystem::exists(path));
  }
  faults const f(path, "fstat@1=EIO");
  CHECK(error_of_open(path, making) == std::errc::file_exists);
  CHECK(error_of_open(path, {.write = true, .create = true}) == std::errc::io_error);
  CHECK(std::filesystem::exists(path));
}

TEST_CASE("a pipe is no file, and nobody waits for its other end", "[posix][errors]") {
  scratch const dir;
  REQUIRE(::mkfifo((dir / "pipe").c_str(), 0600) == 0);
  CHECK(error_of_open(dir / "pipe", read_only) == std::errc::invalid_seek);
  CHECK(error_of_open(dir / "pipe", {.write = true}) == std::errc::invalid_seek);
  CHECK(error_of_open(dir / "pipe", read_write) == std::errc::invalid_seek);
}

TEST_CASE("permissions and modes are obeyed", "[posix][errors]") {
  scratch const dir;
  {
    posix f = opened(dir / "private", {.write = true, .create = true, .permissions = 0600});
    struct stat about{};
    REQUIRE(::stat((dir / "private").c_str(), &about) == 0);
    CHECK((about.st_mode & 0777) == 0600);
    std::byte b{};
    CHECK(f.read(0, std::span(&b, 1)).error == std::errc::bad_file_descriptor);
    posix r = opened(dir / "private", read_only);
    CHECK(r.write(0, std::span(&b, 1)).error == std::errc::bad_file_descriptor);
  }
  if (::geteuid() != 0) return skipped("only root can become nobody");
  std::filesystem::permissions(dir.string(), std::filesystem::perms(0755));
  REQUIRE(::seteuid(65534) == 0);
  auto const reading = error_of_open(dir / "private", read_only);
  auto const creating = error_of_open(dir / "new", write_only);
  REQUIRE(::seteuid(0) == 0);
  CHECK(reading == std::errc::permission_denied);
  CHECK(creating == std::errc::permission_denied);
}

TEST_CASE("a read-only file system", "[posix][errors]") {
  scratch const dir;
  io::test::small_tmpfs fs(dir / "mount", "size=64k");
  if (!fs.mounted()) return skipped("no right to mount a tmpfs");
  CHECK_FALSE(error_of_open(dir / "mount/file", write_only));
  REQUIRE(fs.make_read_only());
  CHECK(error_of_open(dir / "mount/file", {.write = true}) == std::errc::read_only_file_system);
  CHECK(error_of_open(dir / "mount/new", write_only) == std::errc::read_only_file_system);
  CHECK_FALSE(error_of_open(dir / "mount/file", read_only));
}

TEST_CASE("no descriptors left", "[posix][errors]") {
  scratch const dir;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  // The next free descriptor is the first that is forbidden.
  int const next = ::dup(0);
  ::close(next);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(next);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  std::error_code error;
  posix f = posix::open(dir / "file", write_only, error);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(error == std::errc::too_many_files_open);
  CHECK_FALSE(f.is_open());
  CHECK_FALSE(std::filesystem::exists(dir / "file"));
}

TEST_CASE("a full file system", "[posix][errors]") {
  scratch const dir;
  io::test::small_tmpfs const fs(dir / "mount", "size=64k");
  if (!fs.mounted()) return skipped("no right to mount a tmpfs");
  posix f = opened(dir / "mount/file");
  std::vector<std::byte> const data(100'000, std::byte{7});
  io_result const put = f.write(0, data);
  CHECK(put.error == std::errc::no_space_on_device);
  CHECK(put.bytes == 65536);  // what went in is counted
  std::error_code error;
  CHECK(f.size(error) == 65536);
  CHECK(content_of(dir / "mount/file") == std::string(65536, '\7'));
  CHECK(f.preallocate(100'000) == std::errc::no_space_on_device);
  CHECK(f.size(error) == 65536);

  // The same in parts, and room again after a cut.
  REQUIRE_FALSE(f.resize(0));
  std::vector<io::write_part> parts;
  for (std::int64_t i = 0; i < 100; ++i) parts.push_back({i * 1000, std::span(data).subspan(0, 1000)});
  io_result const in_parts = f.write(parts);
  CHECK(in_parts.error == std::errc::no_space_on_device);
  CHECK(in_parts.bytes == 65536);
  CHECK_FALSE(f.sync());
  CHECK_FALSE(f.close());
}

TEST_CASE("/dev/full", "[posix][errors]") {
  posix f = opened("/dev/full", {.read = true, .write = true});
  std::byte b{};
  CHECK(f.write(0, std::span(&b, 1)).error == std::errc::no_space_on_device);
  CHECK(f.read(0, std::span(&b, 1)).bytes == 1);
}

TEST_CASE("beyond the size limit is EFBIG, not death", "[posix][errors]") {
  scratch const dir;
  // with the default action, which ends the process; on another thread; with small writes, and large ones
  auto const body = [&] {
    rlimit limit{10'000, 10'000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    bool good = true;
    std::thread([&] {
      std::error_code error;
      posix f = posix::open(dir / "file", read_write, error);
      std::vector<std::byte> const data(100'000, std::byte{1});
      io_result r = f.write(0, data);
      good = good && !error && r.bytes == 10'000 && r.error == std::errc::file_too_large;
      r = f.write(10'000, std::span(data).first(1));
      good = good && r.bytes == 0 && r.error == std::errc::file_too_large;
      std::vector<io::write_part> const parts{{9'990, std::span(data).first(10)}, {10'000, std::span(data).first(10)}};
      r = f.write(parts);
      good = good && r.bytes == 10 && r.error == std::errc::file_too_large;
      good = good && f.resize(20'000) == std::errc::file_too_large;
      good = good && f.preallocate(20'000) == std::errc::file_too_large;
      good = good && f.size(error) == 10'000;
      sigset_t mask, pending;
      ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
      ::sigpending(&pending);
      good = good && !sigismember(&mask, SIGXFSZ) && !sigismember(&pending, SIGXFSZ);
    }).join();
    struct sigaction now{};
    ::sigaction(SIGXFSZ, nullptr, &now);
    return good && now.sa_handler == SIG_DFL;
  };
  CHECK(in_child(body) == 0);

  // A limit that comes after open is seen by large writes and by resize.
  auto const later = [&] {
    std::error_code error;
    posix f = posix::open(dir / "later", read_write, error);
    rlimit limit{10'000, 10'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::vector<std::byte> const data(100'000);
    return f.write(0, data).error == std::errc::file_too_large && f.write(10'000, std::span(data).first(1)).bytes == 0;
  };
  CHECK(in_child(later) == 0);

  // A signal that waited before is still there afterwards.
  auto const pending = [&] {
    rlimit limit{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    sigset_t file_size;
    sigemptyset(&file_size);
    sigaddset(&file_size, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &file_size, nullptr);
    ::raise(SIGXFSZ);
    std::error_code error;
    posix f = posix::open(dir / "pending", read_write, error);
    std::vector<std::byte> const data(200);
    bool const failed = f.write(0, data).error == std::errc::file_too_large;
    sigset_t waiting;
    ::sigpending(&waiting);
    return failed && sigismember(&waiting, SIGXFSZ) == 1;
  };
  CHECK(in_child(pending) == 0);
}

TEST_CASE("interrupted and short calls are nobody's business", "[posix][faults]") {
  scratch const dir;
  std::string const path = dir / "broken";
  posix f = opened(path);
  faults const storm(path,
                     "write@1x20=EINTR;write@25x3=EAGAIN;write@30x40=short:3;write@71=short:1;"
                     "read@1x20=EINTR;read@25x3=EAGAIN;read@30x40=short:5;read@71=short:1;"
                     "lock@1x5=EINTR;fsync@1x5=EINTR;ftruncate@1x5=EINTR;fallocate@1x5=EINTR;close@1=EINTR");
  against_memory(f, io::test::seed(), 100, 5000);
  CHECK(argosy_faults_struck() >= 128);
  CHECK_FALSE(f.lock(0, 10, lock_kind::exclusive));
  CHECK_FALSE(f.unlock(0, 10));
  CHECK_FALSE(f.sync());
  CHECK_FALSE(f.resize(10));
  CHECK_FALSE(f.preallocate(20));
  CHECK(argosy_fault_calls("fsync") == 6);
  CHECK_FALSE(f.close());
  CHECK_FALSE(f.is_open());
}

TEST_CASE("open is repeated when interrupted", "[posix][faults]") {
  scratch const dir;
  faults const storm(dir / "f", "open@1x7=EINTR");
  CHECK_FALSE(error_of_open(dir / "f", write_only));
  CHECK(argosy_fault_calls("open") == 8);
}

TEST_CASE("EAGAIN without end is an error, after a while", "[posix][faults]") {
  scratch const dir;
  std::error_code error;
  auto const path = dir / "f";
  io::retrying<io::raw_posix> f(io::raw_posix::open(path, read_write, error), {100us, 1ms, 20ms});
  faults const storm(path, "write@1+=EAGAIN;fsync@1+=EAGAIN");
  std::byte b{};
  auto const begin = std::chrono::steady_clock::now();
  CHECK(f.write(0, std::span(&b, 1)).error == std::errc::resource_unavailable_try_again);
  CHECK(std::chrono::steady_clock::now() - begin >= 20ms);
  CHECK(argosy_fault_calls("write") > 10);
  CHECK(argosy_fault_calls("write") < 40);
  CHECK(f.sync() == std::errc::resource_unavailable_try_again);
}

TEST_CASE("every errno of every call comes out, with the true count", "[posix][faults]") {
  scratch const dir;
  std::string const path = dir / "broken";
  int cells = 0;
  for (int const e : {EIO, ENOSPC, EDQUOT, EFBIG, ESTALE, EROFS, EBADF}) {
    CAPTURE(e);
    for (int const k : {1, 2, 3}) {
      auto const spec = [&](char const* call) {
        return std::string(call) + "@" + std::to_string(k) + "=" + std::to_string(e);
      };
      std::error_code error;
      {
        posix f = opened(path);
        f.raw().most_bytes = 10;
        std::vector<std::byte> memory(40);
        {
          faults const broken(path, spec("write").c_str());
          io_result const put = f.write(0, memory);
          CHECK(put.error == errno_code(e));
          CHECK(put.bytes == 10 * (k - 1));
          CHECK(f.write(0, memory).bytes == 40);  // and on it goes
        }
        {
          faults const broken(path, spec("read").c_str());
          io_result const got = f.read(0, memory);
          CHECK(got.error == errno_code(e));
          CHECK(got.bytes == 10 * (k - 1));
        }
        {
          std::vector<io::write_part> parts;
          for (std::int64_t i = 0; i < 4; ++i) parts.push_back({100 + 20 * i, std::span(memory).first(10)});
          faults const broken(path, spec("write").c_str());
          io_result const put = f.write(parts);
          CHECK(put.error == errno_code(e));
          CHECK(put.bytes == 10 * (k - 1));
        }
        auto const repeated = [&](char const* name, auto call) {
          faults const broken(path, spec(name).c_str());
          for (int i = 1; i <= 4; ++i) CHECK(call() == (i == k ? errno_code(e) : std::error_code{}));
          ++cells;
        };
        repeated("fsync", [&] { return f.sync(); });
        repeated("ftruncate", [&] { return f.resize(100); });
        repeated("lock", [&] { return f.lock(0, 1, lock_kind::exclusive); });
        repeated("unlock", [&] { return f.unlock(0, 1); });
        repeated("fstat", [&] {
          f.size(error);
          return error;
        });
        {
          faults const broken(path, ("fallocate@1=" + std::to_string(e)).c_str());
          CHECK(f.preallocate(500) == errno_code(e));
          CHECK(f.size(error) == 100);
          CHECK_FALSE(f.preallocate(500));
        }
        {
          faults const broken(path, ("close@1=" + std::to_string(e)).c_str());
          std::size_t const before = open_descriptors();
          CHECK(f.close() == errno_code(e));
          CHECK_FALSE(f.is_open());
          CHECK(open_descriptors() == before - 1);
          CHECK(f.close() == std::errc::bad_file_descriptor);
        }
      }
      {
        faults const broken(path, ("open@1=" + std::to_string(e)).c_str());
        CHECK(error_of_open(path, read_write) == errno_code(e));
      }
      {
        faults const broken(path, ("fstat@1=" + std::to_string(e)).c_str());
        CHECK(error_of_open(path, read_write) == errno_code(e));
      }
      cells += 7;
    }
  }
  CHECK(cells == 7 * 3 * 12);
}

TEST_CASE("a write that moves nothing is made again, and is an error in the end", "[posix][faults]") {
  scratch const dir;
  static std::chrono::nanoseconds slept;
  slept = 0ns;
  std::error_code error;
  io::retrying<io::raw_posix> f(io::raw_posix::open(dir / "f", read_write, error),
                                {100us, 1ms, 20ms, [](std::chrono::nanoseconds t) { slept += t; }});
  auto const payload = bytes_of("payload");
  {
    faults const stuck(dir / "f", "write@1x5=short:0");
    CHECK(f.write(0, payload).bytes == 7);
    CHECK(argosy_fault_calls("write") == 6);
    CHECK(slept == 100us + 200us + 400us + 800us + 1ms);
  }
  slept = 0ns;
  faults const stuck(dir / "f", "write@1=short:3;write@2+=short:0");
  io_result const put = f.write(100, payload);
  CHECK(put.bytes == 3);
  CHECK(put.error == std::errc::io_error);
  CHECK(slept == 20ms);
  CHECK(content_of(dir / "f").substr(100) == "pay");
}

TEST_CASE("a file whose lease somebody must return first is waited for", "[posix][faults]") {
  scratch const dir;
  posix{opened(dir / "f")}.write(0, bytes_of("x"));
  faults const leased(dir / "f", "open@1=EAGAIN");
  posix f = opened(dir / "f", read_only);
  CHECK(argosy_fault_calls("open") == 2);
  std::vector<std::byte> memory(1);
  CHECK(f.read(0, memory).bytes == 1);
}

TEST_CASE("a file system without locks is told as such", "[posix][faults]") {
  scratch const dir;
  posix f = opened(dir / "f");
  for (int const e : {ENOLCK, EDEADLK, ENOTSUP, ENOSYS, EINVAL}) {
    faults const broken(dir / "f", ("lock@1=" + std::to_string(e)).c_str());
    CHECK(f.lock(0, 10, lock_kind::exclusive) == errc::no_locks);
    // A lock that failed is in nobody's way.
    std::thread([&] {
      CHECK_FALSE(f.lock(0, 10, lock_kind::exclusive));
      CHECK_FALSE(f.unlock(0, 10));
    }).join();
  }
}

TEST_CASE("space without a file system's help is a size, and never zeros over data", "[posix]") {
  scratch const dir;
  std::string const path = dir / "f";
  for (bool const supported : {true, false}) {
    std::filesystem::remove(path);
    posix f = opened(path);
    REQUIRE(f.write(0, bytes_of("payload")).bytes == 7);
    faults const broken(path, supported ? "" : "fallocate@1+=ENOTSUP");
    std::error_code error;
    CHECK_FALSE(f.preallocate(3));
    CHECK(f.size(error) == 7);
    CHECK_FALSE(f.preallocate(10'000));
    CHECK(f.size(error) == 10'000);
    CHECK(content_of(path) == "payload" + std::string(9'993, '\0'));
    struct stat about{};
    REQUIRE(::stat(path.c_str(), &about) == 0);
    if (supported) CHECK(about.st_blocks * 512 >= 10'000);
    CHECK_FALSE(f.preallocate(0));
  }
  CHECK(io::raw_posix().preallocate(0) == std::errc::bad_file_descriptor);  // as that of any other length
  // A file system that knows only the plain form, as NFS.
  posix f = opened(dir / "nfs");
  faults const broken(dir / "nfs", "fallocate@1=ENOTSUP");
  CHECK_FALSE(f.preallocate(5000));
  CHECK(argosy_fault_calls("fallocate") == 2);
  CHECK(argosy_fault_calls("ftruncate") == 0);
}

TEST_CASE("whatever says that space cannot be reserved, the size is arranged; other errors are errors",
          "[posix][faults]") {
  scratch const dir;
  std::error_code error;
  for (char const* none : {"fallocate@1+=ENOSYS", "fallocate@1=ENOTSUP;fallocate@2=ENODEV"}) {
    CAPTURE(none);
    posix f = opened(dir / none);
    faults const broken(dir / none, none);
    CHECK_FALSE(f.preallocate(300));
    CHECK(f.size(error) == 300);
    CHECK(argosy_fault_calls("fallocate") == 2);
    CHECK(argosy_fault_calls("ftruncate") == 1);
  }
  posix f = opened(dir / "f");
  faults const broken(dir / "f", "fallocate@1+=ENOTSUP;fstat@1=ESTALE");
  CHECK(f.preallocate(300) == errno_code(ESTALE));
  CHECK(argosy_fault_calls("ftruncate") == 0);  // its size unknown, it might become shorter
  CHECK(f.size(error) == 0);
}

TEST_CASE("a raw handle makes one call of parts that follow one another, and none of those without bytes", "[posix]") {
  scratch const dir;
  std::error_code error;
  auto f = io::raw_posix::open(dir / "f", read_write, error);
  REQUIRE_FALSE(error);
  auto const letters = bytes_of("abcdef");
  auto const some = [&](std::size_t from, std::size_t n) { return std::span(letters).subspan(from, n); };
  std::vector<io::write_part> const puts{{0, {}}, {90, {}},        {2, some(0, 3)},
                                         {5, {}}, {5, some(4, 2)}, {20, some(0, 1)}};
  std::vector<std::byte> memory(5);
  std::vector<io::read_part> const gets{
      {7, {}}, {2, std::span(memory).first(1)}, {3, {}}, {3, std::span(memory).last(4)}};
  faults const counted(dir / "f", "");
  CHECK(f.write(std::span(puts).first(2)).bytes == 0);
  CHECK(argosy_fault_calls("write") == 0);
  io_result const put = f.write(puts);
  CHECK_FALSE(put.error);
  CHECK(put.bytes == 5);
  CHECK(argosy_fault_calls("write") == 1);
  CHECK(content_of(dir / "f") == std::string("\0\0abcef", 7));
  CHECK(f.read(std::span(gets).first(1)).bytes == 0);
  CHECK(argosy_fault_calls("read") == 0);
  CHECK(f.read(gets).bytes == 5);
  CHECK(argosy_fault_calls("read") == 1);
  CHECK(text_of(memory) == "abcef");
}

TEST_CASE("more parts than a system call takes are several calls", "[posix]") {
  scratch const dir;
  posix f = opened(dir / "f");
  constexpr std::size_t n = 3000;
  std::vector<std::byte> from(2 * n), into(2 * n);
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = i % 2 == 0 ? static_cast<std::byte>(i / 2 % 251) : std::byte{0};
  std::vector<io::write_part> puts;
  std::vector<io::read_part> gets;
  for (std::size_t i = 0; i < n; ++i) {
    puts.push_back({static_cast<std::int64_t>(i), std::span(from).subspan(2 * i, 1)});
    gets.push_back({static_cast<std::int64_t>(i), std::span(into).subspan(2 * i, 1)});
  }
  faults const counted(dir / "f", "");
  CHECK(f.write(puts).bytes == n);
  CHECK(argosy_fault_calls("write") == 3);
  CHECK(f.read(gets).bytes == n);
  CHECK(argosy_fault_calls("read") == 3);
  CHECK(into == from);
}

TEST_CASE("a block device has a size", "[posix]") {
  std::error_code error;
  for (auto const& device : std::filesystem::directory_iterator("/dev")) {
    if (!device.is_block_file(error)) continue;
    posix f = posix::open(device.path().string(), read_only, error);
    std::uint64_t bytes = 0;
    if (error || ::ioctl(f.raw().descriptor(), BLKGETSIZE64, &bytes) != 0 || bytes == 0) continue;
    CHECK(f.size(error) == static_cast<std::int64_t>(bytes));
    CHECK_FALSE(error);
    return;
  }
  skipped("no block device that may be opened");
}

TEST_CASE("the end of a file is an end, a file that shrinks under a read an error", "[posix]") {
  scratch const dir;
  std::string const path = dir / "f";
  posix f = opened(path);
  REQUIRE(f.write(0, bytes_of(std::string(100, 'x'))).bytes == 100);
  std::vector<std::byte> memory(200, std::byte{'-'});
  io_result r = f.read(50, memory);
  CHECK(r.bytes == 50);
  CHECK_FALSE(r.error);
  CHECK(text_of(memory) == std::string(50, 'x') + std::string(150, '-'));
  r = f.read(1000, memory);
  CHECK(r.bytes == 0);
  CHECK_FALSE(r.error);

  // Another cuts the file while the second half is late.
  auto const while_reading = [&](std::int64_t cut) {
    REQUIRE_FALSE(f.resize(0));
    REQUIRE(f.write(0, bytes_of(std::string(100, 'x'))).bytes == 100);
    f.raw().most_bytes = 40;
    faults const late(path, "read@2=late:300");
    std::thread other([&] {
      while (argosy_fault_calls("read") < 2) std::this_thread::sleep_for(1ms);
      std::filesystem::resize_file(path, static_cast<std::uintmax_t>(cut));
    });
    io_result const got = f.read(0, memory);
    other.join();
    return got;
  };
  r = while_reading(20);  // bytes that were delivered are gone
  CHECK(r.bytes == 40);
  CHECK(r.error == errc::truncated);
  r = while_reading(60);  // as if it had always been so short
  CHECK(r.bytes == 60);
  CHECK_FALSE(r.error);

  // A file system that has a size but no bytes for it.
  REQUIRE_FALSE(f.resize(100));
  faults const empty(path, "read@1=short:30;read@2+=short:0");
  r = f.read(0, memory);
  CHECK(r.bytes == 30);
  CHECK(r.error == errc::truncated);
}

TEST_CASE("a file that grows under a read is read on", "[posix]") {
  scratch const dir;
  posix f = opened(dir / "f");
  REQUIRE(f.write(0, bytes_of("0123456789")).bytes == 10);
  std::vector<std::byte> memory(10);
  faults const empty(dir / "f", "read@1x2=short:0");
  io_result const r = f.read(0, memory);
  CHECK(r.bytes == 10);
  CHECK_FALSE(r.error);
}

TEST_CASE("holes read as zeros; sizes and syncs", "[posix]") {
  scratch const dir;
  posix f = opened(dir / "f");
  CHECK(f.block_bytes() >= 512);
  REQUIRE(f.write((std::int64_t{1} << 40) + 5, bytes_of("x")).bytes == 1);
  std::error_code error;
  CHECK(f.size(error) == (std::int64_t{1} << 40) + 6);
  std::vector<std::byte> memory(10, std::byte{1});
  CHECK(f.read(std::int64_t{1} << 40, memory).bytes == 6);
  CHECK(text_of(std::span(memory).first(6)) == std::string(5, '\0') + "x");
  CHECK_FALSE(f.sync());
  CHECK_FALSE(f.resize(0));
  CHECK(f.size(error) == 0);
  CHECK(f.read(0, {}).bytes == 0);
  CHECK(f.write(0, std::vector<std::byte>{}).bytes == 0);
}

TEST_CASE("a handle moves, and is closed once", "[posix]") {
  scratch const dir;
  std::size_t const before = open_descriptors();
  {
    posix a = opened(dir / "a"), b = opened(dir / "b");
    CHECK(open_descriptors() == before + 2);
    CHECK((::fcntl(a.raw().descriptor(), F_GETFD) & FD_CLOEXEC) != 0);
    CHECK((::fcntl(a.raw().descriptor(), F_GETFL) & O_NONBLOCK) == 0);
    a = std::move(b);
    CHECK(open_descriptors() == before + 1);
    CHECK_FALSE(b.is_open());
    CHECK(b.write(0, bytes_of("x")).error == std::errc::bad_file_descriptor);
    CHECK(b.lock(0, 1, lock_kind::shared) == std::errc::bad_file_descriptor);
    CHECK(b.unlock(0, 1) == std::errc::bad_file_descriptor);
    CHECK(b.preallocate(1) == std::errc::bad_file_descriptor);
    CHECK(b.close() == std::errc::bad_file_descriptor);
    posix c(std::move(a));
    posix& same = c;
    c = std::move(same);
    CHECK(c.write(0, bytes_of("x")).bytes == 1);
    faults const counted(dir / "b", "");
    CHECK_FALSE(c.lock(0, 0, lock_kind::exclusive));  // no bytes, no lock
    CHECK_FALSE(c.unlock(0, 0));
    CHECK(argosy_fault_calls("lock") + argosy_fault_calls("unlock") == 0);
  }
  CHECK(open_descriptors() == before);
  CHECK(content_of(dir / "b") == "x");
}

TEST_CASE("any_handle is the handle it holds", "[any_handle]") {
  scratch const dir;
  std::error_code error;
  io::any_handle f = io::posix_opener()(dir / "f", read_write, error);
  REQUIRE_FALSE(error);
  REQUIRE(f.target<posix>() != nullptr);
  CHECK(f.target<io::raw_posix>() == nullptr);
  against_memory(f, io::test::seed(), 100, 5000);
  CHECK_FALSE(f.lock(0, 10, lock_kind::shared));
  CHECK_FALSE(f.unlock(0, 10));
  CHECK_FALSE(f.preallocate(10));
  CHECK_FALSE(f.sync());
  CHECK(f.block_bytes() > 0);
  io::any_handle g = std::move(f);
  CHECK_FALSE(f.is_open());
  CHECK(f.write(0, bytes_of("x")).error == std::errc::bad_file_descriptor);
  CHECK(f.close() == std::errc::bad_file_descriptor);
  CHECK_FALSE(g.close());
  CHECK_FALSE(g.is_open());

  g = io::posix_opener()(dir / "no/file", read_write, error);
  CHECK(error == std::errc::no_such_file_or_directory);
  CHECK_FALSE(g.is_open());
}

namespace {

// Whether somebody else, in another process, could have this range.
struct probe {
  std::string path;
  bool operator()(std::int64_t offset, std::int64_t length, bool writing) const {
    posix const f = opened(path);
    struct flock range{};
    range.l_type = writing ? F_WRLCK : F_RDLCK;
    range.l_start = offset;
    range.l_len = length;
    REQUIRE(::fcntl(f.raw().descriptor(), F_OFD_GETLK, &range) == 0);
    return range.l_type == F_UNLCK;
  }
};

// Soon, on a machine that is busy, too.
bool comes(std::atomic<bool> const& what) {
  for (int i = 0; i < 20000 && !what; ++i) std::this_thread::sleep_for(1ms);
  return what;
}

// Signals that do not restart calls.
struct interrupting {
  interrupting() {
    struct sigaction act{};
    act.sa_handler = [](int) {};
    ::sigaction(SIGUSR1, &act, &before_);
  }
  ~interrupting() { ::sigaction(SIGUSR1, &before_, nullptr); }
  interrupting(interrupting const&) = delete;

 private:
  struct sigaction before_{};
};

}  // namespace

TEST_CASE("locks exclude other processes", "[posix][locks]") {
  scratch const dir;
  std::string const path = dir / "f";
  constexpr int processes = 3, rounds = 200;
  {
    posix f = opened(path);
    REQUIRE(f.write(0, bytes_of(std::string(8, '\0'))).bytes == 8);
  }
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    pid_t const child = ::fork();
    if (child == 0) {
      std::error_code error;
      posix f = posix::open(path, read_write, error);
      bool good = !error;
      for (int i = 0; i < rounds; ++i) {
        std::int64_t n = 0;
        good = good && !f.lock(0, 8, lock_kind::exclusive);
        good = good && f.read(0, std::as_writable_bytes(std::span(&n, 1))).bytes == 8;
        ++n;
        good = good && f.write(0, std::as_bytes(std::span(&n, 1))).bytes == 8;
        good = good && !f.unlock(0, 8);
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t const child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  std::int64_t n = 0;
  posix f = opened(path);
  f.read(0, std::as_writable_bytes(std::span(&n, 1)));
  CHECK(n == processes * rounds);
}

TEST_CASE("locks exclude the threads of one handle, and of two", "[posix][locks]") {
  scratch const dir;
  constexpr int threads = 4, rounds = 200;
  for (bool const shared_handle : {true, false}) {
    posix f = opened(dir / "f");
    REQUIRE_FALSE(f.resize(0));
    REQUIRE(f.write(0, bytes_of(std::string(24, '\0'))).bytes == 24);
    std::atomic<bool> good{true};
    std::vector<std::thread> pool;
    for (int t = 0; t < threads; ++t)
      pool.emplace_back([&, t] {
        std::error_code error;
        posix own = shared_handle ? posix() : posix::open(dir / "f", read_write, error);
        posix& mine = shared_handle ? f : own;
        std::mt19937 random(static_cast<unsigned>(t));
        for (int i = 0; i < rounds; ++i) {
          // two of three counters, under one lock that covers them
          auto const first = static_cast<std::int64_t>(random() % 2) * 8;
          std::int64_t n[2];
          if (mine.lock(first, 16, lock_kind::exclusive)) good = false;
          if (mine.read(first, std::as_writable_bytes(std::span(n))).bytes != 16) good = false;
          ++n[0];
          ++n[1];
          if (mine.write(first, std::as_bytes(std::span(n))).bytes != 16) good = false;
          if (mine.unlock(first, 16)) good = false;
        }
      });
    for (auto& t : pool) t.join();
    CHECK(good);
    std::int64_t n[3];
    f.read(0, std::as_writable_bytes(std::span(n)));
    CHECK(n[1] == threads * rounds);
    CHECK(n[0] + n[2] == threads * rounds);
  }
}

TEST_CASE("shared locks share, are converted, and end piece by piece", "[posix][locks]") {
  scratch const dir;
  posix f = opened(dir / "f"), g = opened(dir / "f");
  probe const is_free{dir / "f"};
  REQUIRE_FALSE(f.lock(0, 100, lock_kind::shared));
  REQUIRE_FALSE(g.lock(50, 100, lock_kind::shared));
  CHECK(is_free(0, 150, false));
  CHECK_FALSE(is_free(0, 1, true));
  REQUIRE_FALSE(g.unlock(50, 100));
  REQUIRE_FALSE(f.lock(20, 10, lock_kind::exclusive));  // converted
  CHECK_FALSE(is_free(20, 10, false));
  CHECK(is_free(0, 20, false));
  REQUIRE_FALSE(f.unlock(25, 100));
  CHECK(is_free(25, 100, true));
  CHECK_FALSE(is_free(20, 5, false));

  // Two threads of one handle share; the kernel's lock lasts until the last of them.
  REQUIRE_FALSE(f.unlock(0, 100));
  REQUIRE_FALSE(f.lock(0, 100, lock_kind::shared));
  std::thread([&] {
    CHECK_FALSE(f.lock(50, 100, lock_kind::shared));
    CHECK_FALSE(is_free(120, 1, true));
    CHECK_FALSE(f.unlock(50, 100));
    CHECK(is_free(100, 50, true));
    CHECK_FALSE(is_free(50, 50, true));
    CHECK_FALSE(f.unlock(0, 100));  // of the other thread: exactly its range
  }).join();
  CHECK(is_free(0, 1000, true));

  // To the end, however far; nothing at all; a shared lock of what cannot be read.
  REQUIRE_FALSE(f.lock(10, std::numeric_limits<std::int64_t>::max(), lock_kind::exclusive));
  CHECK_FALSE(is_free(std::int64_t{1} << 60, 1, false));
  CHECK(is_free(0, 10, true));
  REQUIRE_FALSE(f.unlock(0, std::numeric_limits<std::int64_t>::max()));
  CHECK(is_free(0, 1000, true));
  REQUIRE_FALSE(f.lock(0, 0, lock_kind::exclusive));
  CHECK(is_free(0, 1000, true));
  posix w = opened(dir / "f", {.write = true});
  REQUIRE_FALSE(w.lock(0, 10, lock_kind::shared));
  CHECK_FALSE(is_free(0, 10, false));
  REQUIRE_FALSE(w.close());
  CHECK(is_free(0, 10, true));  // a lock ends with its handle
}

TEST_CASE("a lock waits, and is not given up when interrupted", "[posix][locks]") {
  scratch const dir;
  posix f = opened(dir / "f"), g = opened(dir / "f");
  interrupting const signals;
  REQUIRE_FALSE(f.lock(0, 10, lock_kind::exclusive));
  std::atomic<bool> got{false};
  std::error_code locked, unlocked;
  std::thread waiting([&] {
    locked = g.lock(5, 10, lock_kind::exclusive);
    got = true;
    unlocked = g.unlock(5, 10);
  });
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(5ms);
    ::pthread_kill(waiting.native_handle(), SIGUSR1);
  }
  CHECK_FALSE(got);
  CHECK_FALSE(f.unlock(0, 10));
  waiting.join();
  CHECK(got);
  CHECK_FALSE(locked);
  CHECK_FALSE(unlocked);
}

TEST_CASE("of nested shared locks each thread keeps its own when another one unlocks", "[posix][locks]") {
  scratch const dir;
  posix f = opened(dir / "f");
  probe const is_free{dir / "f"};
  std::atomic<bool> end{false}, good{true};
  std::atomic<int> locked{0};
  auto const holds = [&](std::int64_t offset, std::int64_t length) {
    return std::thread([&, offset, length] {
      if (f.lock(offset, length, lock_kind::shared)) good = false;
      ++locked;
      while (!end) std::this_thread::sleep_for(1ms);
      if (f.unlock(offset, length)) good = false;
    });
  };
  std::thread outer = holds(0, 100), inner = holds(10, 10);
  while (locked < 2) std::this_thread::sleep_for(1ms);
  CHECK_FALSE(f.lock(0, 120, lock_kind::shared));
  CHECK_FALSE(f.unlock(0, 120));
  CHECK_FALSE(is_free(5, 1, true));
  CHECK_FALSE(is_free(15, 1, true));
  CHECK_FALSE(is_free(50, 1, true));
  CHECK(is_free(100, 20, true));
  end = true;
  outer.join();
  inner.join();
  CHECK(good);
  CHECK(is_free(0, 120, true));
}

TEST_CASE("threads wait for what is still held, and no longer", "[posix][locks]") {
  scratch const dir;
  posix f = opened(dir / "f");
  std::atomic<bool> got{false}, good{true};
  auto const taking = [&](std::int64_t offset, std::int64_t length, lock_kind kind) {
    got = false;
    return std::thread([&, offset, length, kind] {
      if (f.lock(offset, length, kind)) good = false;
      got = true;
      if (f.unlock(offset, length)) good = false;
    });
  };
  REQUIRE_FALSE(f.lock(0, 100, lock_kind::exclusive));
  // A part was unlocked, the front or the back of it.
  CHECK_FALSE(f.unlock(0, 30));
  CHECK_FALSE(f.unlock(70, 30));
  std::thread waiting = taking(40, 10, lock_kind::shared);
  std::this_thread::sleep_for(30ms);
  CHECK_FALSE(got);
  // Made a shared one, it is in nobody's way who wants to share.
  CHECK_FALSE(f.lock(30, 40, lock_kind::shared));
  CHECK(comes(got));
  CHECK_FALSE(f.unlock(30, 40));
  waiting.join();
  CHECK(good);
}

TEST_CASE("what is left to a thread that waits in the kernel is its own, or nobody's", "[posix][locks][faults]") {
  scratch const dir;
  posix f = opened(dir / "f"), g = opened(dir / "f");
  probe const is_free{dir / "f"};
  interrupting const signals;
  REQUIRE_FALSE(g.lock(0, 10, lock_kind::exclusive));
  REQUIRE_FALSE(f.lock(20, 10, lock_kind::shared));
  bool const has_some = GENERATE(false, true), interrupted = GENERATE(true, false);
  std::atomic<bool> asks{false}, ended{false}, end{false};
  std::error_code error;
  std::thread waiting([&] {
    if (has_some) f.lock(28, 2, lock_kind::shared);
    asks = true;
    error = f.raw().lock(0, 30, lock_kind::shared);
    ended = true;
    while (!end) std::this_thread::sleep_for(1ms);
    f.unlock(0, 30);
  });
  CHECK(comes(asks));
  std::this_thread::sleep_for(20ms);
  CHECK_FALSE(f.unlock(20, 8));
  CHECK_FALSE(f.unlock(28, 2));
  if (interrupted) {
    while (!ended) {
      ::pthread_kill(waiting.native_handle(), SIGUSR1);
      std::this_thread::sleep_for(2ms);
    }
    CHECK(error == std::errc::interrupted);
    CHECK(is_free(20, 8, true));
    CHECK(is_free(28, 2, true) == !has_some);
  } else {
    CHECK_FALSE(f.unlock(0, 30));  // of nobody: it is not locked yet
    CHECK_FALSE(g.unlock(0, 10));
    CHECK(comes(ended));
    CHECK_FALSE(error);
    CHECK_FALSE(is_free(0, 1, true));
    CHECK_FALSE(is_free(29, 1, true));
    std::atomic<bool> got{false};
    std::thread other([&] {
      f.lock(0, 10, lock_kind::exclusive);
      got = true;
      f.unlock(0, 10);
    });
    std::this_thread::sleep_for(20ms);
    CHECK_FALSE(got);
    end = true;
    other.join();
  }
  end = true;
  waiting.join();
  CHECK(is_free(10, 100, true));
}
