// The random program of a round, for all ranks: views, memory, element types and calls. One page
// because each part of a script depends on the parts drawn before.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>

#include "file/random_files.hpp"
#include "support/random.hpp"
#include "support/seed.hpp"

namespace argosy::test {

using namespace extend;

namespace io = argosy;

struct padded {
  int number;
  double value;
};

}  // namespace argosy::test

template <>
struct argosy::describe<argosy::test::padded>
    : argosy::members<&argosy::test::padded::number, &argosy::test::padded::value> {};

namespace argosy::test {

// --- The parts of views and memory ---

struct item {
  std::int64_t offset, size;
};

// The places of one rank's elements in its tile of the file, in the form for argosy and as a list.
struct tile {
  enum class shape { listed, dealt, box, strided, nested } how = shape::listed;
  list lengths, starts;                     // in elements; the complete list, which the oracle uses
  std::int64_t extent = 1;                  // in elements
  std::int64_t shift = 0;                   // shift of the displacement, in elements
  std::int64_t a = 0, b = 0, c = 0, d = 0;  // parameters of the shape
  list inner_lengths, inner_starts;         // for nested

  std::int64_t elements() const {
    std::int64_t n = 0;
    for (std::int64_t l : lengths) n += l;
    return n;
  }
};

// The places in memory. at[i]: bytes from the start of the buffer to element i.
struct memory {
  enum class shape { dense, rank_statistics, backwards, scattered, copies } how = shape::dense;
  std::int64_t first = 0, stride = 0, copies = 1;
  list at, inner;
  std::int64_t bytes = 0;
};

template <class T>
io::view view_of(std::int64_t displacement, tile const& t, io::representation const& r) {
  constexpr auto e = io::type<T>;
  std::int64_t const unit = sizeof(T), extent = t.extent * unit;
  switch (t.how) {
    case tile::shape::listed:
      break;
    case tile::shape::dealt:
      return io::view(displacement, e,
                      io::darray<T, 1>({t.a}, {io::distribute::cyclic(t.b)}, {t.c}, t.d), r);
    case tile::shape::box:
      return io::view(displacement, e,
                      io::subarray({t.a, t.b}, {t.a, t.c}, {std::int64_t{0}, t.d}, e), r);
    case tile::shape::strided:
      return io::view(displacement + t.shift * unit, e,
                      io::resized(io::vector(t.a, t.b, t.c, e), 0, extent), r);
    case tile::shape::nested:
      return io::view(displacement, e,
                      io::resized(io::hvector(t.a, 1, t.b * unit,
                                              io::indexed(t.inner_lengths, t.inner_starts, e)),
                                  0, extent),
                      r);
  }
  return io::view(displacement, e, io::resized(io::indexed(t.lengths, t.starts, e), 0, extent), r);
}

template <class T>
io::buffer buffer_of(std::byte* start, memory const& m) {
  constexpr auto e = io::type<T>;
  auto const n = static_cast<std::int64_t>(m.at.size());
  std::byte* const first = start + m.first;
  switch (m.how) {
    case memory::shape::dense:
      break;
    case memory::shape::rank_statistics:
      return io::memory(first, io::hvector(n, 1, m.stride, e));
    case memory::shape::backwards:
      return io::memory(first, io::hvector(n, 1, -m.stride, e));
    case memory::shape::scattered:
      return io::memory(first, io::hindexed(list(m.inner.size(), 1), m.inner, e));
    case memory::shape::copies:
      return io::memory(first,
                        io::resized(io::hindexed(list(m.inner.size(), 1), m.inner, e), 0, m.stride),
                        m.copies);
  }
  return io::memory(first, e, n);
}

// An element type.
struct kind {
  char const* name;
  std::int64_t extent;
  std::vector<item> items;
  io::view (*view)(std::int64_t, tile const&, io::representation const&);
  io::buffer (*buffer)(std::byte*, memory const&);
  // MPI's basic type and its count; null if padding would make a difference.
  MPI_Datatype (*mpi_basic)();
  int mpi_count;

