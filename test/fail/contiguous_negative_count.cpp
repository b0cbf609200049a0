// build error: argosy::contiguous: the count is negative; give 0 or more
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype/contiguous.hpp>
#include <argosy/datatype/element.hpp>

namespace io = argosy;

extern auto const row = io::contiguous(io::constant<-5>, io::type<double>);
