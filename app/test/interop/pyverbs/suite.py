# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Run rdma-core's own pyverbs tests, as Debian ships them, on the software ConnectX.

One line per test, then "N passed, N failed, N errors, N skipped". Each version of rdma-core has its
folder of lists in app/test/interop/pyverbs: modules, skips, wrong and variants. Each module of the
tests must be listed, with the reason if it does not run. The tests that skip must be those of the
list of expected skips, each listed there with its reason. Tests that are known to be wrong must fail
as listed, which the last line counts as skipped, and pass when they are corrected.
"""

import argparse
import collections
import ctypes
import errno
import functools
import gzip
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "programs"))

# pylint: disable=wrong-import-position
from patience import LONG_S, WAIT_S  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
# A folder for each version of rdma-core whose tests were looked at.
LISTS = HERE
DEVTOOLS = HERE.parents[3] / "devtools"
INSTALLED = pathlib.Path("/usr/share/doc/rdma-core/tests")
# pyverbs is an extension of the system's Python, whatever else is first in PATH.
PYTHON = "/usr/bin/python3"
EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_SKIPS, EXIT_UNAVAILABLE = 0, 1, 2, 3, 77
# As many as the tests need that run at the same time, and some.
MIN_HUGEPAGES = 8
VERDICTS = {"PASS": "passed", "FAIL": "failed", "ERROR": "errors", "SKIP": "skipped",
            "LEFT": "not run"}
# The verdict on a test that is wrong and failed for that.
WRONG = "WRONG"

Result = collections.namedtuple("Result", "id verdict reason detail seconds")


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__, prog=os.environ.get("PYVERBS_PROG"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="""exit status:
  0   no test failed, and the skips are the expected ones
  1   a test failed, had an error or took too long
  2   wrong usage
  3   no test failed, but a skip is not expected, or an expected skip did not skip
  77  pyverbs is not installed

SWHCA_DEVICES, SWHCA_LOG and the other variables of swhca-run (see its --help) choose the device.
Output and tracebacks of the tests are in DIR/logs/MODULE.log.""")
    parser.add_argument("modules", nargs="*", metavar="module",
                        help="a module (test_qp), class (test_qp.QPTest) or test; default: those"
                        " of modules.txt; what follows -- goes to the tests (--dev, --gid)")
    parser.add_argument("--dir", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--swhca-run", default=str(DEVTOOLS / "swhca-run"),
                        help=argparse.SUPPRESS)
    parser.add_argument("--as-is", action="store_true", help="with the devices that are there, not"
                        " below swhca-run; without the tests that want them of another kind")
    parser.add_argument("--list", action="store_true", help="name the default modules and exit")
    parser.add_argument("--rdma-core", type=int, metavar="VERSION",
                        help="whose lists to take (default: that of python3-pyverbs, or the last"
                        " before it)")
    parser.add_argument("--skips", type=pathlib.Path, metavar="FILE",
                        help="expected skips (default: skips.txt of the lists)")
    parser.add_argument("--leave-out", action="append", default=[], metavar="TEST",
                        help="do not run this test")
    parser.add_argument("--tap", action="store_true", help="report in the Test Anything Protocol;"
                        " everything else goes to the errors")
    parser.add_argument("--timeout", type=float, default=2 * WAIT_S, metavar="SECONDS",
                        help="longest time for a test (default: %(default)g)")
    parser.add_argument("--module-timeout", type=float, default=0.9 * LONG_S, metavar="SECONDS",
                        help="longest time for a module (default: %(default)g)")
    parser.add_argument("--verbose", action="store_true", help="show tracebacks")
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    args = parser.parse_args(words[:split])
    args.arguments = words[split + 1:]
    args.tap = Tap() if args.tap else None
    args.lists = lists_of(args.rdma_core or installed_version())
    args.skips = args.skips or args.lists / "skips.txt"
    return args


class Tap:
    """Results in the Test Anything Protocol, on what was the output."""

    def __init__(self):
        self.out = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
        os.dup2(2, 1)
        self.nb = 0

    def line(self, verdict, name, directive=""):
        self.nb += 1
        print(f"{verdict} {self.nb} - {name}{directive}", file=self.out)

    def result(self, result):
        """A result; those of tests that are wrong count as skipped."""
        if result.verdict in ("SKIP", "LEFT", WRONG):
            self.line("ok", result.id, f" # SKIP {first_line(result.reason)}")
        else:
            self.line("ok" if result.verdict == "PASS" else "not ok", result.id)

    def end(self, complaints):
        """Complaints about skips are cases that failed."""
        for complaint in complaints:
            self.line("not ok", complaint)
        print(f"1..{self.nb}", file=self.out)


def installed_version():
    """Version of the tests, or 0 if nobody knows."""
    try:
        text = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "python3-pyverbs"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                              text=True).stdout
    except OSError:
        text = ""
    return int(re.match(r"\d*", text).group() or 0)


def lists_of(version):
    """Folder of the lists for a version: its own, or those of the last one before it."""
    known = sorted(int(path.name) for path in LISTS.iterdir() if path.name.isdigit())
    return LISTS / str(max([n for n in known if n <= version], default=known[0]))


def words_of(path):
    """Lines of a list, without comments."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield line


