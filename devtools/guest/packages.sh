#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Source of the kernel and QEMU of guest.sh: this machine, or Debian packages that are downloaded to
# the cache, unpacked there and not installed. To be sourced by guest.sh,
# with apt.sh.

# ---- The kernel ----

# default_package: print the kernel package of this release, or the newest one downloaded.
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

# version_package VERSION: print the newest kernel package of a version that is downloaded or
# available.
version_package()
{
	local package pattern="linux-image-${1//./\\.}[.0-9]*\+deb[0-9]+(\.[0-9]+)?-amd64"

	if [ -d "$cache" ]; then
		package=$(find "$cache" -maxdepth 1 -regextype posix-extended \
			-regex ".*/$pattern" -printf '%f\n' | sort -V | tail -n 1)
		[ -z "$package" ] || { printf '%s\n' "$package"; return 0; }
	fi
	[ "$opt_install" = yes ] && own_update || return 0
	own_apt apt-cache search --names-only "^$pattern\$" | cut -d' ' -f1 | sort -V | tail -n 1
}

# The parts that guests use, out of 400 MB.
kernel_drivers=(block char infiniband net/ethernet/mellanox nvme pci pps ptp vfio virtio)
kernel_folders=(arch crypto lib net "${kernel_drivers[@]/#/drivers/}")
kernel_folders+=(fs/9p fs/configfs fs/exportfs fs/fscache fs/lockd fs/netfs fs/nfs fs/nfs_common
	fs/nfsd fs/overlayfs)

# unpack_kernel DEB FOLDER
unpack_kernel()
{
	dpkg-deb --fsys-tarfile "$1" >"$2.tar"
	# The image and its modules may be in separate packages, below /usr; some releases lack some
	# of the folders.
	tar -x -C "$2" -f "$2.tar" --wildcards '*/vmlinuz*' 2>/dev/null || true
	tar -x -C "$2" -f "$2.tar" --wildcards '*/modules.builtin' \
		'*/kernel/drivers/net/*.ko*' 2>/dev/null || true
	tar -x -C "$2" -f "$2.tar" --wildcards "${kernel_folders[@]/#/*/kernel/}" 2>/dev/null ||
		true
	rm -f "$2.tar"
	echo "${kernel_folders[@]}" >"$2/folders"
}

# is_unpacked PACKAGE: whether the cache contains it, with the current folders unless --no-install
# is given.
is_unpacked()
{
	[ -d "$cache/$1" ] || return 1
	[ "$opt_install" = no ] ||
		[ "$(cat "$cache/$1/folders" 2>/dev/null)" = "${kernel_folders[*]}" ]
}

# fetch_kernel PACKAGE: download it and the packages that it consists of to the current folder.
fetch_kernel()
{
	local apt=own_apt part

	# If the sources of the machine provide it, no others are needed.
	[ -z "$(apt-cache show --no-all-versions "$1" 2>/dev/null || true)" ] || apt=
	[ -z "$apt" ] || own_update || return 1
	$apt apt-get -q -o APT::Sandbox::User= download "$1" || return 1
	for part in $(dpkg-deb -f ./"$1"_*.deb Depends | tr ',' '\n' |
		sed -n 's/^ *\(linux-\(base\|binary\|modules\)-[0-9][^ ]*\).*/\1/p'); do
		$apt apt-get -q -o APT::Sandbox::User= download "$part" || return 1
	done
}

