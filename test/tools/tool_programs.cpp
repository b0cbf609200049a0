// The program argosy under mpiexec and alone: bench, calibrate, doctor, and its exit codes.
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/wait.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <argosy/file/file_hints.hpp>
#include <argosy/file/hints_file.hpp>
#include <argosy/world/detail/host.hpp>

#include <tools/argosy/json.hpp>

#include "support/array_files.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/sanitized.hpp"

namespace io = argosy;
using argosy::test::content_of;
using argosy::test::scratch;
using Catch::Matchers::ContainsSubstring;
using json_value = boost::json::value;

namespace {

int code_of(std::string const& command) {
  int const status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}
std::string argosy_on(int ranks) {
  return ranks == 1 ? ARGOSY_TEST_COMMAND
                    : ARGOSY_TEST_MPIEXEC " " + std::to_string(ranks) + " " ARGOSY_TEST_COMMAND;
}
bool is_empty(std::string const& directory) { return std::filesystem::is_empty(directory); }

}  // namespace

TEST_CASE("the four levels are measured beside plain calls, and nothing is left",
          "[tool][program]") {
  scratch const dir, data(argosy::test::in_memory());
  for (int const ranks : {1, 2}) {
    CAPTURE(ranks);
    REQUIRE(code_of(argosy_on(ranks) + " bench " + data.string() + " --bytes 64k --json >" +
                    (dir / "out")) == 0);
    json_value const v = io::tool::parse_json(content_of(dir / "out"));
    CHECK(v.at("ranks").as_int64() == ranks);
    auto const& levels = v.at("levels").as_array();
    REQUIRE(levels.size() == 6);
    for (json_value const& l : levels) {
      CHECK(l.at("write_mb_per_s").to_number<double>() > 0);
      CHECK(l.at("read_mb_per_s").to_number<double>() > 0);
    }
    CHECK(is_empty(data.string()));
  }
  CHECK(code_of(argosy_on(2) + " bench " + (dir / "missing") + " 2>" + (dir / "err")) == 1);
  CHECK_THAT(content_of(dir / "err"), ContainsSubstring("No such file"));
}

TEST_CASE("prices are written as hints that the library accepts", "[tool][program][prices]") {
  scratch const dir, data(argosy::test::in_memory());
  for (int const ranks : {1, 2}) {
    CAPTURE(ranks);
    std::string const file = dir / "hints";
    REQUIRE(code_of(argosy_on(ranks) + " calibrate " + data.string() + " --output " + file +
                    " --json >" + (dir / "out")) == 0);
    json_value const v = io::tool::parse_json(content_of(dir / "out"));
    io::file_hints const h(io::extend::read_hints_file(file), {}, {});
    io::extend::resolved_hints const& values = h.values();
    CHECK(values.price_call_ns.value_or(0) > 0);
    CHECK(values.price_write_call_ns.value_or(0) > 0);
    CHECK(values.price_byte_ns.value_or(-1) >= 0);
    CHECK(values.price_lock_ns.value_or(0) > 0);
    bool const measured =
        ranks > 1 && io::detail::processor_set::of_this_process().count() >= ranks;
    CHECK(values.price_message_ns.has_value() == measured);
    CHECK(values.price_message_byte_ns.has_value() == measured);
    CHECK(values.price_crowd_call_ns.has_value() == measured);
    CHECK(values.price_crowd_call_ns.value_or(0) >= 0);
    CHECK(values.price_crowd_call_ns.value_or(0) < 100e6);
    CHECK(*values.price_call_ns ==
          Approx(v.at("prices").at("argosy_price_call_ns").to_number<double>()).epsilon(0.01));
    CHECK(is_empty(data.string()));
  }
  CHECK(code_of(argosy_on(2) + " calibrate " + (dir / "missing") + " >/dev/null 2>&1") == 1);
  CHECK(code_of(argosy_on(1) + " calibrate " + data.string() + " --output " +
                (dir / "missing/hints") + " >/dev/null 2>&1") == 1);
}

TEST_CASE("if a rank cannot write while ranks are measured together, all end, and it says why",
          "[tool][program][prices][error]") {
  if (argosy::test::sanitized) return;  // sanitizers must be loaded before the faults
  if (io::detail::processor_set::of_this_process().count() < 2)
    return argosy::test::skipped("two ranks need two processors to measure a crowd");
  scratch const dir, data(argosy::test::in_memory());
  struct {
    char const *faults, *why;
  } const cases[] = {{"open@1=EACCES", "opening "},       {"open@9=ENOSPC", "No space left"},
                     {"write@3=ENOSPC", "No space left"}, {"write@1+=ENOSPC", "No space left"},
                     {"write@100=EIO", "writing: "},      {"close@14=EDQUOT", "closing: "}};
  for (char const* const rank : {"0", "1"})
    for (auto const& [faults, why] : cases) {
      CAPTURE(rank, faults);
      std::filesystem::remove(dir / "hints");
      CHECK(code_of(std::string("timeout 200 " ARGOSY_TEST_MPIEXEC
                                " 2 env LD_PRELOAD=" ARGOSY_TEST_SHIM " ARGOSY_FAULTS='") +
                    faults + "' ARGOSY_FAULT_PATH=.shared ARGOSY_FAULT_RANKS=" + rank +
                    " " ARGOSY_TEST_COMMAND " calibrate " + data.string() + " --output " +
                    (dir / "hints") + " >" + (dir / "out") + " 2>" + (dir / "err")) == 1);
      CHECK_THAT(
          content_of(dir / "err"),
          ContainsSubstring(why) && ContainsSubstring("argosy: another rank could not write"));
      CHECK_FALSE(std::filesystem::exists(dir / "hints"));
      CHECK(is_empty(data.string()));
    }
}

