// Implements used_view.hpp: where data lies in a view, whether it fits the etype, and whether it
// names a byte twice.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/file/detail/state/used_view.hpp>
#include <argosy/layout/cursor.hpp>

namespace argosy::detail {
namespace {

std::string text_of(std::int64_t n) { return std::to_string(n); }

// A piece of the filetype, modulo its extent, and the copy into which an access of copy 0 falls
// there.
struct folded {
  std::int64_t begin, end, copy;
};

std::vector<folded> folded_pieces(layout const& filetype) {
  std::int64_t const extent = filetype.extent();
  std::vector<folded> all;
  for (cursor at(filetype); !at.done(); at.next()) {
    piece const p = at.current();
    std::int64_t const copy = p.offset / extent, begin = p.offset % extent;
    all.push_back({begin, std::min(begin + p.length, extent), copy});
    if (begin + p.length > extent) all.push_back({0, begin + p.length - extent, copy + 1});
  }
  std::ranges::sort(all, {}, &folded::begin);
  return all;
}

// Returns the smallest distance, in extents, of two copies of a filetype that name the same byte.
std::int64_t distance_of_overlap(layout const& filetype) {
  std::int64_t const extent = filetype.extent();
  if (extent == 0) return 1;
  for (cursor at(filetype); !at.done(); at.next())
    if (at.current().length > extent) return 1;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  // copies of the pieces that contain the current position of the sweep
  std::multiset<std::int64_t> copies;
  std::multiset<std::pair<std::int64_t, std::int64_t>> ends;
  for (folded const& f : folded_pieces(filetype)) {
    for (; !ends.empty() && ends.begin()->first <= f.begin; ends.erase(ends.begin()))
      copies.erase(copies.find(ends.begin()->second));
    auto const here = copies.insert(f.copy);
    if (here != copies.begin()) least = std::min(least, f.copy - *std::prev(here));
    if (std::next(here) != copies.end()) least = std::min(least, *std::next(here) - f.copy);
    ends.emplace(f.end, f.copy);
  }
  return least;
}

// Bytes [from, to) of the stream of a filetype.
struct part_of_copy {
  std::int64_t from, to;
};

// Returns the first byte that is in both parts; -1 if there is none. The second part lies `shift`
// bytes behind the first. Offsets of a filetype do not decrease.
std::int64_t common_byte(layout const& filetype, part_of_copy a, part_of_copy b,
                         std::int64_t shift) {
  cursor x(filetype, a.from), y(filetype, b.from);
  while (x.position() < a.to && y.position() < b.to) {
    piece p = x.current(), q = y.current();
    p.length = std::min(p.length, a.to - x.position());
    q = {q.offset + shift, std::min(q.length, b.to - y.position())};
    if (p.end() <= q.offset)
      x.next();
    else if (q.end() <= p.offset)
      y.next();
    else
      return std::max(p.offset, q.offset);
  }
  return -1;
}

}  // namespace

failure used_view::locate(std::int64_t offset, std::int64_t bytes, std::int64_t& position) const {
  argosy::view const& v = view;
  if (offset < 0)
    return {errc::argument,
            "the offset is " + text_of(offset) + " etypes; it must not be negative"};
  if (v.stream().empty() && bytes == 0) return {};
  auto const start = v.position(offset);
  if (v.stream().empty())
    return {errc::argument,
            text_of(bytes) + " bytes are given, but the filetype of this rank's view is empty"};
  if (!start || bytes > v.stream().size() - *start)
    return {errc::argument,
            "offset " + text_of(offset) + " and " + text_of(bytes) +
                " bytes reach beyond what the view can address (2^63 bytes at most)"};
  position = *start;
  return {};
}

// MPI 3.1, 13.6.6: the types of the data must be those of the etype; bytes match all types.
failure used_view::fault_of(stream_types const& data, std::int64_t etypes) const try {
  if (!checks_types || etypes == 0 || types.is_bytes()) return {};
  type_digest const given(data.get(), view.representation().converts());
  if (given.is_bytes() || given.repeats(types, etypes)) return {};
  return {errc::datatype,
          "the data is of other types (" + to_string(data.get()) + ") than the etype (" +
              to_string(view.etype_types()) + ")" +
              (view.representation().converts()
                   ? ", and representation " + std::string(view.representation().name()) +
                         " converts by type"
                   : "; found in develop mode, where types are compared")};
} catch (invalid_layout const& e) {
  return {errc::datatype, e.what()};
}

failure used_view::fit(source const& data, access_kind kind, bool may_be_cut,
                       std::int64_t& bytes) const {
  bool const converts = view.representation().converts();
  stream_types const* given = nullptr;
  try {
    const_buffer const& memory = data.buffer();  // may be made here, and throw
    given = &memory.types();
    bytes = memory.size();
    if (converts) {
      // Checked here, because other ranks soon depend on this rank's part.
      if (std::int64_t const typed = given->size_with(native_sizes); typed != bytes)
        return {errc::argument, "the data has " + text_of(bytes) +
                                    " bytes in memory, but its types have " + text_of(typed)};
      bytes = given->size_with(view.representation().sizes());
    }
  } catch (invalid_layout const& e) {
    return {errc::argument, e.what()};
  }
  // no etype can be reached, so this is the end of the file
  if (view.stream().empty() && kind == access_kind::read) bytes = 0;
  if (!view.is_whole(bytes) && !(may_be_cut && lenient && !converts))
    return {errc::datatype, "the data has " + text_of(bytes) +
                                " bytes in the file, not whole etypes of " +
                                text_of(view.etype_size()) + " bytes"};
  return fault_of(*given, bytes / view.etype_size());
}

std::string used_view::words_of_holes() const {
  std::int64_t const data = view.etype().size(), extent = view.etype().extent();
  if (data >= extent) return {};
  return "; the etype has holes, which stay in the file: " + std::to_string(data) + " of every " +
         std::to_string(extent) + " bytes are data (io::packed(type) leaves them out)";
}

std::shared_ptr<used_view const> checked_view(view v, bool writes, bool lenient, bool develop) {
  if (lenient) v = v.lenient();
  // MPI forbids overlap within the filetype, but not between its copies. Overlap between copies is
  // checked in each write.
  using enum filetype_fault;
  filetype_fault const fault = writes ? v.fault(true) : no_fault;
  if (fault != no_fault && fault != tiles_overlap && !(lenient && fault == not_etypes))
    v.require_writable();
  if ((develop || v.representation().converts()) && !v.types_fault().empty())
    throw invalid_layout(v.types_fault());
  return std::make_shared<used_view const>(std::move(v), develop, lenient, writes);
}

std::shared_ptr<used_view const> overlapping_copies::within_first(std::int64_t position,
                                                                  std::int64_t bytes) const {
  std::int64_t const copy = first_->view.filetype().size();
  return position < copy && bytes <= copy - position ? first_ : nullptr;
}

failure overlapping_copies::twice(std::int64_t position, std::int64_t bytes) const {
  return failure_of(errc::datatype, [&]() -> failure {
    layout const& filetype = first_->view.filetype();
    std::int64_t const size = filetype.size(), end = position + bytes;
    std::int64_t const first = position / size, last = (end - 1) / size;
    if (first == last) return {};
    std::call_once(asked_, [&] { least_distance_ = distance_of_overlap(filetype); });
    // Copies behind the next one are whole, and have the same distance as the nearest that overlap.
    for (std::int64_t i = first; i <= first + 1; ++i)
      for (std::int64_t j = i + least_distance_; j <= std::min(last, i + least_distance_ + 1);
           ++j) {
        part_of_copy const a{std::max(position - i * size, std::int64_t{0}),
                             std::min(end - i * size, size)};
        part_of_copy const b{std::max(position - j * size, std::int64_t{0}),
                             std::min(end - j * size, size)};
        std::int64_t const at = common_byte(filetype, a, b, (j - i) * filetype.extent());
        if (at < 0) continue;
        std::int64_t const byte = first_->view.displacement() + i * filetype.extent() + at;
        return {errc::datatype,
                "copies " + text_of(i) + " and " + text_of(j) +
                    " of the filetype overlap, so byte " + text_of(byte) +
                    " of the file would be written twice by this call",
                "give the filetype the extent of the whole tile by io::resized, or write at most " +
                    text_of(least_distance_) + (least_distance_ == 1 ? " copy" : " copies") +
                    " by one call"};
      }
    return {};
  });
}

}  // namespace argosy::detail
