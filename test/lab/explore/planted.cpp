// SPDX-License-Identifier: BSD-3-Clause
#include "planted.hpp"

#include <cstdint>
#include <span>
#include <system_error>
#include <utility>

#include "run_on.hpp"

namespace argosy::explore {

using namespace extend;
namespace {

class hasty_world : public lab::virtual_rank {
 public:
  struct gone {
    std::error_code code;
  };

  hasty_world(lab::virtual_rank world, session& s, int number)
      : lab::virtual_rank(std::move(world)), session_(&s), number_(number) {}

  hasty_world duplicate() const { return {lab::virtual_rank::duplicate(), *session_, number_}; }
  hasty_world split(int colour, int key) const {
    return {lab::virtual_rank::split(colour, key), *session_, number_};
  }
  hasty_world node() const { return {lab::virtual_rank::node(), *session_, number_}; }

  void wait(std::uint32_t const& word, std::uint32_t seen) const {
    for (witnessed const& w : session_->of(number_).seen)
      if (w.call == file_call::write || w.call == file_call::read) throw gone{classify(w.error)};
    lab::virtual_rank::wait(word, seen);
  }
  void wait(std::uint32_t const& word, std::uint32_t seen, std::span<request>) const {
    wait(word, seen);
  }

 private:
  session* session_;
  int number_;
};
static_assert(argosy::extend::node_waiting<hasty_world>);

}  // namespace

verdict verdict_with_early_return(program const& p) {
  return run_on(p, {}, [](lab::virtual_rank const& rank, session& s) {
    return hasty_world(rank, s, rank.rank());
  });
}

}  // namespace argosy::explore
