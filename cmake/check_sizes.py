#!/usr/bin/env python3
"""cmake/check_sizes.py [--over N] [PATH...]: finds functions and files that are too long to read.

A function of include/ or lib/ has at most 60 lines, from its first line (that of its template, if
it is one) to its closing brace. A file of code has at most 400 lines, or the comment at its top has
a sentence that begins with "One page because". The script prints each slip as FILE:LINE: what is
wrong. --over N prints all functions of more than N lines instead, those of tests, too.

The script does not parse. It counts braces outside of literals and comments, and relies on the
layout of clang-format: a body begins with a line that ends in "{", at the level of a namespace or
class. A lambda within a function is lines of that function; a lambda that is a constant is a
function. A constant without lambda is data, of any length. TEST_CASE and other macros are not seen.
SPDX-License-Identifier: BSD-3-Clause
"""
import re
import sys

from check_words import root, tracked

CODE = (".hpp", ".cpp", ".h", ".c")
SCRIPTS = (".py", ".sh", ".cmake", "CMakeLists.txt")
MOST_LINES = 60
LONGEST_FILE = 400
WHY = "One page because "

LITERAL = re.compile(
    r'(?s:R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"|/\*.*?\*/)'
    r'|//[^\n]*|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])*'"
    r"|^[ \t]*#(?:\\\n|[^\n])*", re.M)
SCOPE = re.compile(r"(inline )?(namespace|class|struct|union|enum|extern)\b(?!.*\w\()")
FUNCTION_NAME = re.compile(r"((?:\w+::)*(?:operator *(?:\(\)|[^\s(]+)|~?\w+)) *\(")


def blank(match):
    """Keeps the lines of a literal or comment, and no character of it that has a meaning."""
    lines = re.sub(r"[^\n]", " ", match[0])
    return '"' + lines[1:-1] + '"' if match[0][0] in "\"'R" else lines


def plain(head):
    """A declaration in one line, without attributes and arguments of templates."""
    head = re.sub(r"\[\[.*?\]\]|\b(alignas|decltype|noexcept|explicit)\([^()]*\)", " ",
                  " ".join(head))
    head = head.replace("->", " ")
    while (shorter := re.sub(r"<[^<>]*>", " ", head)) != head:
        head = shorter
    return re.sub(r"^(template\s+)+(requires \S+ +)?", "", re.sub(r"\s+", " ", head).strip())


def is_function(head):
    """Whether a declaration that has a body is that of a function, or of a lambda."""
    if re.match(r"[A-Z][A-Z0-9_]+\(", head):
        return False
    while (shorter := re.sub(r"\([^()]*\)", "@", head)) != head:
        head = shorter
    before, equals, value = head.partition(" = ")
    return bool(re.match(r"\[", value)) if equals else "@" in before


def name_of(head):
    before, equals, _ = head.partition(" = [")
    found = FUNCTION_NAME.search(head)
    return before.split()[-1] if equals or not found else found[1]


def functions_of(text):
    """Triples (name, number of the first line, number of lines) of the functions in a file."""
    out = []
    declaration = []  # the lines of the declaration that is being read
    head = None       # the declaration up to its first "{" at the end of a line
    first = depth = 0
    for n, line in enumerate(LITERAL.sub(blank, text).split("\n"), 1):
        line = line.strip()
        if not declaration and (not line or line[0] == "}" or
                                re.fullmatch(r"(public|private|protected):", line)):
            continue  # "}" closes a scope
        if not line:
            continue
        if not declaration:
            first, depth, head = n, 0, None
        if declaration and depth == 0 and line[0] == "}":  # the end of an enumeration
            declaration = []
            continue
        declaration.append(line)
        depth += line.count("{") - line.count("}")
        depth += line.count("(") - line.count(")")
        if line[-1] == "{" and head is None:
            head = plain(declaration)[:-1]
            if SCOPE.match(head):
                declaration = []
        elif depth <= 0 and line[-1] in ";}":
            if head is not None and is_function(head):
                out.append((name_of(head), first, n + 1 - first))
            declaration = []
    return out


def top_of(text):
    """The comment at the top of a file, in one line: all before the first line of code."""
    top = re.match(r"(?:[ \t]*(?:#(?!\s*(?:include|pragma|if|define)\b)|//)[^\n]*\n|\s*\n)*"
                   r'(?:"""(?s:.*?)"""|/\*(?s:.*?)\*/)?', text)[0]
    return re.sub(r"\s*\n\s*(#|//|\*)?\s*", " ", top)


def check(path):
    """Pairs (number of the line, what is wrong): the slips of a file."""
    text = (root / path).read_text(encoding="utf-8")
    lines = text.count("\n")
    if lines > LONGEST_FILE and WHY not in top_of(text):
        yield 1, (f"{lines} lines: split it where it has two ideas, or write a sentence at its top "
                  f"that begins with '{WHY.strip()}'")
    if path.startswith(("include/", "lib/")) and path.endswith(CODE):
        for name, first, length in functions_of(text):
            if length > MOST_LINES:
                yield first, f"{name} has {length} lines; at most {MOST_LINES}"


def over(most, paths):
    for path in paths:
        if path.endswith(CODE):
            text = (root / path).read_text(encoding="utf-8")
            for name, first, length in functions_of(text):
                if length > most:
                    print(f"{path}:{first}: {name} has {length} lines")


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--over"]:
        over(int(arguments[1]), tracked(arguments[2:]))
        return 0
    found = []
    for path in tracked(arguments):
        if path.endswith(CODE + SCRIPTS):
            found += [f"{path}:{line}: {what}" for line, what in check(path)]
    if found:
        print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
