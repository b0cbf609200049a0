// Compares Zarr arrays and HDF5 files with raw files. Ranks write one array of floats in turn as a
// raw file, without compression, and with compression. A compressed array is compared with the sum
// of two times: compressing on all processors, and writing the compressed bytes into a raw file.
//
//   mpiexec -n 4 bench_zarr [--dir D] [--mib N] [--rounds N] [--parts P] [--codec C] [--threads N]
//                           [--lines]
//
// All files are synced before they are closed.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/argosy.hpp>
#include <argosy/benchmark/measure.hpp>
#include <argosy/format/hdf5.hpp>
#include <argosy/format/zarr.hpp>

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <format/zarr/chunk_crew.hpp>
#include <format/zarr/compression.hpp>

#include "../support/options.hpp"
#include "../support/statistics.hpp"

namespace io = argosy;

namespace {

struct setting {
  std::string directory = ".";
  int mib = 64;
  int rounds = 9;
  int threads = 0;
  bool whole_shards = true;
  bool gzip = false;
  bool lines = false;
};

constexpr bench::option_info table[] = {
    {"--dir", "D", "where the files are made (default: the working directory)"},
    {"--mib", "N", "MiB of the array (default: 64)"},
    {"--rounds", "N", "(default: 9)"},
    {"--parts", "P", "rows: whole shards (default); columns: each rank has a part of each chunk"},
    {"--codec", "C", "zstd (default), or gzip, which is deflate in HDF5; both of level 1"},
    {"--threads", "N", "threads of a rank for chunks; 0: as the library chooses (default)"},
    {"--lines", "",
     "only compressed arrays, after one write that is not measured; a line for each"},
};
constexpr bench::program usage{"bench_zarr", "The time of Zarr and HDF5, compared with raw files.",
                               table};

// Returns true for the second of two words. The first is the default.
bool is_second(bench::arguments const& given, char const* name, std::string_view first,
               std::string_view second) {
  std::string_view const known[] = {first, second};
  return given.choice(name, known) == second;
}

setting setting_from(bench::arguments const& given) {
  setting s;
  s.directory = given.value("--dir", s.directory);
  s.mib = given.small_number("--mib", s.mib, 1);
  s.rounds = given.small_number("--rounds", s.rounds, 1);
  s.threads = given.small_number("--threads", s.threads, 0);
  s.whole_shards = !is_second(given, "--parts", "rows", "columns");
  s.gzip = is_second(given, "--codec", "zstd", "gzip");
  s.lines = given.has("--lines");
  return s;
}

double sum_of(double mine) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

// The array has rows of 1 MiB. A shard is 16 rows, and a chunk one.
constexpr std::int64_t width = 1 << 18, rows_of_shard = 16;

// The part of a rank.
struct box {
  std::int64_t row, column, rows, columns;
};

box box_of(setting const& s, io::mpi const& w) {
  if (!s.whole_shards) {
    std::int64_t const first = width * w.rank() / w.size();
    return {0, first, s.mib, width * (w.rank() + 1) / w.size() - first};
  }
  std::int64_t const shards = (s.mib + rows_of_shard - 1) / rows_of_shard;
  auto const row_of = [&](int rank) {
    return std::min<std::int64_t>(s.mib, shards * rank / w.size() * rows_of_shard);
  };
  return {row_of(w.rank()), 0, row_of(w.rank() + 1) - row_of(w.rank()), width};
}

auto tile_of(setting const& s, box const& b) {
  return io::subarray({s.mib, width}, {b.rows, b.columns}, {b.row, b.column}, io::type<float>);
}

class array {
 public:
  explicit array(setting const& s)
      : setting_(s), world_(MPI_COMM_WORLD), box_(box_of(s, world_)), part_(tile_of(s, box_)) {
    values_.reserve(static_cast<std::size_t>(box_.rows * box_.columns));
    for (std::int64_t row = 0; row < box_.rows; ++row)
      for (std::int64_t column = 0; column < box_.columns; ++column)
        values_.push_back(value((box_.row + row) * width + box_.column + column));
  }

