// Signatures as text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include <argosy/datatype/signature.hpp>
#include <argosy/extend.hpp>
#include <argosy/layout/detail/linked.hpp>

namespace argosy::extend {

ARGOSY_ONCE std::string to_string(signature const& s) {
  std::string text;
  auto const write = [&](auto&& self, std::size_t from, std::size_t to) -> void {
    for (std::size_t i = from; i < to; i += s.nodes()[i].span()) {
      detail::signature_node const& n = s.nodes()[i];
      if (i != from) text += ", ";
      if (text.size() > 400) {
        text += "...";
        return;
      }
      if (n.body == 0) {
        if (n.count != 1) text += std::to_string(n.count) + " ";
        text += name_of(n.type);
      } else {
        text += std::to_string(n.count) + " x (";
        self(self, i + 1, i + n.span());
        text += ")";
      }
    }
  };
  write(write, 0, s.nodes().size());
  return text;
}

}  // namespace argosy::extend
