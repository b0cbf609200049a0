// The common part of files of the virtual cluster: calls of ranks in virtual time, and the faults
// of the scenario.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <argosy/handle/faulty.hpp>
#include <argosy/handle/file_call.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/retrying.hpp>

#include "scheduler.hpp"

namespace argosy::lab::detail {

inline std::error_code errno_code(int e) { return {e, std::system_category()}; }

// A call of a rank to a file. It takes its time, and is recorded in the timeline at its end.
class file_action {
 public:
  file_action(file_call kind, std::uint64_t file, std::int64_t call_ns)
      : file_action(to_string(kind), static_cast<std::uint64_t>(kind), file,
                    kind == file_call::read || kind == file_call::write, call_ns) {}
  // `code` differs for each kind of call.
  file_action(std::string_view name, std::uint64_t code, std::uint64_t file, bool moves_data,
              std::int64_t call_ns = 0)
      : name_(name), scheduler_(scheduler::running()), moves_data_(moves_data) {
    if (!scheduler_) return;
    skipped_ = !scheduler_->begin(call_kind::file);
    if (skipped_) return;
    began_ = scheduler_->now().time;
    scheduler_->charge(scheduler_->scaled(ps_of_ns(call_ns)));
    scheduler_->synchronize();
    ++scheduler_->report.file_calls;
    scheduler_->hash(60 + code, file);
  }
  // Returns the scheduler, or null outside of runs, where no time passes.
  scheduler* operator->() const { return scheduler_; }
  explicit operator bool() const { return scheduler_ && !skipped_; }
  bool skipped() const { return skipped_; }  // true if the rank is being unwound

  // `runs`: the number of contiguous pieces of the file that the call reads or writes.
  void end(std::int64_t offset = 0, std::int64_t bytes = -1, int error = 0, std::int64_t runs = 1) {
    if (!scheduler_ || skipped_) return;
    if (moves_data_) {
      scheduler_->report.file_bytes += bytes;
      scheduler_->report.file_runs += runs;
    }
    scheduler_->hash(static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(bytes),
                     static_cast<std::uint64_t>(error));
    scheduler_->record("file", name_, began_, bytes);
    // other ranks may see the effects in shared memory, without an operation
    scheduler_->synchronize();
  }

 private:
  std::string_view name_;
  scheduler* scheduler_;
  bool moves_data_ = false, skipped_ = false;
  picoseconds began_ = 0;
};

// Waits between the attempts of a repeated call.
inline void pause(std::chrono::nanoseconds time) {
  scheduler* const s = scheduler::running();
  if (!s || !s->begin(call_kind::pause)) return;
  s->charge(ps_of_ns(time.count()));
  s->synchronize();
}

// Makes an opener of `open`, which returns raw handles. Below the retries, these fail as the
// scenario says for the rank.
template <class Open>
opener opener_in_run(Open open, opener::remove_function remove, opener::rename_function rename = {},
                     opener::settle_function settle = {}) {
  return {[open = std::move(open)](std::string const& path, open_flags flags,
                                   std::error_code& error) -> any_handle {
            scheduler* const s = scheduler::running();
            std::shared_ptr<fault_script> const faults =
                s && s->in_task() ? s->me().faults : nullptr;
            retry_limits const limits{.sleep = pause};
            any_handle opened;
            error = argosy::detail::repeated(limits, [&]() -> std::error_code {
              if (faults)
                if (auto const v = faults->next(file_call::open); v.error) return v.error;
              std::error_code e;
              auto h = open(path, flags, e);
              if (e) return e;
              opened = faults ? any_handle(retrying(faulty(std::move(h), faults), limits))
                              : any_handle(retrying(std::move(h), limits));
              return {};
            });
            return opened;
          },
          std::move(remove), std::move(rename), std::move(settle)};
}

}  // namespace argosy::lab::detail
