// What a call has to do on the file, once it is known: a job, or a plain call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <argosy/datatype/buffer.hpp>
#include <argosy/error/source_location.hpp>
#include <argosy/exchange/detail/carry_out.hpp>
#include <argosy/file/data.hpp>
#include <argosy/file/detail/call/operation.hpp>
#include <argosy/file/detail/state/agency.hpp>
#include <argosy/file/detail/state/usage.hpp>
#include <argosy/file/detail/state/used_view.hpp>
#include <argosy/policy/access.hpp>
#include <argosy/policy/any_policy.hpp>
#include <argosy/policy/data_shipping.hpp>

namespace argosy::detail {

// One call's work on the file: lives as long as the call, or its request.
struct job {
  access_kind kind = access_kind::read;
  std::shared_ptr<used_view const> where;
  std::int64_t position = 0;  // bytes of the view's stream
  std::int64_t bytes = 0;     // in the representation of the file
  std::int64_t etypes = 0;    // the same, counted in etypes
  // Also that of a read. The caller's own, unless the job keeps it.
  std::shared_ptr<const_buffer const> memory;
  bool beside = false;  // the program goes on meanwhile

  struct {
    any_policy policy;                     // of this rank by itself
    any_policy together;                   // of all ranks together; empty: each by itself
    std::optional<data_shipping> shipped;  // by agents; none: by this rank itself
    agency* agents = nullptr;              // null: there are none
    bool given_together = false;           // by the call, not by hints
  } by;

  struct {
    operation call = {};
    source_location called_at;  // in the program
    bool timed = false;
    std::int64_t begin_ns = 0;      // of a collective call: until all ranks had come to it
    exchanged_by together_by = {};  // who moved its windows
  } told;                           // in reports

  // Before the call returns that this goes on after.
  void keep(source&& data) {
    memory = std::make_shared<const_buffer const>(std::move(data).buffer());
  }
};

// The simplest call: one stretch of memory to or from one stretch of the file, as the hints choose.
// Most small calls are that, and no window need be planned for them.
struct plain_call {
  access_kind kind;
  std::span<std::byte> memory;
  std::int64_t etypes;

  std::int64_t bytes() const noexcept { return static_cast<std::int64_t>(memory.size()); }
};

// Of the first `bytes` of its stream, what lies in memory; an item that is cut does not count.
std::int64_t memory_bytes_of(job const& t, std::int64_t bytes);

}  // namespace argosy::detail
