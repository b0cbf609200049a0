// Copies between layouts, compared with a hand-written loop and with pack and unpack through a
// buffer.
// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string>
#include <vector>

#include <argosy/layout.hpp>

#include "cases.hpp"

namespace contest {
namespace {

namespace io = argosy;

struct pair_of_memories {
  std::vector<std::byte> from, to, buffer, expected;
};

template <class Loop>
void enter_pair(std::string const& name, io::layout const& from, io::layout const& to, Loop loop) {
  enter("copy/" + name, [=] {
    auto const m = std::make_shared<pair_of_memories>();
    m->from.resize(static_cast<std::size_t>(from.true_upper_bound()));
    m->to.resize(static_cast<std::size_t>(to.true_upper_bound()));
    m->buffer.resize(static_cast<std::size_t>(from.size()));
    for (std::size_t i = 0; i < m->from.size(); ++i)
      m->from[i] = static_cast<std::byte>(i * 31 + i / 255);
    m->expected = m->to;
    io::extend::cursor source(from), target(to);
    for (std::int64_t k = 0; k < from.size(); ++k) {
      source.seek(k);
      target.seek(k);
      m->expected[static_cast<std::size_t>(target.current().offset)] =
          m->from[static_cast<std::size_t>(source.current().offset)];
    }
    entry e;
    e.bytes = from.size();
    e.argosy = [=] { io::copy(from, m->from.data(), to, m->to.data()); };
    e.loop = [=] { loop(m->from.data(), m->to.data()); };
    e.buffered = [=] {
      io::pack(from, m->from.data(), m->buffer.data());
      io::unpack(to, m->buffer.data(), m->to.data());
    };
    e.check = [=] { return matched_and_wiped(m->to, m->expected); };
    return e;
  });
}

}  // namespace

void enter_copies() {
  constexpr std::int64_t n = 32768;
  enter_pair("8B/stride2_to_stride3", io::repeat(n, 16, io::bytes(8)),
             io::repeat(n, 24, io::bytes(8)),
             [](std::byte const* __restrict from, std::byte* __restrict to) {
               for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + 24 * i, from + 16 * i, 8);
             });
  enter_pair("40B/cells_to_doubles", io::repeat(6400, 80, io::bytes(40)),
             io::repeat(32000, 16, io::bytes(8)),
             [](std::byte const* __restrict from, std::byte* __restrict to) {
               for (std::int64_t i = 0; i < 6400; ++i)
                 for (std::int64_t k = 0; k < 5; ++k)
                   std::memcpy(to + (5 * i + k) * 16, from + 80 * i + 8 * k, 8);
             });
  // No piece of one side fits a piece of the other. This is the case for which buffers are used.
  enter_pair("24B/to_pieces_of_40", io::repeat(10240, 48, io::bytes(24)),
             io::repeat(6144, 80, io::bytes(40)),
             [](std::byte const* __restrict from, std::byte* __restrict to) {
               for (std::int64_t i = 0; i < 30720; ++i)
                 std::memcpy(to + i / 5 * 80 + i % 5 * 8, from + i / 3 * 48 + i % 3 * 8, 8);
             });
  // A tile with a halo in memory, copied to its place in a wider array.
  enter_pair("256B/tile_to_array",
             io::repeat(32, 34 * 34 * 8, io::repeat(32, 34 * 8, io::bytes(256))),
             io::repeat(32, 64 * 64 * 8, io::repeat(32, 64 * 8, io::bytes(256))),
             [](std::byte const* __restrict from, std::byte* __restrict to) {
               for (std::int64_t z = 0; z < 32; ++z)
                 for (std::int64_t y = 0; y < 32; ++y)
                   std::memcpy(to + (z * 64 + y) * 512, from + (z * 34 + y) * 272, 256);
             });
}

}  // namespace contest
