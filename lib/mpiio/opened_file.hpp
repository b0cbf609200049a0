// The object behind an MPI_File of this library.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

#include <mpi.h>

#include <argosy/file/file.hpp>

#include "error_handler.hpp"
#include "types.hpp"

#ifdef ARGOSY_MPI_STANDARD_ABI
using MPI_Fint = int;  // its mpi.h has no type of Fortran's
#endif

namespace argosy::mpiio {

struct opened_file {
  file of;
  int amode = 0;
  std::string handle;  // name of the handle
  error_handler on_error = default_handler();

  // The view, with the arguments of the program.
  MPI_Offset displacement = 0;
  kept_type etype = kept_type(MPI_BYTE), filetype = kept_type(MPI_BYTE);
  std::string representation = "native";

  // The split call that has begun.
  void const* split_buffer = nullptr;
  // error class of this rank's own arguments; MPI_SUCCESS if they are valid
  int split_class = MPI_SUCCESS;

  std::mutex dropped_mutex;
  std::vector<request> dropped;  // by MPI_Request_free; their data is still transferred

  MPI_Fint number = 0;  // its handle in Fortran
};

// Returns a handle for the file, valid until `forget`.
MPI_File remember(std::shared_ptr<opened_file> f);
void forget(MPI_File file);
// Returns null if `file` is not from this library, or not open any more.
std::shared_ptr<opened_file> const* find(MPI_File file);

// Convert a handle from and to a number, as Fortran's handles are.
MPI_Fint number_of(MPI_File file);
MPI_File file_of(MPI_Fint number);

// Returns the handler for errors of the file, or that of MPI_FILE_NULL if there is no such file.
error_handler& on_error_of(MPI_File file);
// Calls the handler, and returns the code for the caller.
int tell(MPI_File file, int error_class, std::string const& text);
int tell(MPI_File file, std::error_code const& error, std::string const& text);
int tell_no_file(char const* call);

// Runs a body that may throw, and converts exceptions to codes, because no exception may leave a
// function of MPI.
template <class Body>
int guarded(MPI_File file, char const* call, Body&& body) {
  try {
    return body();
  } catch (error const& e) {
    return tell(file, e.code(), e.what());
  } catch (std::bad_alloc const&) {
    return tell(file, MPI_ERR_NO_MEM, std::string(call) + ": out of memory");
  } catch (std::system_error const& e) {
    return tell(file, MPI_ERR_OTHER, std::string(call) + ": " + e.what());
  } catch (std::exception const& e) {
    return tell(file, MPI_ERR_OTHER, std::string(call) + ": " + e.what());
  }
}

// Runs `body(opened_file&)` for functions of an open file. It returns a code of MPI.
template <class Body>
int with_file(MPI_File file, char const* call, Body&& body) {
  auto const* const f = find(file);
  if (!f) return tell_no_file(call);
  return guarded(file, call, [&] { return body(**f); });
}

// Runs `body(opened_file&, std::error_code&)` for functions that make one call of argosy.
template <class Body>
int with_call(MPI_File file, char const* call, Body&& body) {
  return with_file(file, call, [&](opened_file& f) {
    std::error_code error;
    body(f, error);
    return error ? tell(file, error, f.of.what_failed()) : MPI_SUCCESS;
  });
}

}  // namespace argosy::mpiio
