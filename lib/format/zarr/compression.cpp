// Implements compression.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "compression.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

#ifdef ARGOSY_WITH_ZLIB
#include <zlib.h>
#endif
#ifdef ARGOSY_WITH_ZSTD
#include <zstd.h>
#endif
#ifdef ARGOSY_WITH_BLOSC
#include <blosc.h>
#endif

namespace argosy::detail {

#ifdef ARGOSY_WITH_ZLIB

namespace {

// The two formats of zlib: with the header of gzip, and with its own.
constexpr int gzip_format = 15 + 16, zlib_format = 15;

Bytef* zlib_bytes(std::byte const* p) {
  return const_cast<Bytef*>(reinterpret_cast<Bytef const*>(p));
}
// zlib counts in unsigned int.
uInt zlib_count(std::size_t n) {
  return static_cast<uInt>(std::min<std::size_t>(n, std::numeric_limits<uInt>::max()));
}

struct end_of_inflate {
  z_stream* z;
  ~end_of_inflate() { ::inflateEnd(z); }
};
struct end_of_deflate {
  z_stream* z;
  ~end_of_deflate() { ::deflateEnd(z); }
};

std::ptrdiff_t inflate_all(std::span<std::byte const> from, std::span<std::byte> into, int format) {
  z_stream z = {};
  z.next_in = zlib_bytes(from.data());
  z.avail_in = zlib_count(from.size());
  if (z.avail_in != from.size()) return -1;
  if (::inflateInit2(&z, format) != Z_OK) throw std::bad_alloc();
  end_of_inflate const ended{&z};
  std::byte none{};  // zlib requires an address, also for no bytes
  z.next_out = zlib_bytes(into.empty() ? &none : into.data());
  z.avail_out = zlib_count(into.size());
  std::size_t const room = z.avail_out;
  for (;;) {  // a stream of gzip may have several members
    int const result = ::inflate(&z, Z_FINISH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_STREAM_END) return -1;
    if (z.avail_in == 0) return static_cast<std::ptrdiff_t>(room - z.avail_out);
    if (format != gzip_format || ::inflateReset(&z) != Z_OK) return -1;
  }
}

// A chunk of Zarr has at most 2 GiB, and one of HDF5 less than 4 GiB. Longer data is refused.
bool compress(std::span<std::byte const> from, int level, int format,
              std::vector<std::byte>& into) {
  z_stream z = {};
  if (zlib_count(from.size()) != from.size()) return false;
  if (::deflateInit2(&z, level, Z_DEFLATED, format, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  end_of_deflate const ended{&z};
  into.resize(::deflateBound(&z, static_cast<uLong>(from.size())));
  z.next_in = zlib_bytes(from.data());
  z.avail_in = zlib_count(from.size());
  z.next_out = zlib_bytes(into.data());
  z.avail_out = zlib_count(into.size());
  if (::deflate(&z, Z_FINISH) != Z_STREAM_END) return false;
  into.resize(z.total_out);
  return true;
}

}  // namespace

bool has_zlib() noexcept { return true; }

bool gzip_compress(std::span<std::byte const> from, int level, std::vector<std::byte>& into) {
  return compress(from, level, gzip_format, into);
}
bool zlib_compress(std::span<std::byte const> from, int level, std::vector<std::byte>& into) {
  return compress(from, level, zlib_format, into);
}
std::ptrdiff_t gzip_decompress(std::span<std::byte const> from, std::span<std::byte> into) {
  return inflate_all(from, into, gzip_format);
}
std::ptrdiff_t zlib_decompress(std::span<std::byte const> from, std::span<std::byte> into) {
  return inflate_all(from, into, zlib_format);
}

#else

bool has_zlib() noexcept { return false; }
bool gzip_compress(std::span<std::byte const>, int, std::vector<std::byte>&) { return false; }
bool zlib_compress(std::span<std::byte const>, int, std::vector<std::byte>&) { return false; }
std::ptrdiff_t gzip_decompress(std::span<std::byte const>, std::span<std::byte>) { return -1; }
std::ptrdiff_t zlib_decompress(std::span<std::byte const>, std::span<std::byte>) { return -1; }

#endif
#ifdef ARGOSY_WITH_ZSTD

bool has_zstd() noexcept { return true; }

bool zstd_compress(std::span<std::byte const> from, int level, bool checksum,
                   std::vector<std::byte>& into) {
  std::unique_ptr<ZSTD_CCtx, decltype(&::ZSTD_freeCCtx)> const c(::ZSTD_createCCtx(),
                                                                 &::ZSTD_freeCCtx);
  if (!c) throw std::bad_alloc();
  ::ZSTD_CCtx_setParameter(c.get(), ZSTD_c_compressionLevel, level);
  ::ZSTD_CCtx_setParameter(c.get(), ZSTD_c_checksumFlag, checksum ? 1 : 0);
  into.resize(::ZSTD_compressBound(from.size()));
  std::size_t const n =
      ::ZSTD_compress2(c.get(), into.data(), into.size(), from.data(), from.size());
  if (::ZSTD_isError(n) != 0) return false;
  into.resize(n);
  return true;
}

std::ptrdiff_t zstd_decompress(std::span<std::byte const> from, std::span<std::byte> into) {
  std::size_t const n = ::ZSTD_decompress(into.data(), into.size(), from.data(), from.size());
  return ::ZSTD_isError(n) != 0 ? -1 : static_cast<std::ptrdiff_t>(n);
}

#else

bool has_zstd() noexcept { return false; }
bool zstd_compress(std::span<std::byte const>, int, bool, std::vector<std::byte>&) { return false; }
std::ptrdiff_t zstd_decompress(std::span<std::byte const>, std::span<std::byte>) { return -1; }

#endif
#ifdef ARGOSY_WITH_BLOSC

bool has_blosc() noexcept { return true; }

bool has_blosc_compressor(std::string const& name) {
  return ::blosc_compname_to_compcode(name.c_str()) >= 0;
}

// The functions with a context use no thread and no state of the library.
bool blosc_compress(std::span<std::byte const> from, blosc_choice const& how,
                    std::vector<std::byte>& into) {
  if (from.size() > static_cast<std::size_t>(BLOSC_MAX_BUFFERSIZE)) return false;
  into.resize(from.size() + BLOSC_MAX_OVERHEAD);
  int const n =
      ::blosc_compress_ctx(how.level, how.shuffle, static_cast<std::size_t>(how.item_bytes),
                           from.size(), from.data(), into.data(), into.size(),
                           how.compressor.c_str(), static_cast<std::size_t>(how.block_bytes), 1);
  if (n <= 0) return false;
  into.resize(static_cast<std::size_t>(n));
  return true;
}

std::ptrdiff_t blosc_decompress(std::span<std::byte const> from, std::span<std::byte> into) {
  std::size_t bytes = 0;
  if (::blosc_cbuffer_validate(from.data(), from.size(), &bytes) != 0 || bytes > into.size())
    return -1;
  int const n = ::blosc_decompress_ctx(from.data(), into.data(), into.size(), 1);
  return n < 0 || static_cast<std::size_t>(n) != bytes ? -1 : n;
}

#else

bool has_blosc() noexcept { return false; }
bool has_blosc_compressor(std::string const&) { return false; }
bool blosc_compress(std::span<std::byte const>, blosc_choice const&, std::vector<std::byte>&) {
  return false;
}
std::ptrdiff_t blosc_decompress(std::span<std::byte const>, std::span<std::byte>) { return -1; }

#endif

}  // namespace argosy::detail
