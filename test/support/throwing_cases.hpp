// Code of the user that throws in the middle of a call: a representation, a handle or a policy.
// Checks the content of file and memory afterwards. Each function is called by all ranks. `files`
// opens `path` for all ranks. `few` leaves out cases if calls are slow. One page because all three
// are checked by the same bytes of file and memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/file/representations.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/policy/collective_policy.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/two_phase.hpp>

#include "catch.hpp"
#include "two_phase_cases.hpp"

namespace argosy::test {

using namespace extend;

struct thrown_by_user {};

// Copies numbers one by one, and throws at the number `poison`.
inline constexpr int poison = -99;
inline char const* throwing_representation() {
  auto const copy = [](basic_type, std::int64_t count, std::byte const* from, std::byte* to) {
    for (std::int64_t i = 0; i < count; ++i) {
      int value = 0;
      std::memcpy(&value, from + 4 * i, 4);
      if (value == poison) throw thrown_by_user();
      std::memcpy(to + 4 * i, &value, 4);
    }
    return true;
  };
  std::error_code taken;
  register_representation("throws", {.file_bytes = {}, .read = copy, .write = copy}, taken);
  return "throws";
}

// A policy that throws when it must choose a window at or beyond position `from`.
struct throwing_policy {
  static constexpr std::string_view name = "throwing";
  std::int64_t from = 0;
  window next(access const& wanted, std::int64_t position) const {
    if (position >= from) throw thrown_by_user();
    return pieces.next(wanted, position);
  }
  std::int64_t buffer_for(access const& wanted) const { return pieces.buffer_for(wanted); }
  std::string reason(access const& wanted) const { return pieces.reason(wanted); }
  friend bool operator==(throwing_policy const&, throwing_policy const&) = default;

  static constexpr independent pieces{.buffer_bytes = 100};
};
static_assert(independent_policy<throwing_policy>);

// A collective policy that throws instead of making a plan.
struct throwing_plans {
  static constexpr std::string_view name = "throwing plans";
  collective_plan plan(access_kind, access_summary const&, rank_group const&) const {
    throw thrown_by_user();
  }
  std::uint64_t key() const { return 1; }
  friend bool operator==(throwing_plans const&, throwing_plans const&) = default;
};
static_assert(collective_policy<throwing_plans>);

// Numbers in a file: `block` numbers of each rank in turn, then one that belongs to no rank.
template <communicator World>
struct dealt_numbers {
  static constexpr int old = 7;
  World const& world;
  std::int64_t block, each;

  std::int64_t turn() const { return block * world.size() + 1; }
  std::int64_t count() const { return each / block * turn(); }
  std::int64_t place(std::int64_t i) const {
    return i / block * turn() + world.rank() * block + i % block;
  }
  int value(std::int64_t i) const {
    return 1000 + static_cast<int>(i) * world.size() + world.rank();
  }
  std::vector<int> values() const {
    std::vector<int> all;
    for (std::int64_t i = 0; i < each; ++i) all.push_back(value(i));
    return all;
  }

  template <class File>
  void set_view(File& f, char const* representation) const {
    f.set_view(4 * world.rank() * block,
               {type<int>, resized(contiguous(block, type<int>), 0, 4 * turn()), representation});
  }
  // Fills the whole file with one number.
  template <class File>
  void fill(File& f, int number = old) const {
    f.set_view(0, type<int>);
    std::vector<int> const all(static_cast<std::size_t>(count()), number);
    if (world.rank() == 0) f.write_at(0, all);
    world.barrier();
  }
  template <class File>
  std::vector<int> content(File& f) const {
    f.set_view(0, type<int>);
    std::vector<int> all(static_cast<std::size_t>(count()));
    f.read_at(0, all);
    world.barrier();
    return all;
  }
  // Returns how many numbers of this rank are not new, or -1 if something is wrong. Each number of
  // the rank must be new or unchanged, and those of no rank must be unchanged.
  std::int64_t lost(std::vector<int> const& file, std::vector<int> const& data) const {
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < each; ++i) {
      int const now = file[static_cast<std::size_t>(place(i))];
      bool const is_new = now == data[static_cast<std::size_t>(i)] && now != poison;
      if (!is_new && now != old) return -1;
      n += is_new ? 0 : 1;
    }
    for (std::int64_t i = turn() - 1; i < count(); i += turn())
      if (file[static_cast<std::size_t>(i)] != old) return -1;
    return n;
  }
};

