// Changes of a file that this library has written.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <argosy/format/detail/hdf5/hdf5_file.hpp>

#include "../literal.hpp"
#include "bytes.hpp"

namespace argosy::detail {

using namespace hdf5;

std::vector<std::byte> own_hdf5_head(hdf5_read const& read, std::int64_t file_bytes,
                                     hdf5_file const& f) {
  std::vector<std::byte> mine;
  bool readable = f.unread.empty();
  for (std::size_t i = 0; i < f.places.size(); ++i) {
    hdf5_place const& p = f.places[i];
    bool const ours = p.what == hdf5_place::kind::contiguous ||
                      p.what == hdf5_place::kind::implicit ||
                      p.what == hdf5_place::kind::fixed_array;
    readable = readable && ours && !p.unreadable && p.fill_value.empty();
  }
  if (!readable) return {};
  // If the content is none that this library writes, it has not written the file.
  if (failure_in([&] { mine = hdf5_head_of(f); }) || std::ssize(mine) > file_bytes) return {};
  std::vector<std::byte> there(mine.size());
  read(0, there);
  if (there != mine) return {};
  return mine;
}

namespace {

failure changeable(hdf5_file const& f) {
  if (f.head_bytes > 0) return {};
  return {
      errc::unsupported,
      "another program has written the metadata of the file, which this library does not change"};
}

}  // namespace

failure find_hdf5_attribute(hdf5_file& f, std::string const& object, hdf5_attribute const& value,
                            hdf5_attribute*& found) {
  if (failure why = changeable(f)) return why;
  std::vector<hdf5_attribute>* all = nullptr;
  for (hdf5_group& g : f.content.groups)
    if (g.name == object) all = &g.attributes;
  for (hdf5_dataset& d : f.content.datasets)
    if (d.name == object) all = &d.options.attributes;
  if (!all) return {errc::argument, "the file has no group and no dataset '" + object + "'"};
  auto const there = std::ranges::find(*all, value.name, &hdf5_attribute::name);
  if (there == all->end())
    return {errc::argument, "'" + object + "' has no attribute '" + value.name + "'",
            "give all attributes when the file is made"};
  if (there->type != value.type || there->shape != value.shape ||
      there->value.size() != value.value.size())
    return {errc::argument, "the attribute '" + value.name + "' of '" + object + "' is of " +
                                to_string(there->type) + " " + python_tuple(there->shape) +
                                ", and the new value of " + to_string(value.type) + " " +
                                python_tuple(value.shape)};
  found = &*there;
  return {};
}

failure growth_of(hdf5_file const& f, std::string const& dataset, std::int64_t elements,
                  std::size_t& number) {
  hdf5_dataset const* const d = f.content.find(dataset);
  if (!d) return {errc::argument, "the file has no dataset '" + dataset + "'"};
  if (failure why = changeable(f)) return why;
  number = static_cast<std::size_t>(d - f.content.datasets.data());
  std::int64_t const now = d->shape.empty() ? 0 : d->shape[0];
  if (elements >= now && elements <= d->options.most) return {};
  return {errc::argument,
          "'" + dataset + "' has " + std::to_string(now) +
              " elements along its first dimension, and may have up to " +
              std::to_string(std::max(now, d->options.most)) + ", not " + std::to_string(elements),
          "give hdf5_options::most when the file is made"};
}

}  // namespace argosy::detail
