// Deletes parts of a program while it still goes wrong, and runs it again.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "run.hpp"

namespace argosy::explore {

using namespace extend;
namespace {

// Returns the program with fewer ranks, without the faults of the removed ranks.
program with_ranks(program p, int ranks) {
  p.world.ranks = ranks;
  auto const outside = [=](auto const& x) { return x.rank >= ranks; };
  std::erase_if(p.world.faults, outside);
  std::erase_if(p.world.slow, outside);
  std::erase_if(p.world.pauses, outside);
  std::erase_if(p.world.deaths, outside);
  return p;
}

class shrinker {
 public:
  shrinker(program p, std::function<bool(program const&)> const& is_wrong, int tries)
      : best_(std::move(p)), is_wrong_(is_wrong), left_(tries) {}

  program run() {
    bool better = true;
    while (better && left_ > 0) {
      better = false;
      better |= fewer(&program::steps);
      better |= fewer_of([](program& p) -> auto& { return p.world.faults; });
      better |= fewer_of([](program& p) -> auto& { return p.world.deaths; });
      better |= fewer_of([](program& p) -> auto& { return p.world.slow; });
      better |= fewer_of([](program& p) -> auto& { return p.world.pauses; });
      if (best_.gpfs) {
        better |= fewer_of([](program& p) -> auto& { return p.gpfs->troubles.faults; });
        better |= fewer_of([](program& p) -> auto& { return p.gpfs->troubles.slow; });
      }
      for (int n = 1; n < best_.world.ranks; n = std::max(n + 1, (n + best_.world.ranks) / 2))
        if (attempt(with_ranks(best_, n))) better = true;
      better |= plainer_world();
      for (std::size_t i = 0; i < best_.steps.size(); ++i) better |= plainer_step(i);
    }
    return best_;
  }

 private:
  bool attempt(program p) {
    if (left_ <= 0 || p == best_) return false;
    --left_;
    if (!is_wrong_(p)) return false;
    best_ = std::move(p);
    return true;
  }
  template <class F>
  bool change(F&& f) {
    program p = best_;
    f(p);
    return attempt(std::move(p));
  }

  bool fewer(std::vector<step> program::* list) {
    return fewer_of([=](program& p) -> auto& { return p.*list; });
  }
  // Deletes halves, then quarters, and so on, and at last single elements.
  template <class List>
  bool fewer_of(List&& list) {
    bool better = false;
    for (std::size_t n = list(best_).size(); n > 0; n /= 2)
      for (std::size_t at = 0; at < list(best_).size();) {
        bool const gone = change([&](program& p) {
          auto& all = list(p);
          auto const first = all.begin() + static_cast<std::ptrdiff_t>(at);
          all.erase(first, first + static_cast<std::ptrdiff_t>(std::min(n, all.size() - at)));
        });
        better |= gone;
        if (!gone) at += n;
      }
    return better;
  }

  bool plainer_world() {
    bool better = false;
    lab::scenario const plain;
    better |= change([&](program& p) { p.world.seed = 0; });
    better |= change([&](program& p) { p.world.network = plain.network; });
    better |= change([&](program& p) { p.world.disk = plain.disk; });
    better |= change([&](program& p) { p.world.ranks_per_node = p.world.ranks; });
    for (int n = 1; n < best_.world.ranks_per_node && n < 4; ++n)
      better |= change([&](program& p) { p.world.ranks_per_node = n; });
    better |= change([&](program& p) { p.before = {-1, -1}; });
    better |= change([&](program& p) {
      for (step& s : p.steps) s.slot = 0;
    });
    better |= change([&](program& p) { p.crash_every = 0; });
    if (best_.gpfs) {
      lab::gpfs::machine const usual;
      better |= change([&](program& p) { p.gpfs->troubles.delay_max = {}; });
      better |= change([&](program& p) { p.gpfs->troubles.seed = 0; });
      better |= change([&](program& p) { p.gpfs->machine = usual; });
      better |= change(
          [&](program& p) { p.gpfs->machine.pagepool_bytes = 64 * p.gpfs->machine.block_bytes; });
      better |= change(
          [&](program& p) { p.gpfs->machine.servers = p.gpfs->machine.disks_per_server = 1; });
      better |= change([&](program& p) { p.gpfs->machine.disk_us = usual.disk_us; });
      better |= change(
          [&](program& p) { p.gpfs->machine.prefetch_max_blocks = usual.prefetch_max_blocks; });
      better |=
          change([&](program& p) { p.gpfs->machine.prefetch_percent = usual.prefetch_percent; });
      better |=
          change([&](program& p) { p.gpfs->machine.prefetch_threads = usual.prefetch_threads; });
      better |= change([&](program& p) {
        p.gpfs->machine.write_behind_max_blocks = usual.write_behind_max_blocks;
      });
      for (std::size_t i = 0; i < best_.gpfs->troubles.faults.size(); ++i) {
        better |= change([&](program& p) { p.gpfs->troubles.faults[i].times = 1; });
        better |= change([&](program& p) { p.gpfs->troubles.faults[i].first = 1; });
        better |= change([&](program& p) { p.gpfs->troubles.faults[i].server = -1; });
      }
    }
    for (std::size_t i = 0; i < best_.world.faults.size(); ++i) {
      better |= change([&](program& p) { p.world.faults[i].what.times = 1; });
      better |= change([&](program& p) { p.world.faults[i].what.first = 1; });
    }
    return better;
  }

