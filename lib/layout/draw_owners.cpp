// Draws the picture of an array and its owners.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/layout/draw_owners.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <argosy/layout/detail/checked.hpp>
#include <argosy/layout/detail/print.hpp>
#include <layout/svg.hpp>

namespace argosy::detail {
namespace {

class owners_picture {
 public:
  owners_picture(std::span<layout const> owners, std::span<std::int64_t const> sizes,
                 std::int64_t element_bytes, draw_owners_options const& options)
      : owners_(owners),
        element_bytes_(element_bytes),
        options_(options),
        sheet_(std::max(320, options.width_px)) {
    if (sizes.empty() || sizes.size() > 3)
      throw invalid_layout(
          "argosy::draw_owners: " + number_text(static_cast<std::int64_t>(sizes.size())) +
          " dimensions; give 1, 2 or 3, or draw a slice");
    if (element_bytes <= 0 || std::ranges::any_of(sizes, [](std::int64_t n) { return n <= 0; }))
      throw invalid_layout("argosy::draw_owners: sizes and bytes of an element must be positive");
    std::copy(sizes.begin(), sizes.end(), sizes_.end() - static_cast<std::ptrdiff_t>(sizes.size()));
    dimensions_ = sizes.size();
    mul(mul(mul(sizes_[0], sizes_[1]), sizes_[2]), element_bytes);
    std::int64_t const most = std::max(1, options.most_cells);
    for (std::size_t d = 0; d < 3; ++d) block_[d] = (sizes_[d] + most - 1) / most;
    block_[0] = 1;
    rows_ = (sizes_[1] + block_[1] - 1) / block_[1];
    columns_ = (sizes_[2] + block_[2] - 1) / block_[2];
    slices_ = std::min<std::int64_t>(sizes_[0], std::max(1, options.most_slices));
    arrange();
  }

  std::string draw() {
    double const room = sheet_.width() - 2 * margin;
    sheet_.text(margin, 26, svg_sheet::fitted(title(), 15, room), 15, "start", ink,
                "font-weight=\"bold\"");
    sheet_.text(margin, 46, svg_sheet::fitted(subtitle(), 12, room), 12);
    sheet_.raw(
        "<defs><pattern id=\"several\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#ffffff\"/>"
        "<rect width=\"3\" height=\"6\" fill=\"#222831\"/></pattern></defs>\n");
    for (std::int64_t k = 0; k < slices_; ++k) slice(k);
    return sheet_.finish(legend(), title());
  }

 private:
  static constexpr double margin = 16, gap = 28, top = 64, label = 22;
  static constexpr int nobody = -1, several = -2;

  struct name {
    double x, y, size;
    std::string text;
    colour ink;
  };

  std::string title() const {
    if (!options_.title.empty()) return options_.title;
    std::string text = "Who owns what: ";
    for (std::size_t d = 3 - dimensions_; d < 3; ++d)
      text += (d > 3 - dimensions_ ? " x " : "") + number_text(sizes_[d]);
    return text + " elements on " + counted(static_cast<std::int64_t>(owners_.size()), "rank");
  }
  std::string subtitle() const {
    std::string text = counted(element_bytes_, "byte") + " per element";
    if (block_[1] > 1 || block_[2] > 1)
      text += ", each cell stands for " + number_text(block_[1]) + " x " + number_text(block_[2]) +
              " of them";
    if (dimensions_ == 3 && slices_ < sizes_[0])
      text += ", " + number_text(slices_) + " of " + number_text(sizes_[0]) + " slices";
    if (dimensions_ > 1) text += "; the last index runs to the right";
    return text;
  }

