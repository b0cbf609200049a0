// The program of docs/use/policies.md that prints a plan and a report: one process, no MPI. Its
// output is in that page.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/policy.hpp>
#include <argosy/world/self.hpp>

#include <cstdio>
#include <vector>

// [self]
namespace io = argosy;
using file = io::basic_file<io::self>;
// [self]

int main() {
  auto const created = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  file f = file::open(io::self(), "explain.dat", created);
  f.set_size(1'000'000);
  // [explain]
  f.set_view(0, io::resized(io::type<double>, 0, 64));  // every eighth double
  std::vector<double> u(2000);
  io::plan const p = f.explain(io::access_kind::read, u);  // the file is not accessed
  std::printf("%s\n", io::to_string(p).c_str());
  io::report const r = f.read(u);
  std::printf("%s\n%s", io::to_string(r).c_str(), io::to_table(r).c_str());
  // [explain]
  f.seek(0);
  // [constant_policy]
  f.write_all(u, io::constant<io::two_phase{.window_bytes = 1 << 20}>);
  // [constant_policy]
  f.seek(0);
  io::report const pieces = f.read(u, io::independent{});
  if (pieces.read_calls != 2000 || pieces.bytes != r.bytes || p.file_calls() != r.read_calls)
    return 1;
  f.close();
}
