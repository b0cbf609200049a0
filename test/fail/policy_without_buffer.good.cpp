// The twin of policy_without_buffer.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>

namespace io = argosy;

struct by_page {
  static constexpr std::string_view name = "by page";
  io::extend::window next(io::access const& wanted, std::int64_t position) const {
    return io::extend::window_of(wanted, position, 1);
  }
  std::int64_t buffer_for(io::access const&) const { return 4096; }
  io::extend::reason_text reason(io::access const&) const { return "a page at a time"; }
  bool operator==(by_page const&) const = default;
};

void check(io::basic_file<io::self>& f, double (&u)[4]) { f.write_at(0, u, by_page()); }
