// Implements error/failure.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/error/error.hpp>
#include <argosy/error/failure.hpp>

#include <exception>
#include <new>
#include <string>
#include <string_view>

namespace argosy::detail {

failure failure_by(std::string_view whose) {
  failure result;
  result.thrown = std::current_exception();
  try {
    throw;
  } catch (std::bad_alloc const&) {
    result.code = make_error_code(errc::no_memory);
  } catch (error const& x) {
    result.code = make_error_code(errc::user_code);
    result.detail = std::string(whose) + " threw: " + words_without_advice(x);
    result.advice = advice_of(agreed_of(x));
  } catch (std::exception const& x) {
    result.code = make_error_code(errc::user_code);
    result.detail = std::string(whose) + " threw: " + x.what();
  } catch (...) {
    result.code = make_error_code(errc::user_code);
    result.detail = std::string(whose) + " threw";
  }
  return result;
}

}  // namespace argosy::detail
