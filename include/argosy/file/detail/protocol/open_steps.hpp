// The steps of opening a file: agree, make, open, meet.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <argosy/agree/detail/agree.hpp>
#include <argosy/agree/detail/arguments.hpp>
#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/error/agreement.hpp>
#include <argosy/file/detail/protocol/agreed_hints.hpp>
#include <argosy/file/detail/protocol/common_storage.hpp>
#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/file/detail/ranks/call_board.hpp>
#include <argosy/file/detail/ranks/call_watch.hpp>
#include <argosy/file/detail/ranks/crew.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/file/detail/state/own_part.hpp>
#include <argosy/file/hinted.hpp>
#include <argosy/file/mode.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/world/background.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::detail {

template <communicator World>
class open_steps {
 public:
  open_steps(crew<World>& all, std::string const& path, mode modes, hinted const& with)
      : crew_(all), path_(path), modes_(modes), with_(with) {}

  agreement run(World const& world, opener files) {
    if constexpr (requires { world.note("open", with_.where()); })
      world.note("open", with_.where());
    std::shared_ptr<call_board> watched;
    if constexpr (!working_in_background<World>)
      watched = call_watch::from_environment(path_, world.rank());
    // Call 0: a rank sees the lines of other ranks only after all have come to open.
    call_board::waiting const here(watched.get(), call_board::lane::blocking, 0, "open",
                                   with_.where());
    begin(world, std::move(files));
    crew_.watched = watched != nullptr;

    agreed_hints asked{part().hints()};
    agreement result = agree(asked);
    part().seen_by().board_is(crew_.watched && !watched ? call_watch::of_others() : watched);
    part().seen_by().develop(crew_.develop);
    std::uint64_t const own_number = enters() && is_maker() ? crew_.own_number() : 0;
    if (result && has(modes_, mode::create)) result = make(own_number);
    if (result) result = open_on_all(own_number, asked);
    // Not earlier: after a failed open the old contents must be unchanged.
    if (result && has(modes_, mode::truncate))
      result = agree_on_outcome(*crew_.world, is_maker() ? part().cut() : failure());
    if (result)
      meet();
    else
      leave(result);
    return result;
  }

 private:
  open_file& part() { return *crew_.file; }
  // One rank creates the file. So `exclusive` works, and it is known who removes the file after a
  // failed open.
  bool is_maker() const { return crew_.world->rank() == 0; }
  bool enters() { return part().merges().enters(); }

  // Makes this rank's part of the file.
  void begin(World const& world, opener files) {
    crew_.file = own_part(std::make_shared<open_file>());
    part().begin(path_, modes_, world.rank(), world.size(), with_.hints(), std::move(files));
    part().before_waiting();  // flushes the trace of earlier calls on other files
    crew_.world.emplace(world.duplicate());
    if constexpr (requires { World::calls_from_threads(); })
      if (World::calls_from_threads()) part().others().threads().expect_others();
    if constexpr (working_in_background<World>)
      part().others().run_on(crew_.world->make_background());
    crew_.develop = wants_develop(part().hints());
  }

  // Agrees that the arguments are valid on all ranks and name the same file.
  agreement agree(agreed_hints& asked) {
    return with_agreed_hints(crew_.world, asked, [&] {
      agreement a;
      if (crew_.one_path) a = agree_on_path(asked, std::nullopt);
      if (crew_.one_path && (a.cause != errc::not_same || asked.differ)) return a;
      crew_.one_path = false;  // the paths may be different names of the same file
      for (auto const compared : {facts::lasting, facts::momentary, facts::lasting})
        if (a = agree_on_path(asked, compared); a.cause != errc::not_same || asked.differ) break;
      return a;
    });
  }
  // `compared`: compare files by these facts; empty: compare paths.
  agreement agree_on_path(agreed_hints& asked, std::optional<facts> compared) {
    arguments given("open", with_.where());
    if (compared)
      given.same("path", place_of(path_, *compared), path_);
    else
      given.same("path", path_);
    std::string const how = to_string(modes_);
    given.same("mode", static_cast<std::uint64_t>(modes_), how);
    asked.compare_in(given);
    given.require(!path_.empty(), errc::bad_file, [] { return "the path is empty"; });
    given.require(fault_of(modes_).empty(), errc::amode, [&] { return fault_of(modes_); });
    return agree_to_begin_first(*crew_.world, given, crew_.develop, crew_.watched);
  }

