// The token cache of a client node: its own requests under way, and the revocations of other nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <set>

#include <argosy/lab/gpfs/detail/access_pattern.hpp>
#include <argosy/lab/gpfs/detail/block_range.hpp>
#include <argosy/lab/gpfs/detail/message.hpp>

#include "client_context.hpp"
#include "client_locks.hpp"
#include "client_pages.hpp"
#include "client_types.hpp"

namespace argosy::lab::gpfs::detail::client {

// Before a token is given up, the operations that use it must end, and the pool must be clean, so
// this part has references to both. Changes the tokens, the size and the allocated blocks of a
// file, and the request of an operation.
class token_cache {
 public:
  token_cache(context& shared, file_table& files, operation_locks const& locks, page_pool& pool)
      : context_(shared), files_(files), locks_(locks), pool_(pool) {}

  // The tokens that the manager may grant beyond the required range: a range around it, and others.
  struct wish {
    block_range around;
    block_set strides = {};
  };
  // Returns true if the node has the token. Otherwise the token is requested, perhaps already by
  // another operation. `at` is the first byte that is needed.
  bool need(operation& o, file& f, block_range range, token_mode mode, wish const& desired,
            std::int64_t at);
  // Returns the tokens that the stream will probably need next.
  wish desired(access_pattern const& p, block_range required) const;

  // Gives tokens up without a revocation.
  void release(file_id id, file& f, block_range range, instant departs);
  // Answers the revocations of this file that can be answered now.
  void run_revocations(file_id id, file& f);

  void take(token_grant const& m);
  void take(token_refusal const& m);
  void take(token_conflict const& m);
  void take(node_id from, revoke const& m);
  void take(node_id from, revoke_answer const& m);
  // Drops a dead node, which will answer nothing any more.
  void forget(node_id node);

 private:
  struct request {
    token_request asked;
    std::int64_t at = 0;
    std::set<node_id> awaited;
  };
  struct revocation {
    node_id from = 0;
    revoke asked;
    bool started = false;
    block_range given;
    std::int64_t number = 0;
  };

  void renew(request& r);
  bool run(file_id id, file& f, revocation& r);

  context& context_;
  file_table& files_;
  operation_locks const& locks_;
  page_pool& pool_;
  std::map<std::int64_t, request> requests_;
  std::map<file_id, std::list<revocation>> revocations_;  // without empty lists
};

}  // namespace argosy::lab::gpfs::detail::client
