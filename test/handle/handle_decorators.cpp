// Decorators around handles: they count, break and slow down, and change nothing else.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/counting.hpp>
#include <argosy/handle/detail/storage_by_type.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/handle/throttled.hpp>
#include <argosy/handle/tracing.hpp>

#include <sys/vfs.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/memory_handle.hpp"

namespace io = argosy;
using io::file_call;
using io::io_result;
using io::lock_kind;
using io::posix;
using io::raw_posix;
using io::test::content_of;
using io::test::scratch;
using namespace std::chrono_literals;

namespace {

constexpr io::open_flags read_write{.read = true, .write = true, .create = true};

template <io::openable H = posix>
H opened(std::string const& path) {
  std::error_code error;
  H f = H::open(path, read_write, error);
  REQUIRE_FALSE(error);
  return f;
}

std::vector<std::byte> const data(100, std::byte{'x'});

std::vector<io::write_part> parts_of(std::vector<std::int64_t> const& offsets, std::size_t bytes) {
  std::vector<io::write_part> parts;
  for (std::int64_t const o : offsets) parts.push_back({o, std::span(data).first(bytes)});
  return parts;
}

// Constructors that may be called with the handle alone.
class by_value : public io::forwarding<by_value, io::any_handle> {
 public:
  explicit by_value(io::any_handle inner) : forwarding(std::move(inner)) {}
};
class with_default : public io::forwarding<with_default, io::any_handle> {
 public:
  explicit with_default(io::any_handle inner, int = 0) : forwarding(std::move(inner)) {}
};
class by_reference : public io::forwarding<by_reference, io::any_handle> {
 public:
  explicit by_reference(io::any_handle&& inner) : forwarding(std::move(inner)) {}
};
class implicitly : public io::forwarding<implicitly, io::any_handle> {
 public:
  implicitly(io::any_handle inner) : forwarding(std::move(inner)) {}
};
template <io::handle H>
class of_any : public io::forwarding<of_any<H>, H> {
 public:
  explicit of_any(H inner) : io::forwarding<of_any<H>, H>(std::move(inner)) {}
};

}  // namespace

TEST_CASE("calls have names", "[handle]") {
  CHECK(io::to_string(file_call::open) == "open");
  CHECK(io::to_string(file_call::preallocate) == "preallocate");
  CHECK(io::to_string(file_call::close) == "close");
}

TEST_CASE("counting counts calls, bytes, runs and errors", "[counting]") {
  scratch const dir;
  auto const counts = std::make_shared<io::call_counts>();
  std::error_code error;
  io::any_handle f = io::with_counting(io::posix_opener(), counts)(dir / "f", read_write, error);
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

// Takes hints: writes into what it is given, as the file system does.
class hinted_handle : public io::test::memory_handle {
 public:
  using memory_handle::memory_handle;
  std::error_code fcntl(std::span<std::byte> argument) {
    argument.back() = std::byte{7};
    return interrupted-- > 0 ? std::make_error_code(std::errc::interrupted) : std::error_code();
  }
  bool takes_hints() const { return true; }
  int node() const { return 5; }
  io::storage storage() const { return {.name = "shelves"}; }
  int interrupted = 0;
};

}  // namespace

TEST_CASE("hints reach the file system through everything that is around a handle", "[handle][hints]") {
  auto const memory = std::make_shared<io::test::memory_file>();
  auto const counts = std::make_shared<io::call_counts>();
  auto const script = std::make_shared<io::fault_script>();
  scratch const dir;
  auto const trace = io::open_trace({.mode = io::trace_mode::calls, .directory = dir.string()});
  hinted_handle raw(memory);
  raw.interrupted = 3;
  io::any_handle f = io::throttled(
      io::tracing(io::any_handle(io::faulty(io::counting(io::retrying(std::move(raw)), counts), script)), trace, "f"),
      io::throttle_rates{});
  std::array<std::byte, 16> argument{};
  CHECK(f.takes_hints());
  CHECK(f.node() == 5);
  CHECK_FALSE(f.fcntl(argument));
  CHECK(argument[15] == std::byte{7});
  CHECK(counts->calls(file_call::fcntl) == 1);
  trace->flush();
  CHECK(content_of(trace->path()).find(" fcntl ") != std::string::npos);
}

