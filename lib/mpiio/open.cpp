// MPI's functions that open, close and delete files, and functions of a file as a whole.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <string>
#include <utility>

#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/file/hints_file.hpp>
#include <argosy/file/hints_mpi.hpp>

#include "handles.hpp"
#include "ibm_variables.hpp"
#include "next.hpp"
#include "opened_file.hpp"
#include "requests.hpp"

namespace argosy::mpiio {
namespace {

constexpr std::pair<int, mode> modes[] = {
    {MPI_MODE_RDONLY, mode::read},
    {MPI_MODE_WRONLY, mode::write},
    {MPI_MODE_RDWR, mode::read_write},
    {MPI_MODE_CREATE, mode::create},
    {MPI_MODE_EXCL, mode::exclusive},
    {MPI_MODE_APPEND, mode::append},
    {MPI_MODE_DELETE_ON_CLOSE, mode::delete_on_close},
    {MPI_MODE_UNIQUE_OPEN, mode::unique_open},
    {MPI_MODE_SEQUENTIAL, mode::sequential},
};

// Returns `none`, which open refuses on all ranks, if a bit has no meaning.
mode mode_of(int amode) {
  mode m = mode::none;
  for (auto const& [bit, one] : modes)
    if ((amode & bit) != 0) {
      m = m | one;
      amode &= ~bit;
    }
  return amode == 0 ? m : mode::none;
}

hints hints_of(MPI_Info info) {
  hints h;
  // Behaviour that programs written for other libraries rely on: views that those accept, and a
  // sync that may be tried again.
  h.set("argosy_lenient", "true").set("argosy_sync_errors", "until_written");
  hints const ibm = hints_of_ibm_variables();
  h.named.insert(h.named.end(), ibm.named.begin(), ibm.named.end());
  if (char const* const path = std::getenv("ROMIO_HINTS"); path != nullptr && *path != '\0') {
    hints const more = read_hints_file(path, "ROMIO_HINTS");
    // reversed, because the first of equal names counts there
    h.named.insert(h.named.end(), more.named.rbegin(), more.named.rend());
  }
  hints const given = from_info(info);
  h.named.insert(h.named.end(), given.named.begin(), given.named.end());
  return h;
}

}  // namespace
}  // namespace argosy::mpiio

using namespace argosy;
using namespace argosy::mpiio;

extern "C" {

ARGOSY_MPIIO_FUNCTION(int, MPI_File_open,
                      (MPI_Comm comm, char const* filename, int amode, MPI_Info info,
                       MPI_File* file),
                      (comm, filename, amode, info, file)) {
  *file = MPI_FILE_NULL;
  return guarded(MPI_FILE_NULL, "MPI_File_open", [&]() -> int {
    std::error_code no_group;
    mpi const world(comm, no_group);
    if (no_group)
      return tell(MPI_FILE_NULL, MPI_ERR_COMM,
                  "MPI_File_open: the communicator is MPI_COMM_NULL or an intercommunicator; a "
                  "file is opened by one group");
    auto f = std::make_shared<opened_file>();
    hints given = hints_of(info);
    std::string const path = filename ? filename : "";
    chosen_handle on = handle_for(path, given);
    std::erase_if(given.named, [](auto const& h) { return h.name == handle_hint; });
    try {
      f->of = file::open(world, path, mode_of(amode), given, std::move(on.files));
    } catch (error const& e) {
      // Makes all ranks return the class of the rank that failed, because programs expect the
      // reason of a failed open on all ranks.
      bool const elsewhere = e.code() == errc::error_on_another_rank;
      return tell(MPI_FILE_NULL, elsewhere ? std::error_code(classify(e.cause())) : e.code(),
                  e.what());
    }
    f->amode = amode;
    f->handle = std::move(on.name);
    *file = remember(std::move(f));
    return MPI_SUCCESS;
  });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_close, (MPI_File * file), (file)) {
  return guarded(*file, "MPI_File_close", [&] {
    auto const* const found = find(*file);
    if (!found) return tell_no_file("MPI_File_close");
    auto const f = *found;  // lives until its handler was called
    settle(*file, *f);
    std::error_code error;
    f->of.close(error);
    int const code = error ? tell(*file, error, f->of.what_failed()) : MPI_SUCCESS;
    forget(std::exchange(*file, MPI_FILE_NULL));
    return code;
  });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_delete, (char const* filename, MPI_Info info),
                      (filename, info)) {
  return guarded(MPI_FILE_NULL, "MPI_File_delete", [&]() -> int {
    chosen_handle const on = handle_for(filename ? filename : "", from_info(info));
    std::string const path = detail::without_prefix(filename ? filename : "");
    std::error_code error = on.files.remove(path);
    if (!error) return MPI_SUCCESS;
    return tell(MPI_FILE_NULL, std::error_code(classify(error)),
                "MPI_File_delete of '" + path + "': " + error.message());
  });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_set_size, (MPI_File file, MPI_Offset bytes), (file, bytes)) {
  return with_call(file, "MPI_File_set_size", [&](opened_file& f, std::error_code& e) {
    settle(file, f);
    f.of.set_size(bytes, e);
  });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_preallocate, (MPI_File file, MPI_Offset bytes), (file, bytes)) {
  return with_call(file, "MPI_File_preallocate", [&](opened_file& f, std::error_code& e) {
    settle(file, f);
    f.of.preallocate(bytes, e);
  });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_get_size, (MPI_File file, MPI_Offset* bytes), (file, bytes)) {
  return with_call(file, "MPI_File_get_size",
                   [&](opened_file& f, std::error_code& e) { *bytes = f.of.size(e); });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_sync, (MPI_File file), (file)) {
  return with_call(file, "MPI_File_sync",
                   [&](opened_file& f, std::error_code& e) { f.of.sync(e); });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_set_atomicity, (MPI_File file, int flag), (file, flag)) {
  return with_call(file, "MPI_File_set_atomicity",
                   [&](opened_file& f, std::error_code& e) { f.of.set_atomic(flag != 0, e); });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_get_atomicity, (MPI_File file, int* flag), (file, flag)) {
  return with_file(file, "MPI_File_get_atomicity", [&](opened_file& f) {
    *flag = f.of.atomic() ? 1 : 0;
    return MPI_SUCCESS;
  });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_get_group, (MPI_File file, MPI_Group* group), (file, group)) {
  return with_file(file, "MPI_File_get_group",
                   [&](opened_file& f) { return PMPI_Comm_group(f.of.world().get(), group); });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_get_amode, (MPI_File file, int* amode), (file, amode)) {
  return with_file(file, "MPI_File_get_amode", [&](opened_file& f) {
    *amode = f.amode;
    return MPI_SUCCESS;
  });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_set_info, (MPI_File file, MPI_Info info), (file, info)) {
  return with_call(file, "MPI_File_set_info",
                   [&](opened_file& f, std::error_code& e) { f.of.set_hints(from_info(info), e); });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_get_info, (MPI_File file, MPI_Info* info), (file, info)) {
  return with_file(file, "MPI_File_get_info", [&](opened_file& f) {
    *info = to_info(f.of.get_hints());
    return PMPI_Info_set(*info, handle_hint, f.handle.c_str());
  });
}

}  // extern "C"
