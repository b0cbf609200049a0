// Implements error_handler.hpp, and MPI's functions that make, free and return handlers of files.
// SPDX-License-Identifier: BSD-3-Clause
#include "error_handler.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include <argosy/error/errc.hpp>
#include <argosy/error/mpi.hpp>

#include "next.hpp"
#include "opened_file.hpp"

namespace argosy::mpiio {
namespace {

using function = MPI_File_errhandler_function;
using fortran_function = void(MPI_Fint* file, MPI_Fint* code);

// The function of a handler of files, and the number of its holders: the program, files, and
// callers that got it.
struct made_handler {
  function* of_c = nullptr;
  fortran_function* of_fortran = nullptr;
  int holds = 1;
};

std::mutex handlers_mutex;
auto& handlers() {
  // never destroyed, because files that are never closed hold some
  static auto& all = *new std::map<MPI_Errhandler, made_handler, std::less<>>;
  return all;
}
int predefined_handed_out = 0;

bool is_predefined_handler(MPI_Errhandler handler) {
#ifdef MPI_ERRORS_ABORT
  if (handler == MPI_ERRORS_ABORT) return true;
#endif
  return handler == MPI_ERRORS_RETURN || handler == MPI_ERRORS_ARE_FATAL;
}

bool hold(MPI_Errhandler handler) {
  if (is_predefined_handler(handler)) return true;
  std::lock_guard const guard(handlers_mutex);
  auto const found = handlers().find(handler);
  if (found == handlers().end()) return false;
  ++found->second.holds;
  return true;
}

// Returns true if that was the last hold.
bool give_back(MPI_Errhandler handler) {
  std::lock_guard const guard(handlers_mutex);
  auto const found = handlers().find(handler);
  if (found == handlers().end() || --found->second.holds > 0) return false;
  handlers().erase(found);
  return true;
}

void let_go(MPI_Errhandler handler) {
  int finalized = 0;
  if (!give_back(handler) || PMPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
  ARGOSY_MPIIO_NEXT(PMPI_Errhandler_free)(&handler);
}

std::string text_of(int code) {
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

// Codes of each error class, and their texts. There are few for each class, because MPI never frees
// codes, and a program may get any number of errors.
struct told_codes {
  static constexpr int most = 16;
  struct of_class {
    std::array<int, most> made = {};
    int count = 0, next = 0;
  };
  std::mutex mutex;
  std::map<int, of_class> classes;
  std::map<int, std::string> texts;
};
told_codes& codes() {
  static auto& all = *new told_codes;
  return all;
}

}  // namespace

int code_of(int error_class, std::string const& text) {
  told_codes& all = codes();
  std::lock_guard const guard(all.mutex);
  auto& of_class = all.classes[error_class];
  if (of_class.count < told_codes::most) {
    int made = 0;
    if (PMPI_Add_error_code(error_class, &made) != MPI_SUCCESS) return error_class;
    of_class.made[static_cast<std::size_t>(of_class.count++)] = made;
  }
  int const code = of_class.made[static_cast<std::size_t>(of_class.next)];
  of_class.next = (of_class.next + 1) % told_codes::most;
  all.texts[code] = text.substr(0, MPI_MAX_ERROR_STRING - 1);
  return code;
}

int class_of_call(std::error_code const& error, int own) {
  bool const of_arguments = error == errc::argument || error == errc::datatype;
  return of_arguments && own != MPI_SUCCESS ? own : to_mpi_class(error);
}

error_handler::error_handler(error_handler const& other) : handler_(other.handler_) {
  hold(handler_);
}

error_handler& error_handler::operator=(error_handler const& other) {
  hold(other.handler_);
  let_go(std::exchange(handler_, other.handler_));
  return *this;
}

error_handler::~error_handler() { let_go(handler_); }

bool error_handler::set(MPI_Errhandler handler) {
  if (!hold(handler)) return false;
  let_go(std::exchange(handler_, handler));
  return true;
}

MPI_Errhandler error_handler::handed_out() const {
  hold(handler_);
  if (is_predefined_handler(handler_)) {
    std::lock_guard const guard(handlers_mutex);
    ++predefined_handed_out;
  }
  return handler_;
}

void error_handler::call(MPI_File file, int code) const {
  if (handler_ == MPI_ERRORS_RETURN) return;
  if (is_predefined_handler(handler_)) {
    std::fprintf(stderr, "argosy: %s\nargosy: MPI_ERRORS_ARE_FATAL is set, so the job ends here\n",
                 text_of(code).c_str());
    // The mpiexec of MPICH loses text that a rank writes shortly before it ends the job.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    MPI_Abort(MPI_COMM_WORLD, code);
    // MPICH returns from MPI_Abort, and the program would continue until it is killed
    std::_Exit(EXIT_FAILURE);
  }
  made_handler with;
  {
    std::lock_guard const guard(handlers_mutex);
    auto const found = handlers().find(handler_);
    if (found == handlers().end()) return;
    with = found->second;
  }
  if (with.of_c) return with.of_c(&file, &code);
  MPI_Fint number = number_of(file), fortran_code = code;
  with.of_fortran(&number, &fortran_code);
}

error_handler& default_handler() {
  static auto& the_one = *new error_handler;
  return the_one;
}

namespace {

int made(made_handler with, function* known_to_mpi, MPI_Errhandler* handler,
         decltype(PMPI_File_create_errhandler)* real) {
  int const code = real(known_to_mpi, handler);
  if (code != MPI_SUCCESS) return code;
  std::lock_guard const guard(handlers_mutex);
  handlers()[*handler] = with;
  return MPI_SUCCESS;
}

// Returns null if the file is closed. MPI_FILE_NULL has the handler of files that are not open yet.
error_handler* handler_of(MPI_File file) {
  if (file == MPI_FILE_NULL) return &default_handler();
  auto const* const f = find(file);
  return f ? &(*f)->on_error : nullptr;
}

}  // namespace
}  // namespace argosy::mpiio

using namespace argosy::mpiio;

extern "C" {

ARGOSY_MPIIO_FUNCTION(int, MPI_File_create_errhandler,
                      (MPI_File_errhandler_function * f, MPI_Errhandler* handler), (f, handler)) {
  return made({.of_c = f}, f, handler, real);
}

// Interposed because argosy's files hold handlers, too, which MPI cannot see.
ARGOSY_MPIIO_FUNCTION(int, MPI_Errhandler_free, (MPI_Errhandler * handler), (handler)) {
  if (handler == nullptr) return real(handler);
  if (is_predefined_handler(*handler)) {
    std::lock_guard const guard(handlers_mutex);
    if (predefined_handed_out == 0) return real(handler);
    --predefined_handed_out;
    *handler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
  }
  {
    std::lock_guard const guard(handlers_mutex);
    auto const found = handlers().find(*handler);
    if (found != handlers().end() && found->second.holds > 1) {
      --found->second.holds;
      *handler = MPI_ERRHANDLER_NULL;
      return MPI_SUCCESS;
    }
    if (found != handlers().end()) handlers().erase(found);
  }
  return real(handler);
}

// Interposed because MPI_Add_error_string is only for codes of a program's own classes: MPICH
// returns its own text for codes of its classes.
ARGOSY_MPIIO_FUNCTION(int, MPI_Error_string, (int code, char* text, int* length),
                      (code, text, length)) {
  told_codes& all = codes();
  {
    std::lock_guard const guard(all.mutex);
    if (auto const found = all.texts.find(code); found != all.texts.end()) {
      std::string const& words = found->second;
      *std::copy(words.begin(), words.end(), text) = '\0';
      *length = static_cast<int>(words.size());
      return MPI_SUCCESS;
    }
  }
  return real(code, text, length);
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_set_errhandler, (MPI_File file, MPI_Errhandler handler),
                      (file, handler)) {
  error_handler* const of_file = handler_of(file);
  if (!of_file) return tell_no_file("MPI_File_set_errhandler");
  if (of_file->set(handler)) return MPI_SUCCESS;
  return tell(
      file, MPI_ERR_ARG,
      "MPI_File_set_errhandler: the error handler was not made by MPI_File_create_errhandler");
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_get_errhandler, (MPI_File file, MPI_Errhandler* handler),
                      (file, handler)) {
  error_handler const* const of_file = handler_of(file);
  if (!of_file) return tell_no_file("MPI_File_get_errhandler");
  *handler = of_file->handed_out();
  return MPI_SUCCESS;
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_call_errhandler, (MPI_File file, int code), (file, code)) {
  error_handler const* const of_file = handler_of(file);
  if (!of_file) return tell_no_file("MPI_File_call_errhandler");
  of_file->call(file, code);
  return MPI_SUCCESS;
}

// Functions that make handlers for Fortran programs. They are interposed because MPI's wrappers
// make such handlers without a call that this library could see. A Fortran handler gets a Fortran
// handle. The first is the name of mpif.h and `use mpi`, the second that of tools which stand
// before the first, and the third that of Open MPI's `use mpi_f08`.
static void never_called(MPI_File*, int*, ...) {}

using fortran_create = void(fortran_function*, MPI_Fint*, MPI_Fint*);
static void create_for_fortran(way<fortran_create> on, fortran_function* f, MPI_Fint* handler,
                               MPI_Fint* error) {
  if (on.passes) return on.to(f, handler, error);
  MPI_Errhandler c = MPI_ERRHANDLER_NULL;
  auto* const real = ARGOSY_MPIIO_NEXT(PMPI_File_create_errhandler);
  int const code = made({.of_fortran = f}, never_called, &c, real);
#ifdef ARGOSY_MPI_STANDARD_ABI
  *handler = MPI_Errhandler_toint(c);
#else
  *handler = MPI_Errhandler_c2f(c);
#endif
  if (error) *error = code;
}

void mpi_file_create_errhandler_(fortran_function* f, MPI_Fint* handler, MPI_Fint* error) {
  static auto const on = way_of<fortran_create>("mpi_file_create_errhandler_");
  create_for_fortran(on, f, handler, error);
}
void pmpi_file_create_errhandler_(fortran_function* f, MPI_Fint* handler, MPI_Fint* error) {
  static auto const on = way_of<fortran_create>("pmpi_file_create_errhandler_");
  create_for_fortran(on, f, handler, error);
}
void ompi_file_create_errhandler_f(fortran_function* f, MPI_Fint* handler, MPI_Fint* error) {
  static auto const on = is_off ? way_of<fortran_create>("ompi_file_create_errhandler_f")
                                : way<fortran_create>{nullptr, false};
  create_for_fortran(on, f, handler, error);
}

}  // extern "C"
