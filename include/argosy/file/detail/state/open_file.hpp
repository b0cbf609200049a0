// The part of an open file that belongs to one rank. It does not know other ranks, or a world.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <argosy/error/failure.hpp>
#include <argosy/exchange/detail/carry_out.hpp>
#include <argosy/exchange/detail/staging.hpp>
#include <argosy/exchange/detail/time_source.hpp>
#include <argosy/exchange/detail/write_gate.hpp>
#include <argosy/file/detail/call/call.hpp>
#include <argosy/file/detail/call/job.hpp>
#include <argosy/file/detail/ranks/call_board.hpp>
#include <argosy/file/detail/state/agency.hpp>
#include <argosy/file/detail/state/chosen.hpp>
#include <argosy/file/detail/state/file_agents.hpp>
#include <argosy/file/detail/state/file_position.hpp>
#include <argosy/file/detail/state/hint_facts.hpp>
#include <argosy/file/detail/state/hints_in_use.hpp>
#include <argosy/file/detail/state/late_failures.hpp>
#include <argosy/file/detail/state/merge_safety.hpp>
#include <argosy/file/detail/state/one_thread.hpp>
#include <argosy/file/detail/state/opened_as.hpp>
#include <argosy/file/detail/state/other_calls.hpp>
#include <argosy/file/detail/state/partitioning.hpp>
#include <argosy/file/detail/state/per_thread.hpp>
#include <argosy/file/detail/state/short_lock.hpp>
#include <argosy/file/detail/state/staging_pool.hpp>
#include <argosy/file/detail/state/usage.hpp>
#include <argosy/file/detail/state/used_view.hpp>
#include <argosy/file/detail/state/watchers.hpp>
#include <argosy/file/file_hints.hpp>
#include <argosy/file/mode.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/tracer.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/access_summary.hpp>
#include <argosy/policy/any_policy.hpp>
#include <argosy/view/view.hpp>
#include <argosy/world/background.hpp>

namespace argosy::detail {

// The parts do not know each other; functions that need several of them are here.
class open_file {
 public:
  open_file();
  // Makes the part of one rank for plans only: no file is open.
  open_file(int rank, int ranks);
  ~open_file();

  // The file, how it was opened, and by which rank.
  std::string const& path() const noexcept { return opened_.path(); }
  std::string const& full_path() const noexcept { return opened_.full_path(); }
  argosy::mode modes() const noexcept { return opened_.modes(); }
  int rank() const noexcept { return opened_.rank(); }
  int ranks() const noexcept { return opened_.ranks(); }
  opener const& files() const noexcept { return opened_.files(); }
  bool is_of_parent() const noexcept { return opened_.is_of_parent(); }
  // Returns true if `close` removes the file.
  bool removes() const noexcept { return opened_.removes(); }
  void discard() noexcept { opened_.discard(); }

  any_handle& handle() noexcept { return handle_; }
  any_handle const& handle() const noexcept { return handle_; }
  merge_safety& merges() noexcept { return merges_; }
  merge_safety const& merges() const noexcept { return merges_; }
  other_calls& others() noexcept { return others_; }
  other_calls const& others() const noexcept { return others_; }
  file_agents& agents() noexcept { return agents_; }
  file_agents const& agents() const noexcept { return agents_; }
  watchers& seen_by() noexcept { return seen_by_; }
  watchers const& seen_by() const noexcept { return seen_by_; }
  late_failures& late() noexcept { return late_; }
  // the staging memory of blocking calls
  staging_pool& buffers() noexcept { return buffers_; }
  // the individual pointer, which prepare() moves
  file_position& position() const noexcept { return position_; }
  std::shared_ptr<used_view const> const& where() const noexcept { return where_; }
  void look_through(std::shared_ptr<used_view const> next) { where_ = std::move(next); }
  bool is_atomic() const noexcept { return atomic_; }
  void be_atomic(bool on) noexcept { atomic_ = on; }

