// Function bodies of basic_hdf5: writes and reads of datasets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <argosy/format/basic_hdf5.hpp>
#include <argosy/format/detail/codec_threads.hpp>
#include <argosy/format/detail/stored_array.hpp>
#include <argosy/format/detail/together.hpp>

namespace argosy {

namespace detail {

// A sum that ranks reduce.
struct hdf5_sum {
  std::int64_t value = 0;
  void combine(hdf5_sum const& other) noexcept { value += other.value; }
};

}  // namespace detail

// Finds the way to the part, and checks the data. Collective.
template <communicator World>
template <class Data>
detail::hdf5_access basic_hdf5<World>::prepare(joint const& s, std::string const& dataset,
                                               array_part const& part, Data& data,
                                               bool to_write) const {
  detail::hdf5_access way;
  s.alone_with_equal("dataset", errc::datatype, [&](std::string& text) -> extend::failure {
    text = "'" + dataset + "' " + to_string(part);
    if (data.fault()) return *data.fault();
    if (to_write && !writes_)
      return {errc::read_only, "the file is open for reading only",
              "open it with mode::read_write"};
    if (extend::failure why = detail::find_hdf5_access(facts_, dataset, part, to_write, way))
      return why;
    const_buffer const& given = data.buffer();
    if (extend::failure why = detail::fault_of(part, given, dataset)) return why;
    if (!way.selection) return {};
    layout form = way.selection->memory(given.form());
    if constexpr (std::same_as<Data, source>)
      data = Data(const_buffer(given.address(), std::move(form)), data.where());
    else  // a target refers to memory that may be written
      data = Data(buffer(const_cast<std::byte*>(given.address()), std::move(form)), data.where());
    return {};
  });
  return way;
}

template <communicator World>
report basic_hdf5<World>::write_all(std::string const& dataset, array_part const& part, source from,
                                    access_options with) {
  report r;
  in_call("hdf5::write_all", from.where(), with.error(), [&](joint const& s) {
    note_write(dataset, true);
    detail::hdf5_access const way = prepare(s, dataset, part, from, true);
    if (way.is_range) {
      s.together([&] { file_.set_view(way.view, s.where()); });
      r = s.together(
          [&] { return file_.write_at_all(0, std::move(from), std::move(with).policy()); });
    } else {
      r = write_chunks(s, way.number, part, from);
    }
    note_write(dataset, false);
  });
  return r;
}

// Notes whether the dataset of a new file is broken. A name that the file does not have is ignored.
template <communicator World>
void basic_hdf5<World>::note_write(std::string const& dataset, bool broken) noexcept {
  if (!is_new_) return;
  if (hdf5_dataset const* const d = facts_.content.find(dataset))
    broken_[static_cast<std::size_t>(d - facts_.content.datasets.data())] = broken;
}

template <communicator World>
report basic_hdf5<World>::read_all(std::string const& dataset, array_part const& part, target into,
                                   access_options with) {
  report r;
  in_call("hdf5::read_all", into.where(), with.error(), [&](joint const& s) {
    detail::hdf5_access const way = prepare(s, dataset, part, into, false);
    if (!way.is_range) {
      r = read_chunks(s, way.number, part, into);
      return;
    }
    s.together([&] { file_.set_view(way.view, s.where()); });
    r = s.together([&] { return file_.read_at_all(0, std::move(into), std::move(with).policy()); });
    s.alone(errc::io, [&]() -> extend::failure {
      if (r.memory_bytes >= part.part_bytes()) return {};
      return {errc::truncated, "the file ends inside of '" + dataset + "'"};
    });
  });
  return r;
}

template <communicator World>
report basic_hdf5<World>::read_chunks(joint const& s, std::size_t dataset, array_part const& part,
                                      target const& into) {
  look_at_all(s);
  find_chunks(s, dataset);
  report r{.policy = "chunks"};
  s.alone(errc::io, [&] {
    const_buffer const& given = into.buffer();
    buffer const memory(const_cast<std::byte*>(given.address()), given.form(), given.types());
    detail::hdf5_read const file = reader();
    auto const read = [&](std::int64_t offset, std::span<std::byte> bytes) {
      file(offset, bytes);
      ++r.read_calls;
      r.bytes_read += std::ssize(bytes);
    };
    r.bytes = r.memory_bytes = part.part_bytes();
    return detail::read_hdf5_chunks(read, facts_.content.datasets[dataset], facts_.places[dataset],
                                    part, memory);
  });
  return r;
}

template <communicator World>
report basic_hdf5<World>::write_chunks(joint const& s, std::size_t dataset, array_part const& part,
                                       source const& from) {
  look_at_all(s);
  if (threads_ == 0 && !facts_.places[dataset].steps.empty())
    threads_ =
        detail::codec_threads_by(s, [&] { return detail::file_services::codec_threads(file_); });
  std::optional<detail::hdf5_chunk_writes> writes;
  detail::hdf5_write_extent all;
  report r{.policy = "chunks"};
  s.alone(errc::datatype, [&] {
    writes.emplace(facts_.content.datasets[dataset], facts_.places[dataset], part, from.buffer());
    all = {writes->touched(), std::max(1, threads_)};
    r.bytes = r.memory_bytes = part.part_bytes();
  });
  s.all_reduce(all);
  r.rounds = writes->begin(all, s.rank(), s.world().size());
  for (std::int64_t round = 0; round < r.rounds; ++round) {
    std::int64_t const bytes = write_round(s, *writes, round);
    r.write_calls += bytes > 0 ? 1 : 0;
    r.bytes_written += bytes;
  }
  share_chunks(s, dataset, *writes);
  return r;
}

// Encodes and writes the chunks of one round, behind the end of the file. Returns the bytes that
// this rank has written. Collective.
template <communicator World>
std::int64_t basic_hdf5<World>::write_round(joint const& s, detail::hdf5_chunk_writes& writes,
                                            std::int64_t round) {
  std::vector<extend::parcel> const* mine = nullptr;
  s.alone(errc::io, [&] { mine = &writes.send(round); });
  std::vector<extend::parcel> const parcels = s.deliver(*mine);
  s.alone(errc::io, [&] { return writes.encode(round, parcels, reader(), threads_); });
  auto const size = std::ssize(writes.bytes());
  std::int64_t const at = facts_.end + s.exclusive_sum(size);
  detail::hdf5_sum all{size};
  s.all_reduce(all);
  s.together([&] { file_.write_at_all(at, writes.bytes()); });
  writes.place(at);
  facts_.end += all.value;
  return size;
}

// Gives all ranks the places of the chunks that ranks have written. Collective.
template <communicator World>
void basic_hdf5<World>::share_chunks(joint const& s, std::size_t dataset,
                                     detail::hdf5_chunk_writes const& writes) {
  std::vector<extend::parcel> parcels;
  std::vector<std::byte> all;
  s.alone(errc::io, [&] {
    auto const bytes = std::as_bytes(std::span(writes.written()));
    if (!bytes.empty()) parcels.push_back({0, {bytes.begin(), bytes.end()}});
  });
  parcels = s.deliver(parcels);
  s.alone(errc::io, [&] {
    for (extend::parcel const& p : parcels)
      all.insert(all.end(), p.content.begin(), p.content.end());
  });
  auto size = std::ssize(all);
  s.broadcast(std::as_writable_bytes(std::span(&size, 1)));
  s.alone(errc::io, [&] { all.resize(static_cast<std::size_t>(size)); });
  s.broadcast(all);
  std::vector<detail::hdf5_chunk>& table = facts_.places[dataset].chunks;
  for (std::size_t at = 0; at < all.size(); at += sizeof(detail::hdf5_written_chunk)) {
    detail::hdf5_written_chunk w;
    std::memcpy(&w, all.data() + at, sizeof w);
    table[static_cast<std::size_t>(w.number)] = w.chunk;
  }
}

template <communicator World>
void basic_hdf5<World>::grow(std::string const& dataset, std::int64_t elements, on_error e) {
  in_call("hdf5::grow", e.where(), e.error(), [&](joint const& s) {
    std::size_t number = 0;
    s.alone_with_equal("dataset", errc::argument, [&](std::string& text) -> extend::failure {
      text = "'" + dataset + "' " + std::to_string(elements);
      if (!writes_)
        return {errc::read_only, "the file is open for reading only",
                "open it with mode::read_write"};
      return detail::growth_of(facts_, dataset, elements, number);
    });
    facts_.content.datasets[number].shape[0] = elements;
  });
}

template <communicator World>
void basic_hdf5<World>::set_attribute(std::string const& object, hdf5_attribute const& value,
                                      on_error e) {
  in_call("hdf5::set_attribute", e.where(), e.error(), [&](joint const& s) {
    hdf5_attribute* there = nullptr;
    hdf5_attribute given;
    s.alone_with_equal("attribute", errc::argument, [&](std::string& text) -> extend::failure {
      text = detail::lines_of(value, object);
      if (!writes_)
        return {errc::read_only, "the file is open for reading only",
                "open it with mode::read_write"};
      given = value;
      return detail::find_hdf5_attribute(facts_, object, value, there);
    });
    *there = std::move(given);
  });
}

}  // namespace argosy
