// Rank 0's book of a run: what is measured goes to its files as it comes, a line on the terminal
// tells how far it is, and what there is can be told at any time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "options.hpp"
#include "plan.hpp"
#include "result.hpp"

namespace beffio {

// "31 %, argosy, 4 ranks, write, type 2 (separated), chunks of 32 KiB; 12 s, about 26 s more"
std::string progress_text(double share, double elapsed, std::string const& implementation,
                          contender const& who, pattern const& p);

class journal final : public observer {
 public:
  // `runs`: one for each implementation, without cells. `cache`: bytes.
  journal(options const& o, schedule const& s, std::vector<run_result> runs,
          std::vector<run_result> others, std::int64_t cache);
  ~journal() override;

  void begins(contender const& who, int number) override;
  void measured(contender const& who, cell const& c) override;
  void closed(contender const& who, double seconds, std::int64_t errors) override;
  void failed(contender const& who, std::string const& what) override;

  // From here on by any thread.
  // Writes tables, and pictures; false, and words on stderr, if some file cannot be written.
  bool save(bool with_pictures) const;
  std::string text() const;
  bool went_well() const;  // no failed call, no wrong data

 private:
  void say(std::string const& line) const;

  options const& options_;
  mutable std::mutex mutex_;
  std::vector<run_result> runs_, others_;
  std::int64_t cache_;
  std::vector<std::string> failures_;
  std::int64_t failed_ = 0;
  double planned_units_ = 1, units_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::FILE* terminal_ = nullptr;
};

// Write what the options name. Return false, with a sentence on standard error, if some file cannot
// be written.
bool save_tables(options const& o, std::vector<run_result> const& runs);
bool save_pictures(options const& o, std::vector<run_result> const& runs,
                   std::vector<run_result> const& others);
// The report of each, and how they compare: with the first, and with what was run earlier.
std::string all_text(std::vector<run_result> const& runs, std::vector<run_result> const& others,
                     std::int64_t cache);

}  // namespace beffio
