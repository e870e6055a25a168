#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""dpdk-test-umr bench: what it measures, judges and rejects, whatever the numbers are.

Usage: bench_test.py SWHCA_RUN DPDK_TEST_UMR [few]
few: without the cases that take long, which measure what others measure, or run no other code.
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

from case_runner import Skip, expect, need, report_cases, verdict_of
from tool_runner import EAL, TOP, Programs


def bench_compares_five_paths(programs):
    out = programs.run_tool("bench", "--format", "json", "--rounds", "1", "--layout",
                            "list,nested,mixed,invalidate,keyget",
                            "--entries", "1,52,256", "--batch", "8")
    report = json.loads(out)
    expect(report["execution"] == "executing", out)
    expect(len(report["results"]) == 11, out)
    for line in report["results"]:
        rte, floor, libmlx5 = line["rte"], line["floor"], line["libmlx5"]
        expect((line["unlocked"] is None) == (libmlx5 is None), line)
        expect((line["unlocked_by_rte"] is None) == (libmlx5 is None), line)
        expect(rte["cycles_per_op"]["median"] > 0, line)
        # A call for each is something else only where there are bursts.
        expect((line["single"] is None) == (line["layout"] in ("mixed", "keyget")), line)
        expect((line["libmlx5_by_single"] is None) == (line["single"] is None or libmlx5 is None),
               line)
        if line["layout"] == "keyget":
            expect(floor is None and libmlx5 is None, line)
            continue
        expect(rte["doorbells_per_op"] == 0.125 and rte["cqes_per_op"] == 0.125, line)
        expect(line["rte_by_floor"]["median"] > 0, line)
        expect((libmlx5 is None) == (line["entries"] == 256), line)
        expect(libmlx5 is None or libmlx5["cqes_per_op"] == 0.125, line)


def bench_polls_cold_unless_it_is_told(programs):
    for args, poll in (((), "cold"), (("--poll", "cold"), "cold"), (("--poll", "warm"), "warm")):
        out = programs.run_tool("bench", "--format", "json", "--rounds", "1", "--layout", "list",
                                "--entries", "4", "--batch", "1,8", *args)
        report = json.loads(out)
        expect(report["poll"] == poll and "cold_poll_cycles" in report and
               "warm_poll_cycles" in report, report)
        for line in report["results"]:
            for path in ("rte", "libmlx5", "floor"):
                # Who waits by looking is never late.
                expect(line[path]["late_batches"] >= 0, line)
                expect(poll == "cold" or line[path]["late_batches"] == 0, line)
                # Late batches are not counted as operations without a doorbell.
                expect(line[path]["doorbells_per_op"] * line["batch"] == 1, line)
            expect((line["single"] is None) == (line["batch"] == 1), line)
    # Calls for each are what rte does then.
    out = programs.run_tool("bench", "--format", "json", "--rounds", "1", "--layout", "list",
                            "--entries", "4", "--batch", "8", "--calls", "single")
    expect(json.loads(out)["results"][0]["single"] is None, out)
    programs.run_tool("bench", "--poll", "hot", status=2)


def readme_shows_the_table_of_bench(programs):
    """Its columns and what is said about them; numbers are of some machine."""
    path = os.path.join(TOP, "README.md")
    with open(path, encoding="utf-8") as f:
        readme = f.read().splitlines()
    out = programs.run_tool("bench", "--rounds", "1", "--layout", "list", "--entries", "1",
                            "--batch", "1").splitlines()
    start = next(i for i, line in enumerate(out) if line.startswith("rte "))
    end = next(i for i, line in enumerate(out) if line.startswith("layout "))
    for line in out[start:end + 1]:
        expect(line in readme, line)


def bench_measures_long_lists(programs):
    out = programs.run_tool("bench", "--format", "json", "--rounds", "1", "--layout", "noninline",
                            "--entries", "1,4096,60000", "--batch", "2")
    rows = [(row["layout"], row["entries"]) for row in json.loads(out)["results"]]
    expect(rows == [("noninline", 53), ("noninline", 4096), ("noninline", 60000)], rows)


def bench_measures_updates_of_long_lists(programs):
    out = programs.run_tool("bench", "--format", "json", "--rounds", "1", "--layout", "update",
                            "--entries", "4,100,60000", "--batch", "1,8", "--keys", "16")
    rows = json.loads(out)["results"]
    expect([(row["entries"], row["batch"]) for row in rows] ==
           [(entries, batch) for entries in (4, 100, 60000) for batch in (1, 8)], rows)
    for row in rows:
        expect(row["rte"] and row["floor"] and not row["single"] and not row["libmlx5"], row)


