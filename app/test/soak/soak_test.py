# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Nothing is lost, nothing comes twice, no byte is wrong, and every status has a reason.

Usage: soak_test.py SWHCA_RUN DPDK_TEST_UMR SWHCA_CTL [few]
few: the cases that run what no other does, for builds with a sanitizer.
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import itertools
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "interop/programs"))
from case_runner import LCORE, Runner, expect, kill_group, run_cases  # noqa: E402
from patience import FACTOR, LONG_S, WAIT_S  # noqa: E402

TOOL = None
CTL = None
SECONDS = 15
# Five queues count beyond 65,536 each.
NB_BEYOND_WRAP = 350000
EAL = ("--no-huge", "--no-shconf", "--no-pci", "--no-telemetry", "-m", "256")
ZEROS = "lost 0, duplicated 0, corrupted 0, unexplained 0"


def seconds(number):
    """Longer on a machine that is slow, so that as much happens."""
    return str(round(number * FACTOR))


def soak(runner, *options, status=0, model=(), lcores=LCORE):
    """A run of the tool."""
    return runner.run(TOOL, *EAL, *lcores, "--", "soak", *options, options=model, status=status,
                      timeout=LONG_S)


def result(done):
    """Its JSON. Queues of a device that is lost at the end log behind the result."""
    expect(done.stderr.splitlines().count(ZEROS) == 1, done.stderr)
    return json.loads(done.stdout)


def a_campaign_ends_with_four_zeros(runner):
    done = soak(runner, "--seconds", seconds(SECONDS), "--faults", "all", "--seed", "1",
                "--progress", "--format", "json")
    report = result(done)
    expect(re.search(r"^ +\d+ s: \d+ operations, ", done.stderr, re.M), done.stderr)
    classes = [name for name, nb in report["faults"].items() if nb != 0]
    print(f"# {report['operations']} operations, {sum(report['faults'].values())} faults of "
          f"{len(classes)} classes, {report['recoveries']} recoveries")
    expect(len(classes) >= 12, classes)
    # A minute has some ten thousand of them on an idle machine.
    expect(sum(report["faults"].values()) >= 20, report)
    expect(report["recoveries"] > 0 and report["longest_recovery_ns"] > 0, report)
    for kind, nb in report["kinds"].items():
        expect(nb > 0, f"no {kind} in {report['kinds']}")
    # The rarest one has a case of its own.
    missing = set(report["faults"]) - set(classes) - set(report["unavailable"]) - {"removed"}
    expect(not missing or report["steps"] < 3000, missing)


def each_transport_by_itself(runner):
    for transport, missing in (("loopback", ["peer-reset", "peer-gone"]), ("rc", []),
                               ("dc", ["peer-reset", "peer-gone", "odp"])):
        report = result(soak(runner, "--seconds", seconds(3), "--transport", transport, "--queues", "2",
                             "--seed", "5", "--format", "json"))
        expect(report["operations"] > 100, report)
        for name in missing:
            expect(report["faults"][name] == 0, report)


def an_initiator_meets_the_faults_of_its_queue(runner):
    """No call tells its number, by which the device is told whom to fail."""
    for name in ("error-cqe", "doorbell", "cqe-delay"):
        report = result(soak(runner, "--seconds", seconds(2), "--transport", "dc", "--queues", "1",
                             "--faults", name, "--format", "json"))
        expect(report["faults"][name] > 0, report)


def a_key_tells_of_blocks_whose_signature_is_wrong(runner):
    """On either side, and on every transport; the transfers themselves succeed."""
    for transport in ("loopback", "rc", "dc"):
        report = result(soak(runner, "--seconds", seconds(3), "--faults", "signature", "--transport",
                             transport, "--queues", "2", "--seed", "2", "--format", "json"))
        expect(report["faults"]["signature"] > 0, report)
        expect(report["kinds"]["sign"] > report["faults"]["signature"], report)
        expect(report["statuses"]["success"] == report["operations"], report)


def a_device_that_is_lost_is_probed_again(runner):
    """Time and again, under all queues; what each had out comes back once, flushed."""
    # Setting up all queues again takes most of the time, and much more on a busy machine.
    for factor in (1, 4, 16):
        done = soak(runner, "--seconds", seconds(factor * SECONDS), "--faults", "removed", "--seed",
                    "1", "--format", "json", "--verbose")
        report = result(done)
        expect(not re.search(r" s: \d+ operations, ", done.stderr), "progress without a terminal")
        if report["faults"]["removed"] >= 2:
            break
    expect(report["faults"]["removed"] >= 2, report)
    expect(report["statuses"]["success"] > 0 and report["statuses"]["flushed"] > 0, report)
    expect(report["statuses"]["success"] + report["statuses"]["flushed"] ==
           report["operations"], report)
    lines = [line.split() for line in done.stderr.splitlines() if ", fault removed at " in line]
    again = [result(soak(runner, "--faults", "removed", "--seed", "1", "--queue", words[1],
                         "--step", words[3].rstrip(","), "--format", "json"))
             for words in lines[:4]]
    expect(all(report["steps"] == 1 for report in again), again)
    # The work request under which it was to fail may not have come.
    expect(any(report["faults"]["removed"] == 1 for report in again), again)


