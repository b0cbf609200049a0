// Implements format/zarr_report.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/zarr_report.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <argosy/format/detail/codec_threads.hpp>
#include <argosy/format/detail/zarr/whole_shards.hpp>
#include <argosy/format/detail/zarr/zarr_file.hpp>
#include <argosy/format/detail/zarr/zarr_grid.hpp>
#include <argosy/layout/cursor.hpp>

#include "chunk_crew.hpp"
#include "shard.hpp"

namespace argosy {

namespace {

std::string line_of_work(char const* what, zarr_encoding::work const& w) {
  if (w.chunks == 0) return std::string(what) + " no chunks";
  char text[200];
  std::snprintf(text, sizeof text,
                "%s %lld chunks: %.1f MB, stored in %.1f MB (%.2f : 1), in %.3f s", what,
                static_cast<long long>(w.chunks), static_cast<double>(w.bytes) * 1e-6,
                static_cast<double>(w.stored_bytes) * 1e-6, w.ratio(), w.seconds);
  return text;
}

std::string megabytes(std::int64_t bytes) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g MB", static_cast<double>(bytes) * 1e-6);
  return text;
}

std::string line_of_time(double seconds) {
  char text[60];
  std::snprintf(text, sizeof text, "about %.2g s, by the prices of storage and codecs\n", seconds);
  return text;
}

// Returns the shards of each domain, in the order of the file. An agent has several ranges.
std::vector<zarr_plan::owner> owners_in(extend::domain_list const& domains, std::int64_t shard) {
  std::vector<zarr_plan::owner> all;
  auto const add = [&](int rank, std::int64_t begin, std::int64_t end) {
    if (begin < end) all.push_back({rank, begin / shard, (end - 1) / shard});
  };
  for (extend::file_domain const& d : domains) {
    if (!d.striped()) {
      add(d.rank, d.begin, d.end);
      continue;
    }
    std::int64_t const stripes = (d.end - 1) / d.stripe_bytes + 1;
    for (std::int64_t k = d.begin / d.stripe_bytes; k < stripes; k += d.dealt_to) {
      std::int64_t const at = k * d.stripe_bytes;
      add(d.rank, std::max(d.begin, at), std::min(d.end - at, d.stripe_bytes) + at);
    }
  }
  std::ranges::sort(all, {}, [](zarr_plan::owner const& o) {
    return std::tuple(o.first_shard, o.last_shard, o.rank);
  });
  // Stripes of a single agent are neighbours.
  std::size_t kept = 0;
  for (zarr_plan::owner const& o : all)
    if (kept > 0 && all[kept - 1].rank == o.rank && all[kept - 1].last_shard + 1 >= o.first_shard)
      all[kept - 1].last_shard = o.last_shard;
    else
      all[kept++] = o;
  all.resize(kept);
  return all;
}

}  // namespace

std::string to_string(zarr_encoding const& e) {
  return line_of_work("encoded", e.encoded) + "\n" + line_of_work("decoded", e.decoded) + "\n" +
         std::to_string(e.threads) + (e.threads == 1 ? " thread\n" : " threads\n");
}

std::string to_string(zarr_plan const& p) {
  std::string text = std::to_string(p.shards) + " shards of " + megabytes(p.shard_bytes) + " in " +
                     std::to_string(p.chunks_in_shard) + " chunks of " + megabytes(p.chunk_bytes) +
                     "\n";
  constexpr std::ptrdiff_t most_lines = 16;
  std::ptrdiff_t const left_out = std::max(std::ssize(p.owners) - most_lines, std::ptrdiff_t{0});
  for (zarr_plan::owner const& o :
       std::span(p.owners).first(p.owners.size() - static_cast<std::size_t>(left_out)))
    text += "rank " + std::to_string(o.rank) + ": shards " + std::to_string(o.first_shard) +
            " to " + std::to_string(o.last_shard) + "\n";
  if (left_out > 0) text += "and " + std::to_string(left_out) + " more\n";
  if (p.owners.empty())
    text += "each rank goes by itself: this rank has parts of " + std::to_string(p.own_shards) +
            " shards, and cuts " + std::to_string(p.cut_shards) + " of them\n";
  text += "at most " + megabytes(p.memory_bytes) + " of memory for windows and chunks, " +
          std::to_string(p.threads) + (p.threads == 1 ? " thread\n" : " threads\n");
  if (p.expected_ns > 0) text += line_of_time(p.expected_ns * 1e-9);
  return text;
}

namespace detail {

void complete_plan(zarr_plan& p, zarr_header const& h, zarr_selection const& selection,
                   std::int64_t window_bytes, int threads) {
  zarr_grid const grid(h);
  std::int64_t const shard = grid.shard_bytes();
  p.shards = grid.shards();
  p.chunks_in_shard = grid.chunks_in_shard();
  p.shard_bytes = shard;
  p.chunk_bytes = grid.chunk_bytes();
  p.threads = threads;
  if (p.file.together) p.owners = owners_in(p.file.domains, shard);
  std::int64_t last = -1, bytes = 0;
  auto const end_shard = [&] {
    if (last >= 0 && bytes < shard) ++p.cut_shards;
    bytes = 0;
  };
  for (extend::cursor c(selection.file()); !c.done(); c.next()) {
    extend::piece const one = c.current();
    for (std::int64_t at = one.offset, end = one.offset + one.length; at < end;) {
      std::int64_t const n = std::min(end, (at / shard + 1) * shard) - at;
      if (at / shard != last) {
        end_shard();
        last = at / shard;
        ++p.own_shards;
      }
      bytes += n;
      at += n;
    }
  }
  end_shard();
  std::int64_t const windows = p.file.together ? 2 * p.file.window_bytes : window_bytes;
  p.memory_bytes =
      windows + shard_writer::most_bytes(grid) + batch_bytes(grid, chunk_codec(h), threads);
}

double expected_ns(zarr_plan const& p, std::int64_t bytes, prices const& array, prices const& calls,
                   shared_processors const& processors) {
  bool const reads = p.file.kind == access_kind::read;
  auto const price = [&](prices const& of) { return reads ? of.call_ns : of.write_call_ns; };
  auto const units = [&](std::int64_t shards) {
    return static_cast<double>(reads ? shards * p.chunks_in_shard : shards);
  };
  if (p.file.policy == whole_shards::name)
    return std::max(1.0, p.threads / processors.each) *
           (units(p.own_shards) * price(array) + static_cast<double>(bytes) * array.byte_ns);
  if (p.owners.empty()) return p.file.expected_ns;
  std::map<int, double> of_rank;
  double most = 0, sum = 0;
  for (zarr_plan::owner const& o : p.owners) {
    double const more = units(o.last_shard - o.first_shard + 1);
    most = std::max(most, of_rank[o.rank] += more);
    sum += more;
  }
  auto const among = [&](std::size_t busy) {
    return std::clamp(processors.all, 1.0, static_cast<double>(busy));
  };
  // The plan counts a call for each window, which has one shard or many.
  double const counted = static_cast<double>(p.file.rounds()) *
                         static_cast<double>(p.file.domains.size()) / among(p.file.domains.size());
  return p.file.expected_ns + std::max(most, sum * p.threads / processors.all) * price(array) -
         counted * price(calls);
}

}  // namespace detail
}  // namespace argosy
