// Implements format/file_header.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/file_header.hpp>

#include <algorithm>
#include <span>
#include <utility>

#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/error/error.hpp>
#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/format/detail/advice.hpp>
#include <argosy/format/detail/checksums.hpp>

#include "decoded_blocks.hpp"

namespace argosy {

namespace {

extend::failure read_exactly(extend::any_handle& f, std::int64_t offset,
                             std::span<std::byte> into) {
  extend::io_result const r = f.read(offset, into);
  if (r.error) return r.error;
  if (r.bytes == static_cast<std::int64_t>(into.size())) return {};
  return {errc::damaged, "the file ends at byte " + std::to_string(offset + r.bytes) +
                             ", inside of what its header names"};
}

// Reads and parses the start of the file, as many bytes as `bytes_of` returns.
template <class BytesOf, class Parse>
extend::failure read_as(extend::any_handle& f, BytesOf&& bytes_of, Parse&& parse,
                        file_header& into) {
  std::vector<std::byte> start(16);
  extend::io_result const r = f.read(0, start);
  if (r.error) return r.error;
  start.resize(static_cast<std::size_t>(r.bytes));
  extend::failure why;
  auto const size = bytes_of(start, why);
  if (!size) return why;
  start.resize(static_cast<std::size_t>(*size));
  if (extend::failure cut = read_exactly(f, 0, start)) return cut;
  if (auto h = parse(start, why)) into = std::move(*h);
  return why;
}

extend::failure read_from(extend::any_handle& f, file_header& into) {
  extend::failure first = read_as(f, detail::npy_header_bytes, detail::parse_npy_header, into);
  std::byte mark[8] = {};
  if (first.code == errc::damaged) {
    f.read(0, mark);
    if (mark[1] == std::byte{'A'}) {
      first = read_as(f, detail::checkpoint_header_bytes, detail::parse_checkpoint_header, into);
    } else if (mark[1] != std::byte{'N'}) {
      first.detail =
          "this is neither a .npy file nor a checkpoint: it begins with neither \\x93NUMPY nor "
          "\\x93ARGOSY";
    }
  }
  if (first) return first;
  std::error_code error;
  std::int64_t const size = f.size(error);
  if (error) return error;
  auto const* npy = std::get_if<npy_header>(&into);
  std::int64_t const end =
      npy ? npy->data_offset + npy->bytes() : std::get<checkpoint_header>(into).file_bytes;
  if (size < end)
    return {errc::damaged, "the file has " + std::to_string(size) +
                               " bytes; its header speaks of " + std::to_string(end)};
  return {};
}

extend::failure damage_of(extend::any_handle& f, checkpoint_header const& h,
                          std::vector<extend::damaged_block>& into) {
  std::vector<std::byte> data(static_cast<std::size_t>(h.block_bytes));
  for (detail::checkpoint_array const& a : h.arrays) {
    for (std::int64_t b = 0, n = h.blocks(a); b < n; ++b) {
      std::int64_t const at = b * h.block_bytes, bytes = std::min(h.block_bytes, a.bytes() - at);
      std::byte sum[4];
      auto const block = std::span(data).first(static_cast<std::size_t>(bytes));
      if (extend::failure cut = read_exactly(f, a.sums + 4 * b, sum)) return cut;
      if (extend::failure cut = read_exactly(f, a.offset + at, block)) return cut;
      if (detail::checksum_from(sum) != detail::checksum_of(block))
        into.push_back({a.name, b, a.offset + at, bytes});
    }
  }
  return {};
}

// Does the same in a file with codecs.
extend::failure damage_in_encoded(extend::any_handle& f, checkpoint_header const& h,
                                  std::vector<extend::damaged_block>& into) {
  detail::decoded_blocks blocks;
  if (extend::failure without = blocks.begin(h, 1)) return without;
  std::vector<std::byte> data(static_cast<std::size_t>(h.block_bytes));
  std::vector<detail::table_entry> at(1);
  for (detail::checkpoint_array const& a : h.arrays)
    for (std::int64_t b = 0, n = h.blocks(a); b < n; ++b) {
      auto const bytes = static_cast<std::size_t>(detail::bytes_of_block(h, a, b));
      if (auto const error = blocks.read_table(f, a, b, at)) return error;
      std::error_code const error =
          blocks.read(f, a.offset + b * h.block_bytes, std::span(data).first(bytes)).error;
      if (error == errc::damaged)
        into.push_back({a.name, b, at[0].place, at[0].bytes});
      else if (error)
        return error;
    }
  return {};
}

// Opens, runs `body`, closes, and throws or reports the error.
template <class Body>
void with_file(std::string const& name, char const* call, on_error const& e, opener const& files,
               Body&& body) {
  std::string const path = detail::without_prefix(name);
  extend::failure const f = detail::failure_of(errc::io, [&]() -> extend::failure {
    std::error_code error;
    extend::any_handle opened = files(path, {.read = true}, error);
    if (error) return error;
    extend::failure mine = body(opened);
    if (auto const closed = opened.close()) mine.keep({closed});
    return mine;
  });
  extend::agreement const a = detail::local_agreement(0, f);
  if (e.error()) *e.error() = a.code;
  if (!f || e.error()) return;
  error const usual(a, call, path, 0);
  throw detail::told_as(usual, call, path, 0,
                        detail::advice_for(detail::name_use::reads_file, usual));
}

}  // namespace

file_header read_header(std::string const& path, on_error e, opener const& files) {
  file_header h;
  with_file(path, "read_header", e, files, [&](extend::any_handle& f) {
    extend::failure why = read_from(f, h);
    if (why) h = {};
    return why;
  });
  return h;
}

std::vector<extend::damaged_block> find_damage(std::string const& path, on_error e,
                                               opener const& files) {
  std::vector<extend::damaged_block> all;
  with_file(path, "find_damage", e, files, [&](extend::any_handle& f) -> extend::failure {
    file_header h;
    if (extend::failure why = read_from(f, h)) return why;
    auto const* c = std::get_if<checkpoint_header>(&h);
    if (!c) return {errc::damaged, "a .npy file has no checksums"};
    return c->codecs.empty() ? damage_of(f, *c, all) : damage_in_encoded(f, *c, all);
  });
  return all;
}

}  // namespace argosy
