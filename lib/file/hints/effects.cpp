// Implements hint_facts.hpp: finds the hints that have an effect, and the reason if a hint has
// none.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/state/hint_facts.hpp>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <argosy/layout/detail/counted.hpp>
#include <argosy/policy/sieving.hpp>

#include "file/hints/table.hpp"

namespace argosy::detail {
namespace {

using policies = resolved_hints::policy_name;

// Calls f(name) for each hint of the group.
template <class F>
void for_each_of(hint_group group, F&& f) {
  for (hint_row const& row : hint_rows())
    if (group_of(row) == group) f(row.info.name);
}

std::string number(std::int64_t n) { return std::to_string(n); }
std::string_view hint_for(access_kind kind) {
  return kind == access_kind::read ? "romio_cb_read" : "romio_cb_write";
}

class effects {
 public:
  effects(file_hints h, hint_facts const& last) : hints_(std::move(h)), last_(last) {}

  file_hints told() && {
    if (!given_to_all()) {
      if (last_.collective) of_its_kind();
      of_other_hints();
    }
    of_shipping_hints();
    if (last_.call) of_the_call();
    if (last_.plan) of_the_plan(*last_.plan);
    if (last_.hosts_known) of_the_hosts();
    of_limits();
    of_stripes();
    return std::move(hints_);
  }

 private:
  resolved_hints const& values() const { return hints_.values(); }
  void say(hint_group which, hint_status status, std::string const& why) {
    for_each_of(which, [&](std::string_view name) { hints_.note(name, status, why); });
  }
  void say(std::initializer_list<std::string_view> which, hint_status status,
           std::string const& why) {
    for (std::string_view const name : which) hints_.note(name, status, why);
  }
  bool overrides(std::string_view name) const { return values().overrides(name); }

  // --- Effects of hints on each other ---

  void of_other_hints() {
    using enum hint_status;
    resolved_hints const& v = values();
    bool const apart = v.cb_read == tristate::disable && v.cb_write == tristate::disable;
    bool const some = v.cb_read == tristate::enable || v.cb_write == tristate::enable;
    bool const all = v.cb_read == tristate::enable && v.cb_write == tristate::enable;
    std::string const policy = "argosy_policy = " + std::string(facts_of(v.policy).name);
    if (!facts_of(v.policy).is_of_all_ranks) {
      say({"romio_cb_read", "romio_cb_write", "collective_buffering", "cb_nodes", "cb_config_list"},
          overridden, policy);
      say(hint_group::for_two_phase, overridden, policy);
      if (!sets_member(v.policy, hint_group::for_sieving) && !brings_sieving())
        say(hint_group::for_sieving, overridden, policy);
    } else if (apart && v.ships()) {
      say(hint_group::for_two_phase, overridden, off() + ": each rank ships separately");
    } else if (apart) {
      std::string const why = off() + ": each rank works separately";
      say({"argosy_policy", "cb_nodes", "cb_config_list"}, overridden, why);
      say(hint_group::for_two_phase, overridden, why);
    } else if (v.policy == policies::data_shipping) {
      if (v.cb_read != tristate::disable) say({"romio_cb_read"}, overridden, policy);
      if (v.cb_write != tristate::disable) say({"romio_cb_write"}, overridden, policy);
      say(hint_group::for_two_phase, overridden, policy);
    } else if (v.policy == policies::automatic && v.largeblock_io && !some) {
      std::string const why = "IBM_largeblock_io = true: each rank works separately";
      say({"cb_nodes", "cb_config_list"}, overridden, why);
      say(hint_group::for_two_phase, overridden, why);
    }
    if (v.policy == policies::automatic) {
      if (v.largeblock_io && all)
        say({"IBM_largeblock_io"}, overridden, "romio_cb_read and romio_cb_write are enabled");
    } else if (v.largeblock_io) {
      if (v.policy == policies::data_shipping || (v.policy == policies::two_phase && !apart))
        say({"IBM_largeblock_io"}, overridden, policy);
    } else if (v.policy != policies::data_shipping && !serves_last()) {
      say({"IBM_largeblock_io"}, overridden,
          policy + ": only calls that are given data_shipping are shipped");
    }
  }

