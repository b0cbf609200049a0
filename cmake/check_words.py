#!/usr/bin/env python3
"""cmake/check_words.py [--counts] [PATH...]: what a program can hold of docs/develop/words.md.

It reads the comments of the code and the pages, or those in PATH alone, and prints each slip as
FILE:LINE: what is wrong. --counts prints how many there are of each kind instead.
SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
CODE = (".hpp", ".cpp", ".h", ".c")
WIDEST = 100
# Rows of tables cannot be wrapped; a cell has at most two sentences.
WIDEST_ROW = 200
MOST_WORDS = 25
# Rows that a test makes of the code: their words are checked where they are written.
MADE_ROWS = {"docs/use/hints.md": re.compile(r"\| `")}

FIRST = re.compile(
    r"(?i)(of|what|whatever|who|whoever|whose|whom|nobody|nothing|where|wherever|so|as|the same)\b")
BLACK = re.compile(
    r"(?i)\b(whoever|nobody|beside|besides|old bytes|what is wanted|unplain|of whom)\b")


def tracked(paths):
    """Files that git tracks or would track; in a source archive, without git, all but build/."""
    if (root / ".git").exists():
        known = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", *paths],
            capture_output=True, text=True, check=True).stdout.split("\n")
    else:
        begins = [root / p for p in paths] or [root]
        found = [p for b in begins for p in ([b] if b.is_file() else b.rglob("*"))]
        known = sorted(str(p.relative_to(root)) for p in found)
        known = [p for p in known if not p.startswith(("build/", ".git/"))]
    return [p for p in known if p and (root / p).is_file()]


def comment_at(line):
    """Where a // begins outside of literals; -1 if there is none."""
    quote = None
    i = 0
    while i < len(line):
        c = line[i]
        if quote:
            if c == "\\":
                i += 1
            elif c == quote:
                quote = None
        elif c == '"' or (c == "'" and not (i and line[i - 1].isalnum())):
            quote = c
        elif line.startswith("//", i):
            return i
        i += 1
    return -1


def comments_of(lines):
    """Pairs of (number of the first line, lines): each comment, without its slashes."""
    out = []
    raw = None
    block_column = None
    for n, line in enumerate(lines, 1):
        if raw:
            if raw in line:
                raw = None
            block_column = None
            continue
        begins = re.search(r'R"([^(\s]*)\(', line)
        at = comment_at(line[:begins.start()] if begins else line)
        if begins and ")" + begins[1] + '"' not in line[begins.end():]:
            raw = ")" + begins[1] + '"'
        if at < 0:
            block_column = None
            continue
        alone = not line[:at].strip()
        text = re.sub(r"^/*<? ?", "", line[at:])
        if alone and block_column == at:
            out[-1][1].append(text)
        else:
            out.append((n, [text]))
            block_column = at
    return out


def paragraphs(lines):
    """Pairs of (index, text): paragraphs and list items, without code, tables and headings."""
    out = []
    words, start = [], 0

    def flush():
        nonlocal words
        if words:
            out.append((start, " ".join(words)))
        words = []

    fenced = False
    item = False
    for i, line in enumerate(lines):
        if line.strip().startswith("```"):
            fenced = not fenced
            flush()
            continue
        if fenced or re.match(r"\s*([|#<\[]|---|SPDX)", line):
            flush()
            continue
        if re.match(r"\s*([-*]|\d+\.) ", line):
            flush()
            item = True
            words, start = [re.sub(r"^\s*([-*]|\d+\.) ", "", line)], i
        elif not line.strip():
            flush()
            item = False
        elif line.startswith("  ") and not item:
            flush()
        else:
            if not words:
                start = i
            words.append(line.strip())
    flush()
    return out


def sentences(text):
    text = re.sub(r"`[^`]*`", "x", text)
    text = re.sub(r"\b(e\.g|i\.e|etc|cf|vs|fig|no)\.", r"\1", text, flags=re.I)
    return re.split(r"(?<=[.!?:])[\"')*_]* +(?=[^a-z ])", text)


class slips:
    def __init__(self):
        self.found = []

    def add(self, path, line, kind, text):
        self.found.append((path, line, kind, text))

    def first_word(self, path, line, text):
        m = FIRST.match(text.lstrip("*_ "))
        if m:
            self.add(path, line, "first word", f"begins with '{m[0]}': name the thing, or begin "
                                               "with a verb")

    def black(self, path, line, text):
        for m in BLACK.finditer(re.sub(r"`[^`]*`", "x", text)):
            self.add(path, line, "black list", f"'{m[0]}': see the glossary")

    def long(self, path, line, text):
        for s in sentences(text):
            n = len(s.split())
            if n > MOST_WORDS:
                self.add(path, line, "sentence", f"{n} words: '{s[:50]} ...'; at most {MOST_WORDS}")


def check_code(path, found):
    lines = (root / path).read_text(encoding="utf-8").split("\n")
    for n, line in enumerate(lines, 1):
        if len(line) > WIDEST:
            found.add(path, n, "width", f"{len(line)} columns; at most {WIDEST}")
    public = path.startswith("include/") and "/detail/" not in path
    for n, block in comments_of(lines):
        for i, text in paragraphs(block):
            found.first_word(path, n + i, text)
            found.black(path, n + i, text)
            if public:
                found.long(path, n + i, text)


def check_page(path, found):
    lines = (root / path).read_text(encoding="utf-8").split("\n")
    fenced = False
    for n, line in enumerate(lines, 1):
        fenced ^= line.strip().startswith("```")
        row = line.startswith("|")
        if path in MADE_ROWS and MADE_ROWS[path].match(line):
            continue
        most = WIDEST_ROW if row else WIDEST
        if len(line) > most and not (" " not in line.strip() or fenced):
            found.add(path, n, "width", f"{len(line)} columns; at most {most}")
        if row and not fenced:
            for cell in line.strip("| ").split("|"):
                if len(sentences(cell.strip())) > 2:
                    found.add(path, n, "cell", "more than two sentences in a cell of a table")
    for i, text in paragraphs(lines):
        found.first_word(path, i + 1, text)
        found.black(path, i + 1, text)
        found.long(path, i + 1, text)


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    found = slips()
    for path in tracked(arguments):
        if path.endswith(CODE):
            check_code(path, found)
        elif path.endswith(".md") and not path.startswith(
                ("docs/use/reference.md", "docs/develop/words.md", ".")):  # the rules quote slips
            check_page(path, found)
    if "--counts" in sys.argv[1:]:
        for kind, n in sorted(collections.Counter(k for _, _, k, _ in found.found).items()):
            print(f"{kind:12} {n}")
    else:
        for path, line, kind, text in found.found:
            print(f"{path}:{line}: {kind}: {text}")
    return 1 if found.found else 0


if __name__ == "__main__":
    sys.exit(main())
