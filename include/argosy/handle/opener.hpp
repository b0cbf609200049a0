// An opener: functions that open, remove and rename files, as a value. A program or a test uses it
// to substitute another handle, or decorators around one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/error/errc.hpp>
#include <argosy/extend.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/handle.hpp>

namespace argosy {

// Functions that open, remove and rename files. A regular value. Several threads may call it at a
// time.
class opener {
 public:
  // Opens a file. If that fails, sets the error and returns a handle that is not open.
  using open_function =
      std::function<extend::any_handle(std::string const&, extend::open_flags, std::error_code&)>;
  // Removes a file. Returns an error if there is no such file.
  using remove_function = std::function<std::error_code(std::string const&)>;

  // Renames a file, and replaces a file of the new name, atomically: other processes see either the
  // old or the new file under that name.
  using rename_function =
      std::function<std::error_code(std::string const& from, std::string const& to)>;
  // Makes sure that the names in the directory of this file are on the storage.
  using settle_function = std::function<std::error_code(std::string const& path)>;

  // Returns a name of the file that stays valid if the process changes its working directory.
  using absolute_function = std::function<std::string(std::string const& path)>;
  // Returns the identity of the file with this name. If there is no such file, returns no value and
  // sets ENOENT. Any other error means that it could not be found out.
  using find_function = std::function<std::optional<extend::file_identity>(std::string const& path,
                                                                           std::error_code& error)>;
  // Removes the name if it is that of this file. Otherwise it removes nothing and returns ENOENT.
  using remove_same_function =
      std::function<std::error_code(std::string const& path, extend::file_identity const& of)>;
  // Functions of an opener for names. Each may be left out. A name is then used as it is, and
  // opened to find its identity.
  struct name_functions {
    absolute_function absolute = {};
    find_function find = {};
    remove_same_function remove = {};
  };
  // Functions of an opener for directories, for formats of many files. An opener has all or none of
  // the first three.
  struct directory_functions {
    // Makes a directory, and those above it that are missing. Succeeds if it exists.
    std::function<std::error_code(std::string const& path)> make = {};
    // Gives a directory the name `to`, atomically. If a directory of that name exists, it gets the
    // name `from`.
    std::function<std::error_code(std::string const& from, std::string const& to)> exchange = {};
    // Removes a directory with all its files. Returns ENOENT if there is none.
    std::function<std::error_code(std::string const& path)> remove = {};
    // Sets `names` to the names in a directory, in any order, without its path. Returns ENOENT if
    // there is no such directory. May be left out.
    std::function<std::error_code(std::string const& path, std::vector<std::string>& names)> list =
        {};
  };

  opener(open_function open, remove_function remove)
      : open_(std::move(open)), remove_(std::move(remove)) {}
  opener(open_function open, remove_function remove, rename_function rename, settle_function settle)
      : open_(std::move(open)),
        remove_(std::move(remove)),
        rename_(std::move(rename)),
        settle_(std::move(settle)) {}

  // Opens a file. If that fails, sets the error and returns a handle that is not open.
  extend::any_handle operator()(std::string const& path, extend::open_flags flags,
                                std::error_code& error) const {
    error.clear();
    return open_(path, flags, error);
  }
  // Removes a file. Returns an error if there is no such file.
  std::error_code remove(std::string const& path) const { return remove_(path); }
  // Returns true if the opener can rename files and settle names.
  bool renames() const noexcept { return rename_ && settle_; }
  // Renames a file, or returns errc::unsupported if the opener has no such function.
  std::error_code rename(std::string const& from, std::string const& to) const {
    return rename_ ? rename_(from, to) : make_error_code(errc::unsupported);
  }
  // Makes sure that names are on the storage, or returns errc::unsupported.
  std::error_code settle(std::string const& path) const {
    return settle_ ? settle_(path) : make_error_code(errc::unsupported);
  }

  // Returns a name of the file that stays valid if the process changes its working directory.
  // Returns `path` itself if the opener has no function for it.
  std::string absolute(std::string const& path) const {
    return names_.absolute ? names_.absolute(path) : path;
  }
  // Returns true if the opener has a function that finds the identity of a name.
  bool finds() const noexcept { return static_cast<bool>(names_.find); }
  // Returns the identity of the file with this name. If there is no such file, returns no value and
  // sets ENOENT. If the opener has no function for it, the file is opened for reading and closed.
  // The error is errc::unsupported if its handle reports no identity.
  std::optional<extend::file_identity> find(std::string const& path, std::error_code& error) const;
  // Removes the name if it is that of this file, and otherwise returns ENOENT. If the identity is
  // not known (the handle does not report it), only the name counts.
  std::error_code remove(std::string const& path,
                         std::optional<extend::file_identity> const& of) const;

