// The guard of the formats' collective calls. Everything that a rank does by itself in such a call
// is a step, after which all ranks agree.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <argosy/agree/detail/agree.hpp>
#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/error/detail/memory_reserve.hpp>
#include <argosy/error/error.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/file/detail/protocol/deferred.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/format/detail/advice.hpp>
#include <argosy/format/detail/file_services.hpp>
#include <argosy/world/parcel.hpp>
#include <argosy/world/rank_failure.hpp>

namespace argosy::detail {

// Text that is made only after an error. It refers to a function that must outlive it, and does not
// allocate, because nothing may fail before a call is guarded.
class words_after_error {
 public:
  words_after_error() = default;
  template <class F>
    requires(!std::same_as<F, words_after_error>)
  words_after_error(F const& words) noexcept
      : words_(&words), ask_([](void const* w) { return (*static_cast<F const*>(w))(); }) {}
  template <class F>
    requires(!std::same_as<F, words_after_error>)
  words_after_error(F const&&) = delete;

  std::string operator()() const { return ask_ ? ask_(words_) : std::string(); }

 private:
  void const* words_ = nullptr;
  std::string (*ask_)(void const*) = nullptr;
};

// The call that the program made. Errors of calls inside are reported as errors of this call.
struct program_call {
  std::string_view name;
  std::string_view path;
  source_location where;
  name_use use = name_use::uses_open_file;
  words_after_error otherwise = {};  // text for use after an error
};

// Returns true if there is a file of this name that can be read. Local.
bool is_there(opener const& files, std::string const& path) noexcept;

// An exception of the program's code on this rank, after all ranks have agreed on it.
struct thrown_together {
  failure why;
};

[[noreturn]] inline void throw_agreed(agreement const& a, std::string_view call,
                                      std::string_view path, int rank) {
  if (a.thrown) {
    failure why = a.own ? a.own : failure(a.code, a.detail, a.advice);
    why.thrown = a.thrown;
    throw thrown_together{std::move(why)};
  }
  throw error(a, call, path, rank);
}

// A collective call of a format on one rank, as its body sees it. The body consists of `alone`
// (steps of each rank by itself, which may throw), `together` (collective calls of a file) and
// messages. Code between them must not throw. It may allocate a little, which the memory reserve
// covers. All errors of these functions are errors on all ranks.
template <communicator World>
class joint_call {
 public:
  joint_call(World const& world, program_call const& call) : world_(world), call_(call) {}

  World const& world() const noexcept { return world_; }
  int rank() const noexcept { return world_.rank(); }
  std::string_view name() const noexcept { return call_.name; }
  source_location const& where() const noexcept { return call_.where; }
  // Returns the same call with messages over another communicator of the same ranks.
  joint_call on(World const& other) const { return {other, call_}; }

