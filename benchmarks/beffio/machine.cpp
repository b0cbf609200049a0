// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "print.hpp"

namespace beffio {
namespace {

// Returns a value of /proc/meminfo, in bytes; -1 if it is not there.
std::int64_t of_meminfo(std::string const& name) {
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind(name + ":", 0) == 0)
      return std::strtoll(line.c_str() + name.size() + 1, nullptr, 10) * kib;
  return -1;
}

}  // namespace

std::string machine_name() {
  utsname u{};
  if (::uname(&u) != 0) return "unknown";
  return fmt::format("{} {} {} {}", u.sysname, u.nodename, u.release, u.machine);
}

std::string date_now() {
  std::time_t const now = std::time(nullptr);
  std::tm local{};
  std::array<char, 64> text{};
  ::localtime_r(&now, &local);
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S %Z", &local);
  return text.data();
}

std::int64_t memory_bytes() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
}

std::int64_t free_bytes(std::string const& directory) {
  struct statvfs s{};
  if (::statvfs(directory.c_str(), &s) != 0) return -1;
  auto free = static_cast<std::int64_t>(s.f_bavail) * static_cast<std::int64_t>(s.f_frsize);
  struct statfs kind{};
  constexpr long tmpfs = 0x01021994;
  if (::statfs(directory.c_str(), &kind) == 0 && kind.f_type == tmpfs)
    if (std::int64_t const available = of_meminfo("MemAvailable"); available >= 0)
      free = std::min(free, available / 2);
  return free;
}

probe tried(std::string const& directory) {
  using clock = std::chrono::steady_clock;
  auto const seconds = [](clock::time_point from) {
    return std::chrono::duration<double>(clock::now() - from).count();
  };
  std::string const path = directory + "/trial";
  int const d = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (d < 0) return {};
  std::vector<char> const block(mib, 'b');
  double bytes = 0;
  auto const start = clock::now();
  for (int k = 0; k < 64 && seconds(start) < 0.25; ++k) {
    ssize_t const put = ::write(d, block.data(), block.size());
    if (put <= 0) break;
    bytes += static_cast<double>(put);
  }
  double const cached = seconds(start);
  bool const stored = ::fsync(d) == 0;
  double const all = seconds(start);
  ::close(d);
  ::unlink(path.c_str());
  if (bytes <= 0) return {};
  return {bytes / std::max(cached, 1e-6), stored ? bytes / std::max(all, 1e-6) : 0};
}

forecast forecast_of(schedule const& s, probe const& p, int implementations, int ranks,
                     std::int64_t longest, std::int64_t free, std::int64_t asked) {
  forecast f;
  f.each = estimated(s, p);
  f.free = free;
  // partitions whose files exist at a time
  int const partitions = s.rules == release::r1 ? 1 : s.partitions;
  f.least = implementations * partitions * least_bytes(ranks, longest);
  if (free >= 0) f.usable = free / 10 * 9;
  if (asked > 0) f.usable = std::min(f.usable, asked);
  if (f.usable != any_number) f.budget = f.usable / implementations / partitions;
  return f;
}

std::string to_string(forecast const& f, schedule const& s, int implementations) {
  double const seconds = f.each.seconds * implementations;
  std::string text = fmt::format(
      "scheduled: {}{}; by a short trial about {}\n", duration_text(s.planned_seconds()),
      implementations > 1 ? fmt::format(" for each of {}", implementations) : "",
      duration_text(std::max(seconds, s.planned_seconds() * implementations)));
  double const bytes = static_cast<double>(f.each.bytes) * implementations;
  text += fmt::format("files: at most about {}", bytes_text(bytes));
  if (f.free >= 0) text += fmt::format(", {} are free", bytes_text(static_cast<double>(f.free)));
  text += "\n";
  if (!f.fits())
    text += fmt::format("NO SPACE: all patterns together need {} at least, {} may be used\n",
                        bytes_text(static_cast<double>(f.least)),
                        bytes_text(static_cast<double>(f.usable)));
  else if (f.usable != any_number && bytes > static_cast<double>(f.usable))
    text += fmt::format("space: {} may be used, so patterns may end before their time\n",
                        bytes_text(static_cast<double>(f.usable)));
  return text;
}

}  // namespace beffio
