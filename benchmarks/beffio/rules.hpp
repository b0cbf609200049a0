// The rules of b_eff_io, releases 1.x and 2.0: pattern types, their patterns, partitions, time, and
// averages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace beffio {

inline constexpr std::int64_t kib = 1024, mib = kib * kib;

enum class release { r1 = 1, r2 = 2 };
enum class method { write, rewrite, read };
inline constexpr std::array methods{method::write, method::rewrite, method::read};
constexpr std::string_view name_of(method m) {
  return m == method::write ? "write" : m == method::rewrite ? "rewrite" : "read";
}

// Pattern types: how chunks of the file are mapped to chunks of memory.
inline constexpr int types = 5;
enum type { scatter, shared, separated, segmented, seg_coll };
inline constexpr std::array<std::string_view, types> type_names{"scatter", "shared", "separated",
                                                                "segmented", "seg_coll"};
constexpr bool is_segmented(int t) { return t == segmented || t == seg_coll; }

// One line of the table. Each call moves `memory` bytes of a rank, which are memory / chunk chunks
// of the file.
struct pattern {
  std::int64_t chunk = 0, memory = 0;
  int units = 0;  // units of time; 0: one call
  friend bool operator==(pattern const&, pattern const&) = default;
};

// Returns the longest chunk, MPART, for that many MiB of memory for each rank. It is a multiple of
// 8 KiB, because a rank has whole MiB.
constexpr std::int64_t longest_chunk(std::int64_t memory_mib) {
  std::int64_t const part = memory_mib * mib / 128;
  return part < 2 * mib ? 2 * mib : part > 1024 * mib ? 1024 * mib : part;
}
// Returns the patterns in the order of the run, without the filler of segmented types.
std::vector<pattern> patterns_of(int type, std::int64_t longest);
// Returns the pattern of type 0 with the same chunk, whose repetitions a pattern of a segmented
// type uses. -1 if the pattern is run once.
int scattered_twin(int pattern_of_segmented);
// The seven chunks that are compared have these places on a picture's axis: 1 KiB, + 8, 32 KiB, +
// 8, 1 MiB, + 8, MPART.
inline constexpr std::array<int, 7> chunk_places{1, 2, 4, 5, 7, 8, 10};
std::array<std::int64_t, 7> compared_chunks(std::int64_t longest);
// Returns the pattern of a type for each of these chunks. The pattern of type 0 with 2 MiB of
// memory is none of them.
std::array<int, 7> compared_patterns(int type);

inline constexpr int write_units = 64, scatter_units = 22;
// Returns the units of time of a partition.
constexpr int units(release r, bool all_rewrites) {
  return r == release::r1 || all_rewrites ? 3 * write_units : 2 * write_units + scatter_units;
}
// Returns true if this type is run. Release 2 without all rewrites leaves some out.
constexpr bool is_run(release r, bool all_rewrites, method m, int type) {
  return m != method::rewrite || r == release::r1 || all_rewrites || type == scatter;
}

// Returns the three numbers of ranks of a run, without equal ones.
std::vector<int> partitions_of(int ranks);

// --- Values, in 10^6 bytes per second ---
using by_type = std::array<std::optional<double>, types>;
// Returns nothing if a part is missing. The rewrite of release 2 is that of type 0 alone.
std::optional<double> average(release r, method m, by_type const& values,
                              std::optional<double> rewrite0 = {});
// Returns the average of one method if all types were run. Type 0 counts twice.
std::optional<double> weighted(by_type const& values);
// Release 1 averages three methods. Release 2 averages two: write (which includes the rewrite), and
// read.
std::optional<double> partition_value(release r, std::optional<double> write,
                                      std::optional<double> rewrite, std::optional<double> read);

constexpr double least_seconds(release r) { return r == release::r1 ? 900 : 1800; }

}  // namespace beffio
