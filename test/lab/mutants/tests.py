# Lists the tests and the places that they reach, and runs one of them with a mutant on.
# SPDX-License-Identifier: BSD-3-Clause
import os
import re
import resource
import shutil
import signal
import subprocess
import time
import uuid
from pathlib import Path

# The tests of a room, which run first; explore comes next, and then the others.
OF_ROOM = {
    "layout": "layout static_layout serialize print draw filetype",
    "datatype": "element datatype process_grid darray memory mpi_datatype",
    "view": "filetype view representation",
    "plan": "view carry_out data_shipping",
    "policy": "data_shipping two_phase carry_out virtual_shipping scale",
    "error": "agree faults file handle_decorators",
    "wire": "wire service",
    "world": "self world service virtual_service",
    "agree": "agree faults",
    "handle": "posix handle_decorators trace gpfs_real guided_prefetch faults",
    "exchange": "carry_out guided_prefetch two_phase shipping virtual_shipping representation",
    "file": "file hints asio operation collective_steps merging merge_safety local_calls gpfs_together faults",
    "format": "headers npy checkpoint xdmf",
    "mpiio": "mpiio",
    "gpfs": "gpfs virtual_gpfs explore.gpfs guided_prefetch",
    "cluster": "virtual_cluster virtual_files virtual_service scale explore",
}
# Tests are the programs whose names begin with these words.
PROGRAMS = ("test_", "explore", "snippets_", "mpiio_")
NAME = r"\[?=?\[?([\w.]+)\]?=?\]?"  # name of a test, in a listing of ctest
# A test has shared memory and mounts of its own, which go when it ends.
ALONE = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs /dev/shm && exec "$@"', "sh"]
EXPLORE = {"explore.1": "--seeds 1:300", "explore.2": "--seeds 301:1500", "explore.gpfs": "--handle gpfs --seeds 1:500"}


def near(test, room):
    """Returns 0 for tests of the room, 1 for explore, 2 for others."""
    if any(test["name"].startswith(p) for p in OF_ROOM[room].split()):
        return 0
    return 1 if test["name"].startswith("explore") else 2


def all_tests(build):
    """Returns ctest's tests whose programs are tests, and explore. (ctest itself shows commands
    only of programs that are built.)"""
    tests = []
    for listing in sorted(build.rglob("CTestTestfile.cmake")):
        text = listing.read_text()
        said = {name: dict(re.findall(r'(PASS|FAIL)_REGULAR_EXPRESSION "([^"]*)"', words))
                for name, words in re.findall(rf"^set_tests_properties\({NAME} PROPERTIES (.*)\)$", text, re.M)}
        for name, words in re.findall(rf"^add_test\({NAME} (.*)\)$", text, re.M):
            command = re.findall(r'"([^"]*)"', words)
            if any(is_test(w, build) for w in command):
                tests.append(dict(name=name, command=command, **said.get(name, {})))
    for name, words in EXPLORE.items():
        tests.append(dict(name=name, command=[str(build / "bin/explore"), *words.split()]))
    return tests


def is_test(word, build):
    return word.startswith(str(build / "bin")) and Path(word).name.startswith(PROGRAMS)


def target_of(test):
    return next(Path(w).name for w in test["command"] if Path(w).name.startswith(PROGRAMS))


def made_at(test, build):
    """Returns the time when the newest of the program and the libraries in the test's command was
    made."""
    named = [Path(f) for w in test["command"] for f in re.findall(re.escape(str(build)) + r"[^\s:=]*", w)]
    return max(f.stat().st_mtime_ns for f in named if f.is_file())


def marked(mark):
    """Yields all processes with the mark of a run in their environment, also those that have left
    their group."""
    word = f"ARGOSY_MUTANT_RUN={os.getpid()}.{mark}".encode()
    for p in os.listdir("/proc"):
        if p.isdigit() and int(p) != os.getpid():
            try:
                if any(w.startswith(word) for w in Path(f"/proc/{p}/environ").read_bytes().split(b"\0")):
                    yield int(p)
            except OSError:
                pass


