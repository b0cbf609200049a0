// The posix handle on real files that break: files that cannot be opened, full disks, and every
// errno of every call. One page because each case breaks a call of the same handle.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/posix.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "handle/posix_cases.hpp"
#include "support/catch.hpp"
#include "support/fault_shim.hpp"
#include "support/files.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using io::errc;
using io::posix;
using io::extend::io_result;
using io::extend::lock_kind;
using namespace std::chrono_literals;
using namespace io::test;

TEST_CASE("open says why not, and leaves nothing behind", "[posix][errors]") {
  scratch const dir;
  CHECK(error_of_open(dir / "none", read_only) == std::errc::no_such_file_or_directory);
  CHECK(error_of_open(dir / "none", {.read = true, .write = true}) ==
        std::errc::no_such_file_or_directory);
  CHECK(error_of_open(dir / "no/directory", write_only) == std::errc::no_such_file_or_directory);
  CHECK(error_of_open("", read_only) == std::errc::no_such_file_or_directory);
  CHECK(error_of_open(dir.string(), read_only) == std::errc::is_a_directory);
  CHECK(error_of_open(dir.string(), read_write) == std::errc::is_a_directory);
  CHECK(error_of_open(dir / std::string(300, 'x'), write_only) == std::errc::filename_too_long);
  CHECK(error_of_open(dir / "none", {}) == std::errc::invalid_argument);
  CHECK(error_of_open(dir / std::string("a\0b", 3), write_only) == std::errc::invalid_argument);
  CHECK_FALSE(std::filesystem::exists(dir / "a"));

  CHECK_FALSE(error_of_open(dir / "file", write_only));
  CHECK(error_of_open(dir / "file", {.write = true, .create = true, .exclusive = true}) ==
        std::errc::file_exists);
  CHECK(error_of_open(dir / "file/below", write_only) == std::errc::not_a_directory);
  REQUIRE(::symlink("loop", (dir / "loop").c_str()) == 0);
  CHECK(error_of_open(dir / "loop", read_only) == std::errc::too_many_symbolic_link_levels);
  CHECK(error_of_open("/proc/self/exe", {.write = true}) == std::errc::text_file_busy);
}

