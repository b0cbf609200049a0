// A sheet of SVG: rectangles, lines and text, and the colours of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace argosy::detail {

// Returns a number for SVG: at most two decimals, and a point in every locale.
inline std::string svg_number(double x) {
  bool const negative = x < 0;
  auto const hundredths = static_cast<std::int64_t>((negative ? -x : x) * 100 + 0.5);
  std::string text = std::to_string(hundredths / 100);
  if (auto const rest = hundredths % 100; rest != 0) {
    text += rest < 10 ? ".0" : ".";
    text += std::to_string(rest % 10 == 0 ? rest / 10 : rest);
  }
  return negative && hundredths != 0 ? "-" + text : text;
}

struct colour {
  int red = 0, green = 0, blue = 0;

  std::string text() const {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out = "#";
    for (int part : {red, green, blue}) {
      out += digits[static_cast<std::size_t>(part) / 16];
      out += digits[static_cast<std::size_t>(part) % 16];
    }
    return out;
  }
  // Returns the colour at `share` of the way to `other`.
  constexpr colour towards(colour other, double share) const {
    auto const mix = [share](int a, int b) { return a + static_cast<int>((b - a) * share); };
    return {mix(red, other.red), mix(green, other.green), mix(blue, other.blue)};
  }
  // Returns true if white text is more legible on this colour than black. Its luminance is then
  // below 0.18, at which both contrasts are equal.
  constexpr bool is_dark() const {
    auto const linear = [](int part) { return part / 255.0 * part / 255.0; };
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) < 0.18;
  }
};

inline constexpr colour white{255, 255, 255}, black{0, 0, 0}, ink{34, 40, 49}, pale{238, 240, 243},
    grid_grey{200, 205, 212};

// The palette of Okabe and Ito without its black, which all kinds of eyes can distinguish. Ranks
// beyond 7 get lighter and darker tints. Beyond 21 the colours repeat, and only the numbers
// distinguish ranks.
inline constexpr std::array<colour, 7> palette{{{0, 114, 178},
                                                {230, 159, 0},
                                                {0, 158, 115},
                                                {204, 121, 167},
                                                {86, 180, 233},
                                                {213, 94, 0},
                                                {240, 228, 66}}};
constexpr colour colour_of_rank(std::size_t rank) {
  colour const base = palette[rank % palette.size()];
  switch (rank / palette.size() % 3) {
    case 0:
      return base;
    case 1:
      return base.towards(white, 0.5);
    default:
      return base.towards(black, 0.4);
  }
}

class svg_sheet {
 public:
  explicit svg_sheet(double width) : width_(width) {}

  double width() const { return width_; }

  void rectangle(double x, double y, double width, double height, colour fill,
                 std::string_view more = {}) {
    body_ += "<rect x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" width=\"" +
             svg_number(width) + "\" height=\"" + svg_number(height) + "\" fill=\"" + fill.text() +
             "\"";
    if (!more.empty()) (body_ += ' ') += more;
    body_ += "/>\n";
  }
  void line(double x1, double y1, double x2, double y2, colour stroke, double width = 1) {
    body_ += "<path d=\"M" + svg_number(x1) + " " + svg_number(y1) + "L" + svg_number(x2) + " " +
             svg_number(y2) + "\" stroke=\"" + stroke.text() + "\" stroke-width=\"" +
             svg_number(width) + "\"/>\n";
  }
  // Draws text. `anchor` is start, middle or end; y is the base line.
  void text(double x, double y, std::string_view what, double size = 12,
            std::string_view anchor = "start", colour fill = ink, std::string_view more = {}) {
    body_ += "<text x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" font-size=\"" +
             svg_number(size) + "\"";
    if (anchor != "start") ((body_ += " text-anchor=\"") += anchor) += "\"";
    body_ += " fill=\"" + fill.text() + "\"";
    if (!more.empty()) (body_ += ' ') += more;
    body_ += ">" + escaped(what) + "</text>\n";
  }
  void raw(std::string_view markup) { body_ += markup; }

  std::string finish(double height, std::string_view title) const {
    std::string const w = svg_number(width_), h = svg_number(height);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h +
           "\" viewBox=\"0 0 " + w + " " + h +
           "\" font-family=\"DejaVu Sans, Verdana, sans-serif\" role=\"img\">\n<title>" +
           escaped(title) + "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
           body_ + "</svg>\n";
  }

  // Returns about the width of text: the widths of DejaVu Sans, rounded up.
  static double text_width(std::string_view what, double size) {
    return 0.62 * size * static_cast<double>(what.size());
  }
  // Returns the text, cut to fit into `width`.
  static std::string fitted(std::string_view what, double size, double width) {
    auto const most = static_cast<std::size_t>(std::max(4.0, width / (0.62 * size)));
    return what.size() <= most ? std::string(what) : std::string(what.substr(0, most - 3)) + "...";
  }

 private:
  static std::string escaped(std::string_view what) {
    std::string out;
    for (char ch : what) switch (ch) {
        case '<':
          out += "&lt;";
          break;
        case '>':
          out += "&gt;";
          break;
        case '&':
          out += "&amp;";
          break;
        case '"':
          out += "&quot;";
          break;
        default:
          out += ch;
      }
    return out;
  }

  double width_;
  std::string body_;
};

}  // namespace argosy::detail
