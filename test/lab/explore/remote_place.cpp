// SPDX-License-Identifier: BSD-3-Clause
#include "remote_place.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <system_error>

namespace argosy::explore {

struct meeting_place::counter {
  std::atomic<std::uint32_t> here, times;
};
struct meeting_place::slot {
  static constexpr std::size_t most = (std::size_t{16} << 20) - sizeof(std::size_t);
  std::size_t size;
  std::byte bytes[most];
};

meeting_place::counter& meeting_place::counter_of(int ranks) const {
  return *reinterpret_cast<counter*>(memory_ + static_cast<std::size_t>(ranks) * 64);
}
meeting_place::slot& meeting_place::slot_of(int rank, int turn) const {
  auto const front = 64 * (static_cast<std::size_t>(size_) + 1);
  return *reinterpret_cast<slot*>(memory_ + front +
                                  static_cast<std::size_t>(2 * rank + turn) * sizeof(slot));
}

meeting_place::meeting_place(MPI_Comm world, std::string const& directory) : world_(world) {
  MPI_Comm_rank(world, &rank_);
  MPI_Comm_size(world, &size_);
  turns_.resize(static_cast<std::size_t>(size_) + 1);
  // Few of these pages are ever touched.
  bytes_ = 64 * turns_.size() + 2 * static_cast<std::size_t>(size_) * sizeof(slot);
  std::string const name = directory + "/meeting";
  auto const check = [&](bool well) {
    if (!well) throw std::system_error(errno, std::generic_category(), name);
  };
  if (rank_ == 0) {
    int const made = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    check(made >= 0 && ::ftruncate(made, static_cast<off_t>(bytes_)) == 0 && ::close(made) == 0);
  }
  MPI_Barrier(world);
  int const file = ::open(name.c_str(), O_RDWR | O_CLOEXEC);
  check(file >= 0);
  void* const mapped = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  check(mapped != MAP_FAILED && ::close(file) == 0);
  memory_ = static_cast<std::byte*>(mapped);
  barrier(size_);
  if (rank_ == 0) ::unlink(name.c_str());
}

meeting_place::~meeting_place() { ::munmap(memory_, bytes_); }

void meeting_place::barrier(int ranks) {
  counter& c = counter_of(ranks);
  std::uint32_t const now = c.times.load();
  if (c.here.fetch_add(1) + 1 == static_cast<std::uint32_t>(ranks)) {
    c.here = 0;
    ++c.times;
    ::syscall(SYS_futex, &c.times, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    return;
  }
  timespec const while_nobody_comes{0, 1'000'000};
  while (c.times.load() == now) {
    ::syscall(SYS_futex, &c.times, FUTEX_WAIT, now, &while_nobody_comes, nullptr, 0);
    int some = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world_, &some, MPI_STATUS_IGNORE);
  }
}

// Each rank has two slots, used in turn. If a rank is here again, all ranks have read the slot from
// the time before the last.
std::vector<std::vector<std::byte>> meeting_place::gather(std::span<std::byte const> mine,
                                                          int ranks) {
  if (mine.size() > slot::most)
    throw std::length_error("a rank has more to say than a meeting place holds");
  int const turn = turns_[static_cast<std::size_t>(ranks)] ^= 1;
  slot& here = slot_of(rank_, turn);
  here.size = mine.size();
  if (!mine.empty()) std::memcpy(here.bytes, mine.data(), mine.size());
  barrier(ranks);
  std::vector<std::vector<std::byte>> all(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    slot const& theirs = slot_of(r, turn);
    all[static_cast<std::size_t>(r)].assign(theirs.bytes, theirs.bytes + theirs.size);
  }
  return all;
}

std::string meeting_place::first(std::string const& mine, int ranks) {
  for (auto const& words : gather(std::as_bytes(std::span(mine)), ranks))
    if (!words.empty()) return {reinterpret_cast<char const*>(words.data()), words.size()};
  return {};
}

}  // namespace argosy::explore
