// Collective calls in which one rank fails, at each place in turn where it can fail: an allocation,
// or code of the program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <new>
#include <optional>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include <argosy/file/basic_file.hpp>
#include <argosy/policy/collective_policy.hpp>
#include <argosy/policy/two_phase.hpp>

#include "allocations.hpp"
#include "catch.hpp"
#include "sanitized.hpp"
#include "shared_scratch.hpp"

namespace argosy::test {

using namespace extend;

struct thrown_by_program {};

enum class loss { allocation, exception, exception_of_memory };
inline char const* words_of(loss l) {
  return l == loss::allocation  ? "an allocation is refused"
         : l == loss::exception ? "code of the program throws"
                                : "code of the program throws std::bad_alloc";
}

// Counts the calls of the program's code, and throws in the one that is chosen. Several threads may
// call it.
struct program_code {
  static inline std::atomic<std::size_t> throws_at{0}, reached{0};
  static inline std::atomic<bool> thrown{false};
  static inline loss kind = loss::exception;

  static void arm(loss l, std::size_t place) {
    kind = l;
    reached = 0;
    thrown = false;
    throws_at = place;
  }
  static void disarm() { throws_at = 0; }
  // Must be called by all code of the program that a call runs.
  static void run() {
    if (throws_at == 0 || ++reached != throws_at) return;
    thrown = true;
    if (kind == loss::exception_of_memory) throw std::bad_alloc();
    throw thrown_by_program();
  }
};

class program_handle {
 public:
  explicit program_handle(any_handle inner) : inner_(std::move(inner)) {}

  io_result read(std::int64_t at, std::span<std::byte> into) {
    return program_code::run(), inner_.read(at, into);
  }
  io_result read(std::span<read_part const> parts) {
    return program_code::run(), inner_.read(parts);
  }
  io_result write(std::int64_t at, std::span<std::byte const> from) {
    return program_code::run(), inner_.write(at, from);
  }
  io_result write(std::span<write_part const> parts) {
    return program_code::run(), inner_.write(parts);
  }
  std::error_code lock(std::int64_t at, std::int64_t n, lock_kind kind) {
    return program_code::run(), inner_.lock(at, n, kind);
  }
  std::int64_t size(std::error_code& error) { return program_code::run(), inner_.size(error); }
  std::error_code resize(std::int64_t n) { return program_code::run(), inner_.resize(n); }
  std::error_code preallocate(std::int64_t n) { return program_code::run(), inner_.preallocate(n); }
  std::error_code sync() { return program_code::run(), inner_.sync(); }
  // Throws after the unlock, because other ranks would otherwise wait for the lock.
  std::error_code unlock(std::int64_t at, std::int64_t n) {
    auto const error = inner_.unlock(at, n);
    return program_code::run(), error;
  }
  std::error_code close() {
    auto const error = inner_.close();
    return program_code::run(), error;
  }
  bool is_open() const { return inner_.is_open(); }
  std::int64_t block_bytes() const { return program_code::run(), inner_.block_bytes(); }

 private:
  any_handle inner_;
};
static_assert(handle<program_handle>);

inline opener program_opener() {
  opener const inner = posix_opener();
  opener::directory_functions directories{
      [inner](std::string const& path) { return program_code::run(), inner.make_directory(path); },
      [inner](std::string const& from, std::string const& to) {
        return program_code::run(), inner.exchange_directories(from, to);
      },
      [inner](std::string const& path) {
        return program_code::run(), inner.remove_directory(path);
      },
      [inner](std::string const& path, std::vector<std::string>& names) {
        return program_code::run(), inner.list(path, names);
      }};
  return opener{
      [inner](std::string const& path, open_flags flags, std::error_code& error) -> any_handle {
        program_code::run();
        any_handle opened = inner(path, flags, error);
        if (error) return {};
        return any_handle(program_handle(std::move(opened)));
      },
      [inner](std::string const& path) { return program_code::run(), inner.remove(path); },
      [inner](std::string const& from, std::string const& to) {
        return program_code::run(), inner.rename(from, to);
      },
      [inner](std::string const& path) { return program_code::run(), inner.settle(path); }}
      .with_directories(std::move(directories));
}

// A container of the program that holds numbers.
class program_numbers {
 public:
  explicit program_numbers(std::vector<int> numbers) : held_(std::move(numbers)) {}
  std::size_t size() const { return program_code::run(), held_.size(); }
  int* data() { return program_code::run(), held_.data(); }
  int const* data() const { return program_code::run(), held_.data(); }
  int* begin() { return data(); }
  int* end() { return held_.data() + held_.size(); }
  int const* begin() const { return data(); }
  int const* end() const { return held_.data() + held_.size(); }
  void resize(std::size_t n) { program_code::run(), held_.resize(n); }
  friend bool operator==(program_numbers const&, program_numbers const&) = default;

