# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""The data path from a language that cannot inline C: Python's ctypes, by the module rte_umr.

Usage: ctypes_test.py LIBRTE_UMR DRIVER FOLDER-OF-MODULE
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import ctypes
import errno
import os
import sys
import threading
import time
from ctypes import byref, c_bool, c_char, c_int16, c_uint8, c_uint16

from case_runner import expect, report_cases, verdict_of
from patience import WAIT_S

sys.path.insert(0, sys.argv[3])
import rte_umr  # noqa: E402
from rte_umr import (RTE_UMR_ACCESS_LOCAL_WRITE, RTE_UMR_ACCESS_REMOTE_WRITE,  # noqa: E402
                     RTE_UMR_OP_F_SUBMIT, RTE_UMR_OP_MKEY_LIST, RTE_UMR_OP_WRITE,
                     RTE_UMR_STATUS_LOCAL_PROT, RTE_UMR_STATUS_SUCCESS)

LEN = 4096


class Device:
    """The first device, started, with one loopback queue, memory and keys."""

    def __init__(self, lib):
        self.lib = lib
        self.id = c_int16(-1)
        name = (c_char * rte_umr.RTE_UMR_DEV_NAME_LEN)()
        expect(lib.rte_umr_dev_scan(name, 1) >= 1, "no device")
        self.good(lib.rte_umr_dev_probe(name.value, byref(self.id)))
        self.good(lib.rte_umr_dev_configure(self.id, rte_umr.rte_umr_dev_conf(nb_queues=1)))
        self.good(lib.rte_umr_queue_setup(
            self.id, 0, rte_umr.rte_umr_queue_conf(nb_desc=64, socket_id=-1)))
        self.good(lib.rte_umr_dev_start(self.id))
        self.memory = (c_uint8 * (2 * LEN)).from_buffer(bytearray(i * 7 & 0xff
                                                                  for i in range(2 * LEN)))
        self.addr = ctypes.addressof(self.memory)
        self.mr = lib.rte_umr_mr_register(self.id, rte_umr.rte_umr_mr_conf(
            addr=self.addr, len=2 * LEN,
            access=RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE))
        self.pool = lib.rte_umr_mkey_pool_create(
            self.id, rte_umr.rte_umr_mkey_pool_conf(nb_mkeys=2, max_entries=8))
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
        segs = (rte_umr.rte_umr_seg * len(offsets))(*[
            (self.addr + offset, length, lkey) for offset in offsets])
        return self.lib.rte_umr_mkey_list(self.id, 0, self.mkey, RTE_UMR_ACCESS_LOCAL_WRITE, segs,
                                          len(offsets), 0)

    def write(self, length, flags=RTE_UMR_OP_F_SUBMIT):
        """Write through the key to the second half of the memory."""
        local = rte_umr.rte_umr_seg(0, length, self.mkey.contents.key)
        return self.lib.rte_umr_write(self.id, 0, byref(local), self.addr + LEN,
                                      self.mr.contents.rkey, flags)

    def collect(self, nb):
        """[(index, operation, status)] of nb operations."""
        done, found, deadline = rte_umr.rte_umr_completion(), [], time.monotonic() + WAIT_S
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


def threads_run_where_they_did(_, cpus):
    """EAL pins its lcore; the interpreter and the threads that it starts are free."""
    seen = []
    thread = threading.Thread(target=lambda: seen.append(os.sched_getaffinity(0)))
    thread.start()
    thread.join()
    expect(os.sched_getaffinity(0) == cpus and seen == [cpus], (cpus, seen))
    try:
        rte_umr.eal_init("--nosuch")
        expect(False, "EAL starts twice")
    except OSError as error:
        expect(error.errno == errno.EALREADY and "rte_eal_init" in str(error), error)
    expect(os.sched_getaffinity(0) == cpus, "after a failure")


def info_tells_as_much_as_there_is_room_for(lib, _):
    """The function behind rte_umr_dev_info_get(), which is inline for C."""
    device = Device(lib)
    info = rte_umr.rte_umr_dev_info()
    device.good(lib.rte_umr_dev_info_get_size(device.id, info, ctypes.sizeof(info)))
    expect(info.dev_name == b"mlx5_0" and info.driver_name == b"mlx5_umr", info.dev_name)
    expect(info.dev_capa & rte_umr.RTE_UMR_CAPA_MKEY_LIST and info.max_list_inline == 52,
           info.max_list_inline)
    ctypes.memset(byref(info), 0, ctypes.sizeof(info))
    device.good(lib.rte_umr_dev_info_get_size(device.id, info, 64))
    expect(info.dev_name == b"mlx5_0" and not any(bytes(info)[64:]), bytes(info))
    expect(lib.rte_umr_dev_info_get_size(device.id, info, 0) == -errno.EINVAL, "size 0")
    device.close()


def pieces_are_gathered_by_one_write(lib, _):
    """List, write, poll, compare; then the same key again."""
    device = Device(lib)
    avail = lib.rte_umr_desc_avail(device.id, 0)
    for turn, offsets in enumerate(([300, 17, 2000], [5, 1000, 64])):
        first = device.good(device.list_key(offsets, 100))
        expect(device.good(device.write(300)) == first + 1, first)
        expect(lib.rte_umr_desc_avail(device.id, 0) < avail, "nothing is taken")
        expect(device.collect(2) == [
            (2 * turn, RTE_UMR_OP_MKEY_LIST, RTE_UMR_STATUS_SUCCESS),
            (2 * turn + 1, RTE_UMR_OP_WRITE, RTE_UMR_STATUS_SUCCESS)], turn)
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
    expect(status == [RTE_UMR_STATUS_SUCCESS, RTE_UMR_STATUS_LOCAL_PROT], [
        lib.rte_umr_status_name(s) for s in status])
    expect(device.write(100) == -errno.EIO, "a queue in error takes an operation")
    device.good(lib.rte_umr_queue_recover(device.id, 0))
    device.good(device.list_key([0], 100))
    device.good(device.write(100))
    expect([status for _, _, status in device.collect(2)] == 2 * [RTE_UMR_STATUS_SUCCESS],
           "afterwards")
    device.close()


CASES = [threads_run_where_they_did, info_tells_as_much_as_there_is_room_for,
         pieces_are_gathered_by_one_write, successes_are_counted, errors_are_told]


def main():
    """Run all cases in one process: EAL can be initialized only once."""
    cpus = os.sched_getaffinity(0)
    lib = rte_umr.load(*sys.argv[1:3])
    rte_umr.eal_init("--no-huge", "--no-shconf", "-l", str(min(cpus)), "--no-pci",
                     "--no-telemetry", "--log-level", "lib.umr:critical")
    return report_cases(CASES, lambda case: verdict_of(case, lib, cpus))


if __name__ == "__main__":
    sys.exit(main())
