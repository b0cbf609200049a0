// A machine whose actions take no simulated time, for processes with real time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/lab/gpfs/machine.hpp>

namespace argosy::lab::gpfs::detail {

// Removes the model's times. With them the state machines would compute queues that grow whenever
// real work is faster than the model. The lease is not changed, because it is really waited for.
inline machine timeless(machine m) {
  for (double machine::* cost :
       {&machine::call_us, &machine::segment_us, &machine::hint_us, &machine::message_us,
        &machine::token_us, &machine::revoke_us, &machine::disk_us, &machine::write_call_us,
        &machine::open_us, &machine::create_us, &machine::close_us, &machine::tenure_us,
        // no limits:
        &machine::copy_mb_per_s, &machine::client_write_mb_per_s, &machine::client_read_mb_per_s,
        &machine::nic_mb_per_s, &machine::server_mb_per_s, &machine::server_read_mb_per_s,
        &machine::disk_mb_per_s})
    m.*cost = 0;
  m.server_buffer_bytes = 0;
  return m;
}

}  // namespace argosy::lab::gpfs::detail