  void write_raw() {
    auto f = raw();
    f.set_view(0, tile_of(setting_, box_));
    f.write_at_all(0, values_);
    f.sync();
    f.close();
  }
  // Writes as many bytes as the compressed array has.
  void write_stored() {
    auto const mine =
        std::as_bytes(std::span(values_)).first(std::min(stored_, 4 * values_.size()));
    auto f = raw();
    f.write_at_all(world_.rank() * static_cast<std::int64_t>(stored_), mine);
    f.sync();
    f.close();
  }
  io::zarr create_zarr(bool packed) const {
    std::vector<io::zarr_codec> codecs;
    if (packed) codecs.push_back(setting_.gzip ? io::zarr_codec::gzip(1) : io::zarr_codec::zstd(1));
    return io::zarr::create(
        world_, path(".zarr"), part_,
        {.chunks = {1, width}, .shards = {rows_of_shard, width}, .codecs = std::move(codecs)},
        io::hints{.codec_threads = setting_.threads});
  }
  void write_zarr(bool packed) {
    auto z = create_zarr(packed);
    z.write_all(values_);
    z.close();
    if (packed) encoding_ = z.encoding();
  }
  // Returns the time that the plan of the write expects. Nothing is written.
  double expected(bool packed) const {
    auto z = create_zarr(packed);
    double const seconds = 1e-9 * z.explain_all(io::access_kind::write, values_).expected_ns;
    z.close();
    remove();
    return seconds;
  }
  void write_hdf5(bool packed) {
    io::hdf5_options how;
    if (packed) {
      how.chunks = {1, width};
      how.filters = {setting_.gzip ? io::hdf5_filter::deflate(1) : io::hdf5_filter::zstd(1)};
    }
    auto f = io::hdf5::create(world_, path(".h5"), io::hdf5_content().add("u", part_, how));
    f.write_all("u", part_, values_);
    f.close();
  }
  // Compresses the values on all processors, and writes nothing.
  void compress() const {
    constexpr std::size_t chunk = 4 * width;
    auto const all = std::as_bytes(std::span(values_));
    int const processors = static_cast<int>(std::thread::hardware_concurrency());
    io::detail::for_each_at_once((all.size() + chunk - 1) / chunk,
                                 std::max(1, processors / world_.size()), [&](std::size_t i) {
                                   auto const one = all.subspan(
                                       i * chunk, std::min(chunk, all.size() - i * chunk));
                                   std::vector<std::byte> into;
                                   if (setting_.gzip)
                                     io::detail::gzip_compress(one, 1, into);
                                   else
                                     io::detail::zstd_compress(one, 1, false, into);
                                 });
  }

  // Returns the size of the array, divided by its compressed size. Collective.
  double note_encoding() {
    double const stored = sum_of(static_cast<double>(encoding_.encoded.stored_bytes));
    stored_ = static_cast<std::size_t>(stored / world_.size());
    return bytes() / stored;
  }
  double bytes() const { return setting_.mib * 0x1p20; }
  io::mpi const& world() const { return world_; }
  void remove() const {
    world_.barrier();
    if (world_.rank() == 0)
      for (char const* kind : {".raw", ".zarr", ".h5"}) std::filesystem::remove_all(path(kind));
    world_.barrier();
  }

 private:
  // A smooth field whose last bits are noise, as measurements and simulations have it.
  static float value(std::int64_t i) {
    auto noise = static_cast<std::uint32_t>(i);
    noise = (noise ^ noise >> 16) * 0x7feb352du;
    noise = (noise ^ noise >> 15) * 0x846ca68bu;
    return static_cast<float>(static_cast<int>(1000 * std::sin(1e-3 * static_cast<double>(i))) +
                              static_cast<int>(noise >> 30));
  }
  std::string path(char const* kind) const { return setting_.directory + "/bench_zarr" + kind; }
  io::file raw() const {
    return io::file::open(world_, path(".raw"),
                          io::mode::create | io::mode::truncate | io::mode::write);
  }

  setting setting_;
  io::mpi world_;
  box box_;
  io::array_part part_;
  std::vector<float> values_;
  io::zarr_encoding encoding_;
  std::size_t stored_ = 0;  // bytes of each rank
};

// One of the things that are measured in turn.
struct contestant {
  std::string name;
  std::function<void()> work;
  std::vector<double> seconds = {};