TEST_CASE("more ranks than processors are told, and messages between them have no price",
          "[tool][program][prices]") {
  scratch const dir, data(argosy::test::in_memory());
  auto const on_one_processor = [&](std::string const& what) {
    // Uses the first processor of this process, because 0 may belong to others.
    return code_of("taskset -c $(taskset -cp $$ | sed 's/.*: *\\([0-9]*\\).*/\\1/') " +
                   argosy_on(2) + " " + what + " >" + (dir / "out") + " 2>" + (dir / "err"));
  };
  REQUIRE(on_one_processor("calibrate " + data.string() + " --output " + (dir / "hints")) == 0);
  CHECK_THAT(content_of(dir / "err"),
             ContainsSubstring("2 ranks share 1 processor, and wait for them"));
  CHECK_THAT(content_of(dir / "hints"), ContainsSubstring("messages were not measured"));
  io::file_hints const h(io::extend::read_hints_file(dir / "hints"), {}, {});
  CHECK(h.values().price_call_ns.has_value());
  CHECK_FALSE(h.values().price_message_ns.has_value());
  CHECK_FALSE(h.values().price_message_byte_ns.has_value());
  REQUIRE(on_one_processor("doctor " + dir.string()) == 0);
  CHECK_THAT(content_of(dir / "out"), ContainsSubstring("ranks           slow    2 ranks") &&
                                          ContainsSubstring("2 ranks share 1 processor"));
  REQUIRE(on_one_processor("bench " + data.string() + " --bytes 64k") == 0);
  CHECK_THAT(content_of(dir / "err"), ContainsSubstring("2 ranks share 1 processor"));
}

TEST_CASE("the doctor tells what works, and ends with 1 where something is broken",
          "[tool][program]") {
  scratch const dir;
  for (int const ranks : {1, 2}) {
    REQUIRE(code_of(argosy_on(ranks) + " doctor " + dir.string() + " --json >" + (dir / "out")) ==
            0);
    json_value const v = io::tool::parse_json(content_of(dir / "out"));
    CHECK(v.at("works").as_bool());
    std::string all;
    for (json_value const& f : v.at("findings").as_array())
      all += f.at("what").as_string().c_str() + std::string(" ");
    CHECK(all ==
          "MPI ranks shared memory open files size of files address space file system writing "
          "locks preallocation sync ");
    std::filesystem::remove(dir / "out");
    CHECK(is_empty(dir.string()));
  }
  CHECK(code_of(argosy_on(1) + " doctor " + (dir / "missing") + " >" + (dir / "out")) == 1);
  CHECK_THAT(content_of(dir / "out"), ContainsSubstring("BROKEN"));
  CHECK(code_of("ulimit -n 200; " + argosy_on(1) + " doctor " + dir.string() + " >" +
                (dir / "out2")) == 0);
  CHECK_THAT(content_of(dir / "out2"), ContainsSubstring("open files      slow    200"));
}

TEST_CASE("one rank and three convert to the same files", "[tool][program][convert]") {
  scratch const dir(argosy::test::in_memory());
  std::vector<double> values(40 * 50);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sqrt(static_cast<double>(i));
  argosy::test::write_bytes(dir / "u.npy",
                            argosy::test::hand_array_of("f8", {40, 50}, values).npy(true, false));
  for (std::string const how :
       {".zarr --chunks 8x10 --shards 16x20 --codec gzip", ".h5:u --chunks 7x9 --filter deflate"}) {
    for (std::string const ranks : {"1", "3"})
      REQUIRE(code_of(argosy_on(std::stoi(ranks)) + " convert " + (dir / "u.npy") + " " +
                      (dir / ranks) + how + " --memory 3k >/dev/null") == 0);
    std::string const ending = how.substr(0, how.find_first_of(" :"));
    CHECK(code_of("diff -r " + (dir / "1") + ending + " " + (dir / "3") + ending) == 0);
  }
}

TEST_CASE("a conversion without memory for a part leaves nothing", "[tool][program][convert]") {
  if (argosy::test::sanitized) return;  // sanitizers reserve more than any limit
  scratch const dir;
  auto const bytes = std::uintmax_t{8} << 30;  // a hole
  argosy::test::write_bytes(dir / "u.raw", {});
  std::filesystem::resize_file(dir / "u.raw", bytes);
  CHECK(code_of("ulimit -v 3500000; " + argosy_on(1) + " convert " + (dir / "u.raw") + " " +
                (dir / "u.npy") + " --type '<f8' --shape 1073741824 --memory 8g 2>" +
                (dir / "said")) == 1);
  CHECK_THAT(content_of(dir / "said"), ContainsSubstring("give less by --memory"));
  std::filesystem::remove(dir / "said");
  CHECK(code_of("test \"$(ls " + (dir / "") + ")\" = u.raw") == 0);
}

TEST_CASE("output that cannot be written is an error", "[tool][program]") {
  if (std::filesystem::exists("/dev/full"))
    CHECK(code_of(argosy_on(1) + " --help >/dev/full 2>/dev/null") == 1);
  CHECK(code_of(argosy_on(1) + " layot >/dev/null 2>&1") == 2);
  CHECK(code_of(argosy_on(1) + " --help >/dev/null") == 0);
}
