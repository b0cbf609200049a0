// Pointers mean nothing in a file, and the numbers of elements behind them are unknown.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::memory: these are pointers; say what lies behind each of them

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>
#include <memory>
#include <vector>

namespace io = argosy;
using file = io::basic_file<io::self>;

auto write(file& f, std::vector<std::unique_ptr<double>>& v) { return f.write_at(0, v); }