def bench_measures_the_longest_list_alone(programs):
    # Memory for one such list at a time, and a ring for one operation at a time.
    out = programs.run_tool("bench", "--format", "json", "--rounds", "1", "--layout", "noninline",
                            "--entries", "65532", "--batch", "1", "--depth", "32")
    expect(json.loads(out)["results"][0]["rte"]["mops"] > 0, out)


def bench_of_all_layouts_leaves_out_what_there_is_not(programs):
    for args, layouts in (
            (("--entries", "4,256"), {"interleaved", "crypto", "signature", "dif", "dif-both",
                                      "sigcrypto", "transaction"}),
            (("--entries", "4", "--measure", "latency"), {"keyget"})):
        out = programs.run_tool("bench", "--format", "json", "--rounds", "1", "--layout", "all",
                                "--batch", "1,8", *args)
        report = json.loads(out)
        rows = report["results"] if "results" in report else report["latencies"]
        longest = {row["layout"]: 0 for row in rows}
        for row in rows:
            longest[row["layout"]] = max(longest[row["layout"]], row["entries"])
        if "latency" in args:
            expect(len(longest) == 13 and not layouts & set(longest), longest)
            continue
        expect(len(longest) == 14, longest)
        expect({name for name in longest if longest[name] == 4} == layouts, longest)


def bench_tells_who_counts_instructions(programs):
    def row(*args):
        report = json.loads(programs.run_tool("bench", "--format", "json", "--rounds", "1",
                                              "--layout", "list", "--entries", "4", "--batch",
                                              "32", *args))
        return report, [report["results"][0][path]["instructions_per_op"]
                        for path in ("rte", "libmlx5", "floor")]

    report, counts = row()
    expect((report["instructions_by"] is None) == (report["instructions_error"] is not None),
           report)
    expect((counts[0] is None) == (report["instructions_by"] is None), report)
    report, counts = row("--instructions", "off")
    expect(counts == [None] * 3 and report["instructions_by"] is None and
           report["instructions_error"] is None, report)
    programs.run_tool("bench", "--instructions", "abacus", status=2)
    programs.run_tool("bench", "--instructions", "callgrind", "--measure", "latency", status=2)


def bench_counts_instructions_below_callgrind(programs):
    need("valgrind")
    if "libasan" in subprocess.run(["ldd", programs.tool], stdout=subprocess.PIPE, text=True,
                                   check=True).stdout:
        raise Skip("valgrind runs no program with a sanitizer")
    args = ("--rounds", "1", "--layout", "list,invalidate,keyget", "--entries", "4",
            "--batch", "32", "--instructions", "callgrind")
    folder = tempfile.mkdtemp()
    os.environ["TMPDIR"], before = folder, os.environ.get("TMPDIR")
    try:
        report = json.loads(programs.run_tool("bench", "--format", "json", *args))
        table = programs.run_tool("bench", *args, "--layout", "list")
        left = os.listdir(folder)
    finally:
        os.environ.pop("TMPDIR")
        if before is not None:
            os.environ["TMPDIR"] = before
        shutil.rmtree(folder)
    expect(report["instructions_by"] == "callgrind" and not left, report)
    a_list, invalidate, keyget = report["results"]
    counts = [a_list[path]["instructions_per_op"] for path in ("floor", "rte", "libmlx5")]
    expect(20 < counts[0] < counts[1] < counts[2] < 1000, counts)
    expect(invalidate["rte"]["instructions_per_op"] < counts[1], invalidate)
    expect(1 < keyget["rte"]["instructions_per_op"] < 100, keyget)
    # The same in the table: an instruction is an instruction, however fast.
    expect(f" {counts[1]:.1f} " in table, (table, counts))


def bench_plots_what_it_measures(programs):
    with tempfile.TemporaryDirectory() as folder:
        args = ("bench", "--rounds", "1", "--layout", "list", "--entries", "1,4", "--batch", "8",
                "--plot", folder)
        text = programs.run("env", "PATH=/nonexistent", programs.tool, *EAL, "--", *args, status=3,
                            errors=True)
        expect("--plot: needs the program gnuplot" in text and not os.listdir(folder), text)
        need("gnuplot")
        programs.run_tool(*args)
        expect(os.listdir(folder) == ["list-batch-8.svg"], os.listdir(folder))
        tree = ElementTree.parse(os.path.join(folder, "list-batch-8.svg"))
    titles = {title.text for title in tree.iter("{http://www.w3.org/2000/svg}title")}
    expect({"rte", "single", "libmlx5", "unlocked", "floor"} <= titles, titles)


