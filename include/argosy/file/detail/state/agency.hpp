// One rank's access to the agents of a file: its own agent, and the service by which it reaches the
// others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include <argosy/error/failure.hpp>
#include <argosy/plan/plan.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/collective_policy.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/world/service.hpp>

namespace argosy::detail {

struct job;
class open_file;

// Local; lives no longer than the file's handle.
class agency {
 public:
  agency(open_file& f, rank_group const& ranks);
  ~agency();

  // Returns the function by which this rank's agent answers. The caller makes a service with it,
  // and gives that to `serve`.
  serve_function answers();
  void serve(std::unique_ptr<service> s);
  void set_prices(sieving const& prices);  // sets the prices of agents when hints change

  rank_group const& ranks() const;  // the ranks from which agents are chosen

  // Any thread.
  failure ship(job const& t, data_shipping const& how, report& done);
  plan explain(job const& t, data_shipping const& how) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace argosy::detail
