// Rank 0's record of a run. It writes measurements to its files as they come, shows the progress in
// a line on the terminal, and can print all results at any time.
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

// Returns "31 %, argosy, 4 ranks, write, type 2 (separated), chunks of 32 KiB; 12 s, about 26 s
// more".
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

  // The following functions may be called by any thread. This one writes tables, and pictures.
  // Returns false, and prints the reason to stderr, if a file cannot be written.
  bool save(bool with_pictures) const;
  std::string text() const;
  bool went_well() const;  // true without failed calls and wrong data

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

// Write the files that the options name. Return false, with a sentence on standard error, if a file
// cannot be written.
bool save_tables(options const& o, std::vector<run_result> const& runs);
bool save_pictures(options const& o, std::vector<run_result> const& runs,
                   std::vector<run_result> const& others);
// Returns the report of each run, and its comparison with the first run and with earlier runs.
std::string all_text(std::vector<run_result> const& runs, std::vector<run_result> const& others,
                     std::int64_t cache);

}  // namespace beffio