def bench_judges_every_target(programs):
    cpus = sorted(os.sched_getaffinity(0))[:2]
    eal = [",".join(map(str, cpus)) if i and EAL[i - 1] == "-l" else word
           for i, word in enumerate(EAL)]
    report = programs.judge("--rounds", "1", eal=eal)
    expect(report["execution"] == "acknowledge-only", report)
    names = [target["name"] for target in report["targets"]]
    expect(len(names) == len(set(names)) == 53, report)
    for target in report["targets"]:
        expect(target["judged"] or not target["met"], target)
        expect((target["measured"] is not None) == target["judged"], target)
        expect((target["reason"] is None) == target["judged"], target)
        expect(target["judged"] or target["name"] == "lcores-2" or
               "without -Dspdk" in target["reason"], target)
    targets = {target["name"]: target for target in report["targets"]}
    flat_target_is_the_largest_change(targets["flat-keys"], [64, 256, 1024, 4096, 16384, 65536])
    flat_target_is_the_largest_change(targets["flat-depth"], [256, 1024, 4096, 16384])
    two_lcores_are_compared_or_say_why_not(targets["lcores-2"])
    expect(len(cpus) == 2 or "1 lcore" in targets["lcores-2"]["reason"], targets["lcores-2"])


def flat_target_is_the_largest_change(target, sizes):
    """Up or down, of all sizes but the first one, which is the last one once more."""
    changes = [size["change"] for size in target["sizes"]]
    expect([size["size"] for size in target["sizes"]] == sizes + sizes[:1], target)
    expect(changes[0] == 0 and target["measured"] == max(changes[1:-1], key=abs), target)
    expect(target["met"] == (abs(target["measured"]) <= target["limit"]), target)


def two_lcores_are_compared_or_say_why_not(target):
    # On a busy machine, they may never be at work at the same time: that is no result.
    if target["judged"]:
        expect(target["measured"] > 0, target)
        expect(target["met"] == (target["measured"] <= target["limit"]), target)
    else:
        expect(re.search(r"the EAL has 1 lcore|threads of one core|together in \d+ of 8 windows$",
                         target["reason"]), target)


def bench_takes_what_small_devices_have(programs):
    def bench(options, *args, **kwargs):
        return programs.run(programs.tool, *EAL, "--", "bench", "--rounds", "1", *args,
                            options=options.split(), **kwargs)

    for options, layouts, nb_rows in (("--log-max-qp-size 6", "list", 4),
                                      ("--log-max-cq-size 6", "list", 4),
                                      ("--log-max-klm 2", "list,interleaved", 6),
                                      ("--log-max-mkey 10", "list", 8)):
        report = json.loads(bench(options, "--layout", layouts, "--format", "json"))
        expect(len(report["results"]) == nb_rows, (options, report))
        for row in report["results"]:
            expect(row["rte"]["mops"] > 0 and row["libmlx5"]["mops"] > 0, row)
    # What was asked for is not left out.
    for options, args, text in (
            ("--log-max-qp-size 6", ("--batch", "32"), "rings have at most 64"),
            ("--log-max-klm 2", ("--entries", "16"), "at most 4 on mlx5_0")):
        error = bench(options, *args, status=2, errors=True)
        expect(text in error, error)
    error = bench("--log-max-mkey 6", status=3, errors=True)
    expect("keys are needed, mlx5_0 has 64" in error, error)


def bench_says_why_targets_are_not_judged(programs):
    """On a device that has room for nothing, none of them is measured, and none is met."""
    cpu = EAL[EAL.index("-l") + 1]
    for lcores, why in ((["-l", cpu], "the EAL has 1 lcore"),
                        (["--lcores", f"0@{cpu},1@{cpu}"], "0 and 1 are threads of one core")):
        eal = [word for word in EAL if word not in ("-l", cpu)] + lcores
        report = programs.judge(eal=eal, options=["--log-max-qp", "2", "--log-max-qp-size", "7"])
        for target in report["targets"]:
            reason = why if target["name"] == "lcores-2" else "mlx5_0"
            expect(not target["judged"] and not target["met"] and reason in target["reason"],
                   target)


