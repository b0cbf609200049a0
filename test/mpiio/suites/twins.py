# Runs calls for twins.sh on one library's functions, and compares the results. After a call that
# ends the program or does not return, the run goes on with the next call.
#   twins.py run DIRECTORY CALLS RANKS PROGRAM ARGUMENT...    leaves lines.RANK in the directory
#   twins.py compare REPORT DIRECTORY...                      the last directory is the drop-in's;
#                                                             prints "COLUMN SAME ALL"
# SPDX-License-Identifier: BSD-3-Clause
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

PATIENCE = 6  # seconds without a line

# --- Running -------------------------------------------------------------------------------------


def lines_of(directory, ranks):
    """Returns the results of the calls, {seed: [line of each rank]}, with None for a missing line,
    and the last seed."""
    found, last = {}, 0
    for rank in range(ranks):
        path = directory / f"lines.{rank}"
        for line in path.read_text().splitlines() if path.exists() else []:
            seed, word, *rest = line.split(" ", 2)
            last = max(last, int(seed))
            of_seed = found.setdefault(int(seed), [None] * ranks)
            if word == "does" and rest:
                of_seed[rank] = rest[0]
    return found, last


def run_from(directory, first, calls, command):
    """Runs until all calls are done, the program ends, or no rank has written a line for some
    seconds."""
    p = subprocess.Popen([*command, f"{first}:{calls}"], cwd=directory, stdin=subprocess.DEVNULL, start_new_session=True)
    size, since = -1, time.time()
    while p.poll() is None:
        now = sum(f.stat().st_size for f in directory.glob("lines.*"))
        if now != size:
            size, since = now, time.time()
        if time.time() - since > PATIENCE + (10 if now <= 0 else 0):
            break
        time.sleep(0.02)
    end(p.pid, p)
    for pid in ranks_of(command[-1]):  # these have left the process group
        end(pid)
    return p.returncode


def end(pid, starter=None):
    for how in (signal.SIGTERM, signal.SIGKILL) if starter else (signal.SIGKILL,):
        try:
            os.killpg(pid, how) if starter else os.kill(pid, how)
        except OSError:
            pass
        try:
            starter and starter.wait(3)
        except subprocess.TimeoutExpired:
            pass


