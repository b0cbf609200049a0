// argosy bench: measures the four levels of access in a directory, and compares them with plain
// system calls.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <ostream>
#include <system_error>

#include <fmt/format.h>

#include <argosy/argosy.hpp>
#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/layout/detail/counted.hpp>

#include "../arguments/arguments.hpp"
#include "commands.hpp"
#include "crowd.hpp"
#include "json.hpp"
#include "mpi_session.hpp"
#include "work_file.hpp"

namespace argosy::tool {
namespace {

using clock = std::chrono::steady_clock;

struct any_failure {
  int failed = 0;
  void combine(any_failure const& other) { failed |= other.failed; }
};

// The pieces of all ranks in turn: piece i of a rank begins (i x ranks + rank) pieces into the
// file.
struct pattern {
  std::int64_t pieces = 0, piece_bytes = 0;
  int rank = 0, ranks = 1;
  std::int64_t offset_of(std::int64_t i) const { return (i * ranks + rank) * piece_bytes; }
  std::int64_t mine() const { return pieces * piece_bytes; }
};

struct level_result {
  std::string name;
  double write_s = 0, read_s = 0;
  std::int64_t bytes = 0;  // sum over all ranks
};

class bench {
 public:
  bench(mpi const& world, std::string path, pattern p, bool synced)
      : world_(world),
        path_(std::move(path)),
        p_(p),
        synced_(synced),
        data_(static_cast<std::size_t>(p.mine())) {
    for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = byte_at(i);
  }

  std::vector<level_result> run() {
    std::vector<level_result> all;
    all.push_back(plain("plain, one stretch a rank", true));
    all.push_back(plain("plain, a call for each piece", false));
    all.push_back(level("level 0: a local call for each piece", false, [&](file& f, bool writing) {
      for (std::int64_t i = 0; i < p_.pieces; ++i) {
        auto const piece = piece_of(i);
        writing ? f.write_at(p_.offset_of(i), piece) : f.read_at(p_.offset_of(i), piece);
      }
    }));
    all.push_back(few().each_together());
    all.push_back(level("level 2: one local call on a view", true, [&](file& f, bool writing) {
      writing ? f.write_at(0, data_) : f.read_at(0, data_);
    }));
    all.push_back(level("level 3: one collective call on it", true, [&](file& f, bool writing) {
      writing ? f.write_at_all(0, data_) : f.read_at_all(0, data_);
    }));
    return all;
  }

 private:
  static constexpr int turns = 3;

  level_result each_together() {
    return level("level 1: a collective call for each", false, [&](file& f, bool writing) {
      for (std::int64_t i = 0; i < p_.pieces; ++i) {
        auto const piece = piece_of(i);
        writing ? f.write_at_all(p_.offset_of(i), piece) : f.read_at_all(p_.offset_of(i), piece);
      }
    });
  }
  // Returns a benchmark with fewer pieces, for calls in which every piece waits for all ranks. A
  // part of the pieces gives the same rate, and the whole would take a minute.
  bench few() const {
    pattern less = p_;
    less.pieces = std::min<std::int64_t>(p_.pieces, std::max<std::int64_t>(16, p_.pieces / 32));
    return {world_, path_, less, synced_};
  }

  std::byte byte_at(std::size_t i) const {
    return static_cast<std::byte>((i * 31 + static_cast<std::size_t>(p_.rank) * 7 + 1) & 0xff);
  }
  std::span<std::byte> piece_of(std::int64_t i) {
    return std::span(data_).subspan(static_cast<std::size_t>(i * p_.piece_bytes),
                                    static_cast<std::size_t>(p_.piece_bytes));
  }
  // Returns the best time of some turns; the time of a turn is that of the slowest rank.
  double best_of(std::function<void()> const& work) {
    double best = 1e300;
    for (int t = 0; t < turns; ++t) {
      world_.barrier();
      auto const begin = clock::now();
      work();
      largest took{std::chrono::duration<double>(clock::now() - begin).count()};
      world_.all_reduce(took);
      best = std::min(best, took.value);
    }
    return best;
  }
  void check_read(std::string const& name) {
    any_failure wrong;
    for (std::size_t i = 0; i < data_.size(); ++i) wrong.failed |= data_[i] != byte_at(i) ? 1 : 0;
    world_.all_reduce(wrong);
    if (wrong.failed != 0)
      throw std::runtime_error(name + ": other bytes were read than had been written");
  }
  level_result measured(std::string name, std::function<void()> const& write,
                        std::function<void()> const& read) {
    level_result r{std::move(name), 0, 0, p_.mine() * p_.ranks};
    r.write_s = best_of(write);
    std::ranges::fill(data_, std::byte{});
    r.read_s = best_of(read);
    check_read(r.name);
    return r;
  }

