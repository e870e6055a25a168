#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# A command in a throwaway virtual machine with a kernel of Debian's: for what needs drivers that this
# machine's kernel has not, or root that one does not want to give away. Nothing of the machine
# changes; no privileges are needed.

set -eu -o pipefail
. "$(dirname "$0")/lib.sh"

usage()
{
	cat <<END
Usage: devtools/guest.sh [options] -- COMMAND [ARGUMENT...]

Boots a virtual machine (QEMU, emulated without KVM), runs COMMAND in it as root, in the folder where
this script was called, and powers it off. The guest's files are those of this machine, as far as the
caller may read them; what it writes stays in its memory and is lost.

  --kernel PACKAGE|IMAGE
                   a kernel package of Debian (linux-image-*-amd64, not a cloud one), which is
                   downloaded once and not installed; or ROOT/boot/vmlinuz-VERSION, with its modules
                   in ROOT/lib/modules/VERSION (default: the variable GUEST_KERNEL, or what
                   linux-image-amd64 depends on)
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
  --timeout S      power off after S seconds whatever happens (default: 120)
  --memory MIB     memory of the guest (default: 512)
  --console FILE   where the kernel's messages go (default: lost unless something goes wrong)
  --accel NAME     accelerator of QEMU: tcg (default), kvm
  --cache DIR      where kernels are (default: \${XDG_CACHE_HOME:-~/.cache}/umr/guest)
  --fetch          only download the kernel, unless it is there
  --no-install     download nothing
  --help           this text

Exit status: that of COMMAND; 124 the time is over; 125 the guest ended without one; 77 it cannot be
had here: no QEMU, no busybox, no kernel, another processor; 2 wrong usage.
END
}

skip()
{
	printf '== skipped: %s\n' "$*" >&2
	exit 77
}

cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/umr/guest
opt_kernel=${GUEST_KERNEL:-}
rxe_port=
opt_stdin=no
opt_timeout=120
opt_memory=512
opt_console=
opt_accel=tcg
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

# take OPTION VALUE: one of those that have a value.
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
	--console) opt_console=$(realpath -m "$2") ;;
	--accel) opt_accel=$2 ;;
	--cache) cache=$(realpath -m "$2") ;;
	*) wrong_usage "unknown option $1" ;;
	esac
}

while [ $# -gt 0 ] && [ "$1" != -- ]; do
	case $1 in
	--stdin) opt_stdin=yes ;;
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

# ---- The kernel ----

# default_package: the kernel of this release, or the newest that was downloaded.
default_package()
{
	local package

	package=$(apt-cache show --no-all-versions linux-image-amd64 2>/dev/null |
		sed -n 's/^Depends: \(linux-image-[^ ,]*\).*/\1/p' || true)
	if [ -z "$package" ] && [ -d "$cache" ]; then
		package=$(find "$cache" -maxdepth 1 -name 'linux-image-*' -printf '%f\n' |
			sort -V | tail -n 1)
	fi
	printf '%s\n' "$package"
}

# unpack_kernel DEB FOLDER: what guests have a use for, of 400 MB.
unpack_kernel()
{
	local drivers=(char infiniband net/ethernet/mellanox pci pps ptp vfio virtio)
	local folders=(arch crypto lib net "${drivers[@]/#/drivers/}")
	folders+=(fs/9p fs/configfs fs/fscache fs/netfs fs/overlayfs)

	dpkg-deb --fsys-tarfile "$1" >"$2.tar"
	tar -x -C "$2" -f "$2.tar" --wildcards './boot/vmlinuz-*' '*/modules.builtin' \
		'*/kernel/drivers/net/*.ko*'
	# Not every release has all of them.
	tar -x -C "$2" -f "$2.tar" --wildcards "${folders[@]/#/*/kernel/}" 2>/dev/null || true
}

