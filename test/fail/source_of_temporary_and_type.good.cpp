// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>
#include <vector>

namespace io = argosy;
using file = io::basic_file<io::self>;

std::vector<double> make();
auto write(file& f) {
  auto const v = make();
  return f.write_at(0, {v, io::type<double>, 3});
}
