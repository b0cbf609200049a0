// The twin of source_of_struct_of_other_numbers.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

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
  f.write_at(0, {points, io::type<float>, 3});
}
