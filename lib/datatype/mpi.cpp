// Implements datatype/mpi.hpp: decodes MPI datatypes into layouts, and builds MPI datatypes of layouts.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype/mpi.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <argosy/datatype/contiguous.hpp>
#include <argosy/datatype/darray.hpp>
#include <argosy/datatype/indexed.hpp>
#include <argosy/datatype/indexed_block.hpp>
#include <argosy/datatype/order.hpp>
#include <argosy/datatype/record.hpp>
#include <argosy/datatype/subarray.hpp>
#include <argosy/datatype/vector.hpp>

#include "mpi_calls.hpp"

namespace argosy {

mpi_datatype::~mpi_datatype() {
  if (type_ == MPI_DATATYPE_NULL) return;
  int finalized = 0;
  if (MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0) MPI_Type_free(&type_);
}

namespace {

namespace mpi = detail::mpi_calls;

void require_running(char const* where) {
  if (!mpi::is_initialized() || mpi::is_finalized())
    throw invalid_layout(std::string("argosy::") + where +
                         ": MPI is not running; call it between MPI_Init and MPI_Finalize");
}

// --- MPI_Datatype -> layout ---

// Combiners of Fortran's old calls, whose displacements are integers. MPI 3 took their names away; MPI libraries keep
// their values.
#if defined(OPEN_MPI) && !OMPI_ENABLE_MPI1_COMPAT
constexpr int hvector_integer = OMPI_WAS_MPI_COMBINER_HVECTOR_INTEGER;
constexpr int hindexed_integer = OMPI_WAS_MPI_COMBINER_HINDEXED_INTEGER;
constexpr int struct_integer = OMPI_WAS_MPI_COMBINER_STRUCT_INTEGER;
#else
constexpr int hvector_integer = MPI_COMBINER_HVECTOR_INTEGER;
constexpr int hindexed_integer = MPI_COMBINER_HINDEXED_INTEGER;
constexpr int struct_integer = MPI_COMBINER_STRUCT_INTEGER;
#endif

bool is_predefined(int combiner) {
  switch (combiner) {
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER: return true;
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    case MPI_COMBINER_VALUE_INDEX: return true;
#endif
    default: return false;
  }
}

// C structs of a value and an int, as MPI names them.
template <class T>
struct value_and_index {
  T value;
  int index;
};

class decoder {
 public:
  // Equal handles are decoded once, so a type that uses a part several times does not cost more.
  layout const& decode(MPI_Datatype type) {
    if (auto const found = known_.find(type); found != known_.end()) return found->second;
    mpi::contents const made_of = mpi::contents_of(type);
    keep(made_of.types);
    layout data = is_predefined(made_of.combiner) && made_of.types.empty() ? named(type) : combined(made_of);
    // Takes MPI's own bounds: MPI pads records, and a bound set by hand overrides those of other members.
    auto const [lower_bound, extent] = mpi::bounds_of(type);
    if (data.lower_bound() != lower_bound || data.extent() != extent) data = resized(data, lower_bound, extent);
    return known_.emplace(type, std::move(data)).first->second;
  }

 private:
  using numbers = mpi::numbers;

  // MPI returns references to inner types. They are freed when everything is decoded: a handle that is freed earlier may be
  // reused for another type.
  void keep(std::vector<MPI_Datatype> const& types) {
    for (MPI_Datatype type : types)
      if (!is_predefined(mpi::combiner_of(type))) kept_.emplace_back(type);
  }

  // Predefined types hold their bytes side by side, except for pairs, which are C structs.
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
    if (size != value + index || span.lower_bound != 0 || span.extent != place + index) throw_unknown(type, size, span);
    return concat(bytes(value), at(place, bytes(index)));
  }

  [[noreturn]] static void throw_unknown(MPI_Datatype type, std::int64_t size, mpi::bounds span) {
    throw invalid_layout("argosy::from_mpi: " + mpi::name_of(type) + " has " + std::to_string(size) + " bytes within " +
                         std::to_string(span.extent) +
                         "; where they lie is not known: describe it by MPI_Type_create_struct instead");
  }

