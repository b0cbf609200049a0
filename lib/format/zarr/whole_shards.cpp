// Implements format/detail/zarr/whole_shards.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/detail/zarr/whole_shards.hpp>

namespace argosy::detail {

namespace {

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
// Numbers below the prime, drawn once, one for each dimension.
constexpr std::uint64_t bases[zarr_box::most_dimensions] = {
    1436028797018963968, 901234567890123457,  2017612633061982208, 1152921504606846883,
    577215664901532860,  1618033988749894848, 2236067977499789696, 1732050807568877293};

std::uint64_t product(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<wide>(a) * b % prime);
}

std::uint64_t power(std::uint64_t base, std::uint64_t exponent) noexcept {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base = product(base, base))
    if ((exponent & 1) != 0) result = product(result, base);
  return result;
}

// Returns base^low + ... + base^(high - 1).
std::uint64_t sum_of_powers(std::uint64_t base, std::int64_t low, std::int64_t high) noexcept {
  std::uint64_t const span = power(base, static_cast<std::uint64_t>(high)) + prime -
                             power(base, static_cast<std::uint64_t>(low));
  return product(span % prime, power(base - 1, prime - 2));
}

}  // namespace

// The number of a chunk or shard is the product of base[k]^index[k].
std::uint64_t print_of(zarr_box const& b, std::size_t dimensions) noexcept {
  std::uint64_t all = 1;
  for (std::size_t k = 0; k < dimensions; ++k) {
    if (b.low[k] >= b.high[k]) return 0;
    all = product(all, sum_of_powers(bases[k], b.low[k], b.high[k]));
  }
  return all;
}

std::uint64_t sum_of_prints(std::uint64_t a, std::uint64_t b) noexcept { return (a + b) % prime; }

shard_shares shares_of(access_kind kind, zarr_selection const& part) noexcept {
  constexpr std::int64_t few_pieces = 1024, long_piece = 128;
  layout const& file = part.file();
  bool const reads = kind == access_kind::read;
  bool const fits = (reads ? part.has_whole_chunks() : part.has_whole_shards()) &&
                    (file.pieces() <= few_pieces || file.pieces() <= file.size() / long_piece);
  if (!fits) return {.others = 1};
  shard_shares mine{.bytes = file.size(), .most_bytes = file.size()};
  if (file.empty()) return mine;
  mine.around = reads ? part.chunks() : part.shards();
  mine.prints = print_of(mine.around, part.dimensions());
  return mine;
}

}  // namespace argosy::detail
