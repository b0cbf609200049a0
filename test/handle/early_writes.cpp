// Early writes: which of them the disk gets at once, and what that never changes.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/detail/early_writes.hpp>

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/datatype/darray.hpp>
#include <argosy/format/checkpoint.hpp>
#include <argosy/format/zarr.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/raw_posix.hpp>
#include <argosy/world/self.hpp>

#include "handle/posix_cases.hpp"
#include "support/catch.hpp"
#include "support/fault_shim.hpp"
#include "support/files.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace argosy::test;
using argosy::detail::early_writes;

namespace {

constexpr std::int64_t block = early_writes::least;

// A file whose system calls are counted.
struct counted_file {
  scratch dir;
  std::string path = dir / "file";
  faults shim;
  posix file;
  std::vector<std::byte> data = some_bytes(4 * block);
  long before = 0;

  explicit counted_file(std::optional<bool> early, std::string const& more = "")
      : shim(path, ("fstatfs@1+=type:ef53" + more).c_str()), file(opened(path, flags(early))) {}

  static open_flags flags(std::optional<bool> early) {
    open_flags all = read_write;
    all.early_writes = early;
    return all;
  }
  static std::vector<std::byte> some_bytes(std::int64_t bytes) {
    std::vector<std::byte> all(static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::byte>(i * 7 + i / 251);
    return all;
  }
  // Writes the beginning of the data, and returns how many writes were early since the last time.
  long early_of(int times, std::int64_t bytes) {
    for (int i = 0; i < times; ++i)
      CHECK(file.write(i * bytes, std::span(data).first(static_cast<std::size_t>(bytes))).bytes ==
            bytes);
    long const now = argosy_fault_calls("sync_file_range");
    return now - std::exchange(before, now);
  }
};

// Opens files of the operating system, and keeps the flags of those that are written.
io::opener telling(std::vector<open_flags>& told) {
  io::opener const files = io::posix_opener();
  return files.opening(
      [&told, files](std::string const& path, open_flags flags, std::error_code& error) {
        if (flags.write) told.push_back(flags);
        return files(path, flags, error);
      });
}

}  // namespace

TEST_CASE("after a sync writes are early, until twice as much is written as before it",
          "[early_writes]") {
  std::mt19937_64 random(seed());
  for (int run = 0; run < 200; ++run) {
    early_writes early(false);
    std::vector<std::int64_t> steps;  // bytes between syncs
    std::int64_t step = 0, end = 0;
    auto const expected = [&] {
      std::int64_t most = 0;
      for (std::size_t i = 0; i < steps.size(); ++i)
        most = std::max(most, 2 * steps[i] >> (steps.size() - 1 - i));
      return most;
    };
    for (int k = 0; k < 100; ++k) {
      if (random() % 8 == 0) {
        early.note_sync();
        if (step > 0) steps.push_back(step);
        step = 0;
        continue;
      }
      std::int64_t const bytes = static_cast<std::int64_t>(random() % (8 * early_writes::least));
      bool const counts = bytes >= early_writes::least;
      std::int64_t const offset = end;  // never the same bytes again
      if (counts) step += bytes;
      if (counts) end += bytes;
      REQUIRE(early.is_early(offset, bytes) == (counts && step <= expected()));
    }
  }
}

TEST_CASE("numbers of bytes do not overflow", "[early_writes]") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  early_writes early(false);
  for (int i = 0; i < 3; ++i) CHECK_FALSE(early.is_early(0, most));
  early.note_sync();
  CHECK(early.is_early(0, most / 2));
  CHECK(early.is_early(most / 2, most / 4));
  CHECK_FALSE(early.is_early(most - 1, most));
}

TEST_CASE("bytes that are written again before the next sync are not early", "[early_writes]") {
  early_writes early(false), asked(true);
  auto const step = [&](early_writes& e) {
    std::vector<bool> told;
    for (std::int64_t const offset : {4, 5, 4, 5, 9})
      told.push_back(e.is_early(offset * block, block));
    return told;
  };
  step(early);
  early.note_sync();
  for (int i = 0; i < 3; ++i) {
    CHECK(step(early) == std::vector<bool>{true, true, false, false, true});
    early.note_sync();
  }
  CHECK(step(asked) == std::vector<bool>(5, true));
}

TEST_CASE("the system calls are those of the rule, and of what the program asks for",
          "[early_writes][posix]") {
  SECTION("no word") {
    counted_file f({});
    CHECK(f.early_of(4, block) == 0);
    REQUIRE_FALSE(f.file.sync());
    REQUIRE_FALSE(f.file.sync());  // MPI's sequence has two
    CHECK(f.early_of(10, block) == 8);
    CHECK(f.early_of(3, block - 1) == 0);
  }
  SECTION("a file that moves keeps what it knows") {
    counted_file f({});
    CHECK(f.early_of(1, block) == 0);
    REQUIRE_FALSE(f.file.sync());
    posix other = std::move(f.file);
    f.file = std::move(other);
    CHECK(f.early_of(1, block) == 1);
  }
  SECTION("asked for") {
    counted_file f(true);
    CHECK(f.early_of(10, block) == 10);
    CHECK(f.early_of(10, block / 2) == 0);
  }
  SECTION("refused") {
    counted_file f(false);
    CHECK(f.early_of(4, block) == 0);
    REQUIRE_FALSE(f.file.sync());
    CHECK(f.early_of(4, block) == 0);
  }
}

