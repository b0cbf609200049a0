"""Files with one array: open, slices, reports and plans."""
# SPDX-License-Identifier: BSD-3-Clause
import os

import numpy as np

from argosy import parts

# argosy's modes, in include/argosy/file/mode.hpp.
_READ, _READ_WRITE, _CREATE, _EXCLUSIVE, _TRUNCATE = 1, 4, 8, 16, 512
MODES = {
    "r": _READ,
    "r+": _READ_WRITE,
    "w": _READ_WRITE | _CREATE | _TRUNCATE,
    "x": _READ_WRITE | _CREATE | _EXCLUSIVE,
    "a": _READ_WRITE | _CREATE,
}


def mode_number(mode, allowed=tuple(MODES)):
    if mode not in allowed:
        raise ValueError(f"argosy: {mode!r} is no mode here; give one of {', '.join(allowed)}")
    return MODES[mode]


def order_letter(order):
    if order not in ("C", "F"):
        raise ValueError(f"argosy: {order!r} is no order; give 'C' or 'F'")
    return order


def hint_pairs(hints):
    return [(str(name), str(value)) for name, value in (hints or {}).items()]


class Slices:
    """The elements of an array in a file, by slices: `f[100:200, :]`."""

    def __init__(self, array):
        self._array = array

    def __getitem__(self, key):
        return self._array._read(key, self._together)

    def __setitem__(self, key, value):
        self._array._write(key, value, self._together)


class Local(Slices):
    _together = False


class Together(Slices):
    """`f.all[...]`: collective. Every rank takes part, each with its own slice, also an empty one."""

    _together = True

    def plan(self, key, write=False):
        """Returns what `f.all[key]` would do, without touching the file. Collective."""
        return self._array._plan(key, write, True)


class Array:
    """What files and Zarr arrays have in common."""

    def __init__(self, compiled):
        self._compiled = compiled
        self._dtype = parts.native(parts.type_of(compiled.dtype))
        self._report = None
        self.all = Together(self)

    @property
    def shape(self):
        return tuple(self._compiled.shape)

    @property
    def dtype(self):
        """The type of the elements in memory."""
        return self._dtype

    @property
    def report(self):
        """What the last read or write has done: an argosy.Report."""
        return self._report

    @property
    def closed(self):
        return not self._compiled.is_open

    def close(self):
        """Closes the file. Collective."""
        self._compiled.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        # An exception of one rank must not wait for the others, and closing would.
        if kind is None and not self.closed:
            self.close()

    def _access(self, writes, together, describe):
        call = self._compiled.access_all if together else self._compiled.access
        self._report = call(writes, describe)

    def _read(self, key, together):
        got = []

        def describe():
            (starts, counts, steps), result = parts.selected(key, self.shape)
            array = np.empty(counts, self._dtype, "F" if self.order == "F" else "C")
            got[:] = [array, result]
            return starts, counts, steps, parts.address_of(array), array.strides

        self._access(False, together, describe)
        array, result = got
        return array.reshape(result, order=self.order)[()]

    def _write(self, key, value, together):
        kept = []  # until the call has ended

        def describe():
            (starts, counts, steps), result = parts.selected(key, self.shape)
            array = parts.for_writing(value, self._dtype, counts, result)
            kept[:] = [array]
            return starts, counts, steps, parts.address_of(array), array.strides

        self._access(True, together, describe)


class File(Array):
    """An open file with one array. Made by argosy.open, argosy.npy.open and argosy.npy.create.

    f[100:200, :] = a       writes a slice; local
    a = f[100:200, :]       reads a slice; local
    f.all[100:200, :] = a   writes the slices of all ranks together; collective
    a = f.all[100:200, :]   reads them
    """

    def __getitem__(self, key):
        return self._read(key, False)

    def __setitem__(self, key, value):
        self._write(key, value, False)

    @property
    def order(self):
        return "F" if self._compiled.is_fortran else "C"

    @property
    def path(self):
        return self._compiled.path

    @property
    def size(self):
        """The bytes of the file. Local."""
        return self._compiled.size()

    @property
    def hints(self):
        """A table of the hints in use. Local."""
        return self._compiled.hints()

    def plan(self, key, write=False):
        """Returns what `f[key]` would do, without touching the file. Local."""
        return self._plan(key, write, False)

    def sync(self):
        """Writes all data out to the storage. Collective."""
        self._compiled.sync()

    def resize(self, size):
        """Sets the bytes of the file. Collective."""
        self._compiled.resize(size)

    def set_atomic(self, on):
        """Switches atomic mode on or off. Collective."""
        self._compiled.set_atomic(on)

    def _plan(self, key, write, together):
        kept = []

        def describe():
            (starts, counts, steps), _ = parts.selected(key, self.shape)
            array = np.empty(counts, self._dtype, self.order)
            kept[:] = [array]
            return starts, counts, steps, parts.address_of(array), array.strides

        return (self._compiled.explain_all if together else self._compiled.explain)(write, describe)


def open(comm, path, mode="r", *, shape=None, dtype="u1", offset=0, order="C", hints=None):
    """Opens a file of numbers. Collective: every rank of the communicator calls it.

    comm    a communicator of mpi4py, or None for one rank without MPI
    mode    "r"   reads a file
            "r+"  reads and writes a file
            "w"   makes a file, or cuts it to zeros
            "x"   makes a file, which must not exist
            "a"   reads and writes a file, which is made if it does not exist
    shape   the shape of the array; as many elements as the file has if it is left out
    dtype   the type of its elements in the file
    offset  the byte where the array begins
    order   "C" or "F"
    hints   a dict, such as {"cb_nodes": 4}: docs/use/hints.md
    """
    from argosy import _argosy

    def describe():
        if shape is None and mode in ("w", "x"):
            raise ValueError("argosy: a new file needs the shape of its array")
        if offset < 0:
            raise ValueError(f"argosy: the array begins at byte {offset}; give 0 or more")
        sizes = None if shape is None else parts.shape_of(shape)
        return parts.type_text(dtype), sizes, order_letter(order), offset, mode_number(mode), hint_pairs(hints)

    return File(_argosy.open(comm, os.fspath(path), mode in ("w", "x"), describe))
