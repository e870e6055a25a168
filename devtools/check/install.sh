#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Test "meson install" with shared libraries, with static libraries and with both. The script
# - installs into a temporary folder;
# - builds and runs umr_gather with pkg-config, with and without --static; the installed examples by
#   their Makefile; and the template by make and meson, installed or uninstalled;
# - runs it and Debian's ibv_devices below the installed swhca-run;
# - builds and runs the same in C++ with every header;
# - builds and loads an external driver of rte_umr;
# - loads the driver of the project as an EAL plugin;
# - builds a project that uses this one as a subproject;
# - installs only the software ConnectX, without DPDK.
# BUILD_DIR (default: build) is the build with shared libraries to install.

set -eu -o pipefail
. "$(dirname "$0")/../ci/lib.sh"

shared_build_dir=$(realpath "${BUILD_DIR:-$build_dir}")
# EAL rejects drivers below world-writable folders such as /tmp.
root=$(mktemp -d "$shared_build_dir/install-XXXXXX")
trap 'rm -rf "$root"' EXIT
driver=librte_common_mlx5_umr

# Get an option of the build, for example an install folder relative to the prefix.
option()
{
	python3 -c 'import json, sys
print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == sys.argv[1]))' "$1" \
		<"$build_dir/meson-info/intro-buildoptions.json"
}

# files NAME...: check that they are installed.
files()
{
	local file

	for file in "$@"; do
		[ -e "$file" ] || die "$kind: not installed: ${file#"$dest"}"
	done
}

# install_to: install build_dir, whose libraries are of type $kind, to a separate folder.
install_to()
{
	dest=$root/$kind
	prefix=$dest$(option prefix)
	libdir=$prefix/$(option libdir)
	bindir=$prefix/$(option bindir)
	incdir=$prefix/$(option includedir)
	DESTDIR=$dest run meson install -C "$build_dir" --no-rebuild --quiet
	# A library of another machine must be ignored.
	mkdir -p "$prefix/lib/aaa"
	echo "not for this machine" >"$prefix/lib/aaa/libswhca.so"
	cp "$prefix/lib/aaa/libswhca.so" "$prefix/lib/aaa/libswhca.so.0"
	if [ "$kind" = swhca ]; then
		files "$libdir"/libswhca.so.0 "$bindir"/swhca-{ctl,run,speed}
		return
	fi
	files "$incdir"/rte_umr.h "$incdir"/rte_umr_core.h \
		"$incdir"/rte_umr_data.h "$incdir"/rte_umr_pmd.h \
		"$libdir"/pkgconfig/librte_umr{,_pmd}.pc "$bindir"/dpdk-test-umr
	if [ "$kind" = shared ]; then
		files "$libdir"/libswhca.so "$bindir"/swhca-ctl "$bindir"/swhca-run
		swhca_run=$bindir/swhca-run
	fi
	[ "$kind" = static ] || files "$libdir/librte_umr.so" "$libdir/$driver.so" \
		"$libdir"/dpdk/pmds-*/$driver.so
	[ "$kind" = shared ] || files "$libdir/librte_umr.a" "$libdir/$driver.a"
	# Only our own packages are below the temporary root. PKG_CONFIG_SYSROOT_DIR and
	# --define-variable would also affect those of DPDK.
	sed -i "s|^prefix=.*|prefix=$prefix|" "$libdir"/pkgconfig/*.pc
	export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
}

# run_below PROGRAM WORD...: run it, with its output in stdout, and messages of EAL and drivers in
# log. The words of above, if any, come first.
above=()
run_below()
{
	echo "+ swhca-run $*"
	"${above[@]}" "$swhca_run" "$1" --no-huge --no-shconf -l "$(first_cpu)" --no-pci \
		--no-telemetry "${@:2}" >"$root/stdout" 2>"$root/log" ||
		die "$kind: $1 fails: $(cat "$root/stdout" "$root/log")"
}

# needs PROGRAM yes|no LIBRARY: check whether the program is linked with the library.
needs()
{
	local answer=no

	[[ $(readelf -d "$1") != *"NEEDED"*"[$3.so"* ]] || answer=yes
	[ "$answer" = "$2" ] || die "$kind: $1 needs $3.so: $answer, not $2"
}

# flags_of WORD...: set flags to those of pkg-config WORD..., which leave the choice to use an
# experimental API to the program, and to that choice.
flags_of()
{
	read -ra flags <<<"$(pkg-config --cflags --libs "$@")"
	[[ ${flags[*]} != *ALLOW_EXPERIMENTAL_API* ]] ||
		die "$kind: pkg-config $* allows an experimental API"
	flags+=(-DALLOW_EXPERIMENTAL_API)
}

# A program without that choice: headers are silent, and each call of a function warns.
experimental()
{
	local flags header words=()

	flags_of librte_umr
	unset 'flags[-1]'
	for header in "$incdir"/rte_*.h; do
		words+=(-include "${header##*/}")
	done
	run gcc -x c -fsyntax-only -Wall -Wextra -Werror "${flags[@]}" "${words[@]}" /dev/null
	# Generators of bindings declare these as plain functions, so the library must have each.
	run gcc -x c -c -Werror -DRTE_UMR_OUT_OF_LINE -DALLOW_EXPERIMENTAL_API "${flags[@]}" "${words[@]}" \
		-o "$root/plain.o" /dev/null
	nm --defined-only "$root/plain.o" | awk '$2 == "W" { print $3 }' | sort >"$root/plain"
	grep -qx rte_umr_mkey_configure "$root/plain" || die "RTE_UMR_OUT_OF_LINE declares nothing"
	! nm -D --defined-only "$libdir/librte_umr.so" | sed 's/.* //; s/@.*//' | sort |
		comm -13 - "$root/plain" | grep . || die "the library has no such function"
	! gcc -fsyntax-only -Wall -Werror "${flags[@]}" "$top_dir/examples/template/main.c" \
		2>"$root/log" || die "$kind: the API is not marked as experimental"
	grep -q "rte_umr_dev_configure.*not yet part of stable ABI" "$root/log" || die "$(cat "$root/log")"
}

