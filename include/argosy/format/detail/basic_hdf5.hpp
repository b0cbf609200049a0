// Function bodies of basic_hdf5: making, opening and closing files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/format/basic_hdf5.hpp>
#include <argosy/format/detail/begin_file.hpp>
#include <argosy/format/detail/hdf5/basic_hdf5_data.hpp>
#include <argosy/format/detail/together.hpp>

namespace argosy {

template <communicator World>
basic_hdf5<World> basic_hdf5<World>::create(World const& world, std::string const& path,
                                            hdf5_content const& content, detail::hinted with,
                                            opener files) {
  basic_hdf5 f;
  detail::program_call const call{"hdf5::create", path, with.where(),
                                  detail::name_use::replaces_file};
  detail::in_one_call_of_its_own(world, call, with.error(), f.what_failed_,
                                 [&](joint const& s) { f.make(s, path, content, with, files); });
  return f;
}

template <communicator World>
void basic_hdf5<World>::make(joint const& s, std::string const& name, hdf5_content const& content,
                             detail::hinted const& with, opener const& files) {
  std::string path;
  std::optional<opener> opens;
  s.alone_with_equal("content", errc::argument, [&](std::string& text) -> extend::failure {
    text = detail::lines_of(content);
    path = detail::without_prefix(name);
    path_ = files.absolute(path);
    opens = files;
    files_ = files;
    broken_.assign(content.datasets.size(), false);
    if (!files.renames())
      return {errc::unsupported, "files cannot be renamed here, so a file could be half of one",
              "write to another file system, or give an opener that renames"};
    return detail::plan_hdf5(content, facts_);
  });
  argosy::hints own;
  part_ = detail::begin_file(s, path, path_, files, with.hints(), own);
  file_ = s.open(part_.path, mode::create | mode::exclusive | mode::read_write | mode::unique_open,
                 own, *std::move(opens));
  s.undone(
      [&] {
        s.on_first(errc::io, [&] { return mark_.enter(files, part_.full_path, part_.number); });
        s.together([&] { file_.set_size(facts_.end); });
      },
      [&] {
        s.discard(file_);
        file_ = {};
      });
  writes_ = true;
  is_new_ = true;
}

template <communicator World>
basic_hdf5<World> basic_hdf5<World>::open(World const& world, std::string const& path,
                                          argosy::mode modes, detail::hinted with, opener files) {
  basic_hdf5 f;
  detail::program_call const call{"hdf5::open", path, with.where(), detail::name_use::reads_file};
  detail::in_one_call(world, call, with.error(), f.what_failed_, [&](joint const& s) {
    f.file_ = s.open(path, modes, with, std::move(files));
    s.undone([&] { f.find(s.on(f.file_.world()), detail::can_write(modes)); },
             [&] {
               s.close_after_error(f.file_);
               f.file_ = {};
             });
  });
  return f;
}

template <communicator World>
hdf5_content basic_hdf5<World>::content_of(World const& world, std::string const& path,
                                           detail::hinted with, opener files) {
  basic_hdf5 f;
  detail::program_call const call{"hdf5::content_of", path, with.where(),
                                  detail::name_use::reads_file};
  detail::in_one_call(world, call, with.error(), f.what_failed_, [&](joint const& s) {
    f.file_ = s.open(path, mode::read, with, std::move(files));
    s.closing(f.file_, [&] { f.find(s.on(f.file_.world()), false); });
  });
  return std::move(f.facts_.content);
}

// Returns a function that reads bytes of the file. The view must be that of all bytes.
template <communicator World>
detail::hdf5_read basic_hdf5<World>::reader() {
  return [this](std::int64_t offset, std::span<std::byte> into) {
    if (into.empty()) return;
    report const r = file_.read_at(offset, into);
    if (r.bytes < std::ssize(into))
      throw std::system_error(make_error_code(errc::truncated),
                              "the file ends at byte " + std::to_string(offset + r.bytes));
  };
}

// Runs `find(read, bytes of the file)` on rank 0. The other ranks then run it with the bytes that
// rank 0 has read, in the same order. Collective.
template <communicator World>
template <class Find>
void basic_hdf5<World>::find_on_first(joint const& s, Find&& find) {
  std::vector<std::byte> found;
  std::int64_t size = 0;
  s.on_first(errc::io, [&]() -> extend::failure {
    size = file_.size();
    detail::hdf5_read const file = reader();
    return find(
        [&](std::int64_t offset, std::span<std::byte> into) {
          file(offset, into);
          found.insert(found.end(), into.begin(), into.end());
        },
        size);
  });
  std::int64_t sizes[] = {size, std::ssize(found)};
  s.broadcast(std::as_writable_bytes(std::span(sizes)));
  s.alone(errc::io, [&] { found.resize(static_cast<std::size_t>(sizes[1])); });
  s.broadcast(found);
  s.alone(errc::io, [&]() -> extend::failure {
    if (s.rank() == 0) return {};
    std::span<std::byte const> left = found;
    return find(
        [&](std::int64_t, std::span<std::byte> into) {
          std::ranges::copy(left.first(into.size()), into.begin());
          left = left.subspan(into.size());
        },
        sizes[0]);
  });
}

// Reads the metadata of the open file. To write to it, also finds out whether the metadata is as
// this library writes it.
template <communicator World>
void basic_hdf5<World>::find(joint const& s, bool to_write) {
  find_on_first(s, [&](detail::hdf5_read const& read, std::int64_t bytes) {
    return detail::find_hdf5(read, bytes, facts_);
  });
  writes_ = to_write;
  if (!to_write) return;
  for (std::size_t i = 0; i < facts_.places.size(); ++i)
    if (facts_.places[i].what == detail::hdf5_place::kind::fixed_array) find_chunks(s, i);
  s.on_first(errc::io, [&] {
    detail::hdf5_read const read = reader();
    head_ = detail::own_hdf5_head(read, file_.size(), facts_);
  });
  auto bytes = std::ssize(head_);
  s.broadcast(std::as_writable_bytes(std::span(&bytes, 1)));
  facts_.head_bytes = bytes;
}

// Reads where the chunks of a dataset are, unless that is known. The view must be that of all
// bytes.
template <communicator World>
void basic_hdf5<World>::find_chunks(joint const& s, std::size_t dataset) {
  detail::hdf5_place& p = facts_.places[dataset];
  if (!p.is_chunked() || p.has_chunks || p.unreadable) return;
  detail::hdf5_place found;  // kept only if all ranks have found it
  find_on_first(s, [&](detail::hdf5_read const& read, std::int64_t bytes) {
    found = p;
    return detail::find_hdf5_chunks(read, bytes, facts_.content.datasets[dataset], found);
  });
  p = std::move(found);
}

template <communicator World>
void basic_hdf5<World>::look_at_all(joint const& s) {
  argosy::view const all_bytes;
  s.together([&] { file_.set_view(all_bytes); });
}

// Runs a call of the open file. A file that is not open has no other ranks.
template <communicator World>
template <class Body>
void basic_hdf5<World>::in_call(std::string_view name, extend::source_location where,
                                std::error_code* code, Body&& body) {
  if (file_.is_open()) {
    World const world = file_.world();  // close ends the world of the file
    std::string const& path = path_.empty() ? file_.path() : path_;
    return detail::in_one_call(world, {name, path, where}, code, what_failed_, body);
  }
  error const closed(
      detail::local_agreement(-1, {errc::file, "the file is not open", "open it first"}), name, {},
      -1);
  what_failed_ = closed.what();
  if (!code) throw closed;
  *code = closed.code();
}

// Puts the data on the storage, and then the metadata, if it has changed. The first block has the
// superblock, and says what is valid. If a file exists, that block follows when all others are on
// the storage. Collective.
template <communicator World>
void basic_hdf5<World>::write_head(joint const& s) {
  s.together([&] { file_.sync(s.where()); });
  if (facts_.head_bytes == 0) return;  // the metadata of another program has not changed
  look_at_all(s);
  std::vector<std::byte> now;
  std::int64_t changed[] = {0, 0};  // the first block, and others before it
  s.on_first(errc::io, [&] {
    now = detail::hdf5_head_of(facts_);
    for (detail::hdf5_change const& c : detail::hdf5_changes(head_, now)) {
      ++changed[c.offset == 0 ? 0 : 1];
      if (c.offset != 0) file_.write_at(c.offset, c.bytes);
    }
    if (head_.empty()) changed[1] = 0;  // a new file has no name yet
  });
  s.broadcast(std::as_writable_bytes(std::span(changed)));
  if (changed[1] > 0) s.together([&] { file_.sync(s.where()); });
  s.on_first(errc::io, [&] {
    for (detail::hdf5_change const& c : detail::hdf5_changes(head_, now))
      if (c.offset == 0) file_.write_at(c.offset, c.bytes);
    head_ = std::move(now);
  });
  if (changed[0] > 0) s.together([&] { file_.sync(s.where()); });
}

template <communicator World>
void basic_hdf5<World>::sync(on_error e) {
  in_call("hdf5::sync", e.where(), e.error(), [&](joint const& s) {
    if (!is_new_ && writes_) return write_head(s);
    s.together([&] { file_.sync(s.where()); });
  });
}

template <communicator World>
void basic_hdf5<World>::close(on_error e) {
  in_call("hdf5::close", e.where(), e.error(), [&](joint const& s) {
    if (is_new_) return publish(s);
    s.closing(file_, [&] {
      if (writes_) write_head(s);
    });
  });
  if (!file_.is_open()) is_new_ = false;
}

// Writes the metadata of a new file, closes it, and gives it its name. Collective.
template <communicator World>
void basic_hdf5<World>::publish(joint const& s) {
  is_new_ = false;
  bool named = false;
  std::optional<extend::file_identity> mine;
  if (s.rank() == 0)
    detail::failure_of(errc::io, [&] { mine = detail::file_services::identity(file_); });
  auto const name = [&]() -> extend::failure {
    mark_.permit(part_.permissions);
    if (auto const code = files_->rename(part_.full_path, path_, mine))
      return {code, "renaming '" + part_.full_path + "'"};
    named = true;
    if (auto const later = files_->settle(path_))
      return {later, "the new file has its name, but after a crash the old one may have it"};
    return {};
  };
  auto const fill = [&] {
    s.alone(errc::damaged, [&]() -> extend::failure {
      for (std::size_t i = 0; i < broken_.size(); ++i)
        if (broken_[i])
          return {errc::damaged,
                  "the last write_all of '" + facts_.content.datasets[i].name +
                      "' failed, so the file is not whole",
                  "write it anew"};
      return {};
    });
    write_head(s);
  };
  s.undone(
      [&] {
        s.closing(file_, fill, true);
        s.on_first(errc::io, name, named);
      },
      [&] {  // even if a rank has died, or if the file was closed before
        if (s.rank() == 0)
          detail::failure_of(errc::io, [&] { files_->remove(part_.full_path, mine); });
        detail::barrier_of_survivors(s.world());  // once a rank has returned, the file is gone
        mark_ = {};
      });
  mark_ = {};
}

}  // namespace argosy
