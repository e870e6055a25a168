#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# "meson install" puts everything in place, with shared libraries, with static ones and with both:
# installs into a temporary folder, builds an example with what pkg-config says, with and without
# --static, runs it and Debian's ibv_devices below the installed swhca-run.
# BUILD_DIR (default: build) is the build with shared libraries to install.

set -eu -o pipefail
. "$(dirname "$0")/lib.sh"

shared_build_dir=$(realpath "${BUILD_DIR:-$build_dir}")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
package=librte_common_mlx5_umr

# Where a build installs to, below its prefix.
option()
{
	meson introspect --buildoptions "$build_dir" |
		python3 -c 'import json, sys
print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == sys.argv[1]))' "$1"
}

# files NAME...: they are installed.
files()
{
	local file

	for file in "$@"; do
		[ -e "$file" ] || die "$kind: not installed: ${file#"$dest"}"
	done
}

# install_to: build_dir, of libraries of this kind, to a folder of its own.
install_to()
{
	dest=$root/$kind
	prefix=$dest$(option prefix)
	libdir=$prefix/$(option libdir)
	bindir=$prefix/$(option bindir)
	incdir=$prefix/$(option includedir)
	DESTDIR=$dest run meson install -C "$build_dir" --no-rebuild --quiet
	files "$libdir"/libswhca.so "$incdir"/rte_umr.h "$incdir"/rte_umr_core.h \
		"$incdir"/rte_umr_data.h "$libdir"/pkgconfig/librte_umr.pc \
		"$libdir/pkgconfig/$package.pc" "$bindir"/dpdk-test-umr "$bindir"/swhca-ctl \
		"$bindir"/swhca-run
	[ "$kind" = static ] || files "$libdir"/librte_umr.so "$libdir/$package.so"
	[ "$kind" = shared ] || files "$libdir"/librte_umr.a "$libdir/$package.a"
	# Only our own packages are below the temporary root: neither PKG_CONFIG_SYSROOT_DIR nor
	# --define-variable can tell them from DPDK's.
	sed -i "s|^prefix=.*|prefix=$prefix|" "$libdir"/pkgconfig/*.pc
	export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
}

run_below()
{
	run "$bindir/swhca-run" "$1" --no-huge --no-shconf -l "$(first_cpu)" --no-pci \
		--no-telemetry "${@:2}" >"$root/log" 2>&1 || die "$kind: $1 fails: $(cat "$root/log")"
}

# needs PROGRAM yes|no LIBRARY: it is to be loaded with the program, or not.
needs()
{
	local answer=no

	[[ $(readelf -d "$1") != *"NEEDED"*"[$3.so"* ]] || answer=yes
	[ "$answer" = "$2" ] || die "$kind: $1 needs $3.so: $answer, not $2"
}

# example NAME OURS DPDKS WORD...: build it with pkg-config WORD..., link it with each linker there
# is, run it. OURS and DPDKS: are libraries of these to be loaded with it?
example()
{
	local flags linker program

	read -ra flags <<<"$(pkg-config --cflags --libs "${@:4}" $package)"
	for linker in bfd gold lld; do
		command -v "ld.$linker" >/dev/null || continue
		program=$root/$1-$linker
		# As on systems where that is the default.
		run gcc -Wall -Wextra -Werror -fuse-ld=$linker -Wl,--as-needed \
			-o "$program" "$top_dir/examples/umr_gather/main.c" "${flags[@]}"
		needs "$program" "$2" librte_umr
		needs "$program" "$2" $package
		needs "$program" "$3" librte_eal
		needs "$program" yes libc
		run_below "$program"
		# Nothing refers to this.
		[[ $2 = yes || $(nm "$program") = *" rte_umr_telemetry_init"* ]] ||
			die "$kind: $program has no telemetry"
	done
}

private_headers()
{
	local extra

	extra=$(find "$incdir" -name '*driver*' -o -name 'swhca*' -o -name 'mlx5_*')
	[ -z "$extra" ] || die "private headers are installed: $extra"
}

unset SWHCA_LIB
kind=shared build_dir=$shared_build_dir
install_to
private_headers
run "$bindir/swhca-run" ibv_devices | tee "$root/devices"
grep -q mlx5_1 "$root/devices" || die "swhca-run shows no mlx5_1"
example shared yes yes
run_below "$bindir/dpdk-test-umr" -- verify --cases 100

for kind in both static; do
	build_dir=$root/build-$kind
	build -Ddefault_library=$kind -Dtests=disabled -Ddocs=disabled >"$root/log" 2>&1 ||
		die "$kind: $(cat "$root/log")"
	install_to
	example $kind-static no no --static
	if [ $kind = both ]; then
		example both-shared yes yes
	else
		# Static only: DPDK is what is asked for.
		example static-ours no yes
	fi
	run_below "$bindir/dpdk-test-umr" -- verify --cases 100
done
echo "install: good"
