# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Write the inputs that fuzz targets start from: what makes sense, in the targets' format.

Usage: make_seeds.py FOLDER
Writes FOLDER/TARGET/NAME. Here are those of messages, packets, frames and calls; those of commands,
device files and queues have modules of their own.
"""

import pathlib
import shutil
import struct
import sys

import cmd_seeds
import uverbs_seeds
import wqe_seeds
from wqe_seeds import PACKETS


def cm_inputs():
    """Lives of one end of a connection: steps as fuzz_cm.c numbers them."""
    connect, request, accept, ready, establish, reject, disconnect = range(7)
    sidr_ask, sidr_request, sidr_answer, receive, time = range(7, 12)
    message = 156

    def user(step, *extra):
        return bytes([step]) + bytes(message) + bytes(extra)

    def got(attr):
        return bytes([receive, attr - 0x10]) + bytes(message) + b"\x01"

    def wait(ms):
        return bytes([time]) + ms.to_bytes(2, "little")

    begin = b"\x0f"
    active = begin + user(connect, 16) + got(0x13) + user(ready)
    passive = begin + user(request) + user(accept) + got(0x14)
    yield "active", active + user(disconnect) + got(0x16) + wait(60000)
    yield "passive", passive + got(0x15) + user(disconnect) + got(0x15) + wait(60000)
    yield "silence", begin + user(connect, 16) + wait(5000) * 17
    yield "mra", begin + user(connect, 16) + got(0x11) + wait(5000) + got(0x12)
    yield "reject", begin + user(request) + got(0x10) + user(reject, 28, 10)
    yield "early", begin + user(request) + user(accept) + user(establish) + got(0x14)
    yield "again", active + got(0x13) + got(0x15)
    yield "sidr", begin + user(sidr_ask, 20, 3) + wait(5000) + got(0x18)
    yield "sidr_passive", begin + user(sidr_request) + user(sidr_answer) + got(0x17)


def packets():
    """From their IP headers on; ICRCs are the target's."""
    for number, (name, (opcode, headers, payload)) in enumerate(PACKETS.items()):
        pad = -payload % 4
        inner = bytes([opcode, 0x40 | pad << 4, 0xff, 0xff, 0, 0, 0, 0x11, 0x80, 0, 0x10, number])
        inner += bytes(range(headers - 12)) + bytes(payload + pad + 4)
        udp = struct.pack("!HHHH", 0xc000 + number, 4791, 8 + len(inner), 0)
        if number % 4 == 3:
            outer = struct.pack("!IHBB", 6 << 28 | number, 8 + len(inner), 17, 64)
            outer += bytes([0xfe, 0x80]) + bytes(13) + b"\1" + bytes([0xfe, 0x80]) + bytes(13) + b"\2"
        else:
            outer = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 28 + len(inner), number, 0x4000, 64, 17, 0,
                                bytes([127, 0, 0, 1]), bytes([127, 0, 0, 2]))
            total = sum(struct.unpack("!10H", outer))
            total = (total & 0xffff) + (total >> 16)
            outer = outer[:10] + struct.pack("!H", ~total & 0xffff) + outer[12:]
        yield name, outer + udp + inner
        if number % 4 == 0:
            yield name + "_bth", inner


def ucma_inputs():
    """Lives of connections: steps as fuzz_ucma.c numbers them, each command by channel 0."""
    command, create, bind, resolve, event, deliver, lose, stranger, time, removed = range(10)
    connect, accept, reject, disconnect, init_qp = 6, 8, 9, 10, 11
    tail = b"\0\0"

    def do(cmd, handle, valid=0):
        extra = bytes([valid]) if cmd in (connect, accept) else b""
        return bytes([command, cmd, handle, 0, 0]) + extra + tail

    def made(space, qp_type=2):
        return bytes([create, space, qp_type]) + tail

    def at(step, handle, host, port=1):
        return bytes([step, handle, host, port]) + tail + tail

    def pass_on(number=1):
        return bytes([deliver, 0]) * number

    got = bytes([event]) + tail
    wait = bytes([time, 0xff, 0xff])
    for link in (0, 1):
        begin = bytes([link]) + made(0) + made(0)
        host = 1 if link == 0 else 6
        ask = begin + at(bind, 0, host) + at(resolve, 1, host) + got * 2 + do(connect, 1, 1)
        asked = ask + pass_on() + got
        yield f"connect_{link}", (asked + do(accept, 4, 1) + pass_on() + got + do(accept, 1) +
                                  pass_on() + got + do(init_qp, 4) + do(disconnect, 1) + pass_on() +
                                  got + do(disconnect, 4) + pass_on() + got + wait + got)
        yield f"reject_{link}", asked + do(reject, 4) + pass_on() + got
        yield f"silence_{link}", ask + bytes([lose]) + wait * 3 + bytes([lose]) + wait + got
        yield f"removed_{link}", asked + bytes([removed, 1, 0, removed, 1, 1]) + got
        datagrams = bytes([link]) + made(1, 4) + made(1, 4)
        yield f"sidr_{link}", (datagrams + at(bind, 0, host) + at(resolve, 1, host) + got * 2 +
                               do(connect, 1, 1) + pass_on() + got + do(accept, 4, 1) + pass_on() +
                               got)
        yield f"nobody_{link}", (begin + at(resolve, 1, host) + got * 2 + do(connect, 1, 1) +
                                 pass_on() + wait + pass_on() + got)
        yield f"stranger_{link}", begin + at(bind, 0, host) + (bytes([stranger, 1]) + bytes(220)) * 3


