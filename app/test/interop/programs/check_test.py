#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""dpdk-test-umr check: the questions, the guide's table of them, and what devices answer.

Usage: check_test.py SWHCA_RUN DPDK_TEST_UMR SWHCA_CTL [few]
few: one quirk of ten, the kinds of devices in fewer combinations.
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import csv
import fcntl
import json
import pathlib
import re
import subprocess
import sys

from case_runner import Runner, expect, kill_group, run_cases
from patience import WAIT_S

TOOL = None
CTL = None
# Every how many-th of what is alike is tried.
STEP = 1
GUIDE = pathlib.Path(__file__).resolve().parents[4] / "doc/guides/tools/check.rst"
HOST_MEMBERS = {"schema", "origin", "system", "kernel", "machine", "libibverbs", "libmlx5",
                "devices"}
DEVICE_MEMBERS = {"name", "pci", "vendor_id", "vendor_part_id", "hw_ver", "fw_version", "board_id",
                  "link_layer", "port", "totals", "checks"}
# Groups of quirks: every 11th, then every 13th. No two are in one group both times, so that a quirk
# that changes the answer to another question is found.
QUIRK_STRIDES = (11, 13)


def check(runner, *args, status=0, options=(), env=None):
    """Standard output of the command."""
    return runner.run(TOOL, "check", *args, options=options, status=status, env=env).stdout


def questions():
    """The checks, as the program lists them without a device."""
    done = subprocess.run([TOOL, "check", "--list", "--format", "json"], check=True,
                          stdout=subprocess.PIPE, text=True, timeout=WAIT_S)
    return json.loads(done.stdout)["checks"]


def report(runner, *args, status=0, options=("--devices", "1"), env=None):
    """What a device answers."""
    return json.loads(check(runner, *args, "--format", "json", status=status, options=options,
                            env=env))


def plain(text):
    """Text of the guide without its marks."""
    return text.replace("``", "").replace("\\", "")


def guide_has_the_questions(_runner):
    rows = re.findall(r"^   \* - ``([a-z0-9-]+)``\n     - (.*)\n     - (.*)\n     - ``(.*)``$",
                      GUIDE.read_text(encoding="utf-8"), re.M)
    told = [(one["name"], one["assumed"], one["depends"], one["expected"]) for one in questions()]
    expect(len(told) >= 30, told)
    expect([(row[0], plain(row[1]), plain(row[2]), row[3]) for row in rows] == told, "the table")


def every_answer_is_the_expected_one(runner):
    kinds = [("cx7", "ib"), ("cx7", "eth"), ("cx6dx", "ib"), ("cx6dx", "eth")]
    for model, link in kinds if STEP == 1 else kinds[::3]:
        told = report(runner, options=("--model", model, "--link-layer", link))["devices"][0]
        wrong = [one for one in told["checks"] if one["verdict"] != "as expected"]
        if model == "cx6dx":
            # It encrypts one unit at a time.
            expect([one["detail"] for one in wrong] ==
                   ["capability: aes_xts_multi_block_be_tweak"] * 2, (link, wrong))
            wrong = [one for one in wrong if not one["name"].startswith("crypto-")]
        expect(wrong == [], (model, link, wrong))


def quirks_have_the_names_of_the_questions(runner):
    told = runner.run("true", options=("--quirk", "list")).stdout
    names = [line.split()[0] for line in told.splitlines()]
    expect(names == [one["name"] for one in questions()], names)
    done = runner.run("true", options=("--quirk", "key-tag,nosuch"), status=125)
    expect("not the name of a quirk" in done.stderr, done.stderr)


def each_quirk_is_found_and_no_other(runner):
    """A device that deviates in some ways: their checks report it, all others are unchanged."""
    names = [one["name"] for one in questions()]
    expect(len(names) < QUIRK_STRIDES[0] * QUIRK_STRIDES[1], names)
    groups = [names[first::stride] for stride in QUIRK_STRIDES for first in range(stride)]
    for group in groups[::STEP]:
        told = report(runner, status=1, options=("--devices", "1", "--quirk", ",".join(group)))
        other = [(check["name"], check["verdict"], check.get("observed"))
                 for check in told["devices"][0]["checks"] if check["verdict"] != "as expected"]
        expect([(name, verdict) for name, verdict, _ in other] ==
               [(name, "differs") for name in group], (group, other))


