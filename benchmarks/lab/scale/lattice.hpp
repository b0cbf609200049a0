// A lattice in four dimensions, dealt to the ranks in blocks and stored in one order of its sites.
// Has its geometry, and two ways to write and read it that do not use argosy's plans. Any world of
// argosy can run them. One page because both ways use the same geometry.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/benchmark/patterns/lattice.hpp>
#include <argosy/exchange/detail/link_tags.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/world/communicator.hpp>

namespace lattice {

using numbers = argosy::bench::box4;  // the last dimension is the fastest

struct block {
  std::int64_t offset, memory, length;  // in the file and in memory, in bytes
};

struct geometry : argosy::bench::detail::lattice_block {
  geometry(int ranks, int rank, numbers const& sites)
      : lattice_block(ranks, rank, sites, argosy::bench::lattice().site_bytes) {}

  // Returns the blocks as a list, in the order of the file.
  std::vector<block> blocks() const {
    std::vector<block> all;
    walk([&](argosy::bench::transfer const& t) {
      all.push_back({t.file_offset, t.memory_offset, t.bytes});
    });
    return all;
  }
  // For checks: every byte encodes its place in the file.
  static std::byte content(std::int64_t offset) {
    return static_cast<std::byte>((offset * 2654435761) >> 16);
  }
  void fill(std::span<std::byte> data) const {
    for (block const& b : blocks())
      for (std::int64_t i = 0; i < b.length; i += 64)
        data[static_cast<std::size_t>(b.memory + i)] = content(b.offset + i);
  }
  bool holds(std::span<std::byte const> data) const {
    for (block const& b : blocks())
      for (std::int64_t i = 0; i < b.length; i += 64)
        if (data[static_cast<std::size_t>(b.memory + i)] != content(b.offset + i)) return false;
    return true;
  }
};

inline void check(argosy::extend::io_result const& done, std::size_t bytes) {
  if (done.error || done.bytes != static_cast<std::int64_t>(bytes))
    throw std::runtime_error("the file was not moved");
}

// Memory for the data of ranks. Without contents, all ranks use the same memory, whose bytes are
// never looked at, and messages transfer only their lengths.
class rooms {
 public:
  struct room {
    std::vector<std::byte> own;
    std::span<std::byte> bytes;
  };

  rooms() = default;
  explicit rooms(std::span<std::byte> hollow) : hollow_(hollow) {}
  bool copies() const { return hollow_.empty(); }
  room get(std::int64_t bytes) const {
    auto const n = static_cast<std::size_t>(bytes);
    if (!copies()) return {{}, hollow_.first(n)};
    room r{std::vector<std::byte>(n), {}};
    r.bytes = r.own;
    return r;
  }
  // Returns the tag of messages that contain only bytes of the file.
  int tag(int own) const { return copies() ? own : argosy::detail::link_tag + 1; }

 private:
  std::span<std::byte> hollow_;
};

// --- The user's transposition ---

// Sends bytes to each rank and receives bytes from each, packed by rank. Does the same as
// MPI_Alltoallv, but sends no empty messages.
struct by_messages {
  int tag;
  template <argosy::communicator World>
  void operator()(World const& world, std::span<std::byte const> out,
                  std::vector<std::int64_t> const& sent, std::span<std::byte> in,
                  std::vector<std::int64_t> const& received) const {
    std::vector<typename World::request> all;
    for (int r = 0; r < world.size(); ++r)
      if (auto const n = static_cast<std::size_t>(received[static_cast<std::size_t>(r)]); n > 0) {
        all.push_back(world.start_receive(in.first(n), r, tag));
        in = in.subspan(n);
      }
    for (int r = 0; r < world.size(); ++r)
      if (auto const n = static_cast<std::size_t>(sent[static_cast<std::size_t>(r)]); n > 0) {
        all.push_back(world.start_send(out.first(n), r, tag));
        out = out.subspan(n);
      }
    World::wait_all(all);
  }
};

// The ranks that share their first two coordinates own whole planes of the file together. They
// exchange their data, so that each has a few long pieces, and then access the file with local
// calls.
template <argosy::communicator World>
class transposition {
 public:
  transposition(World const& world, geometry const& g, rooms const& memory)
      : geometry_(g),
        row_(world.split(static_cast<int>(g.at[0] * g.grid[1] + g.at[1]), world.rank())),
        sent_(static_cast<std::size_t>(row_.size())),
        received_(sent_.size()),
        memory_(memory),
        packed_(memory.get(g.bytes())),
        rows_(memory.get(g.bytes())) {
    // My lines lie in the stream of the row in ascending order, and so do those of each partner.
    std::int64_t const each = g.bytes();
    for (std::int64_t const place : lines_of(g.at[2], g.at[3]))
      sent_[static_cast<std::size_t>(place / each)] += line();
    for (int r = 0; r < row_.size(); ++r)
      for (std::int64_t const place : lines_of(r / g.grid[3], r % g.grid[3]))
        if (place / each == row_.rank()) {
          received_[static_cast<std::size_t>(r)] += line();
          places_.push_back(place - row_.rank() * each);
        }
  }

