#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Run a command in a temporary virtual machine with a Debian kernel: for drivers that the kernel of
# this machine lacks, or for root access. It changes nothing on the machine and needs no privileges.

set -eu -o pipefail
. "$(dirname "$0")/ci/lib.sh"
. "$(dirname "$0")/ci/apt.sh"
. "$(dirname "$0")/guest/packages.sh"

usage()
{
	cat <<END
Usage: devtools/guest.sh [options] -- COMMAND [ARGUMENT...]

Boots a virtual machine (QEMU, emulated without KVM), runs COMMAND in it as root, in the folder where
this script was called, and powers it off. The guest's files are those of this machine, as far as the
caller may read them; what it writes stays in its memory and is lost.

  --kernel VERSION|PACKAGE|IMAGE
                   6.12, 7.2: the newest kernel of Debian with that version; or a package
                   (linux-image-*-amd64, not a cloud one); both are downloaded once and not
                   installed; or ROOT/boot/vmlinuz-VERSION, with its modules in
                   ROOT/lib/modules/VERSION (default: the variable GUEST_KERNEL, or 6.12, or without
                   a function what linux-image-amd64 depends on)
  --functions N    adapters of swhca in the guest, mlx5_0 and on, which Linux' own mlx5_core and
                   mlx5_ib drive (default: 1, or with --rxe 0); options of swhca-pci are taken from
                   its variables (SWHCA_LOG, SWHCA_WIRE)
  --no-function    the same as --functions 0
  --link-layer LINK
                   what their ports are connected to: ib (default), eth
  --socket PATH    one more adapter, which a swhca-pci serves at PATH that runs already, and goes
                   on; may be repeated, and then the default of --functions is 0
  --module NAME    load a module, too; may be repeated
  --rxe PORT:PEER_PORT[:MTU]
                   a network card, whose frames leave by UDP port PORT of 127.0.0.1 for PEER_PORT
                   there, with Linux's software RoCE on it: rxe0, at 10.9.0.1/24 (default
                   of MTU: 1500)
  --forward PORT   whoever connects to TCP port PORT of 127.0.0.1 here gets to that port of the
                   guest; may be repeated
  --reach PORT     whoever connects to TCP port PORT of 10.0.2.100 in the guest gets to that port of
                   127.0.0.1 here; may be repeated
  --stdin          COMMAND has the standard input of this script; otherwise none
  --timeout S      power off after S seconds whatever happens (default: 120, times the variable
                   UMR_TEST_TIMEOUT_FACTOR, which the guest has, too)
  --memory MIB     memory of the guest (default: 512, with functions 1024)
  --cpus N         its CPUs (default: 1, with functions 2)
  --console FILE   where the kernel's messages go (default: lost unless something goes wrong)
  --accel NAME     accelerator of QEMU: tcg,thread=single (default; with a thread for each CPU kernels
                   panic now and then as they patch their own text), tcg, kvm
  --cache DIR      where kernels and QEMU are (default: \${XDG_CACHE_HOME:-~/.cache}/umr/guest)
  --fetch          only download the kernel, and QEMU if one is needed, unless they are there
  --build-dir DIR  build tree that has swhca-pci (default: build)
  --no-install     download nothing
  --help           this text

Exit status: that of COMMAND; 124 the time is over; 125 the guest ended without one; 77 it cannot be
had here: no QEMU, no busybox, no kernel, no swhca-pci, another processor; 2 wrong usage.
END
}

cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/umr/guest
opt_kernel=${GUEST_KERNEL:-}
rxe_port=
opt_stdin=no
opt_timeout=$(patience 120)
opt_memory=
opt_cpus=
opt_functions=
opt_link=ib
sockets=()
opt_console=
opt_accel=tcg,thread=single
opt_fetch=no
modules=(virtio_pci virtio_console 9pnet_virtio 9p overlay)
forwards=()
reaches=()

# number VALUE LOW HIGH OPTION: check a number.
number()
{
	[[ $1 =~ ^[0-9]{1,9}$ ]] && [ "$1" -ge "$2" ] && [ "$1" -le "$3" ] ||
		wrong_usage "$4: \"$1\" is not a number from $2 to $3"
}

# take OPTION VALUE: process an option with a value.
take()
{
	case $1 in
	--kernel) opt_kernel=$2 ;;
	--module) modules+=("$2") ;;
	--rxe)
		IFS=: read -r rxe_port rxe_peer_port rxe_mtu <<<"$2"
		rxe_mtu=${rxe_mtu:-1500}
		number "$rxe_port" 1 65535 "$1"
		number "$rxe_peer_port" 1 65535 "$1"
		number "$rxe_mtu" 576 9000 "$1"
		;;
	--forward)
		number "$2" 1 65535 "$1"
		forwards+=("$2")
		;;
	--reach)
		number "$2" 1 65535 "$1"
		reaches+=("$2")
		;;
	--timeout)
		number "$2" 1 86400 "$1"
		opt_timeout=$2
		;;
	--memory)
		number "$2" 128 65536 "$1"
		opt_memory=$2
		;;
	--cpus)
		number "$2" 1 64 "$1"
		opt_cpus=$2
		;;
	--functions)
		number "$2" 0 8 "$1"
		opt_functions=$2
		;;
	--link-layer)
		[[ $2 =~ ^(ib|eth)$ ]] || wrong_usage "$1: \"$2\" is not one of ib, eth"
		opt_link=$2
		;;
	--socket) sockets+=("$(realpath -m "$2")") ;;
	--build-dir) build_dir=$(realpath -m "$2") ;;
	--console) opt_console=$(realpath -m "$2") ;;
	--accel) opt_accel=$2 ;;
	--cache) cache=$(realpath -m "$2") ;;
	*) wrong_usage "unknown option $1" ;;
	esac
}

