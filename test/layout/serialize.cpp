// Layouts must survive serialization. Bytes that are no layout must be refused.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/layout/serialize.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"

using namespace argosy;

namespace {

using engine = std::mt19937_64;

std::int64_t pick(engine& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

layout random_layout(engine& random, int depth) {
  switch (depth == 0 ? 0 : pick(random, 0, 5)) {
    case 0:
      return bytes(pick(random, 0, 9) * pick(random, 1, 4));
    case 1:
    case 2: {
      layout const inner = random_layout(random, depth - 1);
      std::int64_t const stride =
          pick(random, 0, 3) == 0 ? inner.extent() : pick(random, -200, 400);
      return repeat(pick(random, 0, 5), pick(random, 0, 9) == 0 ? stride << 33 : stride, inner);
    }
    case 3: {
      std::vector<layout> parts;
      for (std::int64_t n = pick(random, 1, 4); n > 0; --n)
        parts.push_back(at(pick(random, -300, 600), random_layout(random, depth - 1)));
      return concat(parts);
    }
    case 4: {
      std::vector<std::int64_t> offsets, lengths;
      for (std::int64_t n = pick(random, 0, 40); n > 0; --n) {
        offsets.push_back(pick(random, -1000, 4000));
        lengths.push_back(pick(random, 0, 20));
      }
      return pick(random, 0, 1) == 0 ? table(offsets, lengths)
                                     : table(offsets, pick(random, 1, 12));
    }
    default:
      return resized(random_layout(random, depth - 1), pick(random, -100, 100),
                     pick(random, 0, 5000));
  }
}

bool same_nodes(layout const& a, layout const& b) {
  return std::ranges::equal(a.nodes(), b.nodes()) && std::ranges::equal(a.places(), b.places()) &&
         std::ranges::equal(a.tables(), b.tables()) && a.origin() == b.origin();
}

// Puts a right checksum under changed bytes, so that the code behind the checksum is tested, too.
void seal(std::vector<std::byte>& bytes) {
  std::size_t const content = bytes.size() - detail::check_sum_bytes;
  std::uint32_t const sum = detail::check_sum(std::span(bytes).first(content));
  for (std::size_t i = 0; i < detail::check_sum_bytes; ++i)
    bytes[content + i] = static_cast<std::byte>(sum >> (8 * i));
}

std::vector<std::byte> sealed(std::initializer_list<int> content) {
  std::vector<std::byte> out;
  for (int b : content) out.push_back(static_cast<std::byte>(b));
  out.resize(out.size() + detail::check_sum_bytes);
  seal(out);
  return out;
}

}  // namespace

TEST_CASE("a layout is what it was after the way into bytes and back", "[serialize]") {
  std::vector<std::int64_t> irregular;
  for (std::int64_t i = 0; i < 1000; ++i) irregular.push_back(i * i);
  layout const plane = repeat(4, 512, repeat(8, 64, bytes(32)));
  for (layout const& l :
       {layout(), bytes(0), bytes(1), bytes(std::int64_t{1} << 40), plane, at(-77, plane),
        resized(plane, -8, 1 << 20), resized(bytes(0), 16, 32), concat(bytes(8), at(16, bytes(4))),
        repeat(3, -100, concat(bytes(8), at(16, plane))), table(irregular, 1),
        repeat(1'000'000'000'000, 16, bytes(8)), argosy::detail::borrowed_table(irregular, 1)}) {
    auto const bytes = serialize(l);
    layout const back = deserialize(bytes);
    CHECK(back == l);
    CHECK(same_nodes(back, l));
    CHECK(serialize(back) == bytes);
  }
}

TEST_CASE("serialised bytes are few", "[serialize]") {
  CHECK(serialize(repeat(512, 4096, repeat(64, 64, bytes(32)))).size() <= 24);
  CHECK(serialize(repeat(1'000'000'000'000, 16, bytes(8))).size() <= 40);
  std::vector<std::int64_t> near;
  for (std::int64_t i = 0, at = 0; i < 10'000; ++i, at += 9 + i % 7 * (i % 3)) near.push_back(at);
  layout const l = table(near, 8);
  if (!l.is_regular()) CHECK(serialize(l).size() <= 10'100);
}

TEST_CASE("the bytes of a layout stay what they are", "[serialize]") {
  // lower bound 0, extent 56, origin 0, two nodes: 8 bytes; 4 copies at stride 16 of the node
  // before
  CHECK(serialize(repeat(4, 16, bytes(8))) == sealed({1, 0, 112, 0, 2, 0, 8, 1, 1, 4, 32}));
}

TEST_CASE("random layouts survive", "[serialize]") {
  CAPTURE(test::seed());
  engine random(test::seed());
  std::size_t other_nodes = 0;
  for (int i = 0; i < 20'000; ++i) {
    layout const l = random_layout(random, 4);
    layout const back = deserialize(serialize(l));
    if (!(back == l)) {
      CAPTURE(i);
      FAIL("not equal");
    }
    if (!same_nodes(back, l)) ++other_nodes;
  }
  CHECK(other_nodes == 0);
}

TEST_CASE("changed bytes are noticed", "[serialize]") {
  auto const good = serialize(concat(bytes(8), at(16, repeat(5, 100, bytes(4)))));
  for (std::size_t length = 0; length < good.size(); ++length)
    CHECK_THROWS_AS(deserialize(std::span(good).first(length)), invalid_layout);
  for (std::size_t i = 0; i < good.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      auto bad = good;
      bad[i] ^= static_cast<std::byte>(1 << bit);
      CHECK_THROWS_AS(deserialize(bad), invalid_layout);
    }
}

TEST_CASE("bytes under a right check sum are not trusted either", "[serialize]") {
  CHECK_THROWS_WITH(deserialize(sealed({2, 0, 0, 0, 0})), Catch::Contains("version 2"));
  CHECK_THROWS_WITH(deserialize(sealed({1, 0, 0, 0, 9})), Catch::Contains("more entries"));
  CHECK_THROWS_WITH(deserialize(sealed({1, 0, 0, 0, 1, 7, 7})), Catch::Contains("no known kind"));
  CHECK_THROWS_WITH(deserialize(sealed({1, 0, 0, 0, 1, 1, 1, 4, 32})),
                    Catch::Contains("stand before"));
  CHECK_THROWS_WITH(deserialize(sealed({1, 0, 0, 0, 2, 0, 8, 1, 1, 4, 16})),
                    Catch::Contains("continue"));
  CHECK_THROWS_WITH(deserialize(sealed({1, 0, 0, 0, 1, 0, 8, 0})), Catch::Contains("left over"));
}

TEST_CASE("random damage throws or gives a layout, nothing else", "[serialize]") {
  CAPTURE(test::seed());
  engine random(test::seed() + 1);
  std::size_t read = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::vector<std::byte> bytes = serialize(random_layout(random, 3));
    for (std::int64_t n = pick(random, 1, 3); n > 0; --n) {
      auto const where =
          static_cast<std::size_t>(pick(random, 1, static_cast<std::int64_t>(bytes.size()) - 5));
      switch (pick(random, 0, 3)) {
        case 0:
          bytes[where] ^= static_cast<std::byte>(1 << pick(random, 0, 7));
          break;
        case 1:
          bytes[where] = static_cast<std::byte>(pick(random, 0, 255));
          break;
        case 2:
          bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(where), std::byte{0xff});
          break;
        default:
          if (bytes.size() > 6) bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(where));
      }
    }
    seal(bytes);
    try {
      layout const l = deserialize(bytes);
      ++read;
      // The layout can be used: it answers, and can be serialized again.
      CHECK(l.bytes_within(l.true_lower_bound(), l.true_upper_bound()) == l.size());
      CHECK(deserialize(serialize(l)) == l);
    } catch (invalid_layout const&) {
    }
  }
  CHECK(read > 1000);
}