namespace {

// Decorators of a program.
template <io::handle H>
class plain : public io::forwarding<plain<H>, H> {  // adds nothing
 public:
  explicit plain(H inner) : io::forwarding<plain<H>, H>(std::move(inner)) {}
};
template <io::handle H>
class noting : public io::forwarding<noting<H>, H> {
 public:
  noting(H inner, std::vector<std::string>& seen) : io::forwarding<noting<H>, H>(std::move(inner)), seen_(&seen) {}

  template <class Act>
  io::io_result around(io::handle_call const& call, Act&& act) {
    io::io_result const done = act();
    std::string line(to_string(call.kind));
    for (std::int64_t const n : {call.offset, call.length}) line += " " + std::to_string(n);
    if (call.moves_data())
      line += " " + std::to_string(call.bytes()) + " " + std::to_string(call.runs()) + " " + std::to_string(call.end());
    if (call.kind == file_call::lock) line += call.lock == io::lock_kind::shared ? " shared" : " exclusive";
    seen_->push_back(line + " -> " + std::to_string(done.bytes) + (done.error ? " " + io::error_name(done.error) : ""));
    return done;
  }

 private:
  std::vector<std::string>* seen_;
};
static_assert(io::hinting<plain<posix>> && io::hinting<noting<posix>>);

}  // namespace

TEST_CASE("a decorator of a program sees each call once, with what it asks for and what it returns", "[handle]") {
  scratch const dir;
  std::vector<std::string> seen;
  noting f(opened<posix>(dir / "f"), seen);
  std::vector<std::byte> memory(30);
  std::error_code error;
  f.write(5, memory);
  f.write(parts_of({0, 10, 50}, 10));
  std::array<io::read_part, 2> const parts{{{0, std::span(memory).first(10)}, {55, std::span(memory).last(10)}}};
  f.read(0, std::span(memory).first(7));
  f.read(parts);
  f.lock(3, 4, io::lock_kind::shared);
  f.unlock(3, 4);
  CHECK(f.size(error) == 60);
  f.resize(40);
  f.preallocate(50);
  f.sync();
  f.fcntl(memory);
  CHECK((f.is_open() && f.block_bytes() > 0 && !f.takes_hints() &&
         f.node() == io::unknown_node));  // none of them is a call
  f.close();
  f.sync();
  CHECK(seen ==
        std::vector<std::string>{"write 5 -1 30 1 35 -> 30", "write 0 -1 30 2 60 -> 30", "read 0 -1 7 1 7 -> 7",
                                 "read 0 -1 20 2 65 -> 15", "lock 3 4 shared -> 0", "unlock 3 4 -> 0",
                                 "size -1 -1 -> 60", "resize -1 40 -> 0", "preallocate -1 50 -> 0", "sync -1 -1 -> 0",
                                 "fcntl -1 30 -> 0 argosy:" + std::to_string(static_cast<int>(io::errc::unsupported)),
                                 "close -1 -1 -> 0", "sync -1 -1 -> 0 EBADF"});
}

TEST_CASE("a decorator that says nothing of hints passes them on", "[handle][hints]") {
  hinted_handle raw(std::make_shared<io::test::memory_file>());
  std::vector<std::string> seen;
  io::any_handle f = plain(noting(plain(std::move(raw)), seen));
  std::array<std::byte, 16> argument{};
  CHECK(f.takes_hints());
  CHECK(f.node() == 5);
  CHECK_FALSE(f.fcntl(argument));
  CHECK(argument[15] == std::byte{7});
  CHECK(f.storage().name == "shelves");
  CHECK(seen == std::vector<std::string>{"fcntl -1 16 -> 0"});
}