  // Chooses the number of panels in a row that leaves the largest cells. Cells are square, and no
  // larger than is useful.
  void arrange() {
    double const room = sheet_.width() - 2 * margin;
    cell_ = 0;
    for (std::int64_t across = 1; across <= slices_; ++across) {
      double const width =
          (room - gap * static_cast<double>(across - 1)) / static_cast<double>(across);
      std::int64_t const down = (slices_ + across - 1) / across;
      double const height = 640.0 / static_cast<double>(down) - label;
      double const cell = std::min(
          {width / static_cast<double>(columns_), height / static_cast<double>(rows_), 40.0});
      if (cell > cell_ + 1e-9) {
        cell_ = cell;
        across_ = across;
      }
    }
    cell_ = std::max(cell_, 2.0);
    height_ = rows_ == 1 ? std::max(cell_, 32.0) : cell_;
    panel_height_ = static_cast<double>(rows_) * height_ + (dimensions_ == 3 ? label : 0) + gap / 2;
  }

  std::int64_t slice_index(std::int64_t k) const {
    return slices_ == sizes_[0] ? k : k * (sizes_[0] - 1) / std::max<std::int64_t>(1, slices_ - 1);
  }

  // Returns the rank that has most bytes of a cell. A row of a block is one window of the file.
  int owner(std::int64_t z, std::int64_t row, std::int64_t column) const {
    std::int64_t const x = column * block_[2], width = std::min(block_[2], sizes_[2] - x);
    std::int64_t const y = row * block_[1], height = std::min(block_[1], sizes_[1] - y);
    std::int64_t most = 0, claimed = 0;
    int found = nobody;
    for (std::size_t rank = 0; rank < owners_.size(); ++rank) {
      std::int64_t bytes = 0;
      // In a tall block only some rows are counted, as a sample.
      std::int64_t const step = std::max<std::int64_t>(1, height / 4);
      for (std::int64_t i = 0; i < height; i += step) {
        std::int64_t const begin = ((z * sizes_[1] + y + i) * sizes_[2] + x) * element_bytes_;
        bytes += owners_[rank].bytes_within(begin, begin + width * element_bytes_);
      }
      claimed += bytes;
      if (bytes > most) {
        most = bytes;
        found = static_cast<int>(rank);
      }
    }
    std::int64_t const step = std::max<std::int64_t>(1, height / 4);
    return claimed > (height + step - 1) / step * width * element_bytes_ ? several : found;
  }

  void slice(std::int64_t k) {
    double const x0 =
        margin + static_cast<double>(k % across_) * (static_cast<double>(columns_) * cell_ + gap);
    double y0 = top + static_cast<double>(k / across_) * panel_height_;
    if (dimensions_ == 3) {
      sheet_.text(x0, y0 + 12, "slice " + number_text(slice_index(k)), 12);
      y0 += label;
    }
    std::vector<int> cells;
    cells.reserve(static_cast<std::size_t>(rows_ * columns_));
    for (std::int64_t r = 0; r < rows_; ++r)
      for (std::int64_t c = 0; c < columns_; ++c) cells.push_back(owner(slice_index(k), r, c));
    sheet_.rectangle(x0, y0, static_cast<double>(columns_) * cell_,
                     static_cast<double>(rows_) * height_, pale);
    areas(cells, x0, y0);
    grid(x0, y0);
    for (name const& n : names_)
      sheet_.text(n.x, n.y + 0.36 * n.size, n.text, n.size, "middle", n.ink);
    names_.clear();
  }

  // Makes rectangles from the cells of one owner: first as wide as possible, then as far down. Each
  // rectangle is numbered once.
  void areas(std::vector<int> cells, double x0, double y0) {
    auto const at = [&](std::int64_t r, std::int64_t c) -> int& {
      return cells[static_cast<std::size_t>(r * columns_ + c)];
    };
    for (std::int64_t r = 0; r < rows_; ++r)
      for (std::int64_t c = 0; c < columns_; ++c) {
        int const who = at(r, c);
        if (who == nobody) continue;
        std::int64_t width = 1, height = 1;
        while (c + width < columns_ && at(r, c + width) == who) ++width;
        auto const row_matches = [&](std::int64_t row) {
          for (std::int64_t i = 0; i < width; ++i)
            if (at(row, c + i) != who) return false;
          return true;
        };
        while (r + height < rows_ && row_matches(r + height)) ++height;
        for (std::int64_t i = 0; i < height; ++i)
          for (std::int64_t j = 0; j < width; ++j) at(r + i, c + j) = nobody;
        area(who, x0 + static_cast<double>(c) * cell_, y0 + static_cast<double>(r) * height_,
             static_cast<double>(width) * cell_, static_cast<double>(height) * height_);
      }
  }

