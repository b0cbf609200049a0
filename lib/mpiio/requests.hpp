// Requests of files as requests of MPI.
//
// What MPI_File_iread and its kin return is a generalized request. MPI wants somebody to call
// MPI_Grequest_complete when it has ended, and a thread of ours may call MPI only in programs that
// have MPI_THREAD_MULTIPLE. So nobody calls from a thread: MPI's functions that wait for, test or
// free requests are ours, too. They look whether a request of a file has ended, complete it, and
// let MPI's own function do the rest, with all requests of messages. While no file has a request,
// that is one comparison. While they wait, they let MPI move its messages: another rank may need
// ours before it comes to its part of a collective call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <argosy/file/request.hpp>

namespace argosy::mpiio {

struct opened_file;

// `error_class`: of this rank's own arguments, if something is wrong with them. Of a call of one
// rank that error is returned, and no request; of a collective call it comes when the request is
// waited for, as the other ranks hear of it then.
int pass_on(MPI_File file, request begun, int error_class, MPI_Request* result);

// Until all requests of the file have ended; the program still completes them. By the letter of MPI
// none may be pending where a view or a size is set, or the file closed. Programs have some all the
// same, since other libraries take it.
void settle(MPI_File file, opened_file& f);

}  // namespace argosy::mpiio
