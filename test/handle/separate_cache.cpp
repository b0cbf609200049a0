// The cache of a node for a file that other nodes change: when it asks the server, and which call
// reports a write that failed late.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/detail/separate_cache.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/handle/raw_posix.hpp>

#include "handle/posix_cases.hpp"
#include "support/catch.hpp"
#include "support/fault_shim.hpp"
#include "support/files.hpp"

using namespace argosy::test;
using argosy::detail::separate_cache;

namespace {

struct cached_file {
  scratch dir;
  std::string path = dir / "file";
  int descriptor = ::open(path.c_str(), O_CREAT | O_RDWR, 0600);
  separate_cache cache;

  ~cached_file() { ::close(descriptor); }
};

// A file that claims to be on NFS. The number of calls to the server is counted.
struct file_on_nfs {
  scratch dir;
  std::string path = dir / "file";
  faults shim;
  argosy::extend::raw_posix file;
  std::array<std::byte, 3> three{};
  long before = 0;

  explicit file_on_nfs(std::string const& others = "")
      : shim(path, ("fstatfs@1+=type:6969" + (others.empty() ? "" : ";" + others)).c_str()) {
    std::error_code error;
    file = argosy::extend::raw_posix::open(path, read_write, error);
    REQUIRE_FALSE(error);
    REQUIRE(file.storage().separate_caches);
  }

  // Returns how often the server has been asked since the last time.
  long asked() {
    long const now = argosy_fault_calls("fsync");
    return now - std::exchange(before, now);
  }
  void write() { REQUIRE(file.write(0, three).bytes == 3); }
  void read() { REQUIRE(file.read(0, three).bytes == 3); }
};

}  // namespace

TEST_CASE("the server is asked once after each time that others may have changed the file",
          "[posix][separate_cache]") {
  cached_file f;
  faults const none(f.path, "");
  auto const asks = [&] {
    long const before = argosy_fault_calls("fsync");
    CHECK(f.cache.freshen(f.descriptor) == 0);
    return argosy_fault_calls("fsync") - before;
  };
  CHECK(asks() == 1);  // drops pages from before the open
  CHECK(asks() == 0);
  f.cache.distrust();
  f.cache.distrust();
  CHECK(asks() == 1);
  CHECK(asks() == 0);
}

TEST_CASE("only what was written is written out, and only once", "[posix][separate_cache]") {
  cached_file f;
  faults const none(f.path, "");
  CHECK(f.cache.flush(f.descriptor) == 0);
  CHECK(argosy_fault_calls("fsync") == 0);
  f.cache.note_write();
  CHECK(f.cache.flush(f.descriptor) == 0);
  CHECK(f.cache.flush(f.descriptor) == 0);
  CHECK(argosy_fault_calls("fsync") == 1);
}

TEST_CASE("who is interrupted comes again, and nothing is lost by that",
          "[posix][separate_cache][faults]") {
  cached_file f;
  faults const interrupted(f.path, "fsync@1=EINTR;fsync@3=EINTR");
  f.cache.note_write();
  CHECK(f.cache.flush(f.descriptor) == EINTR);
  CHECK(f.cache.flush(f.descriptor) == 0);
  CHECK(f.cache.freshen(f.descriptor) == EINTR);
  CHECK(f.cache.freshen(f.descriptor) == 0);
  CHECK(argosy_fault_calls("fsync") == 4);
  CHECK(f.cache.take_lost() == 0);
}

TEST_CASE("what cannot be written keeps nobody from reading, and is told by who gives back or ends",
          "[posix][separate_cache][faults]") {
  cached_file f;
  faults const full(f.path, "fsync@1=ENOSPC");
  f.cache.note_write();
  CHECK(f.cache.freshen(f.descriptor) == 0);
  CHECK(f.cache.flush(f.descriptor) == ENOSPC);  // although the second try succeeded
  CHECK(argosy_fault_calls("fsync") == 2);
  CHECK(f.cache.flush(f.descriptor) == 0);
  CHECK(f.cache.take_lost() == ENOSPC);  // by a sync or close after that
  CHECK(f.cache.take_lost() == 0);
}

TEST_CASE("an error that a sync has told is not told again", "[posix][separate_cache][faults]") {
  cached_file f;
  faults const full(f.path, "fsync@1=EIO");
  f.cache.note_write();
  CHECK(f.cache.freshen(f.descriptor) == 0);
  CHECK(f.cache.take_lost() == EIO);
  CHECK(f.cache.flush(f.descriptor) == 0);
  CHECK(f.cache.take_lost() == 0);
}

TEST_CASE("a file that is not open is asked in vain", "[posix][separate_cache]") {
  separate_cache cache;
  CHECK(cache.freshen(-1) == EBADF);
  cache.note_write();
  CHECK(cache.flush(-1) == EBADF);
}

