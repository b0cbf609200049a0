// Draws the pictures of plans.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/plan/draw.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <argosy/layout/detail/counted.hpp>
#include <argosy/layout/detail/print.hpp>
#include <argosy/plan/detail/print.hpp>
#include <layout/axis.hpp>
#include <layout/svg.hpp>

namespace argosy::detail {
namespace {

// Lanes below each other, all for the same range of the file.
class plan_picture {
 public:
  plan_picture(std::int64_t from, std::int64_t to, draw_plan_options const& options)
      : options_(options),
        sheet_(std::max(320, options.width_px)),
        from_(from),
        to_(std::max(to, from + 1)) {
    byte_px_ = (sheet_.width() - left - right) / static_cast<double>(to_ - from_);
  }

  void heading(std::string_view title, std::string_view facts) {
    double const room = sheet_.width() - 2 * margin;
    sheet_.text(margin, 26, svg_sheet::fitted(title, 15, room), 15, "start", ink,
                "font-weight=\"bold\"");
    sheet_.text(margin, 46, svg_sheet::fitted(facts, 12, room), 12);
    axis();
  }

  void begin_lane(std::string_view name) {
    if (!name.empty())
      sheet_.text(left - 10, y_ + height / 2 + 4, svg_sheet::fitted(name, 11, left - 14), 11,
                  "end");
    sheet_.rectangle(left, y_, sheet_.width() - left - right, height, pale);
  }
  // Draws a box. It is at least half a pixel wide, so that it stays visible.
  void box(std::int64_t begin, std::int64_t end, colour fill, std::string_view label) {
    double const px = std::max(0.5, x(end) - x(begin));
    sheet_.rectangle(x(begin), y_, px, height, fill,
                     px > 5 ? "stroke=\"#ffffff\" stroke-width=\"1\"" : "");
    if (!label.empty() && svg_sheet::text_width(label, 10) + 4 < px)
      sheet_.text(x(begin) + px / 2, y_ + height / 2 + 4, label, 10, "middle",
                  fill.is_dark() ? white : ink);
  }
  void end_lane(double gap = 4) { y_ += height + gap; }

  // Draws cells, each as dark as it is full of requested bytes. Neighbours of one shade are one
  // box.
  void shares(std::span<layout const> wanted, colour full) {
    auto const cells = std::min<std::int64_t>(to_ - from_, 480);
    auto const edge = [&](std::int64_t i) {
      return from_ + static_cast<std::int64_t>(static_cast<double>(to_ - from_) *
                                               static_cast<double>(i) / static_cast<double>(cells));
    };
    int shade = 0;
    std::int64_t begin = from_;
    auto const flush = [&](std::int64_t end) {
      if (shade > 0)
        sheet_.rectangle(x(begin), y_, x(end) - x(begin) + 0.3, height,
                         full.towards(pale, 0.8 - 0.1 * shade));
      begin = end;
    };
    for (std::int64_t i = 0; i < cells; ++i) {
      std::int64_t const a = edge(i), b = i + 1 == cells ? to_ : edge(i + 1);
      std::int64_t bytes = 0;
      for (layout const& l : wanted) bytes += l.bytes_within(a, b);
      double const share =
          static_cast<double>(bytes) / static_cast<double>(std::max<std::int64_t>(1, b - a));
      int const next = share <= 0 ? 0 : std::clamp(static_cast<int>(share * 8 + 0.5), 1, 8);
      if (next == shade) continue;
      flush(a);
      shade = next;
    }
    flush(to_);
  }

  // Draws the lanes of the ranks' requests.
  void wanted() {
    if (options_.ranks.empty()) return;
    y_ += 8;
    begin_lane("wanted");
    shares(options_.ranks, ink);
    end_lane(8);
    auto const n = std::ssize(options_.ranks),
               shown = std::min<std::ptrdiff_t>(n, std::max(0, options_.most_ranks));
    for (std::ptrdiff_t i = 0; n > 1 && i < shown; ++i) {
      std::ptrdiff_t const r = i * n / shown;
      begin_lane("rank " + std::to_string(r));
      shares(options_.ranks.subspan(static_cast<std::size_t>(r), 1),
             colour_of_rank(static_cast<std::size_t>(r)));
      end_lane(2);
    }
    if (n > shown) {
      sheet_.text(left, y_ + 12, "and " + counted(n - shown, "rank") + " more", 11);
      y_ += 18;
    }
  }

  using legend_entry = std::pair<colour, std::string>;
  std::string finish(std::vector<legend_entry> const& legend, std::string_view title) {
    double at = left;
    y_ += 8;
    for (auto const& [fill, text] : legend) {
      double const room = 36 + svg_sheet::text_width(text, 11);
      if (at > left && at + room > sheet_.width()) {
        at = left;
        y_ += 20;
      }
      sheet_.rectangle(at, y_, 14, 14, fill, "stroke=\"#c8cdd4\"");
      sheet_.text(at + 20, y_ + 11, text, 11);
      at += room;
    }
    return sheet_.finish(y_ + 30, title);
  }

  static constexpr colour whole_blue{8, 69, 148}, pieces_green{0, 158, 115},
      merged_orange{230, 159, 0};

 private:
  static constexpr double left = 110, right = 40, margin = 16, height = 20;

