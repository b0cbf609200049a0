// The shared pointer in a hidden file. Each call of the file fails in turn. Compared with a number.
// One page because all tests use the hidden file below.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <argosy/error/errc.hpp>
#include <argosy/file/detail/protocol/shared_pointer.hpp>
#include <argosy/handle/forwarding.hpp>

#include "file/pointer_value.hpp"
#include "support/catch.hpp"
#include "support/memory_handle.hpp"
#include "support/random.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace io::test;
using io::errc;
using io::file_call;
using io::detail::shared_pointer;
using io::extend::any_handle;
using io::extend::failure;
using io::extend::handle_call;
using io::extend::io_result;

namespace {

// The hidden file that some ranks share, and what happens in its calls.
struct hidden_file {
  std::shared_ptr<memory_file> file = std::make_shared<memory_file>();
  bool exists = false;
  std::vector<file_call> calls = {};
  std::vector<io::extend::lock_kind> locks = {};
  int open_handles = 0;
  // Returns the error of a call; it may also change the file.
  std::function<std::error_code(file_call)> before = {};
  std::optional<std::size_t> torn = {};  // a write moves only so many bytes
  std::error_code tears = {};            // and returns this

  std::error_code asked(file_call call) {
    calls.push_back(call);
    return before ? before(call) : std::error_code();
  }
  std::int64_t count(file_call call) const { return std::ranges::count(calls, call); }
};

class watched_handle : public io::extend::forwarding<watched_handle, memory_handle> {
 public:
  watched_handle(memory_handle inner, hidden_file& all)
      : forwarding(std::move(inner)), all_(&all) {}

  template <class Act>
  io_result around(handle_call const& call, Act&& act) {
    if (auto const error = all_->asked(call.kind)) return {0, error};
    if (call.kind == file_call::lock) all_->locks.push_back(call.lock);
    if (call.kind == file_call::close) --all_->open_handles;
    if (call.kind == file_call::lock || call.kind == file_call::unlock)
      if (call.offset != 0 || call.length != 64) return {0, io::make_error_code(errc::argument)};
    if (call.kind != file_call::write || !all_->torn) return act();
    auto const part = call.writes[0].memory.first(*all_->torn);
    inner().write(call.offset, part);
    return {std::ssize(part), all_->tears};
  }

 private:
  hidden_file* all_;
};

io::opener opener_of(hidden_file& all) {
  return {[&all](std::string const& path, io::extend::open_flags flags, std::error_code& error) {
            CHECK(path == "hidden");
            error = all.asked(file_call::open);
            if (!error && !flags.create && !all.exists)
              error = std::make_error_code(std::errc::no_such_file_or_directory);
            if (error) return any_handle();
            all.exists = true;
            ++all.open_handles;
            return any_handle(watched_handle(memory_handle(all.file), all));
          },
          [&all](std::string const&) {
            if (!std::exchange(all.exists, false))
              return std::make_error_code(std::errc::no_such_file_or_directory);
            all.file->bytes.clear();
            return std::error_code();
          }};
}

std::vector<shared_pointer> ranks_of(hidden_file& all, int count) {
  std::vector<shared_pointer> ranks;
  for (int r = 0; r < count; ++r) ranks.emplace_back(opener_of(all), "hidden");
  return ranks;
}

// Lets the call fail when it comes next.
void fail_next(hidden_file& all, file_call which, std::error_code error) {
  all.before = [which, error, left = 1](file_call call) mutable {
    return call == which && left-- > 0 ? error : std::error_code();
  };
}

std::error_code const broken = std::make_error_code(std::errc::io_error);

}  // namespace

