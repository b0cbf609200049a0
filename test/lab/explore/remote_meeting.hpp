// The meeting of ranks that are processes: after each step they exchange what they did, and each
// checks all.
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

// Every process has a session, and feeds it what the other ranks did. From the same facts all
// sessions come to the same verdict. Data that was read is checked only by the rank that read it.
class remote_meeting final : public meeting {
 public:
  // `began` is called with the present step and call of this rank; step -1: between steps.
  remote_meeting(session& s, meeting_place& p, int ranks,
                 std::function<void(int step, char const* call)> began)
      : session_(s), place_(p), me_(p.rank()), ranks_(ranks), began_(std::move(began)) {}

  void begins(std::size_t step) override;
  void did(std::size_t step) override;
  void after(std::size_t step, bool looks) override;
  void found(std::string const& words) override;
  // Called after the last step.
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
  sent told_;              // facts since the last meeting
  std::size_t ended_ = 0;  // number of ended requests that were already sent
  std::string wrong_;
};

}  // namespace argosy::explore
