# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""Seeds of fuzz_uverbs: requests of programs to device files, as fuzz_uverbs.c reads them."""

import struct

import cmd_seeds

ARENA = 0x200000000000
FD_EVENT, FD_FILE, FD_FIRST = 90, 92, 100
KIND_ETH, KIND_STATIC_UAR = 1, 2

DRIVER = 0x1000
CORE_IN, CORE_OUT, WRITE_CMD = 0, 1, 2
HANDLE, U32, U64, IN, OUT = range(5)


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


def fd(ident, value):
    """A descriptor, of an attribute that an older kernel may leave out."""
    return attr(ident, HANDLE | 0x80, bytes([value]))


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
    dest = b"\xfe\x80" + bytes(13) + b"\1" + struct.pack("<IHH8B", 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1)
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


# ---- methods of today's libibverbs; handles count from 0, and the PD is the first object ----

OBJ_DEVX, OBJ_DEVX_OBJ, OBJ_UMEM, OBJ_ASYNC, OBJ_EVENTS = (DRIVER + i for i in (0, 1, 2, 4, 5))
CHANNEL, EVENTS = write(17, bytes(8), 4), request(16, 0, handle(0))


def ioctl_cq(nb, channel=None, flags=0, ring=ARENA, answer=8):
    room = [] if channel is None else [handle(3, channel)]
    return request(3, 0, handle(0), out(6, 4), u32(1, nb), u64(2, 1), *room, u32(4, 0), fd(7, FD_FIRST),
                   u32(5, flags), inp(DRIVER, struct.pack("<QQIBBHHHI", ring, ARENA + 0x10000, 64, 0, 0, 0,
                                                          0, 0, 0)), out(DRIVER + 1, answer))


def ioctl_srq(kind, nb, *more):
    return request(5, 0, handle(0), u64(9, kind), u64(4, 1), handle(1, 0), u32(5, nb), u32(6, 1), u32(7, 0),
                   fd(10, FD_FIRST), out(11, 4), out(12, 4), *more, driver_srq(), out(DRIVER + 1, 8))


def ioctl_qp(kind, cq, *more, sizes=(8, 8, 1, 1, 60), nb_recv=8, flags=2, answer=40):
    """Of the PD and a CQ for both queues."""
    return request(4, 0, handle(2, 0), handle(4, cq), handle(5, cq), handle(0), u64(9, kind), u64(7, 1),
                   inp(8, struct.pack("<5I", *sizes)), fd(12, FD_FIRST), *more, out(13, 20), out(14, 4), inp(
        DRIVER, struct.pack("<QQ6IQQ", ARENA + 0x30000, ARENA + 0x10080, 8, nb_recv, 4, flags, 0, 0,
                            ARENA + 0x50000, 0)), out(DRIVER + 1, answer))


def gone(obj, which, answer=None):
    room = [] if answer is None else [out(1, answer)]
    return request(obj, 1, *room, handle(0, which))


def queues():
    """One of each type: handles 0 PD, 1 CQ, 2 SRQ, 3 and on queue pairs."""
    yield EVENTS + CHANNEL + ioctl_cq(63, FD_FIRST + 1) + ioctl_srq(0, 63)
    for kind, more in ((RC, ()), (UC, ()), (UD, (u32(10, 0x1000),)), (8, ()), (RC, (handle(3, 2),))):
        yield ioctl_qp(kind, 1, *more)
    for qp, rtr, rts in ((3, TO_RTR, TO_RTS), (4, 0x101181, 0x10001), (5, 1, 0x10001), (6, TO_RTR, TO_RTS)):
        yield modify_qp(qp, 0x71 if qp == 5 else TO_INIT, 1, qkey=5, access=0xf)
        yield modify_qp(qp, rtr, 2, extended=qp == 6) + modify_qp(qp, rts, 3) + by_handle(25, qp, 128)
    yield RUN + bytes([12, 0, 64, 12, 1, 8])
    yield b"".join(gone(4, qp, 4) for qp in (3, 4, 5, 6)) + gone(5, 2, 4) + gone(3, 1, 8)


