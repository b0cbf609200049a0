"""Tests the module argosy: mpiexec -n N python3 test/python/module.py [SEED]

cmake/python.sh runs it. NumPy's own slices of a whole array are the oracle. Rank 0 reads what ranks
have written with numpy.fromfile and numpy.load.
"""
# SPDX-License-Identifier: BSD-3-Clause
import errno
import pathlib
import subprocess
import sys
import threading
import unittest

import numpy as np
from mpi4py import MPI

import argosy
from argosy import _argosy
from module_formats import Checkpoints, Npy, Types, Zarr  # noqa: F401  run here, too
from support import RANK, SEED, SIZE, TYPES, WORLD, Case, random_key, strided, values


class Slices(Case):
    def shape(self):
        return tuple(self.common.randrange(0, 9) for _ in range(self.common.randrange(0, 4)))

    def test_random_slices_together(self):
        """Ranks write disjoint blocks of rows by random types and orders, and read random slices."""
        for i in range(25):
            shape = (self.common.randrange(1, 12), *self.shape())
            dtype = np.dtype(self.common.choice(TYPES))
            order, offset = self.common.choice("CF"), self.common.choice([0, 7, 4096])
            whole = values(shape, dtype, self.common)
            rows = np.array_split(np.arange(shape[0]), SIZE)[RANK]
            mine = slice(rows[0], rows[-1] + 1) if len(rows) else slice(0, 0)
            with argosy.open(WORLD, self.path(str(i)), "w", shape=shape, dtype=dtype, order=order, offset=offset) as f:
                f.all[mine] = strided(whole[mine], self.own)
                self.assertEqual(f.report.memory_bytes, whole[mine].nbytes)
                f.sync()
                key = random_key(shape, self.own)
                self.assertSame(f.all[key], whole[key])
                key = random_key(shape, self.own)
                self.assertSame(f[key], whole[key])
            if RANK == 0:
                stored = np.fromfile(self.path(str(i)), dtype, offset=offset)
                self.assertSame(stored.reshape(shape, order=order).astype(whole.dtype), whole)

    def test_random_slices_of_one_rank(self):
        """A rank writes random slices into its own file, and NumPy the same into an array."""
        for i in range(15):
            shape, dtype = self.own_shape(), np.dtype(self.own.choice(TYPES))
            whole = np.zeros(shape, dtype.newbyteorder("="))
            order = self.own.choice("CF")
            path = self.path(f"{RANK} {i}")
            with argosy.open(None, path, "w", shape=shape, dtype=dtype, order=order) as f:
                for _ in range(4):
                    key = random_key(shape, self.own)
                    part = values(whole[key].shape, dtype, self.own)
                    whole[key] = part
                    if self.own.random() < 0.5:
                        f[key] = strided(part, self.own)
                    else:
                        f.all[key] = strided(part, self.own)
                self.assertSame(f[...], whole)
            stored = np.fromfile(path, dtype).reshape(shape, order=order)
            self.assertSame(stored.astype(whole.dtype), whole)

    def own_shape(self):
        return tuple(self.own.randrange(0, 9) for _ in range(self.own.randrange(0, 4)))

    def test_local_writes_of_all_ranks_in_one_file(self):
        """Each rank writes columns, whose bytes lie between those of the others, without waiting."""
        shape = (50, 3 * SIZE)
        with argosy.open(WORLD, self.path(), "w", shape=shape, dtype="i4") as f:
            for column in range(3):
                f[:, RANK + column * SIZE] = np.arange(50) * shape[1] + RANK + column * SIZE
            WORLD.Barrier()
            self.assertSame(f[...], np.arange(50 * shape[1], dtype="i4").reshape(shape))

    def test_values_are_broadcast_and_converted(self):
        with argosy.open(WORLD, self.path(), "w", shape=(4, 3), dtype="f8") as f:
            f.all[...] = 1
            f.all[1] = [1, 2, 3]
            if RANK == 0:
                f[2, 1] = np.float32(0.5)
            f.all[0:0] = np.empty((0, 3))
            expected = np.ones((4, 3))
            expected[1], expected[2, 1] = [1, 2, 3], 0.5
            WORLD.Barrier()
            self.assertSame(f.all[...], expected)
            self.assertEqual(f[2, 1], 0.5)
            self.assertIsInstance(f[2, 1], np.float64)

    def test_the_shape_of_a_file_that_is_there(self):
        if RANK == 0:
            np.arange(100, dtype="i2").tofile(self.path())
        WORLD.Barrier()
        with argosy.open(WORLD, pathlib.Path(self.path()), dtype="i2", offset=3) as f:
            self.assertEqual((f.shape, f.size, f.path), ((98,), 200, self.path()))
        with argosy.open(WORLD, self.path(), "r+", dtype="i2", hints={"cb_nodes": 1}) as f:
            self.assertIn("cb_nodes", f.hints)
            self.assertSame(f[90:], np.arange(90, 100, dtype="i2"))
            f.resize(20)
            self.assertEqual(f.size, 20)
        self.assertTrue(f.closed)

    def test_threads_of_a_rank_share_a_file(self):
        with argosy.open(WORLD, self.path(), "w", shape=(SIZE, 4, 1000), dtype="i8") as f:
            def work(i):
                for j in range(0, 1000, 100):
                    f[RANK, i, j:j + 100] = np.arange(j, j + 100)

            threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            self.assertSame(f[RANK], np.broadcast_to(np.arange(1000), (4, 1000)))


