// Messages that the token manager gets too early or too late, or about a file that is not open.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>

#include "lab/gpfs/gpfs_tokens_cases.hpp"
#include "support/gpfs_hints.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using namespace io::test;
using gpfs::detail::token_mode;

TEST_CASE("what is said of a file that nobody has opened leaves no trace",
          "[gpfs][tokens][errors]") {
  gpfs::machine m = small();
  m.ship_files_max = 1;
  gpfs::loopback host(m, 2);
  gpfs::detail::outbox out;
  gpfs::detail::known_size const far{100 * B, 7};
  auto const everything = [](gpfs::detail::file_id f, gpfs::detail::known_size size) {
    return std::vector<gpfs::detail::message_body>{
        gpfs::detail::close_notice{f, 1, size},
        gpfs::detail::token_request{1,
                                    f,
                                    token_mode::write,
                                    {0, 9},
                                    {0, 9},
                                    false,
                                    {{1, {0, 9}, token_mode::none, 1}},
                                    size},
        gpfs::detail::token_release{f, {0, 9}, 1, size},
        gpfs::detail::size_request{2, f},
        gpfs::detail::size_report{3, f, size},
        gpfs::detail::size_notice{4, f, size},
        gpfs::detail::resize_request{5, f, 100 * B},
        gpfs::detail::lock_request{6, f, 1, 1, 0, 10, true},
        gpfs::detail::unlock_notice{f, 1, 1, 0, 10},
        gpfs::detail::ship_start{7, f, 1, 2, {}},
        gpfs::detail::ship_ready{f, 0, 0, size},
        gpfs::detail::ship_stop{8, f, 1},
        gpfs::detail::ship_interrupt{f, 1},
    };
  };
  auto const say = [&](gpfs::detail::message_body const& body) {
    host.manager().receive(
        {{gpfs::detail::role::client, 1}, {gpfs::detail::role::manager, 0}, body}, host.now(), out);
  };
  for (gpfs::detail::file_id f = 0; f < 3; ++f)
    for (gpfs::detail::message_body const& body : everything(f, far)) say(body);
  CHECK(out.messages.empty());
  CHECK(out.timers.empty());

  std::error_code error;
  auto file =
      gpfs::loopback_file::open(host, 0, "f", {.read = true, .write = true, .create = true}, error);
  REQUIRE(!error);
  CHECK(file.size(error) == 0);
  std::vector<std::byte> const data(10, std::byte{7});
  CHECK(file.write(0, data).bytes == 10);
  CHECK(file.size(error) == 10);
  CHECK(host.manager().lock_count(0) == 0);
  // A node that has not opened the file cannot take part in partitioning either.
  say(gpfs::detail::ship_start{7, 0, 1, 1, {}});
  REQUIRE(out.messages.size() == 1);
  CHECK(std::get<gpfs::detail::ship_done>(out.messages[0].what.body).error == EINVAL);
  auto mine = io::test::ship_start(1);
  CHECK(!file.fcntl(mine));
  io::test::ship_stop end;
  CHECK(!file.fcntl(end));
  CHECK(!file.close());
}

TEST_CASE("while a file becomes partitioned tokens are refused, and a late start disturbs nobody",
          "[gpfs][tokens]") {
  gpfs::loopback host(small(), 2);
  gpfs::detail::outbox out;
  // Sends a message to the manager; `told` returns its answers of one kind.
  auto const say = [&](gpfs::detail::node_id from, gpfs::detail::message_body const& body) {
    out.messages.clear();
    host.manager().receive(
        {{gpfs::detail::role::client, from}, {gpfs::detail::role::manager, 0}, body}, host.now(),
        out);
  };
  auto const told = [&]<class Kind>(std::type_identity<Kind>) {
    std::vector<Kind> all;
    for (auto const& o : out.messages)
      if (auto const* const one = std::get_if<Kind>(&o.what.body)) all.push_back(*one);
    return all;
  };
  constexpr std::type_identity<gpfs::detail::token_refusal> refusals;
  constexpr std::type_identity<gpfs::detail::ship_done> ends;
  for (gpfs::detail::node_id const n : {0, 1})
    say(n, gpfs::detail::open_request{1, "f", 1, true, true, true});
  say(0, gpfs::detail::token_request{1, 0, token_mode::write, {0, 9}, {0, 9}, false, {}, {}});
  CHECK(told(std::type_identity<gpfs::detail::token_grant>()).size() == 1);
  gpfs::detail::token_request second{2, 0, token_mode::write, {0, 9}, {0, 9}, false, {}, {}};
  say(1, second);
  CHECK(told(std::type_identity<gpfs::detail::token_conflict>()).size() == 1);

  say(0, gpfs::detail::ship_start{7, 0, 1, 2, {}});
  say(1, gpfs::detail::ship_start{7, 0, 1, 2, {}});
  auto const begun = told(std::type_identity<gpfs::detail::ship_begin>());
  REQUIRE(begun.size() == 2);
  // the second node still asks another one, and is refused when it returns
  CHECK(told(refusals).empty());
  say(0, gpfs::detail::token_request{3, 0, token_mode::write, {20, 30}, {20, 30}, false, {}, {}});
  REQUIRE(told(refusals).size() == 1);
  CHECK(told(refusals)[0].request == 3);
  second.renewed = true;
  second.surrenders = {{0, {0, 9}, token_mode::none, 1}};
  say(1, second);
  REQUIRE(told(refusals).size() == 1);
  CHECK(told(refusals)[0].request == 2);

  for (gpfs::detail::node_id const n : {0, 1})
    say(n, gpfs::detail::ship_ready{0, begun[0].epoch, 0, {}});
  CHECK(told(ends).size() == 2);
  say(1, gpfs::detail::open_request{2, "f", 2, true});
  say(1, gpfs::detail::ship_start{8, 0, 2, 1, {}});
  REQUIRE(told(ends).size() == 1);
  CHECK((told(ends)[0].call == 8 && told(ends)[0].error == EINVAL));
  say(0, gpfs::detail::ship_stop{9, 0, 1});
  CHECK(told(ends).empty());
  say(1, gpfs::detail::ship_stop{9, 0, 1});
  CHECK(told(std::type_identity<gpfs::detail::ship_end>()).size() == 2);
}
