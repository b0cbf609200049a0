// Implements format/npy_header.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/npy_header.hpp>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "dtype_text.hpp"
#include "literal.hpp"

namespace argosy {

namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
constexpr std::int64_t longest_header = 1 << 20;
constexpr std::size_t npy_alignment = 4096;

extend::failure damaged_npy(std::string words) {
  return {errc::damaged, "the .npy header: " + std::move(words)};
}

std::uint32_t byte_at(std::span<std::byte const> from, std::size_t i) {
  return std::to_integer<std::uint32_t>(from[i]);
}

// Returns the bytes before the text: the magic, the version, and the length in 2 bytes or in 4.
std::size_t prefix_of(int version) { return version == 1 ? 10 : 12; }

bool array_bytes(extend::dtype const& type, std::vector<std::int64_t> const& shape,
                 std::int64_t& bytes) {
  bytes = type.bytes;
  if (std::ranges::find(shape, 0) != shape.end()) {
    bytes = 0;
    return true;
  }
  return std::ranges::all_of(
      shape, [&](std::int64_t n) { return !__builtin_mul_overflow(bytes, n, &bytes); });
}

}  // namespace

std::int64_t npy_header::bytes() const {
  std::int64_t all = 0;
  return array_bytes(type, shape, all) ? all : -1;
}

std::optional<std::int64_t> detail::npy_header_bytes(std::span<std::byte const> start,
                                                     extend::failure& why) {
  why = {};
  if (start.size() >= 12 && start[0] == std::byte{0} &&
      std::memcmp(start.data() + 1, npy_magic.data() + 1, npy_magic.size() - 1) == 0) {
    why = {errc::damaged,
           "the array was not finished: the file has not been closed by the program that makes it, "
           "which may have ended, or failed",
           "write it again; or give it its first byte, 0x93, to read what is there"};
    return {};
  }
  if (start.size() < 12 || std::memcmp(start.data(), npy_magic.data(), npy_magic.size()) != 0) {
    why = {errc::damaged, "this is no .npy file: it does not begin with \\x93NUMPY"};
    return {};
  }
  auto const major = static_cast<int>(byte_at(start, 6));
  if (major < 1 || major > 3 || byte_at(start, 7) != 0) {
    why = damaged_npy("version " + std::to_string(major) + "." + std::to_string(byte_at(start, 7)) +
                      " is not known; 1.0 to 3.0 are");
    return {};
  }
  std::int64_t length = byte_at(start, 8) | byte_at(start, 9) << 8;
  if (major > 1)
    length |= static_cast<std::int64_t>(byte_at(start, 10) | byte_at(start, 11) << 8) << 16;
  if (length > longest_header) {
    why = damaged_npy(std::to_string(length) + " bytes of text are more than a header has");
    return {};
  }
  return static_cast<std::int64_t>(prefix_of(major)) + length;
}

std::optional<npy_header> detail::parse_npy_header(std::span<std::byte const> start,
                                                   extend::failure& why) {
  auto const size = npy_header_bytes(start, why);
  if (!size) return {};
  auto const no = [&](std::string words) -> std::optional<npy_header> {
    why = damaged_npy(std::move(words));
    return {};
  };
  if (static_cast<std::int64_t>(start.size()) < *size) return no("the file ends inside of it");
  npy_header h{.version = static_cast<int>(byte_at(start, 6)), .data_offset = *size};
  std::size_t const before_text = prefix_of(h.version);
  std::string_view const text(reinterpret_cast<char const*>(start.data()) + before_text,
                              static_cast<std::size_t>(*size) - before_text);
  detail::literal all;
  std::string words;
  if (!detail::parse_literal(text, h.version < 3, all, words)) return no(std::move(words));
  detail::literal const *descr = all.find("descr"), *fortran = all.find("fortran_order"),
                        *shape = all.find("shape");
  if (!descr || !fortran || !shape || all.items.size() != 6)
    return no("it must have the keys descr, fortran_order and shape, and no others");
  if (fortran->what != detail::literal::kind::truth)
    return no("fortran_order is neither True nor False");
  h.order = fortran->number == 1 ? order::fortran : order::c;
  if (!detail::read_tuple(*shape, h.shape) || h.shape.size() > 64)
    return no("the shape is no tuple of sizes");
  if (!detail::dtype_from(*descr, h.type, words)) return no(std::move(words));
  std::int64_t bytes = 0, end = 0;
  if (!array_bytes(h.type, h.shape, bytes) || __builtin_add_overflow(bytes, *size, &end))
    return no("an array of " + detail::python_tuple(h.shape) + " is larger than any file");
  return h;
}

