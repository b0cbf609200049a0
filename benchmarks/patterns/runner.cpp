// SPDX-License-Identifier: BSD-3-Clause
#include "runner.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

namespace patterns {

result const* row::find(std::string const& implementation) const {
  for (result const& r : results)
    if (r.implementation == implementation) return &r;
  return nullptr;
}

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

// What the file holds at first, and what a rank writes.
std::byte old_byte(std::int64_t offset) { return static_cast<std::byte>((offset * 2654435761) >> 13); }
std::byte new_byte(int rank, std::int64_t offset, int salt) {
  return static_cast<std::byte>(((offset + rank * 77 + salt * 1237) * 2246822519) >> 11);
}

// Memory on a page boundary: where it lies must not depend on who is measured.
class aligned_memory {
 public:
  explicit aligned_memory(std::int64_t bytes)
      : bytes_(bytes), data_(static_cast<std::byte*>(::operator new(static_cast<std::size_t>(bytes), alignment))) {
    std::fill_n(data_, bytes_, std::byte{0});
  }
  aligned_memory(aligned_memory const&) = delete;
  aligned_memory& operator=(aligned_memory const&) = delete;
  ~aligned_memory() { ::operator delete(data_, alignment); }
  std::byte* data() const { return data_; }

 private:
  static constexpr std::align_val_t alignment{4096};
  std::int64_t bytes_;
  std::byte* data_;
};

class contest {
 public:
  contest(MPI_Comm comm, pattern const& p, operation op, std::vector<std::unique_ptr<implementation>> const& all,
          effort const& how)
      : comm_(comm),
        pattern_(p),
        op_(op),
        all_(all),
        how_(how),
        rank_(rank_in(comm)),
        mine_(p.of(rank_)),
        memory_(mine_.memory_bytes) {}

  row run() {
    long process = ::getpid();  // of one rank: its own file for each program that runs
    MPI_Bcast(&process, 1, MPI_LONG, 0, comm_);
    path_ = how_.directory + "/bench_patterns." + std::to_string(process);
    make_file();
    for (auto const& i : all_) i->open(comm_, path_, pattern_, rank_);
    std::vector<std::int64_t> calls;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      check(i);
      calls.push_back(calls_for(i));
    }
    row done = empty_row();
    double spent = 0;
    for (int round = 0; round < how_.repeat && (round < 5 || spent < how_.row_seconds); ++round)
      for (std::size_t i = 0; i < all_.size(); ++i) {
        double const seconds = timed(i, calls[i]);
        spent += seconds;
        done.results[i].seconds.push_back(seconds / static_cast<double>(calls[i]));
      }
    for (std::size_t i = 0; i < all_.size(); ++i) {
      auto& r = done.results[i];
      r.last = all_[i]->last();
      r.median = median(r.seconds);
      r.low = *std::min_element(r.seconds.begin(), r.seconds.end());
      r.high = *std::max_element(r.seconds.begin(), r.seconds.end());
      check(i);
    }
    for (auto const& i : all_) i->close();
    MPI_Barrier(comm_);
    if (rank_ == 0) ::unlink(path_.c_str());
    return done;
  }

