# Breaks the code in many small ways, one at a time, and finds out which the tests notice:
# docs/develop/lab/mutants.md. One page because the stages of a run pass on one list of mutants.
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import collect
import rewrite
import tests as testing

ROOT = Path(__file__).resolve().parents[3]
WORK = ROOT / "build/mutants"
TREE, BUILD = WORK / "tree", WORK / "build"
COPIED = ["CMakeLists.txt", "cmake", "include", "lib", "test", "docs/use", "docs/snippets", "docs/develop/names.txt"]
GROUPS = {"product": [r for r in collect.ROOMS if not collect.is_lab(r)], "lab": [r for r in collect.ROOMS if collect.is_lab(r)],
          "all": collect.ROOMS}


stopping = threading.Event()


def say(*words):
    print("--", *words, flush=True)


def read_json(name, otherwise):
    path = WORK / name
    return json.loads(path.read_text()) if path.exists() else otherwise


def write_json(name, value):
    (WORK / name).write_text(json.dumps(value, indent=1))


# --- Drawing ------------------------------------------------------------------------------------


def database():
    """Returns the compile commands of the unchanged sources."""
    build = WORK / "plain"
    run = subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DARGOSY_BUILD_TESTS=OFF",
                          "-DARGOSY_BUILD_EXAMPLES=OFF", "-DARGOSY_BUILD_BENCHMARKS=OFF", "-DARGOSY_ENABLE_INSTALL=OFF"],
                         capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(run.stdout + run.stderr)
    return json.loads((build / "compile_commands.json").read_text())


def choose(options):
    draws = [(word.partition(":")[0], int(word.partition(":")[2] or options.count)) for word in options.room]
    for word, _ in draws:
        if word not in collect.ROOMS and word not in GROUPS:
            raise SystemExit(f"no room '{word}': there are {' '.join(collect.ROOMS + list(GROUPS))}")
    db = database()
    made = collect.by_rules(ROOT, db, WORK, options.jobs, options.files)
    hand, drawn = [], []
    for word, count in draws:
        rooms = GROUPS.get(word, [word])
        hand += [m for m in collect.by_hand(ROOT) if m["room"] in rooms and m not in hand]
        drawn += [m for m in collect.draw([m for m in made if m["room"] in rooms], count, options.seed) if m not in drawn]
    if options.files:
        hand = [m for m in hand if re.search(options.files, m["file"])]
        drawn = made if options.all else drawn
    if options.only:
        wanted = set(options.only.split(","))
        drawn = [m for m in made if m["id"] in wanted]
        hand = [m for m in collect.by_hand(ROOT) if m["id"] in wanted]
    chosen = (hand if options.hand or options.only else []) + drawn
    # A mutant keeps its number, so its text in the code stays the same, and built files stay valid.
    numbers = read_json("numbers.json", {})
    for m in chosen:
        m["number"] = numbers.setdefault(m["id"], len(numbers) + 1)
    write_json("numbers.json", numbers)
    return db, chosen


# --- The mutated copy ---------------------------------------------------------------------------


def contents(mutants):
    """Returns the files of the copy, {name: bytes}, and the numbers of mutants that do not fit into
    one text with the others."""
    files = {}
    for start in COPIED:
        path = ROOT / start
        for p in [path] if path.is_file() else sorted(path.rglob("*")):
            if p.is_file() and "__pycache__" not in p.parts:
                files[p.relative_to(ROOT).as_posix()] = p.read_bytes()
    files["include/argosy_mutant.hpp"] = rewrite.SWITCH.encode()
    of_file, overlapping = {}, set()
    for m in mutants:
        of_file.setdefault(m["file"], []).append((m["number"], m))
    for name, numbered in of_file.items():
        files[name], dropped = rewrite.apply(files[name], numbered)
        overlapping |= dropped
    return files, overlapping


def write_copy(files):
    """Writes only files that have changed, so that the others are not compiled again."""
    for name, text in files.items():
        path = TREE / name
        if not path.exists() or path.read_bytes() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
        if (ROOT / name).exists() and os.access(ROOT / name, os.X_OK):
            path.chmod(0o755)
    for path in list(TREE.rglob("*")):
        if path.is_file() and path.relative_to(TREE).as_posix() not in files:
            path.unlink()


def blamed(places, mutants):
    """Returns the mutants of lines with errors, and the errors elsewhere."""
    guilty, others = set(), []
    for file, line, what in places:
        name = os.path.relpath(file, TREE)
        here = {m["id"] for m in mutants if m["file"] == name
                for begin, end, _, _ in m["edits"] if lines_of(name, begin) <= line <= lines_of(name, end)}
        guilty |= here
        if not here:
            others.append((name, line, what))
    return guilty, others


