"""What the tests of the module share: ranks, seeds, random arrays and slices."""
# SPDX-License-Identifier: BSD-3-Clause
import os
import random
import shutil
import sys
import tempfile
import unittest

import numpy as np
from mpi4py import MPI

WORLD = MPI.COMM_WORLD
RANK, SIZE = WORLD.rank, WORLD.size
RECORD = np.dtype([("x", "f8", (3,)), ("id", "i4"), ("flag", "?")])
TYPES = ["f8", "f4", "i4", "u2", "c16", "?", "i1", "f2", "M8[ns]", "S5", "U3", RECORD, ">f8", ">i4"]


def seed_of_all():
    return WORLD.bcast(int(sys.argv[1]) if len(sys.argv) > 1 else random.SystemRandom().randrange(1 << 31))


SEED = seed_of_all()


def values(shape, dtype, random_of):
    """Returns an array of any bytes that the type allows, in this machine's order."""
    dtype = np.dtype(dtype).newbyteorder("=")
    array = np.empty(shape, dtype)
    fill(array, random_of)
    return array


def fill(array, random_of):
    if array.dtype.names:
        for name in array.dtype.names:
            fill(array[name], random_of)
        return
    numbers = np.frombuffer(random_of.randbytes(array.size * 2), np.uint8).reshape(2, *array.shape)
    if array.dtype.kind == "b":
        array[...] = numbers[0] > 99
    elif array.dtype.kind in "SU":
        array[...] = np.char.mod("%d", numbers[0]).astype(array.dtype)
    elif array.dtype.kind == "M":
        array[...] = (numbers[0].astype("i8") * 1000003).astype(array.dtype)
    elif array.dtype.kind == "c":
        array[...] = numbers[0] + 1j * numbers[1]
    else:
        array[...] = numbers[0].astype(array.dtype)


def random_key(shape, random_of):
    """Returns a key of NumPy: slices with steps, indices, an ellipsis."""
    key = []
    for n in shape:
        if n and random_of.random() < 0.2:
            key.append(random_of.randrange(-n, n))
        else:
            a, b = (random_of.choice([None, random_of.randrange(-n - 2, n + 3)]) for _ in range(2))
            key.append(slice(a, b, random_of.choice([None, 1, 2, 3])))
    while key and key[-1] == slice(None) and random_of.random() < 0.5:
        key.pop()
        if Ellipsis not in key:
            key.append(Ellipsis)
    return tuple(key)


def strided(array, random_of):
    """Returns an equal array that lies in memory in another way."""
    how = random_of.randrange(4)
    if how == 0 or array.ndim == 0:
        return array
    if how == 1:
        return np.asfortranarray(array)
    if how == 2:
        return array[::-1].copy()[::-1]
    wide = np.zeros(tuple(2 * n for n in array.shape), array.dtype)
    view = wide[tuple(slice(None, None, 2) for _ in array.shape)]
    view[...] = array
    return view


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = WORLD.bcast(tempfile.mkdtemp(prefix="argosy-python-") if RANK == 0 else None)
        self.common = random.Random(f"{SEED} {self.id()}")  # equal on all ranks
        self.own = random.Random(f"{SEED} {self.id()} {RANK}")

    def tearDown(self):
        WORLD.Barrier()
        if RANK == 0:
            shutil.rmtree(self.folder)

    def path(self, name="file"):
        return os.path.join(self.folder, name)

    def assertSame(self, one, other):
        if not isinstance(one, (str, bytes)):  # NumPy's scalars of text have the length of the text
            self.assertEqual(np.asarray(one).dtype, np.asarray(other).dtype)
        np.testing.assert_array_equal(one, other, f"seed {SEED}")

    def raises_everywhere(self, kind, f):
        """Returns the exception of this rank, after all ranks have one."""
        caught = None
        try:
            f()
        except Exception as e:  # each kind is looked at below
            caught = e
        all_failed = WORLD.allgather(caught is not None)
        self.assertTrue(all(all_failed), f"ranks that failed: {all_failed}, seed {SEED}")
        self.assertIsInstance(caught, kind)
        return caught