std::vector<std::byte> detail::npy_header_of(extend::dtype const& type, order o,
                                             std::vector<std::int64_t> const& shape) {
  std::string text = "{'descr': " + to_string(type) +
                     ", 'fortran_order': " + (o == order::fortran ? "True" : "False") +
                     ", 'shape': " + detail::python_tuple(shape) + ", }";
  int version = detail::is_ascii(text) ? 1 : 3;
  auto const padded = [&] {
    std::size_t const end = prefix_of(version) + text.size() + 1;
    return (end + npy_alignment - 1) / npy_alignment * npy_alignment;
  };
  if (version == 1 && padded() - prefix_of(1) > 0xffff) version = 2;
  std::size_t const all = padded(), before = prefix_of(version);
  text.resize(all - before - 1, ' ');
  text += '\n';
  std::string head(npy_magic);
  head += static_cast<char>(version);
  head += '\0';
  for (std::size_t i = 0; i < before - 8; ++i)
    head += static_cast<char>(text.size() >> (8 * i) & 0xff);
  head += text;
  auto const bytes = std::as_bytes(std::span(head));
  return {bytes.begin(), bytes.end()};
}

namespace {

// Sets the first byte back, as far as possible. Errors are ignored, because the error that made it
// necessary is reported.
void take_back_first_byte(opener const& files, std::string const& path,
                          std::span<std::byte const> start) {
  constexpr std::byte none{0};
  std::vector<std::byte> there(start.size());
  std::error_code error;
  extend::any_handle f = files(path, {.read = true, .write = true}, error);
  if (error) return;
  if (!f.read(0, there).error && std::ranges::equal(start, there)) f.write(0, std::span(&none, 1));
  f.close();
}

}  // namespace

extend::failure detail::complete_npy(opener const& files, std::string const& path,
                                     std::optional<extend::file_identity> const& mine,
                                     std::span<std::byte const> start, bool write_failed) {
  std::string const left = ", and the file is left without its first byte";
  if (write_failed)
    return {errc::damaged, "the last write_all failed, so the array is not whole" + left,
            "write it again, by create"};
  std::error_code error;
  extend::any_handle f = files(path, {.read = true, .write = true}, error);
  if (error) return {error, "opening the file again, to give it its first byte"};
  std::vector<std::byte> there(start.size());
  extend::failure why(f.read(0, there).error);
  std::optional<extend::file_identity> const found = f.identity();
  bool const other = mine && found && !same_file(*mine, *found);
  bool const same = !why && !other && there[0] == std::byte{0} &&
                    std::ranges::equal(start.subspan(1), std::span(there).subspan(1));
  if (!why && !same)
    why = {errc::damaged, "another file has its name now, or its header was changed" + left,
           "keep other programs from the file until it is closed"};
  if (!why) why = f.write(0, start.first(1)).error;
  auto const closed = f.close();
  if (closed && !why) take_back_first_byte(files, path, start);
  if (closed) why.keep({closed});
  return why;
}

std::string to_string(npy_header const& h) {
  return to_string(h.type) + " " + detail::python_tuple(h.shape) +
         (h.order == order::fortran ? ", Fortran order" : "") + ", from byte " +
         std::to_string(h.data_offset) + " on";
}

}  // namespace argosy
