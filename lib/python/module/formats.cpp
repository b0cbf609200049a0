// Implements formats.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "formats.hpp"

#include <argosy/format/any_world.hpp>
#include <argosy/format/basic_checkpoint.hpp>
#include <argosy/format/basic_zarr.hpp>
#include <argosy/format/npy_header.hpp>

#include "array_file.hpp"
#include "request.hpp"

namespace argosy {

extern template class basic_file<python::ranks>;  // array_file.cpp has them
extern template class basic_npy<python::ranks>;
template class basic_checkpoint<python::ranks>;
template class basic_zarr<python::ranks>;

}  // namespace argosy

namespace argosy::python {

namespace {

using joint = detail::joint_call<ranks>;
using state = basic_checkpoint<ranks>;
using pairs = std::vector<std::pair<std::string, std::string>>;

template <class F>
auto freely(F&& f) {
  nb::gil_scoped_release const others_run;
  return f();
}

// --- Checkpoints ---

// Name, type, shape, order; starts, counts and steps of this rank's part; address and strides; true
// if the array is equal on all ranks.
using entry = std::tuple<std::string, std::string, numbers, std::string,
                         std::tuple<numbers, numbers, numbers>, std::uintptr_t, numbers, bool>;

void add(state& s, entry const& e) {
  auto const& [name, type, shape, order_letter, slices, address, strides, everywhere] = e;
  detail::any_element const of = detail::any_element_of(type);
  order const o = order_of(order_letter);
  detail::any_selection const part{std::get<0>(slices), std::get<1>(slices), std::get<2>(slices)};
  buffer const data = detail::buffer_of({address, strides}, part.counts, o, of);
  if (everywhere)
    s.add_value(name, detail::part_of(shape, o, of, part), data);
  else
    s.add(name, detail::part_of(shape, o, of, part), data);
}

// Returns what a call saves or loads. Collective: an error of Python on one rank is one on all.
state state_of(ranks const& world, std::string_view call, std::string const& path,
               described const& d, argosy::hints& hints) {
  state all;
  in_call(world, call, path, [&](joint const& s) {
    s.alone(errc::argument, [&] {
      auto [entries, named] = d.as<std::vector<entry>, pairs>();
      hints = hints_of(named);
      for (entry const& e : entries) add(all, e);
    });
  });
  return all;
}

void add_checkpoints(nb::module_& m) {
  m.def(
      "save_checkpoint",
      [](nb::object comm, std::string const& path, nb::callable f) {
        ranks const world(comm);
        described const d(std::move(f));
        freely([&] {
          argosy::hints hints;
          state all = state_of(world, "checkpoint.save", path, d, hints);
          all.save(world, path, hints);
        });
      },
      nb::arg("comm").none(), nb::arg("path"), nb::arg("describe"));
  m.def(
      "load_checkpoint",
      [](nb::object comm, std::string const& path, nb::callable f) {
        ranks const world(comm);
        described const d(std::move(f));
        freely([&] {
          argosy::hints hints;
          state all = state_of(world, "checkpoint.load", path, d, hints);
          all.load(world, path, hints);
        });
      },
      nb::arg("comm").none(), nb::arg("path"), nb::arg("describe"));
  // Name, type, shape and order of each array.
  m.def(
      "checkpoint_header",
      [](nb::object comm, std::string const& path) {
        ranks const world(comm);
        return freely([&] {
          std::vector<std::tuple<std::string, std::string, numbers, std::string>> all;
          for (detail::checkpoint_array const& a : state::header_of(world, path).arrays)
            all.emplace_back(a.name, to_string(a.type), a.shape,
                             a.order == order::fortran ? "F" : "C");
          return all;
        });
      },
      nb::arg("comm").none(), nb::arg("path"));
}

// --- Zarr ---

// A codec by its name and a number: gzip and zstd have a level.
zarr_codec codec_of(std::string const& name, std::optional<int> level) {
  if (name == "zstd") return level ? zarr_codec::zstd(*level) : zarr_codec::zstd();
  if (name == "gzip") return level ? zarr_codec::gzip(*level) : zarr_codec::gzip();
  if (name == "crc32c") return zarr_codec::crc32c();
  throw std::invalid_argument("argosy: " + name + " is no codec; give zstd, gzip or crc32c");
}

// An array in a Zarr store.
class zarr_array {
 public:
  // The function returns the type, shape, chunks, shards, codecs, fill value, names of dimensions,
  // attributes, and hints.
  static zarr_array create(ranks const& world, std::string const& path, described const& d);
  static zarr_array open(ranks const& world, std::string const& path, described const& d);

  report access_all(access_kind kind, described const& d);
  void close() {
    std::lock_guard const one(*mutex_);
    array_.close();
  }
  bool is_open() { return array_.file().is_open(); }
  zarr_header const& header() const noexcept { return array_.header(); }

