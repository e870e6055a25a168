# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Ordinary mistakes with our programs: one line names what is wrong; statuses are documented.

Usage: mistakes_test.py SWHCA_RUN DPDK_TEST_UMR SWHCA_CTL SWHCA_SPEED SWHCA_PCI UMR_KVCACHE [few]
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import os
import pathlib
import re
import subprocess
import sys

from case_runner import Runner, Skip, expect, need, run_cases
from patience import LONG_S
from tool_runner import EAL

HUGE_EAL = ("-l", EAL[EAL.index("-l") + 1], "--no-pci", "--no-telemetry")
FAULTS = "error-cqe, cqe-delay, doorbell-drop, doorbell-delay, engine-stall, qp-delay, fatal, unmap"

# Files of the rows, in the folder of a case.
FILES = {
    "garbage": "what is this\n",
    "empty": "",
    "names.ini": "[a]\ncommand = info\n[b]\nlayout = list\n",
    "command.ini": "[a]\ncommand = info\n[b]\ncommand = nosuch\n",
    "cases.ini": "[a]\ncommand = info\n[b]\ncommand = cases\n",
    "option.ini": "[a]\ncommand = info\n[b]\ncommand = info\nlayout = list\n",
    "format.ini": "[a]\ncommand = info\n[b]\ncommand = info\nformat = csv\n",
    "flag.ini": "[a]\ncommand = info\n[b]\ncommand = verify\nwrap = 1\n",
    "section.ini": "[a]\ncommand = info\n[b\ncommand = info\n",
    "twice.ini": "[a]\ncommand = info\n[a]\ncommand = dump\n",
    "line.ini": "[a]\ncommand = info\nwhat is this\n",
    "good.ini": "[a]\ncommand = info\n",
    "result.json": '{"results": []}\n',
}

# Rows: words behind the program, exit status, and the line that says what is wrong. {tmp} is the
# folder with FILES.
RUN = (
    ((), 125, r"no command \(see --help\)"),
    (("--no-such-option", "true"), 125, r"--no-such-option: unknown option \(see --help\)"),
    (("--devices",), 125, r"--devices: needs a value \(see --help\)"),
    (("--devices", "9", "true"), 125, "--devices: 9: not a number in 1 to 8"),
    (("--model", "cx9", "true"), 125, "--model: cx9: not one of cx7, cx6dx, cx5"),
    (("--impair", "dup=1%,loss=200%", "true"), 125,
     r"--impair: dup=1%,loss=200%: loss is not in \[0, 1\], or \[0%, 100%\]"),
    (("--impair", "delay=x", "true"), 125,
     "--impair: delay=x: delay is not USEC or USEC-USEC, up to 10000000"),
    (("--impair", "nosuch=1", "true"), 125, "--impair: nosuch=1: none of loss, dup, .*, off"),
    (("--fault", "nosuch", "true"), 125,
     f"--fault: nosuch: a class is none of {FAULTS}, odp-delay"),
    (("--fault", "fatal,nth=0", "true"), 125,
     r"--fault: fatal,nth=0: nth is not a number in \[1, 4294967295\]"),
    (("--fault", "fatal,k=0", "true"), 125, "--fault: fatal,k=0: a key is none of qp, .*, vendor"),
    (("--quirk", "nosuch", "true"), 125,
     "--quirk: nosuch: not the name of a quirk; 'list' shows them"),
    (("--capture", "{tmp}/x", "true"), 125,
     r"--capture: there is no wire that packets go by \(--wire udp\)"),
    (("--library", "{tmp}/none", "true"), 125, "--library: {tmp}/none: No such file or directory"),
    (("no-such-program",), 127, "no-such-program: command not found"),
    (("{tmp}/none",), 127, "{tmp}/none: command not found"),
    (("{tmp}/garbage",), 126, "{tmp}/garbage: not an executable file"),
    (("{tmp}",), 126, "{tmp}: not an executable file"),
)

CTL = (
    ((), 125, r"no command \(see --help\)"),
    (("nosuch", "1"), 125, r"nosuch: no such command \(see --help\)"),
    (("list",), 125, r"list: its arguments are PID \(see --help\)"),
    (("remove", "1"), 125, r"remove: its arguments are PID N \(see --help\)"),
    (("fault", "1", "0"), 125, r"fault: its arguments are PID N SPEC\|list\|off \[CLASS\] .*"),
    (("list", "none"), 125, "none: not a process number"),
    (("list", "0"), 125, "0: not a process number"),
    (("list", "99999999999999999999"), 125, "99999999999999999999: not a process number"),
    # More than the kernel has, PID_MAX_LIMIT.
    (("list", "4194305"), 125, "process 4194305: does not exist"),
    (("remove", "{pid}", "0"), 125, "process {pid}: has no devices open"),
)

