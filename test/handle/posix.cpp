// The posix handle on real files: transfers, sizes, ends of files, and moves of the handle.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/posix.hpp>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
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
    against_memory(f, io::test::seed() + static_cast<std::uint64_t>(most), most < 10 ? 40 : 200,
                   5000);
  }
}

TEST_CASE("transfers beyond 2 GiB", "[posix]") {
  // /dev/null accepts any bytes without reading them, so the memory need not exist.
  constexpr std::size_t huge = (std::size_t{5} << 30) + 12345;
  void* const nowhere =
      ::mmap(nullptr, huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(nowhere != MAP_FAILED);
  std::span const memory(static_cast<std::byte*>(nowhere), huge);
  {
    posix f = opened("/dev/null", {.write = true});
    io_result const one = f.write(0, memory);
    CHECK_FALSE(one.error);
    CHECK(one.bytes == static_cast<std::int64_t>(huge));
    std::vector<io::write_part> parts;
    std::int64_t offset = 0;
    // Several runs, each beyond the limit of one call.
    for (std::size_t from = 0; from < huge; from += std::size_t{1} << 30) {
      auto const part = memory.subspan(from, std::min(huge - from, std::size_t{1} << 30));
      parts.push_back({offset, part});
      offset += static_cast<std::int64_t>(part.size()) + (from == std::size_t{3} << 30 ? 1 : 0);
    }
    io_result const many = f.write(parts);
    CHECK_FALSE(many.error);
    CHECK(many.bytes == static_cast<std::int64_t>(huge));
  }
  ::munmap(nowhere, huge);

  // Reads 2.5 GiB from holes, into the same few pages again and again.
  char shm[] = "/dev/shm/argosy_test_XXXXXX";
  int const raw = ::mkstemp(shm);
  if (raw < 0) return skipped("no /dev/shm");
  constexpr std::int64_t bytes = (std::int64_t{5} << 29) + 777;
  constexpr std::size_t window = std::size_t{16} << 20;
  int const pages = ::memfd_create("argosy_test", MFD_CLOEXEC);
  REQUIRE(pages >= 0);
  REQUIRE(::ftruncate(pages, static_cast<off_t>(window)) == 0);
  std::size_t const mapped = (static_cast<std::size_t>(bytes) / window + 1) * window;
  auto* const base = static_cast<std::byte*>(
      ::mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  for (std::size_t at = 0; at < mapped; at += window)
    REQUIRE(::mmap(base + at, window, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, pages, 0) !=
            MAP_FAILED);
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

TEST_CASE(
    "a raw handle makes one call of parts that follow one another, and none of those without bytes",
    "[posix]") {
  scratch const dir;
  std::error_code error;
  auto f = io::extend::raw_posix::open(dir / "f", read_write, error);
  REQUIRE_FALSE(error);
  auto const letters = bytes_of("abcdef");
  auto const some = [&](std::size_t from, std::size_t n) {
    return std::span(letters).subspan(from, n);
  };
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

  // Another program truncates the file while the second half of the read is late.
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
  r = while_reading(20);  // bytes that were read already are gone
  CHECK(r.bytes == 40);
  CHECK(r.error == errc::truncated);
  r = while_reading(60);  // equal to a file that always was this short
  CHECK(r.bytes == 60);
  CHECK_FALSE(r.error);

  // A file system that reports a size, but has no bytes for it.
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
  io::extend::any_handle f = io::posix_opener()(dir / "f", read_write, error);
  REQUIRE_FALSE(error);
  REQUIRE(f.target<posix>() != nullptr);
  CHECK(f.target<io::extend::raw_posix>() == nullptr);
  against_memory(f, io::test::seed(), 100, 5000);
  CHECK_FALSE(f.lock(0, 10, lock_kind::shared));
  CHECK_FALSE(f.unlock(0, 10));
  CHECK_FALSE(f.preallocate(10));
  CHECK_FALSE(f.sync());
  CHECK(f.block_bytes() > 0);
  io::extend::any_handle g = std::move(f);
  CHECK_FALSE(f.is_open());
  CHECK(f.write(0, bytes_of("x")).error == std::errc::bad_file_descriptor);
  CHECK(f.close() == std::errc::bad_file_descriptor);
  CHECK_FALSE(g.close());
  CHECK_FALSE(g.is_open());

  g = io::posix_opener()(dir / "no/file", read_write, error);
  CHECK(error == std::errc::no_such_file_or_directory);
  CHECK_FALSE(g.is_open());
}

TEST_CASE("a directory gets a name at once, and one that had it gets the other name", "[posix]") {
  scratch const dir;
  io::opener const files = io::posix_opener();
  REQUIRE(files.has_directories());
  CHECK_FALSE(files.make_directory(dir / "a/b/c"));
  CHECK_FALSE(files.make_directory(dir / "a/b/c"));  // it exists
  CHECK(std::filesystem::is_directory(dir / "a/b/c"));
  CHECK_FALSE(files.exchange_directories(dir / "a", dir / "new"));
  CHECK_FALSE(std::filesystem::exists(dir / "a"));
  CHECK(std::filesystem::is_directory(dir / "new/b/c"));
  CHECK_FALSE(files.make_directory(dir / "other/d"));
  CHECK_FALSE(files.exchange_directories(dir / "other", dir / "new"));
  CHECK(std::filesystem::is_directory(dir / "new/d"));
  CHECK(std::filesystem::is_directory(dir / "other/b/c"));
  CHECK(io::classify(files.exchange_directories(dir / "none", dir / "new")) == errc::no_such_file);
  CHECK_FALSE(files.remove_directory(dir / "other"));
  CHECK_FALSE(std::filesystem::exists(dir / "other"));
  CHECK(io::classify(files.remove_directory(dir / "other")) == errc::no_such_file);
  io::opener const none = files.with_directories({});
  CHECK_FALSE(none.has_directories());
  CHECK(none.make_directory(dir / "e") == errc::unsupported);
  CHECK(none.exchange_directories(dir / "new", dir / "e") == errc::unsupported);
  CHECK(none.remove_directory(dir / "new") == errc::unsupported);
}

TEST_CASE("a file is removed by its identity, and another one that has its name keeps it",
          "[posix][names]") {
  scratch const dir;
  std::string const path = dir / "state";
  auto const names = [&] {
    return std::distance(std::filesystem::directory_iterator(dir.string()),
                         std::filesystem::directory_iterator());
  };
  auto const made = [&] {
    std::error_code error;
    posix f =
        posix::open(path, {.read = true, .write = true, .create = true, .exclusive = true}, error);
    REQUIRE_FALSE(error);
    REQUIRE(f.identity());
    return f;
  };
  posix first = made();
  io::extend::file_identity const of_first = *first.identity();
  std::error_code error;
  CHECK(io::detail::same_file(*io::detail::identity_of_name(path, error), of_first));
  CHECK_FALSE(io::detail::remove_file_of(path, of_first));
  CHECK(names() == 0);
  CHECK(io::detail::remove_file_of(path, of_first) == std::errc::no_such_file_or_directory);

  posix second = made();
  CHECK_FALSE(io::detail::same_file(*second.identity(), of_first));
  CHECK(second.write(0, std::as_bytes(std::span("kept", 4))).bytes == 4);
  CHECK(io::detail::remove_file_of(path, of_first) == std::errc::no_such_file_or_directory);
  // The name has become the second file's between the check and the removal.
  CHECK(io::detail::take_away(path, of_first) == std::errc::no_such_file_or_directory);
  CHECK(io::posix_opener().rename(path, dir / "other", of_first) ==
        std::errc::no_such_file_or_directory);
  CHECK(names() == 1);
  CHECK(content_of(path) == "kept");
  CHECK(io::detail::same_file(*io::detail::identity_of_name(path, error), *second.identity()));

  // Given a symbolic link, the link is removed.
  REQUIRE(::symlink("state", (dir / "link").c_str()) == 0);
  CHECK_FALSE(io::detail::remove_file_of(dir / "link", *second.identity()));
  CHECK(names() == 1);
  // An opener without a function for names opens the file to compare it.
  io::opener const below = io::posix_opener();
  io::opener const plain(
      [&](auto const& name, auto flags, auto& e) { return below(name, flags, e); },
      [&](std::string const& name) { return below.remove(name); });
  CHECK(plain.remove(path, of_first) == std::errc::no_such_file_or_directory);
  CHECK(names() == 1);
  CHECK_FALSE(plain.remove(path, second.identity()));
  CHECK(names() == 0);
}
