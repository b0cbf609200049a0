// Pictures of plans as SVG: the file from left to right, and the ranks that access each part. Needs
// argosy::argosy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include <argosy/extend.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/plan.hpp>

namespace argosy {

namespace extend {

struct draw_plan_options {
  std::string title{};  // default: policy, kind and bytes
  // The requests of each rank, with offsets in the file. They are drawn below the plan, with the
  // gaps between them. May be empty.
  std::span<layout const> ranks{};
  int most_ranks = 16;  // drawn one by one, evenly chosen; the picture says how many there are
  int width_px = 960;
};

}  // namespace extend

// Returns a picture of the windows of one rank, and of how each is accessed: whole, by pieces, or
// merged with its gaps. Local. O(windows + pixels).
std::string draw(plan const& p, extend::draw_plan_options const& options = {});

// Returns a picture of the domains and their aggregators, the windows of each round, and the pieces
// of the ranks. Local. O(windows + ranks x pixels).
std::string draw(collective_plan const& p, extend::draw_plan_options const& options = {});

}  // namespace argosy
