! The first program in Fortran: each rank writes its tile of an array, which has a halo in memory.
! Run: mpiexec -n 4 build/release/bin/hello_fortran
! SPDX-License-Identifier: BSD-3-Clause
! [hello_fortran]
program hello
  use mpi
  use argosy
  implicit none
  integer, parameter :: nx = 20, ny = 30
  real(8) :: u(0:nx + 1, 0:ny + 1)  ! this rank's values, in a halo
  type(argosy_file) :: f
  integer :: error, rank, ranks

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  u = rank

  ! In the file: one array without halos, of which each rank has ny columns.
  call f%open(MPI_COMM_WORLD, "hello_fortran.dat", argosy_create + argosy_truncate + argosy_write)
  call f%set_part(u(1:nx, 1:ny), sizes=[nx, ny*ranks], first=[1, rank*ny + 1])
  call f%write_all(u(1:nx, 1:ny))  ! an error stops the program on every rank
  if (rank == 0) print "(a)", f%report()
  call f%close()
  call MPI_Finalize(error)
end program
! [hello_fortran]