TEST_CASE("no write to a network or parallel file system is early", "[early_writes][posix]") {
  for (std::string const type : {"6969", "bd00bd0", "47504653"}) {  // NFS, Lustre, GPFS
    scratch const dir;
    faults const shim(dir / "file", ("fstatfs@1+=type:" + type).c_str());
    posix file = opened(dir / "file", counted_file::flags(true));
    std::vector<std::byte> const data(block);
    CHECK(file.write(0, data).bytes == block);
    CHECK(argosy_fault_calls("sync_file_range") == 0);
  }
}

TEST_CASE("an early write of several parts is one call, and of what was written only",
          "[early_writes][posix]") {
  counted_file f(true, ";write@2=short:60000");
  std::span<std::byte const> const data(f.data);
  std::array const parts{io::write_part{7, data.first(block)},
                         io::write_part{7 + block, data.subspan(3 * block)}};
  CHECK(f.file.write(parts).bytes == 2 * block);
  CHECK(argosy_fault_calls("sync_file_range") == 1);
  auto const is_last = [](long offset, long bytes) {
    auto const [at, length, how] = argosy_last_range();
    return at == offset && length == bytes && how == SYNC_FILE_RANGE_WRITE;
  };
  CHECK(is_last(7, 2 * block));
  // The first call moves 60,000 bytes, which are too few. The second one moves the others.
  CHECK(f.file.write(0, data.first(2 * block - 1)).bytes == 2 * block - 1);
  CHECK(argosy_fault_calls("sync_file_range") == 2);
  CHECK(is_last(60000, 2 * block - 1 - 60000));
}

TEST_CASE("a write succeeds even if the disk does not take it early, and the next sync tells it",
          "[early_writes][posix]") {
  auto const check_bytes = [](counted_file& f) {
    std::vector<std::byte> back(static_cast<std::size_t>(3 * block));
    CHECK(f.file.read(0, back).bytes == 3 * block);
    for (int i = 0; i < 3; ++i)
      CHECK(std::equal(back.begin() + i * block, back.begin() + (i + 1) * block, f.data.begin()));
  };
  for (int const error : {EIO, ENOSPC, EDQUOT, EROFS, ENXIO, ENODEV, EUCLEAN}) {
    counted_file f(true,
                   ";sync_file_range@2=" + std::to_string(error) + ";sync_file_range@3=EINTR");
    CHECK(f.early_of(3, block) == 3);
    CHECK(f.file.sync() == errno_code(error));
    CHECK_FALSE(f.file.sync());
    check_bytes(f);
  }
  for (int const none : {ENOSYS, ESPIPE, EINVAL, EPERM, ENOMEM}) {
    counted_file f(true, ";sync_file_range@1+=" + std::to_string(none));
    CHECK(f.early_of(3, block) == 3);
    CHECK_FALSE(f.file.sync());
    check_bytes(f);
  }
  // An interrupted sync forgets nothing, and an error of the sync itself comes first.
  counted_file interrupted(true, ";sync_file_range@1=EIO;fsync@1=EINTR");
  CHECK(interrupted.early_of(1, block) == 1);
  CHECK(interrupted.file.sync() == errno_code(EIO));
  counted_file full(true, ";sync_file_range@1=EIO;fsync@1=ENOSPC");
  CHECK(full.early_of(1, block) == 1);
  CHECK(full.file.sync() == errno_code(ENOSPC));
  CHECK_FALSE(full.file.sync());
}

TEST_CASE("the hint reaches the file, and files that are saved ask for it unless told otherwise",
          "[early_writes][hints]") {
  scratch const dir;
  std::vector<open_flags> told;
  io::opener const files = telling(told);
  auto const open_with = [&](io::hints const& h) {
    told.clear();
    io::basic_file<io::self>::open(io::self(), dir / "file",
                                   io::mode::create | io::mode::read_write, h, files)
        .close();
    REQUIRE_FALSE(told.empty());
    return told.back().early_writes;
  };
  CHECK_FALSE(open_with({}).has_value());
  CHECK(open_with({.early_writes = io::tristate::enable}) == true);
  CHECK(open_with({.early_writes = io::tristate::disable}) == false);

  int step = 7;
  auto const save_with = [&](io::hints const& h) {
    told.clear();
    io::basic_checkpoint<io::self> c;
    c.add_value("step", step);
    c.save(io::self(), dir / "saved", h, files);
    REQUIRE_FALSE(told.empty());
    return told.front().early_writes;
  };
  CHECK(save_with({}) == true);
  CHECK(save_with({.named = {{"argosy_early_writes", "disable"}}}) == false);
  CHECK(save_with({.early_writes = io::tristate::disable}) == false);
  std::ofstream(dir / "site") << "argosy_early_writes disable\n";
  ::setenv("ARGOSY_HINTS", (dir / "site").c_str(), 1);
  CHECK(save_with({}) == false);
  ::unsetenv("ARGOSY_HINTS");
}

TEST_CASE("shards of Zarr arrays are written early, unless hints refuse it", "[early_writes]") {
  for (bool const early : {true, false}) {
    scratch const dir;
    std::vector<open_flags> told;
    io::hints const h = early ? io::hints() : io::hints{.early_writes = io::tristate::disable};
    auto z = io::basic_zarr<io::self>::create(
        io::self(), dir / "u", io::darray<int, 1>({4}, io::distribute::block, {1}, 0),
        {.chunks = {4}}, h, telling(told));
    told.clear();
    std::vector<int> const threes(4, 3);
    z.write_all(threes);
    // Once more if the directory is missing.
    CHECK(std::ranges::count(told, std::optional(early), &open_flags::early_writes) > 0);
    CHECK(std::ranges::count(told, std::optional(!early), &open_flags::early_writes) == 0);
    z.close();
  }
}
