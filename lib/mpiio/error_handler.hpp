// Reports an error of a file by MPI's error handlers, and by codes that give programs argosy's
// error texts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <system_error>

#include <mpi.h>

namespace argosy::mpiio {

// Returns a code of this class, for which MPI_Error_string returns `text`. There are few codes, so
// after some errors a code is used again.
int code_of(int error_class, std::string const& text);

// Returns MPI's class for the error of a call. `own` is the class of this rank's own arguments, for
// which MPI has more classes than argosy; MPI_SUCCESS if they are valid.
int class_of_call(std::error_code const& error, int own);

// A counted hold on an MPI_Errhandler, because MPI counts only the holds of its own files.
class error_handler {
 public:
  error_handler() noexcept = default;  // holds MPI_ERRORS_RETURN
  // Holds `handler`. Returns false, and changes nothing, if it is no handler of files.
  bool set(MPI_Errhandler handler);
  // Returns the handler for a caller, who frees it.
  MPI_Errhandler handed_out() const;
  error_handler(error_handler const& other);
  error_handler& operator=(error_handler const& other);
  ~error_handler();

  // Calls the handler, and returns if the handler returns. A function of the program gets `file`.
  void call(MPI_File file, int code) const;

 private:
  MPI_Errhandler handler_ = MPI_ERRORS_RETURN;
};

// Returns the handler of MPI_FILE_NULL, which new files inherit, and which gets errors of open and
// delete.
error_handler& default_handler();

}  // namespace argosy::mpiio