// A case: the numbers of a rank in turn, the policy, and the length of its windows.
struct throwing_form {
  std::int64_t block;
  any_policy policy;
  std::int64_t window;
};
inline std::vector<throwing_form> throwing_forms(bool few) {
  std::vector<throwing_form> all;
  for (std::int64_t const block : {5, 300, 1}) {
    all.push_back({block, two_phase{}, std::int64_t{1} << 20});
    for (any_policy const& p : policies_together(512)) all.push_back({block, p, 512});
  }
  if (few) all.resize(2);
  return all;
}

// A case: the code that throws, the rank, and the form of the call.
struct throwing_call {
  bool handle;  // true: the handle throws; false: the representation, at two numbers
  int who;      // -1: all ranks
  bool later;   // nonblocking
};
template <communicator World, class F>
void for_each_throwing_call(World const& world, F&& f) {
  for (bool const handle : {false, true})
    for (int who = -1; who < world.size(); who += std::max(1, world.size() / 2))
      for (bool const later : {false, true}) {
        if (later && who > 0) continue;
        CAPTURE(handle, who, later);
        f(throwing_call{handle, who, later});
      }
}

// Calls f(file, script) for a file whose handle throws at the calls that the script names.
template <communicator World, class F>
void with_throwing_handle(World const& world, std::string const& path, opener const& files,
                          hints const& h, F&& f) {
  auto const script = std::make_shared<fault_script>();
  script->sleep_by([](std::chrono::nanoseconds) { throw thrown_by_user(); });
  auto file = basic_file<World>::open(world, path, mode::create | mode::read_write, h,
                                      with_faults(files, script));
  f(file, *script);
  script->clear();
  file.close();
}

// If code of a rank throws, only data in the windows in which it threw is missing. No place may
// hold the bytes that were in the staging buffers before.
template <communicator World>
void check_throwing_writers(World const& world, std::string const& path, opener files,
                            bool few = false) {
  with_throwing_handle(world, path, files, {}, [&](auto& f, fault_script& script) {
    for (auto const& [block, policy, window] : throwing_forms(few))
      for_each_throwing_call(world, [&](throwing_call const& c) {
        CAPTURE(block, window, std::string(policy.name()));
        dealt_numbers<World> const d{world, block, 600};
        bool const strikes = c.who < 0 || c.who == world.rank();
        std::vector<int> data = d.values();
        std::vector<int> const others(data.size(), 8);
        d.set_view(f, "native");
        f.write_at_all(0, others, policy);  // leaves these numbers in the staging buffers
        d.fill(f);
        d.set_view(f, c.handle ? "native" : throwing_representation());
        script.clear();
        if (strikes && c.handle)
          script.add(delay_at(file_call::write, 1, std::chrono::nanoseconds(1), 2));
        if (strikes && !c.handle) data[200] = data[400] = poison;
        world.barrier();

        std::int64_t const before = script.struck();
        bool reached = false;
        std::error_code error;
        report r;
        try {
          r = c.later ? f.iwrite_at_all(0, data, policy).wait(error)
                      : f.write_at_all(0, data, {policy, error});
        } catch (thrown_by_user const&) {
          reached = true;
        }
        bool const struck = c.handle ? script.struck() > before : strikes;
        bool const anywhere = !everywhere(world, !struck);
        CHECK(reached == struck);
        if (!struck)
          CHECK(error ==
                (anywhere ? std::error_code(errc::error_on_another_rank) : std::error_code()));
        script.clear();
        std::vector<int> const now = d.content(f);
        std::int64_t const lost = d.lost(now, data), of_all = sum(world, lost),
                           failures = sum(world, struck ? 1 : 0);
        CHECK(lost >= 0);
        std::int64_t leading = 0;  // the number of new numbers from the first one on
        while (leading < d.each &&
               now[static_cast<std::size_t>(d.place(leading))] == d.value(leading))
          ++leading;
        // An aggregator does not count what lies behind the first window that failed.
        if (!reached) CHECK(r.bytes <= 4 * leading);
        // Here every rank has numbers in every window, so the report is exact.
        if (!reached && block < 300) CHECK(r.bytes == 4 * leading);
        if (c.handle) {
          CHECK(of_all <= 2 * failures * window / 4);
        } else {
          CHECK(lost >= (struck ? 2 : 0));
          // The numbers of other ranks in these windows are written.
          CHECK(lost <= (struck ? 2 * window / 4 : 0));
        }
      });
  });
}