  void count(job const& t, report const& done, bool failed) {
    if (usage* const r = seen_by_.report())
      r->add(t.told.call, done, failed, t.told.begin_ns, t.told.together_by, t.told.called_at);
  }

  // the hints, and the policies that they choose
  file_hints const& hints() const noexcept { return hints_.hints(); }
  chosen const& choice() const noexcept { return hints_.choice(); }
  storage const& lies_on() const noexcept { return hints_.on(); }
  hints_in_use& in_use() noexcept { return hints_; }
  hints_in_use const& in_use() const noexcept { return hints_; }
  void follow(file_hints h);
  void lies_on(storage s);  // `s` is equal on all ranks
  bool would_merge() const { return merges_.would_merge(*where_, choice().sieving); }
  void agree_to_merge(bool agreed) noexcept;  // `agreed` is equal on all ranks
  failure reconcile();
  void remark(std::string const& text) const;  // writes a text into the trace, if there is one
  // Writes out the trace before this rank waits for others: they may never come, and then the trace
  // must be complete.
  void before_waiting() const noexcept {
    if (seen_by_.trace() && ranks() > 1) seen_by_.trace()->flush();
  }
  // Syncs, and stores the first failure.
  failure sync();

  // Opening, step by step. The steps that need other ranks lie between these.
  void begin(std::string const& name, argosy::mode how, int my_rank, int all_ranks,
             argosy::hints const& h, opener with);
  // Returns true if the environment names something that cannot be read or written.
  bool complains() const noexcept { return !seen_by_.complaint().empty(); }
  // Writes the complaint to standard error, once per process. `others`: number of other ranks with
  // a complaint.
  void complain(int others) const;
  // Creates or opens the file on the rank that makes it, and enters it. `made`: it did not exist
  // before. `none`: see enter().
  failure create(std::uint64_t number, bool& made, bool& none);
  failure open_existing();
  failure to_end();  // moves the individual pointer to the end
  failure cut();     // cuts the file to 0 bytes
  // Returns false if the path leads to no file or to another one, as far as the opener can tell.
  bool has_its_name() const { return opened_.names(handle_); }
  // Removes the file, which no other open has any more, and closes it.
  failure remove_and_close();
  void meet(write_gate g, bool all);  // `all`: all ranks share the gate
  // Closes the file after a failed open. Removes it if this open `made` it, it is empty, and no
  // other open has it.
  void abandon(bool made);
  void drain();  // waits for requests
  void leave();  // waits for requests of a dropped file; in develop mode reports it

  // Checks that the call is allowed on this file, and fills the job, which refers to the call's
  // data. The place of data at the shared pointer is not known yet. Moves the individual pointer
  // for a call at it, unless it was `moved` already; for plans `moved` is null.
  failure prepare(call const& c, job& t, pointer_move* moved) const;
  // Finds the job's place in the view, `offset` etypes from its start.
  failure locate(std::int64_t offset, job& t) const;
  // Returns the call as a plain one. Nothing if it is not plain, or if it has an error; then
  // prepare() reports the error.
  std::optional<plain_call> plain(call const& c) const;
  // Carries out a plain call. `f` belongs to the caller, and is changed only after an error: most
  // callers make only one failure.
  void access_plain(plain_call const& p, std::int64_t offset, report& done, failure& f);
  // Returns the call if it is small, for access_close() once its place is known. Nothing for other
  // calls, or if it has an error.
  std::optional<small_call> small(call const& c) const;
  // Carries out a small call without a plan, as the policy would do it: by one call of the file if
  // it lies within one piece of the view, or reads pieces that lie close together. If it writes
  // such pieces, by a read and a write. Returns false for other calls; then nothing was done.
  bool access_close(small_call const& c, std::int64_t offset, report& done, failure& f);
  // Does the job without other ranks, except agents.
  failure access_alone(job const& t, staging& with, report& done);
  // Does the job and measures its time, as a call of its own.
  failure access_timed(job const& t, staging& with, report& done);
  plan explain(job const& t) const;
  // Returns which writers there may be during a call of this rank alone, while `caller` lives.
  // `beside`: the call is a request.
  merging merging_alone(one_thread::inside const& caller, bool beside) const {
    return merges_.alone(!is_only_writer(caller), beside, agents_.serving() != nullptr);
  }
  // Returns true if no other thread and no request of this rank writes while `caller` lives.
  bool is_only_writer(one_thread::inside const& caller) const {
    return !others_.has_requests() && caller.is_alone();
  }
  // Returns the guard for the calling thread. If the call takes a lock in any case, because
  // requests or other ranks may write, the guard does not check for other threads. Nor does it for
  // reads.
  one_thread::inside caller(access_kind kind) {
    bool const shared = ranks() > 1 && !has(modes(), mode::unique_open);
    bool const locks = shared || others_.has_requests();
    return one_thread::inside(kind == access_kind::read || locks ? nullptr : &others_.threads());
  }
  access_summary summary_of(job const& t) const;
  // Returns the summary of a plain call; nothing if the call reaches beyond what the view can
  // address.
  std::optional<access_summary> summary_of(plain_call const& p, std::int64_t offset) const;
  // Returns the summary of a call whose place is not known before all ranks have come. `spans` is
  // its number of etypes; there is no hull.
  access_summary placeless_summary_of(plain_call const& p) const;
  access access_of(job const& t) const;