  // Notes effects of the hint for the last call's kind, if the hints for reads and writes differ.
  void of_its_kind() {
    resolved_hints const& v = values();
    bool const reads = last_.kind() == access_kind::read;
    tristate const asked = reads ? v.cb_read : v.cb_write;
    std::string const call(last_.call_name());
    if (asked == tristate::disable && v.cb_read != v.cb_write && is_for_all())
      say({"argosy_policy"}, hint_status::overridden,
          off(last_.kind()) + ": in " + call + " each rank " + (v.ships() ? "ships" : "works") +
              " separately");
    if (asked == tristate::enable && v.policy == policies::automatic && v.cb_read != v.cb_write)
      say({"IBM_largeblock_io"}, hint_status::overridden,
          std::string(hint_for(last_.kind())) + " = enable in " + call);
  }

  // Returns true if calls of a kind have a hint of their own that disables two-phase for them.
  bool has_own_off(access_kind kind) const {
    std::string_view const name = hint_for(kind);
    bool const counts = !overrides_policy(values()) || overrides(name);
    return counts && hints_.find(name)->value == "disable";
  }
  // Returns the hint that disables two-phase for calls of a kind.
  std::string off(access_kind kind) const {
    return has_own_off(kind) ? std::string(hint_for(kind)) + " = disable"
                             : "collective_buffering = false";
  }
  std::string off() const {
    using enum access_kind;
    bool const reads = has_own_off(read), writes = has_own_off(write);
    if (reads && writes) return "romio_cb_read and romio_cb_write are disabled";
    return reads == writes ? off(read) : off(read) + " and " + off(write);
  }

  void of_shipping_hints() {
    resolved_hints const& v = values();
    bool const priced = v.price_block_ns ? *v.price_block_ns > 0 : last_.may_ship;
    bool const ships = v.wants_agents() || (v.policy == policies::automatic && priced);
    bool const shipped = last_.collective && (last_.library_policy == policies::data_shipping ||
                                              (last_.plan && is_shipped(*last_.plan)));
    if (!ships && !shipped)
      say(hint_group::for_shipping, hint_status::ignored,
          "nothing is shipped: argosy_policy = data_shipping does that, or IBM_largeblock_io = "
          "false");
  }

  // --- The policy that the last call was given ---

  void of_the_call() {
    if (last_.policy.empty()) return;
    std::string const call(last_.call_name());
    std::string const given = call + " was given " + std::string(last_.policy);
    auto const each = [&](hint_group which) {
      for_each_of(which, [&](std::string_view name) {
        if (overrides(name) && last_.library_policy && sets_member(*last_.library_policy, which))
          hints_.note(name, hint_status::accepted,
                      "applied to " + std::string(last_.policy) + ", which " + call + " was given");
        else if (overrides(name) && !last_.library_policy)
          hints_.note(name, hint_status::overridden, given + ", a policy of the program");
        else
          hints_.note(name, hint_status::overridden, given);
      });
    };
    for_each_of(hint_group::choosing, [&](std::string_view name) {
      if (serves_last() && (name == "argosy_policy" || name == "IBM_largeblock_io"))
        hints_.note(name, hint_status::accepted,
                    "agents serve " + call + ", which was given data_shipping");
      else if (!overrides(name))
        hints_.note(name, hint_status::overridden, given);
      else if (!chooses(name, last_.kind(), last_.collective))
        return;
      else if (!last_.collective && name == "argosy_policy" && is_for_all())
        hints_.note(name, hint_status::accepted,
                    "for collective calls; " + given + ", and sieved as hints say");
      else
        hints_.note(name, hint_status::accepted,
                    "instead of " + std::string(last_.policy) + ", which " + call + " was given");
    });
    if (replaced()) return;  // the hints chose the policy, and all other hints have their effect
    bool const priced = last_.library_policy == policies::automatic;
    if (last_.collective) {
      each(hint_group::for_two_phase);
      each(hint_group::for_aggregators);
      each(hint_group::prices_together);
    } else if (brings_sieving()) {
      each(hint_group::prices_together);
    }
    if (brings_sieving()) {
      each(hint_group::for_sieving);
      // A policy of the program for all ranks gets the time of separate accesses, so these prices
      // have an effect.
      if (!last_.collective || last_.library_policy) each(hint_group::prices_alone);
    } else if (last_.collective && priced) {
      // Each rank computes its time for a separate access by the hints. The other prices are
      // members of the policy.
      for_each_of(hint_group::prices_alone, [&](std::string_view name) {
        hints_.note(name, hint_status::accepted,
                    overrides(name)
                        ? "applied to automatic, which " + call + " was given"
                        : given + ": of ranks by themselves, and of windows with holes, it counts");
      });
    }
    if (last_.library_policy == policies::data_shipping ||
        (priced && last_.plan && is_shipped(*last_.plan)))
      each(hint_group::for_shipping);
  }

