"""Folds what llvm-cov exports into a table of rooms, for coverage.sh:
coverage_table.py SOURCE_DIR EXPORTED_DIR NEVER_RUN.txt

Every program has its own view of the code, NAME.lcov with the lines and NAME.text with the branches of every instantiation of
a template. Here lines and branches are places in the source: they were run if any instantiation in any program ran them.
SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import re
import sys
from collections import defaultdict

# A line that no test can reach is marked "// not covered: the reason". Neither the line nor its
# branches count.
EXCLUDED = re.compile(r"// not covered: \S")

# Lines without code of their own. If a program does not call a function, clang counts all its
# lines, also these.
NO_CODE = re.compile(r"\s*(//.*|#.*|[{}()\[\];]*|(\} )?else( \{)?|(\} )?(else )?if constexpr\b.*)\s*(//.*)?")

# Functions, as "file: mangled name", that only the compiler runs, in constant expressions.
# static_assert tests them, and there is nothing to count. Used only for functions that no program
# runs.
COMPILE_TIME = re.compile(r"datatype/detail/aggregate_fields\.hpp: |datatype/element\.hpp: .*12is_described"
                          r"|datatype/flatten\.hpp: .*11has_element|datatype/detail/box\.hpp: .*11box_may_fit"
                          r"|datatype/detail/deal\.hpp: .*(16known_deal_fault|15known_processes)"
                          r"|datatype/detail/numbers\.hpp: .*(12known_number|10known_list|11common_size|15sizes_may_agree"
                          r"|23all_may_be_not_negative)"
                          r"|layout/static_layout\.hpp: .*(14static_form_of|8sizes_of|13static_layout|11static_form)"
                          r"|layout/element_layout\.hpp: .*9period_of.*4form")

# In the order of the table. Other rooms come after these.
ROOMS = ["error", "layout", "datatype", "view", "plan", "policy", "wire", "world", "agree", "handle", "exchange", "file", "format", "mpiio", "tools"]
LABORATORY = [("virtual cluster", r"(include/argosy|lib)/lab/cluster/"), ("simulated GPFS", r"(include/argosy|lib)/lab/")]


def row_of(path):
    for row, pattern in LABORATORY:
        if re.match(pattern, path):
            return row
    return path.removeprefix("include/argosy/").removeprefix("lib/").split("/")[0].split(".")[0]


class Count:
    def __init__(self):
        self.total = self.run = 0

    def add(self, run):
        self.total += 1
        self.run += run

    def merge(self, other):
        self.total += other.total
        self.run += other.run

    def __str__(self):
        percent = 100 * self.run / self.total if self.total else 100
        return f"{self.total:9,} {self.run:9,} {percent:7.1f}"


def read_lines(exported, lines):
    """Adds to {file: {line: times}}."""
    for record in exported:
        key, _, value = record.rstrip("\n").partition(":")
        if key == "SF":
            file = lines[value]
        elif key == "DA":
            line, times = (int(n) for n in value.split(",")[:2])
            file[line] = max(file[line], times)


def read_branches(exported, branches, compile_time):
    """Adds to {file: {(line, column, end line, end column): [times true, times false]}}, and to {file: lines}."""
    for function in json.load(exported)["data"][0]["functions"]:
        name, first = function["filenames"][0], function["regions"][0]
        if COMPILE_TIME.search(f"{name}: {function['name']}"):
            compile_time[name].update(range(first[0], first[2] + 1))
        for line, column, last, end, true, false, file, _, _ in function["branches"]:
            times = branches[function["filenames"][file]][line, column, last, end]
            times[0] = max(times[0], true)
            times[1] = max(times[1], false)


def main(source_dir, exported_dir, never_run):
    lines = defaultdict(lambda: defaultdict(int))
    branches = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    compile_time = defaultdict(set)
    for exported in sorted(pathlib.Path(exported_dir).iterdir()):
        if exported.suffix in (".lcov", ".text") and exported.stat().st_size > 0:
            with exported.open() as f:
                read_lines(f, lines) if exported.suffix == ".lcov" else read_branches(f, branches, compile_time)
    counts = defaultdict(lambda: (Count(), Count()))
    never, excluded, compiled_only = [], [], 0
    for name in sorted(lines):
        path = name.removeprefix(source_dir + "/")
        if not path.startswith(("include/", "lib/")):
            continue
        with open(name) as f:
            text = [""] + f.read().split("\n")
        of_lines, of_branches = counts[row_of(path)]
        for line, times in sorted(lines[name].items()):
            if NO_CODE.fullmatch(text[line]):
                continue
            if not times and line in compile_time[name]:
                compiled_only += 1
                continue
            if EXCLUDED.search(text[line]):
                excluded.append(f"{path}:{line}: {text[line].strip()}")
                continue
            of_lines.add(times > 0)
            if not times:
                never.append(f"{path}:{line}: {text[line].strip()}")
        for place, times in sorted(branches[name].items()):
            # clang also gives branches to comparisons that it generates for "= default".
            if EXCLUDED.search(text[place[0]]) or "= default" in text[place[0]]:
                continue
            if place[0] in compile_time[name] and not lines[name].get(place[0]):
                continue
            for way, n in zip(("true", "false"), times):
                of_branches.add(n > 0)
                if not n and lines[name].get(place[0]):
                    never.append(f"{path}:{place[0]}: never {way}: "
                                 + (text[place[0]][place[1] - 1:place[3] - 1] if place[0] == place[2]
                                    else text[place[0]][place[1] - 1:] + " ..."))
    with open(never_run, "w") as f:
        f.writelines(entry + "\n" for entry in never)

    def table(rows, name):
        total = Count(), Count()
        for row in rows:
            for sum_, count in zip(total, counts[row]):
                sum_.merge(count)
            print(f"{row:30}{counts[row][0]}  {counts[row][1]}")
        print(f"{name:30}{total[0]}  {total[1]}\n")

    of_laboratory = [row for row, _ in LABORATORY]
    rooms = [row for row in ROOMS if row in counts] + sorted(counts.keys() - set(ROOMS) - set(of_laboratory))
    print(f"{'':30}{'lines':>9} {'run':>9} {'%':>7}  {'branches':>9} {'run':>9} {'%':>7}")
    table(rooms, "product")
    table(of_laboratory, "laboratory")
    print(f"Lines and branches never run: {never_run}")
    print(f"Not counted, as only the compiler runs them: {compiled_only} lines")
    print(f"Not counted, with a reason beside them: {len(excluded)} lines")
    for entry in excluded:
        print("  " + entry)


main(*sys.argv[1:])