def dc_and_xrc():
    """DC targets and initiators; an XRC domain and both ends; CQs of other kinds."""
    yield EVENTS + CHANNEL + ioctl_cq(15, FD_FIRST + 1, 1) + ioctl_cq(0x7fffff) + ioctl_srq(0, 15)
    yield request(4, 0, handle(2, 0), handle(4, 1), handle(5, 1), handle(0), u64(9, DC), u64(7, 1), inp(
        8, bytes(20)), fd(12, FD_FIRST), handle(3, 2), out(13, 20), out(14, 4), inp(
            DRIVER, struct.pack("<28xI8xQ8x", 0x12, 0x1234567890abcdef)), out(DRIVER + 1, 40))
    yield ioctl_qp(DC, 1, u32(10, 0x1000), handle(3, 2), sizes=(100, 0, 1, 0, 44), nb_recv=0, flags=0x820)
    yield modify_qp(3, TO_INIT, 1) + modify_qp(3, 0x8181, 2, extended=True) + modify_qp(4, 0x31, 1)
    yield modify_qp(4, 0x101, 2) + modify_qp(4, TO_RTS, 3) + by_handle(25, 4, 128)
    yield write(37, struct.pack("<QiI", 0, FD_FILE, 0o100), 4)
    yield ioctl_srq(1, 15, handle(2, 5), handle(3, 1), out(13, 4))
    yield request(4, 0, handle(1, 5), handle(0), u64(9, XRC_TGT), u64(7, 1), inp(8, bytes(20)), fd(
        12, FD_FIRST), out(13, 20), out(14, 4), inp(
            DRIVER, struct.pack("<QQ6IQQ", 0, ARENA + 0x10080, 0, 0, 0, 2, 0, 0, 0, 0)), out(
                DRIVER + 1, 40))
    yield ioctl_qp(XRC_INI, 1, nb_recv=0) + b"".join(modify_qp(7, mask, state) for mask, state in (
        (TO_INIT, 1), (TO_RTR, 2), (TO_RTS, 3), (1, 6), (1, 0)))


def queries():
    """Of devices, ports, GIDs and contexts; what has no room for its answer."""
    yield write(1, b"", 176) + write(0x80000001, bytes(8), 304, out(DRIVER + 1, 104)) + write(
        0x80000001, bytes(8), 16)
    for port in (1, 2, 10):
        yield request(0, 2, u64(0, port), out(1, 48)) + request(0, DRIVER, u32(DRIVER, port), out(
            DRIVER + 1, 40))
    for size, flags, room in ((32, 0, 320), (24, 0, 240), (32, 1, 64), (40, 0, 400), (32, 0, 8)):
        yield request(0, 5, u64(0, size), u32(1, flags), out(2, room), out(3, 8))
    for index in range(4):
        yield request(0, 6, u32(0, 1), u32(1, index), u32(2, 0), out(3, 32)) + request(
            0, 6, u64(0, 1), u64(1, index), u32(2, 0), out(3, 32))
    yield request(0, 4, out(0, 4), out(1, 8), out(DRIVER, 72)) + request(0, 2, u64(0, 1), inp(1, bytes(48)))
    yield write(2, struct.pack("<QB7x", 0, 1), 40) + request(0, 1, out(1, 64)) + request(0, 5, u64(0, 32))


def memory_calls():
    """Regions and windows of both types, prefetches, device memory."""
    yield request(OBJ_DM, 0, handle(0), u64(1, 256), u32(2, 0), attr(
        DRIVER + 2, U64 | 0x80, bytes(8)), out(DRIVER, 8), out(
        DRIVER + 1, 2))
    for operation in (0, 1, 2, 3, 9):
        yield request(OBJ_DM, DRIVER, handle(DRIVER, 1), inp(DRIVER + 1, bytes([operation])), out(
            DRIVER + 2, 8), out(DRIVER + 3, 2))
    yield reg_mr(ARENA, 0x4000, 0x1f) + reg_mr(ARENA + 0x8000, 0x4000, ON_DEMAND | 7) + reg_mr(
        0, 2 ** 64 - 1, ON_DEMAND | 7)
    for advice in range(4):
        yield request(OBJ_MR, 2, handle(0), u64(1, advice), u32(2, advice & 1), inp(3, struct.pack(
            "<QIIQII", ARENA + 0x8000, 0x400, 0x100101, ARENA + 0x9000, 64, 0x100101)))
    yield RUN + write(14, struct.pack("<QIB3x", 0, 0, 1), 8) + write(14, struct.pack("<QIB3x", 0, 0, 2), 8)
    yield request(8, 0, handle(0, 7)) + request(8, 0, handle(0, 1)) + request(8, 0, handle(0, 8))
    yield request(OBJ_MR, 3, handle(0, 4), out(1, 4), out(2, 4), out(3, 8), out(4, 8))
    yield b"".join(request(OBJ_MR, 1, handle(0, which)) for which in (4, 5, 6, 6))
    yield request(1, 0, handle(0, 0))


