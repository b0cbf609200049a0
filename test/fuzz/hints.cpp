// Hint files, and values of hints as in MPI_Info. An accepted hint must be in force, and stay so if
// it is given again.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include <argosy/file/file_hints.hpp>
#include <argosy/file/hints_file.hpp>

using namespace argosy;

namespace {

void check_values(extend::resolved_hints const& v) {
  for (std::int64_t const n : {v.ind_rd_buffer_bytes, v.ind_wr_buffer_bytes, v.cb_buffer_bytes})
    FUZZ_CHECK(n > 0);
  for (std::int64_t const n : {v.cb_block_bytes, v.cb_nodes, v.min_domain_bytes, v.io_buffer_bytes,
                               v.max_ranges, v.io_threads, v.codec_threads})
    FUZZ_CHECK(n >= 0);
  for (argosy::detail::host_limit const& h : v.cb_config_list)
    FUZZ_CHECK(!h.host.empty() && h.most >= -1);
  FUZZ_CHECK(!v.file_permissions || *v.file_permissions <= 07777);
  for (auto const& price :
       {v.price_call_ns, v.price_write_call_ns, v.price_lock_ns, v.price_byte_ns, v.price_piece_ns,
        v.price_message_ns, v.price_message_byte_ns, v.price_block_ns, v.price_crowd_call_ns})
    FUZZ_CHECK(!price || (std::isfinite(*price) && *price >= 0));
}

bool rejected(file_hints const& h, std::string_view name) {
  return h.find(name)->status == hint_status::rejected;
}

// Returns the hints as MPI_Info_get would give them to a program that passes them on. A buffer size
// that was rejected is passed on as the one in force, and so counts as given. The window, which
// would follow it, is passed on, too.
hints told(file_hints const& h) {
  bool const buffer_rejected = rejected(h, "cb_buffer_size");
  hints all;
  for (hint_state const& s : h.all())
    if (argosy::detail::find_hint(s.name) != nullptr && !s.value.empty() &&
        (s.status != hint_status::defaulted || (buffer_rejected && s.name == "argosy_window_size")))
      all.set(s.name, s.value);
  return all;
}

void check(hints const& given) {
  file_hints const h({}, given, {});
  FUZZ_CHECK(h.all().size() >= extend::known_hints().size());
  for (hint_state const& s : h.all())
    if (s.status == hint_status::rejected) FUZZ_CHECK(!s.why.empty());
  check_values(h.values());
  FUZZ_CHECK(!to_string(h).empty());
  file_hints const again({}, told(h), {});
  for (std::size_t i = 0; i < extend::known_hints().size(); ++i) {
    hint_state const& before = h.all()[i];
    hint_state const& now = again.all()[i];
    FUZZ_CHECK(now.value == before.value);
    FUZZ_CHECK(before.value.empty() ||
               extend::known_hints()[i].when == argosy::extend::hint_time::never ||
               now.status != hint_status::rejected);
  }
  extend::resolved_hints expected = h.values();
  // A rejected hint is passed on as the value in force, and so counts as given.
  expected.largeblock_given = again.values().largeblock_given;
  if (rejected(h, "cb_buffer_size")) expected.cb_buffer_given = again.values().cb_buffer_given;
  if (rejected(h, "cb_buffer_size") || rejected(h, "argosy_window_size"))
    expected.window_given = again.values().window_given;
  if (h.find("collective_buffering")->value == "false") {
    expected.cb_read = again.values().cb_read;
    expected.cb_write = again.values().cb_write;
  }
  if (expected.largeblock_switchable != again.values().largeblock_switchable)
    FUZZ_CHECK(h.find("IBM_largeblock_io")->value != "switchable");  // once switchable, always
  expected.largeblock_switchable = again.values().largeblock_switchable;
  expected.cb_config_list = again.values().cb_config_list;  // "*:*" is the default, too
  FUZZ_CHECK(again.values() == expected);
  file_hints later;
  later.merge(given, hint_source::code, extend::hint_moment::set_hints, true);
  check_values(later.values());
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view const text = fuzz::text_of(data + 1, size - 1);
  std::size_t const one = data[0];
  hints given;
  if (one < extend::known_hints().size()) {
    given.set(std::string(extend::known_hints()[one].name), std::string(text));
  } else {
    given = extend::parse_hints(text, "f");
    FUZZ_CHECK(given.named.size() <= static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1);
    for (argosy::detail::named_hint const& n : given.named)
      FUZZ_CHECK(n.origin.starts_with("f:") && !n.name.empty());
  }
  check(given);
  return 0;
}
