// Implements from_mpi of datatype/mpi.hpp: layouts and types along the stream of decoded MPI
// datatypes.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <argosy/datatype/mpi.hpp>

#include "decoded_type.hpp"
#include "mpi_calls.hpp"
#include "named_types.hpp"

namespace argosy {
namespace {

namespace mpi = detail::mpi_calls;
using detail::decoded_part;

bool is_predefined(int combiner) {
  switch (combiner) {
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
      return true;
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    case MPI_COMBINER_VALUE_INDEX:
      return true;
#endif
    default:
      return false;
  }
}

// C structs of a value and an int, with MPI's names.
template <class T>
struct value_and_index {
  T value;
  int index;
};

class decoder {
 public:
  extend::typed_layout decode(MPI_Datatype type) {
    layout form = std::move(forms_[part_of(type)]);
    return extend::typed_layout(std::move(form),
                                std::make_shared<detail::decoded_type>(std::move(parts_)));
  }

 private:
  // Returns the number of the part. Equal parts are stored once, so types that share parts cost no
  // more than their parts.
  std::uint32_t part_of(MPI_Datatype type) {
    if (auto const found = known_.find(type); found != known_.end()) return found->second;
    decoded_part p;
    p.how = mpi::contents_of(type);
    keep(p.how.types);
    for (MPI_Datatype old : p.how.types) p.olds.push_back(part_of(old));
    p.how.types = {};
    return known_.emplace(type, number_of(type, std::move(p))).first->second;
  }

  // Returns the number of an equal part, or of a new one. Handles cannot be compared, because some
  // libraries return another handle each time for the same inner type.
  std::uint32_t number_of(MPI_Datatype type, decoded_part p) {
    std::size_t const hash = hash_of(p);
    if (p.how.combiner != MPI_COMBINER_NAMED)
      for (auto [at, end] = by_hash_.equal_range(hash); at != end; ++at)
        if (same(parts_[at->second], p)) return at->second;
    layout data;
    if (is_predefined(p.how.combiner) && p.olds.empty()) {
      data = named(type);
      name_items(p, type, data.size());
    } else {
      data = detail::combined(p.how,
                              [&](std::size_t i) -> layout const& { return forms_[p.olds.at(i)]; });
      if (!p.olds.empty() && !forms_[p.olds[0]].empty())
        p.copies = data.size() / forms_[p.olds[0]].size();
    }
    // MPI's own bounds are used: it pads records, and a bound set by hand takes precedence over
    // those of other members.
    auto const [lower_bound, extent] = mpi::bounds_of(type);
    if (data.lower_bound() != lower_bound || data.extent() != extent)
      data = resized(data, lower_bound, extent);
    auto const number = static_cast<std::uint32_t>(parts_.size());
    parts_.push_back(std::move(p));
    forms_.push_back(std::move(data));
    by_hash_.emplace(hash, number);
    return number;
  }

  static void name_items(decoded_part& p, MPI_Datatype type, std::int64_t size) {
    int const combiner = p.how.combiner;
    if (combiner == MPI_COMBINER_NAMED)
      p.items = detail::items_of_named(type, size);
    else
      p.items = detail::items_of_f90(
          combiner, p.how.integers.at(0),
          combiner == MPI_COMBINER_F90_INTEGER ? 0 : p.how.integers.at(1), size);
    if (p.items.empty()) p.unknown = mpi::name_of(type);
  }

  static bool same(decoded_part const& a, decoded_part const& b) {
    return a.how.combiner == b.how.combiner && a.olds == b.olds &&
           a.how.integers == b.how.integers && a.how.addresses == b.how.addresses &&
           a.how.counts == b.how.counts;
  }
  // Returns a hash of some numbers of a long list; `same` compares all.
  static std::size_t hash_of(decoded_part const& p) {
    auto hash = static_cast<std::uint64_t>(p.how.combiner);
    auto const mix = [&](auto const& list) {
      for (std::size_t i = 0; i < list.size(); i += 1 + list.size() / 256)
        hash = (hash ^ static_cast<std::uint64_t>(list[i])) * 0x9e3779b97f4a7c15u + (hash >> 29);
    };
    mix(p.how.integers);
    mix(p.how.addresses);
    mix(p.how.counts);
    mix(p.olds);
    return hash;
  }

  // Stores references to inner types, which MPI hands out. They are freed when all is decoded,
  // because a handle that is freed too early may be reused for another type.
  void keep(std::vector<MPI_Datatype> const& types) {
    for (MPI_Datatype type : types)
      if (!is_predefined(mpi::combiner_of(type))) kept_.emplace_back(type);
  }

  // Returns the layout of a predefined type: adjacent bytes, except for pairs, which are C structs.
  static layout named(MPI_Datatype type) {
    std::int64_t const size = mpi::size_of(type);
    auto const span = mpi::true_bounds_of(type);
    if (span.extent == size) return at(span.lower_bound, bytes(size));
    if (type == MPI_SHORT_INT) return pair<short>(type, size, span);
    if (type == MPI_LONG_INT) return pair<long>(type, size, span);
    if (type == MPI_FLOAT_INT) return pair<float>(type, size, span);
    if (type == MPI_DOUBLE_INT) return pair<double>(type, size, span);
    if (type == MPI_LONG_DOUBLE_INT) return pair<long double>(type, size, span);
    throw_unknown(type, size, span);
  }

  template <class T>
  static layout pair(MPI_Datatype type, std::int64_t size, mpi::bounds span) {
    std::int64_t const value = sizeof(T), index = sizeof(int);
    std::int64_t const place = offsetof(value_and_index<T>, index);
    if (size != value + index || span.lower_bound != 0 || span.extent != place + index)
      throw_unknown(type, size, span);
    return concat(bytes(value), at(place, bytes(index)));
  }

  [[noreturn]] static void throw_unknown(MPI_Datatype type, std::int64_t size, mpi::bounds span) {
    throw invalid_layout(
        "argosy::from_mpi: " + mpi::name_of(type) + " has " + std::to_string(size) +
        " bytes within " + std::to_string(span.extent) +
        "; where they lie is not known: describe it by MPI_Type_create_struct instead");
  }

  std::map<MPI_Datatype, std::uint32_t, std::less<>> known_;
  std::vector<decoded_part> parts_;  // the parts; their forms in memory have the same numbers
  std::vector<layout> forms_;
  std::unordered_multimap<std::size_t, std::uint32_t> by_hash_;
  std::vector<mpi_datatype> kept_;
};

}  // namespace

extend::typed_layout from_mpi(MPI_Datatype type) try {
  mpi::require_running("from_mpi");
  if (type == MPI_DATATYPE_NULL)
    throw invalid_layout(
        "argosy::from_mpi: the datatype is MPI_DATATYPE_NULL; it was not made yet, or is freed");
  if (!mpi::is_committed(type))
    throw invalid_layout(
        "argosy::from_mpi: the datatype is not committed; call MPI_Type_commit first");
  return decoder().decode(type);
} catch (...) {
  return extend::typed_layout(detail::carried_fault::current());
}

}  // namespace argosy
