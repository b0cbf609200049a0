// The state of a run: the arguments and results of every rank, and the content that the files must
// have.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/error/errc.hpp>
#include <argosy/handle/file_call.hpp>
#include <argosy/plan/report.hpp>

#include "crash_points.hpp"
#include "features.hpp"
#include "files.hpp"
#include "places.hpp"
#include "program.hpp"

namespace argosy::explore {

using namespace extend;

// An error that came out of the handle, above all retries, so the library has seen it.
struct witnessed {
  file_call call;
  std::error_code error = {};
  bool of_pointer = false;  // on the hidden file of the shared pointer
  // in a call that reads the shared pointer without moving it
  bool only_looks = false;
  bool thrown = false;    // thrown by code of the program; the library makes an error of it
  bool harmless = false;  // need not be reported to any rank
};
bool explains(std::vector<witnessed> const& all, std::error_code const& code);
std::string text_of(std::vector<witnessed> const& all);

// One rank's part in one step.
struct record {
  enum class state { idle, begun, pending, done, dropped } now = state::idle;
  std::size_t step = 0;
  op what = op::compute;  // the call of this rank
  bool writes = false;
  std::vector<piece> file;  // the bytes that it reads or writes, in the order of the stream
  std::int64_t bytes = 0;
  std::int64_t etypes = 0;
  std::int64_t from = 0;  // the individual pointer before the call, if the call uses it
  std::uint64_t key = 0;  // key of the data that it writes
  bool by_place = false;  // the data depends on the place in the file, not in the stream
  representation_choice representation = representation_choice::native;
  basic_type item = basic_type::byte;
  std::int64_t bad_item = -1;     // index of the item at which code of the program fails; -1: none
  trouble bad = trouble::none;    // the failure at that item
  std::int64_t sought = 0;        // the target of seek()
  std::int64_t displacement = 0;  // the displacement of the view that it was given
  bool must_fail = false;         // because code of the program fails
  bool threw = false;             // an exception of the program reached the caller
  memory_map memory;
  std::vector<std::byte> buffer;
  std::error_code code;
  std::string words;  // what_failed()
  report told;
  bool floats = false;  // at the shared pointer: its place is found out afterwards
  // its place stays unknown, because some calls at the shared pointer failed
  bool lost_place = false;
  std::int64_t lowest = -1;     // lowest offset of its calls to the data file
  std::vector<witnessed> seen;  // errors during the call
  std::error_code not_stopped;  // the error with which stopping a partitioning failed
  bool beside = false;          // other requests of this rank were pending
  errc expected = {};           // the error that its arguments must cause; 0: none
  std::int64_t least_size = 0;  // size of the file when the call began
};

bool may_read_wrong_items(record const& r);

// The state of an open file that is equal on all ranks.
struct opened_file {
  bool is_open = false;
  int file = 0;
  argosy::mode modes = mode::none;
  bool atomic = false;
  view_choice view;
  std::vector<tile> tiles;
  // agents make file calls for other ranks, and it is unknown for which
  bool serves = false;
  bool shared_known = true;
  std::int64_t shared = 0;  // the shared pointer
  std::vector<std::pair<std::string, std::string>> hints;
};

class session : public opened_file {
 public:
  // `only`: the rank of this process, which learns from messages what the other ranks did; -1: all
  // ranks are in this process.
  session(program const& p, file_system& files, int only = -1);

  std::vector<step> const& steps() const { return steps_; }
  file_system& files() const { return files_; }
  std::string path(int which) const { return files_.directory() + (which == 0 ? "a" : "b"); }
  // Returns the size of the open file when all ranks were last together.
  std::int64_t size_now() const {
    return static_cast<std::int64_t>(model_[static_cast<std::size_t>(file)].bytes.size());
  }

  bool any_died = false;

  // --- Facts from ranks ---
  struct rank_state {
    std::vector<witnessed> seen;
    std::int64_t lowest = -1;
    std::int64_t position = 0;  // the individual pointer
    errc sync_lost = {};
    std::vector<std::unique_ptr<record>> pending;
    std::vector<std::unique_ptr<record>> ended;  // requests that were waited for or dropped
    bool dropped = false;                        // some requests have been dropped so far
    std::vector<std::error_code> deserved;       // errors that dropped requests may cause
    // errors that belong to a request, or to a call while requests were pending
    std::vector<witnessed> pool;
    bool pool_told = false;  // one of these calls reported an error
    bool left = false;
    bool handle_throws = false;  // at its next read or write
    std::int64_t calls = 0;      // file calls that the rank made
  };
  rank_state& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  rank_state& pool_of(int rank) { return of(serves ? 0 : rank); }
  std::int64_t share_of(step const& s, int rank) const;
  bool asks_policy(step const& s, int rank) const;
  std::int64_t offset_of(step const& s, int rank) const;
  // Switches to the file of this step, before anything else. All ranks have left the step before.
  void enter(step const& s);
  opened_file const& elsewhere() const { return other_; }
  bool makes_sense(step const& s) const;
  std::int64_t displacement_of(step const& s) const;  // for set_view
  errc deserves(step const& s, int rank) const;

