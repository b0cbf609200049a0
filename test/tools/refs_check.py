"""refs_check.py FILE: opens the references of the test tool_refs by zarr and xarray. All arrays
have the numbers from 0 on, in C order.
SPDX-License-Identifier: BSD-3-Clause
"""
import sys

import fsspec
import numpy
import xarray
import zarr

wanted = numpy.arange(63.0).reshape(7, 9)
files = fsspec.filesystem("reference", fo=sys.argv[1], asynchronous=True)
store = zarr.storage.FsspecStore(files, read_only=True)
group = zarr.open_group(store, mode="r", zarr_format=2)
for name in ["big", "fortran", "plain", "inside", "fields/one", "fields/packed",
             "fields/chunks"]:
    assert numpy.array_equal(group[name][...], wanted), name
    assert numpy.array_equal(group[name][2:5, 3], wanted[2:5, 3]), name
assert xarray.open_dataset(store, engine="zarr")["big"].shape == (7, 9)
data = xarray.open_dataset(store, engine="zarr", group="fields", zarr_format=2)
assert data["packed"].dims == ("y", "x")
assert numpy.array_equal(data["packed"], wanted), data["packed"]
assert data["one"].attrs == {"units": "K"}, data["one"].attrs
