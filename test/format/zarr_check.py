"""zarr_check.py check DIR | write DIR NUMBER SEED: round trips with zarr-python and tensorstore.

check: reads all arrays that the test has written below DIR, by both libraries. An element has the
value of its number, counted in the order that the attribute `order` names.
write: writes NUMBER random arrays below DIR, by the libraries in turn, each with a copy in .npy.
SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import random
import sys

import numpy
import tensorstore
import zarr

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float32", "float64", "complex64", "complex128"]


def values(numbers, dtype):
    """The values that elements of these numbers have."""
    if dtype == numpy.bool_:
        return numbers % 2 == 1
    if dtype.kind == "c":
        return (numbers % 100 - 1j * (numbers % 7)).astype(dtype)
    return (numbers % 100).astype(dtype)


def store(path):
    return {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(path)}}


def check(directory):
    count = 0
    for path in sorted(p.parent for p in directory.glob("*/zarr.json")):
        array = zarr.open_array(path, mode="r")
        size = int(numpy.prod(array.shape, dtype=int))
        numbers = numpy.arange(size).reshape(array.shape, order=array.attrs["order"])
        expected = values(numbers, array.dtype)
        assert array.attrs["text"] == "caf\u00e9", path
        assert array.metadata.dimension_names == tuple(f"d{i}" for i in range(array.ndim)), path
        found = array[...]
        assert found.dtype == array.dtype and numpy.array_equal(found, expected), path
        other = tensorstore.open(store(path), open=True).result()
        assert numpy.array_equal(other.read().result(), expected), path
        count += 1
    assert count > 0
    print(f"zarr {zarr.__version__} and tensorstore read {count} arrays")


def any_metadata(rng, dtype):
    shape = [rng.randrange(0, 12) for _ in range(rng.randrange(0, 4))]
    chunks = [rng.randrange(1, n + 3) for n in shape]
    shards = [c * rng.randrange(1, 4) for c in chunks] if rng.random() < 0.5 else None
    codecs = []
    if rng.random() < 0.4 and shape:
        order = list(range(len(shape)))
        rng.shuffle(order)
        codecs.append({"name": "transpose", "configuration": {"order": order}})
    endian = rng.choice(["little", "big"])
    codecs.append({"name": "bytes", "configuration": {"endian": endian}})
    more = rng.choice([None, "gzip", "zstd"])
    if more == "gzip":
        codecs.append({"name": "gzip", "configuration": {"level": rng.randrange(1, 10)}})
    if more == "zstd":
        codecs.append({"name": "zstd", "configuration": {"level": rng.randrange(1, 6),
                                                         "checksum": rng.random() < 0.5}})
    if rng.random() < 0.4:
        codecs.append({"name": "crc32c"})
    if shards:
        little = {"name": "bytes", "configuration": {"endian": "little"}}
        codecs = [{"name": "sharding_indexed", "configuration": {
            "chunk_shape": chunks, "codecs": codecs, "index_codecs": [little, {"name": "crc32c"}],
            "index_location": rng.choice(["start", "end"])}}]
    fill = {"b": True, "c": [3.0, -1.0]}.get(dtype.kind, 5)
    return {"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": dtype.name,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shards or chunks}},
            "chunk_key_encoding": {"name": rng.choice(["default", "v2"]),
                                   "configuration": {"separator": rng.choice(["/", "."])}},
            "fill_value": rng.choice([fill, False if dtype.kind == "b" else
                                      [0.0, 0.0] if dtype.kind == "c" else 0]),
            "codecs": codecs, "attributes": {}}


def write(directory, number, seed):
    rng = random.Random(seed)
    for i in range(number):
        dtype = numpy.dtype(rng.choice(TYPES))
        metadata = any_metadata(rng, dtype)
        shape = tuple(metadata["shape"])
        path = directory / f"a{i}"
        data = values(numpy.arange(int(numpy.prod(shape, dtype=int))).reshape(shape), dtype)
        # A part of some arrays is not written, and has the fill value.
        part = tuple(slice(0, rng.randrange(0, n + 1)) if rng.random() < 0.3 else slice(0, n)
                     for n in shape)
        fill = metadata["fill_value"]
        whole = numpy.full(shape, complex(*fill) if dtype.kind == "c" else fill, dtype)
        whole[part] = data[part]
        if rng.random() < 0.5:
            path.mkdir()
            (path / "zarr.json").write_text(json.dumps(metadata))
            zarr.open_array(path, mode="r+")[part] = data[part]
        else:
            spec = store(path) | {"metadata": {k: v for k, v in metadata.items()
                                               if k not in ("attributes",)}}
            array = tensorstore.open(spec, create=True).result()
            array[part].write(data[part]).result()
        numpy.save(directory / f"a{i}.npy", whole)
    print(f"zarr {zarr.__version__} and tensorstore wrote {number} arrays")


if __name__ == "__main__":
    place = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "check":
        check(place)
    else:
        write(place, int(sys.argv[3]), int(sys.argv[4]))
