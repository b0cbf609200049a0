// Implements array_file.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "array_file.hpp"

#include <memory>
#include <span>
#include <utility>

#include <argosy/file/any_world.hpp>
#include <argosy/file/detail/through_view.hpp>
#include <argosy/format/any_world.hpp>
#include <argosy/format/detail/stored_array.hpp>

namespace argosy {

template class basic_file<python::ranks>;
template class basic_npy<python::ranks>;

}  // namespace argosy

namespace argosy::python {

namespace {

using joint = detail::joint_call<ranks>;

std::string_view name_of_call(access_kind kind) {
  return kind == access_kind::read ? "read_all" : "write_all";
}

extend::failure cut_off(std::int64_t read, std::int64_t wanted) {
  if (read >= wanted) return {};
  return {errc::truncated, "the file ends inside of the array: " + std::to_string(read) + " of " +
                               std::to_string(wanted) + " bytes of this rank are there"};
}

// Returns the elements that a file of this size has behind `offset`.
std::int64_t elements_in(std::int64_t size, std::int64_t offset, std::int64_t element_bytes) {
  if (size <= offset || element_bytes == 0) return 0;
  return (size - offset) / element_bytes;
}

}  // namespace

// --- Opening ---

array_file array_file::open(ranks const& world, std::string const& path, described const& d,
                            bool sized) {
  array_file a;
  in_call(world, "open", path, [&](joint const& s) {
    argosy::hints hints;
    auto modes = mode::none;
    std::int64_t bytes = -1;
    s.alone_with_equal("array", errc::argument, [&](std::string& lines) {
      auto [type, shape, order, offset, how, named] =
          d.as<std::string, std::optional<numbers>, std::string, std::int64_t, std::uint16_t,
               std::vector<std::pair<std::string, std::string>>>();
      a.facts_ = {detail::any_element_of(type), std::move(shape), order_of(order)};
      a.offset_ = offset;
      hints = hints_of(named);
      modes = static_cast<mode>(how);
      lines = "type " + type + "\norder " + order + "\noffset " + std::to_string(offset);
      if (a.facts_.shape) {
        array_part const whole = detail::part_of(*a.facts_.shape, a.facts_.in, a.facts_.of,
                                                 detail::nothing_of(*a.facts_.shape));
        bytes = detail::add(offset, whole.bytes());
        lines += "\nshape " + to_string(whole);
      }
      return extend::failure();
    });
    a.file_ = s.open(path, modes, hints, posix_opener());
    s.undone(
        [&] {
          if (sized && bytes >= 0) s.together([&] { a.file_.set_size(bytes); });
          if (a.facts_.shape) return;
          std::int64_t elements = 0;
          s.on_first(errc::io, [&] {
            elements = elements_in(a.file_.size(), a.offset_, a.facts_.of.type.bytes);
          });
          s.broadcast(std::as_writable_bytes(std::span(&elements, 1)));
          s.alone(errc::io, [&] { a.facts_.shape = numbers{elements}; });
        },
        [&] { s.close_after_error(a.file_); });
  });
  return a;
}

array_file array_file::create_npy(ranks const& world, std::string const& path, described const& d) {
  array_file a;
  argosy::hints hints;
  std::optional<array_part> part;
  in_call(world, "npy.create", path, [&](joint const& s) {
    s.alone(errc::argument, [&] {
      auto [type, shape, order, named] = d.as<std::string, numbers, std::string,
                                              std::vector<std::pair<std::string, std::string>>>();
      a.facts_ = {detail::any_element_of(type), std::move(shape), order_of(order)};
      hints = hints_of(named);
      numbers const& n = *a.facts_.shape;
      // Slices choose what each rank writes. Until then rank 0 has the whole array.
      part = detail::part_of(n, a.facts_.in, a.facts_.of,
                             s.rank() == 0 ? detail::everything_of(n) : detail::nothing_of(n));
    });
  });
  a.facts_.of.type = detail::native_type(std::move(a.facts_.of.type));
  a.npy_ = basic_npy<ranks>::create(world, path, *part, hints);
  a.offset_ = a.npy_->header().data_offset;
  return a;
}

array_file array_file::open_npy(ranks const& world, std::string const& path, described const& d) {
  array_file a;
  argosy::hints hints;
  auto modes = mode::none;
  in_call(world, "npy.open", path, [&](joint const& s) {
    s.alone(errc::argument, [&] {
      auto [how, named] = d.as<std::uint16_t, std::vector<std::pair<std::string, std::string>>>();
      modes = static_cast<mode>(how);
      hints = hints_of(named);
    });
  });
  npy_header const h = basic_npy<ranks>::header_of(world, path, hints);
  in_call(world, "npy.open", path, [&](joint const& s) {
    s.alone(errc::argument, [&] {
      a.facts_ = {detail::any_element_of(to_string(h.type)), h.shape, h.order};
      a.offset_ = h.data_offset;
    });
    a.file_ = s.open(path, modes, hints, posix_opener());
  });
  return a;
}

// --- Reading and writing ---

void array_file::require_open(std::string_view call) {
  if (file().is_open()) return;
  throw error(detail::local_agreement(-1, {errc::file, "the file is not open", "open it first"}),
              call, {}, -1);
}

array_file::prepared array_file::prepare(described const& d) const {
  slice_and_array const given = slice_of(d);
  array_part const part = detail::part_of(shape(), facts_.in, facts_.of, given.part);
  prepared p;
  extend::failure const bad =
      detail::view_of({facts_.of.type, facts_.in, shape(), offset_}, part, p.where);
  if (bad) throw invalid_layout(bad.detail);
  p.data = detail::buffer_of(given.array, given.part.counts, facts_.in, facts_.of);
  p.bytes = part.part_bytes();
  return p;
}

report array_file::access(access_kind kind, described const& d) {
  return locked([&](basic_file<ranks>& f) {
    require_open(kind == access_kind::read ? "read" : "write");
    prepared const p = prepare(d);
    report r;
    try {
      r = detail::through_view::of(f, p.where, [&] {
        return kind == access_kind::read ? f.read_at(0, p.data) : f.write_at(0, p.data);
      });
    } catch (error const&) {
      failed_ = failed_ || kind == access_kind::write;
      throw;
    }
    if (kind == access_kind::read)
      if (extend::failure f_cut = cut_off(r.memory_bytes, p.bytes))
        throw error(detail::local_agreement(f.world().rank(), std::move(f_cut)), "read", f.path(),
                    f.world().rank(), std::make_shared<report const>(r));
    return r;
  });
}

report array_file::access_all(access_kind kind, described const& d) {
  return locked([&](basic_file<ranks>& f) {
    std::string_view const name = name_of_call(kind);
    require_open(name);
    report r;
    bool const writes = kind == access_kind::write,
               failed = std::exchange(failed_, failed_ || writes);
    in_call(f.world(), name, f.path(), [&](joint const& s) {
      prepared p;
      s.alone(errc::datatype, [&] { p = prepare(d); });
      s.together([&] { f.set_view(p.where); });
      r = s.together([&] { return writes ? f.write_at_all(0, p.data) : f.read_at_all(0, p.data); });
      if (!writes) s.alone(errc::io, [&] { return cut_off(r.memory_bytes, p.bytes); });
    });
    failed_ = failed;
    return r;
  });
}

argosy::plan array_file::explain(access_kind kind, described const& d) {
  return locked([&](basic_file<ranks>& f) {
    require_open("explain");
    prepared const p = prepare(d);
    return detail::through_view::of(f, p.where, [&] { return f.explain_at(kind, 0, p.data); });
  });
}

collective_plan array_file::explain_all(access_kind kind, described const& d) {
  return locked([&](basic_file<ranks>& f) {
    require_open("explain_all");
    collective_plan result;
    in_call(f.world(), "explain_all", f.path(), [&](joint const& s) {
      prepared p;
      s.alone(errc::datatype, [&] { p = prepare(d); });
      s.together([&] { f.set_view(p.where); });
      result = s.together([&] { return f.explain_at_all(kind, 0, p.data); });
    });
    return result;
  });
}

// A new .npy file stays without its first byte, so that it is not taken for a whole one, if a write
// of any rank has failed.
void array_file::close() {
  locked([&](basic_file<ranks>& f) {
    require_open("close");
    if (!npy_) return f.close();
    bool failed = false;
    in_call(f.world(), "npy.close", f.path(), [&](joint const& s) {
      extend::rank_statistics all(failed_ ? 1 : 0);
      s.all_reduce(all);
      failed = all.most > 0;
    });
    if (!failed) return npy_->close();
    std::string const path = f.path();
    int const rank = f.world().rank();
    f.close();
    throw error(detail::local_agreement(
                    -1, {errc::damaged, "a write to this new file has failed; it is not whole"}),
                "npy.close", path, rank);
  });
}

std::string array_file::hints() {
  return locked([](basic_file<ranks>& f) { return to_string(f.get_hints()); });
}

}  // namespace argosy::python