TEST_CASE("numbers near the limits throw or give a layout, nothing else", "[serialize][limits]") {
  CAPTURE(test::seed());
  engine random(test::seed() + 2);
  std::size_t read = 0;
  for (int i = 0; i < 100'000; ++i) {
    detail::byte_writer out;
    auto const signed_number = [&] {
      std::int64_t const near[] = {
          0, 0, 0, INT64_MAX, INT64_MIN, INT64_MAX / 2, INT64_MIN / 2, INT64_MAX / 3};
      std::int64_t const n = near[pick(random, 0, 7)], step = pick(random, 0, 40);
      return n > 0 || (n == 0 && step % 2 == 0) ? n - step : n + step;
    };
    auto const length = [&] {
      return static_cast<std::uint64_t>(pick(random, 0, 5) == 0 ? INT64_MAX / pick(random, 1, 5)
                                                                : pick(random, 1, 9));
    };
    out.byte(detail::serial_version);
    for (int k = 0; k < 3; ++k)
      out.number(pick(random, 0, 2) == 0 ? signed_number() : pick(random, 0, 9));
    std::int64_t const nodes = pick(random, 1, 4);
    out.count(static_cast<std::uint64_t>(nodes));
    for (std::int64_t n = 0; n < nodes; ++n) {
      auto const tag = static_cast<std::uint8_t>(n == 0 ? pick(random, 0, 1) * pick(random, 3, 4)
                                                        : pick(random, 0, 4));
      auto const child = [&] {
        out.count(static_cast<std::uint64_t>(pick(random, 1, std::max<std::int64_t>(n, 1))));
      };
      out.byte(tag);
      if (tag == 0) {
        out.count(length());
      } else if (tag == 1) {
        child();
        out.count(1 + length());
        out.number(signed_number());
      } else {
        std::int64_t const entries = pick(random, 2, 4);
        out.count(static_cast<std::uint64_t>(entries));
        if (tag == 3) out.count(length());
        for (std::int64_t k = 0; k < entries; ++k) {
          if (tag == 2) child();
          if (tag == 2 || k > 0) out.number(tag == 2 && k == 0 ? 0 : signed_number());
          if (tag == 4) out.count(length());
        }
      }
    }
    try {
      layout const l = deserialize(out.finish());
      ++read;
      if (!(deserialize(serialize(l)) == l)) FAIL("not itself, number " << i);
      if (l.bytes_within(l.true_lower_bound(), l.true_upper_bound()) != l.size())
        FAIL("bytes_within, number " << i);
      if (l.pieces() < 1000) {
        for (std::int64_t x : {INT64_MIN, l.true_lower_bound() + 1, std::int64_t{0},
                               l.true_upper_bound() - 1, INT64_MAX})
          if (l.bytes_before(x) > l.size()) FAIL("bytes_before, number " << i);
        for (extend::cursor at(l, l.size() / 2); !at.done(); at.next())
          if (at.current().end() > l.true_upper_bound())
            FAIL("a piece outside of the bounds, number " << i);
        l.is_monotonic();
        l.overlaps();
        // Constructors must work on the received layout.
        layout const twice = concat(l, l);
        if (twice.size() - l.size() != l.size()) FAIL("twice, number " << i);
      }
    } catch (invalid_layout const&) {
    }
  }
  CHECK(read > 1000);
}

