// Runs of b_eff_io on virtual ranks and files: the content of files, the order of calls, and the
// effect of errors. One page because all cases record the calls of one run.
// SPDX-License-Identifier: BSD-3-Clause
#include "../support/catch.hpp"

#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include <argosy/handle/fault_script.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/policy/two_phase.hpp>

#include <beffio/argosy_files.hpp>
#include <beffio/run.hpp>

#include "expected_files.hpp"

namespace io = argosy;
using namespace beffio;

namespace {

// A second implementation: the same files under another name.
class named_files : public argosy_files<io::lab::virtual_rank> {
 public:
  named_files(std::string name, io::opener files)
      : argosy_files(std::move(files)), name_(std::move(name)) {}
  std::string_view name() const { return name_; }

 private:
  std::string name_;
};

// An implementation whose shared pointer stays where it is when its first call there fails.
class stubborn_files {
 public:
  class file : public argosy_files<io::lab::virtual_rank>::file {
   public:
    using base = argosy_files<io::lab::virtual_rank>::file;
    explicit file(base f) : base(std::move(f)) {}
    std::int64_t write(call c, const_words w, std::error_code& error) {
      if (c != call::ordered || failed_) return base::write(c, w, error);
      failed_ = true;
      error = std::make_error_code(std::errc::io_error);
      return 0;
    }

   private:
    bool failed_ = false;
  };
  explicit stubborn_files(io::opener files) : files_(std::move(files)) {}
  std::string_view name() const { return "stubborn"; }
  file open(io::lab::virtual_rank const& world, open_request const& r, std::error_code& error) {
    return file(files_.open(world, r, error));
  }
  std::error_code remove(std::string const& path) { return files_.remove(path); }

 private:
  argosy_files<io::lab::virtual_rank> files_;
};

struct event {
  std::size_t index;
  int partition;
  method how;
  int type, number;
};

class recorder final : public observer {
 public:
  std::vector<run_result> runs = std::vector<run_result>(2);
  std::vector<event> events;
  std::vector<std::string> failures;
  std::function<void(event const&)> meanwhile;

  void begins(contender const& who, int number) override {
    events.push_back({who.index, who.partition, who.how, who.type, number});
    if (meanwhile) meanwhile(events.back());
  }
  void measured(contender const& who, cell const& c) override {
    runs[who.index].cells.push_back(c);
  }
  void closed(contender const& who, double seconds, std::int64_t errors) override {
    cell* last = nullptr;
    for (cell& c : runs[who.index].cells)
      if (c.partition == who.partition && c.how == who.how && c.type == who.type)
        (last = &c)->close_seconds = seconds;
    if (last != nullptr) last->errors += errors;
  }
  void failed(contender const&, std::string const& what) override { failures.push_back(what); }
};

// A policy that works like one of the library, and counts the calls of all ranks.
struct counted : io::two_phase {
  static constexpr std::string_view name = "counted";
  int* calls = nullptr;
  io::collective_plan plan(io::access_kind kind, io::extend::access_summary const& all,
                           io::extend::rank_group const& ranks) const {
    ++*calls;
    return io::two_phase::plan(kind, all, ranks);
  }
  bool operator==(counted const&) const = default;
};

plan small_plan(std::vector<int> partitions, double seconds) {
  plan p;
  p.when.seconds = seconds;
  p.when.partitions = static_cast<int>(partitions.size());
  p.partitions = std::move(partitions);
  return p;
}

// Returns slow files. A call of 1 MiB takes some ten milliseconds, so few bytes are moved in the
// time of a pattern.
io::lab::virtual_files slow_files() { return io::lab::virtual_files({.server_mb_per_s = 20}); }

template <class... Implementations>
void run_all(int ranks, plan const& p, recorder& tell, Implementations const&... all) {
  io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 2, .seed = 3},
                           {.stack_bytes = std::size_t{512} << 10})
      .run([&](io::lab::virtual_rank const& world) {
        observer nobody;
        observer& mine = world.rank() == 0 ? tell : nobody;
        run(world, p, mine, all...);
      });
}
void run_on(int ranks, plan const& p, recorder& tell, io::opener const& files) {
  run_all(ranks, p, tell, named_files("one", files));
}

