// Implements errors.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "errors.hpp"

#include <exception>

#include <nanobind/stl/string.h>

#include <argosy/error/error.hpp>
#include <argosy/layout/error.hpp>
#include <argosy/plan/report.hpp>

#include "world.hpp"

namespace argosy::python {

namespace {

std::string line_of(nb::python_error const& e) {
  return nb::cast<std::string>(e.type().attr("__name__")) + ": " +
         nb::cast<std::string>(nb::str(e.value()));
}

// Returns the number of the operating system, or None.
nb::object errno_of(error const& e) {
  if (detail::is_errno(e.cause())) return nb::int_(e.cause().value());
  std::error_condition const same = e.cause().default_error_condition();
  if (same.category() == std::generic_category()) return nb::int_(same.value());
  return nb::none();
}

char const* name_of(errc e) {
  using enum errc;
  constexpr std::pair<errc, char const*> names[] = {
      {access, "access"},
      {bad_file, "bad_file"},
      {file, "file"},
      {file_exists, "file_exists"},
      {file_in_use, "file_in_use"},
      {io, "io"},
      {no_space, "no_space"},
      {no_such_file, "no_such_file"},
      {quota, "quota"},
      {read_only, "read_only"},
      {file_too_large, "file_too_large"},
      {too_many_files, "too_many_files"},
      {no_memory, "no_memory"},
      {no_locks, "no_locks"},
      {truncated, "truncated"},
      {damaged, "damaged"},
      {amode, "amode"},
      {argument, "argument"},
      {datatype, "datatype"},
      {representation, "representation"},
      {duplicate_representation, "duplicate_representation"},
      {conversion, "conversion"},
      {user_code, "user_code"},
      {hint, "hint"},
      {not_same, "not_same"},
      {unsupported, "unsupported"},
      {error_on_another_rank, "error_on_another_rank"},
      {rank_failed, "rank_failed"},
  };
  for (auto const& [code, name] : names)
    if (code == e) return name;
  return "io";
}

void raise(error const& e) {
  nb::object const report =
      e.report() ? nb::cast(argosy::report(*e.report())) : nb::object(nb::none());
  nb::object const made = nb::module_::import_("argosy.errors")
                              .attr("make")(e.what(), errno_of(e), name_of(classify(e.code())),
                                            name_of(classify(e.cause())), e.failed_rank(), report);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
}

}  // namespace

raised::raised(nb::python_error const& e)
    : std::runtime_error(line_of(e)), exception_(std::make_shared<nb::python_error>(e)) {}

void raised::restore() const noexcept {
  PyErr_SetObject(exception_->type().ptr(), exception_->value().ptr());
}

void translate_exceptions() {
  nb::register_exception_translator([](std::exception_ptr const& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (raised const& e) {
      e.restore();
    } catch (error const& e) {
      try {
        raise(e);
      } catch (nb::python_error& other) {
        other.restore();
      }
    } catch (invalid_layout const& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    }
  });
}

}  // namespace argosy::python
