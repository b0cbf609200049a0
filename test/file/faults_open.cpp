// The fault table of opening and closing: every rank must get an error, and no file may be left.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/file.hpp>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "file/contract_cases.hpp"
#include "support/catch.hpp"
#include "support/fault_bench.hpp"
#include "support/files.hpp"

namespace io = argosy;
using io::errc;
using io::mode;
using tier_place = io::test::place;
using namespace io::test;

TEST_CASE("open fails on one rank or on all: an error on every rank, and nothing is left",
          "[faults][open]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  using enum io::file_call;
  trouble const troubles[] = {
      {.name = "ENOENT", .kind = open, .number = ENOENT, .times = 0, .gives = errc::no_such_file},
      {.name = "EACCES", .kind = open, .number = EACCES, .times = 0, .gives = errc::access},
      {.name = "EISDIR", .kind = open, .number = EISDIR, .times = 0, .gives = errc::bad_file},
      {.name = "EROFS", .kind = open, .number = EROFS, .times = 0, .gives = errc::read_only},
      {.name = "EMFILE", .kind = open, .number = EMFILE, .times = 0, .gives = errc::too_many_files},
      {.name = "ESTALE", .kind = open, .number = ESTALE, .times = 0, .gives = errc::file},
      {.name = "EINTR", .kind = open, .number = EINTR, .times = 3, .where = tier_place::below},
      {.name = "EIO", .kind = size, .number = EIO, .times = 0, .gives = errc::io},
  };
  struct way {
    char const* name;
    io::mode modes;
    bool exists;
  } const ways[] = {
      {"that is there", mode::read_write, true},
      {"to append to", mode::write | mode::append, true},
      {"to be made", mode::create | mode::write, false},
      {"to be made, exclusively", mode::create | mode::exclusive | mode::read_write, false}};
  for (auto const& tier : tiers()) {
    table cells(world, std::string(tier->name()) + ", open");
    for (way const& w : ways)
      for (trouble const& t : troubles) {
        if (!tier->takes(t)) continue;
        // Above the posix handle, the size is asked for only to append, so only if the file exists.
        // Within it, the size is asked for after every open.
        if (t.kind == size && !w.exists) continue;
        for_each_set_of_ranks(world, [&](bool struck_here, std::string const& where) {
          cells.begin(std::string("a file ") + w.name + ", " + to_text(t) + " " + where);
          for (bool const throwing : {false, true}) {
            cells.again();
            std::string const path = directory / "broken.dat";
            if (world.rank() == 0) {
              std::filesystem::remove(path);
              if (w.exists) make_file(path, 10);
            }
            world.barrier();
            std::size_t const descriptors = open_descriptors();
            if (struck_here) tier->arm(t);
            io::file f;
            std::error_code returned;
            outcome o = thrown_by([&] {
              if (throwing)
                f = io::file::open(world, path, w.modes, {}, tier->files());
              else
                f = io::file::open(world, path, w.modes, returned, tier->files());
            });
            if (!throwing) o.code = returned;
            bool const struck = struck_here && tier->disarm();
            promise mine;
            if (struck && t.gives) mine = {static_cast<int>(*t.gives), t.number};
            promises const all(world, mine);
            std::error_code const promised = all.code(true);
            cells.expect_code(o, promised);
            if (all.any()) {
              if (throwing) {
                auto const why = static_cast<errc>(all.of(all.lowest()).gives);
                cells.expect_words(o.words, "open", path, all.lowest(), why);
                cells.expect(o.failed_rank == all.lowest(), "names another rank");
                cells.expect(o.cause.value() == t.number, "has another cause");
              }
              cells.expect(!f.is_open(), "is open");
              f = {};
              cells.expect(open_descriptors() == descriptors, "a descriptor is left");
              cells.expect(std::filesystem::exists(path) == w.exists,
                           w.exists ? "the file is gone" : "the file is left");
            } else {
              std::error_code closed;
              f.close(closed);
              cells.expect(!closed, "closing: " + closed.message());
              cells.expect(std::filesystem::exists(path), "the file is not there");
            }
            world.barrier();
          }
          cells.end();
        });
      }
  }
}

