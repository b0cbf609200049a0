// Rows of data in several pieces: every other WIDTH bytes of memory, contiguous in the file, or the
// other way round. The loop by hand copies the pieces, and makes one system call. Names are
// KIND.WIDTH/BYTES: in `fixed` rows all numbers of the datatype are known to the compiler, in
// `run_time` rows none; `view` rows have the pieces in the file.
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <mpi.h>

#include <argosy/argosy.hpp>

#include "place.hpp"

namespace calls {
namespace {

// The pieces of a row, in memory that is twice as long.
struct scattered {
  explicit scattered(std::int64_t bytes)
      : memory(static_cast<std::size_t>(2 * bytes)), packed(static_cast<std::size_t>(bytes)) {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 13 + 5);
  }
  std::vector<std::byte> memory, packed;
};

template <std::size_t Width>
void pack_by_hand(std::vector<std::byte> const& from, std::byte* to, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += Width) std::memcpy(to + i, from.data() + 2 * i, Width);
}
template <std::size_t Width>
void unpack_by_hand(std::byte const* from, std::vector<std::byte>& to, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += Width) std::memcpy(to.data() + 2 * i, from + i, Width);
}

// Returns a type that is freed with its last copy.
std::shared_ptr<MPI_Datatype> committed(std::int64_t pieces, std::int64_t width) {
  std::shared_ptr<MPI_Datatype> const type(new MPI_Datatype(MPI_DATATYPE_NULL),
                                           [](MPI_Datatype* t) {
                                             MPI_Type_free(t);
                                             delete t;
                                           });
  MPI_Type_vector(static_cast<int>(pieces), static_cast<int>(width), static_cast<int>(2 * width),
                  MPI_BYTE, type.get());
  MPI_Type_commit(type.get());
  return type;
}

// Makes one call, and compares the file with the pieces of memory.
template <std::size_t Width>
void check_pieces(place& p, entry const& e, scattered& s) {
  auto const bytes = static_cast<std::size_t>(p.bytes());
  std::vector<std::byte> file(bytes), here(bytes);
  e.argosy();
  pack_by_hand<Width>(s.memory, here.data(), bytes);
  if (::pread(p.descriptor, file.data(), bytes, p.offset()) != static_cast<ssize_t>(bytes) ||
      file != here)
    note_wrong_bytes("pieces of " + std::to_string(Width) + " bytes");
}

// The pieces lie in memory, and the file is contiguous.
template <std::size_t Width, class Datatype>
entry in_memory(place& p, Datatype const& type, bool writes) {
  auto const bytes = static_cast<std::size_t>(p.bytes());
  auto const s = std::make_shared<scattered>(p.bytes());
  auto const mpi = committed(p.bytes() / static_cast<std::int64_t>(Width), Width);
  entry const e{
      [&p, s, bytes, writes] {
        std::byte* const packed = s->packed.data();
        if (writes) {
          pack_by_hand<Width>(s->memory, packed, bytes);
          benchmark::DoNotOptimize(::pwrite(p.descriptor, packed, bytes, p.offset()));
        } else {
          benchmark::DoNotOptimize(::pread(p.descriptor, packed, bytes, p.offset()));
          unpack_by_hand<Width>(packed, s->memory, bytes);
        }
      },
      [&p, s, mpi, writes] {
        if (writes)
          MPI_File_write_at(p.mpi, p.offset(), s->memory.data(), 1, *mpi, MPI_STATUS_IGNORE);
        else
          MPI_File_read_at(p.mpi, p.offset(), s->memory.data(), 1, *mpi, MPI_STATUS_IGNORE);
      },
      [&p, s, type, writes] {
        if (writes)
          p.argosy.write_at(p.offset(), {s->memory.data(), type, 1});
        else
          p.argosy.read_at(p.offset(), {s->memory.data(), type, 1});
      }};
  check_pieces<Width>(p, e, *s);
  return e;
}

template <std::size_t Width, std::int64_t Pieces>
constexpr auto known() {
  constexpr auto width = static_cast<std::int64_t>(Width);
  return io::vector(io::constant<Pieces>, io::constant<width>, io::constant<2 * width>,
                    io::type<std::byte>);
}
template <std::size_t Width>
auto at_run_time(place const& p) {
  auto const width = static_cast<std::int64_t>(Width);
  return io::vector(p.bytes() / width, width, 2 * width, io::type<std::byte>);
}

