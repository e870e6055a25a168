#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# "meson install" puts everything in place, with shared libraries, with static ones and with both:
# installs into a temporary folder, builds an example with what pkg-config says, with and without
# --static, runs it and Debian's ibv_devices below the installed swhca-run, builds a driver of rte_umr
# and has it loaded. The software ConnectX alone installs without DPDK.
# BUILD_DIR (default: build) is the build with shared libraries to install.

set -eu -o pipefail
. "$(dirname "$0")/lib.sh"

shared_build_dir=$(realpath "${BUILD_DIR:-$build_dir}")
root=$(mktemp -d)
plugins=$(mktemp -d "$shared_build_dir/plugins-XXXXXX")
trap 'rm -rf "$root" "$plugins"' EXIT
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
	# That of another machine is not taken.
	mkdir -p "$prefix/lib/aaa"
	echo "not for this machine" >"$prefix/lib/aaa/libswhca.so"
	cp "$prefix/lib/aaa/libswhca.so" "$prefix/lib/aaa/libswhca.so.0"
	if [ "$kind" = swhca ]; then
		files "$libdir"/libswhca.so.0 "$bindir"/swhca-{ctl,run,speed}
		return
	fi
	files "$libdir"/libswhca.so "$incdir"/rte_umr.h "$incdir"/rte_umr_core.h \
		"$incdir"/rte_umr_data.h "$incdir"/rte_umr_pmd.h "$libdir"/pkgconfig/librte_umr.pc \
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

# A driver outside of the tree, from what is installed: EAL loads it, and one of another version,
# which is told and named by nobody. EAL takes none from below a folder that everybody may write to.
own_driver()
{
	local flags dir sources=$top_dir/app/test/driver

	dir=$plugins
	while [ "$dir" != / ]; do
		if [ -n "$(find "$dir" -maxdepth 0 -perm -o+w)" ]; then
			warn "$dir is world-writable: no driver is loaded from $plugins"
			return
		fi
		dir=$(dirname "$dir")
	done
	read -ra flags <<<"$(pkg-config --cflags --libs librte_umr)"
	flags+=(-Wall -Wextra -Werror)
	run gcc -shared -fPIC -o "$plugins/own.so" "$sources/own_driver.c" "${flags[@]}"
	run gcc -shared -fPIC -o "$plugins/other.so" \
		'-DOWN_ABI_VERSION=(RTE_UMR_PMD_ABI_VERSION + 1)' "$sources/own_driver.c" \
		"${flags[@]}"
	run gcc -o "$root/own" "$sources/own_main.c" "${flags[@]}"
	run_below "$root/own" -d "$plugins/other.so" -d "$plugins/own.so"
	grep -q "own driver: good" "$root/log" || die "$kind: $(cat "$root/log")"
	grep -q "a driver was built for version" "$root/log" ||
		die "$kind: nothing is said of a driver of another version: $(cat "$root/log")"
}

private_headers()
{
	local extra

	extra=$(find "$incdir" -name 'swhca*' -o -name 'mlx5_*')
	[ -z "$extra" ] || die "private headers are installed: $extra"
}

# Each program has a manual page, if there is Sphinx to make one.
man_pages()
{
	local program

	command -v sphinx-build >/dev/null || return 0
	for program in "$bindir"/*; do
		files "$prefix/$(option mandir)/man1/${program##*/}.1"
	done
}

# What has no part in the software ConnectX is neither looked for nor built: here pkg-config finds
# everything else.
without_dpdk()
{
	local dir

	mkdir -p "$root/no-dpdk"
	for dir in $(pkg-config --variable pc_path pkg-config | tr : ' '); do
		[ ! -d "$dir" ] || find "$dir" -name '*.pc' -not -name 'libdpdk*' \
			-exec ln -sf -t "$root/no-dpdk" {} +
	done
	kind=swhca build_dir=$root/build-swhca
	PKG_CONFIG_LIBDIR=$root/no-dpdk build -Dcomponents=swhca -Dtests=disabled -Ddocs=disabled \
		>"$root/log" 2>&1 || die "components=swhca: $(tail -n 50 "$root/log")"
	install_to
	run "$bindir/swhca-run" ibv_devices >"$root/log"
	grep -q mlx5_1 "$root/log" || die "$kind: no mlx5_1"
	run "$bindir/swhca-run" "$bindir/swhca-speed" --rounds 1 >"$root/log" || die "$kind: swhca-speed"
	files "$prefix/$(option datadir)/bash-completion/completions"/swhca-{run,ctl}
	[ ! -e "$bindir/dpdk-test-umr" ] || die "$kind: dpdk-test-umr is installed"
}

unset SWHCA_LIB
kind=shared build_dir=$shared_build_dir
install_to
private_headers
man_pages
run "$bindir/swhca-run" ibv_devices | tee "$root/devices"
grep -q mlx5_1 "$root/devices" || die "swhca-run shows no mlx5_1"
example shared yes yes
own_driver
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
without_dpdk
echo "install: good"
