// Implements any_file.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "any_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include <argosy/error/error.hpp>
#include <argosy/format/checkpoint.hpp>
#include <argosy/format/detail/stored_array.hpp>
#include <argosy/format/detail/together.hpp>
#include <argosy/format/hdf5.hpp>
#include <argosy/format/npy.hpp>
#include <argosy/format/zarr.hpp>
#include <argosy/format/zarr_zip.hpp>
#include <argosy/world/self.hpp>
#include <format/literal.hpp>

#include "boxes.hpp"
#include "command.hpp"

namespace argosy::tool {
namespace {

constexpr std::array<std::string_view, 5> format_names{"npy", "raw", "zarr", "hdf5", "checkpoint"};

[[noreturn]] void refuse(std::string const& words) { throw std::runtime_error(words); }

array_format format_named(std::string const& name) {
  auto const found = std::ranges::find(format_names, name);
  if (found == format_names.end())
    throw usage_error(name + " is no format; give npy, raw, zarr, hdf5 or checkpoint");
  return static_cast<array_format>(found - format_names.begin());
}

bool is_file(std::string const& path) {
  std::error_code none;
  return std::filesystem::is_regular_file(path, none);
}

// Returns the format that the first bytes of a file say.
array_format format_in(std::string const& path, bool& is_zip) {
  std::array<char, 8> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  std::string_view const bytes(start.data(), start.size());
  is_zip = bytes.starts_with("PK\3\4");
  return is_zip                           ? array_format::zarr
         : bytes.starts_with("\x93NUMPY") ? array_format::npy
         : bytes.starts_with(
               "\x93"
               "ARGOSY")
             ? array_format::checkpoint
         : bytes == "\x89HDF\r\n\x1a\n" ? array_format::hdf5
                                        : array_format::raw;
}

bool has_arrays(array_format f) { return f == array_format::hdf5 || f == array_format::checkpoint; }

// Splits FILE:ARRAY at its last colon.
array_name split(std::string const& words) {
  std::size_t const colon = words.rfind(':');
  array_name n{.path = words.substr(0, colon)};
  if (colon != std::string::npos) n.inside = words.substr(colon + 1);
  n.inside.erase(0, n.inside.find_first_not_of('/'));
  return n;
}

// Returns the name if a part of the path is a zip file.
std::optional<array_name> in_zip(std::string const& words) {
  for (std::string zip = words; !zip.empty(); zip = std::filesystem::path(zip).parent_path()) {
    bool is_zip = false;
    if (is_file(zip) && (format_in(zip, is_zip), is_zip))
      return array_name{.format = array_format::zarr, .path = words, .zip = zip};
    if (zip.find('/') == std::string::npos || zip == "/") break;
  }
  return {};
}

// Runs `body` on each rank, with the same outcome on all ranks.
template <communicator World, class Body>
void agreed(World const& world, std::string const& path, Body&& body) {
  std::string words;
  detail::in_one_call(world, {"read", path, {}, detail::name_use::reads_file}, nullptr, words,
                      [&](detail::joint_call<World> const& s) {
                        s.alone(errc::argument, [&]() -> failure {
                          try {
                            body();
                          } catch (std::bad_alloc const&) {
                            throw;
                          } catch (std::exception const& e) {
                            return {errc::argument, text_of(e), "check the name and the options"};
                          }
                          return {};
                        });
                      });
}

// Returns the only member of a file that has several, or the one that was named.
template <class All, class Name>
auto const& member(array_name& name, All const& all, Name name_in, std::string const& list) {
  if (name.inside.empty() && all.size() == 1) name.inside = all.front().*name_in;
  auto const found = std::ranges::find(all, name.inside, name_in);
  if (found != all.end()) return *found;
  refuse((name.inside.empty() ? "it has not one array" : "it has no array '" + name.inside + "'") +
         ", so give FILE:ARRAY" + (list.empty() ? "" : "; the arrays are\n" + list));
}

}  // namespace

// --- Names ---

std::string_view name_of(array_format f) { return format_names[static_cast<std::size_t>(f)]; }

opener array_name::files() const { return zip.empty() ? posix_opener() : zip_opener(zip); }

array_name existing_array(std::string const& words, std::string const& format) {
  if (!format.empty()) {
    array_format const f = format_named(format);
    array_name n = has_arrays(f) && !is_file(words) ? split(words) : array_name{.path = words};
    if (f == array_format::zarr)
      if (auto zip = in_zip(words)) n = *zip;
    n.format = f;
    return n;
  }
  std::error_code none;
  if (std::filesystem::is_directory(words, none))
    return {.format = array_format::zarr, .path = words};
  if (auto zip = in_zip(words)) return *zip;
  bool is_zip = false;
  if (is_file(words)) return {.format = format_in(words, is_zip), .path = words};
  if (array_name n = split(words); words.find(':') != std::string::npos && is_file(n.path)) {
    n.format = format_in(n.path, is_zip);
    if (has_arrays(n.format)) return n;
    throw std::system_error(
        make_error_code(errc::no_such_file),
        fmt::format("'{}' is no file of several arrays; give it without ':{}'", n.path, n.inside));
  }
  throw std::system_error(make_error_code(errc::no_such_file), "'" + words + "'");
}

array_name new_array(std::string const& words, std::string const& format) {
  auto const ends = [&](std::string const& text, std::initializer_list<std::string_view> all) {
    return std::ranges::any_of(all, [&](std::string_view e) { return text.ends_with(e); });
  };
  array_name n{.path = words};
  array_name const parts = split(words);
  if (!format.empty())
    n.format = format_named(format);
  else if (ends(words, {".npy"}))
    n.format = array_format::npy;
  else if (ends(words, {".raw", ".bin", ".dat"}))
    n.format = array_format::raw;
  else if (ends(words, {".zarr"}) || words.find(".zarr/") != std::string::npos)
    n.format = array_format::zarr;
  else if (ends(parts.path, {".h5", ".hdf5", ".he5", ".nc"}))
    n.format = array_format::hdf5;
  else if (ends(parts.path, {".checkpoint", ".ckpt"}))
    n.format = array_format::checkpoint;
  else
    throw usage_error("the format of '" + words +
                      "' is not known by its name; give --to npy, raw, zarr, hdf5 or checkpoint");
  if (!has_arrays(n.format)) return n;
  n.path = parts.path;
  n.inside = parts.inside;
  if (n.inside.empty())
    throw usage_error("'" + words + "' names no array in the file; give FILE:ARRAY");
  return n;
}

// --- Facts ---

std::string array_facts::text() const {
  return to_string(of.type) + " " + detail::python_tuple(shape) +
         (in == order::fortran ? ", Fortran order" : "");
}

any_sizes sizes_from(std::string_view option, std::string const& text) {
  any_sizes all;
  for (char const *at = text.data(), *const end = at + text.size(); at < end; ++at) {
    std::int64_t n = 0;
    auto const [next, error] = std::from_chars(at, end, n);
    bool const last = next == end;
    if (error != std::errc() || n < 0 || (!last && *next != 'x' && *next != ',') ||
        (!last && next + 1 == end))
      throw usage_error(fmt::format("{} {}: give sizes such as 30x20", option, text));
    all.push_back(n);
    at = next;
  }
  return all;
}

array_facts raw_array(arguments const& given) {
  array_facts a;
  if (!given.has("--type") || !given.has("--shape"))
    throw usage_error(
        "a file of no known format is raw, and needs --type, such as '<f8', and --shape, such as "
        "30x20");
  std::string type = given.value("--type");
  if (!type.starts_with('\'') && !type.starts_with('[')) type = '\'' + type + '\'';
  try {
    a.of = detail::any_element_of(type);
  } catch (std::invalid_argument const& e) {
    throw usage_error("--type: " + text_of(e));
  }
  a.shape = sizes_from("--shape", given.value("--shape"));
  a.in = given.choice("--order", {"c", "fortran"}) == "c" ? order::c : order::fortran;
  a.offset = given.number("--offset", 0);
  return a;
}

array_part part_of(array_facts const& a, any_selection const& box, order in_file) {
  return detail::part_of(a.shape, in_file, a.of, box);
}

buffer dense(std::byte* memory, any_selection const& box, order o, array_facts const& a,
             order in_file) {
  any_sizes strides(box.counts.size());
  std::int64_t bytes = a.element_bytes();
  for (std::size_t i = 0; i < strides.size(); ++i) {
    std::size_t const d = o == order::c ? strides.size() - 1 - i : i;
    strides[d] = bytes;
    bytes *= box.counts[d];
  }
  return detail::buffer_of({reinterpret_cast<std::uintptr_t>(memory), strides}, box.counts, in_file,
                           a.of);
}

// --- Reading ---

template <communicator World>
struct array_reader<World>::opened {
  World world;
  array_name name;
  basic_file<World> file = {};  // with an array that is one range
  basic_zarr<World> zarr = {};
  basic_hdf5<World> hdf5 = {};
};

namespace {

array_facts facts_of(npy_header const& h) {
  return {.of = detail::any_element_of(to_string(h.type)),
          .shape = h.shape,
          .in = h.order,
          .offset = h.data_offset};
}

array_facts facts_of(checkpoint_header const& h, array_name& name) {
  detail::checkpoint_array const& a =
      member(name, h.arrays, &detail::checkpoint_array::name, to_string(h));
  return {.of = detail::any_element_of(to_string(a.type)),
          .shape = a.shape,
          .in = a.order,
          .offset = a.offset,
          .codecs = detail::codec_names(h.codecs)};
}

array_facts facts_of(zarr_header const& h) {
  bool const is_zero =
      std::ranges::all_of(detail::fill_element(h), [](std::byte b) { return b == std::byte{0}; });
  return {.of = detail::any_element_of(to_string(h.type)),
          .shape = h.shape,
          .chunks = h.options.chunks,
          .fill_value = is_zero ? "" : h.options.fill_value,
          .dimension_names = h.options.dimension_names,
          .attributes = h.options.attributes};
}

array_facts facts_of(hdf5_content const& c, array_name& name) {
  hdf5_dataset const& d = member(name, c.datasets, &hdf5_dataset::name, to_string(c));
  return {.of = detail::any_element_of(to_string(d.type)),
          .shape = d.shape,
          .chunks = d.options.chunks,
          .dimension_names = d.options.dimension_names,
          .hdf5_attributes = d.options.attributes};
}

// Makes the view of a part of an array that is one range of the file.
view view_of(array_facts const& a, array_part const& part) {
  view v;
  failure const wrong = detail::view_of({a.of.type, a.in, a.shape, a.offset}, part, v);
  if (wrong) refuse(wrong.detail);
  return v;
}

}  // namespace

template <communicator World>
array_reader<World>::array_reader(World const& world, array_name name, array_facts raw)
    : file_(std::make_unique<opened>(world, std::move(name))), facts_(std::move(raw)) {
  opened& f = *file_;
  std::string const& path = f.name.path;
  array_format const format = f.name.format;
  if (format == array_format::npy) {
    npy_header const h = basic_npy<World>::header_of(world, path);
    agreed(world, path, [&] { facts_ = facts_of(h); });
  } else if (format == array_format::checkpoint) {
    checkpoint_header const h = basic_checkpoint<World>::header_of(world, path);
    agreed(world, path, [&] { facts_ = facts_of(h, f.name); });
  } else if (format == array_format::zarr) {
    opener const files = f.name.files();
    zarr_header const h = basic_zarr<World>::header_of(world, path, {}, files);
    agreed(world, path, [&] { facts_ = facts_of(h); });
    array_part const none = part_of(facts_, detail::nothing_of(facts_.shape), order::c);
    f.zarr = basic_zarr<World>::open(world, path, none, mode::read, {}, files);
  } else if (format == array_format::hdf5) {
    f.hdf5 = basic_hdf5<World>::open(world, path);
    agreed(world, path, [&] { facts_ = facts_of(f.hdf5.content(), f.name); });
  }
  if (format != array_format::npy && format != array_format::raw) return;
  f.file = basic_file<World>::open(world, path, mode::read);
  agreed(world, path, [&] {
    array_part const none = part_of(facts_, detail::nothing_of(facts_.shape), facts_.in);
    std::int64_t const end = detail::add(facts_.offset, none.bytes()), size = f.file.size();
    view_of(facts_, none);  // throws if this type cannot be read
    if (size < end)
      refuse(fmt::format("it has {} bytes, and {} needs {}", size, facts_.text(), end));
  });
}

template <communicator World>
array_reader<World>::~array_reader() = default;

template <communicator World>
void array_reader<World>::read(any_selection const& box, order o, std::byte* into) {
  opened& f = *file_;
  array_part const part = part_of(facts_, box, facts_.in);
  buffer const memory = dense(into, box, o, facts_, facts_.in);
  switch (f.name.format) {
    case array_format::npy:
    case array_format::raw: {
      f.file.set_view(view_of(facts_, part));
      report const r = f.file.read_at_all(0, memory);
      agreed(f.world, f.name.path, [&] {
        if (r.memory_bytes < part.part_bytes()) refuse("it has become shorter while it was read");
      });
      break;
    }
    case array_format::checkpoint: {
      basic_checkpoint<World> one;
      one.add(f.name.inside, part, memory);
      one.load(f.world, f.name.path);
      break;
    }
    case array_format::zarr:
      f.zarr.set_part(part);
      f.zarr.read_all(memory);
      break;
    case array_format::hdf5:
      f.hdf5.read_all(f.name.inside, part, memory);
  }
}

template <communicator World>
void array_reader<World>::close() {
  if (file_->file.is_open()) file_->file.close();
  if (file_->zarr.file().is_open()) file_->zarr.close();
  if (file_->hdf5.file().is_open()) file_->hdf5.close();
}

template class array_reader<self>;
template class array_reader<mpi>;

}  // namespace argosy::tool
