// gpfs_fcntl of a client node: range hints, cache hints and directives.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include <argosy/handle/gpfs_fcntl.hpp>
#include <argosy/lab/gpfs/detail/block_range.hpp>

#include "client_context.hpp"
#include "client_locks.hpp"
#include "client_operations.hpp"
#include "client_pages.hpp"
#include "client_tokens.hpp"
#include "client_types.hpp"

namespace argosy::lab::gpfs::detail::client {

// Changes these members of an instance: the accepted ranges, whether to prefetch, its error, and
// its epoch of partitioning.
class fcntl_calls {
 public:
  fcntl_calls(context& shared, file_table& files, instance_table& instances,
              operation_locks const& locks, page_pool& pool, token_cache& tokens,
              operations& under_way)
      : context_(shared),
        files_(files),
        instances_(instances),
        locks_(locks),
        pool_(pool),
        tokens_(tokens),
        operations_(under_way) {}

  void run(operation& o);
  // Reads the block of an accepted range into the pool. Never fails, because the access itself will
  // report any error.
  void run_hint(operation& o);
  // Releases the ranges of an instance that is closed or that cancels its hints.
  void forget_hints(instance& i);

 private:
  // returns an errno, or `not_yet`
  int run_structure(operation& o, std::byte* at, int room, gpfsStructHeader_t const& s);
  int access_range_hint(operation& o, gpfsAccessRange_t const& s);
  int free_range_hint(operation& o, block_range range, bool tokens);
  int multiple_access_range_hint(operation& o, gpfsMultipleAccessRange_t& s);
  int start_directive(operation& o, std::byte const* at, int room);
  int stop_directive(operation& o);
  void release_range(instance& i, gpfsRangeArray_t const& r);
  std::int64_t accepted_blocks() const;
  std::int64_t range_quota() const;

  void finish(operation& o, int error) { operations_.finish(o, error); }
  file& file_of(operation const& o) { return files_[o.file]; }
  std::int64_t block_bytes() const { return context_.block_bytes(); }

  static constexpr int not_yet = -1;

  context& context_;
  file_table& files_;
  instance_table& instances_;
  operation_locks const& locks_;
  page_pool& pool_;
  token_cache& tokens_;
  operations& operations_;
};

}  // namespace argosy::lab::gpfs::detail::client
