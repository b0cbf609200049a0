// What a node keeps of a file that others change: when it asks the server, and who is told what could not be written.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/detail/separate_cache.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

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

}  // namespace

TEST_CASE("the server is asked once after each time that others may have changed the file", "[posix][separate_cache]") {
  cached_file f;
  faults const none(f.path, "");
  auto const asks = [&] {
    long const before = argosy_fault_calls("fsync");
    CHECK(f.cache.freshen(f.descriptor) == 0);
    return argosy_fault_calls("fsync") - before;
  };
  CHECK(asks() == 1);  // what the client kept from before the open
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

TEST_CASE("who is interrupted comes again, and nothing is lost by that", "[posix][separate_cache][faults]") {
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
  CHECK(f.cache.flush(f.descriptor) == ENOSPC);  // although the second try went well
  CHECK(argosy_fault_calls("fsync") == 2);
  CHECK(f.cache.flush(f.descriptor) == 0);
  CHECK(f.cache.take_lost() == ENOSPC);  // a sync or close after that
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
