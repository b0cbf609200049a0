// Implements format/leftovers.hpp and format/detail/written_mark.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/leftovers.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/error/error.hpp>
#include <argosy/exchange/detail/presence.hpp>
#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/file/file_hints.hpp>
#include <argosy/file/hints_file.hpp>
#include <argosy/format/detail/written_mark.hpp>
#include <argosy/handle/detail/permissions.hpp>
#include <argosy/handle/posix.hpp>

namespace argosy {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view hexadecimal = "0123456789abcdef";
constexpr std::size_t digits = 16;
constexpr std::chrono::seconds beginning{60}, recently{3600};

// Returns true if `name` is the temporary name of a file called `of`.
bool is_part_of(std::string_view name, std::string_view of) {
  if (!name.starts_with(of)) return false;
  name.remove_prefix(of.size());
  return name.size() == digits + 6 && name.front() == '.' && name.ends_with(".part") &&
         name.substr(1, digits).find_first_not_of(hexadecimal) == std::string_view::npos;
}

// Returns true if the file is younger, or if the clock of the file system is ahead.
bool is_younger(fs::path const& file, std::chrono::seconds than) {
  std::error_code error;
  auto const written = fs::last_write_time(file, error);
  return !error && fs::file_time_type::clock::now() - written < than;
}

// Returns why the file must be kept. If no job needs it, calls `unneeded` while no other process
// can begin to write the file.
template <class Unneeded>
std::string why_kept(fs::path const& file, std::int64_t bytes, Unneeded&& unneeded) {
  std::error_code error, tried, held;
  extend::any_handle f = posix_opener()(file.string(), {.read = true}, error);
  if (error) return "it cannot be opened to see whether a job writes it: " + error.message();
  if (bytes == 0 && is_younger(file, beginning))
    return "it is new and empty: a save may be about to write it";
  if (f.storage().over_network && is_younger(file, recently))
    return "it was written less than an hour ago, and on a network file system a lock may hold on "
           "one node only";
  detail::presence const mine(detail::random_name(), 0, 1);
  if (!mine.exclude(f, tried, held)) {
    if (!tried && !held) return "a running job writes it";
    return "nobody can tell whether a job writes it: no locks here (" +
           (tried ? tried : held).message() + ")";
  }
  std::string const why = unneeded(f.identity());
  mine.readmit(f);
  return why;
}

template <class Unneeded>
std::vector<leftover> look(std::string const& path, Unneeded&& unneeded) {
  fs::path const whole(detail::without_prefix(path)), directory = whole.parent_path();
  std::string const name = whole.filename().string();
  std::vector<leftover> all;
  for (fs::directory_entry const& entry :
       fs::directory_iterator(directory.empty() ? "." : directory)) {
    std::error_code gone;
    fs::path const file = directory / entry.path().filename();
    if (name.empty() || !is_part_of(file.filename().string(), name)) continue;
    if (entry.symlink_status(gone).type() != fs::file_type::regular) continue;
    auto const bytes = static_cast<std::int64_t>(entry.file_size(gone));
    if (gone) continue;
    all.push_back({file.string(), bytes,
                   why_kept(file, bytes, [&](std::optional<extend::file_identity> const& of) {
                     return unneeded(file.string(), of);
                   })});
  }
  std::ranges::sort(all, {}, &leftover::path);
  return all;
}

template <class Unneeded>
std::vector<leftover> look_for(char const* call, std::string const& path, on_error const& e,
                               Unneeded&& unneeded) {
  std::vector<leftover> all;
  extend::failure const why = detail::failure_of(errc::io, [&]() -> extend::failure {
    try {
      all = look(path, unneeded);
    } catch (fs::filesystem_error const& x) {
      return {x.code(), "listing the directory"};
    }
    return {};
  });
  extend::agreement const a = detail::local_agreement(0, why);
  if (e.error()) *e.error() = a.code;
  if (!a && !e.error()) throw error(a, call, path, 0);
  return all;
}

}  // namespace

std::vector<leftover> find_leftovers(std::string const& path, on_error e) {
  return look_for("find_leftovers", path, e, [](auto const&...) { return std::string(); });
}

std::vector<leftover> remove_leftovers(std::string const& path, on_error e) {
  return look_for("remove_leftovers", path, e, [](std::string const& name, auto const& of) {
    std::error_code const kept = posix_opener().remove(name, of);
    return kept ? "it could not be removed: " + kept.message() : std::string();
  });
}

extend::failure detail::written_mark::enter(opener const& files, std::string const& path,
                                            std::uint64_t number) {
  std::error_code error;
  bool none = false;
  file_ = files(path, {.read = true, .write = true}, error);
  if (error) return {error, "opening '" + path + "' again, to lock it"};
  error = presence(number, 0, 1).enter(file_, none);
  if (error && !none) return {error, "locking '" + path + "'"};
  extend::any_handle named = files(path, {.read = true, .may_be_missing = true}, error);
  if (error && classify(error) != errc::no_such_file) return {error, "looking at '" + path + "'"};
  if (error) return {error, "'" + path + "' was removed before it was written", "save again"};
  return {};
}

void detail::written_mark::permit(std::optional<unsigned> permissions) {
  if (permissions) detail::permit(file_, *permissions);
}

extend::failure detail::permissions_at(opener const& files, std::string const& path,
                                       std::optional<unsigned>& into) {
  std::error_code error;
  extend::any_handle old = files(path, {.read = true, .may_be_missing = true}, error);
  bool const will_stop_the_save = error == std::errc::too_many_files_open ||
                                  error == std::errc::too_many_files_open_in_system ||
                                  error == std::errc::not_enough_memory ||
                                  (error && classify(error) == errc::no_memory);
  if (will_stop_the_save) return {error, "looking up the permissions of the file that is replaced"};
  if (error) return {};
  into = permissions_of(old);
  // an error does not matter, because nothing was written
  failure_of(errc::io, [&] { old.close(); });
  return {};
}

namespace {

file_hints with_environment(hints const& given) {
  return {detail::environment_hints(), {}, given, detail::overriding_hints()};
}

}  // namespace

bool detail::says_permissions(hints const& given) {
  return with_environment(given).values().file_permissions.has_value();
}

bool detail::says_early_writes(hints const& given) {
  return with_environment(given).find("argosy_early_writes")->status == hint_status::accepted;
}

}  // namespace argosy
