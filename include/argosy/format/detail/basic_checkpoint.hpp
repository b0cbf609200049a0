// Bodies of basic_checkpoint.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/file/detail/open.hpp>
#include <argosy/format/basic_checkpoint.hpp>
#include <argosy/format/detail/block_shares.hpp>
#include <argosy/format/detail/stored_array.hpp>
#include <argosy/format/detail/together.hpp>

namespace argosy {

// What the header will say; and why that cannot be saved.
template <communicator World>
checkpoint_header basic_checkpoint<World>::plan(std::vector<content> const& all, failure& why) const {
  checkpoint_header h;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const& [part, data] = all[i];
    h.arrays.push_back({.name = entries_[i].name, .type = part.type(), .order = part.order(), .shape = part.shape()});
    if (data.fault()) why.keep(*data.fault());
    why.keep(detail::failure_of(errc::datatype, [&] {  // the part may carry why it cannot be
      return data.fault() ? failure() : detail::fault_of(part, data.buffer(), entries_[i].name);
    }));
  }
  why.keep(detail::failure_of(errc::argument, [&]() -> failure {
    detail::place_arrays(h);
    failure bad;
    detail::parse_checkpoint_header(detail::checkpoint_header_of(h), bad);  // names that are not there, or twice
    return bad ? failure{errc::argument, bad.detail} : failure{};
  }));
  return h;
}

// What must be the same on all ranks: names, types and shapes of arrays, and the values that all ranks have.
template <communicator World>
std::string basic_checkpoint<World>::lines(std::vector<content> const& all) const {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i)
    text += "arrays[" + std::to_string(i) + "] '" + entries_[i].name + "' " + to_string(all[i].part) +
            (entries_[i].everywhere ? " = " + detail::value_words(all[i].data.buffer()) : "") + "\n";
  return text;
}

template <communicator World>
void basic_checkpoint<World>::save(World const& world, std::string const& path, detail::hinted with, opener files) {
  auto const stays = [&] {
    return detail::is_there(files, path) ? "what was saved in '" + path + "' before is still there" : std::string();
  };
  detail::with_errors({"checkpoint::save", path, world.rank(), stays}, with.error(), what_failed_, [&] {
    detail::with_ranks(world, "checkpoint::save", path, [&](World const& ours) {
      failure why;
      std::vector<content> const all = look();
      checkpoint_header const h = plan(all, why);
      if (!files.renames())
        why.keep({errc::unsupported, "files cannot be renamed here, so a checkpoint could be half of one"});
      detail::agree_on_lines(ours, "arrays", lines(all), why, with.where(), "checkpoint::save", path);
      std::uint64_t number = detail::random_name();
      if constexpr (requires { ours.unique_number(); }) number = ours.unique_number();
      ours.broadcast(std::as_writable_bytes(std::span(&number, 1)), 0);
      save_as(ours, path, detail::temporary_path(path, number), h, all, with, files);
    });
  });
}

template <communicator World>
void basic_checkpoint<World>::save_as(World const& world, std::string const& path, std::string const& temporary,
                                      checkpoint_header const& h, std::vector<content> const& all,
                                      detail::hinted const& with, opener const& files) const {
  basic_file<World> f =
      basic_file<World>::open(world, temporary, mode::create | mode::exclusive | mode::read_write | mode::unique_open,
                              {with.hints(), with.where()}, files);
  try {
    write(f, h, all);
    f.sync(with.where());
    f.close(with.where());
    failure named;
    if (world.rank() == 0) {
      if (auto const code = files.rename(temporary, path)) {
        named = {code, "renaming '" + temporary + "'"};
      } else if (auto const later = files.settle(path)) {
        named = {later, std::string(detail::already_named) + ", but after a crash the old one may have it"};
      }
    }
    detail::agree_to_go_on(world, named, "checkpoint::save", path);
  } catch (...) {
    std::error_code ignored;
    if (f.is_open()) f.close(ignored);
    if (world.rank() == 0) files.remove(temporary);
    detail::barrier_of_survivors(world);  // when a rank has returned, the file is gone
    throw;
  }
}

template <communicator World>
void basic_checkpoint<World>::write(basic_file<World>& f, checkpoint_header const& h,
                                    std::vector<content> const& all) const {
  int const rank = f.world().rank();
  f.set_size(h.file_bytes);
  auto const head = detail::checkpoint_header_of(h);
  f.write_at_all(0, rank == 0 ? memory(std::span(head)) : const_buffer());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    array_part const& part = all[i].part;
    const_buffer const& data = all[i].data.buffer();
    detail::checkpoint_array const& a = h.arrays[i];
    bool const brings = !entries_[i].everywhere || rank == 0;
    argosy::view v;
    failure why = detail::failure_of(errc::datatype,
                                     [&] { return detail::view_of({a.type, a.order, a.shape, a.offset}, part, v); });
    detail::agree_to_go_on(f.world(), why, "checkpoint::save", f.path());
    f.set_view(v);
    f.write_at_all(0, brings ? data : const_buffer());
    f.set_view(0, type<std::byte>);

    detail::block_shares shares(h.blocks(a), rank, f.world().size());
    std::vector<detail::block_part> const mine =
        detail::shared_out(f.world(), shares, "checkpoint::save", f.path(), [&]() -> std::vector<detail::block_part> {
          if (!brings) return {};
          return detail::block_parts(v.filetype(), data, h.block_bytes, a.bytes());
        });
    std::vector<std::byte> sums;
    why = detail::failure_of(errc::datatype, [&] { return detail::sums_of(h, a, shares, mine, sums); });
    if (why)
      f.write_at_all(0, source(std::move(why), source_location::current()));
    else
      f.write_at_all(a.sums + 4 * shares.first(rank), sums);
  }
}