  // Returns true if the policy is one for collective calls, or none. A single rank uses sieving.
  bool is_for_all() const {
    return values().policy == policies::two_phase || values().policy == policies::automatic;
  }
  // Returns true if the last call was given a policy for single ranks, or a policy of the program,
  // and no hint replaced it.
  bool brings_sieving() const {
    return !last_.policy.empty() && !replaced() &&
           (!last_.library_policy || !facts_of(*last_.library_policy).is_of_all_ranks);
  }
  // Returns true if the last call was local, was given data_shipping, and had the agents that the
  // hints ask for.
  bool serves_last() const {
    return !last_.collective && last_.library_policy == policies::data_shipping &&
           values().wants_agents() && !replaced();
  }

  // Returns true if the last call was collective and the policy that it was given was used. Then
  // hints that choose a policy had no effect.
  bool given_to_all() const { return last_.collective && !last_.policy.empty() && !replaced(); }
  bool replaced() const { return overrides_policy(values(), last_.kind(), last_.collective); }

  // --- The plan of the last call ---

  static bool is_shipped(plan_facts const& plan) { return plan.together && plan.window_bytes == 0; }
  void of_the_plan(plan_facts const& plan) {
    std::string const call(last_.call_name());
    if (!plan.together && plan.weighed) {
      std::string const why = "counted in the choice: in " + call +
                              " each rank worked separately, because together takes longer";
      say(hint_group::for_two_phase, hint_status::accepted, why);
      say({"cb_nodes"}, hint_status::accepted, why);
      return;
    }
    if (!plan.together && plan.shipped) {
      say(hint_group::for_two_phase, hint_status::overridden,
          "in " + call + " each rank shipped separately");
      return;
    }
    if (!plan.together) {
      std::string const why = "in " + call + " each rank worked separately";
      say(hint_group::for_two_phase, hint_status::overridden, why);
      say({"cb_nodes"}, hint_status::overridden, why);
      return;
    }
    resolved_hints const& v = values();
    if (v.cb_nodes > plan.aggregators)
      hints_.note("cb_nodes", hint_status::capped,
                  call + " had " +
                      counted(plan.aggregators, plan.window_bytes > 0 ? "aggregator" : "agent") +
                      ": no more ranks may be one, or the data has no more windows");
    if (plan.window_bytes == 0) {
      say(hint_group::for_two_phase, hint_status::overridden, call + " was shipped");
      return;
    }
    std::string const windows =
        call + " had windows of " + counted(plan.window_bytes, "byte") + ": ";
    if (v.window_bytes > plan.window_bytes)
      hints_.note("argosy_window_size", hint_status::capped,
                  windows + "half of cb_buffer_size, " + std::string(whole_blocks));
    if (v.cb_buffer_given && !v.window_given && v.window_bytes > plan.window_bytes)
      hints_.note("cb_buffer_size", hint_status::capped, windows + std::string(whole_blocks));
  }

