// A Zarr array as a handle: its linear space is the decoded shards, one behind the other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <argosy/error/failure.hpp>
#include <argosy/file/hints.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/zarr_header.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/view/view.hpp>

namespace argosy::detail {

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

// The file with the metadata of an array or group.
inline std::string zarr_json_path(std::string const& directory) { return directory + "/zarr.json"; }

// How an array is written, which its metadata does not say.
struct zarr_writing {
  // The array is new. Its directory gets its name when all is written, so shards are synced only by
  // sync().
  bool fresh = false;
  bool empty_chunks = false;  // chunks of the fill value only are written, too
};

// Returns an opener of arrays. Their names are those of directories.
opener zarr_opener(opener const& files, std::shared_ptr<zarr_words> words, zarr_writing how);

// Reads a whole file of at most `most` bytes. Returns a failure if that is not possible. Local.
failure read_small_file(opener const& files, std::string const& path, std::size_t most,
                        std::string& into);
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

// Returns the hints of a file whose stripes are the shards. Hints that are given stay, and so do
// those of the environment.
hints hints_for(zarr_header const& h, hints const& given);

}  // namespace argosy::detail
