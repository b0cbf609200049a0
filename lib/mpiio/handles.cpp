// Implements handles.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "handles.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>

#include <argosy/error/errc.hpp>
#include <argosy/file/hints_file.hpp>
#include <argosy/handle/gpfs_real.hpp>
#ifdef ARGOSY_MPIIO_HAS_LAB
#include <argosy/lab/gpfs/mount.hpp>
#endif

namespace argosy::mpiio {
namespace {

constexpr std::string_view simulated = "gpfsd:";

// Returns the last value of that name; empty if there is none.
std::string value_of(hints const& all, std::string_view name) {
  auto const found = std::find_if(all.named.rbegin(), all.named.rend(),
                                  [&](auto const& h) { return h.name == name; });
  return found == all.named.rend() ? std::string() : found->value;
}

bool begins_with_gpfs(std::string_view text) {
  constexpr std::string_view gpfs = "gpfs:";
  return text.size() >= gpfs.size() &&
         std::equal(gpfs.begin(), gpfs.end(), text.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

std::string name_for(std::string const& path, hints const& given) {
  for (hints const& from :
       {argosy::detail::overriding_hints(), given, argosy::detail::environment_hints()})
    if (std::string const value = value_of(from, handle_hint); !value.empty()) return value;
  return begins_with_gpfs(path) || begins_with_gpfs(value_of(given, "romio_filesystem_type"))
             ? "gpfs"
             : "posix";
}

opener failing(std::string words) {
  return {[words = std::move(words)](std::string const&, open_flags,
                                     std::error_code& error) -> any_handle {
            static std::mutex mutex;
            static std::map<std::string, bool> said;
            std::lock_guard const guard(mutex);
            if (!std::exchange(said[words], true))
              std::fprintf(stderr, "argosy: %s\n", words.c_str());
            error = errc::hint;
            return {};
          },
          [](std::string const&) { return make_error_code(errc::hint); }};
}

opener simulated_files([[maybe_unused]] std::string const& socket) {
#ifdef ARGOSY_MPIIO_HAS_LAB
  static std::mutex mutex;
  // Never destroyed, because mounts have threads, and programs end in any order.
  static auto& mounts = *new std::map<std::string, lab::gpfs::mount>;
  std::lock_guard const guard(mutex);
  lab::gpfs::mount& mounted = mounts[socket];
  if (!mounted.is_mounted()) {
    std::ifstream in(socket);
    std::string const address{std::istreambuf_iterator<char>(in), {}};
    std::error_code error;
    mounted = lab::gpfs::mount::to(address, lab::gpfs::mount::any_node, error);
    if (error)
      return failing(std::string(handle_hint) + "=gpfsd:" + socket +
                     ": cannot be mounted: " + error.message());
  }
  return mounted.files();
#else
  return failing(std::string(handle_hint) + "=gpfsd:" + socket +
                 ": this library was built without the laboratory");
#endif
}

}  // namespace

chosen_handle handle_for(std::string const& path, hints const& given) {
  std::string const name = name_for(path, given);
  if (name == "posix") return {name, posix_opener()};
  if (name == "gpfs") return {name, gpfs_real_opener()};
  if (name.starts_with(simulated)) return {name, simulated_files(name.substr(simulated.size()))};
  return {name,
          failing(std::string(handle_hint) + "=" + name + ": give posix, gpfs, or gpfsd:FILE")};
}

}  // namespace argosy::mpiio
