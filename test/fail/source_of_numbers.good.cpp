// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>
#include <vector>

namespace io = argosy;
using file = io::basic_file<io::self>;

auto write(file& f) {
  double const both[] = {1.0, 2.0};
  return f.write_at(0, both);
}