  // Renames `from` if it is the name of this file, and otherwise returns ENOENT. If the identity is
  // not known, or if finds() returns false, only the name counts. Another process may change the
  // name between the check and the renaming.
  std::error_code rename(std::string const& from, std::string const& to,
                         std::optional<extend::file_identity> const& of) const;

  // Returns true if the opener can make, exchange and remove directories.
  bool has_directories() const noexcept {
    return directories_.make && directories_.exchange && directories_.remove;
  }
  // The functions of directory_functions. They return errc::unsupported if the opener has none.
  std::error_code make_directory(std::string const& path) const {
    return directories_.make ? directories_.make(path) : make_error_code(errc::unsupported);
  }
  std::error_code exchange_directories(std::string const& from, std::string const& to) const {
    return directories_.exchange ? directories_.exchange(from, to)
                                 : make_error_code(errc::unsupported);
  }
  std::error_code remove_directory(std::string const& path) const {
    return directories_.remove ? directories_.remove(path) : make_error_code(errc::unsupported);
  }
  // Returns true if the opener can list the names in a directory.
  bool lists() const noexcept { return static_cast<bool>(directories_.list); }
  std::error_code list(std::string const& path, std::vector<std::string>& names) const {
    return directories_.list ? directories_.list(path, names) : make_error_code(errc::unsupported);
  }

  // Returns an opener of the same files that opens them by `open`. Decorators return this.
  opener opening(open_function open) const {
    return opener(std::move(open), remove_, rename_, settle_)
        .naming(names_)
        .with_directories(directories_);
  }
  // Returns the same opener with these functions for directories.
  opener with_directories(directory_functions directories) const {
    opener more = *this;
    more.directories_ = std::move(directories);
    return more;
  }
  // Returns the same opener with these functions for names.
  opener naming(name_functions names) const {
    opener named = *this;
    named.names_ = std::move(names);
    return named;
  }
  // Returns the same opener for decorators that do nothing at open: `wrap` makes a decorator from
  // the opened handle.
  opener wrapping(std::function<extend::any_handle(extend::any_handle)> wrap) const {
    return opening(
        [open = open_, wrap = std::move(wrap)](std::string const& path, extend::open_flags flags,
                                               std::error_code& error) -> extend::any_handle {
          extend::any_handle opened = open(path, flags, error);
          if (error) return {};
          return wrap(std::move(opened));
        });
  }

 private:
  open_function open_;
  remove_function remove_;
  rename_function rename_;
  settle_function settle_;
  name_functions names_;
  directory_functions directories_;
};

namespace detail {

// Calls remove(2) unless the path is a directory, rename(2), and fsync(2) of the directory of
// `path`.
std::error_code remove_file(std::string const& path);
std::error_code rename_file(std::string const& from, std::string const& to);
std::error_code settle_names(std::string const& path);

// Returns the identity of the open file of a descriptor, or of the file to which a name leads, also
// by a link.
std::optional<file_identity> identity_of_file(int descriptor, std::error_code& error);
std::optional<file_identity> identity_of_name(std::string const& path, std::error_code& error);
// Removes a file if it has this name. Between the check and the removal another process may give
// the name to another file. The file is therefore first renamed to a name that no other process
// knows and checked again; another file gets its name back. If the file system cannot do that, the
// time between the two calls remains.
std::error_code remove_file_of(std::string const& path, file_identity const& of);
// Does the second half of remove_file_of, after a check of the name.
std::error_code take_away(std::string const& path, file_identity const& of);
std::string absolute_path(std::string const& path);
// Returns all these functions for names in the file system of the operating system.
opener::name_functions names_of_system();
opener::directory_functions directories_of_system();

}  // namespace detail

namespace extend {

// Returns an opener for handles of files with names in the file system of the operating system.
template <openable H>
opener opener_of() {
  return opener(
             [](std::string const& path, open_flags flags, std::error_code& error) -> any_handle {
               H opened = H::open(path, flags, error);
               if (error) return {};
               return any_handle(std::move(opened));
             },
             detail::remove_file, detail::rename_file, detail::settle_names)
      .naming(detail::names_of_system())
      .with_directories(detail::directories_of_system());
}

}  // namespace extend

// Returns an opener of `posix` files, the ones of the operating system.
opener posix_opener();

}  // namespace argosy
