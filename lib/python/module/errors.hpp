// Exceptions of Python and of argosy, in both directions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <nanobind/nanobind.h>

#include <argosy/extend.hpp>

namespace argosy::python {

namespace nb = nanobind;

// An exception of Python that crosses a call of argosy. Its text is one line, because other ranks
// print it. The rank that it belongs to raises the exception itself.
class raised : public std::runtime_error {
 public:
  explicit raised(nb::python_error const& e);
  // Makes the exception the one that Python raises. The caller holds the lock of the interpreter.
  void restore() const noexcept;

 private:
  std::shared_ptr<nb::python_error> exception_;
};

// Calls `f` with the lock of the interpreter. Throws `raised` if Python raises.
template <class F>
auto in_python(F&& f) {
  nb::gil_scoped_acquire const lock;
  try {
    return std::forward<F>(f)();
  } catch (nb::python_error const& e) {
    throw raised(e);
  } catch (nb::builtin_exception const& e) {
    throw std::invalid_argument(e.what());
  } catch (nb::cast_error const&) {
    throw std::invalid_argument("argosy: an argument has another type, or does not fit");
  }
}

// Makes exceptions of argosy those of Python: argosy.errors.make.
void translate_exceptions();

}  // namespace argosy::python