def a_check_that_differs_says_how(runner):
    out = check(runner, "--only", "key-tag", status=1, options=("--quirk", "key-tag"))
    for word in ("differs", "assumed", "expected", "depends", "1 differ"):
        expect(word in out, out)


def what_an_adapter_lacks_is_not_asked(runner):
    told = report(runner, options=("--model", "cx5", "--devices", "1"))["devices"][0]
    lacking = {one["name"]: one["detail"] for one in told["checks"]
               if one["verdict"] == "not available"}
    expect("sig_crc32c" in lacking["crc32c-field"], lacking)
    expect("sig_block_4048" in lacking["block-4048"], lacking)
    expect("crypto" in lacking["crypto-tweak-offset"], lacking)
    expect(told["totals"]["not_available"] == len(lacking), told["totals"])
    expect(told["totals"]["differs"] == 0 == told["totals"]["broken"], told["totals"])
    told = report(runner, options=("--crypto", "wrapped", "--devices", "1"))["devices"][0]
    lacking = {one["name"]: one["detail"] for one in told["checks"]
               if one["verdict"] == "not available"}
    expect(set(lacking) == {"crypto-unit-4048", "crypto-tweak-offset"}, lacking)
    expect("keys in plaintext" in lacking["crypto-tweak-offset"], lacking)


def report_has_what_the_guide_says(runner):
    told = report(runner, "--only", "cqe-counter")
    guide = GUIDE.read_text(encoding="utf-8")
    expect(set(told) == HOST_MEMBERS, told)
    expect(set(told["devices"][0]) == DEVICE_MEMBERS, told)
    for name in HOST_MEMBERS | DEVICE_MEMBERS | set(told["devices"][0]["totals"]):
        expect(f"``{name}``" in guide, name)
    expect(told["schema"] == "umr-check-1" and "``umr-check-1``" in guide, told["schema"])
    expect(told["libibverbs"].startswith("libibverbs.so.1."), told)
    one, = told["devices"][0]["checks"]
    expect(one["observed"] == one["expected"] == "done, block 1 of 1 to 3", one)


def formats_say_the_same(runner):
    names = "list-stale-tail,key-tag"
    rows = list(csv.DictReader(check(runner, "--only", names, "--format", "csv").splitlines()))
    expect([row["check"] for row in rows] == names.split(","), rows)
    expect(all(row["observed"] == row["expected"] for row in rows), rows)
    text = check(runner, "--only", names)
    for row in rows:
        expect(re.search(rf"^  {row['check']} +as expected +{row['observed']}$", text, re.M), text)
    expect("2 checks: 2 as expected, 0 differ, 0 not available, 0 broken" in text, text)


def devices_are_chosen(runner):
    told = report(runner, "--only", "cqe-counter", "--device", "mlx5_1", "--device", "mlx5_0",
                  options=())
    expect([one["name"] for one in told["devices"]] == ["mlx5_1", "mlx5_0"], told)
    pci = told["devices"][0]["pci"]
    told = report(runner, "--only", "cqe-counter", "--device", pci, options=())
    expect([one["name"] for one in told["devices"]] == ["mlx5_1"], told)


def nothing_is_left_behind(runner):
    """A device that is asked for ever has as many objects afterwards as before."""
    args = ("--only", "list-levels,dc-umr,sigerr-once,error-flush")
    small = ("--devices", "1", "--log-max-mkey", "6", "--log-max-qp", "3", "--log-max-cq", "3")
    told = report(runner, *args, *("--device", "mlx5_0") * 4, options=small)
    expect([one["totals"]["as_expected"] for one in told["devices"]] == [4] * 4, told)


