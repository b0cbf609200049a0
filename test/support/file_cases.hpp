// The contract of a file in every world, except for its data: opening, pointers, sizes, requests,
// hints. Called by all ranks. One page because each world must pass the whole contract.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>

#include "catch.hpp"
#include "files.hpp"
#include "seen_by_all.hpp"
#include "shared_scratch.hpp"

namespace argosy::test {

using namespace extend;

// --- Opening and closing ---

template <communicator World>
void check_open_modes(World const& world) {
  using file = basic_file<World>;
  shared_scratch const here(world);
  std::string const path = here / "data";
  std::error_code error;

  file f = file::open(world, path, mode::read_write, error);
  CHECK_FALSE(f.is_open());
  CHECK(error == errc::no_such_file);
  CHECK_THROWS_AS(file::open(world, path, mode::read), argosy::error);

  for (mode m : {mode::none, mode::read | mode::write, mode::read | mode::create,
                 mode::read | mode::exclusive, mode::read_write | mode::sequential}) {
    f = file::open(world, path, m, error);
    CHECK(error == errc::amode);
    CHECK_FALSE(f.is_open());
  }
  f = file::open(world, "", mode::read, error);
  CHECK(error == errc::bad_file);
  CHECK_FALSE(std::filesystem::exists(path));

  f = file::open(world, path, mode::create | mode::exclusive | mode::write);
  CHECK(f.is_open());
  CHECK(f.path() == path);
  CHECK(f.mode() == (mode::create | mode::exclusive | mode::write));
  CHECK(f.world().size() == world.size());
  CHECK(f.size() == 0);
  world.barrier();
  int number = world.rank();
  f.read_at(0, number, error);
  CHECK(error == errc::access);
  f.write_at(world.rank() * 4, number);
  f.close();
  CHECK_FALSE(f.is_open());
  f.close(error);
  CHECK(error == errc::file);
  CHECK(size_at_server(path) == 4 * world.size());

  f = file::open(world, path, mode::create | mode::exclusive | mode::write, error);
  CHECK(failed_on(world, 0, errc::file_exists, error));
  // the file exists, and is not truncated
  f = file::open(world, path, mode::create | mode::read_write);
  CHECK(f.size() == 4 * world.size());
  f.close();

  f = file::open(world, path, mode::read);
  f.write_at(0, number, error);
  CHECK(error == errc::read_only);
  CHECK(f.what_failed().find("reading only") != std::string::npos);
  f.set_size(0, error);
  CHECK(error == errc::read_only);
  number = -1;
  CHECK(f.read_at(world.rank() * 4, number).bytes == 4);
  CHECK(number == world.rank());
  f.close();
}

template <communicator World>
void check_append(World const& world) {
  shared_scratch const here(world);
  std::string const path = here / "data";
  for (int i = 0; i < 2; ++i) {
    auto f = basic_file<World>::open(world, path, mode::create | mode::write | mode::append);
    std::int64_t const end = i * 4 * world.size();
    CHECK(f.position() == end);
    CHECK(f.position_shared() == end);
    int const number = 100 * i + world.rank();
    f.write_ordered(number);
    let_all_see(f, world);
    CHECK(f.size() == end + 4 * world.size());
    f.set_view(0, type<int>);
    CHECK(f.position() == 0);
    CHECK(f.position_shared() == 0);
    f.close();
  }
  auto f = basic_file<World>::open(world, path, mode::read);
  f.set_view(0, type<int>);
  std::vector<int> all(static_cast<std::size_t>(2 * world.size()));
  f.read(all);
  std::vector<int> expected = numbers_from(0, world.size()),
                   later = numbers_from(100, world.size());
  expected.insert(expected.end(), later.begin(), later.end());
  CHECK(all == expected);
  f.close();
}

template <communicator World>
void check_delete_on_close(World const& world) {
  shared_scratch const here(world);
  auto f = basic_file<World>::open(world, here / "data",
                                   mode::create | mode::read_write | mode::delete_on_close);
  CHECK(std::filesystem::exists(here / "data"));
  world.barrier();
  f.close();
  CHECK(is_gone(here / "data"));
}

template <communicator World>
void check_sequential(World const& world) {
  shared_scratch const here(world);
  std::error_code error;
  auto f =
      basic_file<World>::open(world, here / "data", mode::create | mode::write | mode::sequential);
  std::vector<char> const header(8, 'h');
  f.write_ordered(world.rank() == 0 ? std::span(header) : std::span<char const>());
  int const number = world.rank();
  f.write_at(0, number, error);
  CHECK(error == errc::unsupported);
  f.write(number, error);
  CHECK(error == errc::unsupported);
  f.seek(0, seek_from::start, error);
  CHECK(error == errc::unsupported);
  f.seek_shared(0, seek_from::start, error);
  CHECK(error == errc::unsupported);
  f.set_view(0, type<int>, error);
  CHECK(error == errc::argument);
  f.set_view(current_displacement, type<int>);
  CHECK(f.view().displacement() == 8);
  CHECK(f.position_shared() == 0);
  f.write_ordered(number);
  // From the present pointer, the view of one rank would end beyond the largest offset.
  constexpr std::int64_t half = std::int64_t{1} << 62;
  f.set_view(current_displacement, {bytes(1), at(half, bytes(1))});
  std::int64_t const before = f.view().displacement();
  bool const last = world.rank() == world.size() - 1;
  f.set_view(current_displacement, {bytes(1), at(last ? half + half / 2 : 0, bytes(1))}, error);
  CHECK(error == (last ? errc::datatype : errc::error_on_another_rank));
  CHECK(f.view().displacement() == before);
  f.close();
  f = basic_file<World>::open(world, here / "data", mode::read);
  f.set_view(current_displacement, type<int>, error);
  CHECK(error == errc::argument);
  f.set_view(8, type<int>);
  std::vector<int> all(static_cast<std::size_t>(world.size()));
  f.read(all);
  CHECK(all == numbers_from(0, world.size()));
  f.close();
}

template <communicator World>
void check_moves(World const& world) {
  using file = basic_file<World>;
  shared_scratch const here(world);
  file f;
  CHECK_FALSE(f.is_open());
  int number = world.rank();
  std::error_code error;
  f.write(number, error);
  CHECK(error == errc::file);
  CHECK_THROWS_AS(f.position(), argosy::error);

  f = file::open(world, here / "data", mode::create | mode::read_write);
  f.set_view(0, type<int>);
  f.seek(world.rank());
  request r = f.iwrite(number);
  file g = std::move(f);
  CHECK_FALSE(f.is_open());
  CHECK(g.position() == world.rank() + 1);
  CHECK(r.wait().bytes == 4);
  g.seek(-1, seek_from::current);
  number = -1;
  g.read(number);
  CHECK(number == world.rank());
  world.barrier();
  file other = file::open(world, here / "other", mode::create | mode::write);
  g = std::move(other);  // the file that g held is released
  CHECK(g.path() == here / "other");
  g.close();
}

// --- Pointers and sizes ---

template <communicator World>
void check_pointers(World const& world) {
  shared_scratch const here(world);
  auto f = basic_file<World>::open(world, here / "data", mode::create | mode::read_write);
  std::error_code error;
  f.set_size(100);
  f.set_view(4, {type<int>, resized(contiguous(2, type<int>), 0, 12)});  // two of three ints
  CHECK(f.byte_offset(0) == 4);
  CHECK(f.byte_offset(1) == 8);
  CHECK(f.byte_offset(2) == 16);
  CHECK_THROWS_WITH(f.byte_offset(-1), Catch::Contains("offset -1 is no place in the view"));
  CHECK_THROWS_AS(f.byte_offset(INT64_MAX), argosy::error);

  f.seek(5);
  CHECK(f.position() == 5);
  f.seek(-2, seek_from::current);
  CHECK(f.position() == 3);
  f.seek(0, seek_from::end);
  CHECK(f.position() == 16);  // 8 tiles of 12 bytes end at byte 100
  f.seek(-1, seek_from::end);
  CHECK(f.position() == 15);
  f.seek(-16, seek_from::current, error);
  CHECK(error == errc::argument);
  CHECK(f.position() == 15);
  CHECK_THROWS_AS(f.seek(-1), argosy::error);
  f.seek(INT64_MAX, seek_from::current, error);
  CHECK(error == errc::argument);

  f.seek_shared(7);
  CHECK(f.position_shared() == 7);
  world.barrier();
  f.seek_shared(-3, seek_from::current);
  CHECK(f.position_shared() == 4);
  world.barrier();
  f.seek_shared(2, seek_from::end);
  CHECK(f.position_shared() == 18);
  world.barrier();
  f.seek_shared(-1, seek_from::start, error);
  CHECK(error == errc::argument);  // every rank finds the error by itself
  f.seek_shared(-19, seek_from::current, error);
  CHECK(failed_on(world, 0, errc::argument, error));
  CHECK(f.position_shared() == 18);
  if (world.size() > 1) {
    f.seek_shared(world.rank(), seek_from::start, error);
    CHECK(error == errc::not_same);
  }
  f.close();
}

template <communicator World>
void check_sizes(World const& world) {
  shared_scratch const here(world);
  auto f = basic_file<World>::open(world, here / "data", mode::create | mode::read_write);
  std::error_code error;
  std::vector<char> const data(10, 'x');
  if (world.rank() == 0) f.write_at(0, data);
  f.set_size(1000);
  CHECK(f.size() == 1000);
  f.preallocate(500);  // already this large: no byte changes
  CHECK(f.size() == 1000);
  f.preallocate(5000);
  CHECK(f.size() == 5000);
  std::vector<char> got(20, '?');
  f.read_at(0, got);
  CHECK(std::string(got.begin(), got.end()) == "xxxxxxxxxx" + std::string(10, '\0'));
  world.barrier();
  f.set_size(5);
  CHECK(f.size() == 5);
  f.set_size(-1, error);
  CHECK(error == errc::argument);
  f.preallocate(-1, error);
  CHECK(error == errc::argument);
  CHECK(f.size(error) == 5);
  CHECK_FALSE(error);
  if (world.size() > 1) {
    f.set_size(world.rank(), error);
    CHECK(error == errc::not_same);
  }
  f.sync();
  f.clear_sync_error();

  CHECK_FALSE(f.atomic());
  if (goes_atomic(f, here / "data")) {
    CHECK(f.atomic());
    CHECK(f.write_at(world.rank(), data).locks == 1);
    world.barrier();
    f.set_atomic(false);
  }
  CHECK_FALSE(f.atomic());
  CHECK(f.type_extent(type<double>) == 8);
  f.set_view(0, {type<long>, external32});
  CHECK(f.type_extent(type<long>) == 4);
  CHECK(f.type_extent(contiguous(3, type<double>)) == 24);
  f.close();
}

template <communicator World>
void check_two_files(World const& world) {
  shared_scratch const here(world);
  auto f = basic_file<World>::open(world, here / "one", mode::create | mode::read_write);
  auto g = basic_file<World>::open(world, here / "two", mode::create | mode::read_write);
  f.set_view(0, type<int>);
  int const me = world.rank(), a = me, b = -me;
  f.write_at_all(me, a);
  g.write_at_all(4 * me, b);
  request r = f.iwrite_at(world.size() + me, b), s = g.iwrite_at(4 * (world.size() + me), a);
  r.wait();
  s.wait();
  int x = 0, y = 0;
  f.read_at_all(me, x);
  g.read_at_all(4 * (world.size() + me), y);
  CHECK(x == a);
  CHECK(y == a);
  g.close();
  CHECK(f.read_at(me, y).bytes == 4);
  f.close();
}

template <communicator World>
void check_far_offsets(World const& world) {
  shared_scratch const here(world);
  auto f = basic_file<World>::open(world, here / "data",
                                   mode::create | mode::read_write | mode::delete_on_close);
  constexpr std::int64_t far = std::int64_t{9} << 30;
  int const n = world.size(), me = world.rank();
  f.set_view(far, {type<int>, resized(type<int>, 0, 4 * n)});
  f.set_view(far + 4 * me, {type<int>, resized(type<int>, 0, 4 * n)});
  std::vector<int> const numbers = numbers_from(1000 * me, 50);
  CHECK(f.write_at_all(10, numbers, sieving{.writes = sieving_mode::always}).bytes == 200);
  CHECK(f.byte_offset(10) == far + 40 * n + 4 * me);
  let_all_see(f, world);
  CHECK(f.size() == far + 240 * n);
  std::vector<int> got(51, -1);
  CHECK(f.read_at(10, got).bytes == 200);
  CHECK(std::vector<int>(got.begin(), got.begin() + 50) == numbers);
  f.set_view(0, type<int>);
  std::vector<int> zero(2, -1);
  f.read_at((far - 4) / 4, zero);
  CHECK(zero == std::vector<int>{0, 0});
  f.seek(0, seek_from::end);
  CHECK(f.position() == (far + 240 * n) / 4);
  world.barrier();
  f.close();
}

// --- Requests ---

template <communicator World>
void check_requests(World const& world) {
  shared_scratch const here(world);
  auto f = basic_file<World>::open(world, here / "data", mode::create | mode::read_write);
  int const n = world.size(), me = world.rank();
  constexpr int many = 100;
  f.set_view(4 * me, {type<int>, resized(type<int>, 0, 4 * n)});
  std::vector<int> numbers = numbers_from(1000 * me, many), got(many, -1);

  request none;
  CHECK_FALSE(none.pending());
  CHECK(none.test());
  CHECK(none.wait().bytes == 0);

  std::vector<request> requests;
  // the pointer moves before the call returns
  for (int& number : numbers) requests.push_back(f.iwrite(number));
  CHECK(f.position() == many);
  CHECK(requests[0].pending());
  while (!requests[many / 2].test()) std::this_thread::yield();
  CHECK(requests[many / 2].wait().bytes == 4);
  CHECK_FALSE(requests[many / 2].pending());
  wait_all(requests);
  for (request const& r : requests) CHECK_FALSE(r.pending());

  for (int i = 0; i < many; ++i)
    requests[static_cast<std::size_t>(i)] = f.iread_at(i, got[static_cast<std::size_t>(i)]);
  std::error_code error = errc::io;
  wait_all(requests, error);
  CHECK_FALSE(error);
  CHECK(got == numbers);

  // Requests report errors when waited for, also those of arguments. The other requests are carried
  // out.
  requests.clear();
  int number = 5;
  requests.push_back(f.iwrite_at(0, number));
  requests.push_back(f.iwrite_at(-1, number));
  requests.push_back(f.iwrite_at(1, number));
  wait_all(requests, error);
  CHECK(error == errc::argument);
  requests[0] = f.iread_at(-1, number);
  CHECK_THROWS_AS(wait_all(requests), argosy::error);
  got.assign(3, -1);
  f.read_at(0, got);
  CHECK(got == std::vector<int>{5, 5, 1000 * me + 2});

  // If a request is dropped or assigned over, its access ends before the memory is freed. Each
  // number is one file call, which takes 10 ms on some servers, so there are few.
  constexpr int dropped = 200;
  for (int i = 0; i < 20; ++i) {
    std::vector<int> const gone(dropped, i);
    request r = f.iwrite_at(0, gone);
    r = f.iwrite_at(dropped, gone);
  }
  got.assign(2 * dropped, -1);
  f.read_at(0, got);
  CHECK(got == std::vector<int>(2 * dropped, 19));

  // A short read reports the bytes that it has read.
  world.barrier();
  got.assign(2 * dropped + 10, -1);
  CHECK(f.iread_at(0, got).wait().bytes == 4 * 2 * dropped);
  world.barrier();

  // close() waits for pending requests.
  f.set_view(0, type<int>);
  std::vector<int> const last(100000, me);
  request pending = f.iwrite_at(100000 * me, last);
  f.close();
  CHECK(pending.test());
  CHECK(pending.wait().bytes == 400000);
  CHECK(size_at_server(here / "data") >= 400000 * n);

  // A request on a closed file fails.
  request late = f.iwrite_at(0, number);
  CHECK_THROWS_AS(late.wait(), argosy::error);
  CHECK_THROWS_AS(f.world(), argosy::error);  // which ended with the file
}

// --- Hints and plans ---

template <communicator World>
void check_hints_and_plans(World const& world) {
  shared_scratch const here(world);
  auto f = basic_file<World>::open(
      world, here / "data", mode::create | mode::read_write,
      hints{.ds_read = tristate::enable, .ind_rd_buffer_bytes = 64, .named = {{"no_such", "1"}}});
  CHECK(f.get_hints().values().ind_rd_buffer_bytes == 64);
  CHECK(f.get_hints().find("no_such")->status == hint_status::ignored);
  f.set_hints({.ds_write = tristate::disable, .ind_wr_buffer_bytes = 128});
  CHECK(f.get_hints().values().ind_rd_buffer_bytes == 64);
  CHECK(f.get_hints().values().ind_wr_buffer_bytes == 128);
  f.set_hints({.ind_wr_buffer_bytes = -1});  // rejected: the value from before stays
  CHECK(f.get_hints().values().ind_wr_buffer_bytes == 128);
  CHECK(f.get_hints().find("ind_wr_buffer_size")->status == hint_status::rejected);

  f.set_view(0, {type<int>, resized(type<int>, 0, 8)});
  std::vector<int> data(100);
  plan const reading = f.explain(access_kind::read, data);
  CHECK(reading.policy == "sieving");
  CHECK(reading.wanted() == 400);
  CHECK(reading.windows.size() == 13);
  CHECK(reading.windows[0].how == transfer_mode::merged);
  CHECK(reading.windows[0].length <= 64);
  plan const writing = f.explain_at(access_kind::write, 10, data);
  CHECK(writing.windows[0].offset == 80);
  CHECK(writing.windows[0].how == transfer_mode::pieces);
  CHECK(f.explain(access_kind::write, data, independent{}).policy == "independent");
  CHECK_THROWS_AS(f.explain_at(access_kind::read, -1, data), argosy::error);
  CHECK(f.size() == 0);
  CHECK(f.position() == 0);

  // The report afterwards agrees with the plan.
  world.barrier();
  report const w = f.write_at(0, data);
  CHECK(w.policy == "sieving");
  CHECK(w.merged_bytes == 0);
  CHECK(w.bytes == 400);
  report const r = f.read(data);
  CHECK(r.windows == 13);
  CHECK(r.read_calls == 13);
  CHECK(r.merged_bytes == 400 - 52);
  f.close();
}

}  // namespace argosy::test
