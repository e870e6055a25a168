# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Shared by run.sh, test.sh and the checks; to be sourced. Requires bash.

top_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=devtools/ci/patience.sh
. "$top_dir/devtools/ci/patience.sh"
hugepage_dir=/dev/hugepages
hugepage_mib=256
# devtools/*.sh change these when they parse their options.
opt_install=yes
opt_hugepages=yes
build_dir=$top_dir/build

say()
{
	printf '== %s\n' "$*"
}

# step WORD...: tell what starts now; standard output has only results.
step()
{
	printf '== %s %s\n' "$(date +%T)" "$*" >&2
}

warn()
{
	printf '== note: %s\n' "$*" >&2
}

die()
{
	printf '== error: %s\n' "$*" >&2
	exit 1
}

# What is needed is not available here; the exit status is that of a skipped test.
skip()
{
	printf '== skipped: %s\n' "$*" >&2
	exit 77
}

wrong_usage()
{
	printf '== error: %s; see --help\n' "$*" >&2
	exit 2
}

# common_option OPTION [WORD...]: process an option common to all scripts; the script defines a
# function usage. Sets opt_words to the number of words consumed. Any other option is an error.
common_option()
{
	opt_words=1
	case $1 in
	--no-install) opt_install=no ;;
	--no-huge) opt_hugepages=no ;;
	--build-dir)
		[ $# -gt 1 ] || wrong_usage "$1 needs a folder"
		build_dir=$(realpath -m "$2")
		opt_words=2
		;;
	--help)
		usage
		exit 0
		;;
	*) wrong_usage "unknown option $1" ;;
	esac
}

# Print a command, then run it.
run()
{
	printf '+'
	printf ' %q' "$@"
	printf '\n'
	"$@"
}

# Run a command as root: directly, or through sudo, which must not ask for a password when nobody
# can type one.
run_as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		run "$@"
	elif ! command -v sudo >/dev/null; then
		warn "not root and no sudo: cannot run: $*"
		return 1
	elif [ -t 0 ]; then
		run sudo "$@"
	else
		run sudo -n "$@"
	fi
}

# packages_for PURPOSE...: print the packages of devtools/ci/packages.txt, one per line; "all" is every
# purpose except package, which is for empty roots.
packages_for()
{
	[ "$*" != all ] || set -- run test full doc
	awk -v purposes="$*" 'BEGIN { n = split(purposes, purpose); for (i = 1; i <= n; i++) want[purpose[i] ":"] = 1 }
		want[$1] { for (i = 2; i <= NF; i++) print $i }' "$top_dir/devtools/ci/packages.txt"
}

# missing_packages PURPOSE...: print those that are not installed.
missing_packages()
{
	local package

	while read -r package; do
		case $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) in
		ii*) ;;
		*) printf '%s\n' "$package" ;;
		esac
	done < <(packages_for "$@")
}

# install_packages PURPOSE...: install them unless --no-install was given.
install_packages()
{
	local missing

	if [ "$opt_install" != yes ]; then
		say "packages: not looked at (--no-install)"
		return
	fi
	if ! command -v dpkg-query >/dev/null; then
		warn "not a Debian system; needed are the equivalents of:" $(packages_for "$@")
		return
	fi
	mapfile -t missing < <(missing_packages "$@")
	if [ "${#missing[@]}" -eq 0 ]; then
		say "packages: all of \"$*\" are installed (devtools/ci/packages.txt)"
		return
	fi
	say "packages: installing ${missing[*]}"
	local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y
		-o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -o Acquire::Languages=none)

	run_as_root "${apt[@]}" update ||
		warn "apt-get update failed; trying to install with the lists that are there"
	run_as_root "${apt[@]}" install --no-install-recommends "${missing[@]}" ||
		die "cannot install: ${missing[*]}"
}

hugepages_total()
{
	awk '/^HugePages_Total:/ { print $2 }' /proc/meminfo
}

