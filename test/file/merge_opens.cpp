// Merges: the opens of one file find each other, and the ranks try whether locks reach all of them.
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdint>
#include <future>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/error/errc.hpp>
#include <argosy/exchange/detail/write_guard.hpp>
#include <argosy/file/detail/state/merge_safety.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/plan/report.hpp>

#include "file/storages.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/memory_handle.hpp"

namespace io = argosy;
using io::errc;
using io::mode;
using io::detail::merge_safety;
using io::test::memory_file;
using io::test::memory_handle;
using io::test::moose;
using io::test::scratch;
using io::test::unique;

namespace {

// A handle that records calls of locks and syncs.
class noting : public io::extend::forwarding<noting, io::extend::any_handle> {
 public:
  noting(io::extend::any_handle h, std::shared_ptr<std::vector<std::string>> done)
      : io::extend::forwarding<noting, io::extend::any_handle>(std::move(h)),
        done_(std::move(done)) {}
  std::error_code reconcile() {
    done_->push_back("reconcile");
    return forwarding::reconcile();
  }
  template <class Act>
  io::extend::io_result around(io::extend::handle_call const& call, Act&& act) {
    std::string text(to_string(call.kind));
    if (call.kind == io::file_call::lock)
      text += call.lock == io::extend::lock_kind::shared ? " shared" : " exclusive";
    if (call.offset == merge_safety::lock_tried_at && call.length == 1) text += " tried";
    done_->push_back(std::move(text));
    return act();
  }

 private:
  std::shared_ptr<std::vector<std::string>> done_;
};

using texts = std::vector<std::string>;

// A file that several handles have open. Their locks exclude each other.
struct one_file {
  scratch dir{io::test::in_memory()};
  std::shared_ptr<io::fault_script> script = std::make_shared<io::fault_script>();
  std::shared_ptr<texts> done = std::make_shared<texts>();

  io::extend::any_handle open() const {
    std::error_code error;
    io::extend::any_handle h =
        io::posix_opener()(dir / "f", {.read = true, .write = true, .create = true}, error);
    if (error) throw std::system_error(error);
    h.target<io::posix>()->raw().longest_lock_wait = std::chrono::seconds(10);
    return h;
  }
  io::extend::any_handle noted(io::extend::any_handle h) const {
    return noting(io::extend::faulty(std::move(h), script), done);
  }
};

// One rank of an open of the file.
struct rank_in {
  io::extend::any_handle file;
  merge_safety merges;
  bool none = true;
  io::extend::failure failed;

  rank_in(one_file const& in, std::uint64_t number, int rank = 0, int ranks = 1) : file(in.open()) {
    merges.begin(mode::write, rank, ranks);
    failed = merges.enter(file, number, none);
  }
  bool is_alone() { return merges.is_alone(file); }
  io::detail::presence const& opens() const { return *merges.under_lock().opens; }
};

}  // namespace

TEST_CASE("ranks of one open are no strangers to each other, and a second open is",
          "[file][merging]") {
  one_file const f;
  rank_in a(f, 1, 0, 3), b(f, 1, 1, 3), c(f, 1, 2, 3);
  std::array<rank_in*, 3> const ranks{&a, &b, &c};
  for (rank_in* const r : ranks) {
    CHECK_FALSE(r->failed);
    CHECK_FALSE(r->none);
    CHECK(r->opens().obstacle().empty());
    CHECK(r->is_alone());
    CHECK_FALSE(r->opens().readmit(r->file));
  }
  {
    rank_in other(f, 2);
    CHECK_FALSE(other.failed);
    CHECK(other.opens().obstacle().empty());
    CHECK_FALSE(other.is_alone());
    for (rank_in* const r : ranks) CHECK_FALSE(r->is_alone());
  }
  for (rank_in* const r : ranks) CHECK(r->is_alone());
}

TEST_CASE("a rank that is alone stays so: an open of the file waits", "[file][merging]") {
  one_file const f;
  rank_in a(f, 1);
  CHECK(a.is_alone());
  auto enters = std::async(std::launch::async, [&] { return std::make_unique<rank_in>(f, 2); });
  CHECK(enters.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout);
  CHECK_FALSE(a.opens().readmit(a.file));
  std::unique_ptr<rank_in> const other = enters.get();
  CHECK_FALSE(other->failed);
  CHECK_FALSE(a.is_alone());
}

TEST_CASE("an open that came beside a strange lock is seen when it writes, though it never merges",
          "[file][merging]") {
  using change = void (*)(merge_safety&);
  for (change const after : {change([](merge_safety&) {}), change([](merge_safety& m) {
                               m.meet({}, false);
                               m.lies_on(moose);
                             }),
                             change([](merge_safety& m) { m.lacks_locks(); }),
                             change([](merge_safety& m) { m.locks_in_vain(); })}) {
    one_file const f;
    io::extend::any_handle program = f.open();
    CHECK_FALSE(program.lock(0, std::numeric_limits<std::int64_t>::max(),
                             io::extend::lock_kind::exclusive));
    rank_in r(f, 1);
    CHECK(r.opens().unseen());
    CHECK_FALSE(r.merges.writes_freely());
    after(r.merges);
    program.close();
    rank_in other(f, 2);
    CHECK(other.is_alone());
    CHECK_FALSE(other.opens().readmit(other.file));
    io::report done;
    io::detail::write_guard<io::extend::any_handle> guard(
        r.file, r.merges.alone(false, false, false), done);
    CHECK_FALSE(guard.pieces(0, 8, [] { return std::error_code(); }));
    CHECK_FALSE(other.is_alone());
    CHECK(r.merges.writes_freely());
  }
}