 private:
  basic_zarr<ranks> array_;
  detail::any_element of_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

zarr_array zarr_array::create(ranks const& world, std::string const& path, described const& d) {
  zarr_array z;
  argosy::hints hints;
  zarr_options how;
  std::optional<array_part> none;
  in_call(world, "zarr.create", path, [&](joint const& s) {
    s.alone(errc::argument, [&] {
      auto [type, shape, chunks, shards, codecs, fill, names, attributes, named] =
          d.as<std::string, numbers, numbers, numbers,
               std::vector<std::pair<std::string, std::optional<int>>>, std::string,
               std::vector<std::string>, std::string, pairs>();
      z.of_ = detail::any_element_of(type);
      z.of_.type = detail::native_type(std::move(z.of_.type));
      hints = hints_of(named);
      how.chunks = std::move(chunks);
      how.shards = std::move(shards);
      for (auto const& [name, level] : codecs) how.codecs.push_back(codec_of(name, level));
      how.fill_value = std::move(fill);
      how.dimension_names = std::move(names);
      how.attributes = std::move(attributes);
      none = detail::part_of(shape, order::c, z.of_, detail::nothing_of(shape));
    });
  });
  z.array_ = basic_zarr<ranks>::create(world, path, *none, how, hints);
  return z;
}

zarr_array zarr_array::open(ranks const& world, std::string const& path, described const& d) {
  zarr_array z;
  argosy::hints hints;
  auto modes = mode::none;
  in_call(world, "zarr.open", path, [&](joint const& s) {
    s.alone(errc::argument, [&] {
      auto [how, named] = d.as<std::uint16_t, pairs>();
      modes = static_cast<mode>(how);
      hints = hints_of(named);
    });
  });
  zarr_header const h = basic_zarr<ranks>::header_of(world, path, hints);
  std::optional<array_part> none;
  in_call(world, "zarr.open", path, [&](joint const& s) {
    s.alone(errc::argument, [&] {
      z.of_ = detail::any_element_of(to_string(h.type));
      none = detail::part_of(h.shape, order::c, z.of_, detail::nothing_of(h.shape));
    });
  });
  z.array_ = basic_zarr<ranks>::open(world, path, *none, modes, hints);
  return z;
}

report zarr_array::access_all(access_kind kind, described const& d) {
  std::lock_guard const one(*mutex_);
  std::string_view const name = kind == access_kind::read ? "zarr.read_all" : "zarr.write_all";
  if (!is_open())
    throw error(detail::local_agreement(-1, {errc::file, "the array is not open", "open it first"}),
                name, {}, -1);
  std::optional<array_part> part;
  target data;
  in_call(array_.file().world(), name, array_.file().path(), [&](joint const& s) {
    s.alone(errc::datatype, [&] {
      slice_and_array const given = slice_of(d);
      part = detail::part_of(header().shape, order::c, of_, given.part);
      (void)part->bytes();  // throws the fault of the part
      data = detail::buffer_of(given.array, given.part.counts, order::c, of_);
    });
  });
  array_.set_part(*part);
  return kind == access_kind::read ? array_.read_all(data) : array_.write_all(data);
}

void add_zarr(nb::module_& m) {
  nb::class_<zarr_array>(m, "ZarrArray")
      .def("access_all",
           [](zarr_array& z, bool writes, nb::callable f) {
             described const d(std::move(f));
             return freely(
                 [&] { return z.access_all(writes ? access_kind::write : access_kind::read, d); });
           })
      .def("close", [](zarr_array& z) { freely([&] { z.close(); }); })
      .def_prop_ro("is_open", &zarr_array::is_open)
      .def_prop_ro("shape", [](zarr_array const& z) { return z.header().shape; })
      .def_prop_ro("chunks", [](zarr_array const& z) { return z.header().options.chunks; })
      .def_prop_ro("shards", [](zarr_array const& z) { return z.header().options.shards; })
      .def_prop_ro("attributes", [](zarr_array const& z) { return z.header().options.attributes; })
      .def_prop_ro("dtype", [](zarr_array const& z) { return to_string(z.header().type); })
      .def("__str__", [](zarr_array const& z) { return to_string(z.header()); });
  m.def(
      "create_zarr",
      [](nb::object comm, std::string const& path, nb::callable f) {
        ranks const world(comm);
        described const d(std::move(f));
        return freely([&] { return zarr_array::create(world, path, d); });
      },
      nb::arg("comm").none(), nb::arg("path"), nb::arg("describe"));
  m.def(
      "open_zarr",
      [](nb::object comm, std::string const& path, nb::callable f) {
        ranks const world(comm);
        described const d(std::move(f));
        return freely([&] { return zarr_array::open(world, path, d); });
      },
      nb::arg("comm").none(), nb::arg("path"), nb::arg("describe"));
}

}  // namespace

void add_formats(nb::module_& m) {
  add_checkpoints(m);
  add_zarr(m);
}

}  // namespace argosy::python
