// All of argosy except opt-in headers: the laboratory (lab/), Boost.Asio (file/asio.hpp), Boost.PFR
// (datatype/aggregate.hpp), fmt, pictures and serialisation of layouts
// (layout/{fmt,draw,draw_owners,serialize}.hpp), and a real GPFS (handle/gpfs_real.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/datatype.hpp>
#include <argosy/datatype/mpi.hpp>
#include <argosy/error/errc.hpp>
#include <argosy/error/error.hpp>
#include <argosy/error/mpi.hpp>
#include <argosy/file/file.hpp>
#include <argosy/file/hints_mpi.hpp>
#include <argosy/file/representations.hpp>
#include <argosy/format/checkpoint.hpp>
#include <argosy/format/file_header.hpp>
#include <argosy/format/leftovers.hpp>
#include <argosy/format/npy.hpp>
#include <argosy/format/xdmf.hpp>
#include <argosy/handle/counting.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/throttled.hpp>
#include <argosy/handle/tracing.hpp>
#include <argosy/layout.hpp>
#include <argosy/layout/print.hpp>
#include <argosy/policy.hpp>
#include <argosy/version.hpp>
#include <argosy/view/view.hpp>
#include <argosy/world/mpi.hpp>
#include <argosy/world/self.hpp>
