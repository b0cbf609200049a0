"""zarr_python.py DIRECTORY MIB ROUNDS: the compressed array of bench_zarr, written by zarr-python
on the ranks of mpi4py, with gzip of level 1.

Ranks of zarr-python that write parts of one shard overwrite each other. So each rank has whole
shards, and nothing is exchanged.
The first write warms up. For each further one it prints a line with the time of the slowest rank,
which includes making the array and the sync of all shards: "zarr 0.0123".
SPDX-License-Identifier: BSD-3-Clause
"""
import os
import shutil
import sys

import numpy
import zarr
from mpi4py import MPI

WIDTH = 1 << 18
ROWS_OF_SHARD = 16
world = MPI.COMM_WORLD


def rows_of(first, end):
    """The same field as that of bench_zarr."""
    part = numpy.empty((end - first, WIDTH), numpy.float32)
    for row in range(first, end):
        i = numpy.arange(row * WIDTH, (row + 1) * WIDTH, dtype=numpy.uint32)
        noise = (i ^ i >> 16) * numpy.uint32(0x7feb352d)
        noise = (noise ^ noise >> 15) * numpy.uint32(0x846ca68b)
        part[row - first] = (1000 * numpy.sin(1e-3 * i)).astype(numpy.int32) + (noise >> 30)
    return part


def sync(path):
    file = os.open(path, os.O_RDONLY)
    os.fsync(file)
    os.close(file)


def write(path, rows, first, part):
    if world.rank == 0:
        zarr.create_array(path, shape=(rows, WIDTH), chunks=(1, WIDTH),
                          shards=(ROWS_OF_SHARD, WIDTH), dtype="float32",
                          compressors=zarr.codecs.GzipCodec(level=1))
    world.Barrier()
    if len(part) == 0:
        return
    zarr.open_array(path, mode="r+")[first:first + len(part)] = part
    for shard in range(first // ROWS_OF_SHARD, -(-(first + len(part)) // ROWS_OF_SHARD)):
        sync(f"{path}/c/{shard}/0")


def main():
    path, rows = sys.argv[1] + "/argosy-zarr-python.zarr", int(sys.argv[2])
    shards = -(-rows // ROWS_OF_SHARD)
    first, end = (min(rows, shards * r // world.size * ROWS_OF_SHARD)
                  for r in (world.rank, world.rank + 1))
    part = rows_of(first, end)
    for number in range(int(sys.argv[3]) + 1):
        if world.rank == 0:
            shutil.rmtree(path, ignore_errors=True)
        world.Barrier()
        took = MPI.Wtime()
        write(path, rows, first, part)
        took = world.reduce(MPI.Wtime() - took, MPI.MAX)
        if number > 0 and world.rank == 0:
            print(f"zarr {took:.6f}", flush=True)
    if world.rank == 0:
        shutil.rmtree(path)


main()