hugepages_mounted()
{
	awk '$3 == "hugetlbfs" { found = 1 } END { exit !found }' /proc/mounts
}

# Keep existing hugepages: "dpdk-hugepages.py --setup" would clear them first.
reserve_hugepages()
{
	if [ "$opt_hugepages" != yes ]; then
		say "hugepages: not asked for (--no-huge)"
		return
	fi
	if ! command -v dpdk-hugepages.py >/dev/null; then
		warn "hugepages: no dpdk-hugepages.py"
		return
	fi
	if [ "$(hugepages_total)" = 0 ]; then
		run_as_root dpdk-hugepages.py --pagesize 2M --reserve ${hugepage_mib}M || true
	fi
	if ! hugepages_mounted; then
		[ -d "$hugepage_dir" ] || run_as_root mkdir -p "$hugepage_dir" || true
		run_as_root dpdk-hugepages.py --pagesize 2M --directory "$hugepage_dir" --mount ||
			true
	fi
}

# Whether EAL can use hugepages here: at least half of the requested memory must be free.
hugepages_usable()
{
	local free_mib

	[ "$opt_hugepages" = yes ] && hugepages_mounted || return 1
	free_mib=$(awk '/^HugePages_Free:/ { n = $2 } /^Hugepagesize:/ { kib = $2 }
		END { print int(n * kib / 1024) }' /proc/meminfo)
	[ "$free_mib" -ge $((hugepage_mib / 2)) ]
}

# First CPU allowed for this process.
first_cpu()
{
	awk '/^Cpus_allowed_list:/ { split($2, part, /[-,]/); print part[1] }' /proc/self/status
}

# EAL options common to all commands, one per line. They leave no files, so that several processes
# can run at the same time: --in-memory, or --no-shconf with --no-huge, because EAL 22.11 rejects
# both together.
eal_options()
{
	if hugepages_usable; then
		echo --in-memory
	else
		printf '%s\n' --no-huge --no-shconf
	fi
	printf '%s\n' -l "$(first_cpu)" --no-pci --no-telemetry \
		--log-level=lib.eal:warning
}

# configure [-Doption=value...]: set up build_dir, or change its options.
configure()
{
	if [ -f "$build_dir/build.ninja" ]; then
		[ $# -eq 0 ] || run meson configure "$build_dir" "$@"
	else
		run meson setup "$build_dir" "$top_dir" "$@"
	fi
}

# build [TARGET...]: build everything or the targets.
build()
{
	run ninja -C "$build_dir" "$@"
}

# List the files of this checkout, separated by NUL; without git, all except build folders.
checkout_files()
{
	if git -C "$top_dir" -c safe.directory="$top_dir" rev-parse --git-dir >/dev/null 2>&1; then
		git -C "$top_dir" -c safe.directory="$top_dir" ls-files -z -co --exclude-standard
	else
		(cd "$top_dir" && find . -path './build*' -prune -o \! -type d -print0)
	fi | (cd "$top_dir" && while IFS= read -r -d '' file; do
		[ ! -e "$file" ] && [ ! -L "$file" ] || printf '%s\0' "$file"
	done)
}

# Archives in the apt sources of this machine.
apt_archives()
{
	apt-get update --print-uris 2>/dev/null |
		sed -n "s|^'\(.*[^/]\)/*/dists/.*/InRelease'.*|\1|p" | awk '!seen[$0]++'
}

# find_mirror SUITE FILE: set mirror to the first one that has this Debian release, and download its
# InRelease to FILE. Uses apt and its proxy.
find_mirror()
{
	local archives

	mapfile -t archives < <(apt_archives)
	for mirror in "${archives[@]}"; do
		rm -f "$2"
		timeout "$(patience 60)" /usr/lib/apt/apt-helper -o Acquire::Retries=1 \
			-o Acquire::http::Timeout=20 \
			download-file "$mirror/dists/$1/InRelease" "$2" >/dev/null 2>&1 || continue
		! grep -qx 'Origin: Debian' "$2" || return 0
	done
	return 1
}