  layout combined(mpi::contents const& c) {
    bool const large = c.is_large();
    numbers const& counts = large ? c.counts : c.integers;
    std::size_t const n = counts.empty() || counts[0] < 0 ? 0 : static_cast<std::size_t>(counts[0]);
    // Displacements follow the integers where both are of one kind, and are a list of their own otherwise.
    auto const places = [&](std::size_t after, std::size_t many) {
      return large ? part(counts, after, many) : part(c.addresses, 0, many);
    };
    switch (c.combiner) {
      case MPI_COMBINER_DUP: return old(c);
      case MPI_COMBINER_CONTIGUOUS: return contiguous(counts.at(0), old(c)).form();
      case MPI_COMBINER_VECTOR: return vector(counts.at(0), counts.at(1), counts.at(2), old(c)).form();
      case MPI_COMBINER_HVECTOR: return hvector(counts.at(0), counts.at(1), places(2, 1)[0], old(c)).form();
      case hvector_integer: return hvector(counts.at(0), counts.at(1), counts.at(2), old(c)).form();
      case MPI_COMBINER_INDEXED: return indexed(part(counts, 1, n), part(counts, 1 + n, n), old(c)).form();
      case MPI_COMBINER_HINDEXED: return hindexed(part(counts, 1, n), places(1 + n, n), old(c)).form();
      case hindexed_integer: return hindexed(part(counts, 1, n), part(counts, 1 + n, n), old(c)).form();
      case MPI_COMBINER_INDEXED_BLOCK: return indexed_block(counts.at(1), part(counts, 2, n), old(c)).form();
      case MPI_COMBINER_HINDEXED_BLOCK: return hindexed_block(counts.at(1), places(2, n), old(c)).form();
      case MPI_COMBINER_STRUCT: return record_of(part(counts, 1, n), places(1 + n, n), olds(c));
      case struct_integer: return record_of(part(counts, 1, n), part(counts, 1 + n, n), olds(c));
      case MPI_COMBINER_SUBARRAY: return array_part(c);
      case MPI_COMBINER_DARRAY: return dealt_array(c);
      case MPI_COMBINER_RESIZED: {
        numbers const bounds = large ? part(counts, 0, 2) : part(c.addresses, 0, 2);
        return resized(old(c), bounds[0], bounds[1]);
      }
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
      case MPI_COMBINER_VALUE_INDEX: {  // as a C struct
        layout const value = decode(c.types.at(0)), index = decode(c.types.at(1));
        std::int64_t const whole = index.extent();
        return concat(value, at((value.extent() + whole - 1) / whole * whole, index));
      }
#endif
      default:
        throw invalid_layout("argosy::from_mpi: combiner " + std::to_string(c.combiner) +
                             " is not known to argosy; build the datatype by calls of MPI 4.0 or earlier");
    }
  }

  layout const& old(mpi::contents const& c) { return decode(c.types.at(0)); }
  std::vector<layout> olds(mpi::contents const& c) {
    std::vector<layout> result;
    result.reserve(c.types.size());
    for (MPI_Datatype type : c.types) result.push_back(decode(type));
    return result;
  }

  static numbers part(numbers const& all, std::size_t from, std::size_t many) {
    if (from > all.size() || many > all.size() - from)
      throw invalid_layout("argosy::from_mpi: MPI gives fewer numbers than the datatype has");
    auto const first = all.begin() + static_cast<std::ptrdiff_t>(from);
    return numbers(first, first + static_cast<std::ptrdiff_t>(many));
  }

  static order order_of(std::int64_t mpi_order) { return mpi_order == MPI_ORDER_FORTRAN ? order::fortran : order::c; }

  layout array_part(mpi::contents const& c) {
    auto const d = static_cast<std::size_t>(c.integers.at(0));
    numbers const& lists = c.is_large() ? c.counts : c.integers;
    std::size_t const first = c.is_large() ? 0 : 1;
    return subarray(part(lists, first, d), part(lists, first + d, d), part(lists, first + 2 * d, d), old(c),
                    order_of(c.integers.at(c.is_large() ? 1 : 1 + 3 * d)))
        .form();
  }

  layout dealt_array(mpi::contents const& c) {
    std::int64_t const rank = c.integers.at(1);
    auto const d = static_cast<std::size_t>(c.integers.at(2));
    numbers const sizes = c.is_large() ? part(c.counts, 0, d) : part(c.integers, 3, d);
    std::size_t const first = c.is_large() ? 3 : 3 + d;
    numbers const kinds = part(c.integers, first, d), arguments = part(c.integers, first + d, d);
    std::vector<distribute::rule> rules(d);
    for (std::size_t i = 0; i < d; ++i) rules[i] = rule_of(kinds[i], arguments[i]);
    return darray(sizes, rules, part(c.integers, first + 2 * d, d), rank, old(c),
                  order_of(c.integers.at(first + 3 * d)))
        .form();
  }

  static distribute::rule rule_of(std::int64_t kind, std::int64_t argument) {
    std::int64_t const size = argument == MPI_DISTRIBUTE_DFLT_DARG ? 0 : argument;
    if (kind == MPI_DISTRIBUTE_BLOCK) return {distribute::kind::block, size};
    if (kind == MPI_DISTRIBUTE_CYCLIC) return {distribute::kind::cyclic, size};
    return {distribute::kind::none, 0};
  }

