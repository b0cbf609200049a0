// Every flavour of call on random views, memory and policies, against one plain pwrite per item and MPI's own files.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/world/self.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/random_tree.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

struct padded {
  int number;
  double value;
};

}  // namespace

template <>
struct argosy::describe<padded> : argosy::members<&padded::number, &padded::value> {};

namespace {

using bytes = std::vector<std::byte>;

bytes random_bytes(std::uint64_t seed, std::int64_t count) {
  engine random(seed);
  bytes b(static_cast<std::size_t>(count));
  for (std::byte& x : b) x = static_cast<std::byte>(random());
  return b;
}

// More rounds than usual: ARGOSY_TEST_ROUNDS=20 for twenty times as many.
int rounds(int usual) {
  char const* const text = std::getenv("ARGOSY_TEST_ROUNDS");
  return text ? usual * std::atoi(text) : usual;
}

// --- Plain files ---

class plain_file {
 public:
  explicit plain_file(std::string const& path, int flags = O_RDWR | O_CREAT)
      : descriptor_(::open(path.c_str(), flags, 0666)) {
    if (descriptor_ < 0) throw std::runtime_error("cannot open " + path);
  }
  plain_file(plain_file const&) = delete;
  plain_file& operator=(plain_file const&) = delete;
  ~plain_file() { ::close(descriptor_); }
  void write(std::byte const* from, std::int64_t count, std::int64_t offset) {
    if (::pwrite(descriptor_, from, static_cast<std::size_t>(count), offset) != count)
      throw std::runtime_error("pwrite failed");
  }

 private:
  int descriptor_;
};

void fill(std::string const& path, bytes const& content) {
  ::unlink(path.c_str());
  plain_file f(path);
  f.write(content.data(), static_cast<std::int64_t>(content.size()), 0);
}

bytes whole_file(std::string const& path) {
  std::string const text = content_of(path);
  auto const all = std::as_bytes(std::span(text));
  return {all.begin(), all.end()};
}

// --- Comparing: says what differs and where, and counts, so that all ranks stop after the same round ---

std::int64_t failures = 0;

void same(std::string const& what, std::int64_t got, std::int64_t expected) {
  CAPTURE(what);
  CHECK(got == expected);
  failures += got != expected;
}

void same(std::string const& what, bytes const& got, bytes const& expected) {
  same("size of " + what, static_cast<std::int64_t>(got.size()), static_cast<std::int64_t>(expected.size()));
  std::size_t const common = std::min(got.size(), expected.size());
  auto const first =
      std::mismatch(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(common), expected.begin()).first;
  if (auto const at = static_cast<std::size_t>(first - got.begin()); at < common) {
    same(what + ", byte " + std::to_string(at) + " of " + std::to_string(common), static_cast<int>(got[at]),
         static_cast<int>(expected[at]));
  }
}

void passed(std::string const& what, bool well) { same(what, well, true); }

// --- What views and memory are made of ---

struct item {
  std::int64_t offset, size;
};

// Where one rank's elements lie in its tile of the file, once for argosy and once as a list.
struct tile {
  enum class shape { listed, dealt, box, strided, nested } how = shape::listed;
  list lengths, starts;                     // in elements; for everyone but argosy they say it all
  std::int64_t extent = 1;                  // in elements
  std::int64_t shift = 0;                   // of the displacement, in elements
  std::int64_t a = 0, b = 0, c = 0, d = 0;  // numbers of the shape
  list inner_lengths, inner_starts;         // of nested

