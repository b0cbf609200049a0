// Structs of floats, described as doubles.
// SPDX-License-Identifier: BSD-3-Clause
// build error: of other numbers than the datatype

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>
#include <vector>

namespace io = argosy;

struct point {
  float x, y, z;
};
io::members<&point::x, &point::y, &point::z> describe(point const&);

void check(io::basic_file<io::self>& f, std::vector<point> const& points) {
  f.write_at(0, {points, io::type<double>, 3});
}
