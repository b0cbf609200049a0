// SPDX-License-Identifier: BSD-3-Clause
#include "rows.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <mpi.h>

#include <argosy/argosy.hpp>

#include "../support/google.hpp"
#include "place.hpp"

namespace calls {
namespace {

namespace io = argosy;

bool some_wrong = false;

// Makes one more call of argosy, then checks by the plain system call the bytes that were read or
// written.
bool right(place& p, entry const& e, std::string const& name) {
  // the places of shared pointers depend on the ranks
  if (name.find("_at") == std::string::npos) return true;
  std::vector<std::byte> const before(p.data().begin(), p.data().end());
  std::vector<std::byte> other(before.size(), std::byte{0x5a});
  bool const reads = name.find("read") != std::string::npos;
  std::vector<std::byte> const& first = reads ? before : other;
  if (::pwrite(p.descriptor, first.data(), first.size(), p.offset()) < 0) return false;
  if (reads) std::fill(p.data().begin(), p.data().end(), std::byte{0});
  e.argosy();
  if (::pread(p.descriptor, other.data(), other.size(), p.offset()) < 0) return false;
  return other == before && std::equal(before.begin(), before.end(), p.data().begin());
}

int count(place const& p) { return static_cast<int>(p.bytes()); }
std::size_t size(place const& p) { return static_cast<std::size_t>(p.bytes()); }

entry read_at(place& p) {
  return {
      [&p] { benchmark::DoNotOptimize(::pread(p.descriptor, p.memory(), size(p), p.offset())); },
      [&p] {
        MPI_File_read_at(p.mpi, p.offset(), p.memory(), count(p), MPI_BYTE, MPI_STATUS_IGNORE);
      },
      [&p] { p.argosy.read_at(p.offset(), p.data()); }};
}
entry write_at(place& p) {
  return {
      [&p] { benchmark::DoNotOptimize(::pwrite(p.descriptor, p.memory(), size(p), p.offset())); },
      [&p] {
        MPI_File_write_at(p.mpi, p.offset(), p.memory(), count(p), MPI_BYTE, MPI_STATUS_IGNORE);
      },
      [&p] { p.argosy.write_at(p.offset(), p.data()); }};
}
entry read_at_all(place& p) {
  return {read_at(p).raw,
          [&p] {
            MPI_File_read_at_all(p.mpi, p.offset(), p.memory(), count(p), MPI_BYTE,
                                 MPI_STATUS_IGNORE);
          },
          [&p] { p.argosy.read_at_all(p.offset(), p.data()); }};
}
entry write_at_all(place& p) {
  return {write_at(p).raw,
          [&p] {
            MPI_File_write_at_all(p.mpi, p.offset(), p.memory(), count(p), MPI_BYTE,
                                  MPI_STATUS_IGNORE);
          },
          [&p] { p.argosy.write_at_all(p.offset(), p.data()); }};
}
// Makes a call that sets the pointer back once in 256 calls, so that the file stays small. Only
// that call contains the cost.
template <class Call, class Back>
action rewound(Call call, Back back) {
  return [call, back, n = 0]() mutable {
    if (++n % 256 == 0) back();
    call();
  };
}
entry write_shared(place& p) {
  return {
      {},
      rewound(
          [&p] { MPI_File_write_shared(p.mpi, p.memory(), count(p), MPI_BYTE, MPI_STATUS_IGNORE); },
          [&p] { MPI_File_seek_shared(p.mpi, 0, MPI_SEEK_SET); }),
      rewound([&p] { p.argosy.write_shared(p.data()); }, [&p] { p.argosy.seek_shared(0); })};
}
entry write_ordered(place& p) {
  return {{},
          rewound(
              [&p] {
                MPI_File_write_ordered(p.mpi, p.memory(), count(p), MPI_BYTE, MPI_STATUS_IGNORE);
              },
              [&p] { MPI_File_seek_shared(p.mpi, 0, MPI_SEEK_SET); }),
          rewound([&p] { p.argosy.write_ordered(p.data()); }, [&p] { p.argosy.seek_shared(0); })};
}

// Every other piece of 64 bytes. The loop reads the window that spans them, and picks the pieces
// from it or puts them into it.
constexpr std::int64_t piece = 64;
void look_at_pieces(place& p) {
  MPI_Datatype pieces = MPI_DATATYPE_NULL;
  MPI_Type_vector(static_cast<int>(p.bytes() / piece), piece, 2 * piece, MPI_BYTE, &pieces);
  MPI_Type_commit(&pieces);
  MPI_File_set_view(p.mpi, p.offset(), MPI_BYTE, pieces, "native", MPI_INFO_NULL);
  MPI_Type_free(&pieces);
  p.argosy.set_view(p.offset(), {io::type<std::byte>, io::vector(p.bytes() / piece, piece,
                                                                 2 * piece, io::type<std::byte>)});
}
action by_hand(place& p, bool writes) {
  return [&p, writes, window = std::vector<std::byte>(2 * size(p) - piece)]() mutable {
    benchmark::DoNotOptimize(::pread(p.descriptor, window.data(), window.size(), p.offset()));
    for (std::size_t i = 0; i < size(p); i += piece)
      writes ? std::memcpy(window.data() + 2 * i, p.memory() + i, piece)
             : std::memcpy(p.memory() + i, window.data() + 2 * i, piece);
    if (writes)
      benchmark::DoNotOptimize(::pwrite(p.descriptor, window.data(), window.size(), p.offset()));
  };
}
entry read_pieces(place& p) {
  look_at_pieces(p);
  return {by_hand(p, false),
          [&p] { MPI_File_read_at(p.mpi, 0, p.memory(), count(p), MPI_BYTE, MPI_STATUS_IGNORE); },
          [&p] { p.argosy.read_at(0, p.data()); }};
}
entry write_pieces(place& p) {
  look_at_pieces(p);
  return {by_hand(p, true),
          [&p] { MPI_File_write_at(p.mpi, 0, p.memory(), count(p), MPI_BYTE, MPI_STATUS_IGNORE); },
          [&p] { p.argosy.write_at(0, p.data()); }};
}

// All ranks open and close the file. With `makes` the file does not exist, and one rank removes it
// afterwards. Each time it has another name, because hosts cache the names of files that are gone.
entry opened(place& p, bool makes) {
  auto const with_name = [&p, makes](std::string const& who, auto open) -> action {
    return [&p, makes, who, open, n = 0]() mutable {
      std::string const path = makes ? p.path() + "." + who + std::to_string(n++) : p.path();
      open(path);
      if (!makes) return;
      MPI_Barrier(p.comm());
      if (p.rank() == 0) ::unlink(path.c_str());
    };
  };
  return {
      with_name("raw",
                [&p, makes](std::string const& path) {
                  int const first =
                      p.rank() == 0
                          ? ::open(path.c_str(), O_RDWR | O_CLOEXEC | (makes ? O_CREAT : 0), 0600)
                          : -1;
                  MPI_Barrier(p.comm());
                  int const own = p.rank() == 0 ? first : ::open(path.c_str(), O_RDWR | O_CLOEXEC);
                  MPI_Barrier(p.comm());
                  ::close(own);
                }),
      with_name("mpi",
                [&p, makes](std::string const& path) {
                  MPI_File f = MPI_FILE_NULL;
                  MPI_File_open(p.comm(), path.c_str(),
                                MPI_MODE_RDWR | (makes ? MPI_MODE_CREATE : 0), MPI_INFO_NULL, &f);
                  MPI_File_close(&f);
                }),
      with_name("argosy", [&p, makes](std::string const& path) {
        io::file::open(io::mpi(p.comm()), path,
                       io::mode::read_write | (makes ? io::mode::create : io::mode::none))
            .close();
      })};
}
entry open_again(place& p) { return opened(p, false); }
entry open_new(place& p) { return opened(p, true); }

// A view of 8-byte blocks, one at either of two places each. Its datatype is made, too, because
// MPI's side must make it. The loop copies the list. With `from_mpi`, argosy gets MPI's datatype.
entry set_view(place& p, bool from_mpi) {
  std::int64_t const block = 8;
  std::vector<std::int64_t> places(static_cast<std::size_t>(p.bytes() / block));
  for (std::size_t i = 0, bits = 1; i < places.size();
       ++i, bits = bits * 6364136223846793005u + 1442695040888963407u)
    places[i] = block * static_cast<std::int64_t>(2 * i + (bits >> 63));
  std::vector<MPI_Aint> const displacements(places.begin(), places.end());
  auto const with_type = [displacements](auto use) {
    MPI_Datatype blocks = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed_block(static_cast<int>(displacements.size()), 1, displacements.data(),
                                   MPI_DOUBLE, &blocks);
    MPI_Type_commit(&blocks);
    use(blocks);
    MPI_Type_free(&blocks);
  };
  action argosy = [&p, places] {
    p.argosy.set_view(0, {io::type<double>, io::hindexed_block(1, places, io::type<double>)});
  };
  if (from_mpi)
    argosy = [&p, with_type] {
      with_type([&](MPI_Datatype blocks) {
        p.argosy.set_view(0, {io::type<double>, io::from_mpi(blocks)});
      });
    };
  return {[places] { benchmark::DoNotOptimize(std::vector<std::int64_t>(places).data()); },
          [&p, with_type] {
            with_type([&](MPI_Datatype blocks) {
              MPI_File_set_view(p.mpi, 0, MPI_DOUBLE, blocks, "native", MPI_INFO_NULL);
            });
          },
          std::move(argosy)};
}
entry set_view_own(place& p) { return set_view(p, false); }
entry set_view_from_mpi(place& p) { return set_view(p, true); }

}  // namespace

bool wrong_bytes() { return some_wrong; }
void note_wrong_bytes(std::string const& row) {
  std::fprintf(stderr, "%s: wrong bytes\n", row.c_str());
  some_wrong = true;
}

void enter(row const& r, std::int64_t bytes, std::int64_t calls, bool self, setting const& how) {
  std::string const name = std::string(self ? "self/" : "") + r.name + "/" + std::to_string(bytes);
  auto const measure = [=](benchmark::State& state) {
    place here(self ? MPI_COMM_SELF : MPI_COMM_WORLD, how, name, bytes, r.more);
    entry const all = r.make(here);
    outcome o;
    for (auto _ : state) {
      o = run(MPI_COMM_WORLD, all, calls, how.rounds);
      state.SetIterationTime(o.argosy.median * 1e-9);
    }
    if (!right(here, all, name)) note_wrong_bytes(name);
    MPI_Barrier(MPI_COMM_WORLD);
    if (all.raw) bench::count(state, "raw", o.raw), bench::count(state, "above", o.above);
    if (all.mpi) bench::count(state, "mpi", o.mpi), bench::count(state, "ratio", o.ratio);
    bench::count(state, "argosy", o.argosy);
    state.counters["heap"] = o.allocations;
    state.counters["instructions"] = o.instructions;
  };
  benchmark::RegisterBenchmark(name.c_str(), measure)
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kNanosecond);
}

