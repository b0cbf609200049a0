// A Zarr array as a handle: its linear space is the decoded shards, one behind the other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <argosy/error/failure.hpp>
#include <argosy/file/hints.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/detail/zarr/zarr_grid.hpp>
#include <argosy/format/zarr_header.hpp>
#include <argosy/format/zarr_report.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/policy/storage.hpp>
#include <argosy/view/view.hpp>

namespace argosy::detail {

struct shared_processors;

// The reason of the last error of a handle. An error_code has no room for it.
class zarr_words {
 public:
  void set(std::string text) {
    std::lock_guard const guard(mutex_);
    text_ = std::move(text);
  }
  std::string get() const {
    std::lock_guard const guard(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

// The encoding of all handles of an array on this rank.
class zarr_counts {
 public:
  enum kind { encoding, decoding };
  void add(kind k, zarr_encoding::work const& more) {
    std::lock_guard const guard(mutex_);
    zarr_encoding::work& sum = k == encoding ? all_.encoded : all_.decoded;
    sum.chunks += more.chunks;
    sum.bytes += more.bytes;
    sum.stored_bytes += more.stored_bytes;
    sum.seconds += more.seconds;
    sum.thread_seconds += more.thread_seconds;
  }
  void set_threads(int threads) {
    std::lock_guard const guard(mutex_);
    all_.threads = threads;
  }
  zarr_encoding get() const {
    std::lock_guard const guard(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  zarr_encoding all_;
};

// The file with the metadata of an array or group.
inline std::string zarr_json_path(std::string const& directory) { return directory + "/zarr.json"; }

// How an array is written, which its metadata does not say.
struct zarr_writing {
  // The array is new. Its directory gets its name when all is written, so shards are synced only by
  // sync().
  bool fresh = false;
  bool empty_chunks = false;  // chunks of the fill value only are written, too
  int threads = 1;            // that encode and decode, with that of the caller
};

// The texts and counts that the handles of an array report.
struct zarr_reports {
  zarr_words words;
  zarr_counts counts;
};

// Returns an opener of arrays. Their names are those of directories.
opener zarr_opener(opener const& files, std::shared_ptr<zarr_reports> told, zarr_writing how);

// Returns true if chunks are compressed, so that threads pay.
bool is_compressed(zarr_header const& h) noexcept;

// Reads a whole file of at most `most` bytes. Returns a failure if that is not possible. Local.
failure read_small_file(opener const& files, std::string const& path, std::size_t most,
                        std::string& into);
// Reads the metadata of an array or group: zarr.json, or the files of version 2 as one JSON object.
// Their attributes are then its member "attributes". Local.
failure read_zarr_metadata(opener const& files, std::string const& directory, std::string& into);
// Reads the metadata of a group with that of all below it, for parse_zarr_group. Local.
failure read_zarr_group(opener const& files, std::string const& path, std::string& into);
// Writes the consolidated metadata of a group. Local.
failure consolidate_zarr(opener const& files, std::string const& path);
// Removes the consolidated metadata of all groups above a path unless it has `json` for it, the
// metadata that the path will have. Readers then look into the directories. Adds the groups to
// `hidden`. Local.
failure hide_from_zarr_parents(opener const& files, std::string const& path,
                               std::string const& json, std::vector<std::string>& hidden);
// Renews the consolidated metadata of all groups above a path that have some, or are in `hidden`.
// Local.
failure renew_zarr_parents(opener const& files, std::string const& path,
                           std::vector<std::string> const& hidden);

// Writes a file and syncs it. If it exists, it is replaced at once. Without permissions, the new
// file has those of the old one. Local.
failure write_small_file(opener const& files, std::string const& path, std::string const& text,
                         std::optional<unsigned> permissions);
// Returns the permissions of new files, by these hints and those of the environment. Local.
unsigned permissions_in(hints const& given);

// Makes a group, or gives it other metadata. Local.
failure make_zarr_group(opener const& files, std::string const& path, std::string const& json,
                        unsigned permissions);

// Returns a failure if a new array must not replace what has this name. Sets `exists` if there is
// an array. Local.
failure replaceable(opener const& files, std::string const& path, bool& exists);

// Returns a failure unless the array has the type and the shape of a part.
failure fault_of_zarr_part(zarr_header const& h, array_part const& part);
// Makes the header of an array that is larger than `old`. Returns a failure if a side is shorter.
failure enlarged(zarr_header const& old, array_part const& part, zarr_header& into);
// Returns a view of these bytes of the linear space.
view view_of_bytes(layout const& file);
// Gives a new array its name, and removes an old one. `named` becomes true once it has the name.
// Local.
failure publish_zarr(opener const& files, std::string const& unfinished, std::string const& path,
                     bool& named);

// Returns true if hints, given or of the environment, say which ranks access the file.
bool choose_ranks(hints const& given);
// Returns the hints of a file whose stripes are the shards. Hints that are given stay, and so do
// those of the environment. The exception is the price of a crowd, which becomes 0.
hints hints_for(zarr_header const& h, hints const& given, int threads);

// Completes a prediction whose `file` is known. `selection` is the part of this rank, and
// `window_bytes` its buffer if ranks go by themselves.
void complete_plan(zarr_plan& p, zarr_header const& h, zarr_selection const& selection,
                   std::int64_t window_bytes, int threads);
// Estimates the time of a complete prediction. `bytes`: those of this rank's part. `array`: the
// prices of the array, for its threads. `calls`: those that its plan counted. If there are more
// threads than processors, they take turns.
double expected_ns(zarr_plan const& p, std::int64_t bytes, prices const& array, prices const& calls,
                   shared_processors const& processors);

}  // namespace argosy::detail
