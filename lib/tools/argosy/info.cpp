// argosy info: prints what files of all formats hold, by their headers, and the leftovers of saves.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <argosy/error/error.hpp>
#include <argosy/format/file_header.hpp>
#include <argosy/format/hdf5.hpp>
#include <argosy/format/leftovers.hpp>
#include <argosy/format/zarr.hpp>
#include <argosy/layout/detail/counted.hpp>
#include <argosy/world/self.hpp>
#include <layout/axis.hpp>

#include "../arguments/arguments.hpp"
#include "any_file.hpp"
#include "command.hpp"
#include "commands.hpp"
#include "json.hpp"

namespace argosy::tool {
namespace {

using held = std::variant<npy_header, checkpoint_header, hdf5_content, zarr_header, zarr_group>;

struct looked_at {
  std::string path;
  held header;
  bool read = false;
  std::string fault;  // why the file could not be read
  std::vector<damaged_block> damaged;
  std::vector<leftover> parts = {};  // left by saves
  bool removing = false;             // true if parts that no job needs have been removed
};

// Returns the format that the content says, and npy if that fails: reading it then says why.
array_name named(std::string const& path) {
  try {
    if (array_name n = existing_array(path, ""); n.inside.empty()) return n;
  } catch (std::exception const&) {  // read_header says why
  }
  return {.path = path};
}

held held_by(array_name const& n) {
  if (n.format == array_format::hdf5) return basic_hdf5<self>::content_of(self(), n.path);
  if (n.format == array_format::zarr) {
    try {
      return basic_zarr<self>::header_of(self(), n.path, {}, n.files());
    } catch (error const& e) {
      if (e.code() != errc::datatype) throw;  // it is a group
      return basic_zarr<self>::group_of(self(), n.path, {}, n.files());
    }
  }
  return std::visit([](auto const& h) -> held { return h; }, read_header(n.path));
}

looked_at look_at(std::string const& path, bool check, bool remove_parts) {
  looked_at l{path, {}, false, {}, {}};
  l.removing = remove_parts;
  std::error_code unknown;  // the following read reports it
  l.parts = remove_parts ? remove_leftovers(path, unknown) : find_leftovers(path, unknown);
  try {
    l.header = held_by(named(path));
    l.read = true;
    if (check && std::holds_alternative<checkpoint_header>(l.header)) l.damaged = find_damage(path);
  } catch (error const& e) {
    l.fault = text_of(e);
  }
  return l;
}

void add_sizes(json_writer& j, std::string_view name, std::vector<std::int64_t> const& sizes) {
  j.key(name).open('[');
  for (std::int64_t n : sizes) j.value(n);
  j.close(']');
}

// Adds the members that arrays of .npy files and checkpoints have. Encoded arrays have no offset.
template <class Array>
void add_array(json_writer& j, Array const& a, std::optional<std::int64_t> offset) {
  j.member("type", to_string(a.type)).member("order", a.order == order::c ? "c" : "fortran");
  add_sizes(j, "shape", a.shape);
  if (offset) j.member("offset", *offset);
  j.member("bytes", a.bytes());
}

void add(json_writer& j, npy_header const& h) {
  j.member("format", "npy").member("version", h.version);
  add_array(j, h, h.data_offset);
}

void add(json_writer& j, checkpoint_header const& h) {
  j.member("format", "checkpoint").member("block_bytes", h.block_bytes);
  j.member("file_bytes", h.file_bytes);
  bool const encoded = !h.codecs.empty();
  if (encoded) j.member("codecs", detail::codec_names(h.codecs));
  j.key("arrays").open('[');
  for (detail::checkpoint_array const& a : h.arrays) {
    j.open('{').member("name", a.name);
    add_array(j, a, encoded ? std::nullopt : std::optional(a.offset));
    j.close('}');
  }
  j.close(']');
}

void add(json_writer& j, hdf5_content const& c) {
  j.member("format", "hdf5").key("arrays").open('[');
  for (hdf5_dataset const& d : c.datasets) {
    j.open('{').member("name", d.name).member("type", to_string(d.type));
    add_sizes(j, "shape", d.shape);
    if (!d.options.chunks.empty()) add_sizes(j, "chunks", d.options.chunks);
    j.close('}');
  }
  j.close(']');
}

void add_zarr_array(json_writer& j, zarr_header const& h) {
  j.member("type", to_string(h.type)).member("version", h.version);
  add_sizes(j, "shape", h.shape);
  add_sizes(j, "chunks", h.options.chunks);
  if (!h.options.shards.empty()) add_sizes(j, "shards", h.options.shards);
  j.member("codecs", detail::codec_names(h.options.codecs));
}

void add(json_writer& j, zarr_header const& h) {
  j.member("format", "zarr");
  add_zarr_array(j, h);
}

void add(json_writer& j, zarr_group const& g) {
  j.member("format", "zarr").member("version", g.version).key("arrays").open('[');
  for (zarr_member const& m : g.members) {
    if (m.is_group) continue;
    j.open('{').member("name", m.path);
    if (m.array)
      add_zarr_array(j, *m.array);
    else
      j.member("error", m.unread);
    j.close('}');
  }
  j.close(']');
}

void add_damage(json_writer& j, std::vector<damaged_block> const& damaged) {
  j.key("damaged").open('[');
  for (damaged_block const& d : damaged)
    j.open('{')
        .member("array", d.array)
        .member("block", d.block)
        .member("offset", d.offset)
        .member("bytes", d.bytes)
        .close('}');
  j.close(']');
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
      std::visit([&](auto const& h) { add(j, h); }, l.header);
      if (std::holds_alternative<checkpoint_header>(l.header)) add_damage(j, l.damaged);
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

std::string text_of_held(npy_header const& h) {
  return fmt::format(".npy version {}, {}, {}\n", h.version, to_string(h),
                     detail::bytes_text(h.bytes()));
}
std::string text_of_held(checkpoint_header const& h) {
  return fmt::format(
      "checkpoint of {}, {}, blocks of {}\n{}", detail::counted(std::ssize(h.arrays), "array"),
      detail::bytes_text(h.file_bytes), detail::bytes_text(h.block_bytes), to_string(h));
}
std::string text_of_held(hdf5_content const& c) {
  return fmt::format("HDF5 file of {}\n{}", detail::counted(std::ssize(c.datasets), "array"),
                     to_string(c));
}
std::string text_of_held(zarr_header const& h) {
  return fmt::format("Zarr array, {}\n", to_string(h));
}
std::string text_of_held(zarr_group const& g) {
  return fmt::format("Zarr group of version {}\n{}", g.version, to_string(g));
}

void print_text(looked_at const& l, bool checked, std::ostream& out, std::ostream& err) {
  if (!l.fault.empty()) err << "argosy: " << l.fault << "\n";
  if (!l.read) return;
  out << l.path << ": " << std::visit([](auto const& h) { return text_of_held(h); }, l.header);
  for (damaged_block const& d : l.damaged)
    out << fmt::format("DAMAGED: block {} of {}, bytes [{}, {}) of the file\n", d.block, d.array,
                       d.offset, d.offset + d.bytes);
  if (checked && std::holds_alternative<checkpoint_header>(l.header) && l.damaged.empty() &&
      l.fault.empty())
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
