// Files on a real GPFS. A recorder stands in for its library.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/error/errc.hpp>
#include <argosy/handle/gpfs_real.hpp>

#include <dlfcn.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/gpfs_hints.hpp"

namespace io = argosy;
namespace gpfs = io::gpfs;
using Catch::Matchers::ContainsSubstring;
using io::gpfs_real;
using io::test::scratch;

namespace {

constexpr io::extend::open_flags created{.read = true, .write = true, .create = true};

// Equal to stand_in_record in support/gpfs_stand_in.cpp.
struct record {
  int fcntl_calls, fcntl_descriptor, fcntl_length;
  unsigned char fcntl_bytes[65536];
  int prealloc_calls, prealloc_descriptor;
  long long prealloc_start, prealloc_bytes;
  int fcntl_errno, fcntl_error_offset, fcntl_accepted, prealloc_errno;
};

record& recorded(std::string const& library = ARGOSY_TEST_STAND_IN) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(handle != nullptr);
  auto* const r = static_cast<record*>(::dlsym(handle, "stand_in"));
  REQUIRE(r != nullptr);
  return *r;
}

struct on_stand_in {
  explicit on_stand_in(std::string const& library = ARGOSY_TEST_STAND_IN)
      : seen(recorded(library)) {
    seen = {};
    file =
        gpfs_real::open(dir / "f", created, {.library = library, .any_file_system = true}, error);
    REQUIRE_FALSE(error);
    REQUIRE(file.is_on_gpfs());
  }
  scratch const dir;
  record& seen;
  std::error_code error;
  gpfs_real file;
};

template <class T>
T at(record const& r, std::size_t offset) {
  T value;
  std::memcpy(&value, r.fcntl_bytes + offset, sizeof value);
  return value;
}

}  // namespace

TEST_CASE("hints reach the library byte by byte", "[gpfs_real]") {
  on_stand_in t;
  CHECK(io::detail::takes_hints(t.file));
  // no node of a partitioned file
  CHECK(io::detail::node_of(t.file) == io::extend::unknown_node);
  auto h = io::test::access_range(4096, 1000, true);
  REQUIRE_FALSE(t.file.fcntl(h));
  CHECK(t.seen.fcntl_calls == 1);
  CHECK(t.seen.fcntl_descriptor == t.file.raw().descriptor());
  CHECK(t.seen.fcntl_length == 48);
  CHECK(at<int>(t.seen, 0) == 48);
  CHECK(at<int>(t.seen, 4) == 1);
  CHECK(at<int>(t.seen, 16) == 32);
  CHECK(at<int>(t.seen, 20) == 1001);
  CHECK(at<long long>(t.seen, 24) == 4096);
  CHECK(at<long long>(t.seen, 32) == 1000);
  CHECK(at<int>(t.seen, 40) == 1);
  CHECK(std::memcmp(t.seen.fcntl_bytes, &h, sizeof h) == 0);

  auto all = io::test::free_range(0, 0);
  REQUIRE_FALSE(t.file.fcntl(all));
  CHECK(t.seen.fcntl_length == 40);
  CHECK(at<int>(t.seen, 20) == 1002);
}

TEST_CASE("what the library writes into the argument comes back", "[gpfs_real]") {
  on_stand_in t;
  t.seen.fcntl_accepted = 2;
  io::test::ranges_hint h;
  h.a.accRangeCnt = 5;
  for (int i = 0; i < 5; ++i) h.a.accRangeArray[i] = {i, 0, 512, 0, {}};
  REQUIRE_FALSE(t.file.fcntl(h));
  CHECK(at<int>(t.seen, 24) == 5);
  CHECK(at<long long>(t.seen, 32 + 4 * 24) == 4);
  CHECK(h.a.accRangeCnt == 2);
}

TEST_CASE("errors of the library are its own, but data shipping may not be there any more",
          "[gpfs_real]") {
  on_stand_in t;
  t.seen.fcntl_error_offset = 16;
  auto const outcome = [&](auto argument, int code) {
    t.seen.fcntl_errno = code;
    auto const e = t.file.fcntl(argument);
    CHECK(argument.header.errorOffset == 16);
    return e;
  };
  CHECK(outcome(io::test::access_range(0, 1, false), EINVAL) == std::errc::invalid_argument);
  CHECK(outcome(io::test::access_range(0, 1, false), ENOSYS) == std::errc::function_not_supported);
  CHECK(outcome(io::test::ship_start(4), EINVAL) == io::errc::unsupported);
  CHECK(outcome(io::test::ship_start(4), ENOSYS) == io::errc::unsupported);
  CHECK(outcome(io::test::ship_start_with(4, 65536, std::array{0, 1}), EINVAL) ==
        io::errc::unsupported);
  CHECK(outcome(io::test::ship_stop(), EINVAL) == io::errc::unsupported);
  CHECK(outcome(io::test::ship_start(4), EPERM) == std::errc::operation_not_permitted);
  CHECK(outcome(io::test::ship_stop(), ENOTSUP) == io::errc::unsupported);
  // the offset of the map, which is behind the start
  t.seen.fcntl_error_offset = 16 + static_cast<int>(sizeof(gpfs::gpfsDataShipStart_t));
  auto with_map = io::test::ship_start_with(4, 65536, std::array{0, 1});
  CHECK(t.file.fcntl(with_map) == io::errc::unsupported);
  // offsets that are in no structure
  for (int const nowhere : {65530, 8, 0, -16}) {
    t.seen.fcntl_error_offset = nowhere;
    auto h = io::test::ship_start(4);
    t.seen.fcntl_errno = EINVAL;
    CHECK(t.file.fcntl(h) == std::errc::invalid_argument);
  }
}

