"""argosy doctor: says which MPI library a command line uses, and whether the drop-in reaches it."""
# SPDX-License-Identifier: BSD-3-Clause
import os
import shutil
import subprocess
import sys

from argosy import DROP_IN, run

USAGE = """usage: argosy doctor COMMAND...

Looks at COMMAND, for example mpiexec -n 2 ./program, as argosy run would run it. Instead of the
program it runs a probe on each rank, which looks whether the drop-in is there. The program itself
does not run. For a program of Python the probe imports mpi4py, and opens a file with it.
"""

# What a rank looks at. It prints one line, and is given the folder of the drop-in's parts.
PROBE = """
import os, socket, sys, tempfile
parts, with_mpi4py = sys.argv[1], sys.argv[2] == "yes"
words = "rank on " + socket.gethostname()
if with_mpi4py:
    try:
        from mpi4py import MPI
    except ImportError as e:
        print("argosy-probe BROKEN " + words + ": mpi4py cannot be imported: " + str(e).replace(chr(10), " "))
        sys.exit()
    words += ", " + MPI.Get_library_version().splitlines()[0].split(",")[0].strip()
    path = os.path.join(tempfile.gettempdir(), "argosy-doctor-%d" % os.getpid())
    f = MPI.File.Open(MPI.COMM_SELF, path, MPI.MODE_CREATE | MPI.MODE_WRONLY | MPI.MODE_DELETE_ON_CLOSE)
maps = open("/proc/self/maps").read()
if "/libargosy-mpiio.so" not in maps:
    print("argosy-probe BROKEN " + words + ": the drop-in is not preloaded; the launcher does not pass LD_PRELOAD on")
elif not with_mpi4py:
    print("argosy-probe ok " + words + ": the drop-in is preloaded")
elif parts in maps:
    part = maps[maps.index(parts) + len(parts):].split(chr(10))[0].strip("/")
    print("argosy-probe ok " + words + ": MPI's I/O is served by argosy-mpiio/" + part)
else:
    print("argosy-probe BROKEN " + words + ": no part of the drop-in serves this MPI library")
if with_mpi4py:
    f.Close()
"""


def program_of(command):
    """Returns the index of the program in a command line: the word itself, or the one that its launcher runs."""
    if run.kind_of_launcher(command) is None:
        return 0
    for i, word in enumerate(command[1:], 1):
        path = shutil.which(word)
        if path and not word.startswith("-") and os.path.isfile(path):
            return i
    return None


def looks_at_python(program):
    return os.path.basename(program).startswith("python")


def probed(command, at):
    """Returns what the ranks' probes print."""
    own = command[at] if looks_at_python(command[at]) else sys.executable
    probe = [own, "-c", PROBE, str(DROP_IN.parent / "argosy-mpiio"), "yes" if own == command[at] else "no"]
    given = {"report": False, "trace": None, "hints": [], "off": False, "which": False}
    words, variables = run.with_variables([*command[:at], *probe], run.environment_of(given, None))
    return subprocess.run(words, env={**os.environ, **variables}, capture_output=True, text=True, timeout=120, check=False)


def findings(command):
    """Yields (verdict, words): "ok", or "BROKEN" if something must be mended."""
    yield ("ok" if DROP_IN.exists() else "BROKEN",
           f"the drop-in is {DROP_IN}" if DROP_IN.exists() else f"there is no drop-in: {DROP_IN} is missing; install the wheel")
    kind = run.kind_of_launcher(command)
    names = {"openmpi": "a launcher of Open MPI, which gets variables by -x",
             "hydra": "a launcher of MPICH's kind, which gets variables by -genv",
             "srun": "Slurm's launcher, which passes its environment on",
             None: "run by itself, with the variables in its environment"}
    where = shutil.which(command[0])
    if not where:
        yield "BROKEN", f"there is no command {command[0]}"
        return
    yield "ok", f"{where} is {names[kind]}"
    at = program_of(command)
    if at is None:
        yield "BROKEN", "no word after the launcher is a program on this host"
        return
    if looks_at_python(command[at]):
        yield "ok", f"{shutil.which(command[at])} is Python, which loads MPI by mpi4py"
    else:
        served = run.mpi_of(command)
        yield "BROKEN" if "missing" in served or "not found" in served else "ok", served
    if not DROP_IN.exists():
        return
    try:
        done = probed(command, at)
    except (OSError, subprocess.TimeoutExpired) as e:
        yield "BROKEN", f"the launcher could not run the probe: {e}"
        return
    lines = sorted({line.split("argosy-probe ", 1)[1] for line in done.stdout.splitlines() if "argosy-probe " in line})
    for line in lines:
        verdict, _, words = line.partition(" ")
        yield verdict, words
    if done.returncode != 0 or not lines:
        said = [line for line in done.stderr.splitlines() if line.strip(" -")]
        yield "BROKEN", f"the launcher ended with {done.returncode}: {said[0] if said else 'it printed nothing'}"


def main(words):
    """Prints what was found. Returns 1 if something is broken, and 2 for a mistake in the command line."""
    if words[:1] in (["--help"], ["-h"]):
        print(USAGE, end="")
        return 0
    command = words[1:] if words[:1] == ["--"] else words
    if not command or command[0].startswith("-"):
        print(f"argosy doctor: {'there is no command' if not command else command[0] + ' is not an option'}", file=sys.stderr)
        print(USAGE, end="", file=sys.stderr)
        return 2
    broken = False
    for verdict, words in findings(command):
        broken = broken or verdict == "BROKEN"
        print(f"{verdict:7} {words}")
    return 1 if broken else 0
