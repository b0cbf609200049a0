"""argosy run: gives a program's MPI I/O to argosy, without compiling it again."""
# SPDX-License-Identifier: BSD-3-Clause
import os
import shutil
import subprocess
import sys
import tempfile

from argosy import AROUND, DROP_IN

USAGE = """usage: argosy run [OPTION]... COMMAND...

Runs COMMAND, for example mpiexec -n 64 ./program, with argosy's drop-in for MPI's I/O.

  --report           each file prints a report when it is closed (ARGOSY_REPORT), and each rank says
                     at its end which files it opened for writing without MPI-IO
  --trace[=WHAT]     writes a trace: calls, or what ARGOSY_TRACE allows (default: calls)
  --hint NAME=VALUE  a hint that wins over the program's; may be repeated
  --off              the MPI library's own I/O, to compare (ARGOSY_MPIIO=off)
  --which            prints what would be run and which MPI library the program has, and runs nothing
  --help             prints this
"""


class Mistake(Exception):
    """A command line that cannot be carried out."""


def parse(words):
    """Returns the options, and the command behind them."""
    options = {"report": False, "trace": None, "hints": [], "off": False, "which": False}
    rest = list(words)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        name, has_value, value = word.partition("=")
        if word in ("--report", "--off", "--which"):
            options[word[2:]] = True
        elif name == "--trace":
            options["trace"] = value if has_value else "calls"
        elif name == "--hint":
            if not has_value:
                if not rest:
                    raise Mistake("--hint needs NAME=VALUE")
                value = rest.pop(0)
            if not all(value.partition("=")):
                raise Mistake(f"--hint {value}: give NAME=VALUE")
            options["hints"].append(value)
        elif word == "--":
            break
        else:
            raise Mistake(f"{word} is not an option of argosy run")
    if not rest:
        raise Mistake("there is no command to run")
    return options, rest


def environment_of(options, hints_file):
    """Returns the variables that the ranks need."""
    before = os.environ.get("LD_PRELOAD", "").split()
    # Tools that the user preloads stand before the drop-in: docs/use/mpiio.md says why.
    preloaded = [*before, str(DROP_IN)]
    if options["report"]:
        preloaded.append(str(AROUND))
    variables = {"LD_PRELOAD": ":".join(preloaded)}
    if options["report"]:
        variables["ARGOSY_REPORT"] = "1"
    if options["trace"]:
        variables["ARGOSY_TRACE"] = options["trace"]
    if options["off"]:
        variables["ARGOSY_MPIIO"] = "off"
    if hints_file:
        variables["ARGOSY_HINTS_OVERRIDE"] = hints_file
    return variables


LAUNCHERS = ("mpiexec", "mpirun", "orterun", "prterun")


def kind_of_launcher(command):
    """Returns "openmpi" or "hydra" by the launcher's own words, "srun", or None: not a launcher that
    has options for variables of ranks."""
    name = os.path.basename(command[0])
    if name == "srun":
        return "srun"
    if not name.startswith(LAUNCHERS):
        return None
    try:
        said = subprocess.run([command[0], "--version"], capture_output=True, text=True, timeout=30,
                              check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = said.stdout + said.stderr
    if any(word in text for word in ("Open MPI", "OpenRTE", "PRRTE", "prterun")):
        return "openmpi"
    if any(word in text for word in ("HYDRA", "Intel(R) MPI")):
        return "hydra"
    return None


def with_variables(command, variables):
    """Returns the command with the variables for its ranks, and those that the command itself gets.

    A launcher of a known kind passes them by its options, also to other hosts. Any other command
    gets them itself: the drop-in leaves processes without MPI alone."""
    kind = kind_of_launcher(command)
    options = []
    if kind == "openmpi":
        for name, value in variables.items():
            options += ["-x", f"{name}={value}"]
    elif kind == "hydra":
        for name, value in variables.items():
            options += ["-genv", name, value]
    else:
        # srun passes its own environment to the ranks.
        return list(command), dict(variables)
    return [command[0], *options, *command[1:]], {}


def is_program(path):
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def mpi_of(command):
    """Returns words for the MPI library that the program of the command is linked to."""
    words = command[1:] if os.path.basename(command[0]).startswith((*LAUNCHERS, "srun")) else command
    for word in words:
        path = shutil.which(word)
        if not path or not is_program(path):
            continue
        said = subprocess.run(["ldd", path], capture_output=True, text=True, check=False)
        for line in said.stdout.splitlines():
            name = line.split()[0] if line.split() else ""
            part = part_of(name)
            if part:
                there = (DROP_IN.parent / "argosy-mpiio" / part).exists()
                how = f"served by argosy-mpiio/{part}" if there else f"argosy-mpiio/{part} is missing"
                return f"{path} is linked to {line.strip()}: {how}"
        return f"{path} is linked to no MPI library; one that it loads while it runs is served, too"
    return "the program is not found on this host"


def part_of(name):
    """Returns the drop-in's part for a library of this name, or None."""
    if name.startswith("libmpi_abi.so.1"):
        return "standard.so"
    if name.startswith("libmpi.so.40"):
        return "openmpi.so"
    if name.startswith("libmpi") and ".so.12" in name:
        return "mpich.so"
    return None


def main(words):
    """Runs the command, and returns its status."""
    if words[:1] in (["--help"], ["-h"]):
        print(USAGE, end="")
        return 0
    try:
        options, command = parse(words)
    except Mistake as mistake:
        print(f"argosy run: {mistake}", file=sys.stderr)
        print(USAGE, end="", file=sys.stderr)
        return 2
    hints_file = None
    try:
        if options["hints"] and not options["which"]:
            # In this folder, which the other hosts of a job have, too.
            handle, hints_file = tempfile.mkstemp(".hints", "argosy-run-", os.getcwd(), text=True)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                for hint in options["hints"]:
                    name, _, value = hint.partition("=")
                    file.write(f"{name} {value}\n")
        named = hints_file or ("FILE" if options["hints"] else None)
        command, own = with_variables(command, environment_of(options, named))
        if options["which"]:
            print(" ".join([*(f"{name}={value}" for name, value in own.items()), *command]))
            print(mpi_of(command))
            return 0
        status = subprocess.run(command, env={**os.environ, **own}, check=False).returncode
        return status if status >= 0 else 128 - status
    except FileNotFoundError:
        print(f"argosy run: there is no command {command[0]}", file=sys.stderr)
        return 127
    finally:
        if hints_file:
            os.unlink(hints_file)
