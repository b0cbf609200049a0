// Implements open.hpp: how a file is created, opened, and closed after a failed open.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <argosy/agree/detail/arguments.hpp>
#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/file/detail/state/io_threads.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/file/hints_file.hpp>
#include <argosy/handle/detail/give_back.hpp>
#include <argosy/handle/detail/storage_by_type.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/handle/tracing.hpp>
#include <argosy/handle/trying.hpp>
#include <argosy/layout/detail/counted.hpp>

namespace argosy::detail {

namespace {

// Returns whether the value switches develop mode on; nothing if the value is unknown.
std::optional<bool> develop_in(std::string_view set) {
  for (std::string_view const on : {"1", "on", "true"})
    if (set == on) return true;
  for (std::string_view const off : {"", "0", "off", "false"})
    if (set == off) return false;
  return {};
}

std::string_view develop_in_environment() {
  char const* const set = std::getenv("ARGOSY_DEVELOP");
  return set ? set : "";
}

// Returns a line for the complaint if the value is unknown; otherwise an empty string.
std::string unknown_develop() {
  std::string_view const set = develop_in_environment();
  if (develop_in(set)) return {};
  return "ARGOSY_DEVELOP=" + std::string(set) +
         " is not understood (1, on, true, 0, off, false); it is off\n";
}

}  // namespace

bool wants_develop(file_hints const& h) {
  return h.values().develop || develop_in(develop_in_environment()).value_or(false);
}

std::string without_prefix(std::string const& path) {
  constexpr std::string_view known[] = {"ufs",   "nfs",        "xfs",    "pfs",    "sfs",
                                        "piofs", "pvfs",       "pvfs2",  "testfs", "gpfs",
                                        "bgl",   "bglockless", "lustre", "panfs",  "daos",
                                        "ime",   "quobytefs",  "zoidfs", "beegfs"};
  std::string rest = path;
  for (;;) {
    std::size_t const colon = rest.find(':');
    std::string_view const prefix = std::string_view(rest).substr(0, colon);
    if (colon == std::string::npos || colon + 1 == rest.size()) return rest;
    if (std::find(std::begin(known), std::end(known), prefix) == std::end(known)) return rest;
    if (::access(rest.c_str(), F_OK) == 0) return rest;
    rest.erase(0, colon + 1);
  }
}

namespace {

// Returns an identifier of the running kernel, because device numbers are valid on one kernel only.
std::string const& this_kernel() {
  static std::string const id = [] {
    std::array<char, 64> text{};
    if (std::FILE* const f = std::fopen("/proc/sys/kernel/random/boot_id", "re")) {
      if (!std::fgets(text.data(), static_cast<int>(text.size()), f)) text[0] = '\0';
      std::fclose(f);
    }
    return std::string(text.data());
  }();
  return id;
}

// Returns a number for the facts of a file or directory, and for `rest`; 0 if it cannot be
// examined.
std::uint64_t described(std::string const& name, facts compared, bool changes,
                        std::string const& rest) {
  struct statx file = {};
  struct statfs system = {};
  unsigned const asked = STATX_BASIC_STATS | STATX_BTIME;
  if (::statx(AT_FDCWD, name.c_str(), AT_STATX_SYNC_AS_STAT, asked, &file) != 0 ||
      ::statfs(name.c_str(), &system) != 0)
    return 0;
  auto const words = [](auto... numbers) { return ((std::to_string(numbers) + " ") + ...); };
  auto const type = static_cast<std::uint32_t>(system.f_type);
  std::string text = words(file.stx_ino, type);
  if (compared == facts::momentary) {
    text += words(system.f_blocks);
    if (changes) text += words(file.stx_size, file.stx_ctime.tv_sec, file.stx_ctime.tv_nsec);
  } else if ((file.stx_mask & STATX_BTIME) != 0) {
    text += words(file.stx_btime.tv_sec, file.stx_btime.tv_nsec);
  } else if (is_local(storage_by_type(type))) {
    text += words(file.stx_dev_major, file.stx_dev_minor) + this_kernel();
  }
  return fingerprint(text + rest);
}

}  // namespace

std::uint64_t place_of(std::string const& path, facts compared) {
  if (std::uint64_t const file = described(path, compared, true, {}); file != 0) return file;
  std::filesystem::path const p(path);
  std::string const directory = p.has_parent_path() ? p.parent_path().string() : ".";
  std::uint64_t const place = described(directory, compared, false, p.filename().string());
  return place != 0 ? place : fingerprint(path);
}

std::string canonical_path(std::string const& path) {
  std::error_code unknown;
  std::filesystem::path const found = std::filesystem::canonical(path, unknown);
  return unknown ? path : found.string();
}

std::uint64_t random_name() {
  try {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
  } catch (...) {  // no descriptor is left for it
    auto const now =
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    return (now + static_cast<std::uint64_t>(::getpid())) * 0x9e3779b97f4a7c15u;
  }
}

std::string pointer_path(std::string const& path, std::uint64_t name) {
  std::filesystem::path const p(path);
  // If the file's name is long, the result is no longer than that, since it would not be a valid
  // name.
  constexpr std::size_t long_name = 100;
  std::string of = p.filename().string();
  std::string const rest = ".pointer-" + std::to_string(name);
  if (of.size() > long_name) of.resize(of.size() - rest.size() - 1);
  return (p.parent_path() / ("." + of + rest)).string();
}

bool takes_files(std::string const& path) {
  std::filesystem::path const directory = std::filesystem::path(path).parent_path();
  char const* const name = directory.empty() ? "." : directory.c_str();
  return ::faccessat(AT_FDCWD, name, W_OK, AT_EACCESS) == 0 || (errno != EROFS && errno != EACCES);
}

namespace {

// Returns a line for the complaint if the file that the environment names could not be read. Faults
// of single lines have an origin, and are not reported here.
std::string unreadable(argosy::hints const& h) {
  for (named_hint const& one : h.named)
    if (!one.fault.empty() && one.origin.empty())
      return one.name + "=" + one.value + ": " + one.fault + "; its hints do not count\n";
  return {};
}

}  // namespace

void open_file::begin(std::string const& name, argosy::mode how, int my_rank, int all_ranks,
                      argosy::hints const& h, opener with) {
  opened_.begin(name, how, my_rank, all_ranks);
  merges_.begin(how, my_rank, all_ranks);
  std::string complaint;
  auto trace = open_trace(trace_options::from_environment(my_rank), &complaint);
  opened_.use(with_tracing(std::move(with), trace));
  seen_by_.trace_by(std::move(trace));
  argosy::hints const from_environment = environment_hints(), overriding = overriding_hints();
  seen_by_.complain(complaint + unknown_develop() + unreadable(from_environment) +
                    unreadable(overriding));
  file_hints all(from_environment, {}, h, overriding);
  all.tell("filename", name);
  follow(std::move(all));
}

void open_file::complain(int others) const {
  std::string const& complaint = seen_by_.complaint();
  static std::mutex mutex;
  static std::set<std::string> said;
  std::lock_guard const guard(mutex);
  std::string const more = others == 0 ? "" : ", nor on " + counted(others, "other rank");
  for (std::size_t at = 0, end; at < complaint.size(); at = end + 1) {
    end = std::min(complaint.find('\n', at), complaint.size());
    if (std::string const line = complaint.substr(at, end - at); said.insert(line).second)
      std::fprintf(stderr, "argosy: %s (on rank %d%s)\n", line.c_str(), rank(), more.c_str());
  }
}

namespace {

open_flags flags_of(open_file const& f) {
  resolved_hints const& h = f.hints().values();
  open_flags flags{.read = true,
                   .write = can_write(f.modes()),
                   .permissions = h.file_permissions.value_or(0666),
                   .stripes = {h.striping_unit, h.striping_factor}};
  if (h.early_writes != tristate::automatic)
    flags.early_writes = h.early_writes == tristate::enable;
  return flags;
}

// Opens the file. A file for writing is opened for reading, too, if that is permitted, because then
// windows can be merged.
std::error_code open_with(open_file& f, open_flags flags) {
  std::error_code error;
  f.handle() = f.files()(f.path(), flags, error);
  bool const only_writes = error && classify(error) == errc::access && flags.write &&
                           !can_read(f.modes()) && !flags.create;
  if (only_writes) {
    flags.read = false;
    f.handle() = f.files()(f.path(), flags, error);
  }
  f.merges().can_read(!only_writes);
  return error;
}

}  // namespace

failure open_file::create(std::uint64_t number, bool& made, bool& none) {
  open_flags existing = flags_of(*this), fresh = existing;
  existing.may_be_missing = true;
  fresh.create = fresh.exclusive = true;
  made = false;
  // Other opens may create or remove the file between two tries.
  for (int i = 0; i < 8; ++i) {
    std::error_code error;
    if (!has(modes(), mode::exclusive)) {
      error = open_with(*this, existing);
      if (!error) {
        if (failure f = join(number, none); f || has_its_name()) return f;
        // another open created it, failed, and removed it before it could see this one
        handle_.close();
        continue;
      }
      if (classify(error) != errc::no_such_file) return error;
    }
    error = open_with(*this, fresh);
    made = !error;
    if (made) return join(number, none);
    if (has(modes(), mode::exclusive) || classify(error) != errc::file_exists) return error;
  }
  // A link to a file that does not exist: the file can be created, but not exclusively.
  fresh.exclusive = false;
  if (std::error_code const error = open_with(*this, fresh)) return error;
  return join(number, none);
}

failure open_file::join(std::uint64_t number, bool& none) {
  if (!merges_.enters()) return {};
  failure const f = merges_.enter(handle_, number, none);
  return none ? failure() : f;
}

failure open_file::open_existing() { return open_with(*this, flags_of(*this)); }

failure open_file::cut() {
  return failure_of(
      errc::io, [&]() -> failure { return {handle_.resize(0), "cutting the file to 0 bytes"}; });
}

failure open_file::to_end() {
  std::error_code error;
  position_.set(handle_.size(error));
  if (error) return {error, "asking for the size of the file"};
  return {};
}

void open_file::abandon(bool made) {
  if (!handle_.is_open()) return;
  if (made) failure_of(errc::io, [this] { return remove_made(), failure(); });
  failure_of(errc::io, [this] { return failure(handle_.close()); });
  if (handle_.is_open()) handle_ = {};  // closing it threw an exception
}

// Removes a file that this open created, if it is empty and no other open has it. The lock on the
// bytes of all other opens keeps new ones from entering: they wait, and then find that the name is
// gone. If another open may have the file, it stays: an empty file loses no data.
void open_file::remove_made() {
  std::error_code unknown;
  if (merges_.is_alone(handle_) && handle_.identity() && handle_.size(unknown) == 0 && !unknown)
    opened_.remove(handle_);
}

// The opener and the handle may be code of the program and may throw.
failure open_file::remove_and_close() {
  failure f = failure_of(errc::io, [this]() -> failure {
    std::error_code const kept = opened_.remove(handle_);
    if (!kept) return {};
    bool const gone = classify(kept) == errc::no_such_file;
    return {kept,
            gone ? "deleting the file: nobody has its name, or another file" : "deleting the file"};
  });
  f.keep(failure_of(errc::io, [this] { return failure(handle_.close()); }));
  if (handle_.is_open()) handle_ = {};
  return f;
}

void open_file::drain() {
  bool const counts = others_.has_requests();
  std::int64_t const since = counts ? now_ns(seen_by_.clock()) : 0;
  others_.wait_for_requests();
  if (counts) seen_by_.add_waited(now_ns(seen_by_.clock()) - since);
}

void open_file::leave() {
  // If an exception drops the file, the exception is the error to report.
  static std::atomic<bool> told{false};
  bool const tells = seen_by_.develops() && rank() == 0 && handle_.is_open();
  if (tells && std::uncaught_exceptions() == 0 && !told.exchange(true))
    std::fprintf(stderr,
                 "argosy: '%s' was never closed: only close() reports late errors and carries out "
                 "delete_on_close. What to do: all ranks call close() before the file goes. Told "
                 "once.\n",
                 path().c_str());
  others_.end_threads();
}

}  // namespace argosy::detail