linkers=(bfd gold lld)

# example NAME OURS DPDKS WORD...: build it with pkg-config WORD..., link it with each available
# linker, and run it. OURS and DPDKS: whether it must be linked with shared libraries of each.
example()
{
	local flags linker program

	flags_of "${@:4}" librte_umr
	for linker in "${linkers[@]}"; do
		command -v "ld.$linker" >/dev/null || continue
		program=$root/$1-$linker
		# The default of some systems.
		run gcc -Wall -Wextra -Werror -fuse-ld=$linker -Wl,--as-needed \
			-I "$top_dir/app/common" -o "$program" "$top_dir"/examples/umr_gather/*.c \
			"$top_dir/app/common/channel.c" "${flags[@]}"
		needs "$program" "$2" librte_umr
		needs "$program" "$2" $driver
		needs "$program" "$3" librte_eal
		needs "$program" yes libc
		run_below "$program"
		# Nothing refers to this symbol.
		[[ $2 = yes || $(nm "$program") = *" rte_umr_telemetry_init"* ]] ||
			die "$kind: $program has no telemetry"
	done
}

# in_cpp WORD...: compile all headers as C++ with each available compiler, and link with pkg-config
# WORD....
in_cpp()
{
	local cxx flags header source=$top_dir/app/test/embed/in_cpp.cpp

	flags_of "$@" librte_umr
	for header in "$incdir"/rte_*.h; do
		flags+=(-include "${header##*/}")
	done
	for cxx in g++ clang++; do
		command -v $cxx >/dev/null || continue
		run $cxx -std=c++17 -Wall -Wextra -Werror -o "$root/in-$cxx" "$source" "${flags[@]}"
		run_below "$root/in-$cxx"
		grep -qx "Hello, of C++" "$root/stdout" || die "$kind: $cxx: $(cat "$root/stdout")"
	done
}

