// Small local calls: their cost in addition to the system call.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/handle/fault_script.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/world/self.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/seed.hpp"

namespace io = argosy;

namespace {

using file = io::basic_file<io::self>;

}  // namespace

TEST_CASE("contiguous local calls allocate nothing and tell what they did all the same",
          "[file][local]") {
  io::test::scratch const dir;
  file f = file::open(io::self(), dir / "data", io::mode::create | io::mode::read_write);
  std::vector<double> out(64), in(64);
  std::iota(out.begin(), out.end(), 1.0);
  std::span<double const> const from(out);
  std::span<double> const into(in);
  std::error_code error;
  io::extend::any_policy const given = io::independent{};

  struct call {
    std::string name;
    std::function<io::report()> run;
  };
  std::vector<call> const calls{
      {"write_at", [&] { return f.write_at(0, from); }},
      {"read_at", [&] { return f.read_at(0, into); }},
      {"write", [&] { return f.seek(0), f.write(from); }},
      {"read", [&] { return f.seek(0), f.read(into); }},
      {"write_at_all", [&] { return f.write_at_all(0, from); }},  // no other rank to agree with
      {"read_at_all", [&] { return f.read_at_all(0, into); }},
      {"write_ordered", [&] { return f.seek_shared(0), f.write_ordered(from); }},
      {"read_ordered", [&] { return f.seek_shared(0), f.read_ordered(into); }},
      {"write_at, error", [&] { return f.write_at(0, from, error); }},
      {"read_at, error", [&] { return f.read_at(0, into, error); }},
      {"write, policy and error", [&] { return f.seek(0), f.write(from, {given, error}); }},
      {"read, policy and error", [&] { return f.seek(0), f.read(into, {given, error}); }},
  };
  for (bool const etype : {false, true}) {
    if (etype) f.set_view(16, io::type<double>);
    for (call const& c : calls) {
      INFO(c.name << (etype ? ", view of doubles" : ", default view"));
      std::fill(in.begin(), in.end(), 0.0);
      c.run();  // makes what the file needs
      io::allocation_count const count;
      io::report const r = c.run();
      std::size_t const allocated = count.since();
      CHECK(allocated == 0);
      CHECK(r.bytes == 512);
      CHECK(r.read_calls + r.write_calls == 1);
      CHECK(std::string(r.reason).size() > 10);
      if (c.name.starts_with("read")) CHECK(in == out);
    }
  }
}

