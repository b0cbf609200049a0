// Compares what decides the run of a suite on all ranks: words, and variables of Google Benchmark.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

namespace argosy::bench::detail {

// Returns the environment variables of Google Benchmark as its options: BENCHMARK_MIN_TIME=1 is
// --benchmark_min_time=1.
inline std::vector<std::string> words_of_environment() {
  std::vector<std::string> words;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::string_view const text = *entry;
    if (!text.starts_with("BENCHMARK_")) continue;
    std::size_t const end = std::min(text.find('='), text.size());
    std::string word = "--";
    for (char const c : text.substr(0, end))
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    words.push_back(word.append(text.substr(end)));
  }
  std::sort(words.begin(), words.end());
  return words;
}

// Returns the value of an option, or an empty text. The last word that gives it counts.
inline std::string value_of(std::vector<std::string> const& words, std::string_view option) {
  std::string value;
  for (std::string_view const word : words) {
    if (word == option) value = "true";
    if (word.starts_with(option) && word.substr(option.size()).starts_with("="))
      value = word.substr(option.size() + 1);
  }
  return value;
}

// Returns true if all ranks of a communicator have the same words. Collective.
inline bool same_on_all(MPI_Comm comm, std::vector<std::string> const& words) {
  std::string mine;
  for (std::string const& word : words) mine.append(word).push_back('\0');
  auto length = static_cast<std::int64_t>(mine.size());
  MPI_Bcast(&length, 1, MPI_INT64_T, 0, comm);
  std::string first = mine;
  first.resize(static_cast<std::size_t>(length));
  MPI_Bcast(first.data(), static_cast<int>(length), MPI_BYTE, 0, comm);
  int same = first == mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, comm);
  return same != 0;
}

}  // namespace argosy::bench::detail
