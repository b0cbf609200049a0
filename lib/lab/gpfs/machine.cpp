// Implements lab/gpfs/machine.hpp: machines as text, and the limits of their parameters.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/machine.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <istream>
#include <limits>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace argosy::lab::gpfs {

namespace {

// Returns the shortest text that reads back as the same number, in any locale.
template <class Number>
std::string text_of(Number n) {
  char text[40];
  auto const [end, error] = std::to_chars(text, text + sizeof text, n);
  return {text, end};
}

template <class Number>
bool parse(std::string const& text, Number& n) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc{} && end == text.data() + text.size() && n >= 0 &&
         n <= std::numeric_limits<Number>::max();
}

// The largest values. Sums and products of parameters must fit, and times must fit the clock.
constexpr std::int64_t most_count = std::int64_t{1} << 40, most_of_a_kind = 1 << 16;
constexpr std::int64_t most_block_bytes = std::int64_t{64} << 20;
constexpr double most_time = 1e9, least_rate = 1e-3;

// Returns the reason why a value is invalid; empty if it is valid.
std::string nonsense(std::string_view name, std::int64_t n) {
  return n > most_count && name != "noise_seed" ? "is more than 2^40" : "";
}
std::string nonsense(std::string_view name, double d) {
  if (d > most_time) return "is more than 10^9";
  return name.ends_with("_mb_per_s") && d > 0 && d < least_rate
             ? "is less than 0.001, and not 0, which is no limit"
             : "";
}

}  // namespace

argosy::extend::storage machine::storage() const {
  auto const byte_ns = [](double mb_per_s) { return mb_per_s > 0 ? 1e3 / mb_per_s : 0; };
  double const block_us = disk_us + seconds(block_bytes, disk_mb_per_s) * 1e6;
  argosy::extend::storage s{.name = "the simulated GPFS"};
  s.prices.call_ns = call_us * 1e3;
  s.prices.write_call_ns = (call_us + write_call_us) * 1e3;
  s.prices.lock_ns = (2 * message_us + token_us) * 1e3;
  s.prices.byte_ns = byte_ns(nic_mb_per_s) + byte_ns(client_read_mb_per_s);
  s.exchange.round_ns = 5 * message_us * 1e3;
  s.exchange.byte_ns = byte_ns(nic_mb_per_s);
  s.exchange.block_ns = (3 * block_us + revoke_us + token_us) * 1e3;  // read, written, and read
  s.exchange.server_byte_ns = byte_ns(server_mb_per_s * static_cast<double>(servers));
  s.exchange.crowd = s.exchange.write = 1;
  return s;
}

std::ostream& operator<<(std::ostream& out, machine const& m) {
  for_each_parameter(m, [&](char const* name, auto const& value) {
    out << name << ' ' << text_of(value) << '\n';
  });
  return out;
}

machine read_machine(std::istream& in, machine m) {
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    auto const refuse = [&](std::string const& why) {
      throw std::invalid_argument("machine, line " + std::to_string(number) + ": " + why);
    };
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name, value, more;
    if (!(words >> name)) continue;
    if (!(words >> value) || words >> more) refuse("not a name and one value: " + line);
    bool known = false, good = false;
    for_each_parameter(m, [&](char const* parameter, auto& member) {
      if (name != parameter) return;
      known = true;
      good = parse(value, member);
    });
    if (!known) refuse("unknown parameter " + name);
    if (!good) refuse(name + " is not a non-negative number: " + value);
  }
  for_each_parameter(m, [](char const* name, auto const& value) {
    if (std::string const why = nonsense(name, value); !why.empty())
      throw std::invalid_argument(std::string("machine: ") + name + " " + why);
  });
  if (m.block_bytes > most_block_bytes)
    throw std::invalid_argument("machine: block_bytes is more than 64 MiB");
  if (std::max({m.servers, m.disks_per_server, m.adapters_per_node}) > most_of_a_kind)
    throw std::invalid_argument(
        "machine: servers, disks_per_server and adapters_per_node are at most 65536");
  if (m.block_bytes <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(m.block_bytes)))
    throw std::invalid_argument("machine: block_bytes is not a power of two");
  if (m.sub_blocks < 1 || m.sub_blocks > 32 ||
      !std::has_single_bit(static_cast<std::uint64_t>(m.sub_blocks)) ||
      m.sub_blocks > m.block_bytes)
    throw std::invalid_argument(
        "machine: sub_blocks is not 1, 2, 4, 8, 16 or 32, or more than block_bytes");
  if (std::max({m.servers_on_clients, m.close_flushes, m.shared_adapters, m.disk_streams,
                m.stride_tokens, m.random_writes_wait, m.range_quota_by_load}) > 1)
    throw std::invalid_argument(
        "machine: servers_on_clients, close_flushes, shared_adapters, disk_streams, stride_tokens, "
        "random_writes_wait and range_quota_by_load are 0 or 1");
  if (m.servers < 1 || m.disks_per_server < 1 || m.adapters_per_node < 1)
    throw std::invalid_argument(
        "machine: servers, disks_per_server and adapters_per_node are at least 1");
  if (m.prefetch_percent > 100)
    throw std::invalid_argument("machine: prefetch_percent is more than 100");
  if (m.pool_blocks() < 1)
    throw std::invalid_argument("machine: pagepool_bytes is less than one block");
  return m;
}

}  // namespace argosy::lab::gpfs
