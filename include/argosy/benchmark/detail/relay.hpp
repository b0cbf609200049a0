// A reporter that notices failed cases, and passes everything to another reporter, or to none.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ostream>
#include <vector>

#include <benchmark/benchmark.h>

namespace argosy::bench::detail {

// Returns true if a case ended with an error. The member has another name from Google Benchmark 1.8
// on.
template <class Run>
bool has_failed(Run const& r) {
  if constexpr (requires { r.error_occurred; })
    return r.error_occurred;
  else
    return static_cast<int>(r.skipped) != 0;
}

class relay final : public benchmark::BenchmarkReporter {
 public:
  // `to` may be null. Such a reporter is silent.
  explicit relay(benchmark::BenchmarkReporter* to) : to_(to) {
    if (to_ != nullptr) return;
    SetOutputStream(&nowhere_);
    SetErrorStream(&nowhere_);
  }

  bool ReportContext(Context const& context) override {
    return to_ == nullptr || to_->ReportContext(context);
  }
  void ReportRuns(std::vector<Run> const& runs) override {
    for (Run const& r : runs) failed_ = failed_ || has_failed(r);
    if (to_ != nullptr) to_->ReportRuns(runs);
  }
  void Finalize() override {
    if (to_ != nullptr) to_->Finalize();
  }
  bool failed() const noexcept { return failed_; }

 private:
  benchmark::BenchmarkReporter* to_;
  std::ostream nowhere_{nullptr};
  bool failed_ = false;
};

}  // namespace argosy::bench::detail
