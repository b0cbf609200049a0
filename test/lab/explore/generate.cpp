// Makes programs from seeds.
// SPDX-License-Identifier: BSD-3-Clause
#include "generate.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "static_types.hpp"
#include "weights.hpp"

namespace argosy::explore {

using namespace extend;
namespace {

using test::engine;
using test::one_in;
using test::pick;

int random_ranks(engine& random) {
  std::int64_t const x = pick(random, 1, 3000);
  if (x == 1) return 4096;
  if (x < 60) return static_cast<int>(pick(random, 65, 256));
  if (x < 300) return static_cast<int>(pick(random, 17, 64));
  if (x < 900) return static_cast<int>(pick(random, 9, 16));
  return static_cast<int>(pick(random, 1, 8));
}

policy_choice random_policy(engine& random, bool agents) {
  policy_choice p;
  p.kind = agents ? weights::pick(random, weights::policies_with_agents)
                  : weights::pick(random, weights::policies);
  if (one_in(random, 3)) return p;
  constexpr std::int64_t sizes[] = {1, 7, 16, 64, 100, 512, 4096, 10000};
  p.buffer_bytes = any_of(random, sizes);
  p.window_bytes = any_of(random, sizes);
  if (one_in(random, 2)) p.aggregators = pick(random, 1, 9);
  if (one_in(random, 2)) p.align_bytes = any_of(random, {1, 8, 64, 512, 4096});
  p.merge = static_cast<int>(pick(random, 0, 2));
  if (p.kind == policy_kind::two_phase || p.kind == policy_kind::automatic)
    p.layers = pick(random, 0, 2);
  // Smaller buffers with few aggregators would take thousands of rounds.
  if (p.kind == policy_kind::two_phase || p.kind == policy_kind::automatic ||
      p.kind == policy_kind::data_shipping)
    p.buffer_bytes = std::max<std::int64_t>(p.buffer_bytes, 32),
    p.window_bytes = std::max<std::int64_t>(p.window_bytes, 16);
  return p;
}

class writer_of_programs {
 public:
  writer_of_programs(std::uint64_t seed, int ranks, std::vector<hint_choice> more = {})
      : random_(seed), types_(mixed(seed, 1)), views_(mixed(seed, 2)), more_(std::move(more)) {
    p_.world.ranks = ranks > 0 ? ranks : random_ranks(random_);
    ranks_ = p_.world.ranks;
    most_ = std::max<std::int64_t>(4, 6000 / ranks_);
  }

  program write() {
    make_world(random_, p_);
    for (std::int64_t& size : p_.before)
      if (one_in(random_, 2)) size = one_in(random_, 4) ? 0 : pick(random_, 1, 20000);
    if (ranks_ <= 64 && one_in(random_, weights::two_files_at_once)) {
      two_files();
    } else {
      int const files = one_in(random_, weights::one_file_after_the_other) ? 2 : 1;
      for (int i = 0; i < files; ++i) {
        open(0, i);
        calls(ranks_ > 256 ? 3 : ranks_ > 64 ? pick(random_, 2, 6) : pick(random_, 3, 14), 0);
        close();
      }
    }
    if (one_in(random_, weights::crashes)) p_.crash_every = pick(random_, 1, 4);
    // With two layers each node sends to each aggregator in each round. With that many ranks this
    // takes minutes, unless the price decides.
    if (ranks_ > 1000)
      for (step& s : p_.steps)
        if (s.policy.layers == 2) s.policy.layers = 0;
    return p_;
  }

 private:
  // The state of an open file that the generator needs.
  struct known {
    explore::shape shape = shape::plain;
    basic_type item = basic_type::byte;
    representation_choice representation = representation_choice::native;
    // develop: the hint argosy_develop, which reports mistakes of several ranks together
    bool agents = false, sequential = false, develop = false;
    argosy::mode modes = mode::none;
  };
  known& here() { return files_[static_cast<std::size_t>(slot_)]; }
  void add(step s) {
    s.slot = slot_;
    p_.steps.push_back(std::move(s));
  }

  // Calls on two open files in turn. Both may be the same file.
  void two_files() {
    open(0, 0);
    calls(pick(random_, 0, 4), 0);
    open(1, one_in(random_, 2) ? 0 : 1);
    calls(pick(random_, 2, 10), 3);
    slot_ = static_cast<int>(pick(random_, 0, 1));
    close();
    slot_ = 1 - slot_;
    calls(pick(random_, 0, 3), 0);
    close();
  }
  // Adds n calls. One in `turns` switches to the other file first; 0: never.
  void calls(std::int64_t n, std::int64_t turns) {
    for (std::int64_t k = 0; k < n; ++k) {
      if (turns > 0 && one_in(random_, turns)) slot_ = 1 - slot_;
      call();
    }
  }
  void close() { add({.what = op::close, .later = true}); }

