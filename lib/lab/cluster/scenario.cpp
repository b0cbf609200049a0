// Implements lab/cluster/scenario.hpp: scenarios as text, and back.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/cluster/scenario.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <argosy/error/errc.hpp>
#include <argosy/handle/tracer.hpp>

#include "lab/words.hpp"

namespace argosy::lab {
namespace {

using detail::next_word;
constexpr detail::word_reader scenario_words{"argosy::parse_scenario"};

// Calls f(name, member) for each number that has a name.
template <class Scenario, class F>
void for_each_number(Scenario& s, F&& f) {
  f("ranks", s.ranks);
  f("ranks_per_node", s.ranks_per_node);
  f("seed", s.seed);
  f("network.latency_ns", s.network.latency_ns);
  f("network.adapter_mb_per_s", s.network.adapter_mb_per_s);
  f("network.node_latency_ns", s.network.node_latency_ns);
  f("network.node_mb_per_s", s.network.node_mb_per_s);
  f("network.overhead_ns", s.network.overhead_ns);
  f("network.rank_mb_per_s", s.network.rank_mb_per_s);
  f("network.pack_mb_per_s", s.network.pack_mb_per_s);
  f("network.piece_ns", s.network.piece_ns);
  f("network.node_processors", s.network.node_processors);
  f("network.eager_bytes", s.network.eager_bytes);
  f("network.detection_us", s.network.detection_us);
  f("network.jitter_ns", s.network.jitter_ns);
  f("disk.servers", s.disk.servers);
  f("disk.stripe_bytes", s.disk.stripe_bytes);
  f("disk.server_mb_per_s", s.disk.server_mb_per_s);
  f("disk.request_ns", s.disk.request_ns);
  f("disk.call_ns", s.disk.call_ns);
  f("disk.lock_ns", s.disk.lock_ns);
  f("disk.block_bytes", s.disk.block_bytes);
  f("disk.capacity_bytes", s.disk.capacity_bytes);
}

// Returns ENOSPC, or argosy:12.
std::string shown(std::error_code const& e) {
  if (e.category() == category()) return fmt::format("argosy:{}", e.value());
  return detail::errno_text(e);
}

std::error_code error_of(std::string_view text, std::string_view word) {
  if (!text.starts_with("argosy:")) return scenario_words.errno_of(text, word);
  auto const n = scenario_words.number<int>(text.substr(7), word);
  if (n <= 0) scenario_words.refuse(word, "not the number of an error");
  return {n, category()};
}

std::string shown(rank_fault const& x) {
  fault const d;
  std::string s = fmt::format("rank:{},call:{}", x.rank, to_string(x.what.kind));
  if (x.what.first != d.first) s += fmt::format(",first:{}", x.what.first);
  if (x.what.times == fault::forever)
    s += ",times:forever";
  else if (x.what.times != d.times)
    s += fmt::format(",times:{}", x.what.times);
  if (x.what.error) s += ",error:" + shown(x.what.error);
  if (x.what.most_bytes != d.most_bytes) s += fmt::format(",bytes:{}", x.what.most_bytes);
  if (x.what.delay != d.delay) s += fmt::format(",delay_ns:{}", x.what.delay.count());
  return s;
}

rank_fault parse_fault(std::string_view text) {
  rank_fault x;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view value = next_word(rest, ',');
    std::string_view const key = next_word(value, ':');
    if (key == "rank") {
      x.rank = scenario_words.number<int>(value, text);
    } else if (key == "call") {
      std::size_t k = 0;
      while (k < argosy::detail::file_call_count && to_string(static_cast<file_call>(k)) != value)
        ++k;
      if (k == argosy::detail::file_call_count)
        scenario_words.refuse(text, "no such call of a file");
      x.what.kind = static_cast<file_call>(k);
    } else if (key == "first") {
      x.what.first = scenario_words.number_from(1, value, text);
    } else if (key == "times") {
      x.what.times =
          value == "forever" ? fault::forever : scenario_words.number_from(1, value, text);
    } else if (key == "error") {
      x.what.error = error_of(value, text);
    } else if (key == "bytes") {
      x.what.most_bytes = scenario_words.number_from(0, value, text);
    } else if (key == "delay_ns") {
      x.what.delay = scenario_words.delay(value, text);
    } else {
      scenario_words.refuse(text,
                            "a fault has rank, call, first, times, error, bytes and delay_ns");
    }
  }
  return x;
}

}  // namespace

std::string to_string(rank_fault const& x) { return "fault=" + shown(x); }
std::string to_string(paused_rank const& x) {
  return fmt::format("pause={}:{}:{}", x.rank, x.at_us, x.for_us);
}
std::string to_string(dying_rank const& x) { return fmt::format("die={}:{}", x.rank, x.operation); }

std::string to_string(scenario const& s) {
  scenario const defaults;
  std::string text = fmt::format("ranks={}", s.ranks);
  std::vector<std::string> given;
  for_each_number(s, [&](char const*, auto const& x) { given.push_back(fmt::format("{}", x)); });
  std::size_t i = 0;
  for_each_number(defaults, [&](char const* name, auto const& x) {
    std::string const& mine = given[i++];
    if (i > 1 && mine != fmt::format("{}", x)) text += fmt::format(" {}={}", name, mine);
  });
  if (s.disk.has_locks != defaults.disk.has_locks) text += " disk.has_locks=0";
  if (s.network.polls_in_files != defaults.network.polls_in_files)
    text += " network.polls_in_files=1";
  for (rank_fault const& x : s.faults) text += " " + to_string(x);
  for (slow_rank const& x : s.slow) text += fmt::format(" slow={}:{}", x.rank, x.factor);
  for (paused_rank const& x : s.pauses) text += " " + to_string(x);
  for (dying_rank const& x : s.deaths) text += " " + to_string(x);
  return text;
}

scenario parse_scenario(std::string_view text) {
  scenario s;
  while (!text.empty()) {
    std::string_view const word = next_word(text, ' ');
    if (word.empty()) continue;
    std::string_view value = word;
    std::string_view const key = next_word(value, '=');
    bool known = false;
    for_each_number(s, [&]<class T>(char const* name, T& x) {
      if (key != name) return;
      known = true;
      x = scenario_words.number<T>(value, word);
    });
    if (known) continue;
    if (key == "disk.has_locks") {
      s.disk.has_locks = scenario_words.number<int>(value, word) != 0;
    } else if (key == "network.polls_in_files") {
      s.network.polls_in_files = scenario_words.number<int>(value, word) != 0;
    } else if (key == "fault") {
      s.faults.push_back(parse_fault(value));
    } else if (key == "slow") {
      int const rank = scenario_words.number<int>(next_word(value, ':'), word);
      s.slow.push_back({rank, scenario_words.factor(value, word)});
    } else if (key == "pause") {
      int const rank = scenario_words.number<int>(next_word(value, ':'), word);
      auto const at = scenario_words.number<std::int64_t>(next_word(value, ':'), word);
      s.pauses.push_back({rank, at, scenario_words.number<std::int64_t>(value, word)});
    } else if (key == "die") {
      int const rank = scenario_words.number<int>(next_word(value, ':'), word);
      s.deaths.push_back({rank, scenario_words.number<std::int64_t>(value, word)});
    } else {
      scenario_words.refuse(word, "not a word of a scenario");
    }
  }
  return s;
}

}  // namespace argosy::lab
