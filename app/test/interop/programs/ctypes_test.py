# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""The data path from a language that cannot inline C: Python's ctypes, on what librte_umr exports.

Usage: ctypes_test.py LIBRTE_UMR DRIVER ABI
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import ctypes
import errno
import os
import sys
import time
import xml.etree.ElementTree as ET
from ctypes import (POINTER, Structure, byref, c_bool, c_char, c_char_p, c_int, c_int16, c_size_t,
                    c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)

from case_runner import LCORE, expect, report_cases, verdict_of
from patience import WAIT_S

LEN = 4096
SUCCESS, FLUSHED, LOCAL_PROT = 0, 1, 4
OP_LIST, OP_WRITE = 0, 3
LOCAL_WRITE, REMOTE_WRITE = 1, 4
SUBMIT = 1


class Seg(Structure):
    """struct rte_umr_seg"""
    _fields_ = [("addr", c_uint64), ("length", c_uint32), ("lkey", c_uint32)]


class DevConf(Structure):
    """struct rte_umr_dev_conf"""
    _fields_ = [("nb_queues", c_uint16), ("reserved", c_uint16 * 15)]


class QueueConf(Structure):
    """struct rte_umr_queue_conf"""
    _fields_ = [("transport", c_uint32), ("nb_desc", c_uint16), ("nb_recv_desc", c_uint16),
                ("max_recv_segs", c_uint16), ("socket_id", c_int16), ("nb_list_entries", c_uint32),
                ("max_inline", c_uint16), ("flags", c_uint16), ("reserved0", c_uint16 * 2),
                ("pd", c_void_p), ("dc_key", c_uint64), ("nb_sig_mkeys", c_uint32),
                ("reserved", c_uint32 * 7)]


class MrConf(Structure):
    """struct rte_umr_mr_conf"""
    _fields_ = [("addr", c_void_p), ("len", c_size_t), ("access", c_uint32), ("flags", c_uint32),
                ("pd", c_void_p), ("iova", c_uint64), ("dmabuf_offset", c_uint64),
                ("dmabuf_fd", ctypes.c_int32), ("reserved", c_uint32), ("reserved2", c_uint64 * 2)]


class Mr(Structure):
    """struct rte_umr_mr, as far as it is needed"""
    _fields_ = [("addr", c_void_p), ("len", c_size_t), ("lkey", c_uint32), ("rkey", c_uint32)]


class PoolConf(Structure):
    """struct rte_umr_mkey_pool_conf"""
    _fields_ = [("nb_mkeys", c_uint32), ("max_entries", c_uint32), ("cache_size", c_uint32),
                ("socket_id", c_int16), ("log_entry_size", c_uint8), ("reserved", c_uint8),
                ("flags", c_uint32), ("reserved2", c_uint32), ("pd", c_void_p),
                ("reserved3", c_uint64 * 2)]


class Mkey(Structure):
    """struct rte_umr_mkey, as far as it is needed"""
    _fields_ = [("key", c_uint32), ("max_entries", c_uint32)]


class Completion(Structure):
    """struct rte_umr_completion"""
    _fields_ = [("idx", c_uint16), ("op", c_uint8), ("status", c_uint8), ("syndrome", c_uint8),
                ("vendor_syndrome", c_uint8), ("flags", c_uint16), ("length", c_uint32),
                ("imm", c_uint32)]


STRUCTS = {"rte_umr_seg": Seg, "rte_umr_dev_conf": DevConf, "rte_umr_queue_conf": QueueConf,
           "rte_umr_mr_conf": MrConf, "rte_umr_mkey_pool_conf": PoolConf,
           "rte_umr_completion": Completion}

