#!/usr/bin/env python3
"""Checks an MPI library's I/O sentence by sentence: one line a check, and a page.

  python3 run.py                                   the mpicc and mpiexec of PATH
  python3 run.py --mpicc mpicc.mpich --mpiexec mpiexec.mpich
  python3 run.py --preload libargosy-mpiio.so      another library's I/O, before MPI's
  python3 run.py --only 14.2.1 --only F.args       the checks whose numbers begin so
  python3 run.py --source 14.2.1-03                prints a program of this check alone

Checks run one after the other in a few jobs. One that is not green there is run again: red ones
together, others in a job of their own, and that outcome counts. A hang by a fault counts at once.
  green    as the standard says
  red      not so; the line says what
  hang     a rank did not come back
  crash    a signal, or the end of the job
  absent   the MPI library has no such function
Fails if a check is neither green nor absent, apart from those that --known explains: a file of
lines "LIBRARY NUMBER REASON", of which those for the library of --known-for count.
SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from sources import program_of

here = pathlib.Path(__file__).resolve().parent
SHIM = here.parent / "support" / "fault_shim.cpp"


def compile_checks(mpicc, folder):
    """Builds the program of all checks. Returns its path."""
    program = folder / "conformance"
    sources = sorted(str(p) for p in here.glob("*.c"))
    subprocess.run([*shlex.split(mpicc), "-std=gnu11", "-O1", "-g", "-w", "-o", str(program),
                    *sources, "-lpthread", "-ldl"], check=True)
    return program


def compile_shim(folder):
    """Builds the library that breaks system calls, or returns None without a C++ compiler."""
    shim = folder / "fault_shim.so"
    if not SHIM.exists() or not shutil.which("c++"):
        return None
    subprocess.run(["c++", "-std=c++20", "-O1", "-shared", "-fPIC", str(SHIM), "-o", str(shim),
                    "-ldl", "-lpthread"], check=True)
    return shim


def read_list(program, env):
    """The checks of the program: number in C -> its row."""
    out = subprocess.run([str(program), "--list"], check=True, capture_output=True, text=True,
                         env={**os.environ, **env}).stdout
    rows = [line.split("\t", 4) for line in out.splitlines()]
    return {r[0]: {"number": r[1], "ranks": int(r[2]), "file": r[3], "text": r[4]} for r in rows}


class Runner:
    """Starts jobs of checks, and reads what they wrote."""

    def __init__(self, args, program, shim):
        self.args, self.program, self.shim = args, program, shim
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="conformance.", dir=args.scratch))
        self.results = self.scratch / "results.txt"

    def command(self, ranks, numbers, seconds):
        preload = list(self.args.preload)
        if self.shim and numbers[0].startswith("F_"):
            preload.insert(0, str(self.shim))
        env = [f"TMPDIR={self.scratch}", *self.args.env]
        if preload:
            env.append("LD_PRELOAD=" + " ".join(preload))
        return [*shlex.split(self.args.mpiexec), "-n", str(ranks), "env", *env, str(self.program),
                str(self.results), str(seconds), *numbers]

    def job(self, ranks, numbers):
        """Runs one job to its end. Returns outcomes: number -> (outcome, text)."""
        seconds = self.args.seconds if len(numbers) == 1 else (self.args.seconds + 1) // 2
        self.results.write_text("")
        with open(self.scratch / "output.txt", "wb") as output:
            process = subprocess.Popen(self.command(ranks, numbers, seconds), stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=subprocess.STDOUT,
                                       cwd=self.scratch, start_new_session=True)
            ended = self.wait(process)
        return self.outcomes(ended)

    def wait(self, process):
        """Waits while lines come. Counts turns, so that time in which all stood still is not."""
        size, turns, wait = -1, 0, 0.02
        while process.poll() is None:
            time.sleep(wait)
            wait = min(wait * 1.5, 0.5)
            now = self.results.stat().st_size
            turns = turns + 1 if now == size else 0
            size = now
            if turns > 2 * (2 * self.args.seconds + 20):
                for number in (signal.SIGTERM, signal.SIGKILL):
                    os.killpg(process.pid, number)
                    try:
                        process.wait(5)
                        break
                    except subprocess.TimeoutExpired:
                        pass
                return "no end of the job"
        return process.returncode

    def outcomes(self, ended):
        done, begun = {}, None
        for line in self.results.read_text(errors="replace").splitlines():
            what, number, text = (line.split(" ", 2) + ["", ""])[:3]
            if what == "begin":
                begun = number
            elif what == "end":
                outcome, _, text = text.partition(" ")
                done[number] = (outcome, text)
                begun = None
            elif number not in done or what == "crash":
                done[number] = (what, text)
        if begun and begun not in done:
            done[begun] = ("hang", ended) if isinstance(ended, str) else \
                ("crash", f"the job ended with {ended}{self.last_words()}")
        return done

    def last_words(self):
        text = (self.scratch / "output.txt").read_text(errors="replace")
        lines = [line.strip() for line in text.splitlines() if re.search(r"[A-Za-z]{4}", line)]
        said = [line for line in lines if re.search(r"rror|bort|ssert|MPI_ERR", line)]
        return (": " + (said or lines)[0][:200]) if lines else ""

    def alone(self, number, check):
        if not number.startswith("F_crash"):
            return self.job(check["ranks"], [number]).get(
                number, ("crash", "the job did not begin" + self.last_words()))
        # A rank ends itself. The job has to end, and then the file is looked at.
        outcome, text = self.job(check["ranks"], [number]).get(number, ("crash", "no beginning"))
        if outcome != "crash":
            return outcome, text
        return self.job(1, [number + "_after"]).get(number + "_after",
                                                    ("crash", "the job did not begin"))

    def many(self, ranks, numbers):
        """Yields (number, outcome, text) of checks in as few jobs as crashes and hangs allow."""
        todo = list(numbers)
        while todo:
            done = self.job(ranks, todo)
            if not done:
                sys.exit("No check began. The launcher said" + (self.last_words() or " nothing"))
            yield from ((number, *what) for number, what in done.items())
            todo = [n for n in todo if n not in done]

    def group(self, ranks, numbers, checks):
        """Yields (number, outcome, text) of checks that have the same number of ranks. A red one
        counts if it is red again among red ones, a hang or crash if it is one alone. A hang by a
        fault counts at once, because there are many."""
        red, alone = [], []
        for number, outcome, text in self.many(ranks, numbers):
            if outcome in ("green", "absent") or (outcome == "hang" and number.startswith("F_")):
                yield number, outcome, text
            else:
                (red if outcome == "red" else alone).append(number)
        for number, outcome, text in self.many(ranks, red):
            if outcome == "red":
                yield number, outcome, text
            else:
                alone.append(number)
        for number in alone:
            yield number, *self.alone(number, checks[number])

    def all(self, checks):
        groups = {}
        for number, check in checks.items():
            if number.endswith("_after"):
                continue
            kind = "crash" if number.startswith("F_crash") else number.startswith("F_")
            groups.setdefault((str(kind), check["ranks"]), []).append(number)
        for (kind, ranks), numbers in sorted(groups.items()):
            if kind == "crash":
                for number in numbers:
                    yield number, *self.alone(number, checks[number])
            else:
                yield from self.group(ranks, numbers, checks)
        shutil.rmtree(self.scratch, ignore_errors=True)


def known_reasons(path, library):
    reasons = {}
    for line in pathlib.Path(path).read_text().splitlines() if path else []:
        words = line.split(None, 2)
        if len(words) == 3 and not line.startswith("#") and words[0] in ("*", library):
            reasons[words[1]] = words[2]
    return reasons


def write_json(args, outcomes):
    """Keeps the outcomes of an earlier run for checks that --only leaves out."""
    path = pathlib.Path(args.json)
    if args.only and path.exists():
        outcomes = {**json.loads(path.read_text())["checks"], **outcomes}
    path.write_text(json.dumps({"title": args.title, "date": datetime.date.today().isoformat(),
                                "checks": dict(sorted(outcomes.items()))}, indent=1))


def arguments():
    a = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    a.add_argument("--mpicc", default="mpicc")
    a.add_argument("--mpiexec", default="mpiexec", help="with options, before -n RANKS")
    a.add_argument("--program", help="the checks, already compiled")
    a.add_argument("--shim", help="the library of faults, already compiled")
    a.add_argument("--preload", action="append", default=[])
    a.add_argument("--env", action="append", default=[], help="NAME=VALUE, for the ranks")
    a.add_argument("--only", action="append", default=[])
    a.add_argument("--every", type=int, default=1, help="each second, third ... check")
    a.add_argument("--seconds", type=int, default=15, help="the most of one check")
    a.add_argument("--scratch", default=None, help="where files are made (TMPDIR)")
    a.add_argument("--title", default="this MPI library")
    a.add_argument("--json", help="writes outcomes there, for page.py")
    a.add_argument("--known", help="checks that may fail, and why")
    a.add_argument("--known-for", default="")
    a.add_argument("--source", help="prints the program of this check")
    return a.parse_args()


def main():
    args = arguments()
    if args.source:
        print(program_of(args.source) or sys.exit(f"There is no check {args.source}"), end="")
        return 0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="conformance.build."))
    program = pathlib.Path(args.program).resolve() if args.program else \
        compile_checks(args.mpicc, folder)
    shim = args.shim or compile_shim(folder)
    # The list needs the MPI library, but not its launcher.
    listed = read_list(program, dict(e.split("=", 1) for e in args.env))
    wanted = {n: c for n, c in listed.items()
              if not args.only or any(c["number"].startswith(o) for o in args.only)}
    wanted = dict(list(wanted.items())[::args.every])
    known = known_reasons(args.known, args.known_for)
    counts, bad, outcomes = {}, 0, {}
    for number, outcome, text in Runner(args, program, shim).all(wanted):
        check = wanted[number]
        reason = known.get(check["number"], "") if outcome not in ("green", "absent") else ""
        counts[outcome] = counts.get(outcome, 0) + 1
        bad += outcome not in ("green", "absent") and not reason
        outcomes[check["number"]] = {**check, "outcome": outcome, "why": text, "known": reason}
        print(f"{check['number']:<13} {outcome:<6} {check['text']}"
              + (f"\n{'':21}{text}" if text else "")
              + (f"\n{'':21}known: {reason}" if reason else ""), flush=True)
    print(", ".join(f"{n} {what}" for what, n in sorted(counts.items())), f"- {args.title}")
    if args.json:
        write_json(args, outcomes)
    shutil.rmtree(folder, ignore_errors=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
