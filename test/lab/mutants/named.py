# Finds the places of mutants written by hand (test/lab/mutants/*.toml) in the code. As a program,
# it checks that each place exists exactly once:
#   named.py [REPOSITORY]
# SPDX-License-Identifier: BSD-3-Clause
import sys
import tomllib
from pathlib import Path


def found(root):
    """Returns the mutants that are found, each with its place in the file, and messages about the
    others."""
    places, wrong = [], []
    for listing in sorted((root / "test/lab/mutants").glob("*.toml")):
        for one in tomllib.loads(listing.read_text())["mutant"]:
            source = root / one["file"]
            text = source.read_bytes() if source.exists() else b""
            pattern = one["pattern"].encode()
            after = one.get("after", one["pattern"]).encode()
            begin = text.find(pattern, text.find(after))
            if text.count(after) != 1 or begin < 0:
                wrong.append(f"{listing.name}: {one['name']}: {after.decode()!r} is {text.count(after)} times in {one['file']}")
            else:
                places.append(dict(one, text=text, begin=begin, end=begin + len(pattern)))
    return places, wrong


if __name__ == "__main__":
    places, wrong = found(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[3]))
    print("\n".join(wrong) if wrong else f"{len(places)} mutants written by hand are where the code is")
    sys.exit(bool(wrong))
