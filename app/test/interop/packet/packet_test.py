#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Compare packets, all of their bytes, with those that scapy makes of the same values.

Usage: packet_test.py PACKET_TOOL

Of scapy are IP, UDP, BTH, AETH and the ICRC; the other headers are a few numbers each, packed here
as the figures of the IBTA have them. 77 is returned if there is no scapy.
"""

import random
import struct
import subprocess
import sys
import zlib

try:
    from scapy.layers.inet import IP, UDP
    from scapy.layers.inet6 import IPv6
    from scapy.packet import Raw
    from scapy.contrib import roce
except ImportError as error:
    print(f"no scapy with RoCE: {error}")
    sys.exit(77)

EPROTONOSUPPORT = 93

RETH = ("reth", ("va", "!Q"), ("rkey", "!I"), ("dma_len", "!I"))
ATOMICETH = ("atomiceth", ("va", "!Q"), ("rkey", "!I"), ("swap_add", "!Q"), ("compare", "!Q"))
DETH = ("deth", ("qkey", "!I"), ("src_qpn", "24"))
XRCETH = ("xrceth", ("srqn", "24"))
DCETH = ("dceth", ("dc_key", "!Q"), ("dc_is_first", "flag"), ("src_qpn", "24 only"),
         ("dc_session", "!Q"))
AETH = ("aeth", ("syndrome", "!B"), ("msn", "24 only"))
ATOMICACKETH = ("atomicacketh", ("orig", "!Q"))
IMMDT = ("immdt", ("imm_be", "!I"))
IETH = ("ieth", ("inval_rkey", "!I"))

# Message type: headers, is a request, bytes of payload that it may have.
SOME, ANY, NONE = (1, 4096), (0, 4096), (0, 0)
TYPES = {
    "SEND_FIRST": (0x00, (), True, SOME), "SEND_MIDDLE": (0x01, (), True, SOME),
    "SEND_LAST": (0x02, (), True, SOME), "SEND_LAST_WITH_IMMEDIATE": (0x03, (IMMDT,), True, SOME),
    "SEND_ONLY": (0x04, (), True, ANY), "SEND_ONLY_WITH_IMMEDIATE": (0x05, (IMMDT,), True, ANY),
    "RDMA_WRITE_FIRST": (0x06, (RETH,), True, SOME), "RDMA_WRITE_MIDDLE": (0x07, (), True, SOME),
    "RDMA_WRITE_LAST": (0x08, (), True, SOME),
    "RDMA_WRITE_LAST_WITH_IMMEDIATE": (0x09, (IMMDT,), True, SOME),
    "RDMA_WRITE_ONLY": (0x0a, (RETH,), True, ANY),
    "RDMA_WRITE_ONLY_WITH_IMMEDIATE": (0x0b, (RETH, IMMDT), True, ANY),
    "RDMA_READ_REQUEST": (0x0c, (RETH,), True, NONE),
    "RDMA_READ_RESPONSE_FIRST": (0x0d, (AETH,), False, SOME),
    "RDMA_READ_RESPONSE_MIDDLE": (0x0e, (), False, SOME),
    "RDMA_READ_RESPONSE_LAST": (0x0f, (AETH,), False, SOME),
    "RDMA_READ_RESPONSE_ONLY": (0x10, (AETH,), False, ANY),
    "ACKNOWLEDGE": (0x11, (AETH,), False, NONE),
    "ATOMIC_ACKNOWLEDGE": (0x12, (AETH, ATOMICACKETH), False, NONE),
    "COMPARE_SWAP": (0x13, (ATOMICETH,), True, NONE), "FETCH_ADD": (0x14, (ATOMICETH,), True, NONE),
    "SEND_LAST_WITH_INVALIDATE": (0x16, (IETH,), True, SOME),
    "SEND_ONLY_WITH_INVALIDATE": (0x17, (IETH,), True, ANY),
}
# Transport: its number, header of requests, header of responses, last message type.
TRANSPORTS = {
    "RC": (0x00, (), (), 0x17), "UC": (0x20, (), (), 0x0b), "UD": (0x60, (DETH,), (), 0x05),
    "XRC": (0xa0, (XRCETH,), (), 0x17), "DC": (0xc0, (DCETH,), (DCETH,), 0x17),
}


def opcodes():
    """All there are: number to headers and bounds of the payload."""
    found = {roce.CNP_OPCODE: ((), NONE)}
    for transport, (base, of_request, of_response, last) in TRANSPORTS.items():
        for number, headers, is_request, payload in TYPES.values():
            if number > last or (transport == "UD" and number < 4):
                continue
            found[base | number] = ((of_request if is_request else of_response) + headers, payload)
    return found


def number_of(rng, kind):
    """A random number of a kind, and its bytes."""
    if kind == "flag":
        number = rng.getrandbits(1)
        return number, bytes([number << 7])
    if kind.startswith("24"):
        number = rng.choice([0, 0xffffff, rng.getrandbits(24)])
        data = struct.pack("!I", number)
        return number, data[1:] if kind == "24 only" else data
    number = rng.choice([0, 2**(8 * struct.calcsize(kind)) - 1,
                         rng.getrandbits(8 * struct.calcsize(kind))])
    return number, struct.pack(kind, number)


class Packet:
    """Random values for an opcode, and what scapy makes of them."""

    def __init__(self, rng, opcode, headers, bounds, is_ipv6):
        size = rng.choice([bounds[0], min(bounds[1], rng.randrange(1, 64)), bounds[1]])
        self.payload = rng.randbytes(max(size, bounds[0]))
        self.bth = {"opcode": opcode, "pkey": rng.getrandbits(16), "dst_qpn": rng.getrandbits(24),
                    "psn": rng.getrandbits(24)}
        for flag in ("is_solicited", "is_migrated", "has_fecn", "has_becn", "wants_ack"):
            self.bth[flag] = rng.getrandbits(1)
        self.values, self.extended = {}, b""
        for header in headers:
            for name, kind in header[1:]:
                self.values[name], data = number_of(rng, kind)
                self.extended += data
                if name == "imm_be":
                    self.values[name] = data.hex()
        self.ip = {"src_port": rng.getrandbits(16), "tclass": rng.getrandbits(8),
                   "hop_limit": rng.getrandbits(8)}
        self.is_ipv6 = is_ipv6
        if is_ipv6:
            self.ip["flow_label"] = rng.getrandbits(20)
            self.sgid, self.dgid = (b"\x20\x01" + rng.randbytes(14) for _ in range(2))
        else:
            self.ip.update(id=rng.getrandbits(16), is_df=rng.getrandbits(1))
            self.sgid, self.dgid = (bytes(10) + b"\xff\xff" + rng.randbytes(4) for _ in range(2))

    def fields(self):
        """Values by the names of the tool, as text."""
        found = {name: str(value) for name, value in
                 (self.bth | self.values | self.ip).items()}
        return found | {"sgid": self.sgid.hex(), "dgid": self.dgid.hex(),
                        "payload": self.payload.hex()}

    def transport(self, icrc):
        """BTH and all behind it, by scapy."""
        bth = self.bth
        pad = -len(self.payload) % 4
        layer = roce.BTH(opcode=bth["opcode"], solicited=bth["is_solicited"],
                         migreq=bth["is_migrated"], padcount=pad, pkey=bth["pkey"],
                         fecn=bth["has_fecn"], becn=bth["has_becn"], dqpn=bth["dst_qpn"],
                         ackreq=bth["wants_ack"], psn=bth["psn"], icrc=icrc)
        if bth["opcode"] == roce.CNP_OPCODE:
            return layer / roce.CNPPadding()
        if "syndrome" in self.values and len(self.extended) == 4:
            return layer / roce.AETH(syndrome=self.values["syndrome"],
                                     msn=self.values["msn"]) / Raw(self.payload + bytes(pad))
        return layer / Raw(self.extended + self.payload + bytes(pad))

    def bytes(self):
        """The packet from its IP header on."""
        udp = UDP(sport=self.ip["src_port"], dport=4791, chksum=0)
        if not self.is_ipv6:
            src, dst = (".".join(map(str, gid[12:])) for gid in (self.sgid, self.dgid))
            ipv4 = IP(src=src, dst=dst, id=self.ip["id"], flags="DF" if self.ip["is_df"] else 0,
                      tos=self.ip["tclass"], ttl=self.ip["hop_limit"])
            return bytes(ipv4 / udp / self.transport(None))
        # The ICRC of IPv6 came to scapy later than to Debian's: this one is zlib's.
        ipv6 = IPv6(src=":".join(self.sgid[i:i + 2].hex() for i in range(0, 16, 2)),
                    dst=":".join(self.dgid[i:i + 2].hex() for i in range(0, 16, 2)),
                    tc=self.ip["tclass"], fl=self.ip["flow_label"], hlim=self.ip["hop_limit"])
        data = bytearray(bytes(ipv6 / udp / self.transport(0)))
        # scapy takes no checksum of 0 for "none" in IPv6.
        data[46:48] = bytes(2)
        seen = bytearray(data[:-4])
        seen[0:4] = b"\x6f\xff\xff\xff"
        seen[7] = 0xff
        seen[46:48] = b"\xff\xff"
        seen[48 + 4] = 0xff
        data[-4:] = struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(seen)))
        return bytes(data)


class Tool:
    """The tool, which answers each line with a line."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def ask(self, line):
        """Its answer."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self):
        """Its exit status."""
        self.process.stdin.close()
        return self.process.wait()


def compare(tool, packet, name):
    """What is wrong with what the tool makes of a packet: a list."""
    bad = []
    expected, fields = packet.bytes(), packet.fields()
    built = tool.ask("build " + " ".join(f"{key}={value}" for key, value in fields.items()))
    if built != expected.hex():
        bad.append(f"{name}: built {built}, but scapy {expected.hex()}")
    parsed = dict(word.split("=", 1) for word in tool.ask("parse " + expected.hex()).split()
                  if "=" in word)
    if parsed.pop("icrc", None) != "1":
        bad.append(f"{name}: ICRC of scapy is wrong")
    for key, value in parsed.items():
        # What the opcode has no header for is 0.
        if value != fields.get(key) and (key in fields or value.strip("0")):
            bad.append(f"{name}: {key} is {value}, not {fields.get(key, 0)}")
    if missing := fields.keys() - parsed.keys():
        bad.append(f"{name}: parsed without {sorted(missing)}")
    return bad


def main():
    """Exit status 1: a packet is another one."""
    rng = random.Random(4791)
    tool, known, bad, nb_packets = Tool(sys.argv[1]), opcodes(), [], 0
    of_scapy = {name: code for code, name in roce._bth_opcodes.items()}
    for name, code in of_scapy.items():
        if not name.startswith("RD_") and code not in known:
            bad.append(f"{name} is scapy's alone")
    for transport, (base, _, _, last) in TRANSPORTS.items():
        for kind, (number, *_) in TYPES.items():
            code = base | number
            if number <= last and of_scapy.get(f"{transport}_{kind}", code) != code:
                bad.append(f"{transport}_{kind} has another number")
    for opcode in range(256):
        if opcode not in known:
            answer = tool.ask(f"build opcode={opcode} sgid={'0' * 20}ffff7f000001 "
                              f"dgid={'0' * 20}ffff7f000001")
            if answer != f"error {EPROTONOSUPPORT}":
                bad.append(f"opcode {opcode:#x} is not there, but: {answer}")
            continue
        headers, bounds = known[opcode]
        for turn in range(8):
            packet = Packet(rng, opcode, headers, bounds, is_ipv6=turn >= 6)
            bad += compare(tool, packet, f"{opcode:#04x}")
            nb_packets += 1
    if tool.end() != 0:
        bad.append("the tool failed")
    for line in bad[:20]:
        print(line)
    print(f"{nb_packets} packets of {len(known)} opcodes compared, {len(bad)} differences")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
