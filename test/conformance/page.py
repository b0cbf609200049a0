#!/usr/bin/env python3
"""Makes tables of what run.py --json wrote, one column a file.

  python3 page.py A.json B.json ...                  prints a table
  python3 page.py --html PAGE.html A.json ...        a page of all checks, with their programs
  python3 page.py --markdown PAGE.md A.json ...      renews these rows of the table in a page, between
                                                     the lines "<!-- results -->" and "<!-- end -->"
SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import html
import json
import pathlib
import re

from sources import body_of

OUTCOMES = ("green", "red", "hang", "crash", "absent")
KINDS = {"rule": "rules", "error": "wrong calls", "fault": "faults"}
STYLE = """
body{font:14px/1.4 sans-serif;margin:2em;color:#222;background:#fff}
table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:.2em .5em;vertical-align:top}
th{background:#eee;text-align:left}pre{background:#f6f6f6;padding:.6em;overflow:auto}
.green{background:#cfeecf}.red{background:#f6c4c0}.hang{background:#f7dc9a}.crash{background:#d9b8ee}
.absent{background:#e6e6e6}.why{color:#555;font-size:12px;max-width:24em;overflow-wrap:anywhere}
"""


def kind_of(number, text):
    """A fault; a call that is wrong by the standard's text; or a rule for correct programs."""
    if number.startswith("F"):
        return "fault"
    return "error" if re.search(r"\berrors?\b|MPI_ERR_", text) else "rule"


def checks_of(columns):
    rows = {}
    for column in columns:
        for number, check in column["checks"].items():
            rows.setdefault(number, check)
    return dict(sorted(rows.items()))


def counts_of(column):
    counts = {kind: [0, 0] for kind in KINDS}
    by = dict.fromkeys(OUTCOMES, 0)
    for number, check in column["checks"].items():
        by[check["outcome"]] += 1
        if check["outcome"] != "absent":
            pair = counts[kind_of(number, check["text"])]
            pair[0] += check["outcome"] == "green"
            pair[1] += 1
    return counts, by


def table(columns):
    """Rows of texts: the MPI library, green of all for each kind, red, hang, crash, absent."""
    rows = [["MPI library, I/O", "date", *KINDS.values(), "red", "hang", "crash", "absent"]]
    for column in columns:
        counts, by = counts_of(column)
        rows.append([column["title"], column["date"], *(f"{g} of {n}" if n else "not run" for g, n in counts.values()),
                     *(str(by[o]) for o in OUTCOMES[1:])])
    return rows


def plain(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in rows)


def titled(lines):
    """Rows of a table, or lines below it, by the title of their column."""
    found = {}
    for line in lines:
        row = re.fullmatch(r"\| ([^|]*?) \|.*", line) or re.fullmatch(r"- \S+?, (.*?): .*", line)
        if row:
            found.setdefault(row.group(1), []).append(line)
    return found


def behind_its_library(rows, title):
    """Where a new row belongs: behind the last one of the same MPI library, or at the end."""
    library = title.split(",")[0]
    same = [i for i, row in enumerate(rows) if row.split(",")[0] == library]
    return same[-1] + 1 if same else len(rows)


def markdown(columns, before=""):
    """The table. Rows of `before` stay that are not among these columns."""
    head, *new = table(columns)
    rows = titled(before.splitlines())
    rows.pop(head[0], None)
    for column, row in zip(columns, new):
        rows[column["title"]] = ["| " + " | ".join(row) + " |"] + [
            f"- {number}, {column['title']}: {check['known']}"
            for number, check in column["checks"].items() if check["known"]]
    order = []
    for title in rows:
        order.insert(behind_its_library(order, title), title)
    left = [line for title in order for line in rows[title][1:]]
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *(rows[title][0] for title in order)]
                     + ([""] + left if left else []))


def cell(check):
    if check is None:
        return "<td></td>"
    why = check["why"] + (" - " + check["known"] if check["known"] else "")
    said = f'<div class="why">{html.escape(why)}</div>' if why and check["outcome"] != "green" else ""
    return f'<td class="{check["outcome"]}">{check["outcome"]}{said}</td>'


def page(columns):
    checks = checks_of(columns)
    out = ["<!doctype html><meta charset=utf-8><title>MPI I/O, sentence by sentence</title>",
           f"<style>{STYLE}</style><h1>MPI I/O, sentence by sentence</h1>",
           "<p>Each row is a sentence of the I/O chapter of MPI 4.1, or a fault, in our words. "
           "Click on a number to see the program.</p><table>"]
    rows = table(columns)
    for i, row in enumerate(rows):
        tag = "td" if i else "th"
        out.append("<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in row))
    out.append("</table><h2>All checks</h2><table><tr><th>number<th>sentence")
    out += [f"<th>{html.escape(c['title'])}<br>{c['date']}" for c in columns]
    for number, check in checks.items():
        source = html.escape(body_of(number) or "")
        out.append(f'<tr id="{number}"><td><details><summary>{number}</summary><pre>{source}</pre>'
                   f"</details><td>{html.escape(check['text'])} ({check['ranks']} ranks)")
        out += [cell(column["checks"].get(number)) for column in columns]
    out.append("</table>")
    return "\n".join(out)


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    a.add_argument("--html")
    a.add_argument("--markdown")
    a.add_argument("results", nargs="+")
    args = a.parse_args()
    columns = [json.loads(pathlib.Path(r).read_text()) for r in args.results]
    print(plain(table(columns)))
    if args.html:
        pathlib.Path(args.html).write_text(page(columns))
    if args.markdown:
        target = pathlib.Path(args.markdown)
        parts = re.split(r"(<!-- results -->\n)(.*?)(<!-- end -->)", target.read_text(),
                         flags=re.S)
        parts[2] = markdown(columns, parts[2]) + "\n"
        target.write_text("".join(parts))


if __name__ == "__main__":
    main()
