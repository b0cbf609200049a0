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

// Agrees before a call that the arguments of every rank are valid, and equal if they must be.
// Collective. Costs one reduction; after an error one more reduction and a broadcast. If ranks
// differ, one gathering more finds which ranks are in the minority, what they gave, and where in
// the source. If `develop`, which is equal on all ranks, is true, the arguments of develop mode are
// first compared with those of the right neighbour. That costs one message each way. Ranks in
// different collective calls all come to this reduction, so it detects them.
template <agreeing World>
agreement agree_to_begin(World const& world, arguments const& given, bool develop);

// Does the same for reads and writes: `access` is this rank's summary, and becomes that of all
// ranks in the same reduction.
template <agreeing World>
agreement agree_to_begin(World const& world, arguments const& given, bool develop,
                         access_summary& access);

// Does the same. `spans_before` becomes the sum of `access.spans` of the ranks before this one, or
// -1 if the ranks do not share memory.
template <agreeing World>
agreement agree_to_begin(World const& world, arguments const& given, bool develop,
                         access_summary& access, std::int64_t& spans_before);

// Agrees to begin by the digest of the arguments, if the rank knows it without making them.
// `wrong`: the rank's arguments are invalid. `given` makes the arguments; it is called if something
// is wrong on some rank.
template <agreeing World, class Given>
agreement agree_to_begin(World const& world, std::uint64_t digest, bool wrong,
                         access_summary& access, std::int64_t& spans_before, Given&& given);

// Does the same for calls that do not know yet whether to compare in develop mode. `develop`
// becomes true on all ranks if it is true on one.
template <agreeing World>
agreement agree_to_begin_first(World const& world, arguments const& given, bool& develop);
// Does the same; `watch` becomes true on all ranks if it is true on one.
template <agreeing World>
agreement agree_to_begin_first(World const& world, arguments const& given, bool& develop,
                               bool& watch);

// Agrees after a call whether it succeeded on every rank. Collective. Costs one reduction; after an
// error one more reduction and a broadcast.
template <agreeing World>
agreement agree_on_outcome(World const& world, failure const& mine);

// Does the same, and counts the time as another phase: at the end of a call, ranks wait for the
// aggregators that still write windows.
template <agreeing World>
agreement agree_on_outcome(World const& world, failure const& mine, phase counted);

// Does the same; `flag` becomes true on all ranks if it is true on one.
template <agreeing World>
agreement agree_on_outcome(World const& world, failure const& mine, bool& flag);

// Does the same for several flags, one bit each.
template <agreeing World>
agreement agree_on_outcome(World const& world, failure const& mine, int& flags);

}  // namespace argosy::detail

#include <argosy/agree/detail/agree_body.hpp>
