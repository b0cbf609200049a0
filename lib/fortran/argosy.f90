! The module argosy: files, .npy files and checkpoints for Fortran programs. docs/use/fortran.md
! SPDX-License-Identifier: BSD-3-Clause
!
! Arrays are passed by descriptors, so a section such as u(1:nx, 1:ny) is not copied. A communicator
! is an integer: MPI_COMM_WORLD of the module mpi, or comm%MPI_VAL of mpi_f08.
!
! Every procedure has two optional arguments at its end. With stat an error sets it to the number of
! the error, one of the parameters argosy_err_... below, and otherwise to 0. With errmsg the text is
! returned, which is empty after success. Without stat the program stops with the text. In a collective call every
! rank gets the error.
module argosy
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private

  ! Modes of open. They can be added.
  integer(c_int), parameter, public :: argosy_read = 1, argosy_write = 2, argosy_read_write = 4, &
      argosy_create = 8, argosy_exclusive = 16, argosy_delete_on_close = 64, argosy_unique_open = 128, &
      argosy_truncate = 512

  ! Errors, as argosy::errc numbers them.
  integer(c_int), parameter, public :: argosy_err_access = 1, argosy_err_bad_file = 2, argosy_err_file = 3, &
      argosy_err_file_exists = 4, argosy_err_file_in_use = 5, argosy_err_io = 6, argosy_err_no_space = 7, &
      argosy_err_no_such_file = 8, argosy_err_quota = 9, argosy_err_read_only = 10, argosy_err_truncated = 15, &
      argosy_err_damaged = 16, argosy_err_amode = 17, argosy_err_argument = 18, argosy_err_datatype = 19, &
      argosy_err_not_same = 25, argosy_err_unsupported = 26, argosy_err_on_another_rank = 27

  ! A file of all ranks of a communicator. It must be closed.
  type, public :: argosy_file
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: open => file_open            ! collective
    procedure :: set_part => file_set_part    ! collective
    procedure :: write_all => file_write_all  ! collective
    procedure :: read_all => file_read_all    ! collective
    procedure :: write => file_write          ! local
    procedure :: read => file_read            ! local
    procedure :: sync => file_sync            ! collective
    procedure :: resize => file_resize        ! collective
    procedure :: size => file_size            ! local
    procedure :: report => file_report        ! local
    procedure :: close => file_close          ! collective
    procedure, private :: copy => file_copy
    generic :: assignment(=) => copy          ! stops: two objects would close one file
  end type

  ! The state of a program, named once for saving and loading. It refers to the data, which needs the
  ! attribute TARGET, and must stay where it is until the last save or load.
  type, public :: argosy_checkpoint
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: add => checkpoint_add              ! local
    procedure :: add_value => checkpoint_add_value  ! local
    procedure :: save => checkpoint_save            ! collective
    procedure :: load => checkpoint_load            ! collective
    procedure, private :: copy => checkpoint_copy
    generic :: assignment(=) => copy                ! stops: two objects would free one state
    final :: checkpoint_end
  end type

  public :: argosy_npy_save, argosy_npy_load

  interface
    integer(c_int) function c_open(handle, comm, path, mode, hints) bind(C, name="argosy_f_open")
      import
      type(c_ptr), intent(inout) :: handle
      integer(c_int), value :: comm, mode
      character(kind=c_char, len=*), intent(in) :: path, hints
    end function
    integer(c_int) function c_set_part(handle, like, sizes, first, offset) bind(C, name="argosy_f_set_part")
      import
      type(c_ptr), value :: handle
      type(*), dimension(..), intent(in) :: like, sizes, first
      integer(c_int64_t), value :: offset
    end function
    integer(c_int) function c_access(handle, what, data) bind(C, name="argosy_f_access")
      import
      type(c_ptr), value :: handle
      integer(c_int), value :: what
      type(*), dimension(..), intent(in) :: data
    end function
    integer(c_int) function c_call(handle, what, number) bind(C, name="argosy_f_call")
      import
      type(c_ptr), value :: handle
      integer(c_int), value :: what
      integer(c_int64_t), intent(inout) :: number
    end function
    integer(c_int) function c_close(handle) bind(C, name="argosy_f_close")
      import
      type(c_ptr), intent(inout) :: handle
    end function
    integer(c_int) function c_npy(comm, path, data, sizes, first, saves) bind(C, name="argosy_f_npy")
      import
      integer(c_int), value :: comm, saves
      character(kind=c_char, len=*), intent(in) :: path
      type(*), dimension(..), intent(in) :: data, sizes, first
    end function
    integer(c_int) function c_add(handle, name, data, sizes, first, everywhere) bind(C, name="argosy_f_add")
      import
      type(c_ptr), intent(inout) :: handle
      character(kind=c_char, len=*), intent(in) :: name
      type(*), dimension(..), intent(in) :: data, sizes, first
      integer(c_int), value :: everywhere
    end function
    integer(c_int) function c_checkpoint(handle, comm, path, saves) bind(C, name="argosy_f_checkpoint")
      import
      type(c_ptr), intent(inout) :: handle
      integer(c_int), value :: comm, saves
      character(kind=c_char, len=*), intent(in) :: path
    end function
    subroutine c_checkpoint_end(handle) bind(C, name="argosy_f_checkpoint_end")
      import
      type(c_ptr), intent(inout) :: handle
    end subroutine
    ! Returns the length of the last text of this thread, and copies what fits.
    integer(c_size_t) function c_text(text, length) bind(C, name="argosy_f_text")
      import
      character(kind=c_char), intent(out) :: text(*)
      integer(c_size_t), value :: length
    end function
  end interface

  ! The numbers of calls, as in fortran.cpp.
  integer(c_int), parameter :: read_together = 0, write_together = 1, read_alone = 2, write_alone = 3
  integer(c_int), parameter :: ask_size = 0, set_size = 1, sync_file = 2, ask_report = 3

