// Files for programs on Boost.Asio: nonblocking calls that end in a completion token. Opt-in.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/system/error_code.hpp>

#include <argosy/file/basic_file.hpp>
#include <argosy/file/detail/call/asio.hpp>

namespace argosy {

//   io::report r = co_await io::async_write_at(f, 0, u, boost::asio::use_awaitable);
//   std::future<io::report> r = io::async_read(f, u, boost::asio::use_future);
//   io::async_write(f, u, io::independent{}, boost::asio::bind_executor(context, [](auto error,
//   io::report r) { ... }));
// The nonblocking calls of a file: after the data comes a policy, if the hints shall not choose it,
// and last any completion token of the signature
//   void(boost::system::error_code, argosy::report)
// It is Boost's error_code, as only that one Boost.Asio throws out of co_await and of a future; it
// holds the errc of the call: `error == io::errc::no_space`, and std::error_code(error) is what the
// error_code& form returns.
//
// - Local, as those with a request. Errors of the arguments come to the completion, too. Pointers
//   move when the operation begins: at once, or with co_await and deferred ones where it is
//   awaited.
// - The completion runs on its associated executor, never inside of the initiating call and never
//   on the file's own threads; the executor has outstanding work until then. Where there is none it
//   is Asio's system executor.
// - No cancellation: a transfer that has begun ends; a cancellation slot is not looked at.
// - The file, its data and what the datatype refers to must outlive the operation. It begins on the
//   thread that calls, or awaits; several may. close() waits for the transfers; their completions
//   may come after it.
// - What code of the user threw (a datatype's function, a representation) is told as its errc; the
//   exception is lost.
template <communicator World, class... PolicyAndToken>
auto async_read_at(basic_file<World>& file, std::int64_t offset, target into,
                   PolicyAndToken&&... rest) {
  return detail::launcher::initiate(file, {detail::operation::async_read_at, offset},
                                    std::move(into), std::forward<PolicyAndToken>(rest)...);
}

template <communicator World, class... PolicyAndToken>
auto async_write_at(basic_file<World>& file, std::int64_t offset, source from,
                    PolicyAndToken&&... rest) {
  return detail::launcher::initiate(file, {detail::operation::async_write_at, offset},
                                    std::move(from), std::forward<PolicyAndToken>(rest)...);
}

// At the individual pointer.
template <communicator World, class... PolicyAndToken>
auto async_read(basic_file<World>& file, target into, PolicyAndToken&&... rest) {
  return detail::launcher::initiate(file, {detail::operation::async_read, 0}, std::move(into),
                                    std::forward<PolicyAndToken>(rest)...);
}

template <communicator World, class... PolicyAndToken>
auto async_write(basic_file<World>& file, source from, PolicyAndToken&&... rest) {
  return detail::launcher::initiate(file, {detail::operation::async_write, 0}, std::move(from),
                                    std::forward<PolicyAndToken>(rest)...);
}

}  // namespace argosy
