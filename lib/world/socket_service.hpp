// A service over sockets: threads that make no MPI calls answer requests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include <argosy/world/service.hpp>

#include "wire/station.hpp"

namespace argosy::detail {

// Connections are made at first use. A connection that has ended is made again, which fails if the
// other rank has ended.
class socket_service final : public service {
 public:
  socket_service(int rank, int size, serve_function f, wire::station::options o,
                 std::error_code& error);
  ~socket_service() override { station_.stop(); }

  wire::address const& where() const { return station_.where(); }
  // Sets the addresses of all ranks, in the order of ranks. Call it before the first request.
  void meet(std::vector<wire::address> everybody);

  std::vector<service_answer> call(std::vector<parcel> const& requests) override;

 private:
  enum kind : std::uint64_t { request, answer, failure };
  struct waiting_call {
    std::size_t missing = 0;
    std::condition_variable done;
  };
  struct pending {
    waiting_call* call = nullptr;
    service_answer* into = nullptr;
    int rank = 0;
    std::uint64_t link = 0;
    bool has_left = false;  // true when the request, which lies in the caller's memory, was sent
    std::optional<std::error_code> end = {};  // set when the answer has come
  };
  struct link {
    std::mutex making;
    std::shared_ptr<wire::connection> to;  // null if not made, or ended
    // Counts links, so that the end of an earlier link is not taken for the end of this one.
    std::uint64_t number = 0;
  };

  wire::connection::events welcome(std::shared_ptr<wire::connection> const& c);
  void serve(std::weak_ptr<wire::connection> const& c, int from, wire::frame f);
  service_answer answer_to(int from, std::span<std::byte const> request) const;
  std::error_code ask(parcel const& p, waiting_call& call, service_answer& into);
  std::error_code make(link& l, int rank);
  using pendings = std::map<std::uint64_t, pending>;
  // Needs the mutex.
  pendings::iterator find(std::uint64_t question, int rank, std::uint64_t number);
  void take(int rank, std::uint64_t number, wire::frame f);
  void leave(int rank, std::uint64_t number, std::uint64_t question);
  void end_if_done(pendings::iterator p);
  void lose(int rank, std::uint64_t number);
  void end(pending const& p, std::error_code error);

  int rank_, size_;
  serve_function function_;
  std::mutex mutex_;
  std::map<int, link> links_;
  pendings pending_;
  std::uint64_t next_ = 0, next_link_ = 0;
  std::vector<wire::address> everybody_;
  wire::station station_;
};

}  // namespace argosy::detail
