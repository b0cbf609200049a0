// All calls that move data, with one set of arguments for each way to give the position. A
// nonblocking call and a split one are completed at once. `_split` is NAME_begin and NAME_end; `_c`
// has a large count.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "check.h"

typedef int at_call(MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Status*);
typedef int pointer_call(MPI_File, void*, int, MPI_Datatype, MPI_Status*);

at_call do_write_at, do_write_at_all, do_iwrite_at, do_iwrite_at_all, do_write_at_all_split,
    do_write_at_c, do_write_at_all_c, do_iwrite_at_c, do_iwrite_at_all_c, do_write_at_all_split_c,
    do_read_at, do_read_at_all, do_iread_at, do_iread_at_all, do_read_at_all_split, do_read_at_c,
    do_read_at_all_c, do_iread_at_c, do_iread_at_all_c, do_read_at_all_split_c;
pointer_call do_write, do_write_all, do_iwrite, do_iwrite_all, do_write_all_split, do_write_shared,
    do_iwrite_shared, do_write_ordered, do_write_ordered_split, do_write_c, do_write_all_c,
    do_iwrite_c, do_iwrite_all_c, do_write_all_split_c, do_write_shared_c, do_iwrite_shared_c,
    do_write_ordered_c, do_write_ordered_split_c, do_read, do_read_all, do_iread, do_iread_all,
    do_read_all_split, do_read_shared, do_iread_shared, do_read_ordered, do_read_ordered_split,
    do_read_c, do_read_all_c, do_iread_c, do_iread_all_c, do_read_all_split_c, do_read_shared_c,
    do_iread_shared_c, do_read_ordered_c, do_read_ordered_split_c;
