"""Finds the source of a check: the smallest program that shows it.

SPDX-License-Identifier: BSD-3-Clause
"""
import functools
import pathlib
import re

here = pathlib.Path(__file__).resolve().parent
# A body ends on its first line, or with a brace at the beginning of a line.
BODY = r"\{(?:[^\n]*\}\n|\n.*?^\}\n)"
FUNCTION = re.compile(r"^(?://[^\n]*\n)*static [^;{]*?(\w+)\([^;{]*" + BODY, re.M | re.S)
VARIABLE = re.compile(r"^static [^;{(]*?(\w+)(?:\[\])?(?: = [^;]*)?;\n", re.M)
CHECK = r"^CHECK\(%s,[^{]*" + BODY


@functools.cache
def texts():
    return [path.read_text() for path in sorted(here.glob("*.c"))]


def used_by(body, parts):
    """The parts of a file that this text names, and those that these name, in their order."""
    wanted, more = set(), [body]
    while more:
        words = set(re.findall(r"\w+", more.pop()))
        for name, text in parts.items():
            if name in words and name not in wanted:
                wanted.add(name)
                more.append(text)
    return "".join(parts[name] for name in parts if name in wanted)


@functools.cache
def body_of(number):
    """The check alone, with the functions of its file that it uses; None if there is none."""
    for text in texts():
        found = re.search(CHECK % re.sub("[.-]", "_", number), text, re.M | re.S)
        if found:
            parts = {m[1]: m[0] for m in sorted([*VARIABLE.finditer(text), *FUNCTION.finditer(text)],
                                                key=lambda m: m.start())}
            return used_by(found[0], parts) + found[0]
    return None


def program_of(number):
    """A file that is compiled with main.c, support.c and access.c; None if there is no check."""
    body = body_of(number)
    if body is None:
        return None
    name = re.sub("[.-]", "_", number)
    includes = "".join(f"#include <{h}>\n" for h in (
        "fcntl.h", "signal.h", "stdio.h", "stdlib.h", "string.h", "sys/stat.h", "unistd.h"))
    return (f"// mpicc -I {here} THIS.c {here}/main.c {here}/support.c {here}/access.c"
            f" -lpthread -ldl\n// mpiexec -n RANKS ./a.out results.txt 15 {name}\n"
            f"{includes}#include \"access.h\"\n\n{body}")
