// Checkpoints and Zarr arrays, as Python sees them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

namespace argosy::python {

void add_formats(nanobind::module_& m);

}  // namespace argosy::python
