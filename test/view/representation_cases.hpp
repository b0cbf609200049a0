// Shared by tests of signatures and representations.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/datatype/aggregate.hpp>
#include <argosy/error/errc.hpp>
#include <argosy/layout.hpp>
#include <argosy/view/converter.hpp>

#include "support/catch.hpp"
#include "support/seed.hpp"

namespace argosy::test {

using namespace extend;

struct particle {
  double x[3];
  int id;
};

enum class color : std::uint16_t { red = 0x0102 };

// Makes random signatures.
struct generator {
  std::mt19937_64 random{seed()};
  std::int64_t pick(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution(from, to)(random);
  }
  basic_type any_basic() {
    return static_cast<basic_type>(pick(0, argosy::detail::basic_count - 1));
  }
  // Returns a random signature, and its types one by one.
  argosy::extend::signature signature(std::vector<basic_type>& all, int depth) {
    argosy::extend::signature s;
    for (auto n = pick(1, 4); n > 0; --n) {
      std::vector<basic_type> part;
      argosy::extend::signature one;
      if (depth > 0 && pick(0, 1) == 0) {
        one = signature(part, depth - 1);
      } else {
        basic_type const t = any_basic();
        one = argosy::extend::signature(t);
        part = {t};
      }
      auto const copies = pick(0, 5);
      s.append(one, copies);
      for (std::int64_t k = 0; k < copies; ++k) all.insert(all.end(), part.begin(), part.end());
    }
    return s;
  }
};

template <class T>
std::vector<std::byte> write(T const& value, representation const& r = external32,
                             bool fits = true) {
  auto const m = memory(value);
  converter const c(r, m.form(), m.types());
  std::vector<std::byte> file(static_cast<std::size_t>(c.file_size()));
  // outside of CHECK, which would catch an exception
  bool const all_fit = c.gather(m.address(), 0, c.file_size(), file.data());
  CHECK(all_fit == fits);
  return file;
}
template <class T>
T read(std::vector<std::byte> const& file, representation const& r = external32, bool fits = true) {
  T value{};
  auto const m = memory(value);
  converter c(r, m.form(), m.types());
  bool const all_fit = c.scatter(file.data(), 0, c.file_size(), m.address());
  CHECK(all_fit == fits);
  return value;
}
inline std::string hex(std::vector<std::byte> const& bytes) {
  std::string text;
  for (std::byte b : bytes) {
    text += "0123456789abcdef"[static_cast<std::size_t>(b) >> 4];
    text += "0123456789abcdef"[static_cast<std::size_t>(b) & 15];
  }
  return text;
}

}  // namespace argosy::test
