"""Arrays in .npy files, which NumPy opens: docs/use/python.md."""
# SPDX-License-Identifier: BSD-3-Clause
import os

import numpy as np

from argosy import _argosy, parts
from argosy.file import File, hint_pairs, mode_number, order_letter


def create(comm, path, shape, dtype, *, order="C", hints=None):
    """Makes a .npy file, and returns an argosy.File. Collective.

    The file is whole only after `close`: until then its first byte is missing, so that NumPy does
    not take it for an array.
    """

    def describe():
        return parts.type_text(dtype), parts.shape_of(shape), order_letter(order), hint_pairs(hints)

    return File(_argosy.create_npy(comm, os.fspath(path), describe))


def open(comm, path, mode="r", *, hints=None):
    """Opens a .npy file, and returns an argosy.File with its shape and type. Collective."""

    def describe():
        return mode_number(mode, ("r", "r+")), hint_pairs(hints)

    return File(_argosy.open_npy(comm, os.fspath(path), describe))


def save(comm, path, array, shape=None, at=(), *, order="C", hints=None):
    """Writes one array, of which each rank has a part: see argosy.part. Collective."""
    array = np.asarray(array)
    with create(comm, path, array.shape if shape is None else shape, array.dtype, order=order, hints=hints) as file:
        file.all[at] = array


def load(comm, path, at=()):
    """Returns this rank's slices of an array. Collective."""
    with open(comm, path) as file:
        return file.all[at]