TEST_CASE("a decorator may be made of a handle alone, in any way", "[handle]") {
  auto const size_of = [](io::any_handle f) {
    f.write(0, data);
    std::error_code error;
    return f.size(error);
  };
  auto const file = [] { return io::any_handle(io::test::memory_handle(std::make_shared<io::test::memory_file>())); };
  auto const bytes = static_cast<std::int64_t>(data.size());
  CHECK(size_of(by_value(file())) == bytes);
  CHECK(size_of(by_value(posix())) == 0);  // not open
  CHECK(size_of(with_default(file())) == bytes);
  CHECK(size_of(by_reference(file())) == bytes);
  CHECK(size_of(implicitly(file())) == bytes);
  CHECK(size_of(of_any<io::any_handle>(file())) == bytes);
  CHECK(size_of(of_any(by_value(file()))) == bytes);
  static_assert(io::handle<by_value> && io::handle<implicitly> && io::handle<of_any<io::any_handle>>);
}

TEST_CASE("an opener wraps what it opens", "[handle]") {
  scratch const dir;
  std::vector<std::string> seen;
  io::opener const files =
      io::posix_opener().wrapping([&](io::any_handle h) { return io::any_handle(noting(std::move(h), seen)); });
  std::error_code error;
  io::any_handle f = files(dir / "f", read_write, error);
  CHECK_FALSE(error);
  CHECK_FALSE(f.sync());
  CHECK(seen.size() == 1);
  CHECK_FALSE(files.remove(dir / "f"));
  CHECK_FALSE(files(dir / "no/f", read_write, error).is_open());
  CHECK(error == std::errc::no_such_file_or_directory);
}

TEST_CASE("what a file lies on is known by the type of its file system", "[handle][prices]") {
  using io::detail::storage_by_type;
  CHECK(storage_by_type(0x47504653) == io::storage::gpfs());
  CHECK(storage_by_type(0x6969) == io::storage::network());
  CHECK(storage_by_type(0xff534d42) == io::storage::network());
  for (std::uint32_t const local : {0xef53u, 0x01021994u, 0x58465342u, 0x9123683eu})  // ext4, tmpfs, XFS, Btrfs
    CHECK(storage_by_type(local) == io::storage());
  scratch const dir;
  struct statfs where = {};
  REQUIRE(::statfs(dir.string().c_str(), &where) == 0);
  CHECK(io::any_handle(opened<posix>(dir / "f")).storage() ==
        storage_by_type(static_cast<std::uint32_t>(where.f_type)));
  CHECK(posix().storage() == io::storage());
}

TEST_CASE("a handle that takes no hints says so", "[handle][hints]") {
  std::array<std::byte, 16> argument{};
  io::any_handle plain = io::retrying(io::test::memory_handle(std::make_shared<io::test::memory_file>()));
  CHECK_FALSE(plain.takes_hints());
  CHECK(plain.node() == io::unknown_node);
  CHECK(plain.fcntl(argument) == io::errc::unsupported);
  CHECK(io::any_handle().fcntl(argument) == std::errc::bad_file_descriptor);
}

TEST_CASE("below the retries, counting counts system calls", "[counting]") {
  scratch const dir;
  auto const counts = std::make_shared<io::call_counts>();
  io::retrying f(io::counting(opened<raw_posix>(dir / "f"), counts));
  REQUIRE(f.write(parts_of({0, 10, 20, 50, 60, 200}, 10)).bytes == 60);
  CHECK(counts->calls(file_call::write) == 3);
  std::vector<std::byte> memory(500);
  REQUIRE(f.read(0, memory).bytes == 210);
  CHECK(counts->calls(file_call::read) == 2);  // the second finds the end,
  CHECK(counts->calls(file_call::size) == 1);  // the size confirms it
  REQUIRE(f.read(0, std::span(memory).first(210)).bytes == 210);
  CHECK(counts->calls(file_call::read) == 3);
}

