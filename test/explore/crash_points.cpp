// SPDX-License-Identifier: BSD-3-Clause
#include "crash_points.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "places.hpp"

namespace argosy::explore {

void crash_points::keep(std::string const& name) {
  if (!any()) return;
  seen_.erase(name);
  if (files_.exists(name)) seen_[name].safe = files_.content(name);
}

void crash_points::look() {
  if (!any() || !wrong_.empty()) return;
  for (std::string const& name : files_.names()) {
    seen& s = seen_[name];
    content now = files_.content(name);
    if (s.since.empty() ? s.safe != now : s.since.back() != now) s.since.push_back(std::move(now));
  }
  if (++calls_ % static_cast<std::uint64_t>(every_) != 0) return;
  virtual_files const left = files_.crash(mixed(seed_, calls_));
  for (auto const& [name, s] : seen_)
    if (wrong_.empty() && files_.exists(name)) compare(name, s, left);
}

void crash_points::compare(std::string const& name, seen const& s, virtual_files const& left) {
  auto const tell = [&](std::string const& words) {
    wrong_ = fmt::format("a crash after file call {} leaves file '{}' {}", calls_, name, words);
  };
  if (!left.exists(name)) {
    if (s.safe) tell("not there, although it was synced");
    return;
  }
  content const found = left.content(name);
  std::vector<content const*> all;
  if (s.safe) all.push_back(&*s.safe);
  for (auto c = s.since.rbegin(); c != s.since.rend(); ++c) all.push_back(&*c);
  if (std::any_of(all.begin(), all.end(), [&](content const* c) { return *c == found; })) return;
  bool const some_size = (!s.safe && found.empty()) || std::any_of(all.begin(), all.end(), [&](content const* c) {
                           return c->size() == found.size();
                         });
  if (!some_size) return tell(fmt::format("with {} bytes, which it never had", found.size()));
  for (std::size_t o = 0; o < found.size(); ++o) {
    auto const had = [&](content const* c) { return (o < c->size() ? (*c)[o] : std::byte{}) == found[o]; };
    bool const new_hole = !s.safe && found[o] == std::byte{};
    if (!new_hole && std::none_of(all.begin(), all.end(), had))
      return tell(fmt::format("with {:#x} at byte {}, which was {}", static_cast<int>(found[o]), o,
                              s.safe ? fmt::format("{:#x} when it was synced, and not written since",
                                                   static_cast<int>(o < s.safe->size() ? (*s.safe)[o] : std::byte{}))
                                     : "never there"));
  }
}

}  // namespace argosy::explore
