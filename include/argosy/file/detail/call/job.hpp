// The work of a call on the file, after its arguments were checked: a job, or a plain call.
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

// The work of one call on the file. It lives as long as the call, or its request.
struct job {
  access_kind kind = access_kind::read;
  std::shared_ptr<used_view const> where;
  std::int64_t position = 0;  // bytes of the view's stream
  std::int64_t bytes = 0;     // in the representation of the file
  std::int64_t etypes = 0;    // `bytes` as a number of etypes
  // The memory of a read, too. It belongs to the caller unless keep() was called.
  std::shared_ptr<const_buffer const> memory;
  bool beside = false;  // the program goes on while the job is carried out

  struct {
    any_policy policy;                     // for this rank alone
    any_policy together;                   // for all ranks together; empty: each rank separately
    std::optional<data_shipping> shipped;  // by agents; empty: by this rank itself
    agency* agents = nullptr;              // null: there are no agents
    bool given_together = false;           // `together` was given to the call, not chosen by hints
  } by;

  struct {
    operation call = {};
    source_location called_at;  // the line of the program
    bool timed = false;
    std::int64_t begin_ns = 0;      // for a collective call: time until all ranks had called it
    exchanged_by together_by = {};  // the ranks that moved its windows
  } told;                           // for reports

  // Moves the data into the job. Called before the program's call returns, if the job goes on after
  // that.
  void keep(source&& data) {
    memory = std::make_shared<const_buffer const>(std::move(data).buffer());
  }
};

// The simplest call: its memory is contiguous, and so is the view in the file. The hints choose its
// policy. Most small calls are plain, and need no plan of windows.
struct plain_call {
  access_kind kind;
  std::span<std::byte> memory;
  std::int64_t etypes;

  std::int64_t bytes() const noexcept { return static_cast<std::int64_t>(memory.size()); }
};

// A call that one call of the file may carry out, although memory and view have several pieces.
struct small_call {
  access_kind kind;
  std::span<std::byte> memory;  // empty if the data has several pieces
  source const& data;
  std::int64_t bytes;
  std::int64_t etypes;

  bool is_scattered() const noexcept { return memory.empty(); }
  plain_call with(std::span<std::byte> stretch) const noexcept { return {kind, stretch, etypes}; }
};

// Returns the bytes in memory that correspond to the first `bytes` bytes of the job's stream. An
// incomplete last item is not counted.
std::int64_t memory_bytes_of(job const& t, std::int64_t bytes);

}  // namespace argosy::detail