TEST_CASE("counters may be read while threads use the handle", "[counting]") {
  scratch const dir;
  auto const counts = std::make_shared<io::call_counts>();
  io::counting f(opened(dir / "f"), counts);
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

TEST_CASE("the k-th call of each kind fails, once or from then on", "[faulty]") {
  scratch const dir;
  for (auto const kind : {file_call::read, file_call::write, file_call::lock, file_call::unlock, file_call::size,
                          file_call::resize, file_call::preallocate, file_call::sync}) {
    for (bool const lasting : {false, true}) {
      auto const script = std::make_shared<io::fault_script>();
      script->add(lasting ? io::fail_from(kind, 3, std::errc::io_error) : io::fail_at(kind, 3, std::errc::io_error));
      io::faulty f(opened(dir / "f"), script);
      for (int call = 1; call <= 5; ++call) {
        std::vector<std::byte> memory(10);
        std::error_code error;
        switch (kind) {
          case file_call::read:
            error = f.read(0, memory).error;
            break;
          case file_call::write:
            error = f.write(0, data).error;
            break;
          case file_call::lock:
            error = f.lock(0, 1, lock_kind::exclusive);
            break;
          case file_call::unlock:
            error = f.unlock(0, 1);
            break;
          case file_call::size:
            f.size(error);
            break;
          case file_call::resize:
            error = f.resize(10);
            break;
          case file_call::preallocate:
            error = f.preallocate(10);
            break;
          default:
            error = f.sync();
        }
        CAPTURE(io::to_string(kind), call);
        CHECK((error == std::errc::io_error) == (lasting ? call >= 3 : call == 3));
      }
      CHECK(script->calls(kind) == 5);
      CHECK(script->struck() == (lasting ? 3 : 1));
    }
  }
}

TEST_CASE("a failed open opens nothing, a failed close closes", "[faulty]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  script->add(io::fail_at(file_call::open, 1, std::errc::permission_denied));
  script->add(io::fail_at(file_call::close, 1, std::errc::io_error));
  auto const open = io::with_faults(io::posix_opener(), script);
  std::size_t const before = io::test::open_descriptors();
  std::error_code error;
  CHECK_FALSE(open(dir / "f", read_write, error).is_open());
  CHECK(error == std::errc::permission_denied);
  CHECK_FALSE(std::filesystem::exists(dir / "f"));
  io::any_handle f = open(dir / "f", read_write, error);
  CHECK_FALSE(error);
  CHECK(f.close() == std::errc::io_error);
  CHECK_FALSE(f.is_open());
  CHECK(io::test::open_descriptors() == before);
}

TEST_CASE("a failed write leaves the file, a torn one has a true count", "[faulty]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  io::faulty f(opened(dir / "f"), script);
  script->add(io::fail_at(file_call::write, 1, std::errc::io_error));
  CHECK(f.write(0, data).bytes == 0);
  CHECK(content_of(dir / "f").empty());
  script->add(io::tear_at(file_call::write, 2, 7, std::errc::no_space_on_device));
  io_result r = f.write(0, data);
  CHECK(r.bytes == 7);
  CHECK(r.error == std::errc::no_space_on_device);
  CHECK(content_of(dir / "f") == "xxxxxxx");
  script->add(io::tear_at(file_call::write, 3, 15, std::errc::io_error));
  r = f.write(parts_of({20, 40}, 10));
  CHECK(r.bytes == 15);
  CHECK(content_of(dir / "f").size() == 45);
  script->add(io::tear_at(file_call::read, 1, 3, std::errc::io_error));
  std::vector<std::byte> memory(10);
  r = f.read(0, memory);
  CHECK(r.bytes == 3);
  CHECK(r.error == std::errc::io_error);
  script->clear();
  CHECK(f.write(0, data).bytes == 100);
  CHECK(script->calls(file_call::write) == 1);
}

TEST_CASE("a disk that fills", "[faulty]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  script->fill_disk_at(150);
  for (bool const below_retries : {false, true}) {
    std::filesystem::remove(dir / "f");
    std::error_code error;
    io::any_handle f = (below_retries ? io::with_raw_faults(script) : io::with_faults(io::posix_opener(), script))(
        dir / "f", read_write, error);
    CHECK(f.write(0, data).bytes == 100);
    io_result r = f.write(100, data);
    CHECK(r.bytes == 50);
    CHECK(r.error == std::errc::no_space_on_device);
    r = f.write(parts_of({10, 145, 300}, 10));
    CHECK(r.bytes == 15);
    CHECK(r.error == std::errc::no_space_on_device);
    CHECK(f.preallocate(151) == std::errc::no_space_on_device);
    CHECK_FALSE(f.preallocate(150));
    CHECK(content_of(dir / "f").size() == 150);
  }
}

TEST_CASE("storms below the retries are not seen above", "[faulty][retrying]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  for (auto const kind : {file_call::open, file_call::write, file_call::read, file_call::lock, file_call::unlock,
                          file_call::size, file_call::resize, file_call::preallocate, file_call::sync})
    script->add(io::interrupt_at(kind, 1, 50));
  script->add(io::shorten_at(file_call::write, 60, 1, 30));
  script->add(io::shorten_at(file_call::read, 60, 1, 30));
  script->add(io::fail_at(file_call::write, 70, std::errc::resource_unavailable_try_again));
  script->add(io::fail_at(file_call::close, 1, std::errc::interrupted));
  std::error_code error;
  io::any_handle f = io::with_raw_faults(script)(dir / "f", read_write, error);
  REQUIRE_FALSE(error);
  for (int i = 0; i < 10; ++i) {
    io_result const put = f.write(parts_of({0, 10, 20, 40, 60}, 10));
    REQUIRE_FALSE(put.error);
    REQUIRE(put.bytes == 50);
    std::vector<std::byte> memory(100, std::byte{'-'});
    std::vector<io::read_part> const parts{{0, std::span(memory).first(15)},
                                           {15, std::span(memory).subspan(20, 15)},
                                           {45, std::span(memory).subspan(50, 50)}};
    io_result const got = f.read(parts);
    REQUIRE_FALSE(got.error);
    REQUIRE(got.bytes == 55);
    REQUIRE(memory[34] == std::byte{'x'});
    REQUIRE(memory[75] == std::byte{'-'});
  }
  CHECK_FALSE(f.lock(0, 10, lock_kind::exclusive));
  CHECK_FALSE(f.unlock(0, 10));
  CHECK(f.size(error) == 70);
  CHECK_FALSE(error);
  CHECK_FALSE(f.resize(60));
  CHECK_FALSE(f.preallocate(80));
  CHECK_FALSE(f.sync());
  CHECK_FALSE(f.close());
  CHECK(script->struck() > 500);
}

