// SPDX-License-Identifier: BSD-3-Clause
#include "several_views.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include <argosy/datatype/indexed.hpp>
#include <argosy/datatype/signature.hpp>

#include "places.hpp"
#include "session.hpp"

namespace argosy::explore {

using namespace extend;

namespace {

struct byte_run {
  std::int64_t in_file, in_memory, length;
};

// Returns the runs of bytes that are contiguous in the file and in memory. `longest(n)` is the most
// bytes of run n.
template <class Longest>
std::vector<byte_run> runs_of(record const& r, Longest&& longest) {
  std::vector<byte_run> all;
  std::size_t i = 0, j = 0;  // pieces in the file and in memory, and what of them is done
  std::int64_t of_file = 0, of_memory = 0;
  while (i < r.file.size() && j < r.memory.pieces.size()) {
    piece const &to = r.file[i], &from = r.memory.pieces[j];
    std::int64_t const n =
        std::min({to.length - of_file, from.length - of_memory, longest(all.size())});
    all.push_back({to.offset + of_file, from.offset + of_memory, n});
    if ((of_file += n) == to.length) ++i, of_file = 0;
    if ((of_memory += n) == from.length) ++j, of_memory = 0;
  }
  return all;
}

viewed_target made(std::vector<byte_run> const& runs, std::byte* memory) {
  if (runs.empty()) return {view(), buffer{memory, bytes(0)}};
  std::vector<std::int64_t> lengths, places, offsets;
  for (byte_run const& one : runs) {
    lengths.push_back(one.length);
    places.push_back(one.in_file);
    offsets.push_back(one.in_memory);
  }
  layout form = hindexed(lengths, offsets, item_type{}).form();
  signature const types(basic_type::byte, form.size());
  return {{0, item_type{}, hindexed(lengths, places, item_type{})},
          buffer{memory, std::move(form), types}};
}

}  // namespace

void order_by_file(record& r) {
  if (r.memory.pieces.empty()) {  // the memory is in another process
    std::ranges::sort(r.file, {}, &piece::offset);
    return;
  }
  std::vector<byte_run> all =
      runs_of(r, [](std::size_t) { return std::numeric_limits<std::int64_t>::max(); });
  std::ranges::sort(all, {}, &byte_run::in_file);
  r.file.clear();
  r.memory.pieces.clear();
  for (byte_run const& one : all) {
    r.file.push_back({one.in_file, one.length});
    r.memory.pieces.push_back({one.in_memory, one.length});
  }
}

std::vector<viewed_target> dealt_to_views(record& r, int views, std::uint64_t seed,
                                          bool no_address) {
  std::vector<std::vector<byte_run>> parts(static_cast<std::size_t>(views));
  std::vector<byte_run> const runs =
      runs_of(r, [&](std::size_t n) { return static_cast<std::int64_t>(1 + mixed(seed, n) % 40); });
  for (std::size_t n = 0; n < runs.size(); ++n)
    parts[mixed(seed, n) / 64 % parts.size()].push_back(runs[n]);
  std::vector<viewed_target> all;
  for (std::vector<byte_run> const& part : parts)
    all.push_back(made(part, no_address ? nullptr : r.buffer.data()));
  return all;
}

}  // namespace argosy::explore
