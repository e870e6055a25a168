#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""The program of main.c in Python: a list, a write that fails, recovery, and a write."""

import ctypes
import sys
import time

import rte_umr as u

umr = u.load()


def check(is_good, what):
    if not is_good:
        sys.exit(f"template: {what} failed")


def collect(dev, nb):
    """Print nb operations; the number that failed."""
    done, nb_failed, deadline = u.rte_umr_completion(), 0, time.monotonic() + 10
    while nb > 0:
        check(time.monotonic() < deadline, "waiting for a completion")
        if umr.rte_umr_completed_status(dev, 0, 1, done) == 1:
            print(f"{umr.rte_umr_op_name(done.op).decode()}:",
                  umr.rte_umr_status_name(done.status).decode())
            nb_failed += done.status != u.RTE_UMR_STATUS_SUCCESS
            nb -= 1
    return nb_failed


# A device, and a queue that is connected to itself. EAL pins this thread only while it starts.
u.eal_init(*sys.argv[1:])
name, dev = ctypes.create_string_buffer(u.RTE_UMR_DEV_NAME_LEN), ctypes.c_int16()
check(umr.rte_umr_dev_scan(name, 1) > 0, "finding a device")
check(umr.rte_umr_dev_probe(name.value, dev) == 0, "probe")
check(umr.rte_umr_dev_configure(dev, u.rte_umr_dev_conf(nb_queues=1)) == 0, "configure")
check(umr.rte_umr_queue_setup(dev, 0, u.rte_umr_queue_conf(nb_desc=64, socket_id=-1)) == 0,
      "queue setup")
check(umr.rte_umr_dev_start(dev) == 0, "start")

# Registered memory, and a key from a pool. The memory must exist as long as its region.
memory = ctypes.create_string_buffer(b"world!\nHello, scattered ", 256)
addr = ctypes.addressof(memory)
mr = umr.rte_umr_mr_register(dev, u.rte_umr_mr_conf(
    addr=addr, len=256, access=u.RTE_UMR_ACCESS_LOCAL_WRITE | u.RTE_UMR_ACCESS_REMOTE_WRITE))
pool = umr.rte_umr_mkey_pool_create(dev, u.rte_umr_mkey_pool_conf(nb_mkeys=1, max_entries=4))
check(mr and pool, "creating a region and keys")
mkey, lkey, rkey = umr.rte_umr_mkey_get(pool), mr.contents.lkey, mr.contents.rkey

# Present three pieces as one range. A write behind the region fails.
pieces = (u.rte_umr_seg * 3)((addr + 7, 7, lkey), (addr + 14, 10, lkey), (addr, 7, lkey))
whole = u.rte_umr_seg(0, 24, mkey.contents.key)
check(umr.rte_umr_mkey_list(dev, 0, mkey, u.RTE_UMR_ACCESS_LOCAL_WRITE, pieces, 3, 0) >= 0, "list")
check(umr.rte_umr_write(dev, 0, whole, addr + 250, rkey, u.RTE_UMR_OP_F_SUBMIT) >= 0, "write")
check(collect(dev, 2) == 1, "failing")

# After recovery the queue works as before, and the key has its layout.
check(umr.rte_umr_queue_recover(dev, 0) == 0, "recovery")
check(umr.rte_umr_write(dev, 0, whole, addr + 128, rkey, u.RTE_UMR_OP_F_SUBMIT) >= 0, "write")
check(collect(dev, 1) == 0, "the write")
print(memory[128:152].decode(), end="")

# Release in reverse order.
check(umr.rte_umr_mkey_put(pool, mkey) == 0 and umr.rte_umr_dev_stop(dev) == 0, "stop")
check(umr.rte_umr_mkey_pool_destroy(pool) == 0 and umr.rte_umr_mr_deregister(mr) == 0, "release")
check(umr.rte_umr_dev_close(dev) == 0, "close")
