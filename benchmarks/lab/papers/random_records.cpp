// Records at random places of a file, the same of each task, with the range hint and without.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <random>
#include <vector>

#include <argosy/exchange/detail/guided_access.hpp>

#include "workloads.hpp"

namespace papers {

namespace io = argosy;

namespace {

using range = io::gpfs::gpfsRangeArray_t;

// Returns one range for each block that a record touches. `record_of` has the record of each range.
std::vector<range> ranges_of(std::vector<std::int64_t> const& records, std::int64_t bytes,
                             std::int64_t block_bytes, bool writes,
                             std::vector<std::int64_t>& record_of) {
  std::vector<range> all;
  for (std::size_t k = 0; k < records.size(); ++k) {
    io::detail::block_ranges of_one(block_bytes, writes);
    of_one.add(records[k], records[k] + bytes);
    for (range const& r : of_one.get()) {
      all.push_back(r);
      record_of.push_back(static_cast<std::int64_t>(k));
    }
  }
  return all;
}

}  // namespace

// The file exists before, and is not cached when a measurement begins.
rates random_records(setup const& s) {
  std::int64_t const each = s.what.transfer_bytes, count = s.bytes(each) / each;
  std::int64_t const places = std::max<std::int64_t>(1, random_file_bytes / s.scale / each);
  std::int64_t const max_acc = s.what.max_acc.value_or(0);
  io::lab::hollow_memory const memory(static_cast<std::size_t>(each));
  return play(s, [&](player& p) {
    // TR 2.2: the program makes similar random patterns, so that tasks want the same blocks.
    std::mt19937_64 random(s.seed);
    p.fill(places * each);
    for (io::access_kind const kind : {io::access_kind::write, io::access_kind::read}) {
      bool const writes = kind == io::access_kind::write;
      std::vector<std::int64_t> records(static_cast<std::size_t>(count));
      for (std::int64_t& r : records)
        r = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(places)) * each;
      p.forget();
      p.time(kind, each * count * p.world.size(), [&] {
        plain_file f(p);
        auto const access = [&](std::int64_t k) {
          if (writes)
            f.write(records[static_cast<std::size_t>(k)], memory.bytes());
          else
            f.read(records[static_cast<std::size_t>(k)], memory.bytes());
        };
        if (max_acc == 0) {
          for (std::int64_t k = 0; k < count; ++k) access(k);
        } else {
          std::vector<std::int64_t> record_of;
          auto const ranges = ranges_of(records, each, s.machine.fs.block_bytes, writes, record_of);
          io::report done;
          std::size_t next = 0;  // index of a range
          // Records are accessed as a whole, up to the last record with a range in this step.
          io::detail::guided_access(f.handle(), ranges, max_acc, done,
                                    [&](std::int64_t, std::int64_t end) {
                                      while (next < static_cast<std::size_t>(end)) {
                                        std::int64_t const k = record_of[next];
                                        access(k);
                                        while (next < record_of.size() && record_of[next] == k)
                                          ++next;
                                      }
                                      return static_cast<std::int64_t>(next);
                                    });
        }
        f.close();
      });
    }
  });
}

}  // namespace papers
