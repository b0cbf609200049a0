"""The module of an installed wheel: all ranks write and read an array, on mpi4py."""
# SPDX-License-Identifier: BSD-3-Clause
import sys

import numpy as np
from mpi4py import MPI

import argosy

world = MPI.COMM_WORLD
mine = np.s_[:, world.rank::world.size]
numbers = np.arange(7 * 5 * world.size, dtype="f8").reshape(7, -1)
with argosy.open(world, "module.dat", "w", shape=numbers.shape, dtype="f8") as f:
    f.all[mine] = numbers[mine]
with argosy.open(world, "module.dat", shape=numbers.shape, dtype="f8") as f:
    assert np.array_equal(f.all[mine], numbers[mine])
assert np.array_equal(np.fromfile("module.dat").reshape(numbers.shape), numbers)
print(f"module on Python {sys.version_info.major}.{sys.version_info.minor}", flush=True)
