// Hints: facts and wishes that a program gives about its access, by typed members or by name. All
// are optional, and none changes the data.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace argosy {

// The library chooses, always, or never.
enum class tristate : std::uint8_t { automatic, enable, disable };

// IBM_largeblock_io. As `off`, calls go to the agents of data shipping. As `on`, each rank accesses
// the file itself. `switchable` begins as `off`, and set_hints() and set_view() may then switch it.
enum class largeblock : std::uint8_t { off, on, switchable };

namespace detail {

// A hint by name, as in MPI_Info. `origin` is the place where the hint was read. `fault` says why
// the hint could not be read.
struct named_hint {
  std::string name;
  std::string value;
  std::string origin = {};
  std::string fault = {};
  bool from_info = false;  // its source is an MPI_Info, even if a program gives it
  friend bool operator==(named_hint const&, named_hint const&) = default;
};

}  // namespace detail

//   io::hints{.cb_buffer_bytes = 8_MiB, .ds_write = io::tristate::disable}
//   io::hints{.named = {{"romio_cb_write", "enable"}, {"cb_nodes", "4"}}}
// Values are not checked here. As in MPI, an invalid value is no error: get_hints() of the file
// reports it as rejected, and the default is used. If a member and a name mean the same hint, the
// member wins. The table of all hints: docs/use/hints.md.
struct hints {
  std::optional<std::string> access_style = {};          // access_style
  std::optional<bool> collective_buffering = {};         // collective_buffering
  std::optional<std::int64_t> cb_block_bytes = {};       // cb_block_size
  std::optional<std::int64_t> cb_buffer_bytes = {};      // cb_buffer_size
  std::optional<std::int64_t> cb_nodes = {};             // cb_nodes
  std::optional<std::string> cb_config_list = {};        // cb_config_list
  std::optional<tristate> cb_read = {};                  // romio_cb_read
  std::optional<tristate> cb_write = {};                 // romio_cb_write
  std::optional<std::int64_t> min_domain_bytes = {};     // romio_min_fdomain_size
  std::optional<tristate> ds_read = {};                  // romio_ds_read
  std::optional<tristate> ds_write = {};                 // romio_ds_write
  std::optional<std::int64_t> ind_rd_buffer_bytes = {};  // ind_rd_buffer_size
  std::optional<std::int64_t> ind_wr_buffer_bytes = {};  // ind_wr_buffer_size
  std::optional<unsigned> file_permissions = {};         // file_perm
  std::optional<std::int64_t> striping_factor = {};      // striping_factor
  std::optional<std::int64_t> striping_unit = {};        // striping_unit
  std::optional<tristate> early_writes = {};             // argosy_early_writes
  std::optional<std::int64_t> io_buffer_bytes = {};      // IBM_io_buffer_size
  std::optional<largeblock> largeblock_io = {};          // IBM_largeblock_io
  std::optional<bool> sparse_access = {};                // IBM_sparse_access
  std::optional<std::string> policy = {};                // argosy_policy
  std::optional<std::int64_t> window_bytes = {};         // argosy_window_size
  std::optional<bool> develop = {};                      // argosy_develop
  std::optional<bool> lenient = {};                      // argosy_lenient
  // argosy_sync_errors: "kept" or "until_written"
  std::optional<std::string> sync_errors = {};
  std::optional<std::string> progress = {};          // argosy_progress: "always" or "in_calls"
  std::optional<std::int64_t> io_threads = {};       // argosy_io_threads
  std::optional<std::int64_t> codec_threads = {};    // argosy_codec_threads
  std::optional<std::int64_t> max_ranges = {};       // argosy_max_ranges
  std::optional<tristate> partitioning = {};         // argosy_partitioning
  std::optional<double> price_call_ns = {};          // argosy_price_call_ns
  std::optional<double> price_write_call_ns = {};    // argosy_price_write_call_ns
  std::optional<double> price_lock_ns = {};          // argosy_price_lock_ns
  std::optional<double> price_byte_ns = {};          // argosy_price_byte_ns
  std::optional<double> price_piece_ns = {};         // argosy_price_piece_ns
  std::optional<double> price_message_ns = {};       // argosy_price_message_ns
  std::optional<double> price_message_byte_ns = {};  // argosy_price_message_byte_ns
  std::optional<double> price_block_ns = {};         // argosy_price_block_ns
  std::optional<double> price_crowd_call_ns = {};    // argosy_price_crowd_call_ns
  std::vector<detail::named_hint> named = {};        // any hint; of equal names the last wins

  // Returns the defaults of IBM's MPI-IO. Calls are shipped to agents. A file that is opened for
  // writing with mode::unique_open is partitioned, if its file system can do that. The line
  // `IBM_largeblock_io false` in a hints file does the same.
  static hints ibm() { return {.largeblock_io = largeblock::off}; }

  hints& set(std::string name, std::string value) {
    named.push_back({std::move(name), std::move(value)});
    return *this;
  }
  // Returns all hints by name, in the order in which they are merged.
  std::vector<detail::named_hint> by_name() const;
  bool empty() const { return by_name().empty(); }
  friend bool operator==(hints const&, hints const&) = default;
};

}  // namespace argosy
