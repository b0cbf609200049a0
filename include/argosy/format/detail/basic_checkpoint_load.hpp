// Bodies of basic_checkpoint: loading.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <argosy/format/basic_checkpoint.hpp>
#include <argosy/format/detail/block_shares.hpp>
#include <argosy/format/detail/codec_threads.hpp>
#include <argosy/format/detail/encoded_blocks.hpp>
#include <argosy/format/detail/stored_array.hpp>
#include <argosy/format/detail/together.hpp>

namespace argosy {

template <communicator World>
checkpoint_header basic_checkpoint<World>::find(joint const& s, basic_file<World>& f) {
  return detail::header_for_all<checkpoint_header>(
      s.on(f.world()), f, detail::checkpoint_header_bytes, detail::parse_checkpoint_header,
      [&](checkpoint_header const& h) { return detail::shorter_than(f, h.file_bytes); });
}

template <communicator World>
void basic_checkpoint<World>::load(World const& world, std::string const& path, detail::hinted with,
                                   opener files) {
  std::shared_ptr<detail::decoded_blocks> blocks;
  auto const reason = [&] { return blocks ? detail::reason_in(*blocks) : std::string(); };
  detail::program_call const call{"checkpoint::load", path, with.where(),
                                  detail::name_use::reads_file, reason};
  detail::in_one_call(world, call, with.error(), what_failed_, [&](joint const& s) {
    std::optional<opener> opens;
    s.alone(errc::io, [&] {
      blocks = detail::new_decoded_blocks();
      opens = detail::decoding_opener(std::move(files), blocks);
    });
    auto f = s.open(path, mode::read, with, *std::move(opens));
    s.closing(f, [&] {
      joint const in = s.on(f.world());
      checkpoint_header const h = find(s, f);
      if (!h.codecs.empty()) {
        int const threads = detail::codec_threads_for(in, with.hints());
        in.alone(errc::unsupported,
                 [&] { return detail::decode_from_now_on(*blocks, h, threads); });
      }
      read(in, f, h);
    });
  });
}

// Finds one array in the file, gives the data its size if it can be resized, and makes the view of
// this rank's part.
template <communicator World>
extend::failure basic_checkpoint<World>::prepare(entry const& e, checkpoint_header const& h,
                                                 content& c, argosy::view& into) {
  detail::checkpoint_array const* const a = h.find(e.name);
  if (a && e.fit && e.writable)
    if (extend::failure wrong = e.fit(*a)) return wrong;
  c = e.now();
  if (c.data.fault()) return *c.data.fault();
  if (!e.writable)
    return {errc::argument, "'" + e.name + "' is const, so nothing can be read into it"};
  if (!a) {
    std::string words = "the checkpoint has no '" + e.name + "'; it has\n" + to_string(h);
    if (words.ends_with('\n')) words.pop_back();
    return {errc::datatype, std::move(words)};
  }
  extend::failure other = detail::view_of({a->type, a->order, a->shape, a->offset}, c.part, into);
  if (other) other.detail = "'" + e.name + "': " + other.detail;
  return other ? other : detail::fault_of(c.part, c.data.buffer(), e.name);
}

template <communicator World>
void basic_checkpoint<World>::read(joint const& s, basic_file<World>& f,
                                   checkpoint_header const& h) const {
  std::vector<argosy::view> views;
  std::vector<content> all;
  bool some_later = false;  // equal on all ranks
  auto const prepare_all = [&](bool later) {
    extend::failure why;
    for (std::size_t i = 0; i < entries_.size() && !why; ++i)
      if (entries_[i].later == later) why = prepare(entries_[i], h, all[i], views[i]);
    return why;
  };
  // All views of one access have one representation. Their list has its memory before, because
  // outside of `alone` no rank may fail by itself.
  std::vector<loaded> these;
  auto const read_all = [&](bool later) {
    for (bool const converts : {false, true}) {
      these.clear();
      for (std::size_t i = 0; i < entries_.size(); ++i)
        if (entries_[i].later == later && views[i].representation().converts() == converts)
          these.push_back({&entries_[i], h.find(entries_[i].name), &all[i], &views[i]});
      if (!these.empty()) read_arrays(s, f, h, these);
    }
  };
  s.alone_with_equal("arrays", errc::datatype, [&](std::string& names) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      names += "arrays[" + std::to_string(i) + "] '" + entries_[i].name + "'" +
               (entries_[i].later ? " in rows" : "") + "\n";
      some_later = some_later || entries_[i].later;
    }
    views.resize(entries_.size());
    all.resize(entries_.size());
    these.reserve(entries_.size());
    return prepare_all(false);
  });
  read_all(false);
  if (!some_later) return;
  s.alone(errc::datatype, [&] { return prepare_all(true); });
  read_all(true);
}

