// Implements lab/gpfs/detail/fabric.hpp: adapters and the switch between them.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/detail/fabric.hpp>

#include <algorithm>
#include <variant>

namespace argosy::lab::gpfs::detail {

namespace {

bool carries_block(message_body const& body) {
  return std::holds_alternative<block_read>(body) || std::holds_alternative<block_data>(body) ||
         std::holds_alternative<block_write>(body) || std::holds_alternative<block_written>(body);
}

}  // namespace

instant fabric::arrival(outbox::outgoing const& o, instant extra) {
  double const rate = machine_.nic_mb_per_s * static_cast<double>(machine_.adapters_per_node);
  auto const takes = [&] {
    double seconds = machine::seconds(o.wire_bytes, rate);
    if (machine_.noise > 0)
      seconds *= 1 + machine_.noise * (static_cast<double>(random_() >> 11) * 0x1p-52 -
                                       1);  // in [1 - noise, 1 + noise)
    return duration_of(std::max(seconds, 0.0));
  };
  auto const home = [&](address const& a) {
    return a.who == role::server && machine_.servers_on_clients > 0 ? address{role::client, a.index}
                                                                    : a;
  };
  address const from = home(o.what.from), to = home(o.what.to);
  instant at = o.departs;
  if (from != to) {
    if (has_adapters(from)) at = leaving(from).take(at, takes());
    if (machine_.bisection_mb_per_s > 0)
      at = bisection_.take(
          at, duration_of(machine::seconds(o.wire_bytes, machine_.bisection_mb_per_s)));
    at += duration_of(machine_.message_us * 1e-6);
    if (has_adapters(to)) {
      instant const last_bytes = takes();
      at = entering(to).take(at - last_bytes, last_bytes);
    }
  }
  at += extra;
  if (!carries_block(o.what.body)) {
    instant& last = fabric::at(fabric::at(last_, place_of(o.what.from)), place_of(o.what.to));
    at = last = std::max(at, last);
  }
  return at;
}

}  // namespace argosy::lab::gpfs::detail
