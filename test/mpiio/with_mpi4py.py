"""A program of mpi4py, which knows nothing of argosy: all ranks write one file, and read it."""
# SPDX-License-Identifier: BSD-3-Clause
import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
count = 1000 // size
mine = numpy.arange(rank, count * size, size, dtype="f8")

kind = MPI.DOUBLE.Create_vector(count, 1, size).Commit()
f = MPI.File.Open(world, "mpi4py.dat", MPI.MODE_CREATE | MPI.MODE_RDWR)
f.Set_view(8 * rank, MPI.DOUBLE, kind)
f.Write_all(mine)
f.Set_view(0, MPI.DOUBLE, MPI.DOUBLE)
back = numpy.zeros(count * size)
f.Sync()
world.Barrier()
f.Sync()
f.Read_at_all(0, back)
assert (back == numpy.arange(count * size)).all()
try:
    MPI.File.Open(world, "there is none", MPI.MODE_RDONLY)
    assert False, "a file that is not there was opened"
except MPI.Exception as e:
    assert e.Get_error_class() == MPI.ERR_NO_SUCH_FILE
f.Close()
kind.Free()