  void area(int who, double x, double y, double width, double height) {
    if (who == several) {
      sheet_.rectangle(x, y, width, height, white, "style=\"fill:url(#several)\"");
      any_several_ = true;
      return;
    }
    colour const fill = colour_of_rank(static_cast<std::size_t>(who));
    sheet_.rectangle(x, y, width, height, fill);
    std::string const text = number_text(who);
    double const size = std::clamp(0.45 * std::min(width, height), 0.0, 22.0);
    if (size >= 8 && svg_sheet::text_width(text, size) < width)
      names_.push_back({x + width / 2, y + height / 2, size, text, fill.is_dark() ? white : black});
  }

  void grid(double x, double y) {
    double const right = x + static_cast<double>(columns_) * cell_,
                 below = y + static_cast<double>(rows_) * height_;
    if (cell_ >= 5) {
      for (std::int64_t c = 1; c < columns_; ++c) {
        double const at = x + static_cast<double>(c) * cell_;
        sheet_.line(at, y, at, below, white, 0.6);
      }
      for (std::int64_t r = 1; r < rows_; ++r) {
        double const at = y + static_cast<double>(r) * height_;
        sheet_.line(x, at, right, at, white, 0.6);
      }
    }
    sheet_.raw("<rect x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" width=\"" +
               svg_number(right - x) + "\" height=\"" + svg_number(below - y) +
               "\" fill=\"none\" stroke=\"" + grid_grey.text() + "\"/>\n");
  }

  double legend() {
    double x = margin,
           y = top + static_cast<double>((slices_ + across_ - 1) / across_) * panel_height_ + 4;
    auto const entry = [&](std::string const& text, colour fill, char const* more) {
      double const width = 22 + svg_sheet::text_width(text, 12) + 14;
      if (x + width > sheet_.width() - margin) {
        x = margin;
        y += 22;
      }
      sheet_.rectangle(x, y, 14, 14, fill, more);
      sheet_.text(x + 20, y + 12, text, 12);
      x += width;
    };
    std::size_t const shown = std::min<std::size_t>(owners_.size(), 21);
    for (std::size_t rank = 0; rank < shown; ++rank)
      entry("rank " + std::to_string(rank), colour_of_rank(rank), "");
    if (shown < owners_.size())
      entry("... to rank " + std::to_string(owners_.size() - 1), white, "");
    entry("nobody", pale, "stroke=\"#c8cdd4\"");
    if (any_several_) entry("several", white, "style=\"fill:url(#several)\"");
    return y + 30;
  }

  std::span<layout const> owners_;
  std::array<std::int64_t, 3> sizes_{1, 1, 1}, block_{1, 1, 1};
  std::size_t dimensions_ = 0;
  std::int64_t element_bytes_;
  draw_owners_options const& options_;
  svg_sheet sheet_;
  std::int64_t rows_ = 1, columns_ = 1, slices_ = 1, across_ = 1;
  double cell_ = 0, height_ = 0, panel_height_ = 0;  // cells are square, but for one row of them
  std::vector<name> names_;                          // written above the grid
  bool any_several_ = false;
};

}  // namespace
}  // namespace argosy::detail

namespace argosy {

std::string draw_owners(std::span<layout const> owners, std::span<std::int64_t const> sizes,
                        std::int64_t element_bytes, extend::draw_owners_options const& options) {
  return detail::owners_picture(owners, sizes, element_bytes, options).draw();
}

}  // namespace argosy
