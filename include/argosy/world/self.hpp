// The world of one rank: no MPI, nothing to wait for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/world/communicator.hpp>
#include <argosy/world/service.hpp>

namespace argosy {

// Throws std::logic_error where MPI would wait for ever, or for a rank that does not exist.
class self {
  struct started;

 public:
  class request {
   public:
    request() noexcept = default;
    std::size_t received() const noexcept { return received_; }

   private:
    friend self;
    explicit request(std::shared_ptr<started> receive) noexcept : receive_(std::move(receive)) {}
    std::shared_ptr<started> receive_;  // null: done
    std::size_t received_ = 0;
  };

  int rank() const noexcept { return 0; }
  int size() const noexcept { return 1; }

  void barrier() const noexcept {}
  template <reducible T>
  void all_reduce(T&) const noexcept {}
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const {
    if (mine.size() != all.size()) throw std::invalid_argument("argosy::self: all_gather gathers size() times `out`");
    if (mine.data() != all.data()) std::copy(mine.begin(), mine.end(), all.begin());
  }
  void broadcast(std::span<std::byte>, int root) const { check(root); }
  std::int64_t exclusive_sum(std::int64_t) const noexcept { return 0; }
  std::vector<parcel> deliver(std::vector<parcel> const& out) const {
    for (parcel const& p : out) check(p.rank);
    return out;
  }

  void send(std::span<std::byte const> message, int to, int tag) const {
    check(to);
    for (auto r = mail_->receives.begin(); r != mail_->receives.end();) {
      auto const waiting = r->lock();
      bool const fits = waiting && waiting->tag == tag;
      if (fits) waiting->take(message);
      r = fits || !waiting ? mail_->receives.erase(r) : r + 1;
      if (fits) return;
    }
    mail_->letters.push_back({tag, {message.begin(), message.end()}});
  }
  std::size_t receive(std::span<std::byte> message, int from, int tag) const {
    request r = start_receive(message, from, tag);
    std::size_t const bytes = r.receive_->received;
    wait_all({&r, 1});
    return bytes;
  }
  request start_send(std::span<std::byte const> message, int to, int tag) const {
    send(message, to, tag);
    return {};
  }
  request start_receive(std::span<std::byte> message, int from, int tag) const {
    check(from);
    auto const receive = std::make_shared<started>(started{message, tag});
    auto const found =
        std::find_if(mail_->letters.begin(), mail_->letters.end(), [=](letter const& l) { return l.tag == tag; });
    if (found == mail_->letters.end()) {
      mail_->receives.push_back(receive);
    } else {
      receive->take(found->content);
      mail_->letters.erase(found);
    }
    return request(receive);
  }
  static void wait_all(std::span<request> requests) {
    for (request& r : requests) {
      if (r.receive_ && !r.receive_->done)
        throw std::logic_error("argosy::self: waits for a message that this rank has not sent to itself");
      if (r.receive_) r.received_ = r.receive_->received;
      r.receive_.reset();
    }
  }

  self duplicate() const { return {}; }
  self split(int, int) const { return {}; }
  self node() const { return {}; }

  shared_memory share(std::size_t bytes, std::error_code& error) const {
    error.clear();
    if (bytes == 0) return {};
    shared_memory zeros = shared_memory::private_zeros(bytes);
    if (zeros.bytes().empty()) error.assign(static_cast<int>(std::errc::not_enough_memory), std::system_category());
    return zeros;
  }
  // Returns at once: nobody else could change the word.
  void wait(std::uint32_t&, std::uint32_t, std::span<request> = {}) const noexcept {}
  void wake(std::uint32_t&) const noexcept {}
  // Answers at once, on the thread that asks.
  std::unique_ptr<service> serve(serve_function f, std::error_code& error) const {
    error.clear();
    return std::make_unique<answering>(std::move(f));
  }
  shared_memory share(std::size_t bytes) const {
    std::error_code error;
    shared_memory result = share(bytes, error);
    if (error) throw std::system_error(error, "argosy::self::share: " + std::to_string(bytes) + " bytes");
    return result;
  }

 private:
  struct started {
    std::span<std::byte> into;
    int tag;
    bool done = false;
    std::size_t received = 0;

    void take(std::span<std::byte const> message) {
      if (message.size() > into.size())
        throw std::logic_error("argosy::self: received a longer message than there is room for");
      std::copy(message.begin(), message.end(), into.begin());
      received = message.size();
      done = true;
    }
  };
  struct letter {
    int tag;
    std::vector<std::byte> content;
  };
  struct mailbox {
    std::deque<letter> letters;
    std::deque<std::weak_ptr<started>> receives;  // an expired one belongs to a request that was dropped
  };

  class answering final : public service {
   public:
    explicit answering(serve_function f) : answer_(std::move(f)) {}
    std::vector<service_answer> call(std::vector<parcel> const& requests) override {
      std::vector<service_answer> all;
      for (parcel const& p : requests) {
        check(p.rank);
        service_answer& a = all.emplace_back();
        try {
          a.content = answer_(0, p.content);
        } catch (...) {
          a.error = std::make_error_code(std::errc::io_error);
        }
      }
      return all;
    }

   private:
    serve_function answer_;
  };

  static void check(int peer) {
    if (peer != 0) throw std::invalid_argument("argosy::self: there is no rank but 0");
  }

  std::shared_ptr<mailbox> mail_ = std::make_shared<mailbox>();
};

static_assert(communicator<self>);
static_assert(node_waiting<self>);
static_assert(serving<self>);

}  // namespace argosy