def lines_of(name, offset):
    return (ROOT / name).read_bytes().count(b"\n", 0, offset) + 1


def settle(db, chosen):
    """Writes the copy without the mutants that clang quickly finds not to compile. Returns the
    other mutants."""
    born = set(read_json("stillborn.json", []))
    while True:
        mutants = [m for m in chosen if m["id"] not in born]
        files, overlapping = contents(mutants)
        if overlapping:
            mutants = [m for m in mutants if m["number"] not in overlapping]
            files, _ = contents(mutants)
        write_copy(files)
        # Headers are checked first, because an error there costs a build of everything. An error in
        # a source costs only itself.
        headers = hashlib.sha1(b"".join(files[n] for n in sorted(files) if n.startswith("include/"))).hexdigest()
        if read_json("checked.json", "") == headers:
            return mutants
        wrong = collect.errors(collect.parse(TREE, db, None, [n for n in collect.sources(ROOT) if n.startswith("include/")]))
        guilty, others = blamed(wrong, mutants)
        if not wrong:
            write_json("checked.json", headers)
            return mutants
        if not guilty:
            raise SystemExit(f"clang finds errors outside of the mutants: {others[:5]}")
        say(f"{len(guilty)} mutants do not compile: {' '.join(sorted(guilty))}")
        born |= guilty
        write_json("stillborn.json", sorted(born))


def build(db, chosen, options):
    """Compiles the chosen tests with the mutants, without those that g++ refuses."""
    for _ in range(12):
        mutants = settle(db, chosen)
        configure()  # even if there is a build, because tests may have been added
        tests = [t for t in testing.all_tests(BUILD)
                 if re.search(options.by, t["name"]) and not (options.without and re.search(options.without, t["name"]))]
        targets = sorted({testing.target_of(t) for t in tests})
        say(f"building {len(mutants)} mutants into {len(targets)} programs")
        with open(WORK / "build.log", "w") as log:
            code = subprocess.run(["ninja", "-C", BUILD, "-j", str(options.jobs), "-k", "0", *targets], stdout=log, stderr=log).returncode
        if code == 0:
            return mutants, tests
        text = (WORK / "build.log").read_text(errors="replace")
        wrong = [(f if os.path.isabs(f) else str(BUILD / f), int(n), what)
                 for f, n, what in re.findall(r"^([^\s:]+):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", text, re.M)]
        # If a template is instantiated for a type that does not fit, g++ names lines of the copy
        # before the error.
        wrong += [(f if os.path.isabs(f) else str(BUILD / f), int(n), "") for f, n in re.findall(r"^([^\s:]+):(\d+):(?:\d+:)?   required from", text, re.M)
                  if not wrong]
        guilty, others = blamed(wrong, mutants)
        if not guilty:
            raise SystemExit(f"the build fails, see {WORK / 'build.log'}: {others[:3]}")
        say(f"{len(guilty)} mutants do not compile: {' '.join(sorted(guilty))}")
        write_json("stillborn.json", sorted(set(read_json("stillborn.json", [])) | guilty))
    raise SystemExit(f"the build fails again and again, see {WORK / 'build.log'}")


def configure():
    run = subprocess.run(["cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Mutants", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_CXX_FLAGS_MUTANTS=-O1 -DNDEBUG -w",
                          f"-DCMAKE_RUNTIME_OUTPUT_DIRECTORY={BUILD / 'bin'}", "-DARGOSY_BUILD_EXAMPLES=OFF", "-DARGOSY_BUILD_BENCHMARKS=OFF",
                          "-DARGOSY_ENABLE_INSTALL=OFF", "-DARGOSY_WARNINGS_AS_ERRORS=OFF"], capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(run.stdout + run.stderr)


# --- What the tests reach -----------------------------------------------------------------------


def survey(tests, mutants, jobs):
    """Runs each test once without a mutant, for its time and the places that it reaches. The result
    is cached while its program is unchanged."""
    kept = read_json("base.json", {})
    size = max(read_json("numbers.json", {}).values()) + 1

    def one(t):
        of = f"{testing.made_at(t, BUILD)} {' '.join(map(str, t['command']))}"
        known = kept.get(t["name"])
        if known and known["of"] == of and known["size"] >= size and known["verdict"] == "passed":
            return
        marks = WORK / f"reached.{t['name']}"
        marks.write_bytes(bytes(size))
        verdict, seconds, processor = testing.run(t, WORK, dict(seconds=600, processor=300), argparse.Namespace(factor=1, slack=15), 0, marks)
        reached = [i for i, b in enumerate(marks.read_bytes()) if b]
        marks.unlink()
        kept[t["name"]] = dict(of=of, size=size, verdict=verdict, seconds=seconds, processor=processor, reached=reached)
        with lock:
            write_json("base.json", kept)
        if verdict != "passed":
            say(f"{t['name']} fails without any mutant ({verdict}): left out")

    lock = threading.Lock()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, tests))
    usable = []
    for t in tests:
        if kept[t["name"]]["verdict"] == "passed":
            usable.append(t | kept[t["name"]] | {"reached": set(kept[t["name"]]["reached"])})
    return usable