template <communicator World>
void check_throwing_readers(World const& world, std::string const& path, opener files,
                            bool few = false) {
  constexpr int untouched = -1;
  with_throwing_handle(world, path, files, {}, [&](auto& f, fault_script& script) {
    for (auto const& [block, policy, window] : throwing_forms(few))
      for_each_throwing_call(world, [&](throwing_call const& c) {
        CAPTURE(block, window, std::string(policy.name()));
        dealt_numbers<World> const d{world, block, 600};
        bool const strikes = c.who < 0 || c.who == world.rank();
        std::vector<int> data = d.values();
        d.fill(f, 8);
        d.set_view(f, "native");
        std::vector<int> into(data.size());
        f.read_at_all(0, into, policy);  // leaves these numbers in the staging buffers
        d.fill(f);
        d.set_view(f, "native");
        if (strikes && !c.handle) data[200] = data[400] = poison;
        f.write_at(0, data, independent{});
        d.set_view(f, c.handle ? "native" : throwing_representation());
        script.clear();
        if (strikes && c.handle)
          script.add(delay_at(file_call::read, 1, std::chrono::nanoseconds(1)));
        into.assign(into.size(), untouched);
        world.barrier();

        std::int64_t const before = script.struck();
        bool reached = false;
        std::error_code error;
        report r;
        try {
          r = c.later ? f.iread_at_all(0, into, policy).wait(error)
                      : f.read_at_all(0, into, {policy, error});
        } catch (thrown_by_user const&) {
          reached = true;
        }
        bool const struck = c.handle ? script.struck() > before : strikes;
        bool const anywhere = !everywhere(world, !struck);
        CHECK(reached == struck);
        if (!struck)
          CHECK(error ==
                (anywhere ? std::error_code(errc::error_on_another_rank) : std::error_code()));
        script.clear();
        std::int64_t right = 0, wrong = 0, counted = 0;
        for (std::int64_t i = 0; i < d.each; ++i) {
          int const now = into[static_cast<std::size_t>(i)];
          right += now == d.value(i) ? 1 : 0;
          wrong += now != d.value(i) && now != untouched ? 1 : 0;
          counted += i < r.bytes / 4 && now == d.value(i) ? 1 : 0;
        }
        std::int64_t const lost = sum(world, d.each - right), failures = sum(world, struck ? 1 : 0);
        CHECK(wrong == 0);
        CHECK(counted == r.bytes / 4);
        if (!anywhere) CHECK(right == d.each);
        if (c.handle)
          CHECK(lost <= failures * window / 4);
        else
          CHECK(d.each - right <= (struck ? 2 * window / 4 : 0));
        std::vector<int> const now = d.content(f);
        bool same = true;
        for (std::int64_t i = 0; i < d.each; ++i)
          same = same &&
                 now[static_cast<std::size_t>(d.place(i))] == data[static_cast<std::size_t>(i)];
        CHECK(same);
      });
  });
}

// A policy of one rank throws, in a local or in a collective call.
template <communicator World>
void check_throwing_policies(World const& world, std::string const& path, opener files) {
  auto f = basic_file<World>::open(world, path, mode::create | mode::read_write, {}, files);
  dealt_numbers<World> const d{world, 5, 600};
  std::vector<int> const data = d.values();
  for (std::int64_t const from : {0, 4, 1000})
    for (int who = -1; who < world.size(); who += std::max(1, world.size() / 2))
      for (int form = 0; form < 3; ++form) {
        CAPTURE(from, who, form);
        bool const strikes = who < 0 || who == world.rank();
        any_policy const policy =
            strikes ? any_policy(throwing_policy{from}) : any_policy(independent{});
        d.fill(f);
        d.set_view(f, "native");
        bool reached = false;
        std::error_code error;
        try {
          if (form == 0) f.write_at(0, data, {policy, error});
          if (form == 1) f.write_at_all(0, data, {policy, error});
          if (form == 2) f.iwrite_at(0, data, policy).wait(error);
        } catch (thrown_by_user const&) {
          reached = true;
        }
        CHECK(reached == strikes);
        if (!strikes)
          CHECK(error ==
                (form == 1 ? std::error_code(errc::error_on_another_rank) : std::error_code()));
        world.barrier();
        std::int64_t const lost = d.lost(d.content(f), data);
        if (strikes)
          CHECK(lost == d.each - (from + 99) / 100 * 25);  // the windows before were written
        else
          CHECK(lost == 0);
      }
  f.close();
}

