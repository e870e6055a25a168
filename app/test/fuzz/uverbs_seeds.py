# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Make seeds of fuzz_uverbs: some by hand, others from what uverbs_record.c has written down.

usage: uverbs_seeds.py OUTPUT-FOLDER [RECORD...]

Each record becomes a file of the record's name, cut where an input would become too long; "-eth"
and "static-uar" in the name say what kind of devices the program ran on. What
depends on the process is replaced: addresses by those of the arena, queue pair numbers by those
that the harness gives, descriptors by the numbers that the harness puts them at.
"""

import pathlib
import struct
import sys

MAX_BYTES = 4000
ARENA, ARENA_SIZE = 0x200000000000, 4 << 20
FIRST_QPN, MAX_QPS = 0x100000, 0x400
FD_EVENT, FD_FILE, FD_FIRST, NB_FDS = 90, 92, 100, 16
NB_FILES = 3
KIND_ETH, KIND_STATIC_UAR = 1, 2

DRIVER = 0x1000
CORE_IN, CORE_OUT, WRITE_CMD = 0, 1, 2
F_MANDATORY, F_VALID_OUTPUT = 1, 2
HANDLE, U32, U64, IN, OUT, _, LONG, EMPTY = range(8)

# Objects and methods (rdma/ib_user_ioctl_cmds.h, mlx5_user_ioctl_cmds.h).
INVOKE_WRITE = (0, 0)
# Methods whose answer is a descriptor: the attribute that has it.
MAKES_FD = {(16, 0): 0, (DRIVER + 4, DRIVER): DRIVER, (DRIVER + 5, DRIVER): DRIVER}
# Attributes that name one: of completions, asynchronous events, DevX events and answers.
NAMES_FD = {(3, 0): (3, 7), (4, 0): (12,), (5, 0): (10,), (DRIVER, DRIVER + 3): (DRIVER,),
            (DRIVER + 1, DRIVER + 4): (DRIVER + 2,)}
# The attribute that has the number of an eventfd.
NAMES_EVENTFD = ((DRIVER, DRIVER + 3), DRIVER + 3)
# Commands of the write ABI: where in the answer, or the input, is a descriptor.
WRITE_MAKES_FD = {0: 0, 17: 0}
WRITE_NAMES_FD = {18: 24, 0x80000000 + 18: 16}
WRITE_OPEN_XRCD, XRCD_FD = 37, 8


def number(value):
    """Number of the ABI as fuzz_uverbs reads it."""
    return bytes([(0x80 if value & DRIVER else 0) | value & 0x7f])


def sparse(data):
    """Runs of bytes that are not zero; fewer than four zeros do not end one."""
    out, at = b"", 0
    while at < len(data):
        start = next((i for i in range(at, len(data)) if data[i]), len(data))
        if start == len(data):
            break
        end = start
        while end < len(data) and end - start < 250 and any(data[end:end + 4]):
            end += 1
        while start - at > 255:
            # A run of one zero, to get that far.
            out += bytes([255, 1, 0])
            at += 256
        out += bytes([start - at, end - start]) + data[start:end]
        at = end
    return out + b"\0\0"


class Program:
    """The steps that a record comes to."""

    def __init__(self, pid, name):
        self.first_qpn = 0x100000 + pid % 0xe0 * 0x10000
        self.data = bytes([("-eth" in name) * KIND_ETH | ("static-uar" in name) * KIND_STATIC_UAR])
        self.slots = {}
        self.fds = {}
        self.nb_fds = 0
        self.is_full = False

    def add(self, step):
        """Append a step if there is room for it."""
        if self.is_full or len(self.data) + len(step) > MAX_BYTES:
            self.is_full = True
            return
        self.data += step

    def slot(self, fd, device):
        """Which of the files a descriptor is: even ones are of the first device."""
        if fd not in self.slots:
            slots = [slot for slot in range(NB_FILES) if slot % 2 == device % 2]
            free = [slot for slot in slots if slot not in self.slots.values()]
            self.slots[fd] = (free or slots)[0]
            if self.slots[fd] != 0 or len(self.data) > 1:
                self.add(bytes([10, self.slots[fd]]))
        return self.slots[fd]

    def new_fd(self, fd):
        self.fds[fd] = FD_FIRST + self.nb_fds % NB_FDS
        self.nb_fds += 1

    def portable(self, data, addrs):
        """Bytes without addresses, which are at these offsets, and numbers of the process."""
        out = bytearray(data)
        for at in [int(at) for at in addrs.split(",")] if addrs != "-" else []:
            value, = struct.unpack_from("<Q", out, at)
            struct.pack_into("<Q", out, at, ARENA + value % ARENA_SIZE)
        for at in range(0, len(out) - 3, 4):
            for order in "<", ">":
                value, = struct.unpack_from(order + "I", out, at)
                if 0 <= value - self.first_qpn < MAX_QPS:
                    struct.pack_into(order + "I", out, at,
                                     value - self.first_qpn + FIRST_QPN)
        return bytes(out)

    def payload(self, method, attr, data, addrs, write_cmd):
        """Bytes of an input, with descriptors of the harness."""
        data = bytearray(self.portable(data, addrs))
        if method == INVOKE_WRITE and attr == CORE_IN:
            at = WRITE_NAMES_FD.get(write_cmd)
            if at is not None:
                fd, = struct.unpack_from("<i", data, at)
                struct.pack_into("<i", data, at, self.fds.get(fd, fd))
            elif write_cmd == WRITE_OPEN_XRCD and data[XRCD_FD:XRCD_FD + 4] != b"\xff" * 4:
                struct.pack_into("<i", data, XRCD_FD, FD_FILE)
        return bytes(data)

    def attribute(self, method, write_cmd, fields):
        """One attribute of a request."""
        attr, length, flags, before = (int(field) for field in fields[:4])
        is_out = flags & F_VALID_OUTPUT
        kind = 0 if flags & F_MANDATORY else 0x80
        head = number(attr)
        if length == 0:
            if attr in NAMES_FD.get(method, ()):
                before = self.fds.get(before, before)
            if is_out:
                before = 0
            if before > 0xff:
                return head + bytes([kind | LONG]) + struct.pack("<Q", before)
            return head + bytes([kind | HANDLE, before])
        if is_out:
            return head + bytes([kind | OUT]) + struct.pack("<H", length)
        if (method, attr) == NAMES_EVENTFD:
            before = FD_EVENT
        if length == 4:
            return head + bytes([kind | U32]) + struct.pack("<I", before & 0xffffffff)
        if length == 8:
            data = self.portable(struct.pack("<Q", before), fields[7])
            return head + bytes([kind | U64]) + data
        if length < 8:
            data = struct.pack("<Q", before)[:length]
        else:
            data = b"" if fields[5] == "-" else bytes.fromhex(fields[5])
            data = self.payload(method, attr, data, fields[7], write_cmd)
        return head + bytes([kind | IN]) + struct.pack("<H", length) + sparse(data)

    def request(self, fields, attrs):
        """A request, and what its answer tells of descriptors."""
        fd, device, *method = (int(field) for field in fields[:4])
        method = tuple(method)
        write_cmd = next((int(attr[3]) for attr in attrs
                          if method == INVOKE_WRITE and int(attr[0]) == WRITE_CMD), None)
        slot = self.slot(fd, device)
        self.add(bytes([0, slot]) + number(method[0]) + number(method[1]) +
                 bytes([0, len(attrs)]) +
                 b"".join(self.attribute(method, write_cmd, attr) for attr in attrs))
        for attr in attrs:
            if not int(attr[2]) & F_VALID_OUTPUT:
                continue
            if MAKES_FD.get(method) == int(attr[0]):
                self.new_fd(int(attr[4]))
            elif method == INVOKE_WRITE and int(attr[0]) == CORE_OUT and \
                    write_cmd in WRITE_MAKES_FD and attr[6] != "-":
                answer = bytes.fromhex(attr[6])
                self.new_fd(struct.unpack_from("<i", answer, WRITE_MAKES_FD[write_cmd])[0])

    def mmap(self, fields):
        """Map pages of a file."""
        fd, length, prot, offset = (int(field) for field in fields)
        page = offset >> 12
        if fd in self.slots:
            self.add(bytes([8, self.slots[fd], page >> 8 & 0xff]) +
                     struct.pack("<H", page & 0xff | (page >> 16 & 0xff) << 8) +
                     bytes([min(length >> 12, 16), prot & 7]))

    def close(self, fd):
        """Forget a file, or close one of events."""
        self.slots.pop(fd, None)
        if fd in self.fds:
            which = self.fds.pop(fd) - FD_FIRST
            self.add(bytes([11, which, which]))


def convert(path):
    """The input that a record comes to."""
    program, pending, attrs = None, None, []
    for line in path.read_text(encoding="ascii").splitlines() + ["end"]:
        word, *fields = line.split()
        if word == "attr":
            attrs.append(fields)
            continue
        if pending is not None:
            program.request(pending, attrs)
        pending, attrs = None, []
        if word == "pid":
            if program is not None:
                break
            program = Program(int(fields[0]), path.stem)
        elif word == "ioctl":
            pending = fields
        elif word == "mmap":
            program.mmap(fields)
        elif word == "close":
            program.close(int(fields[0]))
    return program.data if program is not None else b""


# ---- by hand: what the programs that are recorded do not do -------------------------------------

def attr(ident, kind, body):
    return number(ident) + bytes([kind]) + body


def handle(ident, value=0):
    return attr(ident, HANDLE, bytes([value]))


def u32(ident, value):
    return attr(ident, U32, struct.pack("<I", value))


def u64(ident, value):
    return attr(ident, U64, struct.pack("<Q", value))


def inp(ident, data):
    return attr(ident, IN, struct.pack("<H", len(data)) + sparse(data))


def out(ident, length):
    return attr(ident, OUT, struct.pack("<H", length))


def request(obj, method, *attrs, twist=0, slot=0):
    return bytes([0, slot]) + number(obj) + number(method) + bytes([twist, len(attrs)]) + \
        b"".join(attrs)


def write(cmd, data, answer=0, *more):
    """A command of the write ABI; its answer does not depend on the room for it."""
    attrs = [u64(WRITE_CMD, cmd), inp(CORE_IN, data)]
    return request(0, 0, *attrs, *([out(CORE_OUT, answer)] if answer else []), *more)


def context(flags):
    return request(0, 3, out(0, 4), out(1, 8), inp(
        DRIVER, struct.pack("<IIIIBBHIQ", 16, 4, flags, 0, 1, 0, 0, 0, 3)), out(DRIVER + 1, 104))


CONTEXT = context(1)
# None of DevX: nothing but the front end tells it from others.
PLAIN_CONTEXT = context(0)
PD = write(3, bytes(8), 4)
OBJ_MR, OBJ_DM, OBJ_VAR, OBJ_PP, OBJ_UAR = 7, 14, DRIVER + 6, DRIVER + 7, DRIVER + 8
FD_DMABUF = 91
FAIL, RUN = bytes([15]), bytes([13, 0])
ON_DEMAND, LOCAL_WRITE = 1 << 6, 1


def reg_mr(start, length, access, iova=None):
    return write(9, struct.pack("<QQQQII", 0, start, length, start if iova is None else iova, 0,
                                access), 12)


def rereg_mr(mr, flags, start, length, access):
    return write(11, struct.pack("<QIIQQQII", 0, mr, flags, start, length, start, 0, access), 8)


def reg_dmabuf(offset, length, access):
    return request(OBJ_MR, 4, handle(0), handle(1), u64(2, offset), u64(3, length),
                   u64(4, offset), u32(5, FD_DMABUF), u32(6, access), out(7, 4), out(8, 4))


def mmap(cmd, index, pages=1, prot=3):
    return bytes([8, 0, cmd]) + struct.pack("<H", index) + bytes([pages, prot])


# Commands of the write ABI that libraries of today have other methods for. All answers have room.
def create_cq(nb, channel=-1, flags=0, uar=0):
    return write(18, struct.pack("<QQIIiI", 0, 1, nb, 0, channel, 0), 8, inp(
        DRIVER, struct.pack("<QQIBBHHHI", ARENA, ARENA + 0x10000, 64, 0, 0, flags, uar, 0, 0)),
                 out(DRIVER + 1, 8))


def driver_srq():
    return inp(DRIVER, struct.pack("<QQIIII", ARENA + 0x20000, ARENA + 0x10040, 0, 0, 5, 0))


def create_srq(pd, nb, nb_sge):
    return write(32, struct.pack("<QQIIII", 0, 2, pd, nb, nb_sge, 0), 16, driver_srq(),
                 out(DRIVER + 1, 8))


def create_qp(kind, pd, cq, srq=None, nb_recv=0, flags=0):
    return write(24, struct.pack("<QQ9I4B", 0, 3, pd, cq, cq, srq or 0, 8, nb_recv, 1, 1, 0, 0,
                                 kind, srq is not None, 0), 32, inp(
        DRIVER, struct.pack("<QQ6I8x", ARENA + 0x30000, ARENA + 0x10080, 8, nb_recv, 6, flags, 7, 0)),
                 out(DRIVER + 1, 16))


def modify_qp(qp, mask, state, port=1, qkey=0, access=0, mtu=3, extended=False):
    dest = bytes(20) + struct.pack("<HH8B", 1, 0, 0, 1, 0, 0, 0, 0, 0, 1)
    body = dest + bytes(32) + struct.pack(
        "<7IHH16B", qp, mask, qkey, 0, 0, 0x100000, access, 0, 0,
        state, 0, mtu, 0, 0, 1, 1, 12, port, 14, 7, 7, 0, 0, 0, 0)
    if extended:
        return write(0x80000000 + 26, body + bytes(8), 8)
    return write(26, body)


def by_handle(cmd, value, answer):
    return write(cmd, struct.pack("<QII", 0, value, 0), answer)


RC, UC, UD, XRC_INI, XRC_TGT, DC = 2, 3, 4, 9, 10, 0xff
UAR_PAGE_INDEX = 1 << 1
FLAG_DCT, FLAG_DCI = 1 << 4, 1 << 5
TO_INIT, TO_RTR, TO_RTS = 0x39, 0x129181, 0x12e01


def write_abi():
    """An SRQ, its queue pair up to RTS and in error, everything asked for and destroyed."""
    yield write(17, bytes(8), 4) + request(16, 0, handle(0))
    yield create_cq(15, FD_FIRST)
    yield create_srq(0, 15, 1)
    yield write(33, struct.pack("<4I", 2, 2, 0, 3))
    yield by_handle(34, 2, 16)
    yield create_qp(RC, 0, 1, 2)
    yield modify_qp(3, TO_INIT, 1, access=0xf) + modify_qp(3, TO_RTR, 2, extended=True)
    yield modify_qp(3, TO_RTS, 3) + by_handle(25, 3, 128)
    yield modify_qp(3, 1, 6) + RUN + bytes([12, 0, 64, 12, 1, 8])
    yield by_handle(27, 3, 4) + by_handle(35, 2, 4)
    yield by_handle(19, 1, 8) + write(19, struct.pack("<QII", 0, 1, 63), 8, inp(
        DRIVER, struct.pack("<QHHI", ARENA + 0x40000, 64, 0, 0)))
    yield write(0x80000000 + 57, struct.pack("<IIHHI", 1, 1, 4, 100, 0))
    yield by_handle(20, 1, 8)


def datagrams():
    """A group, an address handle, a window."""
    yield create_cq(15) + create_qp(UD, 0, 1, nb_recv=4)
    yield modify_qp(2, 0x71, 1, qkey=5)
    for cmd in (30, 30, 31, 31):
        yield write(cmd, b"\xff" + bytes(15) + struct.pack("<IHH", 2, 0xc001, 0))
    yield write(5, struct.pack("<QQII16sIBBBxHBBBBBx", 0, 0, 0, 0, b"\xfe\x80" + bytes(13) + b"\1",
                               0, 0, 1, 0, 1, 0, 0, 0, 1, 1), 4, out(DRIVER + 1, 16))
    yield write(8, struct.pack("<I", 3)) + write(14, struct.pack("<QIBBBB", 0, 0, 2, 0, 0, 0), 8)
    yield write(16, struct.pack("<I", 3)) + by_handle(27, 2, 4) + by_handle(20, 1, 8)


def xrc():
    """A target in a shared domain, opened by a second file, and the queue of the domain."""
    domain = write(37, struct.pack("<QiI", 0, FD_FILE, 0o100), 4)
    yield create_cq(15) + domain + create_qp(XRC_TGT, 2, 0)
    yield write(39, struct.pack("<QQ8I", 0, 0, 1, 0, 15, 1, 0, 0, 2, 1), 16, driver_srq(),
                out(DRIVER + 1, 8))
    yield write(33, struct.pack("<4I", 4, 2, 0, 2)) + by_handle(34, 4, 16)
    yield bytes([10, 2]) + b"".join(bytes([0, 2]) + step[2:] for step in (
        CONTEXT, domain, write(40, struct.pack("<QQIIB7x", 0, 0, 0, 0x100000, XRC_TGT), 32)))
    yield modify_qp(3, TO_INIT, 1) + by_handle(27, 3, 4) + by_handle(35, 4, 4)
    yield create_qp(XRC_INI, 0, 1)


def dc():
    """A target, which is there from RTR on, and an initiator."""
    yield create_cq(15) + create_srq(0, 15, 1) + create_qp(DC, 0, 1, 2, flags=FLAG_DCT)
    yield by_handle(25, 3, 128) + modify_qp(3, TO_INIT, 1, access=0xe)
    yield modify_qp(3, 0x8181, 2, extended=True) + by_handle(25, 3, 128)
    yield create_qp(DC, 0, 1, flags=FLAG_DCI) + modify_qp(4, 0x31, 1)
    yield modify_qp(4, 0x101, 2) + modify_qp(4, TO_RTS, 3) + by_handle(25, 4, 128)
    yield by_handle(27, 3, 4) + by_handle(27, 4, 4)


def foreign_pages():
    """A queue of a second file rings in a page of the first, which is closed before it."""
    yield request(OBJ_UAR, DRIVER, handle(DRIVER), u32(DRIVER + 1, 0), out(DRIVER + 2, 8),
                  out(DRIVER + 3, 4), out(DRIVER + 4, 4))
    yield bytes([10, 2])
    for step in (PLAIN_CONTEXT, PD, *(create_cq(15, flags=UAR_PAGE_INDEX, uar=uar)
                                      for uar in range(12))):
        yield bytes([0, 2]) + step[2:]


def programs():
    """Name and steps. Handles count from 0: the PD is the first object."""
    begin = CONTEXT + PD
    yield "dmabuf", begin + reg_dmabuf(0x1000, 0x2000, 1) + rereg_mr(1, 2, 0, 0, 0) + \
        rereg_mr(1, 4, 0, 0, 1 << 20)
    yield "dmabuf_rereg", begin + reg_dmabuf(0x1000, 0x2000, 1) + \
        rereg_mr(1, 1, ARENA + 0x5000, 0x2000, 0) + RUN + reg_dmabuf(0, 0x3000, 0) + \
        rereg_mr(2, 5, ARENA, 0x4000, ON_DEMAND) + FAIL + rereg_mr(1, 1, ARENA, 1 << 20, 0)
    yield "odp_sizes", begin + b"".join(
        reg_mr(ARENA, size, ON_DEMAND | LOCAL_WRITE)
        for size in (0, 1, 1 << 20, 1 << 32, 1 << 40, 1 << 51, 1 << 52, 1 << 63))
    yield "odp_implicit", begin + reg_mr(0, 2 ** 64 - 1, ON_DEMAND) + rereg_mr(
        1, 1, ARENA, 4096, 0) + rereg_mr(1, 5, 0, 2 ** 64 - 1, ON_DEMAND)
    yield "mr_pages", begin + reg_mr(ARENA, 1 << 22, 1, ARENA ^ 4096) + reg_mr(
        ARENA + 8, 1 << 20, 1, 8) + reg_mr(ARENA, 4096, 1, 4095) + rereg_mr(
            1, 1, ARENA, 4096, 0) + rereg_mr(1, 4, 0, 0, 1)
    yield "fails", FAIL + CONTEXT + CONTEXT + FAIL + PD + PD + FAIL + reg_mr(ARENA, 4096, 1)
    yield "device_memory", begin + request(
        OBJ_DM, 0, handle(0), u64(1, 100), u32(2, 7), out(DRIVER, 8), out(DRIVER + 1, 2)) + \
        request(OBJ_DM, DRIVER, handle(DRIVER, 1), u64(DRIVER + 1, 1), out(DRIVER + 2, 8),
                out(DRIVER + 3, 2)) + mmap(8, 1) + mmap(8, 2) + mmap(8, 2, 2) + \
        request(OBJ_MR, 0, handle(0), u64(1, 8), u64(2, 64), handle(3), u32(4, 0x21),
                handle(5, 1), out(6, 4), out(7, 4)) + \
        request(OBJ_DM, DRIVER + 1, handle(DRIVER, 1), out(DRIVER + 1, 8), out(DRIVER + 2, 2),
                out(DRIVER + 3, 8)) + request(OBJ_DM, 1, handle(0, 1)) + bytes([9, 7, 9, 6])
    yield "doorbells", begin + request(
        OBJ_VAR, DRIVER, handle(DRIVER), out(DRIVER + 1, 8), out(DRIVER + 2, 4),
        out(DRIVER + 3, 4)) + request(OBJ_UAR, DRIVER, handle(DRIVER), u32(DRIVER + 1, 0),
                                      out(DRIVER + 2, 8), out(DRIVER + 3, 4),
                                      out(DRIVER + 4, 4)) + \
        mmap(10, 1) + mmap(9, 2) + mmap(5, 0, 1, 1) + mmap(7, 1, 1, 1) + mmap(5, 0) + mmap(0, 0)
    yield "rates", begin + request(
        OBJ_PP, DRIVER, handle(DRIVER), inp(DRIVER + 1, struct.pack(">I", 1000) + bytes(8)),
        u32(DRIVER + 2, 0), out(DRIVER + 3, 2)) * 2 + request(
            OBJ_PP, DRIVER, handle(DRIVER), inp(DRIVER + 1, struct.pack(">I", 1000) + bytes(44)),
            u32(DRIVER + 2, 1), out(DRIVER + 3, 2)) + request(OBJ_PP, DRIVER + 1, handle(DRIVER, 1))
    yield "domains", begin + b"".join(
        write(37, struct.pack("<QiI", 0, fd, flags), 4)
        for fd, flags in ((-1, 0o100), (FD_FILE, 0), (FD_FILE, 0o100), (FD_FILE, 0o300),
                          (FD_FILE, 0), (9, 0o100))) + bytes([10, 2]) + bytes([0, 2]) + \
        CONTEXT[2:] + write(38, struct.pack("<I", 2))
    yield "two_files", begin + bytes([10, 1]) + bytes([0, 1]) + CONTEXT[2:] + bytes([10, 0]) + \
        begin + bytes([10, 2])
    for name, steps in (("write_abi", write_abi), ("datagrams", datagrams), ("xrc", xrc),
                        ("dc_by_hand", dc)):
        yield name, begin + b"".join(steps())
    yield "foreign_pages", PLAIN_CONTEXT + PD + b"".join(foreign_pages())
    yield "events", begin + write(17, bytes(8), 4) * 2 + bytes([12, 0, 64, 11, 0, 2, 11, 0, 0]) + \
        request(DRIVER + 5, DRIVER, handle(DRIVER), u32(DRIVER + 1, 1)) + \
        request(DRIVER + 4, DRIVER, handle(DRIVER)) + request(
            DRIVER, DRIVER + 3, handle(DRIVER, 103), inp(DRIVER + 2, struct.pack("<H", 9)),
            u32(DRIVER + 3, FD_EVENT)) + request(
                DRIVER, DRIVER + 3, handle(DRIVER, 103), inp(DRIVER + 2, struct.pack("<H", 9)),
                u64(DRIVER + 4, 77)) + bytes([12, 3, 64, 12, 4, 8, 11, 3, 3])
    yield "rejected", b"".join(request(0, 3, out(0, 4), twist=twist) for twist in range(0xf0, 0xf4)) + \
        request(0, 3, out(0, 4), twist=0xf4) + b"\2" + request(0, 3, twist=0xf5) + CONTEXT + \
        request(0, 2, attr(0, U32 | 0x40, struct.pack("<HI", 1, 1)), out(1, 8)) + \
        request(0, 2, u32(0, 1), attr(1, 5, struct.pack("<HB", 64, 3))) + \
        request(0, 2, u32(0, 1), u32(0, 1)) + request(0, 2, u32(0, 1), u32(31, 1)) + \
        request(0, 5, u64(0, 24), u32(1, 0), out(2, 240), out(3, 8)) + \
        request(0, 5, u64(0, 96), u32(1, 0), out(2, 4000), out(3, 8)) + \
        request(0, 6, u32(0, 1), u32(1, 0), u32(2, 0), out(3, 32)) + request(99, 99)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    kinds = {"rejected": (0, KIND_ETH), "datagrams": (KIND_STATIC_UAR, KIND_STATIC_UAR | KIND_ETH),
             "write_abi": (KIND_STATIC_UAR,), "xrc": (KIND_STATIC_UAR,),
             "dc_by_hand": (KIND_STATIC_UAR,)}
    for name, steps in programs():
        for kind in kinds.get(name, (0,)):
            (folder / f"seed-{name}{'-eth' if kind & KIND_ETH else ''}").write_bytes(bytes([kind]) + steps)
    for name in sys.argv[2:]:
        path = pathlib.Path(name)
        data = convert(path)
        if len(data) > 1:
            (folder / ("seed-" + path.stem)).write_bytes(data)


if __name__ == "__main__":
    sys.exit(main())
