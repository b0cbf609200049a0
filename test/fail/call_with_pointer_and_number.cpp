// Data at an address needs braces in a call.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy: this argument is a policy or an error; data at an address goes into braces
// link: argosy::argosy

#include <argosy/file/file.hpp>

namespace io = argosy;

void write(io::file& f, double* u, std::int64_t n) { f.write_at(0, u, n); }
