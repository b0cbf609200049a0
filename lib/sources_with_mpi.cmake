# The sources in lib/ that include mpi.h. The module for Python is built without them.
# SPDX-License-Identifier: BSD-3-Clause
set(argosy_sources_with_mpi
  datatype/decoded_type.cpp
  datatype/from_mpi.cpp
  datatype/named_types.cpp
  datatype/to_mpi.cpp
  error/mpi.cpp
  file/file.cpp
  file/hints/hints_mpi.cpp
  format/checkpoint.cpp
  format/hdf5/hdf5.cpp
  format/npy.cpp
  format/vtkhdf/vtkhdf.cpp
  format/xdmf.cpp
  format/zarr/zarr.cpp
  world/dead_ranks.cpp
  world/message_prices.cpp
  world/mpi.cpp
  world/mpi_communicator.cpp
  world/mpi_memory.cpp
  world/mpi_service.cpp)
