// Implements hint_info.hpp: the table of all hints, with their kinds and moments.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/hint_info.hpp>

#include <algorithm>
#include <array>

namespace argosy {

namespace all_hints {

using enum hint_kind;
using hint_time::any;
using hint_time::never;
using hint_time::open;
using hint_time::quiet;
using hint_time::switchable;

constexpr bool same = true, own = false, used = true, unused = false;

// A line each: name, kind, choices, default, when, equal on all ranks, used, effect, defined by.
constexpr hint_info table[] = {
    // --- reserved by MPI 3.1, section 13.2.8 ---
    {"access_style", list, "read_once,write_once,read_mostly,write_mostly,sequential,reverse_sequential,random", "",
     any, own, unused, "policies look at the access itself", "MPI"},
    {"collective_buffering", boolean, "", "true", any, same, used,
     "false: no two-phase I/O, unless romio_cb_read or romio_cb_write say otherwise", "MPI"},
    {"cb_block_size", bytes, "", "0", any, same, used,
     "file domains start at its multiples; 0: the file system's block", "MPI"},
    {"cb_buffer_size", bytes, "", "4194304", any, same, used,
     "staging buffer of an aggregator, in all: two windows, of half of it where it is given", "MPI"},
    {"cb_nodes", count, "", "0", any, same, used, "number of aggregators; 0: the policy chooses", "MPI"},
    {"chunked", list, "", "", any, same, unused, "the view says it", "MPI"},
    {"chunked_item", list, "", "", any, same, unused, "the view says it", "MPI"},
    {"chunked_size", list, "", "", any, same, unused, "the view says it", "MPI"},
    {"filename", text, "", "", never, own, used, "tells the name the file was opened by", "MPI"},
    {"file_perm", permissions, "", "", open, same, used,
     "mode bits of a file that is created, in octal; the umask applies", "MPI"},
    {"io_node_list", list, "", "", open, same, unused, "the file system places the data", "MPI"},
    {"nb_proc", count, "", "0", open, same, unused, "the communicator says it", "MPI"},
    {"num_io_nodes", count, "", "0", open, same, unused, "the file system places the data", "MPI"},
    {"striping_factor", count, "", "0", open, same, used,
     "on Lustre, of a file that is created: how many servers have its stripes; 0: the directory says it", "MPI"},
    {"striping_unit", bytes, "", "0", open, same, used,
     "on Lustre, of a file that is created: bytes of a stripe; 0: the directory says it", "MPI"},

    // --- ROMIO ---
    {"romio_cb_read", toggle, "", "automatic", any, same, used, "two-phase for collective reads", "ROMIO"},
    {"romio_cb_write", toggle, "", "automatic", any, same, used, "two-phase for collective writes", "ROMIO"},
    {"romio_ds_read", toggle, "", "automatic", any, own, used, "sieving for noncontiguous independent reads", "ROMIO"},
    {"romio_ds_write", toggle, "", "automatic", any, same, used,
     "sieving for noncontiguous independent writes; of ranks on several nodes by enable, or where it pays in the "
     "view of some rank, and then all writes take locks",
     "ROMIO"},
    {"ind_rd_buffer_size", bytes, "", "4194304", any, own, used, "window of a sieved read", "ROMIO"},
    {"ind_wr_buffer_size", bytes, "", "524288", any, own, used, "window of a sieved write", "ROMIO"},
    {"cb_config_list", hosts, "", "*:*", any, same, used, "how many aggregators each host may have", "ROMIO"},
    {"romio_min_fdomain_size", bytes, "", "0", any, same, used, "least size of a file domain; 0: the policy chooses",
     "ROMIO"},
    {"romio_no_indep_rw", boolean, "", "false", open, same, unused, "every rank opens the file", "ROMIO"},
    {"romio_cb_pfr", toggle, "", "disable", any, same, unused, "file domains follow the accesses of each call",
     "ROMIO"},
    {"romio_cb_fr_types", text, "", "", any, same, unused, "file domains follow the accesses of each call", "ROMIO"},
    {"romio_cb_fr_alignment", bytes, "", "1", any, same, unused, "use cb_block_size", "ROMIO"},
    {"romio_cb_ds_threshold", bytes, "", "0", any, same, unused, "holes are priced, not compared with a threshold",
     "ROMIO"},
    {"romio_cb_alltoall", toggle, "", "automatic", any, same, unused, "there is no all-to-all", "ROMIO"},
    {"romio_filesystem_type", text, "", "", open, same, unused, "the handle decides", "ROMIO"},
    {"romio_aggregator_list", text, "", "", open, same, unused, "use cb_config_list", "ROMIO"},
    {"direct_read", boolean, "", "false", open, own, unused, "the page cache is used", "ROMIO"},
    {"direct_write", boolean, "", "false", open, own, unused, "the page cache is used", "ROMIO"},
    {"start_iodevice", count, "", "0", open, same, unused, "POSIX cannot choose the stripes of a file", "ROMIO"},

    // --- IBM ---
    {"IBM_io_buffer_size", bytes, "", "0", quiet, same, used,
     "stripe bound to an agent, and the agent's buffer, rounded up to blocks; 0: 16 blocks of the file system", "IBM"},
    {"IBM_largeblock_io", choice, "true,false,switchable", "false", switchable, same, used,
     "given as false: data shipping; true: each rank by itself; switchable: as false, and may be changed on the open "
     "file",
     "IBM"},
    {"IBM_sparse_access", boolean, "", "false", any, same, used,
     "true: the ranks together touch little of the file: agents access what is wanted alone, never the holes", "IBM"},

    // --- argosy ---
    {"argosy_policy", choice, "automatic,independent,sieving,two_phase,data_shipping", "automatic", any, same, used,
     "policy of calls that are not given one", "argosy"},
    {"argosy_window_size", bytes, "", "524288", any, same, used,
     "window of two_phase: what an aggregator accesses at a time; not given: half of cb_buffer_size, where that is",
     "argosy"},
    {"argosy_develop", boolean, "", "false", open, same, used,
     "true: mistakes of several ranks together are looked for", "argosy"},
    {"argosy_lenient", boolean, "", "false", any, same, used,
     "true: views set from then on, and data in them, need not be of whole etypes; `write_all` of some ranks may "
     "meet `write_at_all` of others, and so may their kin",
     "argosy"},
    {"argosy_io_threads", count, "", "0", open, own, used,
     "threads for nonblocking calls, at most 1024; 0: the library chooses", "argosy"},
    {"argosy_max_ranges", count, "", "4", any, own, used,
     "byte ranges accessed per step of the multiple access range hint; 0: no such hint", "argosy"},
    {"argosy_partitioning", toggle, "", "automatic", quiet, same, used,
     "parts of the file are cached where their agents are, by GPFS; automatic: in a file opened unique whose calls are "
     "shipped",
     "argosy"},
    {"argosy_sync_errors", choice, "kept,until_written", "kept", any, same, used,
     "how long a sync that failed makes later ones fail: until clear_sync_error(), or until a write succeeds",
     "argosy"},
    {"argosy_progress", choice, "always,in_calls", "always", open, same, used,
     "nonblocking collective calls of ranks on several nodes: beside the program, over sockets; or by MPI, while their "
     "ranks are in calls of the file or wait for them",
     "argosy"},
    {"argosy_price_call_ns", number, "", "", any, same, used, "cost model: a call that reads", "argosy"},
    {"argosy_price_write_call_ns", number, "", "", any, same, used, "cost model: a call that writes", "argosy"},
    {"argosy_price_lock_ns", number, "", "", any, same, used, "cost model: locking and unlocking a range", "argosy"},
    {"argosy_price_byte_ns", number, "", "", any, same, used, "cost model: a byte between file and memory", "argosy"},
    {"argosy_price_piece_ns", number, "", "", any, same, used, "cost model: picking one piece out of a buffer",
     "argosy"},
    {"argosy_price_message_ns", number, "", "", any, same, used,
     "cost model: ranks that wait for each other, once a round of an exchange", "argosy"},
    {"argosy_price_message_byte_ns", number, "", "", any, same, used, "cost model: a byte between ranks", "argosy"},
    {"argosy_price_block_ns", number, "", "", any, same, used,
     "cost model: handing a block of the file system from rank to rank", "argosy"},
};

}  // namespace all_hints

std::span<hint_info const> known_hints() noexcept { return all_hints::table; }

hint_info const* detail::find_hint(std::string_view name) noexcept {
  std::span<hint_info const> const all = known_hints();
  auto const at = std::find_if(all.begin(), all.end(), [&](hint_info const& h) { return h.name == name; });
  return at == all.end() ? nullptr : &*at;
}

std::string_view name_of(hint_kind kind) noexcept {
  constexpr std::array<std::string_view, 10> names{"bytes",  "count", "number", "boolean", "toggle",
                                                   "choice", "list",  "octal",  "hosts",   "text"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(hint_time when) noexcept {
  constexpr std::array<std::string_view, 5> names{"open", "any time", "any time, nothing pending",
                                                  "open; later if switchable", "never"};
  return names[static_cast<std::size_t>(when)];
}

}  // namespace argosy
