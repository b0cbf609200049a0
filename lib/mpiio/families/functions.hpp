// The functions that the drop-in has, by name. Each has two: MPI_X and PMPI_X. The list is that of
// the definitions in lib/mpiio/: cmake/families.sh compares the names that the libraries export.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Lists of many names, which clang-format 19 sets anew at each run.
// clang-format off

// Calls `define(name)` for each function X of MPI, without the prefix.
#define ARGOSY_MPIIO_FUNCTIONS(define) \
  ARGOSY_MPIIO_FILE_FUNCTIONS(define) ARGOSY_MPIIO_VIEW_FUNCTIONS(define) \
  ARGOSY_MPIIO_ACCESS_FUNCTIONS(define) ARGOSY_MPIIO_OTHER_FUNCTIONS(define)

#define ARGOSY_MPIIO_FILE_FUNCTIONS(define) \
  define(File_open) define(File_close) define(File_delete) define(File_set_size) \
  define(File_preallocate) define(File_get_size) define(File_sync) define(File_set_atomicity) \
  define(File_get_atomicity) define(File_get_group) define(File_get_amode) \
  define(File_set_info) define(File_get_info) define(File_c2f) define(File_f2c) \
  define(File_toint) define(File_fromint) define(File_create_errhandler) \
  define(File_set_errhandler) define(File_get_errhandler) define(File_call_errhandler)

#define ARGOSY_MPIIO_VIEW_FUNCTIONS(define) \
  define(File_set_view) define(File_get_view) define(File_get_byte_offset) \
  define(File_get_type_extent) define(File_get_type_extent_c) define(File_seek) \
  define(File_get_position) define(File_seek_shared) define(File_get_position_shared)

// A function whose count is an int, and the one of MPI 4 whose count is an MPI_Count.
#define ARGOSY_MPIIO_BOTH_COUNTS(define, name) \
  define(File_##name) define(File_##name##_c)
#define ARGOSY_MPIIO_SPLIT_PAIR(define, name) \
  ARGOSY_MPIIO_BOTH_COUNTS_OF_BEGIN(define, name) define(File_##name##_end)
#define ARGOSY_MPIIO_BOTH_COUNTS_OF_BEGIN(define, name) \
  define(File_##name##_begin) define(File_##name##_begin_c)

#define ARGOSY_MPIIO_ACCESS_FUNCTIONS(define) \
  ARGOSY_MPIIO_BOTH_COUNTS(define, read_at) ARGOSY_MPIIO_BOTH_COUNTS(define, read_at_all) \
  ARGOSY_MPIIO_BOTH_COUNTS(define, write_at) ARGOSY_MPIIO_BOTH_COUNTS(define, write_at_all) \
  ARGOSY_MPIIO_BOTH_COUNTS(define, read) ARGOSY_MPIIO_BOTH_COUNTS(define, read_all) \
  ARGOSY_MPIIO_BOTH_COUNTS(define, read_shared) ARGOSY_MPIIO_BOTH_COUNTS(define, read_ordered) \
  ARGOSY_MPIIO_BOTH_COUNTS(define, write) ARGOSY_MPIIO_BOTH_COUNTS(define, write_all) \
  ARGOSY_MPIIO_BOTH_COUNTS(define, write_shared) \
  ARGOSY_MPIIO_BOTH_COUNTS(define, write_ordered) ARGOSY_MPIIO_BOTH_COUNTS(define, iread_at) \
  ARGOSY_MPIIO_BOTH_COUNTS(define, iread_at_all) ARGOSY_MPIIO_BOTH_COUNTS(define, iwrite_at) \
  ARGOSY_MPIIO_BOTH_COUNTS(define, iwrite_at_all) ARGOSY_MPIIO_BOTH_COUNTS(define, iread) \
  ARGOSY_MPIIO_BOTH_COUNTS(define, iread_all) ARGOSY_MPIIO_BOTH_COUNTS(define, iread_shared) \
  ARGOSY_MPIIO_BOTH_COUNTS(define, iwrite) ARGOSY_MPIIO_BOTH_COUNTS(define, iwrite_all) \
  ARGOSY_MPIIO_BOTH_COUNTS(define, iwrite_shared) ARGOSY_MPIIO_SPLIT_PAIR(define, read_at_all) \
  ARGOSY_MPIIO_SPLIT_PAIR(define, write_at_all) ARGOSY_MPIIO_SPLIT_PAIR(define, read_all) \
  ARGOSY_MPIIO_SPLIT_PAIR(define, write_all) ARGOSY_MPIIO_SPLIT_PAIR(define, read_ordered) \
  ARGOSY_MPIIO_SPLIT_PAIR(define, write_ordered)

#define ARGOSY_MPIIO_OTHER_FUNCTIONS(define) \
  define(Register_datarep) define(Register_datarep_c) define(Finalize) define(Errhandler_free) \
  define(Error_string) define(Wait) define(Waitall) define(Waitany) define(Waitsome) \
  define(Test) define(Testall) define(Testany) define(Testsome) define(Request_free) \
  define(Request_get_status) define(Request_get_status_all) define(Request_get_status_any) \
  define(Request_get_status_some)

// Calls `define(name)` for each function of Fortran's bindings, which have no second name.
#define ARGOSY_MPIIO_FORTRAN_FUNCTIONS(define) \
  define(mpi_file_create_errhandler_) define(pmpi_file_create_errhandler_) \
  define(ompi_file_create_errhandler_f)

// clang-format on