  void write(argosy::extend::any_handle& file, std::span<std::byte const> data) {
    by_messages{memory_.tag(11)}(row_, data, sent_, packed_.bytes, received_);
    for_each_line(
        [&](std::byte* packed, std::byte* row, std::size_t n) { std::memcpy(row, packed, n); });
    for_each_stretch([&](std::int64_t offset, std::span<std::byte const> rows) {
      check(file.write(offset, rows), rows.size());
    });
  }
  void read(argosy::extend::any_handle& file, std::span<std::byte> data) {
    for_each_stretch([&](std::int64_t offset, std::span<std::byte> rows) {
      check(file.read(offset, rows), rows.size());
    });
    for_each_line(
        [&](std::byte* packed, std::byte* row, std::size_t n) { std::memcpy(packed, row, n); });
    by_messages{memory_.tag(11)}(row_, packed_.bytes, received_, data, sent_);
  }
  // Returns the number of messages in two writes and two reads, which are equally many in each.
  std::int64_t messages() const {
    return 4 * std::count_if(sent_.begin(), sent_.end(), [](auto n) { return n > 0; });
  }

 private:
  std::int64_t line() const { return geometry_.local[3] * geometry_.site_bytes; }
  // Returns where the lines of a rank begin in the stream of the row.
  std::vector<std::int64_t> lines_of(std::int64_t y0, std::int64_t x0) const {
    geometry const& g = geometry_;
    std::vector<std::int64_t> places;
    for (std::int64_t plane = 0; plane < g.local[0] * g.local[1]; ++plane)
      for (std::int64_t y = 0; y < g.local[2]; ++y)
        places.push_back(
            ((plane * g.extent(2) + y0 * g.local[2] + y) * g.extent(3) + x0 * g.local[3]) *
            g.site_bytes);
    return places;
  }
  template <class F>
  void for_each_line(F&& f) {
    if (!memory_.copies()) return;
    std::byte* packed = packed_.bytes.data();
    for (std::int64_t const place : places_) {
      f(packed, rows_.bytes.data() + place, static_cast<std::size_t>(line()));
      packed += line();
    }
  }
  // Visits my part of the stream, in pieces that are contiguous in the file. Planes of one t follow
  // one another.
  template <class F>
  void for_each_stretch(F&& f) {
    geometry const& g = geometry_;
    std::int64_t const plane = g.extent(2) * g.extent(3) * g.site_bytes, of_t = g.local[1] * plane;
    std::int64_t const begin = row_.rank() * g.bytes(), end = begin + g.bytes();
    for (std::int64_t from = begin; from < end;) {
      std::int64_t const t = from / of_t, length = std::min(end, (t + 1) * of_t) - from;
      std::int64_t const offset =
          ((g.at[0] * g.local[0] + t) * g.extent(1) + g.at[1] * g.local[1]) * plane + from % of_t;
      f(offset, rows_.bytes.subspan(static_cast<std::size_t>(from - begin),
                                    static_cast<std::size_t>(length)));
      from += length;
    }
  }

  geometry geometry_;
  World row_;
  std::vector<std::int64_t> sent_, received_;  // bytes, by rank of the row
  // places of the received lines in my part of the stream
  std::vector<std::int64_t> places_;
  rooms memory_;
  rooms::room packed_, rows_;
};

// --- ROMIO's way ---

// Sends each rank's number for each rank: Bruck's algorithm, which MPI libraries use for short
// messages.
template <argosy::communicator World>
void all_to_all(World const& world, std::vector<std::int32_t>& values) {
  int const n = world.size(), me = world.rank();
  std::vector<std::int32_t> all(values.size()), out, in;
  auto const place = [&](int i) { return static_cast<std::size_t>((i % n + n) % n); };
  for (int i = 0; i < n; ++i) all[place(i)] = values[place(me + i)];
  for (int k = 1; k < n; k <<= 1) {
    out.clear();
    for (int i = 0; i < n; ++i)
      if (i & k) out.push_back(all[place(i)]);
    in.resize(out.size());
    std::array<typename World::request, 2> both;
    both[0] = world.start_receive(std::as_writable_bytes(std::span(in)),
                                  static_cast<int>(place(me - k)), 12);
    both[1] = world.start_send(std::as_bytes(std::span(out)), static_cast<int>(place(me + k)), 12);
    World::wait_all(both);
    std::size_t next = 0;
    for (int i = 0; i < n; ++i)
      if (i & k) all[place(i)] = in[next++];
  }
  for (int i = 0; i < n; ++i) values[place(me - i)] = all[place(i)];
}

// The MPI_File_write_all of ROMIO for a generic file system. Each node has one aggregator, and the
// file is cut into equal domains. Ranks send lists of offsets and lengths to the aggregators. Then
// there are rounds of cb_buffer_size bytes. In each round the aggregators first tell all ranks how
// much they expect from each, receive it from each rank, and access the file.
template <argosy::communicator World>
class romio {
 public:
  static constexpr std::int64_t buffer_bytes = 16 << 20;