  std::int64_t size() const {
    std::int64_t n = 0;
    for (item const& i : items) n += i.size;
    return n;
  }
};

template <class T>
kind kind_of(char const* name, std::vector<item> items, MPI_Datatype (*mpi)(), int count = 1) {
  return {name, sizeof(T), std::move(items), view_of<T>, buffer_of<T>, mpi, count};
}

inline std::vector<kind> const& kinds() {
  static std::vector<kind> const all{
      kind_of<std::byte>("byte", {{0, 1}}, [] { return MPI_BYTE; }),
      kind_of<short>("short", {{0, 2}}, [] { return MPI_SHORT; }),
      kind_of<float>("float", {{0, 4}}, [] { return MPI_FLOAT; }),
      kind_of<double>("double", {{0, 8}}, [] { return MPI_DOUBLE; }),
      kind_of<std::array<int, 3>>(
          "int[3]", {{0, 4}, {4, 4}, {8, 4}}, [] { return MPI_INT; }, 3),
      kind_of<padded>("padded", {{0, 4}, {8, 8}}, nullptr),
  };
  return all;
}

// --- Random parts of a round ---

// Returns one tile per rank. No element is in two tiles, and some are in none.
inline std::vector<tile> deal(engine& random, int ranks) {
  std::vector<tile> all(static_cast<std::size_t>(ranks));
  auto const how = static_cast<tile::shape>(pick(random, 0, 4));
  auto const rank_statistics = [&](std::int64_t extent, std::int64_t longest, auto&& lengths,
                                   auto&& starts) {
    for (std::int64_t at = 0; at < extent;) {
      std::int64_t const length = std::min(pick(random, 1, longest), extent - at),
                         owner = pick(random, 0, ranks);
      if (owner < ranks) {
        lengths(all[static_cast<std::size_t>(owner)]).push_back(length);
        starts(all[static_cast<std::size_t>(owner)]).push_back(at);
      }
      at += length;
    }
  };
  std::int64_t const a = pick(random, 1, 8), b = pick(random, 1, 5), gap = pick(random, 0, 4);
  std::int64_t const extent = pick(random, 1, one_in(random, 5) ? 400 : 60),
                     longest = one_in(random, 2) ? 3 : 20;
  if (how == tile::shape::listed)
    rank_statistics(
        extent, longest, [](tile& t) -> list& { return t.lengths; },
        [](tile& t) -> list& { return t.starts; });
  if (how == tile::shape::nested)
    rank_statistics(
        std::max<std::int64_t>(extent / a, 1), longest,
        [](tile& t) -> list& { return t.inner_lengths; },
        [](tile& t) -> list& { return t.inner_starts; });
  for (int r = 0; r < ranks; ++r) {
    tile& t = all[static_cast<std::size_t>(r)];
    t.how = how;
    t.extent = extent;
    auto const add = [&](std::int64_t start, std::int64_t length) {
      t.starts.push_back(start);
      t.lengths.push_back(length);
    };
    switch (how) {
      case tile::shape::listed:
        break;
      case tile::shape::nested:
        t.a = a;
        t.b = std::max<std::int64_t>(extent / a, 1);
        t.extent = t.a * t.b + gap;
        for (std::int64_t i = 0; i < t.a; ++i)
          for (std::size_t k = 0; k < t.inner_starts.size(); ++k)
            add(i * t.b + t.inner_starts[k], t.inner_lengths[k]);
        break;
      case tile::shape::dealt:
        t.a = extent;
        t.b = b;
        t.c = ranks;
        t.d = r;
        for (std::int64_t i = 0; i < extent; ++i)
          if (i / b % ranks == r) add(i, 1);
        break;
      case tile::shape::box:
        t.a = a;
        t.b = ranks * b + gap;
        t.c = b;
        t.d = r * b;
        t.extent = t.a * t.b;
        for (std::int64_t row = 0; row < t.a; ++row) add(row * t.b + t.d, b);
        break;
      case tile::shape::strided:
        t.a = a;
        t.b = b;
        t.c = ranks * b + gap;
        t.shift = r * b;
        t.extent = t.a * t.c;
        for (std::int64_t i = 0; i < a; ++i) add(i * t.c, b);
        break;
    }
  }
  return all;
}

inline memory memory_for(engine& random, kind const& k, std::int64_t n) {
  memory m;
  m.how = static_cast<memory::shape>(pick(random, 0, 4));
  std::int64_t const margin = pick(random, 0, 16), gap = pick(random, 0, 2 * k.extent);
  m.first = margin;
  m.stride = k.extent + gap;
  auto const shuffled = [&](std::int64_t count) {
    list slots(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) slots[static_cast<std::size_t>(i)] = i * m.stride;
    std::shuffle(slots.begin(), slots.end(), random);
    return slots;
  };
  std::int64_t const step = m.stride;
  if (m.how == memory::shape::copies) {
    std::int64_t per = 1;
    for (std::int64_t p = 2; p <= 6; ++p)
      if (n % p == 0) per = p;
    m.inner = shuffled(per);
    m.copies = n / per;
    m.stride = per * step + pick(random, 0, 9);
    for (std::int64_t i = 0; i < m.copies; ++i)
      for (std::int64_t offset : m.inner) m.at.push_back(m.first + i * m.stride + offset);
  } else if (m.how == memory::shape::scattered) {
    m.inner = shuffled(n);
    for (std::int64_t offset : m.inner) m.at.push_back(m.first + offset);
  } else {
    if (m.how == memory::shape::dense) m.stride = k.extent;
    if (m.how == memory::shape::backwards) m.first += std::max<std::int64_t>(n - 1, 0) * m.stride;
    for (std::int64_t i = 0; i < n; ++i)
      m.at.push_back(m.first + (m.how == memory::shape::backwards ? -i : i) * m.stride);
  }
  m.bytes = margin;
  for (std::int64_t at : m.at) m.bytes = std::max(m.bytes, at + k.extent);
  m.bytes += pick(random, 0, 16);
  return m;
}

inline io::extend::any_policy random_policy(engine& random) {
  auto const any = [&] { return static_cast<io::sieving_mode>(pick(random, 0, 2)); };
  // all numbers are drawn, whichever policy is used
  std::int64_t const least = pick(random, 1, 40);
  io::sieving const small{.read_window_bytes = pick(random, 1, 500),
                          .write_window_bytes = pick(random, 1, 500),
                          .reads = any(),
                          .writes = any()};
  switch (pick(random, 0, 6)) {
    case 0:
      return {};  // the hints choose
    case 1:
      return io::independent{};
    case 2:
      return io::independent{.buffer_bytes = least};
    case 3:
      return io::sieving{.reads = io::sieving_mode::always, .writes = io::sieving_mode::always};
    default:
      return small;
  }
}

enum class pointer { at, individual, shared };
enum class manner { blocking, request, collective };

inline char const* const call_names[2][3][3] = {
    {{"read_at", "iread_at", "read_at_all"},
     {"read", "iread", "read_all"},
     {"read_shared", "iread_shared", "read_ordered"}},
    {{"write_at", "iwrite_at", "write_at_all"},
     {"write", "iwrite", "write_all"},
     {"write_shared", "iwrite_shared", "write_ordered"}}};

struct call {
  std::int64_t offset = 0;  // in elements; the individual pointer is set to it if `seeks`
  bool seeks = false;
  std::int64_t count = 0;
  memory where;
  io::extend::any_policy policy;
  std::uint64_t seed = 0;  // seed of the bytes in memory
};

struct part {  // calls of one rank
  tile file;
  std::vector<call> calls;
  list starts;  // places of the elements of one tile, in bytes from the displacement

