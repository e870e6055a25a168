# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""What programs see of the devices: options, link layers, models, sysfs.

Usage: device_test.py SWHCA_RUN
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import os
import re
import sys

from case_runner import Runner, expect, need, run_cases

OPTIONS = {
    # option: (variable, good value, bad values)
    "--devices": ("SWHCA_DEVICES", "3", ("0", "9", "two", "-1", "")),
    "--model": ("SWHCA_MODEL", "cx5", ("cx4", "CX7")),
    "--link-layer": ("SWHCA_LINK_LAYER", "eth", ("ethernet", "2")),
    "--crypto": ("SWHCA_CRYPTO", "wrapped", ("none",)),
    "--log": ("SWHCA_LOG", "none", ("loud",)),
    "--log-max-klm": ("SWHCA_LOG_MAX_KLM", "4", ("0", "17")),
    "--max-indirection": ("SWHCA_MAX_INDIRECTION", "2", ("0", "9")),
    "--log-max-mkey": ("SWHCA_LOG_MAX_MKEY", "10", ("5", "23")),
    "--log-max-qp": ("SWHCA_LOG_MAX_QP", "10", ("0", "17")),
    "--log-max-qp-size": ("SWHCA_LOG_MAX_QP_SIZE", "10", ("5", "16")),
    "--log-max-cq": ("SWHCA_LOG_MAX_CQ", "10", ("0", "17")),
    "--log-max-cq-size": ("SWHCA_LOG_MAX_CQ_SIZE", "10", ("5", "23")),
    "--log-max-uar": ("SWHCA_LOG_MAX_UAR", "10", ("7", "16")),
}


def help_lists_every_option(runner):
    out = runner.run("--help").stdout
    for option, (variable, _, _) in OPTIONS.items():
        expect(option in out and variable in out, f"{option}, {variable} in:\n{out}")
    expect("--library" in out and "--static-uar" in out, out)


def options_become_variables(runner):
    for option, (variable, good, _) in OPTIONS.items():
        out = runner.run("sh", "-c", f"echo ${variable}", options=[option, good]).stdout
        expect(out == good + "\n", f"{option} {good}: {out}")


def bad_options_are_rejected(runner):
    for option, (variable, _, bads) in OPTIONS.items():
        for bad in bads:
            done = runner.run("echo", "ran", options=[option, bad], status=125)
            expect(option in done.stderr and "ran" not in done.stdout, done.stderr)
            if bad == "":
                continue  # a variable without a value is not set
            env = runner.env(**{variable: bad})
            done = runner.run("echo", "ran", env=env, status=125)
            expect(variable in done.stderr and "ran" not in done.stdout, done.stderr)


def bad_variables_leave_no_device(runner):
    """Without swhca-run, that is: nobody could reject to run."""
    env = runner.env(LD_PRELOAD=os.environ["SWHCA_LIB"], SWHCA_MODEL="cx4", SWHCA_LOG="error")
    run = Runner("env")
    run.tmp = runner.tmp
    done = run.run(need("ibv_devices"), env=env)
    expect("mlx5_" not in done.stdout and "SWHCA_MODEL: cx4" in done.stderr, done.stderr)


def models_have_their_ids(runner):
    for model, part, fw in (("cx5", 4119, "16"), ("cx6dx", 4125, "22"), ("cx7", 4129, "28")):
        out = runner.run(need("ibv_devinfo"), options=["--model", model]).stdout
        expect(re.search(rf"vendor_part_id:\s+{part}$", out, re.M), out)
        expect(re.search(rf"fw_ver:\s+{fw}\.", out), out)


def limits_are_reported(runner):
    out = runner.run(need("ibv_devinfo"), "-v", options=["--log-max-qp", "7",
                     "--log-max-cq-size", "8", "--log-max-mkey", "9"]).stdout
    expect(re.search(r"max_qp:\s+128$", out, re.M), out)
    expect(re.search(r"max_cqe:\s+255$", out, re.M), out)
    expect(re.search(r"max_mr:\s+512$", out, re.M), out)


def ethernet_port_has_roce_gids(runner):
    out = runner.run(need("ibv_devinfo"), "-v", options=["--link-layer", "eth"]).stdout
    expect(out.count("link_layer:\t\tEthernet") == 2, out)
    gids = re.findall(r"GID\[\s*(\d)\]:\s+(\S+?),? (RoCE v[12])$", out, re.M)
    expect([(gid[0], gid[2]) for gid in gids[:4]] ==
           [("0", "RoCE v1"), ("1", "RoCE v2"), ("2", "RoCE v1"), ("3", "RoCE v2")], out)
    expect(gids[0][1].startswith("fe80:") and gids[3][1].endswith("192.0.2.1"), out)


