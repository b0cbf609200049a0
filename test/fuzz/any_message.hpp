// Makes messages of the simulated GPFS from a fuzzer's bytes. Most of their numbers make sense.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/lab/gpfs/detail/message.hpp>
#include <argosy/lab/gpfs/machine.hpp>

#include "fuzz.hpp"

namespace argosy::fuzz {

lab::gpfs::detail::message_body any_message(FuzzedDataProvider& in, lab::gpfs::machine const& m);

}  // namespace argosy::fuzz
