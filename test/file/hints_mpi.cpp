// Hints through MPI_Info.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <string>

#include <argosy/file/hints_mpi.hpp>

namespace io = argosy;

TEST_CASE("hints come from an MPI_Info and go back into one", "[hints][mpi]") {
  CHECK(io::from_info(MPI_INFO_NULL).empty());
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_nodes", "3");
  MPI_Info_set(info, "cb_buffer_size", "16777216");
  MPI_Info_set(info, "romio_ds_write", "sometimes");
  MPI_Info_set(info, "not_ours", std::string(200, 'x').c_str());
  io::hints const h = io::from_info(info);
  MPI_Info_free(&info);
  CHECK(h.named.size() == 4);

  io::file_hints f({}, h, {});
  f.tell("filename", "state.dat");
  CHECK(f.values().cb_nodes == 3);
  CHECK(f.find("cb_nodes")->source == io::hint_source::info);
  CHECK(f.find("romio_ds_write")->status == io::hint_status::rejected);

  MPI_Info out = io::to_info(f);
  io::hints const back = io::from_info(out);
  MPI_Info_free(&out);
  io::file_hints const again({}, back, {});
  auto const value = [&](std::string const& name) {
    for (io::named_hint const& n : back.named)
      if (n.name == name) return n.value;
    return std::string("(none)");
  };
  CHECK(value("cb_nodes") == "3");
  CHECK(value("romio_ds_write") == "automatic");
  CHECK(value("filename") == "state.dat");
  CHECK(value("not_ours") == std::string(200, 'x'));
  CHECK(value("ind_wr_buffer_size") == "524288");
  CHECK(value("file_perm") == "(none)");
  CHECK(again.values().cb_nodes == 3);
  CHECK(again.values().cb_buffer_bytes == f.values().cb_buffer_bytes);
}
