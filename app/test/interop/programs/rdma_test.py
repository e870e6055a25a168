# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""rdma(8) of iproute2, unmodified, tells of devices and objects what libibverbs says.

Usage: rdma_test.py SWHCA_RUN RESOURCES
RESOURCES is a program that has objects of every kind while it runs commands.
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import os
import sys

from case_runner import Runner, expect, json_documents, need, run_cases

QP_STATES = ["RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"]
DEV_CAPS = {"CHANGE_PHY_PORT": 5, "PORT_ACTIVE_EVENT": 10, "SYS_IMAGE_GUID": 11,
            "RC_RNR_NAK_GEN": 12, "MEM_WINDOW": 17, "XRC": 20, "MEM_MGT_EXTENSIONS": 21,
            "MEM_WINDOW_TYPE_2A": 23, "MEM_WINDOW_TYPE_2B": 24}
MANY = 500


class Programs(Runner):
    """rdma, below a program that has objects."""

    def __init__(self, swhca_run, resources):
        super().__init__(swhca_run)
        self.resources = resources

    def tell(self, *commands, link="ib", args=()):
        """What the program says, and what rdma says meanwhile."""
        need("rdma")
        done = self.run(self.resources, *args, *[f"rdma -j {c} && echo" for c in commands],
                        options=["--link-layer", link])
        documents = json_documents(done.stdout)
        expect(len(documents) == 1 + len(commands), done.stdout + done.stderr)
        return documents


def guid(text):
    return text.replace(":", "")


def devices_are_those_of_libibverbs(programs):
    for link, protocol in (("ib", "ib"), ("eth", "roce")):
        told, devices = programs.tell("-d dev", link=link)
        expect([dev["ifname"] for dev in devices] == ["mlx5_0", "mlx5_1"], devices)
        dev = devices[0]
        expect(dev["node_type"] == "ca" and dev["fw"] == told["fw"], (dev, told))
        expect(dev.get("protocol", protocol) == protocol, dev)
        expect(guid(dev["node_guid"]) == told["guid"], (dev, told))
        caps = sum(1 << DEV_CAPS[name] for name in dev["caps"])
        expect(caps == told["caps"], (dev, told))


def one_device_may_be_asked_for(programs):
    _, devices = programs.tell("dev show mlx5_1")
    expect([dev["ifname"] for dev in devices] == ["mlx5_1"], devices)


def ports_of_infiniband_have_lids(programs):
    told, links = programs.tell("link show")
    link = links[0]
    expect(len(links) == 2 and link["ifname"] == "mlx5_0" and link["port"] == 1, links)
    expect(link["state"] == "ACTIVE" and told["state"] == 4, (link, told))
    expect(link["physical_state"] == "LINK_UP" and told["phys_state"] == 5, (link, told))
    for name in ("lid", "sm_lid", "lmc"):
        expect(link[name] == told[name], (name, link, told))
    expect(guid(link["subnet_prefix"]) == told["gids"][0][:16], (link, told))
    expect("netdev" not in link, link)


def ports_of_ethernet_have_net_devices(programs):
    _, links = programs.tell("link show", link="eth")
    expect([link["netdev"] for link in links] == ["enp8s0f0np0", "enp8s0f1np1"], links)
    expect(all("lid" not in link and link["netdev_index"] > 0 for link in links), links)


def summary_counts_objects(programs):
    _, summary = programs.tell("res show")
    expected = {"pd": 1, "cq": 1, "qp": 2, "cm_id": 0, "mr": 2, "ctx": 1, "srq": 1}
    expect(summary[0]["ifname"] == "mlx5_0", summary)
    for name, count in expected.items():
        expect(summary[0][name] == count and summary[1][name] == 0, (name, summary))


def queue_pairs_are_in_their_states(programs):
    for link in ("ib", "eth"):
        told, qps, pds = programs.tell("res show qp", "res show pd", link=link)
        by_number = {qp["lqpn"]: qp for qp in qps}
        expect(set(by_number) == {told["rc"], told["ud"]}, (qps, told))
        rc, ud = by_number[told["rc"]], by_number[told["ud"]]
        expect(rc["type"] == "RC" and rc["port"] == 1, rc)
        expect(rc["state"] == QP_STATES[told["rc_state"]] == "RTS", (rc, told))
        expect(rc["rqpn"] == told["rqpn"] == told["rc"], (rc, told))
        expect(rc["rq-psn"] == told["rq_psn"] == 0x123, (rc, told))
        expect(rc["sq-psn"] == told["sq_psn"] == 0x456, (rc, told))
        expect(rc["path-mig-state"] == "MIGRATED", rc)
        expect(ud["type"] == "UD" and ud["state"] == "RESET" and "rqpn" not in ud, ud)
        expect("port" not in ud, ud)
        for qp in qps:
            expect(qp["pid"] == told["pid"] and qp["comm"] == "interop-resourc", qp)
            expect(qp["pdn"] == pds[0]["pdn"], (qp, pds))