# download_kernel PACKAGE: download to the cache, completely or not at all.
download_kernel()
{
	local new deb status=0

	[ "$opt_install" = yes ] || skip "the kernel $1 is not in $cache (--no-install)"
	mkdir -p "$cache"
	new=$(mktemp -d "$cache/new.XXXXXX")
	say "kernel: downloading $1" >&2
	mkdir "$new/root"
	(cd "$new" && fetch_kernel "$1") >&2 || status=$?
	if [ "$status" -eq 0 ]; then
		for deb in "$new"/*.deb; do
			unpack_kernel "$deb" "$new/root"
		done
		[ -n "$(image_of "$new/root")" ] || status=1
	fi
	if [ "$status" -eq 0 ]; then
		# Another process may have been faster.
		[ ! -d "$cache/$1" ] || mv -T "$cache/$1" "$new/old" 2>/dev/null || true
		mv -T "$new/root" "$cache/$1" 2>/dev/null || [ -d "$cache/$1" ] || status=1
	fi
	rm -rf "$new"
	# An outdated kernel is better than none.
	[ "$status" -eq 0 ] || [ -d "$cache/$1" ] || skip "the kernel $1 cannot be downloaded"
}

# image_of ROOT: print its kernel, which is in /boot or next to its modules.
image_of()
{
	find "$1" -name 'vmlinuz-*' -o -path '*/lib/modules/*/vmlinuz' 2>/dev/null | head -n 1
}

# find_kernel: set image and module_dir.
find_kernel()
{
	local root version

	if [ -z "$opt_kernel" ] && [ "$nb_functions" -gt 0 ]; then
		opt_kernel=6.12
	fi
	if [[ $opt_kernel =~ ^[0-9]+\.[0-9]+$ ]]; then
		version=$opt_kernel
		opt_kernel=$(version_package "$version")
		[ -n "$opt_kernel" ] || skip "no kernel $version in $cache, and none to download"
	fi
	[ -n "$opt_kernel" ] || opt_kernel=$(default_package)
	case $opt_kernel in
	*/*) image=$opt_kernel ;;
	linux-image-*)
		is_unpacked "$opt_kernel" || download_kernel "$opt_kernel"
		image=$(image_of "$cache/$opt_kernel")
		;;
	'') skip "no package linux-image-amd64 here, nor a kernel in $cache" ;;
	*) wrong_usage "--kernel: $opt_kernel is no version, no file, no package linux-image-*" ;;
	esac
	[ -r "$image" ] || skip "cannot read the kernel $image"
	root=${image%/boot/*}
	version=$(basename "$image")
	version=${version#vmlinuz-}
	module_dir=$(dirname "$image")
	[ ! -f "$module_dir/modules.builtin" ] || return 0
	for module_dir in "$root/lib/modules/$version" "$root/usr/lib/modules/$version"; do
		[ ! -f "$module_dir/modules.builtin" ] || return 0
	done
	skip "no modules of kernel $version in $root/lib/modules"
}

# ---- QEMU ----

# QEMU supports functions served by other processes since 10.1.
has_vfio_user()
{
	"$@" -device vfio-user-pci,help 2>/dev/null | grep '^vfio-user-pci options' >/dev/null
}

# unpacked_qemu ROOT: set qemu_command for an unpacked QEMU with its own libraries.
unpacked_qemu()
{
	local lib=$1/usr/lib/x86_64-linux-gnu

	qemu_command=("$1/usr/lib64/ld-linux-x86-64.so.2" --library-path "$lib:$lib/pulseaudio"
		"$1/usr/bin/qemu-system-x86_64" -L "$1/usr/share/qemu" -L "$1/usr/share/seabios")
	# Modules of the machine's QEMU belong to another build.
	export QEMU_MODULE_DIR=$lib/qemu
}

# download_qemu: download it from Debian's backports to the cache.
download_qemu()
{
	local new status=0

	[ "$opt_install" = yes ] || skip "no QEMU with vfio-user-pci here, nor in $cache (--no-install)"
	mkdir -p "$cache"
	new=$(mktemp -d "$cache/new.XXXXXX")
	say "QEMU: downloading qemu-system-x86 of trixie-backports" >&2
	own_unpack "$new" -t trixie-backports qemu-system-x86 seabios || status=$?
	if [ "$status" -eq 0 ]; then
		chmod 755 "$new"
		mv -T "$new" "$cache/qemu" 2>/dev/null || [ -d "$cache/qemu" ] || status=1
	fi
	rm -rf "$new"
	[ "$status" -eq 0 ] || skip "QEMU with vfio-user-pci cannot be downloaded"
}

# find_qemu: set qemu_command.
find_qemu()
{
	qemu_command=(qemu-system-x86_64)
	if [ "$nb_functions" -eq 0 ]; then
		command -v qemu-system-x86_64 >/dev/null ||
			skip "no qemu-system-x86_64 (qemu-system-x86)"
		qemu-system-x86_64 -netdev help 2>/dev/null | grep -x dgram >/dev/null ||
			skip "QEMU has no -netdev dgram: it is older than 7.2"
		return 0
	fi
	! has_vfio_user qemu-system-x86_64 || return 0
	[ -d "$cache/qemu" ] || download_qemu
	unpacked_qemu "$cache/qemu"
	has_vfio_user "${qemu_command[@]}" || skip "QEMU in $cache/qemu has no vfio-user-pci"
}