// Returns a text if a file of the run is not as it must be, or if there are other files; otherwise
// an empty string.
std::string what_is_wrong(io::lab::virtual_files const& files, run_result const& r,
                          std::string const& name) {
  std::set<std::string> hoped;
  for (int const n : r.partitions())
    for (int t = 0; t < types; ++t)
      for (int rank = 0; rank < (t == separated ? n : 1); ++rank) {
        std::string const path = "/" + io::test::name_of_file(name, n, t, rank);
        hoped.insert(path);
        auto const expected = io::test::expected_file(r, n, t, rank);
        auto const found = files.content(path);
        if (found.size() != expected.size() * 8)
          return path + " has " + std::to_string(found.size()) + " bytes";
        for (std::size_t k = 0; k < expected.size(); ++k)
          if (std::memcmp(&found[8 * k], &expected[k], 8) != 0)
            return path + " differs at word " + std::to_string(k);
      }
  auto const names = files.names();
  for (std::string const& name_of_file : names)
    if (hoped.count(name_of_file) == 0 && name_of_file.rfind("/" + name + "_", 0) == 0)
      return name_of_file + " is left";
  return {};
}

run_result facts_of(run_result r, plan const& p, int ranks) {
  r.rules = p.when.rules;
  r.all_rewrites = p.when.all_rewrites;
  r.ranks = ranks;
  r.seconds = p.when.seconds;
  return r;
}

// Adds the faults only to files whose path contains `part`.
io::opener broken_where(io::opener files, std::string part,
                        std::shared_ptr<io::fault_script> script) {
  io::opener const broken = io::with_faults(files, std::move(script));
  return files.opening([=](std::string const& path, io::extend::open_flags flags,
                           std::error_code& error) {
    return path.find(part) != path.npos ? broken(path, flags, error) : files(path, flags, error);
  });
}

}  // namespace

TEST_CASE("files hold what the patterns say, word by word", "[beffio][run]") {
  bool const all_rewrites = GENERATE(false, true), shared_pointer = GENERATE(true, false);
  CAPTURE(all_rewrites, shared_pointer);
  io::lab::virtual_files const files = slow_files();
  recorder tell;
  plan p = small_plan({1, 3}, 3);
  p.keep = true;
  p.when.all_rewrites = all_rewrites;
  p.shared_pointer = shared_pointer;
  run_on(3, p, tell, files.opener());
  run_result const r = facts_of(tell.runs[0], p, 3);
  CHECK(r.errors() == 0);
  CHECK(r.wrong() == 0);
  CHECK(tell.failures.empty());
  CHECK(r.system_value().has_value());
  CHECK(what_is_wrong(files, r, "one") == "");
  std::int64_t calls = 0;
  for (cell const& c : r.cells) calls = std::max(calls, c.calls);
  CHECK(calls > 20);  // small chunks have time for many calls
}

