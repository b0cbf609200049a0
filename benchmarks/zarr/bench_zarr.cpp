// Compares Zarr arrays with raw files. Ranks write one array of floats in turn as a raw file,
// as uncompressed shards, and as compressed shards. Compressed shards are compared with the sum of
// two times: compressing on all processors, and writing the compressed bytes into a raw file.
//
//   mpiexec -n 4 bench_zarr [--dir D] [--mib N] [--rounds N] [--codec NAME] [--threads N]
//
// All files are synced before they are closed.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/argosy.hpp>
#include <argosy/benchmark/measure.hpp>
#include <argosy/format/zarr.hpp>

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../support/options.hpp"
#include "../support/statistics.hpp"

namespace io = argosy;

namespace {

struct setting {
  std::string directory = ".";
  int mib = 64;
  int rounds = 9;
  int threads = 0;
  std::string codec = "zstd";
};

constexpr bench::option_info table[] = {
    {"--dir", "D", "where the files are made (default: the working directory)"},
    {"--mib", "N", "MiB of each rank (default: 64)"},
    {"--rounds", "N", "(default: 9)"},
    {"--codec", "NAME", "zstd, gzip or blosc (default: zstd)"},
    {"--threads", "N", "threads of a rank for chunks; 0: as the library chooses (default)"},
};
constexpr bench::program usage{"bench_zarr", "What a Zarr array costs above a raw file.", table};

io::zarr_codec codec_of(std::string const& name) {
  if (name == "gzip") return io::zarr_codec::gzip(1);
  if (name == "blosc") return io::zarr_codec::blosc("lz4");
  if (name == "zstd") return io::zarr_codec::zstd(1);
  throw bench::usage_error("--codec: there is no codec '" + name + "'");
}

setting setting_from(bench::arguments const& given) {
  setting s;
  s.directory = given.value("--dir", s.directory);
  s.mib = given.small_number("--mib", s.mib, 1);
  s.rounds = given.small_number("--rounds", s.rounds, 1);
  s.threads = given.small_number("--threads", s.threads, 0);
  s.codec = given.value("--codec", s.codec);
  codec_of(s.codec);
  return s;
}

// Returns the time of the slowest rank. Throws on all ranks if one fails.
double seconds_of(std::function<void()> const& what) {
  io::bench::outcome const o = io::bench::measure(io::mpi(MPI_COMM_WORLD), what);
  if (o.failed()) throw std::runtime_error(o.error());
  return o.seconds;
}

double sum_of(double mine) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

// The array: each rank has rows of 1 MiB. A shard is 16 rows, and a chunk one.
class array {
 public:
  explicit array(setting const& s) : setting_(s), world_(MPI_COMM_WORLD) {
    io::darray<float, 2> const rows({std::int64_t{s.mib} * world_.size(), width},
                                    io::distribute::block, {world_.size(), 1}, world_.rank());
    part_.emplace(rows);
    values_.resize(static_cast<std::size_t>(part_->elements()));
    // A smooth field whose last bits are noise, as measurements and simulations have it.
    std::uint32_t noise = 1 + static_cast<std::uint32_t>(world_.rank());
    for (std::size_t i = 0; i < values_.size(); ++i) {
      noise = noise * 1664525u + 1013904223u;
      values_[i] =
          static_cast<float>(static_cast<int>(1000 * std::sin(1e-3 * static_cast<double>(i))) +
                             static_cast<int>(noise >> 30));
    }
  }

  void write_raw() { write_bytes(std::as_bytes(std::span(values_))); }
  // Writes as many bytes as the compressed array has.
  void write_stored() { write_bytes(std::as_bytes(std::span(values_)).first(stored_of_rank())); }

  io::zarr_encoding write_zarr(std::vector<io::zarr_codec> codecs) {
    auto z =
        io::zarr::create(world_, setting_.directory + "/bench_zarr.zarr", *part_,
                         {.chunks = {1, width}, .shards = {16, width}, .codecs = std::move(codecs)},
                         io::hints{.codec_threads = setting_.threads});
    z.write_all(values_);
    z.close();
    return z.encoding();
  }

