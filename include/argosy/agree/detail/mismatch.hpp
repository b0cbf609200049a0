// The message if ranks gave different arguments: which ranks are in the minority, what they gave,
// and where.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <argosy/agree/detail/arguments.hpp>
#include <argosy/agree/detail/neighbour.hpp>
#include <argosy/error/agreement.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::detail {

// The argument of one rank.
struct given_note {
  short_text<64> text;
  short_text<64> file;  // empty: the place is not known
  std::int64_t line = 0;
  std::int64_t number = 0;
  std::uint64_t hash = 0;
  std::int64_t asked = 0;  // 1: `lines` have more

  given_note() = default;
  given_note(arguments::argument const& a, source_location const& where)
      : line(where.line()), number(a.number), hash(a.hash), asked(a.lines ? 1 : 0) {
    text.set(a.text);
    file.set(where.file_name());
  }
  std::string shown() const {
    return text.get().empty() ? std::to_string(number) : std::string(text.get());
  }
  std::string place() const {
    return file.get().empty() ? std::string()
                              : std::string(file.get()) + ":" + std::to_string(line);
  }
};

// Ranks that gave the same argument.
struct like_minded {
  given_note note;  // note of the lowest of them
  std::vector<int> ranks;

  std::string words(bool others) const {
    if (others && ranks.size() > 1) return "the " + std::to_string(ranks.size()) + " others";
    if (others) return "rank " + std::to_string(ranks[0]);
    std::string s = ranks.size() > 1 ? "ranks" : "rank";
    for (std::size_t i = 0; i < ranks.size() && i < 8; ++i)
      s += (i > 0 ? ", " : " ") + std::to_string(ranks[i]);
    return ranks.size() > 8 ? s + " ... (" + std::to_string(ranks.size()) + ")" : s;
  }
};

// Groups the ranks by their arguments, the smallest group first, since that is probably wrong. Of
// equal groups the one with the lowest rank comes last, so rank 0 is not blamed for being first.
// Collective.
template <agreeing World>
std::vector<like_minded> groups_of(World const& world, given_note const& mine) {
  std::vector<given_note> all(static_cast<std::size_t>(world.size()), mine);
  world.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  std::map<std::uint64_t, like_minded> by_hash;
  for (std::size_t r = 0; r < all.size(); ++r) {
    like_minded& g = by_hash[all[r].hash];
    if (g.ranks.empty()) g.note = all[r];
    g.ranks.push_back(static_cast<int>(r));
  }
  std::vector<like_minded> groups;
  groups.reserve(by_hash.size());
  for (auto& [hash, g] : by_hash) groups.push_back(std::move(g));
  std::sort(groups.begin(), groups.end(), [](like_minded const& a, like_minded const& b) {
    return a.ranks.size() != b.ranks.size() ? a.ranks.size() < b.ranks.size()
                                            : a.ranks[0] > b.ranks[0];
  });
  return groups;
}

// The value of a line such as "cb_nodes 4". After a tab, the line has the place where the value was
// given.
struct given_value {
  std::string value, source;
};
inline std::map<std::string, given_value> values_of(std::string_view lines) {
  std::map<std::string, given_value> values;
  while (!lines.empty()) {
    std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    auto const tab = std::min(line.find('\t'), line.size());
    std::string_view const source = line.substr(std::min(line.size(), tab + 1));
    line = line.substr(0, tab);
    auto const space = std::min(line.find(' '), line.size());
    given_value& given = values[std::string(line.substr(0, space))];
    if (!source.empty()) given.source = source;
    std::string& value = given.value;
    if (!value.empty()) value += ' ';  // "cb_nodes overrides" comes after the value of cb_nodes
    value += line.substr(std::min(line.size(), space + 1));
  }
  return values;
}

// Returns the lines of one rank on all ranks. Collective.
template <agreeing World>
std::map<std::string, given_value> values_on(World const& world, int rank,
                                             arguments::argument const& mine) {
  std::string text = world.rank() == rank && mine.lines ? mine.lines() : std::string();
  std::uint64_t bytes = text.size();
  world.broadcast(std::as_writable_bytes(std::span(&bytes, 1)), rank);
  text.resize(bytes);
  world.broadcast(std::as_writable_bytes(std::span(text)), rank);
  return values_of(text);
}

// Returns how two groups differ: "cb_nodes is 4 on rank 2, 2 on the 3 others". Collective.
template <agreeing World>
std::string different_lines(World const& world, arguments::argument const& mine,
                            like_minded const& odd, like_minded const& others) {
  auto const a = values_on(world, odd.ranks[0], mine), b = values_on(world, others.ranks[0], mine);
  auto const value_in = [](auto const& values, std::string const& name) {
    auto const found = values.find(name);
    return found == values.end() || found->second.value.empty() ? std::string("not given")
                                                                : found->second.value;
  };
  auto const source_in = [](auto const& values, std::string const& name) {
    auto const found = values.find(name);
    return found == values.end() || found->second.source.empty()
               ? std::string()
               : " (" + found->second.source + ")";
  };
  std::string words;
  auto const tell = [&](std::string const& name) {
    std::string const x = value_in(a, name), y = value_in(b, name);
    if (x == y || words.size() > 200) return;
    words += (words.empty() ? "" : "; ") + name + " is " + x + " on " + odd.words(false) +
             source_in(a, name) + ", " + y + " on " + others.words(true) + source_in(b, name);
  };
  for (auto const& [name, value] : a) tell(name);
  for (auto const& [name, value] : b)
    if (!a.contains(name)) tell(name);
  return words;
}

// Makes the error after a reduction in which argument `which` differed; number 0 is the call
// itself. Every rank calls this, also one at the end of its call. Collective.
template <agreeing World>
agreement not_the_same(World const& world, std::size_t which, std::string_view name,
                       given_note const& note, arguments::argument const& mine) {
  auto const groups = groups_of(world, note);
  std::string words = which == 0
                          ? "ranks are in different collective calls: "
                          : "argument '" + std::string(name) + "' must be equal on all ranks: ";
  for (std::size_t i = 0; i < groups.size() && i < 5; ++i) {
    bool const last = i + 1 == groups.size();
    std::string const place = groups[i].note.place();
    words += i == 0 ? "" : ", ";
    words += (which == 0 ? "" : "it is ") + groups[i].note.shown();
    if (!place.empty()) words += (which == 0 ? " at " + place : " (" + place + ")");
    words += " on " + groups[i].words(last);
  }
  if (groups.size() > 5) words += " ...";
  if (groups.size() > 1 && groups.front().note.asked != 0 && groups.back().note.asked != 0) {
    std::string const odd = groups.front().note.place(), others = groups.back().note.place();
    words = "argument '" + std::string(name) + "' must be equal on all ranks: " +
            different_lines(world, mine, groups.front(), groups.back()) + " (" + odd +
            (odd == others ? "" : " and " + others) + ")";
  }
  return {errc::not_same, groups.front().ranks[0], errc::not_same, std::move(words), {}};
}

}  // namespace argosy::detail
