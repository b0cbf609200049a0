// Every policy in the list of the library's policies must be known wherever policies are named.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <type_traits>

#include <argosy/file/detail/state/chosen.hpp>
#include <argosy/file/detail/state/hint_facts.hpp>
#include <argosy/policy.hpp>
#include <argosy/policy/detail/policy_traits.hpp>

#include "file/hints_cases.hpp"
#include "support/catch.hpp"

namespace io = argosy;
using io::access_kind;
using io::detail::library_policies;
using io::detail::operation;
using policies = io::extend::resolved_hints::policy_name;
using namespace io::test;

namespace {

// A policy of a program with the name of one of the library.
struct namesake : io::two_phase {
  bool operator==(namesake const&) const = default;
};

std::string text_of(std::string const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("the hint argosy_policy chooses every policy of the library", "[hints][policies]") {
  library_policies::for_each([]<class P>(std::type_identity<P>) {
    INFO(P::name);
    io::file_hints const h = given("argosy_policy", std::string(P::name));
    CHECK(h.find("argosy_policy")->status == io::hint_status::accepted);
    CHECK(static_cast<std::size_t>(h.values().policy) == library_policies::place_of<P>());
    io::detail::chosen const c(h.values());
    for (access_kind const kind : {access_kind::read, access_kind::write}) {
      io::extend::any_policy const& by =
          io::extend::collective_policy<P> ? c.together(kind) : c.alone;
      CHECK(by.target<P>());
    }
    CHECK(c.together(access_kind::read).has_value() == io::extend::collective_policy<P>);
  });
  std::string const words(io::detail::find_hint("argosy_policy")->choices);
  CHECK(std::ranges::count(words, ',') + 1 == static_cast<std::ptrdiff_t>(library_policies::size));
}

TEST_CASE("a policy of the library is known by its type, whatever its name", "[hints][policies]") {
  library_policies::for_each([]<class P>(std::type_identity<P>) {
    INFO(P::name);
    io::extend::any_policy const given(P{});
    CHECK(given.keeps_rules());
    auto const found = io::detail::library_policy(given);
    REQUIRE(found.has_value());
    CHECK(static_cast<std::size_t>(*found) == library_policies::place_of<P>());
  });
  io::extend::any_policy const own(namesake{});
  CHECK(own.name() == io::two_phase::name);
  CHECK_FALSE(own.keeps_rules());
  CHECK_FALSE(io::detail::library_policy(own));
  CHECK_FALSE(io::detail::library_policy({}));
}

TEST_CASE("hints tell of every policy that a call is given whether they were applied to it",
          "[hints][policies]") {
  io::file_hints const h({}, {}, {},
                         io::extend::parse_hints("cb_nodes 2\nromio_ds_write disable", "o"));
  auto const why = [&](policies policy, operation call, std::string const& name) {
    std::string_view const called = io::detail::policy_table[static_cast<std::size_t>(policy)].name;
    io::detail::hint_facts const last{.call = call,
                                      .policy = called,
                                      .library_policy = policy,
                                      .collective = call == operation::write_all};
    return io::detail::with_effects(h, last).find(name)->why;
  };
  library_policies::for_each([&]<class P>(std::type_identity<P>) {
    INFO(P::name);
    auto const policy = static_cast<policies>(library_policies::place_of<P>());
    bool const aggregates = policy == policies::automatic || policy == policies::two_phase ||
                            policy == policies::data_shipping;
    std::string const name(P::name), applied = "applied to " + name + ", which write_all was given";
    std::string const not_applied = "write_all was given " + name;
    CHECK_THAT(why(policy, operation::write_all, "cb_nodes"),
               Catch::StartsWith(aggregates ? applied : not_applied));
    if (io::extend::independent_policy<P>)
      CHECK_THAT(why(policy, operation::write_at, "romio_ds_write"),
                 Catch::StartsWith(policy == policies::sieving
                                       ? "applied to " + name + ", which write_at was given"
                                       : "write_at was given " + name));
  });
}

TEST_CASE("pages and headers for users name every policy", "[policies]") {
  std::string const page = text_of(ARGOSY_TEST_SOURCES "/docs/use/policies.md");
  std::string const all = text_of(ARGOSY_TEST_SOURCES "/include/argosy/policy.hpp");
  std::string const names = text_of(ARGOSY_TEST_SOURCES "/docs/develop/names.txt");
  std::string const hints = text_of(ARGOSY_TEST_SOURCES "/include/argosy/file/resolved_hints.hpp");
  std::string words;
  library_policies::for_each([&]<class P>(std::type_identity<P>) {
    std::string const name(P::name);
    INFO(name);
    words += (words.empty() ? "" : ", ") + name;
    CHECK(page.find("\n| `" + name + "` |") != std::string::npos);
    CHECK(all.find("<argosy/policy/" + name + ".hpp>") != std::string::npos);
    CHECK(names.find("argosy::" + name + "\n") != std::string::npos);
  });
  CHECK(hints.find("enum class policy_name { " + words + " };") != std::string::npos);
}
