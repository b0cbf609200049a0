// argosy layout: prints a datatype's normal form, its sizes, and its picture.
// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>
#include <ostream>

#include <argosy/layout/cursor.hpp>
#include <argosy/layout/draw.hpp>
#include <argosy/layout/print.hpp>

#include "../arguments/arguments.hpp"
#include "commands.hpp"
#include "datatype_text.hpp"
#include "json.hpp"

namespace argosy::tool {

void write_file(std::string const& path, std::string const& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

int run_layout(arguments const& given, std::ostream& out, std::ostream&) {
  layout l;
  try {
    l = parse_datatype(given.operands()[0], given.number("--rank", 0));
  } catch (datatype_text_error const& e) {
    throw usage_error(e.what());
  }
  std::int64_t const most = given.number("--pieces", 8);
  if (given.has("--svg")) write_file(given.value("--svg"), draw(l));
  if (given.json()) {
    json_writer j(out);
    j.open('{').member("form", to_string(l)).member("bytes", l.size()).member("pieces", l.pieces());
    j.member("lower_bound", l.lower_bound())
        .member("extent", l.extent())
        .member("density", l.density());
    j.member("monotonic", l.is_monotonic()).member("overlaps", l.overlaps());
    j.key("first_pieces").open('[');
    std::int64_t n = 0;
    for (cursor at(l); !at.done() && n < most; at.next(), ++n)
      j.open('{')
          .member("offset", at.current().offset)
          .member("length", at.current().length)
          .close('}');
    j.close(']').close('}');
    out << "\n";
    return success;
  }
  out << to_string(l) << "\n\n" << to_tree(l);
  if (!l.empty() && most > 0) out << "\n   piece            offset        length\n";
  std::int64_t n = 0;
  for (cursor at(l); !at.done() && n < most; at.next(), ++n) {
    auto const column = [](std::int64_t x, std::size_t width) {
      std::string const s = std::to_string(x);
      return std::string(s.size() < width ? width - s.size() : 0, ' ') + s;
    };
    out << column(n, 8) << column(at.current().offset, 18) << column(at.current().length, 14)
        << "\n";
  }
  if (l.pieces() > n && n > 0) out << "     ... " << l.pieces() - n << " more\n";
  if (!l.is_monotonic()) out << "\noffsets decrease along the stream: no filetype, memory only\n";
  if (l.overlaps()) out << "\nsome bytes are named twice: a view of it can be read only\n";
  return success;
}

}  // namespace argosy::tool
