#!/usr/bin/env python3
"""cmake/check_paths.py [PAGE...]: pages name only what is there.

It reads docs/develop, docs/use, examples and README.md, or the pages given, and prints each slip as
FILE:LINE. A page is wrong if
  - a path in backticks is no file or folder of the repository, whole or from its right end;
  - a name of C++ in backticks (`name`, `name()`, `class::name`) is no word of the code, or the parts
    of `class::name` are in no file together;
  - a link leads to no file, or to no heading of it;
  - a row of a recipe in docs/develop/CONTRIBUTING.md names a text that its file, or the pages of its
    folder, do not have;
  - a public name of docs/develop/names.txt is in no code of docs/use. Those of gpfs_fcntl,
    which are IBM's, are left out.
SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import fnmatch
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from check_words import tracked  # noqa: E402

root = pathlib.Path(__file__).resolve().parent.parent
RECIPES = "docs/develop/CONTRIBUTING.md"
CODE = (".hpp", ".cpp", ".h", ".c", ".f90", ".F90", ".inc")
TEXT = CODE + (".py", ".sh", ".cmake", ".txt", ".json", ".in", ".map", ".csv", ".machine", ".toml",
               ".list", ".hints", ".dict", ".yml", ".yaml")

# Places that only a build, a run or an installation makes.
MADE = re.compile(r"^(build|/|~|\$)|[<>${}]|(^|[/._-])[A-Z]+([/._-]|$)|npN|typeT")
# Names of the standard, and of libraries that this one does not call.
FOREIGN = re.compile(r"^(std|boost|MPI|PMPI|OMPI|H5|nc|NC|NF90|ncmpi|PIO|cgp|AMReX|adios2|llvm|Kokkos)(::|_)")
# Words of other programs and of the field, as pages quote them.
QUOTED = set("""
    EFAULT FetchContent NDEBUG _BENCHMARKS _EXAMPLES argosy.hints c32 localflock lockf mpif.h nolock
    numpy.memmap oob_tcp_keepalive_time partitions.svg readv report.md srun strace writev
    Request_free Request_get_status
