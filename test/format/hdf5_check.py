"""hdf5_check.py check DIR | write DIR NUMBER SEED | netcdf FILE: round trips with h5py.

check: reads all files that the test has written to DIR. An element has the value of its number.
       h5dump and pyfive read them, too, if they are there; pyfive reads neither chunks nor structs.
write: writes NUMBER random files to DIR, each with a copy of its dataset in .npy.
netcdf: reads a file with a time axis by netCDF4 and xarray.
SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import os
import pathlib
import random
import shutil
import subprocess
import sys

import h5py
import hdf5plugin
import numpy
try:
    import pyfive
except ImportError:
    pyfive = None

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float32", "float64", "complex64", "complex128"]
RECORD = numpy.dtype([("x", "<f8", (3,)), ("id", "<i4")])


def values(numbers, dtype):
    """The values that elements of these numbers have."""
    if dtype.names:
        all = numpy.zeros(numbers.shape, dtype)
        all["x"] = numpy.stack([numbers, numpy.full_like(numbers, 2), numpy.full_like(numbers, 3)], -1)
        all["id"] = numbers
        return all
    if dtype == numpy.bool_:
        return numbers % 2 == 1
    if dtype.kind == "c":
        return (numbers % 100 - 1j * (numbers % 7)).astype(dtype)
    return (numbers % 100).astype(dtype)


def check_others(path, dtype, plain):
    """Returns the names of other readers that read the file before h5py changed it."""
    names = []
    if shutil.which("h5dump"):
        how = {"HDF5_PLUGIN_PATH": hdf5plugin.PLUGIN_PATH}  # zstd
        run = subprocess.run(["h5dump", path], capture_output=True, text=True, env=os.environ | how)
        assert run.returncode == 0 and 'DATASET "u"' in run.stdout, (path, run.stderr)
        names.append("h5dump")
    if pyfive and plain:
        with pyfive.File(str(path)) as f:
            u = f["g/u"]
            numbers = numpy.arange(u.size).reshape(u.shape)
            assert numpy.array_equal(u[...], values(numbers, dtype)), path
            names.append("pyfive")
    return names


def check(directory):
    count = 0
    others = collections.Counter()
    for path in sorted(directory.glob("*.h5")):
        with h5py.File(path) as f:
            u = f["g/u"]
            numbers = numpy.arange(u.size).reshape(u.shape)
            assert numpy.array_equal(u[...], values(numbers, u.dtype)), path
            assert u.attrs["units"] == b"m/s" and u.attrs["caf\u00e9"] == "caf\u00e9".encode(), path
            assert f["g"].attrs["number"] == 3 and list(f.attrs["list"]) == [1.5, 2.5], path
            assert list(f.attrs["texts"]) == [b"y", "caf\u00e9".encode()], path
            assert f["scalar"][()] == 7 and f["scalar"].shape == (), path
            for o in (f, f["g"], u):
                assert h5py.h5a.get_num_attrs(o.id) == len(o.attrs) > 0, path
            assert set(f) == {"g", "scalar", "none"} and len(f["none"]) == 0, path
            dtype, plain = u.dtype, u.chunks is None and not u.dtype.names
            if "chunk" in u.attrs:
                assert u.chunks == tuple(u.attrs["chunk"]), path
        others.update(check_others(path, dtype, plain))
        # Other programs can change the file.
        with h5py.File(path, "r+") as f:
            f["g/more"] = numpy.arange(5)
            f["g"].attrs["more"] = "text"
            for i in range(12):
                f.attrs[f"more{i}"] = i
                f.create_group(f"more{i}")
        with h5py.File(path) as f:
            assert numpy.array_equal(f["g/u"][...], values(numbers, f["g/u"].dtype)), path
            assert f["g/more"][4] == 4, path
        count += 1
    assert count > 0
    print(f"h5py {h5py.__version__} read {count} files",
          *(f"{name} {n}" for name, n in sorted(others.items())), sep=", ")


def any_options(rng, shape):
    """Chooses how h5py stores an array."""
    how = {}
    kind = rng.randrange(3)
    if kind == 0 or not shape or 0 in shape:
        return how
    how["chunks"] = tuple(rng.randrange(1, n + 1) for n in shape)
    if rng.random() < 0.3:
        how["maxshape"] = tuple(n + rng.randrange(0, 4) for n in shape)
    if kind == 2:
        how["shuffle"] = rng.random() < 0.5
        how["fletcher32"] = rng.random() < 0.3
        compression = rng.choice([None, "gzip", "zstd"])
        if compression == "gzip":
            how["compression"], how["compression_opts"] = "gzip", rng.randrange(0, 10)
        if compression == "zstd":
            how |= dict(hdf5plugin.Zstd(clevel=rng.randrange(1, 6)))
    return how


def write(directory, number, seed):
    rng = random.Random(seed)
    for i in range(number):
        dtype = RECORD if rng.random() < 0.1 else numpy.dtype(rng.choice(TYPES))
        shape = tuple(rng.randrange(0, 12) for _ in range(rng.randrange(0, 4)))
        data = values(numpy.arange(int(numpy.prod(shape, dtype=int))).reshape(shape), dtype)
        stored = dtype.newbyteorder(">") if rng.random() < 0.3 and not dtype.names else dtype
        how = any_options(rng, shape)
        latest = rng.random() < 0.4
        if not latest and "chunks" in how and rng.random() < 0.3:
            how["maxshape"] = (None,) * len(shape)  # a B-tree, as all chunks of the older format
        fill = dtype.type(1) if rng.random() < 0.3 and dtype.kind not in "bV" else None
        with h5py.File(directory / f"a{i}.h5", "w", libver="latest" if latest else "earliest") as f:
            for k in range(rng.randrange(0, 8)):
                f[f"other{k}"] = numpy.arange(k)
                f.attrs[f"text{k}"] = "any length"
            u = f.create_dataset("some/group/u", shape, stored, fillvalue=fill, **how)
            whole = numpy.full(shape, 0 if fill is None else fill, dtype)
            if dtype.names:
                whole = numpy.zeros(shape, dtype)
            part = tuple(slice(0, rng.randrange(0, n + 1)) if rng.random() < 0.3 else slice(0, n)
                         for n in shape)
            if rng.random() < 0.9:
                whole[part] = data[part]
                u[part] = data[part]
            u.attrs["units"] = "K"
            u.attrs["numbers"] = numpy.arange(3, dtype="i4")
        numpy.save(directory / f"a{i}.npy", whole)
    print(f"h5py {h5py.__version__} with HDF5 {h5py.version.hdf5_version} wrote {number} files")


def netcdf(path):
    import netCDF4
    import xarray
    with netCDF4.Dataset(path) as f:
        u = f["u"]
        assert u.dimensions == ("time", "y", "x"), u.dimensions
        assert u.units == "K" and f.title == "a run", (u.units, f.title)
        assert len(f.dimensions["time"]) == 3 and f["x"][1] == 0.5
    with xarray.open_dataset(path) as f:
        assert f["u"].dims == ("time", "y", "x") and f["u"].attrs["units"] == "K"
        assert f["u"].coords["x"].values[1] == 0.5
        assert float(f["u"].sel(x=0.5)[2, 0]) == 201, f["u"].sel(x=0.5)
    print(f"netCDF4 {netCDF4.__version__} and xarray {xarray.__version__} read the file")


if __name__ == "__main__":
    place = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "check":
        check(place)
    elif sys.argv[1] == "netcdf":
        netcdf(place)
    else:
        write(place, int(sys.argv[3]), int(sys.argv[4]))
