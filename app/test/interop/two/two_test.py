# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Programs of others, as two processes or more that talk by packets.

Usage: two_test.py SWHCA_RUN TWO_SH GROUP [PROGRAM]
GROUP is a key of GROUPS; PROGRAM is our own one of MPI.
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "programs"))
from case_runner import Runner, Skip, expect, kill_group, need, need_ucx, run_cases  # noqa: E402
from patience import LONG_S, WAIT_S, wait_until  # noqa: E402

LINKS = ("eth", "ib")
PROGRAM = None


class Two(Runner):
    """devtools/two.sh instead of swhca-run."""

    def __init__(self, swhca_run, two_sh):
        super().__init__(two_sh)
        self.one = swhca_run

    def env(self, **variables):
        return super().env(SWHCA_RUN=self.one, **variables)

    def two(self, *command, options=(), **kwargs):
        """Outputs of server and client, which both must end well."""
        done = self.run(*command, options=("--timeout", f"{WAIT_S:.0f}", *options),
                        timeout=2 * WAIT_S, **kwargs)
        server, client = done.stdout.split("== client\n")
        return server, client


def named(name, function):
    """A case by another name, in the words of the protocol."""
    function.__name__ = re.sub(r"\W+", "_", name).strip("_")
    return function


# ---- ibverbs-utils: -c compares the bytes ----

def pingpong_case(link, program, *words):
    def case(runner):
        need(program)
        gid = ("-g", "3") if link == "eth" else ()
        server, client = runner.two(program, *gid, "-n", "200", *words,
                                    options=("--link-layer", link))
        expect(("200 iters" in server or program == "ibv_xsrq_pingpong") and
               "invalid data" not in server + client, server + client)
    return named(f"{program} {' '.join(words)} {link}", case)


def pingpongs():
    cases = []
    for link in LINKS:
        cases += [pingpong_case(link, f"ibv_{kind}_pingpong", "-c")
                  for kind in ("rc", "uc", "ud", "srq")]
        cases += [pingpong_case(link, "ibv_rc_pingpong", "-c", "-e"),
                  pingpong_case(link, "ibv_rc_pingpong", "-c", "-s", "1000000"),
                  pingpong_case(link, "ibv_rc_pingpong", "-N"),
                  xsrq_case(link)]
    return cases


def xsrq_case(link):
    """Its -n is the number of exchanges of each client."""
    def case(runner):
        need("ibv_xsrq_pingpong")
        gid = ("-g", "3") if link == "eth" else ()
        runner.two("ibv_xsrq_pingpong", *gid, "-n", "50", options=("--link-layer", link))
    return named(f"ibv_xsrq_pingpong {link}", case)


# ---- perftest ----

PERFTEST = {
    "write": ("RC", "UC", "XRC", "DC"),
    "read": ("RC", "XRC", "DC"),
    "send": ("RC", "UC", "UD", "XRC", "DC"),
    "atomic": ("RC", "XRC", "DC"),
}


def result_of(text):
    """Numbers of the line with the result: bytes, iterations, what was measured."""
    rows = re.findall(r"^ +\d+ +\d+ +[\d.]+ .*$", text, re.M)
    expect(len(rows) > 0, text)
    return [float(word) for word in rows[-1].split()]


def perftest_case(link, program, *words, nb=100, options=()):
    def case(runner):
        need(program)
        _, client = runner.two(program, "-F", "-n", str(nb), *words,
                               options=("--link-layer", link, *options))
        # Both sides of a message have counted it.
        expect(result_of(client)[1] >= nb, client)
    return named(f"{program} {' '.join(words)} {link} {' '.join(options)}", case)


