// A lattice in four dimensions, written and read by real ranks in three ways: MPI_File_write_all of the MPI library, a transposition by
// MPI_Alltoallv with a few long calls of pwrite and pread, and argosy.
//   mpiexec -n 8 bench_lattice [--file PATH] [--local T,Z,Y,X] [--repeat N]
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/file/file.hpp>
#include <argosy/world/mpi.hpp>

#include "../scale/lattice.hpp"

namespace io = argosy;

namespace {

struct by_alltoallv {
  void operator()(io::mpi const& world, std::span<std::byte const> out, std::vector<std::int64_t> const& sent,
                  std::span<std::byte> in, std::vector<std::int64_t> const& received) const {
    auto const counts = [](std::vector<std::int64_t> const& bytes, std::vector<int>& count, std::vector<int>& place) {
      int at = 0;
      for (std::int64_t const n : bytes) {
        count.push_back(static_cast<int>(n));
        place.push_back(at);
        at += static_cast<int>(n);
      }
    };
    std::vector<int> out_count, out_place, in_count, in_place;
    counts(sent, out_count, out_place);
    counts(received, in_count, in_place);
    MPI_Alltoallv(out.data(), out_count.data(), out_place.data(), MPI_BYTE, in.data(), in_count.data(), in_place.data(),
                  MPI_BYTE, world.get());
  }
};

class of_mpi {
 public:
  of_mpi(lattice::geometry const& g, std::string const& path) {
    std::array<int, 4> sizes{}, local{}, starts{};
    for (std::size_t d = 0; d < 4; ++d) {
      sizes[d] = static_cast<int>(g.extent(d));
      local[d] = static_cast<int>(g.local[d]);
      starts[d] = static_cast<int>(g.at[d] * g.local[d]);
    }
    MPI_Type_contiguous(static_cast<int>(g.site_bytes), MPI_BYTE, &site_);
    MPI_Type_create_subarray(4, sizes.data(), local.data(), starts.data(), MPI_ORDER_C, site_, &box_);
    MPI_Type_commit(&site_);
    MPI_Type_commit(&box_);
    check(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file_));
    check(MPI_File_set_view(file_, 0, site_, box_, "native", MPI_INFO_NULL));
  }
  void write(std::span<std::byte const> data) {
    check(MPI_File_write_at_all(file_, 0, data.data(), static_cast<int>(data.size()), MPI_BYTE, MPI_STATUS_IGNORE));
  }
  void read(std::span<std::byte> data) {
    check(MPI_File_read_at_all(file_, 0, data.data(), static_cast<int>(data.size()), MPI_BYTE, MPI_STATUS_IGNORE));
  }
  void close() {
    MPI_File_close(&file_);
    MPI_Type_free(&box_);
    MPI_Type_free(&site_);
  }

 private:
  static void check(int code) {
    if (code != MPI_SUCCESS) throw std::runtime_error("MPI could not move the file");
  }
  MPI_File file_ = MPI_FILE_NULL;
  MPI_Datatype site_ = MPI_DATATYPE_NULL, box_ = MPI_DATATYPE_NULL;
};

class by_user {
 public:
  by_user(io::mpi const& world, lattice::geometry const& g, std::string const& path) : way_(world, g) {
    std::error_code error;
    file_ = io::posix_opener()(path, {.read = true, .write = true, .create = true}, error);
    if (error) throw std::system_error(error);
  }
  void write(std::span<std::byte const> data) { way_.write(file_, data); }
  void read(std::span<std::byte> data) { way_.read(file_, data); }
  void close() { file_.close(); }

 private:
  lattice::transposition<io::mpi, by_alltoallv> way_;
  io::any_handle file_;
};

class ours {
 public:
  ours(io::mpi const& world, lattice::geometry const& g, std::string const& path)
      : file_(io::file::open(world, path, io::mode::create | io::mode::read_write)) {
    file_.set_view(0, {io::bytes(1), g.view()});
  }
  void write(std::span<std::byte const> data) { file_.write_at_all(0, data); }
  void read(std::span<std::byte> data) { file_.read_at_all(0, data); }
  void close() { file_.close(); }

 private:
  io::file file_;
};

double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + std::ssize(all) / 2, all.end());
  return all[all.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::string path = "lattice.bin";
  lattice::numbers local{8, 8, 8, 16};
  int repeat = 7;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string_view const a = argv[i];
    if (a == "--file") path = argv[i + 1];
    if (a == "--repeat") repeat = std::max(1, std::atoi(argv[i + 1]));
    if (a == "--local") {
      std::array<long long, 4> n{};
      if (std::sscanf(argv[i + 1], "%lld,%lld,%lld,%lld", &n[0], &n[1], &n[2], &n[3]) == 4)
        std::copy(n.begin(), n.end(), local.begin());
    }
  }
  {
    io::mpi const world(MPI_COMM_WORLD);
    lattice::geometry const g(world.size(), world.rank(), local);
    std::vector<std::byte> data(static_cast<std::size_t>(g.bytes())), back(data.size());
    g.fill(data);
    of_mpi first(g, path + ".mpi");
    by_user second(world, g, path + ".user");
    ours third(world, g, path + ".argosy");
    std::array<std::vector<double>, 3> writes, reads;
    auto const timed = [&](auto& way, std::size_t which) {
      auto const took = [&](auto&& f) {
        world.barrier();
        double const start = MPI_Wtime();
        f();
        double mine = MPI_Wtime() - start, most = 0;
        MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        return most;
      };
      writes[which].push_back(took([&] { way.write(data); }));
      std::fill(back.begin(), back.end(), std::byte{});
      reads[which].push_back(took([&] { way.read(back); }));
      if (!g.holds(back)) throw std::runtime_error("what was read is not what was written");
    };
    for (int r = 0; r <= repeat; ++r) {  // interleaved; the first is not counted
      timed(first, 0);
      timed(second, 1);
      timed(third, 2);
      if (r == 0)
        for (std::size_t i = 0; i < 3; ++i) writes[i].clear(), reads[i].clear();
    }
    if (world.rank() == 0) {
      std::printf("%d ranks, %.1f MB; MB/s of the median of %d\n", world.size(),
                  static_cast<double>(g.file_bytes()) / 1e6, repeat);
      char const* const names[] = {"MPI_File_*_all", "transposition", "argosy"};
      for (std::size_t i = 0; i < 3; ++i)
        std::printf("%-15s write %8.0f  read %8.0f\n", names[i],
                    static_cast<double>(g.file_bytes()) / 1e6 / median(writes[i]),
                    static_cast<double>(g.file_bytes()) / 1e6 / median(reads[i]));
    }
    first.close();
    second.close();
    third.close();
    world.barrier();
    if (world.rank() == 0)
      for (char const* const end : {".mpi", ".user", ".argosy"}) std::remove((path + end).c_str());
  }
  MPI_Finalize();
}
