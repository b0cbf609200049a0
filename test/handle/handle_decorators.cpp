// Decorators around handles. Those of argosy and of programs must see each call, stack in any
// order, and change nothing else. One page because decorators are tested in stacks of several.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/counting.hpp>
#include <argosy/handle/detail/mounts.hpp>
#include <argosy/handle/detail/storage_by_type.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/handle/throttled.hpp>
#include <argosy/handle/tracing.hpp>

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "handle/decorator_cases.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/memory_handle.hpp"

namespace io = argosy;
using io::file_call;
using io::posix;
using io::extend::lock_kind;
using io::extend::raw_posix;
using namespace io::test;

namespace {

// Its constructor takes the handle alone.
class by_value : public io::extend::forwarding<by_value, io::extend::any_handle> {
 public:
  explicit by_value(io::extend::any_handle inner) : forwarding(std::move(inner)) {}
};
class with_default : public io::extend::forwarding<with_default, io::extend::any_handle> {
 public:
  explicit with_default(io::extend::any_handle inner, int = 0) : forwarding(std::move(inner)) {}
};
class by_reference : public io::extend::forwarding<by_reference, io::extend::any_handle> {
 public:
  explicit by_reference(io::extend::any_handle&& inner) : forwarding(std::move(inner)) {}
};
class implicitly : public io::extend::forwarding<implicitly, io::extend::any_handle> {
 public:
  implicitly(io::extend::any_handle inner) : forwarding(std::move(inner)) {}
};
template <io::extend::handle H>
class of_any : public io::extend::forwarding<of_any<H>, H> {
 public:
  explicit of_any(H inner) : io::extend::forwarding<of_any<H>, H>(std::move(inner)) {}
};

}  // namespace

TEST_CASE("a handle that cannot try for a lock says so, and is not taken to have it", "[handle]") {
  auto const file = std::make_shared<io::test::memory_file>();
  io::test::memory_handle raw(file);
  io::extend::any_handle any(raw);
  std::error_code error;
  CHECK_FALSE(io::detail::try_lock_of(raw, 0, 1, lock_kind::shared, error));
  CHECK(error == io::errc::unsupported);
  CHECK_FALSE(any.try_lock(0, 1, lock_kind::shared, error));
  CHECK(error == io::errc::unsupported);
  CHECK(file->locks == 0);
}

TEST_CASE("calls have names", "[handle]") {
  CHECK(io::to_string(file_call::open) == "open");
  CHECK(io::to_string(file_call::preallocate) == "preallocate");
  CHECK(io::to_string(file_call::close) == "close");
}

TEST_CASE("counting counts calls, bytes, runs and errors", "[counting]") {
  scratch const dir;
  auto const counts = std::make_shared<io::call_counts>();
  std::error_code error;
  io::extend::any_handle f =
      io::with_counting(io::posix_opener(), counts)(dir / "f", read_write, error);
  REQUIRE_FALSE(error);
  f.write(0, data);
  f.write(parts_of({0, 10, 20, 50, 60, 200}, 10));
  std::vector<std::byte> memory(500);
  f.read(0, memory);
  f.lock(0, 1, lock_kind::exclusive);
  f.unlock(0, 1);
  f.size(error);
  f.resize(5);
  f.preallocate(5);
  f.sync();
  f.close();
  f.sync();
  CHECK(counts->calls(file_call::open) == 1);
  CHECK(counts->calls(file_call::write) == 2);
  CHECK(counts->runs(file_call::write) == 4);
  CHECK(counts->bytes_written() == 160);
  CHECK(counts->calls(file_call::read) == 1);
  CHECK(counts->bytes_read() == 210);
  for (auto const once : {file_call::lock, file_call::unlock, file_call::size, file_call::resize,
                          file_call::preallocate, file_call::close})
    CHECK(counts->calls(once) == 1);
  CHECK(counts->calls(file_call::sync) == 2);
  CHECK(counts->errors(file_call::sync) == 1);
  CHECK(counts->errors(file_call::write) == 0);

  io::with_counting(io::posix_opener(), counts)(dir / "no/f", read_write, error);
  CHECK(counts->errors(file_call::open) == 1);
  counts->reset();
  CHECK(counts->calls(file_call::write) == 0);
}

namespace {

// Takes hints, and writes into the argument, as the file system does.
class hinted_handle : public io::test::memory_handle {
 public:
  using memory_handle::memory_handle;
  std::error_code fcntl(std::span<std::byte> argument) {
    argument.back() = std::byte{7};
    return interrupted-- > 0 ? std::make_error_code(std::errc::interrupted) : std::error_code();
  }
  bool takes_hints() const { return true; }
  int node() const { return 5; }
  io::extend::storage storage() const { return {.name = "shelves"}; }
  int interrupted = 0;
};

}  // namespace

