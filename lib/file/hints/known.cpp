// Implements hint_info.hpp and table.hpp: all hints, with their kinds and times.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/hint_info.hpp>

#include <algorithm>
#include <array>
#include <iterator>

#include "file/hints/table.hpp"

namespace argosy {

namespace all_hints {

using detail::hint_row;
using enum extend::hint_kind;
using extend::hint_time::any;
using extend::hint_time::never;
using extend::hint_time::open;
using extend::hint_time::quiet;
using extend::hint_time::switchable;
using values = extend::resolved_hints;

constexpr bool same = true, own = false, used = true, unused = false, told_if_given = true;
constexpr auto choosing = detail::hint_group::choosing;

constexpr extend::resolved_hints standard;

// The text of a default that is a number.
template <std::int64_t N, char... Digits>
constexpr char const* digits = digits<N / 10, static_cast<char>('0' + N % 10), Digits...>;
template <char... Digits>
constexpr char text_of[] = {Digits..., '\0'};
template <char... Digits>
constexpr char const* digits<0, Digits...> = text_of<Digits...>;

// The names of all policies, with commas between them.
constexpr auto policy_words = [] {
  struct {
    std::array<char, 128> letters{};
    std::size_t size = 0;
    constexpr void add(std::string_view text) {
      for (char const c : text) letters[size++] = c;
    }
    constexpr std::string_view view() const { return {letters.data(), size}; }
  } words;
  for (detail::policy_facts const& p : detail::policy_table) {
    if (words.size > 0) words.add(",");
    words.add(p.name);
  }
  return words;
}();

// The columns: name, kind, choices, default, when, equal on all ranks, used, effect, origin, least,
// most; the member of hints, the member of resolved_hints, the members of policies that it sets.
constexpr hint_row rows[] = {
    // --- reserved by MPI 3.1, section 13.2.8 ---
    {{"access_style", list,
      "read_once,write_once,read_mostly,write_mostly,sequential,reverse_sequential,random", "", any,
      own, unused, "policies look at the access itself", "MPI"},
     &hints::access_style},
    {{"collective_buffering", boolean, "", "true", any, same, used,
      "false: no two-phase I/O, unless romio_cb_read or romio_cb_write say otherwise", "MPI"},
     &hints::collective_buffering,
     &values::collective_buffering,
     choosing},
    {{"cb_block_size", bytes, "", "0", any, same, used,
      "file domains start at its multiples; 0: the file system's block", "MPI"},
     &hints::cb_block_bytes,
     &values::cb_block_bytes,
     &two_phase::align_bytes},
    {{"cb_buffer_size", bytes, "", digits<standard.cb_buffer_bytes>, any, same, used,
      "staging buffer of an aggregator, in all: two windows, of half of it where it is given",
      "MPI", 1},
     &hints::cb_buffer_bytes,
     &values::cb_buffer_bytes,
     &two_phase::buffer_bytes,
     {},
     told_if_given},
    {{"cb_nodes", count, "", "0", any, same, used, "number of aggregators; 0: the policy chooses",
      "MPI"},
     &hints::cb_nodes,
     &values::cb_nodes,
     &two_phase::aggregators,
     &data_shipping::agents},
    {{"chunked", list, "", "", any, same, unused, "the view says it", "MPI"}},
    {{"chunked_item", list, "", "", any, same, unused, "the view says it", "MPI"}},
    {{"chunked_size", list, "", "", any, same, unused, "the view says it", "MPI"}},
    {{"filename", text, "", "", never, own, used, "tells the name the file was opened by", "MPI"}},
    {{"file_perm", permissions, "", "", open, same, used,
      "mode bits of a file that is created, in octal; the umask applies", "MPI"},
     &hints::file_permissions,
     &values::file_permissions},
    {{"io_node_list", list, "", "", open, same, unused, "the file system places the data", "MPI"}},
    {{"nb_proc", count, "", "0", open, same, unused, "the communicator says it", "MPI"}},
    {{"num_io_nodes", count, "", "0", open, same, unused, "the file system places the data",
      "MPI"}},
    {{"striping_factor", count, "", "0", open, same, used,
      "on Lustre, of a file that is created: how many servers have its stripes; 0: the directory "
      "says it",
      "MPI"},
     &hints::striping_factor,
     &values::striping_factor},
    {{"striping_unit", bytes, "", "0", open, same, used,
      "on Lustre, of a file that is created: bytes of a stripe; 0: the directory says it", "MPI"},
     &hints::striping_unit,
     &values::striping_unit},

    // --- ROMIO ---
    {{"romio_cb_read", tristate, "", "automatic", any, same, used, "two-phase for collective reads",
      "ROMIO"},
     &hints::cb_read,
     &values::cb_read,
     choosing,
     {},
     told_if_given},
    {{"romio_cb_write", tristate, "", "automatic", any, same, used,
      "two-phase for collective writes", "ROMIO"},
     &hints::cb_write,
     &values::cb_write,
     choosing,
     {},
     told_if_given},
    {{"romio_ds_read", tristate, "", "automatic", any, own, used,
      "sieving for noncontiguous independent reads", "ROMIO"},
     &hints::ds_read,
     &values::ds_read,
     &sieving::reads},
    {{"romio_ds_write", tristate, "", "automatic", any, same, used,
      "sieving for noncontiguous independent writes; of ranks on several nodes by enable, or where "
      "it pays in the view of some rank, and then all writes take locks",
      "ROMIO"},
     &hints::ds_write,
     &values::ds_write,
     &sieving::writes},
    {{"ind_rd_buffer_size", bytes, "", digits<standard.ind_rd_buffer_bytes>, any, own, used,
      "window of a sieved read", "ROMIO", 1},
     &hints::ind_rd_buffer_bytes,
     &values::ind_rd_buffer_bytes,
     &sieving::read_window_bytes},
    {{"ind_wr_buffer_size", bytes, "", digits<standard.ind_wr_buffer_bytes>, any, own, used,
      "window of a sieved write", "ROMIO", 1},
     &hints::ind_wr_buffer_bytes,
     &values::ind_wr_buffer_bytes,
     &sieving::write_window_bytes},
    {{"cb_config_list", hosts, "", "*:*", any, same, used,
      "how many aggregators each host may have", "ROMIO"},
     &hints::cb_config_list,
     &values::cb_config_list},
    {{"romio_min_fdomain_size", bytes, "", "0", any, same, used,
      "least size of a file domain; 0: the policy chooses", "ROMIO"},
     &hints::min_domain_bytes,
     &values::min_domain_bytes,
     &two_phase::least_domain_bytes},
    {{"romio_no_indep_rw", boolean, "", "false", open, same, unused, "every rank opens the file",
      "ROMIO"}},
    {{"romio_cb_pfr", tristate, "", "disable", any, same, unused,
      "file domains follow the accesses of each call", "ROMIO"}},
    {{"romio_cb_fr_types", text, "", "", any, same, unused,
      "file domains follow the accesses of each call", "ROMIO"}},
    {{"romio_cb_fr_alignment", bytes, "", "1", any, same, unused, "use cb_block_size", "ROMIO", 1}},
    {{"romio_cb_ds_threshold", bytes, "", "0", any, same, unused,
      "holes are priced, not compared with a threshold", "ROMIO"}},
    {{"romio_cb_alltoall", tristate, "", "automatic", any, same, unused, "there is no all-to-all",
      "ROMIO"}},
    {{"romio_filesystem_type", text, "", "", open, same, unused, "the handle decides", "ROMIO"}},
    {{"romio_aggregator_list", text, "", "", open, same, unused, "use cb_config_list", "ROMIO"}},
    {{"direct_read", boolean, "", "false", open, own, unused, "the page cache is used", "ROMIO"}},
    {{"direct_write", boolean, "", "false", open, own, unused, "the page cache is used", "ROMIO"}},
    {{"start_iodevice", count, "", "0", open, same, unused,
      "POSIX cannot choose the stripes of a file", "ROMIO"}},

    // --- IBM ---
    {{"IBM_io_buffer_size", bytes, "", "0", quiet, same, used,
      "stripe bound to an agent, and the agent's buffer, rounded up to blocks; 0: 16 blocks of the "
      "file system",
      "IBM"},
     &hints::io_buffer_bytes,
     &values::io_buffer_bytes,
     &data_shipping::stripe_bytes},
    {{"IBM_largeblock_io", choice, "true,false,switchable", "", switchable, same, used,
      "false: data shipping; true: each rank by itself; switchable: as false, and may be changed "
      "on "
      "the open file; not given: the policy decides",
      "IBM"},
     &hints::largeblock_io,
     &values::largeblock_io,
     choosing,
     {},
     told_if_given},
    {{"IBM_sparse_access", boolean, "", "false", any, same, used,
      "true: the ranks together touch little of the file: agents access what is wanted alone, "
      "never the holes",
      "IBM"},
     &hints::sparse_access,
     &values::sparse_access,
     &data_shipping::sparse},

    // --- argosy ---
    {{"argosy_policy", choice, policy_words.view(), detail::facts_of(standard.policy).name, any,
      same, used, "policy of calls that are not given one", "argosy"},
     &hints::policy,
     &values::policy,
     choosing},
    {{"argosy_window_size", bytes, "", digits<standard.window_bytes>, any, same, used,
      "window of two_phase: what an aggregator accesses at a time; not given: half of "
      "cb_buffer_size, where that is",
      "argosy", 1},
     &hints::window_bytes,
     &values::window_bytes,
     &two_phase::window_bytes,
     {},
     told_if_given},
    {{"argosy_develop", boolean, "", "false", open, same, used,
      "true: mistakes of several ranks together are looked for", "argosy"},
     &hints::develop,
     &values::develop},
    {{"argosy_lenient", boolean, "", "false", any, same, used,
      "true: views set from then on, and data in them, need not be of whole etypes; `write_all` of "
      "some ranks may meet `write_at_all` of others, and so may their kin",
      "argosy"},
     &hints::lenient,
     &values::lenient},
    {{"argosy_io_threads", count, "", "0", open, own, used,
      "threads for nonblocking calls; 0: the library chooses", "argosy", 0, 1024},
     &hints::io_threads,
     &values::io_threads},
    {{"argosy_codec_threads", count, "", "0", open, own, used,
      "threads of a rank that encode and decode chunks of Zarr arrays and blocks of checkpoints, "
      "and encode chunks of HDF5 files, "
      "with its own; 0: as many as there are processors for each rank of the node",
      "argosy", 0, 1024},
     &hints::codec_threads,
     &values::codec_threads},
    {{"argosy_max_ranges", count, "", digits<standard.max_ranges>, any, own, used,
      "byte ranges accessed per step of the multiple access range hint; 0: no such hint", "argosy"},
     &hints::max_ranges,
     &values::max_ranges,
     &data_shipping::max_ranges},
    {{"argosy_partitioning", tristate, "", "automatic", quiet, same, used,
      "parts of the file are cached where their agents are, by GPFS; automatic: in a file opened "
      "unique whose calls are shipped",
      "argosy"},
     &hints::partitioning,
     &values::partitioning},
    {{"argosy_sync_errors", choice, "kept,until_written", "kept", any, same, used,
      "how long a sync that failed makes later ones fail: until clear_sync_error(), or until a "
      "write succeeds",
      "argosy"},
     &hints::sync_errors,
     &values::sync_errors},
    {{"argosy_progress", choice, "always,in_calls", "always", open, same, used,
      "nonblocking collective calls of ranks on several nodes: beside the program, over sockets; "
      "or by MPI, while their ranks are in calls of the file or wait for them",
      "argosy"},
     &hints::progress,
     &values::progress},
    {{"argosy_early_writes", tristate, "", "automatic", open, own, used,
      "on a local disk, of writes of at least 64 KiB. enable: they go to the disk at once, for a "
      "sync that will follow; disable: when the system chooses; automatic: at once after a sync, "
      "until twice as much is written as before it",
      "argosy"},
     &hints::early_writes,
     &values::early_writes},
    {{"argosy_price_call_ns", number, "", "", any, same, used, "cost model: a call that reads",
      "argosy"},
     &hints::price_call_ns,
     &values::price_call_ns,
     &extend::prices::call_ns},
    {{"argosy_price_write_call_ns", number, "", "", any, same, used,
      "cost model: a call that writes", "argosy"},
     &hints::price_write_call_ns,
     &values::price_write_call_ns,
     &extend::prices::write_call_ns},
    {{"argosy_price_lock_ns", number, "", "", any, same, used,
      "cost model: locking and unlocking a range", "argosy"},
     &hints::price_lock_ns,
     &values::price_lock_ns,
     &extend::prices::lock_ns},
    {{"argosy_price_byte_ns", number, "", "", any, same, used,
      "cost model: a byte between file and memory", "argosy"},
     &hints::price_byte_ns,
     &values::price_byte_ns,
     &extend::prices::byte_ns},
    {{"argosy_price_piece_ns", number, "", "", any, same, used,
      "cost model: picking one piece out of a buffer", "argosy"},
     &hints::price_piece_ns,
     &values::price_piece_ns,
     &extend::prices::piece_ns},
    {{"argosy_price_message_ns", number, "", "", any, same, used,
      "cost model: ranks that wait for each other, once a round of an exchange", "argosy"},
     &hints::price_message_ns,
     &values::price_message_ns,
     &extend::exchange_prices::round_ns},
    {{"argosy_price_message_byte_ns", number, "", "", any, same, used,
      "cost model: a byte between ranks", "argosy"},
     &hints::price_message_byte_ns,
     &values::price_message_byte_ns,
     &extend::exchange_prices::byte_ns},
    {{"argosy_price_block_ns", number, "", "", any, same, used,
      "cost model: handing a block of the file system from rank to rank", "argosy"},
     &hints::price_block_ns,
     &values::price_block_ns,
     &extend::exchange_prices::block_ns},
    {{"argosy_price_crowd_call_ns", number, "", "", any, same, used,
      "cost model: a call that writes while other ranks write the file", "argosy"},
     &hints::price_crowd_call_ns,
     &values::price_crowd_call_ns,
     &extend::exchange_prices::crowd_call_ns},
};

// The public part of the rows.
constexpr auto infos = [] {
  std::array<extend::hint_info, std::size(rows)> all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = rows[i].info;
  return all;
}();

}  // namespace all_hints

namespace extend {

std::span<hint_info const> known_hints() noexcept { return all_hints::infos; }

}  // namespace extend
std::span<detail::hint_row const> detail::hint_rows() noexcept { return all_hints::rows; }

detail::hint_row const* detail::find_row(std::string_view name) noexcept {
  for (hint_row const& row : hint_rows())
    if (row.info.name == name) return &row;
  return nullptr;
}

extend::hint_info const* detail::find_hint(std::string_view name) noexcept {
  hint_row const* const row = find_row(name);
  return row ? &row->info : nullptr;
}

detail::hint_group detail::group_of(hint_row const& row) noexcept {
  using enum hint_group;
  if (auto const* const group = std::get_if<hint_group>(&row.sets)) return *group;
  if (!std::holds_alternative<hint_group>(row.sets_too)) return for_aggregators;
  constexpr hint_group groups[] = {none,         for_two_phase, for_sieving,  for_sieving,
                                   for_shipping, for_shipping,  prices_alone, prices_together};
  static_assert(std::size(groups) == std::variant_size_v<policy_member>);
  return groups[row.sets.index()];
}

bool detail::sets_member(extend::resolved_hints::policy_name policy, hint_group group) {
  bool found = false;
  library_policies::for_each([&]<class P>(std::type_identity<P>) {
    auto const sets = [](auto member) { return sets_member_of<P>(member); };
    for (hint_row const& row : hint_rows())
      if (word_for<P> == policy && group_of(row) == group)
        found |= std::visit(sets, row.sets) || std::visit(sets, row.sets_too);
  });
  return found;
}

bool detail::chooses(std::string_view name, access_kind kind, bool together) {
  if (name == "argosy_policy" || name == "IBM_largeblock_io") return true;
  return together && name != (kind == access_kind::read ? "romio_cb_write" : "romio_cb_read");
}

bool detail::overrides_policy(extend::resolved_hints const& h) {
  return overrides_policy(h, access_kind::read, true) ||
         overrides_policy(h, access_kind::write, true);
}

bool detail::overrides_policy(extend::resolved_hints const& h, access_kind kind, bool together) {
  return std::any_of(h.overriding.begin(), h.overriding.end(), [&](std::string const& name) {
    return group_of(*find_row(name)) == hint_group::choosing && chooses(name, kind, together);
  });
}

namespace extend {

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

}  // namespace extend

}  // namespace argosy
