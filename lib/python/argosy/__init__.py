"""argosy: parallel I/O of NumPy arrays, and the drop-in for MPI's I/O.

    import argosy, numpy as np
    from mpi4py import MPI
    with argosy.open(MPI.COMM_WORLD, "u.dat", "w", shape=(1000, 400), dtype="f8") as f:
        f.all[100:200, :] = u

The drop-in and the command `argosy` work without NumPy and mpi4py, which are imported at first use.
"""
# SPDX-License-Identifier: BSD-3-Clause
import importlib
import sys
from pathlib import Path

#: The library to preload. Its parts for families of MPI libraries lie in a folder beside it.
DROP_IN = Path(__file__).resolve().parent / "lib" / "libargosy-mpiio.so"
# Tells which files a program writes without MPI-IO.
AROUND = DROP_IN.with_name("libargosy-around.so")
#: The folder of argosyConfig.cmake, for programs in C++ and C.
CMAKE_DIR = DROP_IN.parent / "cmake" / "argosy"

_HOMES = {
    "open": "file", "File": "file", "part": "parts", "Part": "parts", "Error": "errors",
    "Report": "_argosy", "Plan": "_argosy", "CollectivePlan": "_argosy",
}
_MODULES = ("npy", "checkpoint", "zarr")
__all__ = [*_HOMES, *_MODULES]


def _pythons():
    """Returns the Pythons that the compiled part is here for, as text."""
    suffixes = {p.name.split(".")[1] for p in Path(__file__).parent.glob("_argosy.*.so")}
    versions = sorted(int(s.split("-")[1][1:]) for s in suffixes if s.startswith("cpython-3"))
    names = [f"3.{minor}" for minor in versions] + ["3.12 and later"] * ("abi3" in suffixes)
    return "Python " + ", ".join(names) if names else "no Python"


def __getattr__(name):
    if name not in __all__:
        raise AttributeError(f"module 'argosy' has no attribute '{name}'")
    try:
        importlib.import_module("argosy._argosy")
    except ImportError as e:
        raise ImportError(f"argosy.{name} needs the compiled part, which this installation has for {_pythons()}, "
                          f"but not for {sys.version_info.major}.{sys.version_info.minor}{sys.abiflags}; "
                          "docs/use/python.md") from e
    if name in _MODULES:
        return importlib.import_module(f"argosy.{name}")
    return getattr(importlib.import_module(f"argosy.{_HOMES[name]}"), name)


def __dir__():
    return sorted([*globals(), *__all__])
