// SPDX-License-Identifier: BSD-3-Clause
#include "crash_points.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "places.hpp"

namespace argosy::explore {

void crash_points::seen::take(content now) {
  std::size_t const known = std::min(last.size(), now.size());
  if (now.size() > values.size()) values.resize(now.size());
  sizes.insert(now.size());
  for (auto at = now.begin(), end = now.begin() + static_cast<std::ptrdiff_t>(known); at != end;
       ++at) {
    at = std::mismatch(at, end, last.begin() + (at - now.begin())).first;
    if (at == end) break;
    values[static_cast<std::size_t>(at - now.begin())].set(std::to_integer<std::size_t>(*at));
  }
  for (std::size_t o = known; o < now.size(); ++o)
    values[o].set(std::to_integer<std::size_t>(now[o]));
  last = std::move(now);
}

// Bytes behind the end of a file count as 0.
bool crash_points::seen::had(std::size_t offset, std::byte value) const {
  if (value == std::byte{} && !sizes.empty() && offset >= *sizes.begin()) return true;
  return offset < values.size() && values[offset].test(std::to_integer<std::size_t>(value));
}

void crash_points::keep(std::string const& name) {
  if (!any()) return;
  seen_.erase(name);
  if (!files_.exists(name)) return;
  seen& s = seen_[name];
  s.safe = files_.content(name);
  s.take(*s.safe);
}

void crash_points::look() {
  if (!any() || !wrong_.empty()) return;
  for (std::string const& name : files_.names()) seen_[name].take(files_.content(name));
  if (++calls_ % static_cast<std::uint64_t>(every_) != 0) return;
  lab::virtual_files const left = files_.crash(mixed(seed_, calls_));
  for (auto const& [name, s] : seen_)
    if (wrong_.empty() && files_.exists(name)) compare(name, s, left);
}

void crash_points::compare(std::string const& name, seen const& s, lab::virtual_files const& left) {
  auto const tell = [&](std::string const& words) {
    wrong_ = fmt::format("a crash after file call {} leaves file '{}' {}", calls_, name, words);
  };
  if (!left.exists(name)) {
    if (s.safe) tell("not there, although it was synced");
    return;
  }
  content const found = left.content(name);
  if (!s.sizes.contains(found.size()) && (s.safe || !found.empty()))
    return tell(fmt::format("with {} bytes, which it never had", found.size()));
  for (std::size_t o = 0; o < found.size(); ++o) {
    bool const new_hole = !s.safe && found[o] == std::byte{};
    if (!new_hole && !s.had(o, found[o]))
      return tell(fmt::format(
          "with {:#x} at byte {}, which was {}", static_cast<int>(found[o]), o,
          s.safe ? fmt::format("{:#x} when it was synced, and not written since",
                               static_cast<int>(o < s.safe->size() ? (*s.safe)[o] : std::byte{}))
                 : "never there"));
  }
}

}  // namespace argosy::explore
