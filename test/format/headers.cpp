// Headers of files, and types in them. Each header that was written must be read back, and each
// broken one refused with words. One page because `.npy` files and checkpoints share the grammar of
// their types.
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <argosy/datatype/aggregate.hpp>
#include <argosy/datatype/buffer.hpp>
#include <argosy/error/error.hpp>
#include <argosy/format/checkpoint.hpp>
#include <argosy/format/detail/stored_array.hpp>
#include <argosy/format/detail/written_mark.hpp>
#include <argosy/format/file_header.hpp>
#include <argosy/format/leftovers.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;

namespace {

struct particle {
  double x[3];
  float charge;
  std::int16_t kind;
  std::int32_t id;
};
struct private_names {
  int id_;
  float v_[2][2];
};
struct aggregate {
  float a;
  std::complex<double> b;
};
struct by_form {
  double a, b;
};
enum class colour : std::uint16_t { red };

}  // namespace

template <>
struct argosy::describe<particle> : argosy::members<&particle::x, &particle::id> {};
template <>
struct argosy::describe<private_names> : argosy::members<&private_names::id_, &private_names::v_> {
  static constexpr char const* names[] = {"id", "v"};
};
template <>
struct argosy::describe<by_form> {
  static constexpr argosy::layout form() { return argosy::bytes(8); }
};

