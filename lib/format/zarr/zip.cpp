// Implements format/detail/zarr/zip_file.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/detail/zarr/zip_file.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include <argosy/format/detail/zarr/zarr_file.hpp>

#include "crc32c.hpp"
#include "format/crc32.hpp"
#include "group_names.hpp"

namespace argosy::detail {

namespace {

constexpr std::uint32_t header_mark = 0x04034b50, line_mark = 0x02014b50, end_mark = 0x06054b50,
                        end_64_mark = 0x06064b50, place_64_mark = 0x07064b50;
constexpr std::int64_t header_size = 30, line_size = 46, end_size = 22, end_64_size = 56,
                       place_64_size = 20;
constexpr std::int64_t large = 0xffffffff;
constexpr std::int64_t many = 0xffff;
constexpr std::uint16_t utf8_names = 1 << 11, is_encrypted = 1;
// 1 January 1980, the first day that zip has. Equal arrays become equal files.
constexpr std::uint16_t some_day = 0x21;
constexpr std::uint16_t version = 45;  // has ZIP64
constexpr std::uint32_t plain_file = 0100644u << 16;

class zip_text {
 public:
  zip_text& two(std::int64_t n) { return add(static_cast<std::uint64_t>(n), 2); }
  zip_text& four(std::int64_t n) { return add(static_cast<std::uint64_t>(n), 4); }
  zip_text& eight(std::int64_t n) { return add(static_cast<std::uint64_t>(n), 8); }
  zip_text& text(std::string_view t) {
    all_ += t;
    return *this;
  }
  std::string take() { return std::move(all_); }

 private:
  zip_text& add(std::uint64_t n, int bytes) {
    for (; bytes > 0; --bytes, n >>= 8) all_ += static_cast<char>(n & 0xff);
    return *this;
  }
  std::string all_;
};

// Numbers at offsets of some bytes, which the caller has checked.
class zip_numbers {
 public:
  explicit zip_numbers(std::span<std::byte const> bytes) : bytes_(bytes) {}
  std::int64_t two(std::int64_t at) const { return static_cast<std::int64_t>(of(at, 2)); }
  std::int64_t four(std::int64_t at) const { return static_cast<std::int64_t>(of(at, 4)); }
  // Numbers of 2^63 and more become negative, which nothing may be.
  std::int64_t eight(std::int64_t at) const { return static_cast<std::int64_t>(of(at, 8)); }