def a_queue_pair_may_be_asked_for(programs):
    told, qps = programs.tell("res show qp link mlx5_0/1 lqpn $RC_QPN")
    expect([qp["lqpn"] for qp in qps] == [told["rc"]], qps)


def other_objects_agree_with_libibverbs(programs):
    told, pds, cqs, mrs, ctxs, srqs = programs.tell(
        *[f"res show {kind}" for kind in ("pd", "cq", "mr", "ctx", "srq")])
    pd, cq, ctx, srq = pds[0], cqs[0], ctxs[0], srqs[0]
    expect([len(x) for x in (pds, cqs, mrs, ctxs, srqs)] == [1, 1, 2, 1, 1], (pds, cqs, mrs))
    # Two regions, two queue pairs and the SRQ; two queues of two queue pairs, less one of the SRQ.
    expect(pd["users"] == 5 and cq["users"] == 4 and cq["cqe"] == told["cqe"], (pd, cq, told))
    expect(sorted(mr["mrlen"] for mr in mrs) == [told["len"]] * 2, mrs)
    if os.geteuid() == 0:
        # Up to iproute2 6.1 hexadecimal text, later a number.
        keys = {int(mr["lkey"], 16) if isinstance(mr["lkey"], str) else mr["lkey"] for mr in mrs}
        expect(keys == {told["lkey"], told["odp_lkey"]}, (mrs, told))
    expect(srq["type"] == "BASIC" and srq["pdn"] == pd["pdn"], (srq, pd))
    expect(str(told["ud"]) in str(srq["lqpn"]), (srq, told))
    expect(cq["ctxn"] == pd["ctxn"] == ctx["ctxn"], (cq, pd, ctx))
    for res in (pd, cq, ctx, srq, *mrs):
        expect(res["pid"] == told["pid"], res)
    ids = [pd["pdn"], cq["cqn"], ctx["ctxn"], srq["srqn"]] + [mr["mrn"] for mr in mrs]
    expect(len(set(ids)) == len(ids), ids)


def objects_of_all_processes_are_told(programs):
    """Another program of the run has the same objects; one of another run is not seen."""
    command = f"{programs.swhca_run} {programs.resources} 'rdma -j res show' >/dev/null; " \
              f"{programs.resources} 'rdma -j res show mr && echo' | tail -n +2"
    need("rdma")
    done = programs.run(programs.resources, command)
    mrs = json_documents(done.stdout)[1]
    expect(len(mrs) == 4 and len({mr["pid"] for mr in mrs}) == 2, mrs)
    expect(len({mr["mrn"] for mr in mrs}) == 4, mrs)


def lists_are_longer_than_a_packet(programs):
    told, qps = programs.tell("res show qp", args=["-q", str(MANY)])
    expect(len({qp["lqpn"] for qp in qps}) == MANY + 2, len(qps))
    expect(told["rc"] in {qp["lqpn"] for qp in qps}, told)


def counters_of_regions_are_told(programs):
    told, stats, mrs = programs.tell("statistic show mr", "res show mr")
    expect({stat["mrn"] for stat in stats} == {mr["mrn"] for mr in mrs}, (stats, mrs))
    counted = [stat for stat in stats if "page_faults" in stat]
    expect(len(counted) == 1 and "page_invalidations" in counted[0], (stats, told))


def a_port_without_counter_sets_has_no_statistics(programs):
    need("rdma")
    done = programs.run("rdma", "statistic", status=1)
    expect("Invalid argument" in done.stderr, done.stderr)


def system_shares_devices_and_copies_on_fork(programs):
    need("rdma")
    # iproute2 6.1 does not write JSON here.
    for options, state in (((), "on"), (("--no-copy-on-fork",), "off")):
        out = programs.run("rdma", "system", options=options).stdout
        expect("netns shared" in out and f"copy-on-fork {state}" in out, out)


CASES = [devices_are_those_of_libibverbs, one_device_may_be_asked_for,
         ports_of_infiniband_have_lids, ports_of_ethernet_have_net_devices, summary_counts_objects,
         queue_pairs_are_in_their_states, a_queue_pair_may_be_asked_for,
         other_objects_agree_with_libibverbs, objects_of_all_processes_are_told,
         lists_are_longer_than_a_packet, counters_of_regions_are_told,
         a_port_without_counter_sets_has_no_statistics, system_shares_devices_and_copies_on_fork]

if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} SWHCA_RUN RESOURCES")
    sys.exit(run_cases(Programs(sys.argv[1], sys.argv[2]), CASES))
