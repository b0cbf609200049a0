// Which policies hints choose.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/chosen.hpp>

#include <algorithm>

#include <argosy/policy/automatic.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/two_phase.hpp>

namespace argosy::detail {
namespace {

sieve sieve_of(toggle t) {
  return t == toggle::enable ? sieve::always : t == toggle::disable ? sieve::never : sieve::automatic;
}

void set_prices(resolved_hints const& h, prices& p) {
  p.call_ns = h.price_call_ns.value_or(p.call_ns);
  p.write_call_ns = h.price_write_call_ns.value_or(p.write_call_ns);
  p.lock_ns = h.price_lock_ns.value_or(p.lock_ns);
  p.byte_ns = h.price_byte_ns.value_or(p.byte_ns);
  p.piece_ns = h.price_piece_ns.value_or(p.piece_ns);
}

bool given_prices(resolved_hints const& h) {
  return h.price_call_ns || h.price_write_call_ns || h.price_lock_ns || h.price_byte_ns || h.price_piece_ns ||
         h.price_message_ns || h.price_message_byte_ns || h.price_block_ns;
}

// The hint, which is 4 MiB by default as in ROMIO, is an upper limit.
std::int64_t read_window_of(resolved_hints const& h) {
  return std::min(h.ind_rd_buffer_bytes, sieving().read_window_bytes);
}

sieving sieving_of(resolved_hints const& h, int ranks, storage const& on, ranks_on where) {
  sieving s{.read_window_bytes = read_window_of(h),
            .write_window_bytes = h.ind_wr_buffer_bytes,
            .reads = sieve_of(h.ds_read),
            .writes = sieve_of(h.ds_write),
            .prices = on.prices,
            .sharers = ranks,
            .merges = where == ranks_on::one_node || (merge_across(h, where) && !on.reads_late)};
  set_prices(h, s.prices);
  return s;
}

// A window gets its buffer, if none was given.
two_phase two_phase_of(resolved_hints const& h) {
  two_phase t{.aggregators = h.cb_nodes, .align_bytes = h.cb_block_bytes, .least_domain_bytes = h.min_domain_bytes};
  t.window_bytes = std::min(h.window_bytes, most_window_bytes);
  t.buffer_bytes = h.cb_buffer_given ? h.cb_buffer_bytes : std::max(h.cb_buffer_bytes, 2 * t.window_bytes);
  return t;
}

any_policy together_of(resolved_hints const& h, toggle asked, chosen const& c, storage const& on) {
  if (h.policy == independent::name || h.policy == sieving::name || asked == toggle::disable) return {};
  if (h.policy == data_shipping::name) return c.data_shipping;
  two_phase const together = two_phase_of(h);
  if (h.policy == two_phase::name || asked == toggle::enable) return together;
  if (h.largeblock_io) return {};
  if (h.ships()) return c.data_shipping;
  automatic choice{.two_phase = together,
                   .sieving = c.sieving,
                   .data_shipping = c.data_shipping,
                   .exchange = on.exchange,
                   .storage = given_prices(h) ? "hints, else those of " + on.name : on.name};
  choice.exchange.round_ns = h.price_message_ns.value_or(choice.exchange.round_ns);
  choice.exchange.block_ns = h.price_block_ns.value_or(choice.exchange.block_ns);
  choice.exchange.byte_ns = h.price_message_byte_ns.value_or(choice.exchange.byte_ns);
  return choice;
}

// What ARGOSY_HINTS_OVERRIDE says of the members of a policy that a call was given.

void override_in(two_phase& p, resolved_hints const& h) {
  two_phase const told = two_phase_of(h);
  if (h.overrides("cb_nodes")) p.aggregators = told.aggregators;
  if (h.overrides("cb_block_size")) p.align_bytes = told.align_bytes;
  if (h.overrides("romio_min_fdomain_size")) p.least_domain_bytes = told.least_domain_bytes;
  if (h.overrides("cb_buffer_size") || h.overrides("argosy_window_size")) {
    p.window_bytes = told.window_bytes;
    p.buffer_bytes = told.buffer_bytes;
  }
}

void override_in(sieving& p, resolved_hints const& h) {
  if (h.overrides("ind_rd_buffer_size")) p.read_window_bytes = read_window_of(h);
  if (h.overrides("ind_wr_buffer_size")) p.write_window_bytes = h.ind_wr_buffer_bytes;
  if (h.overrides("romio_ds_read")) p.reads = sieve_of(h.ds_read);
  if (h.overrides("romio_ds_write")) p.writes = sieve_of(h.ds_write);
  prices told;
  set_prices(h, told);
  if (h.overrides("argosy_price_call_ns")) p.prices.call_ns = told.call_ns;
  if (h.overrides("argosy_price_write_call_ns")) p.prices.write_call_ns = told.write_call_ns;
  if (h.overrides("argosy_price_lock_ns")) p.prices.lock_ns = told.lock_ns;
  if (h.overrides("argosy_price_byte_ns")) p.prices.byte_ns = told.byte_ns;
  if (h.overrides("argosy_price_piece_ns")) p.prices.piece_ns = told.piece_ns;
}

void override_in(data_shipping& p, resolved_hints const& h) {
  if (h.overrides("IBM_io_buffer_size")) p.stripe_bytes = h.io_buffer_bytes;
  if (h.overrides("cb_nodes")) p.agents = h.cb_nodes;
  if (h.overrides("IBM_sparse_access")) p.sparse = h.sparse_access;
  if (h.overrides("argosy_max_ranges")) p.max_ranges = h.max_ranges;
}

void override_in(automatic& p, resolved_hints const& h) {
  override_in(p.two_phase, h);
  override_in(p.sieving, h);
  override_in(p.data_shipping, h);
  if (h.overrides("argosy_price_message_ns")) p.exchange.round_ns = *h.price_message_ns;
  if (h.overrides("argosy_price_message_byte_ns")) p.exchange.byte_ns = *h.price_message_byte_ns;
  if (h.overrides("argosy_price_block_ns")) p.exchange.block_ns = *h.price_block_ns;
  if (std::any_of(h.overriding.begin(), h.overriding.end(),
                  [](std::string const& name) { return name.starts_with("argosy_price_"); }))
    p.storage = "hints, else those of " + p.storage;
}

template <class... Policies>
any_policy with_overrides(any_policy const& given, resolved_hints const& h) {
  any_policy changed = given;
  auto const look = [&]<class P>(P const* found) {
    if (!found) return;
    P mine = *found;
    override_in(mine, h);
    if (!(mine == *found)) changed = mine;
  };
  (look(given.target<Policies>()), ...);
  return changed;
}

}  // namespace

bool merge_across(resolved_hints const& h, ranks_on where) noexcept {
  return where != ranks_on::one_node &&
         (h.ds_write == toggle::enable || (h.ds_write == toggle::automatic && where == ranks_on::locking_nodes));
}

chosen::chosen(resolved_hints const& h, int ranks, storage const& on, ranks_on where)
    : sieving(sieving_of(h, ranks, on, where)),
      data_shipping{.stripe_bytes = h.io_buffer_bytes,
                    .agents = h.cb_nodes,
                    .sparse = h.sparse_access,
                    .max_ranges = h.max_ranges},
      alone(h.policy == independent::name ? any_policy(independent{}) : any_policy(sieving)),
      reading(together_of(h, h.cb_read, *this, on)),
      writing(together_of(h, h.cb_write, *this, on)),
      ships(h.ships()),
      one_stretch_is_one_call(!ships && h.policy != independent::name),
      one_rank_goes_alone((!reading.has_value() || reading.target<automatic>()) &&
                          (!writing.has_value() || writing.target<automatic>())),
      all_lock(merge_across(h, where)),
      reading_key(reading.has_value() ? reading.key() : 0),
      writing_key(writing.has_value() ? writing.key() : 0) {}

any_policy overridden(any_policy const& given, resolved_hints const& h, access_kind kind, bool together) {
  if (!given.has_value() || h.overriding.empty()) return given;
  // A hint that chooses the policy leaves nothing of the one that was given.
  bool replaced = h.overrides("argosy_policy") || h.overrides("IBM_largeblock_io");
  if (together)
    replaced = replaced || h.overrides(kind == access_kind::read ? "romio_cb_read" : "romio_cb_write") ||
               h.overrides("collective_buffering");
  if (replaced) return {};
  return with_overrides<two_phase, sieving, data_shipping, automatic>(given, h);
}

}  // namespace argosy::detail
