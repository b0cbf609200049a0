// Implements decoded_type.hpp: takes MPI datatypes apart by their envelopes and contents.
// SPDX-License-Identifier: BSD-3-Clause
#include "decoded_type.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <argosy/datatype/contiguous.hpp>
#include <argosy/datatype/darray.hpp>
#include <argosy/datatype/detail/blocks.hpp>
#include <argosy/datatype/order.hpp>
#include <argosy/datatype/subarray.hpp>
#include <argosy/datatype/vector.hpp>
#include <argosy/layout/detail/compact_numbers.hpp>

namespace argosy::detail {
namespace {

namespace mpi = mpi_calls;
using old_layout = std::function<layout const&(std::size_t)>;

// Some of a list's numbers, without a copy. A class, because clang 14 reads no views of libstdc++.
class some {
 public:
  class iterator {
   public:
    using value_type = std::int64_t;
    using difference_type = std::ptrdiff_t;
    iterator() = default;
    iterator(compact_numbers const& all, std::size_t at) : all_(&all), at_(at) {}
    std::int64_t operator*() const { return (*all_)[at_]; }
    iterator& operator++() { return ++at_, *this; }
    iterator operator++(int) { return {*all_, at_++}; }
    bool operator==(iterator const& other) const { return at_ == other.at_; }

   private:
    compact_numbers const* all_ = nullptr;
    std::size_t at_ = 0;
  };

  some(compact_numbers const& all, std::size_t from, std::size_t many)
      : all_(&all), from_(from), many_(many) {}
  iterator begin() const { return {*all_, from_}; }
  iterator end() const { return {*all_, from_ + many_}; }
  std::size_t size() const { return many_; }
  std::int64_t operator[](std::size_t i) const { return (*all_)[from_ + i]; }

 private:
  compact_numbers const* all_;
  std::size_t from_, many_;
};

some part(compact_numbers const& all, std::size_t from, std::size_t many) {
  if (from > all.size() || many > all.size() - from)
    throw invalid_layout("argosy::from_mpi: MPI gives fewer numbers than the datatype has");
  return {all, from, many};
}

order order_of(std::int64_t mpi_order) {
  return mpi_order == MPI_ORDER_FORTRAN ? order::fortran : order::c;
}

layout array_part(mpi::contents const& c, layout const& old) {
  auto const d = static_cast<std::size_t>(c.integers.at(0));
  compact_numbers const& lists = c.is_large() ? c.counts : c.integers;
  std::size_t const first = c.is_large() ? 0 : 1;
  return subarray(part(lists, first, d), part(lists, first + d, d), part(lists, first + 2 * d, d),
                  old, order_of(c.integers.at(c.is_large() ? 1 : 1 + 3 * d)))
      .form();
}

distribute::rule rule_of(std::int64_t kind, std::int64_t argument) {
  std::int64_t const size = argument == MPI_DISTRIBUTE_DFLT_DARG ? 0 : argument;
  if (kind == MPI_DISTRIBUTE_BLOCK) return {distribute::kind::block, size};
  if (kind == MPI_DISTRIBUTE_CYCLIC) return {distribute::kind::cyclic, size};
  return {distribute::kind::none, 0};
}

layout dealt_array(mpi::contents const& c, layout const& old) {
  std::int64_t const rank = c.integers.at(1);
  auto const d = static_cast<std::size_t>(c.integers.at(2));
  some const sizes = c.is_large() ? part(c.counts, 0, d) : part(c.integers, 3, d);
  std::size_t const first = c.is_large() ? 3 : 3 + d;
  some const kinds = part(c.integers, first, d), arguments = part(c.integers, first + d, d);
  std::vector<distribute::rule> rules(d);
  for (std::size_t i = 0; i < d; ++i) rules[i] = rule_of(kinds[i], arguments[i]);
  return darray(sizes, rules, part(c.integers, first + 2 * d, d), rank, old,
                order_of(c.integers.at(first + 3 * d)))
      .form();
}

// Returns the members of a struct: their lengths and places.
std::pair<some, some> members_of(mpi::contents const& c) {
  compact_numbers const& counts = c.is_large() ? c.counts : c.integers;
  auto const n = static_cast<std::size_t>(counts.at(0));
  bool const one_list = c.is_large() || c.combiner == mpi::struct_integer;
  return {part(counts, 1, n), one_list ? part(counts, 1 + n, n) : part(c.addresses, 0, n)};
}

layout record(mpi::contents const& c, old_layout const& old) {
  auto const [lengths, places] = members_of(c);
  assembler all;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    layout const& one = old(i);
    if (lengths[i] == 1)
      all.add(places[i], one);
    else
      all.add(places[i], repeat(lengths[i], one.extent(), one));
  }
  return all.finish();
}

}  // namespace