TEST_CASE("on a network file system what is written goes to the server before others may look",
          "[posix][separate_cache]") {
  file_on_nfs f;
  SECTION("when ranks reconcile") {
    f.write();
    CHECK(f.asked() == 0);
    CHECK_FALSE(f.file.reconcile());
    CHECK(f.asked() == 1);
    CHECK_FALSE(f.file.reconcile());
    CHECK(f.asked() == 0);
  }
  SECTION("when a lock is given back") {
    CHECK_FALSE(f.file.lock(0, 3, argosy::extend::lock_kind::exclusive));
    std::array<argosy::write_part, 2> const parts{{{0, f.three}, {5, f.three}}};
    CHECK(f.file.write(parts).bytes == 3);
    CHECK(f.asked() == 0);
    CHECK_FALSE(f.file.unlock(0, 3));
    CHECK(f.asked() == 1);
  }
  SECTION("when the file is closed") {
    f.write();
    CHECK_FALSE(f.file.close());
    CHECK(f.asked() == 1);
  }
  SECTION("but not when nothing was written") {
    CHECK_FALSE(f.file.reconcile());
    CHECK_FALSE(f.file.lock(0, 3, argosy::extend::lock_kind::exclusive));
    CHECK_FALSE(f.file.unlock(0, 3));
    CHECK_FALSE(f.file.close());
    CHECK(f.asked() == 0);
  }
}

TEST_CASE("on a network file system a read looks at the server once after others may have written",
          "[posix][separate_cache]") {
  file_on_nfs f;
  f.write();
  f.read();
  CHECK(f.asked() == 1);  // drops pages from before the open
  auto const looks_once = [&] {
    f.asked();
    f.read();
    CHECK(f.asked() == 1);
    f.read();
    std::array<std::byte, 3> more{};
    std::array<argosy::read_part, 2> const parts{{{0, f.three}, {3, more}}};
    CHECK(f.file.read(parts).bytes == 3);
    CHECK(f.asked() == 0);
  };
  std::error_code error;
  SECTION("as a lock was had") {
    CHECK_FALSE(f.file.lock(0, 3, argosy::extend::lock_kind::shared));
    looks_once();
  }
  SECTION("as a lock was tried for, and had") {
    CHECK(f.file.try_lock(0, 3, argosy::extend::lock_kind::shared, error));
    looks_once();
  }
  SECTION("as ranks reconciled") {
    CHECK_FALSE(f.file.reconcile());
    looks_once();
  }
  SECTION("as it was synced") {
    CHECK_FALSE(f.file.sync());
    looks_once();
  }
  SECTION("and several parts of one read look once, too") {
    CHECK_FALSE(f.file.reconcile());
    std::array<std::byte, 3> more{};
    std::array<argosy::read_part, 2> const parts{{{0, f.three}, {3, more}}};
    CHECK(f.file.read(parts).bytes == 3);
    CHECK(f.asked() == 1);
    f.read();
    CHECK(f.asked() == 0);
  }
  SECTION("and its size is looked at each time") {
    CHECK(f.file.size(error) == 3);
    CHECK(f.file.size(error) == 3);
    CHECK(f.asked() == 2);
  }
}

TEST_CASE("on a network file system an error of what was written late is told once",
          "[posix][separate_cache][faults]") {
  std::error_code const full(ENOSPC, std::system_category());
  std::error_code error;
  SECTION("by a sync that finds nothing left to write") {
    file_on_nfs f("fsync@1=ENOSPC");
    f.write();
    f.read();  // writes it out
    CHECK(f.file.sync() == full);
    CHECK_FALSE(f.file.sync());
    CHECK_FALSE(f.file.close());
  }
  SECTION("by who gives back a lock, and the lock goes") {
    file_on_nfs f("fsync@1=ENOSPC");
    CHECK_FALSE(f.file.lock(0, 3, argosy::extend::lock_kind::exclusive));
    f.write();
    argosy::extend::raw_posix const other =
        argosy::extend::raw_posix::open(f.path, read_only, error);
    CHECK(other.is_locked(0, 3) == true);
    CHECK(f.file.unlock(0, 3) == full);
    CHECK(other.is_locked(0, 3) == false);
    CHECK_FALSE(f.file.unlock(0, 3));
  }
  SECTION("by close, to which an interruption is nothing") {
    file_on_nfs f("fsync@1=EINTR;fsync@2=ENOSPC");
    f.write();
    CHECK(f.file.close() == full);
    CHECK_FALSE(f.file.is_open());
  }
  SECTION("by reconcile, and then by close") {
    file_on_nfs f("fsync@1=ENOSPC");
    f.write();
    CHECK(f.file.reconcile() == full);
    CHECK_FALSE(f.file.reconcile());
    CHECK(f.file.close() == full);
  }
  SECTION("by a read or a size only if it was interrupted") {
    file_on_nfs f("fsync@1=EINTR;fsync@3=EINTR");
    f.write();
    CHECK(f.file.read(0, f.three).error == std::errc::interrupted);
    f.read();
    f.file.size(error);
    CHECK(error == std::errc::interrupted);
  }
}
