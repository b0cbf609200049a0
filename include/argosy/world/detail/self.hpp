// Bodies of self.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/layout/detail/linked.hpp>
#include <argosy/world/self.hpp>

namespace argosy {

struct self::started {
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

struct self::mailbox {
  struct letter {
    int tag;
    std::vector<std::byte> content;
  };
  std::deque<letter> letters;
  // an expired pointer belongs to a request that was destroyed
  std::deque<std::weak_ptr<started>> receives;
};

ARGOSY_ONCE self::self() : mail_(std::make_shared<mailbox>()) {}

ARGOSY_ONCE void self::check(int peer) {
  if (peer != 0) throw std::invalid_argument("argosy::self: there is no rank but 0");
}

ARGOSY_ONCE void self::all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const {
  if (mine.size() != all.size())
    throw std::invalid_argument("argosy::self: all_gather gathers size() times `out`");
  if (mine.data() != all.data()) std::copy(mine.begin(), mine.end(), all.begin());
}

ARGOSY_ONCE void self::send(std::span<std::byte const> message, int to, int tag) const {
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

ARGOSY_ONCE std::size_t self::receive(std::span<std::byte> message, int from, int tag) const {
  request r = start_receive(message, from, tag);
  std::size_t const bytes = r.receive_->received;
  wait_all({&r, 1});
  return bytes;
}

ARGOSY_ONCE self::request self::start_receive(std::span<std::byte> message, int from,
                                              int tag) const {
  check(from);
  auto const receive = std::make_shared<started>(started{message, tag});
  auto const found = std::find_if(mail_->letters.begin(), mail_->letters.end(),
                                  [=](auto const& l) { return l.tag == tag; });
  if (found == mail_->letters.end()) {
    mail_->receives.push_back(receive);
  } else {
    receive->take(found->content);
    mail_->letters.erase(found);
  }
  return request(receive);
}

ARGOSY_ONCE void self::wait_all(std::span<request> requests) {
  for (request& r : requests) {
    if (r.receive_ && !r.receive_->done)
      throw std::logic_error(
          "argosy::self: waits for a message that this rank has not sent to itself");
    if (r.receive_) r.received_ = r.receive_->received;
    r.receive_.reset();
  }
}

ARGOSY_ONCE extend::shared_memory self::share(std::size_t bytes, std::error_code& error) const {
  error.clear();
  if (bytes == 0) return {};
  extend::shared_memory zeros = extend::shared_memory::private_zeros(bytes);
  if (zeros.bytes().empty())
    error.assign(static_cast<int>(std::errc::not_enough_memory), std::system_category());
  return zeros;
}

ARGOSY_ONCE extend::shared_memory self::share(std::size_t bytes) const {
  std::error_code error;
  extend::shared_memory result = share(bytes, error);
  if (error)
    throw std::system_error(error, "argosy::self::share: " + std::to_string(bytes) + " bytes");
  return result;
}

ARGOSY_ONCE std::unique_ptr<extend::service> self::serve(extend::serve_function f,
                                                         std::error_code& error) const {
  class answering final : public extend::service {
   public:
    explicit answering(extend::serve_function f) : answer_(std::move(f)) {}
    std::vector<extend::service_answer> call(std::vector<extend::parcel> const& requests) override {
      std::vector<extend::service_answer> all;
      for (extend::parcel const& p : requests) {
        check(p.rank);
        extend::service_answer& a = all.emplace_back();
        try {
          a.content = answer_(0, p.content);
        } catch (...) {
          a.error = std::make_error_code(std::errc::io_error);
        }
      }
      return all;
    }

   private:
    extend::serve_function answer_;
  };
  error.clear();
  return std::make_unique<answering>(std::move(f));
}

}  // namespace argosy