TEST_CASE("a pointer in a file is a number that ranks add to", "[file][shared]") {
  hidden_file all;
  std::vector<shared_pointer> ranks = ranks_of(all, 3);
  engine random(seed());
  std::int64_t model = 0;
  std::vector<bool> used(3);
  for (int step = 0; step < 300; ++step) {
    auto const r = static_cast<std::size_t>(pick(random, 0, 2));
    shared_pointer& p = ranks[r];
    CAPTURE(step, r, model);
    failure f;
    std::int64_t const writes = all.count(file_call::write);
    switch (pick(random, 0, 4)) {
      case 0:
        CHECK(value_of(p) == model);
        CHECK(all.count(file_call::write) == writes);
        break;
      case 1: {
        std::int64_t const n = pick(random, 1, 1000);
        CHECK(p.add(n, f) == model);
        model += n;
        used[r] = true;
        CHECK(all.count(file_call::write) == writes + 1);
        break;
      }
      case 2:  // beyond 2^63
        CHECK(p.add(INT64_MAX - model + 1, f) == model);
        break;
      case 3: {
        bool const asks = std::ranges::count(used, true) > 0;
        std::size_t const calls = all.calls.size();
        CHECK(p.get(asks, f) == model);
        CHECK((all.calls.size() > calls) == asks);
        break;
      }
      default:
        model = pick(random, 0, 50);
        for (int i = 0; i < 3; ++i) ranks[static_cast<std::size_t>(i)].set(model, i);
        used.assign(3, false);
    }
    CHECK_FALSE(f);
    for (std::size_t i = 0; i < 3; ++i) CHECK(ranks[i].file_was_used() == used[i]);
  }
  CHECK(all.file->bytes.size() <= 64);
  CHECK(all.file->locks == all.file->unlocks);
  CHECK(all.count(file_call::sync) == all.count(file_call::write));
  CHECK(all.count(file_call::open) == 3);
  CHECK(std::ranges::count(all.locks, io::extend::lock_kind::exclusive) == std::ssize(all.locks));
  for (shared_pointer& p : ranks) p.close();
  CHECK(all.open_handles == 0);
}

TEST_CASE("a pointer in a file goes to the last etype that there can be", "[file][shared]") {
  hidden_file all;
  std::vector<shared_pointer> ranks = ranks_of(all, 2);
  failure f;
  CHECK(ranks[0].add(INT64_MAX, f) == 0);
  CHECK(ranks[1].add(1, f) == INT64_MAX);
  CHECK(value_of(ranks[0]) == INT64_MAX);
  for (int i = 0; i < 2; ++i) ranks[static_cast<std::size_t>(i)].set(5, i);
  CHECK(ranks[0].add(INT64_MAX - 5, f) == 5);
  CHECK(value_of(ranks[1]) == INT64_MAX);
  CHECK_FALSE(f);
}

TEST_CASE("a collective call knows the pointer without its file, unless a rank has used that",
          "[file][shared]") {
  hidden_file all;
  std::vector<shared_pointer> ranks = ranks_of(all, 2);
  for (int i = 0; i < 2; ++i) ranks[static_cast<std::size_t>(i)].set(7, i);
  {
    shared_pointer::held const here(ranks[1]);
    CHECK_FALSE(here.file_was_used());
    CHECK(here.known() == 7);
    CHECK(all.calls.empty());
  }
  failure f;
  ranks[1].add(3, f);
  {
    shared_pointer::held here(ranks[1]);
    CHECK(here.file_was_used());
    CHECK(here.get(f) == 10);
    CHECK(here.get(f) == 10);
    here.set(20, 1);
    CHECK_FALSE(here.file_was_used());
    CHECK(here.known() == 20);
  }
  CHECK_FALSE(f);
}