def mads():
    """Requests to the subnet's manager and to the agents of a port, as fuzz_mad.c reads them."""
    def mad(mgmt_class, method, attr, mask=0, record=b"", at=56):
        head = struct.pack(">BBBBHHQHHI", 1, mgmt_class, 1, method, 0, 0, 1, attr, 0, 0)
        body = bytearray(head.ljust(256, b"\0"))
        body[48:56] = struct.pack(">Q", mask)
        body[at:at + len(record)] = record
        return bytes(body)

    def gid(dev):
        return struct.pack(">QQ", 0xfe80 << 48, 0x1000 + dev)

    group = bytes([0xff, 0x12, 0x40, 0x1b, 0xff, 0xff]) + bytes(6) + b"\xff" * 4
    member = (group + gid(0)).ljust(48, b"\0") + b"\x01"
    path = bytes(8) + gid(1) + gid(0) + bytes(10) + b"\xff\xff"
    yield "agents", b"".join(b"\1" + mad(c, 1, a) for c, a in
                             ((1, 0x10), (1, 0x11), (1, 0x14), (1, 0x15), (1, 0x16), (4, 0x12)))
    yield "sm_info", b"\0" + mad(1, 1, 0x20)
    yield "path", b"\0" + mad(3, 1, 0x35, 1 << 2 | 1 << 3, path)
    yield "groups", b"".join(b"\0" + mad(3, method, 0x38, 1 << 0 | 1 << 1 | 1 << 2 | 1 << 7 |
                                         1 << 12 | 1 << 16, member) for method in (2, 1, 0x15))


def control_inputs():
    """Requests of swhca-ctl, as fuzz_control.c reads them."""
    def requests(*lines):
        return b"\0" + b"".join(bytes([len(line)]) + line.encode() for line in lines)

    yield "looks", requests("list", "stats", "counters 0", "counters 1", "resources 0 qp")
    yield "acts", requests("remove 0", "crash 1", "halt 0", "resume 0", "delete-credential 1")
    yield "port", requests("port 0 down", "list", "port 0 up", "port 9 up", "port 0 left")
    yield "fail", requests("fail-command 0 1", "fail-command 0 0", "fail-command 1 -1",
                           "fail-command")
    yield "impair", requests("impair 0 loss=5", "impair 0 ", "impair 7 loss=5")
    yield "wrong", requests("", "lis", "remove", "remove x", "remove 99999999999999999999", "\n")


def vfu_message(command, payload, nb_fds=0):
    return bytes([0, command, nb_fds]) + struct.pack("<H", len(payload)) + payload