  // Throws on all ranks if one of them has a failure.
  void agree(failure const& mine) const {
    require(lost_as_agreement([&] { return agree_on_outcome(world_, mine); }));
  }
  // Runs `body` on this rank by itself. All ranks then agree on its failure or exception, if there
  // is one. `e` is the class of an error that has none of its own.
  template <class Body>
  void alone(errc e, Body&& body) const {
    agree(failure_of(e, body));
  }
  // Runs `body` on rank 0 by itself, with the same outcome on all ranks.
  template <class Body>
  void on_first(errc e, Body&& body) const {
    agree(rank() == 0 ? failure_of(e, body) : failure());
  }
  // Runs `body` on rank 0, and also agrees on `flag`. If the body sets it, it becomes true on all
  // ranks, even if the body fails.
  template <class Body>
  void on_first(errc e, Body&& body, bool& flag) const {
    failure const mine = rank() == 0 ? failure_of(e, body) : failure();
    require(lost_as_agreement([&] { return agree_on_outcome(world_, mine, flag); }));
  }
  // Runs `body(lines)` on each rank by itself. It writes "name value" lines about `what`, which
  // must be equal on all ranks. The error names those that differ.
  template <class Body>
  void alone_with_equal(std::string_view what, errc e, Body&& body) const {
    std::string lines;
    failure const mine = failure_of(e, [&] { return body(lines); });
    require(lost_as_agreement([&] {
      arguments given(call_.name, call_.where);
      given.same_lines(what, fingerprint(lines), [&] { return lines; });
      given.fail(mine);
      return agree_to_begin(world_, given, false);
    }));
  }
  // Makes collective calls of a file. If they throw, they throw on all ranks. Their arguments must
  // be made before.
  template <class Body>
  auto together(Body&& body) const -> std::invoke_result_t<Body&> {
    try {
      return body();
    } catch (error const&) {
      throw;
    } catch (...) {
      throw thrown_together{failure_by("code of the program")};
    }
  }
  void broadcast(std::span<std::byte> message) const {
    require(lost_as_agreement([&] {
      world_.broadcast(message, 0);
      return agreement();
    }));
  }
  template <reducible T>
  void all_reduce(T& value) const {
    require(lost_as_agreement([&] {
      world_.all_reduce(value);
      return agreement();
    }));
  }
  // Gives all ranks the text of rank 0.
  void share_text(std::string& text) const {
    auto size = static_cast<std::int64_t>(text.size());
    broadcast(std::as_writable_bytes(std::span(&size, 1)));
    alone(errc::io, [&] { text.resize(static_cast<std::size_t>(size)); });
    broadcast(std::as_writable_bytes(std::span(text)));
  }
  // Returns the sum of the numbers of the ranks before this one.
  std::int64_t exclusive_sum(std::int64_t mine) const {
    std::int64_t before = 0;
    require(lost_as_agreement([&] {
      before = world_.exclusive_sum(mine);
      return agreement();
    }));
    return before;
  }
  // Runs `body(node)`, which makes collective calls of the ranks of this node. It must not throw on
  // one rank alone.
  template <class Body>
  void on_node(Body&& body) const {
    require(lost_as_agreement([&] {
      body(world_.node());
      return agreement();
    }));
  }
  std::vector<parcel> deliver(std::vector<parcel> const& out) const {
    std::vector<parcel> in;
    require(lost_as_agreement([&] {
      in = world_.deliver(out);
      return agreement();
    }));
    return in;
  }

  basic_file<World> open(std::string const& path, mode modes, hinted const& with,
                         opener&& files) const {
    return together([&] {
      return basic_file<World>::open(world_, path, modes, {with.hints(), call_.where},
                                     std::move(files));
    });
  }
  // Runs `body`. If it throws, which it does on all ranks, runs `undo`, too, and ignores the errors
  // of that.
  template <class Body, class Undo>
  void undone(Body&& body, Undo&& undo) const {
    try {
      body();
    } catch (error const&) {
      undo();
      throw;
    } catch (thrown_together const&) {
      undo();
      throw;
    }
  }
  // Runs `body`, then closes the file. If `body` throws, the file is closed as well, and removed if
  // `made`.
  template <class Body>
  void closing(basic_file<World>& f, Body&& body, bool made = false) const {
    undone(body, [&] { made ? discard(f) : close_after_error(f); });
    together([&] { f.close(call_.where); });
  }
  // Closes and removes a file that this call has made and could not finish. Collective.
  void discard(basic_file<World>& f) const {
    if (f.is_open()) file_services::mark(f);
    close_after_error(f);
  }
  // Closes a file that an error has left open. Collective.
  void close_after_error(basic_file<World>& f) const {
    std::error_code ignored;
    failure_of(errc::io, [&] {
      if (f.is_open()) f.close(ignored);
    });
  }

 private:
  template <class Body>
  agreement lost_as_agreement(Body&& body) const {
    try {
      return body();
    } catch (rank_failure const& lost) {
      return without(lost, std::optional(world_));
    }
  }
  void require(agreement const& a) const {
    if (!a) throw_agreed(a, call_.name, call_.path, rank());
  }