  bool plainer_step(std::size_t i) {
    bool better = false;
    step const plain;
    auto const with = [&](auto&& f) { better |= change([&](program& p) { f(p.steps[i]); }); };
    with([&](step& s) { s.salt = 0; });
    with([&](step& s) { s.memory = 0; });
    with([&](step& s) { s.static_type = 0; });
    with([&](step& s) { s.views = std::min(s.views, 1); });
    with([&](step& s) {
      if (by_views(s.what)) s.what = writes(s.what) ? op::write_at_all : op::read_at_all;
    });
    with([&](step& s) { s.loose = s.later = false; });
    with([&](step& s) { s.mistake = slip::none; });
    with([&](step& s) { s.culprit = 0; });
    with([&](step& s) { s.hints.clear(); });
    better |= fewer_of([=](program& p) -> auto& { return p.steps[i].hints; });
    with([&](step& s) { s.around.clear(); });
    with([&](step& s) { s.trouble = trouble::none; });
    with([&](step& s) { s.mix = 0, s.other = {}, s.both_ways = false; });
    with([&](step& s) { s.both_ways = false; });
    with([&](step& s) { s.other = {.kind = s.other.kind}; });
    with([&](step& s) { s.other = s.policy; });
    with([&](step& s) { s.slot = 0; });
    with([&](step& s) { s.whence = seek_from::start; });
    with([&](step& s) { s.modes = plain.modes; });
    with([&](step& s) { s.policy = {}; });
    with([&](step& s) { s.policy = {.kind = s.policy.kind}; });
    with([&](step& s) { s.policy.aggregators = 0; });
    with([&](step& s) { s.policy.layers = 0; });
    with([&](step& s) { s.view = {}; });
    with([&](step& s) { s.view.displacement = 0; });
    with([&](step& s) { s.view.etype_bytes = 1; });
    with([&](step& s) {
      s.view.representation = representation_choice::native, s.view.item = basic_type::byte;
    });
    with([&](step& s) { s.view.item = basic_type::int32; });
    for (std::uint64_t seed = 0; seed < 4 && best_.steps[i].view.seed > 3; ++seed)
      with([&](step& s) { s.view.seed = seed; });
    for (std::uint64_t seed = 1; seed < 4 && best_.steps[i].memory > 3; ++seed)
      with([&](step& s) { s.memory = seed; });
    with([&](step& s) { s.offset = 0; });
    with([&](step& s) { s.offset /= 2; });
    with([&](step& s) { s.count = 1; });
    with([&](step& s) { s.count /= 2; });
    with([&](step& s) { s.count -= s.count > 0; });
    return better;
  }

  program best_;
  std::function<bool(program const&)> const& is_wrong_;
  int left_;
};

}  // namespace

program shrunk(program p, std::function<bool(program const&)> const& is_wrong, int tries) {
  return shrinker(std::move(p), is_wrong, tries).run();
}

}  // namespace argosy::explore