layout combined(mpi::contents const& c, old_layout const& old) {
  bool const large = c.is_large();
  compact_numbers const& counts = large ? c.counts : c.integers;
  std::size_t const n = counts.empty() || counts[0] < 0 ? 0 : static_cast<std::size_t>(counts[0]);
  // MPI has checked the lists of blocks. They are long, so they are not copied.
  using one_length = block_lengths<std::int64_t>;
  // Displacements follow the integers if both are of one kind, and are a list of their own
  // otherwise.
  auto const places = [&](std::size_t after, std::size_t many) {
    return large ? part(counts, after, many) : part(c.addresses, 0, many);
  };
  switch (c.combiner) {
    case MPI_COMBINER_DUP:
      return old(0);
    case MPI_COMBINER_CONTIGUOUS:
      return contiguous(counts.at(0), old(0)).form();
    case MPI_COMBINER_VECTOR:
      return vector(counts.at(0), counts.at(1), counts.at(2), old(0)).form();
    case MPI_COMBINER_HVECTOR:
      return hvector(counts.at(0), counts.at(1), places(2, 1)[0], old(0)).form();
    case mpi::hvector_integer:
      return hvector(counts.at(0), counts.at(1), counts.at(2), old(0)).form();
    case MPI_COMBINER_INDEXED:
      return place_blocks(part(counts, 1, n), part(counts, 1 + n, n), old(0).extent(), old(0));
    case MPI_COMBINER_HINDEXED:
      return place_blocks(part(counts, 1, n), places(1 + n, n), 1, old(0));
    case mpi::hindexed_integer:
      return place_blocks(part(counts, 1, n), part(counts, 1 + n, n), 1, old(0));
    case MPI_COMBINER_INDEXED_BLOCK:
      return place_blocks(one_length{counts.at(1)}, part(counts, 2, n), old(0).extent(), old(0));
    case MPI_COMBINER_HINDEXED_BLOCK:
      return place_blocks(one_length{counts.at(1)}, places(2, n), 1, old(0));
    case MPI_COMBINER_STRUCT:
    case mpi::struct_integer:
      return record(c, old);
    case MPI_COMBINER_SUBARRAY:
      return array_part(c, old(0));
    case MPI_COMBINER_DARRAY:
      return dealt_array(c, old(0));
    case MPI_COMBINER_RESIZED: {
      some const bounds = large ? part(counts, 0, 2) : part(c.addresses, 0, 2);
      return resized(old(0), bounds[0], bounds[1]);
    }
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    case MPI_COMBINER_VALUE_INDEX: {  // like a C struct
      layout const &value = old(0), &index = old(1);
      std::int64_t const whole = index.extent();
      return concat(value, at((value.extent() + whole - 1) / whole * whole, index));
    }
#endif
    default:
      throw invalid_layout(
          "argosy::from_mpi: combiner " + std::to_string(c.combiner) +
          " is not known to argosy; build the datatype by calls of MPI 4.0 or earlier");
  }
}