 private:
  std::uint64_t of(std::int64_t at, std::int64_t bytes) const {
    std::uint64_t n = 0;
    for (std::int64_t i = bytes; i-- > 0;)
      n = n << 8 | static_cast<std::uint64_t>(bytes_[static_cast<std::size_t>(at + i)]);
    return n;
  }
  std::span<std::byte const> bytes_;
};

std::string large_sizes(zip_entry const& e) {
  if (e.bytes < large) return {};
  return zip_text().two(1).two(16).eight(e.bytes).eight(e.bytes).take();
}

failure damaged_zip(std::string words) {
  return {errc::damaged, "the zip file is damaged: " + std::move(words)};
}

}  // namespace

std::int64_t zip_header_bytes(zip_entry const& e) {
  return header_size + std::ssize(e.name) + (e.bytes < large ? 0 : 20);
}

std::string zip_header(zip_entry const& e) {
  std::string const extra = large_sizes(e);
  std::int64_t const size = std::min(e.bytes, large);
  return zip_text()
      .four(header_mark)
      .two(version)
      .two(utf8_names)
      .two(0)
      .two(0)
      .two(some_day)
      .four(e.crc)
      .four(size)
      .four(size)
      .two(std::ssize(e.name))
      .two(std::ssize(extra))
      .text(e.name)
      .text(extra)
      .take();
}

std::string zip_line(zip_entry const& e) {
  std::string extra = large_sizes(e);
  if (e.offset >= large) {
    if (extra.empty())
      extra = zip_text().two(1).two(8).take();
    else
      extra[2] = 24;
    extra += zip_text().eight(e.offset).take();
  }
  std::int64_t const size = std::min(e.bytes, large);
  return zip_text()
      .four(line_mark)
      .two(3 << 8 | version)  // made by Unix
      .two(version)
      .two(utf8_names)
      .two(0)
      .two(0)
      .two(some_day)
      .four(e.crc)
      .four(size)
      .four(size)
      .two(std::ssize(e.name))
      .two(std::ssize(extra))
      .two(0)
      .two(0)
      .two(0)
      .four(plain_file)
      .four(std::min(e.offset, large))
      .text(e.name)
      .text(extra)
      .take();
}

std::string zip_end(std::int64_t entries, std::int64_t directory_at, std::int64_t directory_bytes) {
  zip_text t;
  if (entries >= many || directory_at >= large || directory_bytes >= large)
    t.four(end_64_mark)
        .eight(end_64_size - 12)
        .two(3 << 8 | version)
        .two(version)
        .four(0)
        .four(0)
        .eight(entries)
        .eight(entries)
        .eight(directory_bytes)
        .eight(directory_at)
        .four(place_64_mark)
        .four(0)
        .eight(directory_at + directory_bytes)
        .four(1);
  return t.four(end_mark)
      .two(0)
      .two(0)
      .two(std::min(entries, many))
      .two(std::min(entries, many))
      .four(std::min(directory_bytes, large))
      .four(std::min(directory_at, large))
      .two(0)
      .take();
}

failure find_zip_directory(std::span<std::byte const> end, std::int64_t size, zip_directory& into) {
  zip_numbers const n(end);
  std::int64_t at = std::ssize(end) - end_size;
  while (at >= 0 && (n.four(at) != end_mark || at + end_size + n.two(at + 20) != std::ssize(end)))
    --at;
  if (at < 0) return damaged_zip("it has no directory at its end");
  into = {n.four(at + 16), n.four(at + 12), n.two(at + 10)};
  std::int64_t behind = size - std::ssize(end) + at;
  if (into.offset == large || into.bytes == large || into.entries == many) {
    std::int64_t const place = at - place_64_size, more = place - end_64_size;
    if (place >= 0 && n.four(place) == place_64_mark) {
      if (more < 0 || n.four(more) != end_64_mark)
        return damaged_zip("the end of its directory is not found");
      into = {n.eight(more + 48), n.eight(more + 40), n.eight(more + 32)};
      behind = size - std::ssize(end) + more;
    }
  }
  if (into.offset < 0 || into.bytes < 0 || into.entries < 0 || into.offset > behind ||
      into.bytes > behind - into.offset || into.entries > into.bytes / line_size)
    return damaged_zip("its directory lies beyond its end");
  return {};
}

namespace {

// Reads the numbers of ZIP64 that a line has instead of its own.
bool read_large(std::span<std::byte const> extra, zip_entry& e, std::int64_t& stored) {
  zip_numbers const n(extra);
  for (std::int64_t at = 0; at + 4 <= std::ssize(extra);) {
    std::int64_t const kind = n.two(at), length = n.two(at + 2), end = at + 4 + length;
    if (end > std::ssize(extra)) return false;
    std::int64_t next = at + 4;
    for (std::int64_t* const number : {&e.bytes, &stored, &e.offset}) {
      if (kind != 1 || *number != large) continue;
      if (next + 8 > end) return false;
      *number = n.eight(next);
      next += 8;
    }
    at = end;
  }
  return true;
}

}  // namespace

failure parse_zip_directory(std::span<std::byte const> bytes, zip_directory const& of,
                            std::vector<zip_entry>& into) {
  into.clear();
  for (std::int64_t left = of.entries; left > 0; --left) {
    zip_numbers const n(bytes);
    if (std::ssize(bytes) < line_size || n.four(0) != line_mark)
      return damaged_zip("its directory has fewer entries than it says");
    std::int64_t const name = n.two(28), extra = n.two(30),
                       all = line_size + name + extra + n.two(32);
    if (all > std::ssize(bytes)) return damaged_zip("its directory is cut");
    auto const at = [&](std::int64_t from, std::int64_t length) {
      return bytes.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(length));
    };
    std::span const text = at(line_size, name);
    zip_entry e{std::string(reinterpret_cast<char const*>(text.data()), text.size()), n.four(24),
                n.four(42), static_cast<std::uint32_t>(n.four(16))};
    std::int64_t stored = n.four(20);
    if (!read_large(at(line_size + name, extra), e, stored))
      return damaged_zip("the entry '" + e.name + "' has broken sizes");
    bytes = at(all, std::ssize(bytes) - all);
    if (e.name.ends_with('/')) continue;  // a directory
    if ((n.two(8) & is_encrypted) != 0)
      return {errc::unsupported, "the entry '" + e.name + "' of the zip file is encrypted"};
    if (n.two(10) != 0)
      return {errc::unsupported, "the entry '" + e.name + "' of the zip file is compressed",
              "write it without compression, as zarr-python does if it is not told otherwise"};
    if (e.bytes < 0 || e.bytes != stored || e.offset < 0 || e.offset > of.offset ||
        e.bytes > of.offset - e.offset)
      return damaged_zip("the entry '" + e.name + "' lies beyond its end");
    into.push_back(std::move(e));
  }
  return {};
}

// --- What is packed ------------------------------------------------------------------------------

