// MPI's functions that read and write: blocking, nonblocking and split.
// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include "data.hpp"
#include "next.hpp"
#include "opened_file.hpp"
#include "requests.hpp"

namespace argosy::mpiio {
namespace {

// Returns the code of a call. `error_class` is that of this rank's own arguments if they are
// invalid, otherwise MPI_SUCCESS.
int told(MPI_File file, opened_file& f, std::error_code const& error, int error_class) {
  return error ? tell(file, class_of_call(error, error_class), f.of.what_failed()) : MPI_SUCCESS;
}

struct memory {
  void const* address;
  MPI_Count count;
  MPI_Datatype type;
};

// Makes the source or target inside of the call, because it is too large to be moved there.
template <class Data>
struct data_in_place {
  memory const& m;
  int& error_class;
  Data operator()() const { return data_of<Data>(m.address, m.count, m.type, error_class); }
};

// Carries out `call(file, data, how)`, which returns a report.
template <class Data, class Call>
int transfer(MPI_File file, char const* name, memory const& m, MPI_Status* status, Call&& call) {
  return with_file(file, name, [&](opened_file& f) {
    int error_class = MPI_SUCCESS;
    std::error_code error;
    report const done = call(f.of, data_in_place<Data>{m, error_class}, access_options(error));
    tell_status(status, done.memory_bytes);
    return told(file, f, error, error_class);
  });
}

// Carries out `call(file, data)`, which returns a request.
template <class Data, class Call>
int start(MPI_File file, char const* name, memory const& m, MPI_Request* result, Call&& call) {
  *result = MPI_REQUEST_NULL;
  return with_file(file, name, [&](opened_file& f) {
    int error_class = MPI_SUCCESS;
    request begun = call(f.of, data_in_place<Data>{m, error_class});
    return pass_on(file, std::move(begun), error_class, result);
  });
}

// Carries out `call(file, data)`, which begins a split call.
template <class Data, class Call>
int begin_split(MPI_File file, char const* name, memory const& m, Call&& call) {
  return with_file(file, name, [&](opened_file& f) {
    int error_class = MPI_SUCCESS;
    call(f.of, data_in_place<Data>{m, error_class});
    f.split_buffer = m.address;
    f.split_class = error_class;
    return MPI_SUCCESS;
  });
}

int end_split(MPI_File file, char const* name, char const* begun, void const* address,
              MPI_Status* status) {
  return with_file(file, name, [&](opened_file& f) {
    std::error_code error;
    report const done = f.of.end(begun, error);
    tell_status(status, done.memory_bytes);
    if (!error && std::exchange(f.split_buffer, nullptr) != address)
      return tell(file, MPI_ERR_BUFFER,
                  std::string(name) + ": this is not the buffer with which the call began");
    return told(file, f, error, f.split_class);
  });
}

}  // namespace
}  // namespace argosy::mpiio

using namespace argosy;
using namespace argosy::mpiio;

