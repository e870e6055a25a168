#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Make the captures that examples read, packets.pcap and fragments.pcap, with scapy.

Usage: make_captures.py            write them beside this script
       make_captures.py --check    compare them with what it would write, and the numbers that
                                   the examples' outputs have with what scapy finds in them

The same bytes each time: nothing in them is random, nothing is of this machine. --check exits with
77 if there is no scapy.
"""

import os
import random
import re
import struct
import sys

try:
    from scapy.all import (ARP, ICMP, IP, TCP, UDP, Dot1AD, Dot1Q, Ether, IPv6,
                           IPv6ExtHdrFragment, Padding, Raw, rdpcap)
except ImportError:
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
A, B = "02:00:00:00:00:0a", "02:00:00:00:00:0b"
SNAPLEN = 65535


class Capture:
    """A file in pcap format; packets are a millisecond apart."""

    def __init__(self):
        self.records = []
        self.now_us = 1_700_000_000_000_000

    def add(self, packet, caplen=None):
        """Append a packet, truncated to caplen if given."""
        data = bytes(packet)
        self.records.append((self.now_us, data[:caplen], len(data)))
        self.now_us += 1000

    def wait(self, seconds):
        """Advance the time."""
        self.now_us += seconds * 1_000_000

    def bytes(self):
        """Contents of the file."""
        out = [struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, SNAPLEN, 1)]
        for time, data, length in self.records:
            out.append(struct.pack("<IIII", time // 10**6, time % 10**6, len(data), length) + data)
        return b"".join(out)


def payload(seed, length):
    """Bytes that do not occur in other packets."""
    return random.Random(seed).randbytes(length)


def ether(tags=()):
    """A header with VLAN tags: one tag, or a service tag and another tag."""
    layers = Ether(src=A, dst=B)
    if len(tags) == 2:
        layers = layers / Dot1AD(vlan=tags[0]) / Dot1Q(vlan=tags[1])
    elif tags:
        layers = layers / Dot1Q(vlan=tags[0])
    return layers


def ipv4(number, proto, **fields):
    """An IPv4 header; source address and identification are derived from number."""
    return IP(src=f"10.0.{number // 200}.{1 + number % 200}", dst="10.1.0.1",
              id=0x1000 + number, ttl=64, proto=proto, **fields)


def ipv6(number):
    """An IPv6 header; the source address is derived from number."""
    return IPv6(src=f"fd00::{1 + number:x}", dst="fd00:1::1", hlim=64)


def fragments_v4(number, body, sizes):
    """Fragments of an IPv4 datagram: sizes has those of all but the last one."""
    out, at = [], 0
    for size in list(sizes) + [None]:
        last = size is None
        part = body[at:] if last else body[at:at + size]
        out.append(ipv4(number, 17, flags=0 if last else "MF", frag=at // 8) / Raw(part))
        at += len(part)
    return out


def fragments_v6(number, body, sizes):
    """The same for IPv6."""
    out, at = [], 0
    for size in list(sizes) + [None]:
        last = size is None
        part = body[at:] if last else body[at:at + size]
        out.append(ipv6(number) / IPv6ExtHdrFragment(nh=17, offset=at // 8, m=0 if last else 1,
                                                     id=0x60000 + number) / Raw(part))
        at += len(part)
    return out


def udp_v4(number, length):
    """Bytes of a UDP datagram: header with checksum, and payload."""
    return bytes(ipv4(number, 17) / UDP(sport=4000 + number, dport=9) /
                 Raw(payload(number, length)))[20:]


def udp_v6(number, length):
    """The same over IPv6."""
    return bytes(ipv6(number) / UDP(sport=4000 + number, dport=9) /
                 Raw(payload(number, length)))[40:]


def add_packets(capture, numbers):
    """A mix of small packets: UDP and TCP, IPv4 and IPv6, with and without tags."""
    for number in numbers:
        tags = [(), (100,), (), (200, 300)][number % 4]
        length = 1 + payload(number, 2)[0] * 5
        over = ipv6(number) if number % 5 == 2 else ipv4(number, 6 if number % 3 == 0 else 17)
        if number % 3 == 0:
            over = over / TCP(sport=5000 + number, dport=80, seq=number, flags="PA",
                              options=[("NOP", None)] * (number % 9))
        else:
            over = over / UDP(sport=4000 + number, dport=9)
        capture.add(ether(tags) / over / Raw(payload(number, length)))


def make_packets():
    """Packets of real networks: tags, fragments, long frames, padding, and frames without payload."""
    capture = Capture()
    add_packets(capture, range(0, 40))
    for number, length in ((100, 3000), (101, 8972), (102, 5001)):
        capture.add(ether((7,) if number == 101 else ()) / ipv4(number, 17) /
                    UDP(sport=number, dport=9) / Raw(payload(number, length)))
    capture.add(ether() / ipv6(103) / TCP(sport=103, dport=80, flags="A") /
                Raw(payload(103, 6000)))
    for part in fragments_v4(110, udp_v4(110, 4000), (1480, 1480)):
        capture.add(ether() / part)
    for part in fragments_v6(111, udp_v6(111, 2500), (1448,)):
        capture.add(ether((7,)) / part)
    # Ethernet pads these; the padding is not payload.
    for number in (120, 121):
        small = ether() / ipv4(number, 17) / UDP(sport=number, dport=9) / Raw(payload(number, 5))
        capture.add(small / Padding(b"\0" * (60 - len(small))))
    # These have no payload.
    capture.add(ether() / ARP(hwsrc=A, psrc="10.0.0.1", pdst="10.1.0.1"))
    capture.add(ether() / ipv4(122, 6) / TCP(sport=122, dport=80, flags="A"))
    capture.add(ether() / ipv4(123, 1) / ICMP(id=1, seq=1) / Raw(payload(123, 56)))
    # The capture contains only 200 bytes of this packet.
    capture.add(ether() / ipv4(124, 17) / UDP(sport=124, dport=9) / Raw(payload(124, 900)), 200)
    add_packets(capture, range(40, 80))
    return capture


def add_datagrams(capture, tags=()):
    """Datagrams whose fragments all arrive, in different orders."""
    base = 50 * len(tags)
    for number, length, sizes in ((0, 2000, (1480,)), (1, 4321, (1480, 1480)),
                                  (2, 5000, (1000, 1000, 1000, 1000)),
                                  (3, 3333, (8, 16, 24, 32, 40, 48, 56))):
        for part in fragments_v4(base + number, udp_v4(base + number, length), sizes):
            capture.add(ether(tags) / part)
    backwards = fragments_v4(base + 4, udp_v4(base + 4, 5555), (1480, 1480, 1480))[::-1]
    shuffled = fragments_v6(base + 5, udp_v6(base + 5, 7000), (1232, 1232, 1232, 1232, 1232))
    random.Random(5).shuffle(shuffled)
    # Alternate between the two kinds.
    for pair in zip(backwards, shuffled):
        for part in pair:
            capture.add(ether(tags) / part)
    for part in shuffled[len(backwards):]:
        capture.add(ether(tags) / part)
    # Fragments in jumbo frames: each is itself a chain of mbufs.
    for part in fragments_v4(base + 6, udp_v4(base + 6, 12000), (4000, 4000)):
        capture.add(ether(tags) / part)
    # A last fragment that is so short that Ethernet pads it, and an unfragmented packet.
    for part in fragments_v4(base + 7, udp_v4(base + 7, 1480), (1480,)):
        frame = ether(tags) / part
        capture.add(frame / Padding(b"\0" * max(0, 60 - len(frame))))
    capture.add(ether(tags) / ipv4(base + 8, 17) / UDP(sport=8, dport=9) /
                Raw(payload(base + 8, 700)))


def make_fragments():
    """Datagrams that arrive in fragments, and some that remain incomplete."""
    capture = Capture()
    add_datagrams(capture)
    lost = fragments_v4(20, udp_v4(20, 4000), (1480, 1480))
    capture.add(ether() / lost[0])
    capture.add(ether() / lost[2])
    lost_v6 = fragments_v6(21, udp_v6(21, 3000), (1448,))
    capture.add(ether() / lost_v6[1])
    # A duplicate, which looks like an attack, and a datagram with more fragments than a table
    # supports.
    twice = fragments_v4(22, udp_v4(22, 3000), (1480,))
    for part in (twice[0], twice[0], twice[1]):
        capture.add(ether() / part)
    for part in fragments_v4(23, udp_v4(23, 900), (80,) * 9):
        capture.add(ether() / part)
    add_datagrams(capture, (100, 200))
    # The missing fragment arrives after the timeout.
    capture.wait(60)
    capture.add(ether() / lost[1])
    capture.add(ether() / lost_v6[0])
    add_datagrams(capture, (300,))
    return capture


CAPTURES = {"packets.pcap": make_packets, "fragments.pcap": make_fragments}


FNV_BASIS, FNV_PRIME = 0xcbf29ce484222325, 0x100000001b3
TIMEOUT_S = 30
MAX_FRAGMENTS = 8


def fnv1a(data):
    """Checksum computed like in the C code."""
    value = FNV_BASIS
    for byte in data:
        value = (value ^ byte) * FNV_PRIME & 0xffffffffffffffff
    return value


def ip_of(packet):
    """IP layer, its bytes without header and padding, and fragment fields; or None: truncated, not IP.

    Fragment fields are (key, offset, more), or None.
    """
    if IP in packet:
        layer = packet[IP]
        end, begin = layer.len, layer.ihl * 4
        more = bool(layer.flags.MF)
        fragment = ((layer.src, layer.dst, layer.id), layer.frag * 8, more)
        if not more and layer.frag == 0:
            fragment = None
    elif IPv6 in packet:
        layer = packet[IPv6]
        end, begin, fragment = 40 + layer.plen, 40, None
        if IPv6ExtHdrFragment in packet:
            extension = packet[IPv6ExtHdrFragment]
            fragment = ((layer.src, layer.dst, extension.id), extension.offset * 8,
                        bool(extension.m))
            begin += 8
    else:
        return None
    if end > len(layer.original):
        return None
    return layer, layer.original[begin:end], fragment


def payload_of(packet):
    """Payload of a packet that umr_pipeline must send."""
    found = ip_of(packet)
    if found is None:
        return b""
    _, body, fragment = found
    if fragment is None and UDP in packet:
        return body[8:]
    if fragment is None and TCP in packet:
        return body[packet[TCP].dataofs * 4:]
    return body


def joined(parts):
    """Bytes of a datagram from all of its fragments, {offset: (bytes, more)}, or None if
    incomplete."""
    out = b""
    while len(out) in parts:
        data, more = parts[len(out)]
        out += data
        if not more:
            return out
    return None


def datagrams_of(packets):
    """Bodies of datagrams that umr_ipfrag must send, in the order of completion."""
    waiting, out = {}, []
    for packet in packets:
        found = ip_of(packet)
        if found is None or found[2] is None:
            continue
        key, offset, more = found[2]
        now = float(packet.time)
        begin, parts = waiting.get(key, (now, {}))
        if now - begin > TIMEOUT_S:
            begin, parts = now, {}
        if offset in parts or len(parts) == MAX_FRAGMENTS:
            waiting.pop(key)
            continue
        parts[offset] = (found[1], more)
        waiting[key] = (begin, parts)
        body = joined(parts)
        if body is not None:
            waiting.pop(key)
            out.append(body)
    return out


def expected(example, packets):
    """Numbers in the output of an example: {pattern: number}."""
    bodies = datagrams_of(packets) if example == "umr_ipfrag" else [
        payload_of(packet) for packet in packets]
    data = b"".join(bodies)
    fragments = [packet for packet in packets if (ip_of(packet) or (0, 0, None))[2]]
    out = {"far side": (str(len(data)), f"{fnv1a(data):016x}")}
    if example == "umr_ipfrag":
        out["queue"] = (str(len(packets)), str(len(packets) - len(fragments)),
                        str(len(fragments)), str(len(bodies)))
    else:
        out["queue"] = tuple(str(count) for count in (
            len(packets), sum(IP in packet for packet in packets),
            sum(IPv6 in packet for packet in packets),
            sum(UDP in packet and packet not in fragments for packet in packets),
            sum(TCP in packet for packet in packets), len(fragments),
            sum(Dot1Q in packet or Dot1AD in packet for packet in packets)))
    return out


def check_output(example, captures):
    """Complaints about the golden output of an example whose queues used these captures."""
    path = os.path.join(HERE, "..", example, "output.golden")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    bad = []
    for number, name in enumerate(captures):
        want = expected(example, rdpcap(os.path.join(HERE, name)))
        for what, numbers in want.items():
            line = re.search(rf"^{what} {number}: (.*)$", text, flags=re.M)
            found = tuple(re.findall(r"[0-9a-f]{16}|(?<![A-Za-z0-9])\d+(?![A-Za-z0-9])",
                                     line.group(1))) if line else ()
            if found[:len(numbers)] != numbers:
                bad.append(f"{example}, {what} {number}: {found}, but scapy finds {numbers}")
    return bad


def check():
    """Compare captures and golden outputs with the expected contents."""
    bad = []
    for name, make in CAPTURES.items():
        with open(os.path.join(HERE, name), "rb") as file:
            if file.read() != make().bytes():
                bad.append(f"{name}: not what this script makes")
    names = list(CAPTURES)
    bad += check_output("umr_pipeline", names)
    bad += check_output("umr_ipfrag", names[::-1])
    for line in bad:
        print(line)
    return 1 if bad else 0


def main():
    """Entry point."""
    if sys.argv[1:] == ["--check"]:
        return check()
    if sys.argv[1:]:
        print(__doc__)
        return 2
    for name, make in CAPTURES.items():
        with open(os.path.join(HERE, name), "wb") as file:
            file.write(make().bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