TEST_CASE("a file that an exclusive open has made goes with it, if it fails after that",
          "[posix][errors][faults]") {
  scratch const dir;
  argosy::extend::open_flags const making{
      .read = true, .write = true, .create = true, .exclusive = true};
  std::string const path = dir / "new";
  {
    faults const f(path, "fstat@1=EIO");
    CHECK(error_of_open(path, making) == std::errc::io_error);
    CHECK_FALSE(std::filesystem::exists(path));
  }
  {
    faults const f(path, "fstat@1x2=EINTR");  // repeated, and not mistaken for an existing file
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
  // Forbids the next free descriptor and all behind it.
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
  CHECK(put.bytes == 65536);  // the bytes that were written count
  std::error_code error;
  CHECK(f.size(error) == 65536);
  CHECK(content_of(dir / "mount/file") == std::string(65536, '\7'));
  CHECK(f.preallocate(100'000) == std::errc::no_space_on_device);
  CHECK(f.size(error) == 65536);

  // In parts, too; truncating makes room again.
  REQUIRE_FALSE(f.resize(0));
  std::vector<io::write_part> parts;
  for (std::int64_t i = 0; i < 100; ++i)
    parts.push_back({i * 1000, std::span(data).subspan(0, 1000)});
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
  // With the default action, which ends the process; on another thread; with small and large
  // writes.
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
      std::vector<io::write_part> const parts{{9'990, std::span(data).first(10)},
                                              {10'000, std::span(data).first(10)}};
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

  // A limit that is set after open counts for a large write.
  auto const later = [&] {
    std::error_code error;
    posix f = posix::open(dir / "later", read_write, error);
    rlimit limit{10'000, 10'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::vector<std::byte> const data(128 << 10);
    return f.write(0, data).error == std::errc::file_too_large &&
           f.write(10'000, std::span(data).first(1)).bytes == 0;
  };
  CHECK(in_child(later) == 0);

  // A signal that was pending before must still be pending afterwards.
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

TEST_CASE(
    "a size limit that is lowered after open is EFBIG for the smallest write, and only for "
    "argosy's",
    "[posix][errors]") {
  scratch const dir;
  std::string const path = dir / "file";
  auto const lowered = [] {
    rlimit const none{0, 0}, limit{10'000, 10'000};
    ::setrlimit(RLIMIT_CORE, &none);
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  auto const handler = [] {
    struct sigaction now{};
    ::sigaction(SIGXFSZ, nullptr, &now);
    return now.sa_handler;
  };
  std::vector<std::byte> const data(5000);
  CHECK(in_child([&] {
          std::error_code error;
          posix f = posix::open(path, read_write, error), g = posix::open(path, read_write, error);
          lowered();
          bool good = f.write(10'000, data).error == std::errc::file_too_large;
          f.close();
          std::thread([&] {  // a thread made after the open
            good = good && g.write(8'000, data).bytes == 2'000;
            io::write_part const parts[]{{10'000, std::span(data).first(1)}, {10'001, data}};
            good = good && g.write(parts).error == std::errc::file_too_large;
          })
              .join();
          g.close();
          return good && handler() == SIG_DFL;
        }) == 0);
  // A write of the program itself ends the process, as it does without argosy.
  auto const own_write = [&](void (*set)(int)) {
    int const own = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (set != SIG_DFL) ::signal(SIGXFSZ, set);
    std::error_code error;
    posix f = posix::open(path, read_write, error);
    lowered();
    bool const good = f.write(10'000, data).error == std::errc::file_too_large;
    return good && ::pwrite(own, data.data(), data.size(), 10'000) == -1 &&
           (set == SIG_DFL || handler() == set);
  };
  CHECK(in_child([&] { return own_write(SIG_DFL); }) == 1000 + SIGXFSZ);
  CHECK(in_child([&] { return own_write(SIG_IGN); }) == 0);
}

TEST_CASE("interrupted and short calls are nobody's business", "[posix][faults]") {
  scratch const dir;
  std::string const path = dir / "broken";
  posix f = opened(path);
  faults const storm(
      path,
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
  io::extend::retrying<io::extend::raw_posix> f(
      io::extend::raw_posix::open(path, read_write, error), {100us, 1ms, 20ms});
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
          CHECK(f.write(0, memory).bytes == 40);  // the next write succeeds
        }
        {
          faults const broken(path, spec("read").c_str());
          io_result const got = f.read(0, memory);
          CHECK(got.error == errno_code(e));
          CHECK(got.bytes == 10 * (k - 1));
        }
        {
          std::vector<io::write_part> parts;
          for (std::int64_t i = 0; i < 4; ++i)
            parts.push_back({100 + 20 * i, std::span(memory).first(10)});
          faults const broken(path, spec("write").c_str());
          io_result const put = f.write(parts);
          CHECK(put.error == errno_code(e));
          CHECK(put.bytes == 10 * (k - 1));
        }
        auto const repeated = [&](char const* name, auto call) {
          faults const broken(path, spec(name).c_str());
          for (int i = 1; i <= 4; ++i)
            CHECK(call() == (i == k ? errno_code(e) : std::error_code{}));
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

TEST_CASE("a write that moves nothing is made again, and is an error in the end",
          "[posix][faults]") {
  scratch const dir;
  static std::chrono::nanoseconds slept;
  slept = 0ns;
  std::error_code error;
  io::extend::retrying<io::extend::raw_posix> f(
      io::extend::raw_posix::open(dir / "f", read_write, error),
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
    // A lock that failed must not block others.
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
  // The error is that of any other length.
  CHECK(io::extend::raw_posix().preallocate(0) == std::errc::bad_file_descriptor);
  // A file system that supports only the plain form, as NFS.
  posix f = opened(dir / "nfs");
  faults const broken(dir / "nfs", "fallocate@1=ENOTSUP");
  CHECK_FALSE(f.preallocate(5000));
  CHECK(argosy_fault_calls("fallocate") == 2);
  CHECK(argosy_fault_calls("ftruncate") == 0);
}

TEST_CASE(
    "whatever says that space cannot be reserved, the size is arranged; other errors are errors",
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
  // the size is unknown, and the file might become shorter
  CHECK(argosy_fault_calls("ftruncate") == 0);
  CHECK(f.size(error) == 0);
}
