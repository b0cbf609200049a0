"""Tests argosy.npy, argosy.checkpoint and argosy.zarr. test/python/module.py runs them."""
# SPDX-License-Identifier: BSD-3-Clause
import os
import unittest

import numpy as np

import argosy
from argosy import parts
from support import RANK, RECORD, SIZE, TYPES, WORLD, Case, random_key, strided, values


class Npy(Case):
    def test_numpy_reads_it(self):
        for i, dtype in enumerate(["f8", "i2", RECORD, "U3", "c8"]):
            order = self.common.choice("CF")
            whole = values((6, 2 * SIZE, 3), dtype, self.common)
            mine = np.s_[:, RANK::SIZE]
            argosy.npy.save(WORLD, self.path(str(i)), strided(whole[mine], self.own), whole.shape, mine, order=order)
            if RANK == 0:
                stored = np.load(self.path(str(i)))
                self.assertSame(stored, whole)
                self.assertEqual(stored.flags.f_contiguous, order == "F")
            self.assertSame(argosy.npy.load(WORLD, self.path(str(i)), mine), whole[mine])

    def test_files_of_numpy(self):
        for i, dtype in enumerate(["f8", ">f8", ">i2", RECORD, ">U3", "c16"]):
            whole = values((5, 4), dtype, self.common).astype(dtype)
            if RANK == 0:
                np.save(self.path(f"{i}.npy"), whole if i % 2 else np.asfortranarray(whole))
            WORLD.Barrier()
            with argosy.npy.open(WORLD, self.path(f"{i}.npy"), "r+") as f:
                self.assertEqual(f.shape, (5, 4))
                self.assertSame(f.all[...], whole.astype(whole.dtype.newbyteorder("=")))
                key = random_key((5, 4), self.own)
                self.assertSame(f[key], whole.astype(f.dtype)[key])
                f.all[RANK % 5] = whole[RANK % 5].astype(f.dtype)
            if RANK == 0:
                self.assertSame(np.load(self.path(f"{i}.npy")), whole)

    def test_a_file_that_failed_is_not_whole(self):
        f = argosy.npy.create(WORLD, self.path("u.npy"), (4, 4), "f8")

        def write():
            f.all[0] = np.zeros(3 if RANK == 0 else 4)

        self.raises_everywhere(Exception, write)
        self.assertEqual(self.raises_everywhere(argosy.Error, f.close).code, "damaged")
        e = self.raises_everywhere(argosy.Error, lambda: argosy.npy.open(WORLD, self.path("u.npy")))
        self.assertEqual(e.cause, "damaged")

    def test_a_block_that_was_left_is_not_whole(self):
        with self.assertRaises(KeyError):
            with argosy.npy.create(WORLD, self.path("u.npy"), (4, 4), "f8") as f:
                f.all[...] = 1.0
                raise KeyError
        WORLD.Barrier()
        with self.assertRaises(ValueError):
            np.load(self.path("u.npy"))