# Result and parameters of each function. Those of the data path are inline for C.
FUNCTIONS = {
    "rte_umr_dev_scan": (c_uint16, c_void_p, c_uint16),
    "rte_umr_dev_probe": (c_int, c_char_p, POINTER(c_int16)),
    "rte_umr_dev_info_get_size": (c_int, c_int16, c_void_p, c_size_t),
    "rte_umr_dev_configure": (c_int, c_int16, POINTER(DevConf)),
    "rte_umr_queue_setup": (c_int, c_int16, c_uint16, POINTER(QueueConf)),
    "rte_umr_dev_start": (c_int, c_int16),
    "rte_umr_dev_stop": (c_int, c_int16),
    "rte_umr_dev_close": (c_int, c_int16),
    "rte_umr_queue_recover": (c_int, c_int16, c_uint16),
    "rte_umr_mr_register": (POINTER(Mr), c_int16, POINTER(MrConf)),
    "rte_umr_mr_deregister": (c_int, POINTER(Mr)),
    "rte_umr_mkey_pool_create": (c_void_p, c_int16, POINTER(PoolConf)),
    "rte_umr_mkey_pool_destroy": (c_int, c_void_p),
    "rte_umr_status_name": (c_char_p, c_int),
    "rte_umr_mkey_get": (POINTER(Mkey), c_void_p),
    "rte_umr_mkey_put": (c_int, c_void_p, POINTER(Mkey)),
    "rte_umr_mkey_list": (c_int, c_int16, c_uint16, POINTER(Mkey), c_uint32, POINTER(Seg), c_uint32,
                          c_uint64),
    "rte_umr_mkey_invalidate": (c_int, c_int16, c_uint16, POINTER(Mkey), c_uint64),
    "rte_umr_write": (c_int, c_int16, c_uint16, POINTER(Seg), c_uint64, c_uint32, c_uint64),
    "rte_umr_submit": (c_int, c_int16, c_uint16),
    "rte_umr_completed": (c_uint16, c_int16, c_uint16, c_uint16, POINTER(c_uint16),
                          POINTER(c_bool)),
    "rte_umr_completed_status": (c_uint16, c_int16, c_uint16, c_uint16, POINTER(Completion)),
    "rte_umr_desc_avail": (c_uint16, c_int16, c_uint16),
}


class Device:
    """The first device, started, with one loopback queue, memory and keys."""

    def __init__(self, lib):
        self.lib = lib
        self.id = c_int16(-1)
        names = (c_char * 64)()
        expect(lib.rte_umr_dev_scan(names, 1) >= 1, "no device")
        self.good(lib.rte_umr_dev_probe(names.value, byref(self.id)))
        self.good(lib.rte_umr_dev_configure(self.id, DevConf(nb_queues=1)))
        self.good(lib.rte_umr_queue_setup(self.id, 0, QueueConf(nb_desc=64, socket_id=-1)))
        self.good(lib.rte_umr_dev_start(self.id))
        self.memory = (c_uint8 * (2 * LEN)).from_buffer(bytearray(i * 7 & 0xff
                                                                  for i in range(2 * LEN)))
        self.addr = ctypes.addressof(self.memory)
        self.mr = lib.rte_umr_mr_register(self.id, MrConf(
            addr=self.addr, len=2 * LEN, access=LOCAL_WRITE | REMOTE_WRITE))
        self.pool = lib.rte_umr_mkey_pool_create(self.id, PoolConf(nb_mkeys=2, max_entries=8))
        expect(self.mr and self.pool, "no region, or no keys")
        self.mkey = lib.rte_umr_mkey_get(self.pool)
        expect(self.mkey, "no key")

    @staticmethod
    def good(ret):
        """Nothing negative is good."""
        expect(ret >= 0, os.strerror(-ret))
        return ret

    def list_key(self, offsets, length):
        """Lay pieces under the key."""
        lkey = self.mr.contents.lkey
        segs = (Seg * len(offsets))(*[Seg(self.addr + offset, length, lkey) for offset in offsets])
        return self.lib.rte_umr_mkey_list(self.id, 0, self.mkey, LOCAL_WRITE, segs, len(offsets), 0)

    def write(self, length, flags=SUBMIT):
        """Write through the key to the second half of the memory."""
        local = Seg(0, length, self.mkey.contents.key)
        return self.lib.rte_umr_write(self.id, 0, byref(local), self.addr + LEN,
                                      self.mr.contents.rkey, flags)

    def collect(self, nb):
        """[(index, operation, status)] of nb operations."""
        done, found, deadline = Completion(), [], time.monotonic() + WAIT_S
        while len(found) < nb:
            if self.lib.rte_umr_completed_status(self.id, 0, 1, byref(done)):
                found.append((done.idx, done.op, done.status))
            expect(time.monotonic() < deadline, f"{found} of {nb}")
        return found

    def close(self):
        """Give everything back."""
        self.good(self.lib.rte_umr_dev_stop(self.id))
        self.good(self.lib.rte_umr_mkey_put(self.pool, self.mkey))
        self.good(self.lib.rte_umr_mkey_pool_destroy(self.pool))
        self.good(self.lib.rte_umr_mr_deregister(self.mr))
        self.good(self.lib.rte_umr_dev_close(self.id))


def structs_have_the_sizes_of_the_abi(_, abi):
    """What is written down here in Python is what C has."""
    bits = {one.get("name"): one.get("size-in-bits") for one in ET.parse(abi).iter("class-decl")}
    for name, struct in STRUCTS.items():
        expect(8 * ctypes.sizeof(struct) == int(bits[name]), f"{name}: {ctypes.sizeof(struct)}")


