#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Programs as a user runs them on the software ConnectX: Debian's and ours.

Usage: program_test.py SWHCA_RUN DPDK_TEST_UMR
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import csv
import json
import os
import re
import sys
import textwrap

from case_runner import expect, need, report_cases, verdict_of
from tool_runner import EAL, TOP, Programs

sys.path.insert(0, os.path.join(TOP, "app/test/tap"))
from budget import test_nb_cases, test_seed  # noqa: E402


def ibv_devices_lists_two(programs):
    out = programs.run(need("ibv_devices"))
    names = re.findall(r"^\s+(mlx5_\d+)\s+([0-9a-f]{16})$", out, re.M)
    expect([name for name, _ in names] == ["mlx5_0", "mlx5_1"], out)
    expect(names[0][1] != names[1][1], "both have the same GUID:\n" + out)


def ibv_devinfo_shows_two_active_ports(programs):
    out = programs.run(need("ibv_devinfo"), "-v")
    expect(re.findall(r"^hca_id:\s+(\S+)$", out, re.M) == ["mlx5_0", "mlx5_1"], out)
    expect(out.count("PORT_ACTIVE (4)") == 2, out)
    expect(len(re.findall(r"vendor_id:\s+0x02c9", out)) == 2, out)
    lids = re.findall(r"port_lid:\s+(\d+)", out)
    expect(len(set(lids)) == 2 and "0" not in lids, out)


def number_of_devices_is_an_option(programs):
    out = programs.run(need("ibv_devices"), options=["--devices", "3"])
    expect(re.findall(r"mlx5_\d+", out) == ["mlx5_0", "mlx5_1", "mlx5_2"], out)


def exit_status_is_that_of_the_command(programs):
    programs.run("sh", "-c", "exit 37", status=37)


def help_tells_every_command(programs):
    out = programs.run(programs.tool, "--help")
    for command in ("info", "verify", "bench", "dump"):
        expect(re.search(rf"^\s+{command}\b", out, re.M), out)
        expect("--" in programs.run_tool(command, "--help"), command)


def programs_report_one_version(programs):
    tools = os.path.dirname(os.environ["SWHCA_LIB"])
    speed = os.path.join(tools, "..", "..", "app", "swhca-speed", "swhca-speed")
    said = [programs.run(*words, "--version").split(" ", 1)
            for words in ((programs.tool,), (speed,), (os.path.join(tools, "swhca-ctl"),),
                          (os.path.join(tools, "swhca-pci"),))]
    expect([name for name, _ in said] ==
           ["dpdk-test-umr", "swhca-speed", "swhca-ctl", "swhca-pci"], said)
    expect(len({version for _, version in said}) == 1, said)
    expect(re.fullmatch(r"\d+\.\d+\.\d+ \(.+\)\n", said[0][1]), said)
    outs = {how: (programs.run_tool("info", "--format", how),
                  programs.run(speed, "--rounds", "1", "--format", how)) for how in ("json", "csv")}
    origins = [json.loads(out)["origin"] for out in outs["json"]]
    origins += [{name: line[name] for name in origins[0]} for out in outs["csv"]
                for line in csv.DictReader(out.splitlines())]
    for origin in origins:
        expect(f"{origin['version']} ({origin['commit']})\n" == said[0][1], origin)
        expect(re.fullmatch(r"\d{4}-\d\d-\d\d", origin.pop("date")), origins)
        expect(origin == origins[0] and "cpu" in origin, origins)
    expect(len(json.loads(outs["json"][1])["results"]) + 1 == len(outs["csv"][1].splitlines()), outs)


def info_tells_both_devices(programs):
    info = json.loads(programs.run_tool("info", "--format", "json"))
    expect([dev["name"] for dev in info["devices"]] == ["mlx5_0", "mlx5_1"], info)
    for dev in info["devices"]:
        expect(dev["is_port_active"] and "mkey_list" in dev["capabilities"], dev)
    expect("mlx5_1" in programs.run_tool("info"), "no mlx5_1 in the text")


def guide_shows_what_info_prints(programs):
    path = os.path.join(TOP, "doc", "guides", "getting_started.rst")
    with open(path, encoding="utf-8") as file:
        block = re.search(r"-- info\n( +mlx5_0\n.*?)^ +\[\.\.\.", file.read(), re.S | re.M)
    expect(block, f"no output of info in {path}")
    # A literal block is indented.
    shown = textwrap.dedent(block.group(1))
    printed = programs.run_tool("info")
    expect(shown in printed, f"not what {path} shows:\n{printed}")


def info_knows_all_of_the_header(_programs):
    """Capabilities and fields that the API has must be printed, without anybody's help."""
    def text(*path):
        with open(os.path.join(TOP, *path), encoding="utf-8") as file:
            return file.read()

    printed = text("app", "test-umr", "cmd_info.c") + text("app", "test-umr", "tool", "tool.c")
    names = os.listdir(os.path.join(TOP, "lib", "umr"))
    headers = "".join(text("lib", "umr", name) for name in names if name.endswith(".h"))
    bits = re.findall(r"#define (RTE_UMR_(?:\w+_)?(?:CAPA|ACCESS)_\w+)\s+RTE_BIT", headers)
    expect(len(bits) > 30, bits)
    for bit in bits:
        expect(re.search(rf"{{ {bit}, ", printed), f"info does not know {bit}")
    info = re.search(r"struct rte_umr_dev_info {(.*?)\n};", headers, re.S).group(1)
    fields = re.findall(r"\w+ \*?(\w+)(?:\[\w+\])?;", re.sub(r"/\*.*?\*/", "", info, flags=re.S))
    expect(len(fields) > 40, fields)
    for field in fields:
        # The application's own doing, not the device's.
        if field not in ("nb_queues", "is_started"):
            expect(re.search(rf"(?:info->|LIMIT\(){field}\b", printed), f"info does not print {field}")


