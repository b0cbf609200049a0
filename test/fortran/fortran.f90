! Tests the module argosy: mpiexec -n N test_fortran. What ranks have written is read again by rank 0
! with Fortran's own files.
! SPDX-License-Identifier: BSD-3-Clause
program test_fortran
  use mpi
  use argosy
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64, error_unit
  implicit none
  integer, parameter :: no_error = 0
  integer :: rank, ranks, error, slips = 0
  character(len=200) :: folder

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call get_environment_variable("TMPDIR", folder)
  if (folder == "") folder = "/tmp"

  call parts_with_a_halo()
  call strides_and_kinds()
  call local_calls()
  call npy_files()
  call checkpoints()
  call errors()

  call MPI_Allreduce(MPI_IN_PLACE, slips, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0 .and. slips == 0) print "(a,i0,a)", "all passed on ", ranks, " ranks"
  call MPI_Finalize(error)
  if (slips /= 0) error stop 1

contains

  function name_of(what) result(path)
    character(len=*), intent(in) :: what
    character(len=:), allocatable :: path
    path = trim(folder)//"/argosy_fortran_"//what
  end function

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    slips = slips + 1
    write (error_unit, "(a,i0,2a)") "rank ", rank, ": does not hold: ", what
  end subroutine

  ! Waits for all, and removes a file.
  subroutine remove(path)
    character(len=*), intent(in) :: path
    integer :: unit, opened
    call MPI_Barrier(MPI_COMM_WORLD, error)
    if (rank == 0) then
      open (newunit=unit, file=path, access="stream", iostat=opened)
      if (opened == 0) close (unit, status="delete")
    end if
  end subroutine

  ! The value of element (i, j) of the whole array.
  elemental real(real64) function value(i, j)
    integer, intent(in) :: i, j
    value = 1000*j + i
  end function

  subroutine parts_with_a_halo()
    integer, parameter :: nx = 7, ny = 5
    real(real64) :: u(0:nx + 1, -1:ny + 2), v(0:nx + 1, -1:ny + 2)
    real(real64), allocatable :: all(:, :)
    type(argosy_file) :: f
    integer(int64) :: bytes
    integer :: i, j, unit
    character(len=:), allocatable :: path
    path = name_of("halo")
    u = -1
    v = -1
    do j = 1, ny
      do i = 1, nx
        u(i, j) = value(i, rank*ny + j)
      end do
    end do
    call f%open(MPI_COMM_WORLD, path//"   ", argosy_create + argosy_truncate + argosy_read_write, &
        hints="cb_nodes 1; romio_cb_write enable")
    call f%set_part(u(1:nx, 1:ny), [nx, ny*ranks], [1, rank*ny + 1], offset=24_int64)
    call f%write_all(u(1:nx, 1:ny))
    call expect(index(f%report(), "280 bytes") > 0, "the report says 280 bytes: "//f%report())
    call f%sync()
    call f%size(bytes)
    call expect(bytes == 24 + 8*nx*ny*ranks, "size of the file")
    call f%read_all(v(1:nx, 1:ny))
    call expect(all_equal(u, v), "what was written is read, and the halo is as before")
    call f%resize(24_int64)
    call f%size(bytes)
    call expect(bytes == 24, "size after resize")
    call f%write_all(u(1:nx, 1:ny))
    call f%close()
    if (rank == 0) then
      allocate (all(nx, ny*ranks))
      open (newunit=unit, file=path, access="stream", form="unformatted", status="old")
      read (unit, pos=25) all
      close (unit)
      do j = 1, ny*ranks
        do i = 1, nx
          if (all(i, j) /= value(i, j)) call expect(.false., "element of the file")
        end do
      end do
    end if
    call remove(path)
  end subroutine

  logical function all_equal(a, b)
    real(real64), intent(in) :: a(:, :), b(:, :)
    all_equal = all(a == b)
  end function

  ! Sections with strides, also negative ones, and other kinds. Sizes may be of another kind, too.
  subroutine strides_and_kinds()
    integer(int16) :: a(20, 3), b(20, 3)
    complex(real32) :: c(4), d(4)
    logical :: l(3), m(3)
    character(len=5) :: s(2), t(2)
    type(argosy_file) :: f
    integer :: i
    a = reshape([(int(i + 100*rank, int16), i=1, 60)], [20, 3])
    b = 0
    call f%open(MPI_COMM_WORLD, name_of("kinds"), argosy_create + argosy_read_write)
    call f%set_part(a(19:1:-2, ::2), [10_int64, 2_int64*ranks], [1_int64, 2_int64*rank + 1])
    call f%write_all(a(19:1:-2, ::2))
    call f%read_all(b(19:1:-2, ::2))
    call expect(all(b(19:1:-2, ::2) == a(19:1:-2, ::2)), "strides")
    call expect(all(b(2::2, :) == 0) .and. all(b(:, 2) == 0), "elements between strides are as before")
    c = [(cmplx(i, rank, real32), i=1, 4)]
    d = 0
    call f%set_part(c, [4*ranks], [4*rank + 1])
    call f%write_all(c)
    call f%read_all(d)
    call expect(all(c == d), "complex numbers")
    l = [.true., .false., rank == 0]
    m = .not. l
    call f%set_part(l, [3*ranks], [3*rank + 1])
    call f%write_all(l)
    call f%read_all(m)
    call expect(all(l .eqv. m), "logical values")
    s = ["north", "so   "]
    t = "x"
    call f%set_part(s, [2*ranks], [2*rank + 1])
    call f%write_all(s)
    call f%read_all(t)
    call expect(all(s == t), "text")
    call f%close()
    call remove(name_of("kinds"))
  end subroutine

  subroutine local_calls()
    integer(int32) :: mine(2, 3), other(2, 3)
    type(argosy_file) :: f
    mine = rank + 1
    call f%open(MPI_COMM_WORLD, name_of("local"), argosy_create + argosy_read_write)
    call f%set_part(mine, [2*ranks, 3], [2*rank + 1, 1])
    call f%write(mine)
    call f%read(other)
    call expect(all(other == rank + 1), "local calls")
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call f%set_part(mine, [2*ranks, 3], [2*modulo(rank + 1, ranks) + 1, 1])
    call f%read_all(other)
    call expect(all(other == modulo(rank + 1, ranks) + 1), "the part of the next rank")
    call f%close()
    call remove(name_of("local"))
  end subroutine

  subroutine npy_files()
    real(real32) :: u(0:4, 3), v(0:4, 3)
    integer :: unit
    character(len=100) :: header
    u = reshape([real(real32) :: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [5, 3])
    v = 0
    call argosy_npy_save(MPI_COMM_WORLD, name_of("u.npy"), u(1:4:2, :), [2, 3*ranks], [1, 3*rank + 1])
    call argosy_npy_load(MPI_COMM_WORLD, name_of("u.npy"), v(1:4:2, :), [2, 3*ranks], [1, 3*rank + 1])
    call expect(all(v(1:4:2, :) == u(1:4:2, :)) .and. all(v(0::2, :) == 0), ".npy file")
    if (rank == 0) then
      open (newunit=unit, file=name_of("u.npy"), access="stream", form="unformatted", status="old")
      read (unit) header
      close (unit)
      call expect(index(header, "'descr': '<f4', 'fortran_order': True") > 0, "header of the .npy file: "//header)
    end if
    call remove(name_of("u.npy"))
  end subroutine

  subroutine checkpoints()
    real(real64), target :: u(0:3, 4)
    integer, target :: step
    character(len=4), target :: word
    integer(int8), target :: list(3)
    type(argosy_checkpoint) :: state
    integer :: i
    u = 0
    u(1:2, :) = reshape([(real(10*rank + i, real64), i=1, 8)], [2, 4])
    step = 42
    word = "fine"
    list = [1_int8, 2_int8, 3_int8]
    call state%add("u", u(1:2, :), [2*ranks, 4], [2*rank + 1, 1])
    call state%add_value("step", step)
    call state%add_value("word", word)
    call state%add_value("list", list)
    call state%save(MPI_COMM_WORLD, name_of("state"))
    u = -1
    step = 0
    word = ""
    list = 0
    call state%load(MPI_COMM_WORLD, name_of("state"))
    call expect(step == 42 .and. word == "fine" .and. all(list == [1, 2, 3]), "values of a checkpoint")
    call expect(all(u(1:2, :) == reshape([(real(10*rank + i, real64), i=1, 8)], [2, 4])), "array of a checkpoint")
    call expect(all(u(0::3, :) == -1), "the halo is as before")
    call remove(name_of("state"))
  end subroutine

  ! Checks that all ranks have an error, and that this rank's is `code` or that of another rank.
  subroutine expect_error(stat, text, code, words)
    integer, intent(in) :: stat, code
    character(len=:), allocatable, intent(in) :: text
    character(len=*), intent(in) :: words
    integer :: failed
    failed = merge(1, 0, stat /= no_error)
    call MPI_Allreduce(MPI_IN_PLACE, failed, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call expect(failed == ranks, "every rank has the error: "//words)
    call expect(stat == code .or. (stat == argosy_err_on_another_rank .and. ranks > 1), "number of the error: "//words)
    call expect(allocated(text), "there is a text: "//words)
    if (allocated(text)) call expect(index(text, words) > 0, words//" is in: "//text)
  end subroutine

  subroutine errors()
    type(argosy_file) :: f
    type(argosy_checkpoint) :: state
    type :: pair
      integer :: a, b
    end type
    type(pair) :: pairs(2)
    integer, target :: mine
    real(real64) :: u(4), w(3)
    integer :: stat, from
    character(len=:), allocatable :: text
    u = 1
    w = 1
    mine = rank
    pairs = pair(1, 2)
    call f%write_all(u, stat, text)
    call expect_error(stat, text, argosy_err_file, "not open")
    call f%open(MPI_COMM_WORLD, name_of("none"), argosy_read, stat=stat, errmsg=text)
    call expect_error(stat, text, argosy_err_no_such_file, "argosy_fortran_none")
    call f%open(MPI_COMM_WORLD, name_of("e"), argosy_create + argosy_read_write, stat=stat)
    call expect(stat == no_error, "stat is 0 after success")
    call f%write_all(u, stat, text)
    call expect_error(stat, text, argosy_err_argument, "set_part first")
    from = merge(5, 1, rank == ranks - 1)
    call f%set_part(u, [4], [from], stat=stat, errmsg=text)
    call expect_error(stat, text, argosy_err_datatype, "beyond dimension 0")
    call f%set_part(u, [4, 4], [1, 1], stat=stat, errmsg=text)
    call expect_error(stat, text, argosy_err_datatype, "1 dimensions")
    call f%set_part(u, [4.0], [1], stat=stat, errmsg=text)
    call expect_error(stat, text, argosy_err_datatype, "list of integers")
    call f%set_part(pairs, [2], [1], stat=stat, errmsg=text)
    call expect_error(stat, text, argosy_err_datatype, "derived type")
    if (ranks > 1) then
      call f%set_part(u, [4 + rank], [1], stat=stat, errmsg=text)
      call expect_error(stat, text, argosy_err_not_same, "array")
    end if
    call f%set_part(u, [4*ranks], [4*rank + 1])
    call f%write_all(w, stat, text)
    call expect_error(stat, text, argosy_err_datatype, "3 float64")
    call f%read_all(u, stat, text)
    call expect_error(stat, text, argosy_err_truncated, "ends inside")
    call f%write_all(u, stat)
    call expect(stat == no_error, "the file still works")
    call f%close()
    call f%close(stat, text)
    call expect_error(stat, text, argosy_err_file, "not open")
    call state%add("pairs", pairs, [2], [1])
    call state%save(MPI_COMM_WORLD, name_of("state"), stat, text)
    call expect_error(stat, text, argosy_err_datatype, "derived type")
    call remove(name_of("e"))
    if (ranks == 1) return
    block
      type(argosy_checkpoint) :: other
      call other%add_value("mine", mine)
      call other%save(MPI_COMM_WORLD, name_of("state"), stat, text)
      call expect_error(stat, text, argosy_err_not_same, "mine")
    end block
  end subroutine

end program
