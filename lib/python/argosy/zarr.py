"""Arrays in Zarr stores, of version 3: docs/use/python.md."""
# SPDX-License-Identifier: BSD-3-Clause
import json
import os

from argosy import _argosy, parts
from argosy.file import Array, hint_pairs, mode_number


class ZarrArray(Array):
    """An array in a Zarr store. Reads and writes are collective: `z.all[100:200, :] = a`."""

    order = "C"

    @property
    def chunks(self):
        return tuple(self._compiled.chunks)

    @property
    def shards(self):
        return tuple(self._compiled.shards)

    @property
    def attributes(self):
        return json.loads(self._compiled.attributes or "{}")


def _codec(codec):
    """Returns name and level of "zstd", or of ("zstd", 3)."""
    name, level = (codec, None) if isinstance(codec, str) else codec
    return name, level


def create(comm, path, shape, dtype, *, chunks=(), shards=(), codecs=(), fill_value=None, dimension_names=(),
           attributes=None, hints=None):
    """Makes an array. Collective. It has its name only after `close`.

    chunks      elements of a chunk along each dimension; about 1 MiB if they are left out
    shards      elements of a file; a chunk is a file if they are left out
    codecs      such as ["zstd"], [("gzip", 9), "crc32c"]
    fill_value  the value of elements that are not written; zero if it is left out
    attributes  a dict
    """

    def describe():
        fill = "" if fill_value is None else json.dumps(fill_value)
        return (parts.type_text(dtype), parts.shape_of(shape), list(chunks), list(shards),
                [_codec(c) for c in codecs], fill, list(dimension_names),
                json.dumps(attributes) if attributes else "", hint_pairs(hints))

    return ZarrArray(_argosy.create_zarr(comm, os.fspath(path), describe))


def open(comm, path, mode="r", *, hints=None):
    """Opens an array. Collective."""

    def describe():
        return mode_number(mode, ("r", "r+")), hint_pairs(hints)

    return ZarrArray(_argosy.open_zarr(comm, os.fspath(path), describe))
