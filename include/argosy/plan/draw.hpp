// Pictures of plans: the file from left to right, and which rank touches what.
// The pictures are SVG; link argosy::argosy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include <argosy/layout/layout.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/plan.hpp>

namespace argosy {

struct draw_plan_options {
  std::string title{};  // default: the policy, what it does, how many bytes
  // What each rank wants, with offsets in the file: shown below the plan, with the holes between.
  // May be empty.
  std::span<layout const> ranks{};
  int most_ranks = 16;  // drawn one by one, evenly chosen; the picture says how many there are
  int width_px = 960;
};

// The windows of one rank, and how each goes: whole, by pieces, or merged with its holes. O(windows
// + pixels). Local.
std::string draw(plan const& p, draw_plan_options const& options = {});

// The domains and their aggregators, the windows of each round, and the pieces of the ranks.
// O(windows + ranks x pixels). Local.
std::string draw(collective_plan const& p, draw_plan_options const& options = {});

}  // namespace argosy
