// SPDX-License-Identifier: BSD-3-Clause
#include "real_files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <argosy/handle/posix.hpp>

#include "places.hpp"

namespace argosy::explore {

using namespace extend;

namespace {

// Streams of the standard library make their system calls inside libc, where the shim cannot break
// them.
using stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
stream open_stream(std::string const& path, char const* how) {
  stream s(std::fopen(path.c_str(), how), &std::fclose);
  if (!s) throw std::system_error(errno, std::generic_category(), path);
  return s;
}

// Limits on repeating after EAGAIN. They work as in production, but with short pauses, because
// there are many programs.
constexpr retry_limits quick{.first_pause = std::chrono::microseconds(100),
                             .longest_pause = std::chrono::microseconds(1000),
                             .all_pauses = std::chrono::microseconds(5000)};

}  // namespace

opener real_files::files() {
  return posix_opener().opening(
      [](std::string const& path, open_flags flags, std::error_code& error) -> any_handle {
        posix file = posix::open(path, flags, error);
        if (error) return {};
        return any_handle(posix(std::move(file.raw()), quick));
      });
}

bool real_files::exists(std::string const& path) const { return std::filesystem::exists(path); }

std::vector<std::string> real_files::names() const {
  std::vector<std::string> all;
  for (auto const& entry : std::filesystem::directory_iterator(directory_))
    all.push_back(entry.path().string());
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::byte> real_files::content(std::string const& path) const {
  if (!exists(path)) return {};
  stream const s = open_stream(path, "rb");
  std::vector<std::byte> all;
  std::array<std::byte, 1 << 15> some;
  while (std::size_t const n = std::fread(some.data(), 1, some.size(), s.get()))
    all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(n));
  if (std::ferror(s.get())) throw std::runtime_error("'" + path + "' cannot be read");
  return all;
}

void real_files::put(std::string const& path, std::span<std::byte const> bytes) {
  if (!makes_) return;
  stream s = open_stream(path, "wb");
  std::size_t const put = bytes.empty() ? 0 : std::fwrite(bytes.data(), 1, bytes.size(), s.get());
  if (std::fclose(s.release()) != 0 || put != bytes.size())
    throw std::runtime_error("'" + path + "' cannot be written");
}

void real_files::remove() const {
  for (std::string const& name : names()) std::filesystem::remove(name);
}

program for_processes(program p) {
  lab::scenario& w = p.world;
  p.gpfs.reset();
  p.crash_every = 0;
  w.deaths.clear();
  w.slow.clear();
  w.pauses.clear();
  w.network = {};
  // Threads still work on a collective request that its ranks dropped, so the oracle cannot know
  // how far it has come.
  for (step& s : p.steps)
    if (s.what == op::drop) s.what = op::wait;
  // Only the simulated file system has this call.
  std::erase_if(w.faults, [](lab::rank_fault const& f) { return f.what.kind == file_call::fcntl; });
  for (lab::rank_fault& f : w.faults) {
    // Delays pass in real time, so they are shortened and made rare. An open waits with the
    // patience of production. EAGAIN at an open, or at the size that it asks for, must therefore
    // end soon.
    f.what.delay = std::min(f.what.delay, std::chrono::nanoseconds(std::chrono::milliseconds(10)));
    if (f.what.delay.count() > 0) f.what.times = std::min<std::int64_t>(f.what.times, 20);
    if ((f.what.kind == file_call::open || f.what.kind == file_call::size) &&
        f.what.error == std::errc::resource_unavailable_try_again)
      f.what.times = std::min<std::int64_t>(f.what.times, 6);
  }
  return p;
}

std::string system_faults(program const& p, int rank) {
  static constexpr std::array<char const*, argosy::detail::file_call_count> names{
      "open",      "read",      "write", "lock",  "unlock", "fstat",
      "ftruncate", "fallocate", "fsync", "close", "fcntl"};
  std::string text;
  auto const add = [&](std::string const& one) { text += (text.empty() ? "" : ";") + one; };
  for (lab::rank_fault const& one : p.world.faults) {
    if (one.rank != -1 && one.rank != rank) continue;
    fault const& f = one.what;
    char const* const call = names[static_cast<std::size_t>(f.kind)];
    std::string const when = fmt::format("{}@{}{}", call, f.first,
                                         f.times == fault::forever ? "+"
                                         : f.times > 1             ? fmt::format("x{}", f.times)
                                                                   : "");
    if (f.delay.count() > 0)
      add(fmt::format("{}=late:{}us", when,
                      std::chrono::duration_cast<std::chrono::microseconds>(f.delay).count()));
    if (f.most_bytes != fault::all_bytes)
      add(f.error ? fmt::format("{}=torn:{}:{}", when, f.most_bytes, f.error.value())
                  : fmt::format("{}=short:{}", when, f.most_bytes));
    else if (f.error)
      add(fmt::format("{}={}", when, f.error.value()));
  }
  // In most programs one rank is late with a few writes. If no lock prevents it, other ranks can
  // then write between its read of a window and its write.
  std::uint64_t const chance = mixed(p.world.seed, 3);
  if (chance % 4 != 0 &&
      static_cast<int>(mixed(chance, 1) % static_cast<std::uint64_t>(p.world.ranks)) == rank)
    add(fmt::format("write@1x12=late:{}", 1 + mixed(chance, 2) % 6));
  if (!p.world.disk.has_locks) add(fmt::format("lock@1+={}", ENOLCK));
  // A full disk is simulated as a limit of each file, equal on all ranks. Virtual disks have room
  // for the files that exist before, which is subtracted here.
  if (std::int64_t const room = p.world.disk.capacity_bytes; room != lab::virtual_disk::endless) {
    std::int64_t const end = std::max<std::int64_t>(room - 2 * 20480, 0);
    add(fmt::format("write@1+=full:{}", end));
    add(fmt::format("fallocate@1+=full:{}", end));
  }
  return text;
}

}  // namespace argosy::explore
