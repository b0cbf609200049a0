// The data of a call, dealt to several views of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <argosy/file/views.hpp>

namespace argosy::explore {

struct record;

// Puts the pieces of the record into their order in the file, with those in memory. A call with
// several views moves data in this order.
void order_by_file(record& r);

// Returns the views, each with its part of the record's data. The bytes are dealt in runs of random
// length, so views interleave in the file and in memory; some get nothing. `no_address`: all data
// is at no address. Called after order_by_file().
std::vector<viewed_target> dealt_to_views(record& r, int views, std::uint64_t seed,
                                          bool no_address);

}  // namespace argosy::explore
