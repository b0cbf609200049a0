// Several variables in one collective call, each through a view of its own. Compared with a map of
// the bytes of each view, and with calls of their own.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/datatype/aggregate.hpp>
#include <argosy/file/file.hpp>
#include <argosy/policy.hpp>

#include "support/filetype_map.hpp"
#include "support/seed.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;
using io::errc;
using io::mode;
using io::viewed_source;
using io::viewed_target;

namespace {

constexpr std::int64_t area = 1 << 15;  // bytes of each rank

// A variable, the bytes of the file that it names, and memory in which every `step`-th block of 4
// bytes belongs to it.
struct variable {
  std::int64_t displacement;  // in the area of the rank
  filetype_map map;
  std::int64_t bytes;
  std::int64_t step;
  std::vector<std::uint8_t> memory = {};

  std::size_t place(std::int64_t i) const {
    return static_cast<std::size_t>(displacement + map.offset_of(i));
  }
  std::size_t in_memory(std::int64_t i) const {
    return static_cast<std::size_t>(i / 4 * step * 4 + i % 4);
  }
  io::view through(int rank) const {
    return {area * rank + displacement, io::type<std::int32_t>, map.filetype()};
  }
  auto form() const { return io::vector(bytes / 4, 4, 4 * step, io::type<std::uint8_t>); }
};

// Returns variables that lie one behind the other (kind 0), anywhere (1), or record by record.
std::vector<variable> random_variables(random_source& random, std::int64_t kind) {
  std::vector<variable> all;
  std::int64_t const count = from_to(random, 0, 5);
  std::int64_t at = 4 * from_to(random, 0, 9);
  std::int64_t const record = 4 * from_to(random, 25, 40);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t const words = from_to(random, 1, 3), step = from_to(random, 1, 2);
    std::int64_t const bytes = 4 * from_to(random, 0, 25);
    if (kind == 0) {
      filetype_map m = random_map(random, 4, false);
      all.push_back({at, m, bytes, step});
      at += 4000;
    } else if (kind == 1) {
      all.push_back({4 * from_to(random, 0, 150), random_map(random, 4, false), bytes, step});
    } else {
      all.push_back({at, {{0}, {4 * words}, 0, record}, bytes, step});
      at += 4 * (words + from_to(random, 0, 2));
    }
    all.back().memory.resize(static_cast<std::size_t>(bytes * step) + 8);
  }
  // Types that name a byte twice by themselves have errors of their own.
  std::erase_if(all, [&](variable const& v) { return v.map.names_twice(kind == 1 ? 1 : 24); });
  std::ranges::shuffle(all, random);
  return all;
}

bool names_twice(std::vector<variable> const& all) {
  std::set<std::size_t> seen;
  for (variable const& v : all)
    for (std::int64_t i = 0; i < v.bytes; ++i)
      if (!seen.insert(v.place(i)).second) return true;
  return false;
}

// Returns true if a part of one variable lies between two parts of another.
bool are_woven(std::vector<variable> const& all) {
  auto const hull = [](variable const& v) {
    std::set<std::size_t> places;
    for (std::int64_t i = 0; i < v.bytes; ++i) places.insert(v.place(i));
    return std::pair(*places.begin(), *places.rbegin());
  };
  for (variable const& a : all)
    for (variable const& b : all)
      if (&a != &b && a.bytes > 0 && b.bytes > 0 && hull(a).first < hull(b).first &&
          hull(b).first < hull(a).second)
        return true;
  return false;
}

bool anywhere(bool here) {
  int all = here;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return all != 0;
}

std::int64_t sum_of(std::vector<variable> const& all) {
  std::int64_t sum = 0;
  for (variable const& v : all) sum += v.bytes;
  return sum;
}

struct sample {
  double x;
  int i;
};

struct subject {
  explicit subject(io::hints const& h = {})
      : f(io::file::open(world, here / "data", mode::create | mode::read_write, h)) {}
  ~subject() {
    if (f.is_open()) f.close();
  }
  std::string content() {
    world.barrier();
    std::string all = content_of(here / "data");
    world.barrier();
    return all;
  }
  io::mpi world{MPI_COMM_WORLD};
  shared_scratch<io::mpi> here{world};
  io::file f;
  std::error_code error;
};

}  // namespace

