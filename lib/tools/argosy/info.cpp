// argosy info: prints the contents of .npy files and checkpoints by their headers, and the
// leftovers of saves.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <argosy/error/error.hpp>
#include <argosy/format/file_header.hpp>
#include <argosy/format/leftovers.hpp>
#include <argosy/layout/detail/counted.hpp>
#include <layout/axis.hpp>

#include "../arguments/arguments.hpp"
#include "command.hpp"
#include "commands.hpp"
#include "json.hpp"

namespace argosy::tool {
namespace {

struct looked_at {
  std::string path;
  file_header header;
  bool read = false;
  std::string fault;  // why the file could not be read
  std::vector<damaged_block> damaged;
  std::vector<leftover> parts = {};  // left by saves
  bool removing = false;             // true if parts that no job needs have been removed
};

looked_at look_at(std::string const& path, bool check, bool remove_parts) {
  looked_at l{path, {}, false, {}, {}};
  l.removing = remove_parts;
  std::error_code unknown;  // the following read reports it
  l.parts = remove_parts ? remove_leftovers(path, unknown) : find_leftovers(path, unknown);
  try {
    l.header = read_header(path);
    l.read = true;
    if (check && std::holds_alternative<checkpoint_header>(l.header)) l.damaged = find_damage(path);
  } catch (error const& e) {
    l.fault = text_of(e);
  }
  return l;
}

void add_shape(json_writer& j, std::vector<std::int64_t> const& shape) {
  j.key("shape").open('[');
  for (std::int64_t n : shape) j.value(n);
  j.close(']');
}

// Adds the members that arrays of both formats have. Encoded arrays have no offset.
template <class Array>
void add_array(json_writer& j, Array const& a, std::optional<std::int64_t> offset) {
  j.member("type", to_string(a.type)).member("order", a.order == order::c ? "c" : "fortran");
  add_shape(j, a.shape);
  if (offset) j.member("offset", *offset);
  j.member("bytes", a.bytes());
}

void print_json(std::vector<looked_at> const& all, std::ostream& out) {
  json_writer j(out);
  j.open('[');
  for (looked_at const& l : all) {
    j.open('{').member("file", l.path);
    if (!l.fault.empty()) j.member("error", l.fault);
    j.key("parts").open('[');
    for (leftover const& part : l.parts) {
      bool const removed = l.removing && part.kept.empty();
      j.open('{').member("file", part.path).member("bytes", part.bytes).member("removed", removed);
      if (!part.kept.empty()) j.member("kept", part.kept);
      j.close('}');
    }
    j.close(']');
    if (l.read) {
      if (auto const* const npy = std::get_if<npy_header>(&l.header)) {
        j.member("format", "npy").member("version", npy->version);
        add_array(j, *npy, npy->data_offset);
      } else {
        auto const& checkpoint = std::get<checkpoint_header>(l.header);
        j.member("format", "checkpoint").member("block_bytes", checkpoint.block_bytes);
        j.member("file_bytes", checkpoint.file_bytes);
        bool const encoded = !checkpoint.codecs.empty();
        if (encoded) j.member("codecs", argosy::detail::codec_names(checkpoint.codecs));
        j.key("arrays").open('[');
        for (argosy::detail::checkpoint_array const& a : checkpoint.arrays) {
          j.open('{').member("name", a.name);
          add_array(j, a, encoded ? std::nullopt : std::optional(a.offset));
          j.close('}');
        }
        j.close(']').key("damaged").open('[');
        for (damaged_block const& d : l.damaged)
          j.open('{')
              .member("array", d.array)
              .member("block", d.block)
              .member("offset", d.offset)
              .member("bytes", d.bytes)
              .close('}');
        j.close(']');
      }
    }
    j.close('}');
  }
  j.close(']');
  out << "\n";
}

void print_parts(looked_at const& l, std::ostream& out) {
  for (leftover const& part : l.parts) {
    std::string const what = !part.kept.empty() ? "kept: " + part.kept
                             : l.removing
                                 ? "a save that did not end left it; removed"
                                 : "a save that did not end left it; --remove-parts removes it";
    out << fmt::format("{}: {}, {}\n", part.path, detail::bytes_text(part.bytes), what);
  }
}

void print_text(looked_at const& l, bool checked, std::ostream& out, std::ostream& err) {
  if (!l.fault.empty()) err << "argosy: " << l.fault << "\n";
  if (!l.read) return;
  if (auto const* const npy = std::get_if<npy_header>(&l.header)) {
    out << fmt::format("{}: .npy version {}, {}, {}\n", l.path, npy->version, to_string(*npy),
                       detail::bytes_text(npy->bytes()));
    return;
  }
  auto const& checkpoint = std::get<checkpoint_header>(l.header);
  out << fmt::format("{}: checkpoint of {}, {}, blocks of {}\n{}", l.path,
                     detail::counted(std::ssize(checkpoint.arrays), "array"),
                     detail::bytes_text(checkpoint.file_bytes),
                     detail::bytes_text(checkpoint.block_bytes), to_string(checkpoint));
  for (damaged_block const& d : l.damaged)
    out << fmt::format("DAMAGED: block {} of {}, bytes [{}, {}) of the file\n", d.block, d.array,
                       d.offset, d.offset + d.bytes);
  if (checked && l.damaged.empty() && l.fault.empty())
    out << "all blocks are as they were written\n";
}

}  // namespace

int run_info(arguments const& given, std::ostream& out, std::ostream& err) {
  bool const check = given.has("--check"), remove_parts = given.has("--remove-parts");
  std::vector<looked_at> all;
  for (std::string const& path : given.operands())
    all.push_back(look_at(path, check, remove_parts));
  if (given.json()) print_json(all, out);
  int code = success;
  for (looked_at const& l : all) {
    if (!given.json()) {
      print_text(l, check, out, err);
      print_parts(l, out);
    }
    if (!l.fault.empty() || !l.damaged.empty()) code = failed;
  }
  return code;
}

}  // namespace argosy::tool
