// The workloads, each a function; find_workload() returns them by name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <argosy/benchmark/patterns/pattern.hpp>
#include <argosy/policy/independent.hpp>

#include "workload.hpp"

namespace papers {

rates segmented(setup const& s);
rates strided(setup const& s);
rates sparse(setup const& s);
// Returns the place of the k-th access. The accesses make passes over `count` places, each with
// every `apart`-th of them.
std::int64_t sparse_place(std::int64_t k, std::int64_t count, std::int64_t apart);
rates dealt_blocks(setup const& s);
// Bytes of the file of records, which are accessed by calls of the file system itself.
inline constexpr std::int64_t random_file_bytes = std::int64_t{2} << 30;
rates random_records(setup const& s);
inline constexpr std::int64_t blocks_of_task = 100;
rates block_pieces(setup const& s);
rates discontiguous(setup const& s);
rates tile3d(setup const& s);
rates dist3d(setup const& s);
rates btio(setup const& s);
// Returns the parts of q * q tasks of an array of n^3 points.
std::vector<argosy::bench::share> btio_shares(std::int64_t q, std::int64_t n);
rates unstruc(setup const& s);
rates serial_tile(setup const& s);  // the first task has all of the array
// the first task gets the array from the others, within the time
rates gathered_tile(setup const& s);
rates b_eff_io(setup const& s);

}  // namespace papers
