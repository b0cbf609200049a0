// Bodies of basic_checkpoint: saving.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/format/basic_checkpoint.hpp>
#include <argosy/format/detail/begin_file.hpp>
#include <argosy/format/detail/block_shares.hpp>
#include <argosy/format/detail/codec_threads.hpp>
#include <argosy/format/detail/encoded_blocks.hpp>
#include <argosy/format/detail/stored_array.hpp>
#include <argosy/format/detail/together.hpp>
#include <argosy/format/detail/written_mark.hpp>

namespace argosy {

// Returns the header to write. Sets `why` if the state cannot be saved.
template <communicator World>
checkpoint_header basic_checkpoint<World>::plan(std::vector<content> const& all,
                                                extend::failure& why) const {
  checkpoint_header h;
  if (!codecs_.empty()) {
    h.codecs = codecs_;
    h.block_bytes = block_bytes_;
    why.keep(detail::failure_of(errc::argument, [&] { return detail::fault_of_codecs(h); }));
    if (why) return h;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    array_part const& part = all[i].part;
    source const& data = all[i].data;
    h.arrays.push_back({.name = entries_[i].name,
                        .type = part.type(),
                        .order = part.order(),
                        .shape = part.shape()});
    if (data.fault()) why.keep(*data.fault());
    why.keep(detail::failure_of(errc::datatype, [&] {  // the part may have a fault
      return data.fault() ? extend::failure()
                          : detail::fault_of(part, data.buffer(), entries_[i].name);
    }));
  }
  why.keep(detail::failure_of(errc::argument, [&]() -> extend::failure {
    detail::place_arrays(h);
    extend::failure bad;
    // This finds names that are missing or used twice.
    detail::parse_checkpoint_header(detail::checkpoint_header_of(h), bad);
    return bad ? extend::failure{errc::argument, bad.detail, bad.advice} : extend::failure{};
  }));
  return h;
}

// Returns everything that must be equal on all ranks: names, types and shapes of arrays, and the
// values that all ranks have.
template <communicator World>
std::string basic_checkpoint<World>::lines(std::vector<content> const& all) const {
  std::string text;
  if (!codecs_.empty())
    text = "codecs " + detail::codec_settings(codecs_) + " in blocks of " +
           std::to_string(block_bytes_) + " bytes\n";
  for (std::size_t i = 0; i < all.size(); ++i)
    text +=
        "arrays[" + std::to_string(i) + "] '" + entries_[i].name + "' " + to_string(all[i].part) +
        (entries_[i].everywhere ? " = " + detail::value_words(all[i].data.buffer()) : "") + "\n";
  return text;
}

template <communicator World>
void basic_checkpoint<World>::save(World const& world, std::string const& name, detail::hinted with,
                                   opener files) {
  bool named = false;  // the new checkpoint has its name
  auto const stays = [&] {
    if (named) return std::string();
    std::string const path = detail::without_prefix(name);
    return detail::is_there(files, path) ? "what was saved in '" + path + "' before is still there"
                                         : std::string();
  };
  detail::program_call const call{"checkpoint::save", name, with.where(),
                                  detail::name_use::replaces_file, stays};
  detail::in_one_call_of_its_own(world, call, with.error(), what_failed_, [&](joint const& s) {
    std::vector<content> all;
    checkpoint_header h;
    std::optional<opener> opens;
    std::string path, to;  // `to`: valid in every working directory
    s.alone_with_equal("arrays", errc::argument, [&](std::string& text) {
      extend::failure why;
      path = detail::without_prefix(name);
      to = files.absolute(path);
      opens = files;
      all = look();
      h = plan(all, why);
      if (!files.renames())
        why.keep({errc::unsupported,
                  "files cannot be renamed here, so a checkpoint could be half of one",
                  "save to another file system, or give an opener that renames"});
      text = lines(all);
      return why;
    });
    argosy::hints own;
    detail::unfinished_file const part = detail::begin_file(s, path, to, files, with.hints(), own);
    auto f =
        s.open(part.path, mode::create | mode::exclusive | mode::read_write | mode::unique_open,
               own, *std::move(opens));
    save_in(s, f, to, part, h, all, with.hints(), files, named);
  });
}

// Writes the checkpoint into `f` with the name `from`, and then renames it to `to`. After the
// rename `named` becomes true on all ranks, even if the directory could not be synced.
template <communicator World>
void basic_checkpoint<World>::save_in(joint const& s, basic_file<World>& f, std::string const& to,
                                      detail::unfinished_file const& part,
                                      checkpoint_header const& h, std::vector<content> const& all,
                                      argosy::hints const& given, opener const& files,
                                      bool& named) const {
  std::string const& from = part.full_path;
  std::optional<extend::file_identity> mine;
  if (s.rank() == 0)
    detail::failure_of(errc::io, [&] { mine = detail::file_services::identity(f); });
  detail::written_mark mark;
  auto const name = [&]() -> extend::failure {
    mark.permit(part.permissions);
    if (auto const code = files.rename(from, to, mine)) return {code, "renaming '" + from + "'"};
    named = true;
    if (auto const later = files.settle(to))
      return {later, "the new checkpoint has its name, but after a crash the old one may have it"};
    return {};
  };
  s.undone(
      [&] {
        auto const fill = [&] {
          s.on_first(errc::io, [&] { return mark.enter(files, from, part.number); });
          joint const in = s.on(f.world());
          h.codecs.empty() ? write(in, f, h, all) : write_encoded(in, f, h, all, given);
          s.together([&] { f.sync(s.where()); });
        };
        s.closing(f, fill, true);
        s.on_first(errc::io, name, named);
      },
      [&] {  // even if a rank has died, or if the file was closed before
        if (s.rank() == 0) detail::failure_of(errc::io, [&] { files.remove(from, mine); });
        detail::barrier_of_survivors(s.world());  // once a rank has returned, the file is gone
      });
}

// Makes the views of this rank's parts of all arrays.
template <communicator World>
extend::failure basic_checkpoint<World>::views_of(checkpoint_header const& h,
                                                  std::vector<content> const& all,
                                                  std::vector<argosy::view>& views) {
  views.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    detail::checkpoint_array const& a = h.arrays[i];
    if (auto f = detail::view_of({a.type, a.order, a.shape, a.offset}, all[i].part, views[i]))
      return f;
  }
  return {};
}

