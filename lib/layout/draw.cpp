// Draws the picture of a layout.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/layout/draw.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <argosy/layout/cursor.hpp>
#include <argosy/layout/detail/print.hpp>
#include <layout/svg.hpp>

namespace argosy::detail {
namespace {

class strip_picture {
 public:
  strip_picture(layout const& l, draw_options const& options)
      : layout_(l), options_(options), sheet_(std::max(320, options.width_px)) {
    from_ = l.empty() ? l.lower_bound() : std::min(l.lower_bound(), l.true_lower_bound());
    to_ = l.empty() ? l.upper_bound() : std::max(l.upper_bound(), l.true_upper_bound());
    to_ = std::max(to_, from_ + 1);
    row_bytes_ = options.row_bytes > 0 ? options.row_bytes : chosen_row();
    std::int64_t const rows = (to_ - from_ + row_bytes_ - 1) / row_bytes_;
    rows_ = std::min<std::int64_t>(rows, std::max(1, options.most_rows));
    hidden_ = rows - rows_;
    row_px_ = rows_ <= 8 ? 30 : 20;
    byte_px_ = (sheet_.width() - left - right) / static_cast<double>(row_bytes_);
    first_y_ = 74;
    last_row_end_ = hidden_ > 0 ? from_ + rows_ * row_bytes_ : to_;
  }

  std::string draw() {
    heading();
    axis();
    background();
    bool const one_by_one = layout_.pieces() <= most_pieces;
    if (one_by_one)
      pieces();
    else
      shares();
    bounds();
    double const end = first_y_ + static_cast<double>(rows_) * pitch();
    return sheet_.finish(legend(end, one_by_one), title());
  }

 private:
  static constexpr double left = 100, right = 24;
  static constexpr std::int64_t most_pieces = 400, most_cells = 6000;
  static constexpr colour first{8, 69, 148}, last{158, 202, 225};  // one hue, dark to light

  double pitch() const { return row_px_ + 8; }
  double row_y(std::int64_t row) const { return first_y_ + static_cast<double>(row) * pitch(); }
  double byte_x(std::int64_t in_row) const { return left + static_cast<double>(in_row) * byte_px_; }

  // Returns the bytes in a row. A stride of the layout makes its rule visible, because copies stand
  // below each other.
  std::int64_t chosen_row() const {
    std::int64_t const span = to_ - from_;
    if (layout_.empty()) return span;
    std::int64_t best = 0, widest = 0;
    for (layout_node const& n : layout_.nodes()) {
      if (n.kind != node_kind::repeat) continue;
      std::int64_t const stride = n.stride < 0 ? -n.stride : n.stride;
      if (span / 2 >= stride) widest = std::max(widest, stride);
      if (stride > best && span / 2 >= stride && span / stride <= options_.most_rows) best = stride;
    }
    if (best > 0) return best;
    if (span <= 256) return span;
    std::int64_t row = widest > 0 ? widest : 64;
    while (span / row > 8) row *= 2;
    return row;
  }

  std::string title() const { return options_.title.empty() ? to_string(layout_) : options_.title; }

  void heading() {
    double const room = sheet_.width() - 2 * margin;
    sheet_.text(margin, 26, svg_sheet::fitted(title(), 15, room), 15, "start", ink,
                "font-weight=\"bold\"");
    std::string const facts = counted(layout_.size(), "byte") + " in " +
                              counted(layout_.pieces(), "piece") + ", extent " +
                              number_text(layout_.extent()) + ", density " +
                              percent_text(layout_.density());
    sheet_.text(margin, 46, svg_sheet::fitted(facts, 12, room), 12);
  }
  static constexpr double margin = 16;

  void axis() {
    double const label = svg_sheet::text_width("+" + number_text(row_bytes_), 10) + 12;
    std::int64_t step = 1;
    while (static_cast<double>(step) * byte_px_ < std::max(40.0, label)) step *= 2;
    if (row_bytes_ / step >= 4 && row_bytes_ % step != 0 && row_bytes_ % 10 == 0)
      step = row_bytes_ / 5;
    for (std::int64_t i = 0; i <= row_bytes_ / step; ++i) {
      std::int64_t const b = i * step;
      sheet_.line(byte_x(b), first_y_ - 6, byte_x(b), first_y_ - 2, ink);
      bool const overhangs = byte_x(b) + label / 2 > sheet_.width();
      sheet_.text(byte_x(b), first_y_ - 9, (b == 0 ? "" : "+") + number_text(b), 10,
                  overhangs ? "end" : "middle");
    }
    for (std::int64_t r = 0; r < rows_; ++r)
      sheet_.text(left - 20, row_y(r) + row_px_ / 2 + 4, number_text(from_ + r * row_bytes_), 11,
                  "end");
  }

  void background() {
    for (std::int64_t r = 0; r < rows_; ++r) {
      std::int64_t const bytes = std::min(row_bytes_, last_row_end_ - (from_ + r * row_bytes_));
      sheet_.rectangle(byte_x(0), row_y(r), static_cast<double>(bytes) * byte_px_, row_px_, pale);
    }
  }

  // Calls f(row, first byte in it, bytes) for each row that [offset, end) touches.
  template <class F>
  void split(std::int64_t offset, std::int64_t end, F&& f) const {
    end = std::min(end, last_row_end_);
    while (offset < end) {
      std::int64_t const row = (offset - from_) / row_bytes_,
                         in_row = (offset - from_) % row_bytes_;
      std::int64_t const bytes = std::min(end - offset, row_bytes_ - in_row);
      f(row, in_row, bytes);
      offset += bytes;
    }
  }

