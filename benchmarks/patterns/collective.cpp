// SPDX-License-Identifier: BSD-3-Clause
#include "collective.hpp"

#include <algorithm>
#include <array>

#include "process.hpp"

namespace patterns {
namespace {

class tournament {
 public:
  tournament(MPI_Comm comm, collective_case const& c,
             std::vector<std::unique_ptr<implementation>> const& all, effort const& how)
      : trial_(comm, *c.what, how.directory),
        level_(c.how),
        all_(all),
        how_(how),
        books_(all.size()) {}

  std::vector<measured> run() {
    int const rounds = how_.repeat > 0 ? how_.repeat : 5;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      pass(i, true);
      // An implementation that takes that long gains nothing by a warm start, so its first pass
      // counts.
      if (books_[i].spent < how_.row_seconds) books_[i] = {books_[i].calls};
    }
    for (int round = 0; round < rounds; ++round)
      for (std::size_t k = 0; k < all_.size(); ++k) {
        // The order rotates, so that no implementation always follows the same one.
        std::size_t const i = (k + static_cast<std::size_t>(round)) % all_.size();
        if (books_[i].spent < how_.row_seconds) pass(i, false);
      }
    trial_.remove_file();
    return lines();
  }

 private:
  static constexpr std::array operations{operation::write, operation::rewrite, operation::read};

  struct column {
    std::vector<double> seconds;
    std::int64_t file_calls = -1, peak = -1;
    std::string last;
  };
  struct book {
    std::int64_t calls = 1;  // calls of one operation, if a single one is too short for the clock
    double spent = 0;
    std::array<column, operations.size()> columns{};
  };

  void pass(std::size_t i, bool first) {
    implementation& one = *all_[i];
    trial_.remove_file();
    one.open({trial_.comm(), trial_.path(), &trial_.what(), level_, true});
    // Only the first call can create the file.
    timed(i, operation::write, 1);
    if (how_.sync) one.sync();
    check(i, operation::write, first);
    double const seconds = timed(i, operation::rewrite, books_[i].calls);
    if (how_.sync) one.sync();
    check(i, operation::rewrite, first);
    timed(i, operation::read, books_[i].calls);
    check(i, operation::read, first);
    one.close();
    if (first)
      books_[i].calls = std::clamp<std::int64_t>(
          static_cast<std::int64_t>(how_.seconds / std::max(seconds, 1e-9)), 1, 1000);
  }

  double timed(std::size_t i, operation op, std::int64_t calls) {
    column& c = books_[i].columns[static_cast<std::size_t>(op)];
    op == operation::read ? trial_.spoil() : trial_.fill(++salt_);
    forget_peak();
    std::int64_t const before = file_calls();
    auto const repeated = [&] {
      for (std::int64_t k = 0; k < calls; ++k) {
        op == operation::read ? all_[i]->read(trial_.memory()) : all_[i]->write(trial_.memory());
        if (how_.timed_sync && op != operation::read) all_[i]->sync();
      }
    };
    double seconds = slowest(trial_.comm(), repeated);
    std::int64_t const seen = before < 0 ? -1 : file_calls() - before - calls_of_counting;
    books_[i].spent += seconds;
    seconds /= static_cast<double>(calls);
    c.seconds.push_back(seconds);
    c.file_calls = before < 0 ? -1 : sum(seen) / calls;
    c.peak = std::max(c.peak, most(peak_rss_bytes()));
    c.last = all_[i]->last();
    return seconds;
  }

  void check(std::size_t i, operation op, bool file_too) {
    bool const follows = all_[i]->follows_the_pattern();
    int good = op != operation::read ? !file_too || !follows || trial_.file_holds(salt_)
                                     : trial_.memory_holds(salt_, follows);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, trial_.comm());
    if (!good)
      fail(std::string(all_[i]->name()) + " moved wrong bytes: " + trial_.what().name() +
           " level " + std::to_string(static_cast<int>(level_)) + " " + name_of(op));
  }

  std::int64_t sum(std::int64_t x) const {
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT64_T, MPI_SUM, trial_.comm());
    return x;
  }
  std::int64_t most(std::int64_t x) const {
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT64_T, MPI_MAX, trial_.comm());
    return x;
  }

  std::vector<measured> lines() const {
    std::vector<measured> all;
    for (operation op : operations)
      for (std::size_t i = 0; i < all_.size(); ++i) {
        column const& c = column_of(i, op);
        measured m{trial_.what().name(),  static_cast<int>(level_),
                   name_of(op),           std::string(all_[i]->name()),
                   trial_.what().ranks(), trial_.all_bytes(),
                   median(c.seconds),     *std::min_element(c.seconds.begin(), c.seconds.end())};
        for (std::size_t other = 0; other < all_.size(); ++other) {
          double const ratio = speed(c.seconds, column_of(other, op).seconds);
          if (all_[other]->name() == "mpi") m.vs_mpi = ratio;
          if (all_[other]->name() == "limit") m.vs_limit = ratio;
          if (all_[other]->name() == "own") m.vs_own = ratio;
        }
        m.file_calls = c.file_calls;
        m.peak_rss_bytes = c.peak;
        m.last = c.last;
        m.seconds = c.seconds;
        all.push_back(std::move(m));
      }
    return all;
  }
  column const& column_of(std::size_t i, operation op) const {
    return books_[i].columns[static_cast<std::size_t>(op)];
  }

  trial trial_;
  level level_;
  std::vector<std::unique_ptr<implementation>> const& all_;
  effort const& how_;
  std::vector<book> books_;
  int salt_ = 0;
};

}  // namespace

std::vector<measured> run_collective(MPI_Comm comm, collective_case const& c,
                                     std::vector<std::unique_ptr<implementation>> const& all,
                                     effort const& how) {
  return tournament(comm, c, all, how).run();
}

}  // namespace patterns