namespace {

template <class T>
std::string name_of() {
  return to_string(io::extend::dtype_of<T>());
}

std::vector<std::byte> bytes_of(std::string_view text) {
  auto const all = std::as_bytes(std::span(text));
  return {all.begin(), all.end()};
}

// Returns the start of a .npy file with this text.
std::vector<std::byte> npy(std::string const& text, int version = 1) {
  std::string head = "\x93NUMPY";
  head += {static_cast<char>(version), '\0'};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    head += static_cast<char>(text.size() >> (8 * i) & 0xff);
  return bytes_of(head + text);
}

std::string refusal_of(std::vector<std::byte> const& start) {
  io::extend::failure why;
  CHECK_FALSE(io::detail::parse_npy_header(start, why).has_value());
  CHECK(why.code == io::errc::damaged);
  return why.detail;
}

std::string refusal_of(std::string const& text) { return refusal_of(npy(text)); }

io::checkpoint_header some_arrays() {
  io::checkpoint_header h;
  h.arrays.push_back({.name = "u",
                      .type = io::extend::dtype_of<double>(),
                      .order = io::order::fortran,
                      .shape = {300, 1000}});
  h.arrays.push_back({.name = "it's", .type = io::extend::dtype_of<particle>(), .shape = {7}});
  h.arrays.push_back({.name = "nothing", .type = io::extend::dtype_of<int>(), .shape = {0, 5}});
  h.arrays.push_back({.name = "step", .type = io::extend::dtype_of<std::int64_t>()});
  io::detail::place_arrays(h);
  return h;
}

// Returns the bytes of a checkpoint's header with a changed text.
std::vector<std::byte> with_text(std::string (*change)(std::string)) {
  std::vector<std::byte> const all = io::detail::checkpoint_header_of(some_arrays());
  std::string text(reinterpret_cast<char const*>(all.data()) + 16, all.size() - 16);
  text = change(std::move(text));
  // The checksum, computed bit by bit: x^32 + x^26 + ... of zlib.
  std::uint32_t crc = ~0u;
  for (char const c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  crc = ~crc;
  std::string head(
      "\x93"
      "ARGOSY\x01");
  for (int i = 0; i < 4; ++i) head += static_cast<char>(text.size() >> (8 * i) & 0xff);
  for (int i = 0; i < 4; ++i) head += static_cast<char>(crc >> (8 * i) & 0xff);
  return bytes_of(head + text);
}

std::string replaced(std::string text, std::string const& what, std::string const& by) {
  auto const at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

}  // namespace

TEST_CASE("types of C++ have the names of NumPy's", "[format][dtype]") {
  CHECK(name_of<double>() == "'<f8'");
  CHECK(name_of<float>() == "'<f4'");
  CHECK(name_of<long double>() == "'<f16'");
  CHECK(name_of<std::complex<float>>() == "'<c8'");
  CHECK(name_of<std::complex<double> const>() == "'<c16'");
  CHECK(name_of<bool>() == "'|b1'");
  CHECK(name_of<std::byte>() == "'|u1'");
  CHECK(name_of<std::int8_t>() == "'|i1'");
  CHECK(name_of<std::uint8_t>() == "'|u1'");
  CHECK(name_of<short>() == "'<i2'");
  CHECK(name_of<unsigned>() == "'<u4'");
  CHECK(name_of<long>() == "'<i8'");
  CHECK(name_of<unsigned long long>() == "'<u8'");
  CHECK(name_of<colour>() == "'<u2'");
  CHECK(name_of<by_form>() == "'|V8'");
  CHECK(name_of<double[3]>() == "[('f0', '<f8', (3,))]");
}

TEST_CASE("members that a struct is described by are fields, by their names", "[format][dtype]") {
  CHECK(name_of<particle>() == "[('x', '<f8', (3,)), ('id', '<i4')]");
  CHECK(io::extend::dtype_of<particle>().bytes == 28);
  CHECK(io::extend::dtype_of<particle>().fields[1].offset == 24);
  CHECK(name_of<private_names>() == "[('id', '<i4'), ('v', '<f4', (2, 2))]");
  CHECK(name_of<aggregate>() == "[('f0', '<f4'), ('f1', '<c16')]");
  CHECK(name_of<std::pair<int, particle>>() ==
        "[('first', '<i4'), ('second', [('x', '<f8', (3,)), ('id', '<i4')])]");
}

TEST_CASE("a .npy header that is written reads back, in the lowest version that holds it",
          "[format][npy]") {
  std::vector<io::extend::dtype> types{io::extend::dtype_of<double>(), io::extend::dtype_of<bool>(),
                                       io::extend::dtype_of<particle>(),
                                       io::extend::dtype_of<by_form>()};
  io::extend::dtype wide{.kind = 'r', .fields = {}}, foreign{.kind = 'r', .fields = {}};
  for (int i = 0; i < 4000; ++i)
    io::detail::add_field(wide, "a_field_of_a_name" + std::to_string(i),
                          {io::extend::dtype_of<int>()});
  io::detail::add_field(foreign,
                        "gr\xc3\xb6\xc3\x9f"
                        "e",
                        {io::extend::dtype_of<int>()});
  types.push_back(wide);
  types.push_back(foreign);
  for (io::extend::dtype const& t : types)
    for (std::vector<std::int64_t> const& shape :
         {std::vector<std::int64_t>{}, {7}, {3, 4}, {0, 1LL << 40}, {1, 2, 3, 4, 5}})
      for (io::order const o : {io::order::c, io::order::fortran}) {
        auto const bytes = io::detail::npy_header_of(t, o, shape);
        CHECK(bytes.size() % 4096 == 0);
        CHECK(bytes.back() == std::byte{'\n'});
        io::extend::failure why;
        auto const h = io::detail::parse_npy_header(bytes, why);
        INFO(why.detail);
        REQUIRE(h.has_value());
        CHECK(h->type == t);
        CHECK(h->order == o);
        CHECK(h->shape == shape);
        CHECK(h->data_offset == static_cast<std::int64_t>(bytes.size()));
        CHECK(h->version == (t == wide ? 2 : t == foreign ? 3 : 1));
      }
}

TEST_CASE("headers as NumPy and Python 2 write them are understood", "[format][npy]") {
  io::extend::failure why;
  auto h = io::detail::parse_npy_header(
      npy("{'descr': '>f8', 'fortran_order': False, 'shape': (3L, 4L), }      \n"), why);
  REQUIRE(h.has_value());
  CHECK(h->type == io::extend::dtype{.kind = 'f', .order = '>', .bytes = 8, .fields = {}});
  CHECK(h->shape == std::vector<std::int64_t>{3, 4});
  CHECK(h->bytes() == 96);
  CHECK(to_string(*h).rfind("'>f8' (3, 4), from byte", 0) == 0);
  h = io::detail::parse_npy_header(
      npy("{\"shape\":(),\"descr\":[('x','<f8',(3,)),('','|V4'),(('title','n'),'<U5')],"
          "'fortran_order':True}"),
      why);
  REQUIRE(h.has_value());
  CHECK(h->type.bytes == 24 + 4 + 20);
  CHECK(h->type.fields[1].name.empty());
  CHECK(h->type.fields[2].name == "n");
  CHECK(h->type.fields[2].offset == 28);
  CHECK(h->order == io::order::fortran);
  h = io::detail::parse_npy_header(
      npy("{'descr': [('gr\xf6\\xdfe \\u20ac', '<i4')], 'fortran_order': False, 'shape': (1,)}"),
      why);
  REQUIRE(h.has_value());
  CHECK(h->type.fields[0].name ==
        "gr\xc3\xb6\xc3\x9f"
        "e \xe2\x82\xac");  // latin-1 until version 3
  h = io::detail::parse_npy_header(
      npy("{'descr': '<M8[10ns]', 'fortran_order': False, 'shape': (5,)}", 2), why);
  REQUIRE(h.has_value());
  CHECK(h->type.unit == "[10ns]");
  h = io::detail::parse_npy_header(npy("{'descr': [('\\U0001F600\\n\\t\\r\\\\\\'\\xDF', '<i4')], "
                                       "'fortran_order': False, 'shape': (1,)}"),
                                   why);
  REQUIRE(h.has_value());
  CHECK(h->type.fields[0].name == "\xf0\x9f\x98\x80\n\t\r\\'\xc3\x9f");
}

TEST_CASE("values that ranks must give alike are told as numbers, where they are numbers",
          "[format]") {
  auto const words = []<class T>(T const& x) {
    auto const* const bytes = reinterpret_cast<std::byte const*>(&x);
    std::string const all =
        io::detail::value_words(io::const_buffer(bytes, io::detail::basic_of<T>(), 1));
    return all.substr(0, all.find(" ("));
  };
  CHECK(words(std::int32_t{-5}) == "-5");
  CHECK(words(std::uint32_t{4'000'000'000}) == "4000000000");
  CHECK(words(-5'000'000'000LL) == "-5000000000");
  CHECK(words(-6'000'000'000L) == "-6000000000");
  CHECK(words(std::uint64_t{1} << 63) == "9223372036854775808");
  CHECK(words(0.5f) == "0.5");
  CHECK(words(-0.25) == "-0.25");
  CHECK(words(std::int8_t{1}).substr(0, 1) == "(");  // only their size is shown
}

// Returns a record of one field, nested `depth` times.
std::string record_in_records(int depth) {
  return depth == 0 ? "'<f8'" : "[('x', " + record_in_records(depth - 1) + ")]";
}

TEST_CASE("a .npy header that is broken is refused, in words", "[format][npy]") {
  std::string const good = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }\n";
  io::extend::failure why;
  REQUIRE(io::detail::parse_npy_header(npy(good), why).has_value());
  REQUIRE(io::detail::parse_npy_header(
              npy("{'descr': " + record_in_records(7) + ", 'fortran_order': False, 'shape': (3,)}"),
              why)
              .has_value());
  CHECK_THAT(refusal_of(bytes_of("PK\x03\x04 and so on and on")),
             ContainsSubstring("this is no .npy file"));
  CHECK_THAT(refusal_of(bytes_of("")), ContainsSubstring("this is no .npy file"));
  CHECK_THAT(refusal_of(npy(good, 4)), ContainsSubstring("version 4.0"));
  auto cut = npy(good);
  cut.pop_back();
  CHECK_THAT(refusal_of(cut), ContainsSubstring("ends inside"));
  for (auto const& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"{'descr': '<f8', 'fortran_order': False}", "the keys"},
           {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}", "no others"},
           {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'shape': (3,)}", "twice"},
           {"('descr', '<f8', 'fortran_order', False, 'shape', (3,))", "the keys"},
           {"['descr', '<f8', 'fortran_order', False, 'shape', (3,)]", "the keys"},
           {"{'descr': '<f8', 'fortran_order': 1, 'shape': (3,)}", "neither True nor False"},
           {"{'descr': '<f8', 'fortran_order': False, 'shape': (3)}", "a tuple of one"},
           {"{'descr': '<f8', 'fortran_order': False, 'shape': [3]}", "shape"},
           {"{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}", "no string, number"},
           {"{'descr': '<f8', 'fortran_order': False, 'shape': (03,)}", "begins with 0"},
           {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}", "2^63"},
           {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
            "larger than any file"},
           {"{'descr': '<f7', 'fortran_order': False, 'shape': (3,)}", "'<f7'"},
           {"{'descr': 'f8', 'fortran_order': False, 'shape': (3,)}", "order of bytes"},
           {"{'descr': '|f8', 'fortran_order': False, 'shape': (3,)}", "order of bytes"},
           {"{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", "order of bytes"},
           {"{'descr': '|O8', 'fortran_order': False, 'shape': (3,)}", "objects of Python"},
           {"{'descr': [], 'fortran_order': False, 'shape': (3,)}", "fields"},
           {"{'descr': [('x',)], 'fortran_order': False, 'shape': (3,)}", "a field is"},
           {"{'descr': [('x','<f8'),('x','<f4')], 'fortran_order': False, 'shape': (3,)}",
            "'x' is there twice"},
           {"{'descr': '<M8(ns]', 'fortran_order': False, 'shape': (3,)}", "unit"},
           {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,)} + 1", "more behind"},
           {"__import__('os').abort()", "no string, number"},
           {std::string(1000, '('), "nested too deeply"},
           {"{'descr': " + record_in_records(8) + ", 'fortran_order': False, 'shape': (3,)}",
            "nested too deeply"},
           {"{'descr': '<f8", "no end"},
           {"'f8", "no end"},
           {"'f8\\", "no end"},
           {"{'\\q': 1}", "escape"},
           {"{'\\x4g': 1}", "escape"}}) {
    INFO(text);
    CHECK_THAT(refusal_of(text), ContainsSubstring(words));
  }
  CHECK_THAT(
      refusal_of(npy("{'descr': [('\xff', '<f8')], 'fortran_order': False, 'shape': (3,)}", 3)),
      ContainsSubstring("UTF-8"));
}

TEST_CASE("a checkpoint's header reads back; its arrays lie one behind the other",
          "[format][checkpoint]") {
  io::checkpoint_header const h = some_arrays();
  io::extend::failure why;
  auto const back = io::detail::parse_checkpoint_header(io::detail::checkpoint_header_of(h), why);
  INFO(why.detail);
  REQUIRE(back.has_value());
  CHECK(*back == h);
  CHECK(h.arrays[0].offset == 4096);
  CHECK(h.blocks(h.arrays[0]) == 3);
  CHECK(h.arrays[0].sums == 4096 + 2400000);
  CHECK(h.blocks(h.arrays[2]) == 0);
  CHECK(h.arrays[3].offset % 4096 == 0);
  CHECK(h.find("step") == &h.arrays[3]);
  CHECK(h.find("steps") == nullptr);
  CHECK_THAT(to_string(h),
             ContainsSubstring("u: '<f8' (300, 1000), Fortran order, from byte 4096 on\n"));
}

TEST_CASE("a checkpoint's header may have many arrays of records", "[format][checkpoint]") {
  io::checkpoint_header h;
  for (int i = 0; i < 20000; ++i)
    h.arrays.push_back(
        {.name = "a" + std::to_string(i), .type = io::extend::dtype_of<particle>(), .shape = {3}});
  io::detail::place_arrays(h);
  io::extend::failure why;
  auto const back = io::detail::parse_checkpoint_header(io::detail::checkpoint_header_of(h), why);
  INFO(why.detail);
  REQUIRE(back.has_value());
  CHECK(back->arrays.size() == 20000);
  CHECK((*back == h));
}

TEST_CASE("a checkpoint's header may have a record of 20,000 members", "[format][checkpoint]") {
  io::checkpoint_header h;
  io::extend::dtype const real = io::extend::dtype_of<double>();
  io::extend::dtype record{.kind = 'r', .fields = {}};
  for (int i = 0; i < 20000; ++i) {
    record.fields.push_back({.name = "m" + std::to_string(i), .type = real, .offset = 8 * i});
    record.bytes += 8;
  }
  h.arrays.push_back({.name = "u", .type = record, .shape = {3}});
  io::detail::place_arrays(h);
  io::extend::failure why;
  auto const back = io::detail::parse_checkpoint_header(io::detail::checkpoint_header_of(h), why);
  INFO(why.detail);
  REQUIRE(back.has_value());
  CHECK(back->arrays[0].type.fields.size() == 20000);
}

TEST_CASE("a checkpoint's header that is broken is refused, in words", "[format][checkpoint]") {
  auto const refused = [](std::vector<std::byte> const& bytes) {
    io::extend::failure why;
    CHECK_FALSE(io::detail::parse_checkpoint_header(bytes, why).has_value());
    CHECK(why.code == io::errc::damaged);
    return why.detail;
  };
  std::vector<std::byte> const good = io::detail::checkpoint_header_of(some_arrays());
  for (std::size_t i = 0; i < good.size(); ++i) {  // any change of a bit must be found
    auto bad = good;
    bad[i] ^= std::byte{4};
    CHECK_FALSE(refused(bad).empty());
  }
  CHECK_THAT(refused({good.begin(), good.end() - 1}), ContainsSubstring("ends inside"));
  CHECK_THAT(refused(with_text([](std::string t) { return replaced(t, "'nothing'", "'u'"); })),
             ContainsSubstring("twice"));
  CHECK_THAT(refused(with_text([](std::string t) { return replaced(t, "'nothing'", "''"); })),
             ContainsSubstring("has a name"));
  CHECK_THAT(refused(with_text([](std::string t) { return replaced(t, "4096", "4000000"); })),
             ContainsSubstring("no place"));
  CHECK_THAT(refused(with_text([](std::string t) { return replaced(t, "4096", "40"); })),
             ContainsSubstring("no place"));
  CHECK_THAT(refused(with_text(
                 [](std::string t) { return replaced(t, "(300,", "(9223372036854775807,"); })),
             ContainsSubstring("larger"));
  CHECK_THAT(
      refused(with_text([](std::string t) { return replaced(t, "(300,", "(92233720368547,"); })),
      ContainsSubstring("no place"));
  CHECK_THAT(refused(with_text([](std::string t) { return replaced(t, "1048576", "0"); })),
             ContainsSubstring("blocks"));
  CHECK_THAT(refused(with_text([](std::string t) { return replaced(t, "'blocks'", "'block'"); })),
             ContainsSubstring("blocks"));
}

TEST_CASE("one process looks at the header of a file, or hears why there is none",
          "[format][file_header]") {
  scratch const here;
  auto const put = [&](std::string const& name, std::vector<std::byte> const& bytes,
                       std::int64_t more) {
    std::ofstream out(here / name, std::ios::binary);
    out.write(reinterpret_cast<char const*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    out << std::string(static_cast<std::size_t>(more), 'x');
    out.close();
    return here / name;
  };
  auto const h = io::read_header(put(
      "a.npy", io::detail::npy_header_of(io::extend::dtype_of<float>(), io::order::c, {5}), 20));
  REQUIRE(std::holds_alternative<io::npy_header>(h));
  CHECK(std::get<io::npy_header>(h).shape == std::vector<std::int64_t>{5});

  auto const c = io::detail::checkpoint_header_of(some_arrays());
  std::string const whole =
      put("c", c, some_arrays().file_bytes - static_cast<std::int64_t>(c.size()));
  CHECK(std::get<io::checkpoint_header>(io::read_header(whole)) == some_arrays());
  CHECK(io::find_damage(whole).size() == 5);  // no checksum is right
  CHECK(io::find_damage(whole)[4].array == "step");

  auto const words = [](std::string const& path) -> std::string {
    std::error_code error;
    io::read_header(path, error);
    CHECK(error);
    try {
      io::read_header(path);
    } catch (io::error const& e) {
      CHECK(e.code() == error);
      return e.what();
    }
    return "nothing was thrown";
  };
  CHECK_THAT(
      words(put("b.npy",
                io::detail::npy_header_of(io::extend::dtype_of<float>(), io::order::c, {5}), 19)),
      ContainsSubstring("b.npy") && ContainsSubstring("its header speaks of 4116"));
  CHECK_THAT(words(put("d", c, 0)), ContainsSubstring("its header speaks of"));
  CHECK_THAT(words(put("e", bytes_of("hello"), 0)),
             ContainsSubstring("neither a .npy file nor a checkpoint"));
  CHECK_THAT(words(put("f", {}, 0)), ContainsSubstring("neither"));
  CHECK_THAT(words(here / "none"), ContainsSubstring("no such file"));
}

namespace {

// Makes a file so old that no save can be about to begin.
void age(std::string const& path) {
  std::filesystem::last_write_time(
      path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
}

}  // namespace

TEST_CASE("what saves left is found by its name, and nothing else is taken for it",
          "[format][leftovers]") {
  scratch const here;
  std::string const path = here / "state", left = path + ".0123456789abcdef.part";
  for (std::string const& name :
       {path, left, here / "other.0123456789abcdef.part", path + ".0123456789abcde.part",
        path + ".0123456789abcdeF.part", path + ".0123456789abcdefa.part", path + "..part",
        path + ".0123456789abcdef.part.bak", path + ".part"})
    std::ofstream(name) << "bytes";
  std::filesystem::create_directory(path + ".0123456789abcde0.part");
  std::filesystem::create_symlink(path, path + ".0123456789abcde1.part");
  auto const names_left = [&] {
    return std::distance(std::filesystem::directory_iterator(here.string()), {});
  };
  auto const before = names_left();
  for (std::string const& called : {path, "ufs:" + path}) {
    auto const all = io::find_leftovers(called);
    REQUIRE(all.size() == 1);
    CHECK(all[0].path == left);
    CHECK(all[0].bytes == 5);
    CHECK(all[0].kept.empty());
  }
  CHECK(names_left() == before);
  auto const removed = io::remove_leftovers(path);
  REQUIRE(removed.size() == 1);
  CHECK(removed[0].kept.empty());
  CHECK(!std::filesystem::exists(left));
  CHECK(names_left() == before - 1);
  CHECK(io::remove_leftovers(path).empty());
  std::error_code error;
  CHECK(io::find_leftovers(here / "none/state", error).empty());
  CHECK(error == io::errc::no_such_file);
  CHECK_THROWS_AS(io::remove_leftovers(here / "none/state"), io::error);
}

TEST_CASE("a file that a save has locked, or is about to lock, is kept", "[format][leftovers]") {
  scratch const here;
  std::string const path = here / "state", part = path + ".0123456789abcdef.part";
  std::ofstream(part).close();
  CHECK_THAT(io::remove_leftovers(path).at(0).kept,
             ContainsSubstring("a save may be about to write it"));
  age(part);
  {
    io::detail::written_mark mark;
    CHECK(!mark.enter(io::posix_opener(), part, 17));
    for (int i = 0; i < 2; ++i)
      CHECK(io::remove_leftovers(path).at(0).kept == "a running job writes it");
    CHECK(in_child([&] {
            return io::find_leftovers(path).at(0).kept == "a running job writes it";
          }) == 0);
  }
  CHECK(std::filesystem::exists(part));
  CHECK(io::remove_leftovers(path).at(0).kept.empty());
  CHECK(!std::filesystem::exists(part));
  io::detail::written_mark late;  // the file was removed before it could be locked
  CHECK(late.enter(io::posix_opener(), part, 17).code == std::errc::no_such_file_or_directory);
}

TEST_CASE("a running save keeps its file, and one that is killed leaves it to be removed",
          "[format][leftovers]") {
  scratch const here;
  std::string const path = here / "state";
  int to_parent[2] = {};
  REQUIRE(::pipe(to_parent) == 0);
  pid_t const child = ::fork();
  if (child == 0) {
    std::vector<double> const many(1000, 1.5);
    auto const waits = io::posix_opener();
    io::basic_checkpoint<io::self> c;
    c.add_value("many", many);
    // Stays in the last call of the save, when all is written and the file still has its temporary
    // name.
    io::opener const stays(
        waits, [&](std::string const& p) { return waits.remove(p); },
        [&](std::string const&, std::string const&) {
          char const all_written = 1;
          if (::write(to_parent[1], &all_written, 1) != 1) ::_exit(1);
          for (;;) ::pause();
          return std::error_code();
        },
        [](std::string const&) { return std::error_code(); });
    c.save(io::self(), path, {}, stays);
    ::_exit(1);
  }
  char all_written = 0;
  REQUIRE(::read(to_parent[0], &all_written, 1) == 1);
  auto const running = io::remove_leftovers(path);
  REQUIRE(running.size() == 1);
  CHECK(running[0].kept == "a running job writes it");
  CHECK(running[0].bytes > 8000);
  CHECK(std::filesystem::exists(running[0].path));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  auto const ended = io::remove_leftovers(path);
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].kept.empty());
  CHECK(std::filesystem::is_empty(here.string()));
  ::close(to_parent[0]);
  ::close(to_parent[1]);
}
