// Requests of files as requests of MPI.
//
// Functions such as MPI_File_iread return a generalized request. MPI requires a call of
// MPI_Grequest_complete when it has ended. A thread of this library may call MPI only in programs
// that have MPI_THREAD_MULTIPLE. Therefore no thread calls it.
//
// Instead, this library defines MPI's functions that wait for, test or free requests. They check
// whether a request of a file has ended, complete it, and call MPI's own function with all requests
// of messages. While no file has a request, that costs one comparison. While they wait, they let
// MPI move its messages, because another rank may need a message from this one before it comes to
// its part of a collective call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <argosy/file/request.hpp>

namespace argosy::mpiio {

struct opened_file;

// Passes a request to the program. `error_class` is that of this rank's own arguments if they are
// invalid. A local call then returns the error, and no request. A collective call returns the error
// when the request is waited for, because other ranks learn of it only then.
int pass_on(MPI_File file, request begun, int error_class, MPI_Request* result);

// Waits until all requests of the file have ended; the program still completes them. By the
// standard no request may be pending when a view or a size is set, or the file is closed. Some
// programs have pending requests nevertheless, because other libraries accept it.
void settle(MPI_File file, opened_file& f);

}  // namespace argosy::mpiio
