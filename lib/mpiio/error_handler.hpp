// What a file does with an error: MPI's error handlers, and the codes by which programs ask for our
// sentences.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <system_error>

#include <mpi.h>

namespace argosy::mpiio {

// A new code of this class, for which MPI_Error_string returns `text`. Codes are few and come again
// after some errors.
int code_of(int error_class, std::string const& text);

// MPI's class for the error of a call. `own`: of this rank's own arguments, which MPI tells in more
// classes than argosy; MPI_SUCCESS if nothing is wrong with them.
int class_of_call(std::error_code const& error, int own);

// A counted hold on an MPI_Errhandler: MPI counts the holds of its own files only.
class error_handler {
 public:
  error_handler() noexcept = default;  // MPI_ERRORS_RETURN
  // Nothing is held, and false is returned, if it is no handler of files.
  bool set(MPI_Errhandler handler);
  // For the caller, who frees it.
  MPI_Errhandler handed_out() const;
  error_handler(error_handler const& other);
  error_handler& operator=(error_handler const& other);
  ~error_handler();

  // Does what the handler says; returns if that does. `file` is what a function of the program is
  // given.
  void call(MPI_File file, int code) const;

 private:
  MPI_Errhandler handler_ = MPI_ERRORS_RETURN;
};

// That of MPI_FILE_NULL, which new files inherit, and to which errors of open and delete go.
error_handler& default_handler();

}  // namespace argosy::mpiio