while [ $# -gt 0 ] && [ "$1" != -- ]; do
	case $1 in
	--stdin) opt_stdin=yes ;;
	--no-function) opt_functions=0 ;;
	--fetch) opt_fetch=yes ;;
	--no-install) opt_install=no ;;
	--help)
		usage
		exit 0
		;;
	*)
		[ $# -gt 1 ] || wrong_usage "unknown option $1, or one without its value"
		take "$1" "$2"
		shift
		;;
	esac
	shift
done
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || [ "$opt_fetch" = yes ] || wrong_usage "which command?"
if [ -z "$opt_functions" ]; then
	opt_functions=1
	[ -z "$rxe_port" ] && [ ${#sockets[@]} -eq 0 ] || opt_functions=0
fi
# Total number of functions, including those served by other processes.
nb_functions=$((opt_functions + ${#sockets[@]}))
[ -n "$opt_memory" ] || opt_memory=$((nb_functions > 0 ? 1024 : 512))
[ -n "$opt_cpus" ] || opt_cpus=$((nb_functions > 0 ? 2 : 1))

[ "$(uname -m)" = x86_64 ] || skip "guests are for x86_64, this is $(uname -m)"
busybox=$(command -v busybox) || skip "no busybox (busybox-static)"
! ldd "$busybox" >/dev/null 2>&1 || skip "$busybox is not static (busybox-static)"
own_dir=$cache/apt
own_arch=amd64
own_suites='trixie trixie-backports sid'
find_kernel
find_qemu
[ "$opt_fetch" = no ] || exit 0

# ---- The machine ----

work=$(mktemp -d)
qemu=
watch=
server=
# If the script is terminated, it terminates its guest.
finish()
{
	[ -z "$qemu" ] || kill "$qemu" 2>/dev/null || true
	[ -z "$watch" ] || kill "$watch" 2>/dev/null || true
	if [ -n "$server" ]; then
		kill "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
	fi
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# add_network: add the network cards for the options. The second card only allows forwarded traffic.
network=()
module_args=()
add_network()
{
	local wire card port user=user,id=control,restrict=on,net=10.0.2.0/24,dhcpstart=10.0.2.15

	if [ -n "$rxe_port" ]; then
		wire=dgram,id=wire
		wire+=,local.type=inet,local.host=127.0.0.1,local.port=$rxe_port
		wire+=,remote.type=inet,remote.host=127.0.0.1,remote.port=$rxe_peer_port
		modules+=(virtio_net ib_uverbs rdma_ucm rdma_rxe)
		# rdma_rxe requests this by name, up to Linux 6.14.
		module_args+=(--optional crc32_generic)
		card=virtio-net-pci,netdev=wire,mac=02:00:0a:09:00:01,romfile=
		network+=(-netdev "$wire"
			-device "$card,rx_queue_size=1024,host_mtu=$rxe_mtu")
	fi
	[ $((${#forwards[@]} + ${#reaches[@]})) -gt 0 ] || return 0
	for port in ${forwards[@]+"${forwards[@]}"}; do
		user+=,hostfwd=tcp:127.0.0.1:$port-10.0.2.15:$port
	done
	for port in ${reaches[@]+"${reaches[@]}"}; do
		user+=",guestfwd=tcp:10.0.2.100:$port-cmd:$busybox nc 127.0.0.1 $port"
	done
	modules+=(virtio_net)
	network+=(-netdev "$user"
		-device virtio-net-pci,netdev=control,mac=02:00:0a:00:02:0f,romfile=)
}

# channel NUMBER CHARDEV: add a port of virtio-serial, as used by devtools/guest/init.
channels=(-device virtio-serial-pci)
channel()
{
	channels+=(-chardev "$2,id=port$1" -device "virtserialport,chardev=port$1,nr=$1")
}

# serve_functions: start swhca-pci and wait for its sockets.
serve_functions()
{
	local i path end words=() own=()

	for ((i = 0; i < opt_functions; i++)); do
		own+=("$work/function$i")
		words+=(--socket "$work/function$i")
	done
	sockets=("${own[@]}" ${sockets[@]+"${sockets[@]}"})
	"$top_dir/devtools/swhca-pci" "${words[@]}" --link-layer "$opt_link" </dev/null >&2 &
	server=$!
	for path in "${own[@]}"; do
		end=$((SECONDS + $(patience 60)))
		until [ -S "$path" ]; do
			kill -0 "$server" 2>/dev/null || die "swhca-pci ended"
			[ "$SECONDS" -lt "$end" ] || die "swhca-pci does not serve at $path"
			sleep 0.1
		done
	done
}

# add_functions: add adapters behind PCI Express ports, and their drivers.
functions=()
add_functions()
{
	local i=0 path device

	for path in "${sockets[@]}"; do
		device="{\"driver\":\"vfio-user-pci\",\"bus\":\"port$i\","
		device+="\"socket\":{\"type\":\"unix\",\"path\":\"$path\"}}"
		functions+=(-device "pcie-root-port,id=port$i,chassis=$((i + 1)),x-speed=16,x-width=16"
			-device "$device")
		i=$((i + 1))
	done
	# Prepare fewer keys than on a large machine, which loads seconds faster.
	modules+=("mlx5_core prof_sel=1" mlx5_ib ib_uverbs ib_umad rdma_ucm)
}

add_network
export SWHCA_BUILD_DIR=$build_dir
[ "$opt_functions" -eq 0 ] || serve_functions
[ "$nb_functions" -eq 0 ] || add_functions
[ -z "$rxe_port" ] || set -- "$top_dir/devtools/guest/rxe.sh" "$@"
[ -z "${UMR_TEST_TIMEOUT_FACTOR-}" ] ||
	set -- env "UMR_TEST_TIMEOUT_FACTOR=$UMR_TEST_TIMEOUT_FACTOR" "$@"
for module in "${modules[@]}"; do
	module_args+=(--module "$module")
done
"$top_dir/devtools/guest/initramfs.py" --init "$top_dir/devtools/guest/init" --busybox "$busybox" \
	--modules "$module_dir" "${module_args[@]}" --folder "$PWD" "$work/initramfs" -- "$@" ||
	die "cannot make the initramfs"

channel 1 "file,path=$work/out"
channel 2 "file,path=$work/err"
[ "$opt_stdin" = no ] || channel 4 stdio,signal=off
# The guest waits for this channel.
channel 3 "file,path=$work/status"

# oops: print the kernel messages from the first error on, or the last 40 lines.
oops()
{
	awk '/ BUG: | WARNING: |Oops|cut here|general protection|int3: |Kernel panic/ { seen = 1 }
		seen { print } { last[NR % 40] = $0 }
		END { for (i = NR - 39; !seen && i <= NR; i++) if (i > 0) print last[i % 40] }' \
		"$work/console" 2>/dev/null || true
}

# Use 47-bit addresses: with 56 bits, the kernel writes a gigabyte of entries per implicit region.
cpu=max,la57=off
# The server of a function maps the memory of the guest.
memory=(-machine q35,memory-backend=ram -m "$opt_memory"
	-object "memory-backend-memfd,id=ram,size=${opt_memory}M,share=on")
# boot: run the guest to completion. Its exit status is in $work/status if it got that far.
boot()
{
	local cats=()

	mkfifo "$work/out" "$work/err"
	cat "$work/out" &
	cats=($!)
	cat "$work/err" >&2 &
	cats+=($!)
	"${qemu_command[@]}" -accel "$opt_accel" "${memory[@]}" -cpu "$cpu" -smp "$opt_cpus" \
		-nodefaults -no-user-config -display none -no-reboot \
		-kernel "$image" -initrd "$work/initramfs" -serial "file:$work/console" \
		-append "console=ttyS0 quiet panic=-1 oops=panic tsc=reliable no_timer_check" \
		-fsdev local,id=host,path=/,readonly=on,security_model=none,multidevs=remap \
		-device virtio-9p-pci,fsdev=host,mount_tag=host \
		"${channels[@]}" ${network[@]+"${network[@]}"} ${functions[@]+"${functions[@]}"} \
		2>"$work/qemu" <&0 &
	qemu=$!
	(
		trap 'kill $!' TERM
		sleep "$opt_timeout" &
		wait $! && touch "$work/late" && kill "$qemu"
	) >/dev/null 2>&1 &
	watch=$!
	qemu_status=0
	wait "$qemu" || qemu_status=$?
	qemu=
	# If QEMU never opened them, there is no other writer.
	[ -e "$work/status" ] || : <>"$work/out" <>"$work/err"
	kill "$watch" 2>/dev/null || true
	wait "${cats[@]}"
	rm -f "$work/out" "$work/err"
}

# A panic of an emulated kernel before its first process is unrelated to the command.
boot
if [ ! -e "$work/late" ] && grep -q '^\[.*Kernel panic' "$work/console" 2>/dev/null &&
	! grep -q '^guest: begins' "$work/console"; then
	warn "the kernel panicked before it ran anything; once more"
	oops >&2
	rm -f "$work/status"
	boot
fi

[ -z "$opt_console" ] || cp "$work/console" "$opt_console"
status=$(cat "$work/status" 2>/dev/null || true)
if [ -e "$work/late" ]; then
	status=124
	warn "the guest was stopped after $opt_timeout s"
elif [ -z "$status" ]; then
	status=125
	warn "the guest ended without a status; that of QEMU is $qemu_status"
else
	exit "$status"
fi
cat "$work/qemu" >&2
[ -n "$opt_console" ] || oops >&2
exit "$status"
