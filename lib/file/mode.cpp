// Implements file/mode.hpp: modes as text.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/mode.hpp>

#include <string>
#include <utility>

namespace argosy {

std::string to_string(mode m) {
  constexpr std::pair<mode, char const*> all[] = {{mode::read, "read"},
                                                  {mode::write, "write"},
                                                  {mode::read_write, "read_write"},
                                                  {mode::create, "create"},
                                                  {mode::exclusive, "exclusive"},
                                                  {mode::append, "append"},
                                                  {mode::delete_on_close, "delete_on_close"},
                                                  {mode::unique_open, "unique_open"},
                                                  {mode::sequential, "sequential"},
                                                  {mode::truncate, "truncate"}};
  std::string text;
  for (auto const& [one, name] : all)
    if (has(m, one)) text += (text.empty() ? "" : " | ") + std::string(name);
  return text.empty() ? "none" : text;
}

}  // namespace argosy