  // The opener and its handle may be code of the program, here and in the steps below.
  agreement make(std::uint64_t own_number) {
    auto const create = [&] { return part().create(own_number, made_, no_locks_); };
    failure const mine = is_maker() ? failure_of(errc::io, create) : failure();
    part().before_waiting();
    return agree_on_outcome(*crew_.world, mine);
  }

  agreement open_on_all(std::uint64_t own_number, agreed_hints& asked) {
    std::uint64_t const number = enters() ? crew_.told_by_first(own_number) : 0;
    failure const mine = failure_of(errc::io, [&] {
      if (asked.of_first) part().follow(std::move(asked.mine));
      return open_here(number);
    });
    // Each flag is set on all ranks if it is set on one.
    constexpr int lacks_locks = 1, reports = 2, complains = 4;
    int flags = (no_locks_ ? lacks_locks : 0) | (wants_report() ? reports : 0) |
                (part().complains() ? complains : 0);
    part().before_waiting();
    agreement result = agree_on_outcome(*crew_.world, mine, flags);
    if ((flags & lacks_locks) != 0) part().merges().lacks_locks();
    crew_.reports = (flags & reports) != 0;
    // All ranks are in this call only after a success. After an error, ranks may be in different
    // calls.
    if (result && (flags & complains) != 0) crew_.complain_once();
    return result;
  }
  failure open_here(std::uint64_t number) {
    bool const is_open = has(modes_, mode::create) && is_maker();
    failure f = is_open ? failure() : part().open_existing();
    if (!f && has(modes_, mode::append) && !has(modes_, mode::truncate)) f = part().to_end();
    if (f || !can_write(modes_)) return f;
    if (!enters()) f = part().merges().try_lock(part().handle(), no_locks_);
    if (enters() && !is_open) f = part().merges().enter(part().handle(), number, no_locks_);
    if (!f && enters() && !is_open && is_maker() && !part().has_its_name())
      f = {errc::no_such_file, "the file lost its name while it was opened"};
    return no_locks_ ? failure() : f;
  }

  void leave(agreement const& result) {
    if (part().rank() == 0 || part().rank() == result.failed_rank) part().complain(0);
    failure_of(errc::io, [&] { part().abandon(made_); });
    crew_.world.reset();
  }

  // Makes the shared parts of the file, and finds out the storage, after all ranks have opened the
  // file.
  void meet() {
    if constexpr (requires { crew_.world->now(); })
      part().seen_by().tell_time_by({[world = *crew_.world] { return now_ns(world); }});
    if (crew_.reports) part().seen_by().report_on(path_, part().rank());
    crew_.meet();
    merge_safety& merges = part().merges();
    part().lies_on(common_storage(*crew_.world, part().handle(), merges.is_near()));
    if (merges.may_lock_in_vain() && !crew_.locks_reach_all()) merges.locks_in_vain();
    if (has(modes_, mode::append)) begin_at_one_end();
    crew_.follow_hints();
  }
  // Every rank may have seen another end of the file. The end that rank 0 saw is used.
  void begin_at_one_end() {
    std::int64_t end = part().position().get();
    crew_.world->broadcast(std::as_writable_bytes(std::span(&end, 1)), 0);
    part().position().set(end);
    crew_.pointer->set(end, part().rank());
    crew_.world->barrier();
  }

  crew<World>& crew_;
  std::string const& path_;
  mode const modes_;
  hinted const& with_;
  bool made_ = false;      // by this open, on this rank
  bool no_locks_ = false;  // this rank has no locks
};

}  // namespace argosy::detail
