// Finding a place: by stream position and by offset, in 10^2 to 10^12 pieces.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <argosy/layout.hpp>

#include "cases.hpp"

namespace contest {
namespace {

namespace io = argosy;

// `make` is called when the case is run.
template <class Make>
void enter_seek(std::string const& name, Make make) {
  benchmark::RegisterBenchmark(("seek/" + name).c_str(), [make](benchmark::State& state) {
    io::layout const l = make();
    std::mt19937_64 random(1);
    std::vector<std::int64_t> places(1024);
    for (std::int64_t& p : places)
      p = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(l.size()));
    std::size_t i = 0;
    for (auto _ : state) {
      io::extend::cursor at(l, places[i]);
      at.seek_offset(at.current().offset + 1);
      benchmark::DoNotOptimize(at);
      i = (i + 1) % places.size();
    }
  });
}

io::layout irregular(std::int64_t pieces) {
  std::mt19937_64 random(2);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(pieces));
  std::int64_t end = 0;
  for (std::int64_t& o : offsets) {
    o = end + 8 * static_cast<std::int64_t>(1 + random() % 7);
    end = o + 8;
  }
  return io::table(offsets, 8);
}

}  // namespace

void enter_seeks() {
  std::int64_t pieces = 100;
  for (int digits = 2; digits <= 12; ++digits, pieces *= 10) {
    if (digits > 7 && digits < 12) continue;
    std::string const many = "1e" + std::to_string(digits);
    enter_seek("regular/" + many, [=] {
      return io::repeat(10, 24 * (pieces / 10) + 64, io::repeat(pieces / 10, 24, io::bytes(8)));
    });
    if (digits <= 7) enter_seek("table/" + many, [=] { return irregular(pieces); });
  }
}

}  // namespace contest
