# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Seeds of fuzz_wqe, fuzz_queue and fuzz_wire: steps as fuzz_post.c and the targets read them."""

import struct

# Indices in fuzz_post.c.
OPCODES = ["nop", "send_inval", "write", "write_imm", "send", "send_imm", "tso", "read",
           "atomic_cs", "atomic_fa", "masked_cs", "masked_fa", "fmr", "local_inval", "config",
           "set_psv", "dump", "umr", "tag_matching", "flow", "mmo"]
SEGS = ["raw", "data", "raddr", "inline", "umr_ctrl", "mkc", "repeat", "xrc", "av", "bsf"]
# FUZZ_KIND_FAULTS
FAULTS = 0x10
# Steps of each target, by kind.
STEPS = {
    "wqe": {"send": 0, "recv": 3, "ring": 4, "consume": 5, "scribble": 6, "run": 7},
    "queue": {"send": 0, "recv": 2, "ring": 3, "consume": 4, "scribble": 5, "modify": 6,
              "create": 7, "short": 8, "modify_cq": 9, "poll": 10, "run": 11, "host": 12},
    "wire": {"send": 0, "recv": 2, "ring": 3, "consume": 4, "inject": 5, "faults": 7, "run": 8},
}
MODIFY = ["rst2init", "init2rtr", "rtr2rts", "rts2rts", "sqerr2rts", "2err", "rts2sqd", "2rst",
          "sqd2rts", "init2init", "sqd_sqd"]
SHORT = ["destroy_qp", "destroy_cq", "destroy_mkey", "destroy_eq", "query_qp", "query_cq",
         "query_mkey", "query_eq", "dealloc_pd", "dealloc_uar", "destroy_srq", "query_srq", "arm_rq",
         "destroy_xrc_srq", "query_xrc_srq", "arm_xrc_srq", "destroy_dct", "drain_dct", "query_dct",
         "arm_dct", "destroy_psv", "dealloc_xrcd", "attach_to_mcg", "detach_from_mcg"]
CE = 0x08
PEER = 0x80     # a key of the other device
MASK = 1 << 0 | 1 << 13 | 0xf << 18 | 1 << 29   # length, tag, access, free


def addr(offset, data=None):
    """In a key that begins at zero, or in the data of a device."""
    return struct.pack("<BH", 4 if data is None else data, offset)


def key(number, peer=False):
    return bytes([number | (PEER if peer else 0)])


def data(length, k, at, peer=False):
    return bytes([length]) + key(k, peer) + at


def seg(name, body):
    return bytes([SEGS.index(name)]) + body


def raddr(at, k):
    return seg("raddr", at + key(k, True))


def opcode(name, opmod=None):
    index = OPCODES.index(name)
    if opmod is None:
        return bytes([index])
    return bytes([next(n for n in range(0xc0, 0xf0) if n % len(OPCODES) == index), opmod])


