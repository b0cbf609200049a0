// All datatypes; needs only the standard library. Aggregates through Boost.PFR are in
// <argosy/datatype/aggregate.hpp>.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/datatype/basic_type.hpp>
#include <argosy/datatype/buffer.hpp>
#include <argosy/datatype/contiguous.hpp>
#include <argosy/datatype/darray.hpp>
#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/distribute.hpp>
#include <argosy/datatype/element.hpp>
#include <argosy/datatype/file_form.hpp>
#include <argosy/datatype/flatten.hpp>
#include <argosy/datatype/indexed.hpp>
#include <argosy/datatype/indexed_block.hpp>
#include <argosy/datatype/interior.hpp>
#include <argosy/datatype/mdspan_like.hpp>
#include <argosy/datatype/members.hpp>
#include <argosy/datatype/memory.hpp>
#include <argosy/datatype/numbers.hpp>
#include <argosy/datatype/order.hpp>
#include <argosy/datatype/packed.hpp>
#include <argosy/datatype/process_grid.hpp>
#include <argosy/datatype/record.hpp>
#include <argosy/datatype/resized.hpp>
#include <argosy/datatype/signature.hpp>
#include <argosy/datatype/stream_types.hpp>
#include <argosy/datatype/subarray.hpp>
#include <argosy/datatype/typed_layout.hpp>
#include <argosy/datatype/vector.hpp>
