// Data behind pointers to const cannot be read into.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy: this data is const, so a file cannot be read into it

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>
#include <memory>
#include <vector>

namespace io = argosy;
using file = io::basic_file<io::self>;

auto read(file& f, std::vector<std::unique_ptr<double const>>& v) {
  return f.read_at(0, {v, io::type<double>});
}
