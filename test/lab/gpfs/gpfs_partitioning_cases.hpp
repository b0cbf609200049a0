// Shared by tests of file partitioning: some nodes with one file, and a disk that can fail.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/catch.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <system_error>
#include <vector>

#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>

#include "support/gpfs_hints.hpp"

namespace argosy::test {

namespace gpfs = argosy::lab::gpfs;

constexpr int B = 1024;

inline gpfs::machine small() {
  gpfs::machine m;
  m.block_bytes = B;
  m.pagepool_bytes = 64 * B;
  m.servers = 2;
  m.ship_wait_s = 0;  // a signal may come at any time
  return m;
}

// A store whose writes fail if `error` is set.
class failing_store final : public gpfs::detail::block_store {
 public:
  bool has(gpfs::detail::file_id f, std::int64_t b) override { return inner_.has(f, b); }
  int read(gpfs::detail::file_id f, std::int64_t b, std::span<std::byte> to) override {
    return inner_.read(f, b, to);
  }
  int write(gpfs::detail::file_id f, std::int64_t b, std::int64_t at,
            std::span<std::byte const> from) override {
    return error != 0 ? error : inner_.write(f, b, at, from);
  }
  int cut(gpfs::detail::file_id f, std::int64_t bytes) override { return inner_.cut(f, bytes); }
  int error = 0;

 private:
  gpfs::detail::memory_store inner_{B};
};

struct cluster {
  explicit cluster(int nodes, gpfs::machine const& m = small())
      : store(std::make_shared<failing_store>()), host(m, nodes, {}, {store, store}) {
    for (int n = 0; n < nodes; ++n) open(n);
  }
  void open(int node, bool writes = true) {
    std::error_code error;
    files.push_back(gpfs::loopback_file::open(
        host, node, "f", {.read = true, .write = writes, .create = true}, error));
    REQUIRE(!error);
  }
  template <class Argument>
  gpfs::loopback::ticket start(std::size_t file, Argument& a) {
    gpfs::detail::call c = files[file].make(gpfs::detail::call_kind::fcntl);
    c.argument = std::as_writable_bytes(std::span(&a, 1));
    return files[file].start(c);
  }
  // Makes one call per file. Returns the errors.
  template <class Argument>
  std::vector<int> all(std::vector<Argument>& arguments) {
    std::vector<gpfs::loopback::ticket> tickets;
    for (std::size_t k = 0; k < arguments.size(); ++k) tickets.push_back(start(k, arguments[k]));
    std::vector<int> errors;
    for (auto const& t : tickets) errors.push_back(host.wait(t).error);
    return errors;
  }
  std::vector<int> start_all(std::size_t n) {
    std::vector<hint<gpfs::gpfsDataShipStart_t>> a(n, ship_start(static_cast<int>(n)));
    return all(a);
  }
  std::vector<int> start_with(std::vector<int> const& owners, int blocks = 1) {
    std::vector<ship_start_map> a(
        files.size(), ship_start_with(static_cast<int>(files.size()), blocks * B, owners));
    return all(a);
  }
  std::vector<int> stop_all(std::size_t n) {
    std::vector<ship_stop> a(n);
    return all(a);
  }
  std::error_code write(std::size_t file, std::int64_t offset, std::size_t length, int value = 7) {
    return files[file]
        .write(offset, std::vector<std::byte>(length, static_cast<std::byte>(value)))
        .error;
  }
  std::vector<std::byte> read(std::size_t file, std::int64_t offset, std::size_t length) {
    std::vector<std::byte> data(length);
    extend::io_result const r = files[file].read(offset, data);
    CHECK(!r.error);
    data.resize(static_cast<std::size_t>(r.bytes));
    return data;
  }
  gpfs::client_counters const& count(int node) { return host.client(node).counters(); }

  std::shared_ptr<failing_store> store;
  gpfs::loopback host;
  std::deque<gpfs::loopback_file> files;
};

inline std::vector<int> same(std::size_t n, int error) { return std::vector<int>(n, error); }

}  // namespace argosy::test