// The pieces lie in the file, and the memory is contiguous.
template <std::size_t Width>
entry viewed(place& p, bool writes) {
  auto const bytes = static_cast<std::size_t>(p.bytes()), hull = 2 * bytes - Width;
  auto const s = std::make_shared<scattered>(p.bytes());
  auto const mpi = committed(p.bytes() / static_cast<std::int64_t>(Width), Width);
  MPI_File_set_view(p.mpi, p.offset(), MPI_BYTE, *mpi, "native", MPI_INFO_NULL);
  p.argosy.set_view(p.offset(), {io::type<std::byte>, at_run_time<Width>(p)});
  entry const e{
      [&p, s, bytes, hull, writes] {
        benchmark::DoNotOptimize(::pread(p.descriptor, s->memory.data(), hull, p.offset()));
        if (!writes) return pack_by_hand<Width>(s->memory, s->packed.data(), bytes);
        unpack_by_hand<Width>(s->packed.data(), s->memory, bytes);
        benchmark::DoNotOptimize(::pwrite(p.descriptor, s->memory.data(), hull, p.offset()));
      },
      [&p, writes, all = static_cast<int>(bytes)] {
        if (writes)
          MPI_File_write_at(p.mpi, 0, p.memory(), all, MPI_BYTE, MPI_STATUS_IGNORE);
        else
          MPI_File_read_at(p.mpi, 0, p.memory(), all, MPI_BYTE, MPI_STATUS_IGNORE);
      },
      [&p, writes] { writes ? p.argosy.write_at(0, p.data()) : p.argosy.read_at(0, p.data()); }};
  e.argosy();
  bool const came =
      ::pread(p.descriptor, s->memory.data(), hull, p.offset()) == static_cast<ssize_t>(hull);
  pack_by_hand<Width>(s->memory, s->packed.data(), bytes);
  if (!came || std::memcmp(s->packed.data(), p.memory(), bytes) != 0)
    note_wrong_bytes("a view of pieces of " + std::to_string(Width) + " bytes");
  return e;
}

template <std::size_t Width, std::int64_t Pieces>
void enter_pieces_of(setting const& how) {
  static std::string const width = "." + std::to_string(Width);
  static std::string const names[] = {"fixed.write" + width,    "fixed.read" + width,
                                      "run_time.write" + width, "run_time.read" + width,
                                      "view.write" + width,     "view.read" + width};
  static constexpr auto type = known<Width, Pieces>();
  maker const makers[] = {
      [](place& p) { return in_memory<Width>(p, type, true); },
      [](place& p) { return in_memory<Width>(p, type, false); },
      [](place& p) { return in_memory<Width>(p, at_run_time<Width>(p), true); },
      [](place& p) { return in_memory<Width>(p, at_run_time<Width>(p), false); },
      [](place& p) { return viewed<Width>(p, true); },
      [](place& p) { return viewed<Width>(p, false); }};
  std::int64_t const bytes = Pieces * static_cast<std::int64_t>(Width);
  for (bool const self : {false, true})
    for (std::size_t i = 0; i < std::size(names); ++i) {
      // a shared file's pieces are merged under locks, of which the page of prices tells
      io::mode const more = i >= 4 && self ? io::mode::unique_open : io::mode::none;
      std::int64_t const calls = bytes > (64 << 10) ? 50 : bytes > 4096 ? 200 : 1000;
      enter({names[i].c_str(), makers[i], more}, bytes, calls, self, how);
    }
}

}  // namespace

void enter_pieces(setting const& how) {
  enter_pieces_of<8, 4>(how);
  enter_pieces_of<8, 64>(how);
  enter_pieces_of<8, 1024>(how);
  enter_pieces_of<64, 4>(how);
  enter_pieces_of<64, 64>(how);
  enter_pieces_of<64, 512>(how);
  enter_pieces_of<64, 1024>(how);
  enter_pieces_of<512, 4>(how);
  enter_pieces_of<512, 64>(how);
  enter_pieces_of<512, 1024>(how);
}

}  // namespace calls