namespace {

[[noreturn]] void throw_unknown(std::string const& name) {
  throw invalid_layout("argosy: what items the MPI datatype " + name +
                       " holds is not known, so no representation but native can write it; use a "
                       "type of MPI's tables");
}

layout items_with(std::vector<item_run> const& items, basic_sizes const& sizes) {
  std::int64_t all = 0;
  for (item_run const& r : items) all = add(all, mul(r.count, size_in(sizes, r.type)));
  return bytes(all);
}

// Bounds set by hand take precedence over those of other members (MPI 3.1, 4.1.6).
struct marks {
  bool low = false, high = false;
};

struct formed {
  layout form;
  marks set;
};

// Corrects the hull that argosy gives to the members of a struct.
template <class Old>
formed struct_of(layout form, mpi::contents const& how, Old const& old) {
  auto const [lengths, places] = members_of(how);
  marks set;
  std::int64_t low = 0, high = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    formed const& member = old(i);
    if (lengths[i] == 0) continue;
    std::int64_t const last = mul(lengths[i] - 1, member.form.extent());
    if (member.set.low) {
      std::int64_t const at =
          add(add(places[i], member.form.lower_bound()), std::min<std::int64_t>(0, last));
      low = set.low ? std::min(low, at) : at;
      set.low = true;
    }
    if (member.set.high) {
      std::int64_t const at =
          add(add(places[i], member.form.upper_bound()), std::max<std::int64_t>(0, last));
      high = set.high ? std::max(high, at) : at;
      set.high = true;
    }
  }
  if (!set.low) low = form.lower_bound();
  if (!set.high) high = form.upper_bound();
  if (low != form.lower_bound() || high != form.upper_bound())
    form = resized(form, low, high - low);
  return {std::move(form), set};
}

bool sets_bounds(int combiner) {
  return combiner == MPI_COMBINER_RESIZED || combiner == MPI_COMBINER_SUBARRAY ||
         combiner == MPI_COMBINER_DARRAY;
}

}  // namespace

layout decoded_type::file_form(basic_sizes const& sizes) const {
  std::vector<formed> made;
  made.reserve(parts_.size());
  for (decoded_part const& p : parts_) {
    if (!p.unknown.empty()) throw_unknown(p.unknown);
    if (p.is_predefined()) {
      made.push_back({items_with(p.items, sizes), {}});
      continue;
    }
    auto const old = [&](std::size_t i) -> formed const& { return made[p.olds.at(i)]; };
    layout form = combined(p.how, [&](std::size_t i) -> layout const& { return old(i).form; });
    if (p.is_struct())
      made.push_back(struct_of(std::move(form), p.how, old));
    else
      made.push_back(
          {std::move(form), sets_bounds(p.how.combiner) ? marks{true, true} : old(0).set});
  }
  return std::move(made.back().form);
}

signature const& decoded_type::types() const {
  std::call_once(asked_, [&] { types_ = types_now(); });
  return types_;
}

signature decoded_type::types_now() const {
  std::vector<signature> made;
  made.reserve(parts_.size());
  for (decoded_part const& p : parts_) {
    if (!p.unknown.empty()) throw_unknown(p.unknown);
    signature all;
    for (item_run const& r : p.items) all.append(signature(r.type, r.count));
    if (p.olds.size() == 1 && !p.is_struct()) {
      all.append(made[p.olds[0]], p.copies);
    } else if (!p.olds.empty()) {
      // Neighbours of one type become one loop, whatever their number.
      auto const length = [&](std::size_t i) {
        return p.is_struct() ? members_of(p.how).first[i] : 1;
      };
      std::size_t const n = p.is_struct() ? members_of(p.how).first.size() : p.olds.size();
      for (std::size_t i = 0; i < n;) {
        std::uint32_t const old = p.olds.at(i);
        std::int64_t copies = 0;
        for (; i < n && (length(i) == 0 || p.olds.at(i) == old); ++i)
          copies = add(copies, length(i));
        all.append(made[old], copies);
      }
    }
    made.push_back(std::move(all));
  }
  return std::move(made.back());
}

}  // namespace argosy::detail