def bench_judges_what_fits_a_small_device(programs):
    """Rings of 256 descriptors: short lists have room, those of 52 pieces have not."""
    report = programs.judge("--rounds", "1", options=["--log-max-qp-size", "8"])
    targets = {target["name"]: target for target in report["targets"]}
    expect(targets["list-16/libmlx5"]["depth"] == 256, targets)
    for name in ("list-1/libmlx5", "list-16/floor", "invalidate/libmlx5", "key-get"):
        expect(targets[name]["judged"], targets[name])
    for name in ("list-52/libmlx5", "list-52/floor", "flat-depth"):
        expect("mlx5_0" in targets[name]["reason"], targets[name])


def bench_compares_sizes_and_lcores_as_text(programs):
    row = ("--rounds", "1", "--layout", "list", "--entries", "4", "--batch", "8")
    out = programs.run_tool("bench", "--measure", "flat", *row, "--depth", "64,128")
    expect(re.findall(r"^ +(\d+) .*?(\(once more\))?$", out, re.M) ==
           [("128", ""), ("64", "(once more)")], out)
    for args in (("--measure", "flat", *row), (*row, "--keys", "64,128"),
                 ("--measure", "flat", *row, "--keys", "64,128", "--depth", "64,128"),
                 ("--measure", "flat", "--keys", "64,128"),
                 ("--measure", "lcores", *row)):
        programs.run_tool("bench", *args, status=2)


def bench_moves_what_its_jobs_say(programs):
    # On a device that executes, every way of a job compares what has arrived.
    out = programs.run_tool("bench", "--measure", "jobs", "--rounds", "1", "--format", "json")
    report = json.loads(out)
    expect(report["execution"] == "executing" and len(report["jobs"]) == 54, out)
    for job in report["jobs"]:
        pieces, size = job["pieces"], job["pieces"] * job["bytes"]
        expect((job["libmlx5"] is None) == (pieces > 30), job)
        expect((job["inline"] is None) == (pieces > 61 or size > 972), job)
        expect(job["sg_choice"] == ("key" if pieces >= 30 else "wqe"), job)
        expect(job["sg_ratio"] > 0 and job["multi-sge"]["cycles"] > 0, job)


def calibrate_prints_options_that_a_device_takes(programs):
    out = programs.run_tool("calibrate", "--rounds", "1", "--format", "json")
    report = json.loads(out)
    kinds = {(row["operation"], row["other"]) for row in report["rows"]}
    expect(kinds == {("write", "inline"), ("write", "key"), ("read", "key")}, out)
    expect(re.fullmatch(r"sg_inline=\d+,sg_key=\d+,sg_read_key=\d+", report["devargs"]), out)
    programs.run_tool("info", "--device", "mlx5_0," + report["devargs"])
    text = programs.run_tool("calibrate", "--rounds", "1")
    expect(re.search(r"^mlx5_0,sg_inline=\d+,sg_key=\d+,sg_read_key=\d+$", text, re.M), text)


def bench_measures_what_pipelines_do(programs):
    """Chains arrive as they are, and lookups find the key of the region, or it fails."""
    args = ("bench", "--rounds", "1", "--layout")
    # Ten thousand ranges take their time, which a device with fewer keys saves.
    report = json.loads(programs.run(programs.tool, *EAL, "--", *args, "mbuf,lookup,register",
                                     "--format", "json", options=("--log-max-mkey", "12")))
    ways = {"mbuf": ("umr+write", "copy+write", "multi-sge", "writes"),
            "lookup": ("cache", "mru", "any", "mru-any", "search"),
            "register": ("rte", "libibverbs", "rte-undo", "ibv-undo")}
    lines = {"mbuf": [2, 8, 32], "lookup": [1, 100, 100], "register": [1, 100, 1000]}
    names = {"mbuf": "segments", "lookup": "ranges", "register": "regions"}
    for kind, of in ways.items():
        rows = report[kind]["rows"]
        expect([row[names[kind]] for row in rows] == lines[kind], rows)
        for row in rows:
            expect(all(row[way]["median"] > 0 for way in of), row)
    # Other formats are of what registers nothing.
    text = programs.run_tool(*args, "mbuf")
    expect(re.findall(r"^ *(\d+) +256 \|", text, re.M) == ["2", "8", "32"], text)
    table = list(csv.DictReader(programs.run_tool(*args, "mbuf", "--format", "csv").splitlines()))
    expect([line["way"] for line in table] == 3 * list(ways["mbuf"]), table)
    requests = [row["multi-sge"]["work_requests"] for row in report["mbuf"]["rows"]]
    expect(requests == [1, 1, 2], report)
    for wrong in (("--layout", "mbuf,list"), ("--layout", "lookup", "--batch", "4"),
                  ("--layout", "register", "--measure", "latency")):
        programs.run_tool("bench", *wrong, status=2)