def several_lcores_share_the_queues(runner):
    """Steps that change the device wait for each other; one that is lost is lost for all."""
    cpu = min(os.sched_getaffinity(0))
    report = result(soak(runner, "--seconds", seconds(SECONDS), "--lcores", "2", "--queues",
                         "7", "--format", "json", lcores=("--lcores", f"0@{cpu},1@{cpu}")))
    expect(report["operations"] > 100 and report["recoveries"] > 0, report)
    for name in ("command", "stall", "error-cqe"):
        expect(report["faults"][name] > 0 or report["steps"] < 1000, report)


def without_faults_everything_succeeds(runner):
    report = result(soak(runner, "--seconds", seconds(3), "--faults", "none", "--format", "json"))
    expect(sum(report["faults"].values()) == 0 and report["recoveries"] == 0, report)
    others = {name: nb for name, nb in report["statuses"].items() if name != "success"}
    expect(report["statuses"]["success"] == report["operations"], report)
    expect(sum(others.values()) == 0, report)


def a_step_follows_from_seed_queue_and_number(runner):
    options = ("--seed", "9", "--queues", "3", "--queue", "1", "--step", "12", "--verbose")
    runs = [soak(runner, *options) for _ in range(2)]
    plans = [[line for line in run.stderr.splitlines() if line.startswith("  [")] for run in runs]
    expect(plans[0] and plans[0] == plans[1], plans)
    expect(runs[0].stdout.splitlines()[-1] == ZEROS, runs[0].stdout)
    expect(" 1 steps, " in runs[0].stdout, runs[0].stdout)


def indices_are_counted_beyond_their_wrap(runner):
    for model in ((), ("--acknowledge-only",)):
        done = soak(runner, "--operations", str(NB_BEYOND_WRAP), "--queues", "5", "--format", "json",
                    model=model)
        report = result(done)
        expect(report["operations"] == NB_BEYOND_WRAP, report)
        expect(report["statuses"]["success"] == NB_BEYOND_WRAP, report)


def first_failure(done):
    """The options that are to repeat the first step that was wrong, and its plan."""
    lines = done.stderr.splitlines()
    at, again = next((at, line) for at, line in enumerate(lines) if line.startswith("again: "))
    plan = list(itertools.takewhile(lambda line: line.startswith(("step ", "  ")), lines[at + 1:]))
    return again.partition(" -- soak ")[2].split(), plan


def what_a_device_gets_wrong_is_found(runner):
    """Operands of atomics are in another byte order, of which the memory tells; and once more."""
    model = ("--quirk", "atomic-order")
    done = soak(runner, "--seconds", seconds(3), "--faults", "bad-lkey,bounds", "--transport",
                "rc,loopback", "--format", "json", status=1, model=model)
    report = json.loads(done.stdout)
    expect(report["corrupted"] > 0 and report["lost"] == 0, report)
    again, plan = first_failure(done)
    expect(len(plan) > 1, done.stderr)
    done = soak(runner, *again, "--format", "json", status=1, model=model)
    expect(first_failure(done) == (again, plan), (again, plan, done.stderr))


def with_a_fault_of_ours(runner, fault, *options):
    """Wrong is what the device does although no step has asked for it."""
    process = runner.start(TOOL, *EAL, *LCORE, "--", "soak", "--seconds", seconds(4), "--verbose",
                           "--format", "json", *options)
    try:
        for line in process.stderr:
            if "step 20," in line:
                break
        subprocess.run([CTL, "fault", str(process.pid), "0", fault], check=True, timeout=WAIT_S)
        out, err = process.communicate(timeout=WAIT_S)
    finally:
        if process.poll() is None:
            kill_group(process)
    expect(process.returncode == 1 and json.loads(out)["unexplained"] > 0, err[-4000:])
    return err


def lost_device_that_nobody_asked_for_is_told(runner):
    err = with_a_fault_of_ours(runner, "fatal", "--faults", "none")
    expect("the device is lost without a fault that was requested" in err, err[-4000:])


def failure_that_nobody_asked_for_is_told(runner):
    with_a_fault_of_ours(runner, "error-cqe,syndrome=local-prot", "--faults", "ring-full")


def senseless_options_are_rejected(runner):
    for options in (("--faults", "bad-lkey,nothing"), ("--queue", "1"), ("--step", "1"),
                    ("--queue", "6", "--step", "1"), ("--transport", "ud"), ("--queues", "0"),
                    ("--operations", "0"), ("--operations", "9", "--faults", "all"),
                    ("--operations", "9", "--transport", "rc"), ("--lcores", "2"), ("word",)):
        soak(runner, *options, status=2)


def main():
    global TOOL, CTL
    TOOL = sys.argv[2]
    CTL = sys.argv[3]
    few = [
        a_campaign_ends_with_four_zeros,
        a_device_that_is_lost_is_probed_again,
        several_lcores_share_the_queues,
        what_a_device_gets_wrong_is_found,
    ]
    others = [
        each_transport_by_itself,
        an_initiator_meets_the_faults_of_its_queue,
        a_key_tells_of_blocks_whose_signature_is_wrong,
        without_faults_everything_succeeds,
        a_step_follows_from_seed_queue_and_number,
        indices_are_counted_beyond_their_wrap,
        lost_device_that_nobody_asked_for_is_told,
        failure_that_nobody_asked_for_is_told,
        senseless_options_are_rejected,
    ]
    return run_cases(Runner(sys.argv[1]), few if sys.argv[4:] == ["few"] else few + others)


sys.exit(main())