SPEED = (
    ((), 3, r"no device can be opened \(start it as 'swhca-run swhca-speed'\): No such device"),
    (("--no-such-option",), 2, r"--no-such-option: unknown option \(see --help\)"),
    (("--rounds",), 2, r"--rounds: needs a value \(see --help\)"),
    (("--rounds", "0"), 2, r"--rounds: '0' is not a number in \[1, 1001\]"),
    (("--batch", "x"), 2, r"--batch: 'x' is not a number in \[1, \d+\]"),
    (("--format", "xml"), 2, "--format: 'xml' is not table, json or csv"),
    (("word",), 2, "'word': no arguments are expected"),
)

PCI = (
    ((), 2, r"--socket: is missing \(see --help\)"),
    (("--no-such-option",), 2, r"--no-such-option: unknown option \(see --help\)"),
    (("--socket",), 2, r"--socket: needs a value \(see --help\)"),
    (("--socket", "{tmp}/none/s"), 1, "--socket: {tmp}/none/s: No such file or directory"),
    (("--socket", "{tmp}"), 1,
     "--socket: {tmp}: another process has this name, or it is no socket"),
    (("--socket", "s" * 200), 1, "--socket: s+: a name of at most 106 bytes is needed"),
    (("--socket", "{tmp}/s", "--model", "cx9"), 2, "--model: cx9: not one of cx7, cx6dx, cx5"),
    (("--socket", "{tmp}/s", "--capture", "{tmp}/c"), 2,
     r"--capture: there is no wire that packets go by \(--wire udp\)"),
    *((("--socket", "{tmp}/s", f"--max-{name}", value), 2,
       f"--max-{name}: {value}: not a number in [0-9]+ to [0-9]+, K, M, G or T behind it")
      for name in ("guest-memory", "key-memory", "flows")
      for value in ("", "-1", "1", "8X", "8GG", "1000T", "99999999999999999999", "17000000T")),
)

