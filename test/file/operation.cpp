// Compares the table of operations with the names of calls, with the headers that declare them, and
// with random programs that make them.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/call/operation.hpp>
#include <argosy/file/detail/state/usage.hpp>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>

#include "../lab/explore/calls.hpp"
#include "../support/catch.hpp"

namespace io = argosy;
using io::detail::moment;
using io::detail::operation;
using io::detail::operation_row;
using io::detail::operation_table;
using io::detail::pointer_kind;
using io::detail::ranks_of_call;

namespace {

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

std::string text_of(std::string const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Finds the functions of a header that name an operation, and the operation of each.
void add_functions(std::string const& text, std::multimap<std::string, std::string>& found) {
  std::regex const one(R"((\w+)\([^)]*\) \{[^}]*?\{(?:detail::)?operation::(\w+),)");
  for (std::sregex_iterator i(text.begin(), text.end(), one), none; i != none; ++i)
    found.emplace((*i)[1], (*i)[2]);
}

}  // namespace

TEST_CASE("the table says of each call what its name says", "[file]") {
  for (operation_row const& r : operation_table) {
    INFO(r.name);
    bool const plan = has(r.name, "explain");
    if (!plan) CHECK((r.kind == io::access_kind::write) == has(r.name, "write"));
    if (!plan) CHECK((r.kind == io::access_kind::read) == has(r.name, "read"));
    bool const shared = has(r.name, "_shared") || has(r.name, "_ordered");
    CHECK((r.pointer == pointer_kind::explicit_offset) == has(r.name, "_at"));
    CHECK((r.pointer == pointer_kind::shared) == shared);
    CHECK((r.pointer == pointer_kind::none) == has(r.name, "_views"));
    CHECK((r.ranks == ranks_of_call::all) == (has(r.name, "_all") || has(r.name, "_ordered")));
    bool const background = r.name.starts_with('i') || has(r.name, "async_");
    CHECK((r.when == moment::background) == background);
    CHECK((r.when == moment::split) == has(r.name, "begin_"));
    CHECK((r.when == moment::never) == plan);
  }
}

TEST_CASE("each function names its own operation, and each operation has a function", "[file]") {
  std::multimap<std::string, std::string> found;
  add_functions(text_of(ARGOSY_TEST_HEADERS "/file/basic_file.hpp"), found);
  add_functions(text_of(ARGOSY_TEST_HEADERS "/file/asio.hpp"), found);
  for (auto const& [function, named] : found) {
    INFO(function);
    CHECK(function == named);
  }
  for (operation_row const& r : operation_table) {
    if (r.when == moment::never) continue;  // found by its kind
    INFO(r.name);
    CHECK(found.count(std::string(r.name)) == 1);
  }
}

TEST_CASE("random programs make every call, and know what kind it is", "[file]") {
  namespace explore = argosy::explore;
  std::set<std::string_view> moved;
  for (explore::op_kind const& k : explore::op_kinds)
    if (k.at != explore::pointer::none) moved.insert(k.name);
  for (operation_row const& r : operation_table) {
    if (r.when == moment::never || r.name.starts_with("async_")) continue;
    INFO(r.name);
    REQUIRE(moved.erase(r.name) == 1);
    auto const k = *std::ranges::find(explore::op_kinds, r.name,
                                      [](auto const& one) { return std::string_view(one.name); });
    CHECK(k.collective == (r.ranks == ranks_of_call::all));
    CHECK(k.writes == (r.kind == io::access_kind::write));
    CHECK(k.request == (r.when != moment::now));
    CHECK(k.split == (r.when == moment::split));
    // The data of several views is that of a call at an offset.
    bool const offset =
        r.pointer == pointer_kind::explicit_offset || r.pointer == pointer_kind::none;
    CHECK((k.at == explore::pointer::offset) == offset);
    CHECK((k.at == explore::pointer::shared) == (r.pointer == pointer_kind::shared));
  }
  CHECK(moved.empty());
}

TEST_CASE("a collective call at an offset is like the one at the individual pointer", "[file]") {
  for (operation_row const& r : operation_table) {
    INFO(r.name);
    operation_row const& like = row_of(at_any_pointer(r.of));
    std::string expected(r.name);
    if (r.when != moment::never && r.ranks == ranks_of_call::all)
      if (auto const at = expected.find("_at"); at != std::string::npos) expected.erase(at, 3);
    CHECK(like.name == expected);
    CHECK(like.kind == r.kind);
  }
}

TEST_CASE("plans are found by what they explain", "[file]") {
  for (auto const kind : {io::access_kind::read, io::access_kind::write})
    for (auto const pointer :
         {pointer_kind::explicit_offset, pointer_kind::individual, pointer_kind::none})
      for (auto const ranks : {ranks_of_call::one, ranks_of_call::all}) {
        if (pointer == pointer_kind::none && ranks == ranks_of_call::one) continue;
        std::string name = "explain";
        if (pointer == pointer_kind::explicit_offset) name += "_at";
        if (pointer == pointer_kind::none) name += "_views";
        if (ranks == ranks_of_call::all) name += "_all";
        operation_row const& found = row_of(explained(kind, pointer, ranks));
        CHECK(found.name == name);
        CHECK(found.kind == kind);
        CHECK(found.pointer == pointer);
        CHECK(found.ranks == ranks);
        CHECK(found.when == moment::never);
      }
}

TEST_CASE("calls are of the kinds that their names say", "[file][usage]") {
  using enum operation;
  auto const name = [](operation o) {
    return io::detail::name_of_call_kind(io::detail::kind_of_call(row_of(o)));
  };
  CHECK(name(write_at) == "local writes");
  CHECK(name(read) == "local reads");
  CHECK(name(iread) == "local reads, in the background");
  CHECK(name(async_write_at) == "local writes, in the background");
  CHECK(name(write_shared) == "shared writes");
  CHECK(name(iread_shared) == "shared reads, in the background");
  CHECK(name(write_at_all) == "collective writes");
  CHECK(name(begin_read_at_all) == "collective reads, in the background");
  CHECK(name(read_ordered) == "ordered reads");
  CHECK(name(begin_write_ordered) == "ordered writes, in the background");
}