  romio(World const& world, geometry const& g, rooms const& memory, int ranks_per_node)
      : world_(world), memory_(memory), blocks_(g.blocks()) {
    for (int r = 0; r < world.size(); r += ranks_per_node) aggregators_.push_back(r);
  }
  std::int64_t messages() const { return messages_; }

  void write(argosy::extend::any_handle& file, std::span<std::byte const> data) {
    exchange(file, const_cast<std::byte*>(data.data()), true);
  }
  void read(argosy::extend::any_handle& file, std::span<std::byte> data) {
    exchange(file, data.data(), false);
  }

 private:
  struct most {
    std::int64_t value;
    void combine(most const& other) { value = std::max(value, other.value); }
  };
  struct range {
    std::int64_t begin, end;
  };
  // Visits the parts of some blocks that lie in a window, in their order.
  template <class F>
  static std::int64_t within(std::vector<block> const& all, range w, F&& f) {
    std::int64_t bytes = 0;
    for (block const& b : all) {
      std::int64_t const from = std::max(b.offset, w.begin),
                         to = std::min(b.offset + b.length, w.end);
      if (from >= to) continue;
      f(block{from, b.memory + from - b.offset, to - from});
      bytes += to - from;
    }
    return bytes;
  }

  range window(std::size_t a, std::int64_t round) const {
    range const d = domains_[a];
    std::int64_t const begin = std::min(d.end, d.begin + round * buffer_bytes);
    return {begin, std::min(d.end, begin + buffer_bytes)};
  }

  using message = std::pair<int, rooms::room>;  // with its rank
  void start(std::vector<typename World::request>& all, message& m, bool sends) {
    if (sends) ++messages_;
    int const tag = memory_.tag(14);
    all.push_back(sends ? world_.start_send(m.second.bytes, m.first, tag)
                        : world_.start_receive(m.second.bytes, m.first, tag));
  }

  // Cuts the range that all ranks need into equal domains.
  void cut_domains() {
    range mine{blocks_.front().offset, blocks_.back().offset + blocks_.back().length};
    std::vector<range> ranges(ranks());
    world_.all_gather(std::as_bytes(std::span(&mine, 1)),
                      std::as_writable_bytes(std::span(ranges)));
    range hull = mine;
    for (range const& r : ranges) hull = {std::min(hull.begin, r.begin), std::max(hull.end, r.end)};
    auto const count = std::ssize(aggregators_);
    std::int64_t const each = (hull.end - hull.begin + count - 1) / count;
    domains_.clear();
    for (std::int64_t a = 0; a < count; ++a)
      domains_.push_back({hull.begin + a * each, std::min(hull.end, hull.begin + (a + 1) * each)});
  }

  // Sends each aggregator the offsets and lengths of this rank's pieces in its domain.
  void tell_pieces() {
    std::vector<std::vector<std::int64_t>> lists(aggregators_.size());
    std::vector<std::int32_t> counts(ranks());
    for (std::size_t a = 0; a < aggregators_.size(); ++a) {
      within(blocks_, domains_[a],
             [&](block const& b) { lists[a].insert(lists[a].end(), {b.offset, b.length}); });
      counts[static_cast<std::size_t>(aggregators_[a])] =
          static_cast<std::int32_t>(lists[a].size());
    }
    all_to_all(world_, counts);
    std::vector<typename World::request> all;
    std::vector<std::pair<int, std::vector<std::int64_t>>> told;
    for (std::size_t r = 0; r < counts.size(); ++r)
      if (counts[r] > 0)
        told.emplace_back(static_cast<int>(r),
                          std::vector<std::int64_t>(static_cast<std::size_t>(counts[r])));
    for (auto& [r, list] : told)
      all.push_back(world_.start_receive(std::as_writable_bytes(std::span(list)), r, 13));
    for (std::size_t a = 0; a < aggregators_.size(); ++a)
      if (!lists[a].empty()) {
        all.push_back(world_.start_send(std::as_bytes(std::span(lists[a])), aggregators_[a], 13));
        ++messages_;
      }
    World::wait_all(all);
    theirs_.clear();
    for (auto& [r, list] : told) {
      std::vector<block>& b = theirs_.emplace_back(r, std::vector<block>()).second;
      for (std::size_t i = 0; i < list.size(); i += 2) b.push_back({list[i], 0, list[i + 1]});
    }
  }