template <communicator World>
void basic_checkpoint<World>::write(joint const& s, basic_file<World>& f,
                                    checkpoint_header const& h,
                                    std::vector<content> const& all) const {
  std::vector<std::byte> head;
  std::vector<argosy::view> views;
  std::vector<viewed_source> pieces;
  s.alone(errc::datatype, [&] {
    if (s.rank() == 0) head = detail::checkpoint_header_of(h);
    pieces.push_back({argosy::view(), head});
    return views_of(h, all, views);
  });
  s.together([&] { f.set_size(h.file_bytes); });

  detail::block_shares const shares(detail::all_blocks(h), s.rank(), s.world().size());
  auto const mine = detail::shared_out(s, shares, [&] {
    std::vector<detail::block_part> parts;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      detail::checkpoint_array const& a = h.arrays[i];
      if (brings(i, s.rank()))
        for (detail::block_part p : detail::block_parts(views[i].filetype(), all[i].data.buffer(),
                                                        h.block_bytes, a.bytes())) {
          p.block += first;
          parts.push_back(p);
        }
      first += h.blocks(a);
    }
    return parts;
  });
  std::vector<detail::placed_sums> sums;
  s.alone(errc::datatype, [&] {
    extend::failure why = detail::sums_of(h, mine, sums);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (brings(i, s.rank())) pieces.push_back({views[i], all[i].data});
    for (detail::placed_sums const& one : sums)
      pieces.push_back({argosy::view(one.place, bytes(1)), one.sums});
    return why;
  });
  s.together([&] { f.write_views_all(pieces); });
}

// Writes encoded blocks in rounds. The header follows, because it says the size of the file.
template <communicator World>
void basic_checkpoint<World>::write_encoded(joint const& s, basic_file<World>& f,
                                            checkpoint_header const& h,
                                            std::vector<content> const& all,
                                            argosy::hints const& given) const {
  int const threads = detail::codec_threads_for(s, given);
  std::optional<detail::block_writes> blocks;
  s.alone(errc::datatype, [&]() -> extend::failure {
    std::vector<argosy::view> views;
    if (auto why = views_of(h, all, views)) return why;
    std::vector<detail::block_source> from;
    for (std::size_t i = 0; i < all.size(); ++i)
      from.push_back({views[i].filetype(), &all[i].data.buffer(), entries_[i].everywhere});
    blocks.emplace(h, std::move(from), s.rank(), s.world().size(), threads);
    return {};
  });
  std::int64_t end = h.file_bytes;
  while (!blocks->done()) {
    detail::round_end until = blocks->reach();
    s.all_reduce(until);
    std::vector<extend::parcel> parcels;
    s.alone(errc::io, [&] { parcels = blocks->send(until); });
    parcels = s.deliver(parcels);
    s.alone(errc::datatype, [&] { return blocks->encode(parcels); });
    std::int64_t const place = end + s.exclusive_sum(blocks->bytes());
    detail::round_bytes more{blocks->bytes()};
    s.all_reduce(more);
    std::vector<viewed_source> pieces;
    s.alone(errc::io, [&] { pieces = blocks->written(place); });
    s.together([&] { f.write_views_all(pieces); });
    end += more.all;
  }
  std::vector<std::byte> head;
  s.alone(errc::io, [&] {
    if (s.rank() != 0) return;
    checkpoint_header whole = h;
    whole.file_bytes = end;
    head = detail::checkpoint_header_of(whole);
  });
  s.together([&] { f.set_size(end); });
  s.together([&] { f.write_at_all(0, head); });
}

}  // namespace argosy

#include <argosy/format/detail/basic_checkpoint_load.hpp>
