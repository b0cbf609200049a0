// Implements own.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "own.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "descriptor.hpp"

namespace patterns {
namespace {

// Pieces of a buffer. In the message they lie one behind the other.
class piece_list {
 public:
  void clear() { pieces_.clear(), bytes_ = 0, each_ = -1; }
  void add(std::int64_t offset, std::int64_t bytes) {
    each_ = pieces_.empty() || each_ == bytes ? bytes : 0;
    pieces_.push_back({offset, bytes});
    bytes_ += bytes;
  }
  std::int64_t bytes() const { return bytes_; }
  std::vector<std::pair<std::int64_t, std::int64_t>> const& pieces() const { return pieces_; }

  void gather(std::byte* message, std::byte const* buffer) const {
    copy([&](std::int64_t at, std::int64_t offset, auto n) {
      std::memcpy(message + at, buffer + offset, static_cast<std::size_t>(n));
    });
  }
  void scatter(std::byte const* message, std::byte* buffer) const {
    copy([&](std::int64_t at, std::int64_t offset, auto n) {
      std::memcpy(buffer + offset, message + at, static_cast<std::size_t>(n));
    });
  }

 private:
  // Small pieces of one size are copied without calls, as a program does that knows the size.
  template <class Copy>
  void copy(Copy const& f) const {
    switch (each_) {
      case 8:
        return copy_each(f, std::integral_constant<std::int64_t, 8>());
      case 24:
        return copy_each(f, std::integral_constant<std::int64_t, 24>());
      case 64:
        return copy_each(f, std::integral_constant<std::int64_t, 64>());
      default:
        break;
    }
    std::int64_t at = 0;
    for (auto const& [offset, n] : pieces_) f(at, offset, n), at += n;
  }
  template <class Copy, class Size>
  void copy_each(Copy const& f, Size n) const {
    std::int64_t at = 0;
    for (auto const& piece : pieces_) f(at, piece.first, n), at += n;
  }

  std::vector<std::pair<std::int64_t, std::int64_t>> pieces_;
  std::int64_t bytes_ = 0, each_ = -1;
};

// The bytes that go to each rank, or come from it.
struct parcels {
  std::vector<int> counts, before;
  explicit parcels(std::size_t ranks = 0) : counts(ranks), before(ranks) {}
  void settle() { std::exclusive_scan(counts.begin(), counts.end(), before.begin(), 0); }
};

class own_file final : public implementation {
 public:
  std::string_view name() const override { return "own"; }
  void open(setting const& s) override {
    file_.open(s);
    plan(s);
  }
  void close() override { file_.close(); }
  void sync() override { file_.sync(); }
  void write(std::byte const* memory) override {
    mine_.gather(sent_.data(), memory);
    exchange(sent_, to_, come_, from_);
    theirs_.scatter(come_.data(), part_.data());
    for (auto const& [offset, bytes] : stretches_)
      file_.write(part_.data() + offset, bytes, begin_ + offset);
  }
  void read(std::byte* memory) override {
    for (auto const& [offset, bytes] : stretches_)
      file_.read(part_.data() + offset, bytes, begin_ + offset);
    theirs_.gather(come_.data(), part_.data());
    exchange(come_, from_, sent_, to_);
    mine_.scatter(sent_.data(), memory);
  }

 private:
  void exchange(std::vector<std::byte> const& out, parcels const& to, std::vector<std::byte>& in,
                parcels const& from) const {
    MPI_Alltoallv(out.data(), to.counts.data(), to.before.data(), MPI_BYTE, in.data(),
                  from.counts.data(), from.before.data(), MPI_BYTE, file_.comm());
  }

  // Cuts this rank's pieces at the ends of parts, and tells each owner which pieces come.
  void plan(setting const& s) {
    auto const ranks = static_cast<std::size_t>(s.what->ranks());
    int const rank = rank_in(s.comm);
    std::int64_t const each = (s.what->file_bytes() + s.what->ranks() - 1) / s.what->ranks();
    begin_ = each * rank;
    mine_.clear();
    to_ = parcels(ranks);
    parcels notes(ranks), replies(ranks);
    std::vector<std::int64_t> told;  // offset and length of each piece, owner by owner
    s.what->walk(rank, [&](transfer t) {
      while (t.bytes > 0) {
        std::int64_t const owner = t.file_offset / each;
        std::int64_t const n = std::min(t.bytes, (owner + 1) * each - t.file_offset);
        mine_.add(t.memory_offset, n);
        told.insert(told.end(), {t.file_offset, n});
        to_.counts[static_cast<std::size_t>(owner)] += static_cast<int>(n);
        notes.counts[static_cast<std::size_t>(owner)] += 2;
        t = {t.file_offset + n, t.memory_offset + n, t.bytes - n};
      }
    });
    to_.settle();
    notes.settle();
    MPI_Alltoall(notes.counts.data(), 1, MPI_INT, replies.counts.data(), 1, MPI_INT, s.comm);
    replies.settle();
    std::vector<std::int64_t> heard(
        static_cast<std::size_t>(replies.before.back() + replies.counts.back()));
    MPI_Alltoallv(told.data(), notes.counts.data(), notes.before.data(), MPI_INT64_T, heard.data(),
                  replies.counts.data(), replies.before.data(), MPI_INT64_T, s.comm);
    expect(heard, replies);
    // The counts of MPI_Alltoallv are ints.
    if (std::max(mine_.bytes(), theirs_.bytes()) > std::numeric_limits<int>::max())
      fail("own moves less than 2 GiB of a rank: give a smaller --file");
    sent_.resize(static_cast<std::size_t>(mine_.bytes()));
    come_.resize(static_cast<std::size_t>(theirs_.bytes()));
    part_.resize(static_cast<std::size_t>(each));
  }

  void expect(std::vector<std::int64_t> const& heard, parcels const& replies) {
    theirs_.clear();
    from_ = parcels(replies.counts.size());
    for (std::size_t r = 0; r < replies.counts.size(); ++r)
      for (int k = 0; k < replies.counts[r]; k += 2) {
        auto const i = static_cast<std::size_t>(replies.before[r] + k);
        theirs_.add(heard[i] - begin_, heard[i + 1]);
        from_.counts[r] += static_cast<int>(heard[i + 1]);
      }
    from_.settle();
    stretches_ = theirs_.pieces();
    std::sort(stretches_.begin(), stretches_.end());
    std::size_t kept = 0;
    for (auto const& [offset, bytes] : stretches_)
      if (kept > 0 && stretches_[kept - 1].first + stretches_[kept - 1].second == offset)
        stretches_[kept - 1].second += bytes;
      else
        stretches_[kept++] = {offset, bytes};
    stretches_.resize(kept);
  }

  descriptor file_;
  std::int64_t begin_ = 0;  // the offset of this rank's part in the file
  piece_list mine_, theirs_;
  parcels to_, from_;
  std::vector<std::pair<std::int64_t, std::int64_t>> stretches_;  // the part without its gaps
  std::vector<std::byte> sent_, come_, part_;
};

}  // namespace

std::unique_ptr<implementation> make_own() { return std::make_unique<own_file>(); }

}  // namespace patterns
