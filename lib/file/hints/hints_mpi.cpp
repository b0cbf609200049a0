// Implements hints_mpi.hpp: hints from and to MPI_Info.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/hints_mpi.hpp>

#include <string>
#include <system_error>
#include <vector>

#include <argosy/error/errc.hpp>

namespace argosy {
namespace {

void require(int code, char const* call) {
  if (code == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  throw std::system_error(errc::argument, std::string("argosy: ") + call + ": " + text);
}

}  // namespace

hints from_info(MPI_Info info) {
  hints result;
  if (info == MPI_INFO_NULL) return result;
  int keys = 0;
  require(MPI_Info_get_nkeys(info, &keys), "MPI_Info_get_nkeys");
  for (int i = 0; i < keys; ++i) {
    std::string key(MPI_MAX_INFO_KEY + 1, '\0');
    require(MPI_Info_get_nthkey(info, i, key.data()), "MPI_Info_get_nthkey");
    key.resize(key.find('\0'));
    int length = 0, found = 0;
    require(MPI_Info_get_valuelen(info, key.c_str(), &length, &found), "MPI_Info_get_valuelen");
    std::string value(static_cast<std::size_t>(length) + 1, '\0');
    require(MPI_Info_get(info, key.c_str(), length, value.data(), &found), "MPI_Info_get");
    value.resize(value.find('\0'));
    result.named.push_back({std::move(key), std::move(value), {}, {}, true});
  }
  return result;
}

MPI_Info to_info(file_hints const& h) {
  MPI_Info info = MPI_INFO_NULL;
  require(MPI_Info_create(&info), "MPI_Info_create");
  for (hint_state const& s : h.all())
    // Leaves out what MPI_Info cannot hold, and lines that could not be read.
    if (!s.value.empty() && s.name.size() < MPI_MAX_INFO_KEY && s.value.size() < MPI_MAX_INFO_VAL &&
        (detail::find_hint(s.name) != nullptr || s.status != hint_status::rejected))
      require(MPI_Info_set(info, s.name.c_str(), s.value.c_str()), "MPI_Info_set");
  return info;
}

}  // namespace argosy