class Messages(Case):
    """The world of mpi4py, with every message in pieces of a few bytes."""

    def test_long_messages(self):
        _argosy.set_largest_count(1000)
        self.addCleanup(_argosy.set_largest_count, 1 << 30)
        shape = (16, 4 * SIZE, 1000)
        whole = values(shape, "i4", self.common)
        hints = {"romio_cb_write": "enable", "romio_cb_read": "enable", "cb_buffer_size": 65536}
        with argosy.open(WORLD, self.path(), "w", shape=shape, dtype="i4", hints=hints) as f:
            f.all[:, RANK::SIZE] = whole[:, RANK::SIZE]
            self.assertSame(f.all[...], whole)
            self.assertGreaterEqual(f.report.rounds, 1 if SIZE > 1 else 0)

    def test_a_part_of_the_world(self):
        half = WORLD.Split(RANK % 2)
        with argosy.open(half, self.path(str(RANK % 2)), "w", shape=(half.size, 5), dtype="i4") as f:
            f.all[half.rank] = np.full(5, half.rank, "i4")
            self.assertSame(f.all[:, 0], np.arange(half.size, dtype="i4"))
        half.Free()

    def test_no_memory_of_nodes(self):
        """Without memory that ranks share, everything goes through mpi4py."""
        _argosy.set_sharing(False)
        self.addCleanup(_argosy.set_sharing, True)
        whole = values((64, 3 * SIZE), "f8", self.common)
        with argosy.open(WORLD, self.path(), "w", shape=whole.shape, dtype="f8",
                         hints={"romio_cb_write": "enable"}) as f:
            f.all[:, RANK::SIZE] = whole[:, RANK::SIZE]
            self.assertSame(f.all[...], whole)
        argosy.checkpoint.save(WORLD, self.path("c"), {"u": argosy.part(whole[:, RANK::SIZE], whole.shape, np.s_[:, RANK::SIZE])})
        self.assertSame(argosy.checkpoint.load(WORLD, self.path("c"), {"u": None})["u"], whole)


