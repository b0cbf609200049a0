// Implements hints.hpp: the hints that a program gives, as names and values.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/hints.hpp>

#include <array>
#include <charconv>
#include <type_traits>

namespace argosy {
namespace {

std::string text_of(std::string const& s) { return s; }
std::string text_of(std::int64_t n) { return std::to_string(n); }
std::string text_of(bool b) { return b ? "true" : "false"; }
std::string text_of(toggle t) {
  return t == toggle::automatic ? "automatic" : t == toggle::enable ? "enable" : "disable";
}
std::string text_of(largeblock l) {
  return l == largeblock::switchable ? "switchable" : l == largeblock::on ? "true" : "false";
}
std::string text_of(unsigned mode) {
  std::array<char, 16> digits{};
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), mode, 8).ptr;
  return "0" + std::string(digits.data(), end);
}
std::string text_of(double d) {
  std::array<char, 32> digits{};
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), d).ptr;
  return {digits.data(), end};
}

}  // namespace

std::vector<detail::named_hint> hints::by_name() const {
  std::vector<detail::named_hint> all = named;
  auto const add = [&](char const* name, auto const& member) {
    if (member) all.push_back({name, text_of(*member)});
  };
  add("access_style", access_style);
  add("collective_buffering", collective_buffering);
  add("cb_block_size", cb_block_bytes);
  add("cb_buffer_size", cb_buffer_bytes);
  add("cb_nodes", cb_nodes);
  add("cb_config_list", cb_config_list);
  add("romio_cb_read", cb_read);
  add("romio_cb_write", cb_write);
  add("romio_min_fdomain_size", min_domain_bytes);
  add("romio_ds_read", ds_read);
  add("romio_ds_write", ds_write);
  add("ind_rd_buffer_size", ind_rd_buffer_bytes);
  add("ind_wr_buffer_size", ind_wr_buffer_bytes);
  add("file_perm", file_permissions);
  add("striping_factor", striping_factor);
  add("striping_unit", striping_unit);
  add("IBM_io_buffer_size", io_buffer_bytes);
  add("IBM_largeblock_io", largeblock_io);
  add("IBM_sparse_access", sparse_access);
  add("argosy_policy", policy);
  add("argosy_window_size", window_bytes);
  add("argosy_develop", develop);
  add("argosy_lenient", lenient);
  add("argosy_io_threads", io_threads);
  add("argosy_max_ranges", max_ranges);
  add("argosy_partitioning", partitioning);
  add("argosy_sync_errors", sync_errors);
  add("argosy_progress", progress);
  add("argosy_price_call_ns", price_call_ns);
  add("argosy_price_write_call_ns", price_write_call_ns);
  add("argosy_price_lock_ns", price_lock_ns);
  add("argosy_price_byte_ns", price_byte_ns);
  add("argosy_price_piece_ns", price_piece_ns);
  add("argosy_price_message_ns", price_message_ns);
  add("argosy_price_message_byte_ns", price_message_byte_ns);
  add("argosy_price_block_ns", price_block_ns);
  return all;
}

}  // namespace argosy