TEST_CASE("hints reach the file system through everything that is around a handle",
          "[handle][hints]") {
  auto const memory = std::make_shared<io::test::memory_file>();
  auto const counts = std::make_shared<io::call_counts>();
  auto const script = std::make_shared<io::fault_script>();
  scratch const dir;
  auto const trace =
      io::extend::open_trace({.mode = io::extend::trace_mode::calls, .directory = dir.string()});
  hinted_handle raw(memory);
  raw.interrupted = 3;
  io::extend::any_handle f = io::extend::throttled(
      io::extend::tracing(
          io::extend::any_handle(io::extend::faulty(
              io::extend::counting(io::extend::retrying(std::move(raw)), counts), script)),
          trace, "f"),
      io::throttle_rates{});
  std::array<std::byte, 16> argument{};
  CHECK(f.takes_hints());
  CHECK(f.node() == 5);
  CHECK_FALSE(f.fcntl(argument));
  CHECK(argument[15] == std::byte{7});
  CHECK(counts->calls(file_call::fcntl) == 1);
  trace->flush();
  CHECK(content_of(trace->path()).find("\"name\":\"fcntl\"") != std::string::npos);
}

namespace {

// Decorators of a program.
template <io::extend::handle H>
class plain : public io::extend::forwarding<plain<H>, H> {  // adds nothing
 public:
  explicit plain(H inner) : io::extend::forwarding<plain<H>, H>(std::move(inner)) {}
};
template <io::extend::handle H>
class noting : public io::extend::forwarding<noting<H>, H> {
 public:
  noting(H inner, std::vector<std::string>& seen)
      : io::extend::forwarding<noting<H>, H>(std::move(inner)), seen_(&seen) {}

  template <class Act>
  io::extend::io_result around(io::extend::handle_call const& call, Act&& act) {
    io::extend::io_result const done = act();
    std::string line(to_string(call.kind));
    for (std::int64_t const n : {call.offset, call.length}) line += " " + std::to_string(n);
    if (call.moves_data())
      line += " " + std::to_string(call.bytes()) + " " + std::to_string(call.runs()) + " " +
              std::to_string(call.end());
    if (call.kind == file_call::lock)
      line += call.lock == io::extend::lock_kind::shared ? " shared" : " exclusive";
    seen_->push_back(line + " -> " + std::to_string(done.bytes) +
                     (done.error ? " " + io::extend::error_name(done.error) : ""));
    return done;
  }

 private:
  std::vector<std::string>* seen_;
};
static_assert(io::extend::takes_fcntl<plain<posix>> && io::extend::takes_fcntl<noting<posix>>);

}  // namespace

TEST_CASE("a decorator of a program sees each call once, with what it asks for and what it returns",
          "[handle]") {
  scratch const dir;
  std::vector<std::string> seen;
  noting f(opened<posix>(dir / "f"), seen);
  std::vector<std::byte> memory(30);
  std::error_code error;
  f.write(5, memory);
  f.write(parts_of({0, 10, 50}, 10));
  std::array<io::read_part, 2> const parts{
      {{0, std::span(memory).first(10)}, {55, std::span(memory).last(10)}}};
  f.read(0, std::span(memory).first(7));
  f.read(parts);
  f.lock(3, 4, io::extend::lock_kind::shared);
  f.unlock(3, 4);
  CHECK(f.size(error) == 60);
  f.resize(40);
  f.preallocate(50);
  f.sync();
  f.fcntl(memory);
  CHECK((f.is_open() && f.block_bytes() > 0 && !f.takes_hints() &&
         f.node() == io::extend::unknown_node));  // these are no calls of a file
  f.close();
  f.sync();
  CHECK(seen ==
        std::vector<std::string>{
            "write 5 -1 30 1 35 -> 30", "write 0 -1 30 2 60 -> 30", "read 0 -1 7 1 7 -> 7",
            "read 0 -1 20 2 65 -> 15", "lock 3 4 shared -> 0", "unlock 3 4 -> 0",
            "size -1 -1 -> 60", "resize -1 40 -> 0", "preallocate -1 50 -> 0", "sync -1 -1 -> 0",
            "fcntl -1 30 -> 0 argosy:" + std::to_string(static_cast<int>(io::errc::unsupported)),
            "close -1 -1 -> 0", "sync -1 -1 -> 0 EBADF"});
}

