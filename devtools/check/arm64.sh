#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Usage: devtools/check/arm64.sh
#
# Build what is meant for arm64, with clang and libraries of Debian's arm64 packages, and treat
# warnings as errors: lib/umr, the driver, dpdk-test-umr, the examples and the autotests. Afterwards,
# "meson test -C build-arm64 --suite portable" runs unit tests on a CPU of QEMU, the only one here that
# executes the NEON code of the driver.
#
# Packages are downloaded once to the cache folder, and not installed. Exit status 77 without clang,
# lld, QEMU or packages. BUILD_DIR (default: build-arm64) is the build folder.

set -eu -o pipefail
. "$(dirname "$0")/../ci/lib.sh"
. "$(dirname "$0")/../ci/apt.sh"

build_dir=${BUILD_DIR:-$build_dir-arm64}
triplet=aarch64-linux-gnu
built='^(lib/(umr|mlx5_prm)|drivers|app/(common|test-umr|test/autotest)|examples)/'
own_dir=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/umr/arm64
own_arch=arm64
own_suites=$(. /etc/os-release && printf '%s\n' "${VERSION_CODENAME-}")
root=$own_dir/root

# Fill the folder that replaces / for arm64, unless it has these packages.
make_root()
{
	local new packages

	# libgcc is what clang links programs with.
	packages=$(packages_for run test | grep '^lib.*-dev$' && echo "libgcc-$(gcc -dumpversion)-dev")
	[ "$(cat "$root/packages" 2>/dev/null)" != "$packages" ] || return 0
	mkdir -p "$own_dir"
	new=$(mktemp -d "$own_dir/new.XXXXXX")
	# The dynamic linker of all programs is in /lib.
	mkdir -p "$new/usr/lib"
	ln -s usr/lib "$new/lib"
	if ! own_unpack "$new" $packages >"$own_dir/log" 2>&1; then
		rm -rf "$new"
		skip "arm64's packages cannot be downloaded ($(grep -m 1 '^E:' "$own_dir/log"))"
	fi
	echo "$packages" >"$new/packages"
	rm -rf "$root"
	mv -T "$new" "$root"
}

# Cortex-A72 has Armv8.0, which is what DPDK's packages require, and no newer instructions.
cross_file()
{
	cat <<END
[binaries]
c = ['clang', '--target=$triplet', '--sysroot=$root']
c_ld = 'lld'
ar = 'ar'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-aarch64', '-cpu', 'cortex-a72', '-L', '$root']

[properties]
sys_root = '$root'
pkg_config_libdir = '$root/usr/lib/$triplet/pkgconfig'

[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END
}

for tool in clang ld.lld gcc qemu-aarch64 apt-get; do
	command -v $tool >/dev/null || skip "no $tool"
done
make_root
if [ ! -f "$build_dir/build.ninja" ]; then
	mkdir -p "$build_dir"
	cross_file >"$build_dir/arm64.ini"
	configure --cross-file "$build_dir/arm64.ini" -Dwerror=true -Dtests=enabled -Ddocs=disabled
fi
mapfile -t targets < <(ninja -C "$build_dir" -t targets all |
	sed -n 's/: \(c\|STATIC\)_LINKER$//p' | grep -E "$built")
build "${targets[@]}"