TEST_CASE("a call of one stretch does and says what the same call with its policy named does",
          "[file][local]") {
  io::test::scratch const dir;
  file f = file::open(io::self(), dir / "data", io::mode::create | io::mode::read_write);
  std::vector<int> const out{1, 2, 3, 4, 5, 6, 7};
  f.write_at(0, out);
  io::extend::any_policy const named = io::sieving{};
  for (std::int64_t const displacement : {0, 3})
    for (std::int64_t const offset :
         {std::int64_t{-1}, std::int64_t{0}, std::int64_t{2}, std::int64_t{5}, std::int64_t{7},
          std::int64_t{9}, INT64_MAX / 4 - 5, INT64_MAX / 4 - 4, INT64_MAX / 4 - 3, INT64_MAX / 4,
          INT64_MAX / 4 + 1, INT64_MAX}) {
      INFO("displacement " << displacement << ", offset " << offset);
      f.set_view(displacement, {io::type<int>, io::type<int>});
      std::vector<int> plain(4, -1), planned(4, -1);
      std::error_code plain_error, planned_error;
      io::report const a = f.read_at(offset, plain, plain_error);
      std::string const words = f.what_failed();
      io::report const b = f.read_at(offset, planned, {named, planned_error});
      CHECK(plain == planned);
      CHECK(plain_error == planned_error);
      CHECK(words == f.what_failed());
      CHECK(io::to_table(a) == io::to_table(b));
      CHECK((plain_error ||
             a.bytes == std::clamp<std::int64_t>(
                            28 - displacement - 4 * std::min<std::int64_t>(offset, 99), 0, 16)));
    }
  f.set_view(0, {io::type<int>, io::type<int>});
  io::report const a = f.write_at(1, out), b = f.write_at(1, out, named);
  CHECK(io::to_table(a) == io::to_table(b));
  std::vector<int> in(8);
  f.read_at(0, in);
  CHECK(in == std::vector<int>{1, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE(
    "a small call of pieces that lie close together does and says what the same call with its "
    "policy named does",
    "[file][local]") {
  io::test::scratch const dir;
  std::mt19937_64 draw(io::test::seed());
  std::vector<std::int64_t> const places{0, 1, 4, 5, 9, 100, 101, 200, 900, 902};
  struct shape {
    std::string name;
    io::view v;
  };
  auto const wide =
      io::hindexed_block(1, std::vector<std::int64_t>{0, 3000, 3004, 9000}, io::type<int>);
  std::vector<shape> const shapes{
      {"every third",
       io::view(8, io::type<int>, io::resized(io::contiguous(1, io::type<int>), 0, 12))},
      {"rows", io::view(0, io::type<int>, io::vector(5, 20, 50, io::type<int>))},
      {"bytes by the dozen",
       io::view(1, io::bytes(1), io::resized(io::vector(4, 2, 3, io::bytes(1)), 0, 12))},
      {"irregular", io::view(16, io::type<int>, io::indexed_block(1, places, io::type<int>))},
      {"far apart", io::view(0, io::type<int>, wide)},
  };
  std::vector<io::hints> const all_hints{
      {},
      {.ds_read = io::tristate::disable},
      {.ds_read = io::tristate::enable},
      {.ind_rd_buffer_bytes = 64},
      {.price_piece_ns = 1e6},
  };
  auto const number = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(draw);
  };
  for (io::hints const& h : all_hints) {
    file f = file::open(io::self(), dir / "data", io::mode::create | io::mode::read_write, h);
    std::vector<std::byte> content(6000);
    for (std::byte& b : content) b = static_cast<std::byte>(number(1, 255));
    for (shape const& s : shapes)
      for (int i = 0; i < 60; ++i) {
        f.set_view(io::view());
        f.set_size(0);
        f.write_at(0, std::span(content).first(static_cast<std::size_t>(number(0, 6000))));
        f.set_view(s.v);
        std::int64_t const offset = number(-1, 30), etypes = number(0, number(0, 1) == 0 ? 3 : 900);
        INFO(s.name << ", hints " << (&h - all_hints.data()) << ", " << etypes << " etypes from "
                    << offset << " on, file of " << f.size());
        // Sometimes the last etype is incomplete.
        auto const bytes =
            static_cast<std::size_t>(etypes * s.v.etype_size() - (number(0, 20) == 0 ? 1 : 0));
        if (bytes > 4000) continue;
        std::vector<std::byte> close(bytes, std::byte{0}), planned(bytes, std::byte{0});
        io::extend::any_policy const named = io::sieving{
            .read_window_bytes = h.ind_rd_buffer_bytes.value_or(io::sieving{}.read_window_bytes),
            .reads = !h.ds_read                           ? io::sieving_mode::automatic
                     : *h.ds_read == io::tristate::enable ? io::sieving_mode::always
                                                          : io::sieving_mode::never,
            .prices = {.piece_ns = h.price_piece_ns.value_or(io::extend::prices{}.piece_ns)}};
        std::error_code close_error, planned_error;
        io::report const a = f.read_at(offset, close, close_error);
        std::string const words = f.what_failed();
        io::report const b = f.read_at(offset, planned, {named, planned_error});
        CHECK(close == planned);
        CHECK(close_error == planned_error);
        CHECK(words == f.what_failed());
        CHECK(io::to_string(a) == io::to_string(b));
        CHECK(a.merged_bytes == b.merged_bytes);

        // At the individual pointer, which must move by the requested count, or stay if the call
        // fails.
        if (offset >= 0) {
          std::vector<std::byte> in(bytes, std::byte{0});
          std::error_code error;
          f.seek(offset);
          io::report const c = f.read(in, error);
          CHECK(in == close);
          CHECK(error == close_error);
          CHECK(io::to_string(c) == io::to_string(a));
          CHECK(f.position() ==
                (error ? offset : offset + static_cast<std::int64_t>(bytes) / s.v.etype_size()));
        }

        // Repeats the call as a write, on the same content.
        std::vector<std::vector<std::byte>> after;
        for (char const* const way : {"plainly", "by name", "at the pointer"}) {
          if (way == std::string("at the pointer") && offset < 0) continue;
          f.set_view(io::view());
          f.set_size(0);
          f.write_at(0, content);
          f.set_view(s.v);
          std::error_code error;
          if (way == std::string("by name"))
            f.write_at(offset, close, {named, error});
          else if (way == std::string("plainly"))
            f.write_at(offset, close, error);
          else
            f.seek(offset), f.write(close, error);
          CHECK(error == planned_error);
          f.set_view(io::view());
          std::vector<std::byte>& all = after.emplace_back(static_cast<std::size_t>(f.size()));
          f.read_at(0, all);
        }
        for (auto const& all : after) CHECK(all == after[0]);
      }
  }
}

TEST_CASE(
    "a small call of pieces that fails in the middle tells and leaves what the same call with its "
    "policy named does",
    "[file][local][error]") {
  struct thrown {};
  io::test::scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  script->sleep_by([](std::chrono::nanoseconds) { throw thrown(); });
  file f = file::open(io::self(), dir / "data", io::mode::create | io::mode::read_write, {},
                      io::with_faults(io::posix_opener(), script));
  std::vector<int> content(40);
  std::iota(content.begin(), content.end(), 1);
  std::error_code const broken = make_error_code(std::errc::io_error);
  std::vector<io::fault> const faults{
      {.error = broken},
      {.error = broken, .most_bytes = 3},
      {.error = broken, .most_bytes = 10},
      {.error = broken, .most_bytes = 30},
      {.most_bytes = 0},
      {.most_bytes = 17},
      {.delay = std::chrono::nanoseconds(1)},
  };
  // Pieces that are read by one file call, and a stretch within a piece.
  std::vector<io::view> const views{
      io::view(8, io::type<int>, io::resized(io::contiguous(1, io::type<int>), 0, 12)),
      io::view(4, io::type<int>, io::vector(2, 12, 20, io::type<int>)),
  };
  struct outcome {
    std::vector<int> memory, file;
    std::error_code error;
    std::string words, report;
    std::int64_t position = 0;
    bool threw = false;
  };
  for (io::view const& v : views)
    for (auto const& [reading, at_pointer] :
         {std::pair(true, false), {true, true}, {false, false}, {false, true}})
      for (std::size_t k = 0; k < faults.size(); ++k) {
        io::fault fault = faults[k];
        INFO((reading ? "reading" : "writing")
             << (at_pointer ? " at the pointer" : "") << ", fault " << k << ", view "
             << &v - views.data());
        fault.kind = reading ? io::file_call::read : io::file_call::write;
        if (!reading && &v == &views[0]) fault.times = io::fault::forever;
        std::vector<outcome> both;
        for (bool const by_name : {false, true}) {
          script->clear();
          f.set_view(io::view());
          f.set_size(0);
          f.write_at(0, content);
          f.set_view(v);
          script->clear();  // counts from here on
          script->add(fault);
          outcome& got = both.emplace_back();
          got.memory.assign(6, -1);
          io::extend::any_policy const named = io::sieving{};
          io::access_options const how =
              by_name ? io::access_options(named, got.error) : io::access_options(got.error);
          try {
            f.seek(1);
            io::report r;
            if (reading)
              r = at_pointer ? f.read(got.memory, how) : f.read_at(1, got.memory, how);
            else
              r = at_pointer ? f.write(got.memory, how) : f.write_at(1, got.memory, how);
            got.report = to_string(r);
          } catch (thrown const&) {
            got.threw = true;
          }
          got.words = f.what_failed();
          got.position = f.position();
          script->clear();
          f.set_view(io::view());
          got.file.resize(content.size());
          f.read_at(0, got.file);
        }
        bool const fails = fault.error || fault.delay.count() > 0;
        CHECK((both[0].error || both[0].threw || !fails));
        CHECK(both[0].memory == both[1].memory);
        CHECK(both[0].file == both[1].file);
        CHECK(both[0].error == both[1].error);
        CHECK(both[0].words == both[1].words);
        CHECK(both[0].report == both[1].report);
        CHECK(both[0].position == both[1].position);
        CHECK(both[0].threw == both[1].threw);
      }
}

TEST_CASE("one stretch of memory is that, however it is described", "[file][local]") {
  io::test::scratch const dir;
  file f = file::open(io::self(), dir / "data", io::mode::create | io::mode::read_write);
  std::vector<int> numbers(9);
  std::iota(numbers.begin(), numbers.end(), 1);
  // Numbers 3 to 6 in several forms, and mistakes in them.
  struct shape {
    std::string name;
    std::function<io::source()> data;
  };
  std::vector<shape> const shapes{
      {"a span", [&] { return std::span<int const>(numbers).subspan(2, 4); }},
      {"an address", [&]() -> io::source { return {numbers.data() + 2, io::type<int>, 4}; }},
      {"a piece of what lies there",
       [&]() -> io::source { return {numbers.data(), io::at(8, io::bytes(16))}; }},
      {"a member in the middle",
       [&]() -> io::source { return {numbers.data(), io::indexed({4}, {2}, io::type<int>)}; }},
      {"half an etype", [&] { return std::as_bytes(std::span(numbers)).subspan(8, 6); }},
      {"nothing", [&] { return std::span<int const>(); }},
      {"nothing of something", [&] { return std::span<int const>(numbers).first(0); }},
      {"less than nothing", [&]() -> io::source { return {numbers.data(), io::type<int>, -4}; }},
  };
  io::extend::any_policy const named = io::sieving{};
  for (shape const& s : shapes)
    for (bool const by_name : {false, true}) {
      INFO(s.name << (by_name ? ", by a named policy" : ""));
      f.set_size(0);
      f.set_view(4, {io::type<int>, io::type<int>});
      std::error_code error;
      io::report const r =
          by_name ? f.write_at(1, s.data(), {named, error}) : f.write_at(1, s.data(), error);
      bool const whole =
          s.name.find("etype") == std::string::npos && s.name.find("nothing") == std::string::npos;
      CHECK(r.bytes == (whole ? 16 : 0));
      if (s.name == "half an etype") CHECK(error == io::errc::datatype);
      if (s.name == "less than nothing") CHECK(error == io::errc::argument);
      if (s.name.starts_with("nothing") || whole) CHECK(!error);
      f.set_view(0, {io::type<int>, io::type<int>});
      std::vector<int> in(7, -1);
      f.read_at(0, in);
      CHECK(in == (whole ? std::vector<int>{0, 0, 3, 4, 5, 6, -1} : std::vector<int>(7, -1)));
    }
}
