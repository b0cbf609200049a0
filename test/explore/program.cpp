// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <argosy/policy/automatic.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>

namespace argosy::explore {

char const* name_of(op o) noexcept {
  constexpr char const* names[ops] = {"open",         "close",         "set_view",     "set_size",     "preallocate",
                                      "sync",         "clear_sync",    "set_atomic",   "seek_shared",  "compute",
                                      "wait",         "read_at",       "write_at",     "iread_at",     "iwrite_at",
                                      "read_at_all",  "write_at_all",  "read",         "write",        "iread",
                                      "iwrite",       "read_all",      "write_all",    "read_shared",  "write_shared",
                                      "iread_shared", "iwrite_shared", "read_ordered", "write_ordered"};
  return names[static_cast<std::size_t>(o)];
}

any_policy to_policy(policy_choice const& p) {
  auto const set = [](std::int64_t& member, std::int64_t value) {
    if (value > 0) member = value;
  };
  independent pieces;
  set(pieces.buffer_bytes, p.buffer_bytes);
  sieving windows;
  set(windows.read_window_bytes, p.window_bytes);
  set(windows.write_window_bytes, p.window_bytes);
  windows.reads = windows.writes = static_cast<sieve>(p.merge);
  two_phase together;
  set(together.buffer_bytes, p.buffer_bytes);
  set(together.window_bytes, p.window_bytes);
  set(together.aggregators, p.aggregators);
  set(together.align_bytes, p.align_bytes);
  data_shipping shipped;
  set(shipped.stripe_bytes, p.buffer_bytes);
  set(shipped.agents, p.aggregators);
  set(shipped.window_bytes, p.window_bytes);
  if (p.align_bytes == 1) shipped.buffers = 1;
  shipped.sparse = p.merge == 2;
  switch (p.kind) {
    case policy_kind::of_hints:
      break;
    case policy_kind::independent:
      return pieces;
    case policy_kind::sieving:
      return windows;
    case policy_kind::two_phase:
      return together;
    case policy_kind::automatic:
      return automatic{.two_phase = together, .sieving = windows};
    case policy_kind::data_shipping:
      return shipped;
  }
  return {};
}

std::vector<step> complete(program const& p) {
  struct range {
    std::int64_t begin, end;
  };
  std::vector<step> all;
  std::vector<range> pending;
  explore::shape seen = shape::plain;
  for (step s : p.steps) {
    std::int64_t const sharers = is_own(seen) ? 1 : p.world.ranks;
    range const mine{s.offset, s.offset + s.count * sharers};
    bool const meets = std::any_of(pending.begin(), pending.end(),
                                   [&](range const& r) { return r.begin < mine.end && mine.begin < r.end; });
    bool const harmless = s.what == op::compute || (at_offset(s.what) && !meets);
    if (!pending.empty() && !harmless) {
      if (!all.empty()) all.back().loose = false;
      if (s.what != op::wait) all.push_back({.what = op::wait});
      pending.clear();
    }
    if (s.what == op::open) seen = shape::plain;
    if (s.what == op::set_view) seen = s.view.shape;
    s.later = s.later && is_request(s.what) && !at_shared_pointer(s.what) && s.mistake == slip::none;
    if (s.later) pending.push_back(at_offset(s.what) ? mine : range{0, std::int64_t{1} << 62});
    // Between two calls of all ranks nobody has to wait; nor where every rank has bytes of its own.
    if (!all.empty() && all.back().loose) {
      op const before = all.back().what;
      bool const apart = is_own(seen) || is_collective(before) || is_collective(s.what);
      // The oracle takes requests that go on for earlier than what all ranks do meanwhile.
      if (!moves_data(s.what) || !apart || at_shared_pointer(s.what) || s.later) all.back().loose = false;
    }
    s.loose = s.loose && moves_data(s.what) && !at_shared_pointer(s.what) && s.mistake == slip::none;
    all.push_back(s);
  }
  if (!pending.empty()) all.push_back({.what = op::wait});
  if (!all.empty()) all.back().loose = false;
  return all;
}

// --- Text ---

namespace {

std::string text_of(mode m) {
  constexpr std::pair<mode, char const*> names[] = {{mode::read, "read"},
                                                    {mode::write, "write"},
                                                    {mode::read_write, "read_write"},
                                                    {mode::create, "create"},
                                                    {mode::exclusive, "exclusive"},
                                                    {mode::append, "append"},
                                                    {mode::delete_on_close, "delete_on_close"},
                                                    {mode::unique_open, "unique_open"}};
  std::string text;
  for (auto const& [one, name] : names)
    if (has(m, one)) text += fmt::format("{}mode::{}", text.empty() ? "" : " | ", name);
  return text;
}

std::string text_of(policy_choice const& p) {
  constexpr char const* kinds[] = {"of_hints", "independent", "sieving", "two_phase", "automatic", "data_shipping"};
  std::string text = fmt::format("{{.kind = policy_kind::{}", kinds[static_cast<int>(p.kind)]);
  if (p.buffer_bytes > 0) text += fmt::format(", .buffer_bytes = {}", p.buffer_bytes);
  if (p.window_bytes > 0) text += fmt::format(", .window_bytes = {}", p.window_bytes);
  if (p.aggregators > 0) text += fmt::format(", .aggregators = {}", p.aggregators);
  if (p.align_bytes > 0) text += fmt::format(", .align_bytes = {}", p.align_bytes);
  if (p.merge > 0) text += fmt::format(", .merge = {}", p.merge);
  return text + "}";
}

std::string text_of(view_choice const& v) {
  constexpr char const* shapes[] = {"plain", "dealt", "woven", "common"};
  std::string text = fmt::format("{{.shape = shape::{}", shapes[static_cast<int>(v.shape)]);
  if (v.seed > 0) text += fmt::format(", .seed = {}u", v.seed);
  if (v.displacement > 0) text += fmt::format(", .displacement = {}", v.displacement);
  if (v.etype_bytes > 1) text += fmt::format(", .etype_bytes = {}", v.etype_bytes);
  return text + "}";
}

std::string text_of(gpfs::machine const& m) {
  std::string text;
  std::vector<std::string> given;
  gpfs::for_each_parameter(m, [&](char const*, auto x) { given.push_back(fmt::format("{}", x)); });
  std::size_t i = 0;
  gpfs::machine const plain;
  gpfs::for_each_parameter(plain, [&](char const* name, auto x) {
    if (std::string const& mine = given[i++]; mine != fmt::format("{}", x))
      text += fmt::format("  p.gpfs->machine.{} = {};\n", name, mine);
  });
  return text;
}

std::string text_of(step const& s) {
  constexpr char const* slips[] = {"none", "negative_offset", "null_address", "other_size"};
  std::string text = fmt::format("{{.what = op::{}", name_of(s.what));
  if (s.offset != 0) text += fmt::format(", .offset = {}", s.offset);
  if (s.count != 0) text += fmt::format(", .count = {}", s.count);
  if (s.salt != 0) text += fmt::format(", .salt = {}u", s.salt);
  if (s.memory != 0) text += fmt::format(", .memory = {}u", s.memory);
  if (s.policy != policy_choice()) text += ", .policy = " + text_of(s.policy);
  if (s.view != view_choice()) text += ", .view = " + text_of(s.view);
  if (s.file != 0) text += fmt::format(", .file = {}", s.file);
  if (s.modes != step().modes) text += ", .modes = " + text_of(s.modes);
  if (!s.hints.empty()) {
    text += ", .hints = {";
    for (std::size_t i = 0; i < s.hints.size(); ++i)
      text += fmt::format("{}{{\"{}\", \"{}\"}}", i == 0 ? "" : ", ", s.hints[i].first, s.hints[i].second);
    text += "}";
  }
  if (s.later) text += ", .later = true";
  if (s.loose) text += ", .loose = true";
  if (!s.on) text += ", .on = false";
  if (s.mistake != slip::none) text += fmt::format(", .mistake = slip::{}", slips[static_cast<int>(s.mistake)]);
  if (s.culprit != 0) text += fmt::format(", .culprit = {}", s.culprit);
  return text + "}";
}

}  // namespace

std::string to_test(program const& p, std::string const& name) {
  std::string text = fmt::format("TEST_CASE(\"{}\", \"[explore][found]\") {{\n", name);
  text += "  program p;\n";
  text += fmt::format("  p.world = parse_scenario(\"{}\");\n", to_string(p.world));
  if (p.gpfs) {
    text += fmt::format("  p.gpfs = {{.machine = {{}}, .troubles = argosy::gpfs::parse_troubles(\"{}\")}};\n",
                        to_string(p.gpfs->troubles));
    text += text_of(p.gpfs->machine);
  }
  if (p.before != program().before) text += fmt::format("  p.before = {{{}, {}}};\n", p.before[0], p.before[1]);
  if (p.crash_every > 0) text += fmt::format("  p.crash_every = {};\n", p.crash_every);
  text += "  p.steps = {\n";
  for (step const& s : p.steps) text += "      " + text_of(s) + ",\n";
  return text + "  };\n  CHECK(verdict_of(p).wrong == \"\");\n}\n";
}

}  // namespace argosy::explore
