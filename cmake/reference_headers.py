#!/usr/bin/env python3
"""cmake/reference_headers.py FOLDER: writes the public headers as Doxygen reads them (reference.sh).

The comments of this library are // lines in plain words. Doxygen reads /// lines, and takes some
signs in them for commands. This program
- makes /// of each comment that stands outside of function bodies, and ///< of those behind code,
- escapes the signs, and makes code of lines that are indented,
- gives a comment above several forms of one function to each of them.
SPDX-License-Identifier: BSD-3-Clause
"""
import copy
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
from check_words import comment_at, root  # noqa: E402

SCOPE = re.compile(r"^(inline\s+)?namespace\b|^(typedef\s+)?(class|struct|union|enum)\b|^extern\s*\"")


def without_template(text):
    """The declaration without its template head and attributes."""
    text = text.strip()
    while True:
        if text.startswith("template"):
            depth = 0
            for i, c in enumerate(text):
                depth += {"<": 1, ">": -1}.get(c, 0) if text[i - 1] != "-" else 0
                if c == ">" and depth == 0:
                    text = text[i + 1:].strip()
                    break
            else:
                return text
            text = re.sub(r"^requires\s*(\(.*?\)|[\w:<>, ]+?)\s+(?=class|struct|union)", "", text)
        elif text.startswith("[["):
            text = text.partition("]]")[2].strip()
        else:
            return text


class scopes:
    """Which braces are open, and whether a line stands among declarations."""

    def __init__(self):
        self.stack = []
        self.text = ""
        self.parentheses = 0

    def declares(self):
        return all(self.stack) and self.parentheses == 0 and not self.text.strip()

    def read(self, code):
        if code.lstrip().startswith("#"):
            return
        code = re.sub(r'"(\\.|[^"\\])*"', '""', code)
        code = re.sub(r"(?<![0-9a-zA-Z_])'(\\.|[^'\\])*'", "0", code)
        for c in code + "\n":
            if c == "{":
                head = without_template(self.text)
                self.stack.append(bool(self.parentheses == 0 and SCOPE.match(head)))
                self.enum = head.startswith("enum")
                self.text = ""
            elif c == "}":
                if self.stack:
                    self.stack.pop()
                self.text = ""
            elif c == ";" and self.parentheses == 0:
                self.text = ""
            elif c == "," and self.parentheses == 0 and self.in_enum():
                self.text = ""
            else:
                self.parentheses += {"(": 1, ")": -1}.get(c, 0)
                self.text += c
                if re.search(r"\b(public|private|protected):\s$", self.text):
                    self.text = ""

    def in_enum(self):
        return bool(self.stack) and self.stack[-1] and getattr(self, "enum", False)


def escaped(text):
    """Escapes what Doxygen takes for commands, tags and links; code in backticks stays."""
    parts = re.split(r"(`[^`]+`)", text)
    for i, part in enumerate(parts):
        if i % 2 == 0:
            parts[i] = re.sub(r"([\\@<>#&%])", r"\\\1", part)
        elif "'" in part or '"' in part:
            parts[i] = "`" + part + "`"  # a quote would end a span of single backticks
    return "".join(parts)


def block(comments):
    """The /// lines of a comment: paragraphs and lists, and indented lines as code."""
    texts = [re.sub(r"^ ?", "", line.strip()[2:].rstrip()) for line in comments]
    out, words, code, item = [], [], [], False

    def flush():
        if words:
            out.extend(escaped("\n".join(words)).split("\n"))
            words.clear()
        if code:
            out.extend(["@code{.cpp}", *code, "@endcode"])
            code.clear()

    for text in texts:
        begins = re.match(r"([-*]|\d+\.) ", text)
        if text.startswith("  ") and not item:
            if words:
                flush()
            code.append(text[2:])
            continue
        if code:
            flush()
        if begins and words and words[-1] and not item:
            words.append("")
        item = bool(begins) or (item and bool(text))
        words.append(text)
    flush()
    return ["/// " + text if text else "///" for text in out]


def name_of(declaration):
    """The name of the function that is declared; empty if it is none."""
    m = re.match(r"[^({=]*?(operator\s*[^\s\w]+|~?\w+)\s*\(", without_template(declaration))
    return m[1] if m else ""


def overloads_below(lines, first, scope):
    """How many lines from the first on are declarations of one function, and of how many forms."""
    scope = copy.deepcopy(scope)
    depth, name, forms, i, end, begins = len(scope.stack), None, 0, first, first, first
    while i < len(lines):
        line = lines[i]
        if scope.declares() and (not line.strip() or line.strip().startswith(("//", "}", "#"))
                                 or re.match(r"\s*(public|private|protected):", line)):
            break
        at = comment_at(line)
        scope.read(line if at < 0 else line[:at])
        i += 1
        if scope.declares():
            if len(scope.stack) > depth:
                break
            this = name_of(" ".join(x.strip() for x in lines[begins:i]))
            if not this or name not in (None, this):
                break
            name, forms, end, begins = this, forms + 1, i, i
    return end - first, forms


def filtered(lines):
    out, scope, group_ends, i = [], scopes(), -1, 0
    while i < len(lines):
        if i == group_ends:
            out.append("///@}")
            group_ends = -1
        line = lines[i]
        at = comment_at(line)
        if at < 0 or not scope.declares() and not line[:at].strip():
            scope.read(line if at < 0 else line[:at])
            out.append(line)
            i += 1
        elif line[:at].strip():
            # Code, and a comment behind it.
            before = scope.declares()
            scope.read(line[:at])
            declared = before and not line.lstrip().startswith(("}", "#")) and (scope.declares() or scope.in_enum())
            text = "///< " + escaped(line[at + 2:].strip()) if declared else line[at:]
            out.append(line[:at] + text)
            i += 1
        else:
            end = i
            while end < len(lines) and lines[end].strip().startswith("//"):
                end += 1
            comments = [c for c in lines[i:end] if "SPDX-License-Identifier" not in c]
            if comments and comments[0].strip().startswith("// ---"):
                out.extend(comments)
            elif i == 0:
                out.extend(["/// @file", *block(comments)])
            elif end < len(lines) and not lines[end].strip():
                out.extend(comments)  # stands above nothing: about what follows, as a section
            else:
                count, forms = overloads_below(lines, end, scope)
                if forms > 1 and group_ends < 0:
                    out.append("///@{")
                    group_ends = end + count
                out.extend(block(comments))
            i = end
    return out


# What Doxygen 1.9 cannot read: constraints of defaulted functions, specialisations of foreign
# templates, and templates that derive from themselves.
UNREADABLE = [
    r"\n *requires [^\n]+(?=\n *= default;)",
    r"template <[^\n]*>\nstruct (?:std|fmt)::[^\n]*\{\};",
    r"template <[^\n]*>\nstruct (?:std|fmt)::[^\n]*\{\n.*?\n\};",
    r" *template <[^\n]*>\n *struct (\w+) : \1<[^\n]*\{\};",
]


def without_unreadable(text):
    """The text with blank lines where Doxygen would stumble."""
    for pattern in UNREADABLE:
        text = re.sub(pattern, lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    return text


def main():
    into = pathlib.Path(sys.argv[1])
    for path in sorted((root / "include/argosy").rglob("*.hpp")):
        inside = path.relative_to(root / "include")
        if {"detail", "lab"} & set(inside.parts):
            continue
        (into / inside).parent.mkdir(parents=True, exist_ok=True)
        text = "\n".join(filtered(path.read_text(encoding="utf-8").split("\n")))
        (into / inside).write_text(without_unreadable(text), encoding="utf-8")


if __name__ == "__main__":
    main()