// Reads arrays by one access, and compares the checksums of all blocks that the ranks touched.
template <communicator World>
void basic_checkpoint<World>::read_arrays(joint const& s, basic_file<World>& f,
                                          checkpoint_header const& h,
                                          std::vector<loaded> const& these) {
  std::vector<viewed_target> pieces;
  std::int64_t wanted = 0;
  s.alone(errc::datatype, [&] {
    for (loaded const& one : these) {
      const_buffer const& into = one.to->data.buffer();
      // The entry is writable.
      pieces.push_back({*one.through, target(buffer{const_cast<std::byte*>(into.address()),
                                                    into.form(), into.types()},
                                             s.where())});
      wanted += into.size();
    }
  });
  // Windows are whole blocks, so few of them are decoded twice.
  std::int64_t const window = std::max<std::int64_t>(1, (4 << 20) / h.block_bytes) * h.block_bytes;
  two_phase const of_blocks{
      .buffer_bytes = 2 * window, .window_bytes = window, .align_bytes = h.block_bytes};
  report const r = s.together([&] {
    return h.codecs.empty() ? f.read_views_all(pieces) : f.read_views_all(pieces, of_blocks);
  });
  s.alone(errc::io, [&]() -> extend::failure {
    if (r.memory_bytes >= wanted) return {};
    return {errc::truncated, "the file ends inside of an array"};
  });
  if (!h.codecs.empty()) return;  // the handle has checked each block that it decoded

  detail::block_shares const shares(detail::all_blocks(h), s.rank(), s.world().size());
  auto const mine = detail::shared_out(s, shares, [&] {
    std::vector<detail::block_part> parts;
    for (loaded const& one : these) {
      if (one.of->everywhere && s.rank() != 0) continue;
      layout const& places = one.through->filetype();
      std::int64_t const first = detail::first_block(h, *one.array);
      // Bytes in memory may differ from those in the file.
      bool const converts = one.through->representation().converts();
      for (detail::block_part p : converts
                                      ? detail::blocks_of(places, h.block_bytes)
                                      : detail::block_parts(places, one.to->data.buffer(),
                                                            h.block_bytes, one.array->bytes())) {
        p.block += first;
        parts.push_back(p);
      }
    }
    return parts;
  });
  s.alone(errc::io, [&] {
    return detail::damage_of(h, mine, [&](std::int64_t offset, std::span<std::byte> bytes) {
      return f.read_at(offset, bytes).bytes;
    });
  });
}

template <communicator World>
checkpoint_header basic_checkpoint<World>::header_of(World const& world, std::string const& path,
                                                     detail::hinted with, opener files) {
  checkpoint_header h;
  std::string words;
  detail::program_call const call{"checkpoint::header_of", path, with.where(),
                                  detail::name_use::reads_file};
  detail::in_one_call(world, call, with.error(), words, [&](joint const& s) {
    auto f = s.open(path, mode::read, with, std::move(files));
    s.closing(f, [&] { h = find(s, f); });
  });
  return h;
}

}  // namespace argosy