  level_result level(std::string name, bool with_view,
                     std::function<void(file&, bool)> const& transfer) {
    auto f = file::open(world_, path_, mode::create | mode::read_write);
    if (with_view)
      f.set_view(
          p_.rank * p_.piece_bytes,
          {argosy::bytes(1), resized(argosy::bytes(p_.piece_bytes), 0, p_.ranks * p_.piece_bytes)});
    level_result r = measured(
        std::move(name),
        [&] {
          transfer(f, true);
          if (synced_) f.sync();
        },
        [&] { transfer(f, false); });
    f.close();
    return r;
  }

  // Measures plain system calls. A rank that fails continues, so that the other ranks do not wait
  // for it.
  level_result plain(std::string name, bool one_stretch) {
    int error = 0;
    int const f = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (f < 0) error = errno;
    auto const move = [&](bool writing) {
      constexpr std::int64_t longest = 1 << 20;
      std::int64_t const each = one_stretch ? longest : p_.piece_bytes;
      for (std::int64_t at = 0; at < p_.mine() && error == 0;) {
        std::int64_t const n = std::min(each, p_.mine() - at);
        std::int64_t const offset =
            one_stretch ? p_.rank * p_.mine() + at : p_.offset_of(at / each);
        ssize_t const moved =
            writing ? ::pwrite(f, data_.data() + at, static_cast<std::size_t>(n), offset)
                    : ::pread(f, data_.data() + at, static_cast<std::size_t>(n), offset);
        if (moved != n) error = moved < 0 ? errno : EIO;
        at += n;
      }
      if (writing && synced_ && error == 0 && ::fsync(f) != 0) error = errno;
    };
    level_result r;
    std::string failed;
    try {
      r = measured(std::move(name), [&] { move(true); }, [&] { move(false); });
    } catch (std::runtime_error const& e) {
      failed = e.what();
    }
    if (f >= 0) ::close(f);
    any_failure all{error != 0};
    world_.all_reduce(all);
    if (error != 0) throw std::system_error(error, std::system_category(), path_);
    if (all.failed != 0) throw std::runtime_error("plain calls failed on another rank");
    if (!failed.empty()) throw std::runtime_error(failed);
    return r;
  }

  mpi const& world_;
  std::string path_;
  pattern p_;
  bool synced_;
  std::vector<std::byte> data_;
};

}  // namespace

int run_bench(arguments const& given, std::ostream& out, std::ostream& err) {
  pattern p;
  p.piece_bytes = given.number("--piece-bytes", 2048, 1);
  p.pieces = std::max<std::int64_t>(1, given.number("--bytes", 4 << 20, 1) / p.piece_bytes);
  begin_mpi();
  mpi const world(MPI_COMM_WORLD);
  p.rank = world.rank();
  p.ranks = world.size();
  std::uint64_t number = detail::random_name();
  world.broadcast(std::as_writable_bytes(std::span(&number, 1)), 0);
  work_file const scratch(given.operands()[0] + fmt::format("/argosy-bench-{:016x}", number),
                          p.rank == 0);
  std::string const crowd = words_of_crowd(world);
  if (p.rank == 0 && !crowd.empty()) err << "argosy: " << crowd << "\n";
  std::vector<level_result> all;
  int const code = together(err, [&] {
    all = bench(world, scratch.path(), p, given.has("--sync")).run();
    world.barrier();
    return success;
  });
  if (p.rank != 0 || code != success) return code;
  auto const rate = [](level_result const& r, double s) {
    return static_cast<double>(r.bytes) / s / 1e6;
  };
  if (given.json()) {
    json_writer j(out);
    j.open('{')
        .member("directory", given.operands()[0])
        .member("ranks", p.ranks)
        .member("pieces", p.pieces);
    j.member("piece_bytes", p.piece_bytes)
        .member("synced", given.has("--sync"))
        .key("levels")
        .open('[');
    for (level_result const& r : all)
      j.open('{')
          .member("name", r.name)
          .member("write_seconds", r.write_s)
          .member("read_seconds", r.read_s)
          .member("write_mb_per_s", rate(r, r.write_s))
          .member("read_mb_per_s", rate(r, r.read_s))
          .close('}');
    j.close(']').close('}');
    out << "\n";
    return success;
  }
  out << fmt::format(
      "{}, each {} pieces of {} bytes, those of all ranks in turn, in {}\n"
      "slowest rank, best of 3; {}\n\n{:<38} {:>12} {:>12}\n",
      detail::counted(p.ranks, "rank"), p.pieces, p.piece_bytes, given.operands()[0],
      given.has("--sync") ? "writes are synced"
                          : "writes are in the page cache: --sync waits for the disk",
      "", "write MB/s", "read MB/s");
  for (level_result const& r : all)
    out << fmt::format("{:<38} {:>12.0f} {:>12.0f}\n", r.name, rate(r, r.write_s),
                       rate(r, r.read_s));
  return success;
}

}  // namespace argosy::tool
