// Implements result_files.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "result_files.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace bench {

std::string text_of_file(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in && in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  if (in.bad() || !in.is_open())
    throw std::runtime_error(path + " cannot be read: " + std::strerror(errno));
  return text.str();
}

bool put(std::string const& path, std::string const& text) {
  std::string const next = path + ".new";
  std::FILE* const f = std::fopen(next.c_str(), "w");
  bool well = f != nullptr && std::fwrite(text.data(), 1, text.size(), f) == text.size();
  if (f != nullptr) well = std::fclose(f) == 0 && well;
  well = well && std::rename(next.c_str(), path.c_str()) == 0;
  if (!well)
    std::fprintf(stderr, "%s: cannot write %s: %s\n", ::program_invocation_short_name, path.c_str(),
                 std::strerror(errno));
  return well;
}

bool put_picture(std::string const& directory, std::string const& name, std::string const& svg) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);  // put() reports a failure
  return svg.empty() || put(directory + "/" + name + ".svg", svg);
}

std::string beside(std::string const& path, std::string const& more) {
  std::filesystem::path const p(path);
  return (p.parent_path() / (p.stem().string() + more + p.extension().string())).string();
}

void say(std::string const& line) {
  static bool const shown = ::isatty(STDERR_FILENO) != 0;
  if (!shown) return;
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

}  // namespace bench