def perftests():
    """What each service can do."""
    cases = [perftest_case("eth", f"ib_{operation}_bw", "-c", service)
             for operation, services in PERFTEST.items() for service in services]
    cases += [perftest_case("eth", f"ib_{operation}_lat") for operation in PERFTEST]
    return cases + [
        perftest_case("eth", "ib_send_lat", "-c", "UD"),
        perftest_case("ib", "ib_write_bw"),
        perftest_case("ib", "ib_read_bw", "-c", "DC"),
        perftest_case("ib", "ib_send_bw", "-c", "UC"),
        perftest_case("ib", "ib_send_bw", "-c", "UD"),
        perftest_case("ib", "ib_atomic_bw", "-c", "XRC"),
    ]


def perftests_more():
    """Sizes, directions, queues, MTUs, events."""
    return [
        perftest_case("eth", "ib_write_bw", "-a", nb=5),
        perftest_case("eth", "ib_read_bw", "-a", nb=5),
        perftest_case("eth", "ib_send_bw", "-a", nb=5),
        perftest_case("eth", "ib_write_bw", "-b", "-q", "4"),
        perftest_case("eth", "ib_send_bw", "-b", "-s", "100001"),
        perftest_case("eth", "ib_send_bw", "-e"),
        perftest_case("eth", "ib_send_bw", "--use-srq"),
        perftest_case("eth", "ib_write_lat", "-I", "64", "-s", "64"),
        perftest_case("eth", "ib_write_bw", "-m", "256"),
        perftest_case("eth", "ib_atomic_bw", "-A", "CMP_AND_SWAP"),
        perftest_case("ib", "ib_read_bw", "-m", "1024", "-s", "1000000", nb=20),
    ]


# ---- UCX ----

def ucx_case(link, tls, test):
    def case(runner):
        need_ucx("ucx_perftest")
        _, client = runner.two("ucx_perftest", "-t", test, "-n", "200", "-w", "10",
                               options=("--link-layer", link),
                               env=runner.env(UCX_TLS=tls, UCX_NET_DEVICES="mlx5_0:1"))
        expect(re.search(r"^Final: +200 ", client, re.M), client)
    return named(f"ucx_perftest {test} {tls} {link}", case)


def ucx():
    cases = [ucx_case("eth", tls, test) for tls in ("rc", "dc")
             for test in ("tag_lat", "tag_bw", "ucp_put_bw", "ucp_get", "ucp_fadd", "ucp_cswap")]
    return cases + [ucx_case("eth", "ud", "tag_bw"), ucx_case("ib", "rc", "tag_bw"),
                    ucx_case("ib", "dc", "tag_bw")]


# ---- Open MPI over UCX, and over verbs ----

def mpi_case(link, tls, *options, nb_rounds=2):
    """Nothing but UCX, and of it nothing but one transport of the devices."""
    def case(runner):
        if PROGRAM is None:
            raise Skip("no mpicc when it was configured")
        need_ucx()
        run = Runner(runner.one)
        run.tmp = runner.tmp
        env = run.env(UCX_TLS=f"{tls},self", UCX_NET_DEVICES="mlx5_0:1",
                      OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                      OMPI_MCA_plm_rsh_agent="true", OMPI_MCA_pml="ucx", OMPI_MCA_osc="ucx",
                      OMPI_MCA_btl="self")
        done = run.run(need("mpirun"), "--oversubscribe", "--bind-to", "none", "-np", "4", PROGRAM,
                       str(nb_rounds), options=("-d", "1", "--wire", "udp", "--link-layer", link,
                                                *options), env=env, timeout=LONG_S)
        expect(f"4 ranks, {nb_rounds} rounds: 0 wrong" in done.stdout, done.stdout)
    return named(f"alltoall {tls} {link} {' '.join(options)}", case)


