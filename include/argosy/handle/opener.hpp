// An opener: how files are opened, removed and renamed, as a value. A program or a test uses it to put in another handle, or
// decorators around one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
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

  // Gives a file another name, and removes what had that name, in one moment: nobody ever sees neither or a half.
  using rename_function = std::function<std::error_code(std::string const& from, std::string const& to)>;
  // Which names there are beside this file is on the storage.
  using settle_function = std::function<std::error_code(std::string const& path)>;

  opener(open_function open, remove_function remove) : open_(std::move(open)), remove_(std::move(remove)) {}
  opener(open_function open, remove_function remove, rename_function rename, settle_function settle)
      : open_(std::move(open)), remove_(std::move(remove)), rename_(std::move(rename)), settle_(std::move(settle)) {}

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

  // An opener of the same files that opens them by `open`: decorators return this.
  opener opening(open_function open) const { return {std::move(open), remove_, rename_, settle_}; }
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
};

namespace detail {

// remove(2) of what is no directory, rename(2), and fsync(2) of the directory in which `path` lies.
std::error_code remove_file(std::string const& path);
std::error_code rename_file(std::string const& from, std::string const& to);
std::error_code settle_names(std::string const& path);

}  // namespace detail

// An opener for handles whose files have names in the file system of the operating system.
template <openable H>
opener opener_of() {
  return {[](std::string const& path, open_flags flags, std::error_code& error) -> any_handle {
            H opened = H::open(path, flags, error);
            if (error) return {};
            return any_handle(std::move(opened));
          },
          detail::remove_file, detail::rename_file, detail::settle_names};
}

// Of `posix` files, the ones of the operating system.
opener posix_opener();

}  // namespace argosy