def devx(text, make=False, change=None, room=16):
    """A command of any kind, one that makes an object, or one about an object."""
    box = cmd_seeds.mailbox(text)
    if make:
        return request(OBJ_DEVX_OBJ, DRIVER, handle(DRIVER), inp(DRIVER + 1, box), out(DRIVER + 2, room))
    if change is not None:
        asks = "QUERY" in text.split()[0]
        return request(OBJ_DEVX_OBJ, DRIVER + (3 if asks else 2), handle(DRIVER, change), inp(
            DRIVER + 1, box), out(DRIVER + 2, 272 if asks else room))
    return request(OBJ_DEVX, DRIVER, inp(DRIVER, box), out(DRIVER + 1, 4112))


def umem(at, size, access=1):
    return request(OBJ_UMEM, DRIVER, u64(DRIVER + 1, ARENA + at), u64(DRIVER + 2, size), u32(
        DRIVER + 3, access), attr(DRIVER + 5, U64 | 0x80, struct.pack("<Q", 2 ** 64 - 4096)), out(
            DRIVER + 4, 4), handle(DRIVER))


def ended(obj, which):
    return request(obj, DRIVER + 1, handle(DRIVER, which))


def devx_objects():
    """Queues in memory that is registered; 0 PD, 1 page of doorbells, 2 memory, 3 CQ, 4 QP, then others."""
    yield request(OBJ_UAR, DRIVER, handle(DRIVER), u32(DRIVER + 1, 1), out(DRIVER + 2, 8), out(
        DRIVER + 3, 4), out(DRIVER + 4, 4)) + request(OBJ_DEVX, DRIVER + 2, u32(DRIVER, 0), out(DRIVER + 1, 4))
    yield request(OBJ_DEVX, DRIVER + 1, u32(DRIVER, 0), out(DRIVER + 1, 4)) + umem(0, 0x4000)
    yield devx("CREATE_CQ 110 4=2000000 5=1 7=6000006 9=2 19=2040 21=1000 22=1 23=80000000", True)
    yield devx("CREATE_QP 110 6=1800 7=2 8=3000 9=6 37=10 45=10 47=2000 49=3000000 58=10000000 63=1 66=1 "
               "67=80000000", True)
    path = "8=60000000 11=100000 12=10000 13=1 14=40000000"
    for name in ("RST2INIT_QP 110", "INIT2INIT_QP 1d0", "INIT2RTR_QP 110", "RTR2RTS_QP 110", "QUERY_QP 10",
                 "RTS2RTS_QP 1d0", "2ERR_QP 110", "2RST_QP 110"):
        yield devx(f"{name} 2=100000" + ("" if "QUERY" in name else " " + path), change=4)
    yield devx("QUERY_CQ 10 2=10", change=3)
    yield b"".join(devx(text, True, room=32) for text in (
        "CREATE_MKEY 110 4=40008600 5=ffffff00 7=40000002 12=4 17=4", "CREATE_PSV 10 2=10000002",
        "CREATE_GENERAL_OBJECT 90 1=26 6=3000000", "CREATE_GENERAL_OBJECT 90 1=26 5=2 6=3000000 14=1 18=a",
        "CREATE_GENERAL_OBJECT 110 1=1f 20=781cddb2 21=9bdf3c66", "CREATE_RMP 120 8=100000 22=2 28=5050c",
        "ALLOC_PD 10", "ALLOC_XRCD 10", "CREATE_DCT 50 6=10 7=40000 8=c00 9=10 10=2 13=badc0de 14=3010000 15=1",
        "CREATE_TIR 110", "ALLOC_UAR 10",
        "CREATE_GENERAL_OBJECT 50 1=3a 7=48", "CREATE_UMEM 38 9=510 11=1", "CREATE_EQ 110"))
    yield devx("MODIFY_GENERAL_OBJECT 90 1=26 2=1 6=3000000 17=1 18=4", change=7) + devx(
        "QUERY_GENERAL_OBJECT 10 1=26 2=1", change=7) + devx("QUERY_MKEY 10 2=1000", change=5)
    yield b"".join(ended(OBJ_DEVX_OBJ, which) for which in (7, 4, 8, 3, 3, 5, 6)) + ended(OBJ_UMEM, 2) + request(
        1, 0, handle(0, 0)) + ended(OBJ_UAR, 1)