  // Carries out `work` concurrently with the program.
  void start(std::function<void()> work) {
    others_.start(std::move(work), hints().values().io_threads);
  }

  bool wants_agents() const { return agents_.may_be_had() && hints().values().wants_agents(); }
  bool wants_partitioning() const;
  bool ships_alone(job const& t) const { return t.by.shipped && why_not_shipped(t).empty(); }

 private:
  failure join(std::uint64_t number, bool& none);  // used if other opens must know of this one
  void remove_made();
  bool by_hints(call const& c) const;
  // Fills the job of a call with views of its own: one view and one buffer of all its data.
  failure join_views(call const& c, job& t) const;
  // Returns the first fault of the call's data.
  static failure fault_of_data(call const& c);
  template <class Move>
  void carry(access_kind kind, std::int64_t bytes, report& done, failure& f, Move&& move);
  std::error_code read_plain(std::int64_t at, plain_call const& p, report& done);
  std::error_code write_plain(std::int64_t at, plain_call const& p, report& done);
  // Longer calls take so long that their plan costs little.
  static constexpr std::int64_t most_close_bytes = 64 << 10;
  // Pieces of this length are not worth a copy before the call of the file.
  static constexpr std::int64_t least_direct_bytes = 1024;
  // The window of a small call, and its pieces as a range of a layout whose offset 0 is at `base`.
  struct close_data {
    window all;
    layout const* form = nullptr;  // null: one piece
    std::int64_t position = 0;
    std::int64_t base = 0;
  };
  std::optional<close_data> close_data_of(std::int64_t offset, std::int64_t bytes) const;
  template <class Move>
  std::error_code staged(std::int64_t offset, std::int64_t bytes, Move&& move);
  std::error_code access_staged(window const& w, small_call const& c, report& done);
  std::error_code read_picking(close_data const& d, small_call const& c, report& done);
  bool write_inserting(close_data const& d, small_call const& c, report& done, failure& f);
  std::error_code replace_close(close_data const& d, small_call const& c, report& done);
  bool may_plan_merges() const noexcept;
  failure moved(job const& t, staging& with, report& done);
  failure ship(job const& t, report& done);
  std::string why_not_shipped(job const& t) const;
  failure access_here(job const& t, staging& with, report& done);
  failure access_locked(job const& t, staging& with, report& done);

  opened_as opened_;
  watchers seen_by_;
  any_handle handle_;
  std::shared_ptr<used_view const> where_;
  merge_safety merges_;
  hints_in_use hints_;
  bool atomic_ = false;
  mutable file_position position_;
  staging_pool buffers_;
  late_failures late_;
  file_agents agents_;
  other_calls others_;
};

}  // namespace argosy::detail
