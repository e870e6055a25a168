#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# nvmet-rdma serves a RAM disk at an address of IPoIB, and nvme-rdma is connected to it, through one
# function: what is written there is in the RAM disk, and is read back.

set -eu
nqn=ram
bytes=$((4 << 20))

ip addr add 10.2.0.1/24 dev ib0
ip link set ib0 up
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
cd /sys/kernel/config/nvmet
mkdir "subsystems/$nqn" "subsystems/$nqn/namespaces/1" ports/1
echo 1 >"subsystems/$nqn/attr_allow_any_host"
printf /dev/ram0 >"subsystems/$nqn/namespaces/1/device_path"
echo 1 >"subsystems/$nqn/namespaces/1/enable"
echo rdma >ports/1/addr_trtype
echo ipv4 >ports/1/addr_adrfam
echo 10.2.0.1 >ports/1/addr_traddr
echo 4420 >ports/1/addr_trsvcid
# The address is there once IPoIB has joined the group of its link.
tries=0
until ln -s "$PWD/subsystems/$nqn" "ports/1/subsystems/$nqn" 2>/dev/null; do
	tries=$((tries + 1))
	[ "$tries" -lt 600 ]
	sleep 0.1
done
echo "transport=rdma,traddr=10.2.0.1,trsvcid=4420,nqn=$nqn,nr_io_queues=1,queue_size=32" \
	>/dev/nvme-fabrics
tries=0
until [ -b /dev/nvme0n1 ]; do
	tries=$((tries + 1))
	[ "$tries" -lt 600 ]
	sleep 0.1
done
head -c "$bytes" /dev/urandom >/tmp/data
dd if=/tmp/data of=/dev/nvme0n1 bs=128k oflag=direct 2>/dev/null
cmp -n "$bytes" /tmp/data /dev/ram0
dd if=/dev/nvme0n1 bs=64k count=$((bytes / 65536)) iflag=direct 2>/dev/null | cmp - /tmp/data
echo "$bytes bytes, the same"
echo 1 >/sys/class/nvme/nvme0/delete_controller
rm "ports/1/subsystems/$nqn"
ip link set ib0 down
ip addr flush dev ib0
