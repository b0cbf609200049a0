"""argosy's drop-in for MPI's I/O, and the command that runs programs on it."""
# SPDX-License-Identifier: BSD-3-Clause
from pathlib import Path

#: The library to preload. Its parts for families of MPI libraries lie in a folder beside it.
DROP_IN = Path(__file__).resolve().parent / "lib" / "libargosy-mpiio.so"
