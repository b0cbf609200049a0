// Copies a Zarr store into one zip file, by all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/format/detail/block_shares.hpp>
#include <argosy/format/detail/together.hpp>
#include <argosy/format/detail/zarr/zip_file.hpp>

namespace argosy::detail {

// The entries that one rank copies, and where they lie.
struct zip_share {
  std::vector<zip_entry> entries;
  std::int64_t all_entries = 0;
  std::int64_t line_at = 0;       // the place of its lines in the directory
  std::int64_t directory_at = 0;  // in the zip file
  std::int64_t directory_bytes = 0;
};

// Shares out the files of a directory. The place of each rank's entries is the sum of the bytes of
// the ranks before it.
template <communicator World>
zip_share share_out_zip(joint_call<World> const& s, opener const& files, std::string const& from,
                        std::string const& names) {
  struct totals {
    std::int64_t entries = 0, bytes = 0, lines = 0;
    void combine(totals const& other) {
      entries += other.entries;
      bytes += other.bytes;
      lines += other.lines;
    }
  } all;
  zip_share mine;
  s.alone(errc::io, [&] {
    return share_of_entries(files, from, names, s.rank(), s.world().size(), mine.entries,
                            all.bytes);
  });
  std::int64_t at = s.exclusive_sum(all.bytes);
  for (zip_entry& e : mine.entries) {
    e.offset = at;
    at += zip_header_bytes(e) + e.bytes;
  }
  s.alone(errc::io, [&] {
    for (zip_entry const& e : mine.entries) all.lines += std::ssize(zip_line(e));
  });
  mine.line_at = s.exclusive_sum(all.lines);
  all.entries = std::ssize(mine.entries);
  s.all_reduce(all);
  mine.all_entries = all.entries;
  mine.directory_at = all.bytes;
  mine.directory_bytes = all.lines;
  return mine;
}

// Writes this rank's entries, and their lines in the directory. Local.
template <communicator World>
failure write_zip_share(basic_file<World>& f, opener const& files, std::string const& from,
                        zip_share& mine, bool last) {
  auto const write = [&](std::int64_t offset, std::span<std::byte const> bytes) {
    f.write_at(offset, bytes);
  };
  std::string lines;
  for (zip_entry& e : mine.entries) {
    if (failure unread = copy_entry(files, from, e, write)) return unread;
    lines += zip_line(e);
  }
  f.write_at(mine.directory_at + mine.line_at, std::as_bytes(std::span(lines)));
  if (!last) return {};
  std::string const end = zip_end(mine.all_entries, mine.directory_at, mine.directory_bytes);
  f.write_at(mine.directory_at + mine.directory_bytes, std::as_bytes(std::span(end)));
  return {};
}

// Writes the zip file under a temporary name, and then gives it its own.
template <communicator World>
void pack_zarr(joint_call<World> const& s, std::string const& from, std::string const& zip,
               hinted const& with, opener const& files) {
  std::string names, directory, to, unfinished;
  std::optional<opener> opens;
  std::uint64_t number = random_name();
  if constexpr (requires { s.world().unique_number(); }) number = s.world().unique_number();
  s.alone_with_equal("zip file", errc::io, [&](std::string& text) {
    directory = files.absolute(without_prefix(from));
    to = files.absolute(without_prefix(zip));
    text = "from " + directory + "\nto " + to;
    opens = files;
  });
  s.broadcast(std::as_writable_bytes(std::span(&number, 1)));
  s.on_first(errc::io, [&]() -> failure {
    if (failure other = replaceable_zip(files, to)) return other;
    std::vector<std::string> all;
    failure unlisted = files_below(files, directory, all);
    names = joined_names(all);
    return unlisted;
  });
  s.share_text(names);
  zip_share mine = share_out_zip(s, files, directory, names);
  s.alone(errc::io, [&] { unfinished = temporary_path(to, number); });
  auto f = s.open(unfinished, mode::create | mode::exclusive | mode::read_write | mode::unique_open,
                  with, *std::move(opens));
  bool named = false;
  std::optional<file_identity> made;
  if (s.rank() == 0) failure_of(errc::io, [&] { made = file_services::identity(f); });
  auto const write = [&] {
    s.alone(errc::io, [&] { return write_zip_share(f, files, directory, mine, s.rank() == 0); });
    s.together([&] { f.sync(s.where()); });
  };
  auto const name = [&]() -> failure {
    if (auto const code = files.rename(unfinished, to, made))
      return {code, "renaming '" + unfinished + "'"};
    named = true;
    std::error_code const settled = files.settle(to);
    if (settled && classify(settled) != errc::unsupported)
      return {settled, "the zip file has its name, but after a crash the old one may have it"};
    return {};
  };
  s.undone(
      [&] {
        s.closing(f, write, true);
        s.on_first(errc::io, name, named);
      },
      [&] {
        if (s.rank() == 0 && !named) failure_of(errc::io, [&] { files.remove(unfinished, made); });
        barrier_of_survivors(s.world());  // once a rank has returned, the file is gone
      });
}

}  // namespace argosy::detail
