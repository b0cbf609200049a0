// What a run of a program knows while it runs: what every rank asked for and was told, and what the
// files must hold.
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

// What came out of the handle, above all retries: these errors the library knew of.
struct witnessed {
  file_call call;
  std::error_code error = {};
  bool of_pointer = false;  // the hidden file of the shared pointer
  // in a call that asks where the pointer is, and does not move it by itself
  bool only_looks = false;
  bool thrown = false;    // by code of the program; the library makes an error of it
  bool harmless = false;  // nobody need be told
};
bool explains(std::vector<witnessed> const& all, std::error_code const& code);
std::string text_of(std::vector<witnessed> const& all);

// One rank's part in one step.
struct record {
  enum class state { idle, begun, pending, done, dropped } now = state::idle;
  std::size_t step = 0;
  op what = op::compute;  // of this rank
  bool writes = false;
  std::vector<piece> file;  // of the bytes that it reads or writes, in the order of the stream
  std::int64_t bytes = 0;
  std::int64_t etypes = 0;
  std::int64_t from = 0;  // where the individual pointer stood, of calls there
  std::uint64_t key = 0;  // of what it writes
  bool by_place = false;  // in the file, and not in the stream
  representation_choice representation = representation_choice::native;
  basic item = basic::byte;
  std::int64_t bad_item = -1;     // of those that it writes
  trouble bad = trouble::none;    // what is to happen at it
  std::int64_t sought = 0;        // where seek() shall go
  std::int64_t displacement = 0;  // of the view that it was given
  bool must_fail = false;         // for what the program's own code does
  bool threw = false;             // and it reached the caller
  memory_map memory;
  std::vector<std::byte> buffer;
  std::error_code code;
  std::string words;  // what_failed()
  report told;
  bool floats = false;          // at the shared pointer: where, is found out afterwards
  bool lost_place = false;      // nobody knows: some calls at the shared pointer failed
  std::int64_t lowest = -1;     // offset that it touched, of calls to the data file
  std::vector<witnessed> seen;  // meanwhile
  std::error_code not_stopped;  // with what a partitioning did not end well
  bool beside = false;          // other requests of this rank were pending
  errc expected = {};           // what its arguments deserve; 0: nothing
  std::int64_t least_size = 0;  // of the file, when it began
};

bool may_read_wrong_items(record const& r);

// A file that is open, as all ranks know it alike; and what each rank knows.
struct opened_file {
  bool is_open = false;
  int file = 0;
  argosy::mode modes = mode::none;
  bool atomic = false;
  view_choice view;
  std::vector<tile> tiles;
  // agents, for calls of others: which rank a file call was for, nobody can tell
  bool serves = false;
  bool shared_known = true;
  std::int64_t shared = 0;  // the pointer
  std::vector<std::pair<std::string, std::string>> hints;
};

class session : public opened_file {
 public:
  // `only`: the one rank of this process; of the others it is told what they did. -1: all ranks are
  // here.
  session(program const& p, file_system& files, int only = -1);

  std::vector<step> const& steps() const { return steps_; }
  file_system& files() const { return files_; }
  std::string path(int which) const { return files_.directory() + (which == 0 ? "a" : "b"); }
  // Of the open file, when all ranks were together last.
  std::int64_t size_now() const {
    return static_cast<std::int64_t>(model_[static_cast<std::size_t>(file)].bytes.size());
  }

  bool any_died = false;

  // --- Told by ranks ---
  struct rank_state {
    std::vector<witnessed> seen;
    std::int64_t lowest = -1;
    std::int64_t position = 0;  // the individual pointer
    errc sync_lost = {};
    std::vector<std::unique_ptr<record>> pending;
    std::vector<std::unique_ptr<record>> ended;  // requests that were waited for
    bool dropped = false;                        // some were, so far
    std::vector<std::error_code> deserved;       // by those
    // errors that belong to a request or to a call beside it
    std::vector<witnessed> pool;
    bool pool_told = false;  // one of them reported an error
    bool left = false;
    bool handle_throws = false;  // at its next read or write
    std::int64_t calls = 0;      // to files, that it made
  };
  rank_state& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  rank_state& pool_of(int rank) { return of(serves ? 0 : rank); }
  std::int64_t share_of(step const& s, int rank) const;
  bool asks_policy(step const& s, int rank) const;
  std::int64_t offset_of(step const& s, int rank) const;
  // To the file of this step, before anything else: all ranks have left the step before.
  void enter(step const& s);
  opened_file const& elsewhere() const { return other_; }
  bool makes_sense(step const& s) const;
  std::int64_t displacement_of(step const& s) const;  // of set_view
  errc deserves(step const& s, int rank) const;

  // Begins a rank's part in a step.
  record& begin(std::size_t k, int rank);
  // The last one to come looks at everything.
  void arrive(std::size_t k, int rank);
  // A rank that has died, or gives up.
  void leave(int rank, bool died);
  // After the run.
  void finish();
  // Calls to files: threads of a process make them, too.
  void touched(int rank, std::int64_t offset);
  void saw(int rank, witnessed w);
  bool called(int rank, bool may_throw);  // whether it shall
  std::vector<witnessed> take_seen(int rank);
  // After a call to a file, of any rank.
  void call_ended() { crashes_.look(); }
  // Byte i of the stream of what a rank writes, at this place of the file.
  static std::byte value_of(record const& r, std::int64_t i, std::int64_t place) {
    return byte_of(r.key, r.by_place ? place : i);
  }

  // Where ranks are processes: what all have done since the last time is here now, and looked at.
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
  bool is_here(int rank) const { return only_ < 0 || rank == only_; }  // what it reads
  bool is_sure(std::int64_t offset) const;
  bool was_lost(std::int64_t offset, std::byte value) const;
  bool is_free(std::int64_t offset) const;

  program const& program_;
  opened_file other_;
  struct pointers {
    std::int64_t position = 0;
    errc sync_lost = {};
  };
  std::vector<pointers> others_;  // of ranks, in the other file
  int slot_ = 0;
  // what was dropped may be moved until the file is closed
  std::vector<std::unique_ptr<record>> graveyard_;
  std::vector<step> steps_;
  file_system& files_;
  int only_;
  crash_points crashes_;
  std::mutex seeing_;
  std::int64_t asked_again_ = 0;  // how many calls the program's faults let be tried again
  std::string unseen_;            // what the library should not have seen
  std::vector<rank_state> ranks_;
  std::vector<std::error_code> met_;                    // by file calls
  std::map<std::size_t, std::vector<record>> records_;  // of steps that were not looked at yet
  std::map<std::size_t, int> arrived_;
  int left_ = 0;
  std::size_t next_ = 0;  // step to be looked at
  std::array<stored, 2> model_;
  // bytes of the open file that may have other values
  std::map<std::int64_t, candidates> maybe_;
  std::int64_t maybe_size_ = -1;                       // the size may be this
  std::vector<std::array<std::int64_t, 2>> anything_;  // stretches of which nothing is known
  // of what the file system had promised to bring to disk
  std::vector<loss> losses_;
  std::array<std::map<std::int64_t, candidates>, 2> fallen_;  // what may be there in their place
  std::array<std::int64_t, 2> least_size_ = {-1, -1};
};

}  // namespace argosy::explore
