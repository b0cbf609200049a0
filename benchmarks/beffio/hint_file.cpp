// SPDX-License-Identifier: BSD-3-Clause
#include "hint_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <stdexcept>

namespace beffio {
namespace {

template <class Number>
bool to_number(std::string const& text, Number& value) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0;
}

bool to_chunk(std::string const& word, std::int64_t& chunk) {
  constexpr std::array<std::int64_t, 6> known{kib, kib + 8, 32 * kib, 32 * kib + 8, mib, mib + 8};
  if (word == "on_open") return chunk = hint_line::at_open, true;
  if (word == "all") return chunk = hint_line::any_chunk, true;
  if (word == "Lmax") return chunk = hint_line::longest, true;
  return to_number(word, chunk) && std::find(known.begin(), known.end(), chunk) != known.end();
}

// Reads a line. Returns its fault; empty if there is none.
std::string read_line(std::istringstream& words, hint_line& line) {
  std::string ranks, how, type, chunk, more;
  if (!(words >> ranks >> how >> type >> chunk >> line.key >> line.value))
    return "six columns are needed";
  if (words >> more) return "there are more than six columns";
  if (ranks != "all" && !to_number(ranks, line.ranks))
    return "'" + ranks + "' is no number of processes";
  if (how != "all") {
    auto const m =
        std::find_if(methods.begin(), methods.end(), [&](method x) { return name_of(x) == how; });
    if (m == methods.end()) return "'" + how + "' is not write, rewrite, read or all";
    line.how = static_cast<int>(*m);
  }
  if (type != "all") {
    auto const t = std::find(type_names.begin(), type_names.end(), type);
    if (t == type_names.end()) return "'" + type + "' is no pattern type";
    line.of_type = static_cast<int>(t - type_names.begin());
  }
  if (!to_chunk(chunk, line.chunk)) return "'" + chunk + "' is no chunk size of the patterns";
  return {};
}

}  // namespace

hint_file hint_file::parse(std::string_view text) {
  hint_file file;
  std::istringstream in{std::string(text)};
  std::string words;
  for (int number = 1; std::getline(in, words); ++number) {
    words.resize(std::min(words.find('#'), words.size()));
    if (words.find_first_not_of(" \t\r") == words.npos) continue;
    std::istringstream stream(words);
    hint_line line;
    if (std::string const fault = read_line(stream, line); !fault.empty())
      throw std::runtime_error("line " + std::to_string(number) + ": " + fault);
    file.lines_.push_back(std::move(line));
  }
  return file;
}

hint_list hint_file::chosen(int ranks, method m, int type, std::int64_t chunk,
                            std::int64_t longest) const {
  hint_list list;
  for (hint_line const& line : lines_) {
    if (line.ranks != 0 && line.ranks != ranks) continue;
    if (line.how >= 0 && line.how != static_cast<int>(m)) continue;
    if (line.of_type >= 0 && line.of_type != type) continue;
    bool const fits = line.chunk == hint_line::any_chunk || line.chunk == chunk ||
                      (line.chunk == hint_line::longest && chunk > 0 && chunk == longest);
    if (!fits) continue;
    auto const same =
        std::find_if(list.begin(), list.end(), [&](auto const& h) { return h.first == line.key; });
    if (same != list.end())
      same->second = line.value;
    else
      list.emplace_back(line.key, line.value);
  }
  return list;
}

}  // namespace beffio