def order(m, tests):
    return sorted((t for t in tests if m["number"] in t["reached"]), key=lambda t: (testing.near(t, m["room"]), t["seconds"]))


# --- Running ------------------------------------------------------------------------------------


def state_of(tests):
    """Returns a hash of the code and the tests. Results are valid for that state only."""
    return hashlib.sha1("".join(t["of"] for t in sorted(tests, key=lambda t: t["name"])).encode()).hexdigest()[:12]


def results(path):
    last = {}
    if path.exists():
        for line in path.read_text().splitlines():
            r = json.loads(line)
            last[r["id"]] = r
    return last


def run_one(m, tests, options):
    began, spent, left_out = time.time(), 0.0, 0
    list_ = order(m, tests)
    if not list_:
        return dict(verdict="unreached", by="", seconds=0, ran=0)
    for i, t in enumerate(list_):
        if options.budget and spent + t["seconds"] > options.budget and i > 0:
            left_out += 1
            continue
        output = open(WORK / "logs" / f"{m['id']}.{t['name']}.log", "w") if options.only else None
        verdict, seconds, _ = testing.run(t, WORK, t, options, m["number"], output=output)
        spent += seconds
        if options.only:
            output.close()
            say(f"{m['id']} {t['name']}: {verdict} after {seconds:.1f} s, {output.name}")
        if verdict != "passed":
            return dict(verdict="killed", by=f"{t['name']} ({verdict})", seconds=round(spent, 1), ran=i + 1 - left_out)
    return dict(verdict="survived", by="", seconds=round(spent, 1), ran=len(list_) - left_out, left_out=left_out)


def run_all(mutants, tests, options):
    path = WORK / "results.jsonl"
    state, known = state_of(tests), results(path)
    todo = [m for m in mutants if options.only or not (r := known.get(m["id"])) or (r["of"] != state and not (options.keep and r["verdict"] == "killed"))]
    say(f"{len(todo)} of {len(mutants)} mutants to run")
    (WORK / "logs").mkdir(exist_ok=True)
    done = 0
    lock = threading.Lock()
    deadline = time.time() + options.minutes * 60 if options.minutes else None

    def one(m):
        nonlocal done
        if deadline and time.time() > deadline:
            return
        r = dict(id=m["id"], of=state) | run_one(m, tests, options)
        if stopping.is_set():
            return
        with lock, open(path, "a") as out:
            out.write(json.dumps(r) + "\n")
            done += 1
            print(f"{done}/{len(todo)} {r['verdict']:9} {m['id']:8} {m['file']}:{m['line']} [{m['rule']}] {short(m['what'])} "
                  f"{r['by']} {r['seconds']} s, {r['ran']} tests", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, todo))
    return {m["id"]: r for m in mutants if (r := results(path).get(m["id"]))}


# --- Reporting ----------------------------------------------------------------------------------


def short(text, width=100):
    text = " ".join(text.split())
    return text if len(text) <= width else text[:width - 3] + "..."


def accepted():
    """Returns the keys that docs/develop/lab/mutants.md lists as equivalent or accepted."""
    page = ROOT / "docs/develop/lab/mutants.md"
    found = {}
    section = ""
    for line in page.read_text().splitlines() if page.exists() else []:
        if line.startswith("#"):
            section = line.strip("# ").lower()
        elif (m := re.match(r"\| `(\w+)` \|", line)) and section in ("equivalent", "accepted"):
            found[m.group(1)] = section
    return found


