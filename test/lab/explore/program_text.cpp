// Programs as text.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mode_names.hpp"
#include "program.hpp"

namespace argosy::explore {

using namespace extend;

char const* name_of(representation_choice r) noexcept {
  constexpr char const* names[] = {"native", "internal", "external32", "shrinking", "picky"};
  return names[static_cast<int>(r)];
}
char const* name_of(trouble t) noexcept {
  constexpr char const* names[] = {"none", "misfit", "item_throws", "handle_throws",
                                   "policy_throws"};
  return names[static_cast<int>(t)];
}
char const* name_of(shape s) noexcept {
  constexpr char const* names[] = {"plain", "dealt", "woven", "common", "ghosts"};
  return names[static_cast<int>(s)];
}

std::vector<std::string> names_of(mode m) {
  std::vector<std::string> names;
  for (int bit = 0; bit < 16; ++bit)
    if (auto const one = static_cast<mode>(1 << bit); has(m, one)) names.push_back(to_string(one));
  return names;
}

namespace {

// Returns the name of the C++ enumerator.
std::string_view enumerator_of(basic_type item) {
  switch (item) {
    case basic_type::long_int:
      return "long_int";
    case basic_type::unsigned_long:
      return "unsigned_long";
    case basic_type::wide_character:
      return "wide_character";
    default:
      return name_of(item);
  }
}

std::string text_of(mode m) {
  std::string text;
  for (std::string const& name : names_of(m))
    text += fmt::format("{}mode::{}", text.empty() ? "" : " | ", name);
  return text;
}

std::string text_of(policy_choice const& p) {
  std::string text = fmt::format("{{.kind = policy_kind::{}", name_of(p.kind));
  if (p.buffer_bytes > 0) text += fmt::format(", .buffer_bytes = {}", p.buffer_bytes);
  if (p.window_bytes > 0) text += fmt::format(", .window_bytes = {}", p.window_bytes);
  if (p.aggregators > 0) text += fmt::format(", .aggregators = {}", p.aggregators);
  if (p.align_bytes > 0) text += fmt::format(", .align_bytes = {}", p.align_bytes);
  if (p.layers > 0) text += fmt::format(", .layers = {}", p.layers);
  if (p.merge > 0) text += fmt::format(", .merge = {}", p.merge);
  return text + "}";
}

std::string text_of(view_choice const& v) {
  std::string text = fmt::format("{{.shape = shape::{}", name_of(v.shape));
  if (v.seed > 0) text += fmt::format(", .seed = {}u", v.seed);
  if (v.displacement > 0) text += fmt::format(", .displacement = {}", v.displacement);
  if (v.item != basic_type::byte)
    text += fmt::format(", .item = argosy::extend::basic_type::{}", enumerator_of(v.item));
  if (v.representation != representation_choice::native)
    text += fmt::format(", .representation = representation_choice::{}", name_of(v.representation));
  if (v.etype_bytes > 1) text += fmt::format(", .etype_bytes = {}", v.etype_bytes);
  return text + "}";
}

std::string text_of(lab::gpfs::machine const& m) {
  std::string text;
  std::vector<std::string> given;
  lab::gpfs::for_each_parameter(
      m, [&](char const*, auto x) { given.push_back(fmt::format("{}", x)); });
  std::size_t i = 0;
  lab::gpfs::machine const plain;
  lab::gpfs::for_each_parameter(plain, [&](char const* name, auto x) {
    if (std::string const& mine = given[i++]; mine != fmt::format("{}", x))
      text += fmt::format("  p.gpfs->machine.{} = {};\n", name, mine);
  });
  return text;
}

std::string text_of(step const& s) {
  constexpr char const* slips[] = {"none", "negative_offset", "null_address", "other_size",
                                   "cut_etype"};
  constexpr char const* decorators[] = {"counting", "tracing", "throttled"};
  std::string text = fmt::format("{{.what = op::{}", name_of(s.what));
  if (s.offset != 0) text += fmt::format(", .offset = {}", s.offset);
  if (s.count != 0) text += fmt::format(", .count = {}", s.count);
  if (s.salt != 0) text += fmt::format(", .salt = {}u", s.salt);
  if (s.memory != 0) text += fmt::format(", .memory = {}u", s.memory);
  if (s.static_type != 0) text += fmt::format(", .static_type = {}", s.static_type);
  if (s.views != 0) text += fmt::format(", .views = {}", s.views);
  if (s.policy != policy_choice()) text += ", .policy = " + text_of(s.policy);
  if (s.view != view_choice()) text += ", .view = " + text_of(s.view);
  if (s.file != 0) text += fmt::format(", .file = {}", s.file);
  if (s.modes != step().modes) text += ", .modes = " + text_of(s.modes);
  if (!s.hints.empty()) {
    text += ", .hints = {";
    for (std::size_t i = 0; i < s.hints.size(); ++i)
      text += fmt::format("{}{{\"{}\", \"{}\"}}", i == 0 ? "" : ", ", s.hints[i].first,
                          s.hints[i].second);
    text += "}";
  }
  if (s.later) text += ", .later = true";
  if (s.loose) text += ", .loose = true";
  if (!s.on) text += ", .on = false";
  if (s.whence != seek_from::start)
    text += fmt::format(", .whence = argosy::seek_from::{}", to_string(s.whence));
  if (s.slot != 0) text += fmt::format(", .slot = {}", s.slot);
  if (s.mix != 0) text += fmt::format(", .mix = {}u", s.mix);
  if (s.other != policy_choice()) text += ", .other = " + text_of(s.other);
  if (s.both_ways) text += ", .both_ways = true";
  if (!s.around.empty()) {
    text += ", .around = {";
    for (std::size_t i = 0; i < s.around.size(); ++i)
      text += fmt::format("{}decorator::{}", i == 0 ? "" : ", ",
                          decorators[static_cast<int>(s.around[i])]);
    text += "}";
  }
  if (s.trouble != trouble::none)
    text += fmt::format(", .trouble = trouble::{}", name_of(s.trouble));
  if (s.mistake != slip::none)
    text += fmt::format(", .mistake = slip::{}", slips[static_cast<int>(s.mistake)]);
  if (s.culprit != 0) text += fmt::format(", .culprit = {}", s.culprit);
  return text + "}";
}

}  // namespace

std::string to_test(program const& p, std::string const& name) {
  std::string text = fmt::format("TEST_CASE(\"{}\", \"[explore][found]\") {{\n", name);
  text += "  program p;\n";
  text += fmt::format("  p.world = argosy::lab::parse_scenario(\"{}\");\n", to_string(p.world));
  if (p.gpfs) {
    text += fmt::format(
        "  p.gpfs = {{.machine = {{}}, .troubles = argosy::lab::gpfs::parse_troubles(\"{}\")}};\n",
        to_string(p.gpfs->troubles));
    text += text_of(p.gpfs->machine);
  }
  if (p.before != program().before)
    text += fmt::format("  p.before = {{{}, {}}};\n", p.before[0], p.before[1]);
  if (p.crash_every > 0) text += fmt::format("  p.crash_every = {};\n", p.crash_every);
  text += "  p.steps = {\n";
  for (step const& s : p.steps) text += "      " + text_of(s) + ",\n";
  return text + "  };\n  CHECK(verdict_of(p).wrong == \"\");\n}\n";
}

}  // namespace argosy::explore