def bench_tells_latencies(programs):
    out = programs.run_tool("bench", "--measure", "latency", "--rounds", "1", "--format", "json",
                            "--entries", "4", "--layout", "list,mixed")
    for line in json.loads(out)["latencies"]:
        for path in ("rte", "libmlx5", "floor"):
            expect(0 < line[path]["p50_ns"] <= line[path]["p999_ns"], line)


def bench_has_software_beside_a_key(programs):
    args = ("bench", "--measure", "software", "--entries", "4", "--batch", "1", "--rounds", "3",
            "--size", "512,4096,8,MUL")
    names = ("crypto", "signature", "dif", "sigcrypto", "transaction")
    by = dict(zip(names, ("OpenSSL", "ISA-L", "ISA-L", "OpenSSL and ISA-L", "ISA-L")))
    report = json.loads(programs.run_tool(*args, "--layout", ",".join(names), "--format", "json"))
    expect(sorted((row["layout"], row["bytes"], row["library"]) for row in report["software"]) ==
           sorted((name, size, by[name]) for name in names for size in (512, 4096)), report)
    expect("none the speed of a device" in report["note"], report)
    for row in report["software"]:
        expect(row["rte_cycles"] > 0 and row["software_cycles"] > 0, row)
    text = programs.run_tool(*args, "--layout", "dif")
    expect(re.findall(r"^dif +4 +1 +(\d+) \|", text, re.M) == ["512", "4096"], text)
    table = programs.run_tool(*args, "--format", "csv")
    expect({line["layout"] for line in csv.DictReader(table.splitlines())} ==
           set(names) | {"dif-both"}, table)
    for wrong in (("--layout", "list"), ("--layout", "dif", "--size", "100")):
        programs.run_tool("bench", "--measure", "software", *wrong, status=2)


def bench_has_a_ring_for_every_layout(programs):
    """One that is just as deep as a batch needs; libmlx5 sizes its own by other rules."""
    for layout in ("list", "interleaved", "nested", "invalidate", "mixed", "crypto", "signature",
                   "dif", "dif-both", "sigcrypto", "transaction"):
        report = json.loads(programs.run_tool("bench", "--layout", layout, "--entries", "1",
                                              "--batch", "32", "--depth", "256", "--rounds", "1",
                                              "--format", "json"))
        (line,) = report["results"]
        # libmlx5 has no transactions.
        path = "rte" if layout == "transaction" else "libmlx5"
        expect(line[path]["doorbells_per_op"] == 1 / 32, line)


def bench_rejects_what_is_not_offered(programs):
    for args in (("--layout", "no-layout"), ("--layout", "interleaved", "--entries", "256"),
                 ("--depth", "64", "--batch", "32"), ("--lcores", "2"),
                 ("--measure", "latency", "--layout", "keyget")):
        text = programs.run_tool("bench", *args, status=2, errors=True)
        expect("dpdk-test-umr: " in text, text)


FEW = (bench_compares_five_paths, bench_measures_long_lists, bench_measures_updates_of_long_lists,
       bench_measures_the_longest_list_alone, bench_moves_what_its_jobs_say,
       calibrate_prints_options_that_a_device_takes, bench_tells_latencies,
       bench_rejects_what_is_not_offered, bench_has_software_beside_a_key)

REST = (bench_of_all_layouts_leaves_out_what_there_is_not, bench_polls_cold_unless_it_is_told,
        readme_shows_the_table_of_bench, bench_tells_who_counts_instructions,
        bench_counts_instructions_below_callgrind, bench_plots_what_it_measures,
        bench_judges_every_target, bench_takes_what_small_devices_have,
        bench_says_why_targets_are_not_judged, bench_judges_what_fits_a_small_device,
        bench_compares_sizes_and_lcores_as_text, bench_measures_what_pipelines_do,
        bench_has_a_ring_for_every_layout)


def main():
    programs = Programs(*sys.argv[1:3])
    return report_cases(FEW if sys.argv[3:] == ["few"] else FEW + REST,
                        lambda case: verdict_of(case, programs))


if __name__ == "__main__":
    sys.exit(main())