  // Notes the time of the slowest rank. Throws on all ranks if one fails.
  void run(array const& a) {
    a.remove();
    io::bench::outcome const o = io::bench::measure(a.world(), work);
    if (o.failed()) throw std::runtime_error(o.error());
    seconds.push_back(o.seconds);
  }
};

void print_lines(array& a, setting const& s) {
  contestant all[] = {{"zarr", [&] { a.write_zarr(true); }}, {"hdf5", [&] { a.write_hdf5(true); }}};
  for (int round = -1; round < s.rounds; ++round)  // the first one warms up
    for (contestant& c : all) {
      c.run(a);
      if (round >= 0 && a.world().rank() == 0)
        std::printf("%s %.6f\n", c.name.c_str(), c.seconds.back());
    }
  a.remove();
}

void print_row(std::string const& name, std::vector<double> const& all, int digits) {
  std::printf("%-40s %9.*f %9.*f %9.*f", name.c_str(), digits, bench::median(all), digits,
              *std::ranges::min_element(all), digits, *std::ranges::max_element(all));
}

void print_table(array& a, setting const& s) {
  a.write_zarr(true);  // warms up, and finds out the compressed size
  double const ratio = a.note_encoding();
  double const plain_plan = a.expected(false), packed_plan = a.expected(true);
  std::string const deflate = s.gzip ? "deflate" : "zstd", codec = s.gzip ? "gzip" : "zstd";
  contestant raw{"raw file", [&] { a.write_raw(); }}, zarr{"Zarr", [&] { a.write_zarr(false); }},
      hdf5{"HDF5, contiguous", [&] { a.write_hdf5(false); }},
      compress{"compressing on all processors", [&] { a.compress(); }},
      stored{"compressed bytes into a raw file", [&] { a.write_stored(); }},
      packed{"Zarr, " + codec, [&] { a.write_zarr(true); }},
      chunks{"HDF5, " + deflate, [&] { a.write_hdf5(true); }};
  contestant* const all[] = {&raw, &zarr, &hdf5, &compress, &stored, &packed, &chunks};
  for (int round = 0; round < s.rounds; ++round)
    for (contestant* const c : all) c->run(a);
  a.remove();
  if (a.world().rank() != 0) return;
  std::printf("%d MiB, %d ranks, parts: %s, %d rounds, %s %.2f : 1\n", s.mib, a.world().size(),
              s.whole_shards ? "rows" : "columns", s.rounds, codec.c_str(), ratio);
  std::printf("%-40s %9s %9s %9s %9s\n", "seconds", "median", "least", "most", "MB/s");
  for (contestant const* const c : all) {
    print_row(c->name, c->seconds, 3);
    std::printf(" %9.0f\n", a.bytes() / bench::median(c->seconds) * 1e-6);
  }
  std::printf("The plans expect %.3f s of Zarr, and %.3f with %s.\n", plain_plan, packed_plan,
              codec.c_str());
  std::vector<double> ideal;
  for (std::size_t i = 0; i < raw.seconds.size(); ++i)
    ideal.push_back(compress.seconds[i] + stored.seconds[i]);
  std::printf("%-40s %9s %9s %9s\n", "times as fast", "median", "least", "most");
  auto const compare = [&](contestant const& one, char const* with, std::vector<double> const& o) {
    print_row(one.name + ", as " + with, bench::ratios_of(one.seconds, o), 2);
    std::printf("\n");
  };
  compare(zarr, "the raw file", raw.seconds);
  compare(hdf5, "the raw file", raw.seconds);
  compare(packed, "compress and write", ideal);
  compare(chunks, "compress and write", ideal);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  auto const s = bench::options_of(usage, argc, argv, status, setting_from, rank == 0);
  if (s) {
    try {
      array a(*s);
      s->lines ? print_lines(a, *s) : print_table(a, *s);
    } catch (std::exception const& e) {
      if (rank == 0) std::fprintf(stderr, "bench_zarr: %s\n", e.what());
      status = 1;
    }
  }
  MPI_Finalize();
  return status;
}