class Checkpoints(Case):
    def test_any_number_of_ranks(self):
        u = values((9, 5), "f8", self.common)
        cells = values((20,), RECORD, self.common)
        rows = np.array_split(np.arange(9), SIZE)[RANK]
        mine = np.s_[rows[0]:rows[-1] + 1] if len(rows) else np.s_[0:0]
        state = {"step": 7, "name": "abc", "table": np.arange(6).reshape(2, 3),
                 "u": argosy.part(strided(u[mine], self.own), u.shape, mine, order="F"),
                 "cells": argosy.part(cells[RANK::SIZE], cells.shape, np.s_[RANK::SIZE])}
        argosy.checkpoint.save(WORLD, self.path(), state)
        self.assertEqual(argosy.checkpoint.names(WORLD, self.path())["u"], (np.dtype("f8"), (9, 5)))
        into = np.zeros((5, 9)).T[:, ::2]
        columns = argosy.part(into, u.shape, np.s_[:, ::2])
        columns.order = "F"
        loaded = argosy.checkpoint.load(WORLD, self.path(), {"step": None, "name": None, "table": None, "u": columns, "cells": None})
        self.assertEqual((loaded["step"], loaded["name"]), (7, "abc"))
        self.assertSame(loaded["table"], state["table"])
        self.assertSame(loaded["cells"], cells)
        self.assertIs(loaded["u"].base, into.base)
        self.assertSame(into, u[:, ::2])
        if RANK == 0:
            self.assertSame(argosy.checkpoint.load(None, self.path(), {"u": None})["u"], u)

    def test_errors(self):
        u = np.zeros((4, 4))
        save = lambda state: lambda: argosy.checkpoint.save(WORLD, self.path("e"), state)  # noqa: E731
        self.assertEqual(self.raises_everywhere(argosy.Error, save({"u": argosy.part(u[:2], u.shape, np.s_[:2])})).cause, "datatype")
        self.raises_everywhere(Exception, save({"u": argosy.part(u, u.shape, np.s_[:2 if RANK == 0 else 4])}))
        self.raises_everywhere(TypeError, save({"u": object()}))
        if SIZE > 1:
            self.assertEqual(self.raises_everywhere(argosy.Error, save({"step": RANK})).cause, "not_same")
        self.assertFalse(os.path.exists(self.path("e")))
        argosy.checkpoint.save(WORLD, self.path(), {"step": 1})
        load = lambda state: lambda: argosy.checkpoint.load(WORLD, self.path(), state)  # noqa: E731
        self.raises_everywhere(KeyError, load({"none": None}))
        self.raises_everywhere(TypeError, load({"step": 3}))
        self.raises_everywhere(argosy.Error, load({"step": argosy.part(np.zeros(3))}))
        frozen = np.array(5)
        frozen.flags.writeable = False
        self.raises_everywhere(ValueError, load({"step": argosy.part(frozen)}))
        with open(self.path(), "r+b") as f:
            f.seek(4096)
            f.write(b"x")
        self.assertEqual(self.raises_everywhere(argosy.Error, load({"step": None})).cause, "damaged")


class Zarr(Case):
    def test_round_trips(self):
        for i in range(4):
            whole = values((12, 2 * SIZE, 3), self.common.choice(["f8", "i2", "c8", "?"]), self.common)
            codecs = self.common.choice([[], ["zstd"], [("gzip", 1), "crc32c"]])
            with argosy.zarr.create(WORLD, self.path(f"{i}.zarr"), whole.shape, whole.dtype, chunks=(4, 2, 3),
                                    shards=(8, 2, 3), codecs=codecs, attributes={"units": "K"}) as z:
                z.all[:, RANK::SIZE] = strided(whole[:, RANK::SIZE], self.own)
            with argosy.zarr.open(WORLD, self.path(f"{i}.zarr"), "r+") as z:
                self.assertEqual((z.shape, z.chunks, z.shards, z.attributes), (whole.shape, (4, 2, 3), (8, 2, 3), {"units": "K"}))
                key = random_key(whole.shape, self.own)
                self.assertSame(z.all[key], whole[key])
                z.all[RANK % 12, 0, 0] = whole[RANK % 12, 0, 0]

    def test_errors(self):
        e = self.raises_everywhere(argosy.Error, lambda: argosy.zarr.open(WORLD, self.path("none")))
        self.assertIsInstance(e, FileNotFoundError)
        self.raises_everywhere(ValueError, lambda: argosy.zarr.create(WORLD, self.path(), 4, "f8", codecs=["lzma"]))
        z = argosy.zarr.create(WORLD, self.path(), 4, "f8")
        self.raises_everywhere(Exception, lambda: z.all[5 if RANK == 0 else 0])
        z.close()
        self.raises_everywhere(argosy.Error, lambda: z.all[0])


class Types(unittest.TestCase):
    def test_texts(self):
        aligned = np.dtype([("a", "i1"), ("b", "f8")], align=True)
        self.assertEqual(parts.type_text(aligned), "[('a', '|i1'), ('b', '<f8')]")
        for dtype in TYPES:
            self.assertEqual(parts.type_of(parts.type_text(dtype)), np.dtype(dtype))
