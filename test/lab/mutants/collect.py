# Collects all places of the code that can be mutated, and caches them until the code or the rules
# change.
# SPDX-License-Identifier: BSD-3-Clause
import hashlib
import json
import multiprocessing
import re
import shlex
from pathlib import Path

from clang import cindex

import named
import places

ROOMS = ["error", "layout", "datatype", "view", "plan", "policy", "wire", "world", "agree", "handle", "exchange", "file", "format", "mpiio", "gpfs", "cluster"]


def room_of(name):
    """Returns the room of a file; in the laboratory, its part. None if the file is not mutated."""
    parts = name.removeprefix("include/argosy/").removeprefix("lib/").split("/")
    room = parts[1] if parts[0] == "lab" and len(parts) > 2 else parts[0]
    return "cluster" if room == "lab" else room if room in ROOMS else None


def is_lab(room):
    return room in ("gpfs", "cluster")


def sources(root):
    """Returns the names of the files that are mutated."""
    names = [p.relative_to(root).as_posix() for d in ("include/argosy", "lib") for p in sorted((root / d).rglob("*.[hc]pp"))]
    return [n for n in names if room_of(n)]


def arguments(root, database, name):
    """Returns the compiler's arguments for the source `name` of the copy, changed for the tree at
    `root`."""
    for entry in database:
        if entry["file"].endswith("/" + name):
            words = shlex.split(entry["command"])[1:]
            copy = entry["file"][: -len(name) - 1]
            keep, i = [], 0
            while i < len(words):
                if words[i] in ("-I", "-isystem", "-D"):
                    keep += words[i:i + 2]
                    i += 1
                elif words[i].startswith(("-I", "-D", "-isystem", "-std=")):
                    keep.append(words[i])
                i += 1
            return [w.replace(copy, str(root)) for w in keep] + ["-w", "-Wno-everything", "-ferror-limit=0"]
    return None


def umbrella(root, headers):
    text = "".join(f"#include <{n[len('include/'):]}>\n" for n in headers)
    return str(root / "lib" / "all_headers_of_argosy.cpp"), text


def parse(root, database, name, headers=()):
    """Parses one source, or `headers` if `name` is None."""
    index = cindex.Index.create()
    if name is None:
        path, text = umbrella(root, headers)
        args = arguments(root, database, "lib/file/open.cpp")
        return index.parse(path, args, [(path, text)])
    return index.parse(str(root / name), arguments(root, database, name))


def errors(unit):
    return [(d.location.file.name if d.location.file else "", d.location.line, d.spelling)
            for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]


def one_unit(task):
    root, database, name, wanted = task
    root = Path(root)
    files = {str(root / n): places.File(n, (root / n).read_bytes()) for n in wanted}
    unit = parse(root, database, name, [n for n in wanted if n.startswith("include/")])
    wrong = errors(unit)
    if wrong:
        return name, wrong, []
    return name, [], places.Finder(files).run(unit)


def with_keys(found):
    """Gives each mutant a key, made of its file, rule, line of text and change. Equal lines of a
    file are numbered. A file may move to another folder."""
    found.sort(key=lambda m: (m["file"], m["edits"][0][0], m["rule"], m["what"]))
    seen, all_of_them = {}, []
    for m in found:
        key = "\0".join((Path(m["file"]).name, m["rule"], m["text"], m["what"]))
        n = seen[key] = seen.get(key, 0) + 1
        m["id"] = hashlib.sha1(f"{key}\0{n}".encode()).hexdigest()[:8]
        m["room"] = room_of(m["file"])
        all_of_them.append(m)
    return all_of_them


def by_rules(root, database, work, jobs, files):
    """Returns the mutants of all files, or of those whose names the expression `files` matches."""
    rules = hashlib.sha1(files.encode())
    for name in sources(root) + ["test/lab/mutants/places.py", "test/lab/mutants/collect.py"]:
        rules.update((root / name).read_bytes())
    cache = work / "places.json"
    if cache.exists():
        kept = json.loads(cache.read_text())
        if kept["of"] == rules.hexdigest():
            return kept["mutants"]
    names = [n for n in sources(root) if re.search(files, n)]
    headers = [n for n in names if n.startswith("include/")]
    inner = [n for n in names if n.startswith("lib/") and n.endswith(".hpp")]
    units = [n for n in names if n.endswith(".cpp")]
    tasks = ([(str(root), database, None, headers)] if headers else []) + [(str(root), database, n, [n] + inner) for n in units]
    found, seen = [], set()
    with multiprocessing.Pool(jobs) as pool:
        for name, wrong, mutants in pool.imap_unordered(one_unit, tasks):
            if wrong:
                raise SystemExit(f"{name or 'the headers'}: clang finds errors: {wrong[:3]}")
            for m in mutants:
                place = (m["file"], m["rule"], json.dumps(m["edits"]))
                if place not in seen:
                    seen.add(place)
                    found.append(m)
    found = with_keys(found)
    cache.write_text(json.dumps({"of": rules.hexdigest(), "mutants": found}))
    return found


def by_hand(root):
    """Returns the mutants of test/lab/mutants/*.toml. A pattern that ends in ; is a statement, any
    other an expression."""
    places_found, wrong = named.found(root)
    if wrong:
        raise SystemExit("\n".join(wrong))
    found = []
    for one in places_found:
        begin, end = one["begin"], one["end"]
        if one["pattern"].endswith(";"):
            edit = [begin, end, "{ if ( ::argosy_mutant::is(@N@)) { " + one["replacement"] + " } else { ", " } }"]
        else:
            edit = [begin, end, "( ::argosy_mutant::is(@N@) ? (" + one["replacement"] + ") : (", "))"]
        f = places.File(one["file"], one["text"])
        line = f.line_of(begin)
        found.append(dict(id=one["name"], file=one["file"], rule="by hand", line=line, text=f.line_text(line), what=one["why"],
                          room=room_of(one["file"]), edits=[edit]))
    return found


def draw(mutants, count, seed):
    """Draws lines, and then one mutant of each, so that long lines and frequent rules do not crowd
    out the others."""
    def chance(text):
        return hashlib.sha1(f"{seed} {text}".encode()).hexdigest()

    lines = {}
    for m in mutants:
        lines.setdefault((m["file"], m["text"]), []).append(m)
    drawn = []
    if count <= 0:
        return drawn
    for place in sorted(lines, key=lambda p: chance("\0".join(p))):
        rules = sorted({m["rule"] for m in lines[place]}, key=chance)
        drawn.append(min((m for m in lines[place] if m["rule"] == rules[0]), key=lambda m: chance(m["id"])))
        if len(drawn) == count:
            break
    return drawn
