// Implements lab/gpfs/troubles.hpp: troubles as text, and back.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/troubles.hpp>

#include <system_error>

#include <fmt/format.h>

#include <argosy/handle/tracer.hpp>

#include "lab/words.hpp"

namespace argosy::lab::gpfs {
namespace {

using lab::detail::next_word;
constexpr lab::detail::word_reader words{"argosy::lab::gpfs::parse_troubles"};

server_fault parse_fault(std::string_view text) {
  server_fault f;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view value = next_word(rest, ',');
    std::string_view const key = next_word(value, ':');
    if (key == "server") {
      f.server = words.number<int>(value, text);
    } else if (key == "call") {
      if (value != "read" && value != "write") words.refuse(text, "call is read or write");
      f.of_writes = value == "write";
    } else if (key == "first") {
      f.first = words.number_from(1, value, text);
    } else if (key == "times") {
      f.times = words.number_from(1, value, text);
    } else if (key == "error") {
      f.error = words.errno_of(value, text).value();
    } else {
      words.refuse(text, "a fault has server, call, first, times and error");
    }
  }
  return f;
}

}  // namespace

std::string to_string(troubles const& t) {
  std::string text;
  auto const add = [&](std::string const& word) { text += (text.empty() ? "" : " ") + word; };
  if (t.seed != 0) add(fmt::format("seed={}", t.seed));
  if (t.delay_max.count() != 0) add(fmt::format("delay_ns={}", t.delay_max.count()));
  for (server_fault const& f : t.faults) {
    std::string word =
        fmt::format("fault=server:{},call:{}", f.server, f.of_writes ? "write" : "read");
    if (f.first != 1) word += fmt::format(",first:{}", f.first);
    if (f.times != server_fault::forever) word += fmt::format(",times:{}", f.times);
    add(word +
        ",error:" + lab::detail::errno_text(std::error_code(f.error, std::system_category())));
  }
  for (slow_server const& s : t.slow) add(fmt::format("slow={}:{}", s.server, s.factor));
  return text;
}

troubles parse_troubles(std::string_view text) {
  troubles t;
  while (!text.empty()) {
    std::string_view const word = next_word(text, ' ');
    if (word.empty()) continue;
    std::string_view value = word;
    std::string_view const key = next_word(value, '=');
    if (key == "seed") {
      t.seed = words.number<std::uint64_t>(value, word);
    } else if (key == "delay_ns") {
      t.delay_max = words.delay(value, word);
    } else if (key == "fault") {
      t.faults.push_back(parse_fault(value));
    } else if (key == "slow") {
      int const server = words.number<int>(next_word(value, ':'), word);
      t.slow.push_back({server, words.factor(value, word)});
    } else {
      words.refuse(word, "not a word of troubles");
    }
  }
  return t;
}

}  // namespace argosy::lab::gpfs
