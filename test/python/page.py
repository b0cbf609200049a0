"""Runs the code of docs/use/python.md, and of the notebooks: mpiexec -n N python3 test/python/page.py

Each block of Python is run, and a block of text after it is what rank 0 prints. Notebooks run on one
rank only, and their cells print what the notebook has.
"""
# SPDX-License-Identifier: BSD-3-Clause
import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

from mpi4py import MPI

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORLD = MPI.COMM_WORLD


def blocks_of_page(path):
    """Yields code and what it prints, or None if the page does not say that."""
    blocks = re.findall(r"^```(python|text)\n(.*?)^```$", path.read_text(encoding="utf-8"), re.M | re.S)
    for (kind, text), (after, printed) in zip(blocks, [*blocks[1:], ("", "")]):
        if kind == "python":
            yield text, printed if after == "text" else None


def blocks_of_notebook(path):
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            yield "".join(cell["source"]), "".join(t for o in cell["outputs"] for t in o["text"])


def run(path, blocks):
    """Runs all blocks of a page in one folder, and returns how many outputs were compared."""
    folder = WORLD.bcast(tempfile.mkdtemp(prefix="argosy-page-") if WORLD.rank == 0 else None)
    os.chdir(folder)
    names, checked = {}, 0
    for code, expected in blocks:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, str(path), "exec"), names)
        WORLD.Barrier()
        if WORLD.rank == 0 and expected is not None:
            checked += 1
            if out.getvalue() != expected:
                print(f"{path.name} says\n{expected}and its code prints\n{out.getvalue()}", flush=True)
                WORLD.Abort(1)
    WORLD.Barrier()
    if WORLD.rank == 0:
        os.chdir("/")
        shutil.rmtree(folder)
        print(f"{checked} outputs of {path.name} are as it says, on {WORLD.size} ranks")
    return checked


def main():
    page = ROOT / "docs/use/python.md"
    checked = run(page, blocks_of_page(page))
    if WORLD.size == 1:
        for path in sorted((ROOT / "examples/python").glob("*.ipynb")):
            checked += run(path, blocks_of_notebook(path))
    if WORLD.rank == 0 and checked < (17 if WORLD.size == 1 else 7):
        sys.exit("blocks are missing")


if __name__ == "__main__":
    main()