  void open(int slot, int file) {
    slot_ = slot;
    step s{.what = op::open, .file = file};
    known& f = here() = {};
    mode const way = one_in(random_, weights::one_way) ? any_of(random_, {mode::read, mode::write})
                                                       : mode::read_write;
    s.modes = way;
    if (one_in(random_, weights::sequential))
      s.modes = any_of(random_, {mode::read, mode::write}) | mode::sequential;
    if (!has(s.modes, mode::read) && !one_in(random_, weights::not_made))
      s.modes = s.modes | mode::create;
    if (has(s.modes, mode::create) && one_in(random_, weights::exclusive))
      s.modes = s.modes | mode::exclusive;
    if (one_in(random_, weights::appending)) s.modes = s.modes | mode::append;
    if (one_in(random_, weights::unique)) s.modes = s.modes | mode::unique_open;
    if (one_in(random_, weights::deleting)) s.modes = s.modes | mode::delete_on_close;
    f.sequential = has(s.modes, mode::sequential);
    f.agents = one_in(random_, weights::agents);
    if (f.agents || one_in(random_, weights::any_hints))
      s.hints = random_hints(random_, f.agents, more_);
    f.develop = std::any_of(s.hints.begin(), s.hints.end(),
                            [](auto const& h) { return h.first == "argosy_develop"; });
    while (s.around.size() < 4 && one_in(random_, s.around.empty() ? weights::decorated : 2))
      s.around.push_back(weights::pick(random_, weights::decorators));
    f.modes = s.modes;
    add(std::move(s));
    if (!one_in(random_, weights::no_view)) set_view();
  }

  void set_view() {
    step s{.what = op::set_view, .salt = number(random_)};
    known& f = here();
    view_choice& v = s.view;
    bool const typed = one_in(random_, weights::typed);
    auto const has_blocks = [&] { return !(v.shape == shape::woven || v.shape == shape::common); };
    do v.shape = weights::pick(random_, weights::shapes);
    while ((f.sequential && !is_one_for_all(v.shape)) ||
           (v.shape == shape::ghosts && (ranks_ > 64 || f.develop)) ||
           (typed && !has_blocks() && !one_in(random_, weights::typed_tree)));
    v.seed = number(random_) % 4096 + 1;
    if (one_in(random_, weights::displaced))
      v.displacement = pick(random_, 0, one_in(random_, 3) ? 9000 : 50);
    bool const blocks = has_blocks();
    if (typed) {
      v.representation = weights::pick(random_, weights::representations);
      if (blocks) v.item = weights::pick(random_, weights::items);
    }
    if (blocks && v.item == basic_type::byte)
      v.etype_bytes = weights::pick(random_, weights::etypes);
    if (one_in(random_, weights::hints_with_view)) s.hints = random_hints(random_, false, more_);
    f.shape = v.shape;
    f.item = v.item;
    f.representation = v.representation;
    add(std::move(s));
  }

  // Returns a call that the view and the mode allow, mostly.
  op random_call() {
    known const& f = here();
    for (int tries = 0;; ++tries) {
      op const o = weights::pick(random_, weights::calls);
      if (tries > 20) return o;
      bool const shared = at_shared_pointer(o);
      if (shared && (!is_one_for_all(f.shape) || (f.agents && !is_collective(o)))) continue;
      if (o == op::seek_shared && !is_one_for_all(f.shape)) continue;
      if (f.sequential && !shared && (moves_data(o) || o == op::seek_shared) && !one_in(random_, 8))
        continue;
      if (moves_data(o) &&
          !(writes(o) ? argosy::detail::can_write(f.modes) : argosy::detail::can_read(f.modes)) &&
          !one_in(random_, 4))
        continue;
      return o;
    }
  }