# template PROGRAM WHAT WORD...: compare the output of the template.
template()
{
	run_below "$1" "${@:3}"
	diff "$top_dir/examples/template/output.golden" "$root/stdout" || die "$kind: $2"
}

# uninstalled WORD...: build the template by make, with pkg-config WORD... of the build folder.
uninstalled()
{
	local dir=$root/uninstalled

	rm -rf "$dir"
	cp -r "$top_dir/examples/template" "$dir"
	PKG_CONFIG_PATH=$build_dir/meson-uninstalled CFLAGS='-Wall -Wextra -Werror' \
		run make -C "$dir" PKG_CONFIG="pkg-config $*" >"$root/log"
	! grep -qF "$prefix" "$root/log" || die "$kind: uninstalled: $(cat "$root/log")"
	LD_LIBRARY_PATH=$build_dir/lib/umr:$build_dir/drivers/common/mlx5_umr \
		template "$dir/template" uninstalled
}

# Build the template by meson with the installed files.
by_meson()
{
	(run meson setup "$root/template" "$top_dir/examples/template" && run ninja -C "$root/template") \
		>"$root/log" 2>&1 || die "$kind: template by meson: $(cat "$root/log")"
	template "$root/template/template" "template by meson"
}

# Build all installed examples by their Makefile, and compare the output of each.
examples()
{
	local dir=$root/examples name words

	cp -r "$prefix/$(option datadir)/umr/examples" "$dir"
	CFLAGS='-Wall -Wextra -Werror' run make -C "$dir" >"$root/log" 2>&1 ||
		die "$kind: examples: $(cat "$root/log")"
	for name in "$dir"/*/output.golden; do
		name=$(basename "${name%/*}")
		words=()
		case $name in
		umr_pipeline) words=(packets.pcap fragments.pcap) ;;
		umr_ipfrag) words=(fragments.pcap packets.pcap) ;;
		esac
		# As in the tests of the build folder.
		(cd "$dir/captures" && run "$top_dir/examples/run-example.sh" "$dir/$name/output.golden" \
			"$top_dir/app/test/run-eal.sh" "$swhca_run" "$dir/$name/$name" "${words[@]}" 2>"$root/log") ||
			die "$kind: $name: $(cat "$root/log")"
	done
}

# Run the template in Python with the installed module.
in_python()
{
	PYTHONPATH=$(pkg-config --variable=pythondir librte_umr) \
		template "$top_dir/examples/template/main.py" "template in Python"
}

# Whether EAL loads drivers from a folder: neither it nor a parent may be world-writable.
is_trusted()
{
	local dir=$1

	while [ "$dir" != / ]; do
		[ -z "$(find "$dir" -maxdepth 0 -perm -o+w)" ] || return 1
		dir=$(dirname "$dir")
	done
}

# An out-of-tree driver, built with the installed files: EAL loads it, and a driver with another
# version is reported and ignored.
own_driver()
{
	local flags sources=$top_dir/app/test/driver

	flags_of librte_umr_pmd
	flags+=(-Wall -Wextra -Werror)
	run gcc -shared -fPIC -o "$root/own.so" "$sources/own_driver.c" "${flags[@]}"
	needs "$root/own.so" no $driver
	run gcc -shared -fPIC -o "$root/other.so" \
		'-DOWN_ABI_VERSION=(RTE_UMR_PMD_ABI_VERSION + 1)' "$sources/own_driver.c" \
		"${flags[@]}"
	run gcc -o "$root/own" "$sources/own_main.c" "${flags[@]}"
	is_trusted "$root" || return 0
	run_below "$root/own" -d "$root/other.so" -d "$root/own.so"
	grep -q "own driver: good" "$root/stdout" || die "$kind: $(cat "$root/stdout" "$root/log")"
	grep -q "a driver was built for version" "$root/log" ||
		die "$kind: nothing is said of a driver of another version: $(cat "$root/log")"
}

# Use the driver of the project as a plugin of a program that is only linked with the library: a
# file and a folder for EAL's option -d, and EAL's own folder, as if installed next to DPDK. A mount
# namespace replaces the folder of the machine, which remains unchanged.
plugin()
{
	local flags eal_libdir dir file example=$top_dir/examples/template

	flags_of librte_umr_pmd
	run gcc -Wall -Wextra -Werror -o "$root/hello" "$example/main.c" "${flags[@]}"
	needs "$root/hello" no $driver
	! (run_below "$root/hello") 2>/dev/null || die "$kind: hello has a driver that it is not given"
	if ! is_trusted "$root"; then
		warn "$root is below a world-writable folder: no driver is loaded from there"
		return
	fi
	dir=$(echo "$libdir"/dpdk/pmds-*)
	for file in "$libdir/$driver.so" "$dir"; do
		template "$root/hello" "-d $file" -d "$file"
	done
	# A linked driver that is also given by option is loaded once.
	run_below "$root/shared-bfd" -d "$dir"
	grep -q "column, one read: good" "$root/stdout" || die "$kind: linked and loaded"
	eal_libdir=$(pkg-config --variable=libdir libdpdk)
	if [ ! -d "$eal_libdir/dpdk/${dir##*/}" ]; then
		die "$kind: EAL of $eal_libdir has no folder ${dir##*/}"
	elif ! unshare --mount mount -t overlay overlay -o "lowerdir=$libdir:$eal_libdir" \
		"$eal_libdir" 2>/dev/null; then
		warn "no right to mount: EAL's own folder is not tried"
		return
	fi
	# shellcheck disable=SC2016
	above=(unshare --mount sh -c 'mount -t overlay overlay -o "lowerdir=$1:$2" "$2" &&
		unset LD_LIBRARY_PATH && shift 2 && exec "$@"' sh "$libdir" "$eal_libdir")
	template "$root/hello" "EAL's own folder"
	above=()
}

