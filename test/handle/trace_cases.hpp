// Shared by tests of traces: data, files, variables of the environment, and a check for JSON.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/error/errc.hpp>

#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace argosy::test {

using namespace extend;

constexpr open_flags read_write{.read = true, .write = true, .create = true};
inline std::vector<std::byte> const data(100, std::byte{'x'});

inline std::vector<std::string> lines_of(std::string const& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Returns the only file of the directory.
inline std::string only_file(std::string const& directory) {
  std::vector<std::string> files;
  for (auto const& entry : std::filesystem::directory_iterator(directory))
    files.push_back(entry.path().string());
  REQUIRE(files.size() == 1);
  return files[0];
}

// Sets a variable of the environment while it lives.
struct variable {
  variable(char const* n, std::string const& value) : name(n) { ::setenv(n, value.c_str(), 1); }
  ~variable() { ::unsetenv(name); }
  variable(variable const&) = delete;
  variable& operator=(variable const&) = delete;
  char const* name;
};

// A parser that only finds out whether a text is JSON.
struct json {
  std::string_view text;
  std::size_t at = 0;

  void space() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) ++at;
  }
  bool take(char c) {
    space();
    if (at == text.size() || text[at] != c) return false;
    ++at;
    return true;
  }
  bool string() {
    if (!take('"')) return false;
    for (; at < text.size() && text[at] != '"'; ++at) {
      if (static_cast<unsigned char>(text[at]) < 0x20) return false;
      if (text[at] == '\\') ++at;
    }
    return at++ < text.size();
  }
  bool list(char end, auto element) {
    if (take(end)) return true;
    do {
      if (!element()) return false;
    } while (take(','));
    return take(end);
  }
  bool value() {
    space();
    if (at == text.size()) return false;
    if (text[at] == '"') return string();
    if (take('[')) return list(']', [&] { return value(); });
    if (take('{')) return list('}', [&] { return string() && take(':') && value(); });
    std::size_t const begin = at;
    while (at < text.size() && (std::isdigit(static_cast<unsigned char>(text[at])) ||
                                text[at] == '.' || text[at] == '-'))
      ++at;
    return at > begin;
  }
  static bool valid(std::string_view s) {
    json j{s};
    bool const good = j.value();
    j.space();
    return good && j.at == s.size();
  }
};

// Makes every kind of call; some of them fail.
inline void use(any_handle& f) {
  f.write(0, data);
  std::vector<write_part> const parts{
      {200, std::span(data).first(10)}, {210, std::span(data).first(10)}, {300, data}};
  f.write(parts);
  std::vector<std::byte> memory(1000);
  f.read(50, memory);
  f.lock(0, 10, lock_kind::exclusive);
  f.unlock(0, 10);
  std::error_code error;
  f.size(error);
  f.resize(50);
  f.preallocate(60);
  f.sync();
  f.close();
}

}  // namespace argosy::test
