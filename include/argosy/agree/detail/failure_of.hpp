// Exceptions as failures: no rank may leave a call by an exception while other ranks wait for it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include <argosy/error/error.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/layout/error.hpp>
#include <argosy/plan/invalid_plan.hpp>

namespace argosy::detail {

// Calls `f`. Returns its failure, or the exception that it throws as a failure; `e` is the class if
// the exception has none.
template <class F>
failure failure_of(errc e, F&& f) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
      f();
      return {};
    } else {
      return f();
    }
  } catch (invalid_layout const& x) {
    return {e, x.what()};
  } catch (invalid_plan const& x) {
    return {errc::argument, x.what()};
  } catch (error const& x) {
    return {x.code(), words_without_advice(x), std::string(advice_of(agreed_of(x)))};
  } catch (std::system_error const& x) {
    failure result(x.code() ? x.code() : make_error_code(e), x.what());
    // thrown by code of the user
    if (x.code().category() != category()) result.thrown = std::current_exception();
    return result;
  } catch (...) {
    return failure_by("code of the program");
  }
}

}  // namespace argosy::detail