def info_tells_as_much_as_there_is_room_for(lib, _):
    """The function behind rte_umr_dev_info_get(), which is inline for C."""
    device = Device(lib)
    text = ctypes.create_string_buffer(1024)
    device.good(lib.rte_umr_dev_info_get_size(device.id, text, 64))
    expect(text.value and not any(text.raw[64:]), text.raw)
    expect(lib.rte_umr_dev_info_get_size(device.id, text, 0) == -errno.EINVAL, "size 0")
    device.close()


def pieces_are_gathered_by_one_write(lib, _):
    """List, write, poll, compare; then the same key again."""
    device = Device(lib)
    avail = lib.rte_umr_desc_avail(device.id, 0)
    for turn, offsets in enumerate(([300, 17, 2000], [5, 1000, 64])):
        first = device.good(device.list_key(offsets, 100))
        expect(device.good(device.write(300)) == first + 1, first)
        expect(lib.rte_umr_desc_avail(device.id, 0) < avail, "nothing is taken")
        expect(device.collect(2) == [(2 * turn, OP_LIST, SUCCESS),
                                     (2 * turn + 1, OP_WRITE, SUCCESS)], turn)
        for i, offset in enumerate(offsets):
            expect(device.memory[LEN + i * 100:LEN + i * 100 + 100] ==
                   device.memory[offset:offset + 100], f"piece {i}")
    expect(lib.rte_umr_desc_avail(device.id, 0) == avail, "not all is given back")
    device.close()


def successes_are_counted(lib, _):
    """rte_umr_submit() and rte_umr_completed(), with results by pointers."""
    device = Device(lib)
    device.good(device.list_key([0], 64))
    device.good(device.write(64, 0))
    device.good(lib.rte_umr_submit(device.id, 0))
    last, has_error, nb, deadline = c_uint16(), c_bool(), 0, time.monotonic() + WAIT_S
    while nb < 2:
        nb += lib.rte_umr_completed(device.id, 0, 8, byref(last), byref(has_error))
        expect(time.monotonic() < deadline and not has_error, f"{nb} of 2")
    expect((nb, last.value) == (2, 1), (nb, last.value))
    device.close()


def errors_are_told(lib, _):
    """What is rejected, what fails, and that the queue goes on."""
    device = Device(lib)
    expect(device.list_key([], 100) == -errno.EINVAL, "no pieces")
    expect(device.list_key([0], 0) == -errno.EINVAL, "no bytes")
    device.good(device.list_key([0], 100))
    device.good(device.write(101))
    status = [status for _, _, status in device.collect(2)]
    expect(status == [SUCCESS, LOCAL_PROT], [lib.rte_umr_status_name(s) for s in status])
    expect(device.write(100) == -errno.EIO, "a queue in error takes an operation")
    device.good(lib.rte_umr_queue_recover(device.id, 0))
    device.good(device.list_key([0], 100))
    device.good(device.write(100))
    expect([status for _, _, status in device.collect(2)] == [SUCCESS, SUCCESS], "afterwards")
    device.close()


CASES = [structs_have_the_sizes_of_the_abi, info_tells_as_much_as_there_is_room_for,
         pieces_are_gathered_by_one_write, successes_are_counted, errors_are_told]


def eal_init(eal):
    """rte_eal_init(), in the thread that goes on."""
    args = ["ctypes", "--no-huge", "--no-shconf", *LCORE,
            "--no-pci", "--no-telemetry", "--log-level", "lib.umr:critical"]
    argv = (c_char_p * (len(args) + 1))(*[arg.encode() for arg in args], None)
    if eal.rte_eal_init(len(args), argv) < 0:
        raise SystemExit("rte_eal_init() failed")


def main():
    """Run all cases in one process: EAL can be initialized only once."""
    umr, driver, abi = sys.argv[1:4]
    lib = ctypes.CDLL(umr, mode=ctypes.RTLD_GLOBAL)
    ctypes.CDLL(driver, mode=ctypes.RTLD_GLOBAL)
    for name, (result, *parameters) in FUNCTIONS.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, parameters
    # librte_umr needs librte_eal, so that it is in this process already.
    eal_init(lib if hasattr(lib, "rte_eal_init") else ctypes.CDLL(None))
    return report_cases(CASES, lambda case: verdict_of(case, lib, abi))


if __name__ == "__main__":
    sys.exit(main())
