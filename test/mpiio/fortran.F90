! A plain Fortran program with one of MPI's three bindings, run with the drop-in preloaded.
! BINDING is 77 (mpif.h), 90 (use mpi) or 8 (use mpi_f08).
! SPDX-License-Identifier: BSD-3-Clause
#if BINDING == 8
#define FILE_HANDLE type(MPI_File)
#define TYPE_HANDLE type(MPI_Datatype)
#define REQUEST_HANDLE type(MPI_Request)
#define HANDLER_HANDLE type(MPI_Errhandler)
#define STATUS_OF(s) type(MPI_Status) :: s
#else
#define FILE_HANDLE integer
#define TYPE_HANDLE integer
#define REQUEST_HANDLE integer
#define HANDLER_HANDLE integer
#define STATUS_OF(s) integer :: s(MPI_STATUS_SIZE)
#endif

module seen
  integer :: calls = 0, code = 0
end module seen

subroutine handler(fh, error)
  use seen
#if BINDING == 8
  use mpi_f08
  type(MPI_File) :: fh
#else
  integer :: fh
#endif
  integer :: error
  calls = calls + 1
  code = error
end subroutine handler

program fortran
  use seen
#if BINDING == 8
  use mpi_f08
#elif BINDING == 90
  use mpi
#endif
  implicit none
#if BINDING == 77
  include 'mpif.h'
#endif
  external :: handler
  integer, parameter :: rows = 6, columns = 5
  integer :: rank, ranks, ierr, i, n, wrong = 0, all_wrong, error_class
  integer :: field(rows, columns), back(rows, columns), sizes(2), subsizes(2), starts(2), absolute
  integer(MPI_OFFSET_KIND) :: displacement, position, bytes
  integer(MPI_ADDRESS_KIND) :: address(1)
  FILE_HANDLE :: fh
  TYPE_HANDLE :: tile, etype, filetype, lonely
  REQUEST_HANDLE :: request
  HANDLER_HANDLE :: errhandler
  STATUS_OF(status)
  character(len=256) :: path
  character(len=MPI_MAX_DATAREP_STRING) :: representation
  character(len=MPI_MAX_ERROR_STRING) :: text

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_environment_variable('TMPDIR', path)
  if (path == '') path = '/tmp'
  ! A name does not include the blanks at its end.
  call MPI_File_open(MPI_COMM_WORLD, trim(path) // '/none.dat   ', MPI_MODE_RDONLY, MPI_INFO_NULL, fh, ierr)
  call check(ierr /= MPI_SUCCESS, 'a file that is not there')
  call MPI_Error_string(ierr, text, n, i)
  call check(index(text, 'argosy') > 0 .and. index(text, 'none.dat') > 0, 'it is argosy that says so')
  path = trim(path) // '/fortran.dat'
  call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, fh, ierr)
  call check(ierr == MPI_SUCCESS, 'open')

  ! Each rank has some columns of a matrix.
  sizes = (/rows, columns * ranks/)
  subsizes = (/rows, columns/)
  starts = (/0, columns * rank/)
  call MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_INTEGER, tile, ierr)
  call MPI_Type_commit(tile, ierr)
  displacement = 8
  call MPI_File_set_view(fh, displacement, MPI_INTEGER, tile, 'native', MPI_INFO_NULL, ierr)
  call check(ierr == MPI_SUCCESS, 'set_view')
  call MPI_Type_free(tile, ierr)
  do i = 1, columns
    field(:, i) = 1000 * rank + i
  end do
  call MPI_File_write_all(fh, field, rows * columns, MPI_INTEGER, status, ierr)
  call check(ierr == MPI_SUCCESS, 'write_all')
  call MPI_Get_count(status, MPI_INTEGER, n, ierr)
  call check(n == rows * columns, 'the status counts')
  call MPI_File_get_position(fh, position, ierr)
  call check(position == rows * columns, 'the pointer moves')
  call MPI_File_seek(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
  back = -1
  call MPI_File_iread(fh, back, rows * columns, MPI_INTEGER, request, ierr)
  call MPI_Wait(request, status, ierr)
  call check(ierr == MPI_SUCCESS .and. all(back == field), 'iread')
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_File_get_size(fh, bytes, ierr)
  call check(bytes == 8 + 4_MPI_OFFSET_KIND * rows * columns * ranks, 'get_size')
  call MPI_File_get_view(fh, displacement, etype, filetype, representation, ierr)
  call check(displacement == 8 .and. representation == 'native', 'get_view')
  call MPI_Type_free(filetype, ierr)

  ! Absolute addresses, and no status.
  call MPI_File_set_view(fh, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'external32', MPI_INFO_NULL, ierr)
  absolute = 4711 + rank
  call MPI_Get_address(absolute, address(1), ierr)
  call MPI_Type_create_hindexed(1, (/1/), address, MPI_INTEGER, lonely, ierr)
  call MPI_Type_commit(lonely, ierr)
  call MPI_File_write_at_all(fh, int(rank, MPI_OFFSET_KIND), MPI_BOTTOM, 1, lonely, MPI_STATUS_IGNORE, ierr)
  call check(ierr == MPI_SUCCESS, 'MPI_BOTTOM')
  call MPI_File_set_view(fh, 0_MPI_OFFSET_KIND, MPI_BYTE, MPI_BYTE, 'native', MPI_INFO_NULL, ierr)
  call MPI_File_read_at_all(fh, int(4 * rank, MPI_OFFSET_KIND), i, 4, MPI_BYTE, MPI_STATUS_IGNORE, ierr)
  call check(iand(ishft(i, -24), 255) == iand(4711 + rank, 255), 'external32')
  call MPI_Type_free(lonely, ierr)

  ! A handler in Fortran.
  call MPI_File_create_errhandler(handler, errhandler, ierr)
  call MPI_File_set_errhandler(fh, errhandler, ierr)
  call check(ierr == MPI_SUCCESS, 'set_errhandler')
  call MPI_Errhandler_free(errhandler, ierr)
  call MPI_File_write_at(fh, -1_MPI_OFFSET_KIND, absolute, 1, MPI_INTEGER, status, ierr)
  call MPI_Error_class(ierr, error_class, i)
  call check(error_class == MPI_ERR_ARG .and. calls == 1 .and. code == ierr, 'the handler is called')
  call MPI_File_close(fh, ierr)
  call check(ierr == MPI_SUCCESS .and. fh == MPI_FILE_NULL, 'close')

  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
  if (all_wrong /= 0) stop 1

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    wrong = wrong + 1
    print *, 'rank ', rank, ': not so: ', what
  end subroutine check

end program fortran