def pci_slot(opcode, in_len, out_len, edits=b""):
    """fuzz_pci.c: any_slot(); edits are pairs of a byte of the slot and its value."""
    return (bytes([2, 0, 0]) + struct.pack("<HHHH", in_len, opcode, 0, out_len) + b"\1" +
            bytes([len(edits) // 2]) + edits)


def pci_config(offset, value, region=7):
    """A write to configuration space, or to a BAR."""
    return vfu_message(10, struct.pack("<QII", offset, region, len(value)) + value)


def pci_inputs():
    """What a VMM asks for and a guest does, and memory that is taken away or only to be read."""
    def irqs(flags, index, start, count, tail=b"", nb_fds=0):
        return vfu_message(8, struct.pack("<5I", 20 + len(tail), flags, index, start, count) + tail, nb_fds)

    def read(offset, region, count):
        return vfu_message(9, struct.pack("<QII", offset, region, count))

    def map_(flags, offset, at, size, nb_fds=1):
        return vfu_message(2, struct.pack("<IIQQQ", 32, flags, offset, at, size), nb_fds)

    def unmap(at, size, flags=0):
        return vfu_message(3, struct.pack("<IIQQ", 24, flags, at, size))

    def access_reg(number, in_len=272):
        return pci_slot(0x805, in_len, in_len, bytes([26, number >> 8, 27, number & 255]))

    answer_there = bytes([52, 0x00, 53, 0x20, 54, 0x00, 55, 0x00])
    query, work = pci_slot(0x10a, 16, 112), b"\3"
    yield "unmap", query + work + unmap(0x100000, 0x10000) + query + work
    yield "read_only", map_(1, 0, 0x200000, 0x1000) + pci_slot(0x10a, 16, 112, answer_there) + work
    yield "config", (
        read(0, 7, 256) + b"".join(pci_config(0x10 + 4 * bar, b"\xff" * 4) for bar in range(7)) +
        b"".join(read(offset, 7, size) for offset, size in ((0, 1), (2, 2), (4, 4), (0xffc, 4), (3, 8))) +
        pci_config(4, b"\0\0") + query + work + pci_config(4, b"\6\4") + query + work)
    yield "messages", vfu_message(4, struct.pack("<IIII", 32, 0, 0, 0)) + b"".join(
        vfu_message(5, struct.pack("<4IQQ", 32, 0, index, 0, 0, 0)) for index in (0, 2, 7, 8, 99)) + b"".join(
            vfu_message(7, struct.pack("<4I", 16, 0, index, 0)) for index in range(6)) + b"".join((
                vfu_message(1, struct.pack("<HH", 0, 1) + b'{"capabilities":{}}\0'), vfu_message(13, b""),
                vfu_message(6, bytes(32)), vfu_message(11, bytes(32)), vfu_message(12, bytes(32))))
    yield "interrupts", (
        irqs(0x24, 2, 0, 2, nb_fds=2) + irqs(0x21, 2, 0, 1) + irqs(0x22, 2, 0, 2, b"\1\0") +
        irqs(0x0c, 2, 0, 1) + irqs(0x14, 2, 1, 1) + irqs(0x24, 2, 0, 99, nb_fds=1) + irqs(0x24, 0, 0, 1) +
        pci_config(0x62, b"\0\x80") + pci_config(0x40, b"\1" * 16) + pci_config(0x2000, bytes(16), 0) +
        read(0x2000, 0, 64) + read(0x3000, 0, 64) + irqs(0x21, 2, 0, 0))
    yield "memory", (
        map_(3, 0, 0x400000, 0x2000) + map_(3, 0, 0x401000, 0x2000) + map_(0, 0, 0x500000, 0x1000) +
        map_(3, 0x1000, 0x600800, 0x1000) + map_(3, 0, 2 ** 64 - 4096, 0x2000) +
        map_(3, 0x100000, 0x700000, 0x1000) + map_(3, 0, 0x800000, 0x1000, 0) +
        unmap(0x400000, 0x1000) + unmap(0x400000, 0x2000) + unmap(0, 2 ** 64 - 1, 2) + query + work)
    yield "bar", b"".join(pci_config(offset, value, 0) + read(offset, 0, len(value)) for offset, value in (
        (0x10, bytes(4)), (0x14, b"\0\x10\x10\0"), (0x18, b"\0\0\0\1"), (0x1f0, bytes(4)),
        (0x800, bytes(8)), (0x1020, bytes(8)), (0x1000000, bytes(4)), (3, bytes(2)), (0x1040, bytes(4))))
    # Enable, pages, initialize, make something, and back; an op_mod is byte 23, dword 2 ends with byte 27.
    pages = b"\1" + struct.pack("<HB", 0x4000, 8) + struct.pack(">Q", 0x10c000)
    yield "begin", work.join((
        pci_slot(0x104, 16, 16), pci_slot(0x10a, 16, 112), pci_slot(0x10b, 16, 16, bytes([27, 1])),
        pci_slot(0x107, 16, 16, bytes([23, 1])), pages + pci_slot(0x108, 24, 16, bytes([23, 1, 31, 1])),
        pci_slot(0x100, 16, 4112, bytes([23, 1])), pci_slot(0x102, 32, 16), pci_slot(0x107, 16, 16, bytes(
            [23, 2])), pci_slot(0x802, 16, 16), pci_slot(0x800, 16, 16), access_reg(0x5008),
        pci_slot(0x103, 16, 16), pci_slot(0x108, 16, 24, bytes([23, 2, 31, 1])), pci_slot(0x105, 16, 16), b""))
    yield "mailboxes", (
        pci_slot(0x109, 600, 264) + work + pci_slot(0x100, 16, 1000, bytes([51, 0x10])) + work +
        pci_slot(0x100, 16, 4096, bytes([60, 9])) + work + access_reg(0x5008) + work +
        b"\1" + struct.pack("<HB", 0x4000 + 564, 12) + bytes(12) + b"\2\1\1" + pci_slot(0x109, 600, 264)[3:] + work)
    yield "slots", b"".join(
        pci_slot(0x10a, 16, 112, bytes(edit)) + work
        for edit in ((0, 1), (63, 0), (7, 1), (15, 1), (4, 0xff), (56, 0xff), (61, 1), (1, 5), (52, 0xff)))


def ethernet(kind, payload, to=b"\2\0\0\0\0\2", tag=b""):
    return to + b"\2\0\0\0\0\1" + tag + struct.pack(">H", kind) + payload


def arp(operation, target_mac=bytes(6)):
    """Of 10.9.0.1, to 10.9.0.2."""
    return struct.pack(">HHBBH", 1, 0x800, 6, 4, operation) + (
        b"\2\0\x0a\x09\0\1\x0a\x09\0\1" + target_mac + b"\x0a\x09\0\2")


def ip4(proto, payload, offset=0, options=b""):
    return struct.pack(">BBHHHBBH4s4s", 0x45 + len(options) // 4, 0, 20 + len(options) + len(payload), 0x12fe,
                       0x4000 | offset, 64, proto, 0, b"\x0a\x09\0\1", b"\x0a\x09\0\2") + options + payload


def ip6(proto, payload, extension=b""):
    return struct.pack(">IHBB", 6 << 28, len(extension) + len(payload), 0 if extension else proto, 64) + (
        bytes(15) + b"\1" + bytes(15) + b"\2" + (bytes([proto]) + extension[1:]) + payload)


def udp(payload, port=4791):
    return struct.pack(">HHHH", 0xc000, port, 8 + len(payload), 0) + payload


def nic_inputs():
    """Four bytes of what is hashed, and a frame."""
    tcp = struct.pack(">HHIIBBHHH", 0x1234, 0x5678, 1, 0, 0x50, 0x18, 0xffff, 0, 0) + b"payload"
    data, vlan = udp(b"payload"), b"\x81\0\x61\x23"
    for name, fields, frame in (
            ("arp", 0, ethernet(0x806, arp(1), b"\xff" * 6)),
            ("tcp4", 0, ethernet(0x800, ip4(6, tcp))), ("tcp6", 0xc0020103, ethernet(0x86dd, ip6(6, tcp))),
            ("udp4_vlan", 0x40010103, ethernet(0x800, ip4(17, data), tag=vlan)),
            ("udp4_options", 0x40010103, ethernet(0x800, ip4(17, data, options=bytes(8)))),
            ("udp6", 0xc0020103, ethernet(0x86dd, ip6(17, data))),
            ("udp6_hop", 0xc0020103, ethernet(0x86dd, ip6(17, data, bytes([0, 0, 5, 2, 0, 0, 1, 0])))),
            ("fragment", 0xc0020103, ethernet(0x800, ip4(17, data, 0x2001))),
            ("esp4", 0x20, ethernet(0x800, ip4(50, bytes(20)))), ("length", 0, ethernet(20, bytes(20)))):
        yield name, struct.pack(">I", fields) + frame


def frame_inputs():
    """Frames, each behind seconds and its length: to 10.9.0.2 with a MAC address of that."""
    own = b"\2\0\x0a\x09\0\2"

    def at(seconds, frame):
        return struct.pack("<BH", seconds, len(frame)) + frame

    def roce(opcode_, to=own):
        return ethernet(0x800, ip4(17, udp(bytes([opcode_]) + bytes(19))), to)

    asked = ethernet(0x806, arp(1), b"\xff" * 6)
    yield "arp", at(0, asked) + at(1, ethernet(0x806, arp(2, own), own)) + at(31, asked) + at(255, asked)
    yield "packet", at(0, roce(4)) + at(0, ethernet(0x806, arp(2, own), own)) + at(0, roce(17)) + at(60, roce(4))
    yield "group", at(0, roce(4, b"\1\0\x5e\0\0\1")) + at(30, asked) + at(1, roce(4))
    yield "others", at(0, ethernet(0x86dd, ip6(17, udp(bytes(20))), own)) + at(0, asked[:20]) + at(
        0, roce(4)[:40]) + at(0, ethernet(0x800, ip4(6, bytes(20)), own)) + at(0, roce(4, b"\2" * 6)) + at(
            0, ethernet(0x800, ip4(17, udp(bytes(20), 53)), own)) + at(0, ethernet(0x800, bytes(20), own))


def api_seg(offset, length, k=0x00, own=True):
    """fuzz_api_data.c: pick_seg(); in the arena, or in a key. Keys from 0x70 on are memory keys."""
    return struct.pack("<BHBB", 0x00 if own else 0x80, offset, length, k)


def api_inputs():
    """Calls of lib/umr, as fuzz_api.c reads them; its first region is 0x8000 bytes from 0x1001."""
    here, rkey, key = api_seg(0x2000, 64), b"\x38", 0x70
    collect = b"\x6d\x40\x00"

    def write(local, there, remote_key=rkey, flags=1):
        return b"\x66" + local + struct.pack("<BHB", 0x00, there, flags) + remote_key + b"\x81\x00"

    def read(local, there):
        return b"\x68" + local + struct.pack("<BH", 0x00, there) + rkey + b"\x00\x01"

    def lay(*segs):
        return b"\x60\x00" + bytes([len(segs)]) + b"\x00\x0f" + b"".join(segs) + b"\x00"

    in_key = api_seg(0, 100, key, own=False)
    yield "write", write(here, 0x3000) + collect
    yield "read", read(here, 0x3000) + collect
    for there in (0x1000, 0x1001, 0x8fc1, 0x8fc2, 0xf000):
        yield f"edge_{there:x}", (write(here, there) + collect + b"\x0e\x00" +
                                  write(here, 0x3000) + collect)
    yield "list", lay(api_seg(0x2000, 60), api_seg(0x5000, 60)) + read(in_key, 0x3000) + collect
    yield "list_edge", (
        lay(api_seg(0x0ff0, 60), api_seg(0x8ff0, 60)) + read(in_key, 0x3000) + collect)
    yield "stale", lay(api_seg(0x2000, 100)) + b"\x65\x00\x00\x01" + read(in_key, 0x3000) + collect
    yield "interleaved", (b"\x62\x00\x02\x00\x0f\x04" + b"".join(
        struct.pack("<BHBBB", 0, at, 16, 16, 0) for at in (0x2000, 0x4000)) + b"\x00" +
        read(in_key, 0x3000) + collect)
    yield "send", b"\x6b\x01" + here + b"\x00\x00" + b"\x69" + here + b"\x00\x00\x00\x01" + collect
    yield "no_receive", b"\x69" + here + b"\x00\x00\x00\x01" + collect
    yield "atomic", (
        b"\x6a" + here + struct.pack("<BH", 0, 0x3000) + rkey + b"\x00\x00\x01" + collect)
    yield "memory", b"".join(bytes([0, n, 0]) + struct.pack("<HH", 0x1000, 0x2000) + b"\x3f" +
                             bytes(6) for n in (1, 2, 3, 1))
    yield "window", (b"\x04\x01\x00\x00\x02" + b"\x6c\x01\x00\x00\x00" +
                     struct.pack("<BHB", 0, 0x2000, 64) + b"\x0f\x00\x01" + collect)
    yield "pools", (
        b"\x05\x01\x04\x10\x00\x01\x00\x00\x00\x00" + b"\x06\x08\x01" * 2 +
        b"\x05\x01\x00\x00\x00")
    yield "queue", (
        b"\x09\x00\x00\x00\x20\x10\x01\x20\x20\x00\x00\x00\x00\x00\x0a" + write(here, 0x3000) +
        collect)
    yield "rc", (
        b"\x09\x00\x00\x01\x20\x10\x01\x20\x20\x00\x00\x00\x00\x00\x0a\x0c\x00\x00\x00" +
        write(here, 0x3000) + collect)


TARGETS = {
    "cmd": cmd_seeds.inputs,
    "mad": mads,
    "wqe": lambda: wqe_seeds.inputs("wqe"),
    "queue": lambda: wqe_seeds.inputs("queue"),
    "wire": lambda: wqe_seeds.inputs("wire"),
    "uverbs": uverbs_seeds.inputs,
    "control": control_inputs,
    "ucma": ucma_inputs,
    "packet": packets,
    "frame": frame_inputs,
    "nic": nic_inputs,
    "cm": cm_inputs,
    "pci": pci_inputs,
    "api": api_inputs,
}


def main():
    for target, inputs in TARGETS.items():
        folder = pathlib.Path(sys.argv[1]) / target
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, data in inputs():
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    sys.exit(main())