# ---- the tests --------------------------------------------------------------------------------

def downloaded_tests(folder):
    """The tests out of the package: images for containers leave /usr/share/doc out."""
    version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "python3-pyverbs"],
                             check=True, stdout=subprocess.PIPE, text=True).stdout
    subprocess.run(["apt-get", "-q", "-o", "Acquire::Retries=3", "download",
                    "python3-pyverbs=" + version], cwd=folder, check=True, timeout=WAIT_S)
    package = next(folder.glob("python3-pyverbs_*.deb"))
    subprocess.run(["dpkg-deb", "-x", package, folder / "package"], check=True)
    return folder / "package" / INSTALLED.relative_to("/")


def unpack_tests(folder):
    """Copy the tests to folder, uncompressed. Several of us may do that at the same time."""
    if (folder / "base.py").is_file():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as work:
        work = pathlib.Path(work)
        source = INSTALLED if any(INSTALLED.glob("base.py*")) else downloaded_tests(work)
        (work / "tests").mkdir()
        for path in source.iterdir():
            target = work / "tests" / path.name
            if path.suffix == ".gz":
                target.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
            else:
                shutil.copyfile(path, target)
        try:
            (work / "tests").rename(folder)
        except OSError:
            if not (folder / "base.py").is_file():
                raise


def crypto_details(folder):
    """Credentials and keys that the crypto tests want, in a file."""
    path = folder / "crypto.json"
    text = subprocess.run([sys.executable, str(DEVTOOLS / "check/crypto-test-info.py")], check=True,
                          stdout=subprocess.PIPE).stdout
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as output:
        output.write(text)
    os.replace(output.name, path)
    return str(path)


# ---- tests that are wrong ----------------------------------------------------------------------

# What is wrong with a test, and what stands there instead since it was corrected.
Wrong = collections.namedtuple("Wrong", "text correction failure reason")


def wrong_tests(folder, path):
    """Tests whose source has what is known to be wrong: {id: Wrong}."""
    wrong = {}
    for line in words_of(path):
        name, *fields = [field.strip() for field in line.split(" | ")]
        if len(fields) != len(Wrong._fields):
            raise ValueError(f"{path}: not 'ID | TEXT | CORRECTION | FAILURE | REASON': {line}")
        source = folder / (name.split(".")[0] + ".py")
        if source.is_file() and fields[0] in source.read_text(encoding="utf-8"):
            wrong[name] = Wrong(*fields)
    return wrong


