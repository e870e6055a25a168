# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""What devtools/bench/targets.py makes of what the tool prints; the tool is played here.

Usage: bench_targets_test.py BENCH_TARGETS
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "interop/programs"))

from case_runner import expect, report_cases, verdict_of  # noqa: E402

# Prints what DIR has for these options, or complains as the tool does and ends with the status.
TOOL = """
import pathlib, re, sys
name = re.sub("[^a-z0-9]+", "-", " ".join(sys.argv[2:]).split(" --rounds")[0])
said = (pathlib.Path(sys.argv[1]) / name).read_text()
status, _, text = said.partition(" ")
print(text, file=sys.stderr if int(status) else sys.stdout)
sys.exit(int(status))
"""
HEAD = {"device": "mlx5_0", "execution": "acknowledge-only", "tsc_hz": 2600000000,
        "tsc_overhead_cycles": 20.0, "rounds": 3, "lcores": 1, "hugepages": False, "order": "pool",
        "max_simd_bits": 256, "poll": "cold", "cold_poll_cycles": 100.0,
        "warm_poll_cycles": 30.0, "depth": 256}
ROW = {"layout": "list", "entries": 4, "batch": 32,
       "libmlx5_by_rte": {"median": 4.0, "q1": 3.9, "q3": 4.2},
       "rte_by_floor": {"median": 1.7, "q1": 1.6, "q3": 1.8},
       "rte": {"ns_per_entry": 2.0, "cycles_per_op": {"median": 10.0, "q1": 9.0, "q3": 12.0}}}


