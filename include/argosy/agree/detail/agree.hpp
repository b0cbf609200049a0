// agree: all ranks decide whether a collective call may start, and whether it succeeded.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <argosy/agree/detail/arguments.hpp>
#include <argosy/agree/detail/call_summary.hpp>
#include <argosy/agree/detail/phase.hpp>
#include <argosy/error/agreement.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::detail {

// Before a call starts: were the arguments of every rank valid, and equal where they must be? One
// reduction; another and a broadcast more if not. Where ranks differ, one gathering more tells who
// is in the minority, with what, and where in the source. With `develop` (the same on all ranks)
// the arguments of develop mode are compared with those of the right neighbour first, at the cost
// of one message each way. Collective. Ranks that are in different collective calls meet in this
// reduction.
template <agreeing World>
agreement agree_to_begin(World const& world, arguments const& given, bool develop);

// The same for reads and writes: `access` is this rank's summary, and becomes that of all ranks, in
// the same reduction.
template <agreeing World>
agreement agree_to_begin(World const& world, arguments const& given, bool develop,
                         access_summary& access);

// The same; `access.spans` of all ranks before this one is told as well, where they meet in memory:
// else -1.
template <agreeing World>
agreement agree_to_begin(World const& world, arguments const& given, bool develop,
                         access_summary& access, std::int64_t& spans_before);

// Agrees to begin by the digest of the arguments, and whether they are `wrong`, if the rank knows
// both. `given` makes the arguments, which are asked for if something is wrong on some rank.
template <agreeing World, class Given>
agreement agree_to_begin(World const& world, std::uint64_t digest, bool wrong,
                         access_summary& access, std::int64_t& spans_before, Given&& given);

// The same, for calls that do not know yet whether to compare: `develop` becomes true on all ranks
// if it is true on one.
template <agreeing World>
agreement agree_to_begin_first(World const& world, arguments const& given, bool& develop);
// The same, and `watch` becomes true on all ranks if it is true on one.
template <agreeing World>
agreement agree_to_begin_first(World const& world, arguments const& given, bool& develop,
                               bool& watch);

// After a call: did it succeed on every rank? One reduction; another and a broadcast more if not.
// Collective.
template <agreeing World>
agreement agree_on_outcome(World const& world, failure const& mine);

// The same, as time of another phase: at the end of a call ranks wait for those whose windows are
// not done.
template <agreeing World>
agreement agree_on_outcome(World const& world, failure const& mine, phase counted);

// The same; `flag` becomes true on all ranks if it is true on one.
template <agreeing World>
agreement agree_on_outcome(World const& world, failure const& mine, bool& flag);

// The same of several flags: a bit each.
template <agreeing World>
agreement agree_on_outcome(World const& world, failure const& mine, int& flags);

}  // namespace argosy::detail

#include <argosy/agree/detail/agree_body.hpp>