namespace {

failure add_files_below(opener const& files, std::string const& root, std::string const& below,
                        std::vector<std::string> const& names, std::vector<std::string>& into) {
  for (std::string const& name : names) {
    if (is_unfinished(name)) continue;
    std::string const path = below + name;
    std::vector<std::string> inside;
    std::error_code const error = files.list(root + "/" + path, inside);
    errc const kind = classify(error);
    if (kind == errc::bad_file || kind == errc::no_such_file) {
      if (path.size() > many)
        return {errc::unsupported, "the name '" + path.substr(0, 60) + "...' is too long for zip"};
      into.push_back(path);
      continue;
    }
    if (error) return {error, "listing '" + root + "/" + path + "'"};
    if (failure f = add_files_below(files, root, path + "/", inside, into)) return f;
  }
  return {};
}

}  // namespace

failure files_below(opener const& files, std::string const& directory,
                    std::vector<std::string>& into) {
  if (!files.lists())
    return {errc::unsupported, "this opener cannot list directories",
            "give an opener with the function `list`, such as io::posix_opener()"};
  into.clear();
  std::vector<std::string> names;
  if (auto const error = files.list(directory, names))
    return {error, "listing '" + directory + "'"};
  failure f = add_files_below(files, directory, "", names, into);
  std::ranges::sort(into);
  return f;
}

std::string joined_names(std::vector<std::string> const& names) {
  std::string all;
  for (std::string const& name : names) (all += name) += '\0';
  return all;
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> all;
  for (std::size_t end = text.find('\0'); end != std::string_view::npos; end = text.find('\0')) {
    all.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return all;
}

failure share_of_entries(opener const& files, std::string const& directory, std::string_view names,
                         std::int64_t rank, std::int64_t ranks, std::vector<zip_entry>& into,
                         std::int64_t& bytes) {
  std::vector<std::string> const all = split_names(names);
  bytes = 0;
  for (std::int64_t i = std::ssize(all) * rank / ranks; i < std::ssize(all) * (rank + 1) / ranks;
       ++i) {
    zip_entry& e = into.emplace_back();
    e.name = all[static_cast<std::size_t>(i)];
    std::string const path = directory + "/" + e.name;
    std::error_code error;
    any_handle f = files(path, {.read = true}, error);
    if (!error) {
      e.bytes = f.size(error);
      std::error_code const closed = f.close();
      if (!error) error = closed;
    }
    if (error) return {error, "opening '" + path + "'"};
    bytes += zip_header_bytes(e) + e.bytes;
  }
  return {};
}

failure copy_entry(opener const& files, std::string const& directory, zip_entry& e,
                   std::function<void(std::int64_t, std::span<std::byte const>)> const& write) {
  constexpr std::int64_t piece = 4 << 20;
  std::string const path = directory + "/" + e.name;
  std::error_code error;
  any_handle f = files(path, {.read = true}, error);
  if (error) return {error, "opening '" + path + "'"};
  std::vector<std::byte> memory(static_cast<std::size_t>(std::min(piece, e.bytes)));
  std::int64_t const first = e.offset + zip_header_bytes(e);
  partial_crc sum;
  for (std::int64_t at = 0; at < e.bytes;) {
    std::span const now =
        std::span(memory).first(static_cast<std::size_t>(std::min(piece, e.bytes - at)));
    io_result const got = f.read(at, now);
    if (got.error) return {got.error, "reading '" + path + "'"};
    if (got.bytes < std::ssize(now))
      return {errc::damaged, "'" + path + "' became shorter", "pack the store when it is closed"};
    sum.add(0, now);
    write(first + at, now);
    at += got.bytes;
  }
  e.crc = partial_crc::whole(sum.finish(0), e.bytes);
  std::string const header = zip_header(e);
  write(e.offset, std::as_bytes(std::span(header)));
  error = f.close();
  if (error) return {error, "closing '" + path + "'"};
  return {};
}

failure replaceable_zip(opener const& files, std::string const& path) {
  std::error_code error;
  any_handle f = files(path, {.read = true, .may_be_missing = true}, error);
  if (classify(error) == errc::no_such_file) return {};
  if (error) return {error, "opening '" + path + "'"};
  std::array<std::byte, 4> start{};
  io_result const got = f.read(0, start);
  std::error_code const closed = f.close();
  if (got.error || closed) return {got.error ? got.error : closed, "reading '" + path + "'"};
  auto const mark = little<std::uint32_t>(start.data());
  if (got.bytes == 4 && (mark == header_mark || mark == end_mark)) return {};
  return {errc::file_exists, "'" + path + "' is no zip file", "give another path"};
}

}  // namespace argosy::detail
