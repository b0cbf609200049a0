"""Checkpoints: named arrays in one file, which is whole or missing: docs/use/python.md."""
# SPDX-License-Identifier: BSD-3-Clause
import os

import numpy as np

from argosy import _argosy, parts
from argosy.file import hint_pairs, order_letter


def _entry(name, what, kept):
    """Returns an array as the compiled part takes it. Keeps what must live until the call has ended."""
    placed = isinstance(what, parts.Part)
    array = what.array if placed else np.asarray(what)
    if not isinstance(array, np.ndarray):
        raise TypeError(f"argosy: '{name}' is not an array of NumPy")
    if array.dtype != parts.native(parts.packed(array.dtype)):
        raise TypeError(f"argosy: '{name}' has the type {array.dtype}; give native numbers without unused bytes")
    shape = array.shape if not placed or what.shape is None else tuple(what.shape)
    (starts, counts, steps), result = parts.selected(what.at if placed else (), shape)
    if result != array.shape:
        raise ValueError(f"argosy: '{name}' has the shape {array.shape}, and its slices have {result}")
    order = order_letter(what.order) if placed else "C"
    array = array.reshape(counts) if tuple(counts) != array.shape else array
    kept.append(array)
    return (name, parts.type_text(array.dtype), shape, order, (starts, counts, steps), parts.address_of(array),
            array.strides, not placed)


def save(comm, path, state, *, hints=None):
    """Saves a dict of names and arrays. Collective.

    A value is an argosy.part, of which each rank has some elements, or anything that NumPy makes an
    array of, which must be equal on all ranks. The file replaces an old one at once, when it is
    whole.
    """
    kept = []

    def describe():
        return [_entry(name, what, kept) for name, what in state.items()], hint_pairs(hints)

    _argosy.save_checkpoint(comm, os.fspath(path), describe)


def load(comm, path, state, *, hints=None):
    """Loads the names of a dict, and returns a dict of them. Collective.

    The array of an argosy.part is filled in place. For None every rank gets the whole array, or a
    scalar.
    """
    found = {name: (text, shape, order) for name, text, shape, order in _argosy.checkpoint_header(comm, os.fspath(path))}
    loaded = {}
    kept = []

    def entry(name, what):
        if what is not None and not isinstance(what, parts.Part):
            raise TypeError(f"argosy: '{name}' is loaded into an argosy.part, or into None for a new array")
        if what is not None:
            if not what.array.flags.writeable:
                raise ValueError(f"argosy: the array of '{name}' is read-only")
            loaded[name] = what.array
            return _entry(name, what, kept)
        if name not in found:
            raise KeyError(f"argosy: the checkpoint has no '{name}'; it has {', '.join(found)}")
        text, shape, order = found[name]
        loaded[name] = np.empty(shape, parts.native(parts.type_of(text)), order)
        whole = _entry(name, parts.Part(loaded[name], None, (), order), kept)
        return whole[:-1] + (True,)

    def describe():
        return [entry(name, what) for name, what in state.items()], hint_pairs(hints)

    _argosy.load_checkpoint(comm, os.fspath(path), describe)
    return {name: array[()] for name, array in loaded.items()}


def names(comm, path):
    """Returns the names of a checkpoint, with type and shape. Collective."""
    return {name: (parts.type_of(text), tuple(shape))
            for name, text, shape, _ in _argosy.checkpoint_header(comm, os.fspath(path))}
