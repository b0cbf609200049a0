// A handle on a storage that a test chooses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <utility>

#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/policy/storage.hpp>

namespace argosy::test {

// A handle that claims to be on the given storage. It throws if the storage has no name.
class elsewhere : public extend::forwarding<elsewhere, extend::any_handle> {
 public:
  elsewhere(extend::any_handle inner, extend::storage s)
      : forwarding(std::move(inner)), storage_(std::move(s)) {}
  extend::storage storage() const {
    return storage_.name.empty() ? throw std::runtime_error("nowhere") : storage_;
  }

 private:
  extend::storage storage_;
};

}  // namespace argosy::test
