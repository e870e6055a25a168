#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Run a program of two processes, server and client, each with its own software devices, which
# communicate by RoCEv2 packets; see --help.

set -u

usage()
{
	cat <<-END
	usage: devtools/two.sh [OPTION]... PROGRAM [ARGUMENT]...
	       devtools/two.sh [OPTION]... PROGRAM [ARGUMENT]... --- PROGRAM [ARGUMENT]...

	Run PROGRAM twice below swhca-run, as server and then as client, and show what both say:
	ib_*_bw and ib_*_lat of perftest, ibv_*_pingpong, ucx_perftest, rping, ucmatose, udaddy,
	rdma_server. The client has the address of the server as its last argument; the port of
	the TCP exchange is one that is free, unless -p names it. Behind --- stands the client's
	command, in which the word HOST is the address of the server.

	  --netns            each in a network namespace of its own, with veth in between
	  --ipv6             and addresses of IPv6 there
	  --timeout SECONDS  kill both then; default 120, times the variable
	                     UMR_TEST_TIMEOUT_FACTOR
	  -h, --help         this text

	Other options are those of swhca-run, for both: --link-layer, --impair, --capture ...
	Unless they say otherwise, a process has one device (--devices 1), an Ethernet port
	(--link-layer eth) and the next free address of 127.0.0.0/8 (--wire udp).

	Exit status: that of the program that failed, 124 after the time, 125 for a wrong option,
	77 if namespaces are not allowed.
	END
}

fail()
{
	echo "two.sh: $1" >&2
	exit "${2:-125}"
}

here=$(dirname "$(readlink -f "$0")")
# shellcheck source=devtools/ci/patience.sh
. "$here/ci/patience.sh"
run=${SWHCA_RUN:-$here/swhca-run}
lib=${SWHCA_LIB:-$here/../build/lib/swhca/libswhca.so.0}
ctl=$(dirname "$lib")/swhca-ctl

# Options of swhca-run, and those with a value, as words surrounded by blanks.
help=$("$run" --help) || fail "$run --help: exit status $?"
known=$(echo "$help" | grep -E '^ +(-[a-zA-Z], )?--[a-z-]+ ')
with_value=" $(echo "$known" | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+ [A-Z]+ ' |
	grep -oE -- '--?[a-zA-Z-]+' | tr '\n' ' ')"
known=" $(echo "$known" | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+ ' | tr -d , | tr '\n' ' ') "