 private:
  std::vector<int> held_;
};

// A policy of the program: two phases.
struct program_policy {
  static constexpr std::string_view name = "of the program";
  collective_plan plan(access_kind kind, access_summary const& all, rank_group const& ranks) const {
    program_code::run();
    collective_plan p = two_phase{}.plan(kind, all, ranks);
    p.policy = name;
    return p;
  }
  std::uint64_t key() const { return program_code::run(), std::uint64_t{1}; }
  friend bool operator==(program_policy const&, program_policy const&) = default;
};
static_assert(collective_policy<program_policy>);

// Ends the job with a message if a call takes longer than 30 seconds.
class watchdog {
 public:
  watchdog() { std::signal(SIGALRM, bark); }
  ~watchdog() { ::alarm(0); }
  static void watch(std::string_view call, loss l, int who, std::size_t place, int rank) {
    std::snprintf(words_, sizeof words_,
                  "hang: rank %d waits for ever in %.*s, where rank %d fails: %s, at place %zu\n",
                  rank, static_cast<int>(call.size()), call.data(), who, words_of(l), place);
    ::alarm(30);
  }

 private:
  static void bark(int) {
    [[maybe_unused]] auto const written =
        ::write(2, words_, std::char_traits<char>::length(words_));
    ::_exit(1);
  }
  static inline char words_[300] = {};
};

// A collective call. `Subject` has world(), prepare() and restore(). prepare() makes the values
// that the call takes over. restore() undoes the call without faults, and returns false if
// something is lost.
template <class Subject>
struct collective_row {
  std::string name;  // name in the header, possibly with more words behind it
  std::function<void(Subject&, std::error_code&)> body;
  bool only_throws = false;  // the call has no form with an error_code
  // Only every so-many-th place is tried. For calls that consist of calls with rows of their own.
  std::size_t between = 1;
};

struct reducible_range {
  int low = 0, high = 0;
  void combine(reducible_range const& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

// The result of a call on this rank.
struct call_end {
  bool failed = false, of_program = false, no_memory_thrown = false;
  std::error_code code = {};
};

template <class Subject>
call_end end_of(collective_row<Subject> const& row, Subject& s) {
  call_end e;
  try {
    row.body(s, e.code);
    e.failed = static_cast<bool>(e.code);
  } catch (thrown_by_program const&) {
    e.failed = e.of_program = true;
  } catch (std::bad_alloc const&) {
    e.failed = e.no_memory_thrown = true;
  } catch (error const& x) {
    e.failed = true;
    e.code = x.code();
  }
  return e;
}

// Returns true if the call failed on all ranks or on none, and each rank reports the error that it
// should.
template <class Subject>
bool ends_well(Subject const& s, collective_row<Subject> const& row, call_end const& e, loss l,
               int who) {
  reducible_range failed{e.failed ? 1 : 0, e.failed ? 1 : 0};
  s.world().all_reduce(failed);
  if (failed.low != failed.high) return false;
  if (!e.failed) return true;
  if (s.world().rank() != who)
    return e.code == errc::error_on_another_rank || e.code == errc::not_same;
  if (l == loss::exception) return e.of_program || e.code;
  return row.only_throws || !e.no_memory_thrown;
}

// Under sanitizers, only every eleventh place is tried. Each failing rank begins at another one.
inline constexpr std::size_t between_places = sanitized ? 11 : 1;

// Makes the call fail on rank `who` at its first place, its second, and so on, until it succeeds.
// Returns the number of places.
template <class Subject>
std::size_t fail_everywhere(Subject& s, collective_row<Subject> const& row, loss l, int who) {
  std::size_t const step = std::max(between_places, row.between),
                    first = 1 + static_cast<std::size_t>(who) * 11 % step;
  for (std::size_t place = first;; place += step) {
    watchdog::watch(row.name, l, who, place, s.world().rank());
    s.prepare();
    call_end e;
    int struck = 0;
    {
      std::optional<refused_allocation> refused;
      if (s.world().rank() == who) {
        if (l == loss::allocation)
          refused.emplace(place);
        else
          program_code::arm(l, place);
      }
      e = end_of(row, s);
      program_code::disarm();
      struck = refused ? refused->happened() : program_code::thrown.exchange(false);
    }
    bool const well = ends_well(s, row, e, l, who);
    bool const whole = s.restore();
    s.world().broadcast(std::as_writable_bytes(std::span(&struck, 1)), who);
    if (!well || !whole) {
      CAPTURE(row.name, words_of(l), who, place, s.world().rank(), e.failed, e.of_program,
              e.no_memory_thrown, e.code.message());
      CHECK(well);
      CHECK(whole);
    }
    if (struck == 0) return place - 1;
  }
}

template <class Subject>
std::size_t fail_everywhere(Subject& s, std::vector<collective_row<Subject>> const& table) {
  std::size_t places = 0;
  char const* const only = std::getenv("ARGOSY_TEST_ROW");  // runs only some rows
  for (auto const& row : table)
    for (loss const l : {loss::allocation, loss::exception, loss::exception_of_memory})
      for (int who = 0; who < s.world().size(); ++who) {
        if (only && row.name.find(only) == std::string::npos) continue;
        std::size_t const found = fail_everywhere(s, row, l, who);
        if (s.world().rank() == 0 && std::getenv("ARGOSY_TEST_PLACES"))
          std::printf("%-40s rank %d: %zu places: %s\n", row.name.c_str(), who, found, words_of(l)),
              std::fflush(stdout);
        places += found;
      }
  return places;
}

// Returns the names of the public functions of a class template, read from its header.
inline std::set<std::string> public_functions(std::string const& path, std::string const& name) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  auto const begin = text.find("class " + name + " {"), end = text.find("\n private:", begin);
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  text = text.substr(begin, end - begin);
  std::regex const declared("\\n  (?! )(?:static )?[A-Za-z0-9_:<>&, ]+[ &]([a-z_]+)\\(");
  std::set<std::string> names;
  for (std::sregex_iterator i(text.begin(), text.end(), declared), none; i != none; ++i)
    if (std::string found = (*i)[1]; found != name) names.insert(std::move(found));
  return names;
}

// Checks that every public function is either local or has a row in the table.
template <class Subject>
void check_rows(std::vector<collective_row<Subject>> const& table, std::string const& path,
                std::string const& name, std::set<std::string> const& local) {
  std::set<std::string> known = local, in_header = public_functions(path, name);
  CHECK(in_header.size() >= 2);
  for (auto const& row : table) known.insert(row.name.substr(0, row.name.find(' ')));
  for (std::string const& f : in_header) {
    INFO(f << " of " << path
           << " is in no row of the table of collective calls, and not among the local ones");
    CHECK(known.count(f) == 1);
  }
  for (std::string const& f : known) {
    INFO(f << " is not in " << path);
    CHECK(in_header.count(f) == 1);
  }
}

}  // namespace argosy::test
