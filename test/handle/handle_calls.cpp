// Every call must pass each decorator with all its arguments, and its result must come back.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/counting.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/handle/throttled.hpp>
#include <argosy/handle/tracing.hpp>

#include <sys/vfs.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "handle/decorator_cases.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

namespace io = argosy;
using io::file_call;
using io::posix;
using io::extend::io_result;
using io::extend::lock_kind;
using namespace io::test;

namespace {

// Records its calls, and returns `error`.
struct call_log {
  std::vector<std::string> calls;
  std::error_code error;  // returned by every call
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
  std::error_code unlock(std::int64_t offset, std::int64_t length) {
    return note("unlock", {offset, length});
  }
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
static_assert(io::extend::takes_fcntl<logged_handle>);

// Makes every kind of call, and compares the results with those of the inner handle.
template <class H>
void make_every_call(H& h, call_log const& log) {
  std::vector<std::byte> memory(40), argument(24);
  auto const bytes = [&](std::size_t from, std::size_t n) {
    return std::span(memory).subspan(from, n);
  };
  std::vector<io::read_part> const reads{{100, bytes(0, 10)}, {200, bytes(10, 5)}};
  std::vector<io::write_part> const writes{
      {300, bytes(0, 7)}, {307, bytes(20, 3)}, {400, bytes(30, 1)}};
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

TEST_CASE("every call passes a decorator with all that it says, and its answer comes back",
          "[handle]") {
  scratch const dir;
  auto const log = std::make_shared<call_log>();
  auto const counts = std::make_shared<io::call_counts>();
  auto const trace =
      io::extend::open_trace({.mode = io::extend::trace_mode::calls, .directory = dir.string()});
  // ENOSYS, because no decorator handles it.
  for (std::error_code const error :
       {std::error_code(), std::error_code(ENOSYS, std::system_category())}) {
    log->error = error;
    auto const through = [&](char const* name, auto decorated) {
      INFO(name << ", " << error.message());
      log->calls.clear();
      make_every_call(decorated, *log);
      CHECK(log->calls == every_call);
    };
    through("nothing", logged_handle(log));
    through("any_handle", io::extend::any_handle(logged_handle(log)));
    through("counting", io::extend::counting(logged_handle(log), counts));
    through("faulty", io::extend::faulty(logged_handle(log), std::make_shared<io::fault_script>()));
    through("retrying", io::extend::retrying(logged_handle(log)));
    through("throttled", io::extend::throttled(logged_handle(log), io::throttle_rates{}));
    through("tracing", io::extend::tracing(logged_handle(log), trace, "f"));
    through(
        "all",
        io::extend::any_handle(io::extend::tracing(
            io::extend::throttled(io::extend::any_handle(io::extend::counting(
                                      io::extend::faulty(io::extend::retrying(logged_handle(log)),
                                                         std::make_shared<io::fault_script>()),
                                      counts)),
                                  io::throttle_rates{}),
            trace, "f")));
  }
  for (std::size_t kind = 1; kind < io::detail::file_call_count; ++kind) {
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
  io::extend::any_handle none;
  auto const closed = std::make_error_code(std::errc::bad_file_descriptor);
  std::vector<std::byte> memory(4);
  std::vector<io::read_part> const reads{{0, memory}};
  std::vector<io::write_part> const writes{{0, memory}};
  for (io_result const& done :
       {none.read(0, memory), none.write(0, memory), none.read(reads), none.write(writes)}) {
    CHECK(done.bytes == 0);
    CHECK(done.error == closed);
  }
  std::error_code error;
  CHECK(none.size(error) == 0);
  CHECK(error == closed);
  for (std::error_code const e :
       {none.lock(0, 1, lock_kind::shared), none.unlock(0, 1), none.resize(1), none.preallocate(1),
        none.sync(), none.close(), none.fcntl(memory)})
    CHECK(e == closed);
  CHECK_FALSE(none.is_open());
  CHECK_FALSE(none.takes_hints());
  CHECK(none.node() == io::extend::unknown_node);
  CHECK(none.block_bytes() > 0);
  CHECK(none.target<posix>() == nullptr);
  CHECK(io::extend::any_handle(logged_handle(std::make_shared<call_log>())).target<posix>() ==
        nullptr);
}
