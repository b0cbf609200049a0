// Function bodies of basic_vtkhdf.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <argosy/datatype/subarray.hpp>
#include <argosy/format/basic_vtkhdf.hpp>
#include <argosy/format/detail/together.hpp>

namespace argosy {

template <communicator World>
void basic_vtkhdf<World>::save(World const& world, std::string const& path, detail::hinted with,
                               opener const& files) {
  make("vtkhdf::save", world, path, {}, with, files);
}

template <communicator World>
void basic_vtkhdf<World>::begin_steps(World const& world, std::string const& path, double time,
                                      detail::vtkhdf_room room, detail::hinted with,
                                      opener const& files) {
  make("vtkhdf::begin_steps", world, path, {.timed = true, .time = time, .room = room}, with,
       files);
}

// Evaluates and compares the state on all ranks, and counts. Collective.
template <communicator World>
void basic_vtkhdf<World>::look(joint const& s, detail::vtkhdf_here& here,
                               detail::vtkhdf_step& at) const {
  at.rank = s.rank();
  at.ranks = s.world().size();
  at.parts = at.timed && at.ranks == 1 ? 2 : at.ranks;
  s.alone_with_equal("state", errc::argument, [&](std::string& lines) {
    return detail::look_at_vtkhdf(state_, here, at, lines);
  });
  if (state_.is_image()) return;
  if (state_.has_boxes()) return share_boxes(s, here);
  at.all = at.mine;
  s.all_reduce(at.all);
  at.before.points = s.exclusive_sum(at.mine.points);
  for (std::size_t t = 0; t < state_.cells.size(); ++t) {
    at.before.cells[t] = s.exclusive_sum(at.mine.cells[t]);
    at.before.corners[t] = s.exclusive_sum(at.mine.corners[t]);
  }
}

// Gives each rank the boxes of all ranks. Collective.
template <communicator World>
void basic_vtkhdf<World>::share_boxes(joint const& s, detail::vtkhdf_here& here) const {
  std::vector<extend::parcel> parcels;
  std::string all;
  s.alone(errc::argument, [&] { parcels = detail::send_vtkhdf_boxes(here.all); });
  parcels = s.deliver(parcels);
  s.on_first(errc::argument, [&] {
    return detail::join_vtkhdf_boxes(parcels, std::ssize(state_.levels.refinement) + 1, all);
  });
  s.share_text(all);
  s.alone(errc::argument, [&] { here.all = detail::read_vtkhdf_boxes(all); });
}

template <communicator World>
void basic_vtkhdf<World>::make(std::string_view name, World const& world, std::string const& path,
                               detail::vtkhdf_step at, detail::hinted const& with,
                               opener const& files) {
  detail::program_call const call{name, path, with.where(), detail::name_use::replaces_file};
  detail::in_one_call_of_its_own(world, call, with.error(), what_failed_, [&](joint const& s) {
    detail::vtkhdf_here here;
    std::vector<detail::vtkhdf_dataset> all;
    hdf5_content content;
    std::optional<opener> opens;
    look(s, here, at);
    s.alone(errc::argument, [&] {
      all = detail::vtkhdf_datasets(state_, here, at);
      content = detail::vtkhdf_content(state_, at, all);
      opens = files;
    });
    hdf5 f = s.together([&] {
      return hdf5::create(s.world(), path, content, {with.hints(), s.where()}, *std::move(opens));
    });
    s.undone(
        [&] {
          write(s, f, all);
          s.together([&] { f.close(s.where()); });
        },
        [&] { s.discard(f.file()); });
  });
}

template <communicator World>
void basic_vtkhdf<World>::write(joint const& s, hdf5& f,
                                std::vector<detail::vtkhdf_dataset>& all) const {
  for (detail::vtkhdf_dataset& d : all) {
    if (d.in_blocks) s.alone(errc::argument, [&] { detail::pack_vtkhdf_blocks(d); });
    s.together([&] { f.write_all(d.what.name, d.part, std::move(d.data)); });
    d.packed = {};  // the memory is free for the next dataset
  }
}

template <communicator World>
void basic_vtkhdf<World>::append_step(World const& world, std::string const& path, double time,
                                      detail::hinted with, opener files) {
  detail::program_call const call{"vtkhdf::append_step", path, with.where(),
                                  detail::name_use::reads_file};
  detail::in_one_call_of_its_own(world, call, with.error(), what_failed_, [&](joint const& s) {
    detail::vtkhdf_here here;
    detail::vtkhdf_step at{.timed = true, .time = time};
    look(s, here, at);
    hdf5 f = s.together([&] {
      return hdf5::open(s.world(), path, mode::read_write, {with.hints(), s.where()},
                        std::move(files));
    });
    // An error leaves the metadata as it is, so no program finds what was written.
    s.undone([&] { append(s, f, here, at); }, [&] { s.close_after_error(f.file()); });
  });
}

template <communicator World>
void basic_vtkhdf<World>::append(joint const& s, hdf5& f, detail::vtkhdf_here const& here,
                                 detail::vtkhdf_step& at) {
  std::vector<detail::vtkhdf_dataset> all;
  std::string const values = "VTKHDF/Steps/Values", steps = "VTKHDF/Steps";
  array_part last_value = type<double>;
  hdf5_attribute number;
  double last = 0;
  s.alone(errc::argument, [&]() -> extend::failure {
    if (auto why = detail::find_vtkhdf_step(f.content(), state_, at)) return why;
    last_value = subarray({at.step}, {std::int64_t{1}}, {at.step - 1}, type<double>);
    number = {"NSteps", at.step + 1};
    all = detail::vtkhdf_datasets(state_, here, at, f.content());
    return detail::fault_of_vtkhdf(f.content(), all);
  });
  s.together([&] { f.read_all(values, last_value, last); });
  s.alone(errc::argument, [&]() -> extend::failure {
    if (at.time > last) return {};
    return {errc::argument,
            "the last step has the time " + std::to_string(last) + ", and this one " +
                std::to_string(at.time),
            "give a later time, or begin another file"};
  });
  for (detail::vtkhdf_dataset const& d : all)
    s.together([&] { f.grow(d.what.name, d.what.shape[0], s.where()); });
  write(s, f, all);
  s.together([&] { f.set_attribute(steps, number, s.where()); });
  s.together([&] { f.close(s.where()); });
}

}  // namespace argosy
