// SPDX-License-Identifier: BSD-3-Clause
#include "independent.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include <argosy/benchmark/contest.hpp>

namespace patterns {

result const* row::find(std::string const& implementation) const {
  for (result const& r : results)
    if (r.implementation == implementation) return &r;
  return nullptr;
}

double row::ratio(std::string const& one, std::string const& other) const {
  result const *a = find(one), *b = find(other);
  return a && b ? speed(a->seconds, b->seconds) : 0;
}

namespace {

class contest {
 public:
  contest(MPI_Comm comm, pattern const& p, operation op,
          std::vector<std::unique_ptr<implementation>> const& all, effort const& how)
      : trial_(comm, p, how.directory), op_(op), all_(all), how_(how) {}

  row run() {
    trial_.remove_file();
    trial_.make_file();
    for (auto const& i : all_)
      i->open({trial_.comm(), trial_.path(), &trial_.what(), level::independent, false});
    argosy::bench::contest turns(
        [this](argosy::bench::action const& one, std::int64_t n) { return timed(one, n); });
    for (std::size_t i = 0; i < all_.size(); ++i) {
      check(i);
      turns.enter(std::to_string(i), [this, i] { call(i); }, calls_for(i));
    }
    row done = empty_row();
    int const rounds = how_.repeat > 0 ? how_.repeat : 21;
    spent_ = 0;
    for (int round = 0; round < rounds && (round < 5 || spent_ < how_.row_seconds); ++round)
      turns.round();
    for (std::size_t i = 0; i < all_.size(); ++i)
      done.results[i].seconds = turns.seconds(std::to_string(i));
    for (std::size_t i = 0; i < all_.size(); ++i) {
      auto& r = done.results[i];
      r.last = all_[i]->last();
      r.median = median(r.seconds);
      r.low = *std::min_element(r.seconds.begin(), r.seconds.end());
      r.high = *std::max_element(r.seconds.begin(), r.seconds.end());
      check(i);
    }
    for (auto const& i : all_) i->close();
    trial_.remove_file();
    return done;
  }

 private:
  row empty_row() const {
    pattern const& p = trial_.what();
    row r{p.name(), p.piece_bytes(), p.density(), op_, p.ranks(), trial_.all_bytes(), {}};
    for (auto const& i : all_) r.results.push_back({std::string(i->name()), 0, 0, 0, {}, {}});
    return r;
  }

  void call(std::size_t i) {
    op_ == operation::read ? all_[i]->read(trial_.memory()) : all_[i]->write(trial_.memory());
  }

  // Makes one call before the timing, so that the caches hold what this implementation left there.
  double timed(argosy::bench::action const& one, std::int64_t calls) {
    one();
    double const seconds = slowest(trial_.comm(), [&] {
      for (std::int64_t k = 0; k < calls; ++k) one();
    });
    spent_ += seconds;
    return seconds;
  }
  // Measures a call alone, the shortest of three. If ranks wait for a processor, a barrier takes
  // longer than many calls.
  std::int64_t calls_for(std::size_t i) {
    double seconds = 1;
    for (int k = 0; k < 3; ++k) {
      double const start = MPI_Wtime();
      call(i);
      seconds = std::min(seconds, MPI_Wtime() - start);
    }
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, trial_.comm());
    // If ranks share processors: several time slices, compared with which the wait at the end is
    // short.
    constexpr double several_slices = 0.02;
    bool const in_turns =
        trial_.what().ranks() > static_cast<int>(std::thread::hardware_concurrency());
    double const least =
        in_turns && how_.seconds > 0 ? std::max(how_.seconds, several_slices) : how_.seconds;
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(least / std::max(seconds, 1e-9)), 1,
                                    10000);
  }

  void check(std::size_t i) {
    int const salt = ++checks_;
    if (op_ == operation::read) {
      trial_.spoil();
    } else {
      trial_.fill(salt);
      trial_.make_file();
    }
    MPI_Barrier(trial_.comm());
    call(i);
    if (op_ == operation::read ? !trial_.memory_holds(0) : !trial_.file_holds(salt))
      fail(std::string(all_[i]->name()) + " moved wrong bytes: " + trial_.what().name() + " " +
           std::to_string(trial_.what().piece_bytes()) + " " + name_of(op_));
    MPI_Barrier(trial_.comm());
  }

  trial trial_;
  operation op_;
  std::vector<std::unique_ptr<implementation>> const& all_;
  effort const& how_;
  int checks_ = 0;
  double spent_ = 0;  // seconds of all rounds
};

}  // namespace

row run_independent(MPI_Comm comm, pattern const& p, operation op,
                    std::vector<std::unique_ptr<implementation>> const& all, effort const& how) {
  return contest(comm, p, op, all, how).run();
}

}  // namespace patterns
