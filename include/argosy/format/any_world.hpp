// Function bodies of the formats and of files. Include this header if you use formats on a world of
// your own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/any_world.hpp>
#include <argosy/format/detail/basic_checkpoint.hpp>
#include <argosy/format/detail/basic_hdf5.hpp>
#include <argosy/format/detail/basic_npy.hpp>
#include <argosy/format/detail/basic_vtkhdf.hpp>
#include <argosy/format/detail/basic_xdmf.hpp>
#include <argosy/format/detail/basic_zarr.hpp>
