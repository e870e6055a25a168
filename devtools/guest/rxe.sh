#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Run in a guest with a network card added by devtools/guest.sh: set up addresses and Linux's
# software RoCE on the card of the wire, then run the command.

set -eu

# card_of MAC: print the name of the network device with this address.
card_of()
{
	grep -lx "$1" /sys/class/net/*/address 2>/dev/null | cut -d/ -f5
}

wire=$(card_of 02:00:0a:09:00:01)
[ -n "$wire" ] || {
	echo "guest: no network card for the wire" >&2
	exit 125
}
# Disable ICMP redirects, router solicitations and similar packets.
echo 1 >"/proc/sys/net/ipv6/conf/$wire/disable_ipv6" 2>/dev/null || true
ip addr add 10.9.0.1/24 dev "$wire"
ip link set "$wire" up
rdma link add rxe0 type rxe netdev "$wire"
control=$(card_of 02:00:0a:00:02:0f)
if [ -n "$control" ]; then
	ip addr add 10.0.2.15/24 dev "$control"
	ip link set "$control" up
fi

# The device file and the GID of the address appear a moment later.
for i in $(seq 600); do
	if [ -c /dev/infiniband/uverbs0 ] &&
		grep -qi 'ffff:0a09:0001$' /sys/class/infiniband/rxe0/ports/1/gids/*; then
		exec "$@"
	fi
	sleep 0.1
done
echo "guest: rxe0 has no address after a minute" >&2
exit 125
