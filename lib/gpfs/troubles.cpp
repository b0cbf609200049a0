// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/gpfs/troubles.hpp>

#include <charconv>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include <argosy/handle/tracer.hpp>

namespace argosy::gpfs {
namespace {

[[noreturn]] void refuse(std::string_view word, std::string_view why) {
  throw std::invalid_argument(fmt::format("argosy::gpfs::parse_troubles: '{}': {}", word, why));
}

template <class T>
T number_of(std::string_view text, std::string_view word) {
  T value{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse(word, "not a number that fits");
  return value;
}

// Up to the separator, which is taken away, too.
std::string_view next(std::string_view& text, char separator) {
  auto const at = text.find(separator);
  std::string_view const part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

int errno_of(std::string_view text, std::string_view word) {
  for (int e = 1; e < 4096; ++e)
    if (error_name(std::error_code(e, std::system_category())) == text) return e;
  refuse(word, "not the name of an errno");
}

server_fault parse_fault(std::string_view text) {
  server_fault f;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view value = next(rest, ',');
    std::string_view const key = next(value, ':');
    if (key == "server") {
      f.server = number_of<int>(value, text);
    } else if (key == "call") {
      if (value != "read" && value != "write") refuse(text, "call is read or write");
      f.of_writes = value == "write";
    } else if (key == "first") {
      f.first = number_of<std::int64_t>(value, text);
    } else if (key == "times") {
      f.times = number_of<std::int64_t>(value, text);
    } else if (key == "error") {
      f.error = errno_of(value, text);
    } else {
      refuse(text, "a fault has server, call, first, times and error");
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
    std::string word = fmt::format("fault=server:{},call:{}", f.server, f.of_writes ? "write" : "read");
    if (f.first != 1) word += fmt::format(",first:{}", f.first);
    if (f.times != server_fault::forever) word += fmt::format(",times:{}", f.times);
    add(word + ",error:" + error_name(std::error_code(f.error, std::system_category())));
  }
  for (slow_server const& s : t.slow) add(fmt::format("slow={}:{}", s.server, s.factor));
  return text;
}

troubles parse_troubles(std::string_view text) {
  troubles t;
  while (!text.empty()) {
    std::string_view const word = next(text, ' ');
    if (word.empty()) continue;
    std::string_view value = word;
    std::string_view const key = next(value, '=');
    if (key == "seed") {
      t.seed = number_of<std::uint64_t>(value, word);
    } else if (key == "delay_ns") {
      t.delay_max = std::chrono::nanoseconds(number_of<std::int64_t>(value, word));
    } else if (key == "fault") {
      t.faults.push_back(parse_fault(value));
    } else if (key == "slow") {
      int const server = number_of<int>(next(value, ':'), word);
      t.slow.push_back({server, number_of<double>(value, word)});
    } else {
      refuse(word, "not a word of troubles");
    }
  }
  return t;
}

}  // namespace argosy::gpfs