  static constexpr std::string_view whole_blocks =
      "in whole blocks, and not much more than was accessed";

  void of_the_hosts() {
    std::string strangers;
    auto const& hosts = values().cb_config_list;
    if (hosts.empty()) return;
    for (std::size_t i = 0; i < std::min<std::size_t>(hosts.size(), 64); ++i)
      if ((last_.hosts_met >> i & 1) == 0 && hosts[i].host != "*")
        strangers += (strangers.empty() ? "" : ", ") + hosts[i].host;
    std::string why = strangers.empty() ? std::string() : "no rank runs on " + strangers;
    if (last_.hosts_allow == 0)
      hints_.note("cb_config_list", hint_status::ignored,
                  (why.empty() ? "" : why + "; ") +
                      std::string("it leaves no rank, so any may be an aggregator"));
    else
      hints_.note("cb_config_list", hint_status::accepted, why);
  }

  // --- Effects on all calls ---

  void of_limits() {
    resolved_hints const& v = values();
    if (v.cb_buffer_given && v.window_given && v.window_bytes > v.cb_buffer_bytes / 2)
      hints_.note("argosy_window_size", hint_status::capped,
                  "windows have " +
                      counted(std::max<std::int64_t>(1, v.cb_buffer_bytes / 2), "byte") +
                      ": half of cb_buffer_size");
    std::int64_t const most = sieving().read_window_bytes;
    if (v.ind_rd_buffer_bytes > most)
      hints_.note("ind_rd_buffer_size", hint_status::capped,
                  "windows have " + counted(most, "byte") +
                      ": pieces are picked out while they are in a cache");
  }

  // --- The storage of the file ---

  void of_stripes() {
    auto const look = [&](std::string_view name, std::int64_t wanted, std::int64_t there) {
      if (wanted == 0 || wanted == there) return;
      if (last_.stripe_bytes == 0)
        hints_.note(name, hint_status::ignored,
                    "only files on Lustre are given stripes, and its library must be there");
      else
        hints_.note(
            name, hint_status::ignored,
            "the file has " + number(there) + ": it was there before, or no other could be had");
    };
    look("striping_factor", values().striping_factor, last_.stripe_count);
    look("striping_unit", values().striping_unit, last_.stripe_bytes);
  }

  file_hints hints_;
  hint_facts const& last_;
};

}  // namespace

std::string lines_with_sources(file_hints const& h) {
  std::string const lines = h.same_on_all();
  std::string result;
  for (std::size_t at = 0, end; at < lines.size(); at = end + 1) {
    end = std::min(lines.find('\n', at), lines.size());
    std::string const line = lines.substr(at, end - at);
    hint_state const* const s = h.find(line.substr(0, line.find(' ')));
    std::string_view const variable = !s                                      ? ""
                                      : s->source == hint_source::environment ? "ARGOSY_HINTS"
                                      : s->source == hint_source::overriding
                                          ? "ARGOSY_HINTS_OVERRIDE"
                                          : "";
    result += line;
    if (!variable.empty())
      result += "\t" + std::string(variable) + (s->why.empty() ? "" : ", " + s->why);
    result += "\n";
  }
  return result;
}

std::optional<resolved_hints::policy_name> library_policy(any_policy const& policy) noexcept {
  std::optional<policies> found;
  library_policies::for_each([&]<class P>(std::type_identity<P>) {
    if (policy.target<P>()) found = word_for<P>;
  });
  return found;
}

file_hints with_effects(file_hints h, hint_facts const& last) {
  return effects(std::move(h), last).told();
}

}  // namespace argosy::detail
