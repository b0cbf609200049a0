// A decorator that calls a function of the test before each call of a file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/opener.hpp>

namespace argosy::test {

using namespace extend;

// Returns an error if the file call shall fail.
using question = std::function<std::error_code(std::string const& path, handle_call const&)>;

class asking_before : public forwarding<asking_before, any_handle> {
 public:
  asking_before(any_handle inner, std::string path, question ask)
      : forwarding(std::move(inner)), path_(std::move(path)), ask_(std::move(ask)) {}

  template <class Act>
  io_result around(handle_call const& call, Act&& act) {
    if (std::error_code const e = ask_(path_, call)) return {0, e};
    return act();
  }

 private:
  std::string path_;
  question ask_;
};

inline opener with_question(opener const& files, question ask) {
  return files.opening([files, ask = std::move(ask)](std::string const& path, open_flags flags,
                                                     std::error_code& error) -> any_handle {
    any_handle opened = files(path, flags, error);
    if (error) return {};
    return any_handle(asking_before(std::move(opened), path, ask));
  });
}

}  // namespace argosy::test
