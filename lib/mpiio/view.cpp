// MPI's functions of views and pointers.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <argosy/file/hints_mpi.hpp>
#include <argosy/layout/error.hpp>

#include "next.hpp"
#include "opened_file.hpp"
#include "requests.hpp"

namespace argosy::mpiio {
namespace {

// Returns a function that makes the datatype inside of the call, for view_shape. If the datatype is
// invalid, all ranks get an error.
auto maker_of(MPI_Datatype type) {
  return [type]() -> argosy::extend::typed_layout {
    known_type const& k = known(type);
    if (!k.fault.empty()) throw invalid_layout(k.fault);
    return k.form;
  };
}

// Returns MPI_ERR_TYPE if one is no datatype. For datatypes that cannot be a view, it returns the
// classes of OMPIO and ROMIO.
int class_of_no_view(MPI_Datatype etype, MPI_Datatype filetype) {
  if (!known(etype).fault.empty() || !known(filetype).fault.empty()) return MPI_ERR_TYPE;
  std::int64_t const unit = known(etype).size, size = known(filetype).size;
  return unit > 0 && size % unit != 0 ? MPI_ERR_ARG : MPI_ERR_IO;
}

// Returns argosy's constant. For an unknown `whence` it sets the offset to -1, so that the call
// fails.
seek_from seek_from_of(int whence, std::int64_t& offset) {
  if (whence == MPI_SEEK_CUR) return seek_from::current;
  if (whence == MPI_SEEK_END) return seek_from::end;
  if (whence != MPI_SEEK_SET) offset = -1;
  return seek_from::start;
}

int type_extent(MPI_File file, MPI_Datatype type, MPI_Count most, MPI_Count& extent) {
  return with_file(file, "MPI_File_get_type_extent", [&](opened_file& f) -> int {
    known_type const& k = known(type);
    if (!k.fault.empty()) return tell(file, MPI_ERR_TYPE, "MPI_File_get_type_extent: " + k.fault);
    extent = f.of.type_extent(k.form);
    if (extent <= most) return MPI_SUCCESS;
    extent = MPI_UNDEFINED;
    return MPI_SUCCESS;
  });
}

}  // namespace
}  // namespace argosy::mpiio

using namespace argosy;
using namespace argosy::mpiio;

extern "C" {

ARGOSY_MPIIO_FUNCTION(int, MPI_File_set_view,
                      (MPI_File file, MPI_Offset displacement, MPI_Datatype etype,
                       MPI_Datatype filetype, char const* representation, MPI_Info info),
                      (file, displacement, etype, filetype, representation, info)) {
  return with_file(file, "MPI_File_set_view", [&](opened_file& f) -> int {
    std::error_code error;
    hints const given = from_info(info);
    std::string_view const name = representation ? representation : "";
    std::int64_t const at =
        displacement == MPI_DISPLACEMENT_CURRENT ? extend::current_displacement : displacement;
    auto const etype_made = maker_of(etype), filetype_made = maker_of(filetype);
    settle(file, f);
    f.of.set_view(at, {etype_made, filetype_made, name}, {given, error});
    if (error == errc::datatype)
      return tell(file, class_of_no_view(etype, filetype), f.of.what_failed());
    if (error) return tell(file, error, f.of.what_failed());
    f.displacement = f.of.view().displacement();
    f.etype = kept_type(etype);
    f.filetype = kept_type(filetype);
    f.representation = name;
    return MPI_SUCCESS;
  });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_get_view,
                      (MPI_File file, MPI_Offset* displacement, MPI_Datatype* etype,
                       MPI_Datatype* filetype, char* representation),
                      (file, displacement, etype, filetype, representation)) {
  return with_file(file, "MPI_File_get_view", [&](opened_file& f) {
    *displacement = f.displacement;
    *etype = f.etype.handed_out();
    *filetype = f.filetype.handed_out();
    std::size_t const n =
        std::min<std::size_t>(f.representation.size(), MPI_MAX_DATAREP_STRING - 1);
    *std::copy_n(f.representation.data(), n, representation) = '\0';
    return MPI_SUCCESS;
  });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_get_byte_offset,
                      (MPI_File file, MPI_Offset offset, MPI_Offset* displacement),
                      (file, offset, displacement)) {
  return with_file(file, "MPI_File_get_byte_offset", [&](opened_file& f) {
    *displacement = f.of.byte_offset(offset);
    return MPI_SUCCESS;
  });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_get_type_extent,
                      (MPI_File file, MPI_Datatype type, MPI_Aint* extent), (file, type, extent)) {
  MPI_Count found = 0;
  int const code = type_extent(file, type, std::numeric_limits<MPI_Aint>::max(), found);
  if (code == MPI_SUCCESS) *extent = static_cast<MPI_Aint>(found);
  return code;
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_get_type_extent_c,
                      (MPI_File file, MPI_Datatype type, MPI_Count* extent), (file, type, extent)) {
  return type_extent(file, type, std::numeric_limits<MPI_Count>::max(), *extent);
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_seek, (MPI_File file, MPI_Offset offset, int whence),
                      (file, offset, whence)) {
  return with_call(file, "MPI_File_seek", [&](opened_file& f, std::error_code& e) {
    std::int64_t to = offset;
    seek_from const from = seek_from_of(whence, to);
    f.of.seek(to, from, e);
  });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_get_position, (MPI_File file, MPI_Offset* offset),
                      (file, offset)) {
  return with_file(file, "MPI_File_get_position", [&](opened_file& f) {
    *offset = f.of.position();
    return MPI_SUCCESS;
  });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_seek_shared, (MPI_File file, MPI_Offset offset, int whence),
                      (file, offset, whence)) {
  return with_call(file, "MPI_File_seek_shared", [&](opened_file& f, std::error_code& e) {
    std::int64_t to = offset;
    seek_from const from = seek_from_of(whence, to);
    f.of.seek_shared(to, from, e);
  });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_File_get_position_shared, (MPI_File file, MPI_Offset* offset),
                      (file, offset)) {
  return with_file(file, "MPI_File_get_position_shared", [&](opened_file& f) {
    *offset = f.of.position_shared();
    return MPI_SUCCESS;
  });
}

}  // extern "C"
