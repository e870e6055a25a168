# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""ip(8) of iproute2, unmodified, shows the net devices of Ethernet ports beside the machine's own.

Usage: ip_test.py SWHCA_RUN RESOURCES
RESOURCES is a program that tells what libibverbs says of a port, and runs commands.
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import ipaddress
import json
import subprocess
import sys

from case_runner import Runner, expect, json_documents, need, run_cases

OURS = ["enp8s0f0np0", "enp8s0f1np1"]


class Programs(Runner):
    """ip, with and without devices."""

    def __init__(self, swhca_run, resources):
        super().__init__(swhca_run)
        self.resources = resources

    def ip(self, *words, link="eth"):
        done = self.run(need("ip"), "-j", *words, options=["--link-layer", link])
        return json.loads(done.stdout or "[]")


def machine(*words):
    """What there is without devices; empty objects stand for what a filter left out."""
    out = subprocess.run([need("ip"), "-j", *words], stdout=subprocess.PIPE, check=True).stdout
    return [entry for entry in json.loads(out or "[]") if entry]


def mac_of_gid(gid):
    """RFC 4291, appendix A."""
    raw = bytearray.fromhex(gid)
    return ":".join(f"{byte:02x}" for byte in bytes([raw[8] ^ 2]) + raw[9:11] + raw[13:])


def links_are_behind_those_of_the_machine(programs):
    links = programs.ip("link")
    names = [link["ifname"] for link in links]
    expect(names == [link["ifname"] for link in machine("link")] + OURS, names)
    for link in links[-2:]:
        expect(link["operstate"] == "UP" and link["mtu"] == 9000, link)
        expect({"UP", "LOWER_UP", "BROADCAST", "MULTICAST"} <= set(link["flags"]), link)


def addresses_are_those_of_gids(programs):
    need("ip")
    done = programs.run(programs.resources, "ip -j addr && echo", "rdma -j link && echo",
                        options=["--link-layer", "eth"])
    told, addrs, links = json_documents(done.stdout)
    netdev = next(addr for addr in addrs if addr["ifname"] == OURS[0])
    expect(netdev["address"] == mac_of_gid(told["gids"][0]), (netdev, told))
    expect(netdev["ifindex"] == links[0]["netdev_index"], (netdev, links))
    gids = {ipaddress.ip_address(bytes.fromhex(gid)) for gid in told["gids"]}
    gids = {gid.ipv4_mapped or gid for gid in gids}
    local = {ipaddress.ip_address(info["local"]) for info in netdev["addr_info"]}
    expect(local == gids and len(local) == 2, (local, gids))


def one_device_may_be_asked_for(programs):
    for words in (("link", "show", "dev", OURS[1]), ("addr", "show", "dev", OURS[1])):
        told = [entry for entry in programs.ip(*words) if entry]
        expect([entry["ifname"] for entry in told] == [OURS[1]], told)
    told = [entry for entry in programs.ip("addr", "show", "dev", "lo") if entry]
    expect([entry["ifname"] for entry in told] == ["lo"], told)
    done = programs.run("ip", "link", "show", "dev", "nosuch", options=["--link-layer", "eth"],
                        status=1)
    expect("does not exist" in done.stderr, done.stderr)


def families_are_told_apart(programs):
    for option, family in (("-4", "inet"), ("-6", "inet6")):
        done = programs.run(need("ip"), "-j", option, "addr", options=["--link-layer", "eth"])
        ours = [entry for entry in json.loads(done.stdout) if entry.get("ifname") == OURS[0]]
        expect(len(ours) == 1, done.stdout)
        expect([info["family"] for info in ours[0]["addr_info"]] == [family], ours)


def filters_are_the_kernels(programs):
    for words in (("link", "show", "type", "vlan"), ("addr", "show", "dev", "lo")):
        told = [entry for entry in programs.ip(*words) if entry]
        expect(not any(entry["ifname"] in OURS for entry in told), told)


def the_rest_is_as_the_machine_has_it(programs):
    for words in (("route",), ("rule",), ("neigh", "show", "nud", "permanent")):
        expect(programs.ip(*words) == machine(*words), words)


def infiniband_has_no_net_devices(programs):
    names = [link["ifname"] for link in programs.ip("link", link="ib")]
    expect(not set(names) & set(OURS), names)


CASES = [links_are_behind_those_of_the_machine, addresses_are_those_of_gids,
         one_device_may_be_asked_for, families_are_told_apart, filters_are_the_kernels,
         the_rest_is_as_the_machine_has_it, infiniband_has_no_net_devices]

if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} SWHCA_RUN RESOURCES")
    sys.exit(run_cases(Programs(sys.argv[1], sys.argv[2]), CASES))