# Build a project with this one as a subproject, from a repository of this checkout.
subproject()
{
	local repo=$root/umr.git dir=$root/pipeline lib_kind program

	mkdir "$repo"
	checkout_files | tar -C "$top_dir" -c --null --no-recursion -T - | tar -C "$repo" -x
	git -C "$repo" init -q
	git -C "$repo" add -A
	git -C "$repo" -c user.name=check -c user.email=check@localhost commit -q -m checkout
	cp -r "$top_dir/app/test/embed/subproject" "$dir"
	cp "$top_dir/examples/template/main.c" "$top_dir/app/test/embed/in_cpp.cpp" "$dir"
	sed -i "s|^url = .*|url = file://$repo|" "$dir/subprojects/umr.wrap"
	build_dir=$dir/build
	meson setup --force-fallback-for=umr -Dumr:components=umr -Doptimization=0 -Ddebug=false "$build_dir" "$dir" \
		>"$root/log" 2>&1 || die "subproject: $(tail -n 50 "$root/log")"
	for lib_kind in shared static; do
		(meson configure -D{,umr:}default_library=$lib_kind "$build_dir" && build &&
			ninja -C "$build_dir" -t cleandead) >"$root/log" 2>&1 ||
			die "subproject: $(tail -n 50 "$root/log")"
		kind="subproject, $lib_kind"
		for program in in_c in_cpp; do
			needs "$build_dir/$program" "$([ $lib_kind = static ] && echo no || echo yes)" librte_umr
			run_below "$build_dir/$program"
			grep -q "^Hello, " "$root/stdout" || die "$kind: $(cat "$root/stdout")"
		done
	done
}

