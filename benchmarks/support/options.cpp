// Implements options.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <cstdlib>

namespace bench {
namespace {

constexpr option_info help{"--help", "", "this text"};

}  // namespace

std::string help_of(program const& p) {
  constexpr std::size_t width = 100;
  std::string out = std::string(p.name) + " [option...]\n";
  out += argosy::tool::wrapped(p.summary, 2, width - 2) + "\noptions:\n";
  out += argosy::tool::options_text(p.options) + argosy::tool::options_text({&help, 1});
  return p.text.empty() ? out : out + "\n" + argosy::tool::wrapped(p.text, 0, width);
}

arguments words_of(program const& p, int argc, char const* const* argv) {
  argosy::tool::word_form form{std::string(p.name), {}, 0, 0, {p.options.begin(), p.options.end()}};
  form.options.push_back(help);
  for (option_info& o : form.options) o.many = true;
  return {form, std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc)};
}

std::string temporary_directory() {
  char const* const directory = std::getenv("TMPDIR");
  return directory != nullptr && *directory != 0 ? directory : "/tmp";
}

}  // namespace bench