def tell(mutants, outcome):
    known = accepted()
    lines = ["| mutant | where | rule | what | end |", "|---|---|---|---|---|"]
    for m in sorted(mutants, key=lambda m: (m["room"], m["file"], m["line"])):
        r = outcome.get(m["id"])
        end = "not run" if not r else f"{r['by']}, {r['seconds']} s" if r["verdict"] == "killed" else r["verdict"]
        what = short(m["what"], 160).replace("|", "\\|")
        lines.append(f"| `{m['id']}` | {m['file']}:{m['line']} | {m['rule']} | `{what}` | {end} |")
    (WORK / "report.md").write_text("\n".join(lines) + "\n")
    print("\n| room | killed | survived | unreached | equivalent | accepted | killed of those that change anything |\n|---|---:|---:|---:|---:|---:|---:|")
    totals = {}
    for m in mutants:
        r = outcome.get(m["id"])
        if r:
            verdict = known.get(m["id"], r["verdict"]) if r["verdict"] != "killed" else "killed"
            for room in (m["room"], "laboratory" if collect.is_lab(m["room"]) else "product"):
                totals.setdefault(room, {}).setdefault(verdict, []).append(m)
    for room in [r for r in collect.ROOMS if not collect.is_lab(r)] + ["product"] + GROUPS["lab"] + ["laboratory"]:
        if room in totals:
            n = {v: len(totals[room].get(v, [])) for v in ("killed", "survived", "unreached", "equivalent", "accepted")}
            changing = sum(n.values()) - n["equivalent"]
            share = f"{100 * n['killed'] / changing:.0f} %" if changing else ""
            print(f"| {room} | {n['killed']} | {n['survived']} | {n['unreached']} | {n['equivalent']} | {n['accepted']} | {share} |")
    failed = [m for m in mutants if (r := outcome.get(m["id"])) and r["verdict"] != "killed" and m["id"] not in known]
    if failed:
        print("\nNot noticed:")
        for m in sorted(failed, key=lambda m: (m["room"], m["file"], m["line"])):
            print(f"  {m['id']} {outcome[m['id']]['verdict']:9} {m['file']}:{m['line']} [{m['rule']}] {short(m['what'], 140)}\n           {m['text']}")
    say(f"all of them: {WORK / 'report.md'}")
    print(f"{len(outcome) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def stop(*_):
    """Ends the running tests, too. Their results do not count."""
    stopping.set()
    testing.kill_marked("")
    os._exit(143)


def main():
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    o = argparse.ArgumentParser(prog="cmake/mutants.sh", description="Breaks the code in small ways, one at a time, and runs the tests: who notices?")
    o.add_argument("--count", type=int, default=20, help="so many that the rules make (default 20; 0: none)")
    o.add_argument("--seed", default="1", help="which are drawn; a word or a number")
    o.add_argument("--room", action="append", help="of a room, or of product, lab, all (default: all); ROOM:N draws N there; may be repeated")
    o.add_argument("--files", metavar="REGEX", default="", help="of files whose names it matches, for instance protocol/")
    o.add_argument("--all", action="store_true", help="with --files: every one that the rules make, not a draw")
    o.add_argument("--hand", action="store_true", help="also those of test/lab/mutants/*.toml")
    o.add_argument("--only", help="these, by their ids, with the output of all tests")
    o.add_argument("--list", action="store_true", help="show them, build nothing")
    o.add_argument("--tests", action="store_true", help="show which tests each would meet, in which order")
    o.add_argument("--jobs", type=int, default=2, help="programs at a time (default 2)")
    o.add_argument("--budget", type=float, default=0, help="seconds of tests for each mutant; tests that do not fit are left out (default: all)")
    o.add_argument("--by", metavar="REGEX", default="", help="build and run only tests whose names it matches (default: all)")
    o.add_argument("--without", metavar="REGEX", help="leave out tests whose names it matches, for instance np[5-9]")
    o.add_argument("--factor", type=float, default=5, help="a test may take so many times its usual time (default 5) ...")
    o.add_argument("--slack", type=float, default=15, help="... and so many seconds more (default 15)")
    o.add_argument("--minutes", type=float, default=0, help="begin no other mutant after so many")
    o.add_argument("--keep", action="store_true", help="what was killed before counts, though code or tests have changed since")
    options = o.parse_args()
    options.room = options.room or ["all"]
    WORK.mkdir(parents=True, exist_ok=True)
    db, chosen = choose(options)
    if options.list:
        for m in chosen:
            print(f"{m['id']:8} {m['file']}:{m['line']} [{m['rule']}] {short(m['what'], 140)}")
        return 0
    mutants, tests = build(db, chosen, options)
    usable = survey(tests, mutants, options.jobs)
    if options.tests:
        for m in mutants:
            print(f"{m['id']:8} {m['file']}:{m['line']} [{m['rule']}]: " + ", ".join(f"{t['name']} {t['seconds']:.1f} s" for t in order(m, usable)))
        return 0
    outcome = run_all(mutants, usable, options)
    gone = len(chosen) - len(mutants)
    if gone:
        say(f"{gone} of {len(chosen)} do not compile, or lie across others")
    return tell(mutants, outcome)


if __name__ == "__main__":
    sys.exit(main())