TEST_CASE("variables are written and read where their views name them", "[file][view]") {
  CAPTURE(seed());
  subject o(io::hints{.cb_nodes = 2});
  int const rank = o.world.rank();
  random_source common(seed() + 1), own(seed() * 31 + static_cast<std::uint64_t>(rank));
  std::vector<std::uint8_t> model(static_cast<std::size_t>(area));
  o.f.write_at_all(area * rank, model);
  o.f.set_view(4, io::type<std::int32_t>);
  o.f.seek(7);
  int woven = 0, refused = 0, apart = 0;
  for (int round = 0; round < 80; ++round) {
    o.f.set_atomic(round % 10 == 9);
    std::vector<variable> all = random_variables(own, from_to(common, 0, 3));
    io::extend::any_policy const by = random_policy(common);
    bool const twice = names_twice(all), fails = anywhere(twice);
    CAPTURE(round, all.size(), twice, fails);

    std::vector<viewed_source> sources;
    for (std::size_t i = 0; i < all.size(); ++i) {
      variable& v = all[i];
      v.memory = numbers(v.memory.size(), round * 10 + static_cast<int>(i));
      sources.push_back({v.through(rank), {v.memory.data(), v.form()}});
    }
    io::report const wrote = o.f.write_views_all(sources, {by, o.error});
    if (twice)
      CHECK((o.error == errc::argument || o.error == errc::datatype));
    else
      CHECK(o.error == (fails ? errc::error_on_another_rank : std::error_code()));
    CHECK(wrote.bytes == (fails ? 0 : sum_of(all)));
    refused += twice;
    woven += !twice && are_woven(all);
    apart += !twice && !are_woven(all) && all.size() > 1;
    if (!fails)
      for (variable const& v : all)
        for (std::int64_t i = 0; i < v.bytes; ++i) model[v.place(i)] = v.memory[v.in_memory(i)];
    std::string const content = o.content();
    CHECK(std::equal(model.begin(), model.end(), content.begin() + area * rank,
                     [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); }));

    std::vector<variable> back = all;  // views of a read may overlap
    std::vector<viewed_target> targets;
    for (variable& v : back) {
      std::ranges::fill(v.memory, std::uint8_t{0});
      targets.push_back({v.through(rank), {v.memory.data(), v.form()}});
    }
    CHECK(o.f.read_views_all(targets, random_policy(common)).bytes == sum_of(all));
    for (variable const& v : back) {
      std::vector<std::uint8_t> expected(v.memory.size());
      for (std::int64_t i = 0; i < v.bytes; ++i) expected[v.in_memory(i)] = model[v.place(i)];
      CHECK(v.memory == expected);
    }
    CHECK(o.f.position() == 7);
    CHECK(o.f.view().displacement() == 4);
  }
  CHECK(woven > 3);
  CHECK(refused > 3);
  CHECK(apart > 3);
}

TEST_CASE("a representation converts each variable as in a call of its own", "[file][view]") {
  subject o;
  int const rank = o.world.rank(), n = o.world.size();
  std::vector<double> const u{1.5, -2, 3, 4};
  std::vector<long> const k{7, 8, 9, 1L << 20};  // 4 bytes each in external32
  std::vector<sample> const pairs{{.x = 0.5, .i = 3}, {.x = -9, .i = 4}};
  auto const e32 = io::external32;
  std::int64_t const start = 256 * rank;
  // records of a double and a long; then the pairs
  io::view const of_u(start, io::type<double>, io::resized(io::type<double>, 0, 16), e32),
      of_k(start + 8, io::type<long>, io::resized(io::type<long>, 0, 16), e32),
      of_pairs(start + 128, io::type<sample>, io::type<sample>, e32);
  o.f.write_views_all({{of_pairs, pairs}, {of_k, k}, {of_u, u}});
  std::string const together = o.content();
  o.f.set_size(0);
  o.f.set_view(of_u);
  o.f.write_all(u);
  o.f.set_view(of_k);
  o.f.write_all(k);
  o.f.set_view(of_pairs);
  o.f.write_all(pairs);
  CHECK(o.content() == together);

  std::vector<double> u2(4);
  std::vector<long> k2(4);
  std::vector<sample> pairs2(2);
  io::report const r = o.f.read_views_all({{of_u, u2}, {of_k, k2}, {of_pairs, pairs2}});
  CHECK(u2 == u);
  CHECK(k2 == k);
  CHECK((pairs2[1].x == -9 && pairs2[1].i == 4));
  CHECK(r.memory_bytes == 64 + 2 * 12);
  CHECK(r.bytes == 48 + 2 * 12);

  // Pairs record by record with doubles would have to be taken apart.
  io::view const inside(start, io::type<sample>, io::resized(io::type<sample>, 0, 32), e32);
  io::view const between(start + 16, io::type<double>, io::resized(io::type<double>, 0, 32), e32);
  o.f.write_views_all({{inside, pairs}, {between, u}}, o.error);
  CHECK(o.error == errc::unsupported);
  io::view const native(1024 * n, io::type<double>);
  o.f.write_views_all({{native, u}, {of_k, k}}, o.error);
  CHECK(o.error == errc::argument);
  CHECK_THAT(o.f.what_failed(), Catch::Matchers::ContainsSubstring("views[1]"));
  CHECK(o.content() == together);
}