TEST_CASE("a unique open is alone by promise, and one for reading never", "[file][merging]") {
  one_file const f;
  io::extend::any_handle file = f.noted(f.open());
  for (mode const how : {mode::read, mode::read | mode::unique_open, unique}) {
    merge_safety m;
    m.begin(how, 0, 1);
    CHECK(m.is_alone(file) == has(how, mode::unique_open));
  }
  CHECK(f.done->empty());
}

TEST_CASE("a rank without locks learns it when it enters, and reports other errors",
          "[file][merging][faults]") {
  struct {
    std::errc error;
    bool none;
  } const cases[] = {{std::errc::no_lock_available, true}, {std::errc::io_error, false}};
  for (auto const& one : cases) {
    one_file const f;
    f.script->add(io::fail_from(io::file_call::lock, 1, one.error));
    io::extend::any_handle file = f.noted(f.open());
    merge_safety m;
    m.begin(mode::write, 0, 1);
    bool none = !one.none;
    io::extend::failure const failed = m.enter(file, 1, none);
    CHECK(failed.code == one.error);
    CHECK(failed.detail == "trying a byte-range lock");
    CHECK(none == one.none);
  }
}

namespace {

// Tries a lock after `change`, on a handle that records its calls.
struct tried {
  bool none = false;
  io::extend::failure failed;
  texts done;

  tried(one_file const& f, io::extend::any_handle h,
        std::function<void(merge_safety&)> const& change = {}, bool none_before = false)
      : none(none_before) {
    merge_safety m;
    m.begin(unique, 0, 3);
    if (change) change(m);
    io::extend::any_handle file = f.noted(std::move(h));
    f.done->clear();
    failed = m.try_lock(file, none);
    done = *f.done;
  }
};

io::extend::any_handle blind(bool has_locks = true) {
  auto const file = std::make_shared<memory_file>();
  file->has_locks = has_locks;
  return memory_handle(file);
}

}  // namespace

TEST_CASE("a lock is tried far behind the data, and given back", "[file][merging]") {
  one_file const f;
  for (bool const tells : {false, true}) {
    tried const t(f, tells ? f.open() : blind(), {}, true);
    CHECK_FALSE(t.failed);
    CHECK_FALSE(t.none);
    CHECK(t.done == texts{"lock shared tried", "unlock tried"});
  }
  // The offset lies behind all data, and before the bytes for opens and for the last byte of data.
  std::int64_t const at = merge_safety::lock_tried_at;
  CHECK(at > std::int64_t{1} << 62);
  CHECK(at < io::detail::range_of_data(io::detail::first_reserved, 1).offset);
}

TEST_CASE("a lock of another program is not waited for", "[file][merging]") {
  one_file const f;
  io::extend::any_handle other = f.open();
  CHECK_FALSE(other.lock(merge_safety::lock_tried_at, 1, io::extend::lock_kind::exclusive));
  tried const t(f, f.open());
  CHECK_FALSE(t.failed);
  CHECK_FALSE(t.none);
  CHECK(t.done == texts{"lock shared tried", "reconcile", "sync"});
  f.script->add(io::fail_from(io::file_call::sync, 2, std::errc::io_error));
  tried const lost(f, f.open());
  CHECK(lost.failed.code == std::errc::io_error);
  CHECK(lost.failed.detail == "writing out what this node has kept");
  CHECK_FALSE(lost.none);
}

TEST_CASE("a rank reports the error of a lock that it tries", "[file][merging][faults]") {
  std::string const words = "trying a byte-range lock";
  {
    one_file const f;
    tried const t(f, blind(false));
    CHECK(t.failed.code == errc::no_locks);
    CHECK(t.failed.detail == words);
    CHECK(t.none);
    CHECK(t.done == texts{"lock shared tried"});
  }
  for (bool const tells : {false, true})
    for (std::errc const error : {std::errc::no_lock_available, std::errc::io_error}) {
      one_file const f;
      f.script->add(io::fail_at(io::file_call::lock, 1, error));
      tried const t(f, tells ? f.open() : blind(), {}, error == std::errc::io_error);
      CHECK(t.failed.code == error);
      CHECK(t.none == (error == std::errc::no_lock_available));
      CHECK(t.done == texts{"lock shared tried"});
    }
  one_file const f;
  f.script->add(io::fail_at(io::file_call::unlock, 1, std::errc::io_error));
  tried const t(f, f.open());
  CHECK(t.failed.code == std::errc::io_error);
  CHECK(t.failed.detail == words);
  CHECK_FALSE(t.none);
  CHECK(t.done == texts{"lock shared tried", "unlock tried", "unlock tried"});
}

TEST_CASE("locks that other nodes do not see, or that keep nothing old away, are none",
          "[file][merging]") {
  one_file const f;
  auto const late = [](bool near) {
    return [near](merge_safety& m) {
      m.meet({}, near);
      m.lies_on(moose);
    };
  };
  for (auto const& change :
       {std::function<void(merge_safety&)>(late(false)),
        std::function<void(merge_safety&)>([](merge_safety& m) { m.locks_in_vain(); })}) {
    tried const t(f, f.open(), change);
    CHECK(t.failed.code == errc::no_locks);
    CHECK(t.none);
    CHECK(t.done.empty());
  }
  CHECK_FALSE(tried(f, f.open(), late(true)).failed);
  // A rank tries its lock although another rank has none.
  CHECK_FALSE(tried(f, f.open(), [](merge_safety& m) { m.lacks_locks(); }).failed);
}
