// A datatype of floats for a container of doubles.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::memory: the address is one of other numbers than the datatype is made of

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>
#include <vector>

namespace io = argosy;
using file = io::basic_file<io::self>;

auto write(file& f, std::vector<double>& v) { return f.write_at(0, {v, io::type<float>, 3}); }