def openib_case(model, **variables):
    """The older way, by verbs; it knows no rate above that of HDR, and takes one that it is told."""
    def case(runner):
        if PROGRAM is None:
            raise Skip("no mpicc when it was configured")
        run = Runner(runner.one)
        run.tmp = runner.tmp
        if "MCA btl: openib " not in run.run(need("ompi_info")).stdout:
            raise Skip("this Open MPI has no openib")
        env = run.env(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                      OMPI_MCA_plm_rsh_agent="true", OMPI_MCA_pml="ob1",
                      OMPI_MCA_btl="openib,self", OMPI_MCA_btl_openib_allow_ib="1", **variables)
        done = run.run(need("mpirun"), "--oversubscribe", "--bind-to", "none", "-np", "2", PROGRAM,
                       "1", options=("-d", "1", "--wire", "udp", "--model", model), env=env,
                       timeout=LONG_S)
        expect("2 ranks, 1 rounds: 0 wrong" in done.stdout, done.stdout)
    return named(f"alltoall openib {model}", case)


def mpi():
    return [mpi_case("eth", "rc_x"), mpi_case("eth", "dc_x"), mpi_case("eth", "ud_x"),
            mpi_case("ib", "rc_x"), mpi_case("ib", "dc_x"),
            mpi_case("eth", "rc_x", "--impair", "loss=0.5%,dup=0.5%,reorder=0.5%", nb_rounds=1),
            openib_case("cx5"), openib_case("cx7", OMPI_MCA_btl_openib_bandwidth="400000")]


# ---- Two network namespaces, with veth in between ----

def group_case(group, options=()):
    """The member in one namespace hears who sends in the other: joined is the group itself."""
    words = ["-m", group, "-C", "5"]
    return netns_case("mckey", *words, "---", "mckey", *words, "-s", address=group,
                      options=options)


def netns_case(program, *words, address="10.77.0.2", options=()):
    def case(runner):
        need(program)
        done = runner.run(program, *words, timeout=2 * WAIT_S, status=None,
                          options=("--netns", *options, "--timeout", f"{WAIT_S:.0f}"))
        if done.returncode == 77:
            raise Skip(done.stderr.strip())
        expect(done.returncode == 0, done.stdout + done.stderr)
        # perftest writes ":" and two digits.
        expect(address in done.stdout or "10:77:00:02" in done.stdout, done.stdout)
    return named(f"{program} in two namespaces {' '.join(options)}", case)


def netns():
    return [netns_case("ibv_rc_pingpong", "-g", "3", "-c", "-n", "200"),
            netns_case("ibv_ud_pingpong", "-g", "3", "-c", "-n", "200"),
            netns_case("ib_write_bw", "-n", "200"),
            netns_case("ib_read_bw", "-n", "200"),
            netns_case("ib_send_bw", "-n", "200", "-c", "DC"),
            netns_case("ibv_rc_pingpong", "-g", "3", "-c", "-n", "200", address="fd77::2",
                       options=("--ipv6",)),
            netns_case("ibv_ud_pingpong", "-g", "3", "-c", "-n", "200", address="fd77::2",
                       options=("--ipv6",)),
            group_case("239.1.2.3"),
            group_case("ff0e::1234", options=("--ipv6",))]


# ---- Faults, and what counters tell of them ----

FAULTS = "loss=1%,dup=1%,reorder=1%,corrupt=0.5%,delay=0-100,seed=7"


def counters_of(text):
    return {name: int(value) for name, value in re.findall(r"^\s+\w*counters/(\w+)=(\d+)$", text,
                                                           re.M)}


