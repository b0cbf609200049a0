// Sidecars .xdmf: their text, and the replacement of the file.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <argosy/agree/detail/arguments.hpp>
#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/format/detail/written_mark.hpp>
#include <argosy/format/xdmf.hpp>

#include "literal.hpp"

namespace argosy {

template class basic_xdmf<mpi>;
template class basic_xdmf<self>;

namespace detail {

namespace {

using sizes = std::vector<std::int64_t>;

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

template <class List>
std::string joined(List const& all) {
  std::string text;
  for (auto const& x : all) {
    if (!text.empty()) text += ' ';
    if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(x)>>)
      text += number(x);
    else
      text += std::to_string(x);
  }
  return text;
}

std::string escaped(std::string_view text) {
  std::string all;
  for (char const c : text) {
    switch (c) {
      case '&':
        all += "&amp;";
        break;
      case '<':
        all += "&lt;";
        break;
      case '>':
        all += "&gt;";
        break;
      case '"':
        all += "&quot;";
        break;
      default:
        all += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return all;
}

// Returns three values, slowest index first.
template <class T>
std::vector<T> slowest_first(std::vector<T> all, order o, T const& fill) {
  if (o == order::fortran) std::ranges::reverse(all);
  while (all.size() < 3) all.insert(all.begin(), fill);
  return all;
}

std::string_view kind_of(dtype const& t) {
  if (t.bytes > 8) return {};
  switch (t.kind) {
    case 'f':
      return t.bytes >= 4 ? "Float" : "";
    case 'i':
      return t.bytes == 1 ? "Char" : t.bytes == 2 ? "Short" : "Int";
    case 'u':
    case 'b':
      return t.bytes == 1 ? "UChar" : t.bytes == 2 ? "UShort" : "UInt";
    default:
      return {};
  }
}

std::string fault_of(xdmf_grid const& g) {
  std::size_t const n = g.points.size();
  if (n < 1 || n > 3) return "a grid has 1 to 3 indices";
  if (std::ranges::any_of(g.points, [](std::int64_t k) { return k < 1; }))
    return "a grid has points along each index";
  if (!g.coordinates.empty()) {
    if (!g.origin.empty() || !g.spacing.empty())
      return "a grid has coordinates, or origin and spacing";
    if (g.coordinates.size() != n) return "a grid has coordinates along each index";
    for (std::size_t d = 0; d < n; ++d)
      if (std::ssize(g.coordinates[d]) != g.points[d])
        return "a grid has a coordinate of each point along an index";
  }
  for (auto const* list : {&g.origin, &g.spacing})
    if (!list->empty() && list->size() != n)
      return "origin and spacing have a number for each index";
  return {};
}

std::string grid_text(xdmf_grid const& g) {
  constexpr char const* item =
      "        <DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" Dimensions=\"";
  bool const regular = g.coordinates.empty();
  std::string text =
      std::string("      <Topology TopologyType=\"") + (regular ? "3DCoRectMesh" : "3DRectMesh") +
      "\" Dimensions=\"" + joined(slowest_first<std::int64_t>(g.points, g.order, 1)) +
      "\"/>\n      <Geometry GeometryType=\"" + (regular ? "ORIGIN_DXDYDZ" : "VXVYVZ") + "\">\n";
  if (regular) {
    auto const filled = [&](std::vector<double> list, double fill) {
      list.resize(g.points.size(), fill);
      return joined(slowest_first(std::move(list), g.order, fill));
    };
    text += item + ("3\">" + filled(g.origin, 0)) + "</DataItem>\n";
    text += item + ("3\">" + filled(g.spacing, 1)) + "</DataItem>\n";
  } else {
    auto axes = slowest_first<std::vector<double>>(g.coordinates, g.order, {0});
    std::ranges::reverse(axes);  // x first
    for (auto const& axis : axes)
      text += item + (std::to_string(axis.size()) + "\">" + joined(axis)) + "</DataItem>\n";
  }
  return text + "      </Geometry>\n";
}

std::string words_of(sizes const& all) {
  std::string text;
  for (std::int64_t const n : all) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text;
}

// Returns a name in UTF-8; bytes that are not UTF-8 become escapes.
std::string visible(std::string_view name) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string all = "'";
  for (char const c : name.substr(0, 100)) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      all += c;
    else
      all += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
  return all + "'";
}

// Returns the text of a field. Empty, with `why` set, if the field cannot be shown on the grid.
std::string field_text(std::string const& path, xdmf_grid const& g, xdmf_field const& f,
                       std::string& why) {
  std::size_t const n = g.points.size();
  sizes shape = f.shape;
  std::int64_t parts = 1;
  if (shape.size() == n + 1) {
    auto const fastest = f.order == order::c ? shape.end() - 1 : shape.begin();
    parts = *fastest;
    shape.erase(fastest);
  }
  sizes cells = g.points;
  for (std::int64_t& k : cells) --k;
  std::string_view const kind = kind_of(f.type);
  if (!is_utf8(f.name) || !is_utf8(f.file)) {
    why = "the name " + (is_utf8(f.name) ? "of the file " + visible(f.file) : visible(f.name)) +
          " is not UTF-8, in which XML is written; give it another one";
    return {};
  }
  char const* const what = parts == 1   ? "Scalar"
                           : parts == 3 ? "Vector"
                           : parts == 9 ? "Tensor"
                                        : nullptr;
  if (kind.empty())
    why = "'" + f.name + "' is of " + to_string(f.type) +
          ", which it cannot show; integers and floating point of up to 8 bytes";
  else if (!what || (shape != g.points && shape != cells))
    why = "'" + f.name + "' has " + words_of(f.shape) + " values, the grid " + words_of(g.points) +
          " points";
  else if (f.order != g.order && n > 1)
    why = "'" + f.name + "' and the grid have different orders of their indices";
  if (!why.empty()) return {};
  sizes slow = slowest_first<std::int64_t>(shape, g.order, 1);
  if (parts > 1) slow.push_back(parts);
  namespace fs = std::filesystem;
  fs::path const from = fs::path(path).parent_path(), to = without_prefix(f.file);
  std::string const way =
      (from.is_absolute() == to.is_absolute() ? to.lexically_proximate(from.empty() ? "." : from)
                                              : to)
          .string();
  return "      <Attribute Name=\"" + escaped(f.name) + "\" AttributeType=\"" + what +
         "\" Center=\"" + (shape == g.points ? "Node" : "Cell") +
         "\">\n        <DataItem Format=\"Binary\" NumberType=\"" + std::string(kind) +
         "\" Precision=\"" + std::to_string(f.type.bytes) + "\" Endian=\"" +
         (f.type.order == '>' ? "Big" : "Little") + "\" Seek=\"" + std::to_string(f.offset) +
         "\" Dimensions=\"" + joined(slow) + "\">" + escaped(way) +
         "</DataItem>\n      </Attribute>\n";
}

bool have_times(std::vector<xdmf_field> const& fields) {
  return std::ranges::all_of(fields, [](xdmf_field const& f) { return std::isfinite(f.time); });
}

// Returns the numbers of the fields in the order of the file: by time, then as they were added.
std::vector<std::size_t> by_time(std::vector<xdmf_field> const& fields) {
  std::vector<std::size_t> steps(fields.size());
  std::iota(steps.begin(), steps.end(), 0);
  if (have_times(fields))
    std::ranges::sort(steps, {}, [&](std::size_t i) { return std::pair(fields[i].time, i); });
  return steps;
}

}  // namespace

std::string xdmf_text(std::string const& path, xdmf_grid const& grid,
                      std::vector<xdmf_field> const& fields, failure& why) {
  std::string words = fault_of(grid);
  std::vector<std::size_t> const steps = by_time(fields);
  if (!have_times(fields)) words = "a time is no number";
  std::string const mesh = words.empty() ? grid_text(grid) : std::string();
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n<Xdmf "
      "Version=\"2.0\">\n"
      "  <Domain>\n    <Grid Name=\"steps\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
  for (std::size_t i = 0; i < steps.size() && words.empty();) {
    double const time = fields[steps[i]].time;
    text += "    <Grid Name=\"" + number(time) + "\" GridType=\"Uniform\">\n      <Time Value=\"" +
            number(time) + "\"/>\n" + mesh;
    for (; i < steps.size() && fields[steps[i]].time == time && words.empty(); ++i)
      text += field_text(path, grid, fields[steps[i]], words);
    text += "    </Grid>\n";
  }
  if (!words.empty()) why = {errc::argument, std::move(words)};
  return text + "    </Grid>\n  </Domain>\n</Xdmf>\n";
}

std::string xdmf_lines(xdmf_grid const& g, std::vector<xdmf_field> const& fields) {
  std::string text = "points " + words_of(g.points) + "\norder " +
                     (g.order == order::c ? "c" : "fortran") + "\norigin (" + joined(g.origin) +
                     ")\nspacing (" + joined(g.spacing) + ")\n";
  for (std::size_t d = 0; d < g.coordinates.size(); ++d)
    text += "coordinates[" + std::to_string(d) + "] " + std::to_string(g.coordinates[d].size()) +
            " numbers of sum " + std::to_string(fingerprint(joined(g.coordinates[d]))) + "\n";
  std::size_t n = 0;
  for (std::size_t const i : by_time(fields)) {
    xdmf_field const& f = fields[i];
    text += "fields[" + std::to_string(n++) + "] '" + f.name + "' at time " + number(f.time) +
            ", " + to_string(f.type) + " (" + words_of(f.shape) + ")" +
            (f.order == order::c ? "" : " in Fortran order") + " of '" + f.file + "' from byte " +
            std::to_string(f.offset) + " on\n";
  }
  return text;
}

failure replace_file(opener const& files, std::string const& name,
                     std::string const& temporary_name, std::string const& text) {
  if (!files.renames())
    return {errc::unsupported, "files cannot be renamed here",
            "save to another file system, or give an opener that renames"};
  std::string const path = files.absolute(name), temporary = files.absolute(temporary_name);
  std::error_code error;
  std::optional<unsigned> kept;
  if (failure why = permissions_at(files, path, kept)) return why;
  any_handle f = files(temporary,
                       {.write = true,
                        .create = true,
                        .exclusive = true,
                        .permissions = kept ? while_written(*kept) : 0666u},
                       error);
  if (error) return error;
  auto const mine = f.identity();
  written_mark mark;
  failure const taken = mark.enter(files, temporary, random_name());
  error = taken.code;
  if (!error) error = f.write(0, std::as_bytes(std::span(text))).error;
  if (!error) error = f.sync();
  if (auto const closed = f.close(); closed && !error) error = closed;
  if (!error) mark.permit(kept);
  if (!error) error = files.rename(temporary, path, mine);
  if (!error) return files.settle(path);
  files.remove(temporary, mine);
  return taken ? taken : failure(error);
}

}  // namespace detail
}  // namespace argosy