options=()
seconds=$(patience 120)
has_netns=
has_ipv6=
original=("$@")
while [[ $# -gt 0 && $1 == -* ]]; do
	case $1 in
	-h | --help)
		usage
		exit 0
		;;
	--netns) has_netns=1 ;;
	--ipv6) has_ipv6=1 ;;
	--timeout)
		[[ ${2-} =~ ^[1-9][0-9]*$ ]] || fail "--timeout: ${2-}: not a number of seconds"
		seconds=$2
		shift
		;;
	*)
		[[ $known == *" $1 "* ]] || fail "$1: unknown option (see --help)"
		options+=("$1")
		if [[ $with_value == *" $1 "* ]]; then
			[[ $# -gt 1 ]] || fail "$1: needs a value (see --help)"
			options+=("$2")
			shift
		fi
		;;
	esac
	shift
done
[[ $# -gt 0 ]] || fail "no program (see --help)"
[[ -z $has_ipv6 || -n $has_netns ]] || fail "--ipv6: goes with --netns"
type -P -- "$1" >/dev/null || fail "$1: no such program" 127

# has OPTION...: whether one of them is set.
has()
{
	local want

	for want; do
		[[ " ${options[*]-} " != *" $want "* ]] || return 0
	done
	return 1
}
if ! has --devices -d && [[ -z ${SWHCA_DEVICES-} ]] && ! has --wire; then
	options+=(--devices 1)
fi
has --link-layer || [[ -n ${SWHCA_LINK_LAYER-} ]] || options+=(--link-layer eth)

# A sleeping process holds the namespace of the client.
netns_client=
netns_make()
{
	if [[ -z ${TWO_IN_NETNS-} ]]; then
		unshare -Urn true 2>/dev/null || fail "network namespaces: not allowed here" 77
		type -P ip nsenter >/dev/null || fail "ip or nsenter: no such program" 77
		TWO_IN_NETNS=1 exec unshare -Urn "$0" "${original[@]}"
	fi
	unshare -n sleep "$((seconds + 30))" &
	netns_client=$!
	until [[ $(readlink /proc/$netns_client/ns/net) != $(readlink /proc/$$/ns/net) ]]; do
		sleep 0.01
	done
	# shellcheck disable=SC2015 # whichever of them fails
	ip link set lo up &&
		ip link add swhca0 mtu 9000 type veth peer name swhca1 mtu 9000 netns "$netns_client" &&
		ip addr add 10.77.0.1/24 dev swhca0 && ip addr add fd77::1/64 dev swhca0 nodad &&
		ip link set swhca0 up &&
		nsenter -n -t "$netns_client" sh -c 'ip link set lo up &&
			ip addr add 10.77.0.2/24 dev swhca1 &&
			ip addr add fd77::2/64 dev swhca1 nodad && ip link set swhca1 up' ||
		fail "network namespaces: no veth" 77
}

folder=$(mktemp -d)
server=
client=
# shellcheck disable=SC2317 # it is called by the trap
cleanup()
{
	local pid

	for pid in $client $server $netns_client; do
		kill -TERM "$pid" 2>/dev/null
	done
	rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

server_run=("$run")
client_run=("$run")
host=127.0.0.1
if [[ -n $has_netns ]]; then
	netns_make
	wires=(10.77.0.1%swhca0 10.77.0.2%swhca1)
	[[ -z $has_ipv6 ]] || wires=(fd77::1%swhca0 fd77::2%swhca1)
	server_run+=(--wire "udp:${wires[0]}")
	client_run=(nsenter -n -t "$netns_client" "$run" --wire "udp:${wires[1]}")
	host=10.77.0.1
elif ! has --wire && [[ -z ${SWHCA_WIRE-} ]]; then
	options+=(--wire udp)
fi

# Whether a process listens at the port in the namespace of the server.
listens()
{
	grep -qsE "^ *[0-9]+: [0-9A-F]+:$(printf %04X "$1") [0-9A-F]+:0000 0A " \
		"/proc/$server/net/tcp" "/proc/$server/net/tcp6"
}

port_find()
{
	local port

	server=$$
	# Concurrent scripts have similar process IDs.
	port=$((20000 + $$ % 10000))
	while listens "$port"; do
		port=$((20000 + (port + 997) % 10000))
	done
	echo "$port"
}

server_words=()
client_words=("$@")
for ((i = 0; i < $#; i++)); do
	if [[ ${client_words[i]} == --- ]]; then
		server_words=("${client_words[@]:0:i}")
		client_words=("${client_words[@]:i+1}")
		break
	fi
done
[[ ${#server_words[@]} -gt 0 || ${client_words[0]} != --- ]] || fail "no program before ---"
[[ ${#client_words[@]} -gt 0 ]] || fail "no program behind ---"

# Determine the programs that connect through a TCP port or through rdma_cm at an address of the
# wire.
port=
is_cm=
if [[ ${#server_words[@]} -eq 0 ]]; then
	server_words=("$@")
	case $(basename "$1") in
	ib_*_bw | ib_*_lat | ibv_*_pingpong | ucx_perftest)
		if [[ " $* " == *' -R '* && $1 != *ucx_perftest ]]; then
			is_cm=1
		fi
		for ((i = 1; i < $#; i++)); do
			[[ ${server_words[i]} != -p ]] || port=${server_words[i + 1]-}
		done
		if [[ -z $port ]]; then
			port=$(port_find)
			server_words+=(-p "$port")
		fi
		# A build with MPI assumes that it is an MPI job when it has no terminal.
		if [[ $1 == *ucx_perftest && " $* " != *' -P '* ]] &&
			"$1" -h 2>&1 | grep -q -- '^ *-P <0|1>'; then
			server_words+=(-P 0)
		fi
		client_words=("${server_words[@]}" HOST)
		;;
	rping)
		is_cm=1
		client_words=("$@" -c -a HOST)
		server_words+=(-s)
		;;
	ucmatose | udaddy | cmtime)
		is_cm=1
		client_words+=(-s HOST)
		;;
	rdma_server)
		is_cm=1
		client_words=("${1%server}client" "${@:2}" -s HOST)
		;;
	*) client_words+=(HOST) ;;
	esac
fi

# begin NAME COMMAND...: run it in the background with a timeout.
begin()
{
	local name=$1
	shift

	timeout --kill-after=5 "$seconds" "$@" </dev/null >"$folder/$name" 2>&1 &
}

# A listener of rdma_cm is only visible in the debug log, which is hidden unless requested.
log=()
if [[ -n $is_cm ]] && ! has --log -l && [[ ! ${SWHCA_LOG-} =~ ^(debug|wqe)$ ]]; then
	log=(env SWHCA_LOG=debug)
fi
begin server ${log[@]+"${log[@]}"} "${server_run[@]}" ${options[@]+"${options[@]}"} "${server_words[@]}"
server=$!

# Wait until the client can start: a process listens, or the devices are open. A server that opens
# devices only for a client gets half a minute.
patience_device=$(patience 30)
is_ready()
{
	if [[ -n $port && -z $is_cm ]]; then
		listens "$port"
	else
		"$ctl" list "$server" >"$folder/list" 2>/dev/null
	fi
}
until is_ready || ! kill -0 "$server" 2>/dev/null; do
	sleep 0.05
	((SECONDS < (${#port} > 0 ? seconds : patience_device))) || break
done
if [[ -n $is_cm ]]; then
	until grep -qs ': listens, port' "$folder/server" || ! kill -0 "$server" 2>/dev/null; do
		sleep 0.05
		# A requested log level may not include the message.
		! has --log -l || ((SECONDS >= 5)) || break
	done
	host=$(awk '$5 == "wire" { print $6; exit }' "$folder/list" 2>/dev/null)
fi

for ((i = 0; i < ${#client_words[@]}; i++)); do
	[[ ${client_words[i]} != HOST ]] || client_words[i]=${host:-127.0.0.1}
done
begin client "${client_run[@]}" ${options[@]+"${options[@]}"} "${client_words[@]}"
client=$!

# After a failure, give the other process some time to notice.
status=0
wait -n -p first "$server" "$client"
status=$?
other=$server
[[ $first != "$server" ]] || other=$client
if [[ $status -ne 0 ]]; then
	for ((i = 0; i < 50; i++)); do
		kill -0 "$other" 2>/dev/null || break
		sleep 0.1
	done
	kill -TERM "$other" 2>/dev/null
fi
wait "$other"
other_status=$?
[[ $status -ne 0 ]] || status=$other_status
server=
client=

for name in server client; do
	echo "== $name"
	if [[ $name == server && ${#log[@]} -gt 0 ]]; then
		grep -v '^swhca debug: ' "$folder/$name"
	else
		cat "$folder/$name"
	fi
done
[[ $status -ne 124 ]] || echo "two.sh: not done after $seconds seconds" >&2
exit "$status"