TEST_CASE("a close that fails has closed on every rank", "[faults][close]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  using enum io::file_call;
  trouble const troubles[] = {
      {.name = "EIO", .kind = close, .number = EIO, .gives = errc::io},
      {.name = "EDQUOT", .kind = close, .number = EDQUOT, .gives = errc::quota},
      {.name = "ENOSPC", .kind = close, .number = ENOSPC, .gives = errc::no_space},
      {.name = "EINTR", .kind = close, .number = EINTR, .where = tier_place::below},
  };
  for (auto const& tier : tiers()) {
    table cells(world, std::string(tier->name()) + ", close");
    for (trouble const& t : troubles) {
      if (!tier->takes(t)) continue;
      for_each_set_of_ranks(world, [&](bool struck_here, std::string const& where) {
        cells.begin(to_text(t) + " " + where);
        for (bool const throwing : {false, true}) {
          cells.again();
          std::string const path = directory / "broken.dat";
          std::size_t const descriptors = open_descriptors();
          std::error_code error;
          io::file f =
              io::file::open(world, path, mode::create | mode::read_write, error, tier->files());
          cells.expect(!error, "opening: " + error.message());
          if (struck_here) tier->arm(t);
          outcome const o = outcome_of(f, [](io::file& g, auto&... e) { g.close(e...); }, throwing);
          bool const struck = struck_here && tier->disarm();
          promise mine;
          if (struck && t.gives) mine = {static_cast<int>(*t.gives), t.number};
          promises const all(world, mine);
          cells.expect(struck == struck_here, "was not struck");
          cells.expect_code(o, all.code(true));
          if (all.any())
            cells.expect_words(o.words, "close", path, all.lowest(),
                               static_cast<errc>(all.of(all.lowest()).gives));
          cells.expect(!f.is_open(), "is still open");
          f = {};
          cells.expect(open_descriptors() == descriptors, "a descriptor is left");
        }
        cells.end();
      });
    }
  }
}

TEST_CASE("a file that cannot be deleted on close is an error on every rank", "[faults][close]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  io::opener const files(
      [](auto const& path, auto flags, auto& e) { return io::posix_opener()(path, flags, e); },
      [](std::string const&) { return std::error_code(EROFS, std::system_category()); });
  io::file f = io::file::open(world, directory / "kept.dat",
                              mode::create | mode::write | mode::delete_on_close, {}, files);
  std::error_code error;
  f.close(error);
  CHECK(error == (world.rank() == 0 ? errc::read_only : errc::error_on_another_rank));
  CHECK_FALSE(f.is_open());
  CHECK_THAT(f.what_failed(), Catch::Matchers::ContainsSubstring("kept.dat"));
}

TEST_CASE("a name that only some ranks see is no such file on the others", "[faults][open][real]") {
  io::mpi const world = everyone();
  if (world.size() == 1) return;
  common_directory const directory(world);
  table cells(world, "a relative path, another directory on each rank");
  auto const here = std::filesystem::current_path();
  std::filesystem::create_directory(directory / std::to_string(world.rank()));
  std::filesystem::current_path(directory / std::to_string(world.rank()));
  for_each_set_of_ranks(world, [&](bool missing_here, std::string const& where) {
    cells.begin("missing " + where);
    std::filesystem::remove("state.dat");
    if (!missing_here) make_file("state.dat", 10);
    std::error_code error;
    io::file f = io::file::open(world, "state.dat", mode::read, error);
    cells.expect(error == (missing_here ? errc::no_such_file : errc::error_on_another_rank),
                 error.message());
    cells.expect(!f.is_open(), "is open");
    cells.end();
  });
  std::filesystem::current_path(here);
}

TEST_CASE("a mount that one rank does not see is an error on every rank", "[faults][open][real]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  // Each rank gets a mount namespace of its own, and returns to the old one at the end.
  auto const here = std::filesystem::current_path();
  int const before = ::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
  int const root = ::open("/", O_PATH | O_CLOEXEC);  // needed because setns leaves a chroot
  bool const apart = ::unshare(CLONE_NEWNS) == 0 &&
                     ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  if (true_everywhere(world, apart)) {
    table cells(world, "a mount in the way of one rank");
    std::string const place = directory / "mounted", path = place + "/state.dat";
    if (world.rank() == 0) {
      std::filesystem::create_directory(place);
      make_file(path, 10);
    }
    world.barrier();
    for_each_set_of_ranks(world, [&](bool hidden_here, std::string const& where) {
      for (bool const read_only : {false, true}) {
        cells.begin(std::string(read_only ? "a read-only" : "another") + " file system " + where);
        // Mounts another file system over the directory: an empty one, or the same one read-only.
        if (hidden_here) {
          bool done = false;
          if (read_only)
            done = ::mount(place.c_str(), place.c_str(), nullptr, MS_BIND, nullptr) == 0 &&
                   ::mount("none", place.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY,
                           nullptr) == 0;
          else
            done = ::mount("argosy_test", place.c_str(), "tmpfs", 0, "size=64k") == 0;
          cells.expect(done, "cannot mount");
        }
        std::error_code error;
        io::file f = io::file::open(world, path, mode::read_write, error);
        errc const own = read_only ? errc::read_only : errc::no_such_file;
        cells.expect(error == (hidden_here ? own : errc::error_on_another_rank), error.message());
        cells.expect(!f.is_open(), "is open");
        if (hidden_here) ::umount2(place.c_str(), MNT_DETACH);
        // Without the mount, the open must succeed.
        f = io::file::open(world, path, mode::read_write, error);
        cells.expect(!error, "afterwards: " + error.message());
        if (!error) f.close(error);
        cells.end();
      }
    });
  } else if (world.rank() == 0) {
    skipped("a mount that one rank does not see: this needs the right to mount (root)");
  }
  if (before >= 0) {
    if (::setns(before, CLONE_NEWNS) == 0 && ::fchdir(root) == 0) (void)!::chroot(".");
    ::close(before);
  }
  if (root >= 0) ::close(root);
  std::filesystem::current_path(here);
}
