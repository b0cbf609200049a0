// A constant that is a number where a policy is wanted.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy: this argument is a policy or an error

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>

namespace io = argosy;

using io::constant;

void check(io::basic_file<io::self>& f, double (&u)[4]) { f.write_at(0, u, constant<4>); }
