// Which policies hints choose.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/chosen.hpp>

#include <argosy/policy/automatic.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/two_phase.hpp>

namespace argosy::detail {
namespace {

sieve sieve_of(toggle t) {
  return t == toggle::enable ? sieve::always : t == toggle::disable ? sieve::never : sieve::automatic;
}

sieving sieving_of(resolved_hints const& h, int ranks, storage const& on) {
  sieving s{.read_window_bytes = h.ind_rd_buffer_bytes,
            .write_window_bytes = h.ind_wr_buffer_bytes,
            .reads = sieve_of(h.ds_read),
            .writes = sieve_of(h.ds_write),
            .prices = on.prices,
            .sharers = ranks};
  s.prices.call_ns = h.price_call_ns.value_or(s.prices.call_ns);
  s.prices.write_call_ns = h.price_write_call_ns.value_or(s.prices.write_call_ns);
  s.prices.lock_ns = h.price_lock_ns.value_or(s.prices.lock_ns);
  s.prices.byte_ns = h.price_byte_ns.value_or(s.prices.byte_ns);
  s.prices.piece_ns = h.price_piece_ns.value_or(s.prices.piece_ns);
  return s;
}

any_policy together_of(resolved_hints const& h, toggle asked, chosen const& c, storage const& on) {
  if (h.policy == independent::name || h.policy == sieving::name || asked == toggle::disable) return {};
  if (h.policy == data_shipping::name) return c.data_shipping;
  two_phase const together{.buffer_bytes = h.cb_buffer_bytes,
                           .aggregators = h.cb_nodes,
                           .align_bytes = h.cb_block_bytes,
                           .least_domain_bytes = h.min_domain_bytes};
  if (h.policy == two_phase::name || asked == toggle::enable) return together;
  if (h.largeblock_io) return {};
  if (h.ships()) return c.data_shipping;
  automatic choice{.two_phase = together,
                   .sieving = c.sieving,
                   .data_shipping = c.data_shipping,
                   .exchange = on.exchange,
                   .storage = on.name};
  choice.exchange.round_ns = h.price_message_ns.value_or(choice.exchange.round_ns);
  choice.exchange.block_ns = h.price_block_ns.value_or(choice.exchange.block_ns);
  choice.exchange.byte_ns = h.price_message_byte_ns.value_or(choice.exchange.byte_ns);
  return choice;
}

}  // namespace

chosen::chosen(resolved_hints const& h, int ranks, storage const& on)
    : sieving(sieving_of(h, ranks, on)),
      data_shipping{.stripe_bytes = h.io_buffer_bytes,
                    .agents = h.cb_nodes,
                    .sparse = h.sparse_access,
                    .max_ranges = h.max_ranges},
      alone(h.policy == independent::name ? any_policy(independent{}) : any_policy(sieving)),
      reading(together_of(h, h.cb_read, *this)),
      writing(together_of(h, h.cb_write, *this)),
      ships(h.ships()),
      one_stretch_is_one_call(!ships && h.policy != independent::name),
      one_rank_goes_alone((!reading.has_value() || reading.target<automatic>()) &&
                          (!writing.has_value() || writing.target<automatic>())) {}

}  // namespace argosy::detail