  World const& world_;
  program_call const& call_;
};

// Ends a call with an error of this kind. Sets the error_code, if there is one, or returns the
// exception to throw.
inline std::exception_ptr ended_by(error const& e, program_call const& c, int rank,
                                   std::error_code* code, std::string& what) {
  fact_and_advice more = advice_for(c.use, e);
  if (std::string otherwise = c.otherwise(); !otherwise.empty())
    more.fact = otherwise + (more.fact.empty() ? "" : "; ") + more.fact;
  error const told = told_as(e, c.name, c.path, rank, more);
  what = told.what();
  if (!code) return std::make_exception_ptr(told);
  *code = told.code();
  return {};
}
inline std::exception_ptr ended_by(thrown_together const& x, program_call const& c, int rank,
                                   std::error_code* code, std::string& what) {
  what = message_of(argosy::detail::local_agreement(rank, x.why), c.name, c.path, rank);
  if (!code || x.why.code != errc::no_memory) return x.why.thrown;
  *code = make_error_code(errc::no_memory);
  return {};
}

// Runs a collective call of a format on this rank: `body(joint_call)`. An error sets the
// error_code, if there is one, and its text sets `what`. Exceptions of the program's code are
// rethrown unchanged; std::bad_alloc sets the error_code. If the other ranks do not know of an
// exception, the job is ended, if the world can do that.
template <communicator World, class Body>
void in_one_call(World const& world, program_call const& c, std::error_code* code,
                 std::string& what, Body&& body) {
  std::exception_ptr const thrown = with_reserve(world, [&]() -> std::exception_ptr {
    if (code) code->clear();
    try {
      std::string const path(c.path);  // close clears the path of the file
      program_call const kept{c.name, path, c.where, c.use, c.otherwise};
      try {
        body(joint_call<World>(world, kept));
      } catch (error const& e) {
        return ended_by(e, kept, world.rank(), code, what);
      } catch (thrown_together const& x) {
        return ended_by(x, kept, world.rank(), code, what);
      }
    } catch (std::bad_alloc const&) {
      if (world.size() > 1) throw;
      if (!code) return std::current_exception();
      *code = make_error_code(errc::no_memory);
    } catch (...) {
      if constexpr (requires { world.give_up(""); })
        if (world.size() > 1)
          world.give_up("an exception left a collective call on this rank alone");
      throw;
    }
    return {};
  });
  if (thrown) std::rethrow_exception(thrown);
}

// Does the same, with messages over a communicator of its own.
template <communicator World, class Body>
void in_one_call_of_its_own(World const& world, program_call const& c, std::error_code* code,
                            std::string& what, Body&& body) {
  in_one_call(world, c, code, what, [&](joint_call<World> const& outer) {
    std::optional<World> ours;
    try {
      ours.emplace(world.duplicate());
    } catch (rank_failure const& lost) {
      throw_agreed(without(lost, ours), c.name, c.path, world.rank());
    }
    body(outer.on(*ours));
  });
}

// The bytes of a header in the file, and its content.
template <class Header>
struct found_header {
  std::vector<std::byte> start;  // the number of bytes that `bytes_of` returns for 16
  std::optional<Header> parsed;
};

// Reads and checks a header on rank 0. The other ranks get its bytes only after rank 0 has accepted
// them, so a nonsensical header takes memory on one rank only. `check` returns a failure if the
// file does not fit the header. Collective.
template <class Header, communicator World, class BytesOf, class Parse, class Check>
Header header_for_all(joint_call<World> const& s, basic_file<World>& f, BytesOf&& bytes_of,
                      Parse&& parse, Check&& check) {
  found_header<Header> h;
  s.on_first(errc::io, [&]() -> failure {
    failure why;
    h.start.resize(16);
    h.start.resize(static_cast<std::size_t>(f.read_at(0, h.start).bytes));
    auto const all = bytes_of(h.start, why);
    if (!all) return why;
    h.start.resize(static_cast<std::size_t>(*all));
    h.start.resize(static_cast<std::size_t>(f.read_at(0, h.start).bytes));
    h.parsed = parse(h.start, why);
    return h.parsed ? check(*h.parsed) : why;
  });
  auto size = static_cast<std::int64_t>(h.start.size());
  s.broadcast(std::as_writable_bytes(std::span(&size, 1)));
  s.alone(errc::io, [&] { h.start.resize(static_cast<std::size_t>(size)); });
  s.broadcast(h.start);
  s.alone(errc::io, [&]() -> failure {
    failure why;
    if (!h.parsed) h.parsed = parse(h.start, why);
    return why;
  });
  return *std::move(h.parsed);
}

// Returns a failure if the header describes more bytes than the file has. Local.
template <communicator World>
failure shorter_than(basic_file<World> const& f, std::int64_t bytes) {
  std::error_code error;
  std::int64_t const size = f.size(error);
  if (error) return error;
  if (size >= bytes) return {};
  return {errc::damaged, "the file has " + std::to_string(size) + " bytes; its header speaks of " +
                             std::to_string(bytes)};
}

}  // namespace argosy::detail
