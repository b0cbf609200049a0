"""The command argosy of the wheel."""
# SPDX-License-Identifier: BSD-3-Clause
import sys

from argosy import run

USAGE = """usage: argosy run [OPTION]... COMMAND...
       argosy --preload

  run         runs a program, or a launcher of MPI with its program, on argosy's files
              (argosy run --help)
  --preload   prints the path of the library for LD_PRELOAD
"""


def main(arguments=None):
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["run"]:
        return run.main(words[1:])
    if words == ["--preload"]:
        print(run.DROP_IN)
        return 0
    asked = words in (["--help"], ["-h"])
    print(USAGE, end="", file=sys.stdout if asked else sys.stderr)
    return 0 if asked else 2


if __name__ == "__main__":
    sys.exit(main())