def umr(klms, length, access=b"\x00\x00\xfe", nb=None, flags=0x80):
    """Of key 3: KLMs as data segments."""
    nb_klm = len(klms) if nb is None else nb
    ctrl = seg("umr_ctrl", bytes([flags, (nb_klm + 3) // 4 * 4, 0]) + struct.pack("<II", MASK, 0))
    mkc = seg("mkc", access + b"\x00" + b"\x00" + struct.pack("<HII", 0, length, 0))
    tail = klms + [seg("raw", bytes(16))] * (-len(klms) % 4)
    return [ctrl, mkc] + tail


DATA_0, DATA_1 = addr(0, 0), addr(0, 1)


def bsf_sig(mem, wire, inl=b"", sbs=False):
    """A signature BSF of 64 bytes: block format selectors, or an inline section for T10-DIF."""
    head = struct.pack(">BBBBI", 0x80 | (0x10 if sbs else 0), 0xff, 1, 1, 512)
    basic = head + bytes([wire, 0, 0, 2, mem, 0, 0, 1])
    return (basic.ljust(32, b"\0") + inl.ljust(16, b"\0") + inl).ljust(64, b"\0")


T10DIF = struct.pack(">IIII", 0x80005678, 0xcafe, 0x01800000, 0x0040ffff)
CRYPTO = (struct.pack(">IIII", 0x81000000, 512, 0x01000000, 0) + bytes(16) +
          struct.pack(">I", 1)).ljust(64, b"\0")
# 32 bytes in a place of 64: one CRC32C over 508 bytes of the wire.
TRANSACTION = struct.pack(">IIIIIIII", 0x40ff0000, 508, 0, 0, 0x30000000, 0, 0x40000002, 0).ljust(64, b"\0")
BSFS = {
    "crypto": CRYPTO,
    "both": bytes([0xc0 | bsf_sig(0x22, 0)[0] & 0x3f]) + bsf_sig(0x22, 0)[1:] + CRYPTO,
    "crc32": bsf_sig(0x22, 0x22),
    "crc32c": bsf_sig(0x42, 0),
    "crc64": bsf_sig(0x52, 0x52, sbs=True),
    "t10dif": bsf_sig(0, 0, T10DIF),
    "trans": TRANSACTION,
}


# Bytes in memory of a block with its signature.
MEMORY = {"crypto": 512, "both": 516, "crc32": 516, "crc32c": 516, "crc64": 520, "t10dif": 520,
          "trans": 508}


def signed_umr(bsf, length):
    """Of a key with formats: all of it, one KLM."""
    ctrl = seg("umr_ctrl", bytes([0x80, 4, len(bsf) // 16]) + struct.pack("<II", MASK | 1 << 12 | 1 << 9, 0))
    mkc = seg("mkc", b"\x00\x00\xfe" + b"\x00" + b"\x44" + struct.pack("<HII", 0, length, 0))
    klms = [seg("data", b"\xf0" + struct.pack("<I", length) + key(0) + DATA_0)]
    tail = klms + [seg("raw", bytes(16))] * 3
    return [ctrl, mkc] + tail + [seg("bsf", bsf[i:i + 64]) for i in range(0, len(bsf), 64)]


class Program:
    """Steps of one input."""

    def __init__(self, target, is_eth=False):
        self.kinds = STEPS[target]
        self.data = bytes([is_eth])

    def step(self, kind, body=b""):
        self.data += bytes([self.kinds[kind]]) + body
        return self

    def send(self, op, segs, imm=0, opmod=None, hca=0, qp=0, flags=CE):
        return self.step("send", bytes([hca, qp]) + opcode(op, opmod) + bytes([flags, imm]) +
                         bytes([len(segs)]) + b"".join(segs) + b"\x00")

    def recv(self, segs, hca=1, qp=0):
        return self.step("recv", bytes([hca, qp, len(segs)]) + b"".join(segs))

    def ring(self, hca=0, qp=0):
        return self.step("ring", bytes([hca, qp, 0]))

    def consume(self, nb, hca=0, cq=0):
        # With both of its highest bits the EQ is armed, too, which takes a counter.
        return self.step("consume", bytes([hca, cq, nb]) + bytes(2 if nb >= 0xc0 else 0))

    def modify(self, op, hca=0, qp=0):
        return self.step("modify", bytes([hca, qp, MODIFY.index(op), 0]))

    def short(self, op, number, hca=0):
        return self.step("short", bytes([hca, SHORT.index(op), number, 0]))

    def go(self):
        return self.ring().step("run")


LOCAL = seg("data", data(64, 0, addr(0, 0)))


def trap(number, offset, peer=False):
    """A key that must not be of use, and an address in the page that it is of."""
    return number << 5 | 0x0f, addr(number * 4096 + offset, 7 if peer else 6)


def trap_programs(new):
    """Each way to a page that a key does not allow, or not there: only its own bytes are 3's."""
    places = [(number, 0) for number in range(4)]
    places += [(3, offset) for offset in (1001, 1000, 1437, 1438, 1501)]
    for number, offset in places:
        name = f"trap_{number}_{offset}_"
        k, there = trap(number, offset, True)
        remote = [raddr(there, k), LOCAL]
        yield name + "write", new().send("write", remote).go()
        yield name + "read", new().send("read", remote).go()
        yield name + "atomic", new().send("atomic_fa", [raddr(
            addr(number * 4096 + offset // 8 * 8, 7), k), seg("raw", bytes(16)),
            seg("data", data(8, 0, DATA_0))]).go()
        k, here = trap(number, offset)
        yield name + "gather", new().send("write", [raddr(DATA_1, 0),
                                                    seg("data", data(64, k, here))]).go()
        yield name + "scatter", new().send("read", [raddr(DATA_1, 0),
                                                    seg("data", data(64, k, here))]).go()
        for op in ("read", "write"):
            yield f"{name}list_{op}", new().send("umr", umr([seg("data", data(
                64, k, here))], 64), 3).send(op, [raddr(DATA_1, 0), seg("data", data(
                    64, 3, addr(0)))], flags=CE | 0x20).go()
        k, there = trap(number, offset, True)
        yield name + "recv", new().recv([data(64, k, there)]).send("send", [LOCAL]).go()


def cq_programs(new):
    """CQs that are full, and that go around."""
    def nops(program, nb):
        for _ in range(nb):
            program.send("nop", [])
        return program.go()

    yield "cq_full", nops(nops(new(), 32), 8)
    yield "cq_wrap", nops(nops(nops(new(), 20).consume(20), 20).consume(20), 20)


def recv_segs():
    return [data(100, 0, DATA_1), data(100, 0, addr(512, 1))]


def programs(new):
    """Name and program, of what every target can do."""
    yield "write", new().send("write", [raddr(DATA_1, 0), LOCAL]).go()
    yield "write_imm", new().recv(recv_segs()).send("write_imm", [raddr(DATA_1, 0), LOCAL]).go()
    yield "write_inline", new().send("write", [raddr(DATA_1, 0),
                                               seg("inline", b"\x10" + b"a" * 16)]).go()
    yield "read", new().send("read", [raddr(DATA_1, 0), LOCAL]).go()
    yield "read_large", new().send("read", [raddr(DATA_1, 2), seg(
        "data", b"\xe0" + struct.pack("<H", 8192) + key(0) + DATA_0)]).go()
    for op in ("send", "send_imm"):
        yield op, new().recv(recv_segs()).recv(recv_segs()).send(op, [LOCAL, LOCAL]).go()
    yield "send_inval", new().recv(recv_segs()).send("send_inval", [LOCAL], PEER | 5).go()
    yield "send_rnr", new().send("send", [LOCAL]).go().recv(recv_segs()).step("run")
    yield "send_too_long", new().recv([data(8, 0, DATA_1)]).send("send", [LOCAL]).go()
    yield "send_many", new().recv(recv_segs()).recv(recv_segs()).recv(recv_segs()).send(
        "send", [LOCAL]).send("send", [LOCAL]).send("send", [LOCAL]).go().consume(3)
    for op in ("atomic_cs", "atomic_fa", "masked_cs", "masked_fa"):
        nb = 2 if op == "masked_cs" else 1
        yield op, new().send(op, [raddr(DATA_1, 0)] + [seg("raw", bytes(16))] * nb + [
            seg("data", data(8, 0, DATA_0))], opmod=8 if "masked" in op else None).go()
    klm = seg("data", data(64, 0, DATA_0))
    yield "umr_list", new().send("umr", umr([klm] * 4, 256), 3).send(
        "write", [raddr(DATA_1, 0), seg("data", data(200, 3, addr(16)))], flags=CE | 0x20).go()
    yield "umr_nested", new().send("umr", umr([seg("data", data(64, 5, addr(0)))], 64), 3).send(
        "write", [raddr(DATA_1, 0), seg("data", data(64, 3, addr(0)))], flags=CE | 0x20).go()
    yield "umr_of_itself", new().send("umr", umr([seg("data", data(64, 3, addr(0)))], 64), 3).send(
        "write", [raddr(DATA_1, 0), seg("data", data(64, 3, addr(0)))], flags=CE | 0x20).go()
    ent = struct.pack("<HH", 8, 16) + key(0) + DATA_0
    block = seg("repeat", bytes([2]) + struct.pack("<I", 16)[::1] + b"\x04" + ent + ent)
    yield "umr_repeat", new().send("umr", umr([block], 64, nb=4), 3).send(
        "write", [raddr(DATA_1, 0), seg("data", data(48, 3, addr(0)))], flags=CE | 0x20).go()
    yield "umr_pointer", new().send("umr", umr([], 64, nb=4, flags=0)[:2] + [
        seg("data", data(64, 0, addr(2048, 0)))], 3).go()
    yield "umr_free", new().send("umr", umr([], 0, b"\x40\x00\x82")[:2], 5).send(
        "write", [raddr(DATA_1, 0), seg("data", data(64, 5, addr(0)))]).go()
    yield "local_inval", new().send("local_inval", [], 5).go()
    yield "chain", new().send("read", [raddr(addr(0), 6), seg("data", data(64, 6, addr(0)))]).go()
    yield "endless", new().send("write", [raddr(DATA_1, 0), seg("data", data(64, 7, addr(0)))]).go()
    yield "wrong_rkey", new().send("write", [raddr(DATA_1, 0x10), LOCAL]).send("nop", []).go()
    yield "read_only", new().send("read", [raddr(DATA_1, 0),
                                           seg("data", data(64, 1, DATA_0))]).go()
    yield "set_psv", new().send("set_psv", [seg("raw", bytes(16))]).go()
    yield "mmo", new().send("mmo", [seg("raw", bytes(16)), LOCAL, LOCAL], opmod=1, qp=7).ring(qp=7).step("run")
    yield "scatter_to_cqe", new().recv(recv_segs(), qp=7).send(
        "read", [raddr(DATA_1, 0), seg("data", data(48, 0, DATA_0))], qp=7).send(
            "send", [seg("data", data(24, 0, DATA_0))], qp=7).ring(qp=7).step("run")
    yield "dump", new().send("dump", [LOCAL]).go()
    for is_eth in (False, True):
        name = "_eth" if is_eth else ""
        yield "datagram" + name, new(is_eth).recv(recv_segs(), qp=3).send(
            "send", [seg("av", b"\1\3\0\0\x12\x34\0"), LOCAL], qp=3).ring(qp=3).step("run")
        yield "dc" + name, new(is_eth).recv(recv_segs(), qp=0x80).send(
            "send", [seg("av", b"\1\x80\0\0\x12\x34\0"), LOCAL], qp=8).send(
                "write", [seg("av", b"\1\x80\0\0\x12\x34\0"), raddr(DATA_1, 0), LOCAL],
                qp=8).ring(qp=8).step("run")
        yield "rc" + name, new(is_eth).recv(recv_segs()).send("send_imm", [LOCAL]).go()
    yield "uc", new().recv(recv_segs(), qp=2).send("send", [LOCAL], qp=2).send(
        "write", [raddr(DATA_1, 0), LOCAL], qp=2).ring(qp=2).step("run")
    yield "srq", new().recv(recv_segs(), qp=0x80).recv(recv_segs(), qp=0x80).send(
        "send", [LOCAL], qp=1).send("send", [LOCAL], qp=1).ring(qp=1).step("run")
    yield "xrc", new().recv(recv_segs(), qp=0x81).send(
        "send", [seg("xrc", b"\1\1"), LOCAL], qp=4).send(
            "write", [seg("xrc", b"\1\1"), raddr(DATA_1, 0), LOCAL], qp=4).ring(qp=4).step("run")
    for number in (12, 13, 14):
        at = addr(0x2000) if number == 13 else addr(0x40) if number == 14 else DATA_0
        yield f"key_{number}", new().send("write", [raddr(DATA_1 if number == 12 else at, number),
                                                    seg("data", data(64, number, at))]).go()
    yield "memic", new().send("write", [raddr(addr(0), 10), seg("data", data(
        64, 10, addr(64)))]).send("atomic_fa", [raddr(addr(0), 10), seg("raw", bytes(16)), seg(
            "data", data(8, 10, addr(8)))]).go()
    for name, bsf in BSFS.items():
        number = 9 if name in ("crypto", "both") else 8
        yield "sig_" + name, new().send("set_psv", [seg("raw", bytes([0, 0, 0, 1]) + bytes(12))]).send(
            "umr", signed_umr(bsf, MEMORY[name]), number).send(
                "write", [raddr(DATA_1, 0), seg("data", b"\xf0" + struct.pack("<I", 512) + key(number) + addr(0))],
                flags=CE | 0x20).go()
    yield "nops_wrap", new().send("nop", [seg("bsf", bytes(64))] * 9).send(
        "nop", [seg("bsf", bytes(64))] * 9).go().send("nop", [seg("bsf", bytes(64))] * 9).go()
    yield "armed", new().consume(0x80).send("nop", []).go().consume(0x81).send("nop", []).go()
    yield "overrun", new().send("nop", []).send("nop", []).step(
        "consume", bytes([0, 0, 0xff]) + struct.pack("<I", 0x80000000)).go()


def queue_programs(new):
    """What only fuzz_queue can do."""
    def up(program):
        return program.modify("rst2init").modify("init2rtr").modify("rtr2rts")

    write = [raddr(DATA_1, 0), LOCAL]
    yield "reset", up(new().send("write", write).modify("2rst")).send("write", write).go()
    yield "error_flush", new().modify("2err").send("write", write).recv([data(8, 0, DATA_0)],
                                                                        hca=0).go()
    yield "drain", new().send("write", write).ring().modify("rts2sqd").step("run").modify(
        "sqd2rts").step("run")
    yield "init2init", new().modify("2rst").modify("rst2init").modify("init2init")
    yield "recreate", up(new().short("destroy_qp", 0).step("create", bytes([0, 0, 0]))).go()
    yield "cq_busy", new().short("destroy_cq", 0).short("query_cq", 0).short("query_qp", 0)
    yield "all_gone", new().short("destroy_qp", 0).short("destroy_qp", 1).short(
        "destroy_qp", 2).short("destroy_qp", 3).short("destroy_cq", 0).step(
            "create", bytes([0, 1, 0])).short("destroy_eq", 0).short("dealloc_pd", 0)
    yield "keys_gone", new().send("write", write).ring().short("destroy_mkey", 0).step("run")
    yield "cq_resize", new().step("modify_cq", bytes([0, 0, 1, 8, 0])).send("nop", []).go()
    yield "cq_moderate", new().step("modify_cq", bytes([0, 0, 0, 1, 0])).send("nop", []).go()
    for op in SHORT:
        yield op, new().short(op, 1 if "xrc" in op else 0)
    yield "interrupt", new().consume(0xc0).send("nop", []).go().modify("2err").step("run")
    yield "dct_again", new().short("drain_dct", 0).short("destroy_dct", 0).step(
        "create", bytes([0, 3, 0])).recv(recv_segs(), hca=0, qp=0x80).send(
            "send", [seg("av", b"\0\x80\0\0\x12\x34\0"), seg("data", data(9, 0, DATA_1))], hca=1, qp=8).ring(
                hca=1, qp=8).step("run")
    yield "pulled", new().send("write", write).ring().step(
        "host", bytes([1, 0, 0, 0, 0, 0xff])).step("run").short("destroy_qp", 0, 1).short("query_qp", 1, 1)
    yield "pages_gone", new().step("host", bytes([0, 0, 0, 0, 0x10, 0x80])).step(
        "host", bytes([0, 0, 0, 0, 0x10, 0])).send(
            "write", [raddr(DATA_1, 12), seg("data", data(64, 12, DATA_0))]).go()
    yield "srq_again", new().short("destroy_dct", 0).short("destroy_qp", 1).short(
        "destroy_qp", 6).short("destroy_srq", 0).step("create", bytes([0, 2, 0]))


# Of the programs of fuzz_wqe what is worth a start of fuzz_queue.
BASICS = ("write", "send_many", "atomic_fa", "umr_list", "srq", "xrc", "dc", "datagram_eth",
          "scatter_to_cqe", "sig_crc32", "sig_both", "key_13", "armed", "overrun")


# Opcodes, with lengths of headers and payload.
PACKETS = {
    "send": (0x04, 12, 6), "send_first": (0x00, 12, 256), "send_imm": (0x05, 16, 0),
    "send_inval": (0x17, 16, 1), "write": (0x0a, 28, 8), "write_last_imm": (0x09, 16, 4),
    "read": (0x0c, 28, 0), "read_first": (0x0d, 16, 256), "read_middle": (0x0e, 12, 256),
    "ack": (0x11, 16, 0), "atomic_ack": (0x12, 24, 0), "cmp_swap": (0x13, 40, 0),
    "uc_write": (0x2a, 28, 3), "ud": (0x64, 20, 5), "ud_imm": (0x65, 24, 0), "cnp": (0x81, 28, 0),
    "xrc_write": (0xaa, 32, 8), "xrc_ack": (0xb1, 16, 0), "dc_send": (0xc4, 32, 2),
    "dc_fetch_add": (0xd4, 60, 0), "dc_ack": (0xd1, 36, 0), "reserved": (0x15, 12, 0),
}


def wire_programs(new):
    """Packets that nobody has sent, and what befalls others."""
    for number, (name, (opcode_, _, payload)) in enumerate(PACKETS.items()):
        # device, opcode, target, PSN, source, session, address, key, length, operands, payload, edits
        yield "inject_" + name, new().recv(recv_segs()).step("inject", bytes(
            [1, opcode_, number % 9, 0, number % 9, 1, 64, 0, 0, payload & 0xff, payload >> 8,
             1, 0, 3, 0, payload & 0xff, payload >> 8, 0])).step("run")
    for name, fault in (("lost", 1), ("twice", 2), ("changed", 0x66)):
        yield "fault_" + name, new().recv(recv_segs()).step(
            "faults", bytes([3, fault, 0, fault])).send("read", [raddr(DATA_1, 2), seg(
                "data", b"\xe0" + struct.pack("<H", 8192) + key(0) + DATA_0)]).send(
                    "send", [LOCAL]).go()


def faulty(target, data):
    """The same with page faults as events: the first ones of both devices are resumed."""
    run = bytes([STEPS[target]["run"]])
    return (bytes([data[0] | FAULTS]) + data[1:] +
            b"".join(bytes([token]) + run for token in (0x02, 0x42, 0x04, 0x45)))


def inputs(target):
    """Name and bytes of each seed of a target."""
    def new(is_eth=False):
        return Program(target, is_eth)

    cases = list(programs(new))
    if target == "queue":
        cases = [case for case in cases if case[0] in BASICS] + list(queue_programs(new))
    else:
        cases += trap_programs(new)
    if target == "wqe":
        cases += cq_programs(new)
    if target == "wire":
        cases += wire_programs(new)
    for name, program in cases:
        yield name, program.data
        if name.startswith("key_") or name in ("umr_list", "srq", "dc"):
            yield "fault_" + name, faulty(target, program.data)
