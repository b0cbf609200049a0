// Bodies of basic_npy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <argosy/format/basic_npy.hpp>
#include <argosy/format/detail/stored_array.hpp>
#include <argosy/format/detail/together.hpp>

namespace argosy {

template <communicator World>
basic_npy<World> basic_npy<World>::create(World const& world, std::string const& path, array_part const& part,
                                          detail::hinted with, opener files) {
  basic_npy n;
  n.part_ = part;
  detail::with_errors({"npy::create", path, world.rank()}, with.error(), n.what_failed_,
                      [&] { n.make(world, path, with, files); });
  return n;
}

template <communicator World>
void basic_npy<World>::make(World const& world, std::string const& path, detail::hinted const& with,
                            opener const& files) {
  std::vector<std::byte> bytes;
  std::optional<npy_header> h;
  failure why = detail::failure_of(errc::datatype, [&] {
    failure bad;
    (void)part_.bytes();  // throws what the part carries
    bytes = detail::npy_header_of(part_.type(), part_.order(), part_.shape());
    h = detail::parse_npy_header(bytes, bad);  // a name or a shape may be none that NumPy takes
    return bad;
  });
  file_ = basic_file<World>::open(world, path, mode::create | mode::read_write, {with.hints(), with.where()}, files);
  bool cut = false;
  try {
    detail::agree_on_same(file_.world(), "array", to_string(part_), why, with.where(), "npy::create", path);
    header_ = *h;
    cut = true;
    file_.set_size(0);
    file_.set_size(header_.data_offset + part_.bytes());
    file_.write_at_all(0, file_.world().rank() == 0 ? memory(std::span(bytes)) : const_buffer());
    argosy::view v;
    why = detail::failure_of(errc::datatype, [&] {
      return detail::view_of({part_.type(), part_.order(), part_.shape(), header_.data_offset}, part_, v);
    });
    detail::agree_to_go_on(file_.world(), why, "npy::create", path);
    file_.set_view(v, with.where());
  } catch (...) {
    if (cut && file_.world().rank() == 0) files.remove(path);
    std::error_code ignored;
    file_.close(ignored);
    file_ = {};
    throw;
  }
}

template <communicator World>
basic_npy<World> basic_npy<World>::open(World const& world, std::string const& path, array_part const& part,
                                        argosy::mode modes, detail::hinted with, opener files) {
  basic_npy n;
  n.part_ = part;
  detail::with_errors({"npy::open", path, world.rank()}, with.error(), n.what_failed_, [&] {
    n.find(world, path, modes, with, files);
    try {
      argosy::view v;
      failure why = detail::failure_of(errc::datatype, [&] {
        return detail::view_of({n.header_.type, n.header_.order, n.header_.shape, n.header_.data_offset}, n.part_, v);
      });
      detail::agree_to_go_on(n.file_.world(), why, "npy::open", path);
      n.file_.set_view(v, with.where());
    } catch (...) {
      std::error_code ignored;
      n.file_.close(ignored);
      n.file_ = {};
      throw;
    }
  });
  return n;
}

// Opens the file and takes its header.
template <communicator World>
void basic_npy<World>::find(World const& world, std::string const& path, argosy::mode modes, detail::hinted const& with,
                            opener const& files) {
  file_ = basic_file<World>::open(world, path, modes, {with.hints(), with.where()}, files);
  try {
    auto const start = detail::header_for_all(file_, detail::npy_header_bytes, "npy::open");
    failure why;
    if (auto h = detail::parse_npy_header(start, why)) {
      header_ = std::move(*h);
      std::error_code error;
      std::int64_t const size = file_.size(error), end = header_.data_offset + header_.bytes();
      if (error)
        why = error;
      else if (size < end)
        why = {errc::damaged,
               "the file has " + std::to_string(size) + " bytes; its header speaks of " + std::to_string(end)};
    }
    detail::agree_to_go_on(file_.world(), why, "npy::open", path);
  } catch (...) {
    std::error_code ignored;
    file_.close(ignored);
    file_ = {};
    throw;
  }
}

template <communicator World>
npy_header basic_npy<World>::header_of(World const& world, std::string const& path, detail::hinted with, opener files) {
  basic_npy n;
  detail::with_errors({"npy::header_of", path, world.rank()}, with.error(), n.what_failed_, [&] {
    n.find(world, path, mode::read, with, files);
    n.file_.close();
  });
  return std::move(n.header_);
}

template <communicator World>
detail::program_call basic_npy<World>::as(std::string_view call) const {
  if (!file_.is_open()) return {call, {}, -1};
  return {call, file_.path(), file_.world().rank()};
}

template <communicator World>
report basic_npy<World>::write_all(source from, how with) {
  report r;
  detail::with_errors(as("npy::write_all"), with.error(), what_failed_, [&] {
    failure why = from.fault().value_or(failure());
    if (!why)
      why = detail::failure_of(errc::datatype, [&] { return detail::fault_of(part_, from.buffer(), file_.path()); });
    if (why) from = source(std::move(why), from.where());
    r = file_.write_at_all(0, from, how(with.policy()));
  });
  return r;
}

template <communicator World>
report basic_npy<World>::read_all(target into, how with) {
  report r;
  detail::with_errors(as("npy::read_all"), with.error(), what_failed_, [&] {
    failure why = into.fault().value_or(failure());
    if (!why)
      why = detail::failure_of(errc::datatype, [&] { return detail::fault_of(part_, into.buffer(), file_.path()); });
    if (why) into = target(std::move(why), into.where());
    r = file_.read_at_all(0, into, how(with.policy()));
    failure cut;
    if (r.memory_bytes < part_.part_bytes())
      cut = {errc::truncated, "the file ends inside of the array: " + std::to_string(r.memory_bytes) + " of " +
                                  std::to_string(part_.part_bytes()) + " bytes of this rank are there"};
    detail::agree_to_go_on(file_.world(), cut, "npy::read_all", file_.path());
  });
  return r;
}

template <communicator World>
void basic_npy<World>::close(on_error e) {
  detail::with_errors(as("npy::close"), e.error(), what_failed_, [&] { file_.close(e.where()); });
}

}  // namespace argosy
