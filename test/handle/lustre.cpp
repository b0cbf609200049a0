// Files on Lustre: stripes are given, read back, and used. A recorder stands in for its library.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/lustre_library.hpp>

#include <dlfcn.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <argosy/file/basic_file.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/policy/two_phase.hpp>
#include <argosy/world/self.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using io::test::scratch;

namespace {

constexpr std::int64_t MiB = 1 << 20;
io::detail::lustre_settings const believing{.library = ARGOSY_TEST_STAND_IN,
                                            .any_file_system = true};

// Equal to stand_in_record in support/lustre_stand_in.cpp.
struct record {
  std::uint64_t default_bytes, default_count;
  int opened, layouts;
  int open_errno, get_errno;
};
record& recorded() {
  void* const handle = ::dlopen(ARGOSY_TEST_STAND_IN, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(handle != nullptr);
  auto* const anew = reinterpret_cast<record* (*)()>(::dlsym(handle, "stand_in_anew"));
  REQUIRE(anew != nullptr);
  return *anew();
}

io::extend::open_flags made_with(io::detail::file_stripes stripes) {
  return {.read = true, .write = true, .create = true, .stripes = stripes};
}

// Returns an opener that treats any file system as Lustre.
io::opener lustre_opener() {
  return io::posix_opener().opening([](std::string const& path, io::extend::open_flags flags,
                                       std::error_code& error) -> io::extend::any_handle {
    io::extend::raw_posix raw = io::extend::raw_posix::open(path, flags, believing, error);
    if (error) return {};
    return io::extend::any_handle(io::posix(std::move(raw)));
  });
}

}  // namespace

TEST_CASE("a file that is made gets its stripes, and they are its block", "[lustre]") {
  scratch const dir;
  record& seen = recorded();
  std::error_code error;
  io::extend::raw_posix f = io::extend::raw_posix::open(
      dir / "f", made_with({.bytes = 4 * MiB, .count = 8}), believing, error);
  REQUIRE_FALSE(error);
  CHECK(seen.opened == 1);
  CHECK(f.storage().stripe_bytes == 4 * MiB);
  CHECK(f.storage().stripe_count == 8);
  CHECK(f.block_bytes() == 4 * MiB);
  std::array<std::byte, 3> const three{};
  CHECK(f.write(0, three).bytes == 3);  // otherwise a file like any other
  CHECK(seen.layouts == 0);             // all layouts were freed

  // An existing file keeps its stripes, whatever the flags say.
  io::extend::raw_posix again = io::extend::raw_posix::open(
      dir / "f", made_with({.bytes = MiB, .count = 2}), believing, error);
  REQUIRE_FALSE(error);
  CHECK(again.storage().stripe_bytes == 4 * MiB);
  CHECK(again.storage().stripe_count == 8);
  std::error_code told;
  CHECK(again.size(told) == 3);
}

TEST_CASE("who asks for one of the two gets the other from the directory", "[lustre]") {
  scratch const dir;
  record& seen = recorded();
  seen.default_bytes = 2 << 20;
  seen.default_count = 5;
  std::error_code error;
  CHECK(io::extend::raw_posix::open(dir / "a", made_with({.bytes = 4 * MiB}), believing, error)
            .storage()
            .stripe_count == 5);
  CHECK(io::extend::raw_posix::open(dir / "b", made_with({.count = 3}), believing, error)
            .storage()
            .stripe_bytes == 2 * MiB);
  int const asked = seen.opened;
  io::extend::raw_posix const plain =
      io::extend::raw_posix::open(dir / "c", made_with({}), believing, error);
  CHECK(seen.opened == asked);  // no stripes given: made by the system's own call
  CHECK(plain.block_bytes() == 2 * MiB);
}

TEST_CASE("what the library refuses is the error of open, and leaves nothing", "[lustre]") {
  scratch const dir;
  record& seen = recorded();
  std::error_code error;
  CHECK_FALSE(io::extend::raw_posix::open(dir / "f", made_with({.bytes = 1000}), believing, error)
                  .is_open());
  CHECK(error == std::errc::invalid_argument);  // no multiple of 64 KiB
  seen.open_errno = ENOSPC;
  CHECK_FALSE(
      io::extend::raw_posix::open(dir / "f", made_with({.count = 2}), believing, error).is_open());
  CHECK(error == std::errc::no_space_on_device);
  CHECK_FALSE(std::filesystem::exists(dir / "f"));
  CHECK(seen.layouts == 0);
}

TEST_CASE("stripes that cannot be told are no error", "[lustre]") {
  scratch const dir;
  record& seen = recorded();
  std::error_code error;
  seen.get_errno = ENODATA;
  io::extend::raw_posix const none =
      io::extend::raw_posix::open(dir / "f", made_with({.count = 2}), believing, error);
  CHECK_FALSE(error);
  CHECK(none.storage().stripe_bytes == 0);
  CHECK(none.block_bytes() < MiB);
  seen.get_errno = 0;
  seen.default_bytes = std::uint64_t{3} << 62;  // the library's value for "as the directory says"
  CHECK(io::extend::raw_posix::open(dir / "g", made_with({}), believing, error)
            .storage()
            .stripe_bytes == 0);
}

TEST_CASE("without Lustre, or without its library, files are made as always", "[lustre]") {
  scratch const dir;
  record const& seen = recorded();
  std::error_code error;
  io::extend::raw_posix const elsewhere = io::extend::raw_posix::open(
      dir / "f", made_with({.bytes = MiB, .count = 2}), {.library = ARGOSY_TEST_STAND_IN}, error);
  CHECK_FALSE(error);
  CHECK(seen.opened == 0);
  CHECK(elsewhere.storage().stripe_bytes == 0);
  io::extend::raw_posix const without =
      io::extend::raw_posix::open(dir / "g", made_with({.bytes = MiB, .count = 2}),
                                  {.library = "/nowhere.so", .any_file_system = true}, error);
  CHECK_FALSE(error);
  CHECK(without.is_open());
  std::string why_not;
  CHECK_FALSE(io::detail::lustre_library::load("/nowhere.so", why_not));
  CHECK_THAT(why_not, ContainsSubstring("the library of Lustre cannot be loaded"));
  CHECK_FALSE(io::detail::lustre_library::load("libm.so.6", why_not));
  CHECK_THAT(why_not, ContainsSubstring("has no llapi_layout_alloc"));
}

TEST_CASE("the hints of MPI choose stripes, and say what became of them", "[lustre][hints]") {
  using file = io::basic_file<io::self>;
  scratch const dir;
  recorded();
  io::hints const asked{.named = {{"striping_factor", "4"}, {"striping_unit", "2m"}}};
  auto const status = [](file& f, char const* name) { return f.get_hints().find(name)->status; };
  {
    auto f = file::open(io::self(), dir / "new", io::mode::create | io::mode::read_write, asked,
                        lustre_opener());
    CHECK(status(f, "striping_factor") == io::hint_status::accepted);
    CHECK(status(f, "striping_unit") == io::hint_status::accepted);
    f.close();
  }
  io::hints const other{.named = {{"striping_factor", "7"}, {"striping_unit", "2m"}}};
  {
    auto f = file::open(io::self(), dir / "new", io::mode::create | io::mode::read_write, other,
                        lustre_opener());
    CHECK(status(f, "striping_factor") == io::hint_status::ignored);
    CHECK_THAT(f.get_hints().find("striping_factor")->why, ContainsSubstring("the file has 4"));
    CHECK(status(f, "striping_unit") == io::hint_status::accepted);
    f.close();
  }
  {
    auto f =
        file::open(io::self(), dir / "elsewhere", io::mode::create | io::mode::read_write, asked);
    CHECK(status(f, "striping_unit") == io::hint_status::ignored);
    CHECK_THAT(f.get_hints().find("striping_unit")->why, ContainsSubstring("Lustre"));
    f.close();
  }
}

TEST_CASE("windows longer than a stripe are whole stripes", "[lustre][two_phase]") {
  using file = io::basic_file<io::self>;
  scratch const dir;
  recorded();
  std::vector<std::byte> const data(3 * MiB);
  auto const windows = [&](char const* name, io::opener files) {
    auto f = file::open(io::self(), dir / name, io::mode::create | io::mode::read_write,
                        io::hints{.named = {{"striping_unit", "256k"}}}, std::move(files));
    io::collective_plan const p = f.explain_at_all(io::access_kind::write, 100000, data,
                                                   io::two_phase{.window_bytes = 600 << 10});
    REQUIRE(p.together);
    f.close();
    return p.window_bytes;
  };
  CHECK(windows("on_lustre", lustre_opener()) == 512 << 10);
  CHECK(windows("elsewhere", io::posix_opener()) == 600 << 10);
}