TEST_CASE("lists may be empty, a container, or plans", "[file][view]") {
  subject o;
  int const rank = o.world.rank(), n = o.world.size();
  std::vector<int> a{rank, 1, 2}, b{rank, 4};
  constexpr io::view numbers_in_a_row(0, io::type<int>);  // a constant
  o.f.write_views_all({});
  CHECK(o.content().empty());
  if (rank == 0)
    o.f.write_views_all(
        {{numbers_in_a_row, a}, {io::view(100, io::type<int>), {b, io::type<int>}}});
  else
    o.f.write_views_all({});
  CHECK(o.content().size() == 108);
  std::vector<int> all(3), none;
  std::vector<viewed_target> list;
  list.push_back({numbers_in_a_row, all});
  list.push_back({numbers_in_a_row, none});
  list.push_back({io::view(0, io::bytes(4), io::bytes(0)), all});  // reaches no etype
  CHECK(o.f.read_views_all(list).bytes == 12);
  CHECK(all == std::vector<int>{0, 1, 2});
  io::collective_plan const plan =
      o.f.explain_views_all(io::access_kind::read, list, io::two_phase{});
  CHECK(plan.together);
  CHECK(plan.kind == io::access_kind::read);
  // At the end of the file the places behind it are missing, whichever variable has them.
  std::vector<int> end(4, -1), start(2, -1);
  io::report const r =
      o.f.read_views_all({{io::view(100, io::type<int>), end}, {numbers_in_a_row, start}});
  CHECK(r.bytes == 16);
  CHECK(end == std::vector<int>{0, 4, -1, -1});
  CHECK(start == std::vector<int>{0, 1});
  CHECK(o.f.write_views_all({{io::view(4 * rank + 200, io::type<int>), {b, io::type<int>, 1}}})
            .bytes == 4);
  CHECK(o.content().size() == static_cast<std::size_t>(200 + 4 * n));
}

TEST_CASE("a variable that is wrong on one rank is an error on all ranks", "[file][error]") {
  subject o;
  int const rank = o.world.rank();
  std::vector<int> a(8, 1);
  std::vector<char> const odd(6);
  io::view const good(64 * rank, io::type<int>);
  auto const check = [&](errc mine, char const* words, viewed_source const& bad) {
    CAPTURE(words);
    std::vector<viewed_source> list(2, {good, a});
    if (rank == o.world.size() - 1)
      list[1] = bad;
    else
      list.pop_back();
    o.f.write_views_all(list, o.error);
    bool const here = rank == o.world.size() - 1;
    CHECK(o.error == (here ? mine : errc::error_on_another_rank));
    CHECK_THAT(o.f.what_failed(), Catch::Matchers::ContainsSubstring(words));
    CHECK(o.content().empty());
    if (!here) return;
    CHECK_THAT(o.f.what_failed(), Catch::Matchers::ContainsSubstring("views[1]"));
  };
  check(errc::datatype, "not whole etypes", {io::view(0, io::type<int>), odd});
  check(errc::datatype, "displacement is -4", {io::view(-4, io::type<int>), a});
  check(errc::argument, "is empty", {io::view(0, io::bytes(4), io::bytes(0)), a});
  check(errc::argument, "null", {good, {static_cast<int const*>(nullptr), io::type<int>, 1}});
  check(errc::argument, "both write", {io::view(64 * rank + 28, io::type<int>), a});
  check(errc::datatype, "twice", {io::view(64 * rank + 256, io::resized(io::type<int>, 0, 0)), a});
  check(errc::argument, "beyond what", {io::view(INT64_MAX - 7, io::bytes(4)), a});

  o.f.begin_read_all(a);
  o.f.read_views_all({{good, a}}, o.error);
  CHECK(o.error == errc::argument);
  o.f.end();
  o.f.close();
  o.f.read_views_all({{good, a}}, o.error);
  CHECK(o.error == errc::file);
  o.f = io::file::open(o.world, o.here / "data", mode::read);
  o.f.write_views_all({{good, a}}, o.error);
  CHECK(o.error == errc::read_only);
}

TEST_CASE("develop mode compares variables with the etype, and the writes of ranks",
          "[file][develop]") {
  subject o(io::hints{.develop = true});
  int const rank = o.world.rank();
  std::vector<float> const floats(2);
  std::vector<int> const a(2, rank);
  o.f.write_views_all({{io::view(8 * rank, io::type<int>), floats}}, o.error);
  CHECK(o.error == errc::datatype);
  o.f.write_views_all({{io::view(8 * rank, io::type<int>), a}, {io::view(500, io::type<int>), a}},
                      o.error);
  CHECK(static_cast<bool>(o.error) == (o.world.size() > 1));
  if (o.world.size() > 1)
    CHECK_THAT(o.f.what_failed(), Catch::Matchers::ContainsSubstring("both write byte 500"));
}