// Agents go on after code throws. A rank whose request was in the failing file call gets an error,
// and the file holds old or new bytes.
template <communicator World>
void check_throwing_shipments(World const& world, std::string const& path, opener files,
                              bool few = false) {
  with_throwing_handle(
      world, path, files, {.largeblock_io = largeblock::off}, [&](auto& f, fault_script& script) {
        for (std::int64_t const block : {5, 300, 1})
          for (int k = 0; k < 4 && (!few || block == 5); ++k)
            for_each_throwing_call(world, [&](throwing_call const& c) {
              bool const reading = k % 2 == 1;
              data_shipping const policy{.stripe_bytes = 1, .window_bytes = k < 2 ? 512 : 4096};
              CAPTURE(block, policy.window_bytes, reading);
              dealt_numbers<World> const d{world, block, 600};
              bool const strikes = c.who < 0 || c.who == world.rank();
              std::vector<int> data = d.values(), into(data.size(), dealt_numbers<World>::old);
              std::vector<int> const others(data.size(), 8);
              if (strikes && !c.handle) data[200] = data[400] = poison;
              d.set_view(f, "native");
              f.write_at(0, others, policy);  // leaves these numbers in the staging buffers
              world.barrier();
              d.fill(f);
              d.set_view(f, "native");
              if (reading) f.write_at(0, data, independent{});
              d.set_view(f, c.handle ? "native" : throwing_representation());
              script.clear();
              if (strikes && c.handle)
                // The first file call serves one request, the later ones serve several together.
                script.add(delay_at(reading ? file_call::read : file_call::write, 1,
                                    std::chrono::nanoseconds(1), 3));
              world.barrier();

              std::int64_t const before = script.struck();
              bool reached = false;
              std::error_code error;
              report r;
              try {
                if (reading)
                  r = c.later ? f.iread_at(0, into, policy).wait(error)
                              : f.read_at(0, into, {policy, error});
                else
                  r = c.later ? f.iwrite_at(0, data, policy).wait(error)
                              : f.write_at(0, data, {policy, error});
              } catch (thrown_by_user const&) {
                reached = true;
              }
              world.barrier();
              bool const struck = sum(world, script.struck() - before) > 0;
              CHECK(reached == (strikes && !c.handle));
              // At least one of the ranks whose requests the agent served then gets an error.
              if (c.handle) CHECK(everywhere(world, !error) == !struck);
              if (error && !reached) CHECK(error == errc::io);
              script.clear();
              world.barrier();
              std::vector<int> now = d.content(f);
              if (reading)  // checked as if it were the file
                for (std::int64_t i = 0; i < d.each; ++i)
                  now[static_cast<std::size_t>(d.place(i))] = into[static_cast<std::size_t>(i)];
              std::int64_t const lost = d.lost(now, data);
              CHECK(lost >= 0);
              if (!reached && !error) CHECK(lost == 0);
              std::int64_t counted = 0;
              for (std::int64_t i = 0; i < r.bytes / 4; ++i)
                counted += now[static_cast<std::size_t>(d.place(i))] == d.value(i) ? 1 : 0;
              CHECK(counted == r.bytes / 4);
            });
      });
}

// A collective policy throws. The ranks wait for nonblocking calls in order, or for the last one
// first. Each request must report the result of its own call.
template <communicator World>
void check_throwing_plans(World const& world, std::string const& path, opener files) {
  auto f = basic_file<World>::open(world, path, mode::create | mode::read_write, {}, files);
  dealt_numbers<World> const d{world, 5, 600};
  std::vector<int> const data = d.values(), others(data.size(), 8);
  d.fill(f);
  d.set_view(f, "native");
  CHECK_THROWS_AS(f.write_at_all(0, others, throwing_plans{}), thrown_by_user);
  for (bool const last_first : {false, true}) {
    CAPTURE(last_first);
    std::vector<request> calls;
    calls.push_back(f.iwrite_at_all(0, others, throwing_plans{}));
    calls.push_back(f.iwrite_at_all(0, data, two_phase{.window_bytes = 512}));
    std::error_code error;
    report r;
    if (last_first) r = calls[1].wait(error);
    CHECK_THROWS_AS(calls[0].wait(), thrown_by_user);
    if (!last_first) r = calls[1].wait(error);
    CHECK(!error);
    CHECK(r.bytes == 4 * d.each);
    world.barrier();
    CHECK(d.lost(d.content(f), data) == 0);
    d.fill(f);
    d.set_view(f, "native");
  }
  f.close();
}

}  // namespace argosy::test
