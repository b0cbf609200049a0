// Shared by tests of the posix handle: opening, faults, and random transfers compared with a file
// in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/handle/posix.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/fault_shim.hpp"
#include "support/files.hpp"
#include "support/seed.hpp"

namespace argosy::test {

using namespace extend;

constexpr open_flags read_only{.read = true};
constexpr open_flags write_only{.write = true, .create = true};
constexpr open_flags read_write{.read = true, .write = true, .create = true};

inline posix opened(std::string const& path, open_flags flags = read_write) {
  std::error_code error;
  posix f = posix::open(path, flags, error);
  REQUIRE_FALSE(error);
  REQUIRE(f.is_open());
  return f;
}

inline std::error_code error_of_open(std::string const& path, open_flags flags) {
  std::error_code error;
  std::size_t const before = open_descriptors();
  posix f = posix::open(path, flags, error);
  CHECK(f.is_open() == !error);
  f = posix();
  CHECK(open_descriptors() == before);
  return error;
}

inline std::vector<std::byte> bytes_of(std::string const& text) {
  std::vector<std::byte> b(text.size());
  std::memcpy(b.data(), text.data(), text.size());
  return b;
}
inline std::string text_of(std::span<std::byte const> b) {
  return {reinterpret_cast<char const*>(b.data()), b.size()};
}

inline std::error_code errno_code(int value) { return {value, std::system_category()}; }

// Sets faults, and removes them at the end of its scope.
struct faults {
  faults(std::string const& path, char const* text) {
    REQUIRE(argosy_faults(path.c_str(), text) == 0);
  }
  ~faults() { argosy_faults(nullptr, nullptr); }
  faults(faults const&) = delete;
  faults& operator=(faults const&) = delete;
};

// Makes random transfers, single and in parts, and compares with a file in memory.
template <class H>
void against_memory(H& f, std::uint64_t seed, int rounds, std::int64_t extent) {
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  auto const below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  std::vector<std::byte> file;
  for (int round = 0; round < rounds; ++round) {
    bool const writing = below(2) == 0;
    struct stretch {
      std::int64_t offset;
      std::size_t length, place;
    };
    std::vector<stretch> stretches;
    std::size_t total = 0;
    std::int64_t at = below(extent);
    int const count = below(4) == 0 ? 1 : 1 + static_cast<int>(below(below(8) == 0 ? 3000 : 12));
    for (int i = 0; i < count; ++i) {
      auto const length = static_cast<std::size_t>(below(8) == 0 ? 0 : 1 + below(40));
      stretches.push_back({at, length, total});
      total += length + static_cast<std::size_t>(below(3));
      at += static_cast<std::int64_t>(length);
      if (below(3) == 0) at = below(10) == 0 ? below(extent) : at + below(20);
    }
    std::vector<std::byte> memory(total + 1);
    for (auto& b : memory) b = static_cast<std::byte>(random());

    std::int64_t expected = 0;
    auto const size = [&] { return static_cast<std::int64_t>(file.size()); };
    auto wanted = memory;
    for (auto const& s : stretches) {
      auto const n = static_cast<std::int64_t>(s.length);
      if (writing) {
        if (n > 0 && size() < s.offset + n) file.resize(static_cast<std::size_t>(s.offset + n));
        std::copy_n(memory.begin() + static_cast<std::ptrdiff_t>(s.place), n,
                    file.begin() + (n > 0 ? s.offset : 0));
        expected += n;
      } else {
        std::int64_t const there = std::clamp<std::int64_t>(size() - s.offset, 0, n);
        if (there > 0)
          std::copy_n(file.begin() + s.offset, there,
                      wanted.begin() + static_cast<std::ptrdiff_t>(s.place));
        expected += there;
        if (there < n) break;
      }
    }

    io_result done;
    if (stretches.size() == 1) {
      auto const span = std::span(memory).subspan(stretches[0].place, stretches[0].length);
      done = writing ? f.write(stretches[0].offset, std::span<std::byte const>(span))
                     : f.read(stretches[0].offset, span);
    } else if (writing) {
      std::vector<write_part> parts;
      for (auto const& s : stretches)
        parts.push_back({s.offset, std::span(memory).subspan(s.place, s.length)});
      done = f.write(parts);
    } else {
      std::vector<read_part> parts;
      for (auto const& s : stretches)
        parts.push_back({s.offset, std::span(memory).subspan(s.place, s.length)});
      done = f.read(parts);
    }
    CAPTURE(round, writing, count);
    REQUIRE_FALSE(done.error);
    REQUIRE(done.bytes == expected);
    REQUIRE(memory == wanted);

    if (below(20) == 0) {
      std::int64_t const cut = below(extent);
      REQUIRE_FALSE(f.resize(cut));
      file.resize(static_cast<std::size_t>(cut));
    }
    std::error_code error;
    REQUIRE(f.size(error) == size());
    REQUIRE_FALSE(error);
  }
}

}  // namespace argosy::test
