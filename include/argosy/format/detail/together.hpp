// What the formats do together: agree on failures, and read a header once for all.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <argosy/agree/detail/agree.hpp>
#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/error/error.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/file/detail/deferred.hpp>
#include <argosy/world/rank_failure.hpp>

namespace argosy::detail {

// What the program called: errors on the way are told as its own.
struct program_call {
  std::string_view name;
  std::string path;  // of its own: closing takes that of the file
  int rank;
  std::function<std::string()> otherwise = {};  // what holds after an error; asked only then
};
// Said where `otherwise` does not hold.
constexpr std::string_view already_named = "the new checkpoint has its name";

// Carries out `body`; an error of argosy goes to the error_code, if there is one, and its words to `what`.
template <class Body>
void with_errors(program_call const& c, std::error_code* code, std::string& what, Body&& body) {
  if (code) code->clear();
  try {
    body();
  } catch (error const& e) {
    bool const named = std::string_view(e.what()).find(already_named) != std::string_view::npos;
    std::string const otherwise = named || !c.otherwise ? std::string() : c.otherwise();
    error const told = told_as(e, c.name, c.path, c.rank, otherwise);
    what = told.what();
    if (!code) throw told;
    *code = told.code();
  }
}

// Local: there is a file of this name that can be read.
bool is_there(opener const& files, std::string const& path) noexcept;

[[noreturn]] inline void throw_agreed(agreement const& a, std::string_view call, std::string_view path, int rank) {
  if (a.thrown) std::rethrow_exception(a.thrown);
  throw error(a, call, path, rank);
}

// Collective: throws on all ranks, if one brings a failure.
template <communicator World>
void agree_to_go_on(World const& world, failure const& mine, std::string_view call, std::string_view path) {
  agreement a;
  try {
    a = agree_on_outcome(world, mine);
  } catch (rank_failure const& lost) {
    a = without(lost, std::optional(world));
  }
  if (!a) throw_agreed(a, call, path, world.rank());
}

// Collective: throws on all ranks, if what must be equal is not, or one brings a failure.
template <communicator World>
void agree_on_equal(World const& world, arguments& given, failure const& mine, std::string_view path) {
  agreement a;
  try {
    given.fail(mine);
    a = agree_to_begin(world, given, false);
  } catch (rank_failure const& lost) {
    a = without(lost, std::optional(world));
  }
  if (!a) throw_agreed(a, given.call(), path, world.rank());
}

template <communicator World>
void agree_on_same(World const& world, std::string_view name, std::string_view text, failure const& mine,
                   source_location where, std::string_view call, std::string_view path) {
  arguments given(call, where);
  given.same(name, text);
  agree_on_equal(world, given, mine, path);
}

// The same of lines, "name value": those are told that differ.
template <communicator World>
void agree_on_lines(World const& world, std::string_view name, std::string const& lines, failure const& mine,
                    source_location where, std::string_view call, std::string_view path) {
  arguments given(call, where);
  given.same_lines(name, fingerprint(lines), [&] { return lines; });
  agree_on_equal(world, given, mine, path);
}

// Collective: the first bytes of the file, as many as `bytes_of` says of the first 16, read by rank 0.
template <communicator World, class BytesOf>
std::vector<std::byte> header_for_all(basic_file<World>& f, BytesOf&& bytes_of, std::string_view call) try {
  std::vector<std::byte> start;
  std::int64_t size = 0;
  failure why;
  if (f.world().rank() == 0) {
    why = failure_of(errc::io, [&]() -> failure {
      failure mine;
      start.resize(16);
      start.resize(static_cast<std::size_t>(f.read_at(0, start).bytes));
      auto const all = bytes_of(start, mine);
      if (!all) return mine;
      start.resize(static_cast<std::size_t>(*all));
      start.resize(static_cast<std::size_t>(f.read_at(0, start).bytes));
      return {};
    });
    size = static_cast<std::int64_t>(start.size());
  }
  agree_to_go_on(f.world(), why, call, f.path());
  f.world().broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  start.resize(static_cast<std::size_t>(size));
  f.world().broadcast(start, 0);
  return start;
} catch (rank_failure const& lost) {
  throw_agreed(without(lost, std::optional(f.world())), call, f.path(), f.world().rank());
}

}  // namespace argosy::detail
