// Nonblocking calls that end in a completion handler of Boost.Asio.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/error_code.hpp>

#include <argosy/file/basic_file.hpp>
#include <argosy/file/detail/call/background_call.hpp>

namespace argosy::detail {

// A handler that runs after the end of its call, and the work that keeps its executor running.
template <class Handler>
class completion {
 public:
  explicit completion(Handler handler)
      : handler_(std::move(handler)), work_(boost::asio::make_work_guard(handler_)) {}

  void operator()(background_call const& o) {
    auto const executor = work_.get_executor();
    // Posted, not called: close() waits for the file's threads, so no code of the user may run on
    // them.
    boost::asio::post(
        executor, [handler = std::move(handler_), error = boost::system::error_code(o.result.code),
                   done = o.done]() mutable { std::move(handler)(error, std::move(done)); });
    // The work must not be reset before post() returns. The handler may have run by now, and its
    // context would end while post() still wakes it.
    work_.reset();
  }

 private:
  Handler handler_;
  boost::asio::executor_work_guard<boost::asio::associated_executor_t<Handler>> work_;
};

struct launcher {
  // A call without its data. The data travels with the token.
  struct begun {
    operation call;
    std::int64_t offset;
  };

  template <communicator World, class Token>
  static auto initiate(basic_file<World>& file, begun what, source data, any_policy by,
                       Token&& token) {
    // Some tokens start the call later, or on another thread. They store all arguments except the
    // file.
    return boost::asio::async_initiate<Token, void(boost::system::error_code, report)>(
        [&file, what](auto handler, source given, access_options const& with) {
          // Handlers can only be moved, but std::function must be copyable.
          auto const then = std::make_shared<completion<decltype(handler)>>(std::move(handler));
          file.launch({what.call, what.offset, given, with},
                      [then](background_call const& o) { (*then)(o); });
        },
        token, std::move(data), access_options(std::move(by)));
  }
  template <communicator World, class Token>
  static auto initiate(basic_file<World>& file, begun what, source data, Token&& token) {
    return initiate(file, what, std::move(data), any_policy(), std::forward<Token>(token));
  }
};

}  // namespace argosy::detail