# download_kernel PACKAGE: into the cache, whole or not at all.
download_kernel()
{
	local new status=0

	[ "$opt_install" = yes ] || skip "the kernel $1 is not in $cache (--no-install)"
	mkdir -p "$cache"
	new=$(mktemp -d "$cache/new.XXXXXX")
	say "kernel: downloading $1" >&2
	(cd "$new" && apt-get -q -o APT::Sandbox::User= download "$1" && mkdir root &&
		unpack_kernel ./*.deb root) >&2 || status=$?
	if [ "$status" -eq 0 ]; then
		# Somebody else may have been faster.
		mv -T "$new/root" "$cache/$1" 2>/dev/null || [ -d "$cache/$1" ] || status=1
	fi
	rm -rf "$new"
	[ "$status" -eq 0 ] || skip "the kernel $1 cannot be downloaded"
}

# find_kernel: sets image and module_dir.
find_kernel()
{
	local root version

	[ -n "$opt_kernel" ] || opt_kernel=$(default_package)
	case $opt_kernel in
	*/*) image=$opt_kernel ;;
	linux-image-*)
		[ -d "$cache/$opt_kernel" ] || download_kernel "$opt_kernel"
		image=$(find "$cache/$opt_kernel/boot" -name 'vmlinuz-*')
		;;
	'') skip "no package linux-image-amd64 here, nor a kernel in $cache" ;;
	*) wrong_usage "--kernel: $opt_kernel is neither a file nor a package linux-image-*" ;;
	esac
	[ -r "$image" ] || skip "cannot read the kernel $image"
	root=$(dirname "$(dirname "$image")")
	version=$(basename "$image")
	version=${version#vmlinuz-}
	for module_dir in "$root/lib/modules/$version" "$root/usr/lib/modules/$version"; do
		[ ! -f "$module_dir/modules.builtin" ] || return 0
	done
	skip "no modules of kernel $version in $root/lib/modules"
}

[ "$(uname -m)" = x86_64 ] || skip "guests are for x86_64, this is $(uname -m)"
command -v qemu-system-x86_64 >/dev/null || skip "no qemu-system-x86_64 (qemu-system-x86)"
qemu-system-x86_64 -netdev help 2>/dev/null | grep -x dgram >/dev/null ||
	skip "QEMU has no -netdev dgram: it is older than 7.2"
busybox=$(command -v busybox) || skip "no busybox (busybox-static)"
! ldd "$busybox" >/dev/null 2>&1 || skip "$busybox is not static (busybox-static)"
find_kernel
[ "$opt_fetch" = no ] || exit 0

# ---- The machine ----

work=$(mktemp -d)
qemu=
watch=
# A script that is told to end takes its guest along.
finish()
{
	[ -z "$qemu" ] || kill "$qemu" 2>/dev/null || true
	[ -z "$watch" ] || kill "$watch" 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# add_network: what the options ask for. By the second card nothing gets out but what is forwarded.
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
		# What rdma_rxe asks for by name, up to Linux 6.14.
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

# channel NUMBER CHARDEV: a port of virtio-serial, as devtools/guest/init knows it.
channels=(-device virtio-serial-pci)
channel()
{
	channels+=(-chardev "$2,id=port$1" -device "virtserialport,chardev=port$1,nr=$1")
}

add_network
[ -z "$rxe_port" ] || set -- "$top_dir/devtools/guest/rxe.sh" "$@"
for module in "${modules[@]}"; do
	module_args+=(--module "$module")
done
"$top_dir/devtools/guest/initramfs.py" --init "$top_dir/devtools/guest/init" --busybox "$busybox" \
	--modules "$module_dir" "${module_args[@]}" --folder "$PWD" "$work/initramfs" -- "$@" ||
	die "cannot make the initramfs"

mkfifo "$work/out" "$work/err"
cat "$work/out" &
cats=($!)
cat "$work/err" >&2 &
cats+=($!)
channel 1 "file,path=$work/out"
channel 2 "file,path=$work/err"
[ "$opt_stdin" = no ] || channel 4 stdio,signal=off
# The guest waits for that one.
channel 3 "file,path=$work/status"

qemu-system-x86_64 -accel "$opt_accel" -machine q35 -cpu max -smp 1 -m "$opt_memory" \
	-nodefaults -no-user-config -display none -no-reboot \
	-kernel "$image" -initrd "$work/initramfs" -serial "file:$work/console" \
	-append "console=ttyS0 quiet panic=-1 oops=panic" \
	-fsdev local,id=host,path=/,readonly=on,security_model=none,multidevs=remap \
	-device virtio-9p-pci,fsdev=host,mount_tag=host \
	"${channels[@]}" ${network[@]+"${network[@]}"} 2>"$work/qemu" <&0 &
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
# If QEMU never opened them, nobody else writes there.
[ -e "$work/status" ] || : <>"$work/out" <>"$work/err"
kill "$watch" 2>/dev/null || true
wait "${cats[@]}"

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
[ -n "$opt_console" ] || tail -n 40 "$work/console" >&2 || true
exit "$status"