  std::int64_t elements() const {
    std::int64_t n = 0;
    for (std::int64_t l : lengths) n += l;
    return n;
  }
};

// And in memory. at[i]: bytes from the start of the buffer to element i.
struct memory {
  enum class shape { dense, spread, backwards, scattered, copies } how = shape::dense;
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
      return io::view(displacement, e, io::darray<T, 1>({t.a}, {io::distribute::cyclic(t.b)}, {t.c}, t.d), r);
    case tile::shape::box:
      return io::view(displacement, e, io::subarray({t.a, t.b}, {t.a, t.c}, {std::int64_t{0}, t.d}, e), r);
    case tile::shape::strided:
      return io::view(displacement + t.shift * unit, e, io::resized(io::vector(t.a, t.b, t.c, e), 0, extent), r);
    case tile::shape::nested:
      return io::view(
          displacement, e,
          io::resized(io::hvector(t.a, 1, t.b * unit, io::indexed(t.inner_lengths, t.inner_starts, e)), 0, extent), r);
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
    case memory::shape::spread:
      return io::memory(first, io::hvector(n, 1, m.stride, e));
    case memory::shape::backwards:
      return io::memory(first, io::hvector(n, 1, -m.stride, e));
    case memory::shape::scattered:
      return io::memory(first, io::hindexed(list(m.inner.size(), 1), m.inner, e));
    case memory::shape::copies:
      return io::memory(first, io::resized(io::hindexed(list(m.inner.size(), 1), m.inner, e), 0, m.stride), m.copies);
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
  // Of MPI: basic types and how many; none where padding would make a difference.
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

std::vector<kind> const& kinds() {
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

// --- Random pieces of a round ---

// One tile per rank; no element is in two of them, and some are in none.
std::vector<tile> deal(engine& random, int ranks) {
  std::vector<tile> all(static_cast<std::size_t>(ranks));
  auto const how = static_cast<tile::shape>(pick(random, 0, 4));
  auto const spread = [&](std::int64_t extent, std::int64_t longest, auto&& lengths, auto&& starts) {
    for (std::int64_t at = 0; at < extent;) {
      std::int64_t const length = std::min(pick(random, 1, longest), extent - at), owner = pick(random, 0, ranks);
      if (owner < ranks) {
        lengths(all[static_cast<std::size_t>(owner)]).push_back(length);
        starts(all[static_cast<std::size_t>(owner)]).push_back(at);
      }
      at += length;
    }
  };
  std::int64_t const a = pick(random, 1, 8), b = pick(random, 1, 5), gap = pick(random, 0, 4);
  std::int64_t const extent = pick(random, 1, one_in(random, 5) ? 400 : 60), longest = one_in(random, 2) ? 3 : 20;
  if (how == tile::shape::listed)
    spread(extent, longest, [](tile& t) -> list& { return t.lengths; }, [](tile& t) -> list& { return t.starts; });
  if (how == tile::shape::nested)
    spread(
        std::max<std::int64_t>(extent / a, 1), longest, [](tile& t) -> list& { return t.inner_lengths; },
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
          for (std::size_t k = 0; k < t.inner_starts.size(); ++k) add(i * t.b + t.inner_starts[k], t.inner_lengths[k]);
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

memory memory_for(engine& random, kind const& k, std::int64_t n) {
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

io::any_policy random_policy(engine& random) {
  auto const any = [&] { return static_cast<io::sieve>(pick(random, 0, 2)); };
  std::int64_t const least = pick(random, 1, 40);  // all of them are drawn, whichever is used
  io::sieving const small{.read_window_bytes = pick(random, 1, 500),
                          .write_window_bytes = pick(random, 1, 500),
                          .reads = any(),
                          .writes = any()};
  switch (pick(random, 0, 6)) {
    case 0:
      return {};  // as the hints say
    case 1:
      return io::independent{};
    case 2:
      return io::independent{.buffer_bytes = least};
    case 3:
      return io::sieving{.reads = io::sieve::always, .writes = io::sieve::always};
    default:
      return small;
  }
}

enum class pointer { at, individual, shared };
enum class manner { blocking, request, collective };

char const* const call_names[2][3][3] = {{{"read_at", "iread_at", "read_at_all"},
                                          {"read", "iread", "read_all"},
                                          {"read_shared", "iread_shared", "read_ordered"}},
                                         {{"write_at", "iwrite_at", "write_at_all"},
                                          {"write", "iwrite", "write_all"},
                                          {"write_shared", "iwrite_shared", "write_ordered"}}};

struct call {
  std::int64_t offset = 0;  // in elements; of the individual pointer where `seeks`
  bool seeks = false;
  std::int64_t count = 0;
  memory where;
  io::any_policy policy;
  std::uint64_t seed = 0;  // of the bytes in memory
};

struct part {  // of one rank
  tile file;
  std::vector<call> calls;
  list starts;  // of the elements of one tile, in bytes from the displacement

  // Element i of the view.
  std::int64_t place(std::int64_t i, std::int64_t displacement, kind const& k) const {
    auto const n = static_cast<std::int64_t>(starts.size());
    return displacement + i / n * file.extent * k.extent + starts[static_cast<std::size_t>(i % n)];
  }
  std::int64_t end(std::int64_t displacement, kind const& k) const {
    std::int64_t last = 0;
    for (call const& c : calls)
      if (c.count > 0) last = std::max(last, place(c.offset + c.count - 1, displacement, k) + k.extent);
    return last;
  }
};

// Everything that the ranks of one round do, the same on every rank.
struct script {
  kind const* k = nullptr;
  bool writes = false;
  pointer by = pointer::at;
  manner how = manner::blocking;
  bool external = false, atomic = false, unique = false, one_way = false;
  bool with_mpi = false, by_mpi = false;  // MPI reads what was written; it writes instead of argosy
  io::hints hints;
  std::int64_t displacement = 0;
  std::vector<part> parts;
  bytes before;  // what the file holds

  std::string describe() const {
    std::string text = std::string(call_names[writes][static_cast<int>(by)][static_cast<int>(how)]) + " of " + k->name;
    if (external) text += ", external32";
    if (atomic) text += ", atomic";
    if (unique) text += ", unique_open";
    if (with_mpi) text += by_mpi ? ", written by MPI" : ", read by MPI";
    return text + ", shape " + std::to_string(static_cast<int>(parts[0].file.how)) + ", file of " +
           std::to_string(before.size()) + " bytes";
  }
};

script make_script(std::uint64_t seed, int ranks) {
  engine random(seed);
  script s;
  s.k = &kinds()[static_cast<std::size_t>(pick(random, 0, static_cast<std::int64_t>(kinds().size()) - 1))];
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
    s.hints.ds_read = static_cast<io::toggle>(pick(random, 0, 2));
    s.hints.ds_write = static_cast<io::toggle>(pick(random, 0, 2));
    s.hints.io_threads = pick(random, 1, 3);
  }
  std::vector<tile> tiles = deal(random, ranks);
  if (s.by == pointer::shared) {  // needs the same view on all ranks
    auto const some = std::max_element(tiles.begin(), tiles.end(),
                                       [](auto const& x, auto const& y) { return x.elements() < y.elements(); });
    tiles.assign(tiles.size(), *some);
  }
  std::int64_t const calls = pick(random, 1, 4);  // the same number on all ranks, for collective ones
  std::vector<bool> by_hints;                     // ranks agree in collective calls whether they choose themselves
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
      // Long enough to be found again, wherever it went.
      if (s.by == pointer::shared && n > 0 && c.count > 0) c.count += 16 / s.k->size();
      c.offset = s.by == pointer::shared ? 0 : pointer_at;
      bool const anywhere = one_in(random, 2);
      std::int64_t const elsewhere = pick(random, 0, std::max<std::int64_t>(n, 1));
      // Requests are not ordered, so they must not meet.
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
    if (s.how == manner::collective) {  // known already
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
  // Open MPI 4.1 leaves what was in its memory in the holes of a file that it makes longer: give it a long one.
  bool const needs_all = s.by_mpi || (s.by == pointer::shared && !s.writes && s.how != manner::collective);
  s.before = random_bytes(random(), needs_all ? std::max(size, end) : size);
  return s;
}

// --- The oracle ---

// Item `i` of an element, between memory and file.
void swap_item(std::byte* at, item const& i, bool external) {
  if (external) std::reverse(at, at + i.size);
}

// Element by element, item by item, with a pwrite each.
void write_plainly(plain_file& file, script const& s, part const& p, call const& c) {
  bytes const memory = random_bytes(c.seed, c.where.bytes);
  for (std::int64_t e = 0; e < c.count; ++e)
    for (item const& i : s.k->items) {
      std::array<std::byte, 16> one;
      std::copy_n(memory.begin() + c.where.at[static_cast<std::size_t>(e)] + i.offset, i.size, one.begin());
      swap_item(one.data(), i, s.external);
      file.write(one.data(), i.size, p.place(c.offset + e, s.displacement, *s.k) + i.offset);
    }
}

// What `memory` holds after a read of `file`, and how many bytes were read.
std::int64_t read_plainly(bytes const& file, script const& s, part const& p, call const& c, bytes& memory) {
  std::int64_t count = 0;
  auto const size = static_cast<std::int64_t>(file.size());
  for (std::int64_t e = 0; e < c.count; ++e)
    for (item const& i : s.k->items) {
      std::int64_t const from = p.place(c.offset + e, s.displacement, *s.k) + i.offset;
      std::int64_t const there = std::clamp<std::int64_t>(size - from, 0, i.size);
      count += there;
      if (there == 0 || (there < i.size && s.external)) continue;  // half an item cannot be converted
      std::array<std::byte, 16> one;
      std::copy_n(file.begin() + from, there, one.begin());
      swap_item(one.data(), i, s.external);
      std::copy_n(one.begin(), there, memory.begin() + c.where.at[static_cast<std::size_t>(e)] + i.offset);
    }
  return count;
}

// Do the elements from `offset` on hold what the call wrote?
bool holds(bytes const& file, script const& s, part const& p, call const& c, std::int64_t offset, bytes const& memory) {
  for (std::int64_t e = 0; e < c.count; ++e)
    for (item const& i : s.k->items) {
      std::int64_t const at = p.place(offset + e, s.displacement, *s.k) + i.offset;
      if (at + i.size > static_cast<std::int64_t>(file.size())) return false;
      std::array<std::byte, 16> one;
      std::copy_n(file.begin() + at, i.size, one.begin());
      swap_item(one.data(), i, s.external);
      if (!std::equal(one.begin(), one.begin() + i.size,
                      memory.begin() + c.where.at[static_cast<std::size_t>(e)] + i.offset))
        return false;
    }
  return true;
}

// Which call took which place: calls of one rank in their order, those of several in any. False if they do not fit.
bool find_order(script& s, bytes const& file) {
  std::vector<std::size_t> next(s.parts.size(), 0);
  std::int64_t at = 0;
  for (;;) {
    bool more = false, found = false;
    for (std::size_t r = 0; r < s.parts.size() && !found; ++r) {
      if (next[r] == s.parts[r].calls.size()) continue;
      more = true;
      call& c = s.parts[r].calls[next[r]];
      if (!holds(file, s, s.parts[r], c, at, random_bytes(c.seed, c.where.bytes))) continue;
      c.offset = at;
      at += c.count;
      ++next[r];
      found = true;
    }
    if (!more) return true;
    if (!found) return false;
  }
}

// --- MPI's own files ---

class mpi_file {
 public:
  mpi_file(std::string const& path, int mode) {
    REQUIRE(MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &file_) == MPI_SUCCESS);
  }
  mpi_file(mpi_file const&) = delete;
  mpi_file& operator=(mpi_file const&) = delete;
  ~mpi_file() { MPI_File_close(&file_); }
  MPI_File get() const { return file_; }

 private:
  MPI_File file_ = MPI_FILE_NULL;
};

// Built from the lists, not from argosy's layouts.
struct mpi_view {
  mpi_view(kind const& k, part const& p) {
    MPI_Type_contiguous(k.mpi_count, k.mpi_basic(), &etype);
    MPI_Type_commit(&etype);
    if (p.starts.empty()) {
      MPI_Type_dup(etype, &filetype);
      return;
    }
    std::vector<int> lengths;
    std::vector<MPI_Aint> starts;
    for (std::size_t i = 0; i < p.file.lengths.size(); ++i) {
      lengths.push_back(static_cast<int>(p.file.lengths[i]));
      starts.push_back(p.file.starts[i] * k.extent);
    }
    MPI_Datatype blocks = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), starts.data(), etype, &blocks);
    MPI_Type_create_resized(blocks, 0, p.file.extent * k.extent, &filetype);
    MPI_Type_commit(&filetype);
    MPI_Type_free(&blocks);
  }
  mpi_view(mpi_view const&) = delete;
  mpi_view& operator=(mpi_view const&) = delete;
  ~mpi_view() {
    MPI_Type_free(&etype);
    MPI_Type_free(&filetype);
  }
  void use(MPI_File f, script const& s, part const& p) const {
    same("MPI_File_set_view",
         MPI_File_set_view(f, s.displacement + p.file.shift * s.k->extent, etype, filetype,
                           s.external ? "external32" : "native", MPI_INFO_NULL),
         MPI_SUCCESS);
  }

  MPI_Datatype etype = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL;
};

// MPI reads with the view what argosy has written, and every element is where the view says.
void check_by_mpi(std::string const& path, script const& s, part const& p) {
  bytes const file = whole_file(path);
  std::int64_t count = 0;
  for (call const& c : p.calls)
    if (c.count > 0) count = std::max(count, c.offset + c.count);
  bytes got(static_cast<std::size_t>(count * s.k->extent)), expected = got;
  got.reserve(1);  // see below
  for (std::int64_t e = 0; e < count; ++e)
    for (item const& i : s.k->items) {
      std::byte* const one = expected.data() + e * s.k->extent + i.offset;
      std::copy_n(file.begin() + p.place(e, s.displacement, *s.k) + i.offset, i.size, one);
      swap_item(one, i, s.external);
    }
  mpi_file const f(path, MPI_MODE_RDONLY);
  mpi_view const v(*s.k, p);
  v.use(f.get(), s, p);
  MPI_File_read_at_all(f.get(), 0, got.data(), static_cast<int>(count), v.etype, MPI_STATUS_IGNORE);
  same("what MPI reads", got, expected);
}

// MPI writes what the calls would.
void write_by_mpi(std::string const& path, script const& s, part const& p) {
  mpi_file const f(path, MPI_MODE_WRONLY);
  mpi_view const v(*s.k, p);
  v.use(f.get(), s, p);
  for (call const& c : p.calls) {
    bytes const memory = random_bytes(c.seed, c.where.bytes);
    bytes packed;       // MPI's memory types are not the question here
    packed.reserve(1);  // MPICH ends the program where no data has no address, in external32
    for (std::int64_t at : c.where.at)
      packed.insert(packed.end(), &memory[static_cast<std::size_t>(at)],
                    &memory[static_cast<std::size_t>(at)] + s.k->extent);
    same("MPI_File_write_at_all",
         MPI_File_write_at_all(f.get(), c.offset, packed.data(), static_cast<int>(c.count), v.etype, MPI_STATUS_IGNORE),
         MPI_SUCCESS);
  }
}

// --- argosy ---

template <class World>
io::report run_now(io::basic_file<World>& f, script const& s, call const& c, io::buffer const& b) {
  bool const all = s.how == manner::collective;
  switch (s.by) {
    case pointer::at:
      if (s.writes) return all ? f.write_at_all(c.offset, b, c.policy) : f.write_at(c.offset, b, c.policy);
      return all ? f.read_at_all(c.offset, b, c.policy) : f.read_at(c.offset, b, c.policy);
    case pointer::individual:
      if (s.writes) return all ? f.write_all(b, c.policy) : f.write(b, c.policy);
      return all ? f.read_all(b, c.policy) : f.read(b, c.policy);
    case pointer::shared:
      break;
  }
  if (s.writes) return all ? f.write_ordered(b, c.policy) : f.write_shared(b, c.policy);
  return all ? f.read_ordered(b, c.policy) : f.read_shared(b, c.policy);
}

template <class World>
io::request run_later(io::basic_file<World>& f, script const& s, call const& c, io::buffer const& b) {
  switch (s.by) {
    case pointer::at:
      return s.writes ? f.iwrite_at(c.offset, b, c.policy) : f.iread_at(c.offset, b, c.policy);
    case pointer::individual:
      return s.writes ? f.iwrite(b, c.policy) : f.iread(b, c.policy);
    case pointer::shared:
      break;
  }
  return s.writes ? f.iwrite_shared(b, c.policy) : f.iread_shared(b, c.policy);
}

struct outcome {
  bytes memory;
  io::report report;
};

template <class World>
std::vector<outcome> run(World const& world, std::string const& path, script const& s) {
  using io::mode;
  part const& mine = s.parts[static_cast<std::size_t>(world.rank())];
  mode m = !s.one_way ? mode::read_write : s.writes ? mode::write : mode::read;
  if (s.unique) m = m | mode::unique_open;
  std::vector<outcome> done;
  for (call const& c : mine.calls) done.push_back({random_bytes(c.seed, c.where.bytes), {}});
  auto f = io::basic_file<World>::open(world, path, m, s.hints);
  if (s.atomic) f.set_atomic(true);
  f.set_view(s.k->view(s.displacement, mine.file, s.external ? io::external32 : io::native));
  world.barrier();
  std::string failed;
  {
    std::vector<io::request> requests;
    for (std::size_t i = 0; i < mine.calls.size(); ++i) {
      call const& c = mine.calls[i];
      io::buffer const b = s.k->buffer(done[i].memory.data(), c.where);
      try {
        if (c.seeks && s.by == pointer::individual) f.seek(c.offset);
        if (s.how == manner::request)
          requests.push_back(run_later(f, s, c, b));
        else
          done[i].report = run_now(f, s, c, b);
      } catch (std::exception const& e) {
        failed = e.what();
      }
    }
    for (std::size_t i = requests.size(); i-- > 0;) try {
        if (i % 2 == 1) requests[i].test();
        done[i].report = requests[i].wait();
      } catch (std::exception const& e) {
        failed = e.what();
      }
  }
  passed("calls throw nothing: " + failed, failed.empty());
  if (s.by == pointer::individual && !mine.calls.empty())
    same("the pointer", f.position(), mine.calls.back().offset + mine.calls.back().count);
  world.barrier();
  if (s.by == pointer::shared) {
    std::int64_t all = 0;
    for (part const& p : s.parts)
      for (call const& c : p.calls) all += c.count;
    same("the shared pointer", f.position_shared(), all);
    world.barrier();
  }
  f.close();
  return done;
}

// --- Rounds ---

struct count_of_failures {
  std::int64_t value = 0;
  void combine(count_of_failures const& other) { value += other.value; }
};

template <class World>
void check_writing(World const& world, std::string const& path, script s, bool by_mpi) {
  part const& mine = s.parts[static_cast<std::size_t>(world.rank())];
  if (by_mpi) {
    write_by_mpi(path, s, mine);
  } else {
    std::vector<outcome> const done = run(world, path, s);
    for (std::size_t i = 0; i < done.size(); ++i) {
      call const& c = mine.calls[i];
      same("bytes written", done[i].report.bytes, c.count * s.k->size());
      same("memory of a write", done[i].memory, random_bytes(c.seed, c.where.bytes));
    }
  }
  world.barrier();
  bytes const got = whole_file(path);
  if (s.by == pointer::shared && s.how != manner::collective) {
    passed("calls come one after the other", find_order(s, got));
  }
  if (world.rank() == 0) {
    std::string const oracle = path + ".oracle";
    fill(oracle, s.before);
    {
      plain_file file(oracle);
      for (part const& p : s.parts)
        for (call const& c : p.calls) write_plainly(file, s, p, c);
    }
    same("the file", got, whole_file(oracle));
  }
  world.barrier();
}

template <class World>
void check_reading(World const& world, std::string const& path, script s) {
  part& mine = s.parts[static_cast<std::size_t>(world.rank())];
  bytes const file = whole_file(path);
  std::vector<outcome> const done = run(world, path, s);
  if (s.by == pointer::shared && s.how != manner::collective) {
    // Where were they? Every place was given once.
    std::array<std::int64_t, 8> found{};
    std::int64_t at = 0, all = 0;
    for (part const& p : s.parts)
      for (call const& c : p.calls) all += c.count;
    for (std::size_t i = 0; i < mine.calls.size(); ++i) {
      call& c = mine.calls[i];
      if (c.count == 0) continue;
      while (at + c.count <= all && !holds(file, s, mine, c, at, done[i].memory)) ++at;
      c.offset = at;
      found[2 * i] = at;
      found[2 * i + 1] = c.count;
      at += c.count;
    }
    std::vector<std::int64_t> everyone(found.size() * static_cast<std::size_t>(world.size()));
    world.all_gather(std::as_bytes(std::span(found)), std::as_writable_bytes(std::span(everyone)));
    std::vector<std::pair<std::int64_t, std::int64_t>> places;
    for (std::size_t i = 0; i < everyone.size(); i += 2)
      if (everyone[i + 1] > 0) places.emplace_back(everyone[i], everyone[i + 1]);
    std::sort(places.begin(), places.end());
    std::int64_t end = 0;
    for (auto const& [start, count] : places) {
      same("start of a read", start, end);
      end = start + count;
    }
    same("all reads", end, all);
  }
  for (std::size_t i = 0; i < done.size(); ++i) {
    call const& c = mine.calls[i];
    bytes expected = random_bytes(c.seed, c.where.bytes);
    std::int64_t const count = read_plainly(file, s, mine, c, expected);
    same("bytes read", done[i].report.bytes, count);
    same("memory", done[i].memory, expected);
  }
}

template <class World>
void random_rounds(World const& world, std::string const& path, int number, std::uint64_t first_seed) {
  constexpr bool is_mpi = std::same_as<World, io::mpi>;
  for (int i = 0; i < number; ++i) {
    script s = make_script(first_seed + static_cast<std::uint64_t>(i), world.size());
    CAPTURE(seed(), i, s.describe());
    if (world.rank() == 0) fill(path, s.before);
    world.barrier();
    failures = 0;
    if (s.writes) {
      check_writing(world, path, s, is_mpi && s.by_mpi);
      if constexpr (is_mpi)
        if (s.with_mpi && s.by != pointer::shared)
          check_by_mpi(path, s, s.parts[static_cast<std::size_t>(world.rank())]);
      // And argosy reads what was written, whoever wrote it.
      if (s.by != pointer::shared) {
        script back = s;
        back.writes = false;
        check_reading(world, path, back);
      }
    } else {
      check_reading(world, path, s);
    }
    count_of_failures failed{failures};
    world.all_reduce(failed);
    if (failed.value > 0) break;  // one is enough to read
    world.barrier();
  }
}

std::string shared_directory(io::mpi const& world, std::optional<scratch>& here) {
  std::array<char, 256> name{};
  if (world.rank() == 0) {
    here.emplace();
    std::string const text = here->string();
    std::copy_n(text.begin(), text.size(), name.begin());
  }
  world.broadcast(std::as_writable_bytes(std::span(name)), 0);
  return name.data();
}

}  // namespace

TEST_CASE("whatever ranks read and write, files and memory hold what one plain write per item gives",
          "[file][random]") {
  io::mpi const world(MPI_COMM_WORLD);
  std::optional<scratch> here;
  std::string const directory = shared_directory(world, here);
  random_rounds(world, directory + "/data", rounds(400), seed());
  world.barrier();
}

TEST_CASE("the same without MPI, a file for each rank", "[file][random]") {
  io::mpi const world(MPI_COMM_WORLD);
  scratch const here;
  random_rounds(io::self(), here / "data", rounds(100), seed() + 1000000 + static_cast<std::uint64_t>(world.rank()));
  world.barrier();
}

namespace {

// How a rank writes its pieces of windows that all ranks write at the same time.
enum class writer { merging, by_pieces, by_default, one_by_one, requests };

// Again and again, and nobody waits for anybody: each rank finds its own bytes after each of its writes.
void write_at_the_same_time(io::mpi const& world, std::string const& path, io::mode modes, std::uint64_t seed,
                            writer even, writer odd) {
  engine random(seed);
  std::int64_t const extent = 1500;
  int const me = world.rank();
  list lengths, starts, owners;
  for (std::int64_t at = 0; at < extent;) {
    std::int64_t const length = std::min(pick(random, 1, 64), extent - at), owner = pick(random, 0, world.size());
    if (owner == me) {
      lengths.push_back(length);
      starts.push_back(at);
    }
    if (owner < world.size())
      owners.insert(owners.end(), static_cast<std::size_t>(length), owner);
    else
      owners.insert(owners.end(), static_cast<std::size_t>(length), -1);
    at += length;
  }
  bytes const before = random_bytes(seed, 2 * extent);
  if (me == 0) fill(path, before);
  world.barrier();
  std::int64_t const mine = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  auto f = io::file::open(world, path, modes);
  f.set_view(0, {io::type<std::byte>, io::resized(io::indexed(lengths, starts, io::type<std::byte>), 0, extent)});
  writer const how = me % 2 == 0 ? even : odd;
  bytes data, got(static_cast<std::size_t>(2 * mine));
  std::int64_t lost = 0;
  for (int i = 0; i < 24 && mine > 0; ++i) {
    data = random_bytes(seed + 1000 * static_cast<std::uint64_t>(me) + static_cast<std::uint64_t>(i), 2 * mine);
    std::int64_t const window = pick(random, 20, 3000);
    switch (how) {
      case writer::merging:
        f.write_at(0, data, io::sieving{.write_window_bytes = window, .writes = io::sieve::always});
        break;
      case writer::by_pieces:
        f.write_at(0, data, io::independent{});
        break;
      case writer::by_default:
        f.write_at(0, data);
        break;
      case writer::one_by_one:
        for (std::int64_t at = 0; at < 2 * mine; at += 7)
          f.write_at(at, std::span(data).subspan(static_cast<std::size_t>(at),
                                                 static_cast<std::size_t>(std::min<std::int64_t>(7, 2 * mine - at))));
        break;
      case writer::requests: {
        std::vector<io::request> all;
        for (std::int64_t at = 0; at < 2 * mine; at += 50)
          all.push_back(
              f.iwrite_at(at,
                          std::span(data).subspan(static_cast<std::size_t>(at),
                                                  static_cast<std::size_t>(std::min<std::int64_t>(50, 2 * mine - at))),
                          io::sieving{.write_window_bytes = window, .writes = io::sieve::always}));
        io::wait_all(all);
        break;
      }
    }
    f.read_at(0, got, io::independent{});
    lost += got != data;
  }
  same("writes that lost bytes", lost, 0);
  f.close();
  bytes const file = whole_file(path);
  std::int64_t next = 0, wrong = 0;
  for (std::size_t i = 0; i < file.size(); ++i) {
    std::int64_t const owner = owners[i % static_cast<std::size_t>(extent)];
    if (owner == me) wrong += file[i] != data[static_cast<std::size_t>(next++)];
    if (owner < 0) wrong += file[i] != before[i];
  }
  same("bytes of this rank and of nobody", wrong, 0);
  world.barrier();
}

}  // namespace

TEST_CASE("writes at the same time into the same windows lose nothing", "[file][random][locks]") {
  io::mpi const world(MPI_COMM_WORLD);
  std::optional<scratch> here;
  std::string const directory = shared_directory(world, here);
  using io::mode;
  for (int i = 0; i < rounds(2); ++i)
    for (mode m : {mode::read_write, mode::read_write | mode::unique_open})
      for (auto const& [even, odd] :
           {std::pair(writer::merging, writer::merging), std::pair(writer::merging, writer::by_pieces),
            std::pair(writer::merging, writer::one_by_one), std::pair(writer::by_default, writer::one_by_one),
            std::pair(writer::requests, writer::by_default)}) {
        CAPTURE(seed(), i, static_cast<int>(m), static_cast<int>(even), static_cast<int>(odd));
        write_at_the_same_time(world, directory + "/data", m, seed() + static_cast<std::uint64_t>(i), even, odd);
      }
}
