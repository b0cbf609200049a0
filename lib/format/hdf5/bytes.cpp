// Implements bytes.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace argosy::detail::hdf5 {

namespace {

// The state of lookup3 (Bob Jenkins, 2006, public domain), for bytes in any order of this machine.
struct jenkins {
  std::uint32_t a, b, c;

  void mix() noexcept {
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
  }
  void finish() noexcept {
    c ^= b, c -= std::rotl(b, 14);
    a ^= c, a -= std::rotl(c, 11);
    b ^= a, b -= std::rotl(a, 25);
    c ^= b, c -= std::rotl(b, 16);
    a ^= c, a -= std::rotl(c, 4);
    b ^= a, b -= std::rotl(a, 14);
    c ^= b, c -= std::rotl(b, 24);
  }
};

}  // namespace

std::uint32_t metadata_checksum(std::span<std::byte const> data) noexcept {
  std::uint32_t const start = 0xdeadbeef + static_cast<std::uint32_t>(data.size());
  jenkins j{start, start, start};
  while (!data.empty()) {
    std::array<std::uint32_t, 3> words{};
    std::size_t const n = std::min<std::size_t>(data.size(), 12);
    for (std::size_t i = 0; i < n; ++i)
      words[i / 4] |= std::to_integer<std::uint32_t>(data[i]) << (8 * (i % 4));
    j.a += words[0], j.b += words[1], j.c += words[2];
    data = data.subspan(n);
    if (data.empty())
      j.finish();
    else
      j.mix();
  }
  return j.c;
}

writer& writer::checksum(std::size_t first) {
  return number(metadata_checksum(std::span(all_).subspan(first)), 4);
}

void require_checksum(std::span<std::byte const> block, std::string_view what) {
  if (block.size() < 4) throw_damaged(std::string(what) + " ends too early");
#ifndef ARGOSY_FUZZ_ANY_CHECKSUM  // fuzzers have no use for sums that differ
  taker sum(block.last(4), what);
  if (sum.number(4) != metadata_checksum(block.first(block.size() - 4)))
    throw_damaged("the checksum of " + std::string(what) + " differs");
#endif
}

std::string taker::text(std::size_t unit) {
  auto const end = std::ranges::find(left_, std::byte{0});
  if (end == left_.end()) throw_damaged(std::string(what_) + " has a text without an end");
  auto const length = static_cast<std::size_t>(end - left_.begin());
  std::string const s(reinterpret_cast<char const*>(left_.data()), length);
  take((length + unit) / unit * unit);
  return s;
}

void taker::expect(std::string_view letters) {
  auto const found = take(letters.size());
  if (!std::ranges::equal(found, std::as_bytes(std::span(letters))))
    throw_damaged(std::string(what_) + " does not begin with '" + std::string(letters) + "'");
}

int bytes_for(std::uint64_t most) noexcept {
  return std::max(1, (static_cast<int>(std::bit_width(most)) + 7) / 8);
}

}  // namespace argosy::detail::hdf5
