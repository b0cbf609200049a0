// A policy of your own: a small value that cuts an access into windows. This one never touches more
// than one page of the file in a call.
// Run: mpiexec -n 4 build/release/bin/own_policy
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/policy.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace io = argosy;

struct by_page {
  static constexpr std::string_view name = "by_page";
  std::int64_t page_bytes = 4096;

  // Returns the window that begins at `position` of the view's stream, and ends with the page that
  // it begins in.
  io::extend::window next(io::access const& wanted, std::int64_t position) const {
    std::int64_t const offset = io::extend::cursor(wanted.file, position).current().offset;
    std::int64_t const page_end = (offset / page_bytes + 1) * page_bytes;
    std::int64_t bytes = std::min(page_end - offset, wanted.end() - position);
    // If there are gaps between the pieces, fewer bytes of the stream lie in the page. Halve until
    // they fit.
    io::extend::window w = io::extend::window_of(wanted.file, position, bytes);
    for (; w.offset + w.length > page_end; w = io::extend::window_of(wanted.file, position, bytes))
      bytes = (bytes + 1) / 2;
    return w;
  }
  std::int64_t buffer_for(io::access const& wanted) const {
    return std::min(page_bytes, wanted.bytes);
  }
  std::string reason(io::access const&) const {
    return "windows end with pages of " + std::to_string(page_bytes) + " bytes";
  }
  bool operator==(by_page const&) const = default;
};
static_assert(io::extend::independent_policy<by_page>);  // the compiler names the missing member

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto f = io::file::open(world, "own_policy.dat", temporary);
  f.set_view(20000 * world.rank(), io::type<char>);
  std::vector<char> const u(20000, static_cast<char>('a' + world.rank()));
  io::plan const p = f.explain(io::access_kind::write, u, by_page());
  io::report const r = f.write_all(u, by_page());
  std::vector<char> back(u.size());
  f.read_at_all(0, back, by_page{.page_bytes = 1 << 16});
  f.close();
  if (world.rank() == 0) std::cout << io::to_string(p) << io::to_string(r) << "\n";
  return back == u && r.policy == "by_page" && r.write_calls == p.file_calls() && r.write_calls >= 5
             ? 0
             : 1;
}