TEST_CASE("questions cost the nodes that came, not the leaves of their tree",
          "[serialize][limits]") {
  // Each list has the node below in three places, and is repeated: 6^22 pieces of a byte each, 3^22
  // ways from the root.
  constexpr std::int64_t levels = 22;
  detail::byte_writer out;
  out.byte(detail::serial_version);
  for (int k = 0; k < 3; ++k) out.number(0);  // bounds and origin
  out.count(1 + 2 * levels);
  out.byte(static_cast<std::uint8_t>(detail::serial_tag::bytes));
  out.count(1);
  for (std::int64_t k = 0, n = 1; k < levels; ++k, n = 6 * n + 7) {
    out.byte(static_cast<std::uint8_t>(detail::serial_tag::concat));
    out.count(3);
    for (std::int64_t const step : {std::int64_t{0}, n + 1, n + 2}) {
      out.count(1);
      out.number(step);
    }
    out.byte(static_cast<std::uint8_t>(detail::serial_tag::repeat));
    out.count(1);
    out.count(2);
    out.number(3 * n + 4);
  }
  layout const l = deserialize(out.finish());
  CHECK(l.nodes().size() == 1 + 2 * levels);
  CHECK(l.depth() == 1 + 2 * levels);
  CHECK(l.pieces() == l.size());
  CHECK(l.is_monotonic());
  CHECK_FALSE(l.overlaps());
  CHECK(l.bytes_before(l.true_extent() - 1) == l.size() - 1);
}
