// Plain files and comparisons for tests that write at random.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <argosy/world/mpi.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/random.hpp"
#include "support/seed.hpp"

namespace argosy::test {

namespace io = argosy;

using bytes = std::vector<std::byte>;

inline bytes random_bytes(std::uint64_t seed, std::int64_t count) {
  engine random(seed);
  bytes b(static_cast<std::size_t>(count));
  for (std::byte& x : b) x = static_cast<std::byte>(random());
  return b;
}

// Returns the number of rounds. ARGOSY_TEST_ROUNDS=20 makes twenty times as many.
inline int rounds(int usual) {
  char const* const text = std::getenv("ARGOSY_TEST_ROUNDS");
  return text ? usual * std::atoi(text) : usual;
}

// --- Plain files ---

class plain_file {
 public:
  explicit plain_file(std::string const& path, int flags = O_RDWR | O_CREAT)
      : descriptor_(::open(path.c_str(), flags, 0666)) {
    if (descriptor_ < 0) throw std::runtime_error("cannot open " + path);
  }
  plain_file(plain_file const&) = delete;
  plain_file& operator=(plain_file const&) = delete;
  ~plain_file() { ::close(descriptor_); }
  void write(std::byte const* from, std::int64_t count, std::int64_t offset) {
    if (::pwrite(descriptor_, from, static_cast<std::size_t>(count), offset) != count)
      throw std::runtime_error("pwrite failed");
  }

 private:
  int descriptor_;
};

inline void fill(std::string const& path, bytes const& content) {
  ::unlink(path.c_str());
  plain_file f(path);
  f.write(content.data(), static_cast<std::int64_t>(content.size()), 0);
}

inline bytes whole_file(std::string const& path) {
  std::string const text = content_of(path);
  auto const all = std::as_bytes(std::span(text));
  return {all.begin(), all.end()};
}

// --- Comparing: prints and counts differences, so that all ranks stop after the same round -----

inline std::int64_t failures = 0;

inline void same(std::string const& what, std::int64_t got, std::int64_t expected) {
  CAPTURE(what);
  CHECK(got == expected);
  failures += got != expected;
}

inline void same(std::string const& what, bytes const& got, bytes const& expected) {
  same("size of " + what, static_cast<std::int64_t>(got.size()),
       static_cast<std::int64_t>(expected.size()));
  std::size_t const common = std::min(got.size(), expected.size());
  auto const first = std::mismatch(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(common),
                                   expected.begin())
                         .first;
  if (auto const at = static_cast<std::size_t>(first - got.begin()); at < common) {
    same(what + ", byte " + std::to_string(at) + " of " + std::to_string(common),
         static_cast<int>(got[at]), static_cast<int>(expected[at]));
  }
}

inline void passed(std::string const& what, bool well) { same(what, well, true); }

inline std::string shared_directory(io::mpi const& world, std::optional<scratch>& here) {
  std::array<char, 256> name{};
  if (world.rank() == 0) {
    here.emplace();
    std::string const text = here->string();
    std::copy_n(text.begin(), text.size(), name.begin());
  }
  world.broadcast(std::as_writable_bytes(std::span(name)), 0);
  return name.data();
}

}  // namespace argosy::test
