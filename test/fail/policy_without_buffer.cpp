// A policy of the program that does not say how much memory it needs.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy: this is no policy: one rank.s has name, next.access, position.

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>

namespace io = argosy;

struct by_page {
  static constexpr std::string_view name = "by page";
  io::extend::window next(io::access const& wanted, std::int64_t position) const {
    return io::extend::window_of(wanted, position, 1);
  }
  io::extend::reason_text reason(io::access const&) const { return "a page at a time"; }
  bool operator==(by_page const&) const = default;
};

void check(io::basic_file<io::self>& f, double (&u)[4]) { f.write_at(0, u, by_page()); }
