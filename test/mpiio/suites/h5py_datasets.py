# Writes and reads 3-D datasets collectively and independently, contiguous and in chunks, divided
# among the ranks along each dimension.
# SPDX-License-Identifier: BSD-3-Clause
import sys

import numpy
from mpi4py import MPI

import h5py

world = MPI.COMM_WORLD
shape = (24, 20, 17)
all_of_it = numpy.arange(numpy.prod(shape), dtype="f8").reshape(shape)
layouts = {"contiguous": {}, "chunks": {"chunks": (5, 4, 17)}, "deflated": {"chunks": (6, 10, 17), "compression": "gzip"}}


def part_of(dimension):
    bounds = [shape[dimension] * rank // world.size for rank in (world.rank, world.rank + 1)]
    return tuple(slice(*bounds) if d == dimension else slice(None) for d in range(3))


def every_other(dimension):  # the ranks' pieces are interleaved
    return tuple(slice(world.rank, None, world.size) if d == dimension else slice(None) for d in range(3))


cases = [(name, dimension, cut) for name in layouts for dimension in range(3) for cut in (part_of, every_other)]
wrong = []
with h5py.File("data.h5", "w", driver="mpio", comm=world) as file:
    assert file.driver == "mpio"
    for name, dimension, cut in cases:
        data = file.create_dataset(f"{name} {dimension} {cut.__name__}", shape, "f8", **layouts[name])
        mine = cut(dimension)
        with data.collective:
            data[mine] = all_of_it[mine]
    file.attrs["ranks"] = world.size
    independent = file.create_dataset("independent", (4 * world.size,), "i4")
    independent[4 * world.rank : 4 * world.rank + 4] = world.rank
with h5py.File("data.h5", "r", driver="mpio", comm=world) as file:
    for name, dimension, cut in cases:
        data = file[f"{name} {dimension} {cut.__name__}"]
        other = (dimension + 1) % 3
        with data.collective:
            if not numpy.array_equal(data[cut(other)], all_of_it[cut(other)]):
                wrong.append(data.name)
        if not numpy.array_equal(data[...], all_of_it):
            wrong.append(data.name + " independently")
    if not numpy.array_equal(file["independent"][...], numpy.repeat(numpy.arange(world.size), 4)):
        wrong.append("independent")
    if file.attrs["ranks"] != world.size:
        wrong.append("attribute")
world.Barrier()
if world.rank == 0:  # with HDF5's own file driver
    with h5py.File("data.h5", "r") as file:
        wrong += [name + " alone" for name, *_ in [(f"{n} {d} {c.__name__}",) for n, d, c in cases]
                  if not numpy.array_equal(file[name][...], all_of_it)]
if wrong:
    print(world.rank, wrong)
    sys.exit(1)
