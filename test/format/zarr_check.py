"""zarr_check.py check DIR | write DIR NUMBER SEED | group DIR | table FILE

check: reads all arrays that the test has written below DIR, by zarr-python and tensorstore. An
element has the value of its number, counted in the order that the attribute `order` names.
write: writes NUMBER random arrays below DIR, by the libraries in turn, in version 2 or 3 of the
format. Each has a copy in .npy.
group: opens the group that the test has written in DIR, by xarray and zarr-python.
table: prints how many arrays with which feature were read, as check and write have noted them in
the file that ARGOSY_TEST_ZARR_TABLE names.
SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import importlib.metadata
import json
import math
import os
import pathlib
import random
import sys
import zipfile

import numpy
import tensorstore
import zarr

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float32", "float64", "complex64", "complex128"]
LIBRARIES = [f"zarr-python {zarr.__version__}",
             "tensorstore " + importlib.metadata.version("tensorstore")]
noted = collections.Counter()


def features(metadata):
    """The names of what an array has, as a reader must understand it."""
    if metadata["zarr_format"] == 2:
        compressor = metadata["compressor"]
        yield "version 2: " + (compressor["id"] if compressor else "no compressor")
        yield f"version 2: order {metadata['order']}"
        yield "version 2: separator " + metadata.get("dimension_separator", ".")
        return
    codecs = metadata["codecs"]
    if codecs[0]["name"] == "sharding_indexed":
        inside = codecs[0]["configuration"]
        yield "sharding_indexed, index at the " + inside.get("index_location", "end")
        codecs = inside["codecs"]
    else:
        yield "no shards"
    for codec in codecs:
        name, how = codec["name"], codec.get("configuration", {})
        if name == "bytes":
            name = "bytes, " + how.get("endian", "little") + "-endian"
        if name == "blosc":
            name = "blosc, " + how["cname"]
        yield name
    encoding = metadata["chunk_key_encoding"]
    yield f"names of chunks: {encoding['name']}"
    yield f"{len(metadata['shape'])} dimensions"
    yield metadata["data_type"]


def note(direction, library, metadata):
    for feature in features(metadata):
        noted[f"{feature}|{direction}|{library}"] += 1
    noted[f"all arrays|{direction}|{library}"] += 1


def keep_notes():
    path = os.environ.get("ARGOSY_TEST_ZARR_TABLE")
    if not path:
        return
    before = json.loads(pathlib.Path(path).read_text()) if os.path.exists(path) else {}
    for key, count in noted.items():
        before[key] = before.get(key, 0) + count
    pathlib.Path(path).write_text(json.dumps(before))


def table(path):
    counts = json.loads(path.read_text())
    columns = [("reads", LIBRARIES[0]), ("reads", LIBRARIES[1]),
               ("writes", LIBRARIES[0]), ("writes", LIBRARIES[1])]
    print("| feature | " + " | ".join(
        f"{name} {'reads what ranks wrote' if way == 'reads' else 'wrote, ranks read'}"
        for way, name in columns) + " |\n" + "|---" * (1 + len(columns)) + "|")
    names = sorted({key.split("|")[0] for key in counts}, key=lambda n: (n != "all arrays", n))
    for name in names:
        cells = [counts.get(f"{name}|{way}|{library}", 0) for way, library in columns]
        print(f"| {name} | " + " | ".join(str(c) if c else "-" for c in cells) + " |")


def values(numbers, dtype):
    """The values that elements of these numbers have."""
    if dtype == numpy.bool_:
        return numbers % 2 == 1
    if dtype.kind == "c":
        return (numbers % 100 - 1j * (numbers % 7)).astype(dtype)
    return (numbers % 100).astype(dtype)


def store(path, version=3):
    return {"driver": "zarr3" if version == 3 else "zarr",
            "kvstore": {"driver": "file", "path": str(path)}}


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
        metadata = json.loads((path / "zarr.json").read_text())
        for library in LIBRARIES:
            note("reads", library, metadata)
        count += 1
    assert count > 0
    print(f"zarr {zarr.__version__} and tensorstore read {count} arrays")


def any_blosc(rng, dtype):
    return {"cname": rng.choice(["blosclz", "lz4", "lz4hc", "zlib", "zstd"]),
            "clevel": rng.randrange(0, 10), "blocksize": rng.choice([0, 128])}


def any_compression(rng, dtype):
    level = rng.randrange(1, 6)
    name = rng.choice([None, "gzip", "zstd", "blosc"])
    if name == "gzip":
        return {"name": name, "configuration": {"level": level}}
    if name == "zstd":
        return {"name": name, "configuration": {"level": level, "checksum": rng.random() < 0.5}}
    if name == "blosc":
        return {"name": name, "configuration": any_blosc(rng, dtype) | {
            "typesize": dtype.itemsize,
            "shuffle": rng.choice(["noshuffle", "shuffle", "bitshuffle"])}}
    return None


def any_shape(rng):
    shape = [rng.randrange(0, 12) for _ in range(rng.randrange(0, 4))]
    return shape, [rng.randrange(1, n + 3) for n in shape]


def fill_of(rng, dtype):
    fill = {"b": True, "c": [3.0, -1.0]}.get(dtype.kind, 5)
    zero = {"b": False, "c": [0.0, 0.0]}.get(dtype.kind, 0)
    return rng.choice([fill, zero])


def any_metadata(rng, dtype):
    shape, chunks = any_shape(rng)
    shards = [c * rng.randrange(1, 4) for c in chunks] if rng.random() < 0.5 else None
    codecs = []
    if rng.random() < 0.4 and shape:
        order = list(range(len(shape)))
        rng.shuffle(order)
        codecs.append({"name": "transpose", "configuration": {"order": order}})
    endian = rng.choice(["little", "big"])
    codecs.append({"name": "bytes", "configuration": {"endian": endian}})
    more = any_compression(rng, dtype)
    if more:
        codecs.append(more)
    if rng.random() < 0.4:
        codecs.append({"name": "crc32c"})
    if shards:
        little = {"name": "bytes", "configuration": {"endian": "little"}}
        codecs = [{"name": "sharding_indexed", "configuration": {
            "chunk_shape": chunks, "codecs": codecs, "index_codecs": [little, {"name": "crc32c"}],
            "index_location": rng.choice(["start", "end"])}}]
    return {"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": dtype.name,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shards or chunks}},
            "chunk_key_encoding": {"name": rng.choice(["default", "v2"]),
                                   "configuration": {"separator": rng.choice(["/", "."])}},
            "fill_value": fill_of(rng, dtype), "codecs": codecs, "attributes": {}}


def any_old_metadata(rng, dtype):
    shape, chunks = any_shape(rng)
    compressor = rng.choice([None, {"id": "zlib", "level": 3}, {"id": "gzip", "level": 3},
                             {"id": "zstd", "level": 3},
                             any_blosc(rng, dtype) | {"id": "blosc",
                                                      "shuffle": rng.choice([-1, 0, 1, 2])}])
    if rng.random() < 0.5:
        dtype = dtype.newbyteorder(">")
    return {"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": dtype.str,
            # tensorstore writes C if both orders are the same
            "order": rng.choice(["C", "F"]) if len(shape) > 1 else "C", "fill_value": fill_of(rng, dtype), "filters": None,
            "compressor": compressor, "dimension_separator": rng.choice(["/", "."])}


def write_one(rng, path, metadata, data, part):
    """Writes a part of an array, and returns the number of the library."""
    old = metadata["zarr_format"] == 2
    # tensorstore has no gzip in version 2.
    other = rng.random() < 0.5 and not (old and (metadata["compressor"] or {}).get("id") == "gzip")
    if other:
        spec = store(path, metadata["zarr_format"]) | {
            "metadata": {k: v for k, v in metadata.items() if k != "attributes"}}
        tensorstore.open(spec, create=True).result()[part].write(data[part]).result()
        return 1
    path.mkdir()
    attributes = rng.choice([{"of": "python"}, {"missing_value": math.nan, "most": math.inf}])
    if not old:
        metadata["attributes"] = attributes
    (path / (".zarray" if old else "zarr.json")).write_text(json.dumps(metadata))
    if old:
        (path / ".zattrs").write_text(json.dumps(attributes))
    zarr.open_array(path, mode="r+")[part] = data[part]
    return 0


def write(directory, number, seed):
    rng = random.Random(seed)
    for i in range(number):
        dtype = numpy.dtype(rng.choice(TYPES))
        metadata = (any_old_metadata if i % 4 == 3 else any_metadata)(rng, dtype)
        shape = tuple(metadata["shape"])
        data = values(numpy.arange(int(numpy.prod(shape, dtype=int))).reshape(shape), dtype)
        # A part of some arrays is not written, and has the fill value.
        part = tuple(slice(0, rng.randrange(0, n + 1)) if rng.random() < 0.3 else slice(0, n)
                     for n in shape)
        fill = metadata["fill_value"]
        whole = numpy.full(shape, complex(*fill) if dtype.kind == "c" else fill, dtype)
        whole[part] = data[part]
        library = LIBRARIES[write_one(rng, directory / f"a{i}", metadata, data, part)]
        numpy.save(directory / f"a{i}.npy", whole)
        note("writes", library, metadata)
    print(f"zarr {zarr.__version__} and tensorstore wrote {number} arrays")


def group(path):
    """A group of arrays over time and x, with consolidated metadata."""
    import xarray
    for consolidated in (True, False):
        run = xarray.open_zarr(path, consolidated=consolidated)
        assert run.attrs == {"title": "a run"}, run.attrs
        assert run["u"].dims == ("time", "x") and run["u"].attrs == {"units": "K"}, run["u"]
        assert dict(run.sizes) == {"time": 3, "x": 40}, run.sizes
        assert set(run.coords) == {"time", "x"}, run.coords
        expected = 100 * numpy.arange(3)[:, None] + numpy.arange(40)[None, :]
        assert numpy.array_equal(run["u"].values, expected)
        assert run["u"].sel(time=1.0, x=7.0).item() == 107
    packed = zarr.open_group(zarr.storage.ZipStore(path.with_name("run.zarr.zip"), mode="r"),
                             mode="r")
    assert numpy.array_equal(packed["u"][...], expected)
    assert zipfile.ZipFile(path.with_name("run.zarr.zip")).testzip() is None
    store = zarr.open_consolidated(path)
    assert sorted(k for k, _ in store.members(max_depth=None)) == ["more", "more/v", "time", "u",
                                                                   "x"], list(store.members())
    ours = json.loads((path / "zarr.json").read_text())["consolidated_metadata"]
    zarr.consolidate_metadata(path)
    theirs = json.loads((path / "zarr.json").read_text())["consolidated_metadata"]
    assert ours["metadata"].keys() == theirs["metadata"].keys() and ours["kind"] == theirs["kind"]
    print(f"xarray {xarray.__version__} and zarr {zarr.__version__} opened the group")


if __name__ == "__main__":
    place = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "check":
        check(place)
    elif sys.argv[1] == "group":
        group(place)
    elif sys.argv[1] == "table":
        table(place)
    else:
        write(place, int(sys.argv[3]), int(sys.argv[4]))
    keep_notes()
