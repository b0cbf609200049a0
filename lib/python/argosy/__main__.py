"""The command argosy of the wheel."""
# SPDX-License-Identifier: BSD-3-Clause
import sys

from argosy import CMAKE_DIR, DROP_IN, doctor, run

USAGE = """usage: argosy run [OPTION]... COMMAND...
       argosy doctor COMMAND...
       argosy --preload | --cmake-dir

  run          runs a program, or a launcher of MPI with its program, on argosy's files
               (argosy run --help)
  doctor       says which MPI library a command uses, and whether argosy reaches it
  --preload    prints the path of the library for LD_PRELOAD
  --cmake-dir  prints the folder of argosyConfig.cmake, for cmake -D argosy_DIR=
"""


def main(arguments=None):
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["run"]:
        return run.main(words[1:])
    if words[:1] == ["doctor"]:
        return doctor.main(words[1:])
    if words == ["--preload"]:
        print(DROP_IN)
        return 0
    if words == ["--cmake-dir"]:
        if not CMAKE_DIR.exists():
            print(f"argosy: {CMAKE_DIR} is missing; install the wheel", file=sys.stderr)
            return 1
        print(CMAKE_DIR)
        return 0
    asked = words in (["--help"], ["-h"])
    print(USAGE, end="", file=sys.stdout if asked else sys.stderr)
    return 0 if asked else 2


if __name__ == "__main__":
    sys.exit(main())
