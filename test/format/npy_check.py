# Checks for test_npy_mpi with NumPy: "check" reads the arrays that ranks wrote, "write" writes
# arrays for the ranks to read.
#   python3 npy_check.py check DIRECTORY      python3 npy_check.py write DIRECTORY
# SPDX-License-Identifier: BSD-3-Clause
import os
import sys

import numpy as np

what, place = sys.argv[1:]
os.chdir(place)


def values(shape, dtype):
    """Returns an array whose elements have their number in the order of C."""
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


KINDS = ["<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "<u8", "<u4", "<u2", "|u1", "|b1", "<c8", "<c16", "<f16"]
RECORD = np.dtype([("x", "<f8", (3,)), ("id", "<i4")])


def check():
    for mode in (None, "r"):
        for kind in KINDS:
            for order in "CF":
                u = np.load(f"{kind[1:]}{order}.npy", mmap_mode=mode)
                assert u.dtype == np.dtype(kind), (kind, u.dtype)
                assert u.shape == (5, 3, 4), u.shape
                assert u.flags.c_contiguous if order == "C" else u.flags.f_contiguous
                assert (u == values(u.shape, kind)).all(), (kind, order, u)
        u = np.load("record.npy", mmap_mode=mode)
        assert u.dtype == RECORD, u.dtype
        assert (u["id"] == np.arange(20)).all() and (u["x"] == [[i, 2, 3] for i in range(20)]).all()
        u = np.load("single.npy", mmap_mode=mode)
        assert u.shape == () and u == 2.5
        assert np.load("empty.npy").shape == (0, 3)  # no bytes that could be mapped
    u = np.load("f8C.npy", mmap_mode="r+")  # the ranks read the change
    u[4, 2, 3] = -1
    u.flush()


def write():
    np.save("big.npy", values((6, 4), ">f8"))
    np.save("little.npy", values((6, 4), "<f8"))
    np.save("fortran.npy", np.asfortranarray(values((6, 4), "<i4")))
    padded = np.dtype({"names": ["kind", "x", "id"], "formats": ["<i2", ("<f8", (3,)), "<i4"], "offsets": [0, 8, 40],
                       "itemsize": 48})
    u = np.zeros(20, padded)
    u["id"] = np.arange(20)
    u["x"] = [[i, 2, 3] for i in range(20)]
    np.save("padded.npy", u)
    with open("version2.npy", "wb") as f:
        np.lib.format.write_array(f, values((6, 4), "<f8"), version=(2, 0))
    with open("version3.npy", "wb") as f:
        np.lib.format.write_array(f, values((6, 4), "<f8"), version=(3, 0))
    np.save("times.npy", np.array(["2026-01-01"], "M8[D]"))
    np.save("objects.npy", np.array([{}], object))


check() if what == "check" else write()