  std::map<MPI_Datatype, layout, std::less<>> known_;
  std::vector<mpi_datatype> kept_;
};

// --- layout -> MPI_Datatype ---

constexpr std::int64_t largest = std::numeric_limits<int>::max();

mpi_datatype copies(std::int64_t count, std::int64_t stride, MPI_Datatype old) {
  if (stride == -1 && count > 1) {
    // Open MPI (4.1 at least) takes a stride of -1 byte for "one extent": pairs have a stride of -2.
    mpi_datatype const two = mpi::record({0, -1}, {old, old});
    mpi_datatype pairs = copies(count / 2, -2, two.get());
    if (count % 2 == 0) return pairs;
    return mpi::record({0, static_cast<MPI_Aint>(1 - count)}, {pairs.get(), old});
  }
  if (count <= largest) return mpi::hvector(static_cast<int>(count), stride, old);
  constexpr std::int64_t chunk = 1 << 30;
  std::int64_t const chunks = count / chunk, rest = count % chunk;
  mpi_datatype const one = copies(chunk, stride, old);
  mpi_datatype whole = copies(chunks, chunk * stride, one.get());
  if (rest == 0) return whole;
  mpi_datatype const tail = copies(rest, stride, old);
  return mpi::record({0, chunks * chunk * stride}, {whole.get(), tail.get()});
}

mpi_datatype block(std::int64_t length) {
  return length <= largest ? mpi::contiguous(static_cast<int>(length), MPI_BYTE) : copies(length, 1, MPI_BYTE);
}

mpi_datatype pieces(piece_table const& table, std::size_t from, std::size_t to) {
  std::vector<MPI_Aint> places;
  std::vector<int> lengths;
  bool fits = true;
  for (std::size_t i = from; i < to; ++i) {
    places.push_back(static_cast<MPI_Aint>(table.offset(i)));
    fits = fits && table.length(i) <= largest;
    lengths.push_back(static_cast<int>(table.length(i)));
  }
  if (table.equal_lengths()) return mpi::hindexed_block(places, block(table.length(0)).get());
  if (fits) return mpi::hindexed(lengths, places, MPI_BYTE);
  std::vector<mpi_datatype> blocks;
  std::vector<MPI_Datatype> types;
  for (std::size_t i = from; i < to; ++i) types.push_back(blocks.emplace_back(block(table.length(i))).get());
  return mpi::record(places, types);
}

mpi_datatype pieces(piece_table const& table) {
  constexpr std::size_t chunk = std::size_t{1} << 30;
  if (table.size() <= chunk) return pieces(table, 0, table.size());
  std::vector<mpi_datatype> chunks;
  std::vector<MPI_Datatype> types;
  for (std::size_t i = 0; i < table.size(); i += chunk)
    types.push_back(chunks.emplace_back(pieces(table, i, std::min(table.size(), i + chunk))).get());
  return mpi::record(std::vector<MPI_Aint>(types.size(), 0), types);
}

mpi_datatype encode(layout const& l, node const& n, std::vector<mpi_datatype> const& made) {
  switch (n.kind) {
    case node_kind::bytes: return block(n.size);
    case node_kind::repeat: return copies(n.count, n.stride, made[n.child].get());
    case node_kind::table: return pieces(l.tables()[n.child]);
    case node_kind::concat: break;
  }
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types;
  for (place const& p : l.places().subspan(n.child, static_cast<std::size_t>(n.count))) {
    places.push_back(static_cast<MPI_Aint>(p.displacement));
    types.push_back(made[static_cast<std::size_t>(p.node)].get());
  }
  return mpi::record(places, types);
}

}  // namespace

layout from_mpi(MPI_Datatype type) {
  require_running("from_mpi");
  if (type == MPI_DATATYPE_NULL)
    throw invalid_layout("argosy::from_mpi: the datatype is MPI_DATATYPE_NULL; it was not made yet, or is freed");
  return decoder().decode(type);
}

mpi_datatype to_mpi(layout const& l) {
  require_running("to_mpi");
  // Children stand before their parents.
  std::vector<mpi_datatype> made;
  for (node const& n : l.nodes()) made.push_back(encode(l, n, made));
  if (l.empty()) made.push_back(block(0));
  mpi_datatype whole = std::move(made.back());
  if (!l.empty() && l.origin() != 0) whole = mpi::record({static_cast<MPI_Aint>(l.origin())}, {whole.get()});
  auto const [lower_bound, extent] = mpi::bounds_of(whole.get());
  if (lower_bound != l.lower_bound() || extent != l.extent())
    whole = mpi::resized(whole.get(), l.lower_bound(), l.extent());
  return mpi::committed(std::move(whole));
}

}  // namespace argosy