 private:
  static int rank_in(MPI_Comm comm) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
  }
  int ranks() const {
    int n;
    MPI_Comm_size(comm_, &n);
    return n;
  }
  row empty_row() const {
    row r{pattern_.name(), pattern_.piece_bytes(), pattern_.density(), op_, ranks(), mine_.bytes * ranks(), {}};
    for (auto const& i : all_) r.results.push_back({std::string(i->name()), 0, 0, 0, {}, {}});
    return r;
  }

  void call(std::size_t i) { op_ == operation::read ? all_[i]->read(memory_.data()) : all_[i]->write(memory_.data()); }

  // Of so many calls, on the slowest rank. One call ahead of the clock, so that each finds the caches as it left them.
  double timed(std::size_t i, std::int64_t calls) {
    call(i);
    MPI_Barrier(comm_);
    double const start = MPI_Wtime();
    for (std::int64_t k = 0; k < calls; ++k) call(i);
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm_);
    return seconds;
  }
  std::int64_t calls_for(std::size_t i) {
    double const seconds = timed(i, 1);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(how_.seconds / std::max(seconds, 1e-9)), 1, 10000);
  }

  // --- checks, against the list of pieces ---

  void make_file() {
    if (rank_ == 0) {
      ::unlink(path_.c_str());
      put(old_image(), O_CREAT | O_EXCL);
    }
    MPI_Barrier(comm_);
  }
  std::vector<std::byte> old_image() const {
    std::vector<std::byte> image(static_cast<std::size_t>(pattern_.file_bytes()));
    for (std::size_t x = 0; x < image.size(); ++x) image[x] = old_byte(static_cast<std::int64_t>(x));
    return image;
  }
  void put(std::vector<std::byte> const& image, int flags) const {
    int const d = ::open(path_.c_str(), O_RDWR | flags, 0600);
    if (d < 0) fail(path_ + ": " + std::strerror(errno));
    for (std::size_t at = 0; at < image.size(); at += chunk)
      if (::pwrite(d, image.data() + at, std::min(chunk, image.size() - at), static_cast<off_t>(at)) < 0)
        fail(path_ + ": " + std::strerror(errno));
    ::close(d);
  }
  std::vector<std::byte> file_now() const {
    std::vector<std::byte> image(static_cast<std::size_t>(pattern_.file_bytes()) + 1);
    int const d = ::open(path_.c_str(), O_RDONLY);
    std::size_t at = 0;
    for (ssize_t got = 1; got > 0; at += static_cast<std::size_t>(std::max<ssize_t>(got, 0)))
      got = ::pread(d, image.data() + at, std::min(chunk, image.size() - at), static_cast<off_t>(at));
    ::close(d);
    image.resize(at);
    return image;
  }

  void check(std::size_t i) {
    int const salt = ++checks_;
    std::fill_n(memory_.data(), mine_.memory_bytes, std::byte{0x5a});
    if (op_ == operation::write)
      for (transfer const& t : mine_.pieces)
        for (std::int64_t k = 0; k < t.bytes; ++k)
          memory_.data()[t.memory_offset + k] = new_byte(rank_, t.file_offset + k, salt);
    if (op_ == operation::write && rank_ == 0) put(old_image(), 0);
    MPI_Barrier(comm_);
    call(i);
    MPI_Barrier(comm_);
    if (op_ == operation::read ? !memory_is_right() : rank_ == 0 && !file_is_right(salt))
      fail(std::string(all_[i]->name()) + " moved wrong bytes: " + pattern_.name() + " " +
           std::to_string(pattern_.piece_bytes()) + " " + name_of(op_));
    MPI_Barrier(comm_);
  }
  bool memory_is_right() const {
    std::vector<std::byte> hoped(static_cast<std::size_t>(mine_.memory_bytes), std::byte{0x5a});
    for (transfer const& t : mine_.pieces)
      for (std::int64_t k = 0; k < t.bytes; ++k)
        hoped[static_cast<std::size_t>(t.memory_offset + k)] = old_byte(t.file_offset + k);
    return std::equal(hoped.begin(), hoped.end(), memory_.data());
  }
  bool file_is_right(int salt) const {
    std::vector<std::byte> hoped = old_image();
    for (int r = 0; r < ranks(); ++r)
      for (transfer const& t : pattern_.of(r).pieces)
        for (std::int64_t k = t.file_offset; k < t.file_offset + t.bytes; ++k)
          hoped[static_cast<std::size_t>(k)] = new_byte(r, k, salt);
    return hoped == file_now();
  }

  static constexpr std::size_t chunk = 1 << 20;

  MPI_Comm comm_;
  pattern const& pattern_;
  operation op_;
  std::vector<std::unique_ptr<implementation>> const& all_;
  effort const& how_;
  int rank_;
  share mine_;
  aligned_memory memory_;
  std::string path_;
  int checks_ = 0;
};

}  // namespace

double row::ratio(std::string const& one, std::string const& other) const {
  result const *a = find(one), *b = find(other);
  if (!a || !b) return 0;
  std::vector<double> ratios;
  for (std::size_t k = 0; k < std::min(a->seconds.size(), b->seconds.size()); ++k)
    ratios.push_back(b->seconds[k] / a->seconds[k]);
  return median(std::move(ratios));
}

row run(MPI_Comm comm, pattern const& p, operation op, std::vector<std::unique_ptr<implementation>> const& all,
        effort const& how) {
  return contest(comm, p, op, all, how).run();
}

}  // namespace patterns