def ranks_of(program):
    """Yields the processes that run the program."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/exe") == program:
                yield int(pid)
        except OSError:
            pass


def run(directory, calls, ranks, command):
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    first, early = 1, 0
    while first <= calls and early < 5:
        code = run_from(directory, first, calls, command)
        _, last = lines_of(directory, ranks)
        print(f"calls {first} to {max(last, first)}: exit code {code}", flush=True)
        if code == 0 and last == calls:
            break
        early = early + 1 if last < first else 0  # the program cannot be started
        first = max(last, first) + 1


# --- Comparing ----------------------------------------------------------------------------------

# The accepted reasons for a result that differs from another library's: a pattern for the lines of
# all ranks, ours, " | ", and theirs; the results that may differ then; the reason; and further
# conditions on the results of all ranks.
ALL = "call end bytes memory pointer shared size close file offset right"
REASONS = [
    (r" right=yes.* \| .* right=no", "file right", "what is written is in the file, and nothing else"),
    (r"_all|ordered", "call end bytes memory pointer shared size file right",
     "what is wrong on one rank of a collective call is told to all, at its end if it has one, and nothing is moved", lambda ours, theirs: all(failed(r) for r in ours)),
    (r",no_(etype|filetype).* view=TYPE.* \| .* view=ARG", "view", "what is no datatype has a class of its own"),
    (r"^excl open=FILE_EXISTS.* \| .*open=OTHER", "open", "all ranks are told why a file cannot be opened"),
    (r"differs", "call pointer shared size file", "what must be the same on all ranks is compared", lambda ours, theirs: all(failed(r) for r in ours)),
    (r"negative", "call pointer shared offset", "what is negative has a class of its own, on all ranks that give it", lambda ours, theirs: all(r["call"] == "ARG" for r in ours)),
    (r"below.* view=ARG", "view " + ALL, "no view has a negative displacement"),
    (r"^[^ ]*sequential.* view=ARG.* \| .* view=fine", "view " + ALL, "a sequential file has no displacement but MPI_DISPLACEMENT_CURRENT"),
    (r"^[^ ]*sequential.* view=ARG.* \| .* view=TYPE", "view", "a sequential file has no displacement but MPI_DISPLACEMENT_CURRENT"),
    (r"^[^ ]*sequential", "pointer offset", "a sequential file has no individual pointer"),
    (r"^[^ ]*sequential.*get_byte_offset.* call=fine.* \| .* call=UNSUPPORTED", "call offset", "where an etype of the view lies can be asked for of a sequential file, too"),
    (r"^[^ ]*read", "bytes memory", "no more is read than there is",
     lambda ours, theirs: all(int(a.get("bytes", 0)) <= int(b.get("bytes", 0)) for a, b in zip(ours, theirs))),
    (r"^[^ ]*read.* bytes=", "pointer", "a read moves the pointer by what it asked for, also behind the end"),
    (r"(write|read)_shared.* (call|end)=(?!fine)", "shared", "a call that fails leaves the shared pointer"),
    (r"shared=.* \| (?!.*shared=)", "shared", "the shared pointer can be asked for"),
    (r"^[^ ]*rdonly.* call=READ_ONLY.*\| .* call=IO", "call", "a file for reading only has a class of its own"),
    (r"wronly.*read.* (call|end)=ACCESS.*\| .* (call|end)=fine", ALL, "a file for writing only cannot be read"),
]


def values(line):
    what, *results = line.split(" ")
    return dict(r.split("=", 1) for r in results)


def failed(results):
    return results.get("end", results.get("call", "fine")) != "fine"


def differing(ours, theirs):
    """Returns the names of the results in which two lines differ."""
    a, b = values(ours), values(theirs)
    return {k for k in a.keys() | b.keys() if a.get(k) != b.get(k)}


def reasons_for(ours, theirs):
    """Returns the reasons for the differences of all ranks' lines, or None if one has no reason."""
    left, why = set().union(*map(differing, ours, theirs)), []
    for pattern, keys, reason, *also in REASONS:
        holds = left & set(keys.split()) and re.search(pattern, f"{' & '.join(ours)} | {' & '.join(theirs)}")
        if holds and all(f(list(map(values, ours)), list(map(values, theirs))) for f in also):
            left -= set(keys.split())
            why.append(reason)
    return None if left else why


def compare(report, directories):
    ranks = len(list(directories[-1].glob("lines.*")))
    all_of_them = [lines_of(d, ranks)[0] for d in directories]
    mine, others = all_of_them[-1], all_of_them[:-1]
    same, total, explained, told = [0] * len(others), 0, 0, []
    for seed in sorted(mine):
        theirs = [o.get(seed, [None] * ranks) for o in others]
        # A call is made by all ranks, so the lines of all ranks are compared together.
        total += 1
        alike = [None not in t and None not in mine[seed] and all(not differing(a, b) for a, b in zip(mine[seed], t)) for t in theirs]
        same = [n + a for n, a in zip(same, alike)]
        if any(alike) and not any(" right=no" in line for line in mine[seed]):
            explained += 1
            continue
        if None in mine[seed]:
            why = None
        elif all(None in t for t in theirs):
            why = "ends the program or does not return on the MPI library's own"
        else:
            found = [reasons_for(mine[seed], t) for t in theirs if None not in t]
            why = next(("; ".join(f) for f in found if f), None)
        if any(" right=no" in line for line in mine[seed] if line):
            why = None
        explained += why is not None
        told.append(f"{seed}: {why or 'NO REASON'}")
        for rank in range(ranks):
            told.append(f"  {rank} drop-in: {mine[seed][rank]}")
            for d, t in zip(directories, theirs):
                told.append(f"  {rank} {d.suffix[1:]:7}: {t[rank]}")
    report.with_suffix(report.suffix + ".differences").write_text("\n".join(told) + "\n")
    for d, n in zip(directories, same):
        print(d.suffix[1:], n, total)
    print("argosy", explained, total)


if __name__ == "__main__":
    if sys.argv[1] == "run":
        run(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:])
    else:
        compare(Path(sys.argv[2]), [Path(d) for d in sys.argv[3:]])