""".split())

# Pages about other libraries, whose names have capital letters; those of argosy have none.
OTHER_LIBRARIES = re.compile(r"^docs/use/(from_|around_)")

NAME = re.compile(r"^~?[A-Za-z_]\w*(?:(?:::|\.)~?\w+)*$")
PATH = re.compile(r"^[\w.*?+-]+(?:/[\w.*?+-]+)*/?$")
EXTENSION = re.compile(r"\.(hpp|cpp|h|c|md|py|sh|cmake|txt|map|csv|machine|toml|json|svg|F90|in|"
                       r"list|hints|dict)$")


class tree:
    """What can be named: files, folders and words of the code."""

    def __init__(self):
        self.files = tracked([])
        self.ends = set()   # of paths, from any of their parts on
        for p in self.files:
            parts = p.split("/")
            for last in range(1, len(parts) + 1):
                for first in range(last):
                    self.ends.add("/".join(parts[first:last]))
        self.stems = {pathlib.PurePath(p).name.split(".")[0] for p in self.files}
        self.words = collections.defaultdict(set)
        self.includes = set()
        for n, p in enumerate(self.files):
            if p.endswith(TEXT) and not p.startswith(("docs/develop/", "test/fuzz/corpus/")):
                self.read(n, p)

    def read(self, number, path):
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        if path.endswith(CODE):
            self.includes.update(re.findall(r"#include [<\"]([^>\"]+)", text))
            text = re.sub(r"(?<![:\"])//[^\n]*", "", text)
        for word in set(re.findall(r"[A-Za-z_]\w*", text)):
            self.words[word].add(number)

    def has_path(self, path):
        path = path.rstrip("/")
        if "*" in path or "?" in path:
            return any(fnmatch.fnmatch(end, path) for end in self.ends)
        return (path in self.ends or path in self.includes
                or any(path + e in self.ends for e in (".hpp", ".cpp")))

    def has_name(self, name):
        parts = [p.lstrip("~") for p in re.split(r"::|\.", name)]
        parts = [p for p in parts if p not in ("argosy", "io", "detail") or len(parts) == 1]
        common = None
        for part in parts:
            where = self.words.get(part, set())
            if not where and part not in self.stems and not part.isdigit():
                return False
            if "::" in name and where:
                common = where if common is None else common & where
        return common is None or bool(common)


def quoted(lines):
    """(line number, text) of everything in backticks outside of blocks of code."""
    block, starts, size, fenced = [], [], 0, False

    def spans():
        text = "\n".join(block)
        for m in re.finditer(r"(?<!`)`([^`]+)`(?!`)", text):
            at = sum(1 for s in starts if s <= m.start()) - 1
            yield first + at, m[1].replace("\n", " ")

    first = 1
    for n, line in enumerate([*lines, ""], 1):
        fence = line.strip().startswith("```")
        if fence or fenced or not line.strip() or line.startswith("|"):
            yield from spans()
            block, starts, size, first = [], [], 0, n + 1
            if line.startswith("|") and not fenced:
                yield from ((n, t) for t in re.findall(r"(?<!`)`([^`]+)`(?!`)", line))
            fenced ^= fence
        else:
            block.append(line)
            starts.append(size)
            size += len(line) + 1


def anchors_of(page):
    out, fenced = set(), False
    for line in (root / page).read_text(encoding="utf-8").split("\n"):
        fenced ^= line.strip().startswith("```")
        if line.startswith("#") and not fenced:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip().lower())
            out.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return out


def check_quoted(page, lines, known, slips):
    for n, text in quoted(lines):
        whole = text.split(" ")[0] if re.match(r"^[\w./-]+/[\w.-]+ ", text) else text
        bare = re.sub(r":\d+(-\d+)?$", "", whole)
        if bare in QUOTED or FOREIGN.match(bare) or re.fullmatch("[0-9a-f]{8}", bare):
            continue  # the last are names of mutants
        bare = re.sub(r"(?<=[a-z_])(/\d+)+$", "", bare)  # rows of benchmarks: name/bytes
        if PATH.match(bare) and ("/" in bare or EXTENSION.search(bare)) and re.search("[a-z]", bare):
            if not MADE.search(bare) and not known.has_path(bare):
                slips.append(f"{page}:{n}: `{text}`: no such file or folder")
            continue
        name = re.sub(r"\([^()]*\)$|<[^<>]*>$", "", bare)
        if OTHER_LIBRARIES.match(page) and re.search("[A-Z]", name):
            continue
        if NAME.match(name) and not EXTENSION.search(name) and not known.has_name(name):
            slips.append(f"{page}:{n}: `{text}`: no such name in the code")


def check_links(page, lines, slips):
    fenced = False
    for n, line in enumerate(lines, 1):
        fenced ^= line.strip().startswith("```")
        for target in [] if fenced else re.findall(r"\]\(([^)\s]+)\)", line):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            to = (root / page).parent / path if path else root / page
            if not to.exists():
                slips.append(f"{page}:{n}: ({target}): no such file")
            elif anchor and to.suffix == ".md" and anchor not in anchors_of(to.relative_to(root)):
                slips.append(f"{page}:{n}: ({target}): no such heading")


def text_of(place):
    """What a file has, or the pages of a folder, without those that a script writes."""
    if place.is_file():
        return place.read_text(encoding="utf-8")
    pages = [p for p in sorted(place.glob("*.md")) if p.name != "reference.md"]
    return "\n".join(p.read_text(encoding="utf-8") for p in pages) if pages else None


def check_recipes(slips):
    """Rows `file` | `text`, `text` ... | words, under headings that begin with "To add"."""
    inside, rows = "", collections.Counter()
    for n, line in enumerate((root / RECIPES).read_text(encoding="utf-8").split("\n"), 1):
        if line.startswith("#"):
            inside = line.lstrip("# ") if "To add" in line else ""
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not inside or len(cells) < 3 or not cells[0].startswith("`"):
            continue
        rows[inside] += 1
        path = cells[0].strip("`")
        text = text_of(root / path)
        if text is None:
            slips.append(f"{RECIPES}:{n}: `{path}`: no such file")
            continue
        places = re.findall(r"`([^`]+)`", cells[1])
        if not places:
            slips.append(f"{RECIPES}:{n}: `{path}`: the row names no text in backticks")
        for place in places:
            if place not in text:
                slips.append(f"{RECIPES}:{n}: {path} does not have: {place}")
    for kind in ("a hint", "a call", "a counter", "a policy", "an error"):
        if not any(kind in name for name in rows):
            slips.append(f"{RECIPES}: no recipe to add {kind}")


def check_public_names(known, slips):
    pages = "".join(text_of(root / p) for p in known.files if p.startswith(("docs/use/", "README.md"))
                    and p.endswith(".md") and p != "docs/use/reference.md")
    shown = set(re.findall(r"\w+", " ".join(re.findall(r"```.*?```|`[^`\n]*`", pages, re.S))))
    names = text_of(root / "docs/develop/names.txt").split()
    for name in names:
        if not re.match("argosy::gpfs::", name) and name.split("::")[-1] not in shown:
            slips.append(f"docs/develop/names.txt: {name} is in no code of a page of docs/use")


def main():
    known = tree()
    pages = [str(pathlib.Path(p).resolve().relative_to(root)) for p in sys.argv[1:]] or [
        p for p in known.files if p.endswith(".md")
        and p.startswith(("docs/develop/", "docs/use/", "examples/", "README.md"))]
    slips = []
    for page in pages:
        lines = (root / page).read_text(encoding="utf-8").split("\n")
        if not page.endswith("words.md"):  # its examples are of code that was
            check_quoted(page, lines, known, slips)
        check_links(page, lines, slips)
    if (root / RECIPES).exists() and not sys.argv[1:]:
        check_recipes(slips)
    if not sys.argv[1:]:
        check_public_names(known, slips)
    for s in slips:
        print(s)
    print(f"{len(pages)} pages, {len(slips)} names, paths or links that lead nowhere")
    return 1 if slips else 0


if __name__ == "__main__":
    sys.exit(main())
