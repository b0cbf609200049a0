// Bugs that are planted to see that exploring finds them. Each is one that a programmer could
// write.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/policy/any_policy.hpp>
#include <argosy/policy/two_phase.hpp>

#include "run.hpp"

namespace argosy::explore {

using namespace extend;

// The byte between two file domains belongs to neither.
struct short_domains {
  static constexpr std::string_view name = two_phase::name;
  two_phase right = {};

  collective_plan plan(access_kind kind, access_summary const& all, rank_group const& ranks) const {
    collective_plan p = right.plan(kind, all, ranks);
    std::vector<file_domain>& domains = p.domains.as_list();
    for (std::size_t i = 0; i + 1 < domains.size(); ++i)
      if (domains[i].begin < domains[i].end) --domains[i].end;
    return p;
  }
  std::uint64_t key() const { return right.key(); }
  friend bool operator==(short_domains const&, short_domains const&) = default;
};
static_assert(collective_policy<short_domains>);

inline any_policy with_short_domains(any_policy p) {
  if (two_phase const* const right = p.target<two_phase>()) return short_domains{*right};
  return p;
}

// Writes nearby parts as one piece, and so overwrites the bytes between them.
class hole_filler : public any_handle {
 public:
  hole_filler(std::in_place_t, any_handle inner) : any_handle(std::move(inner)) {}

  using any_handle::write;
  io_result write(std::span<write_part const> parts) {
    if (parts.empty()) return {};
    std::vector<std::byte> all;
    std::int64_t const begin = parts.front().offset;
    std::int64_t bytes = 0;
    for (write_part const& p : parts) {
      if (p.offset < begin + static_cast<std::int64_t>(all.size()) || p.offset > begin + (1 << 16))
        return any_handle::write(parts);
      all.resize(static_cast<std::size_t>(p.offset - begin));
      all.insert(all.end(), p.memory.begin(), p.memory.end());
      bytes += static_cast<std::int64_t>(p.memory.size());
    }
    io_result const put = write(begin, all);
    return put.error ? io_result{0, put.error} : io_result{bytes, {}};
  }
};

template <class H>
opener opening_as(opener inner) {
  return inner.opening(
      [inner](std::string const& path, open_flags flags, std::error_code& error) -> any_handle {
        any_handle opened = inner(path, flags, error);
        if (error) return {};
        return any_handle(H(std::in_place, std::move(opened)));
      });
}

inline opener with_filled_holes(opener inner, int) {
  return opening_as<hole_filler>(std::move(inner));
}

// Only rank 0 syncs; on the other ranks sync() does nothing, so data stays in the caches of their
// nodes.
class no_sync : public any_handle {
 public:
  no_sync(std::in_place_t, any_handle inner) : any_handle(std::move(inner)) {}
  std::error_code sync() { return {}; }
};

inline opener with_one_sync(opener inner, int rank) {
  return rank == 0 ? inner : opening_as<no_sync>(std::move(inner));
}

// Hides errors of sync() and close().
struct quiet : any_handle {
  explicit quiet(any_handle inner) : any_handle(std::move(inner)) {}
  std::error_code sync() {
    any_handle::sync();
    return {};
  }
  std::error_code close() {
    any_handle::close();
    return {};
  }
};

inline opener with_quiet_ends(opener inner, int) {
  return inner.opening(
      [inner](std::string const& path, open_flags flags, std::error_code& error) -> any_handle {
        any_handle opened = inner(path, flags, error);
        if (error) return {};
        return any_handle(quiet(std::move(opened)));
      });
}

// Runs the program in a world where an aggregator whose file access failed leaves the exchange at
// once, and returns its error.
verdict verdict_with_early_return(program const& p);

}  // namespace argosy::explore
