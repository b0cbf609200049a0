// Hints as policies and files read them: every value decided.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/file/hints.hpp>
#include <argosy/policy/detail/defaults.hpp>

namespace argosy {

namespace detail {

// At most this many aggregators on a host; "*" stands for every host that is not named before.
struct host_limit {
  std::string host;
  std::int64_t most = -1;  // -1: no limit
  friend bool operator==(host_limit const&, host_limit const&) = default;
};

}  // namespace detail

struct resolved_hints {
  // Hints that are words, in the order of the table of hints.
  enum class policy_name { automatic, independent, sieving, two_phase, data_shipping };
  enum class sync_error_life { kept, until_written };
  enum class progress_time { always, in_calls };

  // independent access
  std::int64_t ind_rd_buffer_bytes = 4 << 20;
  std::int64_t ind_wr_buffer_bytes = detail::cached_window_bytes;
  toggle ds_read = toggle::automatic;
  toggle ds_write = toggle::automatic;

  // collective access; collective_buffering = false has become `disable` where romio_cb_* did not
  // say otherwise
  bool collective_buffering = true;
  toggle cb_read = toggle::automatic;
  toggle cb_write = toggle::automatic;
  std::int64_t cb_buffer_bytes = detail::staging_buffer_bytes;
  bool cb_buffer_given = false;
  bool window_given = false;
  std::int64_t window_bytes = detail::cached_window_bytes;  // half of a buffer that alone was given
  // file domains start at multiples of it; 0: of the file system's block
  std::int64_t cb_block_bytes = 0;
  std::int64_t cb_nodes = 0;          // aggregators; 0: the policy chooses
  std::int64_t min_domain_bytes = 0;  // file domains are not smaller; 0: the policy chooses
  std::vector<detail::host_limit> cb_config_list;  // empty: anywhere

  // data shipping
  std::int64_t io_buffer_bytes = 0;  // stripe and agent's buffer; 0: 16 blocks of the file system
  bool largeblock_io = false;
  bool largeblock_switchable = false;
  bool largeblock_given = false;
  bool sparse_access = false;
  toggle partitioning = toggle::automatic;
  // Byte ranges accessed per step of the multiple access range hint; 0: no such hint.
  std::int64_t max_ranges = detail::ranges_per_step;

  // the file
  std::optional<unsigned> file_permissions;
  // servers of a file that is created, and what each has in a piece; 0: the file system chooses
  std::int64_t striping_factor = 0;
  std::int64_t striping_unit = 0;
  policy_name policy = policy_name::automatic;
  bool develop = false;
  bool lenient = false;
  sync_error_life sync_errors = sync_error_life::kept;
  progress_time progress = progress_time::always;
  std::int64_t io_threads = 0;  // for nonblocking calls; 0: the library chooses

  // of the cost model; empty: the default of the policy
  std::optional<double> price_call_ns, price_write_call_ns, price_lock_ns, price_byte_ns;
  std::optional<double> price_piece_ns;
  std::optional<double> price_message_ns, price_message_byte_ns, price_block_ns;

  // Names of the hints of ARGOSY_HINTS_OVERRIDE, which win over code, and over policies that calls
  // are given.
  std::vector<std::string> overriding;
  bool overrides(std::string_view name) const {
    return std::find(overriding.begin(), overriding.end(), name) != overriding.end();
  }

  // Agents are asked for; calls without a policy of their own go to them.
  bool wants_agents() const {
    return policy == policy_name::data_shipping || (largeblock_given && !largeblock_io);
  }
  bool ships() const {
    return wants_agents() &&
           (policy == policy_name::data_shipping || policy == policy_name::automatic);
  }

  friend bool operator==(resolved_hints const&, resolved_hints const&) = default;
};

}  // namespace argosy
