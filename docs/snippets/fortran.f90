! Snippets of docs/use/fortran.md.
! Run: mpiexec -n 2 build/release/bin/snippets_fortran
! SPDX-License-Identifier: BSD-3-Clause
program snippets
  use mpi
  use argosy
  implicit none
  integer, parameter :: nx = 4, ny = 3
  real(8), target :: u(0:nx + 1, 0:ny + 1)
  integer, target :: step
  type(argosy_checkpoint) :: state
  type(argosy_file) :: f
  integer :: comm, rank, ranks, error, stat, sizes(2), first(2)
  character(len=:), allocatable :: text

  call MPI_Init(error)
  comm = MPI_COMM_WORLD
  call MPI_Comm_rank(comm, rank, error)
  call MPI_Comm_size(comm, ranks, error)
  sizes = [nx, ny*ranks]
  first = [1, rank*ny + 1]
  u = rank + 1

  ! [fortran_npy]
  call argosy_npy_save(comm, "u.npy", u(1:nx, 1:ny), sizes, first)
  call argosy_npy_load(comm, "u.npy", u(1:nx, 1:ny), sizes, first)
  ! [fortran_npy]
  if (any(u /= rank + 1)) error stop "the .npy file has something else"

  step = 7
  ! [fortran_checkpoint]
  call state%add("u", u(1:nx, 1:ny), sizes, first)
  call state%add_value("step", step)    ! equal on all ranks; scalars, arrays and text
  call state%save(comm, "state")
  call state%load(comm, "state")        ! any other day, any number of ranks
  ! [fortran_checkpoint]
  if (step /= 7 .or. any(u /= rank + 1)) error stop "the checkpoint has something else"

  ! [fortran_errors]
  call f%open(comm, "missing.dat", argosy_read, stat=stat, errmsg=text)
  if (stat == argosy_err_no_such_file .or. stat == argosy_err_on_another_rank) print "(a)", text
  ! [fortran_errors]
  if (stat == 0) error stop "a missing file was opened"
  call MPI_Barrier(comm, error)
  if (rank == 0) call remove("u.npy")
  if (rank == 0) call remove("state")
  call MPI_Finalize(error)

contains

  subroutine remove(path)
    character(len=*), intent(in) :: path
    integer :: unit
    open (newunit=unit, file=path, access="stream")
    close (unit, status="delete")
  end subroutine
end program