def verify_passes(programs):
    cases = 2 * test_nb_cases()
    out = programs.run_tool("verify", "--cases", str(cases), "--seed", str(test_seed()))
    expect(out.rstrip().endswith(f"{cases} passed, 0 failed"), out[-500:])


def verify_reports_each_layout(programs):
    report = json.loads(programs.run_tool("verify", "--layout", "all", "--cases", "200", "--seed",
                                          "3", "--format", "json"))
    expect(report["passed"] == 200 and report["failed"] == 0 and not report["failures"], report)
    counts = {layout["layout"]: layout["passed"] for layout in report["layouts"]}
    expect({"list", "interleaved"} <= counts.keys() and sum(counts.values()) == 200, report)
    expect(max(counts.values()) - min(counts.values()) <= 1, report)
    out = programs.run_tool("verify", "--layout", "list", "--cases", "10")
    expect(out == "list: 10 passed\n10 passed, 0 failed\n", out)


def verify_goes_on_where_indices_begin_again(programs):
    out = programs.run_tool("verify", "--layout", "list,dc", "--cases", "200", "--seed", "7",
                            "--wrap")
    expect(out.endswith("200 passed, 0 failed\n"), out)


def verify_case_is_the_same_alone(programs):
    def told(*args):
        text = programs.run_tool("verify", "--seed", "5", "--verbose", *args, errors=True)
        start = text.index("case 9 of interleaved")
        return re.match(r"case 9 .*\n(  .*\n)+", text[start:]).group(0)

    expect(told("--cases", "30", "--layout", "list,interleaved") ==
           told("--case", "9", "--layout", "interleaved"), "a case depends on those before it")


def verify_is_repeatable(programs):
    # The cases are told on stderr, among other lines.
    def cases(seed):
        text = programs.run_tool("verify", "--cases", "50", "--seed", seed, "--verbose",
                                 errors=True)
        return [line for line in text.splitlines() if line.startswith(("case ", "  "))]

    expect(sum(line.startswith("case ") for line in cases("11")) == 50, cases("11"))
    expect(cases("11") == cases("11"), "two runs of a seed differ")
    expect(cases("11") != cases("12"), "two seeds give the same cases")


def verify_knows_small_keys(programs):
    for log_max in (2, 4):
        out = programs.run(programs.tool, *EAL, "--", "verify", "--layout", "all", "--cases", "340",
                           "--seed", "7", options=["--log-max-klm", str(log_max)])
        expect(" 0 failed" in out.splitlines()[-1], out[-500:])


def verify_fits_small_devices(programs):
    # Rings of 32 descriptors, which cases fill, and few keys.
    small = ["--log-max-cq-size", "6", "--log-max-qp-size", "6", "--log-max-mkey", "6"]
    for layout, cases in (("tag,sig,sigcrypto", "300"), ("all", "170")):
        out = programs.run(programs.tool, *EAL, "--", "verify", "--layout", layout, "--cases",
                           cases, options=small)
        expect(out.endswith(f"{cases} passed, 0 failed\n"), out[-500:])


def verify_tells_what_a_small_device_lacks(programs):
    def verify(limit, *args, **kwargs):
        return programs.run(programs.tool, *EAL, "--", "verify", "--cases", "20", *args,
                            options=limit, **kwargs)

    for limit in (["--log-max-qp", "1"], ["--log-max-cq", "1"]):
        out = verify(limit, "--layout", "list", status=3)
        expect("list: 20 skipped: mlx5_0 lacks 3 queues, it has at most 1\n" in out, out)
        verify(limit, "--layout", "list", "--transport", "loopback")
    # What can be done is done.
    out = verify(["--log-max-qp", "2"], "--layout", "list,dc")
    expect("dc: 10 skipped: mlx5_0 lacks 6 queues" in out, out)
    expect(out.endswith("10 passed, 0 failed, 10 skipped\n"), out)
    # Queues with receives have two CQs, and the driver has one.
    text = verify(["--log-max-cq", "2"], "--layout", "recv", status=3, errors=True)
    expect("queue 1: no CQ of 64 entries: the device has 4, of up to" in text, text)


def dump_decodes_a_nop(programs):
    # Index 5, opcode 0, QP 0x123, 1 DS, completion requested; the rest of the WQEBB is zero.
    out = programs.run(programs.tool, "dump", "0000050000012301 0000000800000000" + "00" * 48)
    expect("NOP" in out and re.search(r"0x0*123\b", out), out)


CASES = (ibv_devices_lists_two, ibv_devinfo_shows_two_active_ports, number_of_devices_is_an_option,
         exit_status_is_that_of_the_command, help_tells_every_command, programs_report_one_version,
         info_tells_both_devices, guide_shows_what_info_prints,
         info_knows_all_of_the_header, verify_passes, verify_reports_each_layout,
         verify_goes_on_where_indices_begin_again, verify_case_is_the_same_alone,
         verify_is_repeatable, verify_knows_small_keys, verify_fits_small_devices,
         verify_tells_what_a_small_device_lacks,
         dump_decodes_a_nop)


def main():
    programs = Programs(*sys.argv[1:3])
    return report_cases(CASES, lambda case: verdict_of(case, programs))


if __name__ == "__main__":
    sys.exit(main())