void enter_all(setting const& how) {
  static constexpr row rows[] = {{"read_at", read_at},
                                 {"write_at", write_at},
                                 {"write_at.unique", write_at, io::mode::unique_open},
                                 {"read_at_all", read_at_all},
                                 {"write_at_all", write_at_all},
                                 {"write_shared", write_shared},
                                 {"write_ordered", write_ordered},
                                 {"read_pieces", read_pieces},
                                 {"write_pieces", write_pieces},
                                 {"open", open_again},
                                 {"open.create", open_new},
                                 {"set_view.blocks", set_view_own},
                                 {"set_view.blocks_from_mpi", set_view_from_mpi}};
  for (bool const self : {false, true})
    for (row const& r : rows) {
      std::string const name = r.name;
      std::vector<std::int64_t> sizes = {8, 1 << 10, 64 << 10};
      bool const opens = name.starts_with("open");
      if (opens) sizes = {8};
      if (name.find("pieces") != name.npos) sizes = {1 << 10};
      if (name.find("set_view") != name.npos) sizes = {64 << 10, 1 << 20};
      for (std::int64_t const bytes : sizes)
        enter(r, bytes, opens ? 10 : bytes > (64 << 10) ? 5 : bytes > 4096 ? 200 : 1000, self, how);
    }
  enter_pieces(how);
}

}  // namespace calls
