# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""dpdk-test-umr says the same as table, JSON and CSV, and runs cases of an ini file.

Usage: formats_test.py SWHCA_RUN DPDK_TEST_UMR
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys

from case_runner import Runner, expect, run_cases
from patience import LONG_S

TOP = pathlib.Path(__file__).resolve().parents[4]
SAMPLE = str(TOP / "app/test-umr/cases.ini")
EAL = ("--no-huge", "--no-shconf", "--no-pci", "--no-telemetry", "--log-level=lib.eal:warning")
ROW = ("--rounds", "1", "--layout", "list", "--entries", "4", "--batch", "8")
ORIGIN = ["version", "commit", "cpu", "cpu_family", "date"]
TOOL = None
# A NOP of one unit, as a queue that is empty has it.
NOP = ["00000000", "00012301", "08000000", "00000000"] + ["00000000"] * 12


def tool(runner, *args, status=0):
    """Output and errors; it must exit with status."""
    # What is measured is nobody's business here; but what is to fail must be looked at.
    how = ("--acknowledge-only",) if args[0] == "bench" and "recover" not in args else ()
    done = subprocess.run([runner.swhca_run, *how, TOOL, *EAL, "--", *args], check=False,
                          text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=LONG_S)
    expect(done.returncode == status,
           f"{args}: exit status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def rows(text):
    """Lines of CSV as dictionaries; each has as many fields as the first, and ends with its
    origin."""
    lines = list(csv.reader(text.splitlines()))
    expect(len(lines) > 1 and all(len(line) == len(lines[0]) for line in lines), text)
    expect(lines[0][-5:] == ORIGIN, text)
    expect(all(line[-5:] == lines[1][-5:] and all(line[-5:-3] + line[-1:]) for line in lines[1:]),
           text)
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def info_is_the_same_in_all_formats(runner):
    table, _ = tool(runner, "info", "--device", "mlx5_0")
    device = json.loads(tool(runner, "info", "--device", "mlx5_0", "--format", "json")[0])
    origin, device = device["origin"], device["devices"][0]
    expect(table.endswith(f"\ndpdk-test-umr {origin['version']} ({origin['commit']})\n"), table)
    told = {row["property"]: row["value"] for row in
            rows(tool(runner, "info", "--device", "mlx5_0", "--format", "csv")[0])}
    expect(told["limits.max_list"] == str(device["limits"]["max_list"]), told)
    expect(told["capabilities"].split() == device["capabilities"], told)
    expect(told["is_port_active"] == "yes", told)
    for name, value in told.items():
        line = f"{name.split('.')[-1]}: {value}".rstrip()
        expect(name == "name" or line in table, f"{line}: not in {table}")
    expect(len(told) == len(device) - 1 + len(device["limits"]), told)


def verify_is_the_same_in_all_formats(runner):
    args = ("verify", "--layout", "list,nested", "--cases", "20", "--seed", "3")
    table, _ = tool(runner, *args, "--format", "table")
    report = json.loads(tool(runner, *args, "--format", "json")[0])
    out, err = tool(runner, *args, "--format", "csv")
    told = rows(out)
    expect([(row["layout"], int(row["passed"]), int(row["failed"])) for row in told] ==
           [(one["layout"], one["passed"], one["failed"]) for one in report["layouts"]], told)
    expect([row["layout"] for row in told] == re.findall(r"^(\w+): \d+ passed$", table, re.M), table)
    expect("20 passed, 0 failed" in err and "20 passed, 0 failed" in table, err)


def bench_has_csv_of_each_measure(runner):
    for args, lines, columns in (
            ((), 1, {"rte_total", "libmlx5_by_rte"}),
            (("--measure", "latency"), None, {"layout"}),
            (("--measure", "flat", "--depth", "64,128"), 3, {"sizes_of", "size", "change", "floor"}),
            (("--measure", "flat", "--keys", "64,128"), 3, {"sizes_of", "size", "change", "floor"})):
        told = rows(tool(runner, "bench", *ROW, *args, "--format", "csv")[0])
        expect(columns <= set(told[0]), (args, told))
        expect(lines is None or len(told) == lines, (args, told))
        expect(all(row["device"] == "mlx5_0" and row["layout"] == "list" for row in told), told)


def compare(*args, status=0):
    """Output and errors of bench --compare, which needs no device and no options of the EAL."""
    done = subprocess.run([TOOL, "bench", "--compare", *args], check=False, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=LONG_S)
    expect(done.returncode == status, (args, done))
    return done.stdout, done.stderr


def result_write(runner, name, paths, **members):
    """Write a result with rows of one layout each; paths are median, q1 and q3 by layout and path."""
    results = [{"layout": layout, "entries": 4, "batch": 8, "keys": 256,
                **{path: {"cycles_per_op": dict(zip(("median", "q1", "q3"), stat))} if stat else None
                   for path, stat in row.items()},
                "rte_by_floor": {"median": 2, "q1": 1, "q3": 3}} for layout, row in paths.items()]
    result = {"origin": {"version": "0.1.0", "commit": name, "cpu": "CPU, 2 GHz",
                         "cpu_family": "6", "date": "2026-01-02"}, "depth": 1024,
              "order": "pool", **members, "results": results}
    path = pathlib.Path(runner.tmp, name)
    path.write_text(json.dumps(result))
    return str(path)


def results_are_compared_in_all_formats(runner):
    a = result_write(runner, "a", {"list": {"rte": (100, 98, 102), "libmlx5": (200, 190, 210),
                                            "floor": (50, 48, 52), "single": (0, 0, 1)},
                                   "nested": {"rte": (90, 80, 100)}})
    b = result_write(runner, "b", {"list": {"rte": (110, 108, 112), "libmlx5": (100, 95, 105),
                                            "floor": (51, 49, 53), "single": (1, 0, 1),
                                            "spdk": (7, 7, 7)},
                                   "mixed": {"rte": (60, 60, 60), "floor": None}}, depth=512)
    # 110 / 100, 108 / 102, 112 / 98; 100 / 200, 95 / 210, 105 / 190; 51 / 50, 49 / 52, 53 / 48.
    wanted = [("list", "rte", "1.10 1.06 1.14", "slower"),
              ("list", "libmlx5", "0.50 0.45 0.55", "faster"),
              ("list", "floor", "1.02 0.94 1.10", "no difference"),
              ("list", "single", "- - -", "too short"), ("nested", "rte", "- - -", "only in A"),
              ("list", "spdk", "- - -", "only in B"), ("mixed", "rte", "- - -", "only in B")]
    ratios = ("ratio", "ratio_low", "ratio_high")

    def told(row):
        values = [row[name] for name in ratios]
        return (row["layout"], row["path"],
                " ".join("-" if value in (None, "") else f"{float(value):.2f}" for value in values),
                row["verdict"])

    warning = "depth: 1024 in A, 512 in B"
    report = json.loads(compare(a, b, "--format", "json")[0])
    expect([told(row) for row in report["rows"]] == wanted, report)
    expect(report["warnings"] == [warning], report)
    expect((report["a"]["file"], report["b"]["origin"]["commit"]) == (a, "b"), report)
    out, err = compare(a, b, "--format", "csv")
    lines = rows(out)
    expect([told(line) for line in lines] == wanted and err == f"warning: {warning}\n", (out, err))
    expect((lines[0]["a_q1"], lines[0]["b_median"]) == ("98.0000", "110.0000"), lines)
    expect(all((line["a_commit"], line["b_cpu"]) == ("a", "CPU, 2 GHz") for line in lines), lines)
    table, _ = compare(a, b)
    expect(f"A: {a}: 0.1.0 (a), CPU, 2 GHz, 2026-01-02\n" in table and
           f"\nwarning: {warning}\n" in table, table)
    expect(re.findall(r"^(\w+) +4 +8 +256 (\w+) +\|.*?\| +(\S+) +(\S+) +(\S+)  (.*)$", table, re.M)
           == [(layout, path, *of.split(), verdict) for layout, path, of, verdict in wanted], table)


def what_is_no_result_is_not_compared(runner):
    real = os.path.join(runner.tmp, "real")
    pathlib.Path(real).write_text(tool(runner, "bench", *ROW, "--format", "json")[0])
    table, _ = compare(real, real)
    expect(table.count(" 1.00   1.00   1.00  no difference\n") > 2 and "warning" not in table and
           "only in" not in table, table)
    other = os.path.join(runner.tmp, "other")
    for text, why in ((None, "No such file"), ("{", "'}' expected"), ("[]", "Expected object"),
                      ('{"latencies": []}', "results"), ('{"results": 1}', "Expected array"),
                      ('{"results": [{"operation": "write"}]}', "layout"),
                      ('{"results": [{"layout": "list", "entries": 1, "batch": 1, "keys": 1,'
                       '"rte": {"cycles_per_op": {"median": 1, "q1": "1"}}}]}',
                       "results[0]: Expected real")):
        pathlib.Path(other).unlink(missing_ok=True)
        if text is not None:
            pathlib.Path(other).write_text(text)
        for files in ((real, other), (other, real)):
            out, err = compare(*files, status=2)
            expect(out == "" and other in err and why in err, (text, out, err))
    for args in ((real,), (real, real, real), (real, real, "--rounds", "1"),
                 (real, real, "--device", "mlx5_0")):
        compare(*args, status=2)


def recoveries_are_told_in_all_formats(runner):
    args = ("--measure", "recover", "--rounds", "20")
    told = rows(tool(runner, "bench", *args, "--format", "csv")[0])
    expect(told[-1]["what"] == "recovery" and int(told[-1]["samples"]) == 20, told)
    expect(0 < float(told[-1]["min_ns"]) <= float(told[-1]["p50_ns"]) <= float(told[-1]["max_ns"]),
           told)
    recoveries = json.loads(tool(runner, "bench", *args, "--format", "json")[0])["recoveries"]
    expect([row["what"] for row in recoveries] == ["write, quiet", "write, meanwhile", "recovery"],
           recoveries)
    expect("p99.9" in tool(runner, "bench", *args)[0], args)


def dump_is_the_same_in_all_formats(runner):
    table, _ = tool(runner, "dump", *NOP)
    entry, = json.loads(tool(runner, "dump", "--format", "json", *NOP)[0])["entries"]
    told = {row["field"]: row["value"] for row in
            rows(tool(runner, "dump", "--format", "csv", *NOP)[0])}
    expect(entry["wqe"]["ctrl"]["qpn"] == "0x000123" == told["wqe.ctrl.qpn"], told)
    expect(told["offset"] == "0", told)
    leaves = [line.strip() for line in table.splitlines() if not line.endswith(":")]
    expect(leaves == [f"{name.split('.')[-1]}: {value}" for name, value in told.items()
                      if name != "offset"], (leaves, told))


def dump_tells_several_entries_and_incomplete_ones(runner):
    args = ("--format", "json", "--type", "cqe", "00" * 128)
    entries = json.loads(tool(runner, "dump", *args)[0])["entries"]
    expect([entry["offset"] for entry in entries] == [0, 64], entries)
    for name in ("table", "json", "csv"):
        out, err = tool(runner, "dump", "--format", name, *NOP[:2], status=1)
        expect("not complete" in err and "truncated" in out, (name, out, err))


def formats_have_the_same_names_everywhere(runner):
    for command in ("info", "verify", "check", "bench", "dump"):
        _, err = tool(runner, command, "--format", "text", status=2)
        expect("'text' is not table, json or csv" in err, err)


def cases_of_the_sample_run(runner):
    out, _ = tool(runner, "--config", SAMPLE, "--list")
    names = out.split()
    expect(names == re.findall(r"^\[(.*)\]", pathlib.Path(SAMPLE).read_text(), re.M), out)
    report = json.loads(tool(runner, "cases", "--config", SAMPLE, "--format", "json")[0])["cases"]
    expect([case["name"] for case in report] == names, report)
    expect(all(case["exit"] == 0 for case in report), report)
    told = {case["name"]: case["result"] for case in report}
    expect(len(told["limits"]["devices"]) == 1, "device: of all cases")
    expect(told["layouts"]["passed"] == 300 and told["layouts"]["seed"] == 7, told["layouts"])
    expect([row["entries"] for row in told["lists"]["results"]] == [4, 16], told["lists"])
    out, _ = tool(runner, "--config", SAMPLE, "--case", "layouts", "--case", "limits", "--format",
                  "csv")
    lines = list(csv.reader(out.splitlines()))
    expect(lines[0][:3] == ["case", "device", "property"], lines[0])
    expect(["layouts", "list", "100", "0"] in [line[:4] for line in lines], lines)


def cases_end_with_the_highest_status(runner, text=None):
    path = os.path.join(runner.tmp, "cases.ini")
    pathlib.Path(path).write_text(text or "device = nosuch\n[a]\ncommand = info\ndevice = mlx5_0\n"
                                  "[b]\ncommand = info\n[c]\ncommand = dump\nfile = " +
                                  os.path.join(runner.tmp, "hex") + "\n")
    pathlib.Path(os.path.join(runner.tmp, "hex")).write_text("0000\n")
    out, _ = tool(runner, "--config", path, "--format", "json", status=3)
    expect([case["exit"] for case in json.loads(out)["cases"]] == [0, 3, 1], out)
    out, _ = tool(runner, "--config", path, "--case", "a", "--case", "c", status=1)
    expect(out.startswith("== a: info\nmlx5_0\n") and "\n== c: dump\nwqe:" in out, out)


def options_of_eal_are_those_of_the_case(runner):
    path = os.path.join(runner.tmp, "cases.ini")
    pathlib.Path(path).write_text("[a]\ncommand = info\neal_args = --nosuch-option\n"
                                  "[b]\ncommand = info\n")
    out, err = tool(runner, "--config", path, "--format", "json", status=3)
    expect([case["exit"] for case in json.loads(out)["cases"]] == [3, 0], out)
    expect("nosuch-option" in err, err)


CASES = (info_is_the_same_in_all_formats, verify_is_the_same_in_all_formats,
         bench_has_csv_of_each_measure, results_are_compared_in_all_formats,
         what_is_no_result_is_not_compared, recoveries_are_told_in_all_formats,
         dump_is_the_same_in_all_formats, dump_tells_several_entries_and_incomplete_ones,
         formats_have_the_same_names_everywhere, cases_of_the_sample_run,
         cases_end_with_the_highest_status,
         options_of_eal_are_those_of_the_case)

if __name__ == "__main__":
    TOOL = sys.argv[2]
    sys.exit(run_cases(Runner(sys.argv[1]), CASES))