def size_of_completions_is_not_of_the_environment(runner):
    for size in ("64", "128"):
        told = report(runner, env=runner.env(MLX5_CQE_SIZE=size))["devices"][0]
        expect(told["totals"]["as_expected"] == len(questions()), (size, told["totals"]))


def late_completion_is_not_the_next_answer(runner):
    """It comes when the question has given it up and asks on."""
    told = report(runner, "--only", "key-in-use", status=1,
                  options=("--devices", "1", "--fault", "cqe-delay,nth=3,time=3500000"))
    one, = told["devices"][0]["checks"]
    expect(one["observed"] == "without check_free: no completion, with it: mkey-config", one)
    expect("late: done" in one["detail"], one)


def told_below(runner, *command):
    """Verdicts and details of the last device, when one of swhca-ctl came before it was asked."""
    process = runner.start(TOOL, "check", *("--device", "mlx5_0") * 4, options=("--devices", "1"))
    try:
        # A pipe that holds less than it prints: it waits for us to read.
        fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
        for line in process.stdout:
            if line.startswith("  list-stale-tail"):
                break
        subprocess.run([CTL, command[0], str(process.pid), "0", *command[1:]], check=True,
                       timeout=WAIT_S)
        out, err = process.communicate(timeout=WAIT_S)
    finally:
        if process.poll() is None:
            kill_group(process)
    expect(process.returncode == 3, f"{process.returncode}: {out}{err}")
    expect(" differs " not in out, out)
    last = out[out.rindex("mlx5_0: 0000:"):]
    nb = len(questions())
    expect(f"{nb} checks: 0 as expected, 0 differ, 0 not available, {nb} broken" in last, last)
    return re.findall(r"^    detail    (.*)$", last, re.M)


def port_that_is_down_has_no_answers(runner):
    details = told_below(runner, "port", "down")
    expect(set(details) == {"port 1 is down"}, details)


def device_that_falls_silent_is_given_up(runner):
    details = told_below(runner, "halt")
    expect(details[0] == "plain write: no completion", details)
    expect(set(details[1:]) == {"the device does not answer"}, details)


def device_that_stalls_is_given_up(runner):
    told = report(runner, status=3, options=("--devices", "1", "--fault",
                                             "engine-stall,count=0,time=10000000"))
    details = [one["detail"] for one in told["devices"][0]["checks"]]
    expect(details[0] == "plain write: no completion", details)
    expect(set(details[1:]) == {"the device does not answer"}, details)


def device_that_fails_leaves_its_answers(runner):
    options = ("--devices", "1", "--fault", "fatal,nth=40")
    checks = report(runner, status=3, options=options)["devices"][0]["checks"]
    verdicts = [one["verdict"] for one in checks]
    nb = verdicts.count("as expected")
    expect(len(verdicts) == len(questions()) and nb >= 3, checks)
    expect(verdicts == ["as expected"] * nb + ["broken"] * (len(verdicts) - nb), checks)
    out = check(runner, status=3, options=options)
    for one in checks[:nb]:
        expect(re.search(rf"^  {one['name']} +as expected", out, re.M), out)
    expect(f"{nb} as expected, 0 differ, 0 not available, {len(verdicts) - nb} broken" in out, out)


CASES = [guide_has_the_questions, every_answer_is_the_expected_one,
         quirks_have_the_names_of_the_questions, each_quirk_is_found_and_no_other,
         a_check_that_differs_says_how, what_an_adapter_lacks_is_not_asked,
         report_has_what_the_guide_says, formats_say_the_same, devices_are_chosen,
         nothing_is_left_behind,
         size_of_completions_is_not_of_the_environment,
         late_completion_is_not_the_next_answer, port_that_is_down_has_no_answers,
         device_that_falls_silent_is_given_up, device_that_stalls_is_given_up,
         device_that_fails_leaves_its_answers]


def main():
    global TOOL, CTL, STEP
    runner = Runner(sys.argv[1])
    TOOL, CTL = sys.argv[2:4]
    STEP = 10 if sys.argv[4:] == ["few"] else 1
    return run_cases(runner, CASES)


if __name__ == "__main__":
    sys.exit(main())