private_headers()
{
	local extra

	extra=$(find "$incdir" -name 'swhca*' -o -name 'mlx5_*')
	[ -z "$extra" ] || die "private headers are installed: $extra"
}

# Each program and the API have a manual page if Sphinx is available.
man_pages()
{
	local program

	command -v sphinx-build >/dev/null || return 0
	for program in "$bindir"/*; do
		files "$prefix/$(option mandir)/man1/${program##*/}.1"
	done
	files "$prefix/$(option mandir)/man7/rte_umr.7"
}

# Files outside the software ConnectX are neither searched for nor built: here pkg-config finds
# everything but DPDK.
without_dpdk()
{
	local dir

	mkdir -p "$root/no-dpdk"
	for dir in $(pkg-config --variable pc_path pkg-config | tr : ' '); do
		[ ! -d "$dir" ] || find "$dir" -name '*.pc' -not -name 'libdpdk*' \
			-exec ln -sf -t "$root/no-dpdk" {} +
	done
	kind=swhca build_dir=$root/build-swhca
	(PKG_CONFIG_LIBDIR=$root/no-dpdk configure -Dcomponents=swhca -Dtests=disabled \
		-Ddocs=disabled -Doptimization=0 -Ddebug=false && build) >"$root/log" 2>&1 ||
		die "components=swhca: $(tail -n 50 "$root/log")"
	(build_dir=$root/build-swhca-tests PKG_CONFIG_LIBDIR=$root/no-dpdk configure \
		-Dcomponents=swhca -Dtests=enabled -Ddocs=disabled) >"$root/log" 2>&1 ||
		die "components=swhca with tests: $(tail -n 50 "$root/log")"
	install_to
	run "$bindir/swhca-run" ibv_devices >"$root/log"
	grep -q mlx5_1 "$root/log" || die "$kind: no mlx5_1"
	run "$bindir/swhca-run" "$bindir/swhca-speed" --rounds 1 >"$root/log" || die "$kind: swhca-speed"
	files "$prefix/$(option datadir)/bash-completion/completions"/swhca-{ctl,pci,run,speed} \
		"$prefix/$(option datadir)/zsh/site-functions/_swhca"
	[ ! -e "$bindir/dpdk-test-umr" ] || die "$kind: dpdk-test-umr is installed"
}

unset SWHCA_LIB
kind=shared build_dir=$shared_build_dir
install_to
private_headers
man_pages
run "$bindir/swhca-run" ibv_devices | tee "$root/devices"
grep -q mlx5_1 "$root/devices" || die "swhca-run shows no mlx5_1"
experimental
uninstalled
by_meson
examples
in_python
example shared yes yes
in_cpp
own_driver
plugin
# It finds the libraries of its prefix.
above=(env -u LD_LIBRARY_PATH)
run_below "$bindir/dpdk-test-umr" -- verify --cases 100
above=()

for kind in both static; do
	build_dir=$root/build
	# Speed is irrelevant here. Programs run below the swhca-run of the first installation. The
	# second build reuses objects of the first one.
	(configure -Ddefault_library=$kind -Dcomponents=umr -Dtests=disabled -Ddocs=disabled \
		-Doptimization=0 -Ddebug=false && build && ninja -C "$build_dir" -t cleandead) \
		>"$root/log" 2>&1 || die "$kind: $(cat "$root/log")"
	install_to
	if [ $kind = both ]; then
		uninstalled --static
		in_cpp --static
		example both-static no no --static
		example both-shared yes yes
	else
		# DPDK is linked as above; this tests the linking of DPDK.
		linkers=(bfd)
		example static-static no no --static
		example static-ours no yes
	fi
	run_below "$bindir/dpdk-test-umr" -- verify --cases 100
done
(
	# Use the programs of the shared installation without its pkg-config files.
	kind=shared build_dir=$shared_build_dir
	install_to
	unset PKG_CONFIG_PATH LD_LIBRARY_PATH
	subproject
)
without_dpdk
echo "install: good"