  std::int64_t rounds() const {
    most all{0};
    for (range const& d : domains_)
      all.value = std::max(all.value, (d.end - d.begin + buffer_bytes - 1) / buffer_bytes);
    world_.all_reduce(all);
    return all.value;
  }

  // Copies between the window `w` in memory and messages with the parts of ranks.
  void move_parts(std::vector<message>& parts, range w, std::byte* memory, bool pack) const {
    if (!memory_.copies()) return;
    auto part = parts.begin();
    for (auto const& [r, blocks] : theirs_) {
      if (part == parts.end() || part->first != r) continue;  // this rank has nothing here
      std::byte* at = part++->second.bytes.data();
      within(blocks, w, [&](block const& x) {
        copy(at, memory + (x.offset - w.begin), x.length, pack);
        at += x.length;
      });
    }
  }
  // Copies between this rank's data and its messages with aggregators.
  void move_mine(std::vector<message>& mine, std::int64_t round, std::byte* data, bool pack) const {
    if (!memory_.copies()) return;
    auto part = mine.begin();
    for (std::size_t a = 0; a < aggregators_.size() && part != mine.end(); ++a) {
      if (part->first != aggregators_[a]) continue;
      std::byte* at = part++->second.bytes.data();
      within(blocks_, window(a, round), [&](block const& x) {
        copy(at, data + x.memory, x.length, pack);
        at += x.length;
      });
    }
  }
  static void copy(std::byte* packed, std::byte* place, std::int64_t length, bool pack) {
    std::memcpy(pack ? packed : place, pack ? place : packed, static_cast<std::size_t>(length));
  }

  void run_round(argosy::extend::any_handle& file, std::byte* data, std::int64_t round,
                 bool writing) {
    auto const own = std::find(aggregators_.begin(), aggregators_.end(), world_.rank());
    range const w = own == aggregators_.end()
                        ? range{0, 0}
                        : window(static_cast<std::size_t>(own - aggregators_.begin()), round);
    std::vector<std::int32_t> sizes(ranks());
    std::vector<message> parts, mine;  // data of all ranks for this aggregator, and of this rank
    for (auto const& [r, blocks] : theirs_) {
      std::int64_t const bytes = within(blocks, w, [](block const&) {});
      sizes[static_cast<std::size_t>(r)] = static_cast<std::int32_t>(bytes);
      if (bytes > 0) parts.emplace_back(r, memory_.get(bytes));
    }
    all_to_all(world_, sizes);
    for (int const a : aggregators_)
      if (auto const bytes = sizes[static_cast<std::size_t>(a)]; bytes > 0)
        mine.emplace_back(a, memory_.get(bytes));
    rooms::room const held = memory_.get(w.end - w.begin);
    std::span<std::byte> const memory = held.bytes;
    std::vector<typename World::request> all;
    for (message& m : writing ? parts : mine) start(all, m, false);
    if (writing) {
      move_mine(mine, round, data, true);
    } else if (!memory.empty()) {
      check(file.read(w.begin, memory), memory.size());
      move_parts(parts, w, memory.data(), true);
    }
    for (message& m : writing ? mine : parts) start(all, m, true);
    World::wait_all(all);
    if (!writing) {
      move_mine(mine, round, data, false);
    } else if (!memory.empty()) {
      move_parts(parts, w, memory.data(), false);
      check(file.write(w.begin, std::span<std::byte const>(memory)), memory.size());
    }
  }

  void exchange(argosy::extend::any_handle& file, std::byte* data, bool writing) {
    cut_domains();
    tell_pieces();
    std::int64_t const count = rounds();
    for (std::int64_t round = 0; round < count; ++round) run_round(file, data, round, writing);
    theirs_.clear();
  }
  std::size_t ranks() const { return static_cast<std::size_t>(world_.size()); }

  World world_;
  rooms memory_;
  std::vector<block> blocks_;
  std::vector<int> aggregators_;
  std::vector<range> domains_;
  std::vector<std::pair<int, std::vector<block>>> theirs_;  // pieces of ranks in this domain
  std::int64_t messages_ = 0;
};

}  // namespace lattice
