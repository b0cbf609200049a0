// Hints of programs: each known hint, with values that make sense and with others.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "generate.hpp"
#include "places.hpp"
#include "weights.hpp"

namespace argosy::explore {
namespace {

// Windows are not so small that a call takes thousands of them, and not so large that the test only
// fills memory.
std::vector<hint_choice> const& choices() {
  static std::vector<hint_choice> const all{
      {"access_style", {"read_once", "write_mostly,random", "reverse_sequential"}},
      {"collective_buffering", {"true", "false"}},
      {"cb_block_size", {"8", "64", "4096", "0"}},
      {"cb_buffer_size", {"64", "1024", "8192", "64k"}},
      {"cb_nodes", {"1", "2", "5", "0", "1000"}},
      {"chunked", {"10,10"}},
      {"chunked_item", {"8"}},
      {"chunked_size", {"2,5"}},
      {"filename", {"another"}},
      {"file_perm", {"0600", "644", "0666"}},
      {"io_node_list", {"io1,io2"}},
      {"nb_proc", {"4"}},
      {"num_io_nodes", {"2"}},
      {"striping_factor", {"4"}},
      {"striping_unit", {"65536"}},
      {"romio_cb_read", {"enable", "disable", "automatic"}},
      {"romio_cb_write", {"enable", "disable", "automatic"}},
      {"romio_ds_read", {"enable", "disable", "automatic"}},
      {"romio_ds_write", {"enable", "disable", "automatic"}},
      {"ind_rd_buffer_size", {"16", "300", "1k"}},
      {"ind_wr_buffer_size", {"16", "300", "1k"}},
      {"cb_config_list", {"*:1", "*:*", "node0:1", "*:2,node1:0"}},
      {"romio_min_fdomain_size", {"16", "1024", "0"}},
      {"romio_no_indep_rw", {"true"}},
      {"romio_cb_pfr", {"enable"}},
      {"romio_cb_fr_types", {"aar"}},
      {"romio_cb_fr_alignment", {"512"}},
      {"romio_cb_ds_threshold", {"100"}},
      {"romio_cb_alltoall", {"enable"}},
      {"romio_filesystem_type", {"UFS:"}},
      {"romio_aggregator_list", {"0,1"}},
      {"direct_read", {"true"}},
      {"direct_write", {"true"}},
      {"start_iodevice", {"1"}},
      {"IBM_io_buffer_size", {"512", "3000", "65536"}},
      {"IBM_largeblock_io", {"false", "switchable", "true"}},
      {"IBM_sparse_access", {"true", "false"}},
      {"argosy_policy", {"automatic", "independent", "sieving", "two_phase", "data_shipping"}},
      {"argosy_develop", {"true"}},
      {"argosy_window_size", {"64", "4096", "1m"}},
      {"argosy_io_threads", {"0", "2"}},
      {"argosy_codec_threads", {"0", "2"}},
      {"argosy_lenient", {"false"}},  // true: tested by test/file/odd_filetypes.cpp
      {"argosy_max_ranges", {"0", "1", "4", "64"}},
      {"argosy_partitioning", {"enable", "disable", "automatic"}},
      {"argosy_sync_errors", {"kept"}},  // until_written: tested by test/file/file_semantics.cpp
      {"argosy_progress", {"always", "in_calls"}},
      {"argosy_early_writes", {"enable", "disable"}},
      {"argosy_price_call_ns", {"0", "1000", "1e6"}},
      {"argosy_price_write_call_ns", {"0", "1000", "1e6"}},
      {"argosy_price_lock_ns", {"0", "1e6"}},
      {"argosy_price_byte_ns", {"0", "0.1", "100"}},
      {"argosy_price_piece_ns", {"0", "10"}},
      {"argosy_price_message_ns", {"0", "1e5"}},
      {"argosy_price_message_byte_ns", {"0", "10"}},
      {"argosy_price_block_ns", {"0", "1e5"}},
      {"argosy_price_crowd_call_ns", {"0", "1e5"}},
      {"nobody_knows_this", {}},
  };
  return all;
}

constexpr char const* silly[] = {"",    "-1",         "nonsense", "1e400", "99999999999999999999",
                                 " ",   "true,false", "0x10",     "nan",   "*",
                                 "*:-3"};

// Returns the FNV-1a hash of a name, which is the same in every build.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char const c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// Adds a hint to a step, or leaves it out. `random` is the hint's own.
void draw(hint_choice const& c, test::engine random, bool agents, hint_list& all) {
  using test::one_in;
  using test::pick;
  if (agents && std::string_view(c.name) == "IBM_largeblock_io") {
    all.emplace_back(c.name, one_in(random, 3) ? "switchable" : "false");
    return;
  }
  if (!one_in(random, weights::each_hint)) return;
  if (c.values.empty() || one_in(random, weights::silly_hint)) {
    all.emplace_back(c.name, any_of(random, silly));
    return;
  }
  auto const last = static_cast<std::int64_t>(c.values.size()) - 1;
  all.emplace_back(c.name, c.values[static_cast<std::size_t>(pick(random, 0, last))]);
}

}  // namespace

hint_list random_hints(test::engine& random, bool agents, std::vector<hint_choice> const& more) {
  std::uint64_t const of_step = random();
  hint_list all;
  for (std::vector<hint_choice> const* list : {&more, &choices()})
    for (hint_choice const& c : *list)
      draw(c, test::engine(mixed(of_step, hash_of(c.name))), agents, all);
  return all;
}

}  // namespace argosy::explore