TEST_CASE("patterns follow the rules: by time, then by the same counts", "[beffio][run]") {
  io::lab::virtual_files const files = slow_files();
  recorder tell;
  plan p = small_plan({2, 4}, 3);
  p.when.geometric = GENERATE(false, true);
  run_on(4, p, tell, files.opener());
  run_result const r = facts_of(tell.runs[0], p, 4);
  for (int const n : {2, 4})
    for (int t = 0; t < types; ++t) {
      auto const all = patterns_of(t, p.longest);
      for (std::size_t k = 0; k < all.size(); ++k) {
        CAPTURE(n, t, k);
        auto const* const w = r.find(n, method::write, t, static_cast<int>(k));
        auto const* const read = r.find(n, method::read, t, static_cast<int>(k));
        REQUIRE((w != nullptr && read != nullptr));
        CHECK(w->what == all[k]);
        CHECK(w->bytes == n * w->calls * all[k].memory);
        CHECK(read->calls == w->calls);
        CHECK(read->bytes == w->bytes);
        if (all[k].units == 0) {
          CHECK((w->calls == 1 && w->ended == ending::once));
        } else if (is_segmented(t)) {
          CHECK(w->ended == ending::count);
          std::int64_t const twin = k == 1 ? 1 : static_cast<std::int64_t>(k) + 1;
          auto const of = [&](int type, std::int64_t number) {
            return r.find(n, method::write, type, static_cast<int>(number))->calls;
          };
          auto const& scattered = r.find(n, method::write, 0, static_cast<int>(twin))->what;
          CHECK(w->calls ==
                std::min({of(0, twin) * (scattered.memory / scattered.chunk),
                          10 * of(1, static_cast<int>(k)), of(2, static_cast<int>(k))}));
        } else {
          CHECK(w->ended == ending::time);
          CHECK(w->scheduled == 3.0 / 2 / 150 * all[k].units);
          // One more call would have been too late. The time includes views and syncing.
          double const calling = w->seconds - w->sync_seconds;
          CHECK((w->calls == 1 || calling <= w->scheduled * 1.01));
          if (!p.when.geometric)
            CHECK(calling * static_cast<double>(w->calls + 1) / static_cast<double>(w->calls) >
                  w->scheduled * 0.99);
        }
        auto const* const again = r.find(n, method::rewrite, t, static_cast<int>(k));
        CHECK((again != nullptr) == (t == 0));
        if (again != nullptr) CHECK(again->calls == w->calls);
      }
    }
  CHECK(files.names().empty());  // all were removed
}

TEST_CASE("release 2 writes all partitions before it rewrites and reads; release 1 ends one first",
          "[beffio][run]") {
  bool const first = GENERATE(true, false);
  io::lab::virtual_files const files = slow_files();
  recorder tell;
  plan p = small_plan({1, 2}, 0.5);
  if (first) p.when.rules = release::r1;
  run_all(2, p, tell, named_files("one", files.opener()), named_files("two", files.opener()));
  std::vector<std::tuple<int, method, int>> order;
  std::size_t n = 0;
  for (event const& e : tell.events) {
    // Implementations alternate, pattern by pattern. Only fillers may be missing.
    if (e.number < always(e.type)) CHECK(e.index == n++ % 2);
    if (order.empty() || order.back() != std::tuple(e.partition, e.how, e.type))
      order.emplace_back(e.partition, e.how, e.type);
  }
  std::vector<std::tuple<int, method, int>> hoped;
  auto const add = [&](int partition, method m) {
    for (int t = 0; t < types; ++t)
      if (first || m != method::rewrite || t == 0) hoped.emplace_back(partition, m, t);
  };
  if (first)
    for (int const partition : {1, 2})
      for (method const m : methods) add(partition, m);
  else
    for (method const m : methods)
      for (int const partition : {1, 2}) add(partition, m);
  CHECK(order == hoped);
  for (std::size_t k : {0u, 1u}) {
    run_result const r = facts_of(tell.runs[k], p, 2);
    CHECK(r.errors() + r.wrong() == 0);
    CHECK(r.system_value().has_value());
  }
}

TEST_CASE("a failed write is counted, not fatal, and its data is missed when it is read",
          "[beffio][run][error]") {
  io::lab::virtual_files const files = slow_files();
  auto const script = std::make_shared<io::fault_script>();
  script->add(io::fail_at(io::file_call::write, 4, std::errc::io_error));
  recorder tell;
  plan const p = small_plan({2}, 2);
  run_on(2, p, tell, broken_where(files.opener(), "separated_1", script));
  run_result const r = facts_of(tell.runs[0], p, 2);
  CHECK(script->struck() == 1);
  CHECK(r.errors() == 1);
  CHECK(r.wrong() == 2);  // the marks of one chunk
  CHECK(r.system_value().has_value());
  CHECK_FALSE(is_valid(r));
  REQUIRE(tell.failures.size() == 1);
  CHECK(tell.failures[0].rfind("rank 1, write: ", 0) == 0);
  CHECK(files.names().empty());
}