class Errors(Case):
    def test_no_such_file(self):
        e = self.raises_everywhere(argosy.Error, lambda: argosy.open(WORLD, self.path("none")))
        self.assertIsInstance(e, FileNotFoundError)
        self.assertEqual((e.errno, e.cause), (errno.ENOENT, "no_such_file"))
        self.assertIn(f"open of '{self.path('none')}' failed on rank {RANK}", str(e))

    def test_a_file_that_is_there(self):
        argosy.open(WORLD, self.path(), "x", shape=1).close()
        e = self.raises_everywhere(FileExistsError, lambda: argosy.open(WORLD, self.path(), "x", shape=1))
        self.assertIn(e.code, ("file_exists", "error_on_another_rank"))

    def test_one_rank_is_wrong(self):
        """The rank gets the exception of Python, the others an argosy.Error that has its text."""
        last = SIZE - 1
        with argosy.open(WORLD, self.path(), "w", shape=(8, 3), dtype="i4") as f:
            for key, value, kind, text in (
                (np.s_[9], 0, IndexError, "outside of dimension 0"),
                (np.s_[::-1], 0, IndexError, "the step of a slice is -1"),
                (np.s_[1, 2, 3], 0, IndexError, "3 indices"),
                (np.s_["x"], 0, IndexError, "no index"),
                (np.s_[:], 1.5, TypeError, "same_kind"),
                (np.s_[:], 1 << 31, OverflowError, "cannot hold"),
                (np.s_[:], np.zeros((2, 2), "i4"), ValueError, "broadcast"),
            ):
                def write():
                    f.all[key if RANK == last else slice(0, 0)] = value if RANK == last else np.empty((0, 3), "i4")

                e = self.raises_everywhere(Exception, write)
                if RANK == last:
                    self.assertIs(type(e), kind)
                else:
                    self.assertEqual((e.code, e.failed_rank, e.cause), ("error_on_another_rank", last, "user_code"))
                self.assertIn(text, str(e))
            f.all[...] = 7  # the file still works
            self.assertSame(f.all[...], np.full((8, 3), 7, "i4"))

    def test_arguments_of_open(self):
        for change, kind in (
            ({"mode": "rw"}, ValueError), ({"dtype": "O"}, TypeError), ({"shape": (2, -1)}, ValueError),
            ({"order": "A"}, ValueError), ({"shape": None}, ValueError), ({"dtype": [("a", "O")]}, TypeError),
            ({"offset": -1}, Exception), ({"shape": (1 << 40, 1 << 40)}, Exception),
        ):
            given = {"mode": "w", "shape": (2, 2), "dtype": "f8"} | change
            self.raises_everywhere(kind, lambda: argosy.open(WORLD, self.path(), **given))
        with self.assertRaisesRegex(TypeError, "Intracomm"):
            argosy.open("world", self.path())

    @unittest.skipIf(SIZE == 1, "needs ranks that differ")
    def test_ranks_that_differ(self):
        e = self.raises_everywhere(argosy.Error, lambda: argosy.open(WORLD, self.path(), "w", shape=(2, RANK + 1)))
        self.assertEqual(e.cause, "not_same")
        e = self.raises_everywhere(Exception, lambda: argosy.open(WORLD, self.path(), "w" if RANK else "q", shape=2))
        self.assertIs(type(e), argosy.Error if RANK else ValueError)

    def test_the_file_ends(self):
        with argosy.open(WORLD, self.path(), "w", shape=10, dtype="i4") as f:
            f.resize(20)
            e = self.raises_everywhere(argosy.Error, lambda: f.all[RANK:])
            self.assertEqual(e.code, "truncated")
            with self.assertRaises(argosy.Error) as caught:
                f[:]
            self.assertEqual((caught.exception.code, caught.exception.report.memory_bytes), ("truncated", 20))
            self.assertSame(f.all[:5], np.zeros(5, "i4"))

    def test_a_closed_file(self):
        f = argosy.open(WORLD, self.path(), "w", shape=10)
        f.close()
        for call in (lambda: f[0], lambda: f.all[0], f.close, f.sync, lambda: f.size, lambda: f.plan(0), lambda: f.all.plan(0)):
            self.assertEqual(self.raises_everywhere(argosy.Error, call).code, "file")

    def test_a_read_only_file(self):
        argosy.open(WORLD, self.path(), "w", shape=10).close()
        with argosy.open(WORLD, self.path()) as f:
            def write():
                f[0] = 1

            def write_together():
                f.all[0] = 1

            self.assertEqual(self.raises_everywhere(argosy.Error, write).code, "read_only")
            self.assertEqual(self.raises_everywhere(argosy.Error, write_together).cause, "read_only")

    def test_a_program_ends_with_an_open_file(self):
        """Nothing is printed, and the program ends well."""
        path = self.path(str(RANK))
        program = f"import argosy; f = argosy.open(None, {path!r}, 'w', shape=4); f[...] = 7"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(pathlib.Path(path).read_bytes(), b"\x07" * 4)

    def test_an_exception_in_with_does_not_wait(self):
        """One rank leaves the block by an exception, and the others close nothing either."""
        with self.assertRaisesRegex(RuntimeError, "mine"):
            with argosy.open(WORLD, self.path(), "w", shape=10):
                raise RuntimeError("mine")


class Pictures(Case):
    def test_reports_and_plans(self):
        with argosy.open(WORLD, self.path(), "w", shape=(100, 4 * SIZE), dtype="f8") as f:
            mine = np.s_[:, RANK::SIZE]
            plan = f.all.plan(mine, write=True)
            self.assertIn("<svg", plan._repr_html_())
            self.assertEqual(plan.policy in str(plan), True)
            f.all[mine] = float(RANK)
            self.assertEqual(f.report.bytes, 100 * 4 * 8)
            self.assertIn(f.report.policy, str(f.report))
            self.assertIn("<pre>", f.report._repr_html_())
            self.assertNotIn("<argosy", f.report._repr_html_())
            local = f.plan(mine)
            self.assertEqual(local.bytes, 100 * 4 * 8)
            self.assertIn("<svg", local._repr_html_())
            self.assertGreaterEqual(local.windows, 1)


if __name__ == "__main__":
    # A rank that fails ends the job, since others may wait for it.
    if RANK == 0:
        print(f"{SIZE} ranks, seed {SEED}, {MPI.Get_library_version().splitlines()[0]}", flush=True)
    sys.argv[1:] = []
    result = unittest.main(exit=False, failfast=True, verbosity=1 if RANK == 0 else 0).result
    if not result.wasSuccessful():
        print(f"rank {RANK} failed, seed {SEED}", flush=True)
        WORLD.Abort(1)
