#!/usr/bin/env python3
"""cmake/reference.py [--check]: writes docs/use/reference.md, every call with its arguments.

It reads the public headers, whose comments are the words. --check compares instead, and says what
to do if they differ.
SPDX-License-Identifier: BSD-3-Clause
"""
import difflib
import pathlib
import re
import sys
import textwrap

root = pathlib.Path(__file__).resolve().parent.parent
page = root / "docs/use/reference.md"
widest = 100

START = """# Reference: every call and its arguments

This page has each call of files, requests and formats, with its arguments and what its header says
of it. Why and when to use them: [files.md](files.md), [formats.md](formats.md),
[reports.md](reports.md).
`python3 cmake/reference.py` writes the page from the headers; change the comment there.

## What the arguments are

| argument | what to give | left out |
|---|---|---|
| `world` | a communicator of Boost.MPI, an `MPI_Comm`, `io::self()`, a rank of a virtual cluster | |
| `source from`, `target into`, `source data` | what `io::memory` takes, or `{address, datatype, count}` and the other forms below | |
| `access_options with` | a policy, an `std::error_code&`, or `{policy, error}` | the hints choose the policy; errors are thrown |
| `any_policy by` | a policy | the hints choose |
| `on_error e` | an `std::error_code&` | errors are thrown |
| `hinted with` | `io::hints`, an `std::error_code&`, or `{hints, error}` | no hints; errors are thrown |
| `views<viewed_source> from`, `views<viewed_target> into` | `{{view, data}, {view, data}, ...}`, or a container of `io::viewed_source` or `io::viewed_target` | |
| `view_shape shape` | a filetype, `{etype, filetype}`, and the representation as the last in the braces | |
| `array_part part` | a `darray` or `subarray` of a C++ type, or `io::array_part({n}, datatype)` | |
| `opener files` | `io::posix_opener()`, decorated or another | local and network file systems |
| `std::int64_t offset` | etypes of the view; bytes until a view is set | |

**Nothing.** A rank that has no data for a collective call gives `{}`. `io::source()` is the same
with a name, where a variable or a condition needs one: `some ? io::source(u) : io::source()`.
`io::target()` is that for reads. `io::const_buffer()` and `io::buffer()` are buffers without bytes,
as `io::memory` makes them of an empty vector; as the data of a call they are nothing, too.

**The end.** `seek_from::end` is the first etype that starts at or after the end of the file. If the
last etype is cut short, the end is behind it: a seek to the end rounds up to a whole etype, and
what is written there begins on a whole one.
"""

# Header, class, the name for users.
CLASSES = [
    ("file/basic_file.hpp", "basic_file", "io::file"),
    ("file/request.hpp", "request", "io::request"),
    ("format/basic_npy.hpp", "basic_npy", "io::npy"),
    ("format/basic_checkpoint.hpp", "basic_checkpoint", "io::checkpoint"),
    ("format/basic_xdmf.hpp", "basic_xdmf", "io::xdmf"),
    ("format/basic_vtkhdf.hpp", "basic_vtkhdf", "io::vtkhdf"),
    ("format/basic_zarr.hpp", "basic_zarr", "io::zarr"),
]
# Headers of values and functions: the comment before the declaration, and the declaration.
VALUES = [
    ("file/mode.hpp", "enum class mode"),
    ("file/seek_from.hpp", "enum class seek_from"),
    ("file/data.hpp", "class source"),
    ("file/data.hpp", "class target"),
    ("file/access_options.hpp", "class access_options"),
]


def lines_of(header):
    return (root / "include/argosy" / header).read_text(encoding="utf-8").splitlines()


def sentences(comment):
    """The words of a comment: paragraphs and lists joined and wrapped, examples as code."""
    out, words, code = [], [], []

    def flush():
        if words:
            indent = "  " if words[0].startswith("- ") else ""
            out.append(textwrap.fill(" ".join(words), widest, subsequent_indent=indent,
                                     break_long_words=False, break_on_hyphens=False))
            words.clear()
        if code:
            out.append("```hpp\n" + "\n".join(code) + "\n```")
            code.clear()

    for line in comment:
        text = re.sub(r"^ ?", "", line[2:])
        if text.startswith("  ") and not (words and words[0].startswith("- ")):
            if words:
                flush()
            code.append(text[2:])
            continue
        if code or text.startswith("- "):
            flush()
        if text.strip():
            words.append(text.strip())
        else:
            flush()
    flush()
    return out


def wrapped(signature):
    """The declaration on lines that are not wider than the page, broken behind a comma."""
    if len(signature) <= widest:
        return signature
    out, line = [], ""
    for part in re.split(r"(?<=,) ", signature):
        if line and len(line) + 1 + len(part) > widest:
            out.append(line)
            line = "    " + part
        else:
            line += (" " if line else "") + part
    return "\n".join(out + [line])