def corrected_tests(folder, name, wrong, target):
    """Copy the tests, with the wrong ones of a module corrected; the folder of the copy."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target / folder.name)
    source = target / folder.name / (name + ".py")
    text = source.read_text(encoding="utf-8")
    for what in wrong:
        text = text.replace(what.text, what.correction)
    source.write_text(text, encoding="utf-8")
    return target / folder.name


# ---- running a module -------------------------------------------------------------------------

class Run:
    """One child process and what it reported."""

    def __init__(self, args, module, log):
        self.args = args
        self.temp = tempfile.mkdtemp(prefix="tmp.", dir=args.dir)
        self.read_fd, write_fd = os.pipe()
        request = {"folder": str(module.folder), "arguments": args.arguments,
                   "module": module.name, "wanted": module.wanted,
                   "done": ["tests." + name for name in (*module.done, *module.elsewhere)]}
        self.process = subprocess.Popen(
            [*([] if args.as_is else [args.swhca_run]), PYTHON, str(HERE / "child.py"),
             str(write_fd), json.dumps(request)],
            pass_fds=[write_fd], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            cwd=args.dir, env=dict(os.environ, TMPDIR=self.temp, **module.env),
            start_new_session=True)
        os.close(write_fd)
        self.buffer = b""

    def events(self, deadline_of):
        """Events until the child ends; TimeoutError when deadline_of() has passed.

        The end of the pipe is not enough: what a test forked and forgot may hold it.
        """
        while True:
            left = deadline_of() - time.monotonic()
            if left <= 0 or not select.select([self.read_fd], [], [], left)[0]:
                raise TimeoutError
            data = os.read(self.read_fd, 65536)
            if not data:
                return
            *lines, self.buffer = (self.buffer + data).split(b"\n")
            for line in lines:
                event = json.loads(line)
                if event["event"] == "end":
                    return
                yield event

    def close(self, late):
        """End what still runs and remove what it left. Exit status of the child."""
        patience = ((signal.SIGTERM, 5), (signal.SIGKILL, None))
        for number, patience_s in patience if late else ((None, 5),) + patience:
            try:
                if number is not None:
                    os.killpg(self.process.pid, number)
                self.process.wait(patience_s)
                break
            except subprocess.TimeoutExpired:
                continue
        os.close(self.read_fd)
        try:
            # What a test forked and forgot.
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        shutil.rmtree(self.temp, ignore_errors=True)
        return self.process.returncode


def status_text(status):
    """Exit status of swhca-run, which is that of a shell."""
    number = -status if status < 0 else status - 128
    if number in {int(known) for known in signal.Signals}:
        return f"killed by {signal.Signals(number).name}"
    return f"exited with status {status}"


class Module:
    """Runs the tests of one module; goes on with the next test after a crash or a hang.

    Those named in elsewhere are left to a run with another environment; those of withheld, with the
    reason, skip without being run.
    """

    def __init__(self, args, name, wanted, show, *, env=None, elsewhere=(), withheld=None,
                 log_name=None, folder=None, note=""):
        self.args = args
        self.folder = folder or args.dir / "tests"
        self.note = note
        self.name = name
        self.wanted = wanted
        self.show = show
        self.env = env or {}
        self.elsewhere = elsewhere
        self.withheld = withheld or {}
        self.wrong = wrong_tests(self.folder, args.lists / "wrong.txt")
        self.log_path = args.dir / "logs" / ((log_name or name) + ".log")
        self.deadline = time.monotonic() + args.module_timeout
        self.plan = None
        self.done = {}
        self.link_layer = "none"

    def finish(self, test, verdict, reason="", detail="", seconds=0.0):
        """Take the verdict on a test and show it."""
        name = test.removeprefix("tests.")
        wrong = self.wrong.get(name)
        if wrong and verdict == "FAIL" and wrong.failure in reason + detail:
            verdict, reason = WRONG, f"as expected: {wrong.reason}"
        elif wrong and verdict == "PASS":
            verdict, reason = "FAIL", f"passed, but expects what is wrong: {wrong.reason}"
        if name not in self.done:
            self.done[name] = Result(name, verdict, reason or self.note, detail, seconds)
            self.show(self.done[name])

    def left(self):
        """Tests that have no verdict yet."""
        settled = {*self.done, *self.elsewhere}
        return [test for test in self.plan or [] if test.removeprefix("tests.") not in settled]

    def run_once(self, log):
        """Run the tests that are left in one child."""
        run = Run(self.args, self, log)
        current, limit, late = None, self.args.timeout, False
        test_deadline = time.monotonic() + limit
        try:
            for event in run.events(lambda: min(test_deadline, self.deadline)):
                if event["event"] == "info":
                    self.link_layer = event["link_layer"]
                elif event["event"] == "plan":
                    self.plan = event["ids"]
                elif event["event"] == "start":
                    current, test_deadline = event["id"], time.monotonic() + limit
                else:
                    del event["event"]
                    current = None
                    self.finish(event.pop("id"), **event)
        except TimeoutError:
            late = True
        status = run.close(late)
        if late:
            reason = f"no end after {limit:g} s" if time.monotonic() < self.deadline else \
                f"the module's {self.args.module_timeout:g} s are over"
            self.finish(current or self.name, "ERROR", reason)
        elif current is not None or status != 0:
            self.finish(current or self.name, "ERROR", status_text(status))

    def run(self):
        """Run all tests; the verdicts are in done."""
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        for test, reason in self.withheld.items():
            self.finish(test, "SKIP", reason)
        with self.log_path.open("w", encoding="utf-8") as log:
            self.run_once(log)
            while self.left() and time.monotonic() < self.deadline:
                before = len(self.done)
                self.run_once(log)
                if len(self.done) == before:
                    break
            if not self.plan and not self.done and not self.elsewhere:
                self.finish(self.name, "ERROR", "no such test")
            # One that had an error was the last.
            ends = [result.id for result in self.done.values() if result.verdict == "ERROR"]
            for test in self.left():
                self.finish(test, "LEFT" if ends else "ERROR", " ".join(["not run behind", *ends]))
            for result in self.done.values():
                if result.detail:
                    log.write(f"==== {result.verdict} {result.id}\n{result.detail}")


# ---- expected skips ---------------------------------------------------------------------------

@functools.lru_cache(maxsize=None)
def nb_hugepages(kind):
    """Hugepages that the tests see ("nr") or can have ("free"), as it was when first asked."""
    path = pathlib.Path(f"/sys/kernel/mm/hugepages/hugepages-2048kB/{kind}_hugepages")
    return int(path.read_text(encoding="ascii")) if path.is_file() else 0


def may_share_hugepages():
    """May we ask for System V segments of hugepages? Root in a container often may not, either."""
    libc = ctypes.CDLL(None, use_errno=True)
    # IPC_PRIVATE, IPC_CREAT | SHM_HUGETLB | 0600, IPC_RMID: linux/ipc.h, linux/shm.h
    segment = libc.shmget(0, ctypes.c_size_t(2 << 20), 0o1000 | 0o4000 | 0o600)
    if segment < 0:
        return ctypes.get_errno() != errno.EPERM
    libc.shmctl(segment, 0, None)
    return True


def expected_skips(path, link_layer, only=None):
    """Tests that skip here and why, {id: reason}: lines "ID CONDITION REASON".

    With names of conditions, those under one of these only.
    """
    has_hugepages = bool(nb_hugepages("nr"))
    can_have_hugepages = nb_hugepages("free") >= MIN_HUGEPAGES
    holds = {"always": True, "infiniband": link_layer == "infiniband",
             "ethernet": link_layer == "ethernet", "no-hugepages": not has_hugepages,
             "taken-hugepages": has_hugepages and not can_have_hugepages,
             "withheld-hugepages": has_hugepages and can_have_hugepages and
                                   not may_share_hugepages()}
    skips = {}
    for line in words_of(path):
        fields = line.split(maxsplit=2)
        if len(fields) != 3 or fields[1] not in holds:
            raise ValueError(f"{path}: not 'ID CONDITION REASON': {line}")
        if holds[fields[1]] and (only is None or fields[1] in only):
            skips[fields[0]] = fields[2]
    return skips


def first_line(text):
    return text.strip().split("\n")[0]


def compare_skips(modules, path):
    """The list of skips as they should be, and complaints about others: one line each."""
    right, complaints = [], []
    for module in modules:
        expected = expected_skips(path, module.link_layer)
        for result in module.done.values():
            if result.verdict == "SKIP" and result.id in expected:
                right.append(f"skipped as expected: {result.id}: {expected[result.id]}")
            elif result.verdict == "SKIP":
                complaints.append(f"skip not expected: {result.id}: {first_line(result.reason)}")
            elif result.id in expected and result.verdict != "LEFT":
                complaints.append(f"expected to skip, but {result.verdict}: {result.id}")
        known = {test.removeprefix("tests.") for test in module.plan or []}
        if module.wanted == [module.name] and module.plan is not None:
            complaints += [f"expected to skip, but unknown: {test}" for test in sorted(expected)
                           if test.split(".")[0] == module.name and test not in known]
    return right, complaints


# ---- all together -----------------------------------------------------------------------------

def show_line(verbose, tap):
    """Function that shows a result: one line."""
    def show(result):
        if tap is not None:
            tap.result(result)
        reason = first_line(result.reason)
        print(f"{result.verdict:<5} {result.id} ({result.seconds:.2f} s){': ' if reason else ''}{reason}",
              flush=True)
        if verbose and result.detail:
            print(result.detail, flush=True)
    return show


def is_wanted(test, wanted):
    """Is a test among modules, classes and tests?"""
    return any((test + ".").startswith(prefix + ".") for prefix in wanted)


def variants_of(path, module_name, wanted):
    """Tests of a module that want a device of another kind: {environment: ids}."""
    variants = {}
    for line in words_of(path):
        test, setting = line.split()
        if is_wanted(test, wanted) and test.split(".")[0] == module_name:
            variants.setdefault(setting, []).append(test)
    return variants


def modules_of(args, name, wanted):
    """A module as one run, and one more for each kind of device that some of its tests want."""
    show = show_line(args.verbose, args.tap)
    variants = variants_of(args.lists / "variants.txt", name, wanted)
    elsewhere = {test for tests in variants.values() for test in tests}.union(args.leave_out)
    modules = []
    withheld = expected_skips(args.skips, None, only=("taken-hugepages", "withheld-hugepages"))
    withheld = {test: reason for test, reason in withheld.items() if is_wanted(test, wanted)}
    if not elsewhere.issuperset(wanted):
        modules.append(Module(args, name, wanted, show, elsewhere=elsewhere, withheld=withheld))
    for setting, tests in () if args.as_is else variants.items():
        modules.append(Module(args, name, tests, show, env=dict([setting.split("=", 1)]),
                              log_name=f"{name}.{setting}"))
    wrong = {test: what
             for test, what in wrong_tests(args.dir / "tests", args.lists / "wrong.txt").items()
             if is_wanted(test, wanted) and test not in args.leave_out}
    if wrong:
        folder = corrected_tests(args.dir / "tests", name, wrong.values(),
                                 args.dir / "corrected" / name)
        modules.append(Module(args, name, list(wrong), show, folder=folder,
                              log_name=f"{name}.corrected", note="corrected"))
    return modules


def modules_that_run(args):
    """Those of the list without a reason not to."""
    return [line.strip() for line in words_of(args.lists / "modules.txt") if ":" not in line]


def unlisted_modules(args):
    """A complaint about each module of the tests that the list does not know."""
    listed = {line.split(":")[0].strip() for line in words_of(args.lists / "modules.txt")}
    return [f"not in {args.lists.name}/modules.txt: {path.stem}"
            for path in sorted((args.dir / "tests").glob("test_*.py")) if path.stem not in listed]


def run_modules(args):
    # Python leaves to the end of the process what a device with a sanitizer would complain about.
    os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0")
    names = {}
    for word in args.modules or modules_that_run(args):
        names.setdefault(word.split(".")[0], []).append(word)
    modules = []
    for name, wanted in names.items():
        if not (args.dir / "tests" / (name + ".py")).is_file():
            print(f"{name}: no such module in {args.dir / 'tests'}", file=sys.stderr)
            return EXIT_USAGE
        modules += modules_of(args, name, wanted)
    counts = dict.fromkeys(VERDICTS, 0)
    for module in modules:
        module.deadline = time.monotonic() + args.module_timeout
        module.run()
        for result in module.done.values():
            counts["SKIP" if result.verdict == WRONG else result.verdict] += 1
        if any(result.verdict in ("FAIL", "ERROR") for result in module.done.values()):
            print(f"{module.name}: details in {module.log_path}", flush=True)
    right, complaints = compare_skips(modules, args.skips)
    # A newer package than the lists are of may have more.
    if installed_version() == int(args.lists.name):
        complaints += unlisted_modules(args)
    print("\n".join(right + complaints + [""]), end="")
    print(", ".join(f"{counts[verdict]} {word}" for verdict, word in VERDICTS.items()))
    if args.tap is not None:
        args.tap.end(complaints)
    if counts["FAIL"] or counts["ERROR"]:
        return EXIT_FAILED
    return EXIT_SKIPS if complaints else EXIT_OK


def main():
    args = parse_args()
    if args.list:
        print("\n".join(modules_that_run(args)))
        return EXIT_OK
    if subprocess.run([PYTHON, "-c", "import pyverbs.device"], stderr=subprocess.DEVNULL,
                      check=False).returncode != 0:
        reason = f"pyverbs: {PYTHON} has no such module; Debian's package is python3-pyverbs"
        print(reason)
        if args.tap is not None:
            print(f"1..0 # SKIP {reason}", file=args.tap.out)
            return EXIT_OK
        return EXIT_UNAVAILABLE
    args.dir = args.dir.resolve()
    try:
        unpack_tests(args.dir / "tests")
        if (DEVTOOLS / "check/crypto-test-info.py").is_file():
            os.environ.setdefault("MLX5_CRYPTO_TEST_INFO", crypto_details(args.dir))
    except (OSError, subprocess.SubprocessError) as error:
        print(f"cannot prepare the tests of rdma-core: {error}", file=sys.stderr)
        return EXIT_FAILED
    return run_modules(args)


if __name__ == "__main__":
    sys.exit(main())
