// A request would write the temporary after its destruction.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy: this temporary dies before its data is used; give it a name

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>
#include <vector>

namespace io = argosy;
using file = io::basic_file<io::self>;

std::vector<double> make();
auto write(file& f) { return f.write_at(0, {make(), io::type<double>, 3}); }
