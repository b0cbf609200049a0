"""Tests the command argosy of the wheel, with launchers that print what they were given.

python3 test/python/run_command.py
"""
# SPDX-License-Identifier: BSD-3-Clause
import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lib/python"))

from argosy import AROUND, DROP_IN, __main__, doctor, run  # noqa: E402  (it is not installed)

LAUNCHER = """#!/bin/sh
if [ "$1" = --version ]; then echo "{words}"; exit; fi
for word; do printf '%s\\n' "$word"; done >"{out}"
cat argosy-run-*.hints >>"{out}" 2>/dev/null
env | grep -E '^(LD_PRELOAD|ARGOSY)' >>"{out}"
exit {status}
"""

# Runs the command once, with the variables of -x if `passes` is export.
RUNNING_LAUNCHER = """#!/bin/sh
if [ "$1" = --version ]; then echo "mpiexec (Open MPI) 5.0.11"; exit; fi
while [ $# -gt 0 ]; do
  case $1 in
    -x) {passes} "$2"; shift 2 ;;
    -n) shift 2 ;;
    *) break ;;
  esac
done
exec "$@"
"""


class RunCommand(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        # The variables of whoever runs the tests would be part of what is compared.
        own = ("LD_PRELOAD", "ARGOSY")
        before = {name: value for name, value in os.environ.items() if name.startswith(own)}
        for name in before:
            del os.environ[name]
        self.addCleanup(os.environ.update, before)

    def launcher(self, name, words, status=0):
        path = self.folder / name
        path.write_text(LAUNCHER.format(words=words, out=self.folder / "out", status=status))
        path.chmod(0o755)
        return str(path)

    def run_it(self, *words):
        """Returns the status, what was printed, and what the launcher got."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = __main__.main(["run", *words])
        got = self.folder / "out"
        return status, out.getvalue() + err.getvalue(), got.read_text().splitlines() if got.exists() else []

    def test_open_mpi_gets_variables_by_its_option(self):
        mpiexec = self.launcher("mpiexec", "mpiexec (OpenRTE) 4.1.4", status=3)
        status, _, got = self.run_it("--report", "--off", mpiexec, "-n", "2", "./program")
        self.assertEqual(status, 3)
        self.assertEqual(got[:9], ["-x", f"LD_PRELOAD={DROP_IN}:{AROUND}", "-x", "ARGOSY_REPORT=1", "-x", "ARGOSY_MPIIO=off",
                                   "-n", "2", "./program"])
        self.assertEqual(got[9:], [])  # the launcher itself has none of the variables

    def test_hydra_gets_variables_by_its_option(self):
        mpiexec = self.launcher("mpiexec.hydra", "Intel(R) MPI Library for Linux* OS")
        status, _, got = self.run_it("--trace", mpiexec, "-n", "2", "./program")
        self.assertEqual(status, 0)
        self.assertEqual(got, ["-genv", "LD_PRELOAD", str(DROP_IN), "-genv", "ARGOSY_TRACE", "calls", "-n", "2", "./program"])

    def test_other_commands_get_the_variables_themselves(self):
        status, _, got = self.run_it("--trace=phases", self.launcher("srun", ""), "./program")
        self.assertEqual(status, 0)
        self.assertEqual(got[0], "./program")
        self.assertEqual(set(got[1:]), {f"LD_PRELOAD={DROP_IN}", "ARGOSY_TRACE=phases"})

    def test_tools_of_the_user_stand_before_the_drop_in(self):
        os.environ["LD_PRELOAD"] = "libtool.so"
        self.addCleanup(os.environ.pop, "LD_PRELOAD", None)
        variables = run.environment_of(run.parse(["x"])[0], None)
        self.assertEqual(variables["LD_PRELOAD"], f"libtool.so:{DROP_IN}")

    def test_hints_are_in_a_file_while_the_command_runs(self):
        mpiexec = self.launcher("mpiexec", "mpiexec (Open MPI) 5.0.11")
        status, _, got = self.run_it("--hint", "cb_nodes=4", "--hint=a=b=c", mpiexec, "./program")
        self.assertEqual(status, 0)
        self.assertTrue(got[3].startswith("ARGOSY_HINTS_OVERRIDE=" + str(self.folder)))
        self.assertEqual(got[4:], ["./program", "cb_nodes 4", "a b=c"])
        self.assertEqual(list(self.folder.glob("*.hints")), [])

    def test_which_runs_nothing(self):
        mpiexec = self.launcher("mpiexec", "mpiexec (OpenRTE) 4.1.4")
        status, printed, got = self.run_it("--which", "--hint", "a=b", mpiexec, "-n", "1", sys.executable)
        self.assertEqual((status, got), (0, []))
        self.assertIn(f"-x LD_PRELOAD={DROP_IN} -x ARGOSY_HINTS_OVERRIDE=FILE -n 1", printed)
        self.assertIn("is linked to no MPI library", printed)

    def test_names_of_mpi_libraries(self):
        for name, part in (("libmpi.so.40", "openmpi.so"), ("libmpich.so.12", "mpich.so"), ("libmpi.so.12", "mpich.so"),
                           ("libmpi_abi.so.1", "standard.so"), ("libmpi.so.20", None), ("libc.so.6", None)):
            self.assertEqual(run.part_of(name), part, name)

    def doctor(self, *words):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = __main__.main(["doctor", *words])
        return status, out.getvalue()

    def test_doctor(self):
        """The probe is run by a launcher that passes variables on, and by one that does not."""
        libraries = self.folder / "lib"
        libraries.mkdir()
        drop_in = libraries / "libargosy-mpiio.so"
        with open("/proc/self/maps", encoding="utf-8") as maps:
            library = next(line.split()[-1] for line in maps if "/libm.so" in line or "/libm-" in line)
        drop_in.write_bytes(pathlib.Path(library).read_bytes())
        for module in (run, doctor):
            before, module.DROP_IN = module.DROP_IN, drop_in
            self.addCleanup(setattr, module, "DROP_IN", before)
        launcher = self.folder / "mpiexec"
        for passes, status in (("export", 0), (":", 1)):
            launcher.write_text(RUNNING_LAUNCHER.format(passes=passes))
            launcher.chmod(0o755)
            got, printed = self.doctor(str(launcher), "-n", "2", "/bin/true")
            self.assertEqual(got, status, printed)
            self.assertIn("a launcher of Open MPI", printed)
            self.assertIn("is linked to no MPI library", printed)
            self.assertIn("the drop-in is preloaded" if status == 0 else "does not pass LD_PRELOAD on", printed)
        self.assertEqual(self.doctor(str(launcher), "-n", "2", "./none")[0], 1)
        self.assertEqual(self.doctor("no-such-command")[0], 1)
        self.assertEqual(self.doctor()[0], 2)
        self.assertEqual(self.doctor("--nonsense")[0], 2)
        self.assertEqual(self.doctor("--help")[0], 0)

    def test_without_the_wheel(self):
        got, printed = self.doctor("/bin/true")
        self.assertEqual(got, 1)
        self.assertIn("there is no drop-in", printed)
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            self.assertEqual(__main__.main(["--cmake-dir"]), 1)
        self.assertIn("install the wheel", err.getvalue())

    def test_mistakes(self):
        for words, said in ((["--nonsense", "x"], "--nonsense is not an option"), (["--hint"], "--hint needs"),
                            (["--hint", "a", "x"], "--hint a: give"), (["--report"], "no command"), ([], "no command")):
            status, printed, _ = self.run_it(*words)
            self.assertEqual(status, 2)
            self.assertIn(said, printed)
        self.assertEqual(self.run_it("no-such-command")[0], 127)


if __name__ == "__main__":
    unittest.main()
