// An opener: how files are opened and removed, as a value. A program or a test uses it to put in another handle, or
// decorators around one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/posix.hpp>

namespace argosy {

// A regular value. Several threads may call it at a time.
class opener {
 public:
  // On failure sets the error and returns a handle that is not open.
  using open_function = std::function<any_handle(std::string const&, open_flags, std::error_code&)>;
  // It is an error if there is no such file.
  using remove_function = std::function<std::error_code(std::string const&)>;

  opener(open_function open, remove_function remove) : open_(std::move(open)), remove_(std::move(remove)) {}

  any_handle operator()(std::string const& path, open_flags flags, std::error_code& error) const {
    error.clear();
    return open_(path, flags, error);
  }
  std::error_code remove(std::string const& path) const { return remove_(path); }

  // An opener of the same files that opens them by `open`: decorators return this.
  opener opening(open_function open) const { return {std::move(open), remove_}; }
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
};

// An opener for handles whose files have names in the file system of the operating system.
template <openable H>
opener opener_of() {
  return {[](std::string const& path, open_flags flags, std::error_code& error) -> any_handle {
            H opened = H::open(path, flags, error);
            if (error) return {};
            return any_handle(std::move(opened));
          },
          [](std::string const& path) -> std::error_code {
            std::error_code error;
            if (!std::filesystem::remove(path, error) && !error)
              error.assign(static_cast<int>(std::errc::no_such_file_or_directory), std::system_category());
            return error;
          }};
}

inline opener posix_opener() { return opener_of<posix>(); }

}  // namespace argosy