TEST_CASE("a collective call that fails leaves what comes after it in its place",
          "[beffio][run][error]") {
  std::string const type = GENERATE("scatter", "shared", "segmented", "seg_coll");
  CAPTURE(type);
  io::lab::virtual_files const files = slow_files();
  auto const script = std::make_shared<io::fault_script>();
  script->add(io::fail_at(io::file_call::write, 3, std::errc::io_error));
  recorder tell;
  plan const p = small_plan({2}, 2);
  run_on(2, p, tell, broken_where(files.opener(), "_" + type, script));
  run_result const r = facts_of(tell.runs[0], p, 2);
  REQUIRE(script->struck() == 1);
  CHECK((r.errors() == 1 || r.errors() == 2));  // all ranks report it
  // At most one or two calls of one chunk are wrong. Bytes that the rewrite corrected do not count.
  CHECK(r.wrong() <= 4);
  if (type == "segmented") CHECK(r.wrong() == 2);
  CHECK(r.system_value().has_value());
  CHECK(files.names().empty());
}

TEST_CASE("a shared pointer that a failed call has left behind is put right",
          "[beffio][run][error]") {
  io::lab::virtual_files const files = slow_files();
  recorder tell;
  plan const p = small_plan({3}, 2);
  run_all(3, p, tell, stubborn_files(files.opener()));
  run_result const r = facts_of(tell.runs[0], p, 3);
  // The first pattern is one call. Exactly the bytes that the ranks did not write are missing.
  CHECK(r.errors() == 3);
  CHECK(r.wrong() == 3 * 2);
  CHECK(r.find(3, method::read, shared, 0)->wrong == 3 * 2);
  CHECK(r.system_value().has_value());
}

TEST_CASE("where all calls fail, a pattern ends after ten; where no file opens, all are missing",
          "[beffio][run][error]") {
  io::lab::virtual_files const files = slow_files();
  auto const script = std::make_shared<io::fault_script>();
  recorder tell;
  plan const p = small_plan({2}, 2);
  SECTION("writes") {
    script->add(io::fail_from(io::file_call::write, 1, std::errc::no_space_on_device));
    run_on(2, p, tell, broken_where(files.opener(), "separated", script));
    run_result const& r = tell.runs[0];
    for (cell const& c : r.cells)
      if (c.how == method::write && c.type == separated && c.what.units > 0) {
        CHECK(c.ended == ending::errors);
        CHECK(c.errors == most_errors);
        CHECK(c.bytes == 0);
      }
  }
  SECTION("open") {
    script->add(io::fail_from(io::file_call::open, 1, std::errc::permission_denied));
    std::string const type = GENERATE("separated", "scatter", "seg_coll");
    run_on(2, p, tell, broken_where(files.opener(), type, script));
    for (cell const& c : tell.runs[0].cells)
      if (type_names[static_cast<std::size_t>(c.type)] == type)
        CHECK((c.calls == 0 && c.bytes == 0));
    CHECK(tell.runs[0].errors() >= 2);
  }
  // All other types are whole.
  run_result const r = facts_of(tell.runs[0], p, 2);
  CHECK(r.type_value(2, method::read, shared).value_or(0) > 0);
  std::size_t const patterns = 9 * 3 + 8 * 4 * 2;
  CHECK(r.cells.size() >= patterns);
  CHECK(files.names().empty());
}