  void call() {
    step s{.what = random_call()};
    if (s.what == op::set_view) return set_view();
    s.salt = number(random_);
    s.on = !one_in(random_, 3);
    if (!moves_data(s.what)) {
      bool const points =
          s.what == op::seek_shared || s.what == op::explain || s.what == op::explain_all;
      s.offset = points ? pick(random_, 0, 200) : pick(random_, 0, 20000);
      s.count = pick(random_, 0, s.what == op::compute ? 3000 : 60);
      if (s.what == op::explain || s.what == op::explain_all)
        s.policy = random_policy(random_, here().agents);
      if (s.what == op::set_hints) s.hints = random_hints(random_, false, more_);
      if (s.what == op::seek || s.what == op::seek_shared) {
        s.whence = weights::pick(random_, weights::whences);
        s.offset = pick(random_, s.whence == seek_from::start ? -2 : -100, 200);
      }
      bool const resizes = s.what == op::set_size || s.what == op::preallocate;
      if ((resizes || s.what == op::seek_shared) && one_in(random_, 10))
        s.mistake = slip::other_size;
      s.culprit = static_cast<int>(pick(random_, 0, ranks_ - 1));
      return add(std::move(s));
    }
    transfer(s);
    bool const leads =
        here().sequential && s.loose && at_shared_pointer(s.what) && is_local(s.what);
    add(std::move(s));
    if (leads) set_view();  // other ranks may still be moving the pointer
  }

  void transfer(step& s) {
    known const& f = here();
    s.offset =
        one_in(random_, weights::from_start) ? 0 : pick(random_, 0, one_in(random_, 4) ? 400 : 40);
    if (at_pointer(s.what) && one_in(random_, 2)) s.offset = -1;
    s.count =
        one_in(random_, weights::nothing)
            ? 0
            : pick(random_, 1, std::min<std::int64_t>(most_, one_in(random_, 6) ? 1500 : 120));
    if (!one_in(random_, weights::uneven)) s.salt = 0;
    if (one_in(random_, weights::scattered_memory)) s.memory = number(random_) % 4096 + 1;
    s.policy = random_policy(random_, f.agents);
    s.later = one_in(random_, weights::later);
    s.loose = one_in(random_, weights::loose);
    bool const apart = f.shape != shape::ghosts && argosy::detail::can_read(f.modes) &&
                       argosy::detail::can_write(f.modes) && !at_shared_pointer(s.what);
    if (is_local(s.what) &&
        one_in(random_, f.agents ? weights::mixed_with_agents : weights::mixed)) {
      s.mix = number(random_);
      s.other = random_policy(random_, f.agents);
      s.both_ways = apart && one_in(random_, weights::both_ways);
    }
    if (one_in(random_, weights::mistaken)) s.mistake = weights::pick(random_, weights::slips);
    s.culprit = static_cast<int>(pick(random_, 0, ranks_ - 1));
    describe_statically(s);
    if (writes(s.what) && is_users(f.representation) && one_in(random_, weights::troubled_items))
      s.trouble = weights::pick(random_, weights::troubles_of_items);
    else if (writes(s.what) && converts(f.representation) &&
             one_in(random_, weights::troubled_items))
      s.trouble = trouble::misfit;
    else if (one_in(random_, weights::troubled))
      s.trouble = weights::pick(random_, weights::troubles);
    deal_to_views(s);
  }

  // Draws a datatype that the compiler knows, from random numbers of its own. Its copies must fill
  // the data, so the number of etypes often has many divisors. Local calls by hints take the short
  // way of small data.
  void describe_statically(step& s) {
    if (!one_in(types_, weights::static_data)) return;
    s.static_type = static_cast<int>(pick(types_, 1, static_type_count));
    if (s.count > 0 && one_in(types_, 2)) s.count = std::min(most_, 24 * pick(types_, 1, 4));
    if (is_local(s.what) && one_in(types_, 2)) s.policy = {};
  }

  // Deals the data to several views, by random numbers of its own. Views are at no offset, and
  // have etypes of one byte.
  void deal_to_views(step& s) {
    if (s.what != op::read_at_all && s.what != op::write_at_all) return;
    if (here().representation != representation_choice::native) return;
    if (!one_in(views_, weights::several_views)) return;
    s.what = writes(s.what) ? op::write_views_all : op::read_views_all;
    s.views = static_cast<int>(pick(views_, 1, 4));
    s.static_type = 0;
    if (s.mistake != slip::null_address) s.mistake = slip::none;
  }

  engine random_, types_, views_;
  std::vector<hint_choice> more_;
  program p_;
  int ranks_ = 1;
  std::int64_t most_ = 1;
  int slot_ = 0;
  std::array<known, 2> files_;
};

}  // namespace

program random_program(std::uint64_t seed, int ranks) {
  return writer_of_programs(seed, ranks).write();
}
program random_program_with(hint_choice const& more, std::uint64_t seed) {
  return writer_of_programs(seed, 0, {more}).write();
}

}  // namespace argosy::explore
