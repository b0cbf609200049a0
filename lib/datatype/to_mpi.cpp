// Implements to_mpi of datatype/mpi.hpp: builds MPI datatypes of layouts.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <argosy/datatype/mpi.hpp>

#include "mpi_calls.hpp"

namespace argosy {

mpi_datatype::~mpi_datatype() {
  if (type_ == MPI_DATATYPE_NULL) return;
  int finalized = 0;
  if (MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0) MPI_Type_free(&type_);
}

namespace {

namespace mpi = detail::mpi_calls;

constexpr std::int64_t largest = std::numeric_limits<int>::max();

mpi_datatype copies(std::int64_t count, std::int64_t stride, MPI_Datatype old) {
  if (stride == -1 && count > 1) {
    // Open MPI (at least 4.1) treats a stride of -1 byte as "one extent", so pairs have a stride of
    // -2.
    mpi_datatype const two = mpi::record({0, -1}, {old, old});
    mpi_datatype pairs = copies(count / 2, -2, two.get());
    if (count % 2 == 0) return pairs;
    return mpi::record({0, static_cast<MPI_Aint>(1 - count)}, {pairs.get(), old});
  }
  if (count <= largest) return mpi::hvector(static_cast<int>(count), stride, old);
  constexpr std::int64_t chunk = 1 << 30;
  std::int64_t const chunks = count / chunk, rest = count % chunk;
  mpi_datatype const one = copies(chunk, stride, old);
  mpi_datatype whole = copies(chunks, chunk * stride, one.get());
  if (rest == 0) return whole;
  mpi_datatype const tail = copies(rest, stride, old);
  return mpi::record({0, chunks * chunk * stride}, {whole.get(), tail.get()});
}

mpi_datatype block(std::int64_t length) {
  return length <= largest ? mpi::contiguous(static_cast<int>(length), MPI_BYTE)
                           : copies(length, 1, MPI_BYTE);
}

mpi_datatype pieces(detail::piece_table const& table, std::size_t from, std::size_t to) {
  std::vector<MPI_Aint> places;
  std::vector<int> lengths;
  bool fits = true;
  for (std::size_t i = from; i < to; ++i) {
    places.push_back(static_cast<MPI_Aint>(table.offset(i)));
    fits = fits && table.length(i) <= largest;
    lengths.push_back(static_cast<int>(table.length(i)));
  }
  if (table.equal_lengths()) return mpi::hindexed_block(places, block(table.length(0)).get());
  if (fits) return mpi::hindexed(lengths, places, MPI_BYTE);
  std::vector<mpi_datatype> blocks;
  std::vector<MPI_Datatype> types;
  for (std::size_t i = from; i < to; ++i)
    types.push_back(blocks.emplace_back(block(table.length(i))).get());
  return mpi::record(places, types);
}

mpi_datatype pieces(detail::piece_table const& table) {
  constexpr std::size_t chunk = std::size_t{1} << 30;
  if (table.size() <= chunk) return pieces(table, 0, table.size());
  std::vector<mpi_datatype> chunks;
  std::vector<MPI_Datatype> types;
  for (std::size_t i = 0; i < table.size(); i += chunk)
    types.push_back(chunks.emplace_back(pieces(table, i, std::min(table.size(), i + chunk))).get());
  return mpi::record(std::vector<MPI_Aint>(types.size(), 0), types);
}

mpi_datatype encode(layout const& l, detail::layout_node const& n,
                    std::vector<mpi_datatype> const& made) {
  switch (n.kind) {
    case detail::node_kind::bytes:
      return block(n.size);
    case detail::node_kind::repeat:
      return copies(n.count, n.stride, made[n.child].get());
    case detail::node_kind::table:
      return pieces(l.tables()[n.child]);
    case detail::node_kind::concat:
      break;
  }
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types;
  for (detail::layout_place const& p :
       l.places().subspan(n.child, static_cast<std::size_t>(n.count))) {
    places.push_back(static_cast<MPI_Aint>(p.displacement));
    types.push_back(made[static_cast<std::size_t>(p.node)].get());
  }
  return mpi::record(places, types);
}

}  // namespace

mpi_datatype to_mpi(layout const& l) {
  mpi::require_running("to_mpi");
  // Children stand before their parents.
  std::vector<mpi_datatype> made;
  for (detail::layout_node const& n : l.nodes()) made.push_back(encode(l, n, made));
  if (l.empty()) made.push_back(block(0));
  mpi_datatype whole = std::move(made.back());
  if (!l.empty() && l.origin() != 0)
    whole = mpi::record({static_cast<MPI_Aint>(l.origin())}, {whole.get()});
  auto const [lower_bound, extent] = mpi::bounds_of(whole.get());
  if (lower_bound != l.lower_bound() || extent != l.extent())
    whole = mpi::resized(whole.get(), l.lower_bound(), l.extent());
  return mpi::committed(std::move(whole));
}

}  // namespace argosy
