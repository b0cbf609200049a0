// Function bodies of basic_npy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <argosy/format/basic_npy.hpp>
#include <argosy/format/detail/part_cover.hpp>
#include <argosy/format/detail/stored_array.hpp>
#include <argosy/format/detail/together.hpp>

namespace argosy {

template <communicator World>
basic_npy<World> basic_npy<World>::create(World const& world, std::string const& path,
                                          array_part const& part, detail::hinted with,
                                          opener files) {
  basic_npy n;
  detail::program_call const call{"npy::create", path, with.where(), detail::name_use::makes_file};
  detail::in_one_call_of_its_own(world, call, with.error(), n.what_failed_,
                                 [&](joint const& s) { n.make(s, path, part, with, files); });
  return n;
}

template <communicator World>
void basic_npy<World>::make(joint const& s, std::string const& path, array_part const& part,
                            detail::hinted const& with, opener const& files) {
  std::vector<std::byte> bytes;
  std::optional<npy_header> h;
  std::optional<opener> opens;
  argosy::view v;
  detail::part_cover cover;
  s.alone_with_equal("array", errc::datatype, [&](std::string& text) {
    text = to_string(part);
    opens = files;
    files_ = files;
    part_ = part;
    extend::failure bad;
    (void)part.bytes();  // throws the fault of the part
    bytes = detail::npy_header_of(part.type(), part.order(), part.shape());
    h = detail::parse_npy_header(bytes, bad);  // checks the name and the shape by NumPy's rules
    if (bad) return bad;
    bad = detail::view_of({part.type(), part.order(), part.shape(), h->data_offset}, part, v);
    bytes.front() = std::byte{0};  // until the array is whole
    if (s.rank() != 0) bytes.clear();
    cover = detail::cover_of(v.filetype(), detail::develops(with.hints()));
    return bad;
  });
  require_cover(s, part, v, cover);
  file_ = s.open(path, mode::create | mode::read_write, with, *std::move(opens));
  s.undone([&] { s.together([&] { file_.set_size(0); }); },
           [&] { drop(s); });  // the file may have existed before
  s.undone(
      [&] {
        header_ = *std::move(h);
        s.together([&] { file_.set_size(header_.data_offset + part.bytes()); });
        s.together([&] { file_.write_at_all(0, bytes); });
        s.together([&] { file_.set_view(v, s.where()); });
      },
      [&] {
        s.discard(file_);
        file_ = {};
      });
  state_ = progress::begun;
}

// Throws on all ranks if the parts leave elements of the array out, as far as their sizes show. In
// develop mode also throws if some overlap and others are left out.
template <communicator World>
void basic_npy<World>::require_cover(joint const& s, array_part const& part, argosy::view const& v,
                                     detail::part_cover cover) const {
  s.all_reduce(cover);
  if (cover.develop) {
    detail::part_cover exact;
    s.alone(errc::datatype, [&] { exact = detail::exact_cover_of(v.filetype()); });
    s.all_reduce(exact);
    cover.hash = exact.hash;
  }
  s.alone(errc::datatype, [&] { return cover.fault(part.bytes()); });
}

// Closes the file after an error.
template <communicator World>
void basic_npy<World>::drop(joint const& s) {
  s.close_after_error(file_);
  file_ = {};
}

template <communicator World>
basic_npy<World> basic_npy<World>::open(World const& world, std::string const& path,
                                        array_part const& part, argosy::mode modes,
                                        detail::hinted with, opener files) {
  basic_npy n;
  detail::program_call const call{"npy::open", path, with.where(), detail::name_use::reads_file};
  detail::in_one_call(world, call, with.error(), n.what_failed_, [&](joint const& s) {
    n.file_ = s.open(path, modes, with, std::move(files));
    auto const find = [&] {
      n.find(s);
      argosy::view v;
      s.on(n.file_.world()).alone(errc::datatype, [&] {
        n.part_ = part;
        npy_header const& h = n.header_;
        return detail::view_of({h.type, h.order, h.shape, h.data_offset}, part, v);
      });
      s.together([&] { n.file_.set_view(v, s.where()); });
    };
    s.undone(find, [&] { n.drop(s); });
  });
  return n;
}

// Reads the header of the open file.
template <communicator World>
void basic_npy<World>::find(joint const& s) {
  header_ = detail::header_for_all<npy_header>(
      s.on(file_.world()), file_, detail::npy_header_bytes, detail::parse_npy_header,
      [&](npy_header const& h) { return detail::shorter_than(file_, h.data_offset + h.bytes()); });
}

template <communicator World>
npy_header basic_npy<World>::header_of(World const& world, std::string const& path,
                                       detail::hinted with, opener files) {
  basic_npy n;
  detail::program_call const call{"npy::header_of", path, with.where(),
                                  detail::name_use::reads_file};
  detail::in_one_call(world, call, with.error(), n.what_failed_, [&](joint const& s) {
    n.file_ = s.open(path, mode::read, with, std::move(files));
    s.closing(n.file_, [&] { n.find(s); });
  });
  return std::move(n.header_);
}

// Runs a call of the open file. A file that is not open has no other ranks.
template <communicator World>
template <class Body>
void basic_npy<World>::in_call(std::string_view name, extend::source_location where,
                               std::error_code* code, Body&& body) {
  if (file_.is_open()) {
    World const world = file_.world();  // close ends the world of the file
    return detail::in_one_call(world, {name, file_.path(), where}, code, what_failed_, body);
  }
  error const closed(
      detail::local_agreement(-1, {errc::file, "the file is not open", "open it first"}), name, {},
      -1);
  what_failed_ = closed.what();
  if (!code) throw closed;
  *code = closed.code();
}

// Reports a fault of the data as an error of the file's call, which all ranks make.
template <communicator World>
template <class Data>
void basic_npy<World>::check(Data& data) const {
  extend::failure why = data.fault().value_or(extend::failure());
  if (!why)
    why = detail::failure_of(errc::datatype,
                             [&] { return detail::fault_of(*part_, data.buffer(), file_.path()); });
  if (why) data = Data(std::move(why), data.where());
}

template <communicator World>
report basic_npy<World>::write_all(source from, access_options with) {
  report r;
  in_call("npy::write_all", from.where(), with.error(), [&](joint const& s) {
    if (state_ != progress::none) state_ = progress::failed;
    check(from);
    r = s.together(
        [&] { return file_.write_at_all(0, std::move(from), std::move(with).policy()); });
    if (state_ != progress::none) state_ = progress::begun;
  });
  return r;
}

template <communicator World>
report basic_npy<World>::read_all(target into, access_options with) {
  report r;
  in_call("npy::read_all", into.where(), with.error(), [&](joint const& s) {
    check(into);
    r = s.together([&] { return file_.read_at_all(0, std::move(into), std::move(with).policy()); });
    s.alone(errc::io, [&]() -> extend::failure {
      if (r.memory_bytes >= part_->part_bytes()) return {};
      return {errc::truncated,
              "the file ends inside of the array: " + std::to_string(r.memory_bytes) + " of " +
                  std::to_string(part_->part_bytes()) + " bytes of this rank are there"};
    });
  });
  return r;
}

template <communicator World>
void basic_npy<World>::close(on_error e) {
  in_call("npy::close", e.where(), e.error(), [&](joint const& s) {
    progress const last = std::exchange(state_, progress::none);
    if (last == progress::none) return s.together([&] { file_.close(s.where()); });
    std::string path;
    std::optional<extend::file_identity> mine;
    std::vector<std::byte> start;
    s.closing(file_, [&] {
      s.alone(errc::io, [&] {
        path = detail::file_services::full_path(file_);
        mine = detail::file_services::identity(file_);
        start = detail::npy_header_of(header_.type, header_.order, header_.shape);
      });
    });
    s.on_first(errc::io, [&] {  // no write of another rank can fail any more
      return detail::complete_npy(*files_, path, mine, start, last == progress::failed);
    });
  });
}

}  // namespace argosy