contains

  ! --- Files ---

  ! Opens a file. Collective. hints are lines "name value", or separated by semicolons.
  subroutine file_open(self, comm, path, mode, hints, stat, errmsg)
    class(argosy_file), intent(inout) :: self
    integer, intent(in) :: comm
    character(len=*), intent(in) :: path
    integer(c_int), intent(in) :: mode
    character(len=*), intent(in), optional :: hints
    integer, intent(out), optional :: stat
    character(len=:), allocatable, intent(out), optional :: errmsg
    integer(c_int) :: code
    if (present(hints)) then
      code = c_open(self%handle, int(comm, c_int), path, mode, hints)
    else
      code = c_open(self%handle, int(comm, c_int), path, mode, "")
    end if
    if (present(errmsg)) errmsg = text_of(code)
    call finish(code, stat)
  end subroutine

  ! Chooses this rank's part of an array in the file. Collective. The part has the type and the shape
  ! of `like`, for example u(1:nx, 1:ny) of an array with a halo. The whole array has `sizes`, and the
  ! part begins at element `first`, counted from 1. The array begins at byte `offset` of the file, 0
  ! if left out.
  subroutine file_set_part(self, like, sizes, first, offset, stat, errmsg)
    class(argosy_file), intent(inout) :: self
    type(*), dimension(..), intent(in) :: like, sizes, first
    integer(c_int64_t), intent(in), optional :: offset
    integer, intent(out), optional :: stat
    character(len=:), allocatable, intent(out), optional :: errmsg
    integer(c_int) :: code
    integer(c_int64_t) :: at
    at = 0
    if (present(offset)) at = offset
    code = c_set_part(self%handle, like, sizes, first, at)
    if (present(errmsg)) errmsg = text_of(code)
    call finish(code, stat)
  end subroutine

  ! Write or read this rank's part. The data has the type and the shape of the part. Collective.
  subroutine file_write_all(self, data, stat, errmsg)
    class(argosy_file), intent(inout) :: self
    type(*), dimension(..), intent(in) :: data
    integer, intent(out), optional :: stat
    character(len=:), allocatable, intent(out), optional :: errmsg
    integer(c_int) :: code
    code = c_access(self%handle, write_together, data)
    if (present(errmsg)) errmsg = text_of(code)
    call finish(code, stat)
  end subroutine

  subroutine file_read_all(self, data, stat, errmsg)
    class(argosy_file), intent(inout) :: self
    type(*), dimension(..), intent(inout) :: data
    integer, intent(out), optional :: stat
    character(len=:), allocatable, intent(out), optional :: errmsg
    integer(c_int) :: code
    code = c_access(self%handle, read_together, data)
    if (present(errmsg)) errmsg = text_of(code)
    call finish(code, stat)
  end subroutine

  ! The same without waiting for other ranks. Local.
  subroutine file_write(self, data, stat, errmsg)
    class(argosy_file), intent(inout) :: self
    type(*), dimension(..), intent(in) :: data
    integer, intent(out), optional :: stat
    character(len=:), allocatable, intent(out), optional :: errmsg
    integer(c_int) :: code
    code = c_access(self%handle, write_alone, data)
    if (present(errmsg)) errmsg = text_of(code)
    call finish(code, stat)
  end subroutine

  subroutine file_read(self, data, stat, errmsg)
    class(argosy_file), intent(inout) :: self
    type(*), dimension(..), intent(inout) :: data
    integer, intent(out), optional :: stat
    character(len=:), allocatable, intent(out), optional :: errmsg
    integer(c_int) :: code
    code = c_access(self%handle, read_alone, data)
    if (present(errmsg)) errmsg = text_of(code)
    call finish(code, stat)
  end subroutine

  ! Writes all data out to the storage. Collective.
  subroutine file_sync(self, stat, errmsg)
    class(argosy_file), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=:), allocatable, intent(out), optional :: errmsg
    integer(c_int) :: code
    integer(c_int64_t) :: unused
    code = c_call(self%handle, sync_file, unused)
    if (present(errmsg)) errmsg = text_of(code)
    call finish(code, stat)
  end subroutine

  ! Sets the size of the file. Collective.
  subroutine file_resize(self, bytes, stat, errmsg)
    class(argosy_file), intent(inout) :: self
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out), optional :: stat
    character(len=:), allocatable, intent(out), optional :: errmsg
    integer(c_int) :: code
    integer(c_int64_t) :: number
    number = bytes
    code = c_call(self%handle, set_size, number)
    if (present(errmsg)) errmsg = text_of(code)
    call finish(code, stat)
  end subroutine

  ! Returns the size of the file in bytes. Local.
  subroutine file_size(self, bytes, stat, errmsg)
    class(argosy_file), intent(inout) :: self
    integer(c_int64_t), intent(out) :: bytes
    integer, intent(out), optional :: stat
    character(len=:), allocatable, intent(out), optional :: errmsg
    integer(c_int) :: code
    bytes = 0
    code = c_call(self%handle, ask_size, bytes)
    if (present(errmsg)) errmsg = text_of(code)
    call finish(code, stat)
  end subroutine

  ! Returns a line about the last read or write. Local.
  function file_report(self) result(line)
    class(argosy_file), intent(inout) :: self
    character(len=:), allocatable :: line
    integer(c_int64_t) :: unused
    integer(c_int) :: ignored
    ignored = c_call(self%handle, ask_report, unused)
    line = last_text()
  end function

  subroutine file_close(self, stat, errmsg)
    class(argosy_file), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=:), allocatable, intent(out), optional :: errmsg
    integer(c_int) :: code
    code = c_close(self%handle)
    if (present(errmsg)) errmsg = text_of(code)
    call finish(code, stat)
  end subroutine

  subroutine file_copy(self, other)
    class(argosy_file), intent(inout) :: self
    class(argosy_file), intent(in) :: other
    if (c_associated(self%handle, other%handle)) return
    write (error_unit, "(a)") "argosy: an argosy_file cannot be assigned; open the file again"
    error stop 1
  end subroutine

  ! --- .npy files ---

  ! Write and read one array in a .npy file, which NumPy opens. Collective. The arguments are those
  ! of set_part.
  subroutine argosy_npy_save(comm, path, data, sizes, first, stat, errmsg)
    integer, intent(in) :: comm
    character(len=*), intent(in) :: path
    type(*), dimension(..), intent(in) :: data, sizes, first
    integer, intent(out), optional :: stat
    character(len=:), allocatable, intent(out), optional :: errmsg
    integer(c_int) :: code
    code = c_npy(int(comm, c_int), path, data, sizes, first, 1_c_int)
    if (present(errmsg)) errmsg = text_of(code)
    call finish(code, stat)
  end subroutine

  subroutine argosy_npy_load(comm, path, data, sizes, first, stat, errmsg)
    integer, intent(in) :: comm
    character(len=*), intent(in) :: path
    type(*), dimension(..), intent(inout) :: data
    type(*), dimension(..), intent(in) :: sizes, first
    integer, intent(out), optional :: stat
    character(len=:), allocatable, intent(out), optional :: errmsg
    integer(c_int) :: code
    code = c_npy(int(comm, c_int), path, data, sizes, first, 0_c_int)
    if (present(errmsg)) errmsg = text_of(code)
    call finish(code, stat)
  end subroutine

  ! --- Checkpoints ---

  ! Adds an array, of which each rank has a part. Local. The arguments are those of set_part.
  subroutine checkpoint_add(self, name, data, sizes, first)
    class(argosy_checkpoint), intent(inout) :: self
    character(len=*), intent(in) :: name
    type(*), dimension(..), intent(in), target :: data
    type(*), dimension(..), intent(in) :: sizes, first
    call finish(c_add(self%handle, name, data, sizes, first, 0_c_int))
  end subroutine

  ! Adds a value or an array that is equal on all ranks. Local.
  subroutine checkpoint_add_value(self, name, data)
    class(argosy_checkpoint), intent(inout) :: self
    character(len=*), intent(in) :: name
    type(*), dimension(..), intent(in), target :: data
    call finish(c_add(self%handle, name, data, data, data, 1_c_int))
  end subroutine

  ! Save and load all that was added. Collective. A new file replaces an old one at once, when it is
  ! whole.
  subroutine checkpoint_save(self, comm, path, stat, errmsg)
    class(argosy_checkpoint), intent(inout) :: self
    integer, intent(in) :: comm
    character(len=*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(len=:), allocatable, intent(out), optional :: errmsg
    integer(c_int) :: code
    code = c_checkpoint(self%handle, int(comm, c_int), path, 1_c_int)
    if (present(errmsg)) errmsg = text_of(code)
    call finish(code, stat)
  end subroutine

  subroutine checkpoint_load(self, comm, path, stat, errmsg)
    class(argosy_checkpoint), intent(inout) :: self
    integer, intent(in) :: comm
    character(len=*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(len=:), allocatable, intent(out), optional :: errmsg
    integer(c_int) :: code
    code = c_checkpoint(self%handle, int(comm, c_int), path, 0_c_int)
    if (present(errmsg)) errmsg = text_of(code)
    call finish(code, stat)
  end subroutine

  subroutine checkpoint_copy(self, other)
    class(argosy_checkpoint), intent(inout) :: self
    class(argosy_checkpoint), intent(in) :: other
    if (c_associated(self%handle, other%handle)) return
    write (error_unit, "(a)") "argosy: an argosy_checkpoint cannot be assigned; add the data to another one"
    error stop 1
  end subroutine

  subroutine checkpoint_end(self)
    type(argosy_checkpoint), intent(inout) :: self
    call c_checkpoint_end(self%handle)
  end subroutine

  ! --- Errors ---

  function last_text() result(text)
    character(len=:), allocatable :: text
    character(kind=c_char) :: nothing(1)
    integer(c_size_t) :: length
    length = c_text(nothing, 0_c_size_t)
    allocate (character(len=length) :: text)
    length = c_text(text, length)
  end function

  ! Returns the text of an error, or no text if there is none.
  function text_of(code) result(text)
    integer(c_int), intent(in) :: code
    character(len=:), allocatable :: text
    text = ""
    if (code /= 0) text = last_text()
  end function

  ! Ends a call: returns its error, or stops the program. It does not return the text as well, because
  ! gfortran 12 loses the length of an optional argument that is passed on.
  subroutine finish(code, stat)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: stat
    if (present(stat)) stat = code
    if (code == 0 .or. present(stat)) return
    write (error_unit, "(a)") last_text()
    error stop 1
  end subroutine

end module
