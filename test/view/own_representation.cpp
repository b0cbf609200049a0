// Representations of a program, and memory whose types differ from those that were given.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"
#include "view/representation_cases.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include <argosy/datatype.hpp>
#include <argosy/error/errc.hpp>
#include <argosy/file/representations.hpp>
#include <argosy/layout.hpp>
#include <argosy/view/converter.hpp>
#include <argosy/view/view.hpp>

namespace io = argosy;
using Catch::Contains;
using io::extend::basic_type;
using namespace io::test;

TEST_CASE("types must be those of the memory", "[representation][error]") {
  io::layout const form = io::bytes(8);
  CHECK_THROWS_WITH(
      io::extend::converter(io::external32, form, io::extend::signature(basic_type::int32)),
      Contains("8 bytes") && Contains("4"));
}

TEST_CASE("a representation of one's own: registered once, found by name, and used",
          "[representation]") {
  // Stores numbers of 16 bits as five decimal digits, the last one first, and everything else
  // unchanged.
  io::extend::representation_functions text;
  text.file_bytes = [](basic_type t) {
    return t == basic_type::uint16 ? 5 : io::detail::size_in(io::detail::native_sizes, t);
  };
  text.write = [](basic_type t, std::int64_t count, std::byte const* memory, std::byte* file) {
    if (t != basic_type::uint16) {
      std::memcpy(
          file, memory,
          static_cast<std::size_t>(count * io::detail::size_in(io::detail::native_sizes, t)));
      return true;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      std::uint16_t v = 0;
      std::memcpy(&v, memory + 2 * i, 2);
      for (int d = 0; d < 5; ++d, v /= 10) file[5 * i + d] = static_cast<std::byte>('0' + v % 10);
    }
    return true;
  };
  text.read = [](basic_type t, std::int64_t count, std::byte const* file, std::byte* memory) {
    bool fits = true;
    if (t != basic_type::uint16) {
      std::memcpy(
          memory, file,
          static_cast<std::size_t>(count * io::detail::size_in(io::detail::native_sizes, t)));
      return true;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      unsigned v = 0;
      for (int d = 5; d-- > 0;) v = 10 * v + static_cast<unsigned>(file[5 * i + d]) - '0';
      fits = fits && v <= 0xffff;
      auto const kept = static_cast<std::uint16_t>(v);
      std::memcpy(memory + 2 * i, &kept, 2);
    }
    return fits;
  };
  std::error_code error;
  io::extend::register_representation("digits", text, error);
  CHECK_FALSE(error);
  io::extend::register_representation("digits", text, error);
  CHECK(error == io::errc::duplicate_representation);
  io::extend::register_representation("external32", text, error);
  CHECK(error == io::errc::duplicate_representation);
  io::extend::register_representation("", text, error);
  CHECK(error == io::errc::argument);
  io::extend::register_representation(std::string(128, 'x'), text, error);
  CHECK(error == io::errc::argument);
  io::extend::representation_functions half = text;
  half.read = nullptr;
  io::extend::register_representation("half", half, error);
  CHECK(error == io::errc::argument);
  CHECK_THROWS_AS(io::extend::register_representation("digits", text), std::system_error);
  CHECK_THROWS_AS(io::detail::find_representation("nowhere"), std::system_error);
  CHECK(io::detail::find_representation("external32") == io::external32);
  CHECK(io::detail::find_representation("native").converts() == false);

  io::representation const digits = io::detail::find_representation("digits");
  CHECK(digits.name() == "digits");
  CHECK(digits.converts());
  CHECK(io::view(0, io::vector(2, 1, 2, io::type<std::uint16_t>), digits).byte_offset(1) == 10);
  std::array<std::pair<std::uint16_t, int>, 2> const data{{{123, -1}, {65535, -1}}};
  auto const file = write(data, digits);
  CHECK(hex(file) ==
        "3332313030"
        "ffffffff"
        "3533353536"
        "ffffffff");
  CHECK(read<std::array<std::pair<std::uint16_t, int>, 2>>(file, digits) == data);
  auto broken = file;
  broken[4] = std::byte{'9'};
  read<std::array<std::pair<std::uint16_t, int>, 2>>(broken, digits, false);

  // Without functions it copies. Exceptions of the functions must arrive.
  io::extend::register_representation("plain", {});
  CHECK(hex(write(std::uint8_t{7}, io::detail::find_representation("plain"))) == "07");
  io::extend::representation_functions bad;
  bad.write = [](basic_type, std::int64_t, std::byte const*, std::byte*) -> bool {
    throw std::runtime_error("on fire");
  };
  bad.read = [](basic_type, std::int64_t, std::byte const*, std::byte*) -> bool {
    throw std::runtime_error("on fire");
  };
  io::extend::register_representation("bad", bad);
  CHECK_THROWS_WITH(write(1, io::detail::find_representation("bad")), "on fire");
}