def counters_count_packets(runner):
    """Of 20 writes of 64 KiB by packets of 4096 bytes; what is sent again would be more."""
    names = ("counters/port_xmit_packets,counters/port_xmit_data,counters/port_rcv_packets,"
             "hw_counters/rx_write_requests,hw_counters/np_cnp_sent")
    server, client = runner.two(need("ib_write_bw"), "-F", "-n", "20", "-W", names)
    told = counters_of(client)
    expect(told["port_xmit_packets"] >= 320, client)
    expect(told["port_xmit_data"] >= 320 * 4096 // 4, client)
    expect(told["port_rcv_packets"] > 0 and told["np_cnp_sent"] == 0, client)
    expect(counters_of(server)["rx_write_requests"] == 20, server)


def counters_tell_of_faults(runner):
    """Those who see a fault are not always those who made it."""
    names = ("hw_counters/out_of_sequence,hw_counters/packet_seq_err,"
             "hw_counters/duplicate_request,hw_counters/local_ack_timeout_err,"
             "hw_counters/rx_icrc_encapsulated")
    server, client = runner.two(need("ib_write_bw"), "-F", "-n", "300", "-W", names,
                                options=("--impair", FAULTS))
    told = counters_of(server)
    expect(told["out_of_sequence"] > 0 and told["duplicate_request"] > 0 and
           told["rx_icrc_encapsulated"] > 0, server)
    expect(counters_of(client)["packet_seq_err"] > 0, client)


def faults():
    cases = [counters_count_packets, counters_tell_of_faults]
    cases += [perftest_case("eth", f"ib_{operation}_bw", "-c", service, nb=50,
                            options=("--impair", FAULTS))
              for operation, services in PERFTEST.items() for service in services
              if service not in ("UC", "UD")]
    return cases + [named("ibv_rc_pingpong with faults", lambda runner: runner.two(
        "ibv_rc_pingpong", "-g", "3", "-c", "-n", "200", options=("--impair", FAULTS)))]


# ---- Who each process is ----

IDENTITY = """
import fcntl, os, socket, struct, sys, time
base = '/sys/class/infiniband/'
def read(name):
    with open(base + name) as f:
        return f.read().strip()
def told():
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    ask = struct.pack('256s', b'enp8s0f0np0')
    ip4 = socket.inet_ntoa(fcntl.ioctl(sock, 0x8915, ask)[20:24])
    mac = fcntl.ioctl(sock, 0x8927, ask)[18:24].hex(':')
    with open('/sys/class/net/enp8s0f0np0/address') as f:
        print(*[read(f'mlx5_{i}/ports/1/gids/3') for i in (0, 1)], read('mlx5_0/node_guid'), ip4,
              mac, f.read().strip(), flush=True)
told()
told()
sys.stdout.flush()
pid = os.fork()
if pid == 0:
    told()
    sys.stdout.flush()
    os._exit(0)
os.waitpid(pid, 0)
time.sleep(float(sys.argv[1]))
"""


def identity_of(line):
    """The last bytes of the addresses that a line of IDENTITY tells, after they agree."""
    gid0, gid1, guid, ip4, mac, address = line.split()
    number0, number1 = (int(gid[-4:], 16) for gid in (gid0, gid1))
    expect(gid0.endswith(f"ffff:7f00:{number0:04x}"), line)
    expect(ip4 == f"127.0.{number0 >> 8}.{number0 & 255}", line)
    expect(mac == address == f"02:00:7f:00:{number0 >> 8:02x}:{number0 & 255:02x}", line)
    expect(guid == f"0200:7fff:fe00:{number0:04x}", line)
    return number0, number1


def processes_are_told_apart(runner):
    """In all that they look at; each is the same each time, and a child is another."""
    run = Runner(runner.one)
    run.tmp = runner.tmp
    options = ("--wire", "udp", "--link-layer", "eth")
    first = run.start(sys.executable, "-c", IDENTITY, "100000", options=options)
    lines = [first.stdout.readline() for _ in range(3)]
    other = run.run(sys.executable, "-c", IDENTITY, "0", options=options).stdout.splitlines()
    kill_group(first)
    expect(lines[0] == lines[1] and other[0] == other[1], str(lines + other))
    # The first child may be gone when the second process begins.
    for told in ((lines[0], lines[2]), (lines[0], other[0], other[2])):
        numbers = [number for line in told for number in identity_of(line)]
        expect(len(set(numbers)) == len(numbers), str(lines + other))


def lids_are_those_of_addresses(runner):
    run = Runner(runner.one)
    run.tmp = runner.tmp
    script = "cat /sys/class/infiniband/mlx5_0/ports/1/lid; ibv_devinfo -d mlx5_0"
    need("ibv_devinfo")
    told = run.run("sh", "-c", script, options=("--wire", "udp:127.0.77.9", "-d", "1")).stdout
    expect(told.startswith("0x4d09\n") and re.search(r"port_lid:\s+19721$", told, re.M), told)


def addresses_that_are_taken_are_no_device(runner):
    """Nobody else has it, and the log tells which."""
    run = Runner(runner.one)
    run.tmp = runner.tmp
    options = ("--wire", "udp:127.0.77.9", "--log", "error")
    first = run.start(sys.executable, "-c", "import time; print(open("
                      "'/sys/class/infiniband/mlx5_0/node_guid').read(), flush=True);"
                      "time.sleep(100000)", options=options)
    first.stdout.readline()
    done = run.run(need("ibv_devinfo"), options=options, status=None)
    kill_group(first)
    expect(done.returncode != 0 and "127.0.77.9" in done.stderr, done.stdout + done.stderr)


def script_rejects_what_is_wrong(runner):
    for words, status, text in (
            (("--wir", "udp", "true"), 125, "--wir: unknown option"),
            (("--link-layer",), 125, "--link-layer: needs a value"),
            (("--timeout", "soon", "true"), 125, "soon: not a number"),
            ((), 125, "no program"),
            (("no-such-program",), 127, "no such program")):
        done = runner.run(*words, status=status)
        expect(text in done.stderr and "== server" not in done.stdout, done.stderr)


def script_ends_with_the_worse_of_both(runner):
    """And in time."""
    runner.run("true")
    done = runner.run("sh", "-c", "echo one", "---", "sh", "-c", "echo two HOST; exit 3", status=3)
    expect("== server\none\n== client\ntwo HOST\n" == done.stdout, done.stdout)
    done = runner.run("sleep", "60", "---", "echo", "HOST", options=("--timeout", "2"), status=124)
    expect("== client\n127.0.0.1\n" in done.stdout, done.stdout)


def control_tells_who_and_what(runner):
    """Address, state and counters of a running program."""
    run = Runner(runner.one)
    run.tmp = runner.tmp
    script = "sleep 100000 < /dev/infiniband/uverbs0"
    process = run.start("sh", "-c", script, options=("--wire", "udp:127.0.77.10"))
    ctl = os.path.join(os.path.dirname(os.environ["SWHCA_LIB"]), "swhca-ctl")

    def ask(*words):
        done = subprocess.run([ctl, words[0], str(process.pid), *words[1:]], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout

    try:
        wait_until(lambda: ask("list")[0] == 0, "it does not answer")
        expect(ask("list") == (0, "mlx5_0 present port up wire 127.0.77.10\n"), str(ask("list")))
        expect(ask("port", "0", "down") == (0, "ok\n"), "port")
        expect("port down" in ask("list")[1], str(ask("list")))
        told = ask("counters", "0")[1]
        expect("counters/link_downed 1\n" in told and "hw_counters/np_cnp_sent 0\n" in told, told)
        expect(ask("impair", "0", "loss=1%") == (0, "ok\n"), "impair")
        expect(ask("impair", "0", "off") == (0, "ok\n"), "impair")
        status, told = ask("impair", "0", "loss=many")
        expect(status == 1 and told.startswith("error: loss=many: "), told)
        expect(ask("impair", "1", "off")[0] == 1 and ask("counters", "1")[0] == 1, "no device")
    finally:
        kill_group(process)


def identity():
    return [script_rejects_what_is_wrong, script_ends_with_the_worse_of_both,
            control_tells_who_and_what, processes_are_told_apart, lids_are_those_of_addresses,
            addresses_that_are_taken_are_no_device]


GROUPS = {
    "pingpong": pingpongs,
    "perftest": perftests,
    "perftest_more": perftests_more,
    "ucx": ucx,
    "mpi": mpi,
    "netns": netns,
    "faults": faults,
    "identity": identity,
}


if __name__ == "__main__":
    PROGRAM = sys.argv[4] if len(sys.argv) > 4 else None
    sys.exit(run_cases(Two(*sys.argv[1:3]), GROUPS[sys.argv[3]]()))
