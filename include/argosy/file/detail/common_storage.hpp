// What a file lies on, as all ranks see it: their choice of a policy must be the same.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>

#include <argosy/agree/detail/neighbour.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/policy/storage.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::detail {

struct storage_of_ranks {
  short_text<48> name;
  prices file;
  exchange_prices exchange;

  void combine(storage_of_ranks const& other) {
    if (name.get() != other.name.get()) name = {}, name.set("several file systems");
    auto const dearer = [](auto& mine, auto const& theirs, auto... members) {
      ((mine.*members = std::max(mine.*members, theirs.*members)), ...);
    };
    dearer(file, other.file, &prices::call_ns, &prices::write_call_ns, &prices::lock_ns, &prices::byte_ns,
           &prices::piece_ns);
    dearer(exchange, other.exchange, &exchange_prices::round_ns, &exchange_prices::byte_ns, &exchange_prices::piece_ns,
           &exchange_prices::block_ns, &exchange_prices::server_byte_ns, &exchange_prices::server_call_ns,
           &exchange_prices::crowd, &exchange_prices::write);
  }
};

// That of this rank, if all have the same. A file that some ranks reach through a network and others do not has the dearer of
// each two prices. Collective.
template <agreeing World>
storage common_storage(World const& world, any_handle const& file) {
  storage mine;
  try {
    mine = file.storage();
  } catch (...) {  // a handle of the program: it has the default prices
  }
  storage_of_ranks all{{}, mine.prices, mine.exchange};
  all.name.set_start(mine.name);
  world.all_reduce(all);
  return {std::string(all.name.get()), all.file, all.exchange};
}

}  // namespace argosy::detail