# Before EAL starts.
TOOL_ALONE = (
    (("nosuch",), 2, "'nosuch' is not a command; see --help"),
    (("--nosuch",), 2, "'--nosuch': EAL options stand in front of '--'"),
    (("dump",), 2, "dump: no bytes given"),
    (("dump", "zz"), 2, "dump: 'z' is not a hex digit"),
    (("dump", "000"), 2, "dump: an odd number of hex digits in front of a blank"),
    (("dump", "--type"), 2, "dump: '--type' needs a value; see dump --help"),
    (("dump", "--type", "x"), 2, "--type: 'x' is not wqe, cqe or mkc"),
    (("dump", "--file", "{tmp}/none"), 2, "dump: {tmp}/none: No such file or directory"),
    (("dump", "--file", "{tmp}"), 2, "dump: {tmp}: Is a directory"),
    (("dump", "--file", "{tmp}/garbage"), 2, "dump: 'w' is not a hex digit"),
    (("bench", "--compare", "{tmp}/none", "{tmp}/none"), 2,
     "--compare: {tmp}/none: .*No such file .*"),
    (("bench", "--compare", "{tmp}/garbage", "{tmp}/garbage"), 2, "--compare: {tmp}/garbage: .*"),
    (("bench", "--compare", "{tmp}/garbage"), 2, "bench: --compare takes two files .*"),
    (("cases",), 2, "cases: --config is missing"),
    (("cases", "--config", "{tmp}/none"), 2, "{tmp}/none: No such file or directory"),
    (("cases", "--config", "{tmp}"), 2, "{tmp}: Is a directory"),
    (("cases", "--config", "{tmp}/empty"), 2, "{tmp}/empty: no case"),
    (("cases", "--config", "{tmp}/line.ini"), 2,
     r"{tmp}/line.ini: line 3 is not '\[case\]', 'name = value' or '; comment'"),
    (("cases", "--config", "{tmp}/section.ini"), 2, "{tmp}/section.ini: not an ini file"),
    (("cases", "--config", "{tmp}/twice.ini"), 2, r"{tmp}/twice.ini: \[a\] is there twice"),
    (("cases", "--config", "{tmp}/names.ini"), 2, r"cases: \[b\] has no 'command'"),
    (("cases", "--config", "{tmp}/command.ini"), 2,
     r"cases: \[b\]: 'nosuch' is not a command; see --help"),
    (("cases", "--config", "{tmp}/cases.ini"), 2,
     r"cases: \[b\]: 'cases' is not a command; see --help"),
    (("cases", "--config", "{tmp}/option.ini"), 2,
     r"cases: \[b\]: 'layout' is not an option of info; see info --help"),
    (("cases", "--config", "{tmp}/format.ini"), 2,
     r"cases: \[b\]: 'format' is not an option of info; see info --help"),
    (("cases", "--config", "{tmp}/flag.ini"), 2, r"cases: \[b\] wrap: '1' is not yes or no"),
    (("cases", "--config", "{tmp}/good.ini", "--case", "z"), 2,
     r"--case: {tmp}/good.ini has no \[z\]"),
    (("cases", "--config", "{tmp}/good.ini", "--case", "GLOBAL"), 2,
     r"--case: {tmp}/good.ini has no \[GLOBAL\]"),
    (("cases", "--config", "{tmp}/good.ini", "--format", "xml"), 2,
     "--format: 'xml' is not table, json or csv"),
    (("check", "--only", "nosuch"), 2, "--only: 'nosuch' is not a check; see --list"),
    (("check", "--port", "256"), 2, r"--port: 256 is not in \[1, 255\]"),
    (("check", "mlx5_0"), 2, "check: unexpected argument 'mlx5_0'"),
    *(((command, "--nosuch"), 2, f"{command}: '--nosuch' is not an option; see {command} --help")
      for command in ("info", "verify", "bench", "calibrate", "serve", "soak")),
    (("info", "word"), 2, "info: unexpected argument 'word'"),
    (("calibrate", "mlx5_0"), 2, "calibrate: unexpected argument 'mlx5_0'"),
    (("calibrate", "--rounds", "0"), 2, r"--rounds: 0 is not in \[1, 10001\]"),
    (("verify", "--cases"), 2, "verify: '--cases' needs a value; see verify --help"),
    (("verify", "--cases", "many"), 2, "--cases: 'many' is not a number"),
    (("verify", "--cases", "0"), 2, r"--cases: 0 is not in \[1, 9223372036854775807\]"),
    (("verify", "--layout", "list,nosuch"), 2,
     "--layout: 'nosuch' is not a layout; 'verify --help' lists them"),
    (("bench", "--layout", "nosuch"), 2, "--layout: 'nosuch' is not list, .*, lookup or register"),
    (("bench", "--plot", "{tmp}/plot.svg"), 2,
     "--plot: .*/plot.svg: takes a folder, and writes a file for each plot into it"),
    (("bench", "--peer", "localhost:x"), 2,
     r"--peer: localhost:x: not HOST\[:PORT\], with a port in \[1, 65535\]"),
    (("serve", "--listen", "x:y"), 2,
     r"--listen: x:y: not \[ADDR:\]PORT, with a port in \[0, 65535\]"),
    (("soak", "--faults", "nosuch"), 2,
     "--faults: 'nosuch' is not a class of faults; see soak --help"),
    (("soak", "--queues", "0"), 2, r"--queues: 0 is not in \[1, 64\]"),
    (("calibrate", "--device", "a", "--device", "b"), 2, "calibrate: takes one device, not 2"),
    (("verify", "--peer", "h", "--transport", "rc"), 2,
     "verify: --peer is a transport of its own, without --transport"),
    (("bench", "--size", "64"), 2, "bench: --size, --operation, .* need --peer"),
    (("bench", "--measure", "software", "--layout", "list"), 2,
     "--measure software: list has no signature or encryption"),
    (("soak", "--step", "1"), 2, "soak: --queue and --step go together"),
)

# Behind EAL's options, on the devices.
TOOL = (
    (("bench", "--measure", "lcores"), 2, r"--measure lcores: the EAL has 1 lcore, it takes 2 .*"),
    (("bench", "--plot", "{tmp}/none/plots", "--rounds", "1"), 3,
     r"--plot: (.*/none/plots: No such file or directory|needs the program gnuplot .*)"),
    (("info", "--device", "nosuch"), 3, "device nosuch: No such device; 'info' lists the devices"),
    (("check", "--device", "mlx5_7"), 3, ".*no such adapter: mlx5_7.*"),
    (("check", "--port", "2"), 3, ".*port 2: there is none.*"),
)