TEST_CASE("an open below the retries is interrupted, or fails", "[faulty][retrying]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>(std::initializer_list<io::fault>{
      io::interrupt_at(file_call::open, 1, 3), io::fail_at(file_call::open, 5, make_error_code(io::errc::io))});
  auto const open = io::with_raw_faults(script);
  std::error_code error;
  CHECK(open(dir / "f", read_write, error).is_open());
  CHECK_FALSE(error);
  CHECK(script->calls(file_call::open) == 4);
  CHECK_FALSE(open(dir / "g", read_write, error).is_open());
  CHECK(error == io::errc::io);
  CHECK_FALSE(std::filesystem::exists(dir / "g"));
}

TEST_CASE("what cannot be opened, or removed, is told through every opener", "[handle]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  auto const counts = std::make_shared<io::call_counts>();
  for (io::opener const& open :
       {io::with_raw_faults(script), io::with_faults(io::posix_opener(), script),
        io::with_counting(io::posix_opener(), counts),
        io::with_throttle(io::posix_opener(), std::make_shared<io::throttle>(io::throttle_rates{}))}) {
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

TEST_CASE("an error below a fault comes out, and a disk may be full from its first byte on", "[faulty]") {
  scratch const dir;
  auto const outer = std::make_shared<io::fault_script>(), inner = std::make_shared<io::fault_script>();
  io::faulty f(io::faulty(opened(dir / "f"), inner), outer);
  auto const stale = std::error_code(ESTALE, std::system_category());
  std::vector<std::byte> memory(100);
  std::vector<io::read_part> const gets{{0, std::span(memory).first(50)}, {60, std::span(memory).last(10)}};
  REQUIRE(f.write(0, data).bytes == 100);
  // below: torn after 7 bytes by ESTALE; above: after 20 by EIO
  inner->add({.kind = file_call::write, .first = 2, .error = stale, .most_bytes = 7});
  outer->add(io::tear_at(file_call::write, 2, 20, std::errc::io_error));
  io_result done = f.write(0, data);
  CHECK(done.bytes == 7);
  CHECK(done.error == stale);
  outer->add(io::fail_at(file_call::read, 1, stale));
  done = f.read(gets);
  CHECK(done.bytes == 0);
  CHECK(done.error == stale);
  outer->add(io::tear_at(file_call::read, 2, 55, std::errc::io_error));
  done = f.read(gets);
  CHECK(done.bytes == 55);
  CHECK(done.error == std::errc::io_error);
  inner->add({.kind = file_call::read, .first = 2, .error = stale, .most_bytes = 4});
  done = f.read(0, memory);
  CHECK(done.bytes == 4);
  CHECK(done.error == stale);
  outer->add(io::fail_at(file_call::preallocate, 1, std::errc::io_error));
  CHECK(f.preallocate(1000) == std::errc::io_error);
  CHECK_FALSE(f.preallocate(10));

  outer->fill_disk_at(0);
  done = f.write(0, data);
  CHECK(done.bytes == 0);
  CHECK(done.error == std::errc::no_space_on_device);
  done = f.write(parts_of({0, 20}, 10));
  CHECK(done.bytes == 0);
  CHECK(done.error == std::errc::no_space_on_device);
  CHECK(f.preallocate(1) == std::errc::no_space_on_device);
}

TEST_CASE("delays wait, by the clock of whoever says so", "[faulty]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  script->add(io::delay_at(file_call::sync, 2, 30ms));
  io::faulty f(opened(dir / "f"), script);
  CHECK_FALSE(f.sync());
  auto const begin = std::chrono::steady_clock::now();
  CHECK_FALSE(f.sync());
  CHECK(std::chrono::steady_clock::now() - begin >= 30ms);

  auto const virtual_time = std::make_shared<io::fault_script>();
  std::chrono::nanoseconds slept{0};
  virtual_time->sleep_by([&](std::chrono::nanoseconds t) { slept += t; });
  virtual_time->add(io::delay_at(file_call::write, 1, 1h, 3));
  io::faulty g(opened(dir / "g"), virtual_time);
  for (int i = 0; i < 4; ++i) CHECK(g.write(0, data).bytes == 100);
  CHECK(slept == 3h);
}

TEST_CASE("a throttled device takes its time, and is shared", "[throttled]") {
  scratch const dir;
  using clock = std::chrono::steady_clock;
  auto const device = std::make_shared<io::throttle>(io::throttle_rates{.latency = 2ms, .bytes_per_second = 10'000});
  io::throttled a(opened(dir / "a"), device), b(opened(dir / "b"), device);
  auto begin = clock::now();
  CHECK(a.write(0, data).bytes == 100);  // 10 ms, and the latency
  CHECK(clock::now() - begin >= 12ms);
  begin = clock::now();
  std::thread other([&] { b.write(0, data); });
  a.write(0, data);
  other.join();
  CHECK(clock::now() - begin >= 22ms);  // one after the other
  begin = clock::now();
  a.write(parts_of({0, 10, 30, 50}, 1));
  CHECK(clock::now() - begin >= 8ms);  // a latency for each run
  begin = clock::now();
  std::error_code error;
  CHECK(a.size(error) == 100);
  CHECK(clock::now() - begin >= 2ms);

  begin = clock::now();
  io::any_handle c = io::with_throttle(io::posix_opener(), device)(dir / "a", read_write, error);
  CHECK(c.is_open());
  CHECK(clock::now() - begin >= 2ms);
}

namespace {

// Remembers how it was called, and answers as it is told.
struct call_log {
  std::vector<std::string> calls;
  std::error_code error;  // of every call
};

class logged_handle {
  using read_part = io::read_part;
  using write_part = io::write_part;

 public:
  explicit logged_handle(std::shared_ptr<call_log> log) : log_(std::move(log)) {}

  io_result read(std::int64_t offset, std::span<std::byte> into) {
    read_part const all{offset, into};
    return transfer<read_part>("read", {&all, 1});
  }
  io_result write(std::int64_t offset, std::span<std::byte const> from) {
    write_part const all{offset, from};
    return transfer<write_part>("write", {&all, 1});
  }
  io_result read(std::span<read_part const> parts) { return transfer("read", parts); }
  io_result write(std::span<write_part const> parts) { return transfer("write", parts); }
  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind) {
    return note(kind == lock_kind::shared ? "lock shared" : "lock", {offset, length});
  }
  std::error_code unlock(std::int64_t offset, std::int64_t length) { return note("unlock", {offset, length}); }
  std::int64_t size(std::error_code& error) {
    error = note("size", {});
    return error ? 0 : 1234;
  }
  std::error_code resize(std::int64_t bytes) { return note("resize", {bytes}); }
  std::error_code preallocate(std::int64_t bytes) { return note("preallocate", {bytes}); }
  std::error_code sync() { return note("sync", {}); }
  std::error_code close() {
    open_ = false;
    return note("close", {});
  }
  bool is_open() const { return open_; }
  std::int64_t block_bytes() const { return 512; }
  std::error_code fcntl(std::span<std::byte> argument) {
    return note("fcntl", {static_cast<std::int64_t>(argument.size())});
  }
  bool takes_hints() const { return true; }
  int node() const { return 9; }

 private:
  std::error_code note(std::string call, std::vector<std::int64_t> const& numbers) {
    for (std::int64_t const n : numbers) call += " " + std::to_string(n);
    log_->calls.push_back(call);
    return log_->error;
  }
  template <class Part>
  io_result transfer(std::string const& name, std::span<Part const> parts) {
    std::vector<std::int64_t> numbers;
    for (Part const& p : parts) {
      numbers.push_back(p.offset);
      numbers.push_back(static_cast<std::int64_t>(p.memory.size()));
    }
    std::error_code const error = note(name, numbers);
    return {error ? 0 : io::detail::total_bytes(parts), error};
  }

  std::shared_ptr<call_log> log_;
  bool open_ = true;
};
static_assert(io::hinting<logged_handle>);

// Makes every call that there is, and compares what comes back with what was said below.
template <class H>
void make_every_call(H& h, call_log const& log) {
  std::vector<std::byte> memory(40), argument(24);
  auto const bytes = [&](std::size_t from, std::size_t n) { return std::span(memory).subspan(from, n); };
  std::vector<io::read_part> const reads{{100, bytes(0, 10)}, {200, bytes(10, 5)}};
  std::vector<io::write_part> const writes{{300, bytes(0, 7)}, {307, bytes(20, 3)}, {400, bytes(30, 1)}};
  auto const check = [&](io_result const& done, std::int64_t n) {
    CHECK(done.error == log.error);
    CHECK(done.bytes == (log.error ? 0 : n));
  };
  check(h.read(50, bytes(0, 40)), 40);
  check(h.write(60, bytes(0, 30)), 30);
  check(h.read(reads), 15);
  check(h.write(writes), 11);
  CHECK(h.lock(5, 6, lock_kind::shared) == log.error);
  CHECK(h.lock(7, 8, lock_kind::exclusive) == log.error);
  CHECK(h.unlock(5, 10) == log.error);
  std::error_code error;
  CHECK(h.size(error) == (log.error ? 0 : 1234));
  CHECK(error == log.error);
  CHECK(h.resize(77) == log.error);
  CHECK(h.preallocate(88) == log.error);
  CHECK(h.sync() == log.error);
  CHECK(h.fcntl(argument) == log.error);
  CHECK(h.takes_hints());
  CHECK(h.node() == 9);
  CHECK(h.block_bytes() == 512);
  CHECK(h.is_open());
  CHECK(h.close() == log.error);
  CHECK_FALSE(h.is_open());
}

std::vector<std::string> const every_call{"read 50 40",
                                          "write 60 30",
                                          "read 100 10 200 5",
                                          "write 300 7 307 3 400 1",
                                          "lock shared 5 6",
                                          "lock 7 8",
                                          "unlock 5 10",
                                          "size",
                                          "resize 77",
                                          "preallocate 88",
                                          "sync",
                                          "fcntl 24",
                                          "close"};

}  // namespace

TEST_CASE("every call passes a decorator with all that it says, and its answer comes back", "[handle]") {
  scratch const dir;
  auto const log = std::make_shared<call_log>();
  auto const counts = std::make_shared<io::call_counts>();
  auto const trace = io::open_trace({.mode = io::trace_mode::calls, .directory = dir.string()});
  // ENOSYS, which nothing on the way has a meaning for.
  for (std::error_code const error : {std::error_code(), std::error_code(ENOSYS, std::system_category())}) {
    log->error = error;
    auto const through = [&](char const* name, auto decorated) {
      INFO(name << ", " << error.message());
      log->calls.clear();
      make_every_call(decorated, *log);
      CHECK(log->calls == every_call);
    };
    through("nothing", logged_handle(log));
    through("any_handle", io::any_handle(logged_handle(log)));
    through("counting", io::counting(logged_handle(log), counts));
    through("faulty", io::faulty(logged_handle(log), std::make_shared<io::fault_script>()));
    through("retrying", io::retrying(logged_handle(log)));
    through("throttled", io::throttled(logged_handle(log), io::throttle_rates{}));
    through("tracing", io::tracing(logged_handle(log), trace, "f"));
    through("all",
            io::any_handle(io::tracing(
                io::throttled(
                    io::any_handle(io::counting(
                        io::faulty(io::retrying(logged_handle(log)), std::make_shared<io::fault_script>()), counts)),
                    io::throttle_rates{}),
                trace, "f")));
  }
  for (std::size_t kind = 1; kind < io::file_call_count; ++kind) {
    auto const call = static_cast<file_call>(kind);
    INFO(io::to_string(call));
    bool const two = call == file_call::read || call == file_call::write || call == file_call::lock;
    CHECK(counts->calls(call) == (two ? 8 : 4));
    CHECK(counts->errors(call) == (two ? 4 : 2));
  }
  CHECK(counts->bytes_read() == 2 * 55);
  CHECK(counts->bytes_written() == 2 * 41);
  CHECK(counts->runs(file_call::write) == 4 * 3);
}

TEST_CASE("a handle that is not open says so in every call", "[any_handle]") {
  io::any_handle none;
  auto const closed = std::make_error_code(std::errc::bad_file_descriptor);
  std::vector<std::byte> memory(4);
  std::vector<io::read_part> const reads{{0, memory}};
  std::vector<io::write_part> const writes{{0, memory}};
  for (io_result const& done : {none.read(0, memory), none.write(0, memory), none.read(reads), none.write(writes)}) {
    CHECK(done.bytes == 0);
    CHECK(done.error == closed);
  }
  std::error_code error;
  CHECK(none.size(error) == 0);
  CHECK(error == closed);
  for (std::error_code const e : {none.lock(0, 1, lock_kind::shared), none.unlock(0, 1), none.resize(1),
                                  none.preallocate(1), none.sync(), none.close(), none.fcntl(memory)})
    CHECK(e == closed);
  CHECK_FALSE(none.is_open());
  CHECK_FALSE(none.takes_hints());
  CHECK(none.node() == io::unknown_node);
  CHECK(none.block_bytes() > 0);
  CHECK(none.target<posix>() == nullptr);
  CHECK(io::any_handle(logged_handle(std::make_shared<call_log>())).target<posix>() == nullptr);
}

TEST_CASE("a call that moves no bytes costs a throttled device its latency only", "[throttled]") {
  scratch const dir;
  using clock = std::chrono::steady_clock;
  auto const device =
      std::make_shared<io::throttle>(io::throttle_rates{.bytes_per_second = 0.05});  // a byte takes 20 s
  auto const begin = clock::now();
  std::error_code error;
  io::any_handle f = io::with_throttle(io::posix_opener(), device)(dir / "f", read_write, error);
  f.size(error);
  f.resize(100);
  f.sync();
  f.close();
  CHECK(clock::now() - begin < 15s);
}

TEST_CASE("decorators stack in any order", "[handle]") {
  scratch const dir;
  auto const outer = std::make_shared<io::call_counts>(), inner = std::make_shared<io::call_counts>();
  auto const script = std::make_shared<io::fault_script>();
  script->add(io::interrupt_at(file_call::write, 2, 3));
  io::counting f(io::throttled(io::retrying(io::faulty(io::counting(opened<raw_posix>(dir / "f"), inner), script)),
                               io::throttle_rates{}),
                 outer);
  static_assert(io::handle<decltype(f)>);
  CHECK(f.write(parts_of({0, 20, 40}, 10)).bytes == 30);
  CHECK(outer->calls(file_call::write) == 1);
  CHECK(inner->calls(file_call::write) == 3);
  CHECK(script->calls(file_call::write) == 6);
}