def read(root, *path):
    """Text of a file of the tree."""
    with open(os.path.join(root, *path), encoding="utf-8") as file:
        return file.read().strip()


def tree_cases(runner, options, check):
    """Run a check, given the folder that stands for /sys, while a command keeps it."""
    process = runner.start("sh", "-c", "echo $SYSFS_PATH; exec sleep 100000", options=options)
    try:
        check(process.stdout.readline().strip())
    finally:
        process.terminate()
        process.communicate()


def check_pci(root, link):
    pci = os.path.join(root, "bus/pci/devices")
    expect(sorted(os.listdir(pci)) == ["0000:08:00.0", "0000:08:00.1"], os.listdir(pci))
    for index, slot in enumerate(sorted(os.listdir(pci))):
        dev = os.path.join(pci, slot)
        expect(read(dev, "vendor") == "0x15b3" and read(dev, "device") == "0x1021", dev)
        expect(read(dev, "class") == ("0x020000" if link == "eth" else "0x020700"), dev)
        expect(len(read(dev, "resource").splitlines()) == 13, read(dev, "resource"))
        uevent = dict(line.split("=", 1) for line in read(dev, "uevent").splitlines())
        expect(uevent["DRIVER"] == "mlx5_core" and uevent["PCI_SLOT_NAME"] == slot, uevent)
        expect(os.path.basename(os.path.realpath(os.path.join(dev, "driver"))) == "mlx5_core",
               "driver link")
        with open(os.path.join(dev, "config"), "rb") as file:
            expect(file.read()[:4] == bytes.fromhex("b3152110"), "configuration space")
        ibdev = os.path.join(root, "class/infiniband", f"mlx5_{index}")
        expect(os.path.realpath(os.path.join(ibdev, "device")) == os.path.realpath(dev),
               "device link")
        expect(os.listdir(os.path.join(dev, "infiniband")) == [f"mlx5_{index}"], "infiniband")
        has_net = os.path.isdir(os.path.join(dev, "net"))
        expect(has_net == (link == "eth"), "net device")


def check_port(root, link):
    ibdev = os.path.join(root, "class/infiniband/mlx5_0")
    port = os.path.join(ibdev, "ports/1")
    for name in ("node_guid", "fw_ver", "hca_type", "hw_rev", "board_id", "node_desc"):
        expect(read(ibdev, name) != "", name)
    expect(read(port, "state") == "4: ACTIVE", "state")
    expect(read(port, "link_layer") == ("Ethernet" if link == "eth" else "InfiniBand"), link)
    expect("Gb/sec (4X" in read(port, "rate"), "rate")
    expect(read(port, "counters/port_xmit_data") == "0", "counters")
    if link == "ib":
        expect(len(os.listdir(os.path.join(port, "pkeys"))) == 128, "pkeys")
        expect(int(read(port, "lid"), 16) == 1, "lid")
        return
    netdev = os.listdir(os.path.join(ibdev, "device/net"))[0]
    expect(read(port, "gid_attrs/types/0") == "IB/RoCE v1", "type 0")
    expect(read(port, "gid_attrs/types/1") == "RoCE v2", "type 1")
    expect(read(port, "gid_attrs/ndevs/1") == netdev, "ndev")
    mac = bytes.fromhex(read(ibdev, "device/net", netdev, "address").replace(":", ""))
    gid = bytes.fromhex(read(port, "gids/0").replace(":", ""))
    expect(gid == bytes.fromhex("fe80000000000000") + bytes([mac[0] ^ 2]) + mac[1:3] +
           b"\xff\xfe" + mac[3:], f"{gid.hex()} is not of {mac.hex()}")


def sysfs_has_pci_functions(runner):
    for link in ("ib", "eth"):
        tree_cases(runner, ["--link-layer", link], lambda root, link=link: check_pci(root, link))


def sysfs_has_ports(runner):
    for link in ("ib", "eth"):
        tree_cases(runner, ["--link-layer", link], lambda root, link=link: check_port(root, link))


def lspci_lists_the_functions(runner):
    out = runner.run("sh", "-c", f'exec {need("lspci")} -n -A linux-sysfs '
                     '-O sysfs.path="$SYSFS_PATH/bus/pci"').stdout
    expect(len(re.findall(r"^08:00\.[01] 0207: 15b3:1021", out, re.M)) == 2, out)


CASES = (help_lists_every_option, options_become_variables, bad_options_are_rejected,
         bad_variables_leave_no_device, models_have_their_ids, limits_are_reported,
         ethernet_port_has_roce_gids, sysfs_has_pci_functions, sysfs_has_ports,
         lspci_lists_the_functions)

if __name__ == "__main__":
    sys.exit(run_cases(Runner(sys.argv[1]), CASES))