# Lines of the library and the driver, which come before a line of the tool.
DEVARGS = (
    ("nosuch", "umr: nosuch: no driver knows this device"),
    ("mlx5_0,nosuch=1", 'umr: devargs "nosuch=1": KEY=VALUE,... is needed, driver mlx5_umr has the '
     "keys port, gid_index, .*"),
    ("mlx5_0,port", r"mlx5_umr: mlx5_0: port=: a number in \[1, 255\] is needed"),
    ("mlx5_0,port=x", r"mlx5_umr: mlx5_0: port=x: a number in \[1, 255\] is needed"),
    ("mlx5_0,port=7", "mlx5_umr: mlx5_0: port is 7, the device has 1"),
    ("mlx5_0,bf=x", "mlx5_umr: mlx5_0: bf=x: off, inline or single is needed"),
    ("mlx5_0,gid_index=200", "mlx5_umr: mlx5_0: port 1 has no GID of index 200"),
)


def stderr_lines(text):
    """Lines without those of EAL, which are not ours."""
    return [line for line in text.splitlines()
            if not re.match(r"(EAL|TELEMETRY): |.*the EAL knows --in-memory", line)]


def run(runner, command, status, line, env=None, nb_lines=2):
    """A command must end with the status and print the line, once and with few others."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=LONG_S, text=True, check=False,
                          env=env or runner.env())
    told = f"{command}: status {done.returncode}, not {status}; not {line}\n{done.stderr}"
    lines = stderr_lines(done.stderr)
    expect(done.returncode == status, told)
    expect(sum(re.fullmatch(line, one) is not None for one in lines) == 1, told)
    expect(len(lines) <= nb_lines, told)
    # Wrong usage is found before anything runs.
    expect(status != 2 or done.stdout == "", f"{command}: {done.stdout}")


def documented(program):
    """Numbers that --help has as exit status."""
    text = subprocess.run([program, "--help"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          check=True, text=True, timeout=LONG_S).stdout
    end = re.search(r"[Ee]xit\s+status(.*?\n.*?\n|.*)", text, re.S)
    expect(end, f"{program} --help has no exit status")
    return {int(number) for number in re.findall(r"\b\d+\b", end.group(0))}


def run_under_a_limit(runner, limits, option, words, options, status, line):
    """Run the tool with growing limits of ulimit, until one is too small just for what fails."""
    before = [need("setpriv"), "--bounding-set=-ipc_lock"] if os.geteuid() == 0 else []
    lines = []
    for limit in limits:
        command = ["sh", "-c", f'ulimit {option} {limit}; exec "$@"', "sh", PATHS["tool"], *EAL,
                   "--"]
        done = subprocess.run([runner.swhca_run, *options, *before, *command, *words],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, timeout=LONG_S, text=True, check=False,
                              env=runner.env())
        lines += stderr_lines(done.stderr)
        if any(re.fullmatch(line, one) for one in lines):
            expect(done.returncode == status, done)
            return
    expect(False, (line, lines))


def check_rows(runner, program, rows, around=(), **kwargs):
    """Run all rows, and report all that fail."""
    words = {"tmp": runner.tmp, "pid": str(os.getpid())}
    for name, text in FILES.items():
        pathlib.Path(runner.tmp, name).write_text(text, encoding="ascii")
    name = os.path.basename(program)
    known, wrong = documented(program), []
    for args, status, line in rows:
        def fill(text):
            return re.sub("{(tmp|pid)}", lambda match: words[match.group(1)], text)
        try:
            expect(status in known, f"{args}: status {status} is not documented: {known}")
            run(runner, [*around, *map(fill, args)], status, f"{name}: {fill(line)}", **kwargs)
        except AssertionError as error:
            wrong.append(str(error))
    expect(not wrong, "\n".join(wrong))


def mistakes_with_swhca_run(runner):
    check_rows(runner, runner.swhca_run, RUN, [runner.swhca_run])
    expect(os.listdir(runner.tmp) and not [name for name in runner.folders() if "swhca" in name],
           runner.folders())


def mistakes_with_swhca_ctl(runner):
    check_rows(runner, PATHS["ctl"], CTL, [PATHS["ctl"]])


def mistakes_with_swhca_speed(runner):
    check_rows(runner, PATHS["speed"], SPEED, [PATHS["speed"]])


def mistakes_with_swhca_pci(runner):
    check_rows(runner, PATHS["pci"], PCI, [PATHS["pci"]])


def mistakes_with_the_tool_before_eal(runner):
    check_rows(runner, PATHS["tool"], TOOL_ALONE, [PATHS["tool"]])


def mistakes_with_the_tool(runner):
    check_rows(runner, PATHS["tool"], TOOL, [runner.swhca_run, PATHS["tool"], *EAL, "--"])


def wrong_devargs(runner):
    for args, line in DEVARGS:
        run(runner, [runner.swhca_run, PATHS["tool"], *EAL, "--", "info", "--device", args], 3,
            line)


def no_device_and_no_driver(runner):
    run(runner, [PATHS["tool"], *EAL, "--", "info"], 3, "dpdk-test-umr: no device found; on a "
        "machine without one, start it as 'swhca-run dpdk-test-umr ...'")
    eal = [word.replace("--in-memory", "--no-shconf") for word in EAL]
    run(runner, [PATHS["kvcache"], *eal], 1,
        r"no device \(swhca-run has some\) or no driver \(EAL's -d\): No such device")
    run(runner, [runner.swhca_run, PATHS["kvcache"], *eal, "--", "nosuch"], 1,
        "nosuch: No such device")
    plugin = ["-d", f"{runner.tmp}/none.so"]
    run(runner, [runner.swhca_run, PATHS["tool"], *EAL, *plugin, "--", "info"], 3,
        "dpdk-test-umr: EAL does not start: .*; its lines above have the reason")
    for variable in ("SWHCA_LIB", "SWHCA_MODEL"):
        run(runner, [runner.swhca_run, "true"], 125, f"swhca-run: .*{runner.tmp}/none: .*",
            env=runner.env(**{variable: f"{runner.tmp}/none"}))


def keys_that_are_too_small(runner):
    run(runner, [runner.swhca_run, "--log-max-klm", "1", PATHS["tool"], *EAL, "--", "info"], 3,
        "mlx5_umr: mlx5_0: keys of at most 2 entries, 4 are needed")


def no_hugepages(runner):
    if os.geteuid() != 0:
        raise Skip("hiding them needs root")
    script = 'mount -t tmpfs none /sys/kernel/mm/hugepages || exit 77; exec "$@"'
    hide = [need("unshare"), "--mount", "sh", "-c", script, "sh"]
    if subprocess.run([*hide, "true"], check=False).returncode != 0:
        raise Skip("no mounts")
    for option in ((), ("--in-memory",)):
        run(runner, [runner.swhca_run, *hide, PATHS["tool"], *HUGE_EAL, *option, "--", "info"], 3,
            "dpdk-test-umr: EAL does not start: .*; its lines above have the reason; without "
            "hugepages, use --no-huge")


def limit_of_locked_memory(runner):
    """For regions, and for rings of queues, which come later."""
    for limits, what in (((64,), r"cannot register \d+ bytes at 0x[0-9a-f]+, flags 0x0"),
                         (range(1024, 4096, 256), r"cannot register \d+ bytes for queues")):
        run_under_a_limit(runner, limits, "-l", ["verify", "--cases", "1", "--layout", "list"],
                          ["--memlock"], 3, f"mlx5_umr: mlx5_0: {what}: Cannot allocate memory; the "
                          r"limit of locked memory is \d+ bytes \(ulimit -l\)")


def device_file_cannot_be_opened(runner):
    run_under_a_limit(runner, range(8, 64), "-n", ["info", "--device", "mlx5_0"], [], 3,
                      "mlx5_umr: mlx5_0: cannot open /dev/infiniband/uverbs0 with DEVX: "
                      "Too many open files")


def permission_is_missing(runner):
    secret = pathlib.Path(runner.tmp, "secret")
    secret.write_text("00", encoding="ascii")
    secret.chmod(0)
    around = []
    if os.geteuid() == 0:
        around = [need("setpriv"), "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        if subprocess.run([*around, "test", "-x", PATHS["tool"]], check=False).returncode != 0:
            raise Skip("others cannot execute the tool")
        os.chmod(runner.tmp, 0o755)
    run(runner, [*around, PATHS["tool"], "dump", "--file", str(secret)], 2,
        f"dpdk-test-umr: dump: {secret}: Permission denied")
    run(runner, [*around, PATHS["pci"], "--socket", "/proc/s"], 1,
        "swhca-pci: --socket: /proc/s: .*")


CASES = (mistakes_with_swhca_run, mistakes_with_swhca_ctl, mistakes_with_swhca_speed,
         mistakes_with_swhca_pci, mistakes_with_the_tool_before_eal, mistakes_with_the_tool,
         wrong_devargs, no_device_and_no_driver, keys_that_are_too_small)
# Not with sanitizers, which need more of the system.
OF_THE_SYSTEM = (no_hugepages, limit_of_locked_memory, device_file_cannot_be_opened,
                 permission_is_missing)

if __name__ == "__main__":
    names = ("tool", "ctl", "speed", "pci", "kvcache")
    PATHS = dict(zip(names, map(os.path.abspath, sys.argv[2:7])))
    cases = CASES if "few" in sys.argv[7:] else CASES + OF_THE_SYSTEM
    sys.exit(run_cases(Runner(os.path.abspath(sys.argv[1])), cases))
