// Byte-range locks of the simulated GPFS: which node gets them, when they end, and the number of
// messages.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <system_error>
#include <variant>
#include <vector>

#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using gpfs::detail::call_kind;
using io::extend::lock_kind;

namespace {

struct cluster {
  explicit cluster(int nodes, std::vector<int> const& where) : host(machine(), nodes) {
    host.on_delivery = [this](gpfs::detail::message const& m, gpfs::detail::instant) {
      messages += std::holds_alternative<gpfs::detail::lock_request>(m.body) ||
                  std::holds_alternative<gpfs::detail::lock_answer>(m.body) ||
                  std::holds_alternative<gpfs::detail::unlock_notice>(m.body);
    };
    for (int const node : where) {
      std::error_code error;
      files.push_back(gpfs::loopback_file::open(
          host, node, "f", {.read = true, .write = true, .create = true}, error));
      REQUIRE(!error);
    }
  }
  static gpfs::machine machine() {
    gpfs::machine m;
    m.block_bytes = 1024;
    m.lease_s = 1;
    return m;
  }
  gpfs::loopback::ticket lock(std::size_t k, std::int64_t begin, std::int64_t end,
                              bool exclusive = true, std::int64_t owner = 0) {
    gpfs::detail::call c = files[k].make(call_kind::lock);
    c.offset = begin;
    c.length = end - begin;
    c.exclusive = exclusive;
    c.owner = owner;
    return files[k].start(c);
  }
  void unlock(std::size_t k, std::int64_t begin, std::int64_t end, std::int64_t owner = 0) {
    gpfs::detail::call c = files[k].make(call_kind::unlock);
    c.offset = begin;
    c.length = end - begin;
    c.owner = owner;
    REQUIRE(host.perform(files[k].node(), c).error == 0);
    host.run();
  }
  bool has(gpfs::loopback::ticket const& t) {
    host.run();
    return host.done(t) && host.result(t).error == 0;
  }
  gpfs::manager_counters const& manager() { return host.manager().counters(); }

  gpfs::loopback host;
  std::vector<gpfs::loopback_file> files;
  int messages = 0;
};

}  // namespace

TEST_CASE("a lock costs two messages, an unlock one, and nothing of a lock moves data or tokens",
          "[gpfs][locks]") {
  cluster c(2, {0, 1});
  CHECK_FALSE(c.files[0].lock(0, 10, lock_kind::exclusive));
  CHECK_FALSE(c.files[1].lock(10, 10, lock_kind::exclusive));
  CHECK(c.messages == 4);
  CHECK_FALSE(c.files[0].unlock(0, 10));
  CHECK_FALSE(c.files[1].unlock(10, 10));
  c.host.run();
  CHECK(c.messages == 6);
  CHECK(c.manager().locks == 2);
  CHECK(c.manager().unlocks == 2);
  CHECK(c.manager().lock_waits == 0);
  CHECK(c.manager().requests == 0);
  CHECK(c.host.manager().lock_count(0) == 0);
  CHECK(c.host.client(0).counters().lock_requests == 1);
  CHECK(c.host.client(0).counters().unlocks == 1);
  // Wrong ranges are refused by the node itself. A lock of length 0 locks nothing.
  CHECK(c.files[0].lock(-1, 5, lock_kind::shared) ==
        std::error_code(EINVAL, std::system_category()));
  CHECK_FALSE(c.files[0].lock(7, 0, lock_kind::exclusive));
  CHECK(c.messages == 6);
}

TEST_CASE("locks are granted in the order of arrival", "[gpfs][locks]") {
  cluster c(4, {0, 1, 2, 3});
  auto const first = c.lock(0, 0, 100);
  REQUIRE(c.has(first));
  auto const shared = c.lock(1, 50, 60, false);
  REQUIRE_FALSE(c.has(shared));
  auto const all = c.lock(2, 0, 1000);
  REQUIRE_FALSE(c.has(all));
  auto const late = c.lock(3, 55, 58, false);  // compatible with `shared`, but `all` came before it
  auto const apart = c.lock(3, 2000, 2001);
  CHECK(c.has(apart));
  c.unlock(0, 0, 100);
  CHECK(c.has(shared));
  CHECK_FALSE(c.has(all));
  // `late` must come after `all`. Node 3 holds a lock already, but no other node waits for that
  // one.
  CHECK_FALSE(c.has(late));
  c.unlock(1, 50, 60);
  CHECK(c.has(all));
  CHECK_FALSE(c.has(late));
  c.unlock(2, 0, 1000);
  CHECK(c.has(late));
  CHECK(c.manager().lock_waits == 3);
  CHECK(c.manager().locks == 5);
}

TEST_CASE("an owner that unlocks leaves the same lock of another owner alone", "[gpfs][locks]") {
  cluster c(2, {0, 1});
  REQUIRE(c.has(c.lock(0, 0, 100, false, 1)));
  REQUIRE(c.has(c.lock(0, 0, 100, false, 2)));
  auto const other = c.lock(1, 0, 100);
  CHECK_FALSE(c.has(other));
  c.unlock(0, 0, 100, 1);
  CHECK_FALSE(c.has(other));
  c.unlock(0, 0, 100, 3);  // an owner that holds nothing there unlocks the range of another owner
  CHECK(c.has(other));
}

