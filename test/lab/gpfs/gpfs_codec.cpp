// Messages of the simulated GPFS as bytes.
// SPDX-License-Identifier: BSD-3-Clause
#include <lab/gpfs/codec.hpp>

#include <boost/pfr/core.hpp>
#include <boost/pfr/ops.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"

namespace gpfs = argosy::lab::gpfs;
using argosy::test::seed;

namespace {

using engine = std::mt19937_64;

template <class T>
constexpr bool is_vector = false;
template <class T>
constexpr bool is_vector<std::vector<T>> = true;
template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;

template <class T>
void fill(T& value, engine& random) {
  if constexpr (std::is_same_v<T, bool>) {
    value = random() % 2 == 0;
  } else if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(random() % 3);
  } else if constexpr (std::is_arithmetic_v<T>) {
    value = static_cast<T>(random());
  } else if constexpr (std::is_same_v<T, std::byte>) {
    value = static_cast<std::byte>(random());
  } else if constexpr (std::is_same_v<T, std::string>) {
    value.resize(random() % 20);
    for (char& c : value) c = static_cast<char>(random());
  } else if constexpr (is_vector<T>) {
    value.resize(random() % 5);
    for (auto& element : value) fill(element, random);
  } else if constexpr (is_optional<T>) {
    value.reset();
    if (random() % 2 == 0) fill(value.emplace(), random);
  } else if constexpr (std::is_same_v<T, gpfs::detail::payload>) {
    std::vector<std::byte> bytes;
    fill(bytes, random);
    value = std::move(bytes);
  } else {
    boost::pfr::for_each_field(value, [&](auto& member) { fill(member, random); });
  }
}
template <>
void fill(std::byte& value, engine& random) {
  value = static_cast<std::byte>(random());
}

// Compares member by member, independently of how messages are encoded.
template <class T>
bool same(T const& a, T const& b) {
  if constexpr (std::is_same_v<T, gpfs::detail::payload>) {
    return a == b;
  } else if constexpr (is_vector<T>) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](auto const& x, auto const& y) { return same(x, y); });
  } else if constexpr (is_optional<T>) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                       std::is_same_v<T, std::string>) {
    return a == b;
  } else {
    bool equal = true;
    auto const compare = [&]<std::size_t... I>(std::index_sequence<I...>) {
      equal = (same(boost::pfr::get<I>(a), boost::pfr::get<I>(b)) && ...);
    };
    compare(std::make_index_sequence<boost::pfr::tuple_size_v<T>>{});
    return equal;
  }
}
bool same_body(gpfs::detail::message_body const& a, gpfs::detail::message_body const& b) {
  return a.index() == b.index() && std::visit(
                                       [&](auto const& x) {
                                         using body = std::decay_t<decltype(x)>;
                                         return same(x, std::get<body>(b));
                                       },
                                       a);
}

template <std::size_t I = 0>
gpfs::detail::message_body body_of_kind(std::size_t kind, engine& random) {
  if constexpr (I == std::variant_size_v<gpfs::detail::message_body>) {
    return {};
  } else {
    if (kind != I) return body_of_kind<I + 1>(kind, random);
    gpfs::detail::message_body body;
    fill(body.emplace<I>(), random);
    return body;
  }
}

gpfs::detail::message random_message(std::size_t kind, engine& random) {
  gpfs::detail::message m;
  fill(m.from, random);
  fill(m.to, random);
  m.body = body_of_kind(kind, random);
  return m;
}

constexpr std::size_t kinds = std::variant_size_v<gpfs::detail::message_body>;

}  // namespace

TEST_CASE("every message comes back as it was", "[gpfs][codec]") {
  CAPTURE(seed());
  engine random(seed());
  for (std::size_t kind = 0; kind < kinds; ++kind)
    for (int round = 0; round < 200; ++round) {
      CAPTURE(kind, round);
      gpfs::detail::message const m = random_message(kind, random);
      auto const back = gpfs::detail::decode(gpfs::detail::encode(m));
      REQUIRE(back);
      REQUIRE(back->from == m.from);
      REQUIRE(back->to == m.to);
      REQUIRE(same_body(back->body, m.body));
    }
}

TEST_CASE("what is cut off or too long is no message", "[gpfs][codec]") {
  CAPTURE(seed());
  engine random(seed());
  for (std::size_t kind = 0; kind < kinds; ++kind)
    for (int round = 0; round < 10; ++round) {
      CAPTURE(kind, round);
      auto bytes = gpfs::detail::encode(random_message(kind, random));
      for (std::size_t n = 0; n < bytes.size(); ++n)
        REQUIRE_FALSE(gpfs::detail::decode(std::span(bytes).first(n)));
      bytes.push_back({});
      REQUIRE_FALSE(gpfs::detail::decode(bytes));
    }
}

