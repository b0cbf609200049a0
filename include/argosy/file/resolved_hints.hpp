// Hints as policies and files read them: every value is decided.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/extend.hpp>
#include <argosy/file/hints.hpp>
#include <argosy/policy/detail/defaults.hpp>

namespace argosy {

namespace detail {

// A host has at most this many aggregators. "*" stands for every host that is not named before.
struct host_limit {
  std::string host;
  std::int64_t most = -1;  // -1: no limit
  friend bool operator==(host_limit const&, host_limit const&) = default;
};

}  // namespace detail

namespace extend {

struct resolved_hints {
  // Hints whose values are words, in the order of the table of hints.
  enum class policy_name { automatic, independent, sieving, two_phase, data_shipping };
  enum class sync_error_life { kept, until_written };
  enum class progress_time { always, in_calls };

  // for independent access
  std::int64_t ind_rd_buffer_bytes = 4 << 20;
  std::int64_t ind_wr_buffer_bytes = detail::cached_window_bytes;
  tristate ds_read = tristate::automatic;
  tristate ds_write = tristate::automatic;

  // For collective access. If collective_buffering is false, romio_cb_* is `disable` unless it was
  // given itself.
  bool collective_buffering = true;
  tristate cb_read = tristate::automatic;
  tristate cb_write = tristate::automatic;
  std::int64_t cb_buffer_bytes = detail::staging_buffer_bytes;
  bool cb_buffer_given = false;
  bool window_given = false;
  // if only cb_buffer_size was given: half of it
  std::int64_t window_bytes = detail::cached_window_bytes;
  // file domains start at multiples of this; 0: of the block of the file system
  std::int64_t cb_block_bytes = 0;
  std::int64_t cb_nodes = 0;          // number of aggregators; 0: the policy chooses
  std::int64_t min_domain_bytes = 0;  // least size of a file domain; 0: the policy chooses
  std::vector<detail::host_limit> cb_config_list;  // empty: any host

  // for data shipping
  // size of a stripe and of an agent's buffer; 0: 16 blocks of the file system
  std::int64_t io_buffer_bytes = 0;
  bool largeblock_io = false;
  bool largeblock_switchable = false;
  bool largeblock_given = false;
  bool sparse_access = false;
  tristate partitioning = tristate::automatic;
  // Most byte ranges that an agent announces to GPFS at a time, by the multiple access range hint.
  // 0: it announces none.
  std::int64_t max_ranges = detail::ranges_per_step;

  // for the file
  std::optional<unsigned> file_permissions;
  // Number of servers of a new file, and bytes on each in turn; 0: the file system chooses.
  std::int64_t striping_factor = 0;
  std::int64_t striping_unit = 0;
  tristate early_writes = tristate::automatic;
  policy_name policy = policy_name::automatic;
  bool develop = false;
  bool lenient = false;
  sync_error_life sync_errors = sync_error_life::kept;
  progress_time progress = progress_time::always;
  std::int64_t io_threads = 0;     // for nonblocking calls; 0: the library chooses
  std::int64_t codec_threads = 0;  // for chunks of Zarr arrays; 0: the library chooses

  // for the cost model; empty: the default of the policy
  std::optional<double> price_call_ns, price_write_call_ns, price_lock_ns, price_byte_ns;
  std::optional<double> price_piece_ns;
  std::optional<double> price_message_ns, price_message_byte_ns, price_block_ns,
      price_crowd_call_ns;

  // Names of the hints of ARGOSY_HINTS_OVERRIDE. They win over hints of the program, and over
  // policies that calls are given.
  std::vector<std::string> overriding;
  bool overrides(std::string_view name) const {
    return std::find(overriding.begin(), overriding.end(), name) != overriding.end();
  }

  // Returns true if the hints ask for agents.
  bool wants_agents() const {
    return policy == policy_name::data_shipping || (largeblock_given && !largeblock_io);
  }
  // Returns true if calls without a policy of their own go to the agents.
  bool ships() const {
    return wants_agents() &&
           (policy == policy_name::data_shipping || policy == policy_name::automatic);
  }

  friend bool operator==(resolved_hints const&, resolved_hints const&) = default;
};

}  // namespace extend

}  // namespace argosy
