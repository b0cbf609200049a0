// Where the ranks of a program are processes: after each step they tell each other what they did,
// and each looks at all.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "meeting.hpp"
#include "remote_place.hpp"
#include "remote_wire.hpp"
#include "session.hpp"

namespace argosy::explore {

// Every process has a session, which is told what the others did; from the same facts all
// come to the same conclusions. Only what a rank has read it looks at itself.
class remote_meeting final : public meeting {
 public:
  // `began` is told where this rank is; step -1: between steps.
  remote_meeting(session& s, meeting_place& p, int ranks,
                 std::function<void(int step, char const* call)> began)
      : session_(s), place_(p), me_(p.rank()), ranks_(ranks), began_(std::move(began)) {}

  void begins(std::size_t step) override;
  void did(std::size_t step) override;
  void after(std::size_t step, bool looks) override;
  void found(std::string const& words) override;
  // After the last step.
  void end();

 private:
  std::string learn_all(int rank, received in);
  void learn(int rank, received& in, std::size_t step);
  void add_late(std::size_t step, int rank, std::vector<witnessed> const& late);
  template <class F>
  void noting(F&& look);
  void agree();

  session& session_;
  meeting_place& place_;
  int me_, ranks_;
  std::function<void(int, char const*)> began_;
  sent told_;              // since the last meeting
  std::size_t ended_ = 0;  // requests of which the others know the end
  std::string wrong_;
};

}  // namespace argosy::explore