def without_body(text):
    """The declaration as it stands, without body, initialisers and what only the compiler needs."""
    depth = 0
    for i, c in enumerate(text):
        if c in "(<[":
            depth += 1
        elif c in ")>]":
            depth -= 1
        elif c == "{" and depth == 0 and not text[:i].rstrip().endswith("="):
            text = text[:i]
            break
    text = re.sub(r"\s+", " ", text).strip().rstrip(";").strip()
    text = re.sub(r"\) : [a-z_]+\(.*$", ")", text)
    text = text.replace("detail::", "").replace("argosy::", "")
    text = re.sub(r"\bbasic_(file|npy|checkpoint|vtkhdf|xdmf|zarr)\b(<World>)?", r"\1", text)
    return re.sub(r"^inline ", "", text)


def declarations(lines, indent):
    """Pairs of ('section' | 'comment' | 'code', value), in the order of the header."""
    out, comment, code, depth = [], [], "", 0
    for line in lines:
        text = line[indent:] if line.startswith(" " * indent) else line.strip()
        if not code and depth == 0:
            if text.startswith("// ---"):
                out.append(("section", re.sub(r"[ -]+$", "", text[6:]).strip()))
                continue
            if text.startswith("//"):
                comment.append(text)
                continue
            if not text.strip():
                if comment:
                    out.append(("comment", comment))
                    comment = []
                continue
        if comment:
            out.append(("comment", comment))
            comment = []
        text = re.sub(r"\s*// .*$", "", text)
        code += " " + text
        depth = code.count("{") - code.count("}")
        if depth == 0 and re.search(r"[;}]\s*$", code):
            out.append(("code", code.strip()))
            code = ""
    if comment:
        out.append(("comment", comment))
    return out


def is_call(code, name):
    skipped = re.match(
        rf"(explicit |constexpr )?~?{name}\(|friend |using |static_assert|enum |struct |class ", code)
    return not skipped and "(" in code and "operator" not in code


def body_of_class(lines, name):
    start = next(i for i, line in enumerate(lines) if re.match(rf"class {name}\b.*{{", line))
    first = start
    while lines[first - 1].startswith(("//", "template")):
        first -= 1
    about = [line for line in lines[first:start] if line.startswith("//")]
    end = next(i for i in range(start, len(lines)) if lines[i].startswith((" private:", "};")))
    return about, [line for line in lines[start + 1:end] if not line.startswith(" public:")]


def class_section(header, name, shown):
    lines = lines_of(header)
    about, body = body_of_class(lines, name)
    out = [f"## {shown}", f"`<argosy/{header.replace('basic_', '')}>`"] + sentences(about)
    calls = []

    def flush():
        if calls:
            out.append("```hpp\n" + "\n".join(calls) + "\n```")
            calls.clear()

    for kind, value in declarations(body, 2):
        if kind == "section":
            flush()
            out.append(f"### {value}")
        elif kind == "comment":
            flush()
            out.extend(sentences(value))
        elif is_call(value, name):
            calls.append(wrapped(without_body(value)))
    flush()
    after = lines[lines.index(body[-1]):]
    free = after[after.index("};") + 1:]
    for i, line in enumerate(free):
        if re.match(r"(void|report|bool) [a-z_]+\(.*;$", line):
            comment, k = [], i
            while k > 0 and free[k - 1].startswith("//"):
                k -= 1
                comment.insert(0, free[k])
            out.extend(sentences(comment))
            out.append("```hpp\n" + wrapped(without_body(line)) + "\n```")
    return out


def value_section(header, declaration):
    lines = lines_of(header)
    start = next(i for i, line in enumerate(lines) if line.startswith(declaration))
    first = start
    while lines[first - 1].startswith("//"):
        first -= 1
    out = sentences(lines[first:start])
    if declaration.startswith("enum"):
        end = next(i for i in range(start, len(lines)) if lines[i].startswith("};"))
        rows = []
        above = []
        for line in lines[start + 1:end]:
            if line.startswith("  // "):
                above.append(line[5:])
                continue
            m = re.match(r"  ([a-z_]+)(?: = \d+)?,(?:\s*// (.*))?$", line)
            if m:
                rows.append(f"| `{m[1]}` | {m[2] or ' '.join(above)} |")
            above = []
        out.append("\n".join([f"| `io::{declaration.split()[-1]}` | |", "|---|---|"] + rows))
    return [f"### io::{declaration.split()[-1]}"] + out if out else []


def made():
    out = [START.rstrip()]
    for header, declaration in VALUES:
        out += value_section(header, declaration)
    for header, name, shown in CLASSES:
        out += class_section(header, name, shown)
    return "\n\n".join(out) + "\n"


def main():
    text = made()
    if "--check" not in sys.argv[1:]:
        page.write_text(text, encoding="utf-8")
        return 0
    known = page.read_text(encoding="utf-8") if page.exists() else ""
    if known == text:
        return 0
    differences = difflib.unified_diff(known.splitlines(True), text.splitlines(True), str(page),
                                       "headers", n=1)
    sys.stdout.writelines(differences)
    print("docs/use/reference.md is not what the headers say: "
          "python3 cmake/reference.py writes it anew")
    return 1


if __name__ == "__main__":
    sys.exit(main())
