// The snippets of docs/use/representations.md, in its order. Their claims are asserted. Run:
// snippets_representations
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/file/representations.hpp>
#include <argosy/world/self.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <vector>

namespace io = argosy;

namespace {

void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "not true: %s\n", what);
  std::exit(1);
}
#define REQUIRE(...) require((__VA_ARGS__), #__VA_ARGS__)

}  // namespace

// [short_doubles]
// Each double is a float in the file. All other types are written as they are in memory.
io::extend::representation_functions short_doubles() {
  static auto const bytes_of = [](io::extend::basic_type type) {
    return static_cast<std::size_t>(io::native.sizes()[static_cast<std::size_t>(type)]);
  };
  io::extend::representation_functions f;
  f.file_bytes = [](io::extend::basic_type type) -> std::int64_t {
    return type == io::extend::basic_type::float64 ? 4 : static_cast<std::int64_t>(bytes_of(type));
  };
  f.write = [](io::extend::basic_type type, std::int64_t count, std::byte const* memory,
               std::byte* file) {
    auto const n = static_cast<std::size_t>(count);
    if (type != io::extend::basic_type::float64) {
      std::memcpy(file, memory, n * bytes_of(type));
      return true;
    }
    bool all_fit = true;
    for (std::size_t i = 0; i < n; ++i) {
      double value = 0;
      std::memcpy(&value, memory + 8 * i, 8);
      auto const written = static_cast<float>(value);
      all_fit = all_fit && std::isfinite(written) == std::isfinite(value);
      std::memcpy(file + 4 * i, &written, 4);
    }
    return all_fit;  // false: the call fails with errc::conversion
  };
  f.read = [](io::extend::basic_type type, std::int64_t count, std::byte const* file,
              std::byte* memory) {
    auto const n = static_cast<std::size_t>(count);
    if (type != io::extend::basic_type::float64) {
      std::memcpy(memory, file, n * bytes_of(type));
      return true;
    }
    for (std::size_t i = 0; i < n; ++i) {
      float written = 0;
      std::memcpy(&written, file + 4 * i, 4);
      double const value = written;
      std::memcpy(memory + 8 * i, &value, 8);
    }
    return true;
  };
  return f;
}
// [short_doubles]

int main() {
  using file = io::basic_file<io::self>;
  auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  file f = file::open(io::self(), "snippets_representations.dat", temporary);
  // [portable]
  std::vector<std::int32_t> const numbers{1, 0x01020304};
  f.set_view(0, {io::type<std::int32_t>, io::external32});  // the etype says what is converted
  f.write_at(0, numbers);
  f.set_view(0, io::type<std::byte>);  // the bytes of the file, as they are
  std::array<std::byte, 8> bytes{};
  f.read_at(0, bytes);  // 0 0 0 1, 1 2 3 4: big-endian
  // [portable]
  REQUIRE(bytes[3] == std::byte{1} && bytes[4] == std::byte{1} && bytes[7] == std::byte{4});
  // [registered]
  io::extend::register_representation("short_doubles",
                                      short_doubles());  // on every rank that uses it
  f.set_view(0, {io::type<double>, "short_doubles"});
  std::vector<double> const u{0.5, 1e300};
  std::error_code error;
  f.write_at(0, u, error);  // 1e300 is no float
  bool const too_large = error == io::errc::conversion;
  auto const in_file = f.type_extent(io::type<double>);  // 4
  // [registered]
  double half = 0;
  f.read_at(0, half);
  REQUIRE(too_large && in_file == 4 && half == 0.5 && f.size() == 8);
  f.close();
}
