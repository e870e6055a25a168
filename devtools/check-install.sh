#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# "meson install" puts everything in place: installs into a temporary folder, builds an
# example with what pkg-config says, runs it and Debian's ibv_devices below the installed swhca-run.
# BUILD_DIR (default: build) is the build to install.

set -eu -o pipefail
. "$(dirname "$0")/lib.sh"

build_dir=$(realpath "${BUILD_DIR:-$build_dir}")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

# Where this build installs to, below its prefix.
option()
{
	meson introspect --buildoptions "$build_dir" |
		python3 -c 'import json, sys
print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == sys.argv[1]))' "$1"
}
prefix=$root$(option prefix)
libdir=$prefix/$(option libdir)
bindir=$prefix/$(option bindir)
incdir=$prefix/$(option includedir)

DESTDIR=$root run meson install -C "$build_dir" --no-rebuild --quiet
for file in "$libdir"/librte_umr.so "$libdir"/librte_common_mlx5_umr.so "$libdir"/libswhca.so \
	"$incdir"/rte_umr.h "$incdir"/rte_umr_core.h "$incdir"/rte_umr_data.h \
	"$libdir"/pkgconfig/librte_umr.pc "$libdir"/pkgconfig/librte_common_mlx5_umr.pc \
	"$bindir"/dpdk-test-umr "$bindir"/swhca-ctl "$bindir"/swhca-run; do
	[ -e "$file" ] || die "not installed: ${file#"$root"}"
done
extra=$(find "$incdir" -name '*driver*' -o -name 'swhca*' -o -name 'mlx5_*')
[ -z "$extra" ] || die "private headers are installed: $extra"

# Only our own packages are below the temporary root: neither PKG_CONFIG_SYSROOT_DIR nor
# --define-variable can tell them from DPDK's.
sed -i "s|^prefix=.*|prefix=$prefix|" "$libdir"/pkgconfig/*.pc
export PKG_CONFIG_PATH=$libdir/pkgconfig
read -ra flags <<<"$(pkg-config --cflags --libs librte_common_mlx5_umr)"
run gcc -Wall -Wextra -Werror -o "$root/umr_gather" "$top_dir/examples/umr_gather/main.c" \
	"${flags[@]}"

export LD_LIBRARY_PATH=$libdir
unset SWHCA_LIB
run "$bindir/swhca-run" ibv_devices | tee "$root/devices"
grep -q mlx5_1 "$root/devices" || die "swhca-run shows no mlx5_1"
run "$bindir/swhca-run" "$root/umr_gather" --no-huge --no-shconf -l "$(first_cpu)" --no-pci \
	--no-telemetry >"$root/log" 2>&1 || die "the example fails: $(cat "$root/log")"
run "$bindir/swhca-run" "$bindir/dpdk-test-umr" --no-huge --no-shconf -l "$(first_cpu)" --no-pci \
	--no-telemetry -- verify --cases 100 >"$root/log" 2>&1 || die "verify fails: $(cat "$root/log")"
echo "install: good"