TEST_CASE("a decorator that says nothing of hints passes them on", "[handle][hints]") {
  hinted_handle raw(std::make_shared<io::test::memory_file>());
  std::vector<std::string> seen;
  io::extend::any_handle f = plain(noting(plain(std::move(raw)), seen));
  std::array<std::byte, 16> argument{};
  CHECK(f.takes_hints());
  CHECK(f.node() == 5);
  CHECK_FALSE(f.fcntl(argument));
  CHECK(argument[15] == std::byte{7});
  CHECK(f.storage().name == "shelves");
  CHECK(seen == std::vector<std::string>{"fcntl -1 16 -> 0"});
}

TEST_CASE("a decorator may be made of a handle alone, in any way", "[handle]") {
  auto const size_of = [](io::extend::any_handle f) {
    f.write(0, data);
    std::error_code error;
    return f.size(error);
  };
  auto const file = [] {
    return io::extend::any_handle(
        io::test::memory_handle(std::make_shared<io::test::memory_file>()));
  };
  auto const bytes = static_cast<std::int64_t>(data.size());
  CHECK(size_of(by_value(file())) == bytes);
  CHECK(size_of(by_value(posix())) == 0);  // not open
  CHECK(size_of(with_default(file())) == bytes);
  CHECK(size_of(by_reference(file())) == bytes);
  CHECK(size_of(implicitly(file())) == bytes);
  CHECK(size_of(of_any<io::extend::any_handle>(file())) == bytes);
  CHECK(size_of(of_any(by_value(file()))) == bytes);
  static_assert(io::extend::handle<by_value> && io::extend::handle<implicitly> &&
                io::extend::handle<of_any<io::extend::any_handle>>);
}

TEST_CASE("an opener wraps what it opens", "[handle]") {
  scratch const dir;
  std::vector<std::string> seen;
  io::opener const files = io::posix_opener().wrapping(
      [&](io::extend::any_handle h) { return io::extend::any_handle(noting(std::move(h), seen)); });
  std::error_code error;
  io::extend::any_handle f = files(dir / "f", read_write, error);
  CHECK_FALSE(error);
  CHECK_FALSE(f.sync());
  CHECK(seen.size() == 1);
  CHECK_FALSE(files.remove(dir / "f"));
  CHECK_FALSE(files(dir / "no/f", read_write, error).is_open());
  CHECK(error == std::errc::no_such_file_or_directory);
}

TEST_CASE("what a file lies on is known by the type of its file system", "[handle][prices]") {
  using io::detail::storage_by_type;
  CHECK(storage_by_type(0x47504653) == io::extend::storage::gpfs());
  CHECK(storage_by_type(0x6969) == io::extend::storage::network());
  CHECK(storage_by_type(0xff534d42) == io::extend::storage::network());
  CHECK(storage_by_type(0x01021994) == io::extend::storage());  // tmpfs
  // ext4, XFS, Btrfs, overlays
  for (std::uint32_t const disk : {0xef53u, 0x58465342u, 0x9123683eu, 0x794c7630u}) {
    CHECK(storage_by_type(disk).exchange.crowd_call_ns > 0);
    CHECK(io::detail::is_local(storage_by_type(disk)));
  }
  CHECK(io::detail::is_local(io::extend::storage()));
  CHECK_FALSE(io::detail::is_local(io::extend::storage::gpfs()));
  scratch const dir;
  struct statfs where = {};
  REQUIRE(::statfs(dir.string().c_str(), &where) == 0);
  CHECK(io::extend::any_handle(opened<posix>(dir / "f")).storage() ==
        storage_by_type(static_cast<std::uint32_t>(where.f_type)));
  CHECK(posix().storage() == io::extend::storage());
}

TEST_CASE("behind FUSE a file system is known by what it is mounted as", "[handle][mounts]") {
  std::istringstream lines(
      "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
      "182 90 0:61 / /a b rw,relatime - fuse.glusterfs h1:data rw,user_id=0\n"
      "nothing\n"
      "188 90 0:67 / /run/m rw,nosuid shared:3 master:1 - fuse mfs\\043h1:9421 rw\n"
      "189 90 0:68 / /s rw - fuse.sshfs me@there: rw\n"
      "190 90 0:69 / /broken rw -\n");
  auto const as = [&](unsigned minor) {
    lines.clear();
    lines.seekg(0);
    return io::detail::mounted_as(lines, makedev(0, minor));
  };
  CHECK(as(61) == io::detail::mounted{"fuse.glusterfs", "h1:data"});
  CHECK_FALSE(io::detail::keeps_reads(as(61)));
  CHECK(io::detail::keeps_reads({"fuse.ceph-fuse", "ceph-fuse"}));
  CHECK(as(67) == io::detail::mounted{"fuse", "mfs\\043h1:9421"});
  CHECK(as(69) == io::detail::mounted());
  CHECK(as(6) == io::detail::mounted());
  io::extend::storage exact = io::extend::storage::network();
  exact.exact_writes = true;
  CHECK(io::detail::storage_behind_fuse(as(61)) == exact);
  exact.reads_late = true;
  CHECK(io::detail::storage_behind_fuse(as(67)) == exact);
  for (unsigned const other : {68u, 69u, 6u})
    CHECK(io::detail::storage_behind_fuse(as(other)) == io::extend::storage::network());
  struct stat about = {};
  REQUIRE(::stat("/proc/self", &about) == 0);
  CHECK(io::detail::mounted_as(about.st_dev).type == "proc");
}

