// An address and a count, without a datatype.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy: an address and a number do not say what lies there
// link: argosy::argosy

#include <argosy/file/file.hpp>

namespace io = argosy;

void write(io::file& f, double* u, std::size_t n) { f.write_at(0, {u, n}); }
