// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/file.hpp>

namespace io = argosy;

void write(io::file& f, double* u, std::int64_t n) { f.write_at(0, {u, io::type<double>, n}); }