template <communicator World>
checkpoint_header basic_checkpoint<World>::find(basic_file<World>& f) {
  auto const start = detail::header_for_all(f, detail::checkpoint_header_bytes, "checkpoint::load");
  failure why;
  auto h = detail::parse_checkpoint_header(start, why);
  if (h) {
    std::error_code error;
    std::int64_t const size = f.size(error);
    if (error)
      why = error;
    else if (size < h->file_bytes)
      why = {errc::damaged,
             "the file has " + std::to_string(size) + " bytes; its header speaks of " + std::to_string(h->file_bytes)};
  }
  detail::agree_to_go_on(f.world(), why, "checkpoint::load", f.path());
  return std::move(*h);
}

template <communicator World>
void basic_checkpoint<World>::load(World const& world, std::string const& path, detail::hinted with, opener files) {
  detail::with_errors({"checkpoint::load", path, world.rank()}, with.error(), what_failed_, [&] {
    auto f = basic_file<World>::open(world, path, mode::read, {with.hints(), with.where()}, files);
    try {
      read(f, find(f));
    } catch (...) {
      std::error_code ignored;
      f.close(ignored);
      throw;
    }
    f.close(with.where());
  });
}

template <communicator World>
void basic_checkpoint<World>::read(basic_file<World>& f, checkpoint_header const& h) const {
  std::string names;
  std::vector<argosy::view> views(entries_.size());
  std::vector<content> const all = look();
  failure why;
  for (std::size_t i = 0; i < entries_.size() && !why; ++i) {
    entry const& e = entries_[i];
    names += "arrays[" + std::to_string(i) + "] '" + e.name + "'\n";
    detail::checkpoint_array const* const a = h.find(e.name);
    why = all[i].data.fault().value_or(failure());
    if (!why && !e.writable) why = {errc::argument, "'" + e.name + "' is const, so nothing can be read into it"};
    if (!why && !a) why = {errc::datatype, "the checkpoint has no '" + e.name + "'; it has\n" + to_string(h)};
    if (!a && why.detail.ends_with('\n')) why.detail.pop_back();
    if (!why)
      why = detail::failure_of(errc::datatype, [&] {
        failure other = detail::view_of({a->type, a->order, a->shape, a->offset}, all[i].part, views[i]);
        if (other) other.detail = "'" + e.name + "': " + other.detail;
        return other ? other : detail::fault_of(all[i].part, all[i].data.buffer(), e.name);
      });
  }
  detail::agree_on_lines(f.world(), "arrays", names, why, source_location::current(), "checkpoint::load", f.path());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    entry const& e = entries_[i];
    detail::checkpoint_array const& a = *h.find(e.name);
    f.set_view(views[i]);
    const_buffer const& into = all[i].data.buffer();
    buffer const room{const_cast<std::byte*>(into.address()), into.form(), into.types()};  // it is writable
    report const r = f.read_at_all(0, room);
    f.set_view(0, type<std::byte>);
    failure cut;
    if (r.memory_bytes < room.size()) cut = {errc::truncated, "the file ends inside of '" + e.name + "'"};
    detail::agree_to_go_on(f.world(), cut, "checkpoint::load", f.path());

    detail::block_shares shares(h.blocks(a), f.world().rank(), f.world().size());
    std::vector<detail::block_part> const mine =
        detail::shared_out(f.world(), shares, "checkpoint::load", f.path(), [&]() -> std::vector<detail::block_part> {
          if (e.everywhere && f.world().rank() != 0) return {};
          if (views[i].representation().converts())  // memory has other bytes than the file
            return detail::blocks_of(views[i].filetype(), h.block_bytes);
          return detail::block_parts(views[i].filetype(), into, h.block_bytes, a.bytes());
        });
    failure const damage = detail::failure_of(errc::io, [&] {
      return detail::damage_of(h, a, shares, mine, [&](std::int64_t offset, std::span<std::byte> bytes) {
        return f.read_at(offset, bytes).bytes;
      });
    });
    detail::agree_to_go_on(f.world(), damage, "checkpoint::load", f.path());
  }
}

template <communicator World>
checkpoint_header basic_checkpoint<World>::header_of(World const& world, std::string const& path, detail::hinted with,
                                                     opener files) {
  checkpoint_header h;
  std::string words;
  detail::with_errors({"checkpoint::header_of", path, world.rank()}, with.error(), words, [&] {
    auto f = basic_file<World>::open(world, path, mode::read, {with.hints(), with.where()}, files);
    try {
      h = find(f);
    } catch (...) {
      std::error_code ignored;
      f.close(ignored);
      throw;
    }
    f.close(with.where());
  });
  return h;
}

}  // namespace argosy
