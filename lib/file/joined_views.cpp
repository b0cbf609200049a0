// Implements open_file::join_views: several views and their data as one view and one buffer.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/file/detail/protocol/develop_checks.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/layout/cursor.hpp>

namespace argosy::detail {
namespace {

std::string name_of(std::size_t number) { return "views[" + std::to_string(number) + "]"; }

// Data in its view.
struct variable {
  std::size_t number;  // in the list of the call
  std::shared_ptr<used_view const> where;
  const_buffer const* memory;
  std::int64_t bytes;  // in the file
  bool in_order;       // its places in the file only increase
  piece hull;          // the shortest range of the file with its bytes

  view const& through() const { return where->view; }
  layout const& stream() const { return where->view.stream(); }
  std::int64_t address() const { return reinterpret_cast<std::intptr_t>(memory->address()); }
};

variable variable_of(std::size_t number, std::shared_ptr<used_view const> where,
                     const_buffer const& memory, std::int64_t bytes) {
  layout const& filetype = where->view.filetype();
  bool const in_order = where->sorted || (bytes <= filetype.size() && !filetype.overlaps());
  piece const hull = hull_of(where->view.stream(), 0, bytes);
  return {number, std::move(where), &memory, bytes, in_order, hull};
}

// Calls f(offset, length, position) for each piece in which the view has bytes from `position` on.
template <class F>
void each_piece(variable const& v, std::int64_t position, F&& f) {
  for (cursor at(v.stream(), position); at.position() < v.bytes; at.next())
    f(at.current().offset, std::min(at.current().length, v.bytes - at.position()), at.position());
}

// Returns the places of the data in the file. Whole copies of the filetype stay one repeat.
layout places_of(variable const& v) {
  layout const& one = v.through().filetype();
  std::int64_t const size = one.size();
  if (size == 0) return {};
  std::int64_t const copies = v.bytes / size;
  layout whole = at(v.through().displacement(), repeat(copies, one.extent(), one));
  if (copies * size == v.bytes) return whole;
  std::vector<std::int64_t> offsets, lengths;
  each_piece(v, copies * size, [&](std::int64_t offset, std::int64_t length, std::int64_t) {
    offsets.push_back(offset);
    lengths.push_back(length);
  });
  layout const rest = table(offsets, lengths);
  return copies == 0 ? rest : concat(whole, rest);
}

// Finds the place in memory of parts of a variable's data.
class memory_walk {
 public:
  // If the representation converts, data of one type can be taken apart.
  memory_walk(variable const& v, std::int64_t base)
      : at_(v.memory->form()), shift_(v.address() - base) {
    representation const& r = v.through().representation();
    if (!r.converts()) return;
    signature const types = v.memory->types().get();
    if (types.nodes().size() != 1) {
      in_file_ = 0;
      return;
    }
    type_ = types.nodes()[0].type;
    in_file_ = size_in(r.sizes(), type_);
    in_memory_ = size_in(native_sizes, type_);
  }
  // Returns false if the part cannot be taken apart from the rest.
  bool takes(std::int64_t position, std::int64_t length) const {
    return in_file_ != 0 && position % in_file_ == 0 && length % in_file_ == 0;
  }
  // Adds the pieces of the bytes [position, position + length) of the file's stream.
  void add(std::int64_t position, std::int64_t length, std::vector<std::int64_t>& offsets,
           std::vector<std::int64_t>& lengths, signature& types) {
    std::int64_t const items = length / in_file_, from = position / in_file_ * in_memory_;
    if (at_.position() != from) at_.seek(from);
    for (std::int64_t left = items * in_memory_; left > 0;) {
      std::int64_t const n = std::min(left, at_.current().length);
      offsets.push_back(at_.current().offset + shift_);
      lengths.push_back(n);
      at_.advance(n);
      left -= n;
    }
    types.append(signature(type_, items));
  }

 private:
  cursor at_;
  std::int64_t shift_;
  basic_type type_ = basic_type::byte;
  std::int64_t in_file_ = 1, in_memory_ = 1;  // bytes of an item; 0: items of several types
};

// A piece of a variable in the file.
struct woven_piece {
  std::int64_t offset, length, position;
  std::size_t of;
  std::int64_t end() const noexcept { return offset + length; }
};

class joining {
 public:
  explicit joining(access_kind kind) : kind_(kind) {}

  failure add(open_file const& file, call const& c, std::size_t i) {
    source const& data = c.views->data(i);
    bool const writes = kind_ == access_kind::write, develops = file.seen_by().develops();
    auto where = checked_view(c.views->through(i), writes, file.hints().values().lenient, develops);
    std::int64_t bytes = 0, start = 0;
    if (failure f = where->fit(data, kind_, true, bytes)) return f;
    if (failure f = where->locate(0, bytes, start)) return f;
    if (develops && writes) tell_of_parts(file, where->view, c, bytes);
    if (bytes == 0) return {};
    auto const& mine = where->view.representation();
    if (!all_.empty() && mine != all_[0].through().representation())
      return {errc::argument, "its representation is " + std::string(mine.name()) + ", that of " +
                                  name_of(all_[0].number) + " is " +
                                  std::string(all_[0].through().representation().name()) +
                                  "; the views of a rank in one call have one representation"};
    all_.push_back(variable_of(i, std::move(where), data.buffer(), bytes));
    return {};
  }