def devx_events():
    """Completions, errors and answers that come later, told to files and eventfds."""
    yield request(OBJ_UAR, DRIVER, handle(DRIVER), u32(DRIVER + 1, 1), out(DRIVER + 2, 8), out(
        DRIVER + 3, 4), out(DRIVER + 4, 4)) + umem(0, 0x4000) + devx(
        "CREATE_CQ 110 4=2000000 5=1 7=6000006 9=2 19=2040 21=1000 22=1 23=80000000", True)
    yield request(OBJ_EVENTS, DRIVER, handle(DRIVER), u32(DRIVER + 1, 0)) + request(
        OBJ_EVENTS, DRIVER, handle(DRIVER), u32(DRIVER + 1, 1)) + request(OBJ_ASYNC, DRIVER, handle(DRIVER))
    for which in (0, 1):
        yield request(OBJ_DEVX, DRIVER + 3, handle(DRIVER, FD_FIRST + which), handle(DRIVER + 1, 3), inp(
            DRIVER + 2, bytes(2)), u64(DRIVER + 4, 7))
    yield request(OBJ_DEVX, DRIVER + 3, handle(DRIVER, FD_FIRST), handle(DRIVER + 1, 3), inp(
        DRIVER + 2, bytes(2)), u32(DRIVER + 3, FD_EVENT))
    for code in (9, 0x13):
        yield request(OBJ_DEVX, DRIVER + 3, handle(DRIVER, FD_FIRST + 1), inp(DRIVER + 2, struct.pack(
            "<H", code)), u64(DRIVER + 4, code))
    yield request(OBJ_DEVX_OBJ, DRIVER + 4, handle(DRIVER, 3), inp(DRIVER + 1, cmd_seeds.mailbox(
        "QUERY_CQ 10 2=10")), handle(DRIVER + 2, FD_FIRST + 2), u64(DRIVER + 3, 77), attr(
            DRIVER + 4, OUT, struct.pack("<H", 272)))
    yield RUN + bytes([12, 0, 64, 12, 1, 8, 12, 2, 64]) + ended(OBJ_DEVX_OBJ, 3) + bytes([12, 1, 64, 11, 0, 0])


def devx_commands():
    """What a program may ask of the device beside its objects, and what it may not."""
    yield b"".join(devx(text) for text in (
        "QUERY_HCA_CAP 10 1=1", "QUERY_HCA_CAP 10 1=19", "QUERY_HCA_CAP 10 1=35", "QUERY_HCA_VPORT_CONTEXT 10",
        "QUERY_LAG 10", "CREATE_QP 110", "QUERY_NIC_VPORT_CONTEXT 10", "QUERY_CQ 10 2=10", "NOP 10",
        "QUERY_SPECIAL_CONTEXTS 10", "ACCESS_REG 50 1=1 2=5008", "QUERY_ROCE_ADDRESS 10", "CREATE_UCTX 10"))
    yield request(OBJ_DEVX, DRIVER, inp(DRIVER, cmd_seeds.mailbox("QUERY_HCA_CAP 10 1=1")), out(DRIVER + 1, 8))
    yield request(OBJ_DEVX, DRIVER, inp(DRIVER, b"\1"), out(DRIVER + 1, 64))


def programs():
    """Name and steps. Handles count from 0: the PD is the first object."""
    begin = CONTEXT + PD
    yield "dmabuf", begin + reg_dmabuf(0x1000, 0x2000, 1) + rereg_mr(1, 2, 0, 0, 0) + \
        rereg_mr(1, 4, 0, 0, 1 << 20)
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
    for name, steps in (("write_abi", write_abi), ("datagrams", datagrams), ("xrc", xrc), ("dc", dc),
                        ("queues", queues), ("dc_and_xrc", dc_and_xrc), ("queries", queries),
                        ("memory", memory_calls), ("devx_objects", devx_objects),
                        ("devx_events", devx_events), ("devx_commands", devx_commands)):
        yield name, begin + b"".join(steps())
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


def inputs():
    """Name and bytes of each."""
    kinds = {"rejected": (0, KIND_ETH), "datagrams": (KIND_STATIC_UAR, KIND_STATIC_UAR | KIND_ETH),
             "write_abi": (KIND_STATIC_UAR,), "xrc": (KIND_STATIC_UAR,), "dc": (KIND_STATIC_UAR,),
             "queues": (KIND_STATIC_UAR, KIND_STATIC_UAR | KIND_ETH), "queries": (0, KIND_ETH),
             "dc_and_xrc": (KIND_STATIC_UAR, KIND_STATIC_UAR | KIND_ETH)}
    for name, steps in programs():
        for kind in kinds.get(name, (0,)):
            yield name + ("-eth" if kind & KIND_ETH else ""), bytes([kind]) + steps