TEST_CASE("arguments that lead the library astray do not reach it", "[gpfs_real]") {
  on_stand_in t;
  auto h = io::test::free_range(0, 0);
  for (int length : {0, -1, 15, 41, 70000}) {
    h.header.totalLength = length;
    CHECK(t.file.fcntl(h) == std::errc::invalid_argument);
  }
  std::vector<std::byte> large(65544);
  gpfs::gpfsFcntlHeader_t const header{65544};
  std::memcpy(large.data(), &header, sizeof header);
  CHECK(t.file.fcntl(std::span(large)) == std::errc::argument_list_too_long);
  CHECK(t.file.fcntl(std::span(large).first(sizeof header - 1)) == std::errc::invalid_argument);
  CHECK(t.seen.fcntl_calls == 0);
  CHECK_FALSE(t.file.close());
  h = io::test::free_range(0, 0);
  CHECK(t.file.fcntl(h) == std::errc::bad_file_descriptor);
}

TEST_CASE("space is reserved by the library, or by the system where it cannot", "[gpfs_real]") {
  {
    on_stand_in t;
    REQUIRE_FALSE(t.file.preallocate(100000));
    CHECK(t.seen.prealloc_calls == 1);
    CHECK(t.seen.prealloc_descriptor == t.file.raw().descriptor());
    CHECK(t.seen.prealloc_start == 0);
    CHECK(t.seen.prealloc_bytes == 100000);
    CHECK(t.file.size(t.error) == 100000);
    REQUIRE_FALSE(t.file.preallocate(10));
    CHECK(t.file.size(t.error) == 100000);
    REQUIRE_FALSE(t.file.preallocate(0));  // preallocates nothing
    CHECK(t.seen.prealloc_calls == 2);
    t.seen.prealloc_errno = ENOSPC;
    CHECK(t.file.preallocate(200000) == std::errc::no_space_on_device);
    CHECK(t.file.size(t.error) == 100000);
    t.seen.prealloc_errno = ENOSYS;
    REQUIRE_FALSE(t.file.preallocate(200000));
    CHECK(t.file.size(t.error) == 200000);
  }
  on_stand_in older(ARGOSY_TEST_STAND_IN_OLDER);  // has no gpfs_prealloc
  REQUIRE_FALSE(older.file.preallocate(5000));
  CHECK(older.file.size(older.error) == 5000);
  auto h = io::test::free_range(0, 0);
  CHECK_FALSE(older.file.fcntl(h));
}

TEST_CASE("without GPFS it is a file like others, and says why", "[gpfs_real]") {
  scratch const dir;
  std::error_code error;
  auto const check_plain = [&](gpfs_real& f) {
    CHECK_FALSE(f.is_on_gpfs());
    CHECK_FALSE(io::detail::takes_hints(f));  // no hints are prepared for it
    auto h = io::test::free_range(0, 0);
    CHECK(f.fcntl(h) == io::errc::unsupported);
    std::vector<std::byte> bytes(100, std::byte{7}), back(100);
    CHECK(f.write(10, bytes).bytes == 100);
    CHECK(f.read(10, back).bytes == 100);
    CHECK(back == bytes);
    CHECK_FALSE(f.preallocate(5000));
    CHECK(f.size(error) == 5000);
  };
  auto f = gpfs_real::open(dir / "f", created,
                           {.library = ARGOSY_TEST_STAND_IN, .any_file_system = false}, error);
  REQUIRE_FALSE(error);
  check_plain(f);
  CHECK_THAT(f.why_not(), ContainsSubstring((dir / "f") + " is not on GPFS"));
  f = gpfs_real::open(dir / "g", created,
                      {.library = "libno_such_gpfs.so", .any_file_system = true}, error);
  REQUIRE_FALSE(error);
  check_plain(f);
  CHECK_THAT(f.why_not(),
             ContainsSubstring("cannot be loaded") && ContainsSubstring("libno_such_gpfs.so"));
  f = gpfs_real::open(dir / "h", created, {.library = "libm.so.6", .any_file_system = true}, error);
  REQUIRE_FALSE(error);
  check_plain(f);
  CHECK_THAT(f.why_not(), ContainsSubstring("has no gpfs_fcntl"));
  gpfs_real::open(dir / "no/such", created, error);
  CHECK(error == std::errc::no_such_file_or_directory);
}

TEST_CASE("the environment names the library, and an opener opens", "[gpfs_real]") {
  scratch const dir;
  std::error_code error;
  ::setenv("ARGOSY_GPFS_LIBRARY", ARGOSY_TEST_STAND_IN, 1);
  io::extend::any_handle f =
      io::gpfs_real_opener({.library = {}, .any_file_system = true})(dir / "f", created, error);
  ::unsetenv("ARGOSY_GPFS_LIBRARY");
  REQUIRE_FALSE(error);
  REQUIRE(f.target<gpfs_real>() != nullptr);
  CHECK(f.target<gpfs_real>()->is_on_gpfs());
  CHECK(f.target<gpfs_real>()->why_not().empty());

  f = io::gpfs_real_opener({.library = {}, .any_file_system = true})(dir / "g", created, error);
  REQUIRE_FALSE(error);
  // the library by its usual name
  CHECK_THAT(f.target<gpfs_real>()->why_not(), ContainsSubstring("libgpfs.so"));
  f = io::gpfs_real_opener()(dir / "no/f", created, error);
  CHECK(error == std::errc::no_such_file_or_directory);
  CHECK_FALSE(f.is_open());
}