TEST_CASE("a torn write leaves the pointer where it was", "[file][shared][error]") {
  for (std::error_code const error : {std::error_code(), broken})
    for (int adds = 0; adds < 3; ++adds)
      for (std::size_t bytes = 0; bytes < 32; ++bytes) {
        CAPTURE(error.message(), adds, bytes);
        hidden_file all;
        std::vector<shared_pointer> ranks = ranks_of(all, 2);
        failure f;
        for (int i = 0; i < adds; ++i) ranks[0].add(100'000'000'000 + i, f);
        std::int64_t const before = value_of(ranks[1]);
        all.torn = bytes;
        all.tears = error;
        CHECK(ranks[0].add(77, f) == before);
        CHECK(f.code == (error ? error : io::make_error_code(errc::io)));
        CHECK_THAT(f.detail, Catch::Contains("writing the shared pointer in 'hidden'"));
        CHECK(all.count(file_call::sync) == adds);  // failed writes are not synced
        all.torn.reset();
        CHECK(value_of(ranks[1]) == before);
        f = {};
        CHECK(ranks[1].add(1, f) == before);
        CHECK(value_of(ranks[0]) == before + 1);
        CHECK_FALSE(f);
      }
}

TEST_CASE("each call of the pointer's file that fails is told, and others go on",
          "[file][shared][error]") {
  struct row {
    file_call call;
    std::string words;
    bool adds;  // the value is in the file all the same
  };
  for (row const& one : {row{file_call::open, "opening", false},
                         {file_call::lock, "locking", false},
                         {file_call::read, "reading", false},
                         {file_call::write, "writing", false},
                         {file_call::sync, "syncing", true},
                         {file_call::unlock, "unlocking", true}})
    for (bool const opened : {false, true}) {
      if (opened && one.call == file_call::open) continue;
      CAPTURE(one.words, opened);
      hidden_file all;
      std::vector<shared_pointer> ranks = ranks_of(all, 2);
      failure f;
      if (opened) ranks[0].add(3, f);
      ranks[1].add(4, f);
      CHECK_FALSE(f);
      std::int64_t const before = opened ? 7 : 4;
      fail_next(all, one.call, broken);
      std::int64_t const told = ranks[0].add(10, f);
      bool const knows = one.call == file_call::write || one.adds;
      CHECK(told == (knows ? before : 0));
      CHECK(f.code == broken);
      CHECK_THAT(f.detail, Catch::Contains(one.words + " the shared pointer in 'hidden'"));
      std::int64_t const now = before + (one.adds ? 10 : 0);
      CHECK(value_of(ranks[1]) == now);
      // A lock that could not be given back goes with the handle.
      CHECK(all.open_handles ==
            (one.call == file_call::open || one.call == file_call::unlock ? 1 : 2));
      CHECK(value_of(ranks[0]) == now);
      CHECK(all.open_handles == 2);
    }
}

TEST_CASE("a rank that may not make the pointer's file reads it, and adds nothing",
          "[file][shared][error]") {
  for (std::errc const why : {std::errc::permission_denied, std::errc::read_only_file_system}) {
    hidden_file all;
    std::vector<shared_pointer> ranks = ranks_of(all, 2);
    for (int i = 0; i < 2; ++i) ranks[static_cast<std::size_t>(i)].set(5, i);
    auto const forbid = [&] { fail_next(all, file_call::open, std::make_error_code(why)); };
    forbid();
    CHECK(value_of(ranks[1]) == 5);  // no rank has made it
    failure f;
    forbid();
    CHECK(ranks[1].add(1, f) == 0);
    CHECK(f.code == std::make_error_code(why));
    CHECK_THAT(f.detail, Catch::Contains("'hidden', which cannot be made"));
    CHECK_THAT(f.advice, Catch::Contains("read_ordered"));
    f = {};
    CHECK(ranks[0].add(6, f) == 5);
    all.locks.clear();
    forbid();
    CHECK(value_of(ranks[1]) == 11);
    CHECK(all.locks == std::vector{io::extend::lock_kind::shared});
    CHECK(all.open_handles == 1);
    for (auto const& [call, words] : {std::pair{file_call::lock, "locking"},
                                      {file_call::read, "reading"},
                                      {file_call::unlock, "unlocking"}}) {
      CAPTURE(words);
      all.before = [&, which = call, first = true](file_call c) mutable {
        if (c == file_call::open && std::exchange(first, false)) return std::make_error_code(why);
        return c == which ? broken : std::error_code();
      };
      CHECK(ranks[1].get(f) == (call == file_call::unlock ? 11 : 0));
      CHECK(f.code == broken);
      CHECK_THAT(f.detail, Catch::Contains(std::string(words) + " the shared pointer"));
      all.before = {};
      f = {};
    }
    // The second open fails, too.
    all.before = [&, tries = 0](file_call c) mutable {
      if (c != file_call::open) return std::error_code();
      return ++tries == 1 ? std::make_error_code(why) : broken;
    };
    CHECK(ranks[1].get(f) == 0);
    CHECK(f.code == broken);
    CHECK_THAT(f.detail, Catch::Contains("opening the shared pointer"));
  }
}

TEST_CASE("who waits for the lock of the pointer goes on as long as others make progress",
          "[file][shared][error]") {
  std::error_code const busy = std::make_error_code(std::errc::device_or_resource_busy);
  for (int others : {0, 1, 5}) {
    CAPTURE(others);
    hidden_file all;
    std::vector<shared_pointer> ranks = ranks_of(all, 2);
    failure f;
    ranks[0].add(1, f);
    ranks[1].add(1, f);
    // Another rank adds once before each of the first tries.
    int left = others, tries = 0;
    bool within = false;
    all.before = [&](file_call c) {
      if (within || c != file_call::lock) return std::error_code();
      ++tries;
      if (left == 0) return busy;
      --left;
      within = true;
      ranks[0].add(1, f);
      within = false;
      return busy;
    };
    failure mine;
    ranks[1].add(1, mine);
    CHECK(mine.code == busy);
    CHECK_THAT(mine.detail, Catch::Contains("locking"));
    CHECK(tries == std::max(2, others + 1));  // until the number stays
    // Or it gets the lock.
    left = others;
    tries = 0;
    all.before = [&](file_call c) {
      if (within || c != file_call::lock || left == 0) return std::error_code();
      --left;
      within = true;
      ranks[0].add(1, f);
      within = false;
      return busy;
    };
    mine = {};
    CHECK(ranks[1].add(1, mine) == 2 + 2 * others);
    CHECK_FALSE(mine);
  }
  // The file was never written.
  hidden_file fresh;
  std::vector<shared_pointer> alone = ranks_of(fresh, 1);
  fresh.before = [&](file_call c) { return c == file_call::lock ? busy : std::error_code(); };
  failure told;
  alone[0].add(1, told);
  CHECK(told.code == busy);
  CHECK(fresh.count(file_call::lock) == 2);
  // If it cannot be seen whether others make progress, the lock's error is told.
  for (file_call const blind : {file_call::sync, file_call::read}) {
    hidden_file all;
    std::vector<shared_pointer> ranks = ranks_of(all, 1);
    failure f;
    ranks[0].add(1, f);
    int tries = 0;
    all.before = [&](file_call c) {
      if (c == file_call::lock) return ++tries, busy;
      return c == blind ? broken : std::error_code();
    };
    ranks[0].add(1, f);
    CHECK(f.code == busy);
    CHECK(tries == 1);
  }
}

TEST_CASE("a pointer that no rank can keep, or of a closed file, is refused",
          "[file][shared][error]") {
  failure f;
  shared_pointer closed;
  CHECK(closed.is_in_file());
  CHECK(closed.add(1, f) == 0);
  CHECK(f.code == errc::file);
  CHECK(f.detail == "the file is closed");
  f = {};
  hidden_file all;
  shared_pointer refused(opener_of(all), "hidden");
  refused.refuse(make_error_code(errc::unsupported));
  CHECK(refused.add(1, f) == 0);
  CHECK(f.code == errc::unsupported);
  CHECK_THAT(f.detail, Catch::Contains("asking rank 0"));
  CHECK(all.calls.empty());
}

TEST_CASE("the pointer's file is removed by one rank, if there is one", "[file][shared]") {
  hidden_file all;
  std::vector<shared_pointer> ranks = ranks_of(all, 2);
  failure f;
  ranks[0].remove();
  ranks[0].add(1, f);
  CHECK(all.exists);
  ranks[0].remove();
  CHECK_FALSE(all.exists);
  CHECK(all.open_handles == 0);
  shared_pointer none;
  none.remove();
}

TEST_CASE("callers of a rank exclude each other", "[file][shared]") {
  hidden_file all;
  shared_pointer p(opener_of(all), "hidden");
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      failure f;
      for (int i = 0; i < 500; ++i) p.add(1, f);
    });
  for (std::thread& t : callers) t.join();
  CHECK(value_of(p) == 2000);
}