  void note_encoding(io::zarr_encoding const& e) {
    stored_ = sum_of(static_cast<double>(e.encoded.stored_bytes));
    bytes_ = sum_of(static_cast<double>(e.encoded.bytes));
    thread_seconds_ = sum_of(e.encoded.thread_seconds);
  }
  double ratio() const { return bytes_ / stored_; }
  // The time of compressing if all processors had shared it evenly.
  double ideal_seconds() const {
    return thread_seconds_ / std::max(1u, std::thread::hardware_concurrency());
  }
  double bytes() const { return static_cast<double>(setting_.mib) * world_.size() * 0x1p20; }
  int rank() const { return world_.rank(); }
  void remove() {
    world_.barrier();
    if (rank() == 0) {
      std::filesystem::remove(setting_.directory + "/bench_zarr.raw");
      std::filesystem::remove_all(setting_.directory + "/bench_zarr.zarr");
    }
    world_.barrier();
  }

 private:
  static constexpr std::int64_t width = 1 << 18;

  std::size_t stored_of_rank() const {
    return std::min(static_cast<std::size_t>(stored_ / world_.size()), 4 * values_.size());
  }
  void write_bytes(std::span<std::byte const> mine) {
    auto f = io::file::open(world_, setting_.directory + "/bench_zarr.raw",
                            io::mode::create | io::mode::truncate | io::mode::write);
    f.write_at_all(world_.rank() * std::ssize(mine), mine);
    f.sync();
    f.close();
  }

  setting setting_;
  io::mpi world_;
  std::optional<io::array_part> part_;
  std::vector<float> values_;
  double stored_ = 0, bytes_ = 1, thread_seconds_ = 0;
};

void print(char const* name, std::vector<double> const& seconds, double bytes) {
  std::printf("%-34s %9.3f %9.3f %9.3f %9.0f\n", name, bench::median(seconds),
              *std::ranges::min_element(seconds), *std::ranges::max_element(seconds),
              bytes / bench::median(seconds) * 1e-6);
}

void run(setting const& s) {
  array a(s);
  std::vector<double> raw, plain, packed, stored, ideal, above_raw, above_ideal;
  a.note_encoding(a.write_zarr({codec_of(s.codec)}));  // warms up, and says how small it becomes
  for (int round = 0; round < s.rounds; ++round) {
    a.remove();
    raw.push_back(seconds_of([&] { a.write_raw(); }));
    a.remove();
    plain.push_back(seconds_of([&] { a.write_zarr({}); }));
    a.remove();
    io::zarr_encoding e;
    packed.push_back(seconds_of([&] { e = a.write_zarr({codec_of(s.codec)}); }));
    a.note_encoding(e);
    a.remove();
    stored.push_back(seconds_of([&] { a.write_stored(); }));
    ideal.push_back(a.ideal_seconds() + stored.back());
    above_raw.push_back(plain.back() / raw.back());
    above_ideal.push_back(packed.back() / ideal.back());
  }
  a.remove();
  if (a.rank() != 0) return;
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::printf("%d ranks, %d MiB each, %d rounds, %s, %.2f : 1\n", ranks, s.mib, s.rounds,
              s.codec.c_str(), a.ratio());
  std::printf("%-34s %9s %9s %9s %9s\n", "", "median s", "least s", "most s", "MB/s");
  print("one raw file, write_all", raw, a.bytes());
  print("shards, uncompressed", plain, a.bytes());
  print("shards, compressed", packed, a.bytes());
  print("compressed bytes into a raw file", stored, a.bytes());
  print("  and compressing on all processors", ideal, a.bytes());
  auto const ratio = [](char const* name, std::vector<double> const& all) {
    std::printf("%-34s %9.2f %9.2f %9.2f\n", name, bench::median(all),
                *std::ranges::min_element(all), *std::ranges::max_element(all));
  };
  ratio("uncompressed / raw", above_raw);
  ratio("compressed / compress and write", above_ideal);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  auto const s = bench::options_of(usage, argc, argv, status, setting_from, rank == 0);
  if (s) {
    try {
      run(*s);
    } catch (std::exception const& e) {
      if (rank == 0) std::fprintf(stderr, "bench_zarr: %s\n", e.what());
      status = 1;
    }
  }
  MPI_Finalize();
  return status;
}