TEST_CASE("changed bytes are another message or none, and are read within their bounds",
          "[gpfs][codec]") {
  CAPTURE(seed());
  engine random(seed());
  gpfs::machine const hardware;
  int messages = 0, sensible = 0;
  for (int round = 0; round < 100000; ++round) {
    auto bytes = gpfs::detail::encode(random_message(random() % kinds, random));
    for (std::uint64_t i = 1 + random() % 4; i > 0; --i) {
      // Changes of lengths are the most interesting ones, and lengths are small.
      std::size_t const at = random() % bytes.size();
      bytes[at] = random() % 2 == 0 ? static_cast<std::byte>(random())
                                    : static_cast<std::byte>(random() % 8);
    }
    if (random() % 4 == 0) bytes.resize(random() % (bytes.size() + 1));
    std::vector<std::byte> const exact(bytes);  // no room behind the message
    if (auto const m = gpfs::detail::decode(exact)) {
      ++messages;
      if (gpfs::detail::makes_sense(*m, hardware)) ++sensible;
      REQUIRE(gpfs::detail::encode(*m) == exact);
    }
  }
  CHECK(messages > 1000);
  CHECK(sensible < messages);
}

TEST_CASE("numbers without a meaning are refused", "[gpfs][codec]") {
  gpfs::machine m;
  m.block_bytes = 1024;
  m.servers = 2;
  gpfs::detail::address const client{gpfs::detail::role::client, 3},
      manager{gpfs::detail::role::manager, 0}, server{gpfs::detail::role::server, 1};
  auto const sense = [&](gpfs::detail::address from, gpfs::detail::address to,
                         gpfs::detail::message_body body) {
    return gpfs::detail::makes_sense({from, to, std::move(body)}, m);
  };
  CHECK(sense(client, server, gpfs::detail::block_read{1, 0, 7}));
  CHECK_FALSE(sense(client, server, gpfs::detail::block_read{1, 0, -7}));
  CHECK_FALSE(sense(client, server, gpfs::detail::block_read{1, -1, 7}));
  CHECK_FALSE(sense(client, {gpfs::detail::role::server, 2}, gpfs::detail::block_read{1, 0, 7}));
  CHECK_FALSE(sense(client, {gpfs::detail::role::server, -1}, gpfs::detail::block_read{1, 0, 7}));
  CHECK_FALSE(sense(client, manager, gpfs::detail::block_read{1, 0, 7}));
  std::vector<std::byte> const block(1024);
  CHECK(sense(server, client, gpfs::detail::block_data{1, 0, 7, 0, block}));
  CHECK_FALSE(sense(server, client, gpfs::detail::block_data{1, 0, 7, 0, {}}));
  CHECK_FALSE(sense(server, client, gpfs::detail::block_data{1, 0, 7, 5, block}));
  CHECK(sense(client, server,
              gpfs::detail::block_write{1, 0, 7, {{1000, std::vector<std::byte>(24)}}}));
  CHECK_FALSE(sense(client, server,
                    gpfs::detail::block_write{1, 0, 7, {{1000, std::vector<std::byte>(25)}}}));
  CHECK_FALSE(
      sense(client, server, gpfs::detail::block_write{1, 0, 7, {{-1, std::vector<std::byte>(1)}}}));
  CHECK_FALSE(sense(client, manager, gpfs::detail::fence{2}));
  CHECK_FALSE(sense(client, manager, gpfs::detail::node_lost{2}));
  CHECK_FALSE(sense(client, manager,
                    gpfs::detail::ship_start{1, 0, 1, 2, gpfs::detail::partition_map{0, {1}}}));
  CHECK_FALSE(sense(client, manager,
                    gpfs::detail::ship_start{1, 0, 1, 2, gpfs::detail::partition_map{1, {}}}));
  CHECK(sense(client, manager, gpfs::detail::ship_start{1, 0, 1, 2, {}}));
  // The owner would need that much memory, so the length is limited.
  std::int64_t const longest = gpfs::detail::ship_call::longest;
  CHECK(sense(
      client, client,
      gpfs::detail::ship_call{1, 0, 1, 1, gpfs::detail::ship_kind::read, 5, longest, {}, {}}));
  CHECK_FALSE(sense(
      client, client,
      gpfs::detail::ship_call{1, 0, 1, 1, gpfs::detail::ship_kind::read, 5, longest + 1, {}, {}}));
  // The manager computes with the size, so it must be sensible.
  CHECK(sense(client, manager, gpfs::detail::size_notice{1, 0, {5, 3}}));
  CHECK_FALSE(sense(client, manager, gpfs::detail::size_notice{1, 0, {5, gpfs::detail::no_end}}));
  CHECK_FALSE(sense(client, manager, gpfs::detail::size_notice{1, 0, {5, -1}}));
}
