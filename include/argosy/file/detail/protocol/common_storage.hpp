// The storage of a file as all ranks see it. It must be equal on all ranks, so that all choose the
// same policy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include <argosy/agree/detail/neighbour.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/policy/storage.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/detail/message_prices.hpp>

namespace argosy::detail {

// Enough for a median, and cheap compared with opening a file on several nodes.
inline constexpr int opening_times = 5;

struct storage_of_ranks {
  short_text<96> name;
  prices file;
  exchange_prices exchange;
  int over_network, separate_caches, inexact_writes, reads_late;
  message_prices messages;
  int unpriced;  // there is a rank that does not know what messages cost
  std::int64_t stripe_bytes, stripe_count;

  void combine(storage_of_ranks const& other) {
    if (name.get() != other.name.get()) name = {}, name.set("several file systems");
    auto const dearer = [](auto& mine, auto const& theirs, auto... members) {
      ((mine.*members = std::max(mine.*members, theirs.*members)), ...);
    };
    dearer(file, other.file, &prices::call_ns, &prices::write_call_ns, &prices::lock_ns,
           &prices::byte_ns, &prices::piece_ns);
    dearer(exchange, other.exchange, &exchange_prices::round_ns, &exchange_prices::byte_ns,
           &exchange_prices::piece_ns, &exchange_prices::block_ns, &exchange_prices::server_byte_ns,
           &exchange_prices::server_call_ns, &exchange_prices::crowd, &exchange_prices::write,
           &exchange_prices::crowd_call_ns);
    over_network |= other.over_network;
    separate_caches |= other.separate_caches;
    inexact_writes |= other.inexact_writes;
    reads_late |= other.reads_late;
    messages.combine(other.messages);
    unpriced |= other.unpriced;
    stripe_bytes = std::max(stripe_bytes, other.stripe_bytes);
    stripe_count = std::max(stripe_count, other.stripe_count);
  }
};

// Returns this rank's storage if all ranks have the same. If some ranks reach the file over a
// network and others do not, each price is the higher one. Ranks that are not `near` measure the
// cost of messages between them when they first open a file. Collective.
template <agreeing World>
storage common_storage(World const& world, any_handle const& file, bool near) {
  storage mine;
  try {
    mine = file.storage();
  } catch (...) {  // a handle of the program threw: the default prices are used
  }
  std::optional<message_prices> known;
  if constexpr (priced<World>)
    if (!near) known = world.kept_prices();
  storage_of_ranks all{{},
                       mine.prices,
                       mine.exchange,
                       mine.over_network ? 1 : 0,
                       mine.separate_caches ? 1 : 0,
                       mine.exact_writes ? 0 : 1,
                       mine.reads_late ? 1 : 0,
                       known.value_or(message_prices()),
                       known ? 0 : 1,
                       mine.stripe_bytes,
                       mine.stripe_count};
  all.name.set_start(mine.name);
  world.all_reduce(all);
  if constexpr (priced<World>) {
    // If threads open several files at the same time, ranks may have different prices stored. All
    // ranks then use the prices of this reduction.
    if (!near && all.unpriced != 0) {
      std::optional<message_prices> const measured = measure_messages(world, opening_times);
      if (measured) {
        all.messages.combine(*measured);
        world.keep_prices(all.messages);
      }
    }
  }
  // The storage's own exchange prices hold for ranks that share memory.
  all.exchange.round_ns = std::max(all.exchange.round_ns, all.messages.round_ns);
  all.exchange.byte_ns = std::max(all.exchange.byte_ns, all.messages.byte_ns);
  return {std::string(all.name.get()),
          all.file,
          all.exchange,
          all.over_network != 0,
          all.separate_caches != 0,
          all.inexact_writes == 0,
          all.reads_late != 0,
          all.stripe_bytes,
          all.stripe_count};
}

}  // namespace argosy::detail
