// fmt prints layouts: {} as one line of algebra, {:t} as a tree. Needs fmt 9 or later, which
// argosy::argosy does not provide: find_package(fmt), and link fmt::fmt.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include <fmt/format.h>

#include <argosy/layout/layout.hpp>
#include <argosy/layout/print.hpp>

//   fmt::print("{}\n", l);     repeat(4, 1024, repeat(8, 64, bytes(32)))
//   fmt::print("{:t}", l);     one line per node, with bytes, pieces and true extent
template <>
struct fmt::formatter<argosy::layout> {
  constexpr auto parse(format_parse_context& context) {
    auto it = context.begin();
    if (it != context.end() && *it == 't') {
      tree_ = true;
      ++it;
    }
    if (it != context.end() && *it != '}')
      throw format_error("argosy::layout is printed by {} or {:t}");
    return it;
  }

  template <class Context>
  auto format(argosy::layout const& l, Context& context) const {
    std::string const text = tree_ ? argosy::to_tree(l) : argosy::to_string(l);
    return fmt::format_to(context.out(), "{}", std::string_view(text));
  }

 private:
  bool tree_ = false;
};
