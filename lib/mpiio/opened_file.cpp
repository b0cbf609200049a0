// Implements opened_file.hpp: the table of open files, and MPI's conversions of handles.
// SPDX-License-Identifier: BSD-3-Clause
#include "opened_file.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include <argosy/error/mpi.hpp>

#include "next.hpp"

namespace argosy::mpiio {
namespace {

// The target of a handle. Never freed, so that a closed handle can be distinguished from an open
// one. There are few of them, and they are small.
struct slot {
  std::shared_ptr<opened_file> file;
  MPI_Fint number;
};

#ifdef ARGOSY_MPI_STANDARD_ABI
// The interface of MPI 5 keeps the smaller numbers for its constants.
constexpr MPI_Fint first_number = 4096;
MPI_Fint null_number() {
  return static_cast<MPI_Fint>(reinterpret_cast<std::intptr_t>(MPI_FILE_NULL));
}
#else
constexpr MPI_Fint first_number = 1;
constexpr MPI_Fint null_number() { return 0; }
#endif

std::mutex slots_mutex;
// Not destroyed at exit, because a file that a program never closed must not call MPI after
// MPI_Finalize.
std::vector<std::unique_ptr<slot>>& slots() {
  static auto& all = *new std::vector<std::unique_ptr<slot>>;
  return all;
}

slot* slot_of(MPI_File file) {
  // MPI_File is a pointer in all known MPI libraries.
  return file == MPI_FILE_NULL ? nullptr : reinterpret_cast<slot*>(file);
}

}  // namespace

MPI_File remember(std::shared_ptr<opened_file> f) {
  std::lock_guard const guard(slots_mutex);
  auto& all = slots();
  auto free =
      std::find_if(all.begin(), all.end(), [](auto const& s) { return s->file == nullptr; });
  if (free == all.end()) {
    auto const number = static_cast<MPI_Fint>(all.size()) + first_number;
    free = all.insert(all.end(), std::make_unique<slot>(slot{nullptr, number}));
  }
  (*free)->file = std::move(f);
  return reinterpret_cast<MPI_File>(free->get());
}

void forget(MPI_File file) {
  std::lock_guard const guard(slots_mutex);
  slot_of(file)->file = nullptr;
}

std::shared_ptr<opened_file> const* find(MPI_File file) {
  slot* const s = slot_of(file);
  return s && s->file ? &s->file : nullptr;
}

error_handler& on_error_of(MPI_File file) {
  auto const* const f = find(file);
  return f ? (*f)->on_error : default_handler();
}

int tell(MPI_File file, int error_class, std::string const& text) {
  int const code = code_of(error_class, text);
  on_error_of(file).call(file, code);
  return code;
}

int tell(MPI_File file, std::error_code const& error, std::string const& text) {
  return tell(file, to_mpi_class(error), text);
}

int tell_no_file(char const* call) {
  return tell(
      MPI_FILE_NULL, MPI_ERR_FILE,
      std::string(call) +
          ": the file is not open. What to do: open it first, and look at what MPI_File_open "
          "returns, since errors of files are not fatal by default");
}

MPI_Fint number_of(MPI_File file) {
  slot* const s = slot_of(file);
  return s ? s->number : null_number();
}

MPI_File file_of(MPI_Fint number) {
  std::lock_guard const guard(slots_mutex);
  auto const at = std::int64_t{number} - first_number;
  if (at < 0 || at >= std::ssize(slots())) return MPI_FILE_NULL;
  return reinterpret_cast<MPI_File>(slots()[static_cast<std::size_t>(at)].get());
}

}  // namespace argosy::mpiio

using namespace argosy::mpiio;

extern "C" {

ARGOSY_MPIIO_FUNCTION(MPI_Fint, MPI_File_c2f, (MPI_File file), (file)) { return number_of(file); }
ARGOSY_MPIIO_FUNCTION(MPI_File, MPI_File_f2c, (MPI_Fint number), (number)) {
  return file_of(number);
}

// MPI 5 calls them so, with an int as the number.
ARGOSY_MPIIO_FUNCTION(int, MPI_File_toint, (MPI_File file), (file)) { return number_of(file); }
ARGOSY_MPIIO_FUNCTION(MPI_File, MPI_File_fromint, (int number), (number)) {
  return file_of(number);
}

}  // extern "C"