class Bench:
    """A folder for a case, and the judge."""

    def __init__(self, judge, folder):
        self.judge, self.folder = judge, folder
        self.play("info --format json", HEAD)

    def play(self, options, report, status=0):
        """What the tool answers."""
        name = re.sub("[^a-z0-9]+", "-", options)
        text = report if isinstance(report, str) else json.dumps(report)
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(f"{status} {text}")

    def run(self, runs, targets, *args, status=0):
        """The verdicts by name, or the text on stderr."""
        data = os.path.join(self.folder, "targets.json")
        with open(data, "w", encoding="utf-8") as file:
            json.dump({"runs": runs, "targets": targets}, file)
        done = subprocess.run([sys.executable, self.judge, "--targets", data, "--rounds", "3",
                               "--format", "json", *args, "--", sys.executable, "-c", TOOL,
                               self.folder],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        expect(done.returncode == status, (done.returncode, done.stderr))
        if status:
            return done.stderr
        return {target["name"]: target for target in json.loads(done.stdout)["targets"]}


def target(name, metric, run="row", **limits):
    """A target of the only row."""
    return {"name": name, "what": name, "run": run, "row": {"entries": 4}, "metric": metric,
            **limits}


def a_limit_is_met_at_its_value(bench):
    bench.play("bench --row", {**HEAD, "results": [ROW, {**ROW, "entries": 8}]})
    verdicts = bench.run({"row": {"options": "--row"}}, [
        target("at", "libmlx5_by_rte", at_least=4.0),
        target("above", "libmlx5_by_rte", at_least=4.1),
        target("floor", "rte_by_floor", at_most=1.7),
        target("below", "rte_by_floor", at_most=1.6),
        target("either", "rte_by_floor", at_most=1.6,
               **{"or": {"metric": "libmlx5_by_rte", "at_most": 4.0}})])
    expect({name: v["met"] for name, v in verdicts.items()} ==
           {"at": True, "above": False, "floor": True, "below": False, "either": True}, verdicts)
    expect(all(v["judged"] and v["reason"] is None and v["depth"] == 256
               for v in verdicts.values()), verdicts)


def quartiles_have_the_unit_of_their_value(bench):
    bench.play("bench --row", {**HEAD, "results": [ROW]})
    verdict = bench.run({"row": {"options": "--row"}},
                        [target("ns", "rte.ns_per_entry", at_most=2.0)])["ns"]
    expect((verdict["measured"], verdict["met"]) == (2.0, True), verdict)
    expect(abs(verdict["q1"] - 1.8) < 1e-9 and abs(verdict["q3"] - 2.4) < 1e-9, verdict)


def the_largest_change_counts_up_or_down(bench):
    sizes = [{"size": size, "change": change, "q1": change, "q3": change, "floor": 0.0}
             for size, change in ((64, 0.0), (256, 0.05), (1024, -0.2), (64, 0.9))]
    bench.play("bench --flat", {**HEAD, "sizes_of": "keys", "sizes": sizes})
    verdict = bench.run({"flat": {"options": "--flat"}},
                        [{"name": "flat", "what": "", "run": "flat", "metric": "largest_change",
                          "at_most": 0.1}])["flat"]
    expect(verdict["measured"] == -0.2 and verdict["judged"] and not verdict["met"], verdict)


def what_has_no_room_is_not_judged_and_says_why(bench):
    bench.play("bench --row", {**HEAD, "results": [ROW]})
    for status in (2, 3):
        bench.play("bench --large", "EAL: hello\ndpdk-test-umr: bench: mlx5_0 has 64 keys", status)
        verdicts = bench.run({"row": {"options": "--row"}, "large": {"options": "--large"}}, [
            target("row", "libmlx5_by_rte", at_least=1.0),
            target("column", "spdk_by_rte", at_least=1.0),
            target("large", "libmlx5_by_rte", run="large", at_least=1.0)])
        large = verdicts["large"]
        expect("without -Dspdk" in verdicts["column"]["reason"], verdicts)
        expect(verdicts["row"]["met"] and not large["judged"] and not large["met"], verdicts)
        expect(large["reason"] == "mlx5_0 has 64 keys" and large["measured"] is None, large)


def lcores_that_were_not_together_are_not_judged(bench):
    bench.play("bench --lcores", {**HEAD, "judged": False, "windows": 8, "common_windows": 2,
                                  "both_by_alone": None})
    verdict = bench.run({"lcores": {"options": "--lcores"}},
                        [{"name": "lcores", "what": "", "run": "lcores", "metric": "both_by_alone",
                          "at_most": 1.1}])["lcores"]
    expect(not verdict["judged"] and "together in 2 of 8 windows" in verdict["reason"], verdict)


def a_failure_is_no_verdict(bench):
    runs, targets = {"row": {"options": "--row"}}, [target("row", "rte_by_floor", at_most=9.0)]
    bench.play("bench --row", "dpdk-test-umr: bench: the queue failed", 1)
    expect("exit status 1" in bench.run(runs, targets, status=1), "not said")
    bench.play("bench --row", {**HEAD, "results": []})
    bench.run(runs, targets, status=1)
    bench.play("info --format json", "dpdk-test-umr: no device", 3)
    expect("no device" in bench.run(runs, targets, status=3), "not said")


def what_was_saved_is_judged_again(bench):
    bench.play("bench --row", {**HEAD, "results": [ROW]})
    runs, targets = {"row": {"options": "--row"}}, [target("row", "rte_by_floor", at_most=2.0)]
    saved = os.path.join(bench.folder, "saved")
    first = bench.run(runs, targets, "--save", saved)
    bench.play("bench --row", "not asked", 1)
    expect(bench.run(runs, targets, "--read", saved) == first, first)


def the_targets_of_the_project_say_what_they_mean(bench):
    with open(pathlib.Path(bench.judge).with_suffix(".json"), encoding="utf-8") as file:
        data = json.load(file)
    names = [entry["name"] for entry in data["targets"]]
    expect(len(names) == len(set(names)), names)
    expect({entry["run"] for entry in data["targets"]} == set(data["runs"]), "a run is not used")
    for entry in data["targets"]:
        expect(("at_least" in entry) != ("at_most" in entry), entry)


CASES = (
    a_limit_is_met_at_its_value,
    quartiles_have_the_unit_of_their_value,
    the_largest_change_counts_up_or_down,
    what_has_no_room_is_not_judged_and_says_why,
    lcores_that_were_not_together_are_not_judged,
    a_failure_is_no_verdict,
    what_was_saved_is_judged_again,
    the_targets_of_the_project_say_what_they_mean,
)


def main():
    def run(case):
        with tempfile.TemporaryDirectory() as folder:
            return verdict_of(case, Bench(sys.argv[1], folder))
    return report_cases(CASES, run)


if __name__ == "__main__":
    sys.exit(main())