  // Begins a rank's part in a step.
  record& begin(std::size_t k, int rank);
  // Ends a rank's part in a step. The last rank checks everything.
  void arrive(std::size_t k, int rank);
  // Notes that a rank has died or gives up.
  void leave(int rank, bool died);
  // Called after the run.
  void finish();
  // Called at calls to files, also from threads of a process.
  void touched(int rank, std::int64_t offset);
  void saw(int rank, witnessed w);
  bool called(int rank, bool may_throw);  // returns true if the handle shall throw
  std::vector<witnessed> take_seen(int rank);
  // Called after a file call of any rank.
  void call_ended() { crashes_.look(); }
  // Returns byte i of the stream that a rank writes, at this place of the file.
  static std::byte value_of(record const& r, std::int64_t i, std::int64_t place) {
    return byte_of(r.key, r.by_place ? place : i);
  }

  // For ranks that are processes: all facts since the last meeting are here, and are checked.
  record& part(std::size_t k, int rank) { return records_.at(k)[static_cast<std::size_t>(rank)]; }
  void meet(std::size_t last) { look(std::exchange(next_, last + 1), last); }

  explore::features features;

 private:
  struct candidates {
    std::vector<std::byte> values;
  };
  struct stored {
    bool exists = false;
    std::vector<std::byte> bytes;
  };

  void look(std::size_t first, std::size_t last);
  void apply_losses();
  void look_at_codes(std::size_t k, std::vector<record>& all);
  void look_at_open(std::size_t k, std::vector<record>& all);
  void look_at_pool(std::size_t k);
  void look_at_stops(std::vector<record>& all);
  void take_hints(step const& s);
  void look_at_requests(std::size_t k, std::vector<record>& all);
  void count(std::size_t k, std::vector<record> const& all);
  void count(std::vector<std::unique_ptr<record>> const& ended);
  void apply_step(std::size_t k, std::vector<record>& all);
  void place_floating(std::size_t k, std::vector<record>& all);
  void write(record const& r, bool all_of_it);
  void check_read(std::size_t k, int rank, record const& r, std::int64_t most_size,
                  bool was_request = false);
  void check_ended(std::size_t k, std::int64_t most_size);
  void check_items(std::size_t k, int rank, record const& r, bool all_sure, bool was_request);
  void fill(record& r) const;
  std::int64_t sought(step const& s, int rank) const;
  void check_files(std::size_t k);
  void check_crash(std::size_t k);
  void remember(std::vector<record> const& all);
  bool is_untold(rank_state const& me, std::error_code const& code) const;
  bool tolerable(step const& s, witnessed const& w) const;
  std::vector<witnessed> serious(step const& s, std::vector<witnessed> const& all) const;
  [[noreturn]] void wrong(std::size_t k, int rank, std::string const& words) const;
  bool some_done(std::vector<record> const& all, bool well) const;
  bool fits(int which, std::int64_t offset, std::byte value) const;
  // true if the data that it read is in this process
  bool is_here(int rank) const { return only_ < 0 || rank == only_; }
  bool is_sure(std::int64_t offset) const;
  bool was_lost(std::int64_t offset, std::byte value) const;
  bool is_free(std::int64_t offset) const;

  program const& program_;
  opened_file other_;
  struct pointers {
    std::int64_t position = 0;
    errc sync_lost = {};
  };
  std::vector<pointers> others_;  // state of the ranks for the other file
  int slot_ = 0;
  // Dropped requests may use their memory until the file is closed.
  std::vector<std::unique_ptr<record>> graveyard_;
  std::vector<step> steps_;
  file_system& files_;
  int only_;
  crash_points crashes_;
  std::mutex seeing_;
  std::int64_t asked_again_ = 0;  // number of calls that the program's faults cause to be repeated
  std::string unseen_;            // an error that handles should have hidden from the library
  std::vector<rank_state> ranks_;
  std::vector<std::error_code> met_;                    // errors of file calls
  std::map<std::size_t, std::vector<record>> records_;  // steps that were not checked yet
  std::map<std::size_t, int> arrived_;
  int left_ = 0;
  std::size_t next_ = 0;  // the next step to be checked
  std::array<stored, 2> model_;
  // bytes of the open file that may have several values
  std::map<std::int64_t, candidates> maybe_;
  std::int64_t maybe_size_ = -1;                       // another possible size; -1: none
  std::vector<std::array<std::int64_t, 2>> anything_;  // ranges that may have any content
  // bytes that the file system had accepted and then lost
  std::vector<loss> losses_;
  // the values that may be there instead
  std::array<std::map<std::int64_t, candidates>, 2> fallen_;
  std::array<std::int64_t, 2> least_size_ = {-1, -1};
};

}  // namespace argosy::explore
