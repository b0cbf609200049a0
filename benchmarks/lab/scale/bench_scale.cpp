// How collective calls scale with the number of ranks, on virtual ranks in one process: virtual
// time, messages, metadata and memory.
//
//   bench_scale [--ranks 16:4096] [--benchmark_filter=^tile] [--contents none] ...
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "../../support/result_files.hpp"
#include "../../support/suite.hpp"
#include "scale.hpp"

namespace {

constexpr bench::option_info table[] = {
    {"--ranks", "FROM:TO", "four times as many each time (default: 16:4096)"},
    {"--per-node", "N", "ranks of a node (default: 16; of lattice4d 8)"},
    {"--bytes", "N", "of each rank, about; not of lattice4d (default: 64k)"},
    {"--aggregators", "N", "in all; not of lattice4d (default: the policy's)"},
    {"--window", "N", "bytes of their windows (default: the policy's)"},
    {"--layers", "N", "messages with pairs of ranks (1) or of nodes (2); default: the cheaper"},
    {"--calls", "N", "equal calls, one after the other (default: 2)"},
    {"--local", "T,Z,Y,X", "sites of each rank of lattice4d, of 576 bytes (default: 4,4,4,8)"},
    {"--servers", "N", "of the file system of lattice4d (default: 64)"},
    {"--contents", "real|none",
     "none: files and messages have no bytes, and all ranks share their data (default: real)"},
    {"--plots", "DIR", "also draws growth.svg there"},
};
constexpr bench::program usage{
    "bench_scale",
    "Collective calls on virtual ranks, from few to many; each rank has the same amount.", table,
    "Views: tile (a block of a 3-D array of doubles), cyclic (doubles dealt to the ranks) and "
    "random (pieces of 64 bytes, dealt at random) are written. lattice4d is a lattice in four "
    "dimensions, written and read in three ways. `argosy by servers` is the least time of the "
    "server with most stripes, divided by argosy's. Its last write and read are added in the time "
    "of Google Benchmark, otherwise it is that of the last call. Messages and view bytes are those "
    "of a rank to other nodes. Memory is that of the process beyond the file, by rank; that of a "
    "later case depends on earlier ones, so filter one case to measure it."};

scale::setting setting_from(bench::arguments const& given) {
  scale::setting s;
  if (given.choice("--contents", {"real", "none"}) == "none")
    s.contents = argosy::lab::contents::none;
  char more = 0;
  std::string const ranks = given.value("--ranks", "16:4096");
  if (std::sscanf(ranks.c_str(), "%d:%d%c", &s.from, &s.to, &more) != 2 || s.from < 1 ||
      s.to < s.from)
    throw bench::usage_error("--ranks needs FROM:TO, two numbers that grow, not \"" + ranks + "\"");
  s.per_node = given.small_number("--per-node", 0, 1);
  s.bytes = given.number("--bytes", s.bytes, 64);
  s.aggregators = given.number("--aggregators", 0);
  s.window_bytes = given.number("--window", 0);
  s.layers = given.small_number("--layers", 0, 0, 2);
  s.calls = given.small_number("--calls", s.calls, 1);
  s.servers = given.small_number("--servers", s.servers, 1);
  s.plots = given.value("--plots", "");
  auto const local = given.numbers("--local", {s.local.begin(), s.local.end()}, 1);
  if (local.size() != s.local.size())
    throw bench::usage_error("--local needs four numbers: T,Z,Y,X");
  std::copy(local.begin(), local.end(), s.local.begin());
  return s;
}

void enter_all(scale::setting const& s) {
  scale::enter_parts(s);
  scale::enter_lattice(s);
}

void print(std::FILE* out, scale::setting const& s, bench::results const& runs) {
  fmt::print(out, "{}{}", scale::table_of_parts(runs), scale::table_of_lattice(s, runs));
  if (!s.plots.empty()) bench::put_picture(s.plots, "growth", scale::picture_of(runs));
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_suite<usage>(argc, argv, setting_from, enter_all, print);
}