// Defines each call in two forms: with an int for the count, and with an MPI_Count, as in MPI 4. An
// older mpi.h does not declare the second form, so it is declared here.
#define ARGOSY_MPIIO_BOTH(name, define) \
  define(MPI_File_##name, int, name) define(MPI_File_##name##_c, MPI_Count, name)

// --- Blocking ---

#define ARGOSY_MPIIO_ACCESS(function, number, method, Data, pointer)                          \
  ARGOSY_MPIIO_FUNCTION(                                                                      \
      int, function,                                                                          \
      (MPI_File file, pointer address, number count, MPI_Datatype type, MPI_Status * status), \
      (file, address, count, type, status)) {                                                 \
    return transfer<Data>(file, #function, {address, count, type}, status,                    \
                          [](argosy::file& f, auto data, access_options const& with) {        \
                            return f.method(data(), with);                                    \
                          });                                                                 \
  }
#define ARGOSY_MPIIO_ACCESS_AT(function, number, method, Data, pointer)                   \
  ARGOSY_MPIIO_FUNCTION(int, function,                                                    \
                        (MPI_File file, MPI_Offset offset, pointer address, number count, \
                         MPI_Datatype type, MPI_Status * status),                         \
                        (file, offset, address, count, type, status)) {                   \
    return transfer<Data>(file, #function, {address, count, type}, status,                \
                          [&](argosy::file& f, auto data, access_options const& with) {   \
                            return f.method(offset, data(), with);                        \
                          });                                                             \
  }
#define ARGOSY_MPIIO_READ(function, number, method) \
  ARGOSY_MPIIO_ACCESS(function, number, method, target, void*)
#define ARGOSY_MPIIO_WRITE(function, number, method) \
  ARGOSY_MPIIO_ACCESS(function, number, method, source, void const*)
#define ARGOSY_MPIIO_READ_AT(function, number, method) \
  ARGOSY_MPIIO_ACCESS_AT(function, number, method, target, void*)
#define ARGOSY_MPIIO_WRITE_AT(function, number, method) \
  ARGOSY_MPIIO_ACCESS_AT(function, number, method, source, void const*)

// --- Nonblocking ---

#define ARGOSY_MPIIO_BEGIN(function, number, method, Data, pointer)                             \
  ARGOSY_MPIIO_FUNCTION(                                                                        \
      int, function,                                                                            \
      (MPI_File file, pointer address, number count, MPI_Datatype type, MPI_Request * request), \
      (file, address, count, type, request)) {                                                  \
    return start<Data>(file, #function, {address, count, type}, request,                        \
                       [](argosy::file& f, auto data) { return f.method(data()); });            \
  }
#define ARGOSY_MPIIO_BEGIN_AT(function, number, method, Data, pointer)                        \
  ARGOSY_MPIIO_FUNCTION(int, function,                                                        \
                        (MPI_File file, MPI_Offset offset, pointer address, number count,     \
                         MPI_Datatype type, MPI_Request * request),                           \
                        (file, offset, address, count, type, request)) {                      \
    return start<Data>(file, #function, {address, count, type}, request,                      \
                       [&](argosy::file& f, auto data) { return f.method(offset, data()); }); \
  }
#define ARGOSY_MPIIO_IREAD(function, number, method) \
  ARGOSY_MPIIO_BEGIN(function, number, method, target, void*)
#define ARGOSY_MPIIO_IWRITE(function, number, method) \
  ARGOSY_MPIIO_BEGIN(function, number, method, source, void const*)
#define ARGOSY_MPIIO_IREAD_AT(function, number, method) \
  ARGOSY_MPIIO_BEGIN_AT(function, number, method, target, void*)
#define ARGOSY_MPIIO_IWRITE_AT(function, number, method) \
  ARGOSY_MPIIO_BEGIN_AT(function, number, method, source, void const*)

// --- Split ---

#define ARGOSY_MPIIO_SPLIT_BEGIN(function, number, method, Data, pointer)                   \
  ARGOSY_MPIIO_FUNCTION(int, function,                                                      \
                        (MPI_File file, pointer address, number count, MPI_Datatype type),  \
                        (file, address, count, type)) {                                     \
    return begin_split<Data>(file, #function, {address, count, type},                       \
                             [](argosy::file& f, auto data) { f.begin_##method(data()); }); \
  }
#define ARGOSY_MPIIO_SPLIT_BEGIN_AT(function, number, method, Data, pointer)                \
  ARGOSY_MPIIO_FUNCTION(                                                                    \
      int, function,                                                                        \
      (MPI_File file, MPI_Offset offset, pointer address, number count, MPI_Datatype type), \
      (file, offset, address, count, type)) {                                               \
    return begin_split<Data>(                                                               \
        file, #function, {address, count, type},                                            \
        [&](argosy::file& f, auto data) { f.begin_##method(offset, data()); });             \
  }
#define ARGOSY_MPIIO_SPLIT_END(method, pointer)                                            \
  ARGOSY_MPIIO_FUNCTION(int, MPI_File_##method##_end,                                      \
                        (MPI_File file, pointer address, MPI_Status * status),             \
                        (file, address, status)) {                                         \
    return end_split(file, "MPI_File_" #method "_end", "begin_" #method, address, status); \
  }
#define ARGOSY_MPIIO_SPLIT(method, Data, pointer)                                         \
  ARGOSY_MPIIO_SPLIT_BEGIN(MPI_File_##method##_begin, int, method, Data, pointer)         \
  ARGOSY_MPIIO_SPLIT_BEGIN(MPI_File_##method##_begin_c, MPI_Count, method, Data, pointer) \
  ARGOSY_MPIIO_SPLIT_END(method, pointer)
#define ARGOSY_MPIIO_SPLIT_AT(method, Data, pointer)                                         \
  ARGOSY_MPIIO_SPLIT_BEGIN_AT(MPI_File_##method##_begin, int, method, Data, pointer)         \
  ARGOSY_MPIIO_SPLIT_BEGIN_AT(MPI_File_##method##_begin_c, MPI_Count, method, Data, pointer) \
  ARGOSY_MPIIO_SPLIT_END(method, pointer)

extern "C" {

ARGOSY_MPIIO_BOTH(read_at, ARGOSY_MPIIO_READ_AT)
ARGOSY_MPIIO_BOTH(read_at_all, ARGOSY_MPIIO_READ_AT)
ARGOSY_MPIIO_BOTH(write_at, ARGOSY_MPIIO_WRITE_AT)
ARGOSY_MPIIO_BOTH(write_at_all, ARGOSY_MPIIO_WRITE_AT)
ARGOSY_MPIIO_BOTH(read, ARGOSY_MPIIO_READ)
ARGOSY_MPIIO_BOTH(read_all, ARGOSY_MPIIO_READ)
ARGOSY_MPIIO_BOTH(read_shared, ARGOSY_MPIIO_READ)
ARGOSY_MPIIO_BOTH(read_ordered, ARGOSY_MPIIO_READ)
ARGOSY_MPIIO_BOTH(write, ARGOSY_MPIIO_WRITE)
ARGOSY_MPIIO_BOTH(write_all, ARGOSY_MPIIO_WRITE)
ARGOSY_MPIIO_BOTH(write_shared, ARGOSY_MPIIO_WRITE)
ARGOSY_MPIIO_BOTH(write_ordered, ARGOSY_MPIIO_WRITE)

ARGOSY_MPIIO_BOTH(iread_at, ARGOSY_MPIIO_IREAD_AT)
ARGOSY_MPIIO_BOTH(iread_at_all, ARGOSY_MPIIO_IREAD_AT)
ARGOSY_MPIIO_BOTH(iwrite_at, ARGOSY_MPIIO_IWRITE_AT)
ARGOSY_MPIIO_BOTH(iwrite_at_all, ARGOSY_MPIIO_IWRITE_AT)
ARGOSY_MPIIO_BOTH(iread, ARGOSY_MPIIO_IREAD)
ARGOSY_MPIIO_BOTH(iread_all, ARGOSY_MPIIO_IREAD)
ARGOSY_MPIIO_BOTH(iread_shared, ARGOSY_MPIIO_IREAD)
ARGOSY_MPIIO_BOTH(iwrite, ARGOSY_MPIIO_IWRITE)
ARGOSY_MPIIO_BOTH(iwrite_all, ARGOSY_MPIIO_IWRITE)
ARGOSY_MPIIO_BOTH(iwrite_shared, ARGOSY_MPIIO_IWRITE)

ARGOSY_MPIIO_SPLIT_AT(read_at_all, target, void*)
ARGOSY_MPIIO_SPLIT_AT(write_at_all, source, void const*)
ARGOSY_MPIIO_SPLIT(read_all, target, void*)
ARGOSY_MPIIO_SPLIT(write_all, source, void const*)
ARGOSY_MPIIO_SPLIT(read_ordered, target, void*)
ARGOSY_MPIIO_SPLIT(write_ordered, source, void const*)

}  // extern "C"