  double x(std::int64_t offset) const {
    return left + static_cast<double>(std::clamp(offset, from_, to_) - from_) * byte_px_;
  }
  void axis() {
    std::int64_t step = 1;
    auto const px = [&](std::int64_t bytes) { return static_cast<double>(bytes) * byte_px_; };
    while (px(step) < 90) step *= 2;
    // Ticks are at multiples of the step in the file.
    std::int64_t const first = from_ + (from_ % step == 0 ? 0 : step - from_ % step);
    for (std::int64_t b = first; b <= to_; b += step) {
      sheet_.line(x(b), y_ - 8, x(b), y_ - 3, ink);
      std::string const text = bytes_text(b);
      double const half = svg_sheet::text_width(text, 10) / 2;
      sheet_.text(std::min(x(b), sheet_.width() - half - 2), y_ - 11, text, 10, "middle");
      if (b > to_ - step) break;
    }
  }

  draw_plan_options const& options_;
  svg_sheet sheet_;
  std::int64_t from_, to_;
  double byte_px_ = 1, y_ = 78;
};

// The most windows that are drawn one by one; more would be finer than pixels.
constexpr std::size_t most_drawn_windows = 4000;

std::pair<std::int64_t, std::int64_t> hull_of(std::span<layout const> ranks) {
  std::int64_t from = INT64_MAX, to = INT64_MIN;
  for (layout const& l : ranks) {
    if (l.empty()) continue;
    from = std::min(from, l.true_lower_bound());
    to = std::max(to, l.true_upper_bound());
  }
  return {from, to};
}

std::string verb_of(access_kind kind) { return kind == access_kind::read ? "read" : "write"; }

std::string draw_plan(plan const& p, draw_plan_options const& options) {
  auto [from, to] = hull_of(options.ranks);
  for (window const& w : p.windows) {
    from = std::min(from, w.offset);
    to = std::max(to, w.offset + w.length);
  }
  if (from > to) from = to = 0;
  plan_picture picture(from, to, options);
  std::string const title = options.title.empty() ? p.policy + " " + verb_of(p.kind) + " of " +
                                                        counted(p.wanted(), "byte") + ": " +
                                                        counted(std::ssize(p.windows), "window") +
                                                        ", " + counted(p.file_calls(), "file call")
                                                  : options.title;
  picture.heading(title, p.reason);
  picture.begin_lane("windows");
  std::size_t const stride = (p.windows.size() + most_drawn_windows - 1) / most_drawn_windows;
  for (std::size_t i = 0; i < p.windows.size(); i += std::max<std::size_t>(1, stride)) {
    window const& w = p.windows[i];
    colour const fill = w.how == transfer_mode::whole    ? plan_picture::whole_blue
                        : w.how == transfer_mode::merged ? plan_picture::merged_orange
                                                         : plan_picture::pieces_green;
    picture.box(w.offset, w.offset + w.length, fill, std::to_string(i));
  }
  picture.end_lane();
  picture.wanted();
  std::vector<plan_picture::legend_entry> legend{
      {plan_picture::whole_blue, "whole: one call"},
      {plan_picture::pieces_green, "pieces: a call each"},
      {plan_picture::merged_orange, "merged: with its holes"}};
  if (!options.ranks.empty()) legend.emplace_back(pale, "holes");
  return picture.finish(legend, title);
}

std::string draw_plan(collective_plan const& p, draw_plan_options const& options) {
  auto [from, to] = hull_of(options.ranks);
  for (file_domain const& d : p.domains) {
    from = std::min(from, d.begin);
    to = std::max(to, d.end);
  }
  if (from > to) from = to = 0;
  plan_picture picture(from, to, options);
  bool const striped = !p.domains.empty() && p.domains.front().striped();
  char const* const who = striped ? "agent" : "aggregator";
  std::string title = options.title;
  if (title.empty())
    title =
        p.policy + " " + verb_of(p.kind) + ": " +
        (p.together ? counted(std::ssize(p.domains), who) + ", " + counted(p.rounds(), "round") +
                          ", windows of " + bytes_text(p.window_bytes)
                    : "every rank by itself");
  picture.heading(title, p.reason.str());
  if (p.together) {
    if (!striped) {
      picture.begin_lane("domains");
      for (file_domain const& d : p.domains)
        picture.box(d.begin, d.end, colour_of_rank(static_cast<std::size_t>(d.rank)),
                    "rank " + std::to_string(d.rank));
      picture.end_lane();
    }
    picture.begin_lane(striped ? "stripes" : "rounds");
    std::int64_t windows = 0;
    for (file_domain const& d : p.domains) windows += p.rounds_of(d);
    std::int64_t const stride = windows / static_cast<std::int64_t>(most_drawn_windows) + 1;
    for (file_domain const& d : p.domains) {
      colour const fill = colour_of_rank(static_cast<std::size_t>(d.rank));
      for (std::int64_t k = 0; k < p.rounds_of(d); k += stride) {
        file_window const w = p.window_of(d, k);
        // Two tints distinguish the rounds of one aggregator.
        picture.box(w.begin, w.end, fill.towards(white, k % 2 == 0 ? 0.15 : 0.55),
                    striped ? "rank " + std::to_string(d.rank) : std::to_string(k + 1));
      }
    }
    picture.end_lane();
  }
  picture.wanted();
  std::vector<plan_picture::legend_entry> legend;
  if (p.together)
    legend.emplace_back(palette[0], std::string("colour: the rank of the ") + who +
                                        (options.ranks.empty() ? "" : ", and of who wants it"));
  if (!options.ranks.empty())
    legend.emplace_back(
        pale, p.together && !p.sparse
                  ? "holes: read and written back with their windows where pieces are small"
                  : "holes: not touched");
  return picture.finish(legend, title);
}

}  // namespace
}  // namespace argosy::detail

namespace argosy {

std::string draw(plan const& p, extend::draw_plan_options const& options) {
  return detail::draw_plan(p, options);
}
std::string draw(collective_plan const& p, extend::draw_plan_options const& options) {
  return detail::draw_plan(p, options);
}

}  // namespace argosy
