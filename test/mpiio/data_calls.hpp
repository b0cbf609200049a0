// MPI's functions that read and write, described by their common properties.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdlib>
#include <string>

enum class way { at, individual, shared, ordered };
enum class form { blocking, split, nonblocking };

// Calls of the ordered way are collective and not nonblocking. Those of the shared way are neither
// collective nor split. Split calls are collective.
struct data_call {
  bool writes = false;
  way by = way::at;
  bool collective = false;
  form as = form::blocking;
};

inline std::string name_of(data_call const& c) {
  char const* const ways[] = {"_at", "", "_shared", "_ordered"};
  std::string name = c.writes ? "write" : "read";
  if (c.as == form::nonblocking) name = "i" + name;
  name += ways[static_cast<int>(c.by)];
  if (c.collective && c.by != way::ordered) name += "_all";
  if (c.as == form::split) name += "_begin";
  return name;
}

// The arguments of a call. A blocking call also returns a status, and a nonblocking one a request.
struct given_data {
  MPI_File file;
  MPI_Offset offset;
  void* memory;
  int count;
  MPI_Datatype type;
};

// Makes the call, and returns its code. A split call is ended by ended().
inline int made(data_call const& c, given_data const& d, MPI_Status* status, MPI_Request* request) {
  auto const& [f, at, m, n, t] = d;
  auto const call = [&c, file = f](auto* write, auto* read, auto... arguments) {
    return c.writes ? write(file, arguments...) : read(file, arguments...);
  };
  switch (c.as) {
    case form::blocking:
      if (c.by == way::shared)
        return call(MPI_File_write_shared, MPI_File_read_shared, m, n, t, status);
      if (c.by == way::ordered)
        return call(MPI_File_write_ordered, MPI_File_read_ordered, m, n, t, status);
      if (c.by == way::at && c.collective)
        return call(MPI_File_write_at_all, MPI_File_read_at_all, at, m, n, t, status);
      if (c.by == way::at) return call(MPI_File_write_at, MPI_File_read_at, at, m, n, t, status);
      if (c.collective) return call(MPI_File_write_all, MPI_File_read_all, m, n, t, status);
      return call(MPI_File_write, MPI_File_read, m, n, t, status);
    case form::split:
      if (c.by == way::ordered)
        return call(MPI_File_write_ordered_begin, MPI_File_read_ordered_begin, m, n, t);
      if (c.by == way::at)
        return call(MPI_File_write_at_all_begin, MPI_File_read_at_all_begin, at, m, n, t);
      return call(MPI_File_write_all_begin, MPI_File_read_all_begin, m, n, t);
    case form::nonblocking:
      if (c.by == way::shared)
        return call(MPI_File_iwrite_shared, MPI_File_iread_shared, m, n, t, request);
      if (c.by == way::at && c.collective)
        return call(MPI_File_iwrite_at_all, MPI_File_iread_at_all, at, m, n, t, request);
      if (c.by == way::at) return call(MPI_File_iwrite_at, MPI_File_iread_at, at, m, n, t, request);
      if (c.collective) return call(MPI_File_iwrite_all, MPI_File_iread_all, m, n, t, request);
      return call(MPI_File_iwrite, MPI_File_iread, m, n, t, request);
  }
  std::abort();
}

// Ends a split call.
inline int ended(data_call const& c, given_data const& d, MPI_Status* status) {
  auto const call = [&](auto* write, auto* read) {
    return c.writes ? write(d.file, d.memory, status) : read(d.file, d.memory, status);
  };
  if (c.by == way::ordered) return call(MPI_File_write_ordered_end, MPI_File_read_ordered_end);
  if (c.by == way::at) return call(MPI_File_write_at_all_end, MPI_File_read_at_all_end);
  return call(MPI_File_write_all_end, MPI_File_read_all_end);
}