  // Joins what was added.
  failure into(job& t, bool lenient) {
    std::ranges::sort(all_, {},
                      [](variable const& v) { return std::pair(v.hull.offset, v.number); });
    for (variable const& v : all_) {
      base_ = std::min(base_, detail::add(v.address(), v.memory->form().true_lower_bound()));
      granule_ = std::gcd(granule_, v.where->granule);
      t.bytes = detail::add(t.bytes, v.bytes);
    }
    for (std::size_t i = 0, end = 0; i < all_.size(); i = end) {
      std::int64_t high = 0;
      for (end = i; end < all_.size() && (end == i || all_[end].hull.offset < high); ++end)
        high = std::max(high, all_[end].hull.end());
      if (end == i + 1 && all_[i].in_order)
        append(all_[i]);
      else if (failure f = weave(std::span(all_).subspan(i, end - i)))
        return f;
    }
    t.etypes = t.bytes / granule_;
    t.where = std::make_shared<used_view const>(joined_view(), false, lenient);
    auto* const base = reinterpret_cast<std::byte const*>(static_cast<std::intptr_t>(base_));
    layout memory = concat(memory_);
    t.memory = std::make_shared<const_buffer const>(
        converts() ? const_buffer(base, std::move(memory), std::move(types_))
                   : const_buffer(base, std::move(memory)));
    return {};
  }

  bool empty() const noexcept { return all_.empty(); }

 private:
  bool converts() const { return all_[0].through().representation().converts(); }

  view joined_view() const {
    layout const places = concat(places_);
    // A gap behind the places keeps the last piece apart from the first one of the next copy.
    std::int64_t const high = places.true_upper_bound();
    bool const fits = high <= std::numeric_limits<std::int64_t>::max() - granule_;
    layout const filetype = resized(places, 0, fits ? high + granule_ : high);
    return view(0, bytes(granule_), filetype, all_[0].through().representation()).first_copy();
  }

  // Appends a variable that no other one interleaves with.
  void append(variable const& v) {
    places_.push_back(places_of(v));
    memory_.push_back(at(v.address() - base_, v.memory->form()));
    if (converts()) types_.append(v.memory->types().get());
  }

  // Appends variables that interleave, piece by piece in the order of the file.
  failure weave(std::span<variable const> group) {
    std::vector<woven_piece> pieces;
    std::vector<memory_walk> walks;
    for (std::size_t i = 0; i < group.size(); ++i) {
      walks.emplace_back(group[i], base_);
      each_piece(group[i], 0, [&](std::int64_t offset, std::int64_t length, std::int64_t position) {
        pieces.push_back({offset, length, position, i});
      });
    }
    std::ranges::sort(pieces, {},
                      [](woven_piece const& p) { return std::tuple(p.offset, p.of, p.position); });
    if (kind_ == access_kind::write)
      if (failure f = written_twice(group, pieces)) return f;

    std::vector<std::int64_t> offsets, lengths, memory_offsets, memory_lengths;
    for (woven_piece const& p : pieces) {
      if (!walks[p.of].takes(p.position, p.length)) return not_apart(group[p.of]);
      offsets.push_back(p.offset);
      lengths.push_back(p.length);
      walks[p.of].add(p.position, p.length, memory_offsets, memory_lengths, types_);
    }
    places_.push_back(table(offsets, lengths));
    memory_.push_back(table(memory_offsets, memory_lengths));
    return {};
  }
  static failure written_twice(std::span<variable const> group,
                               std::span<woven_piece const> pieces) {
    woven_piece const* last = &pieces[0];
    for (woven_piece const& p : pieces.subspan(1)) {
      if (p.offset < last->end()) {
        auto const [a, b] = std::minmax(group[last->of].number, group[p.of].number);
        std::string const byte = " byte " + std::to_string(p.offset) + " of the file";
        if (a == b) return {errc::datatype, name_of(a) + " writes" + byte + " twice"};
        return {errc::argument, name_of(a) + " and " + name_of(b) + " both write" + byte};
      }
      last = &p;
    }
    return {};
  }
  static failure not_apart(variable const& v) {
    return {errc::unsupported,
            name_of(v.number) + " interleaves with another view in the file, and representation " +
                std::string(v.through().representation().name()) +
                " converts its data, which is not of one type",
            "write it by a call of its own"};
  }

  access_kind kind_;
  std::vector<variable> all_;
  std::int64_t base_ = std::numeric_limits<std::int64_t>::max(), granule_ = 0;
  std::vector<layout> places_, memory_;
  signature types_;
};

}  // namespace

failure open_file::fault_of_data(call const& c) {
  if (c.data.fault()) return *c.data.fault();
  for (std::size_t i = 0; c.views && i < c.views->size(); ++i)
    if (c.views->data(i).fault()) {
      failure f = *c.views->data(i).fault();
      f.detail = name_of(i) + ": " + f.detail;
      return f;
    }
  return {};
}

failure open_file::join_views(call const& c, job& t) const {
  t.told.timed = true;
  joining all(c.kind());
  for (std::size_t i = 0; i < c.views->size(); ++i)
    if (failure f = failure_of(errc::datatype, [&] { return all.add(*this, c, i); })) {
      f.detail = name_of(i) + ": " + f.detail;
      return f;
    }
  if (!all.empty())
    return failure_of(errc::argument, [&] { return all.into(t, hints().values().lenient); });
  t.where = where_;
  t.memory = std::shared_ptr<const_buffer const>(std::shared_ptr<void>(), &c.data.buffer());
  return {};
}

}  // namespace argosy::detail