TEST_CASE("an owner converts what it holds and unlocks parts of it", "[gpfs][locks]") {
  cluster c(2, {0, 1});
  REQUIRE(c.has(c.lock(0, 0, 100)));
  auto const inside = c.lock(1, 40, 50, false);
  CHECK_FALSE(c.has(inside));
  SECTION("by unlocking a part") {
    c.unlock(0, 30, 60);
    CHECK(c.has(inside));
    CHECK(c.host.manager().lock_count(0) == 3);
    CHECK(c.has(c.lock(1, 30, 60)));
    CHECK_FALSE(c.has(c.lock(1, 29, 30)));
  }
  SECTION("by locking it another way") {
    CHECK(c.has(c.lock(0, 20, 70, false)));
    CHECK(c.has(inside));
    CHECK_FALSE(c.has(c.lock(0, 20, 70)));
    c.unlock(1, 40, 50);
    CHECK(c.host.manager().lock_count(0) == 3);
  }
}

TEST_CASE("owners of one instance are apart, and one may give back the very range of another",
          "[gpfs][locks]") {
  cluster c(1, {0, 0});
  REQUIRE(c.has(c.lock(0, 0, 10, true, 1)));
  auto const second = c.lock(0, 0, 10, true, 2);
  auto const other = c.lock(1, 5, 6, true, 1);  // another instance of the same node
  CHECK_FALSE(c.has(second));
  CHECK_FALSE(c.has(other));
  c.unlock(0, 0, 9, 3);
  CHECK_FALSE(c.has(second));
  c.unlock(0, 0, 10, 3);
  CHECK(c.has(second));
  c.unlock(0, 0, 10, 2);
  CHECK(c.has(other));
}

TEST_CASE("locks end with their instance and with their node", "[gpfs][locks]") {
  cluster c(3, {0, 1, 1, 2});
  REQUIRE(c.has(c.lock(0, 0, 10)));
  auto const closed = c.lock(1, 0, 10, true);
  auto const next = c.lock(2, 0, 10, true);
  REQUIRE_FALSE(c.has(next));  // only then the other node asks
  auto const last = c.lock(3, 0, 10, true);
  REQUIRE_FALSE(c.has(closed));
  SECTION("who waited and closes is forgotten") {
    CHECK_FALSE(c.files[1].close());
    c.unlock(0, 0, 10);
    CHECK(c.host.result(closed).error == EBADF);
    CHECK(c.has(next));
  }
  SECTION("a close is an unlock") {
    CHECK_FALSE(c.files[0].close());
    CHECK(c.has(closed));
    CHECK_FALSE(c.has(next));
  }
  SECTION("the death of a node is, too, when its lease has run out") {
    gpfs::detail::instant const before = c.host.now();
    c.host.kill(0);
    CHECK(c.has(closed));
    CHECK(c.host.now() - before >= std::chrono::seconds(1));
    c.host.kill(1);
    CHECK(c.has(last));
    CHECK_FALSE(c.host.done(next));
    CHECK(c.host.manager().lock_count(0) == 1);
  }
}

TEST_CASE("a late error is not told by a lock, but by the next call that moves data",
          "[gpfs][locks]") {
  class full final : public gpfs::detail::block_store {
   public:
    bool has(gpfs::detail::file_id, std::int64_t) override { return false; }
    int read(gpfs::detail::file_id, std::int64_t, std::span<std::byte> to) override {
      std::fill(to.begin(), to.end(), std::byte{});
      return 0;
    }
    int write(gpfs::detail::file_id, std::int64_t, std::int64_t,
              std::span<std::byte const>) override {
      return ENOSPC;
    }
    int cut(gpfs::detail::file_id, std::int64_t) override { return 0; }
  };
  auto const store = std::make_shared<full>();
  gpfs::loopback host(cluster::machine(), 1, {}, {store, store, store, store});
  std::error_code error;
  auto f =
      gpfs::loopback_file::open(host, 0, "f", {.read = true, .write = true, .create = true}, error);
  std::vector<std::byte> const block(1024);
  REQUIRE(f.write(0, block).bytes == 1024);  // is written to disk after the call, and fails there
  host.run();
  CHECK_FALSE(f.lock(0, 10, lock_kind::exclusive));
  CHECK_FALSE(f.unlock(0, 10));
  CHECK(f.size(error) == 1024);
  CHECK_FALSE(error);
  CHECK(f.read(0, {}).error == std::errc::no_space_on_device);
  CHECK_FALSE(f.sync());
}

TEST_CASE("preallocate makes the file longer, never shorter, and leaves its bytes", "[gpfs]") {
  cluster c(2, {0, 1});
  std::vector<std::byte> const data(10, std::byte{7});
  REQUIRE(c.files[0].write(0, data).bytes == 10);
  CHECK_FALSE(c.files[1].preallocate(5));
  std::error_code error;
  CHECK(c.files[0].size(error) == 10);
  CHECK_FALSE(c.files[1].preallocate(3000));
  CHECK(c.files[0].size(error) == 3000);
  std::vector<std::byte> back(20, std::byte{1});
  CHECK(c.files[0].read(0, back).bytes == 20);
  CHECK(back[9] == std::byte{7});
  CHECK(back[10] == std::byte{});
}
