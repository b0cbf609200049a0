// An opener: how files are opened, removed and renamed, as a value. A program or a test uses it to
// put in another handle, or decorators around one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/error/errc.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/handle.hpp>

namespace argosy {

// A regular value. Several threads may call it at a time.
class opener {
 public:
  // On failure sets the error and returns a handle that is not open.
  using open_function = std::function<any_handle(std::string const&, open_flags, std::error_code&)>;
  // It is an error if there is no such file.
  using remove_function = std::function<std::error_code(std::string const&)>;

  // Gives a file another name, and removes what had that name, in one moment: nobody ever sees
  // neither or a half.
  using rename_function =
      std::function<std::error_code(std::string const& from, std::string const& to)>;
  // Which names there are beside this file is on the storage.
  using settle_function = std::function<std::error_code(std::string const& path)>;

  // Returns the name by which the file is found later, whatever the working directory of the
  // process is then.
  using absolute_function = std::function<std::string(std::string const& path)>;
  // Returns which file has this name; nothing if there is none, or if that cannot be told, and then
  // it sets the error.
  using find_function =
      std::function<std::optional<file_identity>(std::string const& path, std::error_code& error)>;
  // Removes the name if it is that of this file. Otherwise nothing is removed, and the error is
  // ENOENT.
  using remove_same_function =
      std::function<std::error_code(std::string const& path, file_identity const& of)>;
  // Functions of an opener for names. Each may be left out: then a name is used as it is,
  // and is opened to see which file has it.
  struct name_functions {
    absolute_function absolute = {};
    find_function find = {};
    remove_same_function remove = {};
  };

  opener(open_function open, remove_function remove)
      : open_(std::move(open)), remove_(std::move(remove)) {}
  opener(open_function open, remove_function remove, rename_function rename, settle_function settle)
      : open_(std::move(open)),
        remove_(std::move(remove)),
        rename_(std::move(rename)),
        settle_(std::move(settle)) {}

  any_handle operator()(std::string const& path, open_flags flags, std::error_code& error) const {
    error.clear();
    return open_(path, flags, error);
  }
  std::error_code remove(std::string const& path) const { return remove_(path); }
  bool renames() const noexcept { return rename_ && settle_; }
  std::error_code rename(std::string const& from, std::string const& to) const {
    return rename_ ? rename_(from, to) : make_error_code(errc::unsupported);
  }
  std::error_code settle(std::string const& path) const {
    return settle_ ? settle_(path) : make_error_code(errc::unsupported);
  }

  std::string absolute(std::string const& path) const {
    return names_.absolute ? names_.absolute(path) : path;
  }
  bool finds() const noexcept { return static_cast<bool>(names_.find); }
  std::optional<file_identity> find(std::string const& path, std::error_code& error) const;
  // Removes the name if it is that of this file, and otherwise returns ENOENT. If it is not known
  // which file is meant (its handle does not tell), the name alone counts.
  std::error_code remove(std::string const& path, std::optional<file_identity> const& of) const;

  // Renames `from` if it is the name of this file, and otherwise returns ENOENT.
  std::error_code rename(std::string const& from, std::string const& to,
                         std::optional<file_identity> const& of) const;

  // Returns an opener of the same files that opens them by `open`: decorators return this.
  opener opening(open_function open) const {
    return opener(std::move(open), remove_, rename_, settle_).naming(names_);
  }
  // Returns the same opener with these functions for names.
  opener naming(name_functions names) const {
    opener named = *this;
    named.names_ = std::move(names);
    return named;
  }
  // The same for decorators that do nothing at open: `wrap` makes one of the opened handle.
  opener wrapping(std::function<any_handle(any_handle)> wrap) const {
    return opening([open = open_, wrap = std::move(wrap)](std::string const& path, open_flags flags,
                                                          std::error_code& error) -> any_handle {
      any_handle opened = open(path, flags, error);
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
};

namespace detail {

// remove(2) of what is no directory, rename(2), and fsync(2) of the directory in which `path` lies.
std::error_code remove_file(std::string const& path);
std::error_code rename_file(std::string const& from, std::string const& to);
std::error_code settle_names(std::string const& path);

// Which file a descriptor has open, or a name leads to, also by a link.
std::optional<file_identity> identity_of_file(int descriptor, std::error_code& error);
std::optional<file_identity> identity_of_name(std::string const& path, std::error_code& error);
// Removes a file if it has this name. Between the look and the removal others may give the name to
// another file, so the file first gets a name that nobody knows, and is looked at again; another
// file gets its name back. Where the file system cannot do that, the time between the two calls
// remains.
std::error_code remove_file_of(std::string const& path, file_identity const& of);
// Does the second half of it: the name was that of the file a moment ago.
std::error_code take_away(std::string const& path, file_identity const& of);
std::string absolute_path(std::string const& path);
// All of that for names in the file system of the operating system.
opener::name_functions names_of_system();

}  // namespace detail

// An opener for handles whose files have names in the file system of the operating system.
template <openable H>
opener opener_of() {
  return opener(
             [](std::string const& path, open_flags flags, std::error_code& error) -> any_handle {
               H opened = H::open(path, flags, error);
               if (error) return {};
               return any_handle(std::move(opened));
             },
             detail::remove_file, detail::rename_file, detail::settle_names)
      .naming(detail::names_of_system());
}

// Of `posix` files, the ones of the operating system.
opener posix_opener();

}  // namespace argosy
