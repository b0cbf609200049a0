// The compiled library, and its opt-in header for MPI's datatypes.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype/mpi.hpp>
#include <argosy/layout.hpp>
#include <argosy/version.hpp>

#include <mpi.h>

#include <cstdio>

static_assert(argosy::repeat(2, 8, argosy::bytes(8)) == argosy::bytes(16));

int main(int argc, char** argv) {
  auto const version = argosy::version();
  std::printf("argosy %.*s\n", static_cast<int>(version.size()), version.data());

  MPI_Init(&argc, &argv);
  bool right = false;
  {
    argosy::layout const column = argosy::repeat(4, 64, argosy::bytes(8));
    argosy::mpi_datatype const type = argosy::to_mpi(column);
    int size = 0;
    MPI_Type_size(type.get(), &size);
    right = size == 32 && argosy::from_mpi(type.get()) == column &&
            argosy::from_mpi(MPI_DOUBLE_INT) == argosy::resized(argosy::bytes(12), 0, 16);
  }
  MPI_Finalize();
  if (!right) std::puts("a column is not itself after the way into MPI and back");
  return right ? 0 : 1;
}
