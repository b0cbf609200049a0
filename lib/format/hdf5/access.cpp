// Implements format/detail/hdf5/hdf5_access.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/detail/hdf5/hdf5_access.hpp>

#include <algorithm>
#include <utility>

#include <argosy/format/detail/hdf5/hdf5_chunks.hpp>
#include <argosy/format/detail/stored_array.hpp>

namespace argosy::detail {

namespace {

failure no_dataset(hdf5_file const& f, std::string const& name) {
  for (hdf5_unread const& u : f.unread)
    if (name == u.name || name.starts_with(u.name + "/")) return u.why;
  std::string words = "the file has no dataset '" + name + "'; it has\n" + to_string(f.content);
  if (words.ends_with('\n')) words.pop_back();
  return {errc::argument, std::move(words)};
}

// Returns true if the chunks of an implicit index are numbered by the shape as it is.
bool in_order(hdf5_dataset const& d, hdf5_place const& p) {
  for (std::size_t k = 1; k < d.shape.size(); ++k)
    if ((p.most[k] + p.chunk[k] - 1) / p.chunk[k] != (d.shape[k] + p.chunk[k] - 1) / p.chunk[k])
      return false;
  return true;
}

// The view of a part of chunks that lie one behind the other.
void see_chunks(hdf5_dataset const& d, hdf5_place const& p, array_part const& part,
                hdf5_access& into) {
  into.selection.emplace(hdf5_grid(d, p, d.type), part.form(), part.order());
  layout const& file = into.selection->file();
  signature one(basic_type::byte), all(basic_type::byte, file.size());
  into.view =
      view(std::max<std::int64_t>(0, p.address), typed_form{bytes(1), one}, typed_form{file, all});
  into.is_range = true;
}

failure writable(hdf5_file const& f, hdf5_dataset const& d, hdf5_place const& p,
                 array_part const& part) {
  if (p.what == hdf5_place::kind::contiguous) {
    if (p.address >= 0 || p.bytes == 0) return {};
    return {errc::unsupported,
            "'" + d.name +
                "' has no place in the file yet, and this library gives places to new files only"};
  }
  bool const indexed = p.what == hdf5_place::kind::fixed_array && f.head_bytes > 0;
  if (p.what != hdf5_place::kind::implicit && !indexed)
    return {
        errc::unsupported,
        "another program has made the chunks of '" + d.name + "', which this library only reads",
        "write it to a file of its own"};
  if (part.type() == d.type) return {};
  return {errc::datatype, "'" + d.name + "' has chunks of " + to_string(d.type) +
                              ", and the part is " + to_string(part)};
}

}  // namespace

failure fault_of_hdf5_part(hdf5_dataset const& d, array_part const& part) {
  (void)part.part_bytes();  // throws the fault of the part first
  if (part.order() == order::fortran && part.shape().size() > 1)
    return {errc::datatype, "arrays of HDF5 are in C order, and the part is in Fortran order",
            "give the dimensions in reverse, in C order"};
  view unused;
  return view_of({d.type, order::c, d.shape, 0}, part, unused);
}

failure find_hdf5_access(hdf5_file const& f, std::string const& dataset, array_part const& part,
                         bool to_write, hdf5_access& into) {
  hdf5_dataset const* const d = f.content.find(dataset);
  if (!d) return no_dataset(f, dataset);
  into.number = static_cast<std::size_t>(d - f.content.datasets.data());
  hdf5_place const& p = f.places[into.number];
  if (p.unreadable) return p.unreadable;
  if (failure other = fault_of_hdf5_part(*d, part)) {
    other.detail = "'" + dataset + "': " + other.detail;
    return other;
  }
  if (to_write)
    if (failure why = writable(f, *d, p, part)) return why;
  if (p.what == hdf5_place::kind::contiguous && (p.address >= 0 || p.bytes == 0)) {
    into.is_range = true;
    return view_of({d->type, order::c, d->shape, std::max<std::int64_t>(0, p.address)}, part,
                   into.view);
  }
  if (p.what == hdf5_place::kind::implicit && part.type() == d->type && in_order(*d, p) &&
      (p.address >= 0 || p.bytes == 0))
    see_chunks(*d, p, part, into);
  return {};
}

std::vector<hdf5_change> hdf5_changes(std::span<std::byte const> old,
                                      std::span<std::byte const> now) {
  constexpr std::size_t block = 4096;
  std::vector<hdf5_change> all;
  for (std::size_t at = 0; at < now.size(); at += block) {
    auto const mine = now.subspan(at, std::min(block, now.size() - at));
    if (old.size() == now.size() && std::ranges::equal(mine, old.subspan(at, mine.size())))
      continue;
    all.push_back({static_cast<std::int64_t>(at), mine});
  }
  std::ranges::reverse(all);  // the superblock, which says where the file ends, is the last one
  return all;
}

}  // namespace argosy::detail