TEST_CASE("a handle that takes no hints says so", "[handle][hints]") {
  std::array<std::byte, 16> argument{};
  io::extend::any_handle plain =
      io::extend::retrying(io::test::memory_handle(std::make_shared<io::test::memory_file>()));
  CHECK_FALSE(plain.takes_hints());
  CHECK(plain.node() == io::extend::unknown_node);
  CHECK(plain.fcntl(argument) == io::errc::unsupported);
  CHECK(io::extend::any_handle().fcntl(argument) == std::errc::bad_file_descriptor);
}

TEST_CASE("below the retries, counting counts system calls", "[counting]") {
  scratch const dir;
  auto const counts = std::make_shared<io::call_counts>();
  io::extend::retrying f(io::extend::counting(opened<raw_posix>(dir / "f"), counts));
  REQUIRE(f.write(parts_of({0, 10, 20, 50, 60, 200}, 10)).bytes == 60);
  CHECK(counts->calls(file_call::write) == 3);
  std::vector<std::byte> memory(500);
  REQUIRE(f.read(0, memory).bytes == 210);
  CHECK(counts->calls(file_call::read) == 2);  // the second read finds the end,
  CHECK(counts->calls(file_call::size) == 1);  // and size confirms it
  REQUIRE(f.read(0, std::span(memory).first(210)).bytes == 210);
  CHECK(counts->calls(file_call::read) == 3);
}

TEST_CASE("counters may be read while threads use the handle", "[counting]") {
  scratch const dir;
  auto const counts = std::make_shared<io::call_counts>();
  io::extend::counting f(opened(dir / "f"), counts);
  std::vector<std::thread> pool;
  for (int t = 0; t < 4; ++t)
    pool.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) f.write(t * 100, data);
    });
  std::int64_t seen = 0;
  while (seen < 400) {
    std::int64_t const now = counts->calls(file_call::write);
    REQUIRE(now >= seen);
    seen = now;
    std::this_thread::yield();
  }
  for (auto& t : pool) t.join();
  CHECK(counts->bytes_written() == 40'000);
}

TEST_CASE("what cannot be opened, or removed, is told through every opener", "[handle]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  auto const counts = std::make_shared<io::call_counts>();
  for (io::opener const& open :
       {io::with_raw_faults(script), io::with_faults(io::posix_opener(), script),
        io::with_counting(io::posix_opener(), counts),
        io::with_throttle(io::posix_opener(),
                          std::make_shared<io::throttle>(io::throttle_rates{}))}) {
    std::error_code error;
    CHECK_FALSE(open(dir / "no/f", read_write, error).is_open());
    CHECK(error == std::errc::no_such_file_or_directory);
    CHECK(open.remove(dir / "f") == std::errc::no_such_file_or_directory);
    CHECK(open(dir / "f", read_write, error).is_open());
    CHECK_FALSE(error);
    CHECK_FALSE(open.remove(dir / "f"));
    CHECK_FALSE(std::filesystem::exists(dir / "f"));
  }
  CHECK(counts->calls(file_call::open) == 2);
  CHECK(counts->errors(file_call::open) == 1);
}

TEST_CASE("decorators stack in any order", "[handle]") {
  scratch const dir;
  auto const outer = std::make_shared<io::call_counts>(),
             inner = std::make_shared<io::call_counts>();
  auto const script = std::make_shared<io::fault_script>();
  script->add(io::interrupt_at(file_call::write, 2, 3));
  io::extend::counting f(
      io::extend::throttled(io::extend::retrying(io::extend::faulty(
                                io::extend::counting(opened<raw_posix>(dir / "f"), inner), script)),
                            io::throttle_rates{}),
      outer);
  static_assert(io::extend::handle<decltype(f)>);
  CHECK(f.write(parts_of({0, 20, 40}, 10)).bytes == 30);
  CHECK(outer->calls(file_call::write) == 1);
  CHECK(inner->calls(file_call::write) == 3);
  CHECK(script->calls(file_call::write) == 6);
}