def processor_time(mark):
    """Returns the processor seconds of a run: of its processes, and of those that they waited for."""
    ticks = 0
    for p in marked(mark):
        try:
            ticks += sum(int(w) for w in Path(f"/proc/{p}/stat").read_text().rpartition(")")[2].split()[11:15])
        except OSError:
            pass
    return ticks / os.sysconf("SC_CLK_TCK")


def kill_marked(mark):
    for _ in range(5):
        found = list(marked(mark))
        for p in found:
            try:
                os.kill(p, signal.SIGKILL)
            except OSError:
                pass
        if not found:
            return
        time.sleep(0.05)


def ended(p, seconds):
    """Returns (exit code, processor time), or None if the process has not ended after so many
    seconds."""
    until = time.time() + seconds
    pause = 0.002
    while True:
        pid, status, used = os.wait4(p.pid, os.WNOHANG)
        if pid:
            p.returncode = os.waitstatus_to_exitcode(status)
            return p.returncode, used.ru_utime + used.ru_stime
        if time.time() > until:
            return None
        time.sleep(pause)
        pause = min(0.1, 1.5 * pause)


def wait(p, mark, usual, limits_of_time):
    """Returns the result of ended(), or None if the test hangs, or has used much more processor
    time than usual. A busy machine alone is no reason to end it."""
    factor, slack = limits_of_time.factor, limits_of_time.slack
    limit = factor * usual["seconds"] + slack
    began = time.time()
    if end := ended(p, limit):
        return end
    used = processor_time(mark)
    while used < factor * usual["processor"] + slack * 2 / 3 and time.time() - began < 8 * limit:
        if end := ended(p, 10):
            return end
        before, used = used, processor_time(mark)
        if used - before < 0.05:
            return None
    return None


def run(test, work, usual, limits_of_time, number=0, reached=None, output=None):
    """Runs a test, which may take `factor` times its usual time, and `slack` more. Returns (verdict,
    seconds, processor seconds); the verdict is "passed", or the reason why not."""
    mark = uuid.uuid4().hex
    directory = work / "tmp" / mark[:8]
    directory.mkdir(parents=True)
    environment = os.environ | {
        "TMPDIR": str(directory), "ARGOSY_MUTANT": str(number), "ARGOSY_MUTANT_RUN": f"{os.getpid()}.{mark}",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
        "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    }
    environment.pop("ARGOSY_MUTANT_REACHED", None)
    if reached:
        environment["ARGOSY_MUTANT_REACHED"] = str(reached)
    began = time.time()
    out = output or open(directory / "said" if test.keys() & {"PASS", "FAIL"} else os.devnull, "w")
    p = subprocess.Popen(ALONE + test["command"], cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                         start_new_session=True, preexec_fn=limits)
    code, used = wait(p, mark, usual, limits_of_time) or (None, 0)
    seconds = time.time() - began
    verdict = verdict_of(test, code, Path(out.name).read_text(errors="replace"))
    if out is not output:
        out.close()
    if verdict != "passed":
        kill_marked(mark)
        p.wait()
    shutil.rmtree(directory, ignore_errors=True)
    return verdict, seconds, used


def verdict_of(test, code, said):
    """Judges a test as ctest does: if the test has words by which it passes, its exit code does not
    count."""
    if code is None:
        return "time limit"
    found = {k: any(re.search(w, said, re.S) for w in test[k].split(";")) for k in ("PASS", "FAIL") if k in test}
    if found.get("FAIL") or not found.get("PASS", True):
        return "words"
    return "passed" if code == 0 or "PASS" in found else f"exit {code}" if code > 0 else f"signal {-code}"


def limits():
    """Forbids core files. If memory runs out, a mutant is the first process that the system ends.
    The limit is high, because large worlds and far pieces reserve much memory that they never
    touch."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (32 << 30, 32 << 30))
    Path("/proc/self/oom_score_adj").write_text("1000")