  // Returns the place of element i of the view.
  std::int64_t place(std::int64_t i, std::int64_t displacement, kind const& k) const {
    auto const n = static_cast<std::int64_t>(starts.size());
    return displacement + i / n * file.extent * k.extent + starts[static_cast<std::size_t>(i % n)];
  }
  std::int64_t end(std::int64_t displacement, kind const& k) const {
    std::int64_t last = 0;
    for (call const& c : calls)
      if (c.count > 0)
        last = std::max(last, place(c.offset + c.count - 1, displacement, k) + k.extent);
    return last;
  }
};

// The calls of all ranks in one round, equal on every rank.
struct script {
  kind const* k = nullptr;
  bool writes = false;
  pointer by = pointer::at;
  manner how = manner::blocking;
  bool external = false, atomic = false, unique = false, one_way = false;
  // MPI reads what argosy wrote; or MPI writes instead of argosy
  bool with_mpi = false, by_mpi = false;
  io::hints hints;
  std::int64_t displacement = 0;
  std::vector<part> parts;
  bytes before;  // content of the file

  std::string describe() const {
    std::string text =
        std::string(call_names[writes][static_cast<int>(by)][static_cast<int>(how)]) + " of " +
        k->name;
    if (external) text += ", external32";
    if (atomic) text += ", atomic";
    if (unique) text += ", unique_open";
    if (with_mpi) text += by_mpi ? ", written by MPI" : ", read by MPI";
    return text + ", shape " + std::to_string(static_cast<int>(parts[0].file.how)) + ", file of " +
           std::to_string(before.size()) + " bytes";
  }
};

inline script make_script(std::uint64_t seed, int ranks) {
  engine random(seed);
  script s;
  s.k = &kinds()[static_cast<std::size_t>(
      pick(random, 0, static_cast<std::int64_t>(kinds().size()) - 1))];
  s.writes = one_in(random, 2);
  s.by = static_cast<pointer>(pick(random, 0, 2));
  s.how = static_cast<manner>(pick(random, 0, 2));
  s.external = one_in(random, 3);
  s.atomic = one_in(random, 5);
  s.unique = one_in(random, 4);
  s.one_way = one_in(random, 2);
  s.with_mpi = one_in(random, 3) && s.k->mpi_basic;
  s.by_mpi = one_in(random, 2) && s.with_mpi && s.writes && s.by == pointer::at;
  s.displacement = pick(random, 0, 100);
  if (one_in(random, 2)) {
    s.hints.ind_rd_buffer_bytes = pick(random, 1, 300);
    s.hints.ind_wr_buffer_bytes = pick(random, 1, 300);
    s.hints.ds_read = static_cast<io::tristate>(pick(random, 0, 2));
    s.hints.ds_write = static_cast<io::tristate>(pick(random, 0, 2));
    s.hints.io_threads = pick(random, 1, 3);
  }
  std::vector<tile> tiles = deal(random, ranks);
  if (s.by == pointer::shared) {  // needs the same view on all ranks
    auto const some =
        std::max_element(tiles.begin(), tiles.end(),
                         [](auto const& x, auto const& y) { return x.elements() < y.elements(); });
    tiles.assign(tiles.size(), *some);
  }
  // The number of calls is equal on all ranks, because they may be collective.
  std::int64_t const calls = pick(random, 1, 4);
  // In a collective call, all ranks give a policy or none does.
  std::vector<bool> by_hints;
  for (std::int64_t i = 0; i < calls; ++i) by_hints.push_back(one_in(random, 2));
  std::int64_t shared = 0;
  for (int r = 0; r < ranks; ++r) {
    part p;
    p.file = tiles[static_cast<std::size_t>(r)];
    for (std::size_t i = 0; i < p.file.starts.size(); ++i)
      for (std::int64_t j = 0; j < p.file.lengths[i]; ++j)
        p.starts.push_back((p.file.shift + p.file.starts[i] + j) * s.k->extent);
    auto const n = static_cast<std::int64_t>(p.starts.size());
    std::int64_t pointer_at = 0;
    for (std::int64_t i = 0; i < calls; ++i) {
      call c;
      std::int64_t const most = std::min<std::int64_t>(2 * n, 300);
      c.count = n == 0 || one_in(random, 6) ? 0 : pick(random, 1, std::max<std::int64_t>(most, 1));
      // Long enough to be recognised in the file.
      if (s.by == pointer::shared && n > 0 && c.count > 0) c.count += 16 / s.k->size();
      c.offset = s.by == pointer::shared ? 0 : pointer_at;
      bool const anywhere = one_in(random, 2);
      std::int64_t const elsewhere = pick(random, 0, std::max<std::int64_t>(n, 1));
      // Requests are not ordered, so they must not overlap.
      if (anywhere && n > 0 && s.by != pointer::shared) {
        c.offset = s.how == manner::request ? pointer_at + elsewhere : elsewhere;
        c.seeks = true;
      }
      c.where = memory_for(random, *s.k, c.count);
      c.policy = random_policy(random);
      if (s.how == manner::collective) {
        while (!c.policy.has_value()) c.policy = random_policy(random);
        if (by_hints[static_cast<std::size_t>(i)]) c.policy = {};
      }
      c.seed = random();
      pointer_at = c.offset + c.count;
      shared += c.count;
      p.calls.push_back(std::move(c));
    }
    s.parts.push_back(std::move(p));
  }
  std::int64_t end = 0;
  if (s.by == pointer::shared) {
    if (s.how == manner::collective) {  // the places are known in advance
      std::int64_t at = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(calls); ++i)
        for (part& p : s.parts) {
          p.calls[i].offset = at;
          at += p.calls[i].count;
        }
    }
    if (shared > 0) end = s.parts[0].place(shared - 1, s.displacement, *s.k) + s.k->extent;
  } else {
    for (part const& p : s.parts) end = std::max(end, p.end(s.displacement, *s.k));
  }
  std::int64_t const size = one_in(random, 3) ? pick(random, 0, end) : end + pick(random, 0, 200);
  // Open MPI 4.1 leaves old content of its memory in the holes of a file that it extends, so it
  // gets a long file.
  bool const needs_all =
      s.by_mpi || (s.by == pointer::shared && !s.writes && s.how != manner::collective);
  s.before = random_bytes(random(), needs_all ? std::max(size, end) : size);
  return s;
}

}  // namespace argosy::test