TEST_CASE("a mark that changed in the file is seen", "[beffio][run][error]") {
  io::lab::virtual_files files = slow_files();
  recorder tell;
  plan const p = small_plan({2}, 1);
  tell.meanwhile = [&](event const& e) {
    // the next type is not open yet
    if (e.how != method::read || e.type != separated || e.number != 7) return;
    std::string const path = "/" + io::test::name_of_file("one", 2, segmented, 0);
    auto content = files.content(path);
    content.at(1048576 + 7) ^= std::byte{1};  // the first word of the second pattern
    files.put(path, content);
  };
  run_on(2, p, tell, files.opener());
  CHECK(tell.runs[0].wrong() == 1);
  CHECK(tell.runs[0].errors() == 0);
  CHECK(tell.runs[0].find(2, method::read, segmented, 1)->wrong == 1);
}

TEST_CASE("files keep to the space they are given", "[beffio][run]") {
  io::lab::virtual_files const files = slow_files();
  recorder tell;
  plan p = small_plan({2}, 10);
  p.budget = 120 * mib;
  p.keep = true;
  run_on(2, p, tell, files.opener());
  run_result const r = facts_of(tell.runs[0], p, 2);
  std::int64_t bytes = 0, cut = 0;
  for (std::string const& name : files.names())
    bytes += static_cast<std::int64_t>(files.content(name).size());
  CHECK(bytes <= p.budget);
  CHECK(bytes > p.budget / 3);
  for (cell const& c : r.cells) cut += c.ended == ending::space;
  CHECK(cut > 10);
  CHECK_FALSE(is_valid(r));
}

TEST_CASE("calls go by the policy that is chosen by the hints in force", "[beffio][run][hints]") {
  io::lab::virtual_files const files = slow_files();
  int calls = 0;
  std::set<std::pair<call, std::int64_t>> asked;
  recorder tell;
  plan p = small_plan({2}, 0.5);
  p.hints = hint_file::parse(
      "all write all on_open cb_nodes 1\n"
      "all write scatter 1024 cb_nodes 2\n");
  policy_choice const choice = [&](call c,
                                   io::extend::resolved_hints const& h) -> io::extend::any_policy {
    asked.insert({c, h.cb_nodes});
    counted policy;
    policy.calls = &calls;
    return c == call::together && h.cb_nodes == 2 ? io::extend::any_policy(policy)
                                                  : io::extend::any_policy();
  };
  run_all(2, p, tell, argosy_files<io::lab::virtual_rank>(files.opener(), choice));
  run_result const& r = tell.runs[0];
  CHECK(r.errors() == 0);
  CHECK(r.wrong() == 0);
  // The hint counts from its pattern on, until the file is closed.
  std::int64_t chosen = 0;
  for (int number = 5; number < 9; ++number)
    chosen += r.find(2, method::write, scatter, number)->calls;
  CHECK(calls == 2 * chosen);
  for (call const c : {call::together, call::ordered, call::alone}) {
    CHECK(asked.contains({c, 0}));  // the methods without hints
    CHECK(asked.contains({c, 1}));
    CHECK(asked.contains({c, 2}));
  }
}

TEST_CASE("hints reach the file at open and with each pattern, and what is in force is told",
          "[beffio][run][hints]") {
  io::lab::virtual_files const files = slow_files();
  recorder tell;
  plan p = small_plan({2}, 0.5);
  p.hints = hint_file::parse(
      "all write all on_open cb_nodes 1\n"
      "all write shared 1024 cb_buffer_size 65536\n"
      "all write scatter 1032 cb_buffer_size 131072\n"
      "all write seg_coll 32768 cb_nodes none\n");
  run_on(2, p, tell, files.opener());
  run_result const& r = tell.runs[0];
  CHECK(r.errors() == 0);
  CHECK(r.find(2, method::write, shared, 1)->hints == "cb_nodes=1");
  CHECK(r.find(2, method::write, shared, 4)->hints == "cb_nodes=1;cb_buffer_size=65536");
  CHECK(r.find(2, method::write, scatter, 7)->hints == "cb_nodes=1;cb_buffer_size=131072");
  CHECK(r.find(2, method::write, seg_coll, 3)->hints == "cb_nodes=1 (rejected)");
  CHECK(r.find(2, method::read, shared, 4)->hints.empty());
}