  void pieces() {
    std::int64_t number = 0;
    for (cursor at(layout_); !at.done(); at.next(), ++number) {
      double const share = layout_.pieces() < 2 ? 0
                                                : static_cast<double>(number) /
                                                      static_cast<double>(layout_.pieces() - 1);
      colour const fill = first.towards(last, share);
      piece const p = at.current();
      bool labelled = false;
      split(p.offset, p.end(), [&](std::int64_t row, std::int64_t in_row, std::int64_t bytes) {
        double const width = static_cast<double>(bytes) * byte_px_;
        // A white edge separates neighbours if they are wider than the edge.
        sheet_.rectangle(byte_x(in_row), row_y(row), width, row_px_, fill,
                         width > 5 ? "stroke=\"#ffffff\" stroke-width=\"1\"" : "");
        std::string const text = number_text(number);
        if (!labelled && svg_sheet::text_width(text, 11) + 4 < width) {
          sheet_.text(byte_x(in_row) + width / 2, row_y(row) + row_px_ / 2 + 4, text, 11, "middle",
                      fill.is_dark() ? white : ink);
          labelled = true;
        }
      });
    }
  }

  // Draws about one cell per pixel. Neighbours of one shade are one rectangle. A layout that is not
  // monotonic gets fewer cells, because each of them takes longer.
  void shares() {
    std::int64_t const cells =
        std::clamp<std::int64_t>((layout_.is_monotonic() ? most_cells : most_cells / 10) / rows_, 1,
                                 std::min<std::int64_t>(row_bytes_, 480));
    for (std::int64_t r = 0; r < rows_; ++r) {
      std::int64_t const row = from_ + r * row_bytes_;
      int shade = 0;
      std::int64_t begin = 0;
      auto const flush = [&](std::int64_t end) {
        if (shade > 0)
          sheet_.rectangle(byte_x(begin), row_y(r),
                           static_cast<double>(end - begin) * byte_px_ + 0.3, row_px_,
                           shade_colour(shade));
        begin = end;
      };
      std::int64_t below = layout_.bytes_before(row);
      for (std::int64_t c = 0; c < cells; ++c) {
        auto const edge = [&](std::int64_t i) {
          return static_cast<std::int64_t>(static_cast<double>(row_bytes_) *
                                           static_cast<double>(i) / static_cast<double>(cells));
        };
        std::int64_t const a = edge(c), b = c + 1 == cells ? row_bytes_ : edge(c + 1);
        if (row + a >= to_) break;
        std::int64_t const until = row + b < to_ ? layout_.bytes_before(row + b) : layout_.size();
        double const share = static_cast<double>(until - below) /
                             static_cast<double>(std::max<std::int64_t>(1, b - a));
        below = until;
        int const next = share <= 0 ? 0 : std::clamp(static_cast<int>(share * 8 + 0.5), 1, 8);
        if (next == shade) continue;
        flush(a);
        shade = next;
      }
      flush(std::min(row_bytes_, last_row_end_ - row));
    }
  }
  static constexpr colour shade_colour(int eighths) {
    return first.towards(pale, 0.8 - 0.1 * eighths);
  }

  // Marks the bounds, except those that the data shows anyway.
  void bounds() {
    std::int64_t const lb = layout_.lower_bound(), ub = layout_.upper_bound();
    if (lb == layout_.true_lower_bound() && ub == layout_.true_upper_bound()) return;
    if (lb >= from_ && lb < last_row_end_) mark(lb, "lb", false);
    if (ub > from_ && ub <= last_row_end_) mark(ub, "ub", true);
  }

  // Draws a mark. An upper bound stands at the end of the byte before it, not at the start of the
  // next row.
  void mark(std::int64_t offset, char const* text, bool upper) {
    std::int64_t const byte = offset - from_ - (upper ? 1 : 0);
    std::int64_t const row = byte / row_bytes_;
    double const x = byte_x(byte % row_bytes_ + (upper ? 1 : 0));
    colour const red{213, 94, 0};
    sheet_.line(x, row_y(row) - 3, x, row_y(row) + row_px_ + 3, red, 2);
    sheet_.text(x + (upper ? 4 : -4), row_y(row) + row_px_ - 1, text, 10, upper ? "start" : "end",
                red);
  }

  double legend(double y, bool one_by_one) {
    if (hidden_ > 0) {
      sheet_.text(left, y + 12,
                  "and " + counted(hidden_, "row") + " more of " + counted(row_bytes_, "byte"), 12);
      y += 18;
    }
    y += 8;
    double x = left;
    sheet_.rectangle(x, y, 14, 14, pale, "stroke=\"#c8cdd4\"");
    sheet_.text(x + 20, y + 11, "holes", 11);
    x += 74;
    int const steps = 9;
    for (int i = 0; i < steps; ++i)
      sheet_.rectangle(
          x + 12 * i, y, 12.3, 14,
          one_by_one ? first.towards(last, i / 8.0) : (i == 0 ? pale : shade_colour(i)));
    char const* const means = one_by_one ? "the stream, first to last piece"
                                         : "share of the bytes that belong to it, 0 to 100 %";
    double const beside = x + 12 * steps + 8;
    bool const fits = beside + svg_sheet::text_width(means, 11) <= sheet_.width();
    if (!fits) y += 20;
    sheet_.text(fits ? beside : margin, y + 11, means, 11);
    return y + 30;
  }

  layout const& layout_;
  draw_options const& options_;
  svg_sheet sheet_;
  std::int64_t from_ = 0, to_ = 0, row_bytes_ = 1, rows_ = 1, hidden_ = 0, last_row_end_ = 0;
  double row_px_ = 0, byte_px_ = 0, first_y_ = 0;
};

}  // namespace
}  // namespace argosy::detail

namespace argosy {

std::string draw(layout const& l, extend::draw_options const& options) {
  return detail::strip_picture(l, options).draw();
}

}  // namespace argosy
