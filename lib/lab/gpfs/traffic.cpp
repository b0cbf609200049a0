// Implements lab/gpfs/traffic.hpp: records tokens, and draws them as SVG.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/traffic.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <layout/axis.hpp>
#include <layout/svg.hpp>

namespace argosy::lab::gpfs {

using namespace detail;

traffic::traffic(loopback& system)
    : system_(system), began_(system.now()), next_(system.on_delivery) {
  system_.on_delivery = [this](message const& m, instant now) {
    if (std::holds_alternative<token_grant>(m.body))
      events_.push_back({now - began_, kind::grant, m.to.index, m.to.index});
    else if (std::holds_alternative<revoke>(m.body))
      events_.push_back({now - began_, kind::revocation, m.from.index, m.to.index});
    if (next_) next_(m, now);
  };
}

traffic::~traffic() { system_.on_delivery = std::move(next_); }

std::int64_t traffic::count(kind what) const {
  return std::count_if(events_.begin(), events_.end(),
                       [=](event const& e) { return e.what == what; });
}

double traffic::seconds() const {
  return events_.empty() ? 0 : std::chrono::duration<double>(events_.back().at).count();
}

std::string traffic::draw(std::string const& title, double seconds) const {
  namespace svg = argosy::detail;
  constexpr double left = 70, right = 20, top = 70, wide = 900, lane = 36;
  double const length = std::max(seconds > 0 ? seconds : this->seconds(), 1e-9);
  auto const across = [=](instant at) {
    return left + wide * std::chrono::duration<double>(at).count() / length;
  };
  auto const down = [](node_id node) { return top + lane * node; };
  auto const colour = [](node_id node) {
    return svg::colour_of_rank(static_cast<std::size_t>(node));
  };

  svg::svg_sheet sheet(left + wide + right);
  sheet.text(left, 26, title, 16);
  sheet.text(
      left, 46,
      fmt::format(
          "{} tokens given (ticks), {} taken away by another node (lines; the dot is who wants it)",
          count(kind::grant), count(kind::revocation)),
      12);
  for (node_id n = 0; n < system_.nodes(); ++n) {
    sheet.line(left, down(n), left + wide, down(n), svg::grid_grey);
    sheet.text(left - 8, down(n) + 4, fmt::format("node {}", n), 12, "end");
  }
  for (event const& e : events_) {
    double const x = across(e.at);
    if (x > left + wide) continue;
    if (e.what == kind::grant) {
      sheet.line(x, down(e.to) - 7, x, down(e.to) + 7, colour(e.to));
    } else {
      sheet.line(x, down(e.from), x, down(e.to), colour(e.from));
      sheet.rectangle(x - 2, down(e.from) - 2, 4, 4, colour(e.from));
    }
  }
  double const foot = down(system_.nodes() - 1) + 30;
  double const step = svg::round_step(length, 6);
  for (int k = 0; k * step <= length * (1 + 1e-9); ++k) {
    double const x = left + wide * k * step / length;
    std::string const text = svg::seconds_text(k * step);
    bool const overhangs = x + svg::svg_sheet::text_width(text, 11) / 2 > sheet.width();
    sheet.line(x, foot - 16, x, foot - 12, svg::ink);
    sheet.text(overhangs ? sheet.width() - 2 : x, foot, text, 11, overhangs ? "end" : "middle");
  }
  return sheet.finish(foot + 20, title);
}

}  // namespace argosy::lab::gpfs
